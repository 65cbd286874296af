"""Centres: is what a class shows the statistic of its original values that was promised?

A centre does not cover, so it is recomputed: of numbers and dates the mean (of other tools also the median), of ordered
labels the median, of other labels and of columns with a taxonomy the most frequent one.  Sums are exact.  A mean of
covey must be right to the last digits that a float has; of other tools it is accepted within 1e-9 of the largest value
of its class (dates: of its distance from the earliest date, and a nanosecond).  `*` says nothing and always holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.verifier.columns.codes import Folded
from covey.verifier.columns.originals import MISSING, NOT_A_NUMBER, STRANGE, Originals
from covey.verifier.columns.released import Reading
from covey.verifier.reading.cell import Interval, Point, Set
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.cover import Cover

__all__ = ["TOLERANCE", "out_of_reach", "promised_centre", "wrong_centres"]

TOLERANCE = Fraction(1, 10**9)
_ROUNDED = Fraction(1, 2**50)
_LEAST_FLOAT = Fraction(1, 2**1074)
_MICROSECOND = 1000
_NO_POINT = STRANGE - 1

_Points = Sequence[Fraction | None]
"""Exact numbers or instants; None in the place of none, or of an infinity."""


def promised_centre(kind: str, *, has_tree: bool, is_own: bool) -> str:
    """Return what a centre of such a column has to be, in words.

    >>> promised_centre("numeric", has_tree=False, is_own=False)
    'mean or median'
    """
    if kind in ("numeric", "date") and not has_tree:
        return "mean" if is_own else "mean or median"
    return "median" if kind == "ordered" and not has_tree else "most frequent value"


def wrong_centres(promise: str, column: ColumnPair, classes: Folded) -> int:
    """Return how many classes show no centre of theirs; the same statistic must fit all classes of a column.

    Rows must be aligned.  `classes`: the classes as released, so that all rows of one show one cell.
    """
    originals, kind = column.cover.originals, column.cover.originals.type
    cells = column.cells[classes.first_rows()]
    says_nothing = column.cover.is_unknown[cells] | (column.cover.low[cells] == STRANGE)
    shown = _shown_ranks(column.cover)[cells]
    by_class = _ByClass(originals.rank[column.values], classes)
    if promise == "most frequent value":
        checks = [by_class.is_mode(shown)]
    elif promise == "median":
        checks = [by_class.is_median(shown)]
    else:
        points = [_point(column.cover.readings[cell]) for cell in cells.tolist()]
        is_own = promise == "mean"
        checks = [by_class.is_mean(points, _axis(originals), kind, is_own) | by_class.is_empty(shown)]
        if not is_own:
            checks.append(by_class.is_median(shown) | by_class.is_middle(points, _axis(originals), kind))
    return min(int((~(held | says_nothing)).sum()) for held in checks)


def out_of_reach(promise: str, column: ColumnPair) -> int:
    """Return how many released rows show what no class of original rows can have as its centre.

    That is a number beyond all values of the original, or a label, or a missing value, that it does not have.
    """
    originals, readings = column.cover.originals, column.cover.readings
    says_nothing = column.cover.is_unknown | (column.cover.low == STRANGE)
    shown = _shown_ranks(column.cover)
    ranks = originals.rank[column.values]
    nothing = (MISSING, NOT_A_NUMBER)  # a class without numbers shows either
    has = np.isin(shown, ranks) | (np.isin(shown, nothing) & np.isin(nothing, ranks).any())
    axis = _axis(originals) if promise in ("mean", "mean or median") else []
    finite = [value for value in axis if value is not None]
    if finite:
        least, greatest = finite[0], finite[-1]
        slack = max(abs(least), abs(greatest)) * TOLERANCE
        points = [_point(reading) for reading in readings]
        has |= np.array([point is not None and least - slack <= point <= greatest + slack for point in points], bool)
    return int((~(has | says_nothing))[column.cells].sum())


def _axis(originals: Originals) -> list[Fraction | None]:
    """Return the original values in their order; None for an infinity, which has no place among them."""
    return [Fraction(value) if math.isfinite(value) else None for value in originals.axis]


def _point(reading: Reading) -> Fraction | None:
    """Return the number or instant that a cell is, None if it is none."""
    cell = reading.cell
    if not isinstance(cell, Point) or isinstance(cell.value, str) or not math.isfinite(cell.value):
        return None
    return Fraction(cell.value)


def _shown_ranks(cover: Cover) -> IntVector:
    """Return the rank of the one value that each cell is, or a rank that no value has.

    An interval or a set is no centre, also if it covers one value alone.
    """
    ranks = np.where(cover.low == cover.high, cover.low, _NO_POINT)
    cells, first, counts = np.unique(cover.members // cover.n_axis, return_index=True, return_counts=True)
    alone = counts == 1
    ranks[cells[alone]] = cover.members[first[alone]] % cover.n_axis
    ranks[np.array([isinstance(one.cell, Interval | Set) for one in cover.readings], bool)] = _NO_POINT
    return ranks


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

    def is_middle(self, values: _Points, axis: _Points, kind: str) -> BoolVector:
        """Return where the value shown lies midway between the lower and the upper median."""
        lower, upper = self._at((self.count - 1) // 2).tolist(), self._at(self.count // 2).tolist()
        held = np.zeros(self.size, bool)
        for one in np.flatnonzero(self.any).tolist():
            first, second = axis[lower[one]], axis[upper[one]]
            if first is not None and second is not None:
                held[one] = self._is_near(values[one], (first + second) / 2, one, axis, kind, is_own=False)
        return held

    def is_mean(self, values: _Points, axis: _Points, kind: str, is_own: bool) -> BoolVector:
        """Return where the value shown is the mean of the values that are there."""
        common = math.lcm(1, *(value.denominator for value in axis if value is not None))
        whole = [0 if value is None else value.numerator * (common // value.denominator) for value in axis]
        present, starts = self.present.tolist(), self.start.tolist()
        held = np.zeros(self.size, bool)
        for one in np.flatnonzero(self.any).tolist():
            count = int(self.count[one])
            total = sum(whole[rank] for rank in present[starts[one] : starts[one] + count])
            held[one] = self._is_near(values[one], Fraction(total, common * count), one, axis, kind, is_own=is_own)
        return held

    def _is_near(
        self, value: Fraction | None, centre: Fraction, one: int, axis: _Points, kind: str, *, is_own: bool
    ) -> bool:
        least, low = axis[0], axis[self.present[self.start[one]]]
        high = axis[self.present[self.start[one] + self.count[one] - 1]]
        if value is None or low is None or high is None:  # beside an infinity there is no centre
            return False
        slack: int | Fraction
        if kind == "date" and least is not None:
            reach, slack = high - least, _MICROSECOND if is_own else 1
        else:
            reach, slack = max(abs(low), abs(high)), _LEAST_FLOAT
        return bool(abs(value - centre) <= (_ROUNDED if is_own else TOLERANCE) * reach + slack)
