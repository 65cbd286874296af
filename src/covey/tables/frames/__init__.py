"""Frames of pandas, polars and pyarrow in and out; nothing here knows of schemas or privacy."""

from covey.tables.frames.arrow import take_rows, take_table
from covey.tables.frames.conversion import arrow_column, rebuild, to_arrow
from covey.tables.frames.kinds import Kind, as_frame, column_names, kind_of, n_rows

__all__ = [
    "Kind",
    "arrow_column",
    "as_frame",
    "column_names",
    "kind_of",
    "n_rows",
    "rebuild",
    "take_rows",
    "take_table",
    "to_arrow",
]
