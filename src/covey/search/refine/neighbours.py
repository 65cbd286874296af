"""Neighbourhood search: a dear class and some near ones are made anew, and kept if they do not lose more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.kernels.class_tree import term_between
from covey.search.kernels.edges import copy_row
from covey.search.kernels.streams import below, draw
from covey.search.refine.growth import grown_anew
from covey.search.refine.met import record
from covey.search.refine.pool import improve, is_legal, pool_loss
from covey.search.refine.scene import put, rows_of

__all__ = ["FRESH", "NEAR", "NO_ROOM", "Near", "chosen_near", "keep_nearest", "make_anew", "new_near", "places_for"]

NEAR = 24
"""So many near classes are known of a class."""
FRESH = 12
"""They are looked for again after so many tries, and after fewer if the class has changed."""
DRAWN = 3
"""The dearest of so many classes is made anew with some of its near ones."""
MOST_CLASSES = 8
"""So many near classes at most."""
NO_ROOM = -2


class Near(NamedTuple):
    """The classes near to each class."""

    classes: np.ndarray
    """(c, NEAR) int64: the nearest first; -1 behind the last"""
    uses: np.ndarray
    """(c,) int64: how often they were used since they were looked for"""


@kernel
def new_near(room) -> Near:
    """Return what is known at first: nothing of any of so many classes."""
    return Near(np.full((room, NEAR), -1, np.int64), np.full(room, FRESH, np.int64))


@kernel
def make_anew(scene, near, k, most_rows, first_try, end, total, key, met) -> float:
    """Try the neighbourhoods first_try..end-1 of `total`; return by how much the loss fell.

    met: `Met`, the classes of all tries that come near to what is there.
    """
    n = scene.label.shape[0]
    gained = 0.0
    for turn in range(first_try, end):
        if turn & DEAR_TURNS == 0:
            pause(turn, total)
        own = draw(key, turn)
        first = _dear_class(scene.label, scene.extent, n, draw(own, 0))
        if scene.extent[first] == 0.0:
            continue
        if near.uses[first] >= FRESH:
            _look_around(scene, near, first)
        near.uses[first] += 1
        chosen = chosen_near(scene.rows, near.classes[first], first, MOST_CLASSES, most_rows, draw(own, 1))
        rows = rows_of(scene.rows, scene.head, scene.after, chosen)
        if rows.shape[0] < 2 * k:
            continue
        before = 0.0
        for c in chosen:
            before += scene.rows[c] * scene.extent[c]
        pool = grown_anew(scene, rows, k, draw(own, 2))
        improve(pool, k)
        after = pool_loss(pool)
        if after > before + met.tolerance or not is_legal(pool):
            continue
        record(met, pool.label, pool.items, pool.rows, pool.extent)
        if after <= before and _is_stored(scene, near, chosen, rows, pool):
            gained += before - after
    return gained


@kernel
def _dear_class(label, extent, n, key):
    """Return the class with the greatest extent of some that are drawn by their rows."""
    dearest = label[below(draw(key, 0), n)]
    for i in range(1, DRAWN):
        c = label[below(draw(key, i), n)]
        if extent[c] > extent[dearest]:
            dearest = c
    return dearest


@kernel
def _look_around(scene, near, c):
    """Find the classes that are nearest to class c: those with which it has the least extent together."""
    found, best = near.classes[c], np.full(NEAR, np.inf)
    for place in range(NEAR):
        found[place] = -1
    low, high = scene.low, scene.high
    for d in range(scene.rows.shape[0]):
        if d == c or scene.rows[d] == 0:
            continue
        extent = 0.0
        for j in range(low.shape[1]):
            extent += term_between(scene.columns, j, min(low[c, j], low[d, j]), max(high[c, j], high[d, j]))
            if extent >= best[NEAR - 1]:
                break
        if extent < best[NEAR - 1]:
            keep_nearest(found, best, d, extent)
    near.uses[c] = 0


@kernel
def keep_nearest(found, best, d, distance):
    """Put class d where it belongs among the nearest; the last of them goes."""
    place = NEAR - 1
    while place > 0 and best[place - 1] > distance:
        best[place], found[place] = best[place - 1], found[place - 1]
        place -= 1
    best[place], found[place] = distance, d


@kernel
def chosen_near(rows_of, near, first, most_classes, most_rows, key):
    """Return a class and some of those near to it, each left out by chance; rows_of (c,) int64: of each class."""
    want = below(draw(key, 0), most_classes) + 1
    leave_out = below(draw(key, 1), 3)  # thirds of them
    chosen = np.empty(want + 1, np.int64)
    chosen[0] = first
    n_chosen, rows = 1, rows_of[first]
    for place in range(NEAR):
        c = near[place]
        if c < 0 or n_chosen > want:
            break
        if below(draw(key, 2 + place), 3) < leave_out or rows_of[c] == 0:
            continue
        if rows + rows_of[c] <= most_rows:
            chosen[n_chosen] = c
            n_chosen += 1
            rows += rows_of[c]
    return chosen[:n_chosen]


@kernel
def _is_stored(scene, near, chosen, rows, pool):
    """Put the classes of a pool in the place of those chosen; False, and nothing is done, if there is no room."""
    number = places_for(scene.rows, chosen, pool.rows)
    if number[0] == NO_ROOM:
        return False
    for c in chosen:
        scene.rows[c], scene.extent[c], scene.head[c] = 0, 0.0, -1
    for c in range(pool.rows.shape[0]):
        if pool.rows[c] > 0:
            d = number[c]
            scene.rows[d], scene.extent[d], scene.head[d] = pool.rows[c], pool.extent[c], -1
            copy_row(scene.low, d, pool.low, c)
            copy_row(scene.high, d, pool.high, c)
            near.uses[d] = max(near.uses[d], FRESH - DRAWN)
    for i in range(rows.shape[0]):
        put(scene, rows[i], number[pool.label[i]])
    return True


@kernel
def places_for(rows, chosen, new_rows):
    """Return the number of each new class: those chosen, then any without rows; `NO_ROOM` first if none is left."""
    number = np.full(new_rows.shape[0], -1, np.int64)
    used, free = 0, 0
    for c in range(new_rows.shape[0]):
        if new_rows[c] == 0:
            continue
        if used < chosen.shape[0]:
            number[c] = chosen[used]
            used += 1
            continue
        while free < rows.shape[0] and rows[free] > 0:
            free += 1
        if free == rows.shape[0]:
            number[0] = NO_ROOM
            break
        number[c] = free
        free += 1
    return number
