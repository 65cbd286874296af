"""Systematic clustering by the book: every row compared with every class that is not full."""

from __future__ import annotations

from oracles.k_member import extent


def systematic(matrix, kinds, weights, parts, sizes, k, order, presorted=False, criterion="increase"):
    """Return the class of every row of (p, n) codes; `order`: the numbers 1..k as they are taken."""
    n = matrix.shape[1]
    codes = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    rows = list(range(n)) if presorted else sorted(range(n), key=lambda row: (codes[row], row))
    columns = (kinds, weights, parts, sizes)

    def box(members):
        values = list(zip(*(codes[row] for row in members), strict=True))
        return [min(column) for column in values], [max(column) for column in values]

    def loss(members):
        return len(members) * extent(*box(members), *columns)

    def cost(members, row):
        after = loss([*members, row])
        return after if criterion == "total" else after - loss(members)

    n_classes = n // k
    classes = [[rows[order[0] - 1 + k * i]] for i in range(n_classes)]
    for number in order[1:]:
        for i in range(n_classes):
            row = rows[number - 1 + k * i]
            among = [c for c in range(n_classes) if len(classes[c]) < k]
            classes[min(among, key=lambda c, row=row: (cost(classes[c], row), c))].append(row)
    for row in rows[n_classes * k :]:
        classes[min(range(n_classes), key=lambda c, row=row: (cost(classes[c], row), c))].append(row)
    labels = [-1] * n
    for c, members in enumerate(classes):
        for row in members:
            labels[row] = c
    return labels
