"""What texts mean, however they are written: which of them are one value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.columns.values.parsing import as_written, parse_date, parse_number
from covey.tables.arrow_types import is_text, plain_type

__all__ = ["first_alike", "is_written"]


def is_written(kind: pa.DataType) -> bool:
    """Return whether values are text, or bytes that may be, so that one may be written in two ways."""
    kind = plain_type(kind)
    is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    return is_text(kind) or bool(is_bytes)


def first_alike(texts: Sequence[str | bytes | None]) -> IntVector:
    """Return for each text the place of the first one that means the same.

    >>> first_alike(["1.0", "flu", "01", " flu"])
    array([0, 1, 0, 1])
    """
    first: dict[object, int] = {}
    return np.array([first.setdefault(_meaning(text), place) for place, text in enumerate(texts)], np.int64)


def _meaning(text: str | bytes | None) -> object:
    """Return what a text says: the number or the instant that it writes, else itself without blanks around it.

    Nothing but blanks says nothing: it is missing.  A comma may be a decimal mark, whatever was said of the table: to
    take two values for one asks for more, never for less.
    """
    word = (text.decode(errors="surrogateescape") if isinstance(text, bytes) else text or "").strip()
    if not word or word[0].isalpha():  # most texts: neither a number nor a date begins with a letter
        return word
    number = parse_number(word.replace(",", "."))
    if number is not None:
        return as_written(number)
    instant = parse_date(word)
    return word if instant is None else ("instant", instant)
