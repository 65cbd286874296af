"""The released cells of one quasi column, read back."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from covey.verifier.columns.codes import is_date_type, is_number_type, is_text
from covey.verifier.reading.cell import NAN, Cell, Everything, Interval, Missing, NotANumber, Point
from covey.verifier.reading.notation import cell_or_none
from covey.verifier.reading.numbers import as_decimal
from covey.verifier.reading.values import instants, is_nan, labels

__all__ = ["Reading", "read_bounds", "read_cells", "with_points"]

_NUMBER = r"[-+]?(?:[0-9]+(?:,[0-9]*)?|,[0-9]+)(?:[eE][-+]?[0-9]+)?"
# released numbers with a decimal comma: `53,6`, `<=53,6` and `[53,6; 55,1]`
_COMMA = re.compile(
    rf"\s*(?:(?:<=|>=|<|>)?\s*{_NUMBER}|[\[(]\s*{_NUMBER}\s*;\s*{_NUMBER}\s*[\])]|{_NUMBER}\s*(?:-|\.\.)\s*{_NUMBER})\s*"
)
_POINT = str.maketrans({",": ".", ";": ","})


@dataclass(frozen=True, slots=True)
class Reading:
    """A distinct released cell: its text (None if it is no text) and what it means (None if unreadable)."""

    text: str | None
    cell: Cell | None


def with_points(values: pa.Array) -> pa.Array:
    """Return cells of numbers with decimal points; a cell that is no number with a comma stays as it is.

    >>> with_points(pa.array(["53,6", "[53,6; 55]", "[53, 55]", "53.6", "*"])).to_pylist()
    ['53.6', '[53.6, 55]', '[53, 55]', '53.6', '*']
    """
    if not is_text(values.type):
        return values
    texts = values.to_pylist()
    read = [text.translate(_POINT) if text is not None and _COMMA.fullmatch(text) else text for text in texts]
    return pa.array(read, values.type)


def read_cells(values: pa.Array, kind: str, *, exact: bool = True, zone: dt.tzinfo | None = None) -> list[Reading]:
    """Return what each distinct cell means in a column of type `kind`.

    Text is read as released values are written; typed cells, as other tools publish them, are points.  exact, zone: as
    for `read_cell`.
    """
    if is_text(values.type):
        return [Reading(text, cell_or_none(text, kind, exact=exact, zone=zone)) for text in values.to_pylist()]
    return [Reading(None, cell) for cell in _typed(values, kind, exact, zone)]


def _typed(values: pa.Array, kind: str, exact: bool, zone: dt.tzinfo | None) -> list[Cell | None]:
    if kind == "numeric" and is_number_type(values.type):
        return [_number_cell(value, exact) for value in values.to_pylist()]
    # not as Python values: those of a time zone or a nanosecond that Python does not know cannot be made
    if kind == "date" and is_date_type(values.type):
        return [Missing() if value is None else Point(value) for value in instants(values, zone)]
    if kind in ("numeric", "date"):
        return [Missing() if is_missing else None for is_missing in values.is_null().to_pylist()]
    return [_label_cell(name, pa.types.is_floating(values.type)) for name in labels(values)]


def _label_cell(name: str | None, is_floating: bool) -> Cell:
    if name is None:
        return Missing()
    return NotANumber() if is_floating and name == NAN else Point(name, quoted=True)


def _number_cell(value: Any, exact: bool) -> Cell:
    if value is None:
        return Missing()
    if is_nan(value):
        return NotANumber()
    if exact and isinstance(value, float):  # a decimal that another tool turned into a float
        return Point(as_decimal(value))
    return Point(float(value) if isinstance(value, Decimal) and not exact else value)


def read_bounds(
    low: pa.Array, high: pa.Array, pairs: Sequence[tuple[int, int]], kind: str, *, exact: bool, zone: dt.tzinfo | None
) -> list[Reading]:
    """Return what each pair (number of its least value, number of its greatest) means.

    An empty end is open; a pair without ends says nothing, so it is `*`.
    """
    lows, highs = _ends(low, kind, exact, zone), _ends(high, kind, exact, zone)
    return [Reading(None, _between(lows[a], highs[b])) for a, b in pairs]


def _ends(values: pa.Array, kind: str, exact: bool, zone: dt.tzinfo | None) -> list[Cell | None]:
    if kind == "ordered" and is_text(values.type):  # the labels themselves, unquoted
        return [Missing() if text is None else Point(text) for text in values.to_pylist()]
    return [reading.cell for reading in read_cells(values, kind, exact=exact, zone=zone)]


def _between(low: Cell | None, high: Cell | None) -> Cell | None:
    if isinstance(low, NotANumber) and isinstance(high, NotANumber):
        return NotANumber()
    known = (Point, Missing, Everything)
    if not isinstance(low, known) or not isinstance(high, known):
        return None
    least = low.value if isinstance(low, Point) else None
    greatest = high.value if isinstance(high, Point) else None
    return Everything() if least is None and greatest is None else Interval(least, greatest)
