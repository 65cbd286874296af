"""What a released cell can mean."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

__all__ = [
    "ANY",
    "COMMON_CELLS",
    "NAN",
    "Calendar",
    "Cell",
    "Everything",
    "Interval",
    "Missing",
    "NotANumber",
    "Number",
    "Point",
    "Prefix",
    "Set",
]

Number = int | float | Decimal
ANY = "*"
NAN = "NaN"


@dataclass(frozen=True, slots=True)
class Point:
    """One value: a number, a date (nanoseconds since 1970) or a label.

    `quoted`: the label stood in JSON quotes, so that it is no node of a taxonomy.
    """

    value: Number | str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """All values between two ends; an end of None is open to that side, and `..._open` leaves it out."""

    low: Number | str | None
    high: Number | str | None
    low_open: bool = False
    high_open: bool = False


@dataclass(frozen=True, slots=True)
class Calendar:
    """All instants of some months of the column's own calendar, counted as year x 12 + month, January being 0."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Set:
    """Any of the listed labels."""

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    """All labels that begin with `text`, written `4790*`."""

    text: str


@dataclass(frozen=True, slots=True)
class Everything:
    """Any value, missing ones too."""


@dataclass(frozen=True, slots=True)
class Missing:
    """No value."""


@dataclass(frozen=True, slots=True)
class NotANumber:
    """A NaN, in a table that tells it from a missing value."""


Cell = Point | Interval | Calendar | Set | Prefix | Everything | Missing | NotANumber
COMMON_CELLS: dict[str | None, Cell] = {None: Missing(), ANY: Everything(), NAN: NotANumber()}
"""Cells that mean the same in columns of all types, by how they are written."""
