"""The nearest released row of every original one: the loop of `covey.metrics.classification`."""

from __future__ import annotations

import numpy as np

from covey.arrays import IntVector
from covey.kernel import kernel
from covey.pausing import OFTEN, pause
from covey.prices import FLAT, ORDERED, price

__all__ = ["nearest_rows"]


@kernel
def nearest_rows(
    values, row_tuple, labels, first, second, kinds, weights, low, high, inner, sets, words, positions, offsets, sizes
) -> IntVector:
    """Return for every row the nearest released row other than itself, the lowest of equally near ones, or -1.

    values (p, t) float64: the position of an ordered column, the code of any other; labels (n,) int64, below 0 for
    a row that is not released, classes numbered in the order of their lowest rows; first, second (c,) int64: the two
    lowest rows of each class, -1 where there is no second.
    low, high (c, p) float64: the range of a class, positions or codes; inner (c, p) float64: the price of that range;
    sets (c, words of all flat columns) uint64, a bit per code, those of column j from words[j] on.
    """
    n = row_tuple.shape[0]
    nearest = np.full(n, -1, np.int64)
    for row in range(n):
        if row & OFTEN == 0:
            pause(row, n)
        t = row_tuple[row]
        best = np.inf
        # the row's own class comes first: it is near, so that the others are soon given up
        for turn in range(-1, first.shape[0]):
            c = turn if turn >= 0 else labels[row]
            if c < 0:
                continue
            if best == 0.0 and first[c] > nearest[row]:  # no later class is nearer or has a lower row
                break
            candidate = first[c] if first[c] != row else second[c]
            if candidate < 0:
                continue
            total = 0.0
            for j in range(values.shape[0]):
                x = values[j, t]
                if kinds[j] == ORDERED:  # a missing value has a position of -1 or -2, a whole domain away
                    away = min(max(low[c, j] - x, x - high[c, j], 0.0), 1.0)
                elif kinds[j] == FLAT:
                    code = np.int64(x)
                    word = sets[c, words[j] + (code >> 6)]
                    away = 0.0 if (word >> np.uint64(code & 63)) & np.uint64(1) else 1.0
                else:  # a leaf below the node raises the price of its class no further
                    below, above = np.int64(min(x, low[c, j])), np.int64(max(x, high[c, j]))
                    away = price(kinds[j], positions, offsets[j], sizes[j], below, above)
                    if away <= inner[c, j]:
                        away = 0.0
                total += weights[j] * away * away
                if total > best:
                    break
            if total < best or (total == best and candidate < nearest[row]):
                best, nearest[row] = total, candidate
    return nearest
