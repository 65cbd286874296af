"""Rows that are left over when classes have been made: each joins the one whose loss it raises least."""

from __future__ import annotations

from covey.base.arrays import IntVector
from covey.codes.codes import TableCodes
from covey.codes.whole_prices import in_whole_prices
from covey.search.k_member.growth import join_leftovers

__all__ = ["place_leftovers"]


def place_leftovers(codes: TableCodes, k: int, labels: IntVector, n_classes: int, order: IntVector) -> None:
    """Give each row of `order`, fewer than k, in turn to the class whose loss it raises least; labels are changed.

    Losses are compared in whole numbers; ties: the lowest class.  Every class has k rows at first.
    """
    whole = in_whole_prices(codes, 2 * k)
    join_leftovers(whole.narrow, whole.row_tuple, whole.measure, labels, n_classes, order)
