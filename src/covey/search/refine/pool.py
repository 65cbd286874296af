"""A few classes by themselves: moves, dissolves and swaps among them alone.

A pool is small, so that everything is tried: no index, no lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.codes.prices import Measure
from covey.compiled.kernel import kernel
from covey.search.kernels.class_tree import joined_extent, term_between
from covey.search.kernels.edges import copy_row, set_row, widen
from covey.search.refine.rules import Rules, count_row, forget_row, missing_rows

__all__ = ["Pool", "improve", "is_legal", "joined_within", "new_pool", "pool_loss"]


class Pool(NamedTuple):
    """The rows of some classes, and the classes that they are in now."""

    columns: Measure
    """Prices in whole numbers"""
    points: np.ndarray
    """(m, p) float64: each row"""
    label: np.ndarray
    """(m,) int64: its class, from 0"""
    low: np.ndarray
    """(c, p) float64: the box of each class"""
    high: np.ndarray
    """(c, p) float64"""
    rows: np.ndarray
    """(c,) int64; 0: the class is no more"""
    extent: np.ndarray
    """(c,) float64"""
    items: np.ndarray
    """(m,) int64: each row as the rules know it"""
    rules: Rules
    """What every class must satisfy beside its rows"""


class Without(NamedTuple):
    """The class of each row as it would be without that row."""

    low: np.ndarray
    """(m, p) float64"""
    high: np.ndarray
    """(m, p) float64"""
    extent: np.ndarray
    """(m,) float64"""


@kernel
def new_pool(columns, points, label, n_classes, items, rules):
    """Return the pool of rows (m, p) in classes; rows without one (-1) join the class whose loss grows least."""
    p = points.shape[1]
    low, high, rows = np.empty((n_classes, p)), np.empty((n_classes, p)), np.zeros(n_classes, np.int64)
    pool = Pool(columns, points, label, low, high, rows, np.zeros(n_classes), items, rules)
    for i in range(label.shape[0]):
        if label[i] >= 0:
            pool.rows[label[i]] += 1
    for c in range(n_classes):
        _fit(pool, c)
    for i in range(label.shape[0]):
        if label[i] < 0:
            home = _home(pool, i, -1, np.inf)[0]
            _join(pool, i, home if home >= 0 else 0)  # which then fails a model
    return pool


@kernel
def pool_loss(pool):
    """Return what all rows lose."""
    total = 0.0
    for c in range(pool.rows.shape[0]):
        total += pool.rows[c] * pool.extent[c]
    return total


@kernel
def is_legal(pool):
    """Return whether every class satisfies the models."""
    legal = True
    for c in range(pool.rows.shape[0]):
        legal = legal and (pool.rows[c] == 0 or _holds_with(pool, c, -1, -1))
    return legal


@kernel
def improve(pool, k):
    """Move rows, dissolve classes and swap rows until nothing helps that keeps the models."""
    while True:
        changed = _move(pool, k)
        for c in range(pool.rows.shape[0]):
            if pool.rows[c] and pool.extent[c] > 0.0:
                changed |= _dissolve(pool, c)
        if not changed and not _swap(pool):
            return


@kernel
def joined_within(columns, low, high, point, most):
    """Return the extent of the box from `low` to `high` with `point` in it; infinity if it is `most` or more."""
    total = 0.0
    for j in range(point.shape[0]):
        total += term_between(columns, j, min(low[j], point[j]), max(high[j], point[j]))
        if total >= most:
            return np.inf
    return total


@kernel
def _fit(pool, c):
    """Let the box of a class be that of its rows."""
    set_row(pool.low, c, np.inf)
    set_row(pool.high, c, -np.inf)
    for i in range(pool.label.shape[0]):
        if pool.label[i] == c:
            widen(pool.low, pool.high, c, pool.points[i])
    low = pool.low[c]
    pool.extent[c] = joined_extent(pool.columns, low, pool.high[c], low) if pool.rows[c] else 0.0


@kernel
def _join(pool, i, c):
    """Let row i be in class c."""
    pool.label[i] = c
    pool.rows[c] += 1
    pool.extent[c] = joined_extent(pool.columns, pool.low[c], pool.high[c], pool.points[i])
    widen(pool.low, pool.high, c, pool.points[i])


@kernel
def _home(pool, i, not_in, most):
    """Return (class, growth): the class whose loss grows least with row i, the first of equals; -1 if all grow by most.

    It is not class `not_in`, and satisfies the models with the row.
    """
    home, point = -1, pool.points[i]
    for c in range(pool.rows.shape[0]):
        if c == not_in or pool.rows[c] == 0:
            continue
        lost = pool.rows[c] * pool.extent[c]
        after = joined_within(pool.columns, pool.low[c], pool.high[c], point, (most + lost) / (pool.rows[c] + 1))
        if (pool.rows[c] + 1) * after - lost < most and _holds_with(pool, c, -1, i):
            most, home = (pool.rows[c] + 1) * after - lost, c
    return home, most


@kernel
def _holds_with(pool, c, out, into):
    """Return whether class c satisfies the rules without row `out` and with row `into`; -1: none."""
    rules, size = pool.rules, 0
    if rules.bars.shape[0] == 0:
        return True
    for i in range(pool.label.shape[0]):
        if i == into or (pool.label[i] == c and i != out):
            count_row(rules, pool.items[i])
            size += 1
    missing = missing_rows(rules, size, 0)
    for i in range(pool.label.shape[0]):
        if i == into or (pool.label[i] == c and i != out):
            forget_row(rules, pool.items[i])
    return missing == 0


@kernel
def _move(pool, k):
    """Move each row of a class above k rows to where all lose less; return whether any moved."""
    moved = False
    for i in range(pool.label.shape[0]):
        own = pool.label[i]
        lost = pool.rows[own] * pool.extent[own]
        if pool.rows[own] <= k or lost == 0.0:
            continue
        home, growth = _home(pool, i, own, lost)
        if home < 0:
            continue
        pool.label[i] = -1
        pool.rows[own] -= 1
        _fit(pool, own)
        if lost - pool.rows[own] * pool.extent[own] > growth and _holds_with(pool, own, -1, -1):
            _join(pool, i, home)
            moved = True
        else:
            _join(pool, i, own)
    return moved


@kernel
def _dissolve(pool, c):
    """Let the rows of a class go to the cheapest homes if all together lose less there; return whether they did."""
    left = pool.rows[c] * pool.extent[c]
    label = pool.label.copy()
    for i in range(label.shape[0]):
        if label[i] != c:
            continue
        home, growth = _home(pool, i, c, left)
        if home < 0:
            _return(pool, label, c, i)
            return False
        left -= growth
        _join(pool, i, home)
    pool.rows[c], pool.extent[c] = 0, 0.0
    return True


@kernel
def _return(pool, label, c, end):
    """Let the rows before `end` that went from class c to others be in it again."""
    for i in range(end):
        if label[i] == c:
            home = pool.label[i]
            pool.label[i] = c
            pool.rows[home] -= 1
            _fit(pool, home)


@kernel
def _swap(pool):
    """Swap two rows wherever their classes together then lose less; return whether any did."""
    m, p = pool.points.shape
    without = Without(np.empty((m, p)), np.empty((m, p)), np.empty(m))
    for i in range(m):
        _leave_out(pool, i, without)
    swapped = False
    for i in range(m):
        for j in range(m):
            e, f = pool.label[i], pool.label[j]
            if without.extent[i] == pool.extent[e]:  # its class gains nothing
                break
            if e == f or not _is_better_swapped(pool, without, i, j):
                continue
            if not (_holds_with(pool, e, i, j) and _holds_with(pool, f, j, i)):
                continue
            pool.label[i], pool.label[j] = f, e
            _fit(pool, e)
            _fit(pool, f)
            for t in range(m):
                if pool.label[t] == e or pool.label[t] == f:
                    _leave_out(pool, t, without)
            swapped = True
    return swapped


@kernel
def _is_better_swapped(pool, without, i, j):
    """Return whether the classes of two rows lose less together if the rows change places."""
    e, f = pool.label[i], pool.label[j]
    lost = pool.rows[e] * pool.extent[e] + pool.rows[f] * pool.extent[f]
    room = lost - pool.rows[f] * without.extent[j]  # what the class of i may lose at most
    if room <= pool.rows[e] * without.extent[i]:
        return False
    one = joined_within(pool.columns, without.low[i], without.high[i], pool.points[j], room / pool.rows[e])
    room = lost - pool.rows[e] * one
    if room <= pool.rows[f] * without.extent[j]:
        return False
    other = joined_within(pool.columns, without.low[j], without.high[j], pool.points[i], room / pool.rows[f])
    return pool.rows[e] * one + pool.rows[f] * other < lost


@kernel
def _leave_out(pool, i, without):
    """Let `without` have the class of row i without it."""
    c, point = pool.label[i], pool.points[i]
    copy_row(without.low, i, pool.low, c)
    copy_row(without.high, i, pool.high, c)
    without.extent[i] = pool.extent[c]
    is_inside = True
    for j in range(point.shape[0]):
        is_inside &= pool.low[c, j] < point[j] < pool.high[c, j] or pool.low[c, j] == pool.high[c, j]
    if is_inside or pool.rows[c] == 1:
        return
    set_row(without.low, i, np.inf)
    set_row(without.high, i, -np.inf)
    for t in range(pool.label.shape[0]):
        if t != i and pool.label[t] == c:
            widen(without.low, without.high, i, pool.points[t])
    without.extent[i] = joined_extent(pool.columns, without.low[i], without.high[i], without.low[i])
