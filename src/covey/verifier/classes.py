"""The classes of a published table, recounted from its released cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from covey.base.arrays import BoolVector, IntVector
from covey.base.errors import InputError
from covey.verifier.columns.codes import Folded, fold
from covey.verifier.columns.quasi import QuasiColumn
from covey.verifier.reading.values import shown
from covey.verifier.verdict import OffendingClass

__all__ = ["Classes", "count_classes"]

MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Classes:
    """Rows are in one class if and only if all their quasi cells are equal; null is a value like any other."""

    folded: Folded
    counts: IntVector
    """The rows that count in each class; 0 for a class of rows that are exempt or left out on request."""
    counted: BoolVector
    """Rows that count in their class."""
    starred: BoolVector
    """Rows that are `*` in every quasi column and not exempt."""

    @property
    def sizes(self) -> IntVector:
        """Return the rows of each class that counts."""
        return self.counts[self.counts > 0]

    def histogram(self) -> tuple[tuple[int, int], ...]:
        """Return (size, how many classes have it), by size."""
        sizes, classes = np.unique(self.sizes, return_counts=True)
        return tuple(zip(sizes.tolist(), classes.tolist(), strict=True))

    def below(self, k: int | None) -> IntVector:
        """Return the numbers of the classes below k, the smallest first."""
        return self.smallest_first(np.flatnonzero((self.counts > 0) & (self.counts < (k or 0))))

    def smallest_first(self, numbers: IntVector) -> IntVector:
        """Return the numbers of classes by their rows, those of the same size in the order of the table."""
        if not len(numbers):
            return numbers
        return numbers[np.lexsort((self.folded.first_rows()[numbers], self.counts[numbers]))]

    def shown(self, numbers: IntVector, quasi: Sequence[QuasiColumn]) -> tuple[OffendingClass, ...]:
        """Return the first classes of `numbers` with their cells as released."""
        numbers = numbers[:MOST_SHOWN]
        rows = self.folded.first_rows()[numbers]
        texts = {}
        for column in quasi:
            for name, part in zip(column.columns, column.codes, strict=True):
                texts[name] = shown(part.values.take(pa.array(part.codes[rows])))
        return tuple(
            OffendingClass(int(size), {name: cells[place] for name, cells in texts.items()})
            for place, size in enumerate(self.counts[numbers])
        )


def count_classes(quasi: Sequence[QuasiColumn], exempt: BoolVector | None = None, *, ignore_starred: bool) -> Classes:
    """Return the classes that the released cells make.

    Rows that are `exempt` are in no class, also not in one with the same cells; if all are, there is no class.
    """
    parts = [part for column in quasi for part in column.codes]
    n_rows = len(parts[0].codes)
    if n_rows == 0:
        raise InputError("the table has no rows", code="no-rows", hint="give a table with rows")
    keys = [(part.codes, part.size) for part in parts]
    protected = np.ones(n_rows, bool)
    if exempt is not None and exempt.any():
        keys.append((exempt.astype(np.int64), 2))
        protected = ~exempt
    folded = fold(keys, n_rows)
    starred = np.logical_and.reduce([column.starred() for column in quasi]) & protected
    counted = protected & ~starred if ignore_starred else protected
    if protected.any() and not counted.any():
        raise InputError(
            "every row is `*` in all quasi columns and left out, so there is nothing to count",
            code="no-rows",
            hint='count such rows too: suppressed_rows="count"',
        )
    return Classes(folded, np.bincount(folded.numbers[counted], minlength=folded.size), counted, starred)
