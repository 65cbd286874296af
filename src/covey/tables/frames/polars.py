"""Columns of polars to Arrow and back."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.tables.compact import compact
from covey.tables.frames.arrow import Sources
from covey.tables.frames.faults import mixed_column, unsupported_column

__all__ = ["arrow_of_polars", "rebuild_polars"]


# polars to Arrow
def arrow_of_polars(series: Any, name: str) -> pa.Array | pa.ChunkedArray:
    """Return a column of polars as Arrow."""
    kind = type(series.dtype).__name__ if not isinstance(series.dtype, type) else series.dtype.__name__
    if kind == "Object":
        raise mixed_column(name)  # polars would hand over addresses in memory
    try:
        if kind in ("Int128", "UInt128"):
            return series.cast(sys.modules["polars"].String).to_arrow().cast(pa.decimal256(39, 0))
        return series.to_arrow()
    except Exception:  # polars raises its own errors, whose text may hold values
        raise unsupported_column(name, kind) from None


def rebuild_polars(frame: Any, rows: IntVector | None, sources: Sources) -> Any:
    """Return a frame of polars with released columns in place of the quasi ones."""
    numbers = np.arange(len(frame)) if rows is None else np.asarray(rows)
    series = []
    for name, source in sources.items():
        is_kept = isinstance(source, int)
        column = _polars_rows(frame.to_series(source), numbers) if is_kept else _polars_of_arrow(source)
        series.append(column.alias(name))
    return sys.modules["polars"].DataFrame(series)


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
