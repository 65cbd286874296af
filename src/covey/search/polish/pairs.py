"""All classes of two and of three rows that cost little more than what their rows are worth."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import FloatVector, IntMatrix
from covey.compiled.kernel import kernel, lean_kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.kernels.class_tree import term_between

__all__ = ["NO_ROW", "cheap_classes"]

NO_ROW = -1


@kernel
def cheap_classes(columns, points, counts, price, slack, room) -> tuple[IntMatrix, FloatVector, FloatVector]:
    """Return (tuples, beyond, loss): classes that lose no more than `slack` beyond the prices of their rows.

    points (t, p); counts (t,): rows of each tuple, which a class can hold so often; price (t,): of a row of each.
    tuples (c, 3) int32: those of each class, the dearest first, `NO_ROW` third in pairs; beyond, loss (c,).  If
    `room` of them are returned, there may be more.
    """
    n = points.shape[0]
    tuples, beyond, loss = np.full((room, 3), NO_ROW, np.int32), np.empty(room), np.empty(room)
    near, order, found = np.empty(n, np.int64), np.argsort(-price), 0
    for place in range(n):
        if place & DEAR_TURNS == 0:
            pause(place, n)
        a, n_near = order[place], 0
        for b in order[place:]:
            if b == a and counts[a] < 2:
                continue
            # the third row is no dearer than a
            most = max((price[a] + price[b] + slack) / 2, (2 * price[a] + price[b] + slack) / 3)
            extent = _extent(columns, points, a, b, b, most)
            if extent > most:
                continue
            near[n_near] = b
            n_near += 1
            found = _put(tuples, beyond, loss, found, (a, b, NO_ROW), 2 * extent, price[a] + price[b], slack)
        for second in range(n_near):
            b = near[second]
            most = (price[a] + 2 * price[b] + slack) / 3  # the third row is no dearer than b
            if _extent(columns, points, a, b, b, most) > most:
                continue
            for third in range(second, n_near):
                c = near[third]
                if c == b and counts[b] < 2 + (a == b):
                    continue
                worth = price[a] + price[b] + price[c]
                extent = _extent(columns, points, a, b, c, (worth + slack) / 3)
                found = _put(tuples, beyond, loss, found, (a, b, c), 3 * extent, worth, slack)
    return tuples[:found], beyond[:found], loss[:found]


@lean_kernel
def _extent(columns, points, a, b, c, most):
    """Return the extent of three tuples, or one above `most` if it is."""
    total = 0.0
    for j in range(points.shape[1]):
        x, y, z = points[a, j], points[b, j], points[c, j]
        total += term_between(columns, j, min(x, y, z), max(x, y, z))
        if total > most:
            break
    return total


@lean_kernel
def _put(tuples, beyond, loss, found, members, lost, worth, slack):
    """Take down a class if it is cheap and there is room; return how many there are."""
    if lost - worth > slack or found == tuples.shape[0]:
        return found
    tuples[found, 0], tuples[found, 1], tuples[found, 2] = members
    beyond[found], loss[found] = lost - worth, lost
    return found + 1
