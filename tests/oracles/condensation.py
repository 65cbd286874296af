"""Condensation by the book: every free row compared with the row drawn, nothing merged, nothing skipped."""

from __future__ import annotations

from oracles.exact import Exact
from oracles.k_member import extent, near_one, tidy


def condensation(matrix, kinds, weights, parts, sizes, k, order):
    """Return the class of every row of (p, n) codes; a class starts with the first free row of `order`."""
    n = matrix.shape[1]
    exact = Exact(kinds, weights, parts, sizes)  # for leftovers
    weights, _ = near_one(weights)
    rows = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]

    def box(members):
        codes = list(zip(*(rows[row] for row in members), strict=True))
        return [min(c) for c in codes], [max(c) for c in codes]

    def apart(one, other):
        return extent(*box([one, other]), kinds, weights, parts, sizes)

    def spread(members):
        return exact.extent(*box(members))

    free = set(range(n))
    classes = []
    while len(free) >= k:
        start = next(int(row) for row in order if row in free)
        near = sorted(free - {start}, key=lambda row: (tidy(apart(start, row)), row))
        classes.append([start, *near[: k - 1]])
        free -= set(classes[-1])
    for row in sorted(free):

        def increase(members, row=row):
            return (len(members) + 1) * spread([*members, row]) - len(members) * spread(members)

        min(classes, key=increase).append(row)
    labels = [-1] * n
    for label, members in enumerate(classes):
        for row in members:
            labels[row] = label
    return labels
