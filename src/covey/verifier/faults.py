"""Words of the verifier that several of its faults and errors share."""

from __future__ import annotations

from collections.abc import Iterable

from covey.base.arrays import IntVector
from covey.base.checks import did_you_mean, plural
from covey.base.errors import UnknownColumn

__all__ = ["in_rows", "unknown_column"]


def in_rows(rows: IntVector) -> str:
    """Return in how many rows something was found, and where first; rows: their numbers from 0, in order."""
    return f"in {plural(len(rows), 'row')} (first in row {rows[0] + 1:,})"


def unknown_column(message: str, name: str, known: Iterable[str]) -> UnknownColumn:
    """Return the error of a column that is not there, with the known one that may be meant."""
    return UnknownColumn(message, code="unknown-column", hint=did_you_mean(name, known))
