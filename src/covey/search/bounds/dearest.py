"""The k dearest rows of some tuples of a group, which stand in the order of their places."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel

__all__ = [
    "NOTHING",
    "Dearest",
    "Group",
    "Inside",
    "find_inside",
    "move_up",
    "price_of_place",
    "total_of",
    "with_place",
]

NOTHING = -(1 << 62)
"""What k rows cost that are not there: less than any k that are."""


class Group(NamedTuple):
    """The tuples of a group in the order of their places."""

    tuples: np.ndarray
    """(m,) int32"""
    prices: np.ndarray
    """(m,) int64: what a row of each costs now, in grains"""
    floors: np.ndarray
    """(m,) int64: what it may cost in any case"""
    rows: np.ndarray
    """(m,) int64"""
    places: np.ndarray
    """(m,) int64: in the window column"""
    cells: np.ndarray
    """(SIDES, m) int32"""


class Inside(NamedTuple):
    """Members of a group that lie within ranges of both sides, place by place, those of a place by price."""

    members: np.ndarray
    """(m,) int64"""
    starts: np.ndarray
    """(places + 1,) int64: where those of each place begin"""


class Dearest(NamedTuple):
    """Up to k rows, the dearest first, of equally dear ones those that came first."""

    prices: np.ndarray
    """(k,) int64"""
    members: np.ndarray
    """(k,) int64: of the group"""


@kernel
def find_inside(group, low, high, other_low, other_high, inside):
    """Find the members within ranges of cells of both sides; return how many places they have."""
    n = n_places = 0
    last = np.int64(0)
    for i in range(group.rows.shape[0]):
        if low <= group.cells[0, i] <= high and other_low <= group.cells[1, i] <= other_high:
            if n == 0 or group.places[i] != last:
                inside.starts[n_places] = n
                n_places += 1
                last = group.places[i]
            inside.members[n] = i
            move_up(group, inside.members, inside.starts[n_places - 1], n)
            n += 1
    inside.starts[n_places] = n
    return n_places


@kernel
def move_up(group, members, begin, at):
    """Move a member of the list, not before `begin`, before those that are cheaper."""
    i = members[at]
    while at > begin and group.prices[members[at - 1]] < group.prices[i]:
        members[at] = members[at - 1]
        at -= 1
    members[at] = i


@kernel
def total_of(group, inside, begin, end, top):
    """Return what the k dearest rows of some places cost together, 0 if they have fewer; they stand in `top`."""
    n, total = 0, np.int64(0)
    for at in range(begin, end):
        n, total = with_place(group, top, n, total, inside, at)
    return total if n == top.prices.shape[0] else np.int64(0)


@kernel
def with_place(group, top, n, total, inside, at):
    """Put the rows of a place among the dearest; return how many these are then, and what they cost together."""
    k = top.prices.shape[0]
    for one in range(inside.starts[at], inside.starts[at + 1]):
        i = inside.members[one]
        if n == k and group.prices[i] <= top.prices[k - 1]:
            break
        n, total = _with_rows(group, top, n, total, i)
    return n, total


@kernel
def _with_rows(group, top, n, total, i):
    k, price = top.prices.shape[0], group.prices[i]
    for _ in range(group.rows[i]):
        if n == k:
            if price <= top.prices[k - 1]:
                break
            total -= top.prices[k - 1]
        else:
            n += 1
        place = n - 1
        while place > 0 and top.prices[place - 1] < price:
            top.prices[place] = top.prices[place - 1]
            top.members[place] = top.members[place - 1]
            place -= 1
        top.prices[place] = price
        top.members[place] = i
        total += price
    return n, total


@kernel
def price_of_place(group, inside, at, k):
    """Return what the k dearest rows of one place cost together, `NOTHING` if it has fewer."""
    total, left = np.int64(0), np.int64(k)
    for one in range(inside.starts[at], inside.starts[at + 1]):
        i = inside.members[one]
        rows = min(group.rows[i], left)
        total += rows * group.prices[i]
        left -= rows
        if left == 0:
            return total
    return np.int64(NOTHING)
