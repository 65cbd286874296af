"""What classes cost by measures that the papers name and no search here minimises: diameters, and NCP by order."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.codes.boxes import summarise, suppressed_price
from covey.codes.codes import TableCodes
from covey.codes.prices import ORDERED
from covey.metrics._classes import counted, one_per_row
from covey.metrics._columns import prices_between
from covey.metrics.kernels.intervals import find_diameters

__all__ = ["centre_cost", "diameter_cost", "ordered_ncp"]


def diameter_cost(codes: TableCodes, labels: Any) -> float:
    """Return the sum over classes of rows x diameter, the cost that P0's definition 3 minimises.

    The diameter of a class is the greatest distance (P0, definition 6) between two of its rows; it is at
    most the extent, so this is at most Total-IL.  A suppressed row costs the weights of the columns that are not
    constant, as in Total-IL.  labels (n,): the class of each row, -1 if suppressed.

    Cost: at worst the square of the different rows of each class; rows too far from the corners of the box to be one of
    the furthest pair are passed over.
    """
    labels = one_per_row("labels", labels, codes.n_rows)
    suppressed = int((labels < 0).sum())
    sizes = np.bincount(labels[labels >= 0])
    return float((sizes * _diameters(codes, labels)).sum()) + suppressed * suppressed_price(codes)


def centre_cost(codes: TableCodes, labels: Any) -> float:
    """Return the greatest diameter of a class, the cost of the k-centre problem (P1, equation 4).

    A suppressed row is in no class and adds nothing; 0 if there is no class.  Cost: as `diameter_cost`.
    """
    return float(_diameters(codes, one_per_row("labels", labels, codes.n_rows)).max(initial=0.0))


def _diameters(codes: TableCodes, labels: IntVector) -> FloatVector:
    """Return (c,): the greatest distance between two rows of each class."""
    summary = summarise(codes, labels)
    members = counted(labels, codes.row_tuple)
    starts = np.searchsorted(members.classes, np.arange(len(summary.sizes) + 1))
    return find_diameters(
        codes.columns.astype(np.int64), starts, members.values, summary.low, summary.high, codes.measure,
    )  # fmt: skip


def ordered_ncp(codes: TableCodes, labels: Any) -> float:
    """Return NCP by P2's definition 1 (He et al., 2012), which assumes a global order of the values of every column.

    Sum over rows and columns of weight x (greatest - least) / (last - first of the domain).  Ordered columns by
    their positions, as in NCP; the leaves of a tree in depth-first order and flat labels in the order of their
    codes, by their place in it.  A missing value mixed with others costs 1 in an ordered column; elsewhere it is one
    more value.  A suppressed row costs the weights of the columns that are not constant.  Over rows x sum of
    weights it is P2's GCP.
    """
    labels = one_per_row("labels", labels, codes.n_rows)
    summary = summarise(codes, labels)
    used = np.flatnonzero(summary.sizes)
    total = int((labels < 0).sum()) * suppressed_price(codes)
    for j, kind in enumerate(codes.kinds):
        low, high = summary.low[used, j], summary.high[used, j]
        if kind == ORDERED:
            width = prices_between(codes, j, low, high)
        else:
            width = (high - low) / max(int(codes.sizes[j]) - 1, 1)
        total += float(codes.weights[j]) * float((summary.sizes[used] * width).sum())
    return total
