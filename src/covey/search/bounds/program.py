"""The highest prices that hold: the linear program whose value is the strongest bound of this kind, by rounds.

The program without whole numbers: each set of k rows may be taken in part, each row is taken once, and the losses of
what is taken are least.  Its dual asks for the highest prices with which no k rows cost more than k times their extent:
the prices of `repair`.  There are far too many sets, so a pool of them grows by rounds (column generation): some steps
of a first-order method on the pool, then all boxes are looked at (`repaired`) at prices halfway between those of the
pool and the best that hold; what does not hold there joins the pool, and what is left after the repair is a bound,
whatever the method gave.  Once what fails has faded, the prices go over to those of the pool.

Tolls: once the prices hardly rise, sets of rows of which the program takes too much (`cuts`) get a toll, and classes
pay it beside their extent.  Prices hold with tolls if no class of k to 2k - 1 rows costs more than its rows times its
extent and the tolls that it pays (a larger class is parted at no more cost).  A partition pays no toll more often than
its set has rows for, so the prices less the tolls that can be paid are a bound.

Source: column generation (Gilmore and Gomory 1961), by the primal-dual method of Chambolle and Pock (2011).
Cost of a round: that of a repair, and `STEPS` looks at the pool.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.search.bounds.branch import Tolls, no_tolls
from covey.search.bounds.cuts import grown_sets
from covey.search.bounds.pool import Pool, marks_of, pool_of
from covey.search.bounds.repair import repaired
from covey.search.bounds.space import Space
from covey.search.bounds.steps import set_dues, take_steps

__all__ = ["Held", "raised"]

STEPS = 200
"""Steps of the method in a round; the prices of the later half are averaged."""
MOST_NEW = 1 << 16
"""No more sets join the pool in a round for each part of a mix,"""
MOST_NUMBERS = 1 << 25
"""and it has no more rows of sets than these."""
FADED = 2e-3
"""What fails has faded once a repair takes no more than this share of the prices."""
SLOW, BETWEEN = 1e-3, 4
"""Tolls are looked for once a round raises the bound by no more than this share, and so many rounds apart."""
MOST_TOLLS = 2_500
"""No more tolls are added at a time, those first of which the program goes over most,"""
LEAST_EXCESS = 0.1
"""which is by so much at least."""
NODES = 30_000
"""Steps to find a class that is too dear with its tolls, while the pool grows; then the k dearest are taken."""


@dataclass(frozen=True, slots=True)
class Held:
    """Prices that hold, with the tolls with which they do."""

    prices: IntVector
    """(t,) int64: of a row of each tuple, in grains."""
    tolls: Tolls
    times: IntVector
    """(tolls,) int64: how often each can be paid."""

    def value(self, counts: IntVector) -> int:
        """Return what no partition loses less than, in grains."""
        each: list[tuple[int, int]] = list(zip(self.tolls.price.tolist(), self.times.tolist(), strict=True))
        paid = sum(price * times for price, times in each)  # in numbers of any length
        return int((self.prices * counts).sum()) - paid


def raised(
    space: Space, prices: IntVector, least: IntVector, labels: IntVector, cores: int, *, with_tolls: bool = False
) -> Iterator[Held]:
    """Yield ever higher prices that hold, for ever.

    prices: those to begin with, which may be too high, in grains; least: the least extents, in units; labels (n,): the
    classes of the rows, which are sets to begin with, in the order of tuples.
    """
    unit, most = space.units * space.grain, space.k * space.dearest / space.units
    marks, cuts = marks_of(space), _Cuts(space)
    pool = pool_of(space, _sets_of(space, labels), marks)
    worth, tolls = prices / unit, np.zeros(0)
    best = Held(least * space.grain, no_tolls(space.counts.size), np.zeros(0, np.int64))
    target, paid, share, waited = prices, best.tolls, 0.5, 0
    while True:
        found = repaired(
            space, target, least, MOST_NEW, cores, tolls=paid if len(paid.price) else None, most_nodes=NODES
        )  # fmt: skip
        held = Held(found.prices, paid, cuts.times)
        value, before = held.value(space.counts), best.value(space.counts)
        lost = int(((target - found.prices) * space.counts).sum())
        best = held if value > before else best
        yield best
        share = 1.0 - (1.0 - share) / 2.0 if lost < FADED * value else share
        waited += 1
        if with_tolls and waited >= BETWEEN and lost < FADED * value and value - before < SLOW * value:
            added = cuts.add(pool, MOST_TOLLS)
            tolls = np.concatenate([tolls, np.zeros(added)])
            best = Held(best.prices, cuts.tolls(cuts.widened(best.tolls.price)), cuts.times)
            waited = 0
        pool = pool.joined(pool_of(space, found.sets, marks))
        dues = set_dues(pool.starts, pool.rows, cuts.tolls(np.zeros(len(tolls), np.int64)))
        average, toll_average = np.zeros_like(worth), np.zeros_like(tolls)
        taken = pool.taken.copy()
        take_steps(
            pool.starts, pool.rows, pool.costs, space.counts, dues, cuts.times, taken, worth, tolls, STEPS, average,
            toll_average,
        )  # fmt: skip
        owner = np.repeat(np.arange(len(taken)), np.diff(dues.starts))
        spare = np.asarray(np.bincount(owner, dues.times * tolls[dues.own], len(taken)), np.float64)
        pool = pool.with_taken(taken).cut_down(worth, spare, MOST_NUMBERS)
        wanted = share * average + (1.0 - share) * best.prices / unit
        target = np.floor(np.clip(wanted, -most, most) * unit).astype(np.int64)
        due = share * toll_average + (1.0 - share) * best.tolls.price / unit
        paid = cuts.tolls(np.ceil(np.minimum(due, most) * unit).astype(np.int64))


class _Cuts:
    """The sets of tuples that have a toll."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.sets: list[IntVector] = []
        self.per: list[int] = []
        self._known: set[tuple[int, ...]] = set()
        self._index()

    def _index(self) -> None:
        """Know for each tuple in which sets it is, and how often each toll can be paid."""
        sizes = [len(own) for own in self.sets]
        owners = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)
        tuples = np.concatenate([np.zeros(0, np.int64), *self.sets]).astype(np.int64)
        order = np.lexsort((owners, tuples))
        self._own = owners[order]
        self._starts = np.searchsorted(tuples[order], np.arange(self.space.counts.size + 1)).astype(np.int64)
        rows = np.array([self.space.counts[own].sum() for own in self.sets], np.int64)
        self._per = np.array(self.per, np.int64)
        self.times: IntVector = rows // np.maximum(self._per, 1)

    def tolls(self, price: IntVector) -> Tolls:
        """Return the tolls with some prices, in grains."""
        return Tolls(self._starts, self._own, price.astype(np.int64), self._per)

    def widened(self, price: IntVector) -> IntVector:
        """Return the prices of tolls with 0 for those added since."""
        return np.concatenate([price, np.zeros(len(self.per) - len(price), np.int64)])

    def add(self, pool: Pool, most: int) -> int:
        """Add the sets of which the program takes too much; return how many."""
        k, t = self.space.k, self.space.counts.size
        most_tuples, most_rows = (14, 4 * k) if k <= 5 else (24, 4 * k)
        found: list[tuple[float, tuple[int, ...]]] = []
        for per in sorted({2, min(3, k), k}):
            out, lengths, excess = np.empty((t, most_tuples), np.int32), np.empty(t, np.int64), np.empty(t)
            n = grown_sets(
                pool.starts, pool.rows, pool.taken, self.space.counts, per, most_tuples, most_rows, LEAST_EXCESS, out,
                lengths, excess,
            )  # fmt: skip
            for i in range(n):
                found.append((-float(excess[i]), (per, *sorted(out[i, : lengths[i]].tolist()))))
        before = len(self.sets)
        for _, (per, *own) in sorted(set(found)):
            if len(self.sets) - before == most:
                break
            if (per, *own) not in self._known:
                self._known.add((per, *own))
                self.sets.append(np.array(own, np.int64))
                self.per.append(per)
        self._index()
        return len(self.sets) - before


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
