"""A few classes by themselves, while they are made anew: room for their rows, boxes, and what changes would cost.

A pool is small, so that everything is tried: no index, no lists.  Rows lie column by column, so that what a box costs
with each of them is had in a few passes.  The room is made once and used for one pool after another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.codes.prices import FLAT, ORDERED, TREE, Measure
from covey.compiled.kernel import kernel, lean_kernel
from covey.search.kernels.class_tree import term_between
from covey.search.refine.rules import Rules, count_row, forget_row, missing_rows

__all__ = ["CLASSES", "ROWS", "Pool", "box_without", "extent_of", "extent_with", "extents_with", "fit", "has_rules",
           "holds_with", "is_legal", "join", "new_pool", "pool_loss"]  # fmt: skip

ROWS, CLASSES = 0, 1
SECOND_LOW, SECOND_HIGH = 2, 3


class Pool(NamedTuple):
    """The rows of some classes, and the classes that they are in now."""

    columns: Measure
    """Prices in whole numbers"""
    kinds: np.ndarray
    """(p,) uint8: those of the columns"""
    weights: np.ndarray
    """(p,) float64"""
    biased: Measure
    """The same prices with other weights, by which classes grow"""
    most: np.ndarray
    """(p,) float64: how wide the domain of an ordered column is, 1 for others"""
    size: np.ndarray
    """(2,) int64: how many rows there are, and how many classes; behind them there is room"""
    points: np.ndarray
    """(p, m) float64: the rows, column by column"""
    row: np.ndarray
    """(m,) int64: which row it is"""
    items: np.ndarray
    """(m,) int64: each row as the rules know it"""
    label: np.ndarray
    """(m,) int64: its class, from 0; -1: none yet"""
    before: np.ndarray
    """(m,) int64: room to remember classes"""
    low: np.ndarray
    """(c, p) float64: the box of each class"""
    high: np.ndarray
    """(c, p) float64"""
    rows: np.ndarray
    """(c,) int64; 0: the class is no more"""
    extent: np.ndarray
    """(c,) float64"""
    with_row: np.ndarray
    """(c, m) float64: the extent of each class with each row in it"""
    without: np.ndarray
    """(m,) float64: the extent of the class of each row without it"""
    cost: np.ndarray
    """(m,) float64: room for the extent of one box with each row in it"""
    box: np.ndarray
    """(4, p) float64: room for boxes"""
    rules: Rules
    """What every class must satisfy beside its rows"""


@kernel
def new_pool(columns, rules, p, most_rows, k) -> Pool:
    """Return room for so many rows in classes of k rows or more."""
    n_classes, most = most_rows // k + 1, np.ones(p)
    for j in range(p):
        if columns.kinds[j] == ORDERED:
            most[j] = columns.positions[columns.offsets[j] + columns.sizes[j]]
    biased = Measure(columns.kinds, columns.weights.copy(), columns.positions, columns.offsets, columns.sizes)
    return Pool(
        columns, columns.kinds, columns.weights, biased, most, np.zeros(2, np.int64), np.empty((p, most_rows)),
        np.empty(most_rows, np.int64),
        np.empty(most_rows, np.int64), np.empty(most_rows, np.int64), np.empty(most_rows, np.int64),
        np.empty((n_classes, p)), np.empty((n_classes, p)), np.zeros(n_classes, np.int64), np.zeros(n_classes),
        np.empty((n_classes, most_rows)), np.empty(most_rows), np.empty(most_rows), np.empty((4, p)), rules,
    )  # fmt: skip


@lean_kernel
def pool_loss(pool):
    """Return what all rows lose."""
    total, rows, extent = 0.0, pool.rows, pool.extent
    for c in range(pool.size[CLASSES]):
        total += rows[c] * extent[c]
    return total


@lean_kernel
def _term(kind, weight, most, lo, hi, trees, j):
    """Return weight x price of the interval [lo, hi] of column j; most: how wide its domain is, 1 if it is flat."""
    if lo >= hi:
        return 0.0
    if kind == TREE:
        return term_between(trees, j, lo, hi)
    return weight * (hi - lo if kind == ORDERED and hi - lo < most else most)


@lean_kernel
def extents_with(kinds, weights, most, trees, points, m, low, high, found) -> None:
    """Let `found` have the extent of the box from `low` to `high` with each of the first m rows of (p, m) in it."""
    base = 0.0
    for i in range(m):
        found[i] = 0.0
    for j in range(points.shape[0]):
        own, lo, hi, weight = points[j], low[j], high[j], weights[j]
        if kinds[j] == ORDERED:
            widest = most[j]
            for i in range(m):
                begin = lo if lo < own[i] else own[i]
                end = hi if hi > own[i] else own[i]
                width = end - begin
                found[i] += weight * (width if width < widest else widest)
        elif kinds[j] == FLAT and lo < hi:
            base += weight
        elif kinds[j] == FLAT:
            for i in range(m):
                found[i] += weight if own[i] != lo else 0.0
        else:
            inside = term_between(trees, j, lo, hi)
            for i in range(m):
                x = own[i]
                if lo <= x <= hi:
                    found[i] += inside
                else:
                    found[i] += term_between(trees, j, lo if lo < x else x, hi if hi > x else x)
    for i in range(m):
        found[i] += base


@lean_kernel
def extent_with(kinds, weights, most, trees, points, i, low, high):
    """Return the extent of the box from `low` to `high` with row i in it."""
    total = 0.0
    for j in range(points.shape[0]):
        x, lo, hi = points[j, i], low[j], high[j]
        total += _term(kinds[j], weights[j], most[j], lo if lo < x else x, hi if hi > x else x, trees, j)
    return total


@lean_kernel
def extent_of(kinds, weights, most, trees, low, high):
    """Return the extent of the box from `low` to `high`."""
    total = 0.0
    for j in range(low.shape[0]):
        total += _term(kinds[j], weights[j], most[j], low[j], high[j], trees, j)
    return total


@lean_kernel
def join(pool, i, c):
    """Let row i be in class c, whose box and extent are known; what else is known of classes is not kept up."""
    points, low, high = pool.points, pool.low[c], pool.high[c]
    pool.label[i] = c
    pool.rows[c] += 1
    pool.extent[c] = extent_with(pool.kinds, pool.weights, pool.most, pool.columns, points, i, low, high)
    for j in range(points.shape[0]):
        x = points[j, i]
        low[j] = x if x < low[j] else low[j]
        high[j] = x if x > high[j] else high[j]


@lean_kernel
def box_without(points, label, m, c, out, low, high):
    """Let `low` and `high` be the box of class c, of m rows in classes, without row `out`; -1: with all its rows."""
    for j in range(points.shape[0]):
        low[j], high[j] = np.inf, -np.inf
    for i in range(m):
        if label[i] == c and i != out:
            for j in range(points.shape[0]):
                x = points[j, i]
                low[j] = x if x < low[j] else low[j]
                high[j] = x if x > high[j] else high[j]


@lean_kernel
def fit(pool, c):
    """Let all that is known of class c be as its rows are: its box, its extent with and without each row."""
    m, points, label, without = pool.size[ROWS], pool.points, pool.label, pool.without
    kinds, weights, most, trees = pool.kinds, pool.weights, pool.most, pool.columns
    low, high, second_low, second_high = pool.low[c], pool.high[c], pool.box[SECOND_LOW], pool.box[SECOND_HIGH]
    for j in range(points.shape[0]):
        own = points[j]
        least, next_least, greatest, next_greatest = np.inf, np.inf, -np.inf, -np.inf
        for i in range(m):
            if label[i] == c:
                x = own[i]
                if x < least:
                    least, next_least = x, least
                elif x < next_least:
                    next_least = x
                if x > greatest:
                    greatest, next_greatest = x, greatest
                elif x > next_greatest:
                    next_greatest = x
        low[j], high[j], second_low[j], second_high[j] = least, greatest, next_least, next_greatest
    pool.extent[c] = extent_of(kinds, weights, most, trees, low, high)
    extents_with(kinds, weights, most, trees, points, m, low, high, pool.with_row[c])
    for i in range(m):
        if label[i] == c:
            total = 0.0
            for j in range(points.shape[0]):
                x = points[j, i]
                begin = second_low[j] if x == low[j] else low[j]
                end = second_high[j] if x == high[j] else high[j]
                total += _term(kinds[j], weights[j], most[j], begin, end, trees, j)
            without[i] = total


@lean_kernel
def has_rules(pool):
    """Return whether there is anything to satisfy beside the number of rows."""
    return pool.rules.bars.shape[0] > 0


@lean_kernel
def holds_with(pool, c, out, into):
    """Return whether class c satisfies the rules without row `out` and with row `into`; -1: none."""
    rules, size, m = pool.rules, 0, pool.size[ROWS]
    for i in range(m):
        if i == into or (pool.label[i] == c and i != out):
            count_row(rules, pool.items[i])
            size += 1
    missing = missing_rows(rules, size, 0)
    for i in range(m):
        if i == into or (pool.label[i] == c and i != out):
            forget_row(rules, pool.items[i])
    return missing == 0


@lean_kernel
def is_legal(pool, k):
    """Return whether every class has k rows and satisfies the rules."""
    picky, rows = has_rules(pool), pool.rows
    for c in range(pool.size[CLASSES]):
        if rows[c] > 0 and (rows[c] < k or (picky and not holds_with(pool, c, -1, -1))):
            return False
    return True
