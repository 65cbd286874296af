"""One-pass k-means (Lin and Wei 2008), both stages, every class legal.

The rows are sorted by the quasi columns, and as many rows as there can be classes of k are drawn: each starts a
class and is its first centre.  Every other row in turn joins the class with the nearest centre, which moves at
once.  Then each class above k rows gives up those furthest from its centre, which moves with every one of
them; in the order of the sort they join the class below k rows with the nearest centre, and once there is
none, the nearest of all.

A centre is the mean position of ordered columns and the most frequent value of the others, or with
`centre="lca"` the lowest common ancestor of their values (for labels without a tree: the one value, or any).
The distance is the weighted sum of prices from centre to row.  A missing value has the position it is priced
by, a whole domain below the least.

Source: Lin and Wei, 2008, both stages.
Guarantee: every class has k to 2k - 1 rows, whatever the table.
Cost: O(rows x columns) memory.  Time: rows^2 / k at worst in the first stage, where a tree of the centres spares most
comparisons without changing the result; the square of its distinct rows for a class in the second.
Ties: the lowest class, the lowest row in the order of the sort, the lowest code; classes are numbered in that order
too.  Distances are compared as multiples of 1e-9 (of the largest weight or so), as in `KMember`: centres are means, and
what differs by rounding only is a tie.  The order of the rows matters among equal rows only.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from covey.base.checks import at_least, one_of
from covey.search.estimator import Estimator, parameter
from covey.search.one_pass.kernels import one_pass
from covey.search.task import Found, Task

__all__ = ["OnePassKMeans"]


@dataclass(eq=False, repr=False)
class OnePassKMeans(Estimator):
    """Classes of `k` to `2k - 1` rows around centres that move as rows join them.

    `seed` draws the rows that start the classes.
    `centre`: of categories the `"mode"` (most frequent value) or the `"lca"` (lowest common ancestor).

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> OnePassKMeans(k=2).labels(codes)
    array([1, 1, 0, 1, 0])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    seed: int = parameter(0, at_least(0))
    centre: Literal["mode", "lca"] = parameter("mode", one_of("mode", "lca"))
    needs_rows = True

    def search(self, task: Task) -> Found:
        """Return the class of every row; classes are numbered in the order of the rows that start them."""
        codes, _ = task.table.with_weights_near_one()
        random = np.random.default_rng(self.seed)
        seeds = np.sort(random.choice(codes.n_rows, codes.n_rows // task.k, replace=False))
        # tuples are numbered in the order of their codes: equal rows follow each other in row order
        rows = np.argsort(codes.row_tuple, kind="stable")
        labels = np.empty(codes.n_rows, np.int64)
        labels[rows] = one_pass(
            codes.narrow, codes.row_tuple[rows], codes.measure, task.k, seeds, self.centre == "lca", self._prune
        )
        return Found(of_row=labels)
