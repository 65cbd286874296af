"""The box of a growing class, with the price of every code joined to it.

The price of the box with one more code in it is a *term* of its extent.  For a category, or an ordered
column with few codes, `term` holds weight x price for each of them, so that the extent of the box with
a tuple is a sum of look-ups; the *place* of a code is where its term stands.  The terms of an ordered
column with many codes are computed from positions; there the place is where the position stands.
Either way a term is the very number that `prices.extent` adds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.codes.prices import FLAT, ORDERED
from covey.compiled.kernel import kernel

__all__ = ["Box", "Columns", "joined", "least", "new_box", "new_columns", "set_point", "tidy", "widen"]

TABLED = 512
"""The terms of an ordered column with more codes are not tabled: that would take longer than it saves."""


GRAIN = 1e-9
"""Extents are compared as multiples of this: what differs by rounding only is a tie, on every machine."""
PER_ONE = 1e9
"""So many grains are one."""


class Columns(NamedTuple):
    """The columns of `Codes`, without the codes."""

    kinds: np.ndarray
    """(p,) uint8"""
    weights: np.ndarray
    """(p,) float64"""
    positions: np.ndarray
    """float64, all columns"""
    offsets: np.ndarray
    """(p,) int64"""
    sizes: np.ndarray
    """(p,) int64"""
    tabled: np.ndarray
    """(p,) bool"""
    begin: np.ndarray
    """(p,) int64: the place of code 0"""


class Box(NamedTuple):
    """The least box around a class."""

    low: np.ndarray
    """(p,) int32: least place"""
    high: np.ndarray
    """(p,) int32: greatest place"""
    low_position: np.ndarray
    """(p,) float64: their positions, for ordered columns that are not tabled"""
    high_position: np.ndarray
    """(p,) float64"""
    term: np.ndarray
    """float64: weight x price of the box with the code at each place; of a flat column 0 for a single code"""


@kernel
def new_columns(measure):
    """Return `Columns`: which of them are tabled, and where their places begin."""
    kinds, weights, positions, offsets, sizes = measure
    p = kinds.shape[0]
    tabled = np.zeros(p, np.bool_)
    begin = np.zeros(p, np.int64)
    total = 0
    for j in range(p):
        tabled[j] = kinds[j] != ORDERED or sizes[j] <= TABLED
        begin[j] = total if tabled[j] else offsets[j]
        if tabled[j]:
            total += sizes[j]
    return Columns(kinds, weights, positions, offsets, sizes, tabled, begin)


@kernel
def new_box(columns):
    """Return a `Box` at code 0 of every column, for `set_point` to move."""
    p = columns.kinds.shape[0]
    total = 0
    for j in range(p):
        if columns.tabled[j]:
            total += columns.sizes[j]
    low = np.empty(p, np.int32)
    high = np.empty(p, np.int32)
    term = np.zeros(total)
    for j in range(p):
        low[j] = high[j] = columns.begin[j]
        if columns.kinds[j] == FLAT:
            for code in range(1, columns.sizes[j]):
                term[columns.begin[j] + code] = columns.weights[j]
    return Box(low, high, np.zeros(p), np.zeros(p), term)


@kernel
def set_point(columns, box, places, at):
    """Make `box` the single tuple whose places are the p from places[at] on."""
    kinds, weights, positions, offsets, sizes, tabled, begin = columns
    low, high, low_position, high_position, term = box
    for j in range(kinds.shape[0]):
        place = places[at + j]
        if kinds[j] == FLAT:
            if low[j] == high[j]:
                term[low[j]] = weights[j]
            term[place] = 0.0
        elif tabled[j]:
            _price_codes(kinds[j], weights[j], positions, offsets[j], sizes[j], begin[j], place, place, term)
        else:
            low_position[j] = high_position[j] = positions[place]
        low[j] = high[j] = place


@kernel
def widen(columns, box, places, at):
    """Make `box` hold the tuple at places[at] too; return whether it changed."""
    kinds, weights, positions, offsets, sizes, tabled, begin = columns
    low, high, low_position, high_position, term = box
    changed = False
    for j in range(kinds.shape[0]):
        place = places[at + j]
        if low[j] <= place <= high[j]:
            continue
        changed = True
        if kinds[j] == FLAT and low[j] == high[j]:
            term[low[j]] = weights[j]
        low[j], high[j] = min(low[j], place), max(high[j], place)
        if not tabled[j]:
            low_position[j], high_position[j] = positions[low[j]], positions[high[j]]
        elif kinds[j] != FLAT:
            _price_codes(kinds[j], weights[j], positions, offsets[j], sizes[j], begin[j], low[j], high[j], term)
    return changed


@kernel
def _price_codes(kind, weight, positions, offset, size, begin, low, high, term):
    """Set the terms of all codes of a column, ordered or a tree, for a box from place `low` to `high`."""
    shift = offset - begin
    if kind == ORDERED:
        low_position, high_position = positions[low + shift], positions[high + shift]
        for place in range(begin, begin + size):
            x = positions[place + shift]
            term[place] = weight * min(max(high_position, x) - min(low_position, x), 1.0)
        return
    inner = 0.0  # a tree: the highest gap between neighbours inside the box, then also on the way to the leaf
    for place in range(low, high):
        inner = max(inner, positions[place + shift])
    for place in range(low, high + 1):
        term[place] = weight * inner
    highest = inner
    for place in range(high + 1, begin + size):
        highest = max(highest, positions[place - 1 + shift])
        term[place] = weight * highest
    highest = inner
    for place in range(low - 1, begin - 1, -1):
        highest = max(highest, positions[place + shift])
        term[place] = weight * highest


@kernel
def tidy(value):
    """Return the nearest multiple of `GRAIN`; it never reverses an order, so a bound stays a bound."""
    return np.rint(value * PER_ONE) * GRAIN  # dividing by the grain takes ten times as long


@kernel
def joined(places, at, tabled, weights, positions, low_position, high_position, term):
    """Return the extent, tidied, of a box with the tuple whose places are the p from places[at] on.

    The arrays of `Columns` and `Box` come one by one, here and below: so the call is inlined.
    """
    total = 0.0
    for j in range(tabled.shape[0]):
        place = places[at + j]
        if tabled[j]:
            total += term[place]
        else:
            x = positions[place]
            total += weights[j] * min(max(high_position[j], x) - min(low_position[j], x), 1.0)
    return tidy(total)


@kernel
def least(low, high, at, box_low, tabled, weights, positions, low_position, high_position, term):
    """Return a lower bound of the tidied extent of a box with any tuple between low[at:] and high[at:].

    Its terms are those of the place nearest to the box: prices only rise as an interval grows.
    """
    total = 0.0
    for j in range(tabled.shape[0]):
        place = min(max(low[at + j], box_low[j]), high[at + j])
        if tabled[j]:
            total += term[place]
        else:
            x = positions[place]
            total += weights[j] * min(max(high_position[j], x) - min(low_position[j], x), 1.0)
    return tidy(total)
