"""Which released cells of one quasi column cover which original values.

Every original value has a rank (see `originals`).  Most cells are a span of ranks; sets and nodes of a
taxonomy are lists of ranks.  Each distinct cell is worked out once, rows are then compared by look-up.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from covey.ask.schema import Column
from covey.base.arrays import BoolVector, IntVector
from covey.verifier.columns.codes import is_text
from covey.verifier.columns.originals import MISSING, NOT_A_NUMBER, STRANGE, Originals
from covey.verifier.columns.released import Reading
from covey.verifier.reading.cell import Calendar, Cell, Everything, Interval, Missing, NotANumber, Point, Prefix, Set
from covey.verifier.reading.notation import cell_or_none
from covey.verifier.reading.numbers import number_of
from covey.verifier.reading.trees import leaves_below, paths_of

__all__ = ["Cover", "cover_of"]

_NOTHING = (1, 0)


@dataclass(frozen=True, slots=True)
class Cover:
    """The values that each cell covers: ranks `low` to `high`, and those listed in `members`."""

    column: Column
    """What is known of the column, its type included."""
    originals: Originals
    """The distinct original values, each with a rank."""
    readings: Sequence[Reading]
    """The distinct cells."""
    closed: bool
    """Whether the column is known to have no taxonomy but the declared one."""
    low: IntVector
    high: IntVector
    members: IntVector
    """Sorted keys cell x length of the axis + rank."""
    has_members: BoolVector
    n_axis: int
    is_unknown: BoolVector
    """Cells that could not be checked; they count as covering everything."""

    def pairs(self, cells: IntVector, values: IntVector) -> BoolVector:
        """Return whether each cell covers the value beside it."""
        rank = self.originals.rank[values]
        fits = (self.low[cells] <= rank) & (rank <= self.high[cells])
        if len(self.members):
            open_ = np.flatnonzero(~fits & self.has_members[cells] & (rank >= 0))
            keys = cells[open_].astype(np.int64) * self.n_axis + rank[open_]
            place = np.minimum(np.searchsorted(self.members, keys), len(self.members) - 1)
            fits[open_] = self.members[place] == keys
        return np.asarray(fits)

    def row(self, cell: int) -> BoolVector:
        """Return which of the distinct original values one cell covers."""
        rank = self.originals.rank
        fits = (self.low[cell] <= rank) & (rank <= self.high[cell])
        if self.has_members[cell]:
            first, last = np.searchsorted(self.members, [cell * self.n_axis, (cell + 1) * self.n_axis])
            listed = np.zeros(self.n_axis, bool)
            listed[self.members[first:last] - cell * self.n_axis] = True
            fits[rank >= 0] |= listed[rank[rank >= 0]]
        return np.asarray(fits)


def cover_of(
    column: Column,
    originals: Originals,
    readings: Sequence[Reading],
    *,
    notation: str = "covey",
    strict: bool = False,
    closed: bool = False,
) -> Cover:
    """Return what the distinct cells of a column cover.

    strict: an unreadable cell covers nothing, instead of being left unchecked; closed: so does a word that is
    neither a value nor a node, since the column has no taxonomy beside what `column` declares.
    """
    reader = _Reader(column, originals, notation, strict, closed)
    found = [reader.span(reading) for reading in readings]
    n_axis = max(len(originals.axis), 1)
    members = [
        np.unique(np.asarray(ranks, np.int64)) + cell * n_axis for cell, (_, ranks, _) in enumerate(found) if len(ranks)
    ]
    return Cover(
        column=column,
        originals=originals,
        readings=readings,
        closed=closed,
        low=np.array([span[0] for span, _, _ in found], np.int64),
        high=np.array([span[1] for span, _, _ in found], np.int64),
        members=np.concatenate(members) if members else np.zeros(0, np.int64),
        has_members=np.array([len(ranks) > 0 for _, ranks, _ in found], bool),
        n_axis=n_axis,
        is_unknown=np.array([unknown for _, _, unknown in found], bool),
    )


_Found = tuple[tuple[int, int], Sequence[int] | IntVector, bool]
"""(span of ranks, further ranks, whether the cell could not be checked)."""


class _Reader:
    """Turns the cells of one column into spans and lists of ranks."""

    def __init__(self, column: Column, originals: Originals, notation: str, strict: bool, closed: bool) -> None:
        self.column = column
        self.originals = originals
        self.axis: Sequence[Any] = originals.axis
        self.other = notation == "other"
        self.strict = strict or closed
        self.closed = closed or column.type in ("boolean", "ordered")
        self.is_measured = column.type in ("numeric", "date")
        self.everything = (STRANGE, len(self.axis))
        self.place = {} if self.is_measured else {label: rank for rank, label in enumerate(self.axis)}
        self.has_tree = column.taxonomy is not None
        self.leaves: dict[str, list[int]] = {}  # the ranks of the values of each leaf
        self.nodes = self._ranks_below() if self.has_tree else {}

    def _ranks_below(self) -> dict[str, list[int]]:
        """Return the ranks of the values below each node of the taxonomy, by its written name."""
        ranked = zip(self.originals.leaves(), self.originals.rank.tolist(), strict=True)
        known = [(leaf, rank) for leaf, rank in ranked if rank >= 0]
        for leaf, rank in known:
            self.leaves.setdefault(leaf.label, []).append(rank)
        below = leaves_below(paths_of(self.column.taxonomy, [leaf for leaf, _ in known]))
        return {node: [rank for leaf in leaves for rank in self._leaf(leaf)] for node, leaves in below.items()}

    def _leaf(self, name: str) -> Sequence[int]:
        """Return the rank of the value that the name of a leaf stands for, if the column has it."""
        if name in self.leaves:
            return self.leaves[name]
        if not self.is_measured:
            return [self.place[name]] if name in self.place else []
        cell = cell_or_none(name, self.originals.type, exact=self.originals.is_exact, zone=self.originals.zone)
        low, high = _between(self.axis, Interval(cell.value, cell.value)) if isinstance(cell, Point) else _NOTHING
        return range(low, high + 1)

    def span(self, reading: Reading) -> _Found:
        """Return what one cell covers."""
        text, cell = reading.text, reading.cell
        if isinstance(cell, Everything):  # also where it is the name of a root
            return self.everything, (), False
        if text is not None and text in self.nodes:
            return _NOTHING, self.nodes[text], False
        if text is not None and self.other and text in self.place:
            return self._one(self.place[text])
        if cell is None:
            return self._unreadable(text)
        if isinstance(cell, Missing | NotANumber):
            return self._one(MISSING if isinstance(cell, Missing) else NOT_A_NUMBER)
        return self._measured(cell) if self.is_measured else self._labelled(cell)

    def _one(self, rank: int) -> _Found:
        return (rank, rank), (), False

    def _unknown(self) -> _Found:
        return (_NOTHING, (), False) if self.closed else (self.everything, (), True)

    def _unreadable(self, text: str | None) -> _Found:
        if text is not None and text in self._as_they_stand:
            return self._one(self._as_they_stand[text])
        if text is not None and self.has_tree:  # a leaf of the taxonomy may have had to be quoted
            cell = cell_or_none(text, "categorical")
            return _NOTHING, self._leaf(str(cell.value)) if isinstance(cell, Point) else (), False
        return (_NOTHING, (), False) if self.strict or self.has_tree else self._unknown()

    @cached_property
    def _as_they_stand(self) -> dict[str, int]:
        """Return the rank of each text of the original, which may have been published untouched, blanks and all."""
        found = self.originals.values.to_pylist() if is_text(self.originals.values.type) else []
        return {text: int(rank) for text, rank in zip(found, self.originals.rank, strict=False) if rank >= 0}

    # numbers and dates

    def _measured(self, cell: Cell) -> _Found:
        if isinstance(cell, Point):
            cell = Interval(cell.value, cell.value)
        if isinstance(cell, Calendar):
            return _NOTHING, self._within(cell), False
        assert isinstance(cell, Interval)  # no number and no date is read as labels
        return _between(self.axis, cell), (), False

    def _within(self, span: Calendar) -> IntVector:
        """Return the ranks of the dates in some months of the column's own calendar."""
        inside = (span.first <= self._months) & (self._months <= span.last) & (self.originals.rank >= 0)
        return np.asarray(self.originals.rank[inside])

    @cached_property
    def _months(self) -> IntVector:
        days = self.originals.days()
        return np.array([-1 if day is None else day.year * 12 + day.month - 1 for day in days], np.int64)

    # labels

    def _labelled(self, cell: Cell) -> _Found:
        if isinstance(cell, Point):
            return self._label(str(cell.value), quoted=cell.quoted)
        if isinstance(cell, Set):
            ranks = [self.place[label] for label in cell.labels if label in self.place]
            return _NOTHING, ranks, False
        if isinstance(cell, Prefix):
            return _NOTHING, self._starting(cell.text), False
        assert isinstance(cell, Interval)
        if self.column.order is None:  # bounds of labels whose order was not given
            same = cell.low is not None and cell.low == cell.high
            return self._label(str(cell.low), quoted=True) if same else self._unknown()
        return self._ordered(cell)

    def _label(self, label: str, *, quoted: bool) -> _Found:
        rank = self.place.get(label)
        if rank is None and self.column.type == "boolean":
            rank = next((self.place[one] for one in self.axis if one.casefold() == label.casefold()), None)
        if rank is not None:
            return self._one(rank)
        if quoted or self.has_tree or label in (self.column.domain or ()):
            return _NOTHING, (), False
        return self._as_others_write(label) if self.other else self._unknown()

    def _starting(self, prefix: str) -> Sequence[int]:
        if self.column.order is not None:
            return [rank for rank, label in enumerate(self.axis) if label.startswith(prefix)]
        first = bisect_left(self.axis, prefix)
        return range(first, bisect_right(self.axis, prefix, key=lambda label: label[: len(prefix)]))

    def _ordered(self, cell: Interval) -> _Found:
        ends = [None if end is None else self.place.get(str(end)) for end in (cell.low, cell.high)]
        if (ends[0] is None and cell.low is not None) or (ends[1] is None and cell.high is not None):
            return _NOTHING, (), False
        low = 0 if ends[0] is None else ends[0] + cell.low_open
        high = len(self.axis) - 1 if ends[1] is None else ends[1] - cell.high_open
        return (low, high) if low <= high else _NOTHING, (), False

    def _as_others_write(self, text: str) -> _Found:
        """Return what a word means that other tools write for labels: `a,b`, or `20-30` for codes."""
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 1 and all(part in self.place for part in parts):
            return _NOTHING, [self.place[part] for part in parts], False
        cell = cell_or_none(text, "numeric")
        if not isinstance(cell, Interval):
            return self._unknown()
        numbers, ranks = self._number_axis
        low, high = _between(numbers, cell)
        return _NOTHING, ranks[low : high + 1] if low <= high else (), False

    @cached_property
    def _number_axis(self) -> tuple[list[Any], IntVector]:
        """Return the labels that are numbers, in order of their value, and their ranks."""
        read = ((number_of(label), rank) for rank, label in enumerate(self.axis))
        known = sorted((number, rank) for number, rank in read if number is not None)
        return [number for number, _ in known], np.array([rank for _, rank in known], np.int64)


def _between(axis: Sequence[Any], cell: Interval) -> tuple[int, int]:
    """Return the first and last place on the axis inside an interval; (1, 0) if there is none."""
    low = 0 if cell.low is None else (bisect_right if cell.low_open else bisect_left)(axis, cell.low)
    high = len(axis) if cell.high is None else (bisect_left if cell.high_open else bisect_right)(axis, cell.high)
    return (low, high - 1) if low < high else _NOTHING
