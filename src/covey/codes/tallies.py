"""How many rows of each tuple have each value of a kept column: all that a search over tuples knows of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.base.arrays import IntMatrix, IntVector

__all__ = ["Tally", "ValueCounts", "count_values"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows by tuple and value; only pairs that occur are held."""

    starts: IntVector
    """(t + 1,) int64: where the pairs of each tuple begin."""
    values: IntVector
    """int64: the code of the value, ascending in each tuple."""
    counts: IntVector
    """int64: how many rows have both."""
    size: int
    """How many values there are."""

    @classmethod
    def of_rows(cls, row_tuple: IntVector, n_tuples: int, codes: IntVector, size: int) -> Tally:
        """Return the tally of a column, given the tuple of each row and the code of its value.

        >>> Tally.of_rows(np.array([0, 1, 0, 0]), 2, np.array([2, 0, 2, 1]), 3).dense().tolist()
        [[0, 1, 2], [1, 0, 0]]
        """
        pairs, counts = np.unique(row_tuple * max(size, 1) + codes, return_counts=True)
        starts = np.searchsorted(pairs, np.arange(n_tuples + 1) * max(size, 1))
        return cls(starts.astype(np.int64), pairs % max(size, 1), counts.astype(np.int64), size)

    @property
    def tuples(self) -> IntVector:
        """Return the tuple of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def by(self, group: IntVector, n_groups: int) -> IntMatrix:
        """Return (groups, values): rows of each value in each group, given the group of each tuple."""
        keys = group[self.tuples] * self.size + self.values
        found = np.bincount(keys, weights=self.counts, minlength=n_groups * self.size)
        return found.astype(np.int64).reshape(n_groups, self.size)

    def dense(self) -> IntMatrix:
        """Return (tuples, values): how many rows have both."""
        n_tuples = len(self.starts) - 1
        return self.by(np.arange(n_tuples), n_tuples)


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


def count_values(labels: IntVector, values: IntVector) -> ValueCounts:
    """Return the rows of every pair of a class and a value, given those of each row; a row of class -1 is in none."""
    inside = labels >= 0
    size = int(values.max(initial=0)) + 1
    keys, counts = np.unique(labels[inside] * size + values[inside], return_counts=True)
    return ValueCounts(keys // size, keys % size, counts)
