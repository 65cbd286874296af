"""Threshold clustering by the book: every free row compared in every step, rows suppressed and placed one by one."""

from __future__ import annotations

from math import floor

from oracles.exact import Exact
from oracles.k_member import extent, near_one, tidy


def grown(matrix, kinds, weights, parts, sizes, order, threshold):
    """Return the classes, each the list of its rows as they joined; `order`: in which rows are tried as starts."""
    rows = _rows(matrix)
    weights, factor = near_one(weights)
    columns = (kinds, weights, parts, sizes)
    free = set(range(len(rows)))
    classes = []
    for start in order:
        if start not in free:
            continue
        members, box = [start], (rows[start], rows[start])
        free.remove(start)
        while free:
            after, best = min((tidy(extent(*_widened(box, rows[row]), *columns)), row) for row in free)
            if after > tidy(threshold * factor):
                break
            members.append(best)
            box = _widened(box, rows[best])
            free.remove(best)
        classes.append(members)
    return classes


def threshold_clustering(matrix, kinds, weights, parts, sizes, k, order, threshold, budget):
    """Return the class of every row of (p, n) codes, -1 for at most `budget` rows of classes below k."""
    rows = _rows(matrix)
    exact = Exact(kinds, weights, parts, sizes)
    classes = grown(matrix, kinds, weights, parts, sizes, order, threshold)
    while max(len(members) for members in classes) < k:
        boxes = [_box(members, rows) for members in classes]
        pairs = [(i, j) for i in range(len(classes)) for j in range(i + 1, len(classes))]
        unions = [_widened(_widened(boxes[i], boxes[j][0]), boxes[j][1]) for i, j in pairs]
        _, (i, j) = min((exact.extent(*union), pair) for union, pair in zip(unions, pairs, strict=True))
        classes[i] += classes.pop(j)
    legal = [members for members in classes if len(members) >= k]
    left = sorted(row for members in classes if len(members) < k for row in members)

    def increase(members, row):
        box = _box(members, rows)
        before = len(members) * exact.extent(*box)
        return (len(members) + 1) * exact.extent(*_widened(box, rows[row])) - before

    cost = {row: min(increase(members, row) for members in legal) for row in left}
    suppressed = sorted(left, key=lambda row: (-cost[row], row))[: floor(budget)]
    for row in left:
        if row not in suppressed:
            min(legal, key=lambda members, row=row: (increase(members, row), legal.index(members))).append(row)
    labels = [-1] * len(rows)
    for label, members in enumerate(legal):
        for row in members:
            labels[row] = label
    return labels


def _rows(matrix):
    return [tuple(int(code) for code in matrix[:, row]) for row in range(matrix.shape[1])]


def _box(members, rows):
    values = list(zip(*(rows[row] for row in members), strict=True))
    return [min(column) for column in values], [max(column) for column in values]


def _widened(box, row):
    low = [min(a, b) for a, b in zip(box[0], row, strict=True)]
    return low, [max(a, b) for a, b in zip(box[1], row, strict=True)]
