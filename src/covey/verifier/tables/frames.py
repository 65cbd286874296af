"""pandas, polars and Arrow tables, and whatever speaks Arrow's stream protocol, as Arrow columns.

In pandas null, NaN, NaT and None are missing; in polars and Arrow only null is.  Neither is imported here: whoever
hands over one of their tables has done so.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.checks import plural, require_known
from covey.base.errors import InputError
from covey.verifier.tables.names import refuse_repeats

__all__ = ["arrow_of", "has_telling_index", "names_of", "opened"]

_CANNOT = (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError)
# the narrower first: to Python a bool is an int and a datetime a date, to numpy a timedelta64 is an integer
_PLAIN = (timedelta, bool, int, float, Decimal, str, bytes, datetime, date, time)
_IN_NUMPY = {timedelta: np.timedelta64, bool: np.bool_, int: np.integer, float: np.floating, datetime: np.datetime64}


def opened(thing: Any) -> Any:
    """Return a table that can be read more than once: itself, or what a stream gives as a pyarrow Table."""
    if _is_a(thing, "pandas") or _is_a(thing, "polars") or isinstance(thing, pa.Table | pa.RecordBatch):
        return thing
    if not isinstance(thing, type) and hasattr(thing, "__arrow_c_stream__"):
        with contextlib.suppress(*_CANNOT):
            return pa.table(thing)
    kind = type(thing)
    lazy = kind.__module__.startswith("polars") and kind.__name__ == "LazyFrame"
    raise InputError(
        f"`{kind.__module__}.{kind.__qualname__}` is not a table",
        code="not-a-table",
        hint="call `.collect()` first"
        if lazy
        else "give a pandas or polars DataFrame, a pyarrow Table or anything with the Arrow stream protocol",
    )


def names_of(frame: Any) -> list[str]:
    """Return the names of the columns, each of which must be a text and occur once."""
    names = list(frame.schema.names if isinstance(frame, pa.Table | pa.RecordBatch) else frame.columns)
    odd = [place + 1 for place, name in enumerate(names) if not isinstance(name, str)]
    if odd:
        raise InputError(
            f"column names must be text, and {plural(len(odd), 'name')} of {len(names)}"
            f" {'is' if len(odd) == 1 else 'are'} not (first in column {odd[0]})",
            code="column-names",
            hint="rename the columns, in pandas by `frame.columns = [...]`",
        )
    refuse_repeats(names, "column names occur more than once")
    return names


def has_telling_index(frame: Any) -> bool:
    """Return whether rows of pandas are known by more than a number: their index is saved with them."""
    if not _is_a(frame, "pandas"):
        return False
    index = frame.index
    is_plain = index.nlevels == 1 and (index.dtype.kind in "iu" or not len(index)) and index.name is None
    return not (is_plain or isinstance(index, sys.modules["pandas"].RangeIndex))


def arrow_of(frame: Any, columns: Sequence[str] | None = None, *, by_identity: bool = False) -> pa.Table:
    """Return the named columns (all if none are named) of an opened table.

    by_identity: objects that are no plain values become the addresses at which they lie, so that two tables that
    are both there can be compared by them.
    """
    names = names_of(frame)
    wanted = names if columns is None else list(columns)
    require_known(wanted, names, "the table has no column {}")
    places = {name: place for place, name in enumerate(names)}
    if _is_a(frame, "pandas"):
        arrays = [_of_pandas(frame.iloc[:, places[name]], name, by_identity) for name in wanted]
    elif _is_a(frame, "polars"):
        arrays = [_of_polars(frame.to_series(places[name]), name, by_identity) for name in wanted]
    else:
        arrays = [frame.column(places[name]) for name in wanted]
    if not arrays:
        return pa.table({"none": pa.nulls(len(frame))}).select([])
    return pa.Table.from_arrays(arrays, names=wanted)


def _is_a(thing: Any, package: str) -> bool:
    module = sys.modules.get(package)
    return module is not None and isinstance(thing, module.DataFrame)


# --- pandas --------------------------------------------------------------------------------------------------


def _of_pandas(series: Any, name: str, by_identity: bool) -> pa.Array | pa.ChunkedArray:
    if series.dtype == object:
        return _of_objects(series.tolist(), series.isna().tolist(), name, by_identity)
    array = None
    with contextlib.suppress(*_CANNOT):
        array = pa.array(series, from_pandas=True)
    if array is None or getattr(array.type, "extension_name", "").startswith("pandas."):
        if by_identity:  # spans and periods are made anew whenever they are looked at: their texts are compared
            return pa.array([str(value) for value in series.tolist()], pa.large_string())
        raise _no_type(name, str(series.dtype))
    if pa.types.is_floating(array.type):  # an Arrow-backed column may hold NaN beside null
        array = pc.if_else(pc.fill_null(pc.is_nan(array), False), pa.scalar(None, array.type), array)
    return array


def _of_objects(values: list[Any], gone: list[bool], name: str, by_identity: bool) -> pa.Array:
    present = [None if missing else value for value, missing in zip(values, gone, strict=True)]
    kinds = {_kind(one) for one in set(map(type, present)) - {type(None)}}
    with contextlib.suppress(*_CANNOT):
        return _of_kinds(present, kinds)
    if by_identity:
        return pa.array([id(value) for value in values], pa.uint64())
    raise InputError(
        f"column `{name}` mixes kinds of Python objects, or holds objects that are no plain values",
        code="mixed-column",
        hint=f"convert it first, for example by `frame[{name!r}].astype(str)`",
    )


def _kind(of: type) -> type:
    """Return the plain type that a type of values is a kind of; `object` if it is none."""
    return next((kind for kind in _PLAIN if issubclass(of, (kind, _IN_NUMPY.get(kind, kind)))), object)


def _of_kinds(values: list[Any], kinds: set[type]) -> pa.Array:
    """Return values of kinds that go together; raise a TypeError if they do not."""
    if kinds == {int}:
        return _of_whole_numbers(values)
    if kinds == {int, float}:
        return pa.array([_as_float(value) for value in values], pa.float64())
    if kinds == {int, Decimal}:
        return pa.array([None if value is None else Decimal(value) for value in values])
    if len(kinds) > 1 or object in kinds:
        raise TypeError
    return pa.array(values, from_pandas=True)


def _as_float(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | np.integer) and int(float(value)) != value:
        raise TypeError
    return float(value)


def _of_whole_numbers(values: list[Any]) -> pa.Array:
    with contextlib.suppress(*_CANNOT):
        return pa.array(values, pa.int64())
    digits = max(len(str(abs(int(value)))) for value in values if value is not None)
    return pa.array([None if value is None else Decimal(int(value)) for value in values], pa.decimal256(digits, 0))


# --- polars --------------------------------------------------------------------------------------------------


def _of_polars(series: Any, name: str, by_identity: bool) -> pa.Array | pa.ChunkedArray:
    kind = str(series.dtype)
    if kind.startswith("Object"):  # polars would hand over addresses of its own
        values: list[Any] = series.to_list()
        return _of_objects(values, [value is None for value in values], name, by_identity)
    with contextlib.suppress(Exception):  # polars raises its own errors, whose text may hold values
        if kind in ("Int128", "UInt128"):
            return series.cast(sys.modules["polars"].String).to_arrow().cast(pa.decimal256(39, 0))
        return series.to_arrow()
    raise _no_type(name, kind)


def _no_type(name: str, kind: str) -> InputError:
    return InputError(
        f"column `{name}` has the type {kind}, which cannot be read",
        code="unsupported-column",
        hint="convert the column to text, numbers or dates first",
    )
