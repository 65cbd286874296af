"""Greedy k-member that minds the labels of the rows: the loops of the variants of `covey.search.k_member.estimator`.

The tree is that of the plain search, with two more columns, the target and the sensitive one.  They have no
price, but a node knows between which labels its tuples lie, and so the least penalty that one of them can
have.  Extents only rise as a class grows; penalties come and go.  So what is kept from step to step is
bounds of the extent, and the penalty is added each time anew.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.prices import Measure
from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.k_member.growth import queues
from covey.search.kernels.boxes import new_box, new_columns, set_point, widen
from covey.search.kernels.nearest import N_LABELS, Judge, furthest, nearest, new_keys
from covey.search.kernels.tuple_tree import build_tree, take_row

__all__ = ["grow_penalised_classes"]


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
                leaf, slot = nearest(columns, tree, keys, box, judge, version, class_version, prune)
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
