"""The columns of `Codes` as the measures see them: what two values cost, and the centre of each class."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.codes.boxes import interval_prices
from covey.codes.codes import TableCodes
from covey.codes.prices import ORDERED
from covey.codes.tallies import count_values

__all__ = ["class_centres", "prices_between"]


def prices_between(codes: TableCodes, column: int, one: IntVector, other: IntVector) -> FloatVector:
    """Return the price of each pair of codes of one column."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    start, size = codes.offsets[column], codes.sizes[column]
    return interval_prices(codes.kinds[column], codes.positions, start, size, low, high)


def class_centres(codes: TableCodes, column: int, labels: IntVector, n_classes: int) -> FloatVector:
    """Return (c,): the centre of each class in one column, NaN where it has none.

    Ordered columns: the mean position of the values that are not missing; all others: the commonest code, the
    lowest of equally common ones.
    """
    released = labels >= 0
    owner, tuples = labels[released], codes.row_tuple[released]
    centres = np.full(n_classes, np.nan)
    if codes.kinds[column] != ORDERED:
        modes = count_values(owner, codes.columns[column][tuples]).of_majorities()
        centres[modes.classes] = modes.values
        return centres
    position = codes.values(column)[tuples]
    owner, position = owner[position >= 0], position[position >= 0]
    count = np.bincount(owner, minlength=n_classes)
    total = np.bincount(owner, weights=position, minlength=n_classes)
    centres[count > 0] = total[count > 0] / count[count > 0]
    return centres
