"""The rows and the box of every code of one column among the tuples of a node."""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel
from covey.search.loss_cut.boxes import copy, join

__all__ = ["most_rows_first", "tally"]

DENSE = 256
"""A column that spans no more codes in the node than this, or than tuples, is tallied in a direct table."""


@kernel
def tally(cells, counts, j, low, high, work):
    """Tally column j of a node, whose codes lie in low..high; return how many codes occur.

    work.value[x] is the x-th code, ascending; work.slot[x] is its place in work.rows and work.tallies.
    Cost: linear in the tuples; where the codes lie far apart, the cost of sorting them.
    """
    rows, boxes, value, slot = work.rows, work.tallies, work.value, work.slot
    m = cells.shape[0]
    span = high - low + 1
    dense = span <= max(m, DENSE)
    n_values = np.int64(0)
    if not dense:
        for i in range(m):
            value[i] = cells[i, j]
        shell_sort(value, m)
        for i in range(m):
            if n_values == 0 or value[i] != value[n_values - 1]:
                value[n_values] = value[i]
                n_values += 1
        span = n_values
    for s in range(span):
        rows[s] = 0
    for i in range(m):
        code = np.int64(cells[i, j])
        # unsigned, so that no time goes into a test for an index from the end
        s = np.uintp(code - low if dense else place(value, n_values, code))
        if rows[s] == 0:
            copy(boxes[s], cells[i])
        else:
            join(boxes[s], cells[i])
        rows[s] += counts[i]
    if not dense:
        for s in range(span):
            slot[s] = s
        return n_values
    for s in range(span):
        if rows[s] > 0:
            value[n_values] = low + s
            slot[n_values] = s
            n_values += 1
    return n_values


@kernel
def most_rows_first(n_values, work):
    """Reorder the values so that the one with the most rows comes first, ties to the lowest code."""
    rows, value, slot, keys = work.rows, work.value, work.slot, work.keys
    most = 0
    for x in range(n_values):
        most = max(most, rows[slot[x]])
    for x in range(n_values):
        keys[x] = (most - rows[slot[x]]) * n_values + x
    shell_sort(keys, n_values)
    for x in range(n_values):
        old = keys[x] % n_values
        keys[x] = value[old]
        keys[n_values + x] = slot[old]
    for x in range(n_values):
        value[x] = keys[x]
        slot[x] = keys[n_values + x]


@kernel
def place(keys, n, key):
    """Return where `key` stands in the sorted keys[:n]."""
    first, last = 0, n - 1
    while first < last:
        middle = (first + last) // 2
        if keys[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first


@kernel
def shell_sort(keys, n):
    """Sort keys[:n] ascending in place."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key = keys[i]
            x = i
            while x >= gap and keys[x - gap] > key:
                keys[x] = keys[x - gap]
                x -= gap
            keys[x] = key
        gap //= 3
