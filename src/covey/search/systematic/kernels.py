"""Systematic clustering: the loops of `covey.search.systematic.estimator`."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause
from covey.search.kernels.class_tree import cheapest, cheapest_of_all, index_classes, join_class, refit

__all__ = ["deal_systematically"]


@kernel
def deal_systematically(codes, tuples, measure, k, order, criterion, prune) -> IntVector:
    """Return the class of every position.

    codes (p, t) int32; tuples (n,) int64: the tuple at each position; order (k,) int64: the numbers 0..k-1 in the
    order in which they are taken; criterion: INCREASE or TOTAL; prune: False compares with every open class.
    Prices must be whole numbers: then bounds are exact too.
    """
    n = tuples.shape[0]
    n_classes = n // k
    label = np.full(n, -1, np.int64)
    for c in range(n_classes):
        label[order[0] + k * c] = c
    ones = np.ones(n, np.int64)
    columns, points, classes, nodes = index_classes(codes, measure, tuples, ones, label, n_classes)
    home = -1
    for turn in range(1, k):
        for i in range(n_classes):
            if i & CHEAP_TURNS == 0:
                pause(turn * n_classes + i, n)
            position = order[turn] + k * i
            point = points[tuples[position]]
            home = cheapest(columns, classes, nodes, point, criterion, prune, home)  # rows near each other are alike
            label[position] = home
            join_class(columns, classes, home, point)
            classes.is_open[home] = classes.rows[home] < k
            refit(nodes, classes, home)
    for position in range(n_classes * k, n):
        pause(position, n)
        point = points[tuples[position]]
        label[position] = cheapest_of_all(columns, classes, point, criterion)
        join_class(columns, classes, label[position], point)
    return label
