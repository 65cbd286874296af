"""Columns of pandas to Arrow and back."""

from __future__ import annotations

import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import IntVector
from covey.base.errors import InputError
from covey.tables.compact import compact, kept_categories
from covey.tables.frames.arrow import Sources
from covey.tables.frames.faults import CONVERSION_ERRORS, mixed_column, unsupported_column

__all__ = ["MOST_DIGITS", "arrow_of_pandas", "rebuild_pandas"]


MOST_DIGITS = 76  # what decimal256 holds
_KINDS = (timedelta, bool, int, float, Decimal, str, bytes, datetime, date, time)
"""The narrower first: bool is an int to Python, datetime a date, and timedelta64 an integer to numpy."""
_OF_NUMPY = {timedelta: np.timedelta64, bool: np.bool_, int: np.integer, float: np.floating, datetime: np.datetime64}


# pandas to Arrow
def arrow_of_pandas(series: Any, name: str) -> pa.Array | pa.ChunkedArray:
    """Return a column of pandas as Arrow."""
    if series.dtype == object:
        return _arrow_of_objects(series, name)
    try:
        array = pa.Array.from_pandas(series)
    except CONVERSION_ERRORS:
        raise unsupported_column(name, str(series.dtype)) from None
    if isinstance(array.type, pa.BaseExtensionType) and array.type.extension_name.startswith("pandas."):
        raise unsupported_column(name, str(series.dtype))
    if pa.types.is_floating(array.type):
        # Arrow-backed pandas columns may hold NaN beside null; in pandas both are missing
        array = pc.if_else(pc.fill_null(pc.is_nan(array), False), pa.scalar(None, array.type), array)
    return array


def _arrow_of_objects(series: Any, name: str) -> pa.Array:
    values = series.to_numpy()
    present = values[~series.isna().to_numpy()]
    family = _family({type(value) for value in present})
    if family is None:
        raise mixed_column(name)
    try:
        return pa.Array.from_pandas(series)
    except CONVERSION_ERRORS:
        if family is not int:
            raise mixed_column(name) from None
    return _big_integers(series, present, name)


def _family(types: set[type]) -> type | None:
    """Return the one kind of value that all these types belong to, or None if they do not go together.

    Asked before Arrow is, because Arrow would turn a date beside a date with a time into two dates.
    """
    kinds = {_kind_of_value(member) for member in types}
    if object in kinds:
        return None
    if kinds in ({int, float}, {int, Decimal}):
        return float if float in kinds else Decimal
    return kinds.pop() if len(kinds) == 1 else None if kinds else object


def _kind_of_value(member: type) -> type:
    return next((kind for kind in _KINDS if issubclass(member, (kind, _OF_NUMPY.get(kind, kind)))), object)


def _big_integers(series: Any, present: Any, name: str) -> pa.Array:
    digits = max(len(str(abs(int(value)))) for value in present)
    if digits > MOST_DIGITS:
        raise InputError(
            f"column `{name}` holds whole numbers of {digits} digits, and {MOST_DIGITS} is the most",
            code="big-number",
            hint="turn the column into text or floating-point numbers",
        )
    kind = pa.decimal128(digits, 0) if digits <= 38 else pa.decimal256(digits, 0)
    missing = series.isna().to_numpy()
    values = [None if gone else Decimal(int(value)) for value, gone in zip(series, missing, strict=True)]
    return pa.array(values, type=kind)


def rebuild_pandas(frame: Any, rows: IntVector | None, sources: Sources) -> Any:
    """Return a frame of pandas with released columns in place of the quasi ones."""
    pandas = sys.modules["pandas"]
    plain, made = {}, {}
    for name, source in sources.items():
        column = _rows_of_arrow(frame, source, rows) if isinstance(source, int) else _pandas_of_arrow(source)
        if column is None:
            plain[name] = source
        else:
            made[name] = column
    kept = frame.iloc[:, list(plain.values())]
    kept = kept.copy(deep=True) if rows is None else kept.take(np.asarray(rows))
    kept.columns = pandas.Index(list(plain), dtype=object)
    kept.index = pandas.RangeIndex(len(kept))
    result = pandas.concat([kept, pandas.DataFrame(made, index=kept.index)], axis=1)[list(sources)]
    result.columns = pandas.Index(list(sources))
    result.attrs = {}
    for name in plain:
        if isinstance(result[name].dtype, pandas.CategoricalDtype):
            result[name] = _with_own_categories(result[name], rows)
    return result


def _rows_of_arrow(frame: Any, place: int, rows: IntVector | None) -> Any:
    """Return rows of a pandas column that is kept as Arrow keeps it; None for any other column."""
    array = frame.iloc[:, place].array
    dtype = array.dtype
    is_arrow = type(dtype).__name__ == "ArrowDtype"
    if not is_arrow and getattr(dtype, "storage", "") != "pyarrow":
        return None
    taken = compact(array.__arrow_array__(), rows)
    own = type(dtype)(taken.type) if is_arrow else dtype  # the type that came may carry metadata
    return own.__from_arrow__(pa.chunked_array([taken]))


def _with_own_categories(column: Any, rows: IntVector | None) -> Any:
    in_order = column.cat.ordered or rows is None or not (np.diff(rows) < 0).any()
    kept = kept_categories(column.cat.codes.to_numpy(), len(column.cat.categories), in_order=in_order)
    return column.cat.set_categories(column.cat.categories[kept])


def _pandas_of_arrow(column: pa.ChunkedArray) -> Any:
    """Return a pandas column; whole numbers and booleans with missing values in the nullable dtypes."""
    pandas = sys.modules["pandas"]
    nullable = {}
    if column.null_count:
        nullable = {pa.bool_(): pandas.BooleanDtype()}
        for bits in (8, 16, 32, 64):
            nullable[getattr(pa, f"int{bits}")()] = getattr(pandas, f"Int{bits}Dtype")()
            nullable[getattr(pa, f"uint{bits}")()] = getattr(pandas, f"UInt{bits}Dtype")()
    return column.to_pandas(types_mapper=nullable.get)
