"""Systematic clustering by the book: every row compared with every class that is not full, nothing rounded."""

from __future__ import annotations

from oracles.exact import Exact


def systematic(matrix, kinds, weights, parts, sizes, k, order, presorted=False, criterion="increase"):
    """Return the class of every row of (p, n) codes; `order`: the numbers 1..k as they are taken."""
    n = matrix.shape[1]
    codes = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    rows = list(range(n)) if presorted else sorted(range(n), key=lambda row: (codes[row], row))
    exact = Exact(kinds, weights, parts, sizes)

    def box(members):
        values = list(zip(*(codes[row] for row in members), strict=True))
        return [min(column) for column in values], [max(column) for column in values]

    def loss(members):
        return len(members) * exact.extent(*box(members))

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


def diverse(matrix, kinds, weights, parts, sizes, labels, columns, ell):
    """Return the classes, as sets of rows, after the l-diverse step; `columns`: the sensitive values of every row."""
    codes = [tuple(int(code) for code in matrix[:, row]) for row in range(matrix.shape[1])]
    exact = Exact(kinds, weights, parts, sizes)
    classes = [[row for row in range(len(labels)) if labels[row] == c] for c in range(max(labels) + 1)]

    def extent(members):
        values = list(zip(*(codes[row] for row in members), strict=True))
        return exact.extent([min(column) for column in values], [max(column) for column in values])

    def is_diverse(members):
        return all(len({column[row] for row in members}) >= ell for column in columns)

    while not any(map(is_diverse, classes)):
        pairs = [(i, j) for i in range(len(classes)) for j in range(i + 1, len(classes))]
        one, other = min(pairs, key=lambda pair: (extent(classes[pair[0]] + classes[pair[1]]), pair))
        classes[one] = sorted(classes[one] + classes[other])
        del classes[other]
    kept = [list(members) for members in classes if is_diverse(members)]
    for row in (row for members in classes if not is_diverse(members) for row in members):

        def growth(members, row=row):
            return (len(members) + 1) * extent([*members, row]) - len(members) * extent(members)

        min(kept, key=growth).append(row)  # the first of equal ones
    return {frozenset(members) for members in kept}
