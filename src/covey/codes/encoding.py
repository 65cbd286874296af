"""From typed columns to codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covey.ask.schema import Schema
from covey.base.arrays import FloatVector
from covey.codes.codes import WIDEST, TableCodes, codes_from_matrix, tree_positions
from covey.codes.prices import FLAT, ORDERED, TREE
from covey.columns.typed import TypedColumn, type_column
from covey.columns.types import with_types
from covey.tables.frames import column_names, to_arrow

__all__ = ["column_positions", "encode_columns", "encode_frame", "kind_of_prices"]


def encode_frame(table: Any, schema: Schema | None = None) -> TableCodes:
    """Return the codes of a frame's quasi columns; without a schema every column is quasi."""
    if schema is None:
        schema = Schema.from_roles(quasi=column_names(table))
    arrow = to_arrow(table, schema.names("quasi"))
    schema = with_types(schema, arrow)
    return encode_columns([type_column(column, arrow.column(column.name)) for column in schema.quasi])


def encode_columns(columns: Sequence[TypedColumn]) -> TableCodes:
    """Return the codes of typed columns."""
    sizes = np.array([column.size for column in columns], np.int64)
    widest = int(sizes.max(initial=1))
    dtype = np.uint8 if widest <= 256 else np.uint16 if widest <= 65_536 else np.int32
    return codes_from_matrix(
        np.stack([column.codes.astype(dtype) for column in columns]),
        np.array([kind_of_prices(column) for column in columns], np.uint8),
        np.array([column.weight for column in columns]),
        [column_positions(column) for column in columns],
        sizes,
        np.array([_width(column) for column in columns]),
        np.array([column.n_missing for column in columns], np.int64),
    )


def kind_of_prices(column: TypedColumn) -> int:
    """Return how the intervals of a column are priced: ordered, tree or flat."""
    return TREE if column.is_tree else FLAT if column.is_flat else ORDERED


def _width(column: TypedColumn) -> float:
    """Return by what a difference of positions is multiplied to be one of values; 1 where values are no numbers."""
    if column.type != "numeric" or column.is_tree or len(column.points) == 0:
        return 1.0
    low, high = (column.points[0], column.points[-1]) if column.ends is None else column.ends
    try:
        width = float(high) / 2 - float(low) / 2  # halved, so that no difference overflows
    except OverflowError:  # a whole number beyond all floats
        return WIDEST
    return min(2 * width, WIDEST) or 1.0


def column_positions(column: TypedColumn) -> FloatVector:
    """Return the part of `positions` of one column; a missing value stands a whole domain away from all else."""
    missing = column.n_missing
    if column.is_tree:
        gaps = np.asarray(column.taxonomy.gaps(), np.float64)
        return tree_positions(np.concatenate([np.ones(missing if column.size > missing else missing - 1), gaps]))
    if column.positions is None:
        return np.zeros(0)
    return np.concatenate([np.arange(-missing, 0, dtype=np.float64), column.positions])
