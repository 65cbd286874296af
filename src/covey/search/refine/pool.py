"""A few classes by themselves: moves, dissolves and swaps among them alone.

A pool is small, so that everything is tried: no index, no lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.search.kernels.boxes import Columns
from covey.search.kernels.class_tree import joined_extent, term_between

__all__ = ["Pool", "improve", "joined_within", "new_pool", "pool_loss"]


class Pool(NamedTuple):
    """The rows of some classes, and the classes that they are in now."""

    columns: Columns
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


class Without(NamedTuple):
    """The class of each row as it would be without that row."""

    low: np.ndarray
    """(m, p) float64"""
    high: np.ndarray
    """(m, p) float64"""
    extent: np.ndarray
    """(m,) float64"""


@kernel
def new_pool(columns, points, label, n_classes):
    """Return the pool of rows (m, p) in classes; rows without one (-1) join the class whose loss grows least."""
    p = points.shape[1]
    low, high = np.empty((n_classes, p)), np.empty((n_classes, p))
    pool = Pool(columns, points, label, low, high, np.zeros(n_classes, np.int64), np.zeros(n_classes))
    for i in range(label.shape[0]):
        if label[i] >= 0:
            pool.rows[label[i]] += 1
    for c in range(n_classes):
        _fit(pool, c)
    for i in range(label.shape[0]):
        if label[i] < 0:
            _join(pool, i, _home(pool, points[i], -1, np.inf)[0])
    return pool


@kernel
def pool_loss(pool):
    """Return what all rows lose."""
    total = 0.0
    for c in range(pool.rows.shape[0]):
        total += pool.rows[c] * pool.extent[c]
    return total


@kernel
def improve(pool, k):
    """Move rows, dissolve classes and swap rows until nothing helps."""
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
def _cover(pool, c, point):
    for j in range(point.shape[0]):
        pool.low[c, j], pool.high[c, j] = min(pool.low[c, j], point[j]), max(pool.high[c, j], point[j])


@kernel
def _fit(pool, c):
    """Let the box of a class be that of its rows."""
    pool.low[c], pool.high[c] = np.inf, -np.inf
    for i in range(pool.label.shape[0]):
        if pool.label[i] == c:
            _cover(pool, c, pool.points[i])
    low = pool.low[c]
    pool.extent[c] = joined_extent(pool.columns, low, pool.high[c], low) if pool.rows[c] else 0.0


@kernel
def _join(pool, i, c):
    """Let row i be in class c."""
    pool.label[i] = c
    pool.rows[c] += 1
    pool.extent[c] = joined_extent(pool.columns, pool.low[c], pool.high[c], pool.points[i])
    _cover(pool, c, pool.points[i])


@kernel
def _home(pool, point, not_in, most):
    """Return (class, growth): the class whose loss grows least with a row, the first of equals; -1 if all grow by most.

    It is not class `not_in`.
    """
    home = -1
    for c in range(pool.rows.shape[0]):
        if c == not_in or pool.rows[c] == 0:
            continue
        lost = pool.rows[c] * pool.extent[c]
        after = joined_within(pool.columns, pool.low[c], pool.high[c], point, (most + lost) / (pool.rows[c] + 1))
        if (pool.rows[c] + 1) * after - lost < most:
            most, home = (pool.rows[c] + 1) * after - lost, c
    return home, most


@kernel
def _move(pool, k):
    """Move each row of a class above k rows to where all lose less; return whether any moved."""
    moved = False
    for i in range(pool.label.shape[0]):
        own = pool.label[i]
        lost = pool.rows[own] * pool.extent[own]
        if pool.rows[own] <= k or lost == 0.0:
            continue
        home, growth = _home(pool, pool.points[i], own, lost)
        if home < 0:
            continue
        pool.label[i] = -1
        pool.rows[own] -= 1
        _fit(pool, own)
        if lost - pool.rows[own] * pool.extent[own] > growth:
            _join(pool, i, home)
            moved = True
        else:
            _join(pool, i, own)
    return moved


@kernel
def _dissolve(pool, c):
    """Let the rows of a class go to the cheapest homes if all together lose less there; return whether they did."""
    left = pool.rows[c] * pool.extent[c]
    before = (pool.label.copy(), pool.low.copy(), pool.high.copy(), pool.rows.copy(), pool.extent.copy())
    label = before[0]
    for i in range(label.shape[0]):
        if label[i] != c:
            continue
        home, growth = _home(pool, pool.points[i], c, left)
        if home < 0:
            pool.label[:], pool.low[:], pool.high[:], pool.rows[:], pool.extent[:] = before
            return False
        left -= growth
        _join(pool, i, home)
    pool.rows[c], pool.extent[c] = 0, 0.0
    return True


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
    without.low[i], without.high[i], without.extent[i] = pool.low[c], pool.high[c], pool.extent[c]
    is_inside = True
    for j in range(point.shape[0]):
        is_inside &= pool.low[c, j] < point[j] < pool.high[c, j] or pool.low[c, j] == pool.high[c, j]
    if is_inside or pool.rows[c] == 1:
        return
    without.low[i], without.high[i] = np.inf, -np.inf
    for t in range(pool.label.shape[0]):
        if t != i and pool.label[t] == c:
            for j in range(point.shape[0]):
                without.low[i, j] = min(without.low[i, j], pool.points[t, j])
                without.high[i, j] = max(without.high[i, j], pool.points[t, j])
    without.extent[i] = joined_extent(pool.columns, without.low[i], without.high[i], without.low[i])
