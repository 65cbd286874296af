"""Binary k-means: the loops of `covey.search.binary_k_means.estimator`.

A place is a row in the order of the codes; equal rows are next to each other.  A part is a run of `places`, always
ascending.  Points and prices are those of `class_tree`: a centre is a box that is one point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.codes.prices import ORDERED
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause
from covey.search.binary_k_means.deal import deal
from covey.search.binary_k_means.join import CENTRE, alike, join_in_turn, join_nearer, settle_ties
from covey.search.kernels.boxes import new_columns, tidy
from covey.search.kernels.class_tree import joined_extent
from covey.search.kernels.states import Needs, add, forget, holds
from covey.search.kernels.streams import below, draw

__all__ = ["CHILD", "Rows", "split_part"]

CHILD, FIRST, TRY = 0, 2, 4
"""Where the numbers of a part's stream begin: the keys of its halves, its first centres, the keys of its tries."""
ROUNDS = 6
"""So often at most the row furthest from the last one is looked for, to find two that are far apart."""


class Rows(NamedTuple):
    """What is known of every place."""

    codes: np.ndarray
    """(p, t) int32"""
    points: np.ndarray
    """(t, p) float64: see `point_values`"""
    tuples: np.ndarray
    """(n,) int64: the tuple at each place, ascending"""
    needs: Needs
    """what a class must satisfy; its items are places"""
    most_codes: int
    """how many codes the column with the most has"""


class Way(NamedTuple):
    """How a part is split."""

    join: int
    """what decides which half a row joins: CENTRE, GROWTH, EXTENT or WIDENING"""
    far: bool
    """whether the first centres are rows far apart, which stay in their halves, instead of any two"""
    tries: int
    prune: bool
    """False does every try, also where it cannot change anything"""


class Work(NamedTuple):
    """Arrays that every split fills anew; element by element, as copying slices takes seconds more to compile."""

    half: np.ndarray
    """(m,) int8: the half of each row of the part in this try: 0, 1 or TIED"""
    kept: np.ndarray
    """(m,) int8: the half in the best try so far"""
    order: np.ndarray
    """(m,) int64: a random order; the second half while the first is moved"""
    start: np.ndarray
    """(m + 1,) int64: where each run of equal rows begins"""
    run: np.ndarray
    """(m,) int64: the tuple of each run"""
    tuple: np.ndarray
    """(m,) int64: the tuple of each row of the part, where rows join in turn"""
    seeds: np.ndarray
    """(2,) int64: the rows of the part that the centres are and that stay in their halves; -1: none"""
    shares: np.ndarray
    """(2, m) int64: how many rows of each run are in either half"""
    apart: np.ndarray
    """(m,) float64: the extent of a half with each run"""
    rows: np.ndarray
    """(2,) int64: the rows of either half"""
    centre: np.ndarray
    """(2, p) float64: where the rows of this try are drawn to"""
    middle: np.ndarray
    """(2, p) float64: the means of the halves, the centres of the next try"""
    low: np.ndarray
    """(2, p) float64: the boxes of the halves, around their centres too while rows join"""
    high: np.ndarray
    """(2, p) float64"""
    tally: np.ndarray
    """(most_codes,) int64 zeros"""
    states: np.ndarray
    """(2, s) int64 zeros: those of the halves"""


@kernel
def _new_work(m, p, n_codes, needs):
    return Work(
        np.empty(m, np.int8),
        np.empty(m, np.int8),
        np.empty(m, np.int64),
        np.empty(m + 1, np.int64),
        np.empty(m, np.int64),
        np.empty(m, np.int64),
        np.empty(2, np.int64),
        np.empty((2, m), np.int64),
        np.empty(m),
        np.empty(2, np.int64),
        np.empty((2, p)),
        np.empty((2, p)),
        np.empty((2, p)),
        np.empty((2, p)),
        np.zeros(n_codes, np.int64),
        np.zeros((2, needs.begin[-1]), np.int64),
    )


@kernel
def split_part(places, key, table, measure, way, once, label) -> tuple[int, int]:
    """Split a part until no half can be split, or `once`; return (classes, rows of the first half).

    places (m,) int64, ascending: put into the order of the classes; key uint64: the part's stream; label (m,) int64:
    the class of each, from 0.  Split `once`, it has 0 classes.
    """
    m, least, has_models = places.shape[0], table.needs.k, table.needs.column.shape[0] > 0
    columns = new_columns(measure)
    work = _new_work(m, measure.kinds.shape[0], table.most_codes, table.needs)
    label[:] = 0
    # parts that wait; the smaller half is split first, so that at most log2(m) wait
    begin, end, keys = np.empty(80, np.int64), np.empty(80, np.int64), np.empty(80, np.uint64)
    begin[0], end[0], keys[0] = 0, m, key
    waiting = 1
    while waiting > 0:
        waiting -= 1
        a, b, key = begin[waiting], end[waiting], keys[waiting]
        part = places[a:b]
        n_first = np.int64(0)
        if b - a >= 2 * least:
            n_first = _best_split(part, key, table, columns, least, way, work)
        if n_first > 0:
            _put_first_half_first(part, n_first, work)
            if once:
                return 0, int(n_first)
            one, two = waiting, waiting + 1
            if n_first < b - a - n_first:
                one, two = two, one
            begin[one], end[one], keys[one] = a, a + n_first, draw(key, CHILD)
            begin[two], end[two], keys[two] = a + n_first, b, draw(key, CHILD + 1)
            waiting += 2
        elif has_models:
            deal(part, table.needs, work.states[0], label[a:b])
        else:
            label[a] = 1
    # so far 1 where a class begins
    n_classes = 0
    for i in range(m):
        n_classes += label[i]
        label[i] = n_classes - 1
    return n_classes, 0


@kernel
def _best_split(part, key, table, columns, least, way, work):
    """Find the try that loses least, as `work.kept`; return the rows of its first half, 0 if no try is legal."""
    n = part.shape[0]
    n_runs = _find_runs(part, table.tuples, work)
    _draw_centres(part, n_runs, key, table, columns, way.far, work)
    lowest = np.inf
    n_first = np.int64(0)
    for x in range(way.tries):
        if n > CHEAP_TURNS:
            pause(0, 0)
        tied = True
        if way.join == CENTRE:
            tied = join_nearer(n_runs, table.points, columns, work)
            if tied:
                settle_ties(n, draw(key, TRY + x), work)
        else:
            join_in_turn(n_runs, n, draw(key, TRY + x), way.join, table.points, columns, work.seeds, work)
        _borrow(n_runs, table.points, columns, least, work)
        _measure(n_runs, table, columns, work)
        loss = 0.0
        for h in range(2):
            loss += work.rows[h] * joined_extent(columns, work.low[h], work.high[h], work.low[h])
        is_less = loss < lowest and not alike(loss, lowest)
        if is_less and (table.needs.column.shape[0] == 0 or _both_hold(part, table.needs, work)):
            lowest, n_first = loss, work.rows[0]
            for i in range(n):
                work.kept[i] = work.half[i]
            if way.prune and loss == 0.0:  # nothing is less
                break
        moved = _move_centres(work)
        if way.prune and not tied and not moved:  # the next try would be this one again
            break
    return n_first


@kernel
def _find_runs(part, tuples, work):
    """Find the runs of equal rows; return how many there are."""
    n_runs = 0
    for i in range(part.shape[0]):
        t = tuples[part[i]]
        if i == 0 or t != work.run[n_runs - 1]:
            work.start[n_runs], work.run[n_runs] = i, t
            n_runs += 1
    work.start[n_runs] = part.shape[0]
    return n_runs


@kernel
def _draw_centres(part, n_runs, key, table, columns, far, work):
    """Draw two different rows of the part; or draw one and go from it to rows ever further apart."""
    n = part.shape[0]
    one = below(draw(key, FIRST), n)
    two = below(draw(key, FIRST + 1), n - 1)
    if two >= one:
        two += 1
    work.seeds[:] = -1
    if far:
        last, apart = one, 0.0
        for _ in range(ROUNDS):
            u, distance = _furthest(table.points[table.tuples[part[last]]], n_runs, table.points, columns, work)
            if distance <= apart:
                break
            one, two, apart = last, work.start[u], distance
            last = two
        work.seeds[0], work.seeds[1] = one, two
    for j in range(work.centre.shape[1]):
        work.centre[0, j] = table.points[table.tuples[part[one]], j]
        work.centre[1, j] = table.points[table.tuples[part[two]], j]


@kernel
def _furthest(point, n_runs, points, columns, work):
    """Return the run that is furthest from a point, and how far that is; ties: the first."""
    furthest, apart = 0, -1.0
    for u in range(n_runs):
        distance = tidy(joined_extent(columns, point, point, points[work.run[u]]))
        if distance > apart:
            furthest, apart = u, distance
    return furthest, apart


@kernel
def _borrow(n_runs, points, columns, least, work):
    """Let a half of too few rows have those of the other that widen its box least; ties: the lowest place."""
    poor = 0 if work.rows[0] < least else 1
    missing = least - work.rows[poor]
    if missing <= 0:
        return
    for u in range(n_runs):
        work.apart[u] = tidy(joined_extent(columns, work.low[poor], work.high[poor], points[work.run[u]]))
    work.rows[poor] += missing
    work.rows[1 - poor] -= missing
    for u in np.argsort(work.apart[:n_runs], kind="mergesort"):  # stable
        for i in range(work.start[u], work.start[u + 1]):
            if work.half[i] != poor:
                work.half[i] = poor
                missing -= 1
                if missing == 0:
                    return


@kernel
def _measure(n_runs, table, columns, work):
    """Find the box and the mean of either half: in ordered columns of positions, else the most frequent code."""
    p = columns.kinds.shape[0]
    low, high, middle = work.low, work.high, work.middle
    low[:], high[:], middle[:] = np.inf, -np.inf, 0.0
    for u in range(n_runs):
        begin, end = work.start[u], work.start[u + 1]
        second = np.int64(0)
        for i in range(begin, end):
            second += work.half[i]
        work.shares[0, u], work.shares[1, u] = end - begin - second, second
        point = table.points[work.run[u]]
        for h in range(2):
            count = work.shares[h, u]
            if count > 0:
                for j in range(p):
                    low[h, j] = min(low[h, j], point[j])
                    high[h, j] = max(high[h, j], point[j])
                    middle[h, j] += count * point[j]
    for h in range(2):
        for j in range(p):
            if columns.kinds[j] == ORDERED:
                middle[h, j] /= work.rows[h]
            else:
                middle[h, j] = _most_frequent(n_runs, table, j, work.shares[h], work)


@kernel
def _most_frequent(n_runs, table, j, count, work):
    """Return the point of the most frequent code of column j; ties: the lowest code."""
    codes, tally = table.codes[j], work.tally
    most, mode, found = np.int64(0), np.int64(0), np.int64(0)
    # a count that grows overtakes, or draws level, when it does: no code needs to be looked at again
    for u in range(n_runs):
        if count[u] > 0:
            code = codes[work.run[u]]
            tally[code] += count[u]
            if tally[code] > most or (tally[code] == most and code < mode):
                most, mode, found = tally[code], code, work.run[u]
    for u in range(n_runs):
        tally[codes[work.run[u]]] = 0
    return table.points[found, j]


@kernel
def _both_hold(part, needs, work):
    """Return whether both halves satisfy the models."""
    for i in range(part.shape[0]):
        add(needs, work.states[work.half[i]], part[i])
    both = holds(needs, work.states[0]) and holds(needs, work.states[1])
    for i in range(part.shape[0]):
        forget(needs, work.states[work.half[i]], part[i])
    return both


@kernel
def _move_centres(work):
    """Make the means of the halves the centres; return whether these changed."""
    moved = False
    for h in range(2):
        for j in range(work.centre.shape[1]):
            moved |= work.centre[h, j] != work.middle[h, j]
            work.centre[h, j] = work.middle[h, j]
    return moved


@kernel
def _put_first_half_first(part, n_first, work):
    """Put the first half of the best try before the second, both in the order of places."""
    one, two = 0, 0
    for i in range(part.shape[0]):
        if work.kept[i] == 0:
            part[one] = part[i]
            one += 1
        else:
            work.order[two] = part[i]
            two += 1
    for i in range(two):
        part[n_first + i] = work.order[i]
