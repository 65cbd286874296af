"""Prices of rows that no class can be dearer than: any guess, lowered until it holds.

Source: weak duality of the set-partition program (each row in one class, the sum of losses least).
Claim: if in every box the k dearest rows cost together no more than k times the extent of the box, then the prices of
all rows come to no more than the Total-IL of any partition into classes of k rows.
Argument: the k dearest rows of a class of s rows cost at most k D, where D is its extent; so their mean is at most D,
and that of all s is no more than that of the k dearest.  So a class costs at most s D, which is what it loses, and each
row is in one class.

Repair: every box is looked at.  Where its k dearest rows cost too much, what they cost above their least extents (which
hold together, see `extents`) shrinks by the same share, until the k dearest that the box has then do not.  Prices only
fall, so what held goes on to hold.  Levels that are not listed cost `beyond` or more, which no price is above.
Cost: for each mix of levels, tuples x ranges of the sides x what a window holds.  Boxes are left out that cannot hold k
rows dear enough, and windows whose first place has none of the k dearest: a shorter one has the same.
Ties: of equally dear rows those that come first.  Groups of a mix have no row in common, so the number of cores does
not matter.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.compiled.pausing import threads_that_stop
from covey.search.bounds.branch import Tolls, no_tolls
from covey.search.bounds.space import Space
from covey.search.bounds.windows import settle_groups
from covey.search.peel.groups import grouped

__all__ = ["Repaired", "repaired"]

FEW_PLACES = 8
"""Windows of so few places are looked at one by one, others only where sums tell that one may fail."""
PARTS = 8
"""The groups of a mix are looked at in so many parts at most,"""
LEAST_PART = 1 << 10
"""each with about so many tuples at least."""
MOST_NODES = 300_000
"""Where tolls are paid so many steps are made at most to find a class that is too dear."""


class Repaired(NamedTuple):
    """Prices that hold, and what did not hold before."""

    prices: IntVector
    """(t,) int64: of a row of each tuple, in grains."""
    sets: IntMatrix
    """(m, k) int32: the tuples of k rows that cost too much together, by the prices that were guessed; with tolls
    (m, 2k - 1), of k rows or more, behind them -1."""


def repaired(
    space: Space,
    guess: IntVector,
    least: IntVector,
    most_sets: int = 0,
    cores: int = 1,
    *,
    tolls: Tolls | None = None,
    most_nodes: int = MOST_NODES,
    prune: bool = True,
) -> Repaired:
    """Return prices of rows that hold, no higher than a guess, and up to so many sets for each part that did not.

    guess (t,) int64: in grains; least (t,) int64: the least extents, in units; tolls: what classes pay beside.
    """
    paid = no_tolls(len(guess)) if tolls is None else tolls
    width = space.k if tolls is None else 2 * space.k - 1
    prices = np.clip(guess, space.lowest * space.grain, space.highest * space.grain).astype(np.int64)
    floors = least * space.grain
    few = FEW_PLACES if prune else len(prices)
    sets = [np.empty((0, width), np.int32)]
    with threads_that_stop(cores) as pool:
        for mask, base in zip(space.masks, space.bases.tolist(), strict=True):
            if base * space.grain >= prices.max(initial=0):
                break
            members, starts = grouped(space.words, mask, space.counts, space.order, space.k)
            parts = [starts[begin : end + 1] for begin, end in itertools.pairwise(_cuts(starts))]
            rooms = [np.empty((most_sets, width), np.int32) for _ in parts]
            work = [
                pool.submit(
                    settle_groups, space.lines, space.counts, members, part, base, space.k, space.grain, few, floors,
                    paid, most_nodes, prices, room,
                )
                for part, room in zip(parts, rooms, strict=True)
            ]  # fmt: skip
            sets += [room[: one.result()].copy() for one, room in zip(work, rooms, strict=True)]
    return Repaired(prices, np.concatenate(sets))


def _cuts(starts: IntVector) -> list[int]:
    """Return between which groups parts begin and end, each with about as many tuples."""
    n_tuples, n_groups = int(starts[-1]), len(starts) - 1
    parts = min(PARTS, max(n_tuples // LEAST_PART, 1))
    inner = np.searchsorted(starts, np.arange(1, parts) * n_tuples // parts).tolist()
    return sorted({0, *inner, n_groups})
