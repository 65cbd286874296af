"""Full-domain recoding: what one recoding of all tuples is worth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.boxes import boxes_of
from covey.codes.prices import Measure, extent
from covey.compiled.kernel import kernel

__all__ = ["CM", "DM", "TOTAL_IL", "UNITS", "Tuples", "judge_recoding"]

TOTAL_IL, CM, DM = 0, 1, 2
UNITS = 4_151_347_200
"""A suppressed row costs so many units of loss: whole numbers, so that sums neither round nor depend on their order.

2**11 x 3**4 x 5**2 x 7 x 11 x 13: halves, thirds and fifths of it are whole, so that equal losses come out equal.
"""
PRIME = np.uint64(0x9E3779B97F4A7C15)


class Tuples(NamedTuple):
    """The tuples and all their levels, and room to work in."""

    codes: np.ndarray
    """(p, t) int32"""
    counts: np.ndarray
    """(t,) int64"""
    measure: Measure
    tally: np.ndarray
    """(t, values of the target) int64: rows; no values if there is no target"""
    values: np.ndarray
    """int32: for every level of every column the value of each code, one after the other"""
    slots: np.ndarray
    """int64, a power of two and twice the tuples or more: a hash table of classes"""
    metric: int
    unit: float
    """the loss that is one unit"""


@kernel
def judge_recoding(table, at, k) -> tuple[int, int, int, IntVector, IntVector]:
    """Return (rows in classes below k, bound, cost, class of each tuple, rows of each class).

    at (p,) int64: where the chosen level of each column begins in `values`.  The cost is that of the classes of k and
    of suppressing the other rows; the bound that of all classes, none suppressed.  Classes are numbered in
    the order of their first tuples.
    """
    label, rows = _classes(table, at)
    if table.metric == TOTAL_IL:
        cost_of = _losses(table, label, rows)
    elif table.metric == CM:
        cost_of = _minorities(table, label, rows)
    else:
        cost_of = rows * rows
    small = 0
    bound = 0
    cost = 0
    price = UNITS if table.metric == TOTAL_IL else 1 if table.metric == CM else rows.sum()
    for c in range(len(rows)):
        bound += cost_of[c]
        if rows[c] >= k:
            cost += cost_of[c]
        else:
            small += rows[c]
            cost += rows[c] * price
    return small, bound, cost, label, rows


@kernel
def _classes(table, at):
    """Return (class of each tuple, rows of each class)."""
    p, t = table.codes.shape
    slots = table.slots
    slots[:] = -1
    mask = np.uint64(len(slots) - 1)
    label = np.empty(t, np.int64)
    first = np.empty(t, np.int64)
    rows = np.zeros(t, np.int64)
    n_classes = 0
    for i in range(t):
        key = np.uint64(0)
        for j in range(p):
            key = (key ^ np.uint64(table.values[at[j] + table.codes[j, i]])) * PRIME
            key ^= key >> np.uint64(29)
        slot = key & mask
        while slots[slot] >= 0 and not _is_same(table, at, first[slots[slot]], i):
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = n_classes
            first[n_classes] = i
            n_classes += 1
        label[i] = slots[slot]
        rows[label[i]] += table.counts[i]
    return label, rows[:n_classes]


@kernel
def _is_same(table, at, a, b):
    """Return whether two tuples have the same values."""
    for j in range(table.codes.shape[0]):
        if table.values[at[j] + table.codes[j, a]] != table.values[at[j] + table.codes[j, b]]:
            return False
    return True


@kernel
def _losses(table, label, rows):
    """Return the loss of every class, in units; each step of it is monotone, so joined classes never lose less."""
    low, high, _ = boxes_of(table.codes, np.arange(len(label)), label, len(rows))
    loss = np.empty(len(rows), np.int64)
    for c in range(len(rows)):
        width = extent(table.measure, low[c], high[c])
        units = np.int64(np.floor(width / table.unit + 0.5)) if table.unit > 0 else 0
        loss[c] = rows[c] * min(units, UNITS)
    return loss


@kernel
def _minorities(table, label, rows):
    """Return how many rows of every class do not have its commonest target value."""
    count = np.zeros((len(rows), table.tally.shape[1]), np.int64)
    for i in range(len(label)):
        for y in range(table.tally.shape[1]):
            count[label[i], y] += table.tally[i, y]
    fewer = np.empty(len(rows), np.int64)
    for c in range(len(rows)):
        fewer[c] = rows[c] - count[c].max()
    return fewer
