"""Neighbourhood search: a dear class and some near ones are made anew, and kept if they do not lose more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.kernels.class_tree import term_between
from covey.search.kernels.streams import below, draw, shuffle
from covey.search.refine.pool import improve, joined_within, new_pool, pool_loss

__all__ = ["make_anew"]

NEAR = 24
"""So many near classes are known of a class."""
FRESH = 12
"""They are looked for again after so many tries, and after fewer if the class has changed."""
DRAWN = 3
"""The dearest of so many classes is made anew with some of its near ones."""
MOST_CLASSES = 8
"""So many near classes at most."""


class Near(NamedTuple):
    """The classes near to each class."""

    classes: np.ndarray
    """(c, NEAR) int64: the nearest first; -1 behind the last"""
    uses: np.ndarray
    """(c,) int64: how often they were used since they were looked for"""


@kernel
def make_anew(partition, k, most_rows, tries, key) -> float:
    """Try so many neighbourhoods; return by how much the loss fell.

    The index and the lists backwards are not kept up; a class without rows is a place for a new one.
    """
    room, n = partition.head.shape[0], partition.label.shape[0]
    near = Near(np.full((room, NEAR), -1, np.int64), np.full(room, FRESH, np.int64))
    gained = 0.0
    for turn in range(tries):
        if turn & DEAR_TURNS == 0:
            pause(turn, tries)
        own = draw(key, turn)
        first = _dear_class(partition, n, draw(own, 0))
        if partition.classes.extent[first] == 0.0:
            continue
        if near.uses[first] >= FRESH:
            _look_around(partition, near, first)
        near.uses[first] += 1
        chosen = _with_near(partition, near.classes[first], first, most_rows, draw(own, 1))
        rows = _rows_of(partition, chosen)
        if rows.shape[0] < 2 * k:
            continue
        before = 0.0
        for c in chosen:
            before += partition.classes.rows[c] * partition.classes.extent[c]
        pool = _grown_anew(partition, rows, k, draw(own, 2))
        improve(pool, k)
        after = pool_loss(pool)
        if after <= before and _is_stored(partition, near, chosen, rows, pool):
            gained += before - after
    return gained


@kernel
def _dear_class(partition, n, key):
    """Return the class with the greatest extent of some that are drawn by their rows."""
    dearest = partition.label[below(draw(key, 0), n)]
    for i in range(1, DRAWN):
        c = partition.label[below(draw(key, i), n)]
        if partition.classes.extent[c] > partition.classes.extent[dearest]:
            dearest = c
    return dearest


@kernel
def _look_around(partition, near, c):
    """Find the classes that are nearest to class c: those with which it has the least extent together."""
    found, best = near.classes[c], np.full(NEAR, np.inf)
    found[:] = -1
    for d in range(partition.head.shape[0]):
        if d == c or partition.classes.rows[d] == 0:
            continue
        extent = _extent_of_both(partition, c, d, best[NEAR - 1])
        if extent < best[NEAR - 1]:
            place = NEAR - 1
            while place > 0 and best[place - 1] > extent:
                best[place], found[place] = best[place - 1], found[place - 1]
                place -= 1
            best[place], found[place] = extent, d
    near.uses[c] = 0


@kernel
def _extent_of_both(partition, c, d, most):
    """Return the extent of the box around two classes; infinity if it is `most` or more."""
    low, high = partition.classes.low, partition.classes.high
    total = 0.0
    for j in range(low.shape[1]):
        total += term_between(partition.columns, j, min(low[c, j], low[d, j]), max(high[c, j], high[d, j]))
        if total >= most:
            return np.inf
    return total


@kernel
def _with_near(partition, near, first, most_rows, key):
    """Return a class and some of those near to it, each left out by chance."""
    want = below(draw(key, 0), MOST_CLASSES) + 1
    leave_out = below(draw(key, 1), 3)  # thirds of them
    chosen = np.empty(want + 1, np.int64)
    chosen[0] = first
    n_chosen, rows = 1, partition.classes.rows[first]
    for place in range(NEAR):
        c = near[place]
        if c < 0 or n_chosen > want:
            break
        if below(draw(key, 2 + place), 3) < leave_out or partition.classes.rows[c] == 0:
            continue
        if rows + partition.classes.rows[c] <= most_rows:
            chosen[n_chosen] = c
            n_chosen += 1
            rows += partition.classes.rows[c]
    return chosen[:n_chosen]


@kernel
def _rows_of(partition, chosen):
    """Return the rows of some classes."""
    total = 0
    for c in chosen:
        total += partition.classes.rows[c]
    rows = np.empty(total, np.int64)
    place = 0
    for c in chosen:
        i = partition.head[c]
        while i >= 0:
            rows[place] = i
            place += 1
            i = partition.after[i]
    return rows


@kernel
def _grown_anew(partition, rows, k, key):
    """Return the pool of rows in new classes, each grown from a row drawn at random by those that widen it least."""
    m, p = rows.shape[0], partition.points.shape[1]
    points, label, left = np.empty((m, p)), np.full(m, -1, np.int64), np.empty(m, np.int64)
    for i in range(m):
        points[i] = partition.points[partition.tuples[rows[i]]]
    shuffle(key, left)
    low, high = np.empty(p), np.empty(p)
    n_left, n_classes = m, 0
    while n_left >= k:
        low[:], high[:] = points[left[n_left - 1]], points[left[n_left - 1]]
        extent, size = 0.0, 0
        while n_left > 0:
            best, at = np.inf, -1
            for x in range(n_left - 1, -1, -1):
                widened = joined_within(partition.columns, low, high, points[left[x]], best)
                if widened < best:
                    best, at = widened, x
                    if best == extent:
                        break
            if size >= k and best > extent:
                break
            i = left[at]
            n_left -= 1
            left[at] = left[n_left]
            label[i] = n_classes
            extent = best
            size += 1
            for j in range(p):
                low[j], high[j] = min(low[j], points[i, j]), max(high[j], points[i, j])
        n_classes += 1
    return new_pool(partition.columns, points, label, n_classes)


@kernel
def _is_stored(partition, near, chosen, rows, pool):
    """Put the classes of a pool in the place of those chosen; False, and nothing is done, if there is no room."""
    classes, free = partition.classes, 0
    number = np.full(pool.rows.shape[0], -1, np.int64)
    used = 0
    for c in range(pool.rows.shape[0]):
        if pool.rows[c] == 0:
            continue
        if used < chosen.shape[0]:
            number[c] = chosen[used]
            used += 1
            continue
        while free < classes.rows.shape[0] and classes.rows[free] > 0:
            free += 1
        if free == classes.rows.shape[0]:
            return False
        number[c] = free
        free += 1
    for c in chosen:
        classes.rows[c], classes.extent[c], partition.head[c] = 0, 0.0, -1
    for c in range(pool.rows.shape[0]):
        if pool.rows[c] > 0:
            d = number[c]
            classes.rows[d], classes.extent[d], partition.head[d] = pool.rows[c], pool.extent[c], -1
            classes.low[d], classes.high[d] = pool.low[c], pool.high[c]
            near.uses[d] = max(near.uses[d], FRESH - DRAWN)
    for i in range(rows.shape[0]):
        d = number[pool.label[i]]
        partition.label[rows[i]] = d
        partition.after[rows[i]], partition.head[d] = partition.head[d], rows[i]
    return True
