"""Trees: the loops of `covey.mining.trees.reach`.

All trees of a model lie in one set of arrays, and every attribute is a number of cells: between two neighbouring
thresholds, or values that no test tells apart.  The last cell of a numeric attribute stands for a missing value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import pause

__all__ = ["Nodes", "Private", "boxes", "child_of", "land", "paths", "push", "summed"]


class Nodes(NamedTuple):
    """The nodes of all trees."""

    roots: np.ndarray
    """(trees,) int64"""
    attribute: np.ndarray
    """(n,) int32: what a node tests; -1 at a leaf"""
    is_public: np.ndarray
    """(p,) bool: per attribute"""
    cut: np.ndarray
    """(n,) int32: the last cell that goes to the first of two children; -1 if the test is a partition"""
    missing_first: np.ndarray
    """(n,) bool: whether a missing number goes to the first child"""
    missing_cell: np.ndarray
    """(p,) int32: the cell of a missing number"""
    route_start: np.ndarray
    """(n,) int64: where the table of a partition starts in `route`"""
    route: np.ndarray
    """int32: which child each cell goes to"""
    child_start: np.ndarray
    """(n + 1,) int64"""
    children: np.ndarray
    """int64: the children of all nodes"""


class Private(NamedTuple):
    """Which cells of the attributes a person may have."""

    cell_start: np.ndarray
    """(p + 1,) int64: where the cells of each attribute start"""
    exists: np.ndarray
    """bool: whether a cell holds a value of the domain"""
    before: np.ndarray
    """(cells + 1,) int64: how many of the cells before this one do"""


class Walk(NamedTuple):
    """The room of a walk of all signatures through the trees at once.

    The signatures at a node are one stretch of `members`: what happens below a child only permutes its stretch, so
    that the next child finds the same set there.
    """

    members: np.ndarray
    """(s,) int64: the signatures"""
    parted: np.ndarray
    goes_to: np.ndarray
    ends: np.ndarray
    """Room for parting a stretch"""
    stack: np.ndarray
    """(n,) int64: nodes still to be visited"""
    begins: np.ndarray
    stops: np.ndarray
    """(n,) int64: their stretches"""


@kernel
def child_of(nodes, node, cell):
    """Return which child of `node`, by its place among them, a row with this cell goes to."""
    cut = nodes.cut[node]
    if cut < 0:
        return nodes.route[nodes.route_start[node] + cell]
    if cell == nodes.missing_cell[nodes.attribute[node]]:
        return 0 if nodes.missing_first[node] else 1
    return 0 if cell <= cut else 1


@kernel
def paths(nodes, private):
    """Return (nodes that some private values reach, parents before children; whether each node is one).

    The tests on a path look at one attribute at a time, so the private values that stay possible are a product:
    an interval or a set of cells per attribute.  A node is reached iff none of them is empty.
    """
    n = len(nodes.attribute)
    p = len(nodes.is_public)
    is_reached = np.zeros(n, np.bool_)
    order = np.empty(n, np.int64)
    found = 0
    low = np.zeros(p, np.int64)
    high = np.empty(p, np.int64)
    missing = np.empty(p, np.bool_)
    for a in range(p):
        high[a] = nodes.missing_cell[a] - 1
        missing[a] = private.exists[private.cell_start[a + 1] - 1]
    allowed = private.exists.copy()
    removed = np.empty(len(allowed), np.int64)  # cells closed on this path, in order
    n_removed = 0
    stack = np.empty(n, np.int64)
    after = np.empty(n, np.int64)  # the child to be tried next
    old_low = np.empty(n, np.int64)
    old_high = np.empty(n, np.int64)
    old_missing = np.empty(n, np.bool_)
    old_removed = np.empty(n, np.int64)
    for root in nodes.roots:
        pause(0, 0)
        depth = 0
        stack[0] = root
        after[0] = 0
        is_reached[root] = True
        order[found] = root
        found += 1
        while depth >= 0:
            node = stack[depth]
            a = nodes.attribute[node]
            first = nodes.child_start[node]
            if after[depth] > 0 and not nodes.is_public[a]:  # undo what the last child closed
                low[a], high[a], missing[a] = old_low[depth], old_high[depth], old_missing[depth]
                while n_removed > old_removed[depth]:
                    n_removed -= 1
                    allowed[removed[n_removed]] = True
            if first + after[depth] == nodes.child_start[node + 1]:
                depth -= 1
                continue
            c = after[depth]
            after[depth] += 1
            can_be = True
            if not nodes.is_public[a]:
                old_low[depth], old_high[depth], old_missing[depth] = low[a], high[a], missing[a]
                old_removed[depth] = n_removed
                start = private.cell_start[a]
                if nodes.cut[node] < 0:
                    can_be = False
                    for cell in range(private.cell_start[a + 1] - start):
                        if allowed[start + cell]:
                            if nodes.route[nodes.route_start[node] + cell] == c:
                                can_be = True
                            else:
                                allowed[start + cell] = False
                                removed[n_removed] = start + cell
                                n_removed += 1
                else:
                    if c == 0:
                        high[a] = min(high[a], nodes.cut[node])
                    else:
                        low[a] = max(low[a], nodes.cut[node] + 1)
                    missing[a] = missing[a] and nodes.missing_first[node] == (c == 0)
                    has_number = (
                        low[a] <= high[a] and private.before[start + high[a] + 1] > private.before[start + low[a]]
                    )
                    can_be = has_number or missing[a]
            if can_be:
                child = nodes.children[first + c]
                is_reached[child] = True
                order[found] = child
                found += 1
                depth += 1
                stack[depth] = child
                after[depth] = 0
    return order[:found], is_reached


@kernel
def summed(nodes, order, is_reached, keys):
    """Return what everybody at a node reaches where no public test follows: its keys by XOR, how many leaves.

    order: as from `paths`; keys (n, 2) uint64, random.  A count of -1: a public test follows.
    """
    sums = np.zeros((len(nodes.attribute), 2), np.uint64)
    counts = np.full(len(nodes.attribute), -1, np.int64)
    for i in range(len(order) - 1, -1, -1):
        node = order[i]
        a = nodes.attribute[node]
        if a < 0:
            sums[node, 0], sums[node, 1] = keys[node, 0], keys[node, 1]
            counts[node] = 1
        elif not nodes.is_public[a]:
            counts[node] = 0
            for j in range(nodes.child_start[node], nodes.child_start[node + 1]):
                child = nodes.children[j]
                if is_reached[child]:
                    if counts[child] < 0:
                        counts[node] = -1
                        break
                    sums[node, 0] ^= sums[child, 0]
                    sums[node, 1] ^= sums[child, 1]
                    counts[node] += counts[child]
    return sums, counts


@kernel
def room_for(nodes, n_signatures):
    """Return the room of a walk."""
    n = len(nodes.attribute)
    widest = 0
    for node in range(n):
        widest = max(widest, nodes.child_start[node + 1] - nodes.child_start[node])
    return Walk(
        np.arange(n_signatures),
        np.empty(n_signatures, np.int64),
        np.empty(n_signatures, np.int32),
        np.empty(widest + 1, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )


@kernel
def part(nodes, node, cells, walk, begin, stop):
    """Sort the members of a stretch by the child of a public test that they go to.

    walk.ends is set to where the stretch of each child ends.
    """
    a = nodes.attribute[node]
    n_children = nodes.child_start[node + 1] - nodes.child_start[node]
    members, parted, goes_to, ends = walk.members, walk.parted, walk.goes_to, walk.ends
    ends[: n_children + 1] = 0
    for i in range(begin, stop):
        c = child_of(nodes, node, cells[members[i], a])
        goes_to[i] = c
        ends[c + 1] += 1
    ends[0] = begin
    for c in range(n_children):
        ends[c + 1] += ends[c]
    for i in range(begin, stop):
        c = goes_to[i]
        parted[ends[c]] = members[i]
        ends[c] += 1
    members[begin:stop] = parted[begin:stop]


@kernel
def go_on(nodes, is_reached, cells, walk, node, begin, stop, depth):
    """Put the children of a node on the stack, above `depth`; return the depth then.

    A public test parts the signatures at the node; a private test sends all of them to every child.
    """
    first = nodes.child_start[node]
    n_children = nodes.child_start[node + 1] - first
    if not nodes.is_public[nodes.attribute[node]]:
        for c in range(n_children):
            child = nodes.children[first + c]
            if is_reached[child]:
                depth += 1
                walk.stack[depth], walk.begins[depth], walk.stops[depth] = child, begin, stop
        return depth
    part(nodes, node, cells, walk, begin, stop)
    for c in range(n_children):
        left = begin if c == 0 else walk.ends[c - 1]
        if left < walk.ends[c]:
            depth += 1
            walk.stack[depth], walk.begins[depth], walk.stops[depth] = nodes.children[first + c], left, walk.ends[c]
    return depth


@kernel
def push(nodes, is_reached, sums, counts, cells):
    """Return per signature the XOR of the keys of the leaves that it reaches (s, 2), and their number (s,).

    cells (s, p) int32: the cell of every public attribute.
    """
    s = cells.shape[0]
    names = np.zeros((s, 2), np.uint64)
    reached = np.zeros(s, np.int64)
    walk = room_for(nodes, s)
    members, stack, begins, stops = walk.members, walk.stack, walk.begins, walk.stops
    for root in nodes.roots:
        pause(0, 0)
        depth = 0
        stack[0], begins[0], stops[0] = root, 0, s
        while depth >= 0:
            node, begin, stop = stack[depth], begins[depth], stops[depth]
            depth -= 1
            if counts[node] >= 0:
                for i in range(begin, stop):
                    names[members[i], 0] ^= sums[node, 0]
                    names[members[i], 1] ^= sums[node, 1]
                    reached[members[i]] += counts[node]
                continue
            depth = go_on(nodes, is_reached, cells, walk, node, begin, stop, depth)
    return names, reached


@kernel
def boxes(nodes, is_reached, counts, cell_start, cells):
    """Return what the public tests that each signature meets say of it: the cells that they treat as its own.

    Per signature and attribute (s, p): the least and greatest cell of a number, whether it may be missing, whether
    it was tested; and (s, all cells) those of categories.  cells (s, p), counts: as in `push`, whose way it goes.
    """
    s, p = cells.shape
    low = np.zeros((s, p), np.int32)
    high = np.empty((s, p), np.int32)
    for i in range(s):
        high[i] = nodes.missing_cell - 1
    missing = np.ones((s, p), np.bool_)
    is_tested = np.zeros((s, p), np.bool_)
    alike = np.ones((s, cell_start[p]), np.bool_)
    n = len(nodes.attribute)
    table = np.zeros(len(nodes.route), np.int64)  # the tables of partitions, by their start
    n_tables = 0
    for node in range(n):
        start = nodes.route_start[node]
        if start >= 0 and table[start] == 0:
            n_tables += 1
            table[start] = n_tables
    is_done = np.zeros((s, n_tables + 1), np.bool_)
    walk = room_for(nodes, s)
    members, stack, begins, stops = walk.members, walk.stack, walk.begins, walk.stops
    for root in nodes.roots:
        pause(0, 0)
        depth = 0
        stack[0], begins[0], stops[0] = root, 0, s
        while depth >= 0:
            node, begin, stop = stack[depth], begins[depth], stops[depth]
            depth -= 1
            if counts[node] >= 0:  # no public test follows
                continue
            a = nodes.attribute[node]
            if nodes.is_public[a]:
                cut = nodes.cut[node]
                start = nodes.route_start[node]
                for i in range(begin, stop):
                    m = members[i]
                    c = child_of(nodes, node, cells[m, a])
                    is_tested[m, a] = True
                    if cut >= 0:
                        if c == 0:
                            high[m, a] = min(high[m, a], cut)
                        else:
                            low[m, a] = max(low[m, a], cut + 1)
                        if nodes.missing_first[node] != (c == 0):
                            missing[m, a] = False
                    elif not is_done[m, table[start]]:
                        is_done[m, table[start]] = True
                        for cell in range(cell_start[a + 1] - cell_start[a]):
                            if nodes.route[start + cell] != c:
                                alike[m, cell_start[a] + cell] = False
            depth = go_on(nodes, is_reached, cells, walk, node, begin, stop, depth)
    return low, high, missing, is_tested, alike


@kernel
def land(nodes, root, cells):
    """Return the leaf of one tree that each row falls into; cells (s, p): those of all attributes."""
    leaves = np.empty(len(cells), np.int64)
    for row in range(len(cells)):
        node = root
        while nodes.attribute[node] >= 0:
            place = child_of(nodes, node, cells[row, nodes.attribute[node]])
            node = nodes.children[nodes.child_start[node] + place]
        leaves[row] = node
    return leaves
