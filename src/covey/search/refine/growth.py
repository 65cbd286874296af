"""New classes of some rows: each grows from a row drawn at random by the rows that widen it least."""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel
from covey.search.kernels.edges import copy_row, widen
from covey.search.kernels.streams import shuffle
from covey.search.refine.pool import joined_within, new_pool
from covey.search.refine.rules import count_row, forget_row, missing_rows, size_with

__all__ = ["grown_anew"]

NO_LIMIT = np.iinfo(np.int64).max


@kernel
def grown_anew(scene, rows, k, key):
    """Return the pool of some rows of a scene in new classes.

    A class grows until it has k rows and satisfies the models, and by every row that does not widen it.  A row that
    would make it need more rows than it does anyway is not taken, as long as there are others.  Rows that are left, and
    those of a last class that fails a model, join the classes whose loss grows least.
    """
    m, p, rules = rows.shape[0], scene.points.shape[1], scene.rules
    points, label, left = np.empty((m, p)), np.full(m, -1, np.int64), np.empty(m, np.int64)
    items = np.empty(m, np.int64)
    for i in range(m):
        copy_row(points, i, scene.points, scene.tuples[rows[i]])
        items[i] = scene.items[rows[i]]
    shuffle(key, left)
    low, high = np.empty((1, p)), np.empty((1, p))
    n_left, n_classes = m, 0
    while n_left >= k:
        copy_row(low, 0, points, left[n_left - 1])
        copy_row(high, 0, points, left[n_left - 1])
        extent, size, missing, n_before = 0.0, 0, k, n_left
        while n_left > 0:
            at, widened = _next(scene, points, items, left[:n_left], low[0], high[0], extent, k, size, size + missing)
            if missing == 0 and widened > extent:
                break
            i = left[at]
            n_left -= 1
            left[at], left[n_left] = left[n_left], i  # what is taken stands behind
            label[i] = n_classes
            extent = widened
            size += 1
            count_row(rules, items[i])
            missing = missing_rows(rules, size, k)
            widen(low, high, 0, points[i])
        for x in range(n_left, n_before):
            forget_row(rules, items[left[x]])
            if missing > 0 and n_classes > 0:
                label[left[x]] = -1
        if missing > 0 and n_classes > 0:
            break
        n_classes += 1
    return new_pool(scene.columns, points, label, n_classes, items, rules)


@kernel
def _next(scene, points, items, left, low, high, extent, k, size, most):
    """Return (place, extent): the row that widens a class least of those with which it needs `most` rows at most.

    If there is none, it is chosen from all.  size: the rows that it has.
    """
    at, best = _least_widening(scene, points, items, left, low, high, extent, k, size, most)
    if at < 0:
        at, best = _least_widening(scene, points, items, left, low, high, extent, k, size, NO_LIMIT)
    return at, best


@kernel
def _least_widening(scene, points, items, left, low, high, extent, k, size, most):
    """Return (place, extent) of the row that widens a class least, -1 if with each it needs more than `most` rows."""
    is_picky = scene.rules.bars.shape[0] > 0
    best, at = np.inf, -1
    for x in range(left.shape[0] - 1, -1, -1):
        widened = joined_within(scene.columns, low, high, points[left[x]], best)
        if widened < best and not (is_picky and size_with(scene.rules, size, k, items[left[x]]) > most):
            best, at = widened, x
            if best == extent:
                break
    return at, best
