"""Linkage by the book: every pair of classes compared in every step, from the distances between their rows."""

from __future__ import annotations

from itertools import combinations

from oracles.k_member import extent


def row_distances(matrix, kinds, weights, parts, sizes):
    """Return the extent of every two rows of (p, n) codes."""
    rows = [tuple(int(code) for code in matrix[:, row]) for row in range(matrix.shape[1])]

    def apart(one, other):
        low = tuple(map(min, rows[one], rows[other]))
        high = tuple(map(max, rows[one], rows[other]))
        return extent(low, high, kinds, weights, parts, sizes)

    return [[apart(one, other) for other in range(len(rows))] for one in range(len(rows))]


def linkage(table, k, method, stop):
    """Return the class of every row, numbered by the lowest row; nothing is merged beforehand.

    table: what `row_distances` takes.  The mean is taken anew over all pairs of rows.
    """
    rows = row_distances(*table)

    def apart(one, other):
        between = [rows[a][b] for a in one for b in other]
        return {"single": min, "complete": max, "average": lambda x: sum(x) / len(x)}[method](between)

    classes = [[row] for row in range(len(rows))]
    while min(map(len, classes)) < k:
        one, other = _closest(classes, k, stop, lambda i, j: apart(classes[i], classes[j]))
        classes[one] += classes.pop(other)
    return _labels(classes, len(rows))


def average_by_updates(table, k, stop):
    """Return the classes of average linkage, with the weighted means of Lance and Williams.

    Rows at distance 0 are one class from the start.  This fixes how the means are rounded.
    """
    rows = row_distances(*table)
    classes = []
    for row in range(len(rows)):
        equal = next((members for members in classes if rows[members[0]][row] == 0.0), None)
        if equal is None:
            classes.append([row])
        else:
            equal.append(row)
    apart = [[rows[one[0]][other[0]] for other in classes] for one in classes]
    while min(map(len, classes)) < k:
        one, other = _closest(classes, k, stop, lambda i, j: apart[i][j])
        m, n = len(classes[one]), len(classes[other])
        means = [(m * a + n * b) / (m + n) for a, b in zip(apart[one], apart[other], strict=True)]
        for i, mean in enumerate(means):
            apart[one][i] = apart[i][one] = mean
        for line in apart:
            del line[other]
        del apart[other]
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
