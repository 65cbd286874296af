"""How the rows of a part join one of two halves: the loops of `covey.search.binary_k_means.estimator` over single rows.

A half begins as its centre, a box that is one point; boxes are in points (see `point_values`).  The box stays around
the centre, which is no row, while rows join in turn; where they join the nearer centre it stays that point.
"""

from __future__ import annotations

import numpy as np

from covey.codes.prices import FLAT
from covey.compiled.kernel import kernel
from covey.search.kernels.boxes import GRAIN
from covey.search.kernels.class_tree import joined_extent
from covey.search.kernels.streams import shuffle

__all__ = ["CENTRE", "EXTENT", "GROWTH", "TIED", "WIDENING", "alike", "join_in_turn", "join_nearer", "settle_ties"]

CENTRE, GROWTH, EXTENT, WIDENING = 0, 1, 2, 3
"""What a row compares: its distance from the centres; by how much rows x extent of either half grows with it; the
extent of either half with it; by how much that extent grows."""
TIED = 2
"""The half of a row that is as near to both centres, until it has one."""


@kernel
def alike(one, two):
    """Return whether two sums of extents, 0 or more, differ by no more than rounding may have made of them."""
    return abs(one - two) <= GRAIN * max(1.0, min(one, two))


@kernel
def begin_halves(work):
    """Make the box of either half its centre; it has no rows."""
    work.rows[:] = 0
    for h in range(2):
        for j in range(work.low.shape[1]):
            work.low[h, j] = work.high[h, j] = work.centre[h, j]


@kernel
def join_nearer(n_runs, points, columns, work):
    """Let every row join the half with the nearer centre; return whether any is as near to both."""
    begin_halves(work)
    tied = False
    for u in range(n_runs):
        point = points[work.run[u]]
        one = joined_extent(columns, work.low[0], work.high[0], point)
        two = joined_extent(columns, work.low[1], work.high[1], point)
        h = TIED if alike(one, two) else 0 if one < two else 1
        for i in range(work.start[u], work.start[u + 1]):
            work.half[i] = h
        if h == TIED:
            tied = True
        else:
            work.rows[h] += work.start[u + 1] - work.start[u]
    return tied


@kernel
def settle_ties(n, key, work):
    """Let tied rows join the half that is smaller when their turn comes in a random order; else the first."""
    shuffle(key, work.order[:n])
    work.rows[:] = 0
    for i in work.order[:n]:
        if work.half[i] == TIED:
            work.half[i] = 0 if work.rows[0] <= work.rows[1] else 1
        work.rows[work.half[i]] += 1


@kernel
def join_in_turn(n_runs, n, key, measure, points, columns, seeds, work):
    """Let the rows, in a random order, each join the half with the lower measure; ties: the smaller, then the first.

    measure: GROWTH, EXTENT or WIDENING.  seeds (2,) int64: the rows that the centres are, which stay where they are;
    -1 where centres are put into the halves for a while only, and every row has its turn.
    """
    rows, p = work.rows, work.low.shape[1]
    low, high, other_low, other_high = work.low[0], work.high[0], work.low[1], work.high[1]
    for u in range(n_runs):
        for i in range(work.start[u], work.start[u + 1]):
            work.tuple[i] = work.run[u]
    begin_halves(work)
    for h in range(2):
        if seeds[h] >= 0:
            work.half[seeds[h]] = h
            rows[h] = 1
    one, two = 0.0, 0.0  # the extents of the halves
    shuffle(key, work.order[:n])
    for i in work.order[:n]:
        if i == seeds[0] or i == seeds[1]:
            continue
        point = points[work.tuple[i]]
        in_one, in_two = True, True
        for j in range(p):
            in_one &= (low[j] <= point[j]) & (point[j] <= high[j])
            in_two &= (other_low[j] <= point[j]) & (point[j] <= other_high[j])
        one_after = one if in_one else joined_extent(columns, low, high, point)
        two_after = two if in_two else joined_extent(columns, other_low, other_high, point)
        cost, other_cost = _cost(measure, rows[0], one, one_after), _cost(measure, rows[1], two, two_after)
        if alike(cost, other_cost):
            h = 0 if rows[0] <= rows[1] else 1
        else:
            h = 0 if cost < other_cost else 1
        work.half[i] = h
        rows[h] += 1
        if h == 0 and not in_one:
            one = one_after
            _widen(columns.kinds, low, high, point)
        elif h == 1 and not in_two:
            two = two_after
            _widen(columns.kinds, other_low, other_high, point)


@kernel
def _cost(measure, rows, before, after):
    """Return what is compared of a half of so many rows, whose extent a row raises from `before` to `after`."""
    if measure == GROWTH:
        return after + rows * (after - before)
    return after if measure == EXTENT else after - before


@kernel
def _widen(kinds, low, high, point):
    """Let a box hold a point too; a flat column with two values costs the same with any, so it holds them all."""
    for j in range(kinds.shape[0]):
        low[j], high[j] = min(low[j], point[j]), max(high[j], point[j])
        if kinds[j] == FLAT and low[j] < high[j]:
            low[j], high[j] = -np.inf, np.inf
