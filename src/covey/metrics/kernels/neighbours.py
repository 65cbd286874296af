"""The nearest released rows of every original one: the loop of `covey.metrics.classification`."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import FloatVector
from covey.codes.prices import FLAT, ORDERED, price
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause

__all__ = ["NEAR", "wrong_shares"]

NEAR = 1e-12
"""Distances (roots of the sum of squares) that differ by less are equal: sums of decimals differ by rounding."""


@kernel
def wrong_shares(
    values, row_tuple, labels, truth, keys, counts, sizes_of, kinds, weights, low, high, inner, sets, words,
    positions, offsets, sizes,
) -> FloatVector:  # fmt: skip
    """Return for every row the share of the nearest released rows other than itself that have another label.

    values (p, t) float64: the position of an ordered column, the code of any other; labels (n,) int64, below 0 for
    a row that is not released; truth (n,) int64: the label to be told, from 0 to m - 1; keys, ascending, and counts,
    int64: class x m + label, and how many rows have it; sizes_of (c,) int64: the rows of each class.  1 where there is
    no such row.
    low, high (c, p) float64: the range of a class, positions or codes; inner (c, p) float64: the price of that range;
    sets (c, words of all flat columns) uint64, a bit per code, those of column j from words[j] on.
    """
    n, n_classes = row_tuple.shape[0], sizes_of.shape[0]
    n_labels = truth.max() + 1
    wrong = np.ones(n)
    found = np.empty(n_classes, np.int64)
    distance = np.empty(n_classes)
    for row in range(n):
        if row & CHEAP_TURNS == 0:
            pause(row, n)
        best, limit = np.inf, np.inf
        n_found = 0
        # the row's own class comes first: it is near, so that the others are soon given up
        for turn in range(-1, n_classes):
            c = turn if turn >= 0 else labels[row]
            if c < 0 or (turn >= 0 and c == labels[row]) or sizes_of[c] == (c == labels[row]):
                continue
            total = _apart(
                values[:, row_tuple[row]], c, limit, kinds, weights, low, high, inner, sets, words, positions, offsets,
                sizes,
            )  # fmt: skip
            if total > limit:
                continue
            if total < best:
                if not _is_equal(best, total):
                    n_found = 0
                best = total
                limit = (np.sqrt(best) + NEAR) ** 2
            found[n_found], distance[n_found] = c, total
            n_found += 1
        same, every = 0, 0
        for i in range(n_found):
            if distance[i] <= limit:
                own = found[i] == labels[row]
                same += _rows_with(keys, counts, found[i] * n_labels + truth[row]) - own
                every += sizes_of[found[i]] - own
        if every > 0:
            wrong[row] = (every - same) / every
    return wrong


@kernel
def _is_equal(one, other):
    """Return whether two sums of squares are equal distances, `other` being the lesser."""
    return one <= (np.sqrt(other) + NEAR) ** 2


@kernel
def _rows_with(keys, counts, key):
    place = np.searchsorted(keys, key)
    return counts[place] if place < keys.shape[0] and keys[place] == key else 0


@kernel
def _apart(point, c, limit, kinds, weights, low, high, inner, sets, words, positions, offsets, sizes):
    """Return the sum of weight x squared difference of a point and class c; any number above `limit` if it is above."""
    total = 0.0
    for j in range(point.shape[0]):
        x = point[j]
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
        if total > limit:
            break
    return total
