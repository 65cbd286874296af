"""A row and its nearest: the loops of `covey.search.condensation.estimator`, over the tree of boxes of k-member.

A box that stays a single point makes "which tuple widens the box least" the question for the nearest.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.kernel import kernel
from covey.compiled.pausing import pause
from covey.search.k_member.growth import queues, take_next
from covey.search.kernels.boxes import new_box, new_columns, set_point
from covey.search.kernels.nearest import nearest, new_keys
from covey.search.kernels.tuple_tree import build_tree, leaves_of, slot_of

__all__ = ["group_nearest"]


@kernel
def group_nearest(codes, counts, row_tuple, measure, k, order, prune) -> tuple[IntVector, int]:
    """Return (label, n_classes): the class of every row, -1 for the fewer than k rows that are left over.

    codes (p, t) int32; counts (t,) and row_tuple (n,) int64; order (n,) int64: a class starts with the first
    of these rows that is free; prune: False looks at every tuple in every step (the result is the same).
    """
    p, n = codes.shape[0], row_tuple.shape[0]
    rows, next_row, end_row = queues(counts, row_tuple)
    columns = new_columns(measure)
    point = new_box(columns)
    tree = build_tree(columns, codes, rows, next_row)
    keys = new_keys(tree)
    leaf_of = leaves_of(tree)
    label = np.full(n, -1, np.int64)
    n_classes = 0
    drawn = 0
    while n - n_classes * k >= k:
        pause(n_classes * k, n)
        while label[order[drawn]] >= 0:
            drawn += 1
        start = order[drawn]
        leaf = leaf_of[row_tuple[start]]
        slot = slot_of(tree, leaf, row_tuple[start])
        set_point(columns, point, tree.places, slot * p)
        label[start] = n_classes
        keys.slot[leaf] = -1  # where the root is this leaf, its slot would pass as one of this class
        # there may be lower rows among its equals: then these still stand in the tree
        if tree.row[slot] == start:
            take_next(tree, keys, p, leaf, slot, rows, next_row, end_row, label)
        version = n_classes + 1
        for _ in range(k - 1):
            leaf, slot = nearest(columns, tree, keys, point, None, version, version, prune)
            label[tree.row[slot]] = n_classes
            take_next(tree, keys, p, leaf, slot, rows, next_row, end_row, label)
        n_classes += 1
    return label, n_classes
