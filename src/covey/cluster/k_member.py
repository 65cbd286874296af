"""Greedy k-member clustering (Byun, Kamra, Bertino and Li, 2007, figure 8), exact and fast.

Each class starts with the free row that is furthest from the previous start (the first: from a reference
row drawn at random) and takes, k - 1 times, the free row with which its extent is least.  The fewer than
k rows that are left over each join the class whose loss they raise least.

The result is that of the plain loop over all rows, to the last tie.  Here equal rows are one tuple with
a queue of row numbers, and a tree of boxes over the tuples tells which of them cannot be furthest or
cheapest: the tuples looked at in a step are tens, not all that are free.

Guarantee: every class has k to 2k - 1 rows (P0, theorem 2).  Ties: lowest row; for leftovers lowest class.
Cost: O(tuples x columns) memory.  Time: the square of the tuples at worst (many columns, all rows unlike),
hardly more than linear in practice: four times the rows of a census-like table take five times as long
(`benchmarks/k_member.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np

from covey.arrays import IntVector
from covey.checks import at_least, one_of, optional, plural
from covey.cluster._estimator import Estimator
from covey.cluster.kernels.k_member import grow_classes, place_leftovers
from covey.encode import Codes
from covey.errors import InputError

__all__ = ["KMember"]


class KMember(Estimator):
    """Classes of `k` to `2k - 1` rows, each grown by the row with which its extent stays least.

    `start`: the reference row (counted from 0) in place of the one drawn from `seed`.
    `next_seed`: a class starts furthest from the `"seed"` of the class before it, as the paper's text
    says, or from the `"last"` row that joined it, as its figure has it.
    `leftovers`: they join in row `"order"`, or in `"random"` order (drawn from `seed`) as in the paper.

    >>> import numpy as np
    >>> from covey.encode import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> KMember(k=2, start=0).labels(codes)
    array([1, 0, 1, 0, 1])
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]] = {
        "k": at_least(2),
        "seed": at_least(0),
        "start": optional(at_least(0)),
        "next_seed": one_of("seed", "last"),
        "leftovers": one_of("order", "random"),
    }
    _prune: ClassVar[bool] = True

    def __init__(
        self,
        k: int = 5,
        *,
        seed: int = 0,
        start: int | None = None,
        next_seed: Literal["seed", "last"] = "seed",
        leftovers: Literal["order", "random"] = "order",
    ) -> None:
        self.k = k
        self.seed = seed
        self.start = start
        self.next_seed = next_seed
        self.leftovers = leftovers

    def cluster(self, codes: Codes) -> IntVector:
        """Return the class of every row; classes are numbered in the order in which they are made."""
        random = np.random.default_rng(self.seed)
        start = self._reference_row(codes.n_rows, random)
        columns = codes.columns.astype(np.int32)  # one type, so that the kernels are compiled once
        prices = (codes.kinds, codes.weights, codes.positions, codes.offsets, codes.sizes)
        labels, n_classes = grow_classes(
            columns,
            codes.counts,
            codes.row_tuple,
            *prices,
            int(self.k),
            start,
            self.next_seed == "last",
            self._prune,
        )
        left = np.flatnonzero(labels < 0)
        if self.leftovers == "random":
            left = random.permutation(left)
        place_leftovers(columns, codes.row_tuple, *prices, labels, n_classes, left)
        return labels

    def _reference_row(self, n_rows: int, random: np.random.Generator) -> int:
        if self.start is None:
            return int(random.integers(n_rows))
        if self.start >= n_rows:
            raise InputError(
                f"`start` of KMember is row {self.start:,}, counted from 0; the table has {plural(n_rows, 'row')}",
                code="bad-parameter",
                hint=f"give a row from 0 to {n_rows - 1:,}, or leave `start` out",
            )
        return int(self.start)
