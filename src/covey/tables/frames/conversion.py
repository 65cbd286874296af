"""Frames of pandas, polars and pyarrow as Arrow tables, and released columns as frames of the same kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from covey.base.arrays import IntVector
from covey.base.checks import require_known
from covey.tables.frames.arrow import Sources, plain_text, rebuild_arrow
from covey.tables.frames.kinds import as_frame, check_names, column_names, kind_of, n_rows
from covey.tables.frames.pandas import arrow_of_pandas, rebuild_pandas
from covey.tables.frames.polars import arrow_of_polars, rebuild_polars

__all__ = ["arrow_column", "rebuild", "to_arrow"]


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
    arrays = [arrow_column(frame, i, names[i]) for i in places]
    if not arrays:
        return pa.table({"none": pa.nulls(n_rows(frame))}).select([])
    return pa.Table.from_arrays(arrays, names=wanted)


def arrow_column(frame: Any, place: int, name: str) -> pa.ChunkedArray | pa.Array:
    """Return the column at a place of a frame; of many columns each would else be looked up among all names."""
    kind = kind_of(frame)
    if kind == "pandas":
        return arrow_of_pandas(frame.iloc[:, place], name)
    return arrow_of_polars(frame.to_series(place), name) if kind == "polars" else frame.column(place)


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

    >>> import numpy as np
    >>> people = pa.table({"name": ["Ann", "Bob"], "sex": ["f", "m"]})
    >>> rebuild(people, np.array([1]), [("sex", "sex"), ("age", pa.array(["[34, 35]"]))]).to_pylist()
    [{'sex': 'm', 'age': '[34, 35]'}]
    """
    frame = as_frame(frame)
    check_names([name for name, _ in columns])
    places = iter(_places(column_names(frame), [source for _, source in columns if isinstance(source, str)]))
    sources = {name: next(places) if isinstance(source, str) else plain_text(source) for name, source in columns}
    _check_lengths(sources, n_rows(frame) if rows is None else len(rows))
    rebuilders = {"pandas": rebuild_pandas, "polars": rebuild_polars, "arrow": rebuild_arrow}
    return rebuilders[kind_of(frame)](frame, rows, sources)


def _places(names: list[str], wanted: Iterable[str]) -> list[int]:
    place = {name: i for i, name in enumerate(names)}
    require_known((name for name in wanted if name not in place), names, "the table has no column {}")
    return [place[name] for name in wanted]


def _check_lengths(sources: Sources, expected: int) -> None:
    for name, column in sources.items():
        if not isinstance(column, int) and len(column) != expected:
            raise ValueError(f"new column {name!r} has {len(column)} rows where the result has {expected}")
