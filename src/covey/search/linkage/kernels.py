"""Agglomerative clustering with a least size: the loops of `covey.search.linkage.estimator`.

Every class knows its nearest among the classes after it, or a lower bound of that distance.  The least of
these is looked up anew if it is a mere bound, and merged if it is not: so the pair merged is the closest
one, and the lowest of equally close ones.

Prices must be whole numbers.  So the sum of the distances between the rows of two classes is one, below 2**51, and
the nearest whole number to mean x pairs: a mean is an exact sum, divided and rounded once, and equal means are equal.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.prices import price
from covey.compiled.kernel import kernel
from covey.compiled.pausing import pause

__all__ = ["AVERAGE", "COMPLETE", "SINGLE", "merge_classes"]

SINGLE, COMPLETE, AVERAGE = 0, 1, 2
NOBODY = -1
"""The nearest of a class for which only a bound of the distance is known, or that has nobody to merge with."""


@kernel
def merge_classes(codes, rows, measure, k, method, squared, local) -> IntVector:
    """Return for every tuple the first tuple of its class.

    codes (p, t) int32, tuples in the order of their lowest rows; rows (t,) int64: how many rows each stands
    for, changed in place; squared: whether prices are squared; local: whether only pairs with a class of fewer than k
    rows are merged.
    """
    t = codes.shape[1]
    home = np.arange(t)
    distance = _distances(codes, measure, squared)
    alive = np.ones(t, np.bool_)
    _merge_equal(distance, rows, alive, home)
    small = 0
    for i in range(t):
        small += alive[i] and rows[i] < k
    nearest = np.full(t, NOBODY)
    bound = np.zeros(t)  # 0 is a bound of every distance
    while small > 0:
        pause(t - small, t)
        one = _least(bound, alive)
        if nearest[one] == NOBODY:
            _find_nearest(distance, rows, alive, k, local, one, nearest, bound)
            continue
        other = nearest[one]
        small -= (rows[one] < k) + (rows[other] < k) - (rows[one] + rows[other] < k)
        _join(distance, rows, alive, home, one, other, method)
        _refresh(distance, rows, alive, k, local, one, other, nearest, bound)
    for i in range(t):  # a class was merged into one with a lower number, whose home is found already
        home[i] = home[home[i]]
    return home


@kernel
def _distances(codes, measure, squared):
    """Return (t, t) float64: how far every two tuples are apart, the sum of weight x price or price squared."""
    kinds, weights, positions, offsets, sizes = measure
    p, t = codes.shape
    distance = np.zeros((t, t))
    for i in range(t):
        pause(0, 0)
        for j in range(i + 1, t):
            total = 0.0
            for c in range(p):
                low, high = min(codes[c, i], codes[c, j]), max(codes[c, i], codes[c, j])
                apart = price(kinds[c], positions, offsets[c], sizes[c], low, high)
                total += weights[c] * (apart * apart if squared else apart)
            distance[i, j] = distance[j, i] = total
    return distance


@kernel
def _merge_equal(distance, rows, alive, home):
    """Merge tuples at distance 0: row by row they would be merged before all others, whatever the size."""
    for i in range(alive.shape[0]):
        pause(0, 0)
        if alive[i]:
            for j in range(i + 1, alive.shape[0]):
                if alive[j] and distance[i, j] == 0.0:
                    rows[i] += rows[j]
                    alive[j] = False
                    home[j] = i


@kernel
def _least(bound, alive):
    """Return the class with the least bound, the first of equal ones."""
    least = -1
    for i in range(bound.shape[0]):
        if alive[i] and (least < 0 or bound[i] < bound[least]):
            least = i
    return least


@kernel
def _find_nearest(distance, rows, alive, k, local, one, nearest, bound):
    """Find the nearest class after `one` that it may merge with, the first of equal ones."""
    nearest[one], bound[one] = NOBODY, np.inf
    for i in range(one + 1, alive.shape[0]):
        if alive[i] and distance[one, i] < bound[one] and (not local or rows[one] < k or rows[i] < k):
            nearest[one], bound[one] = i, distance[one, i]


@kernel
def _join(distance, rows, alive, home, one, other, method):
    """Merge `other` into `one`, which comes first, and set its distances to all the rest."""
    for i in range(alive.shape[0]):
        if alive[i] and i != one and i != other:
            a, b = distance[one, i], distance[other, i]
            if method == SINGLE:
                new = min(a, b)
            elif method == COMPLETE:
                new = max(a, b)
            else:
                total = np.rint(a * (rows[one] * rows[i])) + np.rint(b * (rows[other] * rows[i]))
                new = total / ((rows[one] + rows[other]) * rows[i])
            distance[one, i] = distance[i, one] = new
    rows[one] += rows[other]
    alive[other] = False
    home[other] = one


@kernel
def _refresh(distance, rows, alive, k, local, one, other, nearest, bound):
    """Bring the nearest of every class up to date after `other` was merged into `one`.

    Where the nearest is gone, or has moved away, the old distance stays as a bound.
    """
    for i in range(other):
        if not alive[i] or i == one:
            continue
        lost = nearest[i] == one or nearest[i] == other
        if lost:
            nearest[i] = NOBODY
        if i < one and (not local or rows[one] < k or rows[i] < k):
            new = distance[i, one]
            if new < bound[i] or (new == bound[i] and (lost or nearest[i] > one)):
                nearest[i], bound[i] = one, new
    _find_nearest(distance, rows, alive, k, local, one, nearest, bound)
