"""Boxes of `LossCut` as single vectors, and their extent.

A tuple is one vector of 2p integers: its p codes, then `top` minus each code, `top` being the greatest
value of the integer type.  The box of a set of tuples is the element-wise minimum of their vectors: the
lows, then `top` minus the highs.  Joining two boxes is one short loop, which the compiler turns into
vector instructions whatever the kinds of the columns are.
"""

from __future__ import annotations

import numpy as np

from covey.codes.prices import price
from covey.compiled.kernel import kernel

__all__ = ["active_columns", "box_extent", "copy", "join", "swap"]


@kernel
def join(box, other):
    """Widen `box` until it holds `other` too.

    In place on purpose: with a third array for the result the compiler must fear that two overlap.
    """
    for i in range(box.shape[0]):
        box[i] = other[i] if other[i] < box[i] else box[i]


@kernel
def copy(box, other):
    """Make `box` equal to `other`."""
    for i in range(box.shape[0]):
        box[i] = other[i]


@kernel
def swap(box, other):
    """Exchange `box` and `other`."""
    for i in range(box.shape[0]):
        box[i], other[i] = other[i], box[i]


@kernel
def active_columns(box, top, weights):
    """Return the columns that vary in a box and have a weight, ascending."""
    p = weights.shape[0]
    active = np.empty(p, np.int64)
    n_active = 0
    for j in range(p):
        if weights[j] > 0.0 and np.int64(box[j]) != top - np.int64(box[p + j]):
            active[n_active] = j
            n_active += 1
    return active[:n_active]


@kernel
def box_extent(box, top, measure, active):
    """Return the extent of a box that varies in no column but the `active` ones (ascending).

    Terms are added in column order and every term left out is 0.0, so the result equals `prices.extent`
    bit for bit.
    """
    kinds, weights, positions, offsets, sizes = measure
    p = kinds.shape[0]
    total = 0.0
    for j in active:
        low = np.int64(box[j])
        high = top - np.int64(box[p + j])
        total += weights[j] * price(kinds[j], positions, offsets[j], sizes[j], low, high)
    return total
