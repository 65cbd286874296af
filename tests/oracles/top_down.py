"""Top-down specialisation by the book: in every step every value of every cut is scored anew, on all rows."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from oracles.k_member import FLAT, ORDERED, price

NO_GAIN = 1e-9


def tidy(gain):
    """Return a gain to seven digits: what differs by rounding only is a tie."""
    return float(np.float32(gain))


def top_down(matrix, kinds, weights, parts, sizes, k, values=None):
    """Return (labels, cut): the class of every row of (p, n) codes, and per column the value of each code.

    `values`: the target of every row; without it the gain is the fall of the loss.
    """
    n = matrix.shape[1]
    rows = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    runs = [[(0, int(size) - 1)] for size in sizes]

    def present(j, run):
        return sorted({row[j] for row in rows if run[0] <= row[j] <= run[1]})

    def cost(j, run):
        codes = present(j, run)
        return float(weights[j]) * price(kinds[j], parts[j], sizes[j], codes[0], codes[-1]) if codes else 0.0

    def bits(j, run):
        counts = Counter(values[i] for i, row in enumerate(rows) if run[0] <= row[j] <= run[1])
        total = 0.0
        for value in sorted(counts):
            total -= counts[value] * math.log2(counts[value])
        return total + counts.total() * math.log2(counts.total()) if counts else 0.0

    def size(j, run):
        return sum(run[0] <= row[j] <= run[1] for row in rows)

    def gain(j, run, children):
        if values is None:
            total = 0.0
            for child in children:
                total += size(j, child) * (cost(j, run) - cost(j, child)) if size(j, child) else 0.0
            return tidy(total)
        total = bits(j, run)
        for child in children:
            total -= bits(j, child)
        return tidy(total / size(j, run))

    def ways(j, run):
        """Return the ways to specialise a run: lists of runs."""
        codes = present(j, run)
        if len(codes) < 2:
            return []
        if kinds[j] == ORDERED:
            return [[(run[0], code), (code + 1, run[1])] for code in codes[:-1]]
        height = 0.0 if kinds[j] == FLAT else price(kinds[j], parts[j], sizes[j], codes[0], codes[-1])
        ends = [code for code in range(run[0], run[1]) if kinds[j] == FLAT or float(parts[j][code]) >= height]
        return [list(zip([run[0], *(end + 1 for end in ends)], [*ends, run[1]], strict=True))]

    def generalised(cut):
        return [tuple(next(i for i, run in enumerate(cut[j]) if run[0] <= row[j] <= run[1]) for j in range(len(cut)))
                for row in rows]  # fmt: skip

    def least(cut):
        return min(Counter(generalised(cut)).values())

    known = {}
    while True:
        now = least(runs)
        best = None
        for j in range(len(runs)):
            for run in runs[j]:
                candidates = []
                if (j, run) not in known:
                    known[j, run] = [(gain(j, run, way), way) for way in ways(j, run)]
                for gained, way in known[j, run]:
                    after = [*runs[:j], sorted([*(other for other in runs[j] if other != run), *way]), *runs[j + 1 :]]
                    then = least(after)
                    if then >= k and gained > (0.0 if values is None else NO_GAIN):
                        candidates.append((gained, then, after))
                if candidates:
                    gained, then, after = max(candidates, key=lambda found: found[0])  # the first of equals
                    score = gained / (now - then) if now > then else gained
                    if best is None or score > best[0]:
                        best = score, after
        if best is None:
            break
        runs = best[1]
    names = {}
    in_order = dict(sorted(zip(rows, generalised(runs), strict=True)))
    for value in in_order.values():
        names.setdefault(value, len(names))
    labels = [names[value] for value in generalised(runs)]
    cut = [[i for i, (low, high) in enumerate(runs[j]) for _ in range(low, high + 1)] for j in range(len(runs))]
    return labels, cut
