"""How long each step of a run takes, which one is running, and how much memory it took."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from covey.compiled.pausing import listening

__all__ = ["Clock", "Progress", "peak_memory_mb"]

Progress = Callable[[str], None]


@dataclass(slots=True)
class Clock:
    """Measures the steps of one run and tells a person which one is running."""

    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)
    _inner: list[float] = field(default_factory=list)
    """Seconds that were spent in steps inside each step that runs; these count once, where they belong."""

    @contextlib.contextmanager
    def step(self, name: str, words: str) -> Iterator[None]:
        """Time what happens inside, under a name."""
        self.progress(words)
        self.seconds.setdefault(name, 0.0)  # steps stand in the order in which they begin
        self._inner.append(0.0)
        start = time.perf_counter()
        try:
            with listening(lambda share: self.progress(f"{words}, {share:.0%}")):
                yield
        finally:
            taken = time.perf_counter() - start
            self.seconds[name] += taken - self._inner.pop()
            if self._inner:
                self._inner[-1] += taken


def peak_memory_mb() -> float:
    """Return the most memory that this process has held, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024**2 if sys.platform == "darwin" else peak / 1024
