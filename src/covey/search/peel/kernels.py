"""The loop of `Peel`: groups wait in a heap by what their cheapest class costs, which only rises as rows are taken."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import pause
from covey.search.kernels.edges import copy_row
from covey.search.peel.boxes import ORDERED_COLUMNS, closing_box, smallest_box
from covey.search.peel.groups import grouped

__all__ = ["peel"]


class Groups(NamedTuple):
    """The groups of all mixes so far, and a heap of those that may still give a class."""

    mix: np.ndarray
    """(g,) int64: the mix of levels, whose members it is a part of"""
    start: np.ndarray
    """(g,) int64: its first member there"""
    end: np.ndarray
    """(g,) int64"""
    rows: np.ndarray
    """(g,) int64: the rows that its members had when it was priced last"""
    cost: np.ndarray
    """(g,) float64: the extent of its cheapest class then"""
    low: np.ndarray
    """(g, columns) float64: the box of that class"""
    high: np.ndarray
    """(g, columns) float64"""
    heap: np.ndarray
    """(g,) int64: groups, the cheapest first, of equally cheap ones that with the lowest number"""


@kernel
def peel(words, masks, prices, counts, ordered, order, k, most, most_steps, strand, label) -> tuple[int, int]:
    """Give every tuple a class, cheapest classes first; return (classes, rows left without one).

    words (t, w) uint64; masks (mixes, w) uint64 and prices (mixes,): from cheap to dear; counts (t,) int64; ordered:
    `Ordered`; order: the tuples by the last ordered column; most: no further mix is opened once so many tuples were
    grouped; most_steps: nothing more is priced once so many were looked at for boxes; strand: what a row is taken to
    lose beside its price where the last class of its group leaves it out; label (t,) int64: -1, changed.
    """
    n_rows = rows_left = counts.sum()
    left, looked_at = order, 0
    pools = [np.empty(0, np.int32)]  # the members of the groups of each mix, the first of none
    groups = _room(16)
    n_groups = n_waiting = n_classes = mix = 0
    while rows_left >= k and ordered.steps[0] < most_steps:
        if (
            mix < prices.shape[0]
            and looked_at < most
            and (n_waiting == 0 or prices[mix] <= groups.cost[groups.heap[0]])
        ):
            pause(n_rows - rows_left, n_rows)
            left = _without_class(left, label)
            looked_at += left.shape[0]
            members, starts = grouped(words, masks[mix], counts, left, k)
            pools.append(members)
            mix += 1
            for g in range(starts.shape[0] - 1):
                if n_groups == groups.mix.shape[0]:
                    groups = _grown(groups)
                groups.mix[n_groups], groups.start[n_groups], groups.end[n_groups] = mix, starts[g], starts[g + 1]
                _price(groups, n_groups, pools[mix], counts, ordered, k, prices[mix - 1], 0.0)
                n_waiting = _push(groups, n_waiting, n_groups)
                n_groups += 1
                if g & 15 == 0:
                    pause(n_rows - rows_left, n_rows)
                if ordered.steps[0] >= most_steps:
                    break
        elif n_waiting == 0:
            break
        else:
            g = groups.heap[0]
            pool, price = pools[groups.mix[g]], prices[groups.mix[g] - 1]
            before = groups.rows[g]
            if _rows_left(groups, g, pool, counts, label) == before:
                if before < 2 * k:  # the last class of this group
                    members = pool[groups.start[g] : groups.end[g]]
                    closing_box(ordered, counts, members, k, strand, groups.low[g], groups.high[g])
                rows_left -= _take(groups, g, pool, counts, ordered, label, n_classes)
                n_classes += 1
                if n_classes & 15 == 0:
                    pause(n_rows - rows_left, n_rows)
                _rows_left(groups, g, pool, counts, label)
            if groups.rows[g] < k:
                n_waiting -= 1
                groups.heap[0] = groups.heap[n_waiting]
            else:
                _price(groups, g, pool, counts, ordered, k, price, groups.cost[g] - price)
            _sink(groups, n_waiting)
    return n_classes, rows_left


@kernel
def _room(size):
    box = np.empty((size, ORDERED_COLUMNS))
    whole = np.empty(size, np.int64)
    return Groups(
        whole, whole.copy(), whole.copy(), whole.copy(), np.empty(size), box, box.copy(), np.empty(size, np.int64)
    )


@kernel
def _grown(groups):
    """Return the groups with twice the room."""
    size = groups.mix.shape[0]
    larger = _room(2 * size)
    for g in range(size):
        larger.mix[g], larger.start[g], larger.end[g] = groups.mix[g], groups.start[g], groups.end[g]
        larger.rows[g], larger.cost[g], larger.heap[g] = groups.rows[g], groups.cost[g], groups.heap[g]
        copy_row(larger.low, g, groups.low, g)
        copy_row(larger.high, g, groups.high, g)
    return larger


@kernel
def _without_class(tuples, label):
    """Return the tuples that have no class, in their order."""
    found = np.empty_like(tuples)
    n = 0
    for t in tuples:
        if label[t] < 0:
            found[n] = t
            n += 1
    return found[:n].copy()


@kernel
def _rows_left(groups, g, pool, counts, label):
    """Keep the members of a group that have no class yet; return their rows."""
    place, rows = groups.start[g], 0
    for at in range(groups.start[g], groups.end[g]):
        if label[pool[at]] < 0:
            pool[place] = pool[at]
            place += 1
            rows += counts[pool[at]]
    groups.end[g], groups.rows[g] = place, rows
    return rows


@kernel
def _price(groups, g, pool, counts, ordered, k, price, floor):
    """Find the cheapest class of a group: its levels cost `price`, and a box at least `floor`."""
    members = pool[groups.start[g] : groups.end[g]]
    rows = 0
    for t in members:
        rows += counts[t]
    groups.rows[g] = rows
    groups.cost[g] = price + smallest_box(ordered, counts, members, k, floor, groups.low[g], groups.high[g])


@kernel
def _take(groups, g, pool, counts, ordered, label, number):
    """Let all members inside the box of a group be a class; return its rows."""
    low, high, rows = groups.low[g], groups.high[g], 0
    for at in range(groups.start[g], groups.end[g]):
        t = pool[at]
        inside = True
        for j in range(ORDERED_COLUMNS):
            inside &= low[j] <= ordered.positions[j, t] <= high[j]
        if inside:
            label[t] = number
            rows += counts[t]
    return rows


# --- the heap ------------------------------------------------------------------------------------------------


@kernel
def _is_cheaper(groups, one, other):
    return groups.cost[one] < groups.cost[other] or (groups.cost[one] == groups.cost[other] and one < other)


@kernel
def _push(groups, n_waiting, g):
    """Add a group to the heap; return how many it has then."""
    heap, place = groups.heap, n_waiting
    while place > 0 and _is_cheaper(groups, g, heap[(place - 1) // 2]):
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = g
    return n_waiting + 1


@kernel
def _sink(groups, n_waiting):
    """Put the group on top of the heap where it belongs, now that it costs more or is another one."""
    heap, place, g = groups.heap, 0, groups.heap[0]
    while 2 * place + 1 < n_waiting:
        child = 2 * place + 1
        if child + 1 < n_waiting and _is_cheaper(groups, heap[child + 1], heap[child]):
            child += 1
        if not _is_cheaper(groups, heap[child], g):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = g
