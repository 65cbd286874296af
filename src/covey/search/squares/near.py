"""Classes whose means are near to each other, some of which are drawn to be made anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel, lean_kernel
from covey.search.kernels.streams import below, draw

__all__ = ["FRESH", "NEAR", "NO_ROOM", "Near", "chosen_near", "keep_nearest", "new_near", "places_for", "rows_of"]

NEAR = 24
"""So many near classes are known of a class."""
FRESH = 12
"""They are looked for again after so many tries, and after fewer if the class has changed."""
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


@lean_kernel
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
def rows_of(rows, head, after, chosen):
    """Return the rows of some classes, given how many each has and their lists."""
    total = 0
    for c in chosen:
        total += rows[c]
    found = np.empty(total, np.int64)
    place = 0
    for c in chosen:
        i = head[c]
        while i >= 0:
            found[place] = i
            place += 1
            i = after[i]
    return found


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
