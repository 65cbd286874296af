"""The highest prices that hold: the linear program whose value is the strongest bound of this kind, by rounds.

The program without whole numbers: each set of k rows may be taken in part, each row is taken once, and the losses of
what is taken are least.  Its dual asks for the highest prices with which no k rows cost more than k times their extent:
the prices of `repair`.  There are far too many sets, so a pool of them grows by rounds (column generation): some steps
of a first-order method on the pool, then all boxes are looked at (`repaired`) at prices halfway between those of the
pool and the best that hold; what does not hold there joins the pool, and what is left after the repair is a bound,
whatever the method gave.  Once what fails has faded, the prices go over to those of the pool.

Source: column generation (Gilmore and Gomory 1961), by the primal-dual method of Chambolle and Pock (2011).
Cost of a round: that of a repair, and `STEPS` looks at the pool.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.search.bounds.repair import repaired
from covey.search.bounds.space import Space
from covey.search.bounds.steps import set_extents, take_steps

__all__ = ["raised"]

STEPS = 200
"""Steps of the method in a round; the prices of the later half are averaged."""
MOST_NEW = 1 << 16
"""No more sets join the pool in a round,"""
MOST_NUMBERS = 1 << 25
"""and it has no more rows of sets than these: the dearest of those not taken leave."""
FADED = 2e-3
"""What fails has faded once a repair takes no more than this share of the prices."""


@dataclass(slots=True)
class Pool:
    """Sets of k rows, and how much of each is taken."""

    sets: IntMatrix
    """(m, k) int32: the tuple of each row."""
    costs: FloatVector
    """(m,) k times the extent of each, in columns."""
    taken: FloatVector
    """(m,)"""
    keys: IntVector
    """(m,) uint64: a number for each set, all different."""


def raised(space: Space, prices: IntVector, least: IntVector, labels: IntVector, cores: int) -> Iterator[IntVector]:
    """Yield ever higher prices that hold, in grains, for ever.

    prices: those to begin with, which may be too high; least: the least extents, in units; labels (n,): the classes of
    the rows, which are sets to begin with, in the order of tuples.
    """
    unit = space.units * space.grain
    most = space.k * space.dearest / space.units
    rng = np.random.default_rng(0)
    marks = rng.integers(1, 1 << 63, space.counts.size, dtype=np.uint64)
    pool = _pool(space, _sets_of(space, labels), marks)
    worth, best, highest = prices / unit, least * space.grain, -1
    target, share = prices, 0.5
    while True:
        found = repaired(space, target, least, MOST_NEW, cores)
        value = int((found.prices * space.counts).sum())
        lost = int((target * space.counts).sum()) - value
        if value > highest:
            best, highest = found.prices, value
        yield best
        if lost < FADED * value:
            share = 1.0 - (1.0 - share) / 2.0
        pool = _joined(space, pool, found.sets, marks, worth)
        average = np.zeros_like(worth)
        taken_of = np.bincount(pool.sets.reshape(-1), minlength=space.counts.size)
        take_steps(
            pool.sets, pool.costs, space.counts, pool.taken, worth, 1.0 / np.maximum(taken_of, 1), STEPS, average
        )
        wanted = share * average + (1.0 - share) * best / unit
        target = np.floor(np.clip(wanted, -most, most) * unit).astype(np.int64)


def _sets_of(space: Space, labels: IntVector) -> IntMatrix:
    """Return sets of k rows that together can take every row once: of a class all k rows in turn, as in a ring."""
    tuples = np.repeat(np.arange(space.counts.size), space.counts)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(int(labels.max()) + 2))
    found = []
    for begin, end in itertools.pairwise(starts):
        n = int(end - begin)
        firsts = np.arange(0, n, space.k if n % space.k == 0 else 1)
        found.append(tuples[order[begin + (firsts[:, None] + np.arange(space.k)) % n]])
    alone = np.flatnonzero(space.counts >= space.k)
    return np.concatenate([*found, np.repeat(alone[:, None], space.k, axis=1)]).astype(np.int32)


def _pool(space: Space, sets: IntMatrix, marks: IntVector) -> Pool:
    """Return different sets as a pool, none of them taken."""
    keys, first = np.unique(marks[sets].sum(axis=1, dtype=np.uint64), return_index=True)
    own = np.ascontiguousarray(sets[first])
    codes = space.codes
    costs = space.k * set_extents(codes.measure, codes.narrow, own) / space.units
    return Pool(own, costs, np.zeros(len(own)), keys)


def _joined(space: Space, pool: Pool, sets: IntMatrix, marks: IntVector, worth: FloatVector) -> Pool:
    """Return the pool with further sets, without those that it has or that are too many."""
    new = _pool(space, sets, marks)
    fresh = ~np.isin(new.keys, pool.keys)
    costs = np.concatenate([pool.costs, new.costs[fresh]])
    all_sets = np.concatenate([pool.sets, new.sets[fresh]])
    taken = np.concatenate([pool.taken, new.taken[fresh]])
    keys = np.concatenate([pool.keys, new.keys[fresh]])
    most = MOST_NUMBERS // space.k
    if len(keys) > most:
        spare = np.where(taken > 0.0, -np.inf, costs - worth[all_sets].sum(axis=1))
        stays = np.sort(np.argsort(spare, kind="stable")[: most // 2])
        all_sets, costs, taken, keys = all_sets[stays], costs[stays], taken[stays], keys[stays]
    return Pool(all_sets, costs, taken, keys)
