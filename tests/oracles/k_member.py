"""Greedy k-member by the book: every row compared with every other, nothing merged, nothing skipped."""

from __future__ import annotations

ORDERED, FLAT, TREE = 0, 1, 2


def price(kind, part, size, lo, hi):
    """Return the price of the interval [lo, hi] of one column, from its own part of the positions.

    A tree's part begins with the gaps between neighbouring leaves: the ancestor of a run of leaves is as
    high as the highest of them.
    """
    if lo == hi:
        return 0.0
    if kind == FLAT:
        return 1.0
    if kind == ORDERED:
        return min(float(part[hi]) - float(part[lo]), 1.0)
    return max(float(gap) for gap in part[lo:hi])


def extent(low, high, kinds, weights, parts, sizes):
    """Return the sum of weight x price in column order."""
    total = 0.0
    for j in range(len(kinds)):
        total += float(weights[j]) * price(kinds[j], parts[j], sizes[j], low[j], high[j])
    return total


def k_member(matrix, kinds, weights, parts, sizes, k, start, next_seed="seed", leftovers=None):
    """Return the class of every row of (p, n) codes: classes are numbered in the order they are made.

    `leftovers` puts the rows left over into an order (row order without it).
    """
    n = matrix.shape[1]
    rows = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    columns = (kinds, weights, parts, sizes)

    def widened(box, row):
        low = tuple(min(a, b) for a, b in zip(box[0], rows[row], strict=True))
        high = tuple(max(a, b) for a, b in zip(box[1], rows[row], strict=True))
        return low, high

    free = list(range(n))
    labels = [-1] * n
    boxes = []
    members = []
    reference = start
    while len(free) >= k:
        point = (rows[reference], rows[reference])
        seed = max(free, key=lambda row: (extent(*widened(point, row), *columns), -row))
        box = (rows[seed], rows[seed])
        class_rows = [seed]
        free.remove(seed)
        while len(class_rows) < k:
            best = min(free, key=lambda row: (extent(*widened(box, row), *columns), row))
            box = widened(box, best)
            class_rows.append(best)
            free.remove(best)
        for row in class_rows:
            labels[row] = len(boxes)
        boxes.append(box)
        members.append(k)
        reference = class_rows[-1] if next_seed == "last" else seed
    for row in leftovers(free) if leftovers else free:

        def increase(label, row=row):
            before = members[label] * extent(*boxes[label], *columns)
            return (members[label] + 1) * extent(*widened(boxes[label], row), *columns) - before

        label = min(range(len(boxes)), key=lambda label: (increase(label), label))
        boxes[label] = widened(boxes[label], row)
        members[label] += 1
        labels[row] = label
    return labels
