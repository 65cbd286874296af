"""Weighted C-means over merged rows: the loops of `covey.search.weighted_c_means.estimator`.

A centre is a point: the mean position of ordered columns, the most frequent value of the others (see
`class_tree.point_values`).  The distance of two points is the sum over columns of weight x squared difference, and
a difference is a price: it only rises with reach, squaring and adding keep the order, in floating point too.  So the
tree of `class_tree`, whose nodes know a least reach of all their centres, gives bounds that never change the result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.codes.prices import FLAT, ORDERED, TREE, Measure, price
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause
from covey.search.kernels.boxes import new_columns
from covey.search.kernels.class_tree import NO_CLASS, Classes, build_nodes, members_of, point_values, refit_all
from covey.search.kernels.nine_digits import nine_digits

__all__ = ["adjust_weights", "assign", "homes_of_small", "move_centres", "plant", "separations", "start"]


class Points(NamedTuple):
    """The tuples as points."""

    codes: np.ndarray
    """(p, t) int32"""
    counts: np.ndarray
    """(t,) int64: the rows of each tuple"""
    values: np.ndarray
    """(t, p) float64: see `point_values`"""
    middle: np.ndarray
    """(p,) float64: the centre of all rows"""
    tally: np.ndarray
    """int64 zeros, one for each code of the column with the most: room to count in"""


@kernel
def start(codes, counts, measure, seeds) -> tuple[Any, Any, Any, IntMatrix]:
    """Return (points, columns, classes, near): a class around each of the tuples `seeds`.

    codes (p, t) int32; counts (t,) int64; seeds (c,) int64.  columns: `Columns`; the weights come apart in all that
    follows, since they are learned.  near (p, c) int32: codes at each centre, or next to it.
    """
    p = codes.shape[0]
    values = point_values(codes, measure)
    points = Points(codes, counts, values, np.empty(p), np.zeros(measure.sizes.max(), np.int64))
    columns = new_columns(measure)
    whole, near = _around(points, np.zeros(1, np.int64))
    move_centres(points, columns, whole, np.zeros(counts.shape[0], np.int64), near)
    for j in range(p):
        points.middle[j] = whole.low[0, j]
    classes, near = _around(points, seeds)
    return points, columns, classes, near


@kernel
def _around(points, seeds):
    """Return (classes, near): a class around each of the tuples `seeds`."""
    n_classes = seeds.shape[0]
    low = np.empty((n_classes, points.codes.shape[0]))
    near = np.empty((points.codes.shape[0], n_classes), np.int32)
    for c in range(n_classes):
        low[c] = points.values[seeds[c]]
        near[:, c] = points.codes[:, seeds[c]]
    # one array for both ends of the interval: a centre is a point
    return Classes(low, low, np.ones(n_classes, np.int64), np.zeros(n_classes), np.ones(n_classes, np.bool_)), near


@kernel
def plant(columns, weights, classes, near) -> Any:
    """Return `Nodes`: a tree of the centres as they stand, cut where the weights as they are tell most apart."""
    weighted = new_columns(Measure(columns.kinds, weights, columns.positions, columns.offsets, columns.sizes))
    return build_nodes(weighted, near, np.arange(classes.rows.shape[0]), classes)


@kernel
def assign(points, columns, weights, classes, nodes, label, begin, end, prune) -> int:
    """Give each of the tuples begin..end-1 to the nearest centre; return how many moved.  Ties: the lowest class.

    weights (p,) float64; label (t,) int64: the class so far, -1 for none, changed in place; nodes: with a stack and
    bounds that nobody else uses; prune: False compares with every centre (the result is the same).
    """
    n_moved = 0
    for t in range(begin, end):
        if t & CHEAP_TURNS == 0:
            pause(0, 0)
        home = _nearest(columns, weights, classes, nodes, points.values[t], label[t], prune)
        n_moved += home != label[t]
        label[t] = home
    return n_moved


@kernel
def _nearest(columns, weights, classes, nodes, point, guess, prune):
    """Return the open class with the nearest centre; ties: the lowest.  guess: a class that may be near, or -1."""
    best, home = np.inf, NO_CLASS
    if guess >= 0 and classes.is_open[guess]:
        best, home = _distance(columns, weights, classes.low[guess], classes.high[guess], point), guess
    nodes.stack[0], nodes.bound[0] = 0, 0.0
    depth = 1
    while depth > 0:
        depth -= 1
        node = nodes.stack[depth]
        if prune and (nodes.bound[node] > best or (nodes.bound[node] == best and nodes.first[node] > home)):
            continue
        if nodes.right[node] < 0:
            for slot in range(nodes.start[node], nodes.end[node]):
                c = nodes.classes[slot]
                if classes.is_open[c]:
                    distance = _distance(columns, weights, classes.low[c], classes.high[c], point)
                    if distance < best or (distance == best and c < home):
                        best, home = distance, c
            continue
        near, far = node + 1, nodes.right[node]
        for child in (near, far):
            nodes.bound[child] = np.inf
            if nodes.first[child] != NO_CLASS:
                nodes.bound[child] = _distance(columns, weights, nodes.low[child], nodes.high[child], point)
        # the one that may be nearer comes last, and so on top
        if nodes.bound[near] < nodes.bound[far]:
            near, far = far, near
        for child in (near, far):
            if nodes.first[child] != NO_CLASS:
                nodes.stack[depth] = child
                depth += 1
    return home


@kernel
def _distance(columns, weights, low, high, point):
    """Return the sum of weight x squared difference between a centre (low = high) and a point, to nine digits.

    Of a node it is a lower bound.
    """
    total = 0.0
    for j in range(point.shape[0]):
        apart = _difference(columns, j, min(low[j], point[j]), max(high[j], point[j]))
        total += weights[j] * (apart * apart)
    return nine_digits(total)


@kernel
def _difference(columns, j, lo, hi):
    """Return the price of the interval [lo, hi] of column j."""
    if lo >= hi:
        return 0.0
    if columns.kinds[j] == FLAT:
        return 1.0
    if columns.kinds[j] == ORDERED:
        return min(hi - lo, 1.0)
    return price(TREE, columns.positions, columns.offsets[j], columns.sizes[j], np.int64(lo), np.int64(hi))


@kernel
def move_centres(points, columns, classes, label, near) -> None:
    """Move every centre to the mean of its rows, and `near` with it; classes without rows are closed for good.

    Of categories it is the most frequent value, ties: the lowest code.  The mean of equal positions is that
    position, whatever the rounding of their sum: so a column that does not vary within classes has no separation.
    """
    n_classes = classes.rows.shape[0]
    begin, tuples = members_of(label, n_classes)
    for c in range(n_classes):
        members = tuples[begin[c] : begin[c + 1]]
        classes.rows[c] = 0
        for t in members:
            classes.rows[c] += points.counts[t]
        classes.is_open[c] = classes.rows[c] > 0
        if classes.is_open[c]:
            for j in range(columns.kinds.shape[0]):
                if columns.kinds[j] == ORDERED:
                    classes.low[c, j] = _mean(points, members, j, classes.rows[c])
                    begins, ends = columns.offsets[j], columns.offsets[j] + columns.sizes[j]
                    code = np.searchsorted(columns.positions[begins:ends], classes.low[c, j])
                    near[j, c] = min(code, columns.sizes[j] - 1)  # rounding may lift a mean above the last
                else:
                    t = _commonest(points, members, j)
                    classes.low[c, j], near[j, c] = points.values[t, j], points.codes[j, t]


@kernel
def _mean(points, members, j, rows):
    """Return the mean position of the tuples `members` in column j."""
    low, high, total = np.inf, -np.inf, 0.0
    for t in members:
        x = points.values[t, j]
        low, high = min(low, x), max(high, x)
        total += points.counts[t] * x
    return low if low == high else total / rows


@kernel
def _commonest(points, members, j):
    """Return one of the tuples `members` with the most frequent code of column j; ties: the lowest code."""
    for t in members:
        points.tally[points.codes[j, t]] += points.counts[t]
    found, most = members[0], np.int64(0)
    for t in members:
        rows = points.tally[points.codes[j, t]]
        if rows > most or (rows == most and points.codes[j, t] < points.codes[j, found]):
            found, most = t, rows
    for t in members:
        points.tally[points.codes[j, t]] = 0
    return found


@kernel
def separations(points, columns, classes, label) -> tuple[FloatVector, FloatVector]:
    """Return (within, between), (p,) float64 each: P4's e and f.

    within: the squared differences of rows and their centres; between: rows x the squared differences of centres
    and the centre of all.
    """
    n_tuples, p = points.values.shape
    within = np.zeros(p)
    between = np.zeros(p)
    for t in range(n_tuples):
        for j in range(p):
            a, b = points.values[t, j], classes.low[label[t], j]
            apart = _difference(columns, j, min(a, b), max(a, b))
            within[j] += points.counts[t] * (apart * apart)
    for c in range(classes.rows.shape[0]):
        if classes.rows[c] > 0:
            for j in range(p):
                a, b = classes.low[c, j], points.middle[j]
                apart = _difference(columns, j, min(a, b), max(a, b))
                between[j] += classes.rows[c] * (apart * apart)
    return within, between


@kernel
def adjust_weights(learned, within, between) -> FloatVector:
    """Return the weights of the next iteration (P4, equation 16), all (p,) float64.

    A column that separates the classes and varies in none takes the largest finite ratio of the others (1 if none
    is above 0), one that does not vary at all takes 0; if no column separates anything, the weights stay.
    """
    p = learned.shape[0]
    ratio = np.zeros(p)
    largest = 0.0
    for j in range(p):
        if between[j] > 0.0:
            ratio[j] = between[j] / within[j] if within[j] > 0.0 else np.inf
            if ratio[j] < np.inf:
                largest = max(largest, ratio[j])
    total = 0.0
    for j in range(p):
        if ratio[j] == np.inf:
            ratio[j] = largest if largest > 0.0 else 1.0
        total += ratio[j]
    adjusted = np.empty(p)
    whole = 0.0
    for j in range(p):
        adjusted[j] = learned[j] + ratio[j] / total if total > 0.0 else learned[j]
        whole += adjusted[j]
    for j in range(p):
        adjusted[j] /= whole if total > 0.0 else 1.0
    return adjusted


@kernel
def homes_of_small(columns, weights, classes, nodes, k) -> IntVector:
    """Return the class into which each goes: a class below k rows into the legal one with the nearest centre.

    All at once: no centre moves.  A class without rows has the home -1.  Ties: the lowest class.
    """
    n_classes = classes.rows.shape[0]
    for c in range(n_classes):
        classes.is_open[c] = classes.rows[c] >= k
    refit_all(nodes, classes)
    home = np.full(n_classes, -1, np.int64)
    for c in range(n_classes):
        if c & CHEAP_TURNS == 0:
            pause(0, 0)
        if classes.is_open[c]:
            home[c] = c
        elif classes.rows[c] > 0:
            home[c] = _nearest(columns, weights, classes, nodes, classes.low[c], -1, True)
    return home
