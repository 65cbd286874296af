"""A quasi column in both tables: what its released cells cover, and which cell and value each row has."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from covey.ask.schema import Column
from covey.base.arrays import IntVector
from covey.verifier.columns.codes import coded
from covey.verifier.columns.originals import read_originals
from covey.verifier.columns.quasi import QuasiColumn
from covey.verifier.reading.kinds import with_type
from covey.verifier.truth.cover import Cover, cover_of

__all__ = ["ColumnPair", "column_pair"]


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """The code of the released cell of each released row, and of the value of each original row."""

    name: str
    cover: Cover
    cells: IntVector
    n_cells: int
    values: IntVector
    n_values: int


def column_pair(
    quasi: QuasiColumn, data: pa.ChunkedArray, column: Column, *, typed: bool, notation: str, strict: bool, closed: bool
) -> ColumnPair:
    """Return a quasi column as it was published beside the data of the original one; typed: as for `with_type`.

    notation, strict, closed: as for `cover_of`.
    """
    values = coded(data, column.name)
    column = with_type(column, data, values.values, typed=typed, decimal=quasi.decimal)
    originals = read_originals(values.values, column, quasi.decimal)
    cells, pairs = quasi.cells()
    readings = quasi.readings(originals.type, pairs, exact=originals.is_exact, zone=originals.zone)
    cover = cover_of(column, originals, readings, notation=notation, strict=strict, closed=closed)
    return ColumnPair(column.name, cover, cells.codes, cells.size, values.codes, values.size)
