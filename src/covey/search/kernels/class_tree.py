"""An index of classes: which open one does a row join most cheaply?

A class is an interval [low, high] in every column, of positions (ordered columns) or codes; joined by a row
it reaches at least from min(row, low) to max(row, high).  A node of the tree knows the greatest low and the
least high of its open classes, and so a least reach of all of them with the row: prices only rise with reach.
Bounds add the same terms in the same order as the exact extent, each not greater, and rounding never
reverses an order: so skipping by a bound never changes the result.  By how much the loss grows is a difference, which
rounding could reverse: for that prices must be whole numbers (`whole_prices`), and nothing is rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.base.arrays import FloatMatrix
from covey.codes.prices import FLAT, ORDERED, TREE, price
from covey.compiled.kernel import kernel, lean_kernel
from covey.search.kernels.boxes import new_columns, tidy
from covey.search.kernels.tuple_tree import build_tree, leaves_of, with_mode_first

__all__ = [
    "EXTENT",
    "INCREASE",
    "TOTAL",
    "Classes",
    "Nodes",
    "build_nodes",
    "cheapest",
    "cheapest_of_all",
    "index_classes",
    "join_class",
    "joined_extent",
    "members_of",
    "point_values",
    "refit",
    "refit_all",
    "term_between",
]

EXTENT, TOTAL, INCREASE = 0, 1, 2
"""What is least: the extent with the row, as a multiple of 1e-9, the loss with the row, or by how much it grows."""
NO_CLASS = np.iinfo(np.int64).max
"""The first open class of a node that has none."""


class Classes(NamedTuple):
    """The classes, as far as a search must know them."""

    low: np.ndarray
    """(c, p) float64: where the interval of each column begins"""
    high: np.ndarray
    """(c, p) float64: where it ends"""
    rows: np.ndarray
    """(c,) int64"""
    extent: np.ndarray
    """(c,) float64; not kept up where only extents with a row are compared"""
    is_open: np.ndarray
    """(c,) bool: whether rows may join"""


class Nodes(NamedTuple):
    """A binary tree in the order of a walk that goes left first: the left child of node i is i + 1."""

    classes: np.ndarray
    """(c,) int64: the class in each slot; a node has the slots start..end-1"""
    leaf: np.ndarray
    """(c,) int64: the leaf of each class"""
    parent: np.ndarray
    """(nodes,) int64: -1 for the root"""
    right: np.ndarray
    """(nodes,) int64: the right child, -1 for a leaf"""
    start: np.ndarray
    """(nodes,) int64"""
    end: np.ndarray
    """(nodes,) int64"""
    low: np.ndarray
    """(nodes, p) float64: the greatest low of the open classes"""
    high: np.ndarray
    """(nodes, p) float64: their least high"""
    rows: np.ndarray
    """(nodes,) int64: their least number of rows"""
    extent: np.ndarray
    """(nodes,) float64: their greatest extent"""
    first: np.ndarray
    """(nodes,) int64: the lowest of them"""
    stack: np.ndarray
    """(nodes,) int64: nodes still to be looked at"""
    bound: np.ndarray
    """(nodes,) float64: no open class of the node costs less"""


@kernel
def point_values(codes, measure) -> FloatMatrix:
    """Return (t, p) float64: each tuple's position in ordered columns, its code in the others.

    codes (p, t) int32.  Flat codes are numbered anew, the most frequent first: so an interval of the others leaves
    it out.
    """
    p, n_tuples = codes.shape
    points = np.empty((n_tuples, p))
    for j in range(p):
        own = with_mode_first(codes[j], measure.sizes[j]) if measure.kinds[j] == FLAT else codes[j]
        for t in range(n_tuples):
            is_ordered = measure.kinds[j] == ORDERED
            points[t, j] = measure.positions[measure.offsets[j] + own[t]] if is_ordered else own[t]
    return points


@kernel
def index_classes(codes, measure, tuples, counts, label, n_classes):
    """Return (columns, points, classes, nodes): the classes of some items, all open, and a tree of them.

    codes (p, t) int32; tuples, counts and label (items,) int64: the tuple of each item, its rows, and its class, below
    0 for none.
    """
    columns = new_columns(measure)
    points = point_values(codes, measure)
    p = points.shape[1]
    starts = np.full(n_classes, -1, np.int64)
    low = np.full((n_classes, p), np.inf)
    high = np.full((n_classes, p), -np.inf)
    rows = np.zeros(n_classes, np.int64)
    for i in range(label.shape[0]):
        c = label[i]
        if c < 0:
            continue
        if starts[c] < 0:
            starts[c] = tuples[i]
        rows[c] += counts[i]
        for j in range(p):
            low[c, j] = min(low[c, j], points[tuples[i], j])
            high[c, j] = max(high[c, j], points[tuples[i], j])
    extent = np.empty(n_classes)
    for c in range(n_classes):
        extent[c] = joined_extent(columns, low[c], high[c], low[c])
    classes = Classes(low, high, rows, extent, np.ones(n_classes, np.bool_))
    return columns, points, classes, build_nodes(columns, codes, starts, classes)


@lean_kernel
def join_class(columns, classes, c, point):
    """Add a row to class c: its box, its extent and its number of rows."""
    classes.extent[c] = joined_extent(columns, classes.low[c], classes.high[c], point)
    classes.rows[c] += 1
    for j in range(point.shape[0]):
        classes.low[c, j] = min(classes.low[c, j], point[j])
        classes.high[c, j] = max(classes.high[c, j], point[j])


@kernel
def members_of(label, n_classes):
    """Return (begin, items): the items of class c, ascending, are items[begin[c]:begin[c + 1]]."""
    begin = np.zeros(n_classes + 1, np.int64)
    for i in range(label.shape[0]):
        begin[label[i] + 1] += 1
    for c in range(n_classes):
        begin[c + 1] += begin[c]
    place = begin.copy()
    items = np.empty(label.shape[0], np.int64)
    for i in range(label.shape[0]):
        items[place[label[i]]] = i
        place[label[i]] += 1
    return begin, items


@kernel
def build_nodes(columns, codes, starts, classes):
    """Return `Nodes`: a tree of the classes that start with the tuples `starts`."""
    p = codes.shape[0]
    n_classes = starts.shape[0]
    first_codes = np.empty((p, n_classes), np.int32)
    for j in range(p):
        for c in range(n_classes):
            first_codes[j, c] = codes[j, starts[c]]
    tree = build_tree(columns, first_codes, np.arange(n_classes), np.arange(n_classes))
    n_nodes = tree.parent.shape[0]
    nodes = Nodes(
        tree.tuples,
        leaves_of(tree),
        tree.parent,
        tree.right,
        tree.start,
        tree.start + tree.left,
        np.empty((n_nodes, p)),
        np.empty((n_nodes, p)),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes),
    )
    refit_all(nodes, classes)
    return nodes


@lean_kernel
def refit_all(nodes, classes):
    """Let all nodes know that classes have changed."""
    for node in range(nodes.right.shape[0] - 1, -1, -1):  # children before parents
        if nodes.right[node] < 0:
            _fit_leaf(nodes, classes, node)
        else:
            _fit_inner(nodes, node)


@lean_kernel
def refit(nodes, classes, c):
    """Let the nodes above class c know that it has changed."""
    node = nodes.leaf[c]
    _fit_leaf(nodes, classes, node)
    node = nodes.parent[node]
    while node >= 0 and _fit_inner(nodes, node):
        node = nodes.parent[node]


@lean_kernel
def _fit_leaf(nodes, classes, leaf):
    nodes.rows[leaf], nodes.extent[leaf], nodes.first[leaf] = NO_CLASS, 0.0, NO_CLASS
    nodes.low[leaf], nodes.high[leaf] = -np.inf, np.inf
    for slot in range(nodes.start[leaf], nodes.end[leaf]):
        c = nodes.classes[slot]
        if not classes.is_open[c]:
            continue
        nodes.rows[leaf] = min(nodes.rows[leaf], classes.rows[c])
        nodes.extent[leaf] = max(nodes.extent[leaf], classes.extent[c])
        nodes.first[leaf] = min(nodes.first[leaf], c)
        for j in range(classes.low.shape[1]):
            nodes.low[leaf, j] = max(nodes.low[leaf, j], classes.low[c, j])
            nodes.high[leaf, j] = min(nodes.high[leaf, j], classes.high[c, j])


@lean_kernel
def _fit_inner(nodes, node):
    """Fit a node to its children; return whether it changed."""
    one, other = node + 1, nodes.right[node]
    rows = min(nodes.rows[one], nodes.rows[other])
    extent = max(nodes.extent[one], nodes.extent[other])
    first = min(nodes.first[one], nodes.first[other])
    changed = rows != nodes.rows[node] or extent != nodes.extent[node] or first != nodes.first[node]
    nodes.rows[node], nodes.extent[node], nodes.first[node] = rows, extent, first
    for j in range(nodes.low.shape[1]):
        low = max(nodes.low[one, j], nodes.low[other, j])
        high = min(nodes.high[one, j], nodes.high[other, j])
        changed |= low != nodes.low[node, j] or high != nodes.high[node, j]
        nodes.low[node, j], nodes.high[node, j] = low, high
    return changed


@lean_kernel
def term_between(columns, j, lo, hi):
    """Return weight x price of the interval [lo, hi] of column j."""
    if lo >= hi:
        return 0.0
    if columns.kinds[j] == FLAT:
        return columns.weights[j]
    if columns.kinds[j] == ORDERED:
        return columns.weights[j] * min(hi - lo, columns.positions[columns.offsets[j] + columns.sizes[j]])
    return columns.weights[j] * price(
        TREE, columns.positions, columns.offsets[j], columns.sizes[j], np.int64(lo), np.int64(hi)
    )


@lean_kernel
def joined_extent(columns, low, high, point):
    """Return the extent of the box from `low` to `high` with `point` in it, all (p,); of a node a lower bound."""
    total = 0.0
    for j in range(point.shape[0]):
        total += term_between(columns, j, min(low[j], point[j]), max(high[j], point[j]))
    return total


@lean_kernel
def _cost(measure, rows, before, after):
    """Return what is compared: a class of `rows` rows has the extent `before`, and `after` with one more."""
    if measure == EXTENT:  # from a mean, which is no whole number
        return tidy(after)
    if measure == TOTAL:
        return (rows + 1) * after
    return (rows + 1) * after - rows * before


@lean_kernel
def _cost_with(columns, classes, c, point, measure):
    """Return what class c costs with `point` in it."""
    after = joined_extent(columns, classes.low[c], classes.high[c], point)
    return _cost(measure, classes.rows[c], classes.extent[c], after)


@lean_kernel
def _least_cost(measure, rows, before, after):
    """Return a lower bound of the cost if these are the least rows, greatest extent and least extent with one more."""
    if measure == INCREASE:  # after + rows x widening
        return after + rows * max(after - before, 0.0)
    return _cost(measure, rows, before, after)


@lean_kernel
def cheapest(columns, classes, nodes, point, measure, prune, likely):
    """Return the open class that `point` joins most cheaply; ties: the lowest class; -1 if none is open.

    prune: False looks at every open class; likely: a class to look at first if it is open, or -1 (the result is the
    same: a good one spares looking at others).
    """
    stack, bound, first = nodes.stack, nodes.bound, nodes.first
    best, home = np.inf, NO_CLASS
    if likely >= 0 and classes.is_open[likely]:
        best, home = _cost_with(columns, classes, likely, point, measure), likely
    stack[0], bound[0] = 0, 0.0
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if prune and _cannot_win(bound[node], first[node], best, home):
            continue
        if nodes.right[node] < 0:
            for slot in range(nodes.start[node], nodes.end[node]):
                c = nodes.classes[slot]
                if classes.is_open[c]:
                    cost = _cost_with(columns, classes, c, point, measure)
                    if cost < best or (cost == best and c < home):
                        best, home = cost, c
            continue
        one, other = node + 1, nodes.right[node]
        for child in (one, other):
            bound[child] = np.inf
            if first[child] != NO_CLASS:
                after = joined_extent(columns, nodes.low[child], nodes.high[child], point)
                bound[child] = _least_cost(measure, nodes.rows[child], nodes.extent[child], after)
        # the one that may be cheaper comes last, and so on top
        if bound[one] < bound[other] or (bound[one] == bound[other] and first[one] < first[other]):
            one, other = other, one
        for child in (one, other):
            if first[child] != NO_CLASS:
                stack[depth] = child
                depth += 1
    return home if home != NO_CLASS else -1


@lean_kernel
def _cannot_win(bound, first, best, home):
    """Return whether no class of a node can be cheaper than `best`, or as cheap and lower than `home`."""
    return bound > best or (bound == best and first > home)


@lean_kernel
def cheapest_of_all(columns, classes, point, measure):
    """Return the class, open or not, that `point` joins most cheaply; ties: the lowest class."""
    best, home = np.inf, -1
    for c in range(classes.rows.shape[0]):
        cost = _cost_with(columns, classes, c, point, measure)
        if cost < best:
            best, home = cost, c
    return home
