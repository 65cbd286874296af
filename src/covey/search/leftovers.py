"""Rows that are left over when classes have been made: each joins the one whose loss it raises least."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.codes.codes import TableCodes
from covey.codes.whole_prices import in_whole_prices
from covey.search.repair.dissolve import place_rows

__all__ = ["place_freely", "place_leftovers"]


def place_leftovers(codes: TableCodes, k: int, labels: IntVector, n_classes: int, order: IntVector) -> None:
    """Give each row of `order`, fewer than k, in turn to the class whose loss it raises least; labels are changed.

    Losses are compared in whole numbers; ties: the lowest class.  Every class has k rows at first.
    """
    if len(order):  # else no class need be looked at
        place_freely(in_whole_prices(codes, 2 * k), labels, np.ones(n_classes, np.bool_), order)


def place_freely(
    codes: TableCodes, labels: IntVector, is_open: BoolVector, order: IntVector, prune: bool = True
) -> None:
    """Give each row of `order` in turn to the open class whose loss it raises least; labels are changed.

    The prices of the codes are whole numbers, and no class refuses a row; is_open (c,).
    """
    rules, values = np.zeros(0, np.int64), np.zeros((0, codes.n_rows), np.int64)  # none
    place_rows(codes.narrow, codes.row_tuple, codes.measure, labels, is_open, order, values, rules, rules, prune)
