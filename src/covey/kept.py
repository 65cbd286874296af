"""Kept columns, which are published as they are: which of them can be compared."""

from __future__ import annotations

from typing import Any

from covey import frames
from covey.errors import CoveyError
from covey.schema import Schema

__all__ = ["comparable_columns"]


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
