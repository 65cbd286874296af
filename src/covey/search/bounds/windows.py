"""The loops of a repair: where k rows cost more than a box around them, their prices fall until they do not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.bounds.branch import Branch, Tolls, dearest_class, new_branch
from covey.search.bounds.dearest import Dearest, Group, Inside, find_inside, move_up, total_of, with_place
from covey.search.bounds.extents import cells_of, side_price
from covey.search.bounds.sums import add_up, may_fail, room_for_sums

__all__ = ["settle_groups"]

NEAR, MORE = 4, 40
"""Where tolls are paid the dearest NEAR x k + MORE rows of a window are told apart."""


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


class Seek(NamedTuple):
    """What is needed to look for classes that are too dear with their tolls."""

    tolls: Tolls
    branch: Branch
    near: Dearest
    """The dearest rows of a window"""
    most_nodes: int


@kernel
def settle_groups(lines, counts, members, starts, base, k, grain, few, floors, tolls, most_nodes, prices, sets):
    """Lower `prices` (t,) until all boxes of some groups hold, whose levels cost `base`; return how many did not.

    The rows of those that did not, as far as there is room, stand in `sets` (m, k or 2k - 1), behind them -1.
    few: without sums for so few places (`sums`); tolls: what classes pay beside their extent (`branch`); most_nodes:
    how long it is looked for a class that is too dear with its tolls, before it is taken to be so without.
    """
    n_sets = 0
    seek = Seek(
        tolls, new_branch(NEAR * k + MORE + 2 * k - 1, k, tolls.price.shape[0]),
        Dearest(np.empty(NEAR * k + MORE, np.int64), np.empty(NEAR * k + MORE, np.int64)), most_nodes,
    )  # fmt: skip
    for g in range(starts.shape[0] - 1):
        if g & DEAR_TURNS == 0:
            pause(0, 0)
        own = members[starts[g] : starts[g + 1]]
        dearest = prices[own[0]]
        for t in own:
            dearest = max(dearest, prices[t])
        if dearest > base * grain:
            group = Group(own, prices[own], floors[own], counts[own], lines.places[own], lines.cells[:, own])
            n_sets = _settle(lines, group, base, k, grain, few, seek, sets, n_sets)
            for i in range(own.shape[0]):
                prices[own[i]] = group.prices[i]
    return n_sets


@kernel
def _settle(lines, group, base, k, grain, few, seek, sets, n_sets):
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
    pays = _pays(group, seek.tolls)
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
                        n_sets = _settle_windows(
                            group, inside, n_places, boxes, top, few, sums, seek, pays, sets, n_sets
                        )
    return n_sets


@kernel
def _settle_windows(group, inside, n_places, boxes, top, few, sums, seek, pays, sets, n_sets):
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
        n_sets, is_lower = _settle_from(group, inside, begin, n_places, boxes, top, seek, pays, sets, n_sets)
        is_old = not is_lower  # the sums did mislead
    return n_sets


@kernel
def _pays(group, tolls):
    """Return whether a tuple of the group is in the set of a toll."""
    n = 0
    for t in group.tuples:
        n += tolls.starts[t + 1] - tolls.starts[t]
    return n > 0


@kernel
def _settle_from(group, inside, begin, n_places, boxes, top, seek, pays, sets, n_sets):
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
            failed, allowed = top, limit
            if pays:
                n_failed, allowed = _too_dear(group, inside, begin, end + 1, limit, top, seek)
                if n_failed == 0:
                    break
                failed = Dearest(seek.near.prices[:n_failed], seek.near.members[:n_failed])
            n_sets = _kept(group, failed, sets, n_sets)
            _lower(group, failed, allowed)
            is_lower = True
            for place in range(begin, end + 1):
                for at in range(inside.starts[place], inside.starts[place + 1]):
                    move_up(group, inside.members, inside.starts[place], at)
            total = total_of(group, inside, begin, end + 1, top)
        if not pays and n == k and group.prices[inside.members[inside.starts[begin]]] < top.prices[k - 1]:
            break  # the first place has none of the k dearest: a window that begins later has the same
    return n_sets, is_lower


@kernel
def _too_dear(group, inside, begin, end, limit, top, seek):
    """Return how many rows the class has that is most too dear with its tolls, and what it may cost.

    Its rows stand in `seek.near`; none is too dear: 0.  Where the search did not come to its end, or its class has rows
    that stand for cheaper ones, the k dearest are taken, which are too dear without tolls.
    """
    branch, near, k = seek.branch, seek.near, top.prices.shape[0]
    n_near, _, n_rows = 0, np.int64(0), 0
    spent = np.int64(0)
    for place in range(begin, end):
        n_near, spent = with_place(group, near, n_near, spent, inside, place)
        for one in range(inside.starts[place], inside.starts[place + 1]):
            n_rows += group.rows[inside.members[one]]
    for i in range(n_near):
        branch.tuples[i], branch.prices[i] = group.tuples[near.members[i]], near.prices[i]
    n = n_near
    if n_rows > n_near:
        for _ in range(2 * k - 1):
            branch.tuples[n], branch.prices[n] = -1, near.prices[n_near - 1]
            n += 1
    n_found, excess, is_whole = dearest_class(branch, seek.tolls, n, k, limit // k, seek.most_nodes)
    if is_whole and n_found == 0:
        return 0, limit
    if is_whole and branch.found[n_found - 1] < n_near:
        allowed = -excess
        for i in range(n_found):
            row = branch.found[i]
            allowed += near.prices[row]
            near.prices[i], near.members[i] = near.prices[row], near.members[row]
        return n_found, allowed
    near.prices[:k], near.members[:k] = top.prices, top.members
    return k, limit


@kernel
def _kept(group, failed, sets, n_sets):
    """Keep the tuples of rows as a set, if there is room; return how many sets there are."""
    if n_sets == sets.shape[0]:
        return n_sets
    for j in range(sets.shape[1]):
        sets[n_sets, j] = group.tuples[failed.members[j]] if j < failed.members.shape[0] else -1
    return n_sets + 1


@kernel
def _lower(group, failed, limit):
    """Let what some rows cost above their floors shrink by the same share, so that they come to `limit`."""
    above, floors = 0.0, np.int64(0)
    for j in range(failed.prices.shape[0]):
        floor = group.floors[failed.members[j]]
        above += max(failed.prices[j] - floor, 0)
        floors += min(failed.prices[j], floor)
    share = max((limit - floors) / above, 0.0)
    for j in range(failed.prices.shape[0]):
        i, price = failed.members[j], failed.prices[j]
        floor = group.floors[i]
        if price > floor and group.prices[i] == price:  # not yet lowered as another row of the same tuple
            group.prices[i] = min(floor + np.int64(np.floor((price - floor) * share)), price - 1)
