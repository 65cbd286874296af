"""Work on parts of a table, on several cores: each part is finished or gives the parts it was split into."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait
from typing import Protocol, TypeVar

from covey.compiled.pausing import heard, threads_that_stop

__all__ = ["cores_to_use", "finished_parts"]


class _Part(Protocol):
    @property
    def begin(self) -> int:
        """Return its first place."""

    @property
    def end(self) -> int:
        """Return the place after its last."""

    @property
    def classes(self) -> int:
        """Return into how many classes it was cut; 0 where it must be worked on."""


P = TypeVar("P", bound=_Part)


def cores_to_use() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def finished_parts(split: Callable[[P], list[P]], whole: P, cores: int) -> list[P]:
    """Split the whole table, then every part that is not finished, on several cores; return those that are.

    They come in any order: it depends on which core was faster.
    """
    finished: list[P] = []
    n_done = 0
    with threads_that_stop(cores) as pool:
        running = {pool.submit(split, whole)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            heard(n_done, whole.end - whole.begin)
            for part in (part for future in done for part in future.result()):
                if part.classes > 0:
                    finished.append(part)
                    n_done += part.end - part.begin
                else:
                    running.add(pool.submit(split, part))
    return finished
