"""A few classes around their means by themselves: rows move and change places among them alone.

The sum of squares of a class is the sum of the squared distances of all its pairs, divided by its rows.  So with the
distances of all pairs of a pool, and the sum of those from each row to each class, every move and swap is priced at
once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel, lean_kernel
from covey.search.kernels.edges import copy_row
from covey.search.kernels.streams import below, draw

__all__ = ["MeanPool", "grown_around_means", "improve_means", "means_loss"]

GAIN = 1e-12
"""What gains less, as a share of what is lost, is taken for rounding."""
SEEDS = 3
"""A class grows from the row that is furthest from the middle of so many drawn."""


class MeanPool(NamedTuple):
    """The rows of some classes, and the classes that they are in now."""

    distance: np.ndarray
    """(m, m) float64: squared distances"""
    label: np.ndarray
    """(m,) int64: the class of each row, -1 if it has none yet"""
    rows: np.ndarray
    """(c,) int64"""
    pairs: np.ndarray
    """(c,) float64: the sum over the pairs of each class"""
    sums: np.ndarray
    """(m, c) float64: the sum over the rows of a class, for each row"""
    items: np.ndarray
    """(m,) int64: each row as `needs` knows it"""
    extent: np.ndarray
    """(c,) float64: what a row of the class loses on average; set at last"""


@lean_kernel
def means_loss(pool):
    """Return the sum of squares of all classes."""
    total = 0.0
    for c in range(pool.rows.shape[0]):
        if pool.rows[c]:
            pool.extent[c] = pool.pairs[c] / (pool.rows[c] * pool.rows[c])
            total += pool.pairs[c] / pool.rows[c]
    return total


@kernel
def grown_around_means(all_points, rows, all_items, k, key):
    """Return the pool of some rows of (n, p) in new classes, each grown from a row far out by those that cost least.

    Fewer than 2k rows that are left are the last class.
    """
    m, p = rows.shape[0], all_points.shape[1]
    points, items = np.empty((m, p)), np.empty(m, np.int64)
    for i in range(m):
        copy_row(points, i, all_points, rows[i])
        items[i] = all_items[rows[i]]
    distance = np.zeros((m, m))
    middle = np.zeros(p)
    for i in range(m):
        for a in range(p):
            middle[a] += points[i, a] / m
        for j in range(i):
            total = 0.0
            for a in range(p):
                total += (points[i, a] - points[j, a]) * (points[i, a] - points[j, a])
            distance[i, j] = distance[j, i] = total
    most = max(m // k, 1)
    label = np.full(m, -1, np.int64)
    pool = MeanPool(
        distance, label, np.zeros(most, np.int64), np.zeros(most), np.zeros((m, most)), items, np.zeros(most)
    )
    n_left, n_classes, turn = m, 0, 0
    while n_left > 0:
        is_last = n_left < 2 * k
        i = _far_row(points, label, middle, n_left, draw(key, turn))
        turn += 1
        for _ in range(n_left if is_last else k):
            _enter(pool, i, n_classes)
            n_left -= 1
            i = -1
            for j in range(m):
                if label[j] < 0 and (i < 0 or pool.sums[j, n_classes] < pool.sums[i, n_classes]):
                    i = j
        n_classes += 1
    return pool


@lean_kernel
def _far_row(points, label, middle, n_left, key):
    """Return the row without a class that is furthest from the middle, of some that are drawn."""
    furthest, far = -1.0, -1
    for draws in range(SEEDS):
        place = below(draw(key, draws), n_left)
        for i in range(label.shape[0]):
            if label[i] < 0:
                if place == 0:
                    total = 0.0
                    for a in range(points.shape[1]):
                        total += (points[i, a] - middle[a]) * (points[i, a] - middle[a])
                    if total > furthest:
                        furthest, far = total, i
                place -= 1
    return far


@lean_kernel
def _enter(pool, i, c):
    """Let row i, which has no class, be in class c."""
    pool.label[i] = c
    pool.rows[c] += 1
    pool.pairs[c] += pool.sums[i, c]
    for j in range(pool.label.shape[0]):
        pool.sums[j, c] += pool.distance[i, j]


@lean_kernel
def _leave(pool, i):
    """Let row i have no class."""
    c = pool.label[i]
    pool.label[i] = -1
    pool.rows[c] -= 1
    pool.pairs[c] -= pool.sums[i, c]
    for j in range(pool.label.shape[0]):
        pool.sums[j, c] -= pool.distance[i, j]


@lean_kernel
def improve_means(pool, k):
    """Move and swap rows and dissolve classes until nothing helps."""
    least = GAIN * means_loss(pool)
    while True:
        changed = _move(pool, k, least)
        changed |= _swap(pool, least)
        for c in range(pool.rows.shape[0]):
            changed |= pool.rows[c] > 0 and _dissolve(pool, c, least)
        if not changed:
            return


@kernel
def _dissolve(pool, c, least):
    """Let the rows of a class go where they cost least if all together lose less there; return whether they did."""
    left = pool.pairs[c] / pool.rows[c] - least
    placed = 0
    rows = np.empty(pool.rows[c], np.int64)
    n = 0
    for i in range(pool.label.shape[0]):
        if pool.label[i] == c:
            rows[n] = i
            n += 1
    for i in rows:
        best, home = left, -1
        for d in range(pool.rows.shape[0]):
            if d != c and pool.rows[d] > 0:
                grown = _growth(pool, i, d)
                if grown < best:
                    best, home = grown, d
        if home < 0:
            break
        _leave(pool, i)
        _enter(pool, i, home)
        left -= best
        placed += 1
    if placed == rows.shape[0]:
        pool.pairs[c] = 0.0
        return True
    for i in rows[:placed]:
        _leave(pool, i)
        _enter(pool, i, c)
    return False


@lean_kernel
def _growth(pool, i, c):
    """Return by how much the sum of squares of class c grows with row i."""
    return (pool.pairs[c] + pool.sums[i, c]) / (pool.rows[c] + 1) - pool.pairs[c] / pool.rows[c]


@lean_kernel
def _move(pool, k, least):
    """Move each row of a class above k rows to where all lose least, if that is less; return whether any moved."""
    moved = False
    for i in range(pool.label.shape[0]):
        own = pool.label[i]
        n = pool.rows[own]
        if n <= k:
            continue
        saved = pool.pairs[own] / n - (pool.pairs[own] - pool.sums[i, own]) / (n - 1)
        best, home = saved - least, -1
        for c in range(pool.rows.shape[0]):
            if c != own and pool.rows[c] > 0:
                grown = _growth(pool, i, c)
                if grown < best:
                    best, home = grown, c
        if home >= 0:
            _leave(pool, i)
            _enter(pool, i, home)
            moved = True
    return moved


@lean_kernel
def _swap(pool, least):
    """Swap two rows wherever their classes then lose less; return whether any did."""
    swapped = False
    for i in range(pool.label.shape[0]):
        for j in range(i):
            e, f = pool.label[i], pool.label[j]
            if e == f:
                continue
            here = pool.sums[j, e] - pool.sums[i, e] - pool.distance[i, j]
            there = pool.sums[i, f] - pool.sums[j, f] - pool.distance[i, j]
            if here / pool.rows[e] + there / pool.rows[f] < -least:
                _leave(pool, i)
                _leave(pool, j)
                _enter(pool, i, f)
                _enter(pool, j, e)
                swapped = True
    return swapped
