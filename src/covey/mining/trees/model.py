"""A decision tree as plain arrays: what each node tests, and which child each value goes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.mining.faults import bad_model

__all__ = ["ForestModel", "Partition", "TreeModel", "nodes_of_each"]


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Which child each value of a category goes to, by its place among the children.

    A value that is not listed goes to `other`; if that is None it has no branch: it ends at the node, as a class
    of its own.

    >>> Partition.of({"f": 1, "m": 0}).child
    array([1, 0])
    """

    number: Mapping[str | None, int]
    """A number for each listed value, which many partitions may share."""
    child: IntVector
    """By number: which child it is."""
    other: int | None = None
    known: frozenset[str | None] | None = None
    """All values that the training table can have, if the model tells: a table with another one is not that table."""

    @classmethod
    def of(
        cls, children: Mapping[str | None, int], other: int | None = None, known: frozenset[str | None] | None = None
    ) -> Partition:
        """Return a partition that has a numbering of its own."""
        number = {value: i for i, value in enumerate(children)}
        return cls(number, np.array([*children.values()], np.int64), other, known)


@dataclass(frozen=True, slots=True, eq=False)
class TreeModel:
    """A decision tree; node 0 is its root.

    A test is a threshold (numbers of `threshold` or less go to the first of two children) or a partition.
    """

    attributes: tuple[str, ...]
    """What the tree may test."""
    attribute: IntVector
    """(n,): the attribute that each node tests, -1 at a leaf."""
    threshold: FloatVector
    """(n,): of a numeric test."""
    missing_first: BoolVector
    """(n,): whether a missing number goes to the first child."""
    partition: IntVector
    """(n,): the partition of a category test, -1 at a numeric test and a leaf."""
    partitions: tuple[Partition, ...]
    child_start: IntVector
    """(n + 1,): where the children of each node start in `children`."""
    children: IntVector
    labels: tuple[str, ...] = ()
    """What the tree tells apart; none for a regression, or if it is not known."""
    is_regression: bool = False
    leaf_names: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        fault = _fault(self)
        if fault:
            raise bad_model(f"a tree of the model {fault}")

    @property
    def trees(self) -> tuple[TreeModel, ...]:
        """Return the trees of the model: this one."""
        return (self,)

    @property
    def n_nodes(self) -> int:
        """Return how many nodes there are."""
        return len(self.attribute)

    def compared(self) -> set[str]:
        """Return the attributes that are compared with thresholds."""
        is_compared = (self.attribute >= 0) & (self.partition < 0)
        return {self.attributes[a] for a in np.unique(self.attribute[is_compared]).tolist()}

    def leaf_name(self, node: int) -> str:
        """Return the name of a leaf."""
        return self.leaf_names.get(node, f"leaf {node}")


@dataclass(frozen=True, slots=True, eq=False)
class ForestModel:
    """Several trees that are one model; all have the same labels."""

    trees: tuple[TreeModel, ...]

    def __post_init__(self) -> None:
        if not self.trees:
            raise bad_model("the model has no tree", "train it first")


def nodes_of_each(number: IntVector, n: int) -> Sequence[IntVector]:
    """Return the nodes that have each of the numbers 0 to n - 1, in their order; all others are left out."""
    order = np.argsort(number, kind="stable")
    return np.split(order, np.searchsorted(number[order], np.arange(n + 1)))[1:-1]


def _fault(tree: TreeModel) -> str:
    """Return what is wrong with the arrays of a tree, if anything."""
    n = tree.n_nodes
    if n == 0:
        return "has no node"
    if not all(len(array) == n for array in (tree.threshold, tree.missing_first, tree.partition)):
        return "has arrays of different lengths"
    if len(tree.child_start) != n + 1 or tree.child_start[0] != 0 or tree.child_start[-1] != len(tree.children):
        return "does not say where the children of each node are"
    n_children = np.diff(tree.child_start)
    is_leaf = tree.attribute < 0
    if (n_children[is_leaf] != 0).any() or (n_children[~is_leaf] < 1).any():
        return "has a test without children, or a leaf with some"
    return _fault_of_links(tree) or _fault_of_tests(tree, n_children)


def _fault_of_links(tree: TreeModel) -> str:
    """Return what is wrong if not every node but the root is the child of one node, and below the root."""
    n = tree.n_nodes
    if len(tree.children) != n - 1 or (len(tree.children) and (tree.children.min() < 1 or tree.children.max() >= n)):
        return "has a child that is no node"
    if n > 1 and (np.bincount(tree.children, minlength=n)[1:] != 1).any():
        return "has a node with two parents"
    above = np.zeros(n, np.int64)
    above[tree.children] = np.repeat(np.arange(n), np.diff(tree.child_start))
    for _ in range(n.bit_length()):  # each time twice as far up: the root is above every node that hangs on it
        above = above[above]
    return "has nodes in a circle" if above.any() else ""


def _fault_of_tests(tree: TreeModel, n_children: IntVector) -> str:
    tests = tree.attribute >= 0
    is_partition = tests & (tree.partition >= 0)
    is_number = tests & ~is_partition
    if tests.any() and tree.attribute.max() >= len(tree.attributes):
        return "tests an attribute that it does not have"
    if tree.partition.max() >= len(tree.partitions):
        return "has a test without a partition"
    if (n_children[is_number] != 2).any() or np.isnan(tree.threshold[is_number]).any():
        return "has a numeric test without two children and a threshold"
    used, place = np.unique(tree.partition[is_partition], return_inverse=True)
    ends = np.array([_ends(tree.partitions[p]) for p in used.tolist()], np.int64).reshape(-1, 2)[place]
    if (ends[:, 1] >= n_children[is_partition]).any() or (ends[:, 0] < 0).any():
        return "sends a value to a child that it does not have"
    return ""


def _ends(partition: Partition) -> tuple[int, int]:
    """Return the first and the last child that a partition sends values to."""
    child, other = partition.child, partition.other or 0
    return int(child.min(initial=other)), int(child.max(initial=other))
