"""Taking back splits that do not pay: minimal cost-complexity pruning (Breiman et al. 1984) of a tree that was grown.

A leaf costs the bits that the classes of its rows take by their shares in it, and a fixed number of bits for itself.
Of all trees that are left when splits are taken back from the bottom up, the one that costs least is kept; where two
cost the same, the smaller.  With half a binary logarithm of the rows for every share that a leaf tells, this is the
least description length (Rissanen 1978; in nats, Schwarz's criterion of the same year).

Guarantee: every span that tells anything private keeps k rows.  The argument: where a split is taken back, the leaves
below it become one.  A person who could be in some leaves can now be in those that they became, so people of one span
stay in one span, and spans only grow.  A private column that is tested on the way to a leaf of the new span was
tested on the way to a leaf of each span that it is made of, so those had k rows already.  The same goes for the
diversity of the class: a union has at least the entropy of its least diverse part.  It does not go for the diversity
of private columns: with fewer tests others see their values more coarsely, and coarse values are less diverse.

Cost: the nodes, and for each leaf the spans that contain it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.induction.growth import Grown, GrownNode
from covey.induction.options import Attribute

__all__ = ["description_bits", "least_costly", "prune"]

_SLACK = 1e-9  # costs are sums of logarithms: two that are equal by definition may differ in their last bits


def description_bits(n_rows: int, n_classes: int) -> float:
    """Return what a leaf costs by the least description length: half a logarithm of the rows for each free share.

    >>> description_bits(1024, 2)
    5.0
    """
    return 0.5 * math.log2(max(n_rows, 1)) * (n_classes - 1)


def prune(
    grown: Grown, attributes: Sequence[Attribute], labels: IntVector, *, bits: float, class_is_public: bool
) -> Grown:
    """Return what is left of a tree where a leaf costs so many bits, and the spans of the rows in it.

    Of the people below, sex tells the class and then the town tells nothing that is worth a bit:

    >>> from covey.induction.growth import Rules, grow
    >>> sex = Attribute(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 2, True, (np.array([0, 1]),))
    >>> town = Attribute(np.array([0, 0, 1, 1, 0, 0, 1, 1]), 2, True, (np.array([0, 1]),))
    >>> labels = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    >>> grown = grow([sex, town], labels, 2, Rules(k=2))
    >>> left = prune(grown, [sex, town], labels, bits=2.0, class_is_public=False)
    >>> [node.counts.tolist() for node in left.nodes], left.span_of_row.tolist()
    ([[3, 5], [3, 1], [0, 4]], [0, 0, 0, 0, 1, 1, 1, 1])
    """
    # a leaf without rows tells no shares, and costs nothing
    costs = [
        found + bits if node.counts.any() else 0.0
        for found, node in zip(_disorder(grown.nodes), grown.nodes, strict=True)
    ]
    nodes = least_costly(grown.nodes, costs, _SLACK)
    if len(nodes) == len(grown.nodes):
        return grown
    return Grown(nodes, _spans(nodes, grown.span_of_row, attributes, labels, class_is_public))


def least_costly(nodes: Sequence[GrownNode], costs: Sequence[float], slack: float) -> tuple[GrownNode, ...]:
    """Return the tree that costs least, where a split must save more than the slack; costs: of each node as a leaf."""
    cost = list(costs)
    is_split = [False] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):  # what is below a node comes after it
        below = nodes[number].children
        if below and cost[number] > (as_tree := sum(cost[child] for child in below)) + slack:
            is_split[number], cost[number] = True, as_tree
    kept = [0]
    for number in kept:  # grows as children are found
        if is_split[number]:
            kept.extend(nodes[number].children)
    kept.sort()
    place = {number: new for new, number in enumerate(kept)}
    return tuple(_renumbered(nodes[number], place) for number in kept)


def _disorder(nodes: Sequence[GrownNode]) -> FloatVector:
    """Return rows x entropy in bits of the classes of each node."""
    counts = np.array([node.counts for node in nodes], np.float64)
    rows = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, rows, out=np.ones_like(counts), where=counts > 0)  # log2 of 1 is 0
    return np.asarray(-(counts * np.log2(shares)).sum(axis=1))


def _renumbered(node: GrownNode, place: dict[int, int]) -> GrownNode:
    """Return a node with the new numbers of its children, a leaf if they are gone."""
    if not node.children or node.children[0] not in place:
        return GrownNode(node.counts)
    children = tuple(place[child] for child in node.children)
    return GrownNode(node.counts, node.attribute, node.option, node.branches, children)


def _spans(
    nodes: Sequence[GrownNode],
    old: IntVector,
    attributes: Sequence[Attribute],
    labels: IntVector,
    class_is_public: bool,
) -> IntVector:
    """Return the span of each row: old spans from which the same leaves can be reached are one.

    One row stands for each old span.  A public test sends it one way, a private one all ways: a branch that no value
    can reach is none of the tree.  With a public class, people of different classes are never taken for each other.
    """
    first = np.unique(old, return_index=True)[1]
    span = labels[first].astype(np.int64) if class_is_public else np.zeros(len(first), np.int64)
    following = int(span.max()) + 1
    arrived = {0: np.arange(len(first))}
    for number, node in enumerate(nodes):
        here = arrived.pop(number)
        if not node.children:
            # spans that can be here part from those that cannot
            parted = np.unique(span[here], return_inverse=True)[1].reshape(-1)
            span[here] = parted + following
            following += len(here)
            continue
        attribute = attributes[node.attribute]
        branch = attribute.branch_of(node.option)[attribute.codes[first[here]]]
        for taken, child in zip(node.branches, node.children, strict=True):
            arrived[child] = here[branch == taken] if attribute.is_public else here
    return np.asarray(np.unique(span, return_inverse=True)[1].reshape(-1)[old])
