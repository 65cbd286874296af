"""Moves that never raise the loss: single rows into cheaper classes, whole classes dissolved into others."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.kernel import kernel, lean_kernel
from covey.compiled.pausing import DEAR_TURNS, pause
from covey.search.kernels.class_tree import INCREASE, cheapest, join_class, joined_extent, refit
from covey.search.kernels.edges import copy_row
from covey.search.refine.partition import Partition, attach, detach, holds_with, loss_of, members

__all__ = ["dearest_first", "dissolve_classes", "move_rows"]


def dearest_first(partition: Partition) -> IntVector:
    """Return the classes by what they lose, the lowest of equals first."""
    return np.argsort(-(partition.classes.rows * partition.classes.extent), kind="stable")


@kernel
def move_rows(partition, k, prune) -> int:
    """Let every row of a class above k rows go to the class whose loss grows least, if that is less than it saves.

    Where one of the two would then fail a model it stays.  Return how many moved.  prune: whether to skip by bounds
    (the result is the same).
    """
    n, classes, nodes, moved = partition.label.shape[0], partition.classes, partition.nodes, 0
    nobody = np.empty(0, np.int64)
    for i in range(n):
        home = partition.label[i]
        if i & DEAR_TURNS == 0:
            pause(i, n)
        if classes.rows[home] <= k or classes.extent[home] == 0.0:
            continue
        detach(partition, i)
        refit(nodes, classes, home)
        point = partition.points[partition.tuples[i]]
        found = cheapest(partition.columns, classes, nodes, point, INCREASE, prune, home)
        if (
            found != home
            and _increase(partition, found, point) < _increase(partition, home, point)
            and holds_with(partition, home, nobody)
            and holds_with(partition, found, _alone(i))
        ):
            home = found
            moved += 1
        attach(partition, i, home)
        refit(nodes, classes, home)
    return moved


@kernel
def dissolve_classes(partition, order, prune) -> int:
    """Let the rows of each class, in `order`, go to the cheapest homes if all together lose less there.

    Where a home would then fail a model the class stays.  Return how many classes were dissolved.
    """
    classes, gone = partition.classes, 0
    for turn in range(order.shape[0]):
        if turn & DEAR_TURNS == 0:
            pause(turn, order.shape[0])
        c = order[turn]
        if classes.extent[c] > 0.0 and _dissolved(partition, c, prune):
            gone += 1
    return gone


@lean_kernel
def _increase(partition, c, point):
    """Return by how much the loss of class c grows with a row at `point`."""
    classes = partition.classes
    after = joined_extent(partition.columns, classes.low[c], classes.high[c], point)
    return (classes.rows[c] + 1) * after - classes.rows[c] * classes.extent[c]


@kernel
def _dissolved(partition, c, prune):
    """Dissolve a class if that loses less; return whether it did."""
    classes, p = partition.classes, partition.points.shape[1]
    most, total = loss_of(partition, c), 0.0
    rows = members(partition, c)
    homes = np.empty(rows.shape[0], np.int64)
    low, high, extent = np.empty((rows.shape[0], p)), np.empty((rows.shape[0], p)), np.empty(rows.shape[0])
    classes.is_open[c] = False
    refit(partition.nodes, classes, c)
    home, placed = -1, 0
    for i in rows:
        point = partition.points[partition.tuples[i]]
        home = cheapest(partition.columns, classes, partition.nodes, point, INCREASE, prune, home)
        total += _increase(partition, home, point) if home >= 0 else most
        if total >= most:
            break
        homes[placed], extent[placed] = home, classes.extent[home]
        copy_row(low, placed, classes.low, home)
        copy_row(high, placed, classes.high, home)
        placed += 1
        _widen(partition, home, point)
    if placed == rows.shape[0] and _homes_hold(partition, rows, homes):
        for place in range(placed):
            detach(partition, rows[place])
            classes.rows[homes[place]] -= 1  # `attach` counts it again
            attach(partition, rows[place], homes[place])
        return True
    for place in range(placed - 1, -1, -1):  # back as it was
        home = homes[place]
        copy_row(classes.low, home, low, place)
        copy_row(classes.high, home, high, place)
        classes.extent[home] = extent[place]
        classes.rows[home] -= 1
        refit(partition.nodes, classes, home)
    classes.is_open[c] = True
    refit(partition.nodes, classes, c)
    return False


@kernel
def _homes_hold(partition, rows, homes):
    """Return whether all homes satisfy the models with the rows that go there."""
    if partition.rules.bars.shape[0] == 0:
        return True
    for place in range(homes.shape[0]):
        joining = np.empty(homes.shape[0], np.int64)
        n = 0
        for other in range(homes.shape[0]):
            if homes[other] == homes[place]:
                joining[n] = rows[other]
                n += 1
        if not holds_with(partition, homes[place], joining[:n]):
            return False
    return True


@kernel
def _alone(i):
    rows = np.empty(1, np.int64)
    rows[0] = i
    return rows


@lean_kernel
def _widen(partition, c, point):
    """Let class c have the box with a row at `point`, and one row more, which is not in its list yet."""
    join_class(partition.columns, partition.classes, c, point)
    refit(partition.nodes, partition.classes, c)
