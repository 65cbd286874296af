"""What the text of a released cell says, in covey's notation and in that of other tools.

A cell is read as it stands: blanks around it, dashes that are no hyphen and digits that are not 0 to 9 make another
cell, which says nothing.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable
from functools import partial

from covey.verifier.reading.cell import COMMON_CELLS, Calendar, Cell, Interval, Number, Point, Prefix, Set
from covey.verifier.reading.dates import DATE, instant_of
from covey.verifier.reading.numbers import NUMBER, number_of

__all__ = ["Unreadable", "cell_or_none", "read_cell"]


class Unreadable(ValueError):
    """A cell is no released value of its column's type; the message never holds the cell."""


def _spans(value: str, dash: str) -> re.Pattern[str]:
    """Return a pattern of two values in brackets, two with a dash between them, and one behind a sign."""
    between = rf"(?P<begin>[\[(]) *(?P<low>{value}) *, *(?P<high>{value}) *(?P<close>[\])])"
    return re.compile(rf"{between}|(?P<first>{value}){dash}(?P<last>{value})|(?P<sign><=|>=|<|>) *(?P<end>{value})")


_NUMBERS = _spans(NUMBER, r" *(?:-|\.\.) *")
_DATES = _spans(DATE, r"(?: +- +| *\.\. *| */ *)")
_LABEL_AND_SIGN = re.compile(r"(<=|>=|<|>) *(.*)", re.DOTALL)
_MONTHS = re.compile(r"([0-9]{4})(?:-([0-9]{2})|-Q([1-4]))?")


def read_cell(text: str | None, kind: str, *, exact: bool = True, zone: dt.tzinfo | None = None) -> Cell:
    """Return what a released cell of a column of type `kind` means.

    kind: `numeric`, `date`, `ordered`, `categorical` or `boolean`.  exact: False for a column of floats, in which a
    fraction means the float that is nearest to it.  zone: of a date column, for texts that tell no offset.
    Raises `Unreadable`.

    >>> read_cell("[35, 39]", "numeric")
    Interval(low=35, high=39, low_open=False, high_open=False)
    >>> read_cell("{a, \\"b, c\\"}", "categorical")
    Set(labels=('a', 'b, c'))
    """
    if text is None or text in COMMON_CELLS:
        return COMMON_CELLS[text]
    if kind == "numeric":
        return _measured(text, _NUMBERS, partial(number_of, exact=exact))
    if kind == "date":
        return _months(text) or _measured(text, _DATES, partial(instant_of, zone=zone))
    return _label(text, is_ordered=kind == "ordered")


def cell_or_none(text: str | None, kind: str, *, exact: bool = True, zone: dt.tzinfo | None = None) -> Cell | None:
    """Return what a cell means as `read_cell` does, None if it cannot be read."""
    try:
        return read_cell(text, kind, exact=exact, zone=zone)
    except Unreadable:
        return None


def _measured(text: str, spans: re.Pattern[str], read: Callable[[str], Number | None]) -> Cell:
    """Return a value, an interval, a bound or two values with a dash between them."""
    found = spans.fullmatch(text)
    if found is None:
        value = read(text)
        if value is not None:
            return Point(value)
    elif found["sign"]:
        end = read(found["end"])
        if end is not None:
            return _bounded(found["sign"], end)
    else:
        low, high = read(found["low"] or found["first"]), read(found["high"] or found["last"])
        if low is not None and high is not None:
            return Interval(low, high, found["begin"] == "(", found["close"] == ")")
    raise Unreadable("a cell is neither a value nor an interval of its column's type")


def _bounded(sign: str, end: Number | str) -> Interval:
    is_open = "=" not in sign
    return Interval(None, end, high_open=is_open) if "<" in sign else Interval(end, None, low_open=is_open)


def _months(text: str) -> Calendar | None:
    """Return the months of `2024-03`, `2024-Q1` or `2024`."""
    found = _MONTHS.fullmatch(text)
    if found is None or not int(found[1]):
        return None
    start = int(found[1]) * 12
    if found[2]:
        month = int(found[2]) - 1
        return Calendar(start + month, start + month) if 0 <= month < 12 else None
    if found[3]:
        first = start + 3 * (int(found[3]) - 1)
        return Calendar(first, first + 2)
    return Calendar(start, start + 11)


def _label(text: str, *, is_ordered: bool) -> Cell:
    if text.startswith('"'):
        return Point(_unquoted(text), quoted=True)
    if text.startswith("{") and text.endswith("}"):
        return Set(_labels(text[1:-1]))
    if is_ordered and text.startswith("[") and text.endswith("]"):
        ends = _labels(text[1:-1])
        if len(ends) != 2:
            raise Unreadable("an interval does not have two ends")
        return Interval(*ends)
    if is_ordered and (found := _LABEL_AND_SIGN.fullmatch(text)):
        end = found[2]
        return _bounded(found[1], _unquoted(end) if end.startswith('"') else end)
    if text.endswith("*"):
        return Prefix(text.rstrip("*"))
    return Point(text)


def _unquoted(text: str) -> str:
    try:
        if not text.endswith('"'):  # JSON would pass over blanks, which make another cell
            raise ValueError
        label = json.loads(text)
    except ValueError:
        raise Unreadable("a quoted cell is not JSON text") from None
    assert isinstance(label, str)  # it begins with a quote
    return label


def _labels(text: str) -> tuple[str, ...]:
    """Return the labels between commas, quoted ones unquoted."""
    labels: list[str] = []
    place, comma, decoder = 0, -1, json.JSONDecoder(strict=False)
    while comma < len(text):
        place = _after_blanks(text, comma + 1)
        if text.startswith('"', place):
            try:
                label, place = decoder.raw_decode(text, place)
            except ValueError:
                raise Unreadable("a quoted label is not JSON text") from None
            comma = _after_blanks(text, place)
            if text[comma : comma + 1] not in ("", ","):
                raise Unreadable("a quoted label is not followed by a comma")
        else:
            comma = text.find(",", place)
            comma = len(text) if comma < 0 else comma
            label = text[place:comma].rstrip(" ")
            if not label:
                raise Unreadable("a set or interval has an empty place")
        labels.append(label)
    return tuple(labels)


def _after_blanks(text: str, place: int) -> int:
    while text.startswith(" ", place):
        place += 1
    return place
