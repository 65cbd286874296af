"""Give rows to classes one by one, each where the loss grows least and the class still satisfies its rules."""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.kernels.class_tree import (
    INCREASE,
    Classes,
    build_nodes,
    cheapest,
    joined_extent,
    point_values,
    refit,
)

__all__ = ["REFUSALS", "place_rows"]

REFUSALS = 64
"""After so many classes that would no longer satisfy their rules with it, a row stays where it is."""


@kernel
def place_rows(
    codes, row_tuple, measure, label, n_classes, is_open, order, values, times, per,
    prune,
) -> None:  # fmt: skip
    """Give each row of `order` in turn to the open class whose loss it raises least; ties: the lowest class.

    codes (p, t) int32; row_tuple (n,) int64; label (n,) int64, changed in place; is_open (c,) bool; order: rows of
    classes that are not open; values (m, n) int64, times and per (m,) int64: a class may take a row only if after
    it, for every m, (rows of the commonest value) x times <= rows x per.  prune: False looks at every open class.
    Prices must be whole numbers: then no loss is rounded.
    """
    p = codes.shape[0]
    n = row_tuple.shape[0]
    points = point_values(codes, measure)
    starts = np.full(n_classes, -1, np.int64)
    rows = np.zeros(n_classes, np.int64)
    low = np.full((n_classes, p), np.inf)
    high = np.full((n_classes, p), -np.inf)
    for row in range(n):
        c = label[row]
        if c >= 0:
            if starts[c] < 0:
                starts[c] = row_tuple[row]
            rows[c] += 1
            for j in range(p):
                low[c, j] = min(low[c, j], points[row_tuple[row], j])
                high[c, j] = max(high[c, j], points[row_tuple[row], j])
    classes = Classes(low, high, rows, np.zeros(n_classes), is_open.copy())
    columns, nodes = build_nodes(codes, starts, classes, measure)
    for c in range(n_classes):
        classes.extent[c] = joined_extent(columns, low[c], high[c], low[c])
        refit(nodes, classes, c)
    keys, counts, most = _counted(label, n_classes, is_open, values, times, order.shape[0])
    width = _width(values)
    refused = np.empty(REFUSALS, np.int64)
    for turn, row in enumerate(order):
        if turn & DEAR_TURNS == 0:
            pause(turn, len(order))
        point = points[row_tuple[row]]
        n_refused = 0
        home = cheapest(columns, classes, nodes, point, INCREASE, prune)
        while home >= 0 and not _takes(keys, counts, most, values, width, times, per, rows, home, row):
            classes.is_open[home] = False
            refit(nodes, classes, home)
            refused[n_refused] = home
            n_refused += 1
            if n_refused == REFUSALS:
                home = -1
                break
            home = cheapest(columns, classes, nodes, point, INCREASE, prune)
        for i in range(n_refused):
            classes.is_open[refused[i]] = True
            refit(nodes, classes, refused[i])
        if home < 0:
            continue
        label[row] = home
        classes.extent[home] = joined_extent(columns, low[home], high[home], point)
        rows[home] += 1
        for j in range(p):
            low[home, j] = min(low[home, j], point[j])
            high[home, j] = max(high[home, j], point[j])
        refit(nodes, classes, home)
        for m in range(times.shape[0]):
            if times[m] > 0:
                slot = _slot(keys, (m * n_classes + home) * width + values[m, row])
                counts[slot] += 1
                most[m, home] = max(most[m, home], counts[slot])


@kernel
def _width(values):
    width = 1
    for m in range(values.shape[0]):
        for row in range(values.shape[1]):
            width = max(width, values[m, row] + 1)
    return width


@kernel
def _counted(label, n_classes, is_open, values, times, n_more):
    """Return (keys, counts, most): rows of each value in each open class, in a hash table, and of the commonest."""
    width = _width(values)
    limited = 0
    for m in range(times.shape[0]):
        limited += times[m] > 0
    room = 16
    while room < 2 * limited * (label.shape[0] + n_more):
        room *= 2
    keys = np.full(room, -1, np.int64)
    counts = np.zeros(room, np.int64)
    most = np.zeros((times.shape[0], n_classes), np.int64)
    for m in range(times.shape[0]):
        if times[m] == 0:
            continue
        for row in range(label.shape[0]):
            c = label[row]
            if c >= 0 and is_open[c]:
                slot = _slot(keys, (m * n_classes + c) * width + values[m, row])
                counts[slot] += 1
                most[m, c] = max(most[m, c], counts[slot])
    return keys, counts, most


@kernel
def _slot(keys, key):
    """Return where the key stands in the hash table, or the free place that it now has."""
    mask = keys.shape[0] - 1
    # the golden ratio spreads keys that follow each other; half of the places stay free
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    keys[slot] = key
    return slot


@kernel
def _rows_with(keys, counts, key):
    """Return the count of a key, 0 if it is not in the hash table; unlike `_slot` it takes no place in it."""
    mask = keys.shape[0] - 1
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while keys[slot] >= 0:
        if keys[slot] == key:
            return counts[slot]
        slot = (slot + 1) & mask
    return 0


@kernel
def _takes(keys, counts, most, values, width, times, per, rows, c, row):
    """Return whether class c still satisfies every rule with the row."""
    n_classes = rows.shape[0]
    for m in range(times.shape[0]):
        if times[m] > 0:
            count = _rows_with(keys, counts, (m * n_classes + c) * width + values[m, row]) + 1
            if max(most[m, c], count) * times[m] > (rows[c] + 1) * per[m]:
                return False
    return True
