"""Dates and times, typed or in text, as whole nanoseconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.schema import Column
from covey.base.arrays import BoolVector
from covey.columns.domains.domain import Domain, faulty_domain, scaled_domain
from covey.columns.values.clock import DAY, FIRST, LAST, NANOSECONDS
from covey.columns.values.parsing import parse_date
from covey.tables.arrow_types import is_text

__all__ = ["instants_of", "read_date", "whole_numbers"]


_OFFSET = re.compile(r"(Z|[-+]\d\d:?\d\d)\s*$")


def read_date(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return the domain of dates or times; without an offset they are those of the column's zone."""
    instants, fault, zone, kind = instants_of(distinct)
    if fault.any():
        hint = f"declare what stands for missing (na), or give `{column.name}` the type categorical"
        return faulty_domain(fault, "not-a-date", "that {are} no date of the form 2024-03-31", hint)
    mixed = _without_offset(distinct)
    if mixed.any():
        hint = "give every time an offset such as +01:00, or none"
        return faulty_domain(mixed, "mixed-offsets", "without an offset from UTC beside others that have one", hint)
    return scaled_domain(instants, np.zeros(len(instants), bool), column.domain, kind, zone)


def instants_of(distinct: pa.Array) -> tuple[Any, BoolVector, str | None, pa.DataType]:
    """Return (nanoseconds since 1970, which are none, time zone, Arrow type)."""
    kind = distinct.type
    is_date = pa.types.is_date(kind)
    if is_date or pa.types.is_timestamp(kind):
        unit = DAY if pa.types.is_date32(kind) else NANOSECONDS["ms" if is_date else kind.unit]
        ticks = [tick * unit for tick in distinct.cast(pa.int32() if unit == DAY else pa.int64()).to_pylist()]
        fault = np.array([not FIRST <= tick <= LAST or (is_date and tick % DAY != 0) for tick in ticks], bool)
        return whole_numbers(ticks), fault, None if is_date else kind.tz, pa.date32() if is_date else kind
    if not is_text(kind):
        return np.zeros(len(distinct), np.int64), np.ones(len(distinct), bool), None, kind
    texts = distinct.to_pylist()
    parsed = [parse_date(text) for text in texts]
    fault = np.array([value is None for value in parsed], bool)
    with_time = any(len(text.strip()) > 10 for text in texts)
    aware = any(_OFFSET.search(text[10:]) for text in texts)
    dates = [0 if value is None else value for value in parsed]
    zone = "UTC" if aware else None
    fits = all(-(2**63) < value < 2**63 for value in dates)
    return whole_numbers(dates), fault, zone, pa.timestamp("ns" if fits else "us", zone) if with_time else pa.date32()


def _without_offset(distinct: pa.Array) -> BoolVector:
    """Return which texts tell no offset from UTC, where others do: they cannot be put in one order."""
    if not is_text(distinct.type):
        return np.zeros(len(distinct), bool)
    plain = np.array([not _OFFSET.search(text[10:]) for text in distinct.to_pylist()], bool)
    return np.zeros(len(plain), bool) if plain.all() else plain


def whole_numbers(values: Sequence[int]) -> Any:
    """Return whole numbers as an array that holds them exactly."""
    fits = all(-(2**62) <= value < 2**62 for value in values)
    return np.array(values, np.int64) if fits else np.array(values, object)
