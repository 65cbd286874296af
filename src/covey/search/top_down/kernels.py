"""Top-down specialisation: the loops of `covey.search.top_down.estimator`.

A value of a cut is a node: a run of codes of one column.  The tuples of a class lie next to each other, and all have
the same node in every column; to specialise a node parts its run, and every class that has it.  What a node gains by
it depends on its column alone; the least class that would be left can only shrink, so it is kept with each
node and lowered by the classes that are new.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.codes.prices import FLAT, ORDERED, TREE, Measure, price, term
from covey.compiled.kernel import kernel
from covey.compiled.pausing import pause

__all__ = ["specialise"]

LEAST_GAIN = 1e-9
"""A gain of information of no more than this many bits is none: it may be rounding."""
NO_LIMIT = np.iinfo(np.int64).max


class Table(NamedTuple):
    """What does not change: the tuples, the columns, and what is asked for."""

    codes: np.ndarray
    """(p, t) int32"""
    counts: np.ndarray
    """(t,) int64"""
    measure: Measure
    starts: np.ndarray
    """(p,) int64: where the codes of each column begin among those of all columns"""
    tally: np.ndarray
    """(codes of all columns, values of the target) int64: rows; one value if there is no target"""
    rows: np.ndarray
    """(codes of all columns,) int64"""
    k: int
    by_loss: bool
    """whether the gain is the fall of the loss, not information about the target"""


class Nodes(NamedTuple):
    """The values of all cuts so far; of those that were specialised none is open."""

    column: np.ndarray
    low: np.ndarray
    """the first code of the run"""
    high: np.ndarray
    """the last code of the run"""
    first: np.ndarray
    """the first code that a row has"""
    last: np.ndarray
    """the last code that a row has"""
    gain: np.ndarray
    """float64: what specialising it gains"""
    least: np.ndarray
    """rows of the least class that this makes of the classes that have the node"""
    is_open: np.ndarray
    """bool: whether it can be specialised"""
    of_code: np.ndarray
    """(codes of all columns,) the node of each code"""
    part: np.ndarray
    """(codes of all columns,) in which part of its node each code would lie, from 0"""
    begins: np.ndarray
    """(codes of all columns,) bool: whether a run begins there"""


class Classes(NamedTuple):
    """The classes: ranges of `item`."""

    item: np.ndarray
    """(t,) the tuples, those of a class next to each other"""
    begin: np.ndarray
    end: np.ndarray
    rows: np.ndarray
    spare: np.ndarray
    """(t,) room for items that are moved"""
    seen: np.ndarray
    """(most codes of a column,) room for a number per part or code, 0 between calls"""
    touched: np.ndarray
    """(most codes of a column,) room for the parts or codes that were seen"""


@kernel
def specialise(codes, counts, measure, starts, tally, k, by_loss) -> tuple[IntVector, BoolVector]:
    """Return (class of each tuple, whether a run begins at each code of all columns)."""
    table = Table(codes, counts, measure, starts, tally, tally.sum(axis=1), k, by_loss)
    p, t = codes.shape
    n_codes = tally.shape[0]
    most = 2 * n_codes + 1  # a node with rows is parted into two such nodes or more
    nodes = Nodes(
        np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64),
        np.empty(most, np.int64), np.zeros(most), np.zeros(most, np.int64), np.zeros(most, np.bool_),
        np.zeros(n_codes, np.int64), np.zeros(n_codes, np.int64), np.zeros(n_codes, np.bool_),
    )  # fmt: skip
    widest = 1
    for j in range(p):
        widest = max(widest, measure.sizes[j])
    classes = Classes(
        np.arange(t), np.zeros(t, np.int64), np.zeros(t, np.int64), np.zeros(t, np.int64), np.empty(t, np.int64),
        np.zeros(widest, np.int64), np.empty(widest, np.int64),
    )  # fmt: skip
    classes.end[0] = t
    classes.rows[0] = counts.sum()
    n_classes = np.int64(1)  # a plain 1 is a type of its own, for which all is compiled once more
    for j in range(p):
        _add_node(table, nodes, j, j, np.int64(0), measure.sizes[j] - 1)
    n_nodes = p

    least = classes.rows[0]
    while True:
        for v in range(n_nodes):  # those that are new, and those that would break k by now
            if nodes.is_open[v] and nodes.least[v] < k:
                pause(0, 0)
                _open(table, nodes, classes, n_classes, v)
        pause(0, 0)
        v = _best(nodes, n_nodes, least)
        if v < 0:
            break
        least = min(least, nodes.least[v])
        n_nodes_before, n_classes_before = n_nodes, n_classes
        n_classes = _part_classes(table, nodes, classes, n_classes, v)
        n_nodes = _part_node(table, nodes, n_nodes, v)
        for c in range(n_classes):  # the classes that are new: their nodes in this column are
            if c >= n_classes_before or _node(table, nodes, classes, c, nodes.column[v]) >= n_nodes_before:
                _lower(table, nodes, classes, c, nodes.column[v])

    label = np.empty(t, np.int64)
    for c in range(n_classes):
        for i in range(classes.begin[c], classes.end[c]):
            label[classes.item[i]] = c
    return label, nodes.begins


@kernel
def _add_node(table, nodes, v, j, low, high):
    """Make the codes low..high of column j the node v; at least one of them has rows."""
    start = table.starts[j]
    nodes.column[v], nodes.low[v], nodes.high[v] = j, low, high
    nodes.first[v], nodes.last[v] = _ends(table, j, low, high)
    nodes.is_open[v], nodes.least[v] = True, 0  # until somebody looks
    nodes.begins[start + low] = True
    for code in range(low, high + 1):
        nodes.of_code[start + code] = v


@kernel
def _open(table, nodes, classes, n_classes, v):
    """Find how node v is to be specialised; close it if it cannot, gains nothing by it, or would break k."""
    nodes.is_open[v] = False
    if nodes.first[v] == nodes.last[v]:
        return
    if table.measure.kinds[nodes.column[v]] == ORDERED:
        _choose_cut(table, nodes, classes, n_classes, v)
    else:
        _choose_children(table, nodes, v)
    if nodes.gain[v] > (0.0 if table.by_loss else LEAST_GAIN):
        nodes.least[v] = _least_class(table, nodes, classes, n_classes, v)
        nodes.is_open[v] = nodes.least[v] >= table.k


@kernel
def _choose_children(table, nodes, v):
    """Part the node into the children of its lowest node with rows, or into single codes if there is no tree."""
    j = nodes.column[v]
    start, offset = table.starts[j], table.measure.offsets[j]
    height = 0.0
    if table.measure.kinds[j] == TREE:
        height = price(TREE, table.measure.positions, offset, table.measure.sizes[j], nodes.first[v], nodes.last[v])
    part = 0
    for code in range(nodes.low[v], nodes.high[v] + 1):
        nodes.part[start + code] = part
        # the gap to the next leaf
        if table.measure.kinds[j] == FLAT or table.measure.positions[offset + code] >= height:
            part += 1
    gain = 0.0 if table.by_loss else _bits_of(table, j, nodes.low[v], nodes.high[v])
    low = nodes.low[v]
    while low <= nodes.high[v]:
        high = _end_of_part(table, nodes, v, low)
        if table.by_loss:
            gain += _fall(table, nodes, v, low, high)
        else:
            gain -= _bits_of(table, j, low, high)
        low = high + 1
    nodes.gain[v] = _tidy(gain if table.by_loss else gain / _rows_of(table, j, nodes.low[v], nodes.high[v]))


@kernel
def _choose_cut(table, nodes, classes, n_classes, v):
    """Part the node in two, where it gains most among the cuts that leave no class below k; ties: lowest cut."""
    j = nodes.column[v]
    start, low, high, first, last = table.starts[j], nodes.low[v], nodes.high[v], nodes.first[v], nodes.last[v]
    broken = _broken_cuts(table, nodes, classes, n_classes, v)
    n_values = table.tally.shape[1]
    left = np.zeros(n_values, np.int64)
    right = np.zeros(n_values, np.int64)
    for code in range(first, last + 1):
        for y in range(n_values):
            right[y] += table.tally[start + code, y]
    bits, rows, whole = _bits(right), right.sum(), term(table.measure, j, first, last)
    nodes.gain[v] = 0.0
    cut = high
    for code in range(first, last):
        if table.rows[start + code] == 0:
            continue
        for y in range(n_values):
            left[y] += table.tally[start + code, y]
            right[y] -= table.tally[start + code, y]
        if broken[code - low] > 0:
            continue
        if table.by_loss:
            after, _ = _ends(table, j, code + 1, last)
            below, above = term(table.measure, j, first, code), term(table.measure, j, after, last)
            gain = left[0] * (whole - below) + right[0] * (whole - above)
        else:
            gain = (bits - _bits(left) - _bits(right)) / rows
        if _tidy(gain) > nodes.gain[v]:
            nodes.gain[v], cut = _tidy(gain), code
    for code in range(low, high + 1):
        nodes.part[start + code] = 1 if code > cut else 0


@kernel
def _tidy(gain):
    """Return the gain to seven digits: what differs by rounding only is a tie, on every machine."""
    return np.float64(np.float32(gain))


@kernel
def _broken_cuts(table, nodes, classes, n_classes, v):
    """Return for each code of the node whether a cut behind it leaves a class below k: then it is above 0."""
    j, low = nodes.column[v], nodes.low[v]
    change = np.zeros(nodes.high[v] - low + 2, np.int64)
    seen = classes.seen
    for c in range(n_classes):
        if _node(table, nodes, classes, c, j) != v:
            continue
        first, last = nodes.high[v], low
        for i in range(classes.begin[c], classes.end[c]):
            code = np.int64(table.codes[j, classes.item[i]])
            first, last = min(first, code), max(last, code)
            seen[code] += table.counts[classes.item[i]]
        # from either end up to the code with which there are k rows
        left, rows = first, seen[first]
        while rows < table.k:
            left += 1
            rows += seen[left]
        right, rows = last, seen[last]
        while rows < table.k:
            right -= 1
            rows += seen[right]
        change[first - low] += 1
        change[left - low] -= 1
        change[right - low] += 1
        change[last - low] -= 1
        for i in range(classes.begin[c], classes.end[c]):
            seen[table.codes[j, classes.item[i]]] = 0
    return np.cumsum(change)


@kernel
def _fall(table, nodes, v, low, high):
    """Return by how much the loss of the codes low..high falls if they part from their node v."""
    j = nodes.column[v]
    first, last = _ends(table, j, low, high)
    if first > high:
        return 0.0
    saved = term(table.measure, j, nodes.first[v], nodes.last[v]) - term(table.measure, j, first, last)
    return _rows_of(table, j, low, high) * saved


@kernel
def _ends(table, j, low, high):
    """Return the first and the last of the codes low..high that rows have; the first is beyond high if none is."""
    start = table.starts[j]
    while low <= high and table.rows[start + low] == 0:
        low += 1
    while high > low and table.rows[start + high] == 0:
        high -= 1
    return low, high


@kernel
def _rows_of(table, j, low, high):
    """Return how many rows have the codes low..high of column j."""
    return table.rows[table.starts[j] + low : table.starts[j] + high + 1].sum()


@kernel
def _bits_of(table, j, low, high):
    """Return the bits that the target of the rows with the codes low..high of column j takes."""
    total = np.zeros(table.tally.shape[1], np.int64)
    for code in range(table.starts[j] + low, table.starts[j] + high + 1):
        for y in range(total.shape[0]):
            total[y] += table.tally[code, y]
    return _bits(total)


@kernel
def _bits(rows):
    """Return rows x entropy, given the rows of each value."""
    total = 0
    bits = 0.0
    for y in range(rows.shape[0]):
        if rows[y] > 0:
            total += rows[y]
            bits -= rows[y] * math.log2(rows[y])
    return bits + total * math.log2(total) if total > 0 else 0.0


@kernel
def _end_of_part(table, nodes, v, low):
    """Return the last code of the part of node v that begins with the code `low`."""
    start = table.starts[nodes.column[v]]
    high = low
    while high < nodes.high[v] and nodes.part[start + high + 1] == nodes.part[start + low]:
        high += 1
    return high


@kernel
def _node(table, nodes, classes, c, j):
    """Return the node of class c in column j: that of any of its tuples."""
    return nodes.of_code[table.starts[j] + table.codes[j, classes.item[classes.begin[c]]]]


@kernel
def _least_class(table, nodes, classes, n_classes, v):
    """Return the rows of the least class that specialising v makes of the classes that have it."""
    least = NO_LIMIT
    for c in range(n_classes):
        if _node(table, nodes, classes, c, nodes.column[v]) == v:
            least = min(least, _least_part(table, nodes, classes, c, nodes.column[v]))
    return least


@kernel
def _least_part(table, nodes, classes, c, j):
    """Return the rows of the least class that specialising its node of column j makes of class c."""
    start = table.starts[j]
    n_touched = 0
    for i in range(classes.begin[c], classes.end[c]):
        part = nodes.part[start + table.codes[j, classes.item[i]]]
        if classes.seen[part] == 0:
            classes.touched[n_touched] = part
            n_touched += 1
        classes.seen[part] += table.counts[classes.item[i]]
    least = NO_LIMIT
    for i in range(n_touched):
        least = min(least, classes.seen[classes.touched[i]])
        classes.seen[classes.touched[i]] = 0
    return least


@kernel
def _lower(table, nodes, classes, c, but):
    """Take a new class into account in the nodes that it has, but for column `but`, where they are new."""
    for j in range(table.measure.kinds.shape[0]):
        v = _node(table, nodes, classes, c, j)
        if j != but and nodes.is_open[v]:
            nodes.least[v] = min(nodes.least[v], _least_part(table, nodes, classes, c, j))


@kernel
def _best(nodes, n_nodes, least):
    """Return the open node with the best score, -1 if none is open; ties: lowest column, lowest codes."""
    best = -1
    greatest = 0.0
    for v in range(n_nodes):
        if not nodes.is_open[v]:
            continue
        lost = least - min(least, nodes.least[v])
        score = nodes.gain[v] / lost if lost > 0 else nodes.gain[v]
        is_lower = best >= 0 and (
            nodes.column[v] < nodes.column[best]
            or (nodes.column[v] == nodes.column[best] and nodes.low[v] < nodes.low[best])
        )
        if best < 0 or score > greatest or (score == greatest and is_lower):
            best, greatest = v, score
    return best


@kernel
def _part_classes(table, nodes, classes, n_classes, v):
    """Part every class that has node v; return how many classes there are then.

    The first part of a class keeps its number.
    """
    j = nodes.column[v]
    start = table.starts[j]
    seen, touched = classes.seen, classes.touched
    n_after = n_classes
    for c in range(n_classes):
        if _node(table, nodes, classes, c, j) != v:
            continue
        begin, end = classes.begin[c], classes.end[c]
        n_touched = 0
        for i in range(begin, end):
            part = nodes.part[start + table.codes[j, classes.item[i]]]
            if seen[part] == 0:
                touched[n_touched] = part
                n_touched += 1
            seen[part] += 1
        place = begin
        for i in range(n_touched):
            home = c if i == 0 else n_after + i - 1
            classes.begin[home] = place
            place, seen[touched[i]] = place + seen[touched[i]], place
            classes.end[home] = place
            classes.rows[home] = 0
        for i in range(begin, end):
            part = nodes.part[start + table.codes[j, classes.item[i]]]
            classes.spare[seen[part]] = classes.item[i]
            seen[part] += 1
        for i in range(n_touched):
            home = c if i == 0 else n_after + i - 1
            seen[touched[i]] = 0
            for x in range(classes.begin[home], classes.end[home]):
                classes.item[x] = classes.spare[x]
                classes.rows[home] += table.counts[classes.item[x]]
        n_after += n_touched - 1
    return n_after


@kernel
def _part_node(table, nodes, n_nodes, v):
    """Make nodes of the parts of v that have rows; return how many nodes there are then."""
    j = nodes.column[v]
    start = table.starts[j]
    nodes.is_open[v] = False
    low = nodes.low[v]
    while low <= nodes.high[v]:
        high = _end_of_part(table, nodes, v, low)
        nodes.begins[start + low] = True
        if _rows_of(table, j, low, high) > 0:
            _add_node(table, nodes, n_nodes, j, low, high)
            n_nodes += 1
        low = high + 1
    return n_nodes
