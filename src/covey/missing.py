"""Missing values: which texts stand for them, and which rows are released under the policy for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import IntVector
from covey.checks import listed, plural
from covey.columns import missing_rows
from covey.errors import InputError

__all__ = ["present_rows", "with_na"]


def with_na(table: pa.Table, na: Sequence[str]) -> pa.Table:
    """Return the table with the texts in `na` made missing, in text columns."""
    if not na:
        return table
    for i, name in enumerate(table.column_names):
        column = table.column(i)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
            continue
        if pa.types.is_string_view(column.type):  # for which Arrow cannot choose between values
            column = column.cast(pa.large_string())
        text = pc.utf8_trim_whitespace(column.cast(pa.string()))
        hit = pc.is_in(text, value_set=pa.array([mark.strip() for mark in na], pa.string()))
        table = table.set_column(i, name, pc.if_else(hit, pa.scalar(None, column.type), column))
    return table


def present_rows(raw: pa.Table, policy: str) -> IntVector:
    """Return the rows that are released under the policy for missing values."""
    if policy == "category":
        return np.arange(raw.num_rows)
    absent = {name: missing_rows(raw.column(name)) for name in raw.column_names}
    if policy == "suppress":
        return np.flatnonzero(~np.logical_or.reduce(list(absent.values())))
    holes = [name for name, mask in absent.items() if mask.any()]
    if holes:
        raise InputError(
            f"{plural(len(holes), 'quasi column')} with missing values: {listed(holes)}",
            code="missing-values",
            hint='give missing="category" or missing="suppress"',
        )
    return np.arange(raw.num_rows)
