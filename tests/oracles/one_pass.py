"""One-pass k-means by the book: every row compared with every centre, every centre counted anew."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from oracles.exact import Exact, of_position, of_weight
from oracles.k_member import ORDERED, near_one, price, tidy


def one_pass(matrix, kinds, weights, parts, sizes, k, seeds, centre="mode", exact=False):
    """Return the class of every row of (p, n) codes; `seeds`: where the starts are in the sorted rows, ascending.

    exact: distances are fractions, and nothing is rounded.
    """
    p, n = matrix.shape
    number = of_position if exact else float
    weights = [of_weight(float(weight)) for weight in weights] if exact else near_one(weights)[0]
    alone = [Exact(kinds[j : j + 1], [1.0], parts[j : j + 1], sizes[j : j + 1]) for j in range(p)]

    def apart_of(j, lo, hi):
        if not exact:
            return price(kinds[j], parts[j], sizes[j], lo, hi)
        return Fraction(alone[j].price(0, lo, hi), alone[j].unit)

    codes = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    rows = sorted(range(n), key=lambda row: (codes[row], row))
    place = {row: position for position, row in enumerate(rows)}
    classes = [[rows[seed]] for seed in seeds]
    # a running sum, so that rounding is that of rows coming and going one by one
    sums = [
        [number(float(parts[j][codes[m[0]][j]])) if kinds[j] == ORDERED else 0.0 for j in range(p)] for m in classes
    ]

    def add(c, row, sign):
        classes[c].append(row) if sign > 0 else classes[c].remove(row)
        for j in range(p):
            if kinds[j] == ORDERED:
                sums[c][j] += sign * number(float(parts[j][codes[row][j]]))

    def distance(c, row):
        total = 0
        for j in range(p):
            code = codes[row][j]
            values = [codes[member][j] for member in classes[c]]
            if kinds[j] == ORDERED:
                apart = min(abs(number(float(parts[j][code])) - sums[c][j] / len(values)), 1)
            elif centre == "lca":
                apart = apart_of(j, min(code, *values), max(code, *values))
            else:
                counts = Counter(values)
                mode = min(counts, key=lambda value: (-counts[value], value))
                apart = apart_of(j, min(code, mode), max(code, mode))
            total += weights[j] * apart
        return total if exact else tidy(total)

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
