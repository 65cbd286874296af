"""The smallest box of k rows in up to three ordered columns: ranges in two of them, a sliding window in the third."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel

__all__ = ["ORDERED_COLUMNS", "Ordered", "closing_box", "smallest_box"]

ORDERED_COLUMNS = 3
"""So many ordered columns have a box; the last is the window."""
MOST_CELLS, LEAST_CELLS = 64, 4
"""The ends of ranges are chosen among so many values of a column at most,"""
MOST_STEPS = 1 << 22
"""and fewer, if all ranges x members were more than this."""
SORTING = 32
"""A member that is sorted counts for so many that are looked at."""


class Ordered(NamedTuple):
    """The ordered columns of the tuples."""

    positions: np.ndarray
    """(columns, t) float64; all 0 for a column that is not there"""
    weights: np.ndarray
    """(columns,) float64; 0 for a column that is not there"""
    widths: np.ndarray
    """(columns,) float64: of the domains, which is the most that a range costs"""
    steps: np.ndarray
    """(1,) int64: how many members were looked at so far"""


@kernel
def smallest_box(ordered, counts, members, k, floor, low, high):
    """Return the least extent of a box that holds k rows of the members; low and high (columns,) become the box.

    members: tuples in the order of the last column, k rows or more; floor: no box costs less, so that the first that
    costs as much is taken.  Ties: the narrowest ranges, then the lowest.
    """
    cells = _most_cells(ordered, members.shape[0])
    lows, highs = _cells(ordered, 0, members, cells)
    inner_lows, inner_highs = _cells(ordered, 1, members, cells)
    best = np.inf
    for span in range(lows.shape[0]):
        least = np.inf
        for start in range(lows.shape[0] - span):
            outer = _price(ordered, 0, lows[start], highs[start + span])
            least = min(least, outer)
            if outer >= best:
                continue
            best = _smallest_within(
                ordered, counts, members, k, floor, lows[start], highs[start + span], outer, inner_lows, inner_highs,
                best, low, high,
            )  # fmt: skip
            if best <= floor:
                return best
        if least >= best:
            break
    return best


@kernel
def _smallest_within(ordered, counts, members, k, floor, from_, to, outer, lows, highs, best, low, high):
    """Return the least extent so far after all boxes with the range from_..to of the first column."""
    for span in range(lows.shape[0]):
        least = np.inf
        for start in range(lows.shape[0] - span):
            sides = outer + _price(ordered, 1, lows[start], highs[start + span])
            least = min(least, sides)
            if sides >= best:
                continue
            width, begin, end = _narrowest(ordered, counts, members, k, from_, to, lows[start], highs[start + span])
            if sides + width < best:
                best = sides + width
                low[0], high[0], low[1], high[1] = from_, to, lows[start], highs[start + span]
                low[2], high[2] = begin, end
                if best <= floor:
                    return best
        if least >= best:
            break
    return best


@kernel
def closing_box(ordered, counts, members, k, strand, low, high):
    """Let `low` and `high` be the box of k rows or more for which the loss of all members is least.

    A row inside loses the extent of the box, one that is left out `strand`.  members: as for `smallest_box`.
    Ties: the narrowest ranges, then the lowest box.
    """
    cells = _most_cells(ordered, members.shape[0])
    lows, highs = _cells(ordered, 0, members, cells)
    inner_lows, inner_highs = _cells(ordered, 1, members, cells)
    third = ordered.positions[2]
    inside = np.empty_like(members)
    total = 0
    for t in members:
        total += counts[t]
    best = np.inf
    for span in range(lows.shape[0]):
        for start in range(lows.shape[0] - span):
            outer = _price(ordered, 0, lows[start], highs[start + span])
            if _least_closing(outer, k, total, strand) >= best:
                continue
            for inner_span in range(inner_lows.shape[0]):
                for at in range(inner_lows.shape[0] - inner_span):
                    from_, to = inner_lows[at], inner_highs[at + inner_span]
                    sides = outer + _price(ordered, 1, from_, to)
                    if _least_closing(sides, k, total, strand) >= best:
                        continue
                    n = _within(ordered, members, lows[start], highs[start + span], from_, to, inside)
                    value, begin, end = _best_window(ordered, counts, inside[:n], k, total, strand, sides)
                    if value < best:
                        best = value
                        low[0], high[0], low[1], high[1] = lows[start], highs[start + span], from_, to
                        low[2], high[2] = third[begin], third[end]


@kernel
def _least_closing(sides, k, total, strand):
    """Return a lower bound of what all members lose if a box has sides of this price."""
    return total * sides if sides < strand else k * sides + (total - k) * strand


@kernel
def _within(ordered, members, from_, to, low, high, inside):
    """Put the members within ranges of the first two columns into `inside`; return how many they are."""
    first, second, n = ordered.positions[0], ordered.positions[1], 0
    ordered.steps[0] += members.shape[0]
    for t in members:
        if from_ <= first[t] <= to and low <= second[t] <= high:
            inside[n] = t
            n += 1
    return n


@kernel
def _best_window(ordered, counts, members, k, total, strand, sides):
    """Return (loss of all, first tuple, last tuple) of the best window of k rows or more; `sides` is paid already."""
    third = ordered.positions[2]
    best, begin, end = np.inf, members[0], members[0]
    for i in range(members.shape[0]):
        rows = 0
        for j in range(i, members.shape[0]):
            rows += counts[members[j]]
            if rows < k:
                continue
            ordered.steps[0] += 1
            extent = sides + _price(ordered, 2, third[members[i]], third[members[j]])
            value = rows * extent + (total - rows) * strand
            if value < best:
                best, begin, end = value, members[i], members[j]
            if extent >= strand:  # no longer window can lose less
                break
    return best, begin, end


@kernel
def _narrowest(ordered, counts, members, k, from_, to, low, high):
    """Return (price, begin, end): the narrowest window of k rows in the last column within two ranges of the others."""
    first, second, third = ordered.positions
    price, begin, end = np.inf, 0.0, 0.0
    rows, tail = 0, 0
    ordered.steps[0] += members.shape[0]
    for t in members:
        if not (from_ <= first[t] <= to and low <= second[t] <= high):
            continue
        rows += counts[t]
        while rows >= k:
            other = members[tail]
            if from_ <= first[other] <= to and low <= second[other] <= high:
                here = _price(ordered, 2, third[other], third[t])
                if here < price:
                    price, begin, end = here, third[other], third[t]
                rows -= counts[other]
            tail += 1
    return price, begin, end


@kernel
def _most_cells(ordered, n_members):
    """Return among how many values of each column the ends of ranges are chosen."""
    n_columns = (ordered.weights[0] > 0.0) + (ordered.weights[1] > 0.0)
    cells = MOST_CELLS
    # with c cells a column has about c^2 / 2 ranges
    while cells > LEAST_CELLS and (cells * cells / 2.0) ** n_columns * n_members > MOST_STEPS:
        cells -= 1
    return cells


@kernel
def _cells(ordered, j, members, most):
    """Return (lows, highs): the values of column j, ascending, neighbours joined if there are more than `most`."""
    positions = ordered.positions[j]
    if ordered.weights[j] == 0.0:
        return np.zeros(1), np.zeros(1)
    ordered.steps[0] += SORTING * members.shape[0]
    values = np.empty(members.shape[0])
    for i in range(members.shape[0]):
        values[i] = positions[members[i]]
    values.sort()
    n = 0
    for i in range(values.shape[0]):
        if i == 0 or values[i] != values[n - 1]:
            values[n] = values[i]
            n += 1
    cells = min(n, most)
    lows, highs = np.empty(cells), np.empty(cells)
    for cell in range(cells):
        lows[cell], highs[cell] = values[cell * n // cells], values[(cell + 1) * n // cells - 1]
    return lows, highs


@kernel
def _price(ordered, j, low, high):
    return ordered.weights[j] * min(high - low, ordered.widths[j])
