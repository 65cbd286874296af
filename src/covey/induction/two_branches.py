"""Categories in two branches: one node of a taxonomy, or one value, against all others.

A split into all values at once gains most of all, and leaves the least rows in each branch: where k rows are asked of
every branch it is refused for the sake of a rare value, and where it is not, it spends on one column what several
could have used.  In two branches only the node itself and the rest need k rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import IntVector

__all__ = ["Level", "against_the_rest", "ways_in_two"]


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a category: its branches by name, and the branch of each value."""

    branches: tuple[str | None, ...]
    branch_of: tuple[int, ...]
    """By the code of the value."""


def against_the_rest(levels: Sequence[Level], rows: IntVector, most: int) -> tuple[Level, ...]:
    """Return a level of two branches for each branch that parts the rows, in their order; none comes twice.

    rows: how many have each code.  If there are more than `most`, those are kept whose smaller part has most rows.

    >>> land = Level(("France", "Norway"), (0, 1, 0))
    >>> town = Level(("Lyon", "Oslo", "Paris"), (0, 1, 2))
    >>> [level.branches for level in against_the_rest([land, town], np.array([4, 5, 6]), 255)]
    [('France', 'Norway'), ('Lyon', 'all but Lyon'), ('Paris', 'all but Paris')]
    >>> [level.branches for level in against_the_rest([land, town], np.array([4, 5, 6]), 2)]
    [('France', 'Norway'), ('Paris', 'all but Paris')]
    """
    ways = ways_in_two([np.array(level.branch_of) for level in levels], rows, 1, most)
    return tuple(_parted(levels[place], branch) for place, branch in ways)


def ways_in_two(levels: Sequence[IntVector], rows: IntVector, least: int, most: int) -> list[tuple[int, int]]:
    """Return (level, branch) for each way to part the codes in two, both of `least` rows or more; none comes twice.

    levels: the branch of each code, level by level; rows: how many have each code.

    >>> land, town = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])
    >>> ways_in_two([land, town], np.array([5, 5, 1, 9]), least=2, most=255)  # the third town has one row
    [(0, 0), (1, 0), (1, 1), (1, 3)]
    """
    sizes: list[tuple[int, int, int]] = []
    for place, level in enumerate(levels):
        own = np.bincount(level, weights=rows).astype(np.int64)
        smaller = np.minimum(own, int(rows.sum()) - own)
        sizes += [(-int(smaller[branch]), place, int(branch)) for branch in np.flatnonzero(smaller >= least)]
    found: dict[bytes, tuple[int, int]] = {}
    for _, place, branch in sorted(sizes):
        if len(found) == most:
            break
        is_rest = levels[place] != branch
        found.setdefault((is_rest ^ is_rest[0]).tobytes(), (place, branch))  # whichever of the two is the rest
    return sorted(found.values())


def _parted(level: Level, branch: int) -> Level:
    if len(level.branches) == 2:
        return level
    name = level.branches[branch]
    rest = f"all but {'missing' if name is None else name}"
    return Level((name, rest), tuple(int(own != branch) for own in level.branch_of))
