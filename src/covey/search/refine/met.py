"""The classes that a search met, each once: what an integer program chooses from.

A class is known by the kinds of its rows: rows of one kind can stand for each other, being equal in all that is priced
and demanded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.kernel import kernel, lean_kernel
from covey.search.kernels.streams import draw

__all__ = ["Met", "new_met", "nothing_met", "record"]


class Met(NamedTuple):
    """Classes one after another, as long as there is room."""

    kind: np.ndarray
    """(items,) int64: the kind of each item"""
    kinds: np.ndarray
    """int64: the kind of every row of the classes, one class after another"""
    starts: np.ndarray
    """(most + 1,) int64: where each class begins"""
    loss: np.ndarray
    """(most,) float64: what its rows lose together"""
    table: np.ndarray
    """int64, a hash table: the class in each place, -1 if it is free"""
    keys: np.ndarray
    """(most,) uint64: a number that tells the classes apart"""
    used: np.ndarray
    """(1,) int64: how many classes there are"""
    tolerance: float
    """By how much the classes of a try may lose more than those before them"""


def new_met(kind: IntVector, most: int, rows: int, tolerance: float) -> Met:
    """Return room for so many classes, which have so many rows each on average."""
    places = 16
    while places < 2 * most:
        places *= 2
    return Met(
        kind=kind,
        kinds=np.empty(most * rows, np.int64),
        starts=np.zeros(most + 1, np.int64),
        loss=np.empty(most),
        table=np.full(places, -1, np.int64),
        keys=np.empty(most, np.uint64),
        used=np.zeros(1, np.int64),
        tolerance=float(tolerance),
    )


def nothing_met() -> Met:
    """Return room for none, where nobody asks for the classes."""
    return new_met(np.zeros(0, np.int64), 0, 0, 0.0)


@kernel
def record(met, label, items, rows, extent) -> None:
    """Take down classes that were not met before: the class and the item of each row; rows and extent of each class."""
    if met.loss.shape[0] == 0:
        return
    m = label.shape[0]
    keys = np.zeros(rows.shape[0], np.uint64)
    for i in range(m):
        # a sum does not depend on the order of the rows
        keys[label[i]] += draw(np.uint64(met.kind[items[i]]), 0)
    for c in range(rows.shape[0]):
        if rows[c] == 0 or not _is_new(met, keys[c], rows[c]):
            continue
        number = met.used[0]
        place = met.starts[number]
        for i in range(m):
            if label[i] == c:
                met.kinds[place] = met.kind[items[i]]
                place += 1
        met.starts[number + 1] = place
        met.loss[number] = rows[c] * extent[c]
        met.used[0] += 1


@lean_kernel
def _is_new(met, key, rows):
    """Return whether a class has not been met and there is room for it; then it has a place in the table."""
    number, mask = met.used[0], met.table.shape[0] - 1
    if number == met.loss.shape[0] or met.starts[number] + rows > met.kinds.shape[0]:
        return False
    place = np.int64(key & np.uint64(mask))
    while met.table[place] >= 0:
        if met.keys[met.table[place]] == key:
            return False
        place = (place + 1) & mask
    met.table[place] = number
    met.keys[number] = key
    return True
