"""The two questions of k-member, answered by a tree: which tuple is furthest, which joins most cheaply.

A bound is a sum of the same terms in the same order as the exact extent, each term not greater (or not
less).  Adding, multiplying by a weight and tidying never reverse an order in floating point: so a bound
holds there too, and skipping by it never changes the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.search.kernels.boxes import joined, least, tidy

__all__ = ["N_LABELS", "Judge", "Keys", "furthest", "nearest", "new_keys"]

N_LABELS = 2
"""Where a tuple is judged by labels too, the last two columns are these: the target, then the sensitive one."""


class Keys(NamedTuple):
    """What is known of the cheapest tuple of every node while one class grows.

    A key is never above the extent of the class with a tuple of the node.  These only rise as the class
    grows, so an old key of the same class is still a bound.
    """

    key: np.ndarray
    """(nodes,) float64"""
    version: np.ndarray
    """(nodes,) int64: the box for which the key was made; the boxes of all classes are counted through"""
    slot: np.ndarray
    """(nodes,) int64: of a leaf, the slot whose extent is the key; -1 if the key is a mere bound"""
    stack: np.ndarray
    """(nodes,) int64: nodes still to be looked at"""
    bound: np.ndarray
    """(nodes,) float64: the bound of each node in the search for the furthest"""


class Judge(NamedTuple):
    """How a class in the making judges a tuple that might join it."""

    on_loss: bool
    """Whether the penalty is added to the increase of the loss, not to the extent"""
    rows: int
    """How many rows the class has"""
    majority: int
    """The place of its most frequent target, any other pays `class_penalty`; -1 if all rows do"""
    class_penalty: float
    shared: int
    """The place of the only sensitive value in it; a row with that pays `diversity_penalty`; -1 if no row does"""
    diversity_penalty: float


@kernel
def new_keys(tree):
    """Return empty `Keys` for a tree."""
    nodes = tree.left.shape[0]
    version = np.zeros(nodes, np.int64)
    return Keys(np.zeros(nodes), version, version.copy(), version.copy(), np.zeros(nodes))


@kernel
def furthest(columns, tree, keys, point, prune):
    """Return (leaf, slot) of the tuple furthest from the box `point`; ties: the lowest row."""
    p = columns.kinds.shape[0]
    tabled, weights, positions = columns.tabled, columns.weights, columns.positions
    here, term = point.low_position, point.term
    low, high, places, row, first = tree.low, tree.high, tree.places, tree.row, tree.first
    stack, bound = keys.stack, keys.bound
    best, best_row = -1.0, np.int64(-1)
    best_leaf, best_slot = -1, -1
    stack[0], bound[0] = 0, np.inf
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if prune and (bound[node] < best or (bound[node] == best and first[node] > best_row)):
            continue
        if tree.right[node] < 0:
            for slot in range(tree.start[node], tree.start[node] + tree.left[node]):
                value = joined(places, slot * p, tabled, weights, positions, here, here, term)
                if value > best or (value == best and row[slot] < best_row):
                    best, best_row = value, row[slot]
                    best_leaf, best_slot = node, slot
            continue
        one, other = node + 1, tree.right[node]
        for child in (one, other):
            bound[child] = -1.0
            if tree.left[child] > 0:
                # of an interval one of the ends is furthest (not a call: it would not be inlined)
                total = 0.0
                at = child * p
                for j in range(p):
                    if tabled[j]:
                        total += max(term[low[at + j]], term[high[at + j]])
                    else:
                        reach = max(positions[high[at + j]] - here[j], here[j] - positions[low[at + j]])
                        total += weights[j] * min(reach, 1.0)
                bound[child] = tidy(total)
        # the one that promises more comes last, and so on top
        if bound[one] > bound[other] or (bound[one] == bound[other] and first[one] < first[other]):
            one, other = other, one
        if bound[one] >= 0.0:
            stack[depth] = one
            depth += 1
        stack[depth] = other
        depth += 1
    return best_leaf, best_slot


@kernel
def nearest(columns, tree, keys, box, judge, version, class_version, prune):
    """Return (leaf, slot) of the tuple that widens `box` least, or that `judge` finds cheapest; ties: the lowest row.

    judge: a `Judge`, or None; version: the number of this box; class_version: that of the first box of this class.
    Keys are bounds of the extent; what a node is skipped by is the judgement of its key.
    """
    width = columns.kinds.shape[0]
    p = width if judge is None else width - N_LABELS
    tabled, weights, positions = columns.tabled[:p], columns.weights, columns.positions
    low_position, high_position, term, box_low = box.low_position, box.high_position, box.term, box.low
    low, high, places, row, first = tree.low, tree.high, tree.places, tree.row, tree.first
    stack, key, made = keys.stack, keys.key, keys.version
    bound = key if judge is None else keys.bound
    best, best_row = np.inf, np.int64(-1)
    best_leaf, best_slot = -1, -1
    stack[0], key[0], made[0], bound[0] = 0, -np.inf, class_version, -np.inf
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if prune and (bound[node] > best or (bound[node] == best and first[node] > best_row)):
            continue
        if prune and made[node] != version and best_leaf >= 0:  # the key is old: has it risen?
            at = node * width
            reach = least(low, high, at, box_low, tabled, weights, positions, low_position, high_position, term)
            key[node], made[node] = max(key[node], reach), version
            keys.slot[node] = -1
            bound[node] = _judged(judge, key[node], low, high, at + p)
            if bound[node] > best or (bound[node] == best and first[node] > best_row):
                continue
        if tree.right[node] < 0:
            value, slot = key[node], keys.slot[node]
            if judge is not None or made[node] != version or slot < 0 or not prune:
                closest, value, slot = np.inf, np.inf, np.int64(-1)
                for s in range(tree.start[node], tree.start[node] + tree.left[node]):
                    reach = joined(places, s * width, tabled, weights, positions, low_position, high_position, term)
                    closest = min(closest, reach)
                    v = _judged(judge, reach, places, places, s * width + p)
                    if v < value or (v == value and row[s] < row[slot]):
                        value, slot = v, s
                key[node], keys.slot[node], made[node] = closest, slot, version
            if value < best or (value == best and row[slot] < best_row):
                best, best_row = value, row[slot]
                best_leaf, best_slot = node, slot
            continue
        one, other = node + 1, tree.right[node]
        for child in (one, other):
            at = child * width
            if made[child] < class_version:
                key[child] = least(
                    low, high, at, box_low, tabled, weights, positions, low_position, high_position, term
                )
                made[child] = version
                keys.slot[child] = -1
            bound[child] = _judged(judge, key[child], low, high, at + p)
        if tree.left[one] == 0:
            one = other
        elif tree.left[other] == 0:
            other = one
        key[node] = max(key[node], min(key[one], key[other]))
        # the one that may be cheaper comes last, and so on top
        if bound[one] < bound[other] or (bound[one] == bound[other] and first[one] < first[other]):
            one, other = other, one
        if one != other:
            stack[depth] = one
            depth += 1
        stack[depth] = other
        depth += 1
    return best_leaf, best_slot


@kernel
def _judged(judge, reach, low, high, at):
    """Return what a tuple costs that makes the extent `reach` and has labels from low[at:] to high[at:], at least.

    For a tuple both ends are its own labels, and this is what it costs.  Every step rises with the extent and
    with the penalty, in floating point too: so what comes of a bound is a bound.
    """
    if judge is None:
        return reach
    penalty = 0.0
    if judge.majority < low[at] or judge.majority > high[at]:
        penalty += judge.class_penalty
    if low[at + 1] == judge.shared and high[at + 1] == judge.shared:
        penalty += judge.diversity_penalty
    # the increase of the loss is (rows + 1) x extent - loss + penalty: the class's own loss is the same for all
    return tidy(reach + (penalty / (judge.rows + 1) if judge.on_loss else penalty))
