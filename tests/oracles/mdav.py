"""MDAV by the book: every distance computed anew from lists, whenever it is asked for."""

from __future__ import annotations

import numpy as np

from oracles.k_member import FLAT, ORDERED, TREE, nine_digits, price


def mdav(matrix, kinds, weights, parts, sizes, k):
    """Return the class of every row of (p, n) codes, numbered in the order they are made."""
    n = matrix.shape[1]
    columns = [
        [float(part[code]) if kind == ORDERED else int(code) for code in codes]
        for codes, kind, part in zip(matrix, kinds, parts, strict=True)
    ]
    euclidean = all(kind == ORDERED for kind in kinds) and min(map(min, columns)) >= 0
    if euclidean:
        columns = [_standardised(column) for column in columns]
    rows = list(zip(*columns, strict=True))

    def term(j, x, y):
        if euclidean:
            return (x - y) * (x - y)
        if x is None or y is None:
            return 0.0
        if kinds[j] == ORDERED:  # positions; a missing one is a whole domain away from all else
            return min(abs(x - y), 1.0)
        return price(kinds[j], parts[j], sizes[j], min(x, y), max(x, y))

    def distance(one, other):
        total = 0.0
        for j, (x, y) in enumerate(zip(one, other, strict=True)):
            total += float(weights[j]) * term(j, x, y)
        return nine_digits(total)

    def centroid(members):
        centre = []
        for kind, values in zip(kinds, zip(*(rows[row] for row in members), strict=True), strict=True):
            if kind in (FLAT, TREE):
                centre.append(min(set(values), key=lambda code, values=values: (-values.count(code), code)))
            else:
                present = [value for value in values if euclidean or value >= 0]
                total = 0.0
                for value in present:
                    total += value
                centre.append(total / len(present) if present else None)
        return centre

    free = list(range(n))
    classes = []

    def furthest(point):
        return max(free, key=lambda row: (distance(rows[row], point), -row))

    def take_around(seed):
        others = sorted((row for row in free if row != seed), key=lambda row: (distance(rows[row], rows[seed]), row))
        classes.append([seed, *others[: k - 1]])
        for row in classes[-1]:
            free.remove(row)

    while len(free) >= 3 * k:
        one = furthest(centroid(free))
        take_around(one)
        take_around(furthest(rows[one]))
    if len(free) >= 2 * k:
        take_around(furthest(centroid(free)))
    classes.append(free)
    labels = [-1] * n
    for label, members in enumerate(classes):
        for row in members:
            labels[row] = label
    return labels


def _standardised(values):
    if min(values) == max(values):
        return [0.0] * len(values)
    mean, deviation = float(np.mean(values)), float(np.std(values))
    return [(value - mean) / deviation for value in values]
