"""Streams of random numbers by counting: number i of a stream is computed from its key and i alone.

A key is any 64-bit number, and a number drawn from one stream can be the key of another.  So every part of a table
has a stream of its own, whichever core works on it and when.  The numbers are those of SplitMix64 (Steele, Lea and
Flood, 2014), started at the key.
"""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel

__all__ = ["below", "draw", "shuffle"]

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@kernel
def draw(key, i) -> np.uint64:
    """Return number i of the stream of `key`, a uint64; i counts from 0."""
    z = key + (np.uint64(i) + np.uint64(1)) * STEP
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    number: np.uint64 = z ^ (z >> np.uint64(31))
    return number


@kernel
def below(number, bound):
    """Return a number of 0..bound-1 from a random uint64; bound < 2**32."""
    return np.int64(((number >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def shuffle(key, order):
    """Put 0..n-1 into `order` (n,) int64 in the random order that `key` stands for."""
    for i in range(order.shape[0]):
        order[i] = i
    for i in range(order.shape[0] - 1, 0, -1):
        j = below(draw(key, i), i + 1)
        order[i], order[j] = order[j], order[i]
