"""Systematic clustering: the loops of `covey.search.systematic.estimator`."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause
from covey.search.kernels.class_tree import (
    Classes,
    build_nodes,
    cheapest,
    cheapest_of_all,
    joined_extent,
    point_values,
    refit,
)

__all__ = ["deal_systematically"]


@kernel
def deal_systematically(codes, tuples, measure, k, order, criterion, prune) -> IntVector:
    """Return the class of every position.

    codes (p, t) int32; tuples (n,) int64: the tuple at each position; order (k,) int64: the numbers 0..k-1 in the
    order in which they are taken; criterion: INCREASE or TOTAL; prune: False compares with every open class.
    Prices must be whole numbers: then bounds are exact too.
    """
    p = codes.shape[0]
    n = tuples.shape[0]
    n_classes = n // k
    label = np.empty(n, np.int64)
    starts = np.empty(n_classes, np.int64)
    points = point_values(codes, measure)
    low = np.empty((n_classes, p))
    for c in range(n_classes):
        label[order[0] + k * c] = c
        starts[c] = tuples[order[0] + k * c]
        low[c] = points[starts[c]]
    classes = Classes(low, low.copy(), np.ones(n_classes, np.int64), np.zeros(n_classes), np.full(n_classes, k > 1))
    columns, nodes = build_nodes(codes, starts, classes, measure)
    for turn in range(1, k):
        for i in range(n_classes):
            if i & CHEAP_TURNS == 0:
                pause(turn * n_classes + i, n)
            position = order[turn] + k * i
            point = points[tuples[position]]
            home = cheapest(columns, classes, nodes, point, criterion, prune)
            label[position] = home
            _join(columns, classes, home, point)
            classes.is_open[home] = classes.rows[home] < k
            refit(nodes, classes, home)
    for position in range(n_classes * k, n):
        pause(position, n)
        point = points[tuples[position]]
        label[position] = cheapest_of_all(columns, classes, point, criterion)
        _join(columns, classes, label[position], point)
    return label


@kernel
def _join(columns, classes, c, point):
    """Add a row to class c: its box, its extent and its number of rows."""
    classes.extent[c] = joined_extent(columns, classes.low[c], classes.high[c], point)
    classes.rows[c] += 1
    for j in range(point.shape[0]):
        classes.low[c, j] = min(classes.low[c, j], point[j])
        classes.high[c, j] = max(classes.high[c, j], point[j])
