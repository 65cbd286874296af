"""Greedy k-member clustering over merged rows: the loops of `covey.search.k_member.estimator`."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.k_member.penalties import cut_by_labels, judge_after, new_seen
from covey.search.kernels.boxes import new_box, new_columns, set_point, widen
from covey.search.kernels.class_tree import members_of
from covey.search.kernels.nearest import furthest, nearest, new_keys
from covey.search.kernels.tuple_tree import build_tree, take_row

__all__ = ["grow_classes", "queues", "take_next"]


@kernel
def grow_classes(codes, counts, row_tuple, measure, k, start, last, penalties, prune) -> tuple[IntVector, int]:
    """Return (label, n_classes): the class of every row, -1 for the fewer than k rows that are left over.

    codes (p, t) int32; counts (t,) and row_tuple (n,) int64; start: the reference row; last: whether the
    next class starts furthest from the last row added, not from the last seed; penalties: `Penalties`, or
    None; prune: False looks at every tuple in every step (the result is the same).
    """
    p, n_tuples = codes.shape
    n = row_tuple.shape[0]
    rows, next_row, end_row = queues(counts, row_tuple)
    columns = new_columns(measure)
    point = new_box(columns)
    box = new_box(columns)
    seen = new_seen(codes, counts, columns.sizes, k, penalties)
    tree = build_tree(cut_by_labels(columns, codes, counts, penalties), codes, rows, next_row)
    keys = new_keys(tree)
    for slot in range(n_tuples):
        if tree.tuples[slot] == row_tuple[start]:
            set_point(columns, point, tree.places, slot * p)
    label = np.full(n, -1, np.int64)
    n_classes = 0
    version = 0
    while n - n_classes * k >= k:
        leaf, slot = furthest(columns, tree, keys, point, prune)
        set_point(columns, point, tree.places, slot * p)
        set_point(columns, box, tree.places, slot * p)
        version += 1
        class_version = version
        for size in range(1, k + 1):
            if (n_classes * k + size) & DEAR_TURNS == 0:
                pause(n_classes * k + size, n)
            label[tree.row[slot]] = n_classes
            if last and size == k:
                set_point(columns, point, tree.places, slot * p)
            judge = judge_after(seen, penalties, codes, tree, slot, size)
            take_next(tree, keys, p, leaf, slot, rows, next_row, end_row, label)
            if size < k:
                leaf, slot = nearest(columns, tree, keys, box, judge, version, class_version, prune)
                if widen(columns, box, tree.places, slot * p):
                    version += 1
        n_classes += 1
    return label, n_classes


@kernel
def queues(counts, row_tuple):
    """Return (rows, begin, end): the rows of tuple t, in ascending order, are rows[begin[t]:end[t]]."""
    begin, rows = members_of(row_tuple, counts.shape[0])
    return rows, begin[:-1].copy(), begin[1:]


@kernel
def take_next(tree, keys, p, leaf, slot, rows, next_row, end_row, label):
    """Move the tuple in `slot` on to its next free row, or take it out of the tree if it has none."""
    t = tree.tuples[slot]
    while next_row[t] < end_row[t] and label[rows[next_row[t]]] >= 0:
        next_row[t] += 1
    keys.slot[leaf] = -1  # what was the cheapest of this leaf may be gone
    take_row(tree, p, leaf, slot, rows[next_row[t]] if next_row[t] < end_row[t] else -1)
