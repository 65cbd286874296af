"""The quasi columns of a published table: one column each, or a pair `age_min`, `age_max`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import BoolVector
from covey.base.checks import unknown_column
from covey.base.errors import InputError
from covey.verifier.columns.codes import Coded, coded, fold, is_text
from covey.verifier.columns.released import Reading, read_bounds, read_cells, with_points
from covey.verifier.reading.cell import ANY

__all__ = ["QuasiColumn", "published_quasi"]


@dataclass(frozen=True, slots=True)
class QuasiColumn:
    """A quasi column as it is published: under its own name, or as two columns of bounds."""

    name: str
    columns: tuple[str, ...]
    codes: tuple[Coded, ...]
    decimal: str = "."
    """The decimal mark of its numbers."""
    _read: dict[Any, list[Reading]] = field(default_factory=dict, compare=False, repr=False)
    """What has been read already: cells are read once."""

    @property
    def is_bounds(self) -> bool:
        """Return whether the column is published as two bounds."""
        return len(self.columns) == 2

    def starred(self) -> BoolVector:
        """Return the rows that say nothing: `*`, or bounds that are both open."""
        marks = [_positions(part, self.is_bounds)[part.codes] for part in self.codes]
        return np.asarray(np.logical_and.reduce(marks))

    def cells(self) -> tuple[Coded, list[tuple[int, int]]]:
        """Return the distinct cells of the rows, and for bounds the distinct pairs that they stand for."""
        if not self.is_bounds:
            return self.codes[0], []
        low, high = self.codes
        pairs = fold([(low.codes, low.size), (high.codes, high.size)], len(low.codes))
        first = pairs.first_rows()
        ends = list(zip(low.codes[first].tolist(), high.codes[first].tolist(), strict=True))
        return Coded(pairs.numbers, pa.nulls(len(ends))), ends

    def readings(
        self, kind: str, pairs: Sequence[tuple[int, int]], *, exact: bool = True, zone: dt.tzinfo | None = None
    ) -> list[Reading]:
        """Return what the distinct cells mean in a column of type `kind`; exact, zone: as for `read_cell`."""
        how = kind, exact or kind != "numeric", zone
        if how not in self._read:
            values = [part.values for part in self.codes]
            if kind == "numeric" and self.decimal == ",":
                values = [with_points(part) for part in values]
            if self.is_bounds:
                self._read[how] = read_bounds(values[0], values[1], pairs, kind, exact=exact, zone=zone)
            else:
                self._read[how] = read_cells(values[0], kind, exact=exact, zone=zone)
        return self._read[how]


def _positions(part: Coded, is_bounds: bool) -> BoolVector:
    """Return which distinct cells say nothing."""
    says_nothing = np.zeros(part.size, bool)
    if is_text(part.values.type):
        says_nothing |= pc.fill_null(pc.equal(part.values, ANY), False).to_numpy(zero_copy_only=False)
    if is_bounds:
        says_nothing |= part.values.is_null().to_numpy(zero_copy_only=False)
    return says_nothing


def published_quasi(table: pa.Table, names: Sequence[str], decimal: str = ".") -> list[QuasiColumn]:
    """Return the quasi columns of a published table; `age` is found as `age_min` and `age_max` too."""
    if not names:
        raise InputError(
            "no quasi column was named",
            code="no-quasi",
            hint='name the columns that others may know about a person: quasi=["age", "zip"]',
        )
    known = set(table.column_names)
    found = []
    for name in dict.fromkeys(names):
        columns = (name,) if name in known else (f"{name}_min", f"{name}_max")
        if not known.issuperset(columns):
            raise unknown_column(f"the table has no column `{name}`", name, table.column_names)
        found.append(QuasiColumn(name, columns, tuple(coded(table.column(one), one) for one in columns), decimal))
    return found
