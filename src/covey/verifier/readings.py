"""The values of an Arrow array as plain Python values: numbers, instants, labels."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from covey.values import NAN, Number, parse_date, parse_number, write_date, write_number, zone_named
from covey.verifier.coded import is_text

__all__ = ["UNIT", "instants", "is_nan", "is_number_type", "labels", "numbers"]

UNIT = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Nanoseconds in each unit of Arrow's clocks."""
_DAY = 86_400 * 10**9


def is_number_type(kind: pa.DataType) -> bool:
    """Return whether an Arrow type holds numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def is_nan(value: object) -> bool:
    """Return whether a value is a NaN, the only one that differs from itself."""
    return value != value


def numbers(values: pa.Array, decimal: str = ".") -> list[Any]:
    """Return numbers, None for missing, a NaN for NaN, and the text itself where it is no number.

    Text is read as whole numbers exactly; if any of it has a fraction, all of it is read as floats.
    """
    kind = values.type
    if pa.types.is_boolean(kind):
        return [None if value is None else int(value) for value in values.to_pylist()]
    if is_number_type(kind):
        return list(values.to_pylist())
    if not is_text(kind):
        return [None if value is None else str(value) for value in values.to_pylist()]
    read = [_number(text, decimal) for text in values.to_pylist()]
    if any(isinstance(value, float) for value in read):
        return [float(value) if isinstance(value, int) else value for value in read]
    return read


def _number(text: str | None, decimal: str) -> Number | str | None:
    if text is None:
        return None
    number = parse_number(text, decimal)
    return text if number is None else number


def instants(values: pa.Array) -> list[Any]:
    """Return nanoseconds since 1970, None for missing, and the text itself where it is no date."""
    kind = values.type
    if pa.types.is_date(kind):
        days = values.cast(pa.date32()).cast(pa.int32()).to_pylist()
        return [None if day is None else day * _DAY for day in days]
    if pa.types.is_timestamp(kind):
        unit = UNIT[kind.unit]
        return [None if tick is None else tick * unit for tick in values.cast(pa.int64()).to_pylist()]
    if not is_text(kind):
        return [None if value is None else str(value) for value in values.to_pylist()]
    return [_instant(text) for text in values.to_pylist()]


def _instant(text: str | None) -> int | str | None:
    if text is None:
        return None
    instant = parse_date(text)
    return text if instant is None else instant


def labels(values: pa.Array) -> list[str | None]:
    """Return each value as the text that stands for it in a release, before any quoting."""
    kind = values.type
    if is_text(kind):
        return list(values.to_pylist())
    if pa.types.is_boolean(kind):
        return [None if value is None else "true" if value else "false" for value in values.to_pylist()]
    if is_number_type(kind):
        return [None if value is None else _written(value) for value in values.to_pylist()]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        zone = zone_named(kind.tz) if pa.types.is_timestamp(kind) else None
        return [None if instant is None else write_date(instant, zone) for instant in instants(values)]
    return [None if value is None else str(value) for value in values.to_pylist()]


def _written(value: Number) -> str:
    if is_nan(value):
        return NAN
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return write_number(Decimal(value) if isinstance(value, Decimal) else value)
