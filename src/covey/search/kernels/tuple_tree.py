"""An index for k-member: a binary tree of the tuples that are still free, each node with the least box around it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.codes.prices import FLAT, ORDERED, term
from covey.compiled.kernel import kernel

__all__ = ["Tree", "build_tree", "leaves_of", "slot_of", "take_row", "with_mode_first"]

LEAF = 24
"""At most this many tuples in a leaf."""
NO_ROW = np.iinfo(np.int64).max
"""The first row of a node that has none left."""


class Tree(NamedTuple):
    """Nodes in the order of a walk that goes left first: the left child of node i is i + 1.

    A node has the slots from `start` on; in a leaf the first `left` of them hold a tuple.  Boxes are of
    the tuples left.
    """

    tuples: np.ndarray
    """(slots,) int64: the tuple in each slot"""
    row: np.ndarray
    """(slots,) int64: the lowest free row of that tuple"""
    places: np.ndarray
    """(slots * p,) int32: the places of that tuple"""
    parent: np.ndarray
    """(nodes,) int64: -1 for the root"""
    right: np.ndarray
    """(nodes,) int64: the right child, -1 for a leaf"""
    start: np.ndarray
    """(nodes,) int64: the first slot"""
    left: np.ndarray
    """(nodes,) int64: how many tuples are left"""
    low: np.ndarray
    """(nodes * p,) int32: least place"""
    high: np.ndarray
    """(nodes * p,) int32: greatest place"""
    first: np.ndarray
    """(nodes,) int64: the lowest free row of the node"""


@kernel
def build_tree(columns, codes, rows, begin):
    """Return a `Tree` of all tuples: cut in two at the median of one column until they are few.

    columns: `Columns`; codes (p, t) int32; begin (t,) int64: where the rows of each tuple begin in `rows`.
    """
    p, n_tuples = codes.shape
    tuples = np.arange(n_tuples)
    places = np.empty(n_tuples * p, np.int32)
    for j in range(p):
        # the most frequent first, so that a cut can set it apart
        own = with_mode_first(codes[j], columns.sizes[j]) if columns.kinds[j] == FLAT else codes[j]
        for t in range(n_tuples):
            places[t * p + j] = own[t] + columns.begin[j]
    parent, right, start, left = _cut_all(columns, tuples, places)
    n_nodes = parent.shape[0]
    row = np.empty(n_tuples, np.int64)
    for slot in range(n_tuples):
        row[slot] = rows[begin[tuples[slot]]]
    low = np.empty(n_nodes * p, np.int32)
    high = np.empty(n_nodes * p, np.int32)
    first = np.empty(n_nodes, np.int64)
    tree = Tree(tuples, row, places, parent, right, start, left, low, high, first)
    for node in range(n_nodes - 1, -1, -1):  # children before parents
        if right[node] < 0:
            _fit_leaf(tree, p, node)
        else:
            _fit_inner(tree, p, node)
        _find_first(tree, node)
    return tree


@kernel
def with_mode_first(codes, size):
    """Return flat codes (t,) int32 of 0..size-1 numbered anew, the most frequent first: their order means nothing."""
    mode = np.argmax(np.bincount(codes, minlength=size))
    numbered = codes.copy()
    for t in range(codes.shape[0]):
        if codes[t] <= mode:
            numbered[t] = codes[t] + 1 if codes[t] < mode else 0
    return numbered


@kernel
def _cut_all(columns, tuples, places):
    """Return (parent, right, start, left) of the nodes; tuples and places are reordered."""
    m = tuples.shape[0]
    p = columns.kinds.shape[0]
    parent = np.empty(2 * m, np.int64)
    right = np.full(2 * m, -1, np.int64)
    start = np.empty(2 * m, np.int64)
    left = np.empty(2 * m, np.int64)
    counts = np.zeros(columns.sizes.max(), np.int64)
    # a stack of ranges still to be cut, the leftmost on top, and the node above each
    begins = np.empty(m + 1, np.int64)
    ends = np.empty(m + 1, np.int64)
    above = np.empty(m + 1, np.int64)
    begins[0], ends[0], above[0] = 0, m, -1
    depth = 1
    n_nodes = 0
    while depth > 0:
        depth -= 1
        begin, end, node = begins[depth], ends[depth], n_nodes
        n_nodes += 1
        parent[node], start[node], left[node] = above[depth], begin, end - begin
        if parent[node] >= 0 and parent[node] != node - 1:
            right[parent[node]] = node
        if end - begin > LEAF:
            column = _cut_column(columns, places, begin, end, counts)
            middle = (begin + end) // 2  # where no column costs anything, any halves will do
            if column >= 0:
                middle = _cut(tuples, places, p, begin, end, column)
            begins[depth], ends[depth], above[depth] = middle, end, node
            begins[depth + 1], ends[depth + 1], above[depth + 1] = begin, middle, node
            depth += 2
    return parent[:n_nodes].copy(), right[:n_nodes].copy(), start[:n_nodes].copy(), left[:n_nodes].copy()


@kernel
def _cut_column(columns, places, begin, end, counts):
    """Return the column to cut, -1 if none costs anything.

    Dear ones first, categories before ordered columns, and of these the most uneven one: it sets the rare
    values apart, and they decide who is furthest (half the time of an order by price alone).
    counts: int64 zeros, one for each code of the column with the most.
    """
    p = columns.kinds.shape[0]
    column = -1
    highest = 0.0
    for j in range(p):
        zero = columns.begin[j]
        lo = hi = places[begin * p + j]
        for slot in range(begin + 1, end):
            place = places[slot * p + j]
            lo = min(lo, place)
            hi = max(hi, place)
        score = term(columns, j, lo - zero, hi - zero)
        if columns.kinds[j] != ORDERED and score > 0.0:
            score *= 2.0 + _unevenness(places, p, begin, end, j, zero, counts)
        if score > highest:
            column, highest = j, score
    return column


@kernel
def _unevenness(places, p, begin, end, j, zero, counts):
    """Return the chance that two tuples of begin..end-1 agree in column j."""
    squares = 0
    for slot in range(begin, end):
        code = places[slot * p + j] - zero
        squares += 2 * counts[code] + 1
        counts[code] += 1
    for slot in range(begin, end):
        counts[places[slot * p + j] - zero] = 0
    return squares / ((end - begin) * (end - begin))


@kernel
def _cut(tuples, places, p, begin, end, column):
    """Part the slots begin..end-1 around the median of a column; return where the second part begins.

    Equal places stay together, those at the median on the side that balances better.
    """
    values = places[begin * p + column : end * p : p].copy()
    middle = values.shape[0] // 2
    median = np.partition(values, middle)[middle]  # the upper one
    below = 0
    equal = 0
    for place in values:
        below += place < median
        equal += place == median
    half = (end - begin) / 2
    least_right = median
    if below == 0 or (below + equal < end - begin and abs(below + equal - half) < abs(below - half)):
        least_right = median + 1
    i, j = begin, end - 1
    while True:
        while i <= j and places[i * p + column] < least_right:
            i += 1
        while i <= j and places[j * p + column] >= least_right:
            j -= 1
        if i > j:
            return i
        tuples[i], tuples[j] = tuples[j], tuples[i]
        for c in range(p):
            places[i * p + c], places[j * p + c] = places[j * p + c], places[i * p + c]


@kernel
def take_row(tree, p, leaf, slot, next_row):
    """Give the tuple in `slot` of `leaf` its next row, or take it out if that is -1; boxes shrink."""
    tree.row[slot] = next_row
    shrunk = False
    if next_row < 0:
        last = tree.start[leaf] + tree.left[leaf] - 1  # the last tuple moves into the free place
        tree.tuples[slot] = tree.tuples[last]
        tree.row[slot] = tree.row[last]
        for j in range(p):
            tree.places[slot * p + j] = tree.places[last * p + j]
        node = leaf
        while node >= 0:
            tree.left[node] -= 1
            node = tree.parent[node]
        shrunk = tree.left[leaf] == 0 or _fit_leaf(tree, p, leaf)
    later = _find_first(tree, leaf)
    node = tree.parent[leaf]
    while (shrunk or later) and node >= 0 and tree.left[node] > 0:
        shrunk = shrunk and _fit_inner(tree, p, node)
        later = later and _find_first(tree, node)
        node = tree.parent[node]


@kernel
def _find_first(tree, node):
    """Find the first row of a node anew; return whether it changed."""
    first = NO_ROW
    if tree.right[node] < 0:
        for slot in range(tree.start[node], tree.start[node] + tree.left[node]):
            first = min(first, tree.row[slot])
    else:
        first = min(tree.first[node + 1], tree.first[tree.right[node]])
    changed = tree.first[node] != first
    tree.first[node] = first
    return changed


@kernel
def _fit_leaf(tree, p, leaf):
    """Make the box of a leaf the least one around its tuples; return whether it changed."""
    changed = False
    begin = tree.start[leaf]
    for j in range(p):
        lo = hi = tree.places[begin * p + j]
        for slot in range(begin + 1, begin + tree.left[leaf]):
            place = tree.places[slot * p + j]
            lo = min(lo, place)
            hi = max(hi, place)
        changed |= (tree.low[leaf * p + j] != lo) | (tree.high[leaf * p + j] != hi)
        tree.low[leaf * p + j] = lo
        tree.high[leaf * p + j] = hi
    return changed


@kernel
def _fit_inner(tree, p, node):
    """Make the box of an inner node the least one around its children; return whether it changed."""
    one, other = node + 1, tree.right[node]
    if tree.left[one] == 0:
        one = other
    elif tree.left[other] == 0:
        other = one
    changed = False
    for j in range(p):
        lo = min(tree.low[one * p + j], tree.low[other * p + j])
        hi = max(tree.high[one * p + j], tree.high[other * p + j])
        changed |= (tree.low[node * p + j] != lo) | (tree.high[node * p + j] != hi)
        tree.low[node * p + j] = lo
        tree.high[node * p + j] = hi
    return changed


@kernel
def leaves_of(tree):
    """Return the leaf of every tuple."""
    leaf_of = np.empty(tree.tuples.shape[0], np.int64)
    for node in range(tree.left.shape[0]):
        if tree.right[node] < 0:
            for slot in range(tree.start[node], tree.start[node] + tree.left[node]):
                leaf_of[tree.tuples[slot]] = node
    return leaf_of


@kernel
def slot_of(tree, leaf, t):
    """Return the slot of tuple t, which moves within its leaf as others are taken out."""
    slot = tree.start[leaf]
    while tree.tuples[slot] != t:
        slot += 1
    return slot
