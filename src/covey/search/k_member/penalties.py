"""What the labels of the rows cost in the variants of `covey.search.k_member.estimator` that mind them.

The tree is that of the plain search, with two more columns, the target and the sensitive one.  They have no
price, but a node knows between which labels its tuples lie, and so the least penalty that one of them can
have.  Extents only rise as a class grows; penalties come and go.  So what is kept from step to step is
bounds of the extent, and the penalty is added each time anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.base.arrays import BoolVector
from covey.compiled.kernel import kernel
from covey.search.kernels.boxes import Columns
from covey.search.kernels.nearest import N_LABELS, Judge

__all__ = ["Penalties", "cut_by_labels", "judge_after", "new_seen"]


class Penalties(NamedTuple):
    """What a row pays for its labels.

    Where there are penalties, two flat columns of weight 0 come last: the target and the sensitive one.
    """

    on_loss: bool
    """whether it is added to the increase of the loss, not to the extent"""
    of_class: float
    of_diversity: float
    truly_sensitive: BoolVector
    """for each sensitive code, whether a class with no other value is to be avoided"""


class Seen(NamedTuple):
    """The labels of the class that grows, and of the free rows."""

    targets: np.ndarray
    """(target codes,) int64: how many rows of the class have each"""
    free: np.ndarray
    """(target codes,) int64: how many free rows have each"""
    place: np.ndarray
    """(target codes,) int64: the place of each that was seen"""
    members: np.ndarray
    """(k,) int64: the target codes of the class"""
    majority: np.ndarray
    """(1,) int64: its most frequent target code"""
    shared: np.ndarray
    """(1,) int64: the place of its only sensitive value, -1 where nobody pays for that"""


@kernel
def new_seen(codes, counts, sizes, k, penalties):
    """Return `Seen` before the first class, None without penalties."""
    if penalties is None:
        return None
    p = codes.shape[0] - N_LABELS
    free = _rows_of(codes[p], counts, sizes[p])
    one = np.zeros(1, np.int64)
    return Seen(np.zeros_like(free), free, np.zeros_like(free), np.zeros(k, np.int64), one, one.copy())


@kernel
def cut_by_labels(columns, codes, counts, penalties):
    """Return `Columns` to cut the tree by: by labels too, for what they cost, but hardly by one that parts all rows."""
    if penalties is None:
        return columns
    kinds, weights, positions, offsets, sizes, tabled, begin = columns
    p = codes.shape[0] - N_LABELS
    weights = weights.copy()
    weights[p] = penalties.of_class * _agreement(_rows_of(codes[p], counts, sizes[p]))
    weights[p + 1] = penalties.of_diversity * _agreement(_rows_of(codes[p + 1], counts, sizes[p + 1]))
    return Columns(kinds, weights, positions, offsets, sizes, tabled, begin)


@kernel
def judge_after(seen, penalties, codes, tree, slot, size):
    """Count the tuple in `slot` as row `size` of the class; return the `Judge` of the next, None without penalties."""
    if penalties is None:
        return None
    targets, majority, shared = seen.targets, seen.majority[0], seen.shared[0]
    width = codes.shape[0]
    p = width - N_LABELS
    t = tree.tuples[slot]
    target, sensitive = codes[p, t], tree.places[slot * width + p + 1]
    if size == 1:
        for one in seen.members:  # of the class before
            targets[one] = 0
        majority = target
        shared = sensitive if penalties.truly_sensitive[codes[p + 1, t]] else -1
    seen.members[size - 1] = target
    targets[target] += 1
    seen.free[target] -= 1
    seen.place[target] = tree.places[slot * width + p]
    if targets[target] > targets[majority] or (targets[target] == targets[majority] and target < majority):
        majority = target
    if sensitive != shared:
        shared = -1
    seen.majority[0], seen.shared[0] = majority, shared
    # where no free row has the majority's target all pay, and the search need not look for one
    free = seen.place[majority] if seen.free[majority] > 0 else -1
    return Judge(penalties.on_loss, size, free, penalties.of_class, shared, penalties.of_diversity)


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
