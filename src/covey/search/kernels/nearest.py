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

__all__ = ["Keys", "furthest", "nearest", "new_keys"]


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


@kernel
def new_keys(tree):
    """Return empty `Keys` for a tree."""
    nodes = tree.left.shape[0]
    return Keys(
        np.zeros(nodes),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes),
    )


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
def nearest(columns, tree, keys, box, version, class_version, prune):
    """Return (leaf, slot) of the tuple that widens `box` least; ties: the lowest row.

    version: the number of this box; class_version: that of the first box of this class.
    """
    p = columns.kinds.shape[0]
    tabled, weights, positions = columns.tabled, columns.weights, columns.positions
    low_position, high_position, term, box_low = box.low_position, box.high_position, box.term, box.low
    low, high, places, row, first = tree.low, tree.high, tree.places, tree.row, tree.first
    stack, key, made = keys.stack, keys.key, keys.version
    best, best_row = np.inf, np.int64(-1)
    best_leaf, best_slot = -1, -1
    stack[0], key[0], made[0] = 0, -1.0, class_version
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if prune and (key[node] > best or (key[node] == best and first[node] > best_row)):
            continue
        if prune and made[node] != version and best_leaf >= 0:  # the key is old: has it risen?
            bound = least(low, high, node * p, box_low, tabled, weights, positions, low_position, high_position, term)
            key[node], made[node] = max(key[node], bound), version
            keys.slot[node] = -1
            if key[node] > best or (key[node] == best and first[node] > best_row):
                continue
        if tree.right[node] < 0:
            if made[node] != version or keys.slot[node] < 0 or not prune:
                value, slot = np.inf, np.int64(-1)
                for s in range(tree.start[node], tree.start[node] + tree.left[node]):
                    v = joined(places, s * p, tabled, weights, positions, low_position, high_position, term)
                    if v < value or (v == value and row[s] < row[slot]):
                        value, slot = v, s
                key[node], keys.slot[node], made[node] = value, slot, version
            slot = keys.slot[node]
            if key[node] < best or (key[node] == best and row[slot] < best_row):
                best, best_row = key[node], row[slot]
                best_leaf, best_slot = node, slot
            continue
        one, other = node + 1, tree.right[node]
        for child in (one, other):
            if made[child] < class_version:
                key[child] = least(
                    low, high, child * p, box_low, tabled, weights, positions, low_position, high_position, term
                )
                made[child] = version
                keys.slot[child] = -1
        if tree.left[one] == 0:
            one = other
        elif tree.left[other] == 0:
            other = one
        key[node] = max(key[node], min(key[one], key[other]))
        # the one that may be cheaper comes last, and so on top
        if key[one] < key[other] or (key[one] == key[other] and first[one] < first[other]):
            one, other = other, one
        if one != other:
            stack[depth] = one
            depth += 1
        stack[depth] = other
        depth += 1
    return best_leaf, best_slot
