"""Work on parts of a table, on several cores: each part is finished or gives the parts it was split into."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass

from covey.base.arrays import IntVector
from covey.compiled.pausing import heard, threads_that_stop

__all__ = ["Part", "cores_to_use", "finished_parts", "numbered"]


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """Places begin..end-1 of a table; classes: how many they make, 0 where they must be worked on."""

    begin: int
    end: int
    classes: int = 0
    depth: int = 0
    """How many splits made it"""
    key: int = 0
    """The stream that its splits draw from"""


def cores_to_use() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def finished_parts(split: Callable[[Part], list[Part]], whole: Part, cores: int) -> list[Part]:
    """Split the whole table, then every part that is not finished, on several cores; return those that are.

    They come in any order: it depends on which core was faster.
    """
    finished: list[Part] = []
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


def numbered(parts: Iterable[Part], local: IntVector) -> IntVector:
    """Return the class of each place, those of all parts numbered through, given the class within its part."""
    labels = local.copy()
    n_classes = 0
    for part in sorted(parts):
        labels[part.begin : part.end] += n_classes
        n_classes += part.classes
    return labels
