"""From typed columns to `Codes`: the integer view that all searches run on (DESIGN: codes)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covey.ask.schema import Schema
from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.codes.prices import FLAT, ORDERED, TREE, extent, price
from covey.columns.proposal import with_types
from covey.columns.typed import TypedColumn, type_column
from covey.compiled.kernel import kernel
from covey.tables.frames import column_names, to_arrow

__all__ = [
    "ClassSummary",
    "Codes",
    "class_extents",
    "class_sets",
    "codes_from_matrix",
    "column_prices",
    "encode_columns",
    "encode_frame",
    "merge_rows",
    "summarise",
    "suppressed_price",
    "total_loss",
    "tree_positions",
]

_WIDEST = 1e150
"""The square of a greater width could overflow."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The quasi columns of a table as integers, equal rows merged into weighted tuples.

    Tuples are in lexicographic order of their codes, so that the order of the rows does not matter
    to a search over tuples.
    """

    columns: IntMatrix
    """(p, t), C-contiguous: the code of each column in each distinct tuple."""
    counts: IntVector
    """(t,) int64: how many rows have each tuple."""
    row_tuple: IntVector
    """(n,) int64: the tuple of each row."""
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

    @property
    def n_rows(self) -> int:
        """Return how many rows there are."""
        return len(self.row_tuple)

    @property
    def n_tuples(self) -> int:
        """Return how many distinct rows there are."""
        return len(self.counts)

    @property
    def prices(self) -> tuple[IntVector, FloatVector, FloatVector, IntVector, IntVector]:
        """Return what the kernels price boxes by: kinds, weights, positions, offsets, sizes."""
        return self.kinds, self.weights, self.positions, self.offsets, self.sizes

    def with_weights_near_one(self) -> tuple[Codes, float]:
        """Return (codes, factor): all weights times a power of two that brings the largest to 1 or above, below 2.

        No float sum or product changes but by that factor; so a grain of comparison means the same for all weights.
        """
        largest = float(self.weights.max(initial=0.0))
        if largest == 0.0:
            return self, 1.0
        factor = 2.0 ** (1 - math.frexp(largest)[1])
        return replace(self, weights=self.weights * factor), factor

    def row_codes(self) -> IntMatrix:
        """Return (p, n): the codes of every row, equal rows not merged."""
        return np.ascontiguousarray(self.columns[:, self.row_tuple])


def encode_frame(table: Any, schema: Schema | None = None) -> Codes:
    """Return the codes of a frame's quasi columns; without a schema every column is quasi."""
    if schema is None:
        schema = Schema.from_roles(quasi=column_names(table))
    arrow = to_arrow(table, schema.names("quasi"))
    schema = with_types(schema, arrow)
    return encode_columns([type_column(column, arrow.column(column.name)) for column in schema.quasi])


def encode_columns(columns: Sequence[TypedColumn]) -> Codes:
    """Return the codes of typed columns."""
    sizes = np.array([column.size for column in columns], np.int64)
    widest = int(sizes.max(initial=1))
    dtype = np.uint8 if widest <= 256 else np.uint16 if widest <= 65_536 else np.int32
    return codes_from_matrix(
        np.stack([column.codes.astype(dtype) for column in columns]),
        np.array([_kind(column) for column in columns], np.uint8),
        np.array([column.weight for column in columns]),
        [_column_positions(column) for column in columns],
        sizes,
        np.array([_width(column) for column in columns]),
    )


def _kind(column: TypedColumn) -> int:
    return TREE if column.is_tree else FLAT if column.is_flat else ORDERED


def _width(column: TypedColumn) -> float:
    """Return by what a difference of positions is multiplied to be one of values; 1 where values are no numbers."""
    if column.type != "numeric" or column.is_tree or len(column.points) == 0:
        return 1.0
    low, high = (column.points[0], column.points[-1]) if column.ends is None else column.ends
    try:
        width = float(high) / 2 - float(low) / 2  # halved, so that no difference overflows
    except OverflowError:  # a whole number beyond all floats
        return _WIDEST
    return min(2 * width, _WIDEST) or 1.0


def _column_positions(column: TypedColumn) -> FloatVector:
    """Return the part of `positions` of one column; a missing value stands a whole domain away from all else."""
    missing = column.n_missing
    if column.is_tree:
        gaps = np.asarray(column.taxonomy.gaps(), np.float64)
        return tree_positions(np.concatenate([np.ones(missing if column.size > missing else missing - 1), gaps]))
    if column.positions is None:
        return np.zeros(0)
    return np.concatenate([np.arange(-missing, 0, dtype=np.float64), column.positions])


def codes_from_matrix(
    matrix: IntMatrix,
    kinds: IntVector,
    weights: FloatVector,
    parts: list[FloatVector],
    sizes: IntVector,
    widths: FloatVector | None = None,
) -> Codes:
    """Return `Codes` of (p, n) row codes; `parts` holds the positions of each column, in a domain that is 1 wide."""
    for part, kind, size in zip(parts, kinds, sizes, strict=True):
        if kind == ORDERED and len(part) != size:  # kernels do not look where they read
            raise ValueError(f"an ordered column of {size} codes needs as many positions, not {len(part)}")
    columns, counts, row_tuple = merge_rows(matrix, sizes)
    parts = [np.append(part, 1.0) if kind == ORDERED else part for part, kind in zip(parts, kinds, strict=True)]
    lengths = [len(part) for part in parts]
    offsets = np.concatenate([[0], np.cumsum(lengths)])[: len(parts)].astype(np.int64)
    positions = np.concatenate([*parts, np.zeros(1)])
    return Codes(
        columns=columns,
        counts=counts,
        row_tuple=row_tuple,
        kinds=np.asarray(kinds, np.uint8),
        sizes=np.asarray(sizes, np.int64),
        weights=np.asarray(weights, np.float64),
        positions=positions,
        offsets=offsets,
        widths=None if widths is None else np.asarray(widths, np.float64),
    )


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


def merge_rows(matrix: IntMatrix, sizes: IntVector) -> tuple[IntMatrix, IntVector, IntVector]:
    """Return (columns, counts, row_tuple): equal rows of (p, n) codes merged, tuples in lexicographic order.

    Cost: near-linear.  Codes are packed into a 64-bit word together with the row number, and the words
    are sorted by radix; where the codes do not fit, those so far are replaced by their rank first.
    """
    n = matrix.shape[1]
    if n == 0:
        return matrix.copy(), np.zeros(0, np.int64), np.zeros(0, np.int64)
    room = 64 - (n - 1).bit_length()
    key = np.zeros(n, np.uint64)
    bits = 0
    for codes, size in zip(matrix, sizes, strict=True):
        need = max(int(size) - 1, 0).bit_length()
        while need > 0:
            if bits + need > room:
                rank, counts, _ = _merge_keys(key, bits)
                key, bits = rank.astype(np.uint64), (len(counts) - 1).bit_length()
            take = min(need, room - bits)
            need -= take
            _push(key, codes, need, take)
            bits += take
    rank, counts, first = _merge_keys(key, bits)
    return np.ascontiguousarray(matrix[:, first]), counts, rank


@kernel
def _push(key, codes, skip, take):  # type: ignore[no-untyped-def]
    """Append `take` bits of each code, those above its lowest `skip` bits, to its key."""
    left, right = np.uint64(take), np.uint64(skip)
    mask = (np.uint64(1) << left) - np.uint64(1)
    for i in range(key.shape[0]):
        key[i] = (key[i] << left) | ((np.uint64(codes[i]) >> right) & mask)


@kernel
def _merge_keys(key, bits):  # type: ignore[no-untyped-def]
    """Return (rank, counts, first): each key's rank among the distinct ones, and their rows and first rows.

    key (n,) uint64 of which the lowest `bits` bits are used; all returned are int64.
    """
    n = key.shape[0]
    row_bits = 0
    while (n - 1) >> row_bits > 0:
        row_bits += 1
    row_mask = (np.uint64(1) << np.uint64(row_bits)) - np.uint64(1)
    word = np.empty(n, np.uint64)
    other = np.empty(n, np.uint64)
    for i in range(n):
        word[i] = (key[i] << np.uint64(row_bits)) | np.uint64(i)
    # least digit first, each pass stable, so equal keys stay in the order of their rows
    n_passes = max((bits + 10) // 11, 1)
    digit = (bits + n_passes - 1) // n_passes
    digit_mask = np.uint64((1 << digit) - 1)
    place = np.empty((1 << digit) + 1, np.int64)
    for x in range(n_passes):
        shift = np.uint64(row_bits + x * digit)
        place[:] = 0
        for i in range(n):
            place[((word[i] >> shift) & digit_mask) + np.uint64(1)] += 1
        for b in range(1 << digit):
            place[b + 1] += place[b]
        for i in range(n):
            b = (word[i] >> shift) & digit_mask
            other[place[b]] = word[i]
            place[b] += 1
        word, other = other, word
    rank = np.empty(n, np.int64)
    counts = np.zeros(n, np.int64)
    first = np.empty(n, np.int64)
    distinct = -1
    previous = np.uint64(0)
    for i in range(n):
        row = word[i] & row_mask
        this = word[i] >> np.uint64(row_bits)
        if i == 0 or this != previous:
            distinct += 1
            first[distinct] = np.int64(row)
            previous = this
        counts[distinct] += 1
        rank[row] = distinct
    return rank, counts[: distinct + 1].copy(), first[: distinct + 1].copy()


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """The rows and the least box of every class."""

    sizes: IntVector
    """(c,) int64."""
    low: IntMatrix
    """(c, p) int64: the least code of each column."""
    high: IntMatrix
    """(c, p) int64: the greatest code of each column."""


def summarise(codes: Codes, labels: IntVector) -> ClassSummary:
    """Return the rows and the box of every class; rows labelled below 0 belong to none."""
    n_classes = int(labels.max(initial=-1)) + 1
    low, high, sizes = _boxes_of_rows(codes.columns, codes.row_tuple, np.asarray(labels, np.int64), n_classes)
    return ClassSummary(sizes, low, high)


def class_extents(codes: Codes, summary: ClassSummary) -> FloatVector:
    """Return the extent of every class."""
    return np.asarray(
        _extents(
            *codes.prices, summary.low, summary.high, summary.sizes,
        )
    )  # fmt: skip


def column_prices(column: TypedColumn, low: IntVector, high: IntVector) -> FloatVector:
    """Return the price of the interval [low, high] of one column, for every class."""
    positions = np.append(_column_positions(column), 1.0)  # the width of an ordered domain
    return np.asarray(_prices(_kind(column), positions, column.size, low, high))


def class_sets(column: IntVector, size: int, labels: IntVector, n_classes: int) -> IntMatrix:
    """Return (c, words) uint64: for every class the set of codes of one column, a bit per code."""
    return np.asarray(_sets_of_rows(column, (size + 63) // 64, np.asarray(labels, np.int64), n_classes))


def total_loss(codes: Codes, labels: IntVector) -> float:
    """Return Total-IL: the sum over classes of rows x extent; a row labelled below 0 costs all weights."""
    summary = summarise(codes, labels)
    suppressed = codes.n_rows - int(summary.sizes.sum())
    return float((summary.sizes * class_extents(codes, summary)).sum()) + suppressed * suppressed_price(codes)


def suppressed_price(codes: Codes) -> float:
    """Return W, the price of a suppressed row: the weights of the columns that are not constant."""
    varies = [bool((column != column[:1]).any()) for column in codes.columns]
    return float(codes.weights[np.array(varies, bool)].sum())


@kernel
def _boxes_of_rows(columns, row_tuple, labels, n_classes):  # type: ignore[no-untyped-def]
    p = columns.shape[0]
    low = np.full((n_classes, p), np.iinfo(np.int64).max, np.int64)
    high = np.full((n_classes, p), -1, np.int64)
    sizes = np.zeros(n_classes, np.int64)
    for row in range(row_tuple.shape[0]):
        label = labels[row]
        if label < 0:
            continue
        sizes[label] += 1
        t = row_tuple[row]
        for j in range(p):
            code = np.int64(columns[j, t])
            low[label, j] = min(low[label, j], code)
            high[label, j] = max(high[label, j], code)
    return low, high, sizes


@kernel
def _extents(kinds, weights, positions, offsets, sizes, low, high, rows):  # type: ignore[no-untyped-def]
    out = np.zeros(rows.shape[0])
    for c in range(rows.shape[0]):
        if rows[c] > 0:
            out[c] = extent(kinds, weights, positions, offsets, sizes, low[c], high[c])
    return out


@kernel
def _prices(kind, positions, size, low, high):  # type: ignore[no-untyped-def]
    out = np.empty(low.shape[0])
    for c in range(low.shape[0]):
        out[c] = price(kind, positions, 0, size, low[c], high[c])
    return out


@kernel
def _sets_of_rows(codes, words, labels, n_classes):  # type: ignore[no-untyped-def]
    out = np.zeros((n_classes, words), np.uint64)
    for row in range(codes.shape[0]):
        label = labels[row]
        if label >= 0:
            code = np.int64(codes[row])
            out[label, code >> 6] |= np.uint64(1) << np.uint64(code & 63)
    return out
