"""What several measures ask of classes: how often each value occurs, and whether the arrays fit together."""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.base.checks import bad_parameter, plural
from covey.codes.tallies import ValueCounts, count_values

__all__ = ["checked_weights", "counted", "one_per_row"]


def counted(labels: Any, values: Any) -> ValueCounts:
    """Return the rows of every pair of a class and a value; a row of class -1 is in none."""
    values = np.asarray(values, np.int64)
    return count_values(one_per_row("labels", labels, len(values)), values)


def one_per_row(name: str, numbers: Any, n_rows: int) -> IntVector:
    """Return class numbers or codes as int64; raises `InputError` if there is not one for every row."""
    array = np.asarray(numbers, np.int64)
    if array.shape != (n_rows,):
        fault = f"`{name}` has {plural(array.size, 'number')} for {plural(n_rows, 'row')}"
        raise bad_parameter(fault, "give one whole number for every row; a suppressed row has class -1")
    return array


def checked_weights(weights: Any, n_columns: int) -> FloatVector:
    """Return the weights of the columns, 1 / columns each where none are given."""
    if weights is None:
        return np.full(n_columns, 1 / max(n_columns, 1))
    array = np.asarray(weights, np.float64)
    if array.shape != (n_columns,) or not (np.isfinite(array) & (array >= 0)).all():
        fault = f"`weights` must be {plural(n_columns, 'number')} of 0 or more"
        raise bad_parameter(fault, "give one weight for every quasi column, in their order")
    return array
