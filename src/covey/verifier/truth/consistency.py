"""k-consistency: with how many released rows each original row may go, and the other way round.

A release without classes hides people in another way (Wong, Mamoulis and Cheung, 2010): whoever knows all quasi
values of the original and the whole release can rule out every link of an original row with a released row that is
part of no assignment of all released rows to original rows that they cover, each to one of its own.  The level is
the least number of partners, over all original and all released rows, that are left then.  No label and no kept
value is looked at.

Rows with equal tuples are one node with a count.  Given one assignment, draw an arrow from each released tuple to
every original tuple that it covers, and one back where the assignment uses the pair: a pair is part of some
assignment if and only if arrows lead from either end to the other, that is, if both ends are in one strongly connected
component.  (An assignment turns into any other along closed walks.)

Original rows beyond the released ones were left out.  Which ones is not known, so one more node takes so many
original rows, any of them.  It counts as nobody's partner; a row that can only have been left out needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.flow import edge_flows
from covey.verifier.truth.matching import fitting_pairs, tuples_of

__all__ = ["is_consistent_by_rings", "k_consistency", "partners", "strong_components"]

_HINT = "release the table in parts of fewer rows, each by itself"


def k_consistency(columns: Sequence[ColumnPair], n_released: int, n_original: int) -> int:
    """Return the k that a release reaches: the least number of partners that a row is left with.

    0 if no assignment exists: a released row more than there are originals, or one that covers none of its own.  Also 0
    if some cell could not be read, for nobody knows what it covers.
    Cost: pairs of distinct tuples, then a largest flow and one walk over those that fit.
    Raises `InputError` (`matching-too-large`) where there are too many of either.
    """
    if not 0 < n_released <= n_original or any(column.cover.is_unknown.any() for column in columns):
        return 0
    same = np.zeros(max(n_released, n_original), np.int64)  # no kept values: all rows may go with all
    released = tuples_of(same[:n_released], 1, [(column.cells, column.n_cells) for column in columns])
    original = tuples_of(same[:n_original], 1, [(column.values, column.n_values) for column in columns])
    sources, targets = fitting_pairs(columns, released, original, _HINT)
    ours, theirs = partners(sources, targets, released.counts, original.counts)
    return 0 if ours is None or theirs is None else int(min(ours.min(), theirs[theirs > 0].min()))


def partners(
    sources: IntVector, targets: IntVector, released: IntVector, original: IntVector
) -> tuple[IntVector, IntVector] | tuple[None, None]:
    """Return how many rows each released tuple and each original tuple may go with; Nones if there is no assignment.

    sources, targets (e,): which released tuple covers which original tuple; released, original: their rows, of
    which the original ones are at least as many.

    >>> partners(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([1, 1]), np.array([1, 1]))
    (array([1, 1]), array([1, 1]))
    """
    left_out = int(original.sum() - released.sum())
    n_released, n_original = len(released), len(original)
    if left_out:
        sources = np.concatenate([sources, np.full(n_original, n_released)])
        targets = np.concatenate([targets, np.arange(n_original)])
    supply = np.append(released, left_out) if left_out else released
    left, flow = edge_flows(sources, targets, supply, original)
    if left.any():
        return None, None
    used = flow > 0
    component = strong_components(
        np.concatenate([sources, targets[used] + len(supply)]),
        np.concatenate([targets + len(supply), sources[used]]),
        len(supply) + n_original,
    )
    stays = (component[sources] == component[targets + len(supply)]) & (sources < n_released)
    sources, targets = sources[stays], targets[stays]
    return _sums(sources, original[targets], n_released), _sums(targets, released[sources], n_original)


def _sums(places: IntVector, rows: IntVector, size: int) -> IntVector:
    return np.bincount(places, weights=rows, minlength=size).astype(np.int64)


def strong_components(tails: IntVector, heads: IntVector, n_nodes: int) -> IntVector:
    """Return the strongly connected component of each node: equal numbers, and arrows lead both ways.

    Tarjan 1972, without recursion, so that long paths do no harm.

    >>> strong_components(np.array([0, 1, 2]), np.array([1, 0, 1]), 3)
    array([0, 0, 1])
    """
    by_tail = np.argsort(tails, kind="stable")
    # memory views read single numbers much faster than arrays do
    numbers: Any = np.ascontiguousarray(heads[by_tail], np.int64)
    ahead = memoryview(numbers)
    first = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=n_nodes))]).tolist()
    place = first[:-1]
    done = n_nodes  # seen numbers lie below it; a finished node gets it, which lowers no other's
    seen = [-1] * n_nodes
    lowest = [0] * n_nodes
    component: IntVector = np.zeros(n_nodes, np.int64)
    open_: list[int] = []
    n_seen = n_components = 0
    for root in range(n_nodes):
        if seen[root] >= 0:
            continue
        path = [root]
        while path:
            node = path[-1]
            if seen[node] < 0:
                seen[node] = lowest[node] = n_seen
                n_seen += 1
                open_.append(node)
            low = lowest[node]
            unseen = -1
            at, stop = place[node], first[node + 1]
            while at < stop:
                number = seen[ahead[at]]
                if number < 0:
                    unseen = ahead[at]
                    break
                low = min(low, number)
                at += 1
            place[node], lowest[node] = at, low
            if unseen >= 0:
                path.append(unseen)
                continue
            path.pop()
            if path:
                lowest[path[-1]] = min(lowest[path[-1]], low)
            if low == seen[node]:
                while True:
                    member = open_.pop()
                    seen[member] = done
                    component[member] = n_components
                    if member == node:
                        break
                n_components += 1
    return component


def is_consistent_by_rings(
    columns: Sequence[ColumnPair], order: IntVector, starts: IntVector, windows: IntVector, k: int
) -> bool:
    """Return whether rings prove that every row has at least k partners; the rows of both tables are in one order.

    order: the rows, ring after ring; starts: where each ring begins, and the number of rows; windows: the place in
    `order` of the window that each row is released with.  If every ring has k rows or more, every window goes to one
    row, and what is released of the window at a place covers the k rows from there on, then the shifts by 0 to
    k - 1 are k assignments with no pair in common, and the level is at least k.  Nothing else is believed of the
    rings, so it does not matter where they come from.
    Cost: O(rows x columns x log k) time, O(rows) memory: for tables that `k_consistency` refuses.
    """
    n = len(order)
    length = np.diff(starts)
    if any(len(column.cells) != n or len(column.values) != n for column in columns):
        return False  # rings of some rows say nothing of the others
    if not (_is_permutation(order, n) and _is_permutation(windows, n)):
        return False
    if starts[0] != 0 or starts[-1] != n or length.min(initial=n) < k:
        return False
    rings = _Rings(np.repeat(starts[:-1], length), np.repeat(length, length), k)
    released = np.empty(n, np.int64)
    released[windows] = np.arange(n)  # the row that each window is released with
    return all(_covers_windows(column, released, order, rings) for column in columns)


def _is_permutation(numbers: IntVector, n: int) -> bool:
    inside: BoolVector = (numbers >= 0) & (numbers < n)
    return len(numbers) == n and bool(inside.all()) and bool((np.bincount(numbers, minlength=n) == 1).all())


@dataclass(frozen=True, slots=True)
class _Rings:
    """Where the ring of each place begins, how many places it has, and how many of them a window has."""

    begin: IntVector
    length: IntVector
    k: int

    def joined(self, values: Any, join: Callable[[Any, Any], Any]) -> Any:
        """Return the join of the values of every window: of 2, 4, 8 ... places, at last of two runs that overlap."""
        run = 1
        while 2 * run <= self.k:
            values = join(values, values[self._ahead(run)])
            run *= 2
        return join(values, values[self._ahead(self.k - run)])

    def _ahead(self, steps: int) -> IntVector:
        return np.asarray(self.begin + (np.arange(len(self.begin)) - self.begin + steps) % self.length)


def _covers_windows(column: ColumnPair, released: IntVector, order: IntVector, rings: _Rings) -> bool:
    """Return whether, in one column, what is released of each window covers all the rows that lie in it."""
    cover = column.cover
    cells, values = column.cells[released], column.values[order]
    if cover.is_unknown[cells].any():
        return False
    rank = cover.originals.rank[values]
    least, most = rings.joined(rank, np.minimum), rings.joined(rank, np.maximum)
    open_ = np.flatnonzero((least < cover.low[cells]) | (most > cover.high[cells]))
    if not cover.has_members[cells[open_]].all():
        return False
    # the others list what they cover: sets of values as bits, 64 values at a time
    listing = np.unique(cells[open_])
    number = np.searchsorted(listing, cells[open_])
    for first in range(0, column.n_values, 64):
        few = np.arange(first, min(first + 64, column.n_values))
        bit = np.uint64(1) << (few - first).astype(np.uint64)
        here = (values >= first) & (values < first + 64)
        bits = np.where(here, bit[np.where(here, values - first, 0)], np.uint64(0))
        inside = rings.joined(bits, np.bitwise_or)[open_]
        covered = cover.pairs(np.repeat(listing, len(few)), np.tile(few, len(listing))).reshape(-1, len(few))
        allowed = np.bitwise_or.reduce(np.where(covered, bit, np.uint64(0)), axis=1)
        if (inside & ~allowed[number]).any():
            return False
    return True
