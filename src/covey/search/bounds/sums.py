"""What the k dearest rows of any window cost together, in the time that it takes to add them up.

For blocks of 2, 4, 8, ... places the k dearest rows between each place and the middle of its block are kept, by price.
A window from one place to another goes over the middle of the smallest block that holds both: its k dearest are the
dearest of the two lists there, which have no row in common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.search.bounds.dearest import NOTHING, price_of_place

__all__ = ["Sums", "add_up", "may_fail", "room_for_sums"]

MOST_ROOM = 1 << 22
"""Where the lists would be longer together there are none."""


class Sums(NamedTuple):
    """The k dearest rows between each place and the middle of its block."""

    prices: np.ndarray
    """(levels, places, k) int64, falling"""


@kernel
def room_for_sums(n_places, few, k):
    """Return room for the sums of so many places, none for a few or for too many."""
    levels = 1
    while (1 << levels) < n_places:
        levels += 1
    if n_places <= few or levels * n_places * k > MOST_ROOM:
        return Sums(np.empty((0, 0, 0), np.int64))
    return Sums(np.empty((levels, n_places, k), np.int64))


@kernel
def add_up(group, inside, n_places, sums):
    """Make the lists of all blocks."""
    level = 0
    while (1 << level) < n_places:
        half = 1 << level
        own = sums.prices[level]
        for middle in range(half, n_places, 2 * half):
            _add_places(group, inside, middle - 1, middle - half - 1, -1, own)
            _add_places(group, inside, middle, min(middle + half, n_places), 1, own)
        level += 1


@kernel
def _add_places(group, inside, begin, end, step, own):
    k = own.shape[1]
    for place in range(begin, end, step):
        for j in range(k):
            own[place, j] = NOTHING // k if place == begin else own[place - step, j]
        for one in range(inside.starts[place], inside.starts[place + 1]):
            i = inside.members[one]
            price = group.prices[i]
            for _ in range(group.rows[i]):
                if price <= own[place, k - 1]:
                    break
                at = k - 1
                while at > 0 and own[place, at - 1] < price:
                    own[place, at] = own[place, at - 1]
                    at -= 1
                own[place, at] = price


@kernel
def may_fail(group, inside, begin, n_places, sides, width, full, most, sums):
    """Return whether the k dearest of a window from a place on cost more than `full` times its price.

    sides: what the ranges of the sides cost; most: what the k dearest of all windows cost at most.  What those of a
    window cost is the most that any shorter one comes to; so windows whose price allows as much need no look, and of
    the others the longest is next.  Sums of prices that have fallen since are too high: then the answer may be yes
    where no window fails, but never no where one does.
    """
    here = group.places[inside.members[inside.starts[begin]]]
    end = n_places - 1
    while True:
        limit = full * (sides + min(group.places[inside.members[inside.starts[end]]] - here, width))
        while end > begin and limit >= most:
            end -= 1
            limit = full * (sides + min(group.places[inside.members[inside.starts[end]]] - here, width))
        if limit >= most:
            return False
        if end == begin:
            most = price_of_place(group, inside, begin, sums.prices.shape[2])
        else:
            most = _sum_of(sums, begin, end)
        if limit < most:
            return True


@kernel
def _sum_of(sums, begin, end):
    level = 0
    while (begin ^ end) >> (level + 1):
        level += 1
    one, other = sums.prices[level, begin], sums.prices[level, end]
    total, i, j = np.int64(0), 0, 0
    for _ in range(one.shape[0]):
        if one[i] >= other[j]:
            total += one[i]
            i += 1
        else:
            total += other[j]
            j += 1
    return total
