"""Weighted C-means by the book: every row compared with every centre, every mean and mode counted anew.

Equal rows are taken together, in the order of their codes, only so that sums are rounded alike.
"""

from __future__ import annotations

from collections import Counter
from math import inf

from oracles.k_member import ORDERED, nine_digits, price


def weighted_c_means(matrix, kinds, weights, parts, sizes, k, seeds, max_iter, widths=None):
    """Return (class of every row, learned weights, whether no row moved at last, iterations); `seeds`: rows."""
    p, n = matrix.shape
    rows = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    tuples = sorted(Counter(rows).items())
    scales = [
        float(weights[j]) * (float(widths[j]) * float(widths[j]) if widths is not None else 1.0) for j in range(p)
    ]

    def value(code, j):
        """Return what a centre is made of: a position, or a code."""
        return float(parts[j][code]) if kinds[j] == ORDERED else code

    def difference(a, b, j):
        if kinds[j] == ORDERED:
            return min(abs(a - b), 1.0)
        return price(kinds[j], parts[j], sizes[j], min(a, b), max(a, b))

    def distance(a, b, learned):
        total = 0.0
        for j in range(p):
            apart = difference(a[j], b[j], j)
            total += scales[j] * learned[j] * (apart * apart)
        return nine_digits(total)

    def mean(members):
        centre = []
        for j in range(p):
            counts = Counter()
            total = 0.0
            for codes, count in members:
                counts[codes[j]] += count
                total += count * value(codes[j], j)
            if kinds[j] != ORDERED:
                centre.append(min(counts, key=lambda code: (-counts[code], code)))
            else:
                values = {value(code, j) for code in counts}
                centre.append(values.pop() if len(values) == 1 else total / sum(counts.values()))
        return centre

    points = {codes: [value(codes[j], j) for j in range(p)] for codes, _ in tuples}
    middle = mean(tuples)
    centres = [points[rows[seed]] for seed in seeds]
    learned = [1 / p] * p
    home = {}
    converged = False
    n_iter = 0
    while not converged and n_iter < max_iter:
        n_iter += 1
        alive = [c for c in range(len(centres)) if centres[c] is not None]
        new = {
            codes: min(alive, key=lambda c, codes=codes: (distance(points[codes], centres[c], learned), c))
            for codes, _ in tuples
        }
        converged, home = new == home, new
        members = [[pair for pair in tuples if home[pair[0]] == c] for c in range(len(centres))]
        centres = [mean(pairs) if pairs else None for pairs in members]
        size = [sum(count for _, count in pairs) for pairs in members]
        within, between = [0.0] * p, [0.0] * p
        for j in range(p):
            for codes, count in tuples:
                apart = difference(points[codes][j], centres[home[codes]][j], j)
                within[j] += count * (apart * apart)
            for c, centre in enumerate(centres):
                if centre is not None:
                    apart = difference(centre[j], middle[j], j)
                    between[j] += size[c] * (apart * apart)
        learned = adjusted(learned, within, between)
    legal = [c for c in range(len(centres)) if size[c] >= k]
    assert legal
    final = {
        c: c if c in legal else min(legal, key=lambda d, c=c: (distance(centres[c], centres[d], learned), d))
        for c in range(len(centres))
        if size[c] > 0
    }
    number = {c: i for i, c in enumerate(sorted(set(final.values())))}
    return [number[final[home[row]]] for row in rows], learned, converged, n_iter


def adjusted(learned, within, between):
    """Return the weights of the next iteration."""
    ratio = [0.0 if f == 0 else f / e if e > 0 and f / e < inf else inf for e, f in zip(within, between, strict=True)]
    largest = max([r for r in ratio if r < inf], default=0.0)
    ratio = [r if r < inf else largest or 1.0 for r in ratio]
    total = 0.0
    for r in ratio:
        total += r
    if total == 0:
        return learned
    new = [w + r / total for w, r in zip(learned, ratio, strict=True)]
    whole = 0.0
    for w in new:
        whole += w
    return [w / whole for w in new]
