"""How far rows lie from the centre of their class: information distortion and SSE / SST."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.base.arrays import FloatMatrix, FloatVector, IntVector
from covey.base.errors import InputError
from covey.codes.boxes import varying_columns
from covey.codes.codes import TableCodes, are_numbers, standardised
from covey.codes.prices import ORDERED
from covey.metrics._classes import checked_weights, one_per_row
from covey.metrics._columns import class_centres, prices_between

__all__ = ["information_distortion", "sse_over_sst"]


def information_distortion(codes: TableCodes, labels: Any, weights: Any = None) -> float:
    """Return the sum over rows and columns of weight x squared difference to the class centre (P4, equation 4).

    labels (n,): the class of each row, -1 if suppressed.
    weights (p,): one per quasi column, 1 / columns each by default.  They are given explicitly, for figures under
    unlike weights cannot be compared; the weights of the schema are not used.

    Ordered columns: the centre is the mean position, in 0..1, of the values that are not missing; a missing value
    differs from it by 1, and by 0 if the class has no other.  Trees and flat labels (the paper has numbers
    only): the price between the value and the commonest one, lowest code of equally common ones.  A suppressed
    row differs by 1 in every column that is not constant.

    Cost: a sort of the rows per column of categories.
    """
    labels = one_per_row("labels", labels, codes.n_rows)
    weights = checked_weights(weights, len(codes.kinds))
    suppressed = int((labels < 0).sum()) * varying_columns(codes)
    total = 0.0
    for j in range(len(codes.kinds)):
        away = _differences(codes, j, labels)
        total += float(weights[j]) * (float((away * away).sum()) + float(suppressed[j]))
    return total


def _differences(codes: TableCodes, column: int, labels: IntVector) -> FloatVector:
    """Return the difference of every released row from the centre of its class in one column."""
    released = labels >= 0
    tuples = codes.row_tuple[released]
    centres = class_centres(codes, column, labels, int(labels.max(initial=-1)) + 1)
    centre, value = centres[labels[released]], codes.values(column)[tuples]
    if codes.kinds[column] == ORDERED:
        return np.where(value >= 0, np.abs(value - centre), np.where(np.isnan(centre), 0.0, 1.0))
    return prices_between(codes, column, value.astype(np.int64), centre.astype(np.int64))


def sse_over_sst(table: TableCodes | FloatMatrix, labels: Any) -> float:
    """Return the squared differences to class means over those to the overall mean, 0 to 1.

    The usual loss of microaggregation (Domingo-Ferrer and Mateo-Sanz, 2002): every column is standardised first, so
    each that is not constant counts alike; schema weights are not used.  A suppressed row is as far off as the
    overall mean is.

    table: codes whose columns are all ordered and without missing values, or the numbers themselves, (n, p).
    labels (n,): the class of each row, -1 if suppressed.

    >>> sse_over_sst(np.array([[1.0], [3.0], [7.0], [9.0]]), [0, 0, 1, 1])  # 4 x 1 over 2 x 4**2 + 2 x 2**2
    0.1
    """
    values = _numbers(table)
    labels = one_per_row("labels", labels, len(values))
    values = np.stack([standardised(column) for column in values.T], axis=1) if values.size else values
    total = float((values * values).sum())
    if total == 0.0:
        return 0.0
    released = labels >= 0
    owner = labels[released]
    sizes = np.maximum(np.bincount(owner), 1)
    within = float((values[~released] ** 2).sum())
    for column in values.T:
        means = np.bincount(owner, weights=column[released]) / sizes
        within += float(((column[released] - means[owner]) ** 2).sum())
    return within / total


def _numbers(table: TableCodes | FloatMatrix) -> FloatMatrix:
    """Return (n, p): the numbers given, or the positions of codes, which are the numbers up to scale."""
    if not isinstance(table, TableCodes):
        values = np.asarray(table, np.float64)
        is_numeric = values.ndim == 2 and bool(np.isfinite(values).all())
    else:
        values = np.ascontiguousarray(table.row_values().T)
        is_numeric = are_numbers(table, values)
    if not is_numeric:
        raise InputError(
            "SSE / SST needs columns of numbers without missing values",
            code="unsupported-column",
            hint="leave out the other columns, or take `information_distortion`",
        )
    return values
