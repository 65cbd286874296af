"""Classes for tables from which a target will be learned: the spans of a k-anonymous tree (Friedman et al. 2008).

A tree is grown for the target, with every quasi column known to others and the target private (see `induction`).  The
rows of a leaf are then a span, and the exemption of spans that tell nothing private never applies: a class has k rows
or more.  A tree says nothing of what it does not test, so its classes are wide in all other columns.  They are parted
further, each by itself, by the cuts of `loss_cut`, as long as k rows are left: every released cell stays within one
leaf of the tree, which can be learned from the release as before, and far less is lost.  A split that gains next to
nothing is better left to those cuts: hence a least gain of 0.01, where the paper splits at any.

An order is split at one place.  A category is split in two, since in two parts a rare label never stands in the way, or
in the manner of the paper.

With `equivalent` a class is published by the tests on the way to its leaf, as in the equivalent table of the paper (see
`tree_paths`), not by the least box around its rows.

Source: Friedman, Wolff and Schuster, 2008, section 6.2 (model-based k-anonymisation).  With `refine=False`,
`splits="multiway"` and `min_gain=1e-6` the classes are those of the paper, and their CM on Adult is the printed one, to
the row (experiments/results/p3.md).
Guarantee: every class has k rows or more: the exemption of spans that tell nothing private holds for models, not for
tables.  As in every algorithm that looks at the target, the class of a person tells more of it: ask for a privacy model
(docs/models.md) where it is sensitive.
Cost: rows x columns for each level of the tree, and for each node the quasi values x values of the target; then that of
`loss-cut`.
Ties: the earlier column, the coarser level, the middle cut; then those of `loss-cut`.  The order of the rows does not
matter.
Decided here: missing values are the lowest of an order and a child of the root of a tree.
Options: `splits="binary"` parts a category into one node of its taxonomy, or one label, and the rest; `"multiway"` into
all nodes of one level, counted from the root, or into all labels, so that one label of fewer than k rows rules the
column out.  `criterion`: gains of `"entropy"` or `"gini"`.  With a greater `min_gain` more is left to the cuts, so that
less is lost.  An order of more values than `most_cuts` is cut between bins of about as many rows each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal, Self

import numpy as np

from covey.ask.schema import Schema
from covey.base.arrays import IntVector
from covey.base.checks import at_least, bad_parameter, is_name, one_of, optional
from covey.codes.codes import Codes, TableCodes
from covey.codes.prices import ORDERED
from covey.columns.kept import KeptColumn
from covey.induction.growth import Grown, GrownNode, Rules, grow
from covey.induction.options import Attribute, equal_bins
from covey.induction.two_branches import ways_in_two
from covey.search.estimator import Estimator, parameter
from covey.search.loss_cut.estimator import REACH, tuple_labels
from covey.search.optimal_recoding.levels import column_levels
from covey.search.recoding import in_order_of_tuples, require_counts
from covey.search.task import Found, Task
from covey.search.tree.paths import Asked, describe_leaves

__all__ = ["TreeClasses"]

MOST_COUNTS = 2**22
"""Above so many pairs of a quasi value and a target value the counts of one node take too long, and too much room."""


@dataclass(eq=False, repr=False)
class TreeClasses(Estimator):
    """Classes of at least `k` rows that are parted as a k-anonymous tree for a target parts them.

    `target`: the kept column that the table is to predict; in `covey.anonymize` the one column of role target, if it is
    not named.  Without any, all rows are one span.  `refine`: whether spans are parted further where that loses less.
    `splits`: of categories, `"binary"` or `"multiway"`.  `min_gain`: a split must gain more than this, per row of its
    node.  `most_cuts`: in how many places an order may be cut, and in how many ways a category in two.  `equivalent`,
    with `refine=False`: `covey.anonymize` publishes what the tests on the way to each leaf say, the paper's equivalent
    table, in place of the least boxes (of which `loss_` is the loss in any case).

    >>> import pyarrow as pa
    >>> ages = pa.table({"age": [23, 25, 31, 34, 58, 61], "ill": ["no", "no", "no", "no", "yes", "yes"]})
    >>> TreeClasses(k=2, target="ill", refine=False).fit(ages).labels_
    array([0, 0, 0, 0, 1, 1])
    >>> TreeClasses(k=2, target="ill").fit(ages).labels_
    array([0, 0, 1, 1, 2, 2])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    target: str | None = parameter(None, optional(is_name))
    refine: bool = parameter(True, one_of(True, False))
    splits: Literal["binary", "multiway"] = parameter("binary", one_of("binary", "multiway"))
    criterion: Literal["entropy", "gini"] = parameter("entropy", one_of("entropy", "gini"))
    min_gain: float = parameter(0.01, lambda value: None if _is_number(value) else "a number of 0 or more")
    most_cuts: int = parameter(255, at_least(1))
    equivalent: bool = parameter(False, one_of(True, False))

    def for_roles(self, schema: Schema) -> Self:
        """Return the estimator with the one target column of a schema, unless it names another."""
        self._check_equivalent()
        targets = schema.names("target")
        if self.target is not None or not targets:
            return self
        if len(targets) > 1:
            raise bad_parameter(
                f"there are {len(targets)} target columns, and a tree is grown for one",
                f'name it: algorithm="tree(target={targets[0]})"',
            )
        return type(self)(**{**self.get_params(), "target": targets[0]})

    def cautions(self) -> tuple[str, ...]:
        """Return that there is no target, if so."""
        outcome = "the classes are those of `loss-cut`" if self.refine else "all rows are one class"
        missing = f"there is no target column to grow a tree for, so that {outcome}"
        return () if self.target is not None else (missing,)

    def reads(self) -> tuple[str, ...]:
        """Return the target, if there is one."""
        return () if self.target is None else (self.target,)

    needs_rows = True

    def search(self, task: Task) -> Found:
        """Return the class of every tuple; classes are numbered in the order of the codes of their first tuples."""
        self._check_equivalent()
        codes, k = task.table, task.k
        span = np.zeros(codes.n_tuples, np.int64)
        nodes: tuple[GrownNode, ...] = (GrownNode(np.zeros(0, np.int64)),)
        columns = [self._column(codes, j, k) for j in range(len(codes.columns))]
        if self.target is not None:
            grown = self._grow(codes, columns, task.kept[self.target], k)
            # a span is what others can tell of the quasi columns: all rows of a tuple are in one
            span[codes.row_tuple], nodes = grown.span_of_row, grown.nodes
        label = _parted(codes, span, k) if self.refine else span
        told = describe_leaves(nodes, columns, codes) if self.equivalent else None
        return Found(of_tuple=in_order_of_tuples(label), descriptions=told)

    def _check_equivalent(self) -> None:
        if self.equivalent is True and self.refine is True:
            raise bad_parameter(
                "`equivalent` publishes the leaves of the tree as they are, and `refine` parts them further",
                'give algorithm="tree(refine=false, equivalent=true)"',
            )

    def _grow(self, codes: TableCodes, columns: Sequence[Asked], target: KeptColumn, k: int) -> Grown:
        attributes = [
            Attribute(one.bin_of[own][codes.row_tuple].astype(np.int32), int(one.bin_of[-1]) + 1, True, one.levels)
            for one, own in zip(columns, codes.columns, strict=True)
        ]
        n_codes, n_values = sum(one.size for one in attributes), max(target.size, 1)
        require_counts("TreeClasses", n_codes, "quasi values", n_values, MOST_COUNTS)
        rules = Rules(k=k, criterion=self.criterion, min_gain=float(self.min_gain))
        return grow(attributes, target.codes, n_values, rules)

    def _column(self, codes: Codes, j: int, k: int) -> Asked:
        """Return a quasi column as the tree asks for it."""
        own, size, most = codes.columns[j], int(codes.sizes[j]), int(self.most_cuts)
        rows = np.bincount(own, weights=codes.counts, minlength=size).astype(np.int64)
        if codes.kinds[j] == ORDERED:
            return Asked(equal_bins(rows, most), None)
        # of levels that part the rows alike the coarsest, as in the tree itself: a finer one would say more than asked
        levels = [level for level in reversed(column_levels(codes, j, "root", 0, "coarsest")) if level[-1] > 0]
        if self.splits == "binary":
            levels = [(levels[i] != run).astype(np.int64) for i, run in ways_in_two(levels, rows, k, most)]
        return Asked(np.arange(size), tuple(levels))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _parted(codes: Codes, span: IntVector, k: int) -> IntVector:
    """Return the class of every tuple after each span was cut by itself, where it has rows for two classes."""
    rows = np.bincount(span, weights=codes.counts).astype(np.int64)
    order = np.argsort(span, kind="stable")
    label = np.empty(len(span), np.int64)
    n_classes = 0
    for tuples in np.split(order, np.cumsum(np.bincount(span))[:-1]):
        label[tuples] = n_classes
        if rows[span[tuples[0]]] >= 2 * k and len(tuples) > 1:
            label[tuples] += tuple_labels(codes.part(tuples), k, REACH)
        n_classes = int(label[tuples].max(initial=n_classes)) + 1
    return label
