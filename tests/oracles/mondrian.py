"""Median partitioning by the book: every cut of a column is listed, and the one nearest the median taken."""

from __future__ import annotations

from fractions import Fraction

from oracles.exact import FLAT, TREE, Exact, of_weight
from oracles.k_member import price


def mondrian(matrix, kinds, weights, parts, sizes, k, relaxed=False):
    """Return the class of every row of (p, n) codes, numbered from left to right."""
    n = matrix.shape[1]
    # in the order of their codes, equal rows in row order
    rows = sorted(range(n), key=lambda row: (*(int(code) for code in matrix[:, row]), row))
    labels = [-1] * n
    for label, members in enumerate(_classes(rows, matrix, kinds, weights, parts, sizes, k, relaxed)):
        for row in members:
            labels[row] = label
    return labels


def _classes(rows, matrix, kinds, weights, parts, sizes, k, relaxed):
    for j in _widest_first(rows, matrix, kinds, weights, parts, sizes):
        sides = _sides(rows, [int(code) for code in matrix[j]], kinds[j], parts[j], sizes[j], k, relaxed)
        if sides is not None:
            columns = (matrix, kinds, weights, parts, sizes)
            return _classes(sides[0], *columns, k, relaxed) + _classes(sides[1], *columns, k, relaxed)
    return [rows]


def _widest_first(rows, matrix, kinds, weights, parts, sizes):
    widths = {}
    for j in range(len(kinds)):
        lo, hi = int(min(matrix[j][rows])), int(max(matrix[j][rows]))
        if lo < hi and kinds[j] == FLAT:
            widths[j] = of_weight(float(weights[j])) * Fraction(hi - lo, int(sizes[j]) - 1)
        elif lo < hi:
            exact = Exact(kinds[j : j + 1], weights[j : j + 1], parts[j : j + 1], sizes[j : j + 1])
            widths[j] = Fraction(exact.price(0, lo, hi), exact.unit)
    return sorted(widths, key=lambda j: (-widths[j], j))


def _sides(rows, code, kind, part, size, k, relaxed):
    """Return the two sides of the best cut of one column, None if it has no legal one."""
    if len(rows) < 2 * k:
        return None
    lo, hi = min(code[row] for row in rows), max(code[row] for row in rows)
    if not relaxed or kind == TREE:
        height = price(kind, part, size, lo, hi)
        cuts = [cut for cut in range(lo, hi) if kind != TREE or float(part[cut]) == height]
        balance = {cut: abs(2 * sum(code[row] <= cut for row in rows) - len(rows)) for cut in cuts}
        best = min(cuts, key=lambda cut: (balance[cut], cut))
        sides = [row for row in rows if code[row] <= best], [row for row in rows if code[row] > best]
        if min(len(side) for side in sides) >= k:
            return sides
    if not relaxed:
        return None
    in_order = sorted(rows, key=lambda row: code[row])  # stable: rows at the median keep their order
    left = set(in_order[: len(rows) // 2])
    return [row for row in rows if row in left], [row for row in rows if row not in left]
