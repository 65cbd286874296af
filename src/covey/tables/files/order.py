"""A random order of rows, so that the place of a row in a file tells nothing."""

from __future__ import annotations

import os

import numpy as np

from covey.base.arrays import IntVector

__all__ = ["shuffle_rows"]


def shuffle_rows(n: int) -> IntVector:
    """Return the numbers 0 to n - 1 in a random order, drawn from the system's randomness.

    Every row gets 64 bits of `os.urandom` and rows are sorted by them: no seed exists that could be guessed
    or published, and no part of the order tells anything about the rest.  (Two equal keys, which keep their
    order, have a chance of n**2 / 2**65.)

    >>> sorted(shuffle_rows(4).tolist())
    [0, 1, 2, 3]
    """
    return np.argsort(np.frombuffer(os.urandom(8 * n), np.uint64), kind="stable")
