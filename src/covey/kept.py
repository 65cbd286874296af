"""Kept columns, which are published as they are: which of them can be checked, and which need a warning."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from covey import frames
from covey.errors import CoveyError
from covey.schema import KEPT, Schema

__all__ = ["comparable_columns", "kept_column_warnings"]

NEARLY_UNIQUE = 0.9
"""A kept column with at least this share of different values draws a warning."""
FEW_ROWS = 20
"""Below this many rows, values that all differ say nothing."""


def comparable_columns(frame: Any, table: Any, schema: Schema) -> list[str]:
    """Return the columns of a frame that can be compared: kept columns of odd objects are left out."""
    names = []
    for name in frames.column_names(frame):
        known = name in frames.column_names(table)
        if known and schema[name].role == "identifier":
            continue
        if known and schema[name].is_kept:
            try:
                frames.to_arrow(table, [name])
            except CoveyError:
                continue
        names.append(name)
    return names


def kept_column_warnings(table: Any, schema: Schema) -> tuple[str, ...]:
    """Return a warning for each kept column whose values almost all differ, or cannot be compared."""
    notes = []
    for name in schema.names(*KEPT):
        try:
            column = frames.to_arrow(table, [name]).column(0)
            distinct = len(_comparable(column).unique())
        except (CoveyError, pa.ArrowNotImplementedError):
            notes.append(
                f"column `{name}` is kept as it is, and its values cannot be compared with each other: "
                "see for yourself that none of them tells who a row is about"
            )
            continue
        n = len(column)
        if n >= FEW_ROWS and distinct >= NEARLY_UNIQUE * n:
            notes.append(
                f"column `{name}` is kept as it is and nearly unique "
                f"({distinct:,} different values in {n:,} rows): whoever knows it can single people out"
            )
    return tuple(notes)


def _comparable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the same values in a type of which Arrow tells how many are different, where there is one."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return column.cast(kind.storage_type)
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return column.cast(pa.decimal128(kind.precision, kind.scale))
    return pc.run_end_decode(column) if pa.types.is_run_end_encoded(kind) else column
