"""The box of intervals around each class, its extent and loss, and the sets of values inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntMatrix, IntVector
from covey.codes.codes import Codes, TableCodes
from covey.codes.encoding import column_positions, kind_of_prices
from covey.codes.prices import extent, price
from covey.columns.typed import TypedColumn
from covey.compiled.kernel import kernel

__all__ = [
    "ClassSummary",
    "boxes_of",
    "class_extents",
    "class_sets",
    "column_prices",
    "interval_prices",
    "summarise",
    "suppressed_price",
    "total_loss",
    "varying_columns",
]


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """The rows and the least box of every class."""

    sizes: IntVector
    """(c,) int64."""
    low: IntMatrix
    """(c, p) int64: the least code of each column."""
    high: IntMatrix
    """(c, p) int64: the greatest code of each column."""


def summarise(codes: TableCodes, labels: IntVector) -> ClassSummary:
    """Return the rows and the box of every class; rows labelled below 0 belong to none."""
    n_classes = int(labels.max(initial=-1)) + 1
    low, high, sizes = boxes_of(codes.columns, codes.row_tuple, np.asarray(labels, np.int64), n_classes)
    return ClassSummary(sizes, low, high)


def class_extents(codes: Codes, summary: ClassSummary) -> FloatVector:
    """Return the extent of every class."""
    return np.asarray(_extents(codes.measure, summary.low, summary.high, summary.sizes))


def column_prices(column: TypedColumn, low: IntVector, high: IntVector) -> FloatVector:
    """Return the price of the interval [low, high] of one column, for every class."""
    positions = np.append(column_positions(column), 1.0)  # the width of an ordered domain
    return interval_prices(kind_of_prices(column), positions, 0, column.size, low, high)


def class_sets(column: IntVector, size: int, labels: IntVector, n_classes: int) -> IntMatrix:
    """Return (c, words) uint64: for every class the set of codes of one column, a bit per code."""
    return np.asarray(_sets_of_rows(column, (size + 63) // 64, np.asarray(labels, np.int64), n_classes))


def total_loss(codes: TableCodes, labels: IntVector) -> float:
    """Return Total-IL: the sum over classes of rows x extent; a row labelled below 0 costs all weights."""
    summary = summarise(codes, labels)
    suppressed = codes.n_rows - int(summary.sizes.sum())
    return float((summary.sizes * class_extents(codes, summary)).sum()) + suppressed * suppressed_price(codes)


def suppressed_price(codes: Codes) -> float:
    """Return W, the price of a suppressed row: the weights of the columns that are not constant."""
    return float(codes.weights[varying_columns(codes)].sum())


def varying_columns(codes: Codes) -> BoolVector:
    """Return (p,): which columns are not constant."""
    return np.array([bool((column != column[:1]).any()) for column in codes.columns], bool)


@kernel
def boxes_of(columns, row_tuple, labels, n_classes):  # type: ignore[no-untyped-def]
    """Return (low, high, rows) of every class, given the tuple and the class of each row, below 0 for none."""
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
def _extents(measure, low, high, rows):  # type: ignore[no-untyped-def]
    out = np.zeros(rows.shape[0])
    for c in range(rows.shape[0]):
        if rows[c] > 0:
            out[c] = extent(measure, low[c], high[c])
    return out


@kernel
def interval_prices(kind, positions, start, size, low, high) -> FloatVector:  # type: ignore[no-untyped-def]
    """Return the price of each interval [low, high] of one column (see `prices.price`); low, high (m,) int64."""
    out = np.empty(low.shape[0])
    for i in range(low.shape[0]):
        out[i] = price(kind, positions, start, size, low[i], high[i])
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
