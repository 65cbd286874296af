"""What recodings of a whole table share: rows under a recoding, and classes in a fixed order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.codes.codes import Codes

__all__ = ["generalise", "in_order_of_tuples"]


def generalise(codes: Codes, cut: Sequence[IntVector]) -> IntMatrix:
    """Return (p, n) int32: for every row the value that its code belongs to, given that of each code per column."""
    values = [of_code.astype(np.int32)[column] for of_code, column in zip(cut, codes.columns, strict=True)]
    return np.stack(values)[:, codes.row_tuple]


def in_order_of_tuples(label: IntVector) -> IntVector:
    """Return the labels renumbered by the first tuple that has each.

    >>> in_order_of_tuples(np.array([7, 2, 7, 5]))
    array([0, 1, 0, 2])
    """
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse])
