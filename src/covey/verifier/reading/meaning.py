"""Values that are written in more than one way: to a model `1`, `1.0` and `01` are one, as are `flu` and `flu `."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from covey.verifier.columns.codes import Coded, is_text
from covey.verifier.reading.dates import instant_of
from covey.verifier.reading.numbers import number_of
from covey.verifier.reading.values import is_nan

__all__ = ["as_meant"]


def as_meant(column: Coded) -> Coded:
    """Return a column in which each value has one code, however it is written, and all that is missing one.

    >>> as_meant(Coded(np.array([0, 1, 2, 1]), pa.array(["01", "flu", "1.0"]))).codes
    array([0, 1, 0, 1])
    """
    kind = column.values.type
    if not (is_text(kind) or pa.types.is_floating(kind) or _is_bytes(kind)):
        return column
    number: dict[object, int] = {}
    codes = [number.setdefault(_meant(text), len(number)) for text in column.values.to_pylist()]
    _, firsts = np.unique(codes, return_index=True)
    return Coded(np.array(codes, np.int64)[column.codes], column.values.take(pa.array(firsts)))


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
        or pa.types.is_fixed_size_binary(kind)
    )


def _meant(text: str | bytes | float | None) -> tuple[str, object]:
    """Return what kind of thing a value is, or a text or bytes write, and which; blanks and NaN are missing.

    A comma is read as a decimal mark, too: what may be one value is not counted as two.
    """
    if isinstance(text, float):
        return ("missing", None) if is_nan(text) else ("number", text)
    word = (text.decode(errors="surrogateescape") if isinstance(text, bytes) else text or "").strip()
    if not word:
        return "missing", None
    if (value := number_of(word.replace(",", "."))) is not None:
        return "number", value
    if (instant := instant_of(word)) is not None:
        return "instant", instant
    return "word", word
