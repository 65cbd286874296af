"""Median partitioning (LeFevre et al. 2006: Mondrian), strict and relaxed.

A node (at first the whole table) of 2k rows or more is cut in two at the median of its widest column:

- width: weight x price of the column's interval; flat categories: weight x (hi - lo) / (m - 1) over the
  m values in the order of their labels, which P0 rightly calls poor; a tree: the price of the node;
- strict: equal values stay together; the values at the median go to the side that balances better;
- a tree column is cut between two children of its lowest common ancestor, nearest the median;
- a column that gives no two sides of k rows is passed over for the next widest.

`relaxed` deals the rows at the median to both sides, so that they differ by one row at most (a tree
column only where the cut between children gives no two sides of k).

Source: LeFevre, DeWitt and Ramakrishnan, 2006.
Guarantee: every class has at least k rows; relaxed: at most 2k - 1, unless all its rows are equal.
Cost: O(items x (columns + log codes)) time for each level of cuts, O(items x columns) memory, where items are distinct
tuples (strict) or rows (relaxed).
Ties: lowest column, then lowest cut, exactly: widths are compared in whole numbers (`covey.codes.whole_prices`).  The
order of the rows does not matter (relaxed: up to equal rows).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from covey.base.checks import at_least, one_of
from covey.codes.codes import Codes
from covey.codes.prices import FLAT, ORDERED
from covey.codes.whole_prices import in_whole_prices
from covey.search.estimator import Estimator, parameter
from covey.search.mondrian.kernels import partition
from covey.search.task import Found, Task

__all__ = ["Mondrian"]


@dataclass(eq=False, repr=False)
class Mondrian(Estimator):
    """Classes of at least `k` rows, cut from the table at medians.

    `relaxed`: whether rows with equal values may go to both sides of a cut.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> a = np.array([[0] * 7 + [1, 2, 3]], np.uint8)  # seven times 0, then 10, 20, 30
    >>> codes = codes_from_matrix(a, np.array([0]), np.ones(1), [np.arange(4) / 3], np.array([4]))
    >>> Mondrian(k=3).labels(codes)
    array([0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    >>> Mondrian(k=3, relaxed=True).labels(codes)
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    relaxed: bool = parameter(False, one_of(False, True))

    @property
    def needs_rows(self) -> bool:
        """Return whether equal rows may part."""
        return self.relaxed

    def search(self, task: Task) -> Found:
        """Return the class of every row; classes are numbered from left to right."""
        codes = in_whole_prices(_with_flat_in_order(task.codes), 1)
        # one type of codes, so that the kernel is compiled once
        tuples = np.ascontiguousarray(codes.columns.T, dtype=np.int32)
        if not self.relaxed:
            return Found(of_tuple=partition(tuples.copy(), codes.counts.copy(), codes.measure, task.k, False))
        row_tuple = task.table.row_tuple
        row = np.argsort(row_tuple, kind="stable")  # equal rows together, the lowest first
        labels = np.empty(codes.n_rows, np.int64)
        ones = np.ones(codes.n_rows, np.int64)
        labels[row] = partition(tuples[row_tuple[row]], ones, codes.measure, task.k, True)
        return Found(of_row=labels)


def _with_flat_in_order(codes: Codes) -> Codes:
    """Return the codes with flat columns as ordered ones, their values in equal steps."""
    offsets, parts = codes.offsets.copy(), [codes.positions]
    for j in np.flatnonzero(codes.kinds == FLAT).tolist():
        offsets[j] = sum(map(len, parts))
        steps = max(int(codes.sizes[j]) - 1, 1)
        parts.append(np.append(np.arange(codes.sizes[j]) / steps, 1.0))
    kinds = np.where(codes.kinds == FLAT, ORDERED, codes.kinds).astype(codes.kinds.dtype)
    return replace(codes, kinds=kinds, offsets=offsets, positions=np.concatenate(parts))
