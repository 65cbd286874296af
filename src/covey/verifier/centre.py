"""Centres: is what a class shows the mean, the median or the mode of its original values?

A centre does not cover, so it is recomputed.  Means are accepted within 1e-9 of the largest value of the
class (dates: of its distance from the earliest date, and a nanosecond); medians and modes must be exact,
except for the middle between two median numbers.  `*` says nothing and always holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covey.arrays import BoolVector, FloatVector, IntVector
from covey.values import Point
from covey.verifier.cells import Reading
from covey.verifier.coded import Folded
from covey.verifier.compared import Compared
from covey.verifier.originals import MISSING, NOT_A_NUMBER, STRANGE, Originals

__all__ = ["TOLERANCE", "wrong_centres"]

TOLERANCE = 1e-9
_NO_POINT = STRANGE - 1


def wrong_centres(
    kind: str, column: Compared, originals: Originals, readings: Sequence[Reading], classes: Folded
) -> int:
    """Return how many classes show no centre of theirs, for the statistic that fits the column best.

    Rows must be aligned.  `classes`: the classes as released, so that all rows of one show one cell.
    """
    cells = column.cells[classes.first_rows()]
    says_nothing = column.cover.is_unknown[cells] | (column.cover.low[cells] == STRANGE)
    shown = _shown_ranks(column)[cells]
    by_class = _ByClass(originals.rank[column.values], classes)
    checks = [by_class.is_mode(shown)]
    if kind in ("numeric", "date", "ordered"):
        checks.append(by_class.is_median(shown))
    if kind in ("numeric", "date") and len(originals.axis):
        origin = originals.axis[0] if kind == "date" else 0
        axis = np.array([float(value - origin) for value in originals.axis])
        values = np.array([_distance(reading, origin) for reading in readings], np.float64)[cells]
        slack = 1.0 if kind == "date" else 0.0
        checks[1] |= by_class.is_middle(values, axis, slack)
        checks.append(by_class.is_mean(values, axis, slack) | by_class.is_empty(shown))
    return min(int((~(held | says_nothing)).sum()) for held in checks)


def _shown_ranks(column: Compared) -> IntVector:
    """Return the rank of the one value that each cell is, or a rank that no value has."""
    cover = column.cover
    ranks = np.where(cover.low == cover.high, cover.low, _NO_POINT)
    for cell in np.flatnonzero(cover.has_members):
        listed = cover.members[(cover.members // cover.n_axis) == cell]
        if len(listed) == 1:
            ranks[cell] = listed[0] % cover.n_axis
    return ranks


def _distance(reading: Reading, origin: Any) -> float:
    cell = reading.cell
    if not isinstance(cell, Point) or isinstance(cell.value, str):
        return float("nan")
    return float(cell.value - origin) if origin else float(cell.value)


class _ByClass:
    """The ranks of the original values, sorted within each class."""

    def __init__(self, ranks: IntVector, classes: Folded) -> None:
        order = np.lexsort((ranks, classes.numbers))
        self.ranks, self.numbers, self.size = ranks[order], classes.numbers[order], classes.size
        present = self.ranks >= 0
        self.present = self.ranks[present]
        self.owner = self.numbers[present]
        self.count = np.bincount(self.owner, minlength=self.size)
        self.start = np.cumsum(self.count) - self.count
        self.any = self.count > 0

    def _at(self, place: IntVector) -> IntVector:
        """Return the present rank at a place within each class, a rank no value has in empty ones."""
        found = np.full(self.size, _NO_POINT - 1, np.int64)
        found[self.any] = self.present[(self.start + place)[self.any]]
        return found

    def is_empty(self, shown: IntVector) -> BoolVector:
        """Return where a class without values shows that they are missing."""
        return np.asarray(~self.any & ((shown == MISSING) | (shown == NOT_A_NUMBER)))

    def is_mode(self, shown: IntVector) -> BoolVector:
        """Return where no value of the class, missing ones included, is more frequent than the one shown."""
        width = int(self.ranks.max(initial=0)) + 1 - STRANGE
        keys, counts = np.unique(self.numbers * width + self.ranks - STRANGE, return_counts=True)
        most = np.zeros(self.size, np.int64)
        np.maximum.at(most, keys // width, counts)
        wanted = np.arange(self.size) * width + shown - STRANGE
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        possible = (shown >= STRANGE) & (shown < width + STRANGE)
        return np.asarray(possible & (keys[place] == wanted) & (counts[place] == most))

    def is_median(self, shown: IntVector) -> BoolVector:
        """Return where the value shown is the lower or the upper median of the values that are there."""
        lower, upper = self._at((self.count - 1) // 2), self._at(self.count // 2)
        return np.asarray((shown == lower) | (shown == upper) | self.is_empty(shown))

    def is_middle(self, values: FloatVector, axis: FloatVector, slack: float) -> BoolVector:
        """Return where the value shown lies midway between the lower and the upper median."""
        middle = np.full(self.size, np.nan)
        lower, upper = self._at((self.count - 1) // 2)[self.any], self._at(self.count // 2)[self.any]
        middle[self.any] = axis[lower] / 2 + axis[upper] / 2
        return self._near(values, middle, axis, slack)

    def is_mean(self, values: FloatVector, axis: FloatVector, slack: float) -> BoolVector:
        """Return where the value shown is the mean of the values that are there."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean = np.bincount(self.owner, weights=axis[self.present], minlength=self.size) / self.count
        return self._near(values, mean, axis, slack)

    def _near(self, values: FloatVector, centre: FloatVector, axis: FloatVector, slack: float) -> BoolVector:
        reach = np.zeros(self.size)
        ends = axis[self._at(np.zeros(self.size, np.int64))[self.any]], axis[self._at(self.count - 1)[self.any]]
        reach[self.any] = np.maximum(np.abs(ends[0]), np.abs(ends[1]))
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(values - centre) <= TOLERANCE * reach + slack)
