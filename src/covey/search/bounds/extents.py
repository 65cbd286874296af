"""The least extent that a class around each tuple can have.

Source: no paper.
Claim: the sum over rows of their least extents is no more than the Total-IL of any partition into classes of k rows.
Argument: a class has k rows, so its extent is at least the least extent of k rows that include any one of its rows.
Cost: for each mix of levels, tuples x ranges of the sides.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.bounds.space import Space
from covey.search.peel.groups import grouped

__all__ = ["cells_of", "least_extents", "side_price"]


def least_extents(space: Space) -> IntVector:
    """Return (t,) int64: the least extent of k rows that include one of each tuple, in units."""
    most = space.dearest if space.beyond is None else min(space.beyond, space.dearest)
    least = np.where(space.counts >= space.k, 0, most).astype(np.int64)
    for mask, base in zip(space.masks, space.bases.tolist(), strict=True):
        if base >= least.max(initial=0):
            break
        members, starts = grouped(space.words, mask, space.counts, space.order, space.k)
        _lower_to_extents(space.lines, space.counts, members, starts, base, space.k, least)
    return least


@kernel
def _lower_to_extents(lines, counts, members, starts, base, k, least):
    """Lower `least` (t,) to what the boxes of k rows in every group cost."""
    for g in range(starts.shape[0] - 1):
        if g & DEAR_TURNS == 0:
            pause(0, 0)
        own = members[starts[g] : starts[g + 1]]
        if _dearest(least, own) > base:
            _lower_in_group(lines, counts, own, base, k, least)


@kernel
def _dearest(least, members):
    dearest = least[members[0]]
    for t in members:
        dearest = max(dearest, least[t])
    return dearest


@kernel
def _lower_in_group(lines, counts, members, base, k, least):
    cells, others = cells_of(lines, 0, members), cells_of(lines, 1, members)
    inside, room = np.empty_like(members), np.empty((4, members.shape[0]), np.int64)
    dearest = _dearest(least, members)
    for a in range(cells.shape[0]):
        for b in range(a, cells.shape[0]):
            outer = base + side_price(lines, 0, cells[a], cells[b])
            if outer >= dearest:
                break
            for c in range(others.shape[0]):
                for d in range(c, others.shape[0]):
                    sides = outer + side_price(lines, 1, others[c], others[d])
                    if sides >= dearest:
                        break
                    n = _within(lines, members, cells[a], cells[b], others[c], others[d], inside)
                    if n > 0 and _dearest(least, inside[:n]) > sides:
                        _lower_in_windows(lines, counts, inside[:n], sides, k, least, room)


@kernel
def _within(lines, members, low, high, other_low, other_high, inside):
    """Put the members within ranges of both sides into `inside`; return how many they are."""
    n = 0
    for t in members:
        if low <= lines.cells[0, t] <= high and other_low <= lines.cells[1, t] <= other_high:
            inside[n] = t
            n += 1
    return n


@kernel
def cells_of(lines, side, members):
    """Return the cells of a side that members have, ascending."""
    seen = np.zeros(lines.low.shape[1], np.bool_)
    for t in members:
        seen[lines.cells[side, t]] = True
    return np.flatnonzero(seen)


@kernel
def side_price(lines, side, first, last):
    """Return what the range from one cell to another costs at least."""
    if first == last:
        return np.int64(0)
    return min(lines.low[side, last] - lines.high[side, first], lines.widths[side])


@kernel
def _lower_in_windows(lines, counts, members, sides, k, least, room):
    """Lower `least` of members, in the order of their places, to windows of k rows; their sides cost `sides`.

    A least window around a tuple has the fewest rows from its left end on, or the fewest up to its right end: where
    neither end can be given up, both; where the tuple itself is an end, one of them.
    """
    places, rows, best, owner = room
    n = 0  # distinct places
    for i in range(members.shape[0]):
        place = lines.places[members[i]]
        if n == 0 or places[n - 1] != place:
            places[n], rows[n], best[n] = place, 0, np.iinfo(np.int64).max
            n += 1
        rows[n - 1] += counts[members[i]]
        owner[i] = n - 1
    held, last = 0, -1  # rows of the window from `first` to `last`
    for first in range(n):
        while last < n - 1 and held < k:
            last += 1
            held += rows[last]
        if held < k:
            break
        _lower_places(best, first, last, min(places[last] - places[first], lines.width))
        held -= rows[first]
    held, first = 0, n
    for last in range(n - 1, -1, -1):
        while first > 0 and held < k:
            first -= 1
            held += rows[first]
        if held < k:
            break
        _lower_places(best, first, last, min(places[last] - places[first], lines.width))
        held -= rows[last]
    for i in range(members.shape[0]):
        if best[owner[i]] < np.iinfo(np.int64).max:
            least[members[i]] = min(least[members[i]], sides + best[owner[i]])


@kernel
def _lower_places(best, first, last, price):
    for at in range(first, last + 1):
        best[at] = min(best[at], price)
