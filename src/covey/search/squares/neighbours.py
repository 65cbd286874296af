"""Neighbourhood search for the least sum of squares: some classes near to each other are made anew.

What loses more is kept now and then, the more so the higher the temperature, which falls to nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel, lean_kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.kernels.streams import below, draw
from covey.search.refine.met import record
from covey.search.refine.neighbours import MANY_ROWS, chance
from covey.search.refine.rules import count_row, forget_row, missing_rows
from covey.search.squares.near import FRESH, NEAR, NO_ROOM, chosen_near, keep_nearest, places_for, rows_of
from covey.search.squares.pool import grown_around_means, improve_means, means_loss

__all__ = ["Means", "make_means_anew", "new_means"]

MOST_CLASSES = 6
"""So many near classes at most."""


class Means(NamedTuple):
    """Classes around their means; one without rows is a place for a new one."""

    points: np.ndarray
    """(n, p) float64"""
    label: np.ndarray
    """(n,) int64"""
    rows: np.ndarray
    """(c,) int64"""
    mean: np.ndarray
    """(c, p) float64"""
    loss: np.ndarray
    """(c,) float64: the sum of squares of each class"""
    head: np.ndarray
    """(c,) int64: the first row of each class, -1 if it has none"""
    after: np.ndarray
    """(n,) int64: the next row of the same class, -1 behind the last"""


@kernel
def new_means(points, label, n_classes, room) -> Means:
    """Return the classes of rows (n, p), with room for some more."""
    n, p = points.shape
    size = n_classes + room
    means = Means(
        points, label, np.zeros(size, np.int64), np.zeros((size, p)), np.zeros(size), np.full(size, -1, np.int64),
        np.full(n, -1, np.int64),
    )  # fmt: skip
    for i in range(n - 1, -1, -1):
        _link(means, i, label[i])
    for c in range(n_classes):
        _fit(means, c)
    return means


@kernel
def make_means_anew(
    means, near, items, rules, k, most_rows, first_try, end, total, key, warmth, coolness, met,
) -> float:  # fmt: skip
    """Try the neighbourhoods first_try..end-1 of `total`; return by how much the sum of squares fell.

    warmth and coolness: the temperature at the first and after the last of all tries.
    """
    n = means.label.shape[0]
    gained = 0.0
    for turn in range(first_try, end):
        if turn & DEAR_TURNS == 0 or most_rows > MANY_ROWS:
            pause(turn, total)
        own = draw(key, turn)
        first = means.label[below(draw(own, 0), n)]
        other = means.label[below(draw(own, 1), n)]
        if means.loss[other] > means.loss[first]:
            first = other
        if near.uses[first] >= FRESH:
            _look_around(means, near, first)
        near.uses[first] += 1
        chosen = chosen_near(means.rows, near.classes[first], first, MOST_CLASSES, most_rows, draw(own, 2))
        rows = rows_of(means.rows, means.head, means.after, chosen)
        if rows.shape[0] < 2 * k:
            continue
        before = 0.0
        for c in chosen:
            before += means.loss[c]
        pool = grown_around_means(means.points, rows, items, k, draw(own, 3))
        improve_means(pool, k)
        after = means_loss(pool)
        if not _is_legal(rules, pool):
            continue
        if after <= before + met.tolerance:
            record(met, pool.label, pool.items, pool.rows, pool.extent)
        heat = warmth + (coolness - warmth) * turn / total
        is_kept = after < before or (heat > 0.0 and after - before < -heat * np.log(chance(draw(own, 4))))
        if is_kept and _is_stored(means, near, chosen, rows, pool):
            gained += before - after
    return gained


@lean_kernel
def _link(means, i, c):
    means.after[i], means.head[c] = means.head[c], i
    means.rows[c] += 1


@lean_kernel
def _fit(means, c):
    """Let a class know its mean and its sum of squares."""
    mean, total = means.mean[c], 0.0
    for a in range(mean.shape[0]):
        mean[a] = 0.0
    i = means.head[c]
    while i >= 0:
        for a in range(mean.shape[0]):
            mean[a] += means.points[i, a] / means.rows[c]
        i = means.after[i]
    i = means.head[c]
    while i >= 0:
        for a in range(mean.shape[0]):
            total += (means.points[i, a] - mean[a]) * (means.points[i, a] - mean[a])
        i = means.after[i]
    means.loss[c] = total


@kernel
def _look_around(means, near, c):
    """Find the classes whose means are nearest to that of class c."""
    found, best = near.classes[c], np.full(NEAR, np.inf)
    for place in range(NEAR):
        found[place] = -1
    for d in range(means.rows.shape[0]):
        if d == c or means.rows[d] == 0:
            continue
        total = 0.0
        for a in range(means.mean.shape[1]):
            total += (means.mean[c, a] - means.mean[d, a]) * (means.mean[c, a] - means.mean[d, a])
            if total >= best[NEAR - 1]:
                break
        if total < best[NEAR - 1]:
            keep_nearest(found, best, d, total)
    near.uses[c] = 0


@lean_kernel
def _is_legal(rules, pool):
    """Return whether every class satisfies the rules."""
    for c in range(pool.rows.shape[0] if rules.bars.shape[0] else 0):
        for i in range(pool.label.shape[0]):
            if pool.label[i] == c:
                count_row(rules, pool.items[i])
        missing = missing_rows(rules, pool.rows[c], 0)
        for i in range(pool.label.shape[0]):
            if pool.label[i] == c:
                forget_row(rules, pool.items[i])
        if pool.rows[c] > 0 and missing > 0:
            return False
    return True


@lean_kernel
def _is_stored(means, near, chosen, rows, pool):
    """Put the classes of a pool in the place of those chosen; False, and nothing is done, if there is no room."""
    number = places_for(means.rows, chosen, pool.rows)
    if number[0] == NO_ROOM:
        return False
    for c in chosen:
        means.rows[c], means.head[c], means.loss[c] = 0, -1, 0.0
    for i in range(rows.shape[0]):
        d = number[pool.label[i]]
        means.label[rows[i]] = d
        _link(means, rows[i], d)
    for d in number:
        if d >= 0:
            _fit(means, d)
            near.uses[d] = FRESH
    return True
