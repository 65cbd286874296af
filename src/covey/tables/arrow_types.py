"""Kinds of Arrow types, whatever they are stored as; columns as one array, dictionaries as codes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector

__all__ = ["codes_of", "is_text", "one_array", "plain_type", "value_type"]


def is_text(kind: pa.DataType) -> bool:
    """Return whether a plain type is text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type itself, or beside it the one that Arrow's functions take."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    return kind


def value_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values, also of a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def one_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return all chunks of a column as one array, with one dictionary if it has any."""
    if isinstance(column, pa.Array):
        return column
    if pa.types.is_dictionary(column.type):
        column = _with_one_dictionary(column)
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _with_one_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column whose chunks share a dictionary; without one where Arrow cannot join them (spans, nulls)."""
    try:
        return column.unify_dictionaries()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return pa.chunked_array([chunk.dictionary.take(chunk.indices) for chunk in column.chunks])


def codes_of(array: pa.DictionaryArray) -> IntVector:
    """Return the place of each row in the dictionary, -1 if it is missing."""
    return np.asarray(array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
