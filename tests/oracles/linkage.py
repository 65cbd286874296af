"""Linkage by the book: every pair of classes compared in every step, from the distances between their rows."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from oracles.exact import Exact


def row_distances(matrix, kinds, weights, parts, sizes, widths=None):
    """Return how far every two rows of (p, n) codes are apart, nothing rounded.

    widths: of the domains of numbers; with them prices are squared, and numbers count as they are.
    """
    rows = [tuple(int(code) for code in matrix[:, row]) for row in range(matrix.shape[1])]
    exact = Exact(kinds, weights, parts, sizes, widths is not None, widths)

    def apart(one, other):
        return exact.extent(tuple(map(min, rows[one], rows[other])), tuple(map(max, rows[one], rows[other])))

    return [[apart(one, other) for other in range(len(rows))] for one in range(len(rows))]


def linkage(table, k, method, stop, widths=None):
    """Return the class of every row, numbered by the lowest row; nothing is merged beforehand.

    table: what `row_distances` takes.  The mean is taken anew over all pairs of rows, as a fraction.
    """
    rows = row_distances(*table, widths)
    known = {}

    def apart(one, other):
        key = tuple(one), tuple(other)
        if key not in known:
            between = [rows[a][b] for a in one for b in other]
            mean = Fraction(sum(between), len(between)) if method == "average" else None
            known[key] = {"single": min(between), "complete": max(between), "average": mean}[method]
        return known[key]

    classes = [[row] for row in range(len(rows))]
    while min(map(len, classes)) < k:
        one, other = _closest(classes, k, stop, lambda i, j: apart(classes[i], classes[j]))
        classes[one] += classes.pop(other)
    return _labels(classes, len(rows))


def _closest(classes, k, stop, apart):
    """Return the closest pair of classes that may be merged, the lowest of equally close ones."""
    pairs = [
        (i, j)
        for i, j in combinations(range(len(classes)), 2)
        if stop == "global" or min(len(classes[i]), len(classes[j])) < k
    ]
    return min(pairs, key=lambda pair: (apart(*pair), pair))


def _labels(classes, n):
    labels = [-1] * n
    for label, members in enumerate(classes):
        for row in members:
            labels[row] = label
    return labels
