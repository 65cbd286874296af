"""Classes up to an extent: the loops of `covey.search.threshold.estimator`, over the tree of boxes of k-member.

Rows that are equal to one of a class are in its box, and cost nothing more: so tuples join whole, and a tuple that
is free has all its rows.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, DEAR_TURNS, pause
from covey.search.kernels.boxes import new_box, new_columns, set_point, tidy, widen
from covey.search.kernels.class_tree import INCREASE, cheapest, index_classes, joined_extent, refit
from covey.search.kernels.nearest import nearest, new_keys
from covey.search.kernels.tuple_tree import build_tree, leaves_of, slot_of, take_row

__all__ = ["grow_to_threshold", "joining_costs", "merge_until_legal"]


@kernel
def grow_to_threshold(codes, first_row, row_tuple, measure, order, threshold, prune) -> tuple[IntVector, int]:
    """Return (label, n_classes): the class of every tuple.

    codes (p, t) int32; first_row (t,) and row_tuple (n,) int64; order (n,) int64: a class starts with the first of
    these rows that is free; prune: False looks at every tuple in every step (the result is the same).
    """
    p, n_tuples = codes.shape
    columns = new_columns(measure)
    box = new_box(columns)
    tree = build_tree(columns, codes, first_row, np.arange(n_tuples))
    keys = new_keys(tree)
    leaf_of = leaves_of(tree)
    label = np.full(n_tuples, -1, np.int64)
    n_classes = 0
    n_free = n_tuples
    version = 0
    for start in order:
        t = row_tuple[start]
        if label[t] >= 0:
            continue
        leaf = leaf_of[t]
        slot = slot_of(tree, leaf, t)
        set_point(columns, box, tree.places, slot * p)
        version += 1
        class_version = version
        while True:
            label[tree.tuples[slot]] = n_classes
            keys.slot[leaf] = -1  # what was the cheapest of this leaf is gone
            take_row(tree, p, leaf, slot, -1)
            n_free -= 1
            if n_free & DEAR_TURNS == 0:
                pause(n_tuples - n_free, n_tuples)
            if n_free == 0:
                break
            leaf, slot = nearest(columns, tree, keys, box, None, version, class_version, prune)
            if keys.key[leaf] > tidy(threshold):  # the extent with it
                break
            if widen(columns, box, tree.places, slot * p):
                version += 1
        n_classes += 1
    return label, n_classes


@kernel
def merge_until_legal(codes, counts, measure, label, n_classes, k, held, begin, ell) -> None:
    """Merge the two classes whose union has the least extent until one is legal; ties: the lowest pair.

    codes (p, t) int32; counts (t,) int64: the rows of each tuple; label (t,) int64: the class of each, changed in
    place, the lower number staying.  Legal: k rows or more and, for every m, at least `ell` of the bits
    held[c, begin[m]:begin[m + 1]], held (c, words) uint64 being the sensitive values of each class.
    Every class knows its nearest, or a lower bound of that distance: the union with a class that has grown is never
    less extended, so an old distance is still a bound.
    """
    n_tuples = codes.shape[1]
    columns, _, classes, nodes = index_classes(codes, measure, np.arange(n_tuples), counts, label, n_classes)
    low, high, rows = classes.low, classes.high, classes.rows
    home = np.arange(n_classes)
    mate = np.full(n_classes, -1, np.int64)
    seen = np.full(n_classes, -1, np.int64)  # after how many merges the nearest was looked up
    bounds = _new_bounds(n_classes)
    n_merges = 0
    legal = False
    for c in range(n_classes):
        legal |= rows[c] >= k and _is_diverse(held[c], begin, ell)
    turn = 0
    while not legal:
        turn += 1
        if turn & DEAR_TURNS == 0:
            pause(n_merges, n_classes)
        one = _lowest_bound(bounds)
        if seen[one] < n_merges:
            mate[one], distance = _nearest_class(columns, classes, nodes, one)
            seen[one] = n_merges
            _set_bound(bounds, one, distance)
            continue
        other = mate[one]  # it comes after `one`: else it would have been the first with so low a bound
        rows[one] += rows[other]
        for j in range(low.shape[1]):
            low[one, j] = min(low[one, j], low[other, j])
            high[one, j] = max(high[one, j], high[other, j])
        classes.is_open[other] = False
        home[other] = one
        n_merges += 1
        refit(nodes, classes, one)
        refit(nodes, classes, other)
        _set_bound(bounds, other, np.inf)
        for w in range(held.shape[1]):
            held[one, w] |= held[other, w]
        legal = rows[one] >= k and _is_diverse(held[one], begin, ell)
    for c in range(n_classes):  # merged into a lower number, whose home is found already
        home[c] = home[home[c]]
    for t in range(n_tuples):
        label[t] = home[label[t]]


@kernel
def _is_diverse(held, begin, ell):
    """Return whether each column has at least `ell` of its bits set."""
    for m in range(begin.shape[0] - 1):
        values = 0
        for w in range(begin[m], begin[m + 1]):
            word = held[w]
            while word != np.uint64(0):
                word = word & (word - np.uint64(1))
                values += 1
        if values < ell:
            return False
    return True


@kernel
def _nearest_class(columns, classes, nodes, one):
    """Return (class, distance): the open class other than `one` with the least extended union; ties: the lowest."""
    p = classes.low.shape[1]
    low = np.empty(p)
    high = np.empty(p)
    best, found = np.inf, np.int64(-1)
    nodes.stack[0], nodes.bound[0] = 0, 0.0
    depth = 1
    while depth > 0:
        depth -= 1
        node = nodes.stack[depth]
        if nodes.bound[node] > best or (nodes.bound[node] == best and nodes.first[node] > found):
            continue
        if nodes.right[node] < 0:
            for slot in range(nodes.start[node], nodes.end[node]):
                c = nodes.classes[slot]
                if c != one and classes.is_open[c]:
                    distance = _union(columns, classes, one, classes.low[c], classes.high[c], low, high)
                    if distance < best or (distance == best and c < found):
                        best, found = distance, c
            continue
        near, far = node + 1, nodes.right[node]
        for child in (near, far):  # a node without open classes reaches from -inf to inf
            nodes.bound[child] = np.inf
            if nodes.rows[child] != np.iinfo(np.int64).max:
                nodes.bound[child] = _union(columns, classes, one, nodes.low[child], nodes.high[child], low, high)
        # the one that may be nearer comes last, and so on top
        if nodes.bound[near] < nodes.bound[far]:
            near, far = far, near
        for child in (near, far):
            if nodes.bound[child] < np.inf:
                nodes.stack[depth] = child
                depth += 1
    return found, best


@kernel
def _union(columns, classes, one, other_low, other_high, low, high):
    """Return the extent of class `one` with the box from other_low to other_high; of a node a lower bound.

    low, high (p,) float64: room to work in.
    """
    for j in range(low.shape[0]):
        low[j] = min(classes.low[one, j], other_low[j])
        high[j] = max(classes.high[one, j], other_high[j])
    return joined_extent(columns, low, high, low)


@kernel
def _new_bounds(n):
    """Return a tournament of n zeros: place i holds the lesser of places 2i and 2i + 1, the last `leaves` the n."""
    leaves = 1
    while leaves < n:
        leaves *= 2
    bounds = np.zeros(2 * leaves)
    for c in range(leaves - 1, n - 1, -1):
        _set_bound(bounds, c, np.inf)
    return bounds


@kernel
def _set_bound(bounds, c, value):
    place = bounds.shape[0] // 2 + c
    bounds[place] = value
    while place > 1:
        place //= 2
        bounds[place] = min(bounds[2 * place], bounds[2 * place + 1])


@kernel
def _lowest_bound(bounds):
    """Return the first class with the least bound."""
    place = 1
    while place < bounds.shape[0] // 2:
        place = 2 * place if bounds[2 * place] <= bounds[2 * place + 1] else 2 * place + 1
    return place - bounds.shape[0] // 2


@kernel
def joining_costs(codes, counts, measure, label, n_classes) -> FloatVector:
    """Return for every tuple the least by which a row of it would raise the loss of a class; 0 for those in one.

    codes (p, t) int32; counts (t,) int64: the rows of each tuple; label (t,) int64: its class, -1 if it has none.
    """
    n_tuples = codes.shape[1]
    columns, points, classes, nodes = index_classes(codes, measure, np.arange(n_tuples), counts, label, n_classes)
    cost = np.zeros(n_tuples)
    c = -1
    for t in range(n_tuples):
        if t & CHEAP_TURNS == 0:
            pause(t, n_tuples)
        if label[t] < 0:
            c = cheapest(columns, classes, nodes, points[t], INCREASE, True, c)
            after = joined_extent(columns, classes.low[c], classes.high[c], points[t])
            cost[t] = (classes.rows[c] + 1) * after - classes.rows[c] * classes.extent[c]
    return cost
