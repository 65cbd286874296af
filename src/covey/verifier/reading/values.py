"""The values of an Arrow array as plain Python values: numbers, instants, labels."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from covey.verifier.columns.codes import is_date_type, is_number_type, is_text
from covey.verifier.reading.cell import NAN, Number
from covey.verifier.reading.dates import calendar_text, date_text, instant_of, zone_of
from covey.verifier.reading.numbers import as_decimal, number_of, number_text

__all__ = ["UNIT", "canonical", "instants", "is_nan", "labels", "numbers", "shown", "ticks", "zone_of_type"]

UNIT = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Nanoseconds in each unit of Arrow's clocks."""
_DAY = 86_400 * 10**9


def is_nan(value: object) -> bool:
    """Return whether a value is a NaN, the only one that differs from itself."""
    return value != value


def zone_of_type(kind: pa.DataType) -> dt.tzinfo | None:
    """Return the time zone of an Arrow type; None if it has none."""
    return zone_of(kind.tz) if pa.types.is_timestamp(kind) else None


def numbers(values: pa.Array, decimal: str = ".") -> list[Any]:
    """Return numbers, None for missing, a NaN for NaN, and the text itself where it is no number.

    Every number is exact: text is read digit by digit, a float is the very number that it holds.
    """
    kind = values.type
    if pa.types.is_boolean(kind):
        return [None if value is None else int(value) for value in values.to_pylist()]
    if is_number_type(kind):
        return list(values.to_pylist())
    return _read(values, lambda word: number_of(word, decimal))


def _read(values: pa.Array, read: Callable[[str], Number | None]) -> list[Any]:
    """Return what texts mean without the blanks at their ends, the text itself where that is nothing."""
    if not is_text(values.type):
        return [None if value is None else str(value) for value in values.to_pylist()]
    found = ((text, None if text is None else read(text.strip())) for text in values.to_pylist())
    return [text if value is None else value for text, value in found]


def canonical(value: Number) -> str:
    """Return the text under which a number that was read from text is a leaf: that of its float, if that is exact."""
    if isinstance(value, Decimal) and as_decimal(float(value)) == value:
        return number_text(float(value))
    return number_text(value)


def instants(values: pa.Array, zone: dt.tzinfo | None = None) -> list[Any]:
    """Return nanoseconds since 1970, None for missing, and the text itself where it is no date.

    Typed dates and times without a time zone are those of `zone`, if one is given.
    """
    kind = values.type
    if is_date_type(kind):
        clock = ticks(values.cast(pa.date32()) if pa.types.is_date(kind) else values)
        own = zone if zone_of_type(kind) is None else None
        return [None if tick is None else _of_zone(tick, own) for tick in clock]
    return _read(values, instant_of)


def ticks(values: pa.Array) -> list[int | None]:
    """Return dates, times and durations in nanoseconds, for some of which Python has no type."""
    kind = values.type
    unit = _DAY if pa.types.is_date32(kind) else UNIT["ms" if pa.types.is_date64(kind) else kind.unit]
    whole = values.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    return [None if tick is None else tick * unit for tick in whole.to_pylist()]


def _of_zone(clock: int, zone: dt.tzinfo | None) -> int:
    """Return the instant at which the clocks of a zone show so many nanoseconds since 1970."""
    if zone is None:
        return clock
    instant = instant_of(date_text(clock, None).replace(" ", "T"), zone)
    return clock if instant is None else instant


def labels(values: pa.Array) -> list[str | None]:
    """Return each value as the text that stands for it in a release, before any quoting."""
    kind = values.type
    if is_text(kind):
        return list(values.to_pylist())
    if pa.types.is_boolean(kind):
        return [None if value is None else "true" if value else "false" for value in values.to_pylist()]
    if is_date_type(kind):
        return _dates(values, date_text)
    write: Callable[[Any], str] = _written if is_number_type(kind) else str
    return [None if value is None else write(value) for value in values.to_pylist()]


def shown(values: pa.Array) -> list[str | None]:
    """Return each value as it is shown to people: its label, but every date as a date."""
    return _dates(values, calendar_text) if is_date_type(values.type) else labels(values)


def _dates(values: pa.Array, write: Callable[[int, dt.tzinfo | None], str]) -> list[str | None]:
    zone = zone_of_type(values.type)
    return [None if instant is None else write(instant, zone) for instant in instants(values)]


def _written(value: Number) -> str:
    if is_nan(value):
        return NAN
    return str(value) if isinstance(value, float) and value in (float("inf"), float("-inf")) else number_text(value)
