"""Sums of squares from the definition, and the best partition by trying all."""

from __future__ import annotations

import numpy as np


def sum_of_squares(points, labels):
    """Return the squared distances of all rows from the means of their classes."""
    return sum(float(((points[labels == c] - points[labels == c].mean(0)) ** 2).sum()) for c in np.unique(labels))


def partitions(rows, k):
    """Yield every way to part rows into classes of k or more."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for mask in range(1 << len(rest)):
        own = [first, *(row for at, row in enumerate(rest) if mask >> at & 1)]
        if len(own) < k:
            continue
        others = [row for at, row in enumerate(rest) if not mask >> at & 1]
        if others and len(others) < k:
            continue
        for more in partitions(others, k):
            yield [own, *more]


def least_sum_of_squares(points, k):
    """Return the least sum of squares of all partitions."""
    best = np.inf
    for classes in partitions(list(range(len(points))), k):
        labels = np.empty(len(points), int)
        for c, rows in enumerate(classes):
            labels[rows] = c
        best = min(best, sum_of_squares(points, labels))
    return best
