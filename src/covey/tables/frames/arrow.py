"""Rows of Arrow columns, and tables of Arrow from released columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from covey.base.arrays import IntVector
from covey.tables.arrow_types import one_array
from covey.tables.compact import compact

__all__ = ["Sources", "plain_text", "rebuild_arrow", "take_rows", "take_table"]

Sources = dict[str, int | pa.ChunkedArray]
"""The columns of a new frame: the place of one in the old frame, whose rows are kept, or the column itself."""


def take_rows(column: pa.ChunkedArray | pa.Array, rows: IntVector) -> pa.ChunkedArray:
    """Return the given rows of an Arrow column without values of the others, its type unchanged but for metadata.

    >>> import numpy as np
    >>> codes = pa.array(["f", "m", "f"]).dictionary_encode()
    >>> take_rows(codes, np.array([0, 2])).chunk(0).dictionary.to_pylist()
    ['f']
    """
    return pa.chunked_array([compact(column, rows)])


def take_table(table: pa.Table, rows: IntVector) -> pa.Table:
    """Return the given rows of a table of any types, also of those that Arrow itself cannot take rows of.

    >>> import numpy as np
    >>> take_table(pa.table({"sex": pa.array(["f", "m"], pa.string_view())}), np.array([1])).to_pylist()
    [{'sex': 'm'}]
    """
    numbers = pa.array(rows)
    columns = [
        take_rows(column, rows) if _needs_a_detour(column.type) else column.take(numbers) for column in table.columns
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


# back to the kind that came in
def plain_text(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a new column as one chunk, text as `string` whatever it was."""
    array = one_array(column)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_large_string(array.type) or pa.types.is_string_view(array.type):
        array = array.cast(pa.string())
    return pa.chunked_array([array])


def rebuild_arrow(frame: Any, rows: IntVector | None, sources: Sources) -> pa.Table | pa.RecordBatch:
    """Return a table of Arrow with released columns in place of the quasi ones."""
    arrays = {
        name: compact(frame.column(source), rows) if isinstance(source, int) else one_array(source)
        for name, source in sources.items()
    }
    kind = pa.RecordBatch if isinstance(frame, pa.RecordBatch) else pa.Table
    return kind.from_arrays(list(arrays.values()), names=list(arrays))


def _needs_a_detour(kind: pa.DataType) -> bool:
    """Return whether Arrow itself may not be able to take rows of a type."""
    kind = getattr(kind, "storage_type", kind)
    tests = (pa.types.is_string_view, pa.types.is_binary_view, pa.types.is_run_end_encoded, pa.types.is_nested)
    return any(test(kind) for test in tests)
