"""Full-domain recoding by the book: every node of the lattice is tried, levels are built from nodes and intervals."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

from oracles.k_member import FLAT, TREE, extent

UNITS = 2**11 * 3**4 * 5**2 * 7 * 11 * 13


def levels_of(kind, part, size, used, count, halvings):
    """Return for each level, the finest first, what stands for each code: a run (first code, last code)."""
    codes = range(size)
    if kind == FLAT:
        levels = [dict.fromkeys(codes, (0, size - 1))]
    elif kind == TREE:
        gaps = [float(gap) for gap in part[: size - 1]]
        levels = _by_height(gaps) if count == "leaves" else _by_depth(gaps)
    else:
        levels = []
        for power in range(halvings, 0, -1):
            # missing values, at -1 and below, stand alone
            where = [min(math.floor(Fraction(float(at)) * 2**power), 2**power - 1) if at >= 0 else float(at) * 2**power
                     for at in part]  # fmt: skip
            levels.append({code: (where.index(where[code]), size - where[::-1].index(where[code]) - 1)
                           for code in codes})  # fmt: skip
        levels.append(dict.fromkeys(codes, (0, size - 1)))
    found = []
    for level in [{code: (code, code) for code in codes}, *levels]:
        among = [[other for other in used if level[other] == level[code]] for code in used]
        if not found or among != found[-1][1]:
            found.append((level, among))
    return [level for level, _ in found]


def _by_height(gaps):
    """Return the levels: a leaf stands for its highest ancestor of at most each height."""
    levels = []
    for height in sorted(set(gaps)):
        level = {}
        for leaf in range(len(gaps) + 1):
            low = high = leaf
            while low > 0 and gaps[low - 1] <= height:
                low -= 1
            while high < len(gaps) and gaps[high] <= height:
                high += 1
            level[leaf] = low, high
        levels.append(level)
    return levels


def _by_depth(gaps):
    """Return the levels: a leaf stands for its ancestor at each depth, or for itself if it lies above."""
    chains = {leaf: [(0, len(gaps))] for leaf in range(len(gaps) + 1)}
    for leaf, chain in chains.items():
        while chain[-1] != (leaf, leaf):
            low, high = chain[-1]
            tallest = max(gaps[low:high])
            chain.append(
                (
                    max([low, *(i + 1 for i in range(low, leaf) if gaps[i] == tallest)]),
                    min([high, *(i for i in range(leaf, high) if gaps[i] == tallest)]),
                )
            )
    deepest = max(len(chain) for chain in chains.values())
    return [{leaf: chain[min(depth, len(chain) - 1)] for leaf, chain in chains.items()}
            for depth in range(deepest - 1, -1, -1)]  # fmt: skip


def optimal_recoding(
    matrix, kinds, weights, parts, sizes, k, metric="total_il", values=None, budget=0, count="leaves", halvings=6
):
    """Return (labels, levels, cost) of the best recoding of (p, n) codes; `budget`: how many rows may be suppressed."""
    p, n = matrix.shape
    rows = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    all_levels = [
        levels_of(kinds[j], parts[j], int(sizes[j]), sorted({row[j] for row in rows}), count, halvings)
        for j in range(p)
    ]
    dearest = sum(float(weights[j]) for j in range(p) if len({row[j] for row in rows}) > 1)

    def cost(members):
        if len(members) < k:
            return len(members) * {"total_il": UNITS, "cm": 1, "dm": n}[metric]
        if metric == "dm":
            return len(members) ** 2
        if metric == "cm":
            return len(members) - max(Counter(values[row] for row in members).values())
        box = list(zip(*(rows[row] for row in members), strict=True))
        width = extent([min(c) for c in box], [max(c) for c in box], kinds, weights, parts, sizes)
        units = math.floor(width / (dearest / UNITS) + 0.5) if dearest else 0
        return len(members) * min(units, UNITS)

    best = None
    for node in itertools.product(*(range(len(levels)) for levels in all_levels)):
        classes = {}
        for i in sorted(range(n), key=lambda i: rows[i]):
            value = tuple(all_levels[j][node[j]][rows[i][j]] for j in range(p))
            classes.setdefault(value, []).append(i)
        small = sum(len(members) for members in classes.values() if len(members) < k)
        if small > budget or small == n:
            continue
        key = (sum(cost(members) for members in classes.values()), sum(node), node)
        if best is None or key < best[0]:
            best = key, classes
    labels = [-1] * n
    for c, members in enumerate(members for members in best[1].values() if len(members) >= k):
        for row in members:
            labels[row] = c
    return labels, best[0][2], best[0][0]
