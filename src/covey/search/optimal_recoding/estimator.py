"""Optimal full-domain recoding: of all recodings of the table that raise each column to one level, the best.

Every quasi column is published at one level for all rows: a taxonomy has a level per height, an order is parted into
halves, quarters and so on, a category without a tree is a value or `*`.  Rows that are then alike are a class;
classes below k may be suppressed within a budget, and beyond it the recoding is not allowed.  The recodings are a
lattice, and the best of them by the chosen metric is found exactly: if a recoding breaks k all finer ones
do, and no coarser one costs less than its classes, suppressed rows aside.

Source: full-domain generalisation is that of Samarati, 2001; the search by both kinds of pruning follows Bayardo and
Agrawal, 2005 (k-Optimal), whose recodings are more general than levels: any cuts of an order of the values.  Beside
theirs on Adult: experiments/results/p3.md.
Guarantee: every class has k rows or more, no more rows are suppressed than the budget allows, and no other recoding to
levels costs less.  A release publishes the least box of each class, which may be narrower than the level and differs
from class to class, so that the values of one column overlap; Total-IL is counted by it.  `levels_`, `cut_` and
`generalised_` tell the recoding itself, one coding per column, which can be tabulated.
Cost: O(tuples x columns) memory and a byte per recoding; above 2^24 recodings (the product of the numbers of levels) it
is refused.  Time: tuples x columns for each recoding that is looked at: in the worst case a large part of them; of
Adult's eight columns with trees, 150 to 300 of 17,280, with 5 % suppression up to 2,600.
Ties: the least sum of levels, then the lowest levels of the first columns.  Total-IL is compared in whole numbers, some
4 x 10^9 for the price of a suppressed row, so that ties are ties.  The order of the rows does not matter.
Options: missing values of an order stand alone below its parts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.base.checks import at_least, bad_parameter, is_name, is_share, one_of, optional, rows_of_share
from covey.base.errors import InputError
from covey.codes.boxes import suppressed_price
from covey.codes.codes import Codes
from covey.codes.tallies import Tally
from covey.compiled import pausing
from covey.search.estimator import parameter
from covey.search.optimal_recoding.kernels import CM, DM, TOTAL_IL, UNITS, Tuples, judge_recoding
from covey.search.optimal_recoding.lattice import Node, Worth, best_node
from covey.search.optimal_recoding.levels import column_levels
from covey.search.recoding import WholeRecoding, require_counts
from covey.search.task import Found, Task

__all__ = ["OptimalRecoding"]

METRICS = {"total_il": TOTAL_IL, "cm": CM, "dm": DM}
MOST_NODES = 2**24
"""Above so many recodings the search is refused."""
MOST_COUNTS = 2**26
"""Above so many pairs of a tuple and a target value the table of their counts does not fit (512 MB)."""


@dataclass(eq=False, repr=False)
class OptimalRecoding(WholeRecoding):
    """Classes of at least `k` rows that are alike after the best recoding of every column to one level.

    `metric`: what is least: `"total_il"` (a suppressed row costs the weights of all columns that vary), `"cm"` (rows
    without the commonest target value of their class; a suppressed row is one) or `"dm"` (the sum of the squares of
    the class sizes; a suppressed row costs all rows).
    `target`: the kept column that `"cm"` reads.
    `suppression`: the greatest share of all rows that may be suppressed; the release's own by name.
    `levels`: those of a taxonomy are counted from the `"leaves"` (by height) or from the `"root"` (by depth; a leaf
    above that depth stands for itself).  The same for trees whose leaves all have the same depth.
    `halvings`: numbers, dates and declared orders have their values, `2**halvings` equal parts of their range, half as
    many, and so on to one.

    After `fit`, `levels_` has the level of every quasi column (0: the values; levels that differ only in values that no
    row has count once), `cut_` the number of the value that each code belongs to, `generalised_` (columns,
    rows) that of each row, `n_recodings_` how many recodings there are and `n_judged_` how many were looked at.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> found = OptimalRecoding(k=2)
    >>> found.labels(codes)
    array([0, 1, 0, 1, 0])
    >>> found.levels_, found.n_recodings_
    ((2,), 4)
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    metric: Literal["total_il", "cm", "dm"] = parameter("total_il", one_of(*METRICS))
    target: str | None = parameter(None, optional(is_name))
    suppression: float = parameter(0.0, is_share)
    levels: Literal["leaves", "root"] = parameter("leaves", one_of("leaves", "root"))
    halvings: int = parameter(6, at_least(0))

    def reads(self) -> tuple[str, ...]:
        """Return the target, if there is one."""
        return () if self.target is None else (self.target,)

    def search(self, task: Task) -> Found:
        """Return the class of every tuple, -1 if it is suppressed; classes are in the order of their first tuples."""
        self._require_target()
        codes, k = task.codes, task.k
        levels = [column_levels(codes, j, self.levels, int(self.halvings)) for j in range(len(codes.sizes))]
        self.n_recodings_ = math.prod(len(column) for column in levels)
        if self.n_recodings_ > MOST_NODES:
            raise InputError(
                f"OptimalRecoding would search {self.n_recodings_:,} recodings; {MOST_NODES:,} is the most it does",
                code="too-large",
                hint="give fewer quasi columns, taxonomies with fewer levels, a lower `halvings` or another algorithm",
            )
        codes, _ = codes.with_weights_near_one()
        tuples, begins = self._tuples(codes, levels)
        budget = rows_of_share(self.suppression, codes.n_rows)

        def judge(node: Node) -> Worth:
            pausing.heard(0, 0)
            small, bound, cost, _, _ = judge_recoding(tuples, _at(begins, node), k)
            return Worth(small <= budget and small < codes.n_rows, int(bound), int(cost))

        self.levels_, self.n_judged_ = best_node([len(column) for column in levels], judge)
        self.cut_: tuple[IntVector, ...] = tuple(
            column[level] for column, level in zip(levels, self.levels_, strict=True)
        )
        _, _, _, label, rows = judge_recoding(tuples, _at(begins, self.levels_), k)
        is_legal = rows >= k
        return Found(of_tuple=np.where(is_legal, np.cumsum(is_legal) - 1, -1)[label])

    def _require_target(self) -> None:
        if (self.metric == "cm") != (self.target is not None):
            raise bad_parameter(
                '`target` of OptimalRecoding is given with `metric="cm"`, and only with it',
                'for example metric="cm", target="income"',
            )

    def _tuples(self, codes: Codes, levels: list[list[IntVector]]) -> tuple[Tuples, Sequence[IntVector]]:
        """Return what the kernel reads, and where each level of each column begins in its `values`."""
        ends = np.cumsum([len(level) for column in levels for level in column])
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
        begins = np.split(starts, np.cumsum([len(column) for column in levels])[:-1])
        tally = np.zeros((codes.n_tuples, 0), np.int64) if self.target is None else _dense(codes.tallies[self.target])
        tuples = Tuples(
            codes=codes.narrow,
            counts=codes.counts,
            measure=codes.measure,
            tally=tally,
            values=np.concatenate([level for column in levels for level in column]).astype(np.int32),
            slots=np.empty(1 << (2 * codes.n_tuples - 1).bit_length(), np.int64),
            metric=METRICS[self.metric],
            unit=suppressed_price(codes) / UNITS,
        )
        return tuples, begins


def _at(begins: Sequence[IntVector], node: Node) -> IntVector:
    """Return where the levels of a node begin."""
    return np.array([column[level] for column, level in zip(begins, node, strict=True)], np.int64)


def _dense(target: Tally) -> IntMatrix:
    """Return (tuples, values of the target): how many rows have both."""
    n_tuples = len(target.starts) - 1
    require_counts("OptimalRecoding", n_tuples, "distinct rows", target.size, MOST_COUNTS)
    return target.dense()
