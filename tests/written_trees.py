"""Decision trees that are written down as nested tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from covey.mining.trees.model import Partition, TreeModel


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf of a tree that is written down."""

    name: str = ""


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
        return below, Partition.of(place)
    return [*below, node.other], Partition.of(place, other=len(below))
