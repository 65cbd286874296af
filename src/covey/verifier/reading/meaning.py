"""Values that are written in more than one way: to a model `1`, `1.0` and `01` are one, as are `flu` and `flu `."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from covey.verifier.columns.codes import Coded, is_text
from covey.verifier.reading.dates import instant_of
from covey.verifier.reading.numbers import number_of

__all__ = ["as_meant"]


def as_meant(column: Coded, decimal: str = ".") -> Coded:
    """Return a column of text in which each value has one code, however it is written; any other as it is.

    >>> as_meant(Coded(np.array([0, 1, 2, 1]), pa.array(["01", "flu", "1.0"]))).codes
    array([0, 1, 0, 1])
    """
    kind = column.values.type
    is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
    if not (is_text(kind) or is_bytes):
        return column
    number: dict[object, int] = {}
    codes = [number.setdefault(_meant(text, decimal), len(number)) for text in column.values.to_pylist()]
    _, firsts = np.unique(codes, return_index=True)
    return Coded(np.array(codes, np.int64)[column.codes], column.values.take(pa.array(firsts)))


def _meant(text: str | bytes | None, decimal: str) -> tuple[str, object]:
    """Return what kind of thing a text, or bytes that may be one, writes, and which; blanks alone are missing."""
    word = (text.decode(errors="surrogateescape") if isinstance(text, bytes) else text or "").strip()
    if not word:
        return "missing", None
    if (value := number_of(word, decimal)) is not None:
        return "number", value
    if (instant := instant_of(word)) is not None:
        return "instant", instant
    return "word", word
