"""A column as codes: the number of a distinct value for every row, and the distinct values.

Two rows have the same code if and only if their cells are equal as values: null is a value of its own,
NaN equals NaN, -0.0 equals 0.0, and a category that no row uses does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import IntVector
from covey.base.errors import InputError

__all__ = ["Coded", "Folded", "coded", "fold", "is_date_type", "is_number_type", "is_text", "value_type"]

_ROOM = 2**62  # folded keys stay below this, so that they fit 64 bits


@dataclass(frozen=True, slots=True)
class Coded:
    """The code of each row, and the distinct values that occur (null may be one of them)."""

    codes: IntVector
    values: pa.Array

    @property
    def size(self) -> int:
        """Return how many distinct values there are."""
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Folded:
    """Rows with the same codes in every column share a number, 0 to `size` - 1."""

    numbers: IntVector
    size: int

    def counts(self) -> IntVector:
        """Return the rows of each number."""
        return np.bincount(self.numbers, minlength=self.size)

    def first_rows(self) -> IntVector:
        """Return the first row of each number."""
        first = np.zeros(self.size, np.int64)
        # of several rows with one number the last assignment stays, and that is the first row
        first[self.numbers[::-1]] = np.arange(len(self.numbers) - 1, -1, -1)
        return first


def is_text(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_number_type(kind: pa.DataType) -> bool:
    """Return whether an Arrow type holds numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def is_date_type(kind: pa.DataType) -> bool:
    """Return whether an Arrow type holds dates, with or without a time."""
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def value_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values, also of a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def coded(column: pa.ChunkedArray, name: str) -> Coded:
    """Return the codes of a column; `name` is for the error of a type that cannot be compared."""
    try:
        if pa.types.is_dictionary(column.type):
            return _from_dictionary(column)
        numbered = _plain(column).dictionary_encode(null_encoding="encode").combine_chunks()
    except pa.ArrowNotImplementedError:
        raise InputError(
            f"column `{name}` holds {column.type}, which cannot be compared value by value",
            code="nested-column",
            hint="publish plain columns: text, numbers, dates, booleans",
        ) from None
    return Coded(_numbers(numbered.indices), numbered.dictionary)


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values for which equal means equal bits: one zero, one NaN, one kind of text."""
    if pa.types.is_floating(values.type):
        numbers = pc.add(values.cast(pa.float64()), 0.0)  # -0.0 + 0.0 is 0.0
        return pc.if_else(pc.is_nan(numbers), float("nan"), numbers)
    if pa.types.is_decimal32(values.type) or pa.types.is_decimal64(values.type):
        return values.cast(pa.decimal128(values.type.precision, values.type.scale))
    if pa.types.is_binary_view(values.type):
        return values.cast(pa.large_binary())
    if is_text(values.type) and not pa.types.is_string(values.type):
        return values.cast(pa.large_string())
    return values


def _numbers(indices: pa.Array) -> IntVector:
    return np.asarray(indices.to_numpy(zero_copy_only=False))


def _from_dictionary(column: pa.ChunkedArray) -> Coded:
    try:
        array = column.unify_dictionaries().combine_chunks()
    except pa.ArrowInvalid:  # nulls among the values of several dictionaries
        plain = [chunk.dictionary.take(chunk.indices) for chunk in column.chunks]
        array = pa.chunked_array(plain).combine_chunks().dictionary_encode()
    # a dictionary may list a value twice, list null, or list values that no row has
    listed = _plain(pa.chunked_array([array.dictionary, pa.nulls(1, array.dictionary.type)]))
    distinct = listed.dictionary_encode(null_encoding="encode").combine_chunks()
    number = _numbers(distinct.indices)
    raw = _numbers(array.indices.cast(pa.int64()).fill_null(len(array.dictionary)))
    codes = number[raw] if (number != np.arange(len(number))).any() else raw
    used = np.bincount(codes, minlength=len(distinct.dictionary)) > 0
    if used.all():
        return Coded(codes, distinct.dictionary)
    renumber = np.cumsum(used) - 1
    values = distinct.dictionary.take(pa.array(np.flatnonzero(used)))
    return Coded(renumber[codes], values)


def fold(columns: Sequence[tuple[IntVector, int]], n_rows: int) -> Folded:
    """Return one number per row from (codes, how many codes there are) of several columns."""
    key: IntVector = np.zeros(n_rows, np.int64)
    size = 1
    for codes, n_codes in columns:
        n_codes = max(n_codes, 1)
        if size * n_codes >= _ROOM:
            dense = _dense(key, size)
            key, size = dense.numbers, dense.size
        key = key * n_codes + codes
        size *= n_codes
    return _dense(key, size)


def _dense(key: IntVector, size: int) -> Folded:
    """Return the keys renumbered without gaps."""
    if size <= 4 * len(key) + 1024:
        used = np.zeros(size, bool)
        used[key] = True
        renumber = np.cumsum(used) - 1
        return Folded(renumber[key], int(used.sum()))
    numbered = pa.array(key).dictionary_encode()
    return Folded(_numbers(numbered.indices).astype(np.int64), len(numbered.dictionary))
