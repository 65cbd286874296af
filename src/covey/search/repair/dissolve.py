"""Give rows to classes one by one, each where the loss grows least and the class still satisfies its rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.kernels.class_tree import INCREASE, cheapest, index_classes, join_class, refit, refit_all

__all__ = ["REFUSALS", "place_rows"]

REFUSALS = 64
"""After so many classes that would no longer satisfy their rules with it, a row stays where it is."""


class Counted(NamedTuple):
    """How often each value occurs in each open class, by rule."""

    keys: np.ndarray
    """int64, a hash table: (rule x classes + class) x width + value, -1 in a free place"""
    rows: np.ndarray
    """int64: how many rows of the class have the value"""
    most: np.ndarray
    """(rules, classes) int64: how many have its commonest value"""
    width: int
    """how many values there may be"""


@kernel
def place_rows(codes, row_tuple, measure, label, is_open, order, values, times, per, prune) -> None:
    """Give each row of `order` in turn to the open class whose loss it raises least; ties: the lowest class.

    codes (p, t) int32; row_tuple (n,) int64; label (n,) int64, changed in place; is_open (c,) bool; order: rows of
    classes that are not open; values (m, n) int64, times and per (m,) int64: a class may take a row only if after
    it, for every m, (rows of the commonest value) x times <= rows x per.  prune: False looks at every open class.
    Prices must be whole numbers: then no loss is rounded.
    """
    ones = np.ones(row_tuple.shape[0], np.int64)
    columns, points, classes, nodes = index_classes(codes, measure, row_tuple, ones, label, is_open.shape[0])
    for c in range(is_open.shape[0]):
        classes.is_open[c] = is_open[c]
    refit_all(nodes, classes)
    counted = _counted(label, is_open, values, times, order.shape[0])
    refused = np.empty(REFUSALS, np.int64)
    home = -1
    for turn, row in enumerate(order):
        if turn & DEAR_TURNS == 0:
            pause(turn, len(order))
        point = points[row_tuple[row]]
        n_refused = 0
        home = cheapest(columns, classes, nodes, point, INCREASE, prune, home)
        while home >= 0 and not _takes(counted, values, times, per, classes.rows, home, row):
            classes.is_open[home] = False
            refit(nodes, classes, home)
            refused[n_refused] = home
            n_refused += 1
            if n_refused == REFUSALS:
                home = -1
                break
            home = cheapest(columns, classes, nodes, point, INCREASE, prune, home)
        for i in range(n_refused):
            classes.is_open[refused[i]] = True
            refit(nodes, classes, refused[i])
        if home < 0:
            continue
        label[row] = home
        join_class(columns, classes, home, point)
        refit(nodes, classes, home)
        for m in range(times.shape[0]):
            if times[m] > 0:
                _count(counted, m, home, values[m, row])


@kernel
def _counted(label, is_open, values, times, n_more):
    """Return `Counted`, with room for so many rows more."""
    limited = 0
    for m in range(times.shape[0]):
        limited += times[m] > 0
    room = 16
    while room < 2 * limited * (label.shape[0] + n_more):
        room *= 2
    counted = Counted(
        np.full(room, -1, np.int64),
        np.zeros(room, np.int64),
        np.zeros((times.shape[0], is_open.shape[0]), np.int64),
        max(values.max() + 1, 1) if values.size > 0 else 1,
    )
    for m in range(times.shape[0]):
        if times[m] == 0:
            continue
        for row in range(label.shape[0]):
            c = label[row]
            if c >= 0 and is_open[c]:
                _count(counted, m, c, values[m, row])
    return counted


@kernel
def _count(counted, m, c, value):
    """Count a row more of a value in class c, for rule m."""
    key, slot = _find(counted, m, c, value)
    counted.keys[slot] = key
    counted.rows[slot] += 1
    counted.most[m, c] = max(counted.most[m, c], counted.rows[slot])


@kernel
def _find(counted, m, c, value):
    """Return (key, slot): where the rows of a value in class c stand for rule m, or the free place they would have."""
    keys = counted.keys
    mask = keys.shape[0] - 1
    key = (m * counted.most.shape[1] + c) * counted.width + value
    # the golden ratio spreads keys that follow each other; half of the places stay free
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return key, slot


@kernel
def _takes(counted, values, times, per, rows, c, row):
    """Return whether class c still satisfies every rule with the row."""
    for m in range(times.shape[0]):
        if times[m] > 0:
            count = counted.rows[_find(counted, m, c, values[m, row])[1]] + 1
            if max(counted.most[m, c], count) * times[m] > (rows[c] + 1) * per[m]:
                return False
    return True
