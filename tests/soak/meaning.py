"""What a released cell says of a value, by regular expressions and fractions; no code of covey.

A meaning is made for one column.  It tells whether a cell covers a value, what the cell costs, and which ends it
shows.  Values: None is missing, NAN is not a number; numbers are Fractions, dates and times are Fractions of seconds
since 1970, labels are text, booleans are `true` and `false`.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

__all__ = ["NAN", "DateTree", "Labels", "Line", "Meaning", "Ordered", "Prefixes", "Tree", "seconds_of", "shown"]

NAN = "NaN (not a number)"
"""Stands for NaN among values; no label of a test is written so."""

_EPOCH = dt.datetime(1970, 1, 1)
_BETWEEN = {".": re.compile(r"\[(.+), (.+)\]"), ",": re.compile(r"\[(.+); (.+)\]")}
"""Intervals by decimal mark: the ends of numbers with a comma are apart by a semicolon."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


class Unread(Exception):
    """The cell is no released value of this column."""


def seconds_of(moment: dt.datetime | dt.date, zone: str | None = None) -> Fraction:
    """Return the seconds since 1970 of a date, a local time, or a time with its zone."""
    if not isinstance(moment, dt.datetime):
        moment = dt.datetime.combine(moment, dt.time())
    if moment.tzinfo is not None:
        moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
    past = moment - _EPOCH
    return Fraction(past.days * 86_400 + past.seconds) + Fraction(past.microseconds, 1_000_000)


@dataclass(frozen=True)
class Meaning:
    """What the cells of one column mean; the children read points, and say what lies below words."""

    low: Fraction | None = None
    high: Fraction | None = None

    def covers(self, cell: str | None, value: Any) -> bool:
        """Return whether a released cell is true of a value."""
        if cell == "*":
            return True
        if cell is None:
            return value is None
        if value is None:
            return False
        return self.says(cell, value)

    def says(self, cell: str, value: Any) -> bool:
        """Return whether a cell that is neither empty nor `*` covers a value that is not missing."""
        raise NotImplementedError

    def price(self, cell: str | None) -> Fraction | None:
        """Return the price of a cell, None if this column's prices are not judged here."""
        return None

    def ends(self, cell: str | None) -> tuple[Any, ...]:
        """Return the ends that a cell shows."""
        return ()


@dataclass(frozen=True)
class Line(Meaning):
    """Numbers, dates and times: points and intervals on a line."""

    point: Callable[[str], Fraction] = Fraction
    decimal: str = "."

    def says(self, cell: str, value: Any) -> bool:
        if cell == "NaN" or value == NAN:
            return cell == "NaN" and value == NAN
        low, high = self.span(cell)
        return (low is None or low <= value) and (high is None or value <= high)

    def span(self, cell: str) -> tuple[Fraction | None, Fraction | None]:
        if cell.startswith("<="):
            return None, self.read(cell[2:])
        if cell.startswith(">="):
            return self.read(cell[2:]), None
        between = _BETWEEN[self.decimal].fullmatch(cell)
        if between:
            return self.read(between[1]), self.read(between[2])
        return self.read(cell), self.read(cell)

    def read(self, text: str) -> Fraction:
        """Return the number or the time that a text says."""
        try:
            return self.point(text.replace(self.decimal, ".") if "." not in text or self.decimal == "." else "a mix")
        except ValueError as fault:
            raise Unread from fault

    def price(self, cell: str | None) -> Fraction | None:
        if cell is None or cell == "NaN":
            return Fraction(0)
        if self.low is None or self.high is None:
            return None
        if cell == "*":
            return Fraction(1)
        low, high = self.span(cell)
        low, high = self.low if low is None else low, self.high if high is None else high
        return (high - low) / (self.high - self.low) if self.high > self.low else Fraction(0)

    def ends(self, cell: str | None) -> tuple[Any, ...]:
        if cell in (None, "*", "NaN"):
            return ()
        return tuple(end for end in self.span(str(cell)) if end is not None)


@dataclass(frozen=True)
class Labels(Meaning):
    """Labels without a tree: themselves, or sets in braces."""

    def says(self, cell: str, value: Any) -> bool:
        return value in self.members(cell)

    def members(self, cell: str) -> list[str]:
        if cell.startswith("{"):
            return _list_of(cell[1:-1]) if cell.endswith("}") else _unread()
        return [_label(cell)]

    def price(self, cell: str | None) -> Fraction | None:
        return Fraction(int(cell == "*" or (cell is not None and len(self.members(cell)) > 1)))


@dataclass(frozen=True)
class Ordered(Meaning):
    """Labels in a declared order: themselves, or intervals of it."""

    order: Sequence[str] = ()

    def says(self, cell: str, value: Any) -> bool:
        low, high = self.places(cell)
        return low <= self.order.index(value) <= high

    def places(self, cell: str) -> tuple[int, int]:
        if cell.startswith("<="):
            return 0, self._place(cell[2:])
        if cell.startswith(">="):
            return self._place(cell[2:]), len(self.order) - 1
        if cell.startswith("["):
            ends = _list_of(cell[1:-1])
            if len(ends) != 2 or not cell.endswith("]"):
                raise Unread
            return self.order.index(ends[0]), self.order.index(ends[1])
        return self._place(cell), self._place(cell)

    def _place(self, text: str) -> int:
        return self.order.index(_label(text))

    def price(self, cell: str | None) -> Fraction | None:
        if cell is None:
            return Fraction(0)
        if cell == "*":
            return Fraction(1)
        low, high = self.places(cell)
        return Fraction(high - low, max(len(self.order) - 1, 1))

    def ends(self, cell: str | None) -> tuple[Any, ...]:
        return () if cell in (None, "*") else tuple(self.order[place] for place in set(self.places(str(cell))))


@dataclass(frozen=True)
class Tree(Meaning):
    """Labels below the nodes of a tree, given as {written node: leaves below it}."""

    below: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def says(self, cell: str, value: Any) -> bool:
        if cell in self.below:
            return value in self.below[cell]
        return value in Labels().members(cell)


@dataclass(frozen=True)
class Prefixes(Meaning):
    """Codes below their first characters."""

    def says(self, cell: str, value: Any) -> bool:
        if cell.endswith("*") and not cell.startswith(('"', "{")):
            return str(value).startswith(cell[:-1])
        return value in Labels().members(cell)


@dataclass(frozen=True)
class DateTree(Meaning):
    """Dates and times below the months, quarters and years of their own calendar."""

    zone: str | None = None
    point: Callable[[str], Fraction] = Fraction

    def says(self, cell: str, value: Any) -> bool:
        moment = _EPOCH.replace(tzinfo=dt.UTC) + dt.timedelta(microseconds=int(value * 1_000_000))
        local = moment if self.zone is None else moment.astimezone(ZoneInfo(self.zone))
        if re.fullmatch(r"\d{4}", cell):
            return local.year == int(cell)
        quarter = re.fullmatch(r"(\d{4})-Q([1-4])", cell)
        if quarter:
            return (local.year, (local.month + 2) // 3) == (int(quarter[1]), int(quarter[2]))
        if re.fullmatch(r"\d{4}-\d\d", cell):
            return local.strftime("%Y-%m") == cell
        try:
            return self.point(cell) == value
        except ValueError as fault:
            raise Unread from fault


def shown(meaning: Meaning, cell: str | None, value: Any) -> bool:
    """Return whether a cell covers a value; what cannot be read covers nothing."""
    try:
        return meaning.covers(cell, value)
    except (Unread, ValueError, IndexError):
        return False


def _label(text: str) -> str:
    if text.startswith('"'):
        return str(json.loads(text))
    return text


def _list_of(text: str) -> list[str]:
    """Return the labels of a list such as `a, "b, c"`."""
    labels = []
    rest = text
    while True:
        quoted = _QUOTED.match(rest)
        end = quoted.end() if quoted else rest.find(", ") if ", " in rest else len(rest)
        labels.append(_label(rest[:end]))
        if end == len(rest):
            return labels
        if rest[end : end + 2] != ", ":
            raise Unread
        rest = rest[end + 2 :]


def _unread() -> list[str]:
    raise Unread
