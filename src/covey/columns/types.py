"""The type of a column where none was declared, told by its values."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from covey.columns.values.parsing import parse_date, parse_number
from covey.tables.arrow_types import is_text, plain_type, value_type

if TYPE_CHECKING:
    from covey.ask.schema import Column, Schema

__all__ = ["DATE", "NUMBER", "all_match", "distinct_values", "has_fractions", "type_of", "with_types"]


NUMBER = r"^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$"
_SHORT = r"^\s*[-+]?\d{1,18}(?:\.\d{1,18})?\s*$"
_LEADING_ZERO = r"^\s*[-+]?0\d"
DATE = r"^\s*\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[-+]\d\d:?\d\d)?)?\s*$"


def distinct_values(column: pa.ChunkedArray) -> pa.Array:
    """Return the distinct values of a column without missing ones, dictionary codes decoded."""
    kind = value_type(column.type)
    if isinstance(kind, pa.BaseExtensionType):
        return distinct_values(column.cast(kind.storage_type))
    if pa.types.is_nested(kind):  # lists and the like have no distinct values in Arrow; no two need be equal
        return column.combine_chunks().drop_null()
    if pa.types.is_dictionary(column.type):
        parts = [pc.unique(chunk) for chunk in column.chunks]  # chunk by chunk: dictionaries may hold nulls
        column = pa.chunked_array([part.dictionary.take(part.indices) for part in parts], kind)
    return pc.unique(column.cast(plain_type(kind))).drop_null()


def type_of(column: pa.ChunkedArray, *, typed: bool, decimal: str = ".") -> str:
    """Return the type of a column: from its Arrow type, or for text from the shape of all its values.

    typed: False if a dictionary of texts is only how a file was read; else it is a category that somebody declared.
    Text is numeric only if every value is a number and none has a leading zero (`01234` is a postcode,
    not a number), and a date only if every value is an ISO date.
    """
    kind = value_type(column.type)
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numeric"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "date"
    is_category = typed and pa.types.is_dictionary(column.type)
    if is_category or not is_text(plain_type(kind)):
        return "categorical"
    values = distinct_values(column)
    if len(values) == 0:
        return "categorical"
    if _are_numbers(values, decimal):
        return "numeric"
    return "date" if _are_dates(values) else "categorical"


def _are_numbers(values: pa.Array, decimal: str) -> bool:
    number, short = (pattern.replace(r"\.", re.escape(decimal)) for pattern in (NUMBER, _SHORT))
    if not all_match(values, number) or _any_match(values, _LEADING_ZERO):
        return False
    # what has few digits is a number for certain; the one parser decides on the rest (1e400 is none)
    sure = pc.match_substring_regex(values, short)
    return all(parse_number(text, decimal) is not None for text in values.filter(pc.invert(sure)).to_pylist())


def _are_dates(values: pa.Array) -> bool:
    return all_match(values, DATE) and all(parse_date(text) is not None for text in values.to_pylist())


def all_match(values: pa.Array, pattern: str) -> bool:
    """Return whether every value matches a pattern."""
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())


def _any_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(values, pattern)).as_py())


def with_types(schema: Schema, table: pa.Table, *, typed: bool = True, decimal: str = ".") -> Schema:
    """Return the schema with a type for every quasi column that has none yet."""
    return schema.with_columns(
        _with_type(column, table.column(column.name), typed, decimal) for column in schema.quasi if column.type is None
    )


def _with_type(column: Column, data: pa.ChunkedArray, typed: bool, decimal: str) -> Column:
    """Return a column with its type; a category that the table declares ordered brings its order along."""
    labels = _declared_order(data)
    plain = column.domain is None and column.taxonomy is None and column.grid is None
    if labels and plain:
        return replace(column, type="ordered", order=labels)
    return replace(column, type=type_of(data, typed=typed, decimal=decimal))


def _declared_order(data: pa.ChunkedArray) -> tuple[str, ...]:
    """Return the labels of an ordered category, from least to greatest; nothing for any other column."""
    if not (pa.types.is_dictionary(data.type) and data.type.ordered and is_text(plain_type(data.type.value_type))):
        return ()
    chunks = [chunk.dictionary.to_pylist() for chunk in data.chunks]
    labels = chunks[0] if chunks and all(chunk == chunks[0] for chunk in chunks) else []
    return tuple(labels) if labels and None not in labels and len(set(labels)) == len(labels) else ()


def has_fractions(values: pa.Array, decimal: str) -> bool:
    """Return whether numbers are measured, not counted: keys are whole numbers."""
    if is_text(values.type):
        return _any_match(values, re.escape(decimal) + r"\d")
    if pa.types.is_floating(values.type):  # whole numbers with gaps often come as floats
        wide = values.cast(pa.float64())
        return bool(pc.any(pc.and_(pc.is_finite(wide), pc.not_equal(pc.floor(wide), wide))).as_py())
    return bool(pa.types.is_decimal(values.type) and values.type.scale > 0)
