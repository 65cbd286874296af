"""What was declared as missing, found in the original by the verifier's own reading of cells.

Numbers are compared as exact decimals, dates as instants, all else as text without the blanks at its ends.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.na import NaValue
from covey.ask.schema import Column
from covey.base.arrays import BoolVector
from covey.verifier.columns.codes import Coded, coded, is_date_type, is_text, value_type
from covey.verifier.reading.dates import instant_of
from covey.verifier.reading.kinds import type_of
from covey.verifier.reading.numbers import as_decimal, number_of
from covey.verifier.reading.values import ticks, zone_of_type

__all__ = ["without_na"]

_WORDS = {"nan": "nan", "inf": "inf", "infinity": "inf", "-inf": "-inf", "-infinity": "-inf"}


def without_na(
    data: pa.ChunkedArray, column: Column, entries: Sequence[NaValue], *, typed: bool, decimal: str
) -> pa.ChunkedArray:
    """Return a column of the original, the cells that are one of the entries made missing.

    typed: False if a dictionary of texts is only how a file was read.  A text column that has no type has the one that
    is left when the cells are read as numbers, then as dates.
    """
    cells = coded(data, column.name)
    is_category = typed and pa.types.is_dictionary(data.type)
    kind = "categorical" if column.type is None and is_category else column.type
    gone = _gone(cells, value_type(data.type), entries, kind, decimal)
    return _masked(data, gone[cells.codes]) if gone.any() else data


def _gone(cells: Coded, arrow: pa.DataType, entries: Sequence[NaValue], kind: str | None, decimal: str) -> BoolVector:
    """Return which distinct cells are one of the entries."""
    values: list[Any] = ticks(cells.values) if is_date_type(cells.values.type) else cells.values.to_pylist()
    if not is_text(arrow):
        return _members(values, lambda cell: _typed_key(cell, arrow), [_entry_key(one, arrow) for one in entries])
    capitals = [str(one) for one in entries if isinstance(one, bool)]  # the other way to write true and false
    plain = _members(values, str.strip, [*map(_entry_text, entries), *capitals])
    for reading, read in (("numeric", lambda text: _number(text, decimal)), ("date", _instant)):
        if kind not in (None, reading):
            continue
        both = plain | _members(values, read, [_entry_value(one, reading, decimal) for one in entries])
        rest = cells.values.filter(pa.array(~both)).drop_null()
        if kind == reading or len(rest) == 0 or type_of(rest, decimal) == reading:
            return both
    return plain


def _members(values: list[Any], key: Callable[[Any], Hashable], entries: Sequence[Hashable]) -> BoolVector:
    """Return which values have the key of an entry; one without a key (None) is nobody's."""
    wanted = {*entries} - {None}
    return np.array([value is not None and key(value) in wanted for value in values], bool)


# --- text ----------------------------------------------------------------------------------------------------


def _entry_text(entry: NaValue) -> str:
    if isinstance(entry, bool):
        return str(entry).lower()
    if isinstance(entry, dt.date):
        return entry.isoformat()
    if isinstance(entry, float) and abs(entry) < 1e16 and entry == int(entry):
        return str(int(entry))
    return str(entry).strip()


def _number(text: str, mark: str) -> Decimal | None:
    number = number_of(text.strip(), mark)
    return None if number is None else Decimal(number)


def _instant(text: str) -> int | None:
    return instant_of(text.strip())


def _entry_value(entry: NaValue, reading: str, mark: str) -> Hashable:
    if reading == "date":
        return _instant(_entry_text(entry)) if isinstance(entry, str | dt.date) else None
    number = _entry_decimal(entry, mark)
    return None if number is None or not number.is_finite() else number


def _entry_decimal(entry: NaValue, mark: str = ".") -> Decimal | None:
    if isinstance(entry, bool | dt.date):
        return None
    if isinstance(entry, str):
        word = _WORDS.get(entry.strip().casefold().removeprefix("+"))
        number = _number(entry, mark)
        number = _number(entry, ".") if number is None else number
        return Decimal(word) if number is None and word else number
    return as_decimal(entry)


# --- typed cells ---------------------------------------------------------------------------------------------


def _typed_key(cell: Any, kind: pa.DataType) -> Hashable:
    """Return what a typed cell is compared by."""
    if is_date_type(kind) or pa.types.is_boolean(kind):
        return int(cell)
    if isinstance(cell, float):
        return "nan" if math.isnan(cell) else Decimal(cell)
    return Decimal(cell) if isinstance(cell, int | Decimal) else str(cell).strip()


def _entry_key(entry: NaValue, kind: pa.DataType) -> Hashable:
    """Return what a cell of a type would be compared by if it were the entry; None if it cannot be."""
    if pa.types.is_boolean(kind):
        word = str(entry).strip().casefold() if isinstance(entry, str | bool) else ""
        return {"true": 1, "false": 0}.get(word)
    if is_date_type(kind):
        return instant_of(_entry_text(entry), zone_of_type(kind)) if isinstance(entry, str | dt.date) else None
    if pa.types.is_time(kind):
        return _entry_text(entry)
    number = _entry_decimal(entry)
    if number is None:
        return None
    return _rounded(number, kind) if pa.types.is_floating(kind) else number


def _rounded(number: Decimal, kind: pa.DataType) -> Hashable:
    """Return the float of a type that lies nearest to a number, exactly."""
    if number.is_nan():
        return "nan"
    with np.errstate(over="ignore"):
        width: Any = {16: np.float16, 32: np.float32, 64: np.float64}[kind.bit_width]
        nearest = float(width(float(number)))
    return None if math.isinf(nearest) != number.is_infinite() else Decimal(nearest)


def _masked(column: pa.ChunkedArray, gone: BoolVector) -> pa.ChunkedArray:
    """Return the rows that are not gone; a dictionary loses the values that went, so that an order does too."""
    if not pa.types.is_dictionary(column.type):
        if is_text(column.type):  # of which Arrow cannot take rows where they are views
            column = column.cast(pa.large_string())
        return column.take(pa.array(np.arange(len(column)), mask=gone))
    whole = column.unify_dictionaries().combine_chunks()
    numbers = whole.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    stay = np.setdiff1d(np.arange(len(whole.dictionary)), numbers[gone])
    renumber = np.full(len(whole.dictionary) + 1, -1, np.int64)
    renumber[stay] = np.arange(len(stay))
    codes = renumber[numbers]
    indices = pa.array(codes, whole.type.index_type, mask=codes < 0)
    rest = whole.dictionary.take(pa.array(stay))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, rest, ordered=whole.type.ordered)])
