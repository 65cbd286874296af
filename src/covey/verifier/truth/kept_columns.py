"""Kept columns: the same values in the release and in the original, whatever they are stored as."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import BoolVector, IntVector
from covey.verifier.columns.codes import Coded, coded, is_date_type, is_number_type, is_text, value_type
from covey.verifier.reading.cell import NAN, Number
from covey.verifier.reading.dates import instant_of
from covey.verifier.reading.numbers import number_of
from covey.verifier.reading.values import UNIT, instants, is_nan, ticks, zone_of_type

__all__ = ["Joint", "differing", "joint_codes"]

_MEANINGS = {
    "number": is_number_type,
    "boolean": pa.types.is_boolean,
    "date": is_date_type,
    "time": pa.types.is_time,
    "duration": pa.types.is_duration,
}


@dataclass(frozen=True, slots=True)
class Joint:
    """One kept column in both tables: equal values have equal codes."""

    released: IntVector
    original: IntVector
    size: int


def differing(released: pa.ChunkedArray, original: pa.ChunkedArray, name: str, decimal: str = ".") -> BoolVector | None:
    """Return which rows differ between two columns of the same length; None if no row does."""
    if released.type == original.type and released.equals(original):
        return None
    joint = joint_codes(released, original, name, decimal)
    differs = joint.released != joint.original
    return differs if differs.any() else None


def _is_whole(kind: pa.DataType) -> bool:
    """Return whether Arrow cannot number the values of a type, which are then compared as Python has them."""
    kind = value_type(kind)
    return isinstance(kind, pa.BaseExtensionType) or bool(pa.types.is_nested(kind) or pa.types.is_interval(kind))


def joint_codes(released: pa.ChunkedArray, original: pa.ChunkedArray, name: str, decimal: str = ".") -> Joint:
    """Return codes for a kept column that hold for both tables.

    Text is compared with text as it stands.  Where one side is text and the other typed (a CSV file
    against a frame), the text is read as a value of that type; blanks around it may stand in the original alone.
    """
    if _is_whole(released.type) and _is_whole(original.type):
        return _numbered(map(_frozen, released.to_pylist()), map(_frozen, original.to_pylist()))
    ours, theirs = coded(released, name), coded(original, name)
    if ours.values.type == theirs.values.type or (is_text(ours.values.type) and is_text(theirs.values.type)):
        return _joined_by_arrow(ours, theirs)
    own, other = value_type(released.type), value_type(original.type)
    joint = _numbered(
        _comparable(ours.values, own, other, decimal), _comparable(_without_blanks(theirs.values), other, own, decimal)
    )
    return Joint(joint.released[ours.codes], joint.original[theirs.codes], joint.size)


def _numbered(released: Iterable[Hashable], original: Iterable[Hashable]) -> Joint:
    """Return a number for every value, the same for those that are equal in Python."""
    number: dict[Hashable, int] = {}
    ours = np.array([number.setdefault(value, len(number)) for value in released], np.int64)
    theirs = np.array([number.setdefault(value, len(number)) for value in original], np.int64)
    return Joint(ours, theirs, len(number))


def _frozen(value: Any) -> Hashable:
    """Return a list, record or value such that two are equal if and only if they are the same."""
    if isinstance(value, dict):
        return dict, tuple((key, _frozen(one)) for key, one in value.items())
    if isinstance(value, list | tuple):
        return type(value), tuple(map(_frozen, value))
    return type(value), NAN if is_nan(value) else value


def _joined_by_arrow(ours: Coded, theirs: Coded) -> Joint:
    kind = ours.values.type
    if is_text(kind):
        kind = pa.large_string()
    both = pa.concat_arrays([ours.values.cast(kind), theirs.values.cast(kind)])
    joined = both.dictionary_encode(null_encoding="encode")
    number = np.asarray(joined.indices.to_numpy(zero_copy_only=False))
    return Joint(number[: ours.size][ours.codes], number[ours.size :][theirs.codes], len(joined.dictionary))


def _comparable(values: pa.Array, own: pa.DataType, other: pa.DataType, decimal: str) -> list[Hashable]:
    """Return values that are equal in Python if and only if they are the same value."""
    meaning = _meaning(own)
    if is_text(own):
        return [None if text is None else _as(text, other, decimal) for text in values.to_pylist()]
    if meaning is None:
        return [None if value is None else str(value) for value in values.to_pylist()]
    if meaning == "date":
        found = instants(values, zone_of_type(other))
    elif meaning in ("time", "duration"):
        found = ticks(values)
    else:
        found = [NAN if is_nan(value) else value for value in values.to_pylist()]
    return [None if value is None else (meaning, value) for value in found]


def _meaning(kind: pa.DataType) -> str | None:
    """Return what the values of a type are, None for all else: two that mean different things are never the same."""
    return next((meaning for meaning, holds in _MEANINGS.items() if holds(kind)), None)


def _without_blanks(values: pa.Array) -> pa.Array:
    return pc.utf8_trim_whitespace(values.cast(pa.large_string())) if is_text(values.type) else values


def _as(text: str, kind: pa.DataType, decimal: str) -> Hashable:
    """Return a text as a value of an Arrow type, or itself if it is none."""
    found: Number | bool | None = None
    meaning = _meaning(kind)
    if meaning == "number":
        if text.casefold() == "nan":
            return meaning, NAN
        if text.casefold().lstrip("+-") in ("inf", "infinity"):
            return meaning, float(text)
        found = number_of(text, decimal)
        if found is not None and pa.types.is_floating(kind) and not isinstance(found, int):
            found = float(found)  # the float that is nearest
        if found is not None and kind in (pa.float32(), pa.float16()):  # written with the digits it has
            found = float(np.float32(found) if kind == pa.float32() else np.float16(found))
    elif meaning == "boolean":
        found = {"true": True, "false": False}.get(text.casefold())
    elif meaning == "date":
        found = instant_of(text, zone_of_type(kind))
    elif meaning == "time":
        found = instant_of(f"1970-01-01T{text}")
    elif meaning == "duration":  # written as a count of its unit
        count = number_of(text)
        found = count * UNIT[kind.unit] if isinstance(count, int) else None
    return text if found is None else (meaning, found)
