"""The compiled search of `LossCut`: the best cut of a node, and all cuts of a block.

A node is a run of m tuples: `cells` (m, 2p) (see `boxes`), `counts` (m,) int64, the rows of each
tuple, and `index` (m,) int64, which tuple it is.  A cut moves its two parts to either end of the run.
logs[c] is the logarithm to base 2 of the c classes that a part can still give.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntMatrix, IntVector
from covey.codes.prices import FLAT, ORDERED, TREE, Measure, price, term
from covey.compiled.kernel import kernel
from covey.compiled.pausing import SHARED_TURNS, pause
from covey.search.loss_cut.boxes import active_columns, box_extent, copy, join, swap
from covey.search.loss_cut.tally import DENSE, most_rows_first, tally

__all__ = ["cut_block", "workspace"]

PACE = 0.2
"""By how much, at most, the loss of a node is expected to fall when the classes it can give double."""

DEEP = 64
"""After so many cuts the next must leave an eighth of the rows on either side, if any does."""


class Work(NamedTuple):
    """Arrays that `cut_block` fills for each node anew, so that it allocates none."""

    rows: IntVector
    """The rows of each code, by slot."""
    value: IntVector
    """The codes that occur, in the order in which prefixes are taken."""
    slot: IntVector
    """Where rows and tallies hold each value."""
    keys: IntVector
    """What is sorted; the open subtrees."""
    chosen: IntVector
    """The codes of the best flat cut so far."""
    decimals: FloatVector
    """The extent of what follows each prefix; the gap before each open subtree."""
    tallies: IntMatrix
    """The box of each code, by slot."""
    ahead: IntMatrix
    """The box of all values before each (trees)."""
    behind: IntMatrix
    """The box of each value and all after it (flat values of k rows, trees)."""
    few: IntMatrix
    """Three more boxes."""
    marked: BoolVector
    """Whether each code belongs to the flat cut that is carried out."""


def workspace(cells: IntMatrix, measure: Measure) -> Work:
    """Return `Work` for a node and its parts."""
    m, width = cells.shape
    of_any_kind = int(measure.sizes.max(initial=1))
    not_ordered = int(measure.sizes[measure.kinds != ORDERED].max(initial=1))
    n_slots = min(max(m, DENSE), of_any_kind) + 1
    n_stored = min(max(m, DENSE), not_ordered) + 1
    return Work(
        rows=np.empty(n_slots, np.int64),
        value=np.empty(max(n_slots, m), np.int64),  # codes are sorted here before equal ones are dropped
        slot=np.empty(n_slots, np.int64),
        keys=np.empty(2 * n_slots, np.int64),
        chosen=np.empty(n_stored, np.int64),
        decimals=np.empty(n_slots),
        tallies=np.empty((n_slots, width), cells.dtype),
        ahead=np.empty((n_stored, width), cells.dtype),
        behind=np.empty((n_stored, width), cells.dtype),
        few=np.empty((3, width), cells.dtype),
        marked=np.zeros(not_ordered, np.bool_),
    )


@kernel
def cut_block(cells, counts, index, measure, k, logs, depth, once, label, work) -> int:
    """Cut a node, itself the result of `depth` cuts, until no legal cut is left, or `once`; return the parts.

    Every cut is the one with the least expected loss; ties: lowest column.  label (m,) int64: the part of
    each tuple, from 0 in the order of the run.  One long function on purpose: numba compiles what a kernel
    calls again inside it, and a function more on the way would cost the first start a second.
    """
    kinds, value, chosen, marked, node = measure.kinds, work.value, work.chosen, work.marked, work.few[0]
    m, p = cells.shape[0], kinds.shape[0]
    top = np.int64(np.iinfo(cells.dtype).max)
    n = np.int64(0)
    for i in range(m):
        n += counts[i]
        label[i] = 0
    # nodes that wait: begin, end, rows, cuts so far, and the least rows of a part (0: not yet known);
    # the smaller part is cut first, so that at most log2(m) wait
    nodes = np.empty((80, 5), np.int64)
    put(nodes, 0, 0, m, n, depth, 0)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        a, b, n = nodes[waiting, 0], nodes[waiting, 1], nodes[waiting, 2]
        n_cuts, least = nodes[waiting, 3], nodes[waiting, 4]
        label[a] = 1  # a part begins here
        if n < 2 * k or (once and b - a < m):
            continue
        if least == 0:
            least = k if n_cuts < DEEP else max(k, n // 8)
        if b - a > 4 * SHARED_TURNS:  # smaller ones take a fraction of a millisecond
            pause(0, 0)
        node_cells, node_counts = cells[a:b], counts[a:b]
        copy(node, node_cells[0])
        for i in range(b - a):
            join(node, node_cells[i])
        active = active_columns(node, top, measure.weights)
        pace = expected_pace(node, top, measure, active)
        best, column, n_first, n_chosen = np.inf, np.int64(-1), np.int64(0), np.int64(0)
        low, high = np.int64(0), np.int64(0)
        for j in active:
            lowest, highest = np.int64(node[j]), top - np.int64(node[p + j])
            n_values = tally(node_cells, node_counts, j, lowest, highest, work)
            if kinds[j] == FLAT:
                most_rows_first(n_values, work)
            loss, n_part, first, last = best_prefix(
                kinds[j], n, k, least, pace, logs, top, measure, active, n_values, work
            )
            if kinds[j] == TREE:
                other, n_other, other_first, other_last = best_subtree(
                    j, n, k, least, pace, logs, top, measure, active, n_values, work
                )
                if other < loss:
                    loss, n_part, first, last = other, n_other, other_first, other_last
            if loss < best:
                best, column, n_first, n_chosen = loss, j, n_part, np.int64(0)
                low, high = value[first], value[last]
                if kinds[j] == FLAT and last > first:
                    n_chosen = last + 1
                    for x in range(n_chosen):
                        chosen[x] = value[x]
        if column < 0:
            if least > k:  # once more, with any legal cut
                put(nodes, waiting, a, b, n, n_cuts, k)
                waiting += 1
            continue
        for x in range(n_chosen):
            marked[chosen[x]] = True
        middle = a + part_tuples(node_cells, node_counts, index[a:b], column, low, high, n_chosen > 0, marked)
        for x in range(n_chosen):
            marked[chosen[x]] = False
        one, two = waiting, waiting + 1
        if middle - a < b - middle:
            one, two = two, one
        put(nodes, one, a, middle, n_first, n_cuts + 1, 0)
        put(nodes, two, middle, b, n - n_first, n_cuts + 1, 0)
        waiting += 2
    n_parts = 0
    for i in range(m):
        n_parts += label[i]
        label[i] = n_parts - 1
    return n_parts


@kernel
def put(nodes, x, begin, end, rows, n_cuts, least):
    """Write a node that waits."""
    nodes[x, 0] = begin
    nodes[x, 1] = end
    nodes[x, 2] = rows
    nodes[x, 3] = n_cuts
    nodes[x, 4] = least


@kernel
def expected_pace(box, top, measure, active):
    """Return by how much the loss of a node is expected to fall when the classes it can give double.

    No more than half of what its dearest column costs: one could halve that column's range.  With a higher
    pace, cutting a node in halves would seem to lose more than cutting off single classes.
    """
    p = measure.kinds.shape[0]
    dearest, total = 0.0, 0.0
    for j in active:
        low, high = np.int64(box[j]), top - np.int64(box[p + j])
        cost = term(measure, j, low, high)
        dearest = max(dearest, cost)
        total += cost
    return min(PACE, 0.5 * dearest / total) if total > 0.0 else PACE


@kernel
def part_tuples(cells, counts, index, column, low, high, by_mark, marked):
    """Move the tuples whose code lies in low..high (or is marked) to the front; return how many they are.

    Tuples on the wrong side trade places from both ends, so that a small part moves few tuples.
    """
    front, back = 0, cells.shape[0] - 1
    while True:
        while front <= back and is_inside(cells[front, column], low, high, by_mark, marked):
            front += 1
        while front <= back and not is_inside(cells[back, column], low, high, by_mark, marked):
            back -= 1
        if front > back:
            return front
        swap(cells[front], cells[back])
        counts[front], counts[back] = counts[back], counts[front]
        index[front], index[back] = index[back], index[front]
        front += 1
        back -= 1


@kernel
def is_inside(code, low, high, by_mark, marked):
    """Return whether a code belongs to the first part of a cut."""
    return marked[code] if by_mark else low <= code <= high


@kernel
def expected_loss(n_part, extent, k, pace, logs):
    """Return what a part is expected to lose in the end."""
    return n_part * extent / (1.0 + pace * logs[min(n_part // k, logs.shape[0] - 1)])


@kernel
def best_prefix(kind, n, k, least, pace, logs, top, measure, active, n_values, work):
    """Return (expected loss, rows, first, last) of the best prefix of the values, or single flat value.

    The values are in the order of value and slot; first..last are places in it.  Ties: the shortest
    prefix, and prefixes before the single value that follows them.  Loss is inf if no cut leaves `least` rows
    on both sides.
    """
    rows, slot, decimals = work.rows, work.slot, work.decimals
    tallies, behind, run, rest = work.tallies, work.behind, work.few[1], work.few[2]
    # lengths of legal prefixes are first_legal..last_legal
    first_legal, last_legal, sum_rows = n_values, np.int64(0), np.int64(0)
    for x in range(1, n_values):
        sum_rows += rows[slot[x - 1]]
        if sum_rows >= least and n - sum_rows >= least:
            first_legal = min(first_legal, x)
            last_legal = x
    # flat values come with the most rows first, so those that may stand alone are the first n_single
    n_single = 0
    if kind == FLAT:
        while n_single < n_values - 1 and rows[slot[n_single]] >= least:
            n_single += 1
    best, best_rows, first, last = np.inf, np.int64(0), np.int64(0), np.int64(0)
    stop = 1 if n_single > 1 else max(first_legal, 1)
    copy(run, tallies[slot[n_values - 1]])
    for x in range(n_values - 1, stop - 1, -1):
        join(run, tallies[slot[x]])
        if first_legal <= x <= last_legal:
            decimals[x] = box_extent(run, top, measure, active)
        if x <= n_single:
            copy(behind[x], run)
    sum_rows = np.int64(0)
    copy(run, tallies[slot[0]])
    for x in range(1, max(last_legal, n_single - 1) + 1):
        sum_rows += rows[slot[x - 1]]
        join(run, tallies[slot[x - 1]])
        if first_legal <= x <= last_legal:
            here = box_extent(run, top, measure, active)
            loss = expected_loss(sum_rows, here, k, pace, logs)
            loss += expected_loss(n - sum_rows, decimals[x], k, pace, logs)
            if loss < best:
                best, best_rows, first, last = loss, sum_rows, np.int64(0), x - 1
        n_part = rows[slot[x]]
        if x < n_single and n - n_part >= least:
            copy(rest, run)
            join(rest, behind[x + 1])
            here = box_extent(tallies[slot[x]], top, measure, active)
            there = box_extent(rest, top, measure, active)
            loss = expected_loss(n_part, here, k, pace, logs)
            loss += expected_loss(n - n_part, there, k, pace, logs)
            if loss < best:
                best, best_rows, first, last = loss, n_part, x, x
    return best, best_rows, first, last


@kernel
def best_subtree(j, n, k, least, pace, logs, top, measure, active, n_values, work):
    """Return (expected loss, rows, first, last) of the best subtree against the rest, as `best_prefix`.

    A subtree is a run of values whose inner gaps are below the gaps at both of its ends.  They are met
    in the order of their last value, inner ones first; those that begin or end the values were met as
    prefixes.  Joins the tallies of a subtree into that of its first value.
    """
    rows, value, slot, keys, gaps = work.rows, work.value, work.slot, work.keys, work.decimals
    tallies, ahead, behind, rest = work.tallies, work.ahead, work.behind, work.few[2]
    copy(behind[n_values - 1], tallies[slot[n_values - 1]])
    for x in range(n_values - 2, 0, -1):
        copy(behind[x], behind[x + 1])
        join(behind[x], tallies[slot[x]])
    copy(ahead[1], tallies[slot[0]])
    for x in range(2, n_values):
        copy(ahead[x], ahead[x - 1])
        join(ahead[x], tallies[slot[x - 1]])
    best, best_rows, best_first, best_last = np.inf, np.int64(0), np.int64(0), np.int64(0)
    # keys: where each open subtree begins; gaps: the gap before it
    n_open = 0
    gap = np.inf
    for x in range(n_values):
        keys[n_open] = x
        gaps[n_open] = gap
        n_open += 1
        gap = np.inf
        if x + 1 < n_values:
            gap = price(TREE, measure.positions, measure.offsets[j], measure.sizes[j], value[x], value[x + 1])
        while True:
            first = keys[n_open - 1]
            n_part = rows[slot[first]]
            if first > 0 and x + 1 < n_values and n_part >= least and n - n_part >= least:
                copy(rest, ahead[first])
                join(rest, behind[x + 1])
                here = box_extent(tallies[slot[first]], top, measure, active)
                there = box_extent(rest, top, measure, active)
                loss = expected_loss(n_part, here, k, pace, logs)
                loss += expected_loss(n - n_part, there, k, pace, logs)
                if loss < best:
                    best, best_rows, best_first, best_last = loss, n_part, first, x
            level = gaps[n_open - 1]
            if level >= gap or n_open == 1:
                break
            while n_open > 1 and gaps[n_open - 1] == level:
                n_open -= 1
                inner, outer = slot[keys[n_open]], slot[keys[n_open - 1]]
                rows[outer] += rows[inner]
                join(tallies[outer], tallies[inner])
    return best, best_rows, best_first, best_last
