"""Threshold clustering (Loukides and Shao 2007), exact and fast.

A row drawn at random starts a class; the free row with which its extent is least joins, again and again, until
the extent would pass a threshold; then the next class starts from another free row drawn at random.  There is no limit
on the rows of a class.

At the end the classes below k are deleted.  Their rows are suppressed (class -1) as far as the budget allows, the
dearest first: those that would raise the loss most if they joined a legal class, as these stand then.  All the
others join, in row order, the class whose loss they raise least.  If no class is legal, the two whose union has the
least extent are merged until one is.

A row equal to one of a class costs nothing more, so equal rows join together, and the tree of boxes of `KMember` tells
which tuples cannot be the cheapest.

Source: Loukides and Shao, 2007 ("Capturing data usefulness and privacy protection in k-anonymisation"), as Kabir et al.
2010 describe it: "the information loss" must not pass a threshold of the user.  Per row, that is the extent.  The
classes are those of the plain loop over all rows, to the last tie.
Guarantee: every class has k rows or more, and no more rows are suppressed than the budget allows.
Cost: O(tuples x columns) memory.  Time: the square of the tuples at worst (many columns, all rows unlike), hardly more
than linear in practice (benchmarks/SCALE.md); a threshold that is to be found takes it some seven times, a proposal
seventeen times.
Ties: lowest row, lowest class, lowest pair of classes; equally dear rows are suppressed from the lowest on.  Extents
with a free row are compared as multiples of 1e-9, as in `KMember`, losses and unions of classes in whole numbers
(`covey.codes.whole_prices`), exactly.  The order of the rows matters.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from covey.ask.schema import Schema
from covey.base.arrays import IntVector
from covey.base.checks import at_least, bad_parameter, check, is_share, one_of, optional, require_rows, rows_of_share
from covey.codes.boxes import suppressed_price, total_loss
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_frame
from covey.codes.whole_prices import in_whole_prices
from covey.search.estimator import Estimator, parameter
from covey.search.leftovers import place_freely
from covey.search.task import Found, Task
from covey.search.threshold.kernels import grow_to_threshold, joining_costs, merge_until_legal
from covey.tables.frames import as_frame

__all__ = ["ThresholdClustering"]

STEPS = 16
"""How often a proposal halves the range in which the threshold lies."""


def _is_extent(value: object) -> str | None:
    """Return what is wrong with a threshold."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return None if is_number and 0 <= float(value) < math.inf else "a number of 0 or more"  # type: ignore[arg-type]


@dataclass(eq=False, repr=False)
class ThresholdClustering(Estimator):
    """Classes of `k` rows or more that were grown up to an extent; what stays below k is suppressed or merged.

    `seed` draws an order of all rows; each class starts with the first of them that is still free.
    `threshold`: the extent that no class may pass while it grows, in the unit of the weights.  Without one it is
    found: half the weights of the columns that vary, halved as long as the loss falls by it.
    `small`: rows of a class below k are suppressed (`"suppress"`) as far as the budget goes, or join another class
    (`"merge"`).
    `suppression`: the budget, the greatest share of all rows that may be suppressed; the release's own by name.

    After `fit` the threshold that was used is `threshold_`.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 99, 36, 63])
    >>> rank, position = np.array([[0, 3, 1, 5, 2, 4]], np.uint8), (np.sort(age) - 34) / 65
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([6]))
    >>> ThresholdClustering(k=2, threshold=0.1).labels(codes)
    array([0, 1, 0, 1, 0, 1])
    >>> ThresholdClustering(k=2, threshold=0.1, suppression=0.2).labels(codes)  # one of six rows at most
    array([ 0,  1,  0, -1,  0,  1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    seed: int = parameter(0, at_least(0))
    threshold: float | None = parameter(None, optional(_is_extent))
    small: Literal["suppress", "merge"] = parameter("suppress", one_of("suppress", "merge"))
    suppression: float = parameter(0.0, is_share)
    needs_rows = True

    def may_suppress(self) -> bool:
        """Return whether small classes are suppressed, not merged."""
        return self.small == "suppress"

    def search(self, task: Task) -> Found:
        """Return the class of every row, -1 if it is suppressed; classes are numbered in the order they are made."""
        codes, k = task.table, task.k
        if self.threshold is None:
            self.threshold_, labels = self._least_loss(codes, k)
        else:
            self.threshold_ = float(self.threshold)
            labels = self._legal(codes, self._grown(codes, self.threshold_), k)
        return Found(of_row=labels)

    @classmethod
    def propose(cls, table: Any, k: int, share: float = 0.02, schema: Schema | None = None, seed: int = 0) -> float:
        """Return a threshold at which about `share` of the rows, and no more, are in classes below k.

        The range from 0 to the sum of the weights is halved 16 times, on the side of the lower threshold where
        that leaves at most `share` in small classes.  The share falls with the threshold on the whole, not at
        every step: there may be a lower threshold that does.  It holds for the same table, k and seed.
        """
        check(cls(k=k, seed=seed))
        if (fault := is_share(share)) is not None:
            raise bad_parameter(f"`share` must be {fault}", "for example share=0.02, two rows in a hundred")
        codes = encode_frame(as_frame(table), schema)
        require_rows(k, codes.n_rows)
        estimator = cls(k=k, seed=seed)
        most = rows_of_share(share, codes.n_rows)

        def is_enough(threshold: float) -> bool:
            rows = np.bincount(estimator._grown(codes, threshold), weights=codes.counts)
            return bool(rows[rows < k].sum() <= most)

        low, high = 0.0, suppressed_price(codes)  # one class of all rows is legal
        if is_enough(low):
            return low
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high

    def _least_loss(self, codes: TableCodes, k: int) -> tuple[float, IntVector]:
        """Return (threshold, labels): half the weights, halved as long as the loss falls by it."""
        threshold = suppressed_price(codes) / 2
        grown = self._grown(codes, threshold)
        labels = self._legal(codes, grown, k)
        loss = total_loss(codes, labels)
        while loss > 0:
            grown = self._grown(codes, threshold / 2)
            if np.bincount(grown, weights=codes.counts).max() < k:  # nothing legal is left to find
                break
            other = self._legal(codes, grown, k)
            other_loss = total_loss(codes, other)
            if other_loss >= loss:
                break
            threshold, labels, loss = threshold / 2, other, other_loss
        return threshold, labels

    def _grown(self, codes: TableCodes, threshold: float) -> IntVector:
        """Return the class of every tuple, classes below k too."""
        order = np.random.default_rng(self.seed).permutation(codes.n_rows)
        codes, factor = codes.with_weights_near_one()
        _, first_row = np.unique(codes.row_tuple, return_index=True)
        labels, _ = grow_to_threshold(
            codes.narrow, first_row, codes.row_tuple, codes.measure, order, threshold * factor, self._prune
        )
        return labels

    def _legal(self, codes: TableCodes, grown: IntVector, k: int) -> IntVector:
        """Return the class of every row, given that of every tuple: none is below k, and -1 is suppressed."""
        codes = in_whole_prices(codes, codes.n_rows)
        rows = np.bincount(grown, weights=codes.counts)
        if rows.max() < k:
            nothing = np.zeros((len(rows), 0), np.uint64)  # of sensitive values
            merge_until_legal(
                codes.narrow, codes.counts, codes.measure, grown, len(rows), k, nothing, np.zeros(1, np.int64), 0
            )
            rows = np.bincount(grown, weights=codes.counts)
        is_legal = rows >= k
        n_classes = int(is_legal.sum())
        of_tuples = np.where(is_legal, np.cumsum(is_legal) - 1, -1)[grown]
        labels = of_tuples[codes.row_tuple]
        left = np.flatnonzero(labels < 0)
        budget = rows_of_share(self.suppression, codes.n_rows) if self.small == "suppress" else 0
        if 0 < budget < len(left):
            costs = joining_costs(codes.narrow, codes.counts, codes.measure, of_tuples, n_classes)
            dearest = np.argsort(-costs[codes.row_tuple[left]], kind="stable")[:budget]
            left = np.delete(left, dearest)
        elif budget > 0:
            left = left[:0]
        place_freely(codes, labels, np.ones(n_classes, np.bool_), left, self._prune)
        return labels
