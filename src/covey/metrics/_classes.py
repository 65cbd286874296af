"""What several measures ask of classes: how often each value occurs, and whether the arrays fit together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.base.checks import plural
from covey.base.errors import InputError

__all__ = ["ValueCounts", "checked_weights", "count_values", "one_per_row"]


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """The rows of every pair of a class and a value that occurs, by class and then by value."""

    classes: IntVector
    values: IntVector
    counts: IntVector

    def of_uniform_classes(self) -> ValueCounts:
        """Return the pairs of classes with a single value."""
        return self._take(np.flatnonzero(np.bincount(self.classes)[self.classes] == 1))

    def of_majorities(self) -> ValueCounts:
        """Return one pair per class: its commonest value, the lowest of equally common ones."""
        order = np.lexsort((self.values, -self.counts, self.classes))
        return self._take(order[np.unique(self.classes[order], return_index=True)[1]])

    def _take(self, pairs: IntVector) -> ValueCounts:
        return ValueCounts(self.classes[pairs], self.values[pairs], self.counts[pairs])


def count_values(labels: Any, values: Any) -> ValueCounts:
    """Return the rows of every pair of a class and a value; a row of class -1 is in none."""
    values = np.asarray(values, np.int64)
    labels = one_per_row("labels", labels, len(values))
    released = labels >= 0
    size = int(values.max(initial=0)) + 1
    keys, counts = np.unique(labels[released] * size + values[released], return_counts=True)
    return ValueCounts(keys // size, keys % size, counts)


def one_per_row(name: str, numbers: Any, n_rows: int) -> IntVector:
    """Return class numbers or codes as int64; raises `InputError` if there is not one for every row."""
    array = np.asarray(numbers, np.int64)
    if array.shape != (n_rows,):
        raise InputError(
            f"`{name}` has {plural(array.size, 'number')} for {plural(n_rows, 'row')}",
            code="bad-parameter",
            hint="give one whole number for every row; a suppressed row has class -1",
        )
    return array


def checked_weights(weights: Any, n_columns: int) -> FloatVector:
    """Return the weights of the columns, 1 / columns each where none are given."""
    if weights is None:
        return np.full(n_columns, 1 / max(n_columns, 1))
    array = np.asarray(weights, np.float64)
    if array.shape != (n_columns,) or not (np.isfinite(array) & (array >= 0)).all():
        raise InputError(
            f"`weights` must be {plural(n_columns, 'number')} of 0 or more",
            code="bad-parameter",
            hint="give one weight for every quasi column, in their order",
        )
    return array
