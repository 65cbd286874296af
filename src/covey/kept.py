"""Kept columns, which are published as they are: which of them can be compared with the original."""

from __future__ import annotations

from typing import Any

from covey import frames
from covey.errors import CoveyError
from covey.schema import KEPT, Schema

__all__ = ["comparable_columns"]


def comparable_columns(table: Any, schema: Schema) -> list[str]:
    """Return the kept columns that Arrow can hold; a pandas column of odd objects cannot be compared."""
    return [name for name in schema.names(*KEPT) if _can_be_compared(table, name)]


def _can_be_compared(table: Any, name: str) -> bool:
    try:
        frames.to_arrow(table, [name])
    except CoveyError:
        return False
    return True
