"""The shape of values that tell persons or records apart; never a value itself."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector

__all__ = ["are_numbered_parts", "look_like_ids", "shape_reason"]

_HEX = r"^[0-9a-fA-F]{16,}$"
_NUMBERED = re.compile(r"([A-Za-z]{1,8}[-_. /]?)(\d+)")
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}")
_NEGATIVE = re.compile(r"-\d+(?:[.,]\d+)?")
_SAMPLE = 200
_LOOKED_AT = 2_000
"""So many different texts, from first to last, tell the shape of all."""
_FEW = 10
_MANY = 20
_UNEVEN = 4.0
_NEARLY_ALL = 0.9
_NO_CODE = 3
"""Whole numbers of so many digits are no list of codes such as 0, 1, 9, however few they are."""
_ROWS = 50_000
"""So many rows, from first to last, tell that there are many values."""


def shape_reason(column: pa.ChunkedArray, *, is_measure: bool) -> str:
    """Return why values look like keys, nothing if they do not; equal ages may well stand together."""
    coded = _coded(column)
    if coded is None:
        return ""
    codes, distinct, texts = coded
    if distinct < _FEW:
        return ""
    if texts is not None:
        if all(re.match(_HEX, text) for text in texts) and not all(text.isdigit() for text in texts):
            return "its values have the shape of digests"
        if _are_numbered(texts):
            return "its values are numbered like records"
        if not all(any(c.isdigit() for c in text) for text in texts):
            return ""
    if not is_measure and _is_grouped(codes, distinct):
        return "equal values stand together, about equally often each, as rows of one person do"
    return ""


def look_like_ids(column: pa.ChunkedArray | pa.Array) -> bool:
    """Return whether values can tell persons apart: codes with digits, many whole numbers, addresses or many words."""
    distinct, texts = _distinct_texts(column)
    if not texts:
        return False
    if any(_NEGATIVE.fullmatch(text) for text in texts):  # a balance, say
        return False
    if all(text.isdecimal() for text in texts):
        has_zeros = any(text[0] == "0" and len(text) > 1 for text in texts)
        return distinct >= _FEW or not any(map(_is_short, texts)) or has_zeros
    marked = sum(any(c.isdecimal() or c == "@" for c in text) for text in texts)
    return distinct > _MANY or marked >= _NEARLY_ALL * len(texts)


def _is_short(digits: str) -> bool:
    """Return whether a whole number may be a code; not as a number, which may be too long for Python."""
    return len(digits.lstrip("0")) < _NO_CODE


def are_numbered_parts(column: pa.ChunkedArray | pa.Array) -> bool:
    """Return whether values are numbered such as `P07` or `01-701-1015`, and are no dates."""
    distinct, texts = _distinct_texts(column)
    if distinct < _FEW or all(_DATE.fullmatch(text) for text in texts):
        return False
    return sum(map(_is_numbered_text, texts)) >= _NEARLY_ALL * len(texts)


def _is_numbered_text(text: str) -> bool:
    one = _NUMBERED.fullmatch(text)
    if one is not None:
        return len(one[2]) >= 2
    parts = re.split(r"[-_./ ]", text)
    are_codes = all(part.isdecimal() or (part.isalnum() and part.isupper()) for part in parts)
    return len(parts) >= 3 and are_codes and sum(c.isdecimal() for c in text) >= 4


def _distinct_texts(column: pa.ChunkedArray | pa.Array) -> tuple[int, list[str]]:
    """Return (how many values there are, some of them as text) of text and whole numbers, nothing of all else.

    Where some of the rows have many values, of those rows alone.
    """
    column, kind = _chunked(column)
    if not (_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return 0, []
    plain = column.cast(pa.large_string() if _is_text(kind) else pa.float64() if pa.types.is_floating(kind) else kind)
    values = _few_or_some(plain).drop_null()
    if pa.types.is_floating(kind):  # as whole numbers with gaps often come
        numbers = values.to_numpy()
        numbers = numbers[~np.isnan(numbers)]
        if not np.array_equal(numbers, np.trunc(np.clip(numbers, -(2.0**53), 2.0**53))):
            return 0, []
        values = _arrow(numbers.astype(np.int64))
    texts = [str(value).strip() for value in values.take(_some_of(len(values))).to_pylist()]
    return len(values), [text for text in texts if text]


def _chunked(column: pa.ChunkedArray | pa.Array) -> tuple[pa.ChunkedArray, pa.DataType]:
    """Return a column with chunks, as not all frames hand it over, and the type of its values."""
    chunked = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    return chunked, column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def _few_or_some(column: pa.ChunkedArray) -> pa.Array:
    """Return the different values of some rows if they are many, else those of all rows."""
    if len(column) > _ROWS:
        found = column.take(_some_of(len(column), _ROWS)).unique()
        if len(found) > _MANY + 1:  # a missing value is none
            return found
    return column.unique()


def _some_of(size: int, most: int = _LOOKED_AT) -> pa.Array:
    """Return places of at most `most` values, from first to last."""
    return _arrow(np.linspace(0, max(size - 1, 0), min(size, most)).astype(np.int64))


def _arrow(numbers: IntVector) -> pa.Array:
    """Return numbers as Arrow has them; `pa.array` would load numpy's masked arrays, which takes a while."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _coded(column: pa.ChunkedArray | pa.Array) -> tuple[IntVector, int, list[str] | None] | None:
    """Return (code of each row with a value, how many values, some of them if text) of what may be keys.

    None for all else: a look at the first rows, or at how often neighbours differ, spares most columns the count.
    """
    column, kind = _chunked(column)
    is_text = _is_text(kind)
    if pa.types.is_uint64(kind) or not (is_text or pa.types.is_integer(kind)):
        return None
    if is_text:
        for most in (_FEW, _SAMPLE):  # a handful tells of most columns
            first = [text for text in column[:most].to_pylist() if text is not None]
            if not all(any(c.isdigit() for c in text) for text in first):
                return None
        coded = column.cast(pa.large_string()).drop_null().combine_chunks().dictionary_encode()
        texts = coded.dictionary.take(_some_of(len(coded.dictionary))).to_pylist()
    else:
        whole = column.cast(pa.int64()).drop_null()
        if 2 * (np.count_nonzero(np.diff(whole.to_numpy())) + 1) > len(whole):  # no rows that stand together
            return None
        coded, texts = whole.combine_chunks().dictionary_encode(), None
    codes = np.asarray(coded.indices.to_numpy(), np.int64)
    return (codes, len(coded.dictionary), texts) if len(codes) else None


def _are_numbered(values: list[str]) -> bool:
    """Return whether texts are one prefix and a running number of three digits or more."""
    found = [match for text in values if (match := _NUMBERED.fullmatch(text.strip()))]
    if len(found) < len(values) or len({match[1] for match in found}) > 1:
        return False
    digits = [match[2] for match in found]
    if all(len(text) == 4 and 1900 <= int(text) <= 2100 for text in digits):  # years
        return False
    return min(map(len, digits)) >= _NO_CODE or not all(map(_is_short, digits))


def _is_grouped(codes: IntVector, distinct: int) -> bool:
    """Return whether the rows of every value stand together, about equally many of each."""
    if distinct < _MANY or len(codes) < 2 * distinct:
        return False
    if int(np.count_nonzero(np.diff(codes))) + 1 != distinct:
        return False
    counts = np.bincount(codes, minlength=distinct)
    return bool(counts.max() <= _UNEVEN * np.median(counts))
