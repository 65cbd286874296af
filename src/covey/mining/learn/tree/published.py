"""A decision tree as it is published: its columns, its tests, and how many rows of each class every node holds.

It holds no row of the table that it was grown from.  What it tells is the domain of each column that it tests, the
thresholds, and the counts per leaf (those of an inner node are their sums).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from covey.base.arrays import FloatMatrix, IntMatrix, IntVector
from covey.columns.values.writing import write_date, write_number, zone_named
from covey.induction.two_branches import Level
from covey.mining.trees.attributes import as_texts
from covey.mining.trees.model import Partition, TreeModel

__all__ = ["GrownTree", "Node", "Test", "TreeColumn", "Values"]

Values = Sequence[Any]
"""Per column what each row has: codes of categories (-1: not known to the tree), or numbers (NaN: missing)."""


@dataclass(frozen=True, slots=True)
class TreeColumn:
    """A column as the tree knows it."""

    name: str
    is_public: bool
    kind: Literal["category", "number", "date"]
    values: tuple[str | None, ...] = ()
    """Of a category, by code; missing is None."""
    levels: tuple[Level, ...] = ()
    """Of a category, from coarse to fine."""
    has_missing: bool = False
    """Whether a number or date may be missing: that is one more value, below all others."""
    zone: str | None = None
    """The time zone that dates are written in."""

    def branch_name(self, test: Test, branch: int) -> str:
        """Return how a branch is written: `= Married`, `<= 34.5`.

        >>> TreeColumn("age", True, "number").branch_name(Test(0, threshold=34.5), 1)
        '> 34.5'
        """
        if test.level is not None:
            name = self.levels[test.level].branches[branch]
            return "is missing" if name is None else f"= {name}"
        threshold = test.threshold
        assert threshold is not None
        if threshold == -math.inf:
            return "is known" if branch else "is missing"
        written = write_date(int(threshold), zone_named(self.zone)) if self.kind == "date" else write_number(threshold)
        if branch:
            return f"> {written}"
        return f"<= {written} or missing" if self.has_missing else f"<= {written}"


@dataclass(frozen=True, slots=True)
class Test:
    """What an inner node asks: a category at one of its levels, or whether a number is at most the threshold."""

    __test__ = False  # no test case, whatever a test runner thinks of the name

    column: int
    level: int | None = None
    threshold: float | None = None
    """Minus infinity asks whether the number is missing."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: how many rows of each class it holds, and unless it is a leaf what it asks."""

    counts: tuple[int, ...]
    test: Test | None = None
    branches: tuple[int, ...] = ()
    """The branch of each child: of the level, or 0 for at most the threshold and 1 for above."""
    children: tuple[int, ...] = ()
    """The nodes that follow, by number, greater than the node's own."""


@dataclass(frozen=True, slots=True)
class GrownTree:
    """A decision tree; node 0 is the root."""

    columns: tuple[TreeColumn, ...]
    nodes: tuple[Node, ...]
    classes: tuple[Any, ...]
    target: str
    """What the classes are called."""

    @property
    def leaves(self) -> tuple[int, ...]:
        """Return the leaves by number."""
        return tuple(number for number, node in enumerate(self.nodes) if node.test is None)

    def where(self, values: Values, n_rows: int) -> IntVector:
        """Return the node in which each row ends: a leaf, or where the tree does not know the row's value."""
        ends = np.zeros(n_rows, np.int64)
        waiting = {0: np.arange(n_rows)}
        for number, node in enumerate(self.nodes):
            rows = waiting.pop(number, None)
            if rows is None or len(rows) == 0 or node.test is None:
                continue
            branch = self._branch_of(node.test, values[node.test.column][rows])
            for taken, child in zip(node.branches, node.children, strict=True):
                waiting[child] = rows[branch == taken]
                ends[waiting[child]] = child
        return ends

    def _branch_of(self, test: Test, values: Any) -> IntVector:
        """Return the branch of each value; -1 where the tree does not know it."""
        column = self.columns[test.column]
        if test.level is not None:
            branch_of = np.array([*column.levels[test.level].branch_of, -1])  # the last place takes code -1
            return np.asarray(branch_of[values])
        assert test.threshold is not None
        return np.where(np.isnan(values), 0 if column.has_missing else -1, values > test.threshold)

    def counts(self) -> IntMatrix:
        """Return (nodes, classes): how many rows of each class every node holds."""
        return np.array([node.counts for node in self.nodes], np.int64)

    def shares(self) -> FloatMatrix:
        """Return (nodes, classes): the share of each class; a node without rows has those of the node above."""
        counts = self.counts()
        for number, node in enumerate(self.nodes):
            for child in node.children:
                if not counts[child].any():
                    counts[child] = counts[number]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def used_columns(self) -> tuple[int, ...]:
        """Return the columns that the tree tests, by number."""
        return tuple(sorted({node.test.column for node in self.nodes if node.test is not None}))

    def with_tested_alone(self, taxonomies: Collection[str] = ()) -> GrownTree:
        """Return the tree without the values and levels that it does not test: they tell of the table, not of the tree.

        Which levels could have been tested may depend on how many rows have each value.  taxonomies: the tested columns
        whose levels do not, and stay.
        """
        tested: list[set[int]] = [set() for _ in self.columns]
        for node in self.nodes:
            if node.test is not None and node.test.level is not None:
                tested[node.test.column].add(node.test.level)
        kept = [
            range(len(column.levels)) if levels and column.name in taxonomies else sorted(levels)
            for column, levels in zip(self.columns, tested, strict=True)
        ]
        number = [{level: new for new, level in enumerate(levels)} for levels in kept]

        def renumbered(node: Node) -> Node:
            if node.test is None or node.test.level is None:
                return node
            return replace(node, test=replace(node.test, level=number[node.test.column][node.test.level]))

        columns = tuple(
            replace(column, values=column.values if levels else (), levels=tuple(column.levels[i] for i in levels))
            for column, levels in zip(self.columns, kept, strict=True)
        )
        return replace(self, columns=columns, nodes=tuple(map(renumbered, self.nodes)))

    def as_model(self) -> TreeModel:
        """Return the tree in the form that audits read."""
        tests = [node.test or Test(-1) for node in self.nodes]
        partition = np.full(len(self.nodes), -1, np.int64)
        of_categories = [number for number, test in enumerate(tests) if test.level is not None]
        partition[of_categories] = np.arange(len(of_categories))
        return TreeModel(
            attributes=tuple(column.name for column in self.columns),
            attribute=np.array([test.column for test in tests], np.int64),
            threshold=np.array([np.nan if test.threshold is None else test.threshold for test in tests], np.float64),
            missing_first=np.array([test.threshold is not None for test in tests], bool),
            partition=partition,
            partitions=tuple(self._partition(self.nodes[number]) for number in of_categories),
            child_start=np.array([0, *accumulate(len(node.children) for node in self.nodes)], np.int64),
            children=np.array([child for node in self.nodes for child in node.children], np.int64),
            labels=tuple(map(str, as_texts(self.classes) or self.classes)),
        )

    def _partition(self, node: Node) -> Partition:
        """Return the place among the node's children that each value of a category goes to."""
        assert node.test is not None
        assert node.test.level is not None
        column = self.columns[node.test.column]
        place = {branch: i for i, branch in enumerate(node.branches)}
        branch_of = column.levels[node.test.level].branch_of
        known = zip(column.values, branch_of, strict=True)
        children = {value: place[branch] for value, branch in known if branch in place}
        return Partition.of(children, known=frozenset(column.values))
