"""The price of an interval of codes, and the extent and loss of a class: the one measure of all searches.

Every quasi column is an interval [lo, hi] of integer codes with a price in 0..1 (P0, definitions 4 to 8):

- ordered (numbers, dates, declared orders): position[hi] - position[lo], at most the whole domain.  A missing
  value has code 0 and position -1 (a NaN beside nulls: -2), so that a mix with missing costs the whole domain;
- flat categories: 0 for one value, 1 for any mix;
- trees, leaves in depth-first order: the height of the lowest common ancestor over the tree's height.
  The ancestor of a run of leaves is the highest ancestor of two neighbours in it, so its height is
  the greatest of a range, answered in O(1) from a sparse table.

The domain is 1 wide; where prices are counted in whole numbers (`whole_prices`), as many steps as it has.

`extent(box)` is the sum of weight x price in column order; a class loses rows x extent.
"""

from __future__ import annotations

from typing import NamedTuple

from covey.base.arrays import FloatVector, IntVector
from covey.compiled.kernel import kernel

__all__ = ["FLAT", "ORDERED", "TREE", "Measure", "extent", "price", "term"]

ORDERED, FLAT, TREE = 0, 1, 2


class Measure(NamedTuple):
    """What intervals cost: all that a kernel needs beside codes."""

    kinds: IntVector
    """(p,) uint8: `ORDERED`, `FLAT` or `TREE`."""
    weights: FloatVector
    """(p,) float64."""
    positions: FloatVector
    """float64, one part per column: a position per code and the domain's width, nothing, or a sparse table."""
    offsets: IntVector
    """(p,) int64: where the part of each column begins in `positions`."""
    sizes: IntVector
    """(p,) int64: how many codes each column has; codes run from 0."""


@kernel
def price(kind, positions, start, size, lo, hi):
    """Return the price of the interval [lo, hi] of one column.

    positions float64, all columns; this column's part begins at `start` and has `size` codes:
    ordered: a position per code, then the width of the domain; tree: a sparse table, row r holding the greatest
    of 2**r gaps.
    """
    if lo == hi:
        return 0.0
    if kind == FLAT:
        return 1.0
    if kind == ORDERED:
        return min(positions[start + hi] - positions[start + lo], positions[start + size])
    level = 0
    while (2 << level) <= hi - lo:
        level += 1
    row = start + level * size
    return max(positions[row + lo], positions[row + hi - (1 << level)])


@kernel
def term(measure, j, lo, hi):
    """Return weight x price of the interval [lo, hi] of column j; measure: a `Measure`, or what has its fields."""
    return measure.weights[j] * price(measure.kinds[j], measure.positions, measure.offsets[j], measure.sizes[j], lo, hi)


@kernel
def extent(measure, low, high):
    """Return the extent of the box [low, high] of (p,) integers: weight x price, added in column order."""
    total = 0.0
    for j in range(low.shape[0]):
        total += term(measure, j, low[j], high[j])
    return total
