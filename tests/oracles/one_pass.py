"""One-pass k-means by the book: every row compared with every centre, every centre counted anew."""

from __future__ import annotations

from collections import Counter

from oracles.k_member import ORDERED, price


def one_pass(matrix, kinds, weights, parts, sizes, k, seeds, centre="mode"):
    """Return the class of every row of (p, n) codes; `seeds`: where the starts are in the sorted rows, ascending."""
    p, n = matrix.shape
    codes = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    rows = sorted(range(n), key=lambda row: (codes[row], row))
    place = {row: position for position, row in enumerate(rows)}
    classes = [[rows[seed]] for seed in seeds]
    # a running sum, so that rounding is that of rows coming and going one by one
    sums = [[float(parts[j][codes[m[0]][j]]) if kinds[j] == ORDERED else 0.0 for j in range(p)] for m in classes]

    def add(c, row, sign):
        classes[c].append(row) if sign > 0 else classes[c].remove(row)
        for j in range(p):
            if kinds[j] == ORDERED:
                sums[c][j] += sign * float(parts[j][codes[row][j]])

    def distance(c, row):
        total = 0.0
        for j in range(p):
            code = codes[row][j]
            values = [codes[member][j] for member in classes[c]]
            if kinds[j] == ORDERED:
                apart = min(abs(float(parts[j][code]) - sums[c][j] / len(values)), 1.0)
            elif centre == "lca":
                apart = price(kinds[j], parts[j], sizes[j], min(code, *values), max(code, *values))
            else:
                counts = Counter(values)
                mode = min(counts, key=lambda value: (-counts[value], value))
                apart = price(kinds[j], parts[j], sizes[j], min(code, mode), max(code, mode))
            total += float(weights[j]) * apart
        return total

    def nearest(among, row):
        return min(among, key=lambda c: (distance(c, row), c))

    everywhere = range(len(classes))
    for position, row in enumerate(rows):
        if position not in seeds:
            add(nearest(everywhere, row), row, 1)
    homeless = []
    for c in everywhere:
        while len(classes[c]) > k:
            row = max(classes[c], key=lambda row: (distance(c, row), -place[row]))
            add(c, row, -1)
            homeless.append(row)
    for row in sorted(homeless, key=place.get):
        small = [c for c in everywhere if len(classes[c]) < k]
        add(nearest(small or everywhere, row), row, 1)
    labels = [-1] * n
    for c, members in enumerate(classes):
        for row in members:
            labels[row] = c
    return labels
