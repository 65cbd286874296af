"""A decision tree as plain arrays: what each node tests, and which child each value goes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from covey.base.arrays import BoolVector, FloatMatrix, FloatVector, IntVector
from covey.base.errors import InputError

__all__ = ["Cut", "ForestModel", "Leaf", "Partition", "Places", "Split", "TreeModel", "bad_model", "make_tree"]


class Places(Mapping[str | None, int]):
    """Which child each value goes to, over a numbering of the values that many partitions share.

    >>> dict(Places({"f": 0, "m": 1}, np.array([1, 0], np.uint8)))
    {'f': 1, 'm': 0}
    """

    __slots__ = ("child", "number")

    def __init__(self, number: Mapping[str | None, int], child: IntVector) -> None:
        self.number = number
        self.child = child

    def __getitem__(self, value: str | None) -> int:
        return int(self.child[self.number[value]])

    def __iter__(self) -> Iterator[str | None]:
        return iter(self.number)

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, slots=True)
class Partition:
    """Which child each value of a category goes to, by its place among the children.

    A value that is not listed goes to `other`; if that is None it has no branch: it ends at the node, as a class
    of its own.
    """

    children: Mapping[str | None, int]
    other: int | None = None
    known: frozenset[str | None] | None = None
    """All values that the training table can have, if the model tells: a table with another one is not that table."""


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
    distribution: FloatMatrix | None = None
    """(n, labels): how much of each label the model says a node has."""
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

    @property
    def majority(self) -> IntVector | None:
        """Return the label that the model gives to each node, by number."""
        return None if self.distribution is None else np.argmax(self.distribution, axis=1)

    def leaf_name(self, node: int) -> str:
        """Return the name of a leaf."""
        return self.leaf_names.get(node, f"leaf {node}")


@dataclass(frozen=True, slots=True, eq=False)
class ForestModel:
    """Several trees that are one model; all have the same labels."""

    trees: tuple[TreeModel, ...]

    def __post_init__(self) -> None:
        if not self.trees:
            raise InputError("the model has no tree", code="bad-model-file", hint="train it first")

    @property
    def labels(self) -> tuple[str, ...]:
        """Return what the model tells apart; none for a regression."""
        return self.trees[0].labels

    @property
    def is_regression(self) -> bool:
        """Return whether the target is a number."""
        return self.trees[0].is_regression


def bad_model(message: str) -> InputError:
    """Return the error for a trained model that contradicts itself."""
    return InputError(message, code="bad-model-file", hint="save the model again, from where it was trained")


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
    if tree.distribution is not None and len(tree.distribution) != tree.n_nodes:
        return "has arrays of different lengths"
    return ""


def _ends(partition: Partition) -> tuple[int, int]:
    """Return the first and the last child that a partition sends values to."""
    children, other = partition.children, partition.other or 0
    if isinstance(children, Places):
        return int(children.child.min(initial=other)), int(children.child.max(initial=other))
    return min([*children.values(), other]), max([*children.values(), other])


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf of a tree that is written down."""

    name: str = ""
    counts: tuple[float, ...] = ()
    """How much of each label it has."""


@dataclass(frozen=True, slots=True)
class Split:
    """A test of a category: values, or tuples of values, and what follows; `other`: what all others do."""

    attribute: str
    children: Mapping[str | tuple[str | None, ...] | None, Node]
    other: Node | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """A test of a number: what follows at `threshold` or less, and above."""

    attribute: str
    threshold: float
    below: Node
    above: Node
    missing_below: bool = False
    """Whether a missing number follows `below`."""


Node = Leaf | Split | Cut


def make_tree(root: Node, *, labels: Sequence[str] = (), is_regression: bool = False) -> TreeModel:
    """Return a tree model from nested tests.

    >>> tree = make_tree(Cut("age", 30, Leaf("young"), Split("sex", {"f": Leaf("f"), "m": Leaf("m")})))
    >>> tree.n_nodes, tree.attributes, tree.leaf_name(1)
    (5, ('age', 'sex'), 'young')
    """
    nodes: list[Node] = [root]
    children: list[list[int]] = []
    partitions: list[Partition] = []
    partition: list[int] = []
    for node in nodes:  # grows as children are found
        below, parted = _below(node)
        children.append(list(range(len(nodes), len(nodes) + len(below))))
        nodes.extend(below)
        partition.append(-1 if parted is None else len(partitions))
        partitions.extend([] if parted is None else [parted])
    names = list(dict.fromkeys(node.attribute for node in nodes if not isinstance(node, Leaf)))
    counts = [node.counts if isinstance(node, Leaf) and node.counts else (0.0,) * len(labels) for node in nodes]
    return TreeModel(
        attributes=tuple(names),
        attribute=np.array([-1 if isinstance(node, Leaf) else names.index(node.attribute) for node in nodes], np.int64),
        threshold=np.array([node.threshold if isinstance(node, Cut) else np.nan for node in nodes], np.float64),
        missing_first=np.array([isinstance(node, Cut) and node.missing_below for node in nodes], bool),
        partition=np.array(partition, np.int64),
        partitions=tuple(partitions),
        child_start=np.cumsum([0] + [len(found) for found in children]),
        children=np.array([child for found in children for child in found], np.int64),
        labels=tuple(labels),
        is_regression=is_regression,
        distribution=np.array(counts, np.float64) if labels else None,
        leaf_names={i: node.name for i, node in enumerate(nodes) if isinstance(node, Leaf) and node.name},
    )


def _below(node: Node) -> tuple[list[Node], Partition | None]:
    """Return what follows a node, and the partition if it tests a category."""
    if isinstance(node, Leaf):
        return [], None
    if isinstance(node, Cut):
        return [node.below, node.above], None
    place: dict[str | None, int] = {}
    for i, values in enumerate(node.children):
        place.update(dict.fromkeys(values if isinstance(values, tuple) else (values,), i))
    below = list(node.children.values())
    if node.other is None:
        return below, Partition(place)
    return [*below, node.other], Partition(place, other=len(below))
