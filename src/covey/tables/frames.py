"""pandas, polars and Arrow tables in as Arrow columns, and the same kind of table out again.

What counts as missing: in pandas null, NaN, NaT and None, whatever the dtype (also NaN in an Arrow-backed
column); in polars and Arrow only null, so that NaN stays a value of its own there.

Neither pandas nor polars is imported here: whoever hands over one of their tables has imported them already.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import IntVector
from covey.base.checks import did_you_mean, listed, plural
from covey.base.errors import CoveyError, InputError, UnknownColumn
from covey.tables.compact import compact, kept_categories

__all__ = [
    "as_frame",
    "column_names",
    "kind_of",
    "n_rows",
    "one_by_one",
    "rebuild",
    "take_rows",
    "take_table",
    "to_arrow",
]

Kind = Literal["pandas", "polars", "arrow"]

MOST_DIGITS = 76  # what decimal256 holds
CONVERSION_ERRORS = (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError)


def as_frame(thing: Any) -> Any:
    """Return `thing` itself if it is a pandas, polars or Arrow table, else a pyarrow Table read from it.

    Anything with the Arrow stream protocol will do (a DuckDB relation, a reader).  Such a thing may give its
    rows only once, or in another order each time: call this first and keep the result.
    """
    if _is_pandas(thing) or _is_polars(thing) or isinstance(thing, pa.Table | pa.RecordBatch):
        return thing
    return _table_of_stream(thing)


def kind_of(frame: Any) -> Kind:
    """Return "pandas", "polars" or "arrow" (the last also for anything with the Arrow stream protocol).

    >>> kind_of(pa.table({"age": [34, 35]}))
    'arrow'
    """
    if _is_pandas(frame):
        return "pandas"
    if _is_polars(frame):
        return "polars"
    if isinstance(frame, pa.Table | pa.RecordBatch) or hasattr(frame, "__arrow_c_stream__"):
        return "arrow"
    raise _not_a_table(frame)


def column_names(frame: Any) -> list[str]:
    """Return the names of the columns in their order; each must be a text and occur once.

    >>> column_names(pa.table({"age": [34], "sex": ["f"]}))
    ['age', 'sex']
    """
    frame = as_frame(frame)
    if isinstance(frame, pa.Table | pa.RecordBatch):
        names = list(frame.schema.names)
    else:
        names = list(frame.columns)
    _check_names(names)
    return [str(name) for name in names]


def n_rows(frame: Any) -> int:
    """Return how many rows the table has.

    >>> n_rows(pa.table({"age": [34, 35]}))
    2
    """
    frame = as_frame(frame)
    return frame.num_rows if isinstance(frame, pa.Table | pa.RecordBatch) else len(frame)


def to_arrow(frame: Any, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the named columns (all if none are named) as a pyarrow Table; nothing else is converted.

    A pandas index is ignored.  Categories arrive as dictionary arrays, whole numbers beyond 64 bits as
    decimals; a pandas column that mixes kinds of values is an `InputError`.

    >>> to_arrow(pa.table({"age": [34, 35], "sex": ["f", "m"]}), ["sex"]).column_names
    ['sex']
    """
    frame = as_frame(frame)
    names = column_names(frame)
    wanted = names if columns is None else list(columns)
    places = _places(names, wanted)
    arrays = [_arrow_column(frame, i, names[i]) for i in places]
    if not arrays:
        return pa.table({"none": pa.nulls(n_rows(frame))}).select([])
    return pa.Table.from_arrays(arrays, names=wanted)


def one_by_one(frame: Any, wanted: Sequence[str]) -> Iterator[tuple[str, pa.ChunkedArray | pa.Array | None]]:
    """Yield the named columns with their names; None in the place of one that Arrow cannot hold.

    Of many columns each would else be looked up among all names.
    """
    frame = as_frame(frame)
    names = column_names(frame)
    for name, place in zip(wanted, _places(names, wanted), strict=True):
        try:
            yield name, _arrow_column(frame, place, name)
        except CoveyError:
            yield name, None


def _arrow_column(frame: Any, place: int, name: str) -> pa.ChunkedArray | pa.Array:
    if _is_pandas(frame):
        return _arrow_of_pandas(frame.iloc[:, place], name)
    return _arrow_of_polars(frame.to_series(place), name) if _is_polars(frame) else frame.column(place)


def rebuild(
    frame: Any,
    rows: IntVector | None,
    columns: Sequence[tuple[str, str | pa.Array | pa.ChunkedArray]],
) -> Any:
    """Return a table of the same kind as `frame`: kept columns with their very type, and new ones.

    columns: (name in the result, name of a column of `frame` to keep) or (name in the result, Arrow column
    in the order of the result).  rows: the rows of `frame` that a kept column takes, in order (None: all).
    New text, dictionary-coded or not, becomes a text column.  The result shares nothing that could be
    changed with `frame`.

    A kept column holds its released rows alone: no category, ordered or not, that none of them has, no row around a
    slice, nothing below a null.  Any of it may be a value of somebody who was left out.

    >>> people = pa.table({"name": ["Ann", "Bob"], "sex": ["f", "m"]})
    >>> rebuild(people, np.array([1]), [("sex", "sex"), ("age", pa.array(["[34, 35]"]))]).to_pylist()
    [{'sex': 'm', 'age': '[34, 35]'}]
    """
    frame = as_frame(frame)
    _check_names([name for name, _ in columns])
    names = column_names(frame)
    kept = {name: source for name, source in columns if isinstance(source, str)}
    places = dict(zip(kept, _places(names, list(kept.values())), strict=True))
    new = {name: _plain_text(source) for name, source in columns if not isinstance(source, str)}
    _check_lengths(new, n_rows(frame) if rows is None else len(rows))
    order = [name for name, _ in columns]
    if _is_pandas(frame):
        return _rebuild_pandas(frame, rows, places, new, order)
    if _is_polars(frame):
        return _rebuild_polars(frame, rows, places, new, order)
    return _rebuild_arrow(frame, rows, places, new, order)


def take_rows(column: pa.ChunkedArray | pa.Array, rows: IntVector) -> pa.ChunkedArray:
    """Return the given rows of an Arrow column without values of the others, its type unchanged but for metadata.

    >>> codes = pa.array(["f", "m", "f"]).dictionary_encode()
    >>> take_rows(codes, np.array([0, 2])).chunk(0).dictionary.to_pylist()
    ['f']
    """
    return pa.chunked_array([compact(column, rows)])


def take_table(table: pa.Table, rows: IntVector) -> pa.Table:
    """Return the given rows of a table of any types, also of those that Arrow itself cannot take rows of.

    >>> take_table(pa.table({"sex": pa.array(["f", "m"], pa.string_view())}), np.array([1])).to_pylist()
    [{'sex': 'm'}]
    """
    numbers = pa.array(rows)
    columns = [
        take_rows(column, rows) if _needs_a_detour(column.type) else column.take(numbers) for column in table.columns
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


# which kind


def _is_pandas(thing: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(thing, pandas.DataFrame)


def _is_polars(thing: Any) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(thing, polars.DataFrame)


def _table_of_stream(thing: Any) -> pa.Table:
    if isinstance(thing, type) or not hasattr(thing, "__arrow_c_stream__"):
        raise _not_a_table(thing)
    try:
        return pa.table(thing)
    except CONVERSION_ERRORS:
        raise _not_a_table(thing) from None


def _not_a_table(thing: Any) -> InputError:
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(thing, polars.LazyFrame):
        hint = "call `.collect()` first"
    else:
        hint = "give a pandas or polars DataFrame, a pyarrow Table or anything with the Arrow stream protocol"
    kind = type(thing)
    return InputError(f"`{kind.__module__}.{kind.__qualname__}` is not a table", code="not-a-table", hint=hint)


# names


def _check_names(names: Sequence[Any]) -> None:
    odd = [i + 1 for i, name in enumerate(names) if not isinstance(name, str)]
    if odd:
        raise InputError(
            f"column names must be text, and {plural(len(odd), 'name')} of {len(names)} "
            f"{'is' if len(odd) == 1 else 'are'} not (first in column {odd[0]})",
            code="column-names",
            hint="rename the columns, in pandas by `frame.columns = [...]`",
        )
    double = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if double:
        raise InputError(
            f"column names occur more than once: {listed(double)}",
            code="duplicate-columns",
            hint="give every column a name of its own",
        )


def _places(names: list[str], wanted: Iterable[str]) -> list[int]:
    place = {name: i for i, name in enumerate(names)}
    for name in wanted:
        if name not in place:
            raise UnknownColumn(
                f"the table has no column `{name}`", code="unknown-column", hint=did_you_mean(str(name), names)
            )
    return [place[name] for name in wanted]


def _check_lengths(new: dict[str, pa.ChunkedArray], expected: int) -> None:
    for name, column in new.items():
        if len(column) != expected:
            raise ValueError(f"new column {name!r} has {len(column)} rows where the result has {expected}")


# pandas to Arrow


def _arrow_of_pandas(series: Any, name: str) -> pa.Array | pa.ChunkedArray:
    if series.dtype == object:
        return _arrow_of_objects(series, name)
    try:
        array = pa.Array.from_pandas(series)
    except CONVERSION_ERRORS:
        raise _unsupported(name, str(series.dtype)) from None
    if isinstance(array.type, pa.BaseExtensionType) and array.type.extension_name.startswith("pandas."):
        raise _unsupported(name, str(series.dtype))
    if pa.types.is_floating(array.type):
        # Arrow-backed pandas columns may hold NaN beside null; in pandas both are missing
        array = pc.if_else(pc.fill_null(pc.is_nan(array), False), pa.scalar(None, array.type), array)
    return array


def _arrow_of_objects(series: Any, name: str) -> pa.Array:
    values = series.to_numpy()
    present = values[~series.isna().to_numpy()]
    family = _family({type(value) for value in present})
    if family is None:
        raise _mixed(name)
    try:
        return pa.Array.from_pandas(series)
    except CONVERSION_ERRORS:
        if family is not int:
            raise _mixed(name) from None
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
    # the narrower first: bool is an int to Python, datetime a date, and timedelta64 an integer to numpy
    known: tuple[tuple[type, tuple[type, ...]], ...] = (
        (timedelta, (timedelta, np.timedelta64)),
        (bool, (bool, np.bool_)),
        (int, (int, np.integer)),
        (float, (float, np.floating)),
        (Decimal, (Decimal,)),
        (str, (str,)),
        (bytes, (bytes,)),
        (datetime, (datetime, np.datetime64)),
        (date, (date,)),
        (time, (time,)),
    )
    return next((kind for kind, members in known if issubclass(member, members)), object)


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


def _mixed(name: str) -> InputError:
    return InputError(
        f"column `{name}` mixes kinds of Python objects, or holds objects that are no plain values",
        code="mixed-column",
        hint=f"convert it first, for example by `frame[{name!r}].astype(str)`",
    )


def _unsupported(name: str, dtype: str) -> InputError:
    return InputError(
        f"column `{name}` has the type {dtype}, which cannot be read",
        code="unsupported-column",
        hint="convert the column to text, numbers or dates first",
    )


# polars to Arrow


def _arrow_of_polars(series: Any, name: str) -> pa.Array | pa.ChunkedArray:
    kind = type(series.dtype).__name__ if not isinstance(series.dtype, type) else series.dtype.__name__
    if kind == "Object":
        raise _mixed(name)  # polars would hand over addresses in memory
    try:
        if kind in ("Int128", "UInt128"):
            return series.cast(sys.modules["polars"].String).to_arrow().cast(pa.decimal256(39, 0))
        return series.to_arrow()
    except Exception:  # polars raises its own errors, whose text may hold values
        raise _unsupported(name, kind) from None


# back to the kind that came in


def _plain_text(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a new column as one chunk, text as `string` whatever it was."""
    array = _one_chunk(column)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_large_string(array.type) or pa.types.is_string_view(array.type):
        array = array.cast(pa.string())
    return pa.chunked_array([array])


def _rebuild_pandas(
    frame: Any,
    rows: IntVector | None,
    places: dict[str, int],
    new: dict[str, pa.ChunkedArray],
    order: list[str],
) -> Any:
    pandas = sys.modules["pandas"]
    backed = {
        name: column for name, place in places.items() if (column := _rows_of_arrow(frame, place, rows)) is not None
    }
    plain = [name for name in places if name not in backed]
    kept = frame.iloc[:, [places[name] for name in plain]]
    kept = kept.copy(deep=True) if rows is None else kept.take(np.asarray(rows))
    kept.columns = pandas.Index(plain, dtype=object)
    kept.index = pandas.RangeIndex(len(kept))
    made = pandas.DataFrame({name: _pandas_of_arrow(column) for name, column in new.items()}, index=kept.index)
    result = pandas.concat([kept, pandas.DataFrame(backed, index=kept.index), made], axis=1)[order]
    result.columns = pandas.Index(order)
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


def _rebuild_polars(
    frame: Any,
    rows: IntVector | None,
    places: dict[str, int],
    new: dict[str, pa.ChunkedArray],
    order: list[str],
) -> Any:
    polars = sys.modules["polars"]
    series = {}
    numbers = np.arange(len(frame)) if rows is None else np.asarray(rows)
    for name, place in places.items():
        series[name] = _polars_rows(frame.to_series(place), numbers).alias(name)
    for name, column in new.items():
        series[name] = _polars_of_arrow(column).alias(name)
    return polars.DataFrame([series[name] for name in order])


def _polars_rows(column: Any, rows: IntVector) -> Any:
    """Return rows of a polars column; text and nested values by way of Arrow, as polars shares what they refer to."""
    polars = sys.modules["polars"]
    kind = column.dtype
    if not (kind.is_nested() or isinstance(kind, polars.Enum)) and kind not in (polars.String, polars.Binary):
        return column[rows]
    taken = compact(column.to_arrow(), rows)
    found, own = polars.from_arrow(pa.chunked_array([taken])), _polars_type(kind, taken)
    # by way of text: polars does not turn arrays of one kind of category into those of another
    return found if found.dtype == own else found.cast(_polars_type(kind, taken, as_text=True)).cast(own)


def _polars_type(kind: Any, taken: Any, *, as_text: bool = False) -> Any:
    """Return a polars type whose Enums list the labels that were taken alone, or in which categories are texts.

    An Enum may name values of people who were left out, also inside of lists and records.
    """
    polars = sys.modules["polars"]
    if isinstance(kind, polars.Enum | polars.Categorical) and as_text:
        return polars.String()
    if isinstance(kind, polars.Enum):
        used = set(taken.dictionary.to_pylist())
        return polars.Enum([label for label in kind.categories if label in used])
    if isinstance(kind, polars.List):
        return polars.List(_polars_type(kind.inner, taken.values, as_text=as_text))
    if isinstance(kind, polars.Array):
        return polars.Array(_polars_type(kind.inner, taken.values, as_text=as_text), kind.size)
    if isinstance(kind, polars.Struct):
        members = enumerate(kind.fields)
        return polars.Struct({one.name: _polars_type(one.dtype, taken.field(i), as_text=as_text) for i, one in members})
    return kind


def _polars_of_arrow(column: pa.ChunkedArray) -> Any:
    """Return a polars column; decimals that polars has no type for, as whole numbers of 128 bits come, as text."""
    polars = sys.modules["polars"]
    return polars.from_arrow(column.cast(pa.string()) if pa.types.is_decimal256(column.type) else column)


def _rebuild_arrow(
    frame: Any,
    rows: IntVector | None,
    places: dict[str, int],
    new: dict[str, pa.ChunkedArray],
    order: list[str],
) -> pa.Table | pa.RecordBatch:
    arrays: dict[str, pa.ChunkedArray] = dict(new)
    for name, place in places.items():
        column = frame.column(place)
        arrays[name] = take_rows(column, np.arange(len(column)) if rows is None else rows)
    fields = [pa.field(name, arrays[name].type) for name in order]
    if isinstance(frame, pa.RecordBatch):
        return pa.record_batch([_one_chunk(arrays[name]) for name in order], schema=pa.schema(fields))
    return pa.Table.from_arrays([arrays[name] for name in order], schema=pa.schema(fields))


def _one_chunk(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.Array):
        return column
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _needs_a_detour(kind: pa.DataType) -> bool:
    """Return whether Arrow itself may not be able to take rows of a type."""
    kind = getattr(kind, "storage_type", kind)
    tests = (pa.types.is_string_view, pa.types.is_binary_view, pa.types.is_run_end_encoded, pa.types.is_nested)
    return any(test(kind) for test in tests)
