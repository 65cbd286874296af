"""How long something takes, for the scripts beside this one."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["best_of"]


def best_of(runs: int, work: Callable[[], object]) -> float:
    """Return the seconds of the fastest of several runs, the one that the machine disturbed least."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
