"""Median partitioning: the loops of `covey.search.mondrian.estimator`.

Items are weighted tuples (strict) or single rows (relaxed).  Their codes lie row by row and are moved
with them, so that the items of a node are always next to each other, in their first order.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.prices import TREE, price, term
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause

__all__ = ["partition"]


@kernel
def partition(codes, rows, measure, k, relaxed) -> IntVector:
    """Return the class of every item; classes are numbered from left to right.

    codes (items, p) int32, reordered; rows (items,) int64: how many rows each item stands for, 1 if relaxed;
    of the measure's kinds none is flat.
    """
    n_items, p = codes.shape
    label = np.empty(n_items, np.int64)
    item = np.arange(n_items)
    goes_left = np.empty(n_items, np.bool_)
    spare_codes = np.empty((n_items, p), np.int32)
    spare = np.empty((n_items, 2), np.int64)
    low = np.empty(p, np.int64)
    high = np.empty(p, np.int64)
    width = np.empty(p)
    # a stack of ranges still to be cut, the leftmost on top
    begins = np.empty(n_items + 1, np.int64)
    ends = np.empty(n_items + 1, np.int64)
    begins[0], ends[0] = 0, n_items
    depth = 1
    n_classes = 0
    while depth > 0:
        depth -= 1
        begin, end = begins[depth], ends[depth]
        if n_classes & CHEAP_TURNS == 0:
            pause(begin, n_items)
        total = 0
        for i in range(begin, end):
            total += rows[i]
        middle = end
        if total >= 2 * k:
            _widths(codes, begin, end, measure, low, high, width)
        while total >= 2 * k:
            j = np.argmax(width)
            if width[j] < 0.0:
                break
            found, cut, dealt = _cut(codes, rows, begin, end, j, low[j], high[j], total, k, relaxed, measure)
            if found:
                for i in range(begin, end):
                    goes_left[i] = codes[i, j] <= cut
                    if codes[i, j] == cut + 1 and dealt > 0:
                        goes_left[i] = True
                        dealt -= 1
                middle = _part(codes, rows, item, goes_left, begin, end, spare_codes, spare)
                break
            width[j] = -1.0  # no two sides of k: the next widest
        if middle == end:
            for i in range(begin, end):
                label[item[i]] = n_classes
            n_classes += 1
        else:
            begins[depth], ends[depth] = middle, end
            begins[depth + 1], ends[depth + 1] = begin, middle
            depth += 2
    return label


@kernel
def _widths(codes, begin, end, measure, low, high, width):
    """Set the interval of every column over the items begin..end-1, and its width (-1 if it is one code)."""
    p = codes.shape[1]
    for j in range(p):
        low[j] = high[j] = codes[begin, j]
    for i in range(begin + 1, end):
        for j in range(p):
            low[j] = min(low[j], codes[i, j])
            high[j] = max(high[j], codes[i, j])
    for j in range(p):
        width[j] = term(measure, j, low[j], high[j]) if low[j] < high[j] else -1.0


@kernel
def _rows_up_to(codes, rows, begin, end, j, code):
    """Return how many rows of the items begin..end-1 have at most `code` in column j."""
    count = 0
    for i in range(begin, end):
        if codes[i, j] <= code:
            count += rows[i]
    return count


@kernel
def _cut(codes, rows, begin, end, j, lo, hi, total, k, relaxed, measure):
    """Return (found, cut, dealt) for column j, whose codes are lo..hi.

    Codes up to `cut` go left, and the first `dealt` rows with the next code too; not found if that gives
    no two sides of k rows.
    """
    kinds, _, positions, offsets, sizes = measure
    median = lo  # the least code that half the rows do not exceed
    most = hi
    while median < most:
        code = (median + most) // 2
        if 2 * _rows_up_to(codes, rows, begin, end, j, code) >= total:
            most = code
        else:
            median = code + 1
    if relaxed and kinds[j] != TREE:
        return True, median - 1, total // 2 - _rows_up_to(codes, rows, begin, end, j, median - 1)

    below, above = median - 1, median  # the nearest cuts on both sides
    if kinds[j] == TREE:  # only between children of the lowest common ancestor, where the gap is as high
        height = price(TREE, positions, offsets[j], sizes[j], lo, hi)
        while below >= lo and positions[offsets[j] + below] < height:
            below -= 1
        while above < hi and positions[offsets[j] + above] < height:
            above += 1
    left_below = _rows_up_to(codes, rows, begin, end, j, below)
    left_above = _rows_up_to(codes, rows, begin, end, j, above)
    cut, left = below, left_below
    if min(left_above, total - left_above) > min(left_below, total - left_below):
        cut, left = above, left_above
    if min(left, total - left) >= k:
        return True, cut, 0
    if relaxed:
        return True, median - 1, total // 2 - _rows_up_to(codes, rows, begin, end, j, median - 1)
    return False, cut, 0


@kernel
def _part(codes, rows, item, goes_left, begin, end, spare_codes, spare):
    """Move the items that go left before the others, both in their order; return where the others begin."""
    p = codes.shape[1]
    place = begin
    kept = 0
    for i in range(begin, end):
        if goes_left[i]:
            for j in range(p):
                codes[place, j] = codes[i, j]
            rows[place] = rows[i]
            item[place] = item[i]
            place += 1
        else:
            for j in range(p):
                spare_codes[kept, j] = codes[i, j]
            spare[kept, 0] = rows[i]
            spare[kept, 1] = item[i]
            kept += 1
    for i in range(kept):
        for j in range(p):
            codes[place + i, j] = spare_codes[i, j]
        rows[place + i] = spare[i, 0]
        item[place + i] = spare[i, 1]
    return place
