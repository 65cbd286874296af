"""Windows of k consecutive rows along closed tours: what a non-homogeneous release publishes in place of classes.

The rows stand in rings.  The window of a place is made of the k rows from that place on, in its ring and around
its end; what is published of it is the least box around those rows.  So every row lies in k windows, and each
row is released with one of them.  Windows are named by the place where they begin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.codes.boxes import ClassSummary, class_extents
from covey.codes.codes import TableCodes
from covey.compiled.kernel import kernel

__all__ = ["Rings", "window_boxes", "window_loss", "window_sets"]


@dataclass(frozen=True, slots=True)
class Rings:
    """The rings of a table, and the window that each row is released with."""

    order: IntVector
    """(n,) int64: the rows, ring after ring, each in its tour."""
    starts: IntVector
    """(r + 1,) int64: where each ring begins in `order`, and the number of rows."""
    windows: IntVector
    """(n,) int64: for every row the place, in `order`, where the window it is released with begins."""


def window_boxes(codes: TableCodes, cover: Rings, k: int) -> ClassSummary:
    """Return the least box of every window, by place; each counts as the one row that is released with it.

    Cost: O(rows x columns), whatever k is.

    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([[0, 1, 2, 3]], np.uint8)
    >>> codes = codes_from_matrix(age, np.array([0]), np.ones(1), [np.arange(4) / 3], np.array([4]))
    >>> ring = Rings(np.array([0, 1, 3, 2]), np.array([0, 4]), np.arange(4))
    >>> window_boxes(codes, ring, 2).high.ravel()
    array([1, 3, 3, 2])
    """
    low, high = _boxes(codes.columns, codes.row_tuple[cover.order], cover.starts, int(k))
    return ClassSummary(np.ones(len(cover.order), np.int64), low, high)


def window_loss(codes: TableCodes, cover: Rings, k: int) -> float:
    """Return Total-IL: the sum over rows of the extent of the window that they are released with."""
    # each window is released with one row, so the matching does not change the sum
    return float(class_extents(codes, window_boxes(codes, cover, k)).sum())


def window_sets(column: IntVector, size: int, cover: Rings, k: int) -> IntMatrix:
    """Return (n, words) uint64: for every window, by place, the set of codes of one column, a bit per code.

    column (n,): the code of every row; size: how many codes there are.
    """
    return np.asarray(_sets(np.asarray(column)[cover.order], int(size), cover.starts, int(k)))


@kernel
def _boxes(columns, tuples, starts, k):  # type: ignore[no-untyped-def]
    """Return (low, high), each (n, p) int64.

    columns (p, t) integers; tuples (n,) int64: the tuple at each place; starts (r + 1,) int64.
    A ring, and its first k - 1 rows once more, is cut into blocks of k places: a window is the end of one block
    and the beginning of the next, so two running minima and maxima are enough (van Herk 1992).
    """
    p = columns.shape[0]
    n = tuples.shape[0]
    low = np.empty((n, p), np.int64)
    high = np.empty((n, p), np.int64)
    longest = 0
    for r in range(starts.shape[0] - 1):
        longest = max(longest, starts[r + 1] - starts[r])
    value = np.empty(longest + k, np.int64)
    least = np.empty(longest + k, np.int64)
    most = np.empty(longest + k, np.int64)
    for r in range(starts.shape[0] - 1):
        begin = starts[r]
        rows = starts[r + 1] - begin
        places = rows + k - 1
        for j in range(p):
            for i in range(places):
                value[i] = columns[j, tuples[begin + i % rows]]
            # from the end of each block backwards: windows that begin in it
            for i in range(places - 1, -1, -1):
                is_last = i == places - 1 or (i + 1) % k == 0
                least[i] = value[i] if is_last else min(value[i], least[i + 1])
                most[i] = value[i] if is_last else max(value[i], most[i + 1])
            # from the beginning of each block onwards: windows that end in it
            below = above = value[0]
            for i in range(places):
                below = value[i] if i % k == 0 else min(below, value[i])
                above = value[i] if i % k == 0 else max(above, value[i])
                if i >= k - 1:
                    place = i - k + 1
                    low[begin + place, j] = min(least[place], below)
                    high[begin + place, j] = max(most[place], above)
    return low, high


@kernel
def _sets(codes, size, starts, k):  # type: ignore[no-untyped-def]
    """Return (n, words) uint64 from the code at each place: one row enters, one leaves, codes are counted."""
    words = (size + 63) // 64
    out = np.zeros((codes.shape[0], words), np.uint64)
    counts = np.zeros(size, np.int64)
    current = np.zeros(words, np.uint64)
    for r in range(starts.shape[0] - 1):
        begin = starts[r]
        rows = starts[r + 1] - begin
        for i in range(k):
            code = np.int64(codes[begin + i % rows])
            counts[code] += 1
            current[code >> 6] |= np.uint64(1) << np.uint64(code & 63)
        for i in range(rows):
            out[begin + i] = current
            gone = np.int64(codes[begin + i])
            counts[gone] -= 1
            if counts[gone] == 0:
                current[gone >> 6] ^= np.uint64(1) << np.uint64(gone & 63)
            new = np.int64(codes[begin + (i + k) % rows])
            counts[new] += 1
            current[new >> 6] |= np.uint64(1) << np.uint64(new & 63)
        for i in range(rows):
            counts[np.int64(codes[begin + i])] = 0
        current[:] = 0
    return out
