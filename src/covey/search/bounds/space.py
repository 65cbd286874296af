"""All classes that there can be, as boxes: which levels of the categories, which ranges of the ordered columns.

A class of rows generalises each category to a level of its tree and each ordered column to a range.  Its extent is
what those levels cost together (a mix of levels, `search.peel.levels`) and what the ranges cost.  So every set of rows
lies in a box whose price is the extent of the set, and what holds for all boxes holds for all classes.

Of the ordered columns one is the window: its ranges end at any two values.  Two more are sides, whose ranges end at
cells: values, or neighbouring values joined where there are too many.  A range of cells costs what lies between its
first and last cell, which no set of rows in it can cost less than.  Further ordered columns cost nothing here.  All of
this makes boxes cheaper, never dearer: a lower bound stays one.

Prices are whole numbers (`codes.whole_prices`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.codes.codes import Codes
from covey.codes.prices import FLAT, ORDERED
from covey.codes.whole_prices import in_whole_prices
from covey.search.peel.levels import category_levels, cheapest_mixes, path_words

__all__ = ["SIDES", "Lines", "Space", "space_of"]

SIDES = 2
"""So many ordered columns are sides."""
MOST_CELLS = 64
"""A side has so many cells at most,"""
MOST_RANGES = 1 << 12
"""and both together have no more ranges than these."""
MOST_MIXES = 1 << 12
"""No more mixes of levels are looked at: prices stay below what the next one costs."""
MARGIN = 1e-11
"""Floats that stand for losses are taken to be off by this share at most."""
ROOM = 2**61
"""No sum of prices is greater."""
FINEST = 2**24
"""A unit of prices has no more grains."""


class Lines(NamedTuple):
    """The ordered columns."""

    places: np.ndarray
    """(t,) int64: weight x position in the window column."""
    width: int
    """What a window costs at most."""
    cells: np.ndarray
    """(SIDES, t) int32: the cell of each side."""
    low: np.ndarray
    """(SIDES, cells) int64: weight x the least position in each cell"""
    high: np.ndarray
    """(SIDES, cells) int64: and the greatest."""
    widths: np.ndarray
    """(SIDES,) int64: what a range of each side costs at most."""


@dataclass(frozen=True, slots=True)
class Space:
    """The boxes of a table, cheap levels first."""

    codes: Codes
    """The tuples, with prices in whole numbers."""
    counts: IntVector
    """(t,) int64: how many rows have each tuple."""
    k: int
    words: IntMatrix
    """(t, words) uint64: the path of each tuple in all categories."""
    masks: IntMatrix
    """(mixes, words) uint64: what each mix of levels leaves of it."""
    bases: IntVector
    """(mixes,) int64: what the levels cost, rising, in units."""
    beyond: int | None
    """No box of levels that are not listed costs less than these units; None where all are listed."""
    lines: Lines
    order: IntVector
    """(t,) int32: the tuples by their place in the window column."""
    dearest: int
    """No class costs more than these units."""
    grain: int
    """Prices of rows are whole numbers of grains, so many to a unit."""
    units: float
    """How many units a price of one column of weight 1 has."""
    slack: int
    """An extent may be told so many units too high, where prices had to be rounded."""

    @property
    def n_rows(self) -> int:
        """Return how many rows there are."""
        return int(self.counts.sum())

    @property
    def highest(self) -> int:
        """Return the most units that the price of a row may have: it stays below levels that are not listed."""
        return -self.lowest if self.beyond is None else min(self.beyond, -self.lowest)

    @property
    def lowest(self) -> int:
        """Return the least units that the price of a row may have: sums over all rows fit into 64 bits."""
        return -min(self.k * self.dearest, ROOM // (self.n_rows * self.grain))

    def in_losses(self, grains: int) -> float:
        """Return a sum of grains over all rows as a loss, rounded down."""
        units = grains / self.grain - self.n_rows * self.slack
        return max(math.floor(units / self.units * (1.0 - MARGIN) * 1e6) / 1e6, 0.0)


def space_of(codes: Codes, k: int, most_mixes: int = MOST_MIXES) -> Space:
    """Return the boxes of all classes of k rows or more."""
    whole = in_whole_prices(codes.without_rows(tallies={}), codes.n_rows)
    costly = np.flatnonzero(whole.weights > 0.0).tolist()
    by_values = sorted((j for j in costly if whole.kinds[j] == ORDERED), key=lambda j: (-whole.sizes[j], j))
    window, sides = by_values[:1], by_values[1 : 1 + SIDES]
    columns = [j for j in costly if whole.kinds[j] != ORDERED]
    levels = [category_levels(whole, j) for j in columns]
    words = path_words(whole, columns, levels)
    mixes = cheapest_mixes(words, levels, most_mixes + 1)
    bases = mixes.prices.astype(np.int64)
    lines = _lines(whole, window, sides)
    dearest = int(sum(_full(whole, j) for j in costly))
    return Space(
        codes=whole,
        counts=whole.counts.astype(np.int64),
        k=k,
        words=words.words,
        masks=mixes.masks[:most_mixes],
        bases=bases[:most_mixes],
        beyond=int(bases[most_mixes]) if len(bases) > most_mixes else None,
        lines=lines,
        order=np.argsort(lines.places, kind="stable").astype(np.int32),
        dearest=dearest,
        grain=_grain(k * dearest, codes.n_rows),
        units=_units(codes, whole),
        slack=_slack(codes, whole),
    )


def _grain(most_units: int, n_rows: int) -> int:
    """Return how many grains a unit has: sums over all rows, each of no more than some units, fit into 64 bits."""
    most = ROOM // max(most_units * n_rows, 1)
    return min(1 << max(most.bit_length() - 1, 0), FINEST)


def _units(codes: Codes, whole: Codes) -> float:
    """Return how many units a price of 1 has: the most of all columns, where weights had to be rounded."""
    return max((_full(whole, j) / _full(codes, j) for j in _costly(codes)), default=1.0)


def _slack(codes: Codes, whole: Codes) -> int:
    """Return by how many units an extent may be too high beside that: one for each column whose places were rounded."""
    return int(sum(whole.weights[j] for j in _costly(codes) if _is_rounded(codes, whole, j)))


def _costly(codes: Codes) -> list[int]:
    """Return the columns that can cost anything."""
    return [j for j in range(len(codes.kinds)) if _full(codes, j) > 0.0]


def _full(codes: Codes, j: int) -> float:
    """Return weight x the greatest price of a column."""
    return float(codes.weights[j] * (1.0 if codes.kinds[j] == FLAT else _places(codes, j).max(initial=0.0)))


def _places(codes: Codes, j: int) -> FloatVector:
    """Return the positions of an ordered column and its width, the heights between the leaves of a tree."""
    start, size = int(codes.offsets[j]), int(codes.sizes[j])
    return codes.positions[start : start + (size + 1 if codes.kinds[j] == ORDERED else size - 1)]


def _is_rounded(codes: Codes, whole: Codes, j: int) -> bool:
    if codes.kinds[j] == FLAT:
        return False
    own, found = _places(codes, j), _places(whole, j)
    return bool((found / found.max() != own / own.max()).any())


def _lines(whole: Codes, window: Sequence[int], sides: Sequence[int]) -> Lines:
    """Return the ordered columns; those that are not there cost nothing."""
    t = whole.n_tuples
    places, width = np.zeros(t, np.int64), 0
    for j in window:
        places, width = (whole.weights[j] * whole.values(j)).astype(np.int64), _width(whole, j)
    found = [_cells((whole.weights[j] * whole.values(j)).astype(np.int64), MOST_CELLS) for j in sides]
    while math.prod(len(low) * (len(low) + 1) // 2 for _, low, _ in found) > MOST_RANGES:
        largest = max(range(len(found)), key=lambda at: len(found[at][1]))
        j = sides[largest]
        own = (whole.weights[j] * whole.values(j)).astype(np.int64)
        found[largest] = _cells(own, len(found[largest][1]) - 1)
    absent = SIDES - len(sides)
    cells = np.zeros((SIDES, t), np.int32)
    most = max([1, *(len(low) for _, low, _ in found)])
    low, high = np.zeros((SIDES, most), np.int64), np.zeros((SIDES, most), np.int64)
    for side, (cell, least, greatest) in enumerate(found):
        cells[side], low[side, : len(least)], high[side, : len(least)] = cell, least, greatest
    widths = np.array([*(_width(whole, j) for j in sides), *[0] * absent], np.int64)
    return Lines(places, width, cells, low, high, widths)


def _width(whole: Codes, j: int) -> int:
    return int(whole.weights[j] * whole.positions[whole.offsets[j] + whole.sizes[j]])


def _cells(places: IntVector, most: int) -> tuple[IntVector, IntVector, IntVector]:
    """Return (cell of each tuple, least place, greatest place of each cell): values, joined if they are too many.

    Values below 0 are missing, and are cells of their own.
    """
    values = np.unique(places)
    missing = int((values < 0).sum())
    present = len(values) - missing
    room = max(min(most - missing, present), 1)
    of_value = np.concatenate([np.arange(missing), missing + np.arange(present) * room // max(present, 1)])
    starts = np.flatnonzero(np.concatenate([[True], of_value[1:] != of_value[:-1]]))
    ends = np.append(starts[1:], len(values)) - 1
    numbered = np.cumsum(np.concatenate([[0], of_value[1:] != of_value[:-1]]))
    return numbered[np.searchsorted(values, places)].astype(np.int32), values[starts], values[ends]
