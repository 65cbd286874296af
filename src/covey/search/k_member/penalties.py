"""Greedy k-member that minds the labels of the rows: the loops of the variants of `covey.search.k_member.estimator`.

The tree is that of the plain search, with two more columns, the target and the sensitive one.  They have no
price, but a node knows between which labels its tuples lie, and so the least penalty that one of them can
have.  Extents only rise as a class grows; penalties come and go.  So what is kept from step to step is
bounds of the extent, and the penalty is added each time anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.prices import Measure
from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.k_member.growth import queues
from covey.search.kernels.boxes import joined, least, new_box, new_columns, set_point, tidy, widen
from covey.search.kernels.nearest import furthest, new_keys
from covey.search.kernels.tuple_tree import build_tree, take_row

__all__ = ["grow_penalised_classes"]

N_LABELS = 2
"""The last two columns are labels: the target, then the sensitive one."""


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
def grow_penalised_classes(
    codes,
    counts,
    row_tuple,
    measure,
    k,
    start,
    last,
    on_loss,
    class_penalty,
    diversity_penalty,
    truly_sensitive,
    prune,
) -> tuple[IntVector, int]:
    """Return (label, n_classes): the class of every row, -1 for the fewer than k rows that are left over.

    codes (p + 2, t) int32: two flat columns of weight 0 come last, the target and the sensitive one; counts (t,)
    and row_tuple (n,) int64; start: the reference row; last: whether the next class starts furthest from the
    last row added, not from the last seed; truly_sensitive: bool, for each sensitive code, whether a class with
    no other value is to be avoided; prune: False looks at every tuple in every step (the result is the same).
    """
    kinds, weights, positions, offsets, sizes = measure
    width = codes.shape[0]
    p = width - N_LABELS
    n = row_tuple.shape[0]
    rows, next_row, end_row = queues(counts, row_tuple)
    columns = new_columns(measure)
    point = new_box(columns)
    box = new_box(columns)
    # the tree is cut by labels too, by what they can cost; but hardly by one that sets all rows apart
    free_targets = _rows_of(codes[p], counts, sizes[p])
    cut_weights = weights.copy()
    cut_weights[p] = class_penalty * _agreement(free_targets)
    cut_weights[p + 1] = diversity_penalty * _agreement(_rows_of(codes[p + 1], counts, sizes[p + 1]))
    tree = build_tree(new_columns(Measure(kinds, cut_weights, positions, offsets, sizes)), codes, rows, next_row)
    keys = new_keys(tree)
    for slot in range(tree.tuples.shape[0]):
        if tree.tuples[slot] == row_tuple[start]:
            set_point(columns, point, tree.places, slot * width)
    label = np.full(n, -1, np.int64)
    targets = np.zeros(sizes[p], np.int64)  # how many rows of the class have each target code
    target_place = np.zeros(sizes[p], np.int64)
    members = np.zeros(k, np.int64)  # the target codes of the class
    n_classes = 0
    version = 0
    while n - n_classes * k >= k:
        leaf, slot = furthest(columns, tree, keys, point, prune)
        set_point(columns, point, tree.places, slot * width)
        set_point(columns, box, tree.places, slot * width)
        version += 1
        class_version = version
        majority = codes[p, tree.tuples[slot]]
        sensitive = tree.places[slot * width + p + 1]
        shared = sensitive if truly_sensitive[codes[p + 1, tree.tuples[slot]]] else -1
        for size in range(1, k + 1):
            if (n_classes * k + size) & DEAR_TURNS == 0:
                pause(n_classes * k + size, n)
            t = tree.tuples[slot]
            label[tree.row[slot]] = n_classes
            target = codes[p, t]
            members[size - 1] = target
            targets[target] += 1
            free_targets[target] -= 1
            target_place[target] = tree.places[slot * width + p]
            if targets[target] > targets[majority] or (targets[target] == targets[majority] and target < majority):
                majority = target
            if tree.places[slot * width + p + 1] != sensitive:
                shared = -1
            if last and size == k:
                set_point(columns, point, tree.places, slot * width)
            next_row[t] += 1
            take_row(tree, width, leaf, slot, rows[next_row[t]] if next_row[t] < end_row[t] else -1)
            if size < k:
                # where no free row has the majority's target all pay, and the search need not look for one
                free = target_place[majority] if free_targets[majority] > 0 else -1
                judge = Judge(on_loss, size, free, class_penalty, shared, diversity_penalty)
                leaf, slot = _cheapest(columns, tree, keys, box, judge, version, class_version, prune)
                if widen(columns, box, tree.places, slot * width):
                    version += 1
        for target in members:
            targets[target] = 0
        n_classes += 1
    return label, n_classes


@kernel
def _rows_of(codes, counts, size):
    """Return how many rows have each of the codes 0..size-1."""
    rows = np.zeros(size, np.int64)
    for t in range(codes.shape[0]):
        rows[codes[t]] += counts[t]
    return rows


@kernel
def _agreement(rows):
    """Return the chance that two rows have the same label, from the rows of each."""
    share = rows / rows.sum()
    return (share * share).sum()


@kernel
def _cheapest(columns, tree, keys, box, judge, version, class_version, prune):
    """Return (leaf, slot) of the tuple that `judge` finds cheapest; ties: the lowest row.

    As `k_member_search.nearest`: version is the number of this box, class_version that of the first box of this
    class.  Here keys are bounds of the extent; what a node is skipped by is the judgement of its key.
    """
    width = columns.kinds.shape[0]
    p = width - N_LABELS
    tabled, weights, positions = columns.tabled[:p], columns.weights, columns.positions
    low_position, high_position, term, box_low = box.low_position, box.high_position, box.term, box.low
    low, high, places, row, first = tree.low, tree.high, tree.places, tree.row, tree.first
    stack, key, made, bound = keys.stack, keys.key, keys.version, keys.bound
    best, best_row = np.inf, np.int64(-1)
    best_leaf, best_slot = -1, -1
    stack[0], key[0], made[0], bound[0] = 0, 0.0, class_version, -np.inf
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
            bound[node] = _judged(judge, key[node], low, high, at + p)
            if bound[node] > best or (bound[node] == best and first[node] > best_row):
                continue
        if tree.right[node] < 0:
            nearest = np.inf
            for s in range(tree.start[node], tree.start[node] + tree.left[node]):
                reach = joined(places, s * width, tabled, weights, positions, low_position, high_position, term)
                nearest = min(nearest, reach)
                value = _judged(judge, reach, places, places, s * width + p)
                if value < best or (value == best and row[s] < best_row):
                    best, best_row = value, row[s]
                    best_leaf, best_slot = node, s
            key[node], made[node] = nearest, version
            continue
        one, other = node + 1, tree.right[node]
        for child in (one, other):
            at = child * width
            if made[child] < class_version:
                key[child] = least(
                    low, high, at, box_low, tabled, weights, positions, low_position, high_position, term
                )
                made[child] = version
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
    penalty = 0.0
    if judge.majority < low[at] or judge.majority > high[at]:
        penalty += judge.class_penalty
    if low[at + 1] == judge.shared and high[at + 1] == judge.shared:
        penalty += judge.diversity_penalty
    # the increase of the loss is (rows + 1) x extent - loss + penalty: the class's own loss is the same for all
    return tidy(reach + (penalty / (judge.rows + 1) if judge.on_loss else penalty))
