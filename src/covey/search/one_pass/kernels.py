"""One-pass k-means: the loops of `covey.search.one_pass.estimator`.

Positions are rows in the order of their codes; equal rows are next to each other, and tuples are numbered
in that order too.  The rows of a class are a list of entries, each a tuple and how many rows have it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.prices import ORDERED
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause
from covey.search.kernels.boxes import tidy
from covey.search.kernels.class_tree import (
    EXTENT,
    cheapest,
    cheapest_of_all,
    index_classes,
    joined_extent,
    refit,
    refit_all,
)

__all__ = ["one_pass"]


class Members(NamedTuple):
    """The rows of every class, and what its centre is made of."""

    codes: np.ndarray
    """(p, t) int32"""
    points: np.ndarray
    """(t, p) float64: see `point_values`"""
    kinds: np.ndarray
    """(p,) uint8"""
    tuples: np.ndarray
    """(entries,) int64: the tuple of each entry; the first entry of class c is c"""
    counts: np.ndarray
    """(entries,) int64: how many rows of the class have it"""
    after: np.ndarray
    """(entries,) int64: the next entry of the class, -1 after the last"""
    head: np.ndarray
    """(c,) int64: the entry that was made last"""
    made: np.ndarray
    """(1,) int64: how many entries there are"""
    sums: np.ndarray
    """(c, p) float64: of the positions, in ordered columns"""
    mode: np.ndarray
    """(c, p) int32: the most frequent code, in the others"""
    mode_count: np.ndarray
    """(c, p) int64: how many rows have it"""
    scratch: np.ndarray
    """int64 zeros, one for each code of the column with the most"""


@kernel
def one_pass(codes, tuples, measure, k, seeds, lca, prune) -> IntVector:
    """Return the class of every position.

    codes (p, t) int32; tuples (n,) int64: the tuple at each position, ascending; seeds (n // k,) int64: the
    positions that start the classes; lca: whether the centre of categories is their lowest common ancestor,
    not the most frequent; prune: False compares with every class (the result is the same).
    """
    n = tuples.shape[0]
    label = np.full(n, -1, np.int64)
    for c in range(seeds.shape[0]):
        label[seeds[c]] = c
    ones = np.ones(n, np.int64)
    columns, points, classes, nodes = index_classes(codes, measure, tuples, ones, label, seeds.shape[0])
    members = _start(codes, points, columns, classes, tuples[seeds], n)
    _join_all(columns, classes, nodes, members, tuples, label, n, lca, prune)
    _give_up(columns, classes, members, tuples, label, k, lca)
    refit_all(nodes, classes)
    _join_all(columns, classes, nodes, members, tuples, label, k, lca, prune)
    return label


@kernel
def _join_all(columns, classes, nodes, members, tuples, label, most, lca, prune):
    """Let every position without a class join the nearest that is open, which it is below `most` rows; else of all."""
    n = tuples.shape[0]
    home = -1
    for position in range(n):
        if position & CHEAP_TURNS == 0:
            pause(position, n)
        if label[position] < 0:
            t = tuples[position]
            point = members.points[t]
            home = cheapest(columns, classes, nodes, point, EXTENT, prune, home)  # rows near each other are alike
            if home < 0:  # none is open
                home = cheapest_of_all(columns, classes, point, EXTENT)
            label[position] = home
            _join(classes, members, home, t, lca)
            if classes.is_open[home]:
                classes.is_open[home] = classes.rows[home] < most
                refit(nodes, classes, home)


@kernel
def _start(codes, points, columns, classes, starts, n):
    """Return `Members` of classes that have one row each, that of the tuple with which they start."""
    p = codes.shape[0]
    n_classes = starts.shape[0]
    n_entries = n_classes + 2 * n  # a row joins twice at most
    mode = np.empty((n_classes, p), np.int32)
    tuples = np.empty(n_entries, np.int64)
    counts = np.zeros(n_entries, np.int64)
    for c in range(n_classes):
        tuples[c], counts[c] = starts[c], 1
        mode[c] = codes[:, starts[c]]
    return Members(
        codes,
        points,
        columns.kinds,
        tuples,
        counts,
        np.full(n_entries, -1, np.int64),
        np.arange(n_classes),
        np.full(1, n_classes, np.int64),
        classes.low.copy(),
        mode,
        np.ones((n_classes, p), np.int64),
        np.zeros(columns.sizes.max(), np.int64),
    )


@kernel
def _join(classes, members, c, t, lca):
    """Add a row of tuple t to class c; its centre moves."""
    entry = members.head[c]
    if members.tuples[c] == t:
        entry = c
    elif members.tuples[entry] != t:
        entry = members.made[0]
        members.made[0] += 1
        members.tuples[entry], members.after[entry] = t, members.head[c]
        members.head[c] = entry
    members.counts[entry] += 1
    classes.rows[c] += 1
    for j in range(members.kinds.shape[0]):
        x = members.points[t, j]
        if members.kinds[j] == ORDERED:
            members.sums[c, j] += x
            classes.low[c, j] = classes.high[c, j] = members.sums[c, j] / classes.rows[c]
        elif lca:
            classes.low[c, j] = min(classes.low[c, j], x)
            classes.high[c, j] = max(classes.high[c, j], x)
        else:
            code = members.codes[j, t]
            count = _rows_with(members, c, j, code)
            most = members.mode_count[c, j]
            if code == members.mode[c, j]:
                members.mode_count[c, j] = count
            elif count > most or (count == most and code < members.mode[c, j]):
                members.mode[c, j], members.mode_count[c, j] = code, count
                classes.low[c, j] = classes.high[c, j] = x


@kernel
def _rows_with(members, c, j, code):
    """Return how many rows of class c have `code` in column j."""
    if code == members.mode[c, j]:
        return members.mode_count[c, j] + 1
    count = 0
    entry = members.head[c]
    while entry >= 0:
        if members.codes[j, members.tuples[entry]] == code:
            count += members.counts[entry]
        entry = members.after[entry]
    return count


@kernel
def _give_up(columns, classes, members, tuples, label, k, lca):
    """Take from every class above k rows those furthest from its centre, which moves; their label becomes -1.

    Ties: the lowest position.  Only classes below k rows stay open.
    """
    begin = np.searchsorted(tuples, np.arange(members.points.shape[0]))
    next_position = np.empty(members.tuples.shape[0], np.int64)
    for entry in range(members.made[0]):
        next_position[entry] = begin[members.tuples[entry]]
    for c in range(classes.rows.shape[0]):
        pause(0, 0)
        while classes.rows[c] > k:
            entry = _furthest(columns, classes, members, c)
            while label[next_position[entry]] != c:
                next_position[entry] += 1
            label[next_position[entry]] = -1
            _leave(classes, members, c, entry, lca)
        classes.is_open[c] = classes.rows[c] < k


@kernel
def _furthest(columns, classes, members, c):
    """Return the entry of class c that is furthest from its centre; ties: the lowest tuple."""
    greatest, found = -1.0, -1
    entry = members.head[c]
    while entry >= 0:
        if members.counts[entry] > 0:
            t = members.tuples[entry]
            distance = tidy(joined_extent(columns, classes.low[c], classes.high[c], members.points[t]))
            if distance > greatest or (distance == greatest and t < members.tuples[found]):
                greatest, found = distance, entry
        entry = members.after[entry]
    return found


@kernel
def _leave(classes, members, c, entry, lca):
    """Take a row of an entry out of class c; its centre moves."""
    t = members.tuples[entry]
    members.counts[entry] -= 1
    classes.rows[c] -= 1
    for j in range(members.kinds.shape[0]):
        if members.kinds[j] == ORDERED:
            members.sums[c, j] -= members.points[t, j]
            classes.low[c, j] = classes.high[c, j] = members.sums[c, j] / classes.rows[c]
        elif lca:
            _fit_interval(classes, members, c, j)
        elif members.codes[j, t] == members.mode[c, j]:
            _fit_mode(classes, members, c, j)


@kernel
def _fit_interval(classes, members, c, j):
    """Find the least interval around the codes of class c in column j anew."""
    classes.low[c, j], classes.high[c, j] = np.inf, -np.inf
    entry = members.head[c]
    while entry >= 0:
        if members.counts[entry] > 0:
            x = members.points[members.tuples[entry], j]
            classes.low[c, j] = min(classes.low[c, j], x)
            classes.high[c, j] = max(classes.high[c, j], x)
        entry = members.after[entry]


@kernel
def _fit_mode(classes, members, c, j):
    """Find the most frequent code of class c in column j anew; ties: the lowest code."""
    entry = members.head[c]
    while entry >= 0:
        members.scratch[members.codes[j, members.tuples[entry]]] += members.counts[entry]
        entry = members.after[entry]
    mode, most = members.mode[c, j], np.int64(0)
    entry = members.head[c]
    while entry >= 0:
        t = members.tuples[entry]
        code = members.codes[j, t]
        count = members.scratch[code]
        if count > most or (count == most and code < mode):
            mode, most = code, count
            classes.low[c, j] = classes.high[c, j] = members.points[t, j]
        entry = members.after[entry]
    members.mode[c, j], members.mode_count[c, j] = mode, most
    entry = members.head[c]
    while entry >= 0:
        members.scratch[members.codes[j, members.tuples[entry]]] = 0
        entry = members.after[entry]
