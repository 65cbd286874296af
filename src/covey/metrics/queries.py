"""How well counts can be asked of a release: the median relative error of random range queries.

The workload of LeFevre, DeWitt and Ramakrishnan (2006) and of Xiao and Tao (2006).  A query counts the rows that
fulfil a condition in each of some quasi columns.  With the original it is counted; with the release it is estimated, as
if the rows of a class were spread evenly over the class's cells, each column by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.base.checks import at_least, bad_parameter, require
from covey.codes.boxes import summarise, varying_columns
from covey.codes.codes import TableCodes
from covey.codes.prices import FLAT, ORDERED, TREE
from covey.metrics._classes import counted, one_per_row
from covey.metrics._columns import prices_between

__all__ = ["Condition", "draw_queries", "query_errors", "range_query_error"]


@dataclass(frozen=True, slots=True)
class Condition:
    """The codes that one column of a query asks for; those of an ordered column or a tree are a run."""

    column: int
    codes: IntVector


Query = tuple[Condition, ...]


def range_query_error(
    codes: TableCodes,
    labels: Any,
    *,
    queries: int = 1000,
    columns: int = 2,
    selectivity: float = 0.05,
    sanity: float = 0.001,
    seed: int = 0,
) -> float:
    """Return the median over random count queries of |estimate - count| / max(count, sanity x rows).

    labels (n,): the class of each row, -1 if suppressed; such a row is counted in the original and estimated nowhere.

    A query draws `columns` quasi columns that are not constant (all of them, if there are fewer) and asks each for
    the share selectivity ** (1 / columns) of its values, rounded, at least one: `selectivity` is the share of the
    rows that a query would find if all were spread evenly.  Ordered columns: neighbouring values; trees:
    neighbouring leaves; flat labels: any.  The queries depend on the table and on `seed`, not on the classes, so
    releases of one table are asked the same.

    The estimate is the sum over classes of rows x product over the columns of the share of the cell that the query
    covers.  Ordered columns: the share of the interval's width, where a query reaches half way to the next value on
    either side (so that it never ends on a value); a cell of one value is covered or not.  Trees: the share of the
    leaves below the node; flat labels: the share of the labels of the set.  Missing values of an ordered column are
    asked for by no query, and a cell that mixes them with values (`*`) is the whole domain; elsewhere missing
    is one more value.

    Range: 0 and more.  Cost: O(queries x (different rows + classes) x columns) time.
    """
    labels = one_per_row("labels", labels, codes.n_rows)
    drawn = draw_queries(codes, queries=queries, columns=columns, selectivity=selectivity, seed=seed)
    return float(np.median(query_errors(codes, labels, drawn, sanity=sanity))) if drawn else 0.0


def draw_queries(
    codes: TableCodes, *, queries: int = 1000, columns: int = 2, selectivity: float = 0.05, seed: int = 0
) -> list[Query]:
    """Return random queries, none if every column is constant; see `range_query_error`."""
    for name, value in (("queries", queries), ("columns", columns)):
        require(at_least(1), name, value, f"give {name}=2")
    if not 0 < selectivity <= 1:
        raise bad_parameter("`selectivity` must be above 0 and at most 1", "give selectivity=0.05")
    random = np.random.default_rng(seed)
    asked = np.flatnonzero(varying_columns(codes))
    columns = min(columns, len(asked))
    if not columns:
        return []
    share = selectivity ** (1 / columns)
    return [
        tuple(
            _draw_condition(codes, int(column), share, random)
            for column in np.sort(random.choice(asked, columns, replace=False))
        )
        for _ in range(queries)
    ]


def _draw_condition(codes: TableCodes, column: int, share: float, random: np.random.Generator) -> Condition:
    first, size = _n_missing(codes, column), int(codes.sizes[column])
    wanted = min(max(round(share * (size - first)), 1), size - first)
    if codes.kinds[column] == FLAT:
        return Condition(column, np.sort(random.choice(size, wanted, replace=False)))
    start = int(random.integers(first, size - wanted + 1))
    return Condition(column, np.arange(start, start + wanted))


def query_errors(codes: TableCodes, labels: Any, queries: Sequence[Query], *, sanity: float = 0.001) -> FloatVector:
    """Return the relative error of each query; see `range_query_error`."""
    labels = one_per_row("labels", labels, codes.n_rows)
    if not 0 < sanity <= 1:
        raise bad_parameter("`sanity` must be above 0 and at most 1", "give sanity=0.001")
    sizes = np.bincount(labels[labels >= 0])
    cells = {column: _cells(codes, column, labels) for column in {part.column for query in queries for part in query}}
    errors = np.empty(len(queries))
    for place, query in enumerate(queries):
        found = codes.counts.astype(np.float64)
        estimate = sizes.astype(np.float64)
        for part in query:
            wanted = np.zeros(int(codes.sizes[part.column]), bool)
            wanted[part.codes] = True
            found *= wanted[codes.columns[part.column]]
            estimate *= cells[part.column].shares(wanted)
        count = float(found.sum())
        errors[place] = abs(float(estimate.sum()) - count) / max(count, sanity * codes.n_rows)
    return errors


def _n_missing(codes: TableCodes, column: int) -> int:
    """Return how many codes of an ordered column stand for missing values: the first, with positions below 0."""
    return int((_part(codes, column) < 0).sum()) if codes.kinds[column] == ORDERED else 0


def _part(codes: TableCodes, column: int) -> FloatVector:
    start = int(codes.offsets[column])
    return codes.positions[start : start + int(codes.sizes[column])]


@dataclass(frozen=True, slots=True)
class _Intervals:
    """The cells of an ordered column, by position; those of missing values alone are below 0."""

    low: FloatVector
    high: FloatVector
    position: FloatVector
    """(m,): where each code lies."""

    def shares(self, wanted: BoolVector) -> FloatVector:
        """Return the share of each cell that the wanted codes, neighbours, cover: up to half way to the next."""
        first, last = np.flatnonzero(wanted)[[0, -1]]
        half_way = (self.position[1:] + self.position[:-1]) / 2
        least = half_way[first - 1] if first > 0 and self.position[first - 1] >= 0 else 0.0
        greatest = half_way[last] if last + 1 < len(self.position) else 1.0
        covered = np.minimum(self.high, greatest) - np.maximum(self.low, least)
        inside = (self.low >= self.position[first]) & (self.low <= self.position[last])
        return np.where(self.low == self.high, inside, _ratio(np.maximum(covered, 0.0), self.high - self.low))


@dataclass(frozen=True, slots=True)
class _Sets:
    """The cells of a tree or a flat column: the codes of class c are members[first[c] : after[c]]."""

    members: IntVector
    first: IntVector
    after: IntVector

    def shares(self, wanted: BoolVector) -> FloatVector:
        """Return the share of each cell that the wanted codes cover."""
        until = np.concatenate([[0], np.cumsum(wanted[self.members])])
        covered = until[self.after] - until[self.first]
        return _ratio(covered.astype(np.float64), (self.after - self.first).astype(np.float64))


def _ratio(part: FloatVector, whole: FloatVector) -> FloatVector:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


def _cells(codes: TableCodes, column: int, labels: IntVector) -> _Intervals | _Sets:
    """Return the released cells of one column, one for every class."""
    summary = summarise(codes, labels)
    if codes.kinds[column] == FLAT:
        members = counted(labels, codes.columns[column][codes.row_tuple])
        starts = np.searchsorted(members.classes, np.arange(len(summary.sizes) + 1))
        return _Sets(members.values, starts[:-1], starts[1:])
    empty = summary.sizes == 0
    low, high = np.where(empty, 0, summary.low[:, column]), np.where(empty, 0, summary.high[:, column])
    if codes.kinds[column] == TREE:
        first, last = _below_nodes(codes, column, low, high)
        return _Sets(np.arange(int(codes.sizes[column])), first, last + 1)  # leaves are codes in their order
    position = _part(codes, column)
    is_any = (low < _n_missing(codes, column)) & (low != high)
    return _Intervals(np.where(is_any, 0.0, position[low]), np.where(is_any, 1.0, position[high]), position)


def _below_nodes(codes: TableCodes, column: int, low: IntVector, high: IntVector) -> tuple[IntVector, IntVector]:
    """Return the first and the last leaf below the lowest node over each run of leaves.

    Beyond the last leaf of a node the common ancestor is a higher one: the gap between neighbours is above the price.
    """
    size, gaps = int(codes.sizes[column]), _part(codes, column)[:-1]
    prices = prices_between(codes, column, low, high)
    first, last = low.copy(), high.copy()
    for price in np.unique(prices[low != high]):
        here = (prices == price) & (low != high)
        ends = np.concatenate([np.flatnonzero(gaps > price), [size - 1]])  # the last leaf before each higher gap
        last[here] = ends[np.searchsorted(ends, high[here])]
        first[here] = np.concatenate([[-1], ends])[np.searchsorted(ends, low[here])] + 1
    return first, last
