"""The loops of a repair: where k rows cost more than a box around them, their prices fall until they do not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.bounds.dearest import Dearest, Group, Inside, find_inside, move_up, total_of, with_place
from covey.search.bounds.extents import cells_of, side_price
from covey.search.bounds.sums import add_up, may_fail, room_for_sums

__all__ = ["settle_groups"]


class Boxes(NamedTuple):
    """The boxes with some ranges of the sides."""

    sides: int
    """What the levels and the ranges cost, in units."""
    width: int
    """What a window costs at most."""
    full: int
    """k rows may cost so many grains for each unit."""
    most: int
    """What the k dearest rows of all of them cost at most."""


@kernel
def settle_groups(lines, counts, members, starts, base, k, grain, few, floors, prices, sets):
    """Lower `prices` (t,) until all boxes of some groups hold, whose levels cost `base`; return how many did not.

    The rows of those that did not, as far as there is room, stand in `sets` (m, k).  few: without sums for so few
    places (`sums`).
    """
    n_sets = 0
    for g in range(starts.shape[0] - 1):
        if g & DEAR_TURNS == 0:
            pause(0, 0)
        own = members[starts[g] : starts[g + 1]]
        dearest = prices[own[0]]
        for t in own:
            dearest = max(dearest, prices[t])
        if dearest > base * grain:
            group = Group(own, prices[own], floors[own], counts[own], lines.places[own], lines.cells[:, own])
            n_sets = _settle(lines, group, base, k, grain, few, sets, n_sets)
            for i in range(own.shape[0]):
                prices[own[i]] = group.prices[i]
    return n_sets


@kernel
def _settle(lines, group, base, k, grain, few, sets, n_sets):
    """Lower the prices of a group until all its boxes hold."""
    full, m, n_cells = k * grain, group.rows.shape[0], lines.low.shape[1]
    top = Dearest(np.empty(k, np.int64), np.empty(k, np.int64))
    inside = Inside(np.empty(m, np.int64), np.empty(m + 1, np.int64))
    n_places = find_inside(group, 0, n_cells, 0, n_cells, inside)
    total = total_of(group, inside, 0, n_places, top)
    if total <= full * base:
        return n_sets
    cells, others = cells_of(lines, 0, group.tuples), cells_of(lines, 1, group.tuples)
    sums = room_for_sums(n_places, few, k)
    for a in range(cells.shape[0]):
        for b in range(a, cells.shape[0]):
            outer = base + side_price(lines, 0, cells[a], cells[b])
            if full * outer >= total:
                break
            for c in range(others.shape[0]):
                for d in range(c, others.shape[0]):
                    sides = outer + side_price(lines, 1, others[c], others[d])
                    if full * sides >= total:
                        break
                    n_places = find_inside(group, cells[a], cells[b], others[c], others[d], inside)
                    boxes = Boxes(sides, lines.width, full, total_of(group, inside, 0, n_places, top))
                    if boxes.most > full * sides:
                        n_sets = _settle_windows(group, inside, n_places, boxes, top, few, sums, sets, n_sets)
    return n_sets


@kernel
def _settle_windows(group, inside, n_places, boxes, top, few, sums, sets, n_sets):
    """Lower prices until all windows hold."""
    adds_up = few < n_places <= sums.prices.shape[1]
    is_old = True
    for begin in range(n_places):
        if adds_up:
            if is_old:
                add_up(group, inside, n_places, sums)
                is_old = False
            if not may_fail(
                group, inside, begin, n_places, boxes.sides, boxes.width, boxes.full, boxes.most, sums
            ):  # fmt: skip
                continue
        n_sets, is_lower = _settle_from(group, inside, begin, n_places, boxes, top, sets, n_sets)
        is_old = not is_lower  # the sums did mislead
    return n_sets


@kernel
def _settle_from(group, inside, begin, n_places, boxes, top, sets, n_sets):
    """Lower prices until all windows from a place on hold; return (how many sets, whether any price was lowered)."""
    k = top.prices.shape[0]
    here = group.places[inside.members[inside.starts[begin]]]
    n, total, is_lower = 0, np.int64(0), False
    for end in range(begin, n_places):
        width = group.places[inside.members[inside.starts[end]]] - here
        limit = boxes.full * (boxes.sides + min(width, boxes.width))
        if limit >= boxes.most:
            break
        n, total = with_place(group, top, n, total, inside, end)
        while n == k and total > limit:
            n_sets = _kept(group, top, sets, n_sets)
            _lower(group, top, limit)
            is_lower = True
            for place in range(begin, end + 1):
                for at in range(inside.starts[place], inside.starts[place + 1]):
                    move_up(group, inside.members, inside.starts[place], at)
            total = total_of(group, inside, begin, end + 1, top)
        if n == k and group.prices[inside.members[inside.starts[begin]]] < top.prices[k - 1]:
            break  # the first place has none of the k dearest: a window that begins later has the same
    return n_sets, is_lower


@kernel
def _kept(group, top, sets, n_sets):
    """Keep the tuples of the dearest rows as a set, if there is room; return how many sets there are."""
    if n_sets == sets.shape[0]:
        return n_sets
    for j in range(sets.shape[1]):
        sets[n_sets, j] = group.tuples[top.members[j]]
    return n_sets + 1


@kernel
def _lower(group, top, limit):
    """Let what the dearest rows cost above their floors shrink by the same share, so that they come to `limit`."""
    above, floors = 0.0, np.int64(0)
    for j in range(top.prices.shape[0]):
        floor = group.floors[top.members[j]]
        above += max(top.prices[j] - floor, 0)
        floors += min(top.prices[j], floor)
    share = max((limit - floors) / above, 0.0)
    for j in range(top.prices.shape[0]):
        i, price = top.members[j], top.prices[j]
        floor = group.floors[i]
        if price > floor and group.prices[i] == price:  # not yet lowered as another row of the same tuple
            group.prices[i] = min(floor + np.int64(np.floor((price - floor) * share)), price - 1)
