"""Missing values: which cells stand for them, and which rows are released under the policy for them.

A cell is compared with what is declared as missing (`na`) by what it is: a number as a number (999 is 999.0, 9.99e2
and, in a text column of numbers, 0999), a date as a date, all else as text without the blanks at its ends.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.na import NaValue, na_text
from covey.ask.schema import Column, Schema
from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import listed, plural
from covey.base.errors import InputError
from covey.columns.typed import missing_rows
from covey.columns.types import type_of
from covey.columns.values.clock import DAY, NANOSECONDS
from covey.columns.values.parsing import Number, as_written, parse_date, parse_number
from covey.columns.values.writing import zone_named
from covey.tables.arrow_types import codes_of, is_text, plain_type

__all__ = ["Marked", "cleared", "present_rows", "with_na"]


@dataclass(frozen=True, slots=True)
class Marked:
    """A table in which what was declared as missing is missing, and what was declared but is in no cell."""

    table: pa.Table
    idle: tuple[NaValue, ...] = ()
    """Values declared for all columns that none of them holds."""
    idle_by_column: tuple[tuple[str, NaValue], ...] = ()
    """(column, value) declared for one column that does not hold it."""


def with_na(
    table: pa.Table, schema: Schema, na: Sequence[NaValue] = (), *, typed: bool = True, decimal: str = "."
) -> Marked:
    """Return the quasi columns of a table with the cells that mean missing made so.

    na: what means missing in every quasi column, beside what the schema says of each.  typed, decimal: False if the
    cells are text still to be typed, and their decimal mark.
    """
    used = np.zeros(len(na), bool)
    idle_by_column: list[tuple[str, NaValue]] = []
    for column in schema.quasi:
        entries = (*na, *column.na)
        if not entries:
            continue
        place = table.schema.get_field_index(column.name)
        data, found = cleared(table.column(place), column, entries, typed=typed, decimal=decimal)
        used |= found[: len(na)]
        idle_by_column += [
            (column.name, entry) for entry, hit in zip(column.na, found[len(na) :], strict=True) if not hit
        ]
        if found.any():
            table = table.set_column(place, column.name, data)
    return Marked(table, tuple(entry for entry, hit in zip(na, used, strict=True) if not hit), tuple(idle_by_column))


def cleared(
    data: pa.ChunkedArray, column: Column, entries: Sequence[NaValue], *, typed: bool = True, decimal: str = "."
) -> tuple[pa.ChunkedArray, BoolVector]:
    """Return one column without the cells that are one of the entries, and which entries were found."""
    if pa.types.is_dictionary(data.type):
        return _cleared_dictionary(data, column, entries, typed, decimal)
    plain = data.cast(plain_type(data.type))
    if is_text(plain.type):
        rows, found = _cleared_dictionary(plain.dictionary_encode(), column, entries, False, decimal)
        return (rows.cast(plain.type) if found.any() else data), found
    masks = _masks(plain, entries, None, decimal)
    hit = np.logical_or.reduce(masks)
    found = np.array([mask.any() for mask in masks], bool)
    return (pc.if_else(pa.array(hit), pa.scalar(None, plain.type), plain) if hit.any() else data), found


def _cleared_dictionary(
    data: pa.ChunkedArray, column: Column, entries: Sequence[NaValue], is_category: bool, decimal: str
) -> tuple[pa.ChunkedArray, BoolVector]:
    """Return the same of a dictionary column; what means missing leaves its dictionary, and so a declared order."""
    if data.num_chunks == 0:
        return data, np.zeros(len(entries), bool)
    whole = data.unify_dictionaries().combine_chunks()
    values = whole.dictionary.cast(plain_type(whole.dictionary.type))
    codes = codes_of(whole)
    occurs = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
    kind = column.type
    if kind is None and is_text(values.type) and not is_category:
        kind = _kind_of_text(values.filter(pa.array(occurs)), entries, decimal)
    masks = _masks(values, entries, kind, decimal)
    gone = np.logical_or.reduce(masks)
    found = np.array([(mask & occurs).any() for mask in masks], bool)
    if not gone.any():
        return data, found
    place = np.append(np.where(gone, -1, np.cumsum(~gone) - 1), -1)
    codes = place[codes]
    indices = pa.array(codes, whole.type.index_type, mask=codes < 0)
    rest = whole.dictionary.filter(pa.array(~gone))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, rest, ordered=whole.type.ordered)]), found


def _kind_of_text(values: pa.Array, entries: Sequence[NaValue], decimal: str) -> str:
    """Return what the texts of a column are once what means missing is gone: numbers, dates or labels."""
    for kind in ("numeric", "date"):
        gone = np.logical_or.reduce(_masks(values, entries, kind, decimal))
        rest = pa.chunked_array([values.filter(pa.array(~gone))])
        if len(rest) == 0 or type_of(rest, typed=False, decimal=decimal) == kind:
            return kind
    return "categorical"


def _masks(
    values: pa.Array | pa.ChunkedArray, entries: Sequence[NaValue], kind: str | None, decimal: str
) -> list[BoolVector]:
    """Return for each entry which values it is; kind: the type of a column of text."""
    if is_text(values.type):
        return _masks_of_text(values, entries, kind, decimal)
    if pa.types.is_time(values.type):
        texts = [None if value is None else str(value) for value in values.to_pylist()]
        return _masks_of_text(pa.array(texts, pa.string()), entries, None, decimal)
    return [_as_bool(_mask_of_typed(values, entry, decimal)) for entry in entries]


def _as_bool(mask: pa.Array | pa.ChunkedArray | None) -> BoolVector:
    if isinstance(mask, pa.ChunkedArray):
        mask = mask.combine_chunks()
    return np.asarray(pc.fill_null(mask, False).to_numpy(zero_copy_only=False), bool)


def _masks_of_text(values: pa.Array, entries: Sequence[NaValue], kind: str | None, decimal: str) -> list[BoolVector]:
    texts = pc.utf8_trim_whitespace(values)
    masks = [_as_bool(pc.is_in(texts, value_set=pa.array(_spellings(entry), texts.type))) for entry in entries]
    if kind not in ("numeric", "date"):
        return masks
    wanted = [_number(entry, decimal) if kind == "numeric" else _instant(entry) for entry in entries]
    if all(value is None for value in wanted):
        return masks
    read = [None if text is None else _read(text, kind, decimal) for text in texts.to_pylist()]
    for mask, value in zip(masks, wanted, strict=True):
        if value is not None:
            mask |= np.array([one is not None and one == value for one in read], bool)
    return masks


def _spellings(entry: NaValue) -> list[str]:
    text = na_text(entry)
    return [text, text.capitalize(), text.upper()] if isinstance(entry, bool) else [text]


def _read(text: str, kind: str, decimal: str) -> Number | None:
    return as_written(parse_number(text, decimal)) if kind == "numeric" else parse_date(text)


def _number(entry: NaValue, decimal: str) -> Number | None:
    """Return the number that an entry is, a float as the decimal that was written; None if it is none."""
    if isinstance(entry, bool | dt.date):
        return None
    if isinstance(entry, str):
        found = parse_number(entry, decimal)
        found = parse_number(entry) if found is None else found
        is_word = found is None and entry.strip().casefold().lstrip("+-") in ("nan", "inf", "infinity")
        return float(entry) if is_word else as_written(found)
    number: Number = as_written(entry)
    return number


def _instant(entry: NaValue, zone: str | None = None) -> int | None:
    """Return the instant that an entry is, in nanoseconds since 1970; without an offset it is the zone's own time."""
    text = entry if isinstance(entry, str) else entry.isoformat() if isinstance(entry, dt.date) else ""
    found = parse_date(text)
    has_offset = len(text.strip()) > 10 and parse_date(text.strip() + "Z") is None
    if found is None or zone is None or has_offset:
        return found
    local = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=found // 1000)
    shift = local.replace(tzinfo=zone_named(zone)).utcoffset() or dt.timedelta()
    return found - shift // dt.timedelta(microseconds=1) * 1000


def _mask_of_typed(values: pa.Array | pa.ChunkedArray, entry: NaValue, decimal: str) -> pa.Array | pa.ChunkedArray:
    """Return which numbers, booleans or dates are the entry."""
    kind = values.type
    nothing = pa.array(np.zeros(len(values), bool))
    if pa.types.is_boolean(kind):
        word = na_text(entry).casefold()
        return pc.equal(values, word == "true") if word in ("true", "false") else nothing
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        instant = _instant(entry, getattr(kind, "tz", None))
        unit = DAY if pa.types.is_date32(kind) else NANOSECONDS["ms" if pa.types.is_date64(kind) else kind.unit]
        if instant is None or instant % unit:
            return nothing
        return pc.equal(values.cast(pa.int32() if unit == DAY else pa.int64()).cast(pa.int64()), instant // unit)
    number = _number(entry, decimal)
    if number is None:
        return nothing
    if pa.types.is_floating(kind):
        return _mask_of_floats(values, number)
    if not (pa.types.is_integer(kind) or pa.types.is_decimal(kind)) or not math.isfinite(number):
        return nothing
    try:
        return pc.equal(values, pa.scalar(Decimal(number) if pa.types.is_decimal(kind) else _whole(number), kind))
    except (pa.ArrowException, OverflowError, ValueError):  # a number that this type cannot hold
        return nothing


def _whole(number: Number) -> int:
    if number != int(number):
        raise ValueError("not a whole number")
    return int(number)


def _mask_of_floats(values: pa.Array | pa.ChunkedArray, number: Number) -> pa.Array:
    """Return which floats are the one of their own type that lies nearest to a number."""
    cells = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    if math.isnan(number):
        return pa.array(np.isnan(cells) & ~_as_bool(values.is_null()))
    width: Any = {16: np.float16, 32: np.float32, 64: np.float64}[values.type.bit_width]
    try:
        with np.errstate(over="ignore"):
            nearest = float(width(float(number)))
    except OverflowError:
        nearest = math.inf
    return pa.array((cells == nearest) & (math.isinf(nearest) == math.isinf(number)))


def present_rows(raw: pa.Table, policy: str) -> IntVector:
    """Return the rows that are released under the policy for missing values."""
    if policy == "category":
        return np.arange(raw.num_rows)
    absent = {name: missing_rows(raw.column(name)) for name in raw.column_names}
    if policy == "suppress":
        return np.flatnonzero(~np.logical_or.reduce(list(absent.values())))
    holes = [name for name, mask in absent.items() if mask.any()]
    if holes:
        raise InputError(
            f"{plural(len(holes), 'quasi column')} with missing values: {listed(holes)}",
            code="missing-values",
            hint='give missing="category" or missing="suppress"',
        )
    return np.arange(raw.num_rows)
