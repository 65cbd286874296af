"""The integer view of a table that every search runs on: distinct tuples, their counts, and what intervals cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from covey.base.arrays import FloatMatrix, FloatVector, IntMatrix, IntVector
from covey.codes.merging import merge_rows
from covey.codes.prices import ORDERED, Measure
from covey.codes.tallies import Tally

__all__ = ["WIDEST", "Codes", "TableCodes", "are_numbers", "codes_from_matrix", "standardised", "tree_positions"]


WIDEST = 1e150
"""The square of a greater width could overflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codes:
    """The quasi columns of a table as integers, equal rows merged into weighted tuples; of the rows only counts.

    Tuples are in lexicographic order of their codes, so that the order of the rows does not matter
    to a search over tuples.
    """

    columns: IntMatrix
    """(p, t), C-contiguous: the code of each column in each distinct tuple."""
    counts: IntVector
    """(t,) int64: how many rows have each tuple."""
    kinds: IntVector
    """(p,) uint8: `ORDERED`, `FLAT` or `TREE`."""
    sizes: IntVector
    """(p,) int64: how many codes each column has; codes run from 0."""
    weights: FloatVector
    """(p,) float64."""
    positions: FloatVector
    """float64, one part per column: a position per code and the domain's width, nothing, or a sparse table."""
    offsets: IntVector
    """(p,) int64: where the part of each column begins in `positions`."""
    widths: FloatVector | None = None
    """(p,) float64: the width of each numeric domain in its own unit, 1 for all else; None where nobody said."""
    missing: IntVector | None = None
    """(p,) int64: how many codes of each column, its first, stand for missing values; None where nobody said."""
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    """What the rows of each tuple have in kept columns, of the columns that a search asks for."""

    @property
    def n_rows(self) -> int:
        """Return how many rows there are."""
        return int(self.counts.sum())

    @property
    def n_tuples(self) -> int:
        """Return how many distinct rows there are."""
        return len(self.counts)

    @property
    def narrow(self) -> IntMatrix:
        """Return `columns` as int32, whatever their own type, so that a kernel is compiled once for all tables."""
        return self.columns.astype(np.int32)

    @property
    def measure(self) -> Measure:
        """Return what the kernels price boxes by."""
        return Measure(self.kinds, self.weights, self.positions, self.offsets, self.sizes)

    def values(self, column: int) -> FloatVector:
        """Return (t,): the position of each tuple in an ordered column (below 0 if missing), its code in any other."""
        codes: IntVector = self.columns[column].astype(np.int64)
        if self.kinds[column] == ORDERED:
            return np.asarray(self.positions[self.offsets[column] + codes])
        return codes.astype(np.float64)

    def with_weights_near_one(self) -> tuple[Self, float]:
        """Return (codes, factor): all weights times a power of two that brings the largest to 1 or above, below 2.

        No float sum or product changes but by that factor; so a grain of comparison means the same for all weights.
        """
        largest = float(self.weights.max(initial=0.0))
        if largest == 0.0:
            return self, 1.0
        factor = 2.0 ** (1 - math.frexp(largest)[1])
        return replace(self, weights=self.weights * factor), factor

    def part(self, tuples: IntVector) -> Codes:
        """Return the codes of some tuples alone."""
        columns = np.ascontiguousarray(self.columns[:, tuples])
        return self.without_rows(columns=columns, counts=self.counts[tuples], tallies={})

    def without_rows(self, **changes: Any) -> Codes:
        """Return the tuples and their counts alone, with some fields changed."""
        return Codes(**{one.name: getattr(self, one.name) for one in fields(Codes)} | changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCodes(Codes):
    """The codes of a table at hand: which tuple each of its rows has is known too."""

    row_tuple: IntVector
    """(n,) int64: the tuple of each row."""

    @property
    def n_rows(self) -> int:
        """Return how many rows there are."""
        return len(self.row_tuple)

    def row_values(self) -> FloatMatrix:
        """Return (p, n): the values of every row."""
        return np.stack([self.values(j)[self.row_tuple] for j in range(len(self.kinds))])

    def row_codes(self) -> IntMatrix:
        """Return (p, n): the codes of every row, equal rows not merged."""
        return np.ascontiguousarray(self.columns[:, self.row_tuple])


def codes_from_matrix(
    matrix: IntMatrix,
    kinds: IntVector,
    weights: FloatVector,
    parts: list[FloatVector],
    sizes: IntVector,
    widths: FloatVector | None = None,
    missing: IntVector | None = None,
) -> TableCodes:
    """Return the codes of (p, n) row codes; `parts` holds the positions of each column, in a domain that is 1 wide."""
    for part, kind, size in zip(parts, kinds, sizes, strict=True):
        if kind == ORDERED and len(part) != size:  # kernels do not look where they read
            raise ValueError(f"an ordered column of {size} codes needs as many positions, not {len(part)}")
    columns, counts, row_tuple = merge_rows(matrix, sizes)
    parts = [np.append(part, 1.0) if kind == ORDERED else part for part, kind in zip(parts, kinds, strict=True)]
    lengths = [len(part) for part in parts]
    offsets = np.concatenate([[0], np.cumsum(lengths)])[: len(parts)].astype(np.int64)
    positions = np.concatenate([*parts, np.zeros(1)])
    return TableCodes(
        columns=columns,
        counts=counts,
        row_tuple=row_tuple,
        kinds=np.asarray(kinds, np.uint8),
        sizes=np.asarray(sizes, np.int64),
        weights=np.asarray(weights, np.float64),
        positions=positions,
        offsets=offsets,
        widths=None if widths is None else np.asarray(widths, np.float64),
        missing=None if missing is None else np.asarray(missing, np.int64),
    )


def are_numbers(codes: Codes, values: FloatMatrix) -> bool:
    """Return whether all columns are ordered and no value is missing (missing ones have positions below 0)."""
    return bool((codes.kinds == ORDERED).all() and (values >= 0.0).all())


def standardised(column: FloatVector) -> FloatVector:
    """Return the column with mean 0 and standard deviation 1; a constant one is 0, whatever rounding says."""
    if column.min() == column.max():
        return np.zeros_like(column)
    return np.asarray((column - column.mean()) / column.std())


def tree_positions(gaps: FloatVector) -> FloatVector:
    """Return the sparse table of a tree: row r holds, from each leaf on, the greatest of 2**r gaps.

    gaps (m - 1,): height of the lowest common ancestor of neighbouring leaves over the tree's height.
    """
    size = len(gaps) + 1
    row = np.append(gaps, 0.0)
    rows = [row]
    step = 1
    while 2 * step < size:
        row = row.copy()
        row[: size - step] = np.maximum(row[: size - step], row[step:])
        rows.append(row)
        step *= 2
    return np.concatenate(rows)
