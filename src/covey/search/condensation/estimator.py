"""Condensation by nearest neighbours: a random row and its k - 1 nearest form a class, again and again.

The distance of two rows is the extent of the two.  The fewer than k rows that are left over each join the class whose
loss they raise least, in row order, as in `KMember`.  Equal rows are one tuple with a queue of row numbers, and the
tree of boxes of `KMember` tells which tuples cannot be among the nearest: the time is far below that of comparing all
rows with all.

Source: the grouping step of condensation (Aggarwal and Yu, 2004), with which Byun et al. 2007 compare k-member.
Condensation publishes statistics of the groups, covey their boxes.  The neighbours are exact, those of the plain loop
over all rows, to the last tie.
Guarantee: every class has k to 2k - 1 rows.
Cost: O(tuples x columns) memory.  Time: the square of the tuples at worst (many columns, all rows unlike), hardly more
than linear in practice (benchmarks/SCALE.md).
Ties: lowest row; for leftovers lowest class.  Distances are compared as multiples of 1e-9, as in `KMember`, losses in
whole numbers (`covey.codes.whole_prices`), exactly.  The order of the rows matters.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from covey.base.checks import at_least
from covey.search.condensation.kernels import group_nearest
from covey.search.estimator import Estimator, parameter
from covey.search.leftovers import place_leftovers
from covey.search.task import Found, Task

__all__ = ["CondensationKNN"]


@dataclass(eq=False, repr=False)
class CondensationKNN(Estimator):
    """Classes of `k` to `2k - 1` rows: a row drawn at random, and its nearest.

    `seed` draws an order of all rows; each class starts with the first of them that is still free, which
    is the same as drawing one of the free rows each time.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> CondensationKNN(k=2, seed=0).labels(codes)
    array([0, 1, 0, 1, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    seed: int = parameter(0, at_least(0))
    needs_rows = True

    def search(self, task: Task) -> Found:
        """Return the class of every row; classes are numbered in the order in which they are made."""
        given, k = task.table, task.k
        order = np.random.default_rng(self.seed).permutation(given.n_rows)
        codes, _ = given.with_weights_near_one()
        labels, n_classes = group_nearest(
            codes.narrow, codes.counts, codes.row_tuple, codes.measure, k, order, self._prune
        )
        place_leftovers(given, k, labels, n_classes, np.flatnonzero(labels < 0))
        return Found(of_row=labels)
