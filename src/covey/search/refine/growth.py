"""New classes of the rows of a pool: each grows from a row drawn at random by the rows that widen it least."""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import lean_kernel
from covey.search.refine.pool import CLASSES, ROWS, extent_of, extent_with, extents_with, has_rules, holds_with, join
from covey.search.refine.rules import count_row, forget_row, missing_rows, size_with

__all__ = ["grow_anew"]


@lean_kernel
def grow_anew(pool, k):
    """Let the rows of a pool, which are in random order, be in new classes.

    A class grows, by the weights of `pool.biased`, until it has k rows and satisfies the models, and by every row that
    does not widen it if its rows differ (more equal rows are free for others).  A row that would make it need more rows
    than it does anyway is not taken, as long as there are others.  Rows that are left, and those of a last class that
    fails a model, join the classes whose loss grows least.
    """
    m, label, rows = pool.size[ROWS], pool.label, pool.rows
    for i in range(m):
        label[i] = -1
    left, n, first = m, 0, 0
    while left >= k:
        while label[first] >= 0:
            first += 1
        if not _is_grown(pool, n, first, left, k) and n > 0:
            for i in range(first, m):
                if label[i] == n:
                    label[i] = -1
            break
        left -= rows[n]
        n += 1
    pool.size[CLASSES] = n
    for i in range(first, m):
        if label[i] < 0:
            join(pool, i, _home(pool, i))


@lean_kernel
def _is_grown(pool, c, first, left, k):
    """Let class c grow from a row, the first of `left` that have no class; return whether it satisfies all then."""
    m, points, label, cost = pool.size[ROWS], pool.points, pool.label, pool.cost
    kinds, weights, most, trees = pool.kinds, pool.biased.weights, pool.most, pool.biased
    low, high, picky = pool.low[c], pool.high[c], has_rules(pool)
    for j in range(points.shape[0]):
        low[j], high[j] = np.inf, -np.inf
    i, size, extent, missing = first, 0, 0.0, k
    while True:
        label[i] = c
        size += 1
        missing = _missing(pool.rules, pool.items[i], size, k) if picky else k - size
        if _is_wider(points, i, low, high):
            extents_with(kinds, weights, most, trees, points, m, low, high, cost)
            extent = cost[i]
        if size == left:
            break
        i = -1
        if picky:
            i = _cheapest_wanted(pool, first, k, size, size + missing)
        if i < 0:
            i = _cheapest(label, cost, first, m, extent)
        if missing <= 0 and (cost[i] > extent or extent == 0.0):
            break
    if picky:
        for i in range(first, m):
            if label[i] == c:
                forget_row(pool.rules, pool.items[i])
    pool.rows[c] = size
    pool.extent[c] = extent_of(kinds, pool.weights, most, pool.columns, low, high)
    return missing <= 0


@lean_kernel
def _missing(rules, item, size, k):
    """Return how many rows are missing once a row more is counted."""
    count_row(rules, item)
    return missing_rows(rules, size, k)


@lean_kernel
def _is_wider(points, i, low, high):
    """Let a box reach to row i; return whether it is wider then."""
    is_wider = False
    for j in range(points.shape[0]):
        x = points[j, i]
        if x < low[j]:
            low[j] = x
            is_wider = True
        if x > high[j]:
            high[j] = x
            is_wider = True
    return is_wider


@lean_kernel
def _cheapest(label, cost, first, m, extent):
    """Return the row without a class that costs least; none costs less than `extent`."""
    best, found = np.inf, -1
    for i in range(first, m):
        if label[i] < 0 and cost[i] < best:
            best, found = cost[i], i
            if best == extent:
                break
    return found


@lean_kernel
def _cheapest_wanted(pool, first, k, size, most):
    """Return the row that costs least of those with which a class of `size` needs `most` rows at most, -1 if none."""
    label, cost, items, rules = pool.label, pool.cost, pool.items, pool.rules
    best, found = np.inf, -1
    for i in range(first, pool.size[ROWS]):
        if label[i] < 0 and cost[i] < best and size_with(rules, size, k, items[i]) <= most:
            best, found = cost[i], i
    return found


@lean_kernel
def _home(pool, i):
    """Return the class whose loss grows least with row i, of those that satisfy the models with it; 0 if none does."""
    rows, extent, low, high, picky = pool.rows, pool.extent, pool.low, pool.high, has_rules(pool)
    kinds, weights, most, trees, points = pool.kinds, pool.weights, pool.most, pool.columns, pool.points
    best, home = np.inf, 0
    for c in range(pool.size[CLASSES]):
        after = extent_with(kinds, weights, most, trees, points, i, low[c], high[c])
        growth = (rows[c] + 1) * after - rows[c] * extent[c]
        if growth < best and (not picky or holds_with(pool, c, -1, i)):
            best, home = growth, c
    return home
