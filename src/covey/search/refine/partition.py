"""Classes while rows move between them: their boxes in an index, and their rows in linked lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel, lean_kernel
from covey.search.kernels.boxes import Columns
from covey.search.kernels.class_tree import Classes, Nodes, index_classes, join_class, joined_extent
from covey.search.refine.rules import Rules, count_row, forget_row, missing_rows

__all__ = ["Partition", "attach", "detach", "holds_with", "loss_of", "members", "new_partition"]


class Partition(NamedTuple):
    """All that moves look at and change; the index (`nodes`) must be told of changes by `refit`."""

    columns: Columns
    """Prices in whole numbers"""
    points: np.ndarray
    """(t, p) float64: the tuples, as classes hold them"""
    tuples: np.ndarray
    """(n,) int64: the tuple of each row"""
    label: np.ndarray
    """(n,) int64: the class of each row"""
    classes: Classes
    """Boxes, rows and extents; one that was dissolved has no rows and is not open"""
    nodes: Nodes
    """The tree of classes in which the cheapest homes are looked for"""
    head: np.ndarray
    """(c,) int64: the first row of each class, -1 if it has none"""
    after: np.ndarray
    """(n,) int64: the next row of the same class, -1 behind the last"""
    before: np.ndarray
    """(n,) int64: the one before it, -1 before the first"""
    items: np.ndarray
    """(n,) int64: each row as the rules know it"""
    rules: Rules
    """What every class must satisfy beside its rows"""


@kernel
def new_partition(codes, measure, tuples, label, n_classes, items, rules) -> Partition:
    """Return the partition of some rows; codes (p, t) int32, tuples and label (n,) int64, no class without rows."""
    n = label.shape[0]
    columns, points, classes, nodes = index_classes(codes, measure, tuples, np.ones(n, np.int64), label, n_classes)
    nowhere = np.full(n, -1, np.int64)
    head = np.full(n_classes, -1, np.int64)
    partition = Partition(columns, points, tuples, label, classes, nodes, head, nowhere, nowhere.copy(), items, rules)
    for i in range(n - 1, -1, -1):  # so that lists ascend
        _link(partition, i, label[i])
    return partition


@lean_kernel
def loss_of(partition, c):
    """Return what the rows of a class lose together."""
    return partition.classes.rows[c] * partition.classes.extent[c]


@kernel
def members(partition, c):
    """Return the rows of a class."""
    found = np.empty(partition.classes.rows[c], np.int64)
    i = partition.head[c]
    for place in range(found.shape[0]):
        found[place] = i
        i = partition.after[i]
    return found


@lean_kernel
def holds_with(partition, c, joining):
    """Return whether class c satisfies the rules with the rows `joining`."""
    rules, items = partition.rules, partition.items
    if rules.bars.shape[0] == 0:
        return True
    size = joining.shape[0]
    i = partition.head[c]
    while i >= 0:
        count_row(rules, items[i])
        size += 1
        i = partition.after[i]
    for i in joining:
        count_row(rules, items[i])
    missing = missing_rows(rules, size, 0)
    i = partition.head[c]
    while i >= 0:
        forget_row(rules, items[i])
        i = partition.after[i]
    for i in joining:
        forget_row(rules, items[i])
    return missing == 0


@lean_kernel
def attach(partition, i, c):
    """Let a row that has no class be in class c."""
    join_class(partition.columns, partition.classes, c, partition.points[partition.tuples[i]])
    partition.label[i] = c
    _link(partition, i, c)


@lean_kernel
def detach(partition, i):
    """Take a row out of its class, whose box is then that of the other rows."""
    c, before, after = partition.label[i], partition.before[i], partition.after[i]
    if before >= 0:
        partition.after[before] = after
    else:
        partition.head[c] = after
    if after >= 0:
        partition.before[after] = before
    partition.label[i] = -1
    partition.classes.rows[c] -= 1
    _shrink(partition, c, partition.points[partition.tuples[i]])


@lean_kernel
def _link(partition, i, c):
    first = partition.head[c]
    partition.before[i], partition.after[i] = -1, first
    if first >= 0:
        partition.before[first] = i
    partition.head[c] = i


@kernel
def _shrink(partition, c, gone):
    """Let the box of class c be that of its rows, now that a row at `gone` has left it."""
    low, high, p = partition.classes.low[c], partition.classes.high[c], gone.shape[0]
    edges = 0  # sides of the box at which the row stood, and no other row was found yet
    for j in range(p):
        edges += (gone[j] == low[j]) + (gone[j] == high[j])
    new_low, new_high = np.full(p, np.inf), np.full(p, -np.inf)
    i = partition.head[c]
    while i >= 0 and edges > 0:
        point = partition.points[partition.tuples[i]]
        for j in range(p):
            edges -= gone[j] == low[j] and point[j] == low[j] and new_low[j] > low[j]
            edges -= gone[j] == high[j] and point[j] == high[j] and new_high[j] < high[j]
            new_low[j], new_high[j] = min(new_low[j], point[j]), max(new_high[j], point[j])
        i = partition.after[i]
    if edges > 0:
        for j in range(p):
            low[j], high[j] = new_low[j], new_high[j]
        rows = partition.classes.rows[c]
        partition.classes.extent[c] = joined_extent(partition.columns, low, high, low) if rows else 0.0
