"""The levels of a column: ever coarser ways to part its codes into runs, from single codes to one run."""

from __future__ import annotations

from typing import Literal

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.codes.codes import Codes
from covey.codes.prices import FLAT, TREE

__all__ = ["column_levels"]

MOST_HALVINGS = 52
"""No two positions from 0 to 1 that are worth telling apart lie closer than 2**-52."""


def column_levels(
    codes: Codes,
    j: int,
    count: Literal["leaves", "root"],
    halvings: int,
    alike: Literal["finest", "coarsest"] = "finest",
) -> list[IntVector]:
    """Return for each level of column j, the finest first, the number of the run that each code belongs to.

    Of levels that are `alike` for the codes that rows have, only the finest is given, or the coarsest.
    """
    size, offset = int(codes.sizes[j]), int(codes.offsets[j])
    if codes.kinds[j] == FLAT:
        gaps = [np.zeros(size - 1, np.bool_)]
    elif codes.kinds[j] == TREE:
        heights = codes.positions[offset : offset + size - 1]
        gaps = _heights(heights) if count == "leaves" else _depths(heights)
    else:
        gaps = _halves(codes.positions[offset : offset + size], min(halvings, MOST_HALVINGS))
    used = np.unique(codes.columns[j])
    levels: list[IntVector] = []
    for cut in (np.ones(size - 1, np.bool_), *gaps):
        level = np.concatenate([[0], np.cumsum(cut)])
        if not levels or not np.array_equal(np.diff(level[used]) > 0, np.diff(levels[-1][used]) > 0):
            levels.append(level)
        elif alike == "coarsest":
            levels[-1] = level
    return levels


def _heights(gaps: FloatVector) -> list[BoolVector]:
    """Return where each level of a tree is cut: a leaf stands for its highest ancestor of at most some height.

    >>> [cut.tolist() for cut in _heights(np.array([0.5, 1.0]))]
    [[False, True], [False, False]]
    """
    return [gaps > height for height in np.unique(gaps)]


def _depths(gaps: FloatVector) -> list[BoolVector]:
    """Return where each level of a tree is cut: a leaf stands for its ancestor at some depth, or for itself.

    >>> [cut.tolist() for cut in _depths(np.array([0.5, 1.0, 1.0]))]
    [[False, True, True], [False, False, False]]
    """
    cuts = [np.zeros(len(gaps), np.bool_)]
    while not cuts[-1].all():
        cut = cuts[-1]
        run = np.concatenate([[0], np.cumsum(cut)])[:-1]  # the run before each gap
        tallest = np.zeros(len(gaps) + 1)
        np.maximum.at(tallest, run[~cut], gaps[~cut])
        cuts.append(cut | (gaps == tallest[run]))
    return cuts[-2::-1]


def _halves(positions: FloatVector, halvings: int) -> list[BoolVector]:
    """Return where each level of an order is cut: its range into halves, quarters and so on; missing stands alone.

    >>> [cut.tolist() for cut in _halves(np.array([-1.0, 0.0, 0.4, 1.0]), 2)]
    [[True, True, True], [True, False, True], [False, False, False]]
    """
    cuts = []
    for power in range(halvings, 0, -1):
        part = np.minimum(np.floor(positions * 2.0**power), 2.0**power - 1)
        part = np.where(positions < 0, positions * 2.0**power, part)
        cuts.append(np.diff(part) > 0)
    return [*cuts, np.zeros(len(positions) - 1, np.bool_)]
