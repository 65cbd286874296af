"""Top-down specialisation, TDS (Fung et al. 2005): one recoding of the whole table, from the top down.

Every column starts as one value, the root of its taxonomy.  Again and again one value is specialised in all rows that
have it: a node of a tree into its children, an interval into two, a label without a tree from `*` into single labels.
Chosen is the value with the greatest score: information gain / anonymity loss, or the gain alone where that loss is 0.
The gain is that about the target, per row with the value; the anonymity loss is by how much the least class shrinks.
A specialisation that leaves a class below k is dropped, and so is one without a gain.  Rows that end with
the same values are a class.

Source: Fung, Wang and Yu, 2005 (TDS).  Friedman, Wolff and Schuster 2008 compare their k-anonymous trees with an ID3
tree on its output; the errors of that pair on Adult: experiments/results/p3.md.
Guarantee: every class has k rows or more.  A value is the same in all rows, so one small class can hold back a whole
column: the loss is far above that of `loss-cut`.  A release publishes the least box of each class, which may be
narrower than the values of the recoding: it is as truthful and loses no more.  The recoding itself is kept in `cut_`
and `generalised_`.
Cost: O(tuples x columns) memory.  Time: tuples x columns for each specialisation of a value that all rows have; in
practice a few tens of passes over the tuples.
Ties: lowest column, lowest values; gains are compared to seven digits.  The order of the rows does not matter.
Decided here: without a target the gain is the fall of Total-IL.  An interval is cut where the gain is greatest among
the cuts that keep k; in the paper the best of all cuts is taken once, and if it breaks k the interval stays whole.  A
value without a gain is not specialised.  Nodes of which only one child has rows are passed through.  Missing values
come before all others: they are the lowest of an order, and a child of the root of a tree.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.base.checks import at_least, is_name, optional
from covey.codes.codes import Codes
from covey.codes.tallies import Tally
from covey.search.estimator import parameter
from covey.search.recoding import WholeRecoding, in_order_of_tuples, require_counts
from covey.search.task import Found, Task
from covey.search.top_down.kernels import specialise

__all__ = ["TopDownSpecialization"]

MOST_COUNTS = 2**26
"""Above so many pairs of a quasi value and a target value the table of their counts does not fit (512 MB)."""


@dataclass(eq=False, repr=False)
class TopDownSpecialization(WholeRecoding):
    """Classes of at least `k` rows that are alike after one recoding of the whole table, chosen for a target.

    `target`: the kept column that the table is to predict; without one the recoding is chosen for its loss.

    After `fit`, `cut_` has for every quasi column the number of the value that each code belongs to (codes
    as in `covey.codes.encoding`: the leaves of a taxonomy in their order, missing values first), and
    `generalised_` (columns, rows) the number of each row's value.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> found = TopDownSpecialization(k=2)
    >>> found.labels(codes)
    array([0, 1, 0, 1, 0])
    >>> found.cut_
    (array([0, 0, 0, 1, 1]),)
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    target: str | None = parameter(None, optional(is_name))

    def reads(self) -> tuple[str, ...]:
        """Return the target, if there is one."""
        return () if self.target is None else (self.target,)

    def search(self, task: Task) -> Found:
        """Return the class of every tuple; classes are numbered in the order of the codes of their first tuples."""
        codes, _ = task.codes.with_weights_near_one()
        tally = _tally(codes, None if self.target is None else task.tally(self.target))
        ends = np.cumsum(codes.sizes)  # of the codes of each column among those of all columns
        label, begins = specialise(
            codes.narrow, codes.counts, codes.measure, ends - codes.sizes, tally, task.k, self.target is None
        )
        self.cut_: tuple[IntVector, ...] = tuple(np.cumsum(run) - 1 for run in np.split(begins, ends[:-1]))
        return Found(of_tuple=in_order_of_tuples(label))


def _tally(codes: Codes, target: Tally | None) -> IntMatrix:
    """Return (codes of all columns, values of the target): how many rows have both."""
    n_values = 1 if target is None else max(target.size, 1)
    require_counts("TopDownSpecialization", int(codes.sizes.sum()), "quasi values", n_values, MOST_COUNTS)
    if target is None:
        target = Tally(np.arange(codes.n_tuples + 1), np.zeros(codes.n_tuples, np.int64), codes.counts, 1)
    columns = zip(codes.columns.astype(np.int64), codes.sizes.tolist(), strict=True)
    return np.concatenate([target.by(column, size) for column, size in columns])
