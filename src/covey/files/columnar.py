"""Parquet and Arrow IPC: types kept, and nothing written that is not in the rows."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from covey.errors import InputError
from covey.files.table import Format

__all__ = ["read_columnar", "sniff", "write_arrow", "write_parquet"]

PARQUET, IPC_FILE, IPC_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"

OTHER_FILES = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet"),
    (b"BZh", "a bzip2 archive"),
    (b"\x28\xb5\x2f\xfd", "a zstandard archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"SQLite format 3", "a database"),
    (b"PARE", "an encrypted Parquet file"),
    (b"FEA1", "a Feather file of version 1"),
    (b"\xd0\xcf\x11\xe0", "an old office file"),
)


def sniff(data: bytes, name: str) -> Format:
    """Return the format that the first bytes of a file tell; what is nothing else is CSV."""
    if data.startswith(PARQUET):
        return "parquet"
    if data.startswith((IPC_FILE, IPC_STREAM)):
        return "arrow"
    for magic, kind in OTHER_FILES:
        if data.startswith(magic):
            raise InputError(
                f"{name} is {kind}, which cannot be read",
                code="unknown-format",
                hint="give the table as CSV, Parquet or Arrow IPC",
            )
    return "csv"


def read_columnar(data: bytes, name: str) -> pa.Table:
    """Return the table in the bytes of a Parquet or Arrow IPC file, its metadata dropped."""
    try:
        table = _read(data)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, TypeError):  # their text may hold values
        raise InputError(
            f"{name} is broken: it begins like a {'Parquet' if data.startswith(PARQUET) else 'Arrow IPC'} file "
            "and cannot be read to its end",
            code="broken-file",
            hint="write or copy the file again",
        ) from None
    return table.replace_schema_metadata(None)


def _read(data: bytes) -> pa.Table:
    source = pa.BufferReader(data)
    if data.startswith(PARQUET):
        return pa.parquet.ParquetFile(source).read()  # not `read_table`, which looks at folder names
    if data.startswith(IPC_FILE):
        return pa.ipc.open_file(source).read_all()
    return pa.ipc.open_stream(source).read_all()


def write_parquet(table: pa.Table, out: BinaryIO) -> None:
    """Write a table as Parquet, compressed, without metadata."""
    pa.parquet.write_table(_only_the_rows(table), out, compression="zstd")


def write_arrow(table: pa.Table, out: BinaryIO) -> None:
    """Write a table as an Arrow IPC file, compressed, without metadata."""
    table = _only_the_rows(table)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(out, table.schema, options=options) as writer:
        writer.write_table(table)


def _only_the_rows(table: pa.Table) -> pa.Table:
    """Return the same rows in fresh memory, without metadata.

    An Arrow column may carry more than its rows: dictionary values that no row has, or in the order of the
    table that they come from, text beside a view, values below a null.  All of it would be written, and may
    be what was to be left out.
    """
    columns = [_fresh(table.column(i), table.schema.field(i)) for i in range(table.num_columns)]
    fields = [pa.field(name, column.type) for name, column in zip(table.column_names, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _fresh(column: pa.ChunkedArray, field: pa.Field) -> pa.Array:
    kind = column.type
    if _may_hide_values(kind):
        raise InputError(
            f"column `{field.name}` nests the type {kind}, which cannot be written safely",
            code="unsupported-column",
            hint="turn the column into plain columns first",
        )
    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(kind)
    if plain is not None:
        return pa.chunked_array([_taken(column.cast(plain))], type=plain).cast(kind).combine_chunks()
    if pa.types.is_dictionary(kind):
        return _fresh_dictionary(column.unify_dictionaries().combine_chunks())
    return _taken(column)


def _may_hide_values(kind: pa.DataType) -> bool:
    """Return whether values below a null, or of no row, could stay inside a column of this nested type."""
    if isinstance(kind, pa.BaseExtensionType):
        return _may_hide_values(kind.storage_type)
    if pa.types.is_union(kind) or pa.types.is_run_end_encoded(kind) or _is_list_view(kind):
        return True
    inner = [kind.field(i).type for i in range(kind.num_fields)]
    if pa.types.is_map(kind):
        inner = [kind.key_type, kind.item_type]
    if any(_is_view(one) or pa.types.is_dictionary(one) for one in inner):
        return True
    if _is_cleared_inside(kind):
        return any(_may_hide_values(one) for one in inner)
    return any(pa.types.is_nested(one) or isinstance(one, pa.BaseExtensionType) for one in inner)


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def _is_list_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind))


def _is_cleared_inside(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _taken(column: pa.ChunkedArray) -> pa.Array:
    """Return all rows, copied one by one: taking writes zeros below nulls, a plain copy would not."""
    taken = column.combine_chunks().take(pa.array(np.arange(len(column))))
    return _cleared(taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken)


def _cleared(array: pa.Array) -> pa.Array:
    """Return the array without the values below the nulls of a struct, which taking leaves where they are."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _cleared(array.storage))
    if not kind.num_fields or not _is_cleared_inside(kind):
        return array
    if pa.types.is_struct(kind):
        members = [_taken(pa.chunked_array([member])) for member in array.flatten()]
        return pa.StructArray.from_arrays(members, fields=list(kind), mask=array.is_null())
    mask = array.is_null() if array.null_count else None
    return type(array).from_arrays(array.offsets, _cleared(array.values), type=kind, mask=mask)


def _fresh_dictionary(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return the same rows with a dictionary of the values that they have, in the order in which they come.

    The order in which the original table had them would tell how its rows were sorted, shuffled or not.
    Only an ordered dictionary keeps its own order, which means something.
    """
    kind = column.type
    values = column.dictionary
    codes = column.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    first = np.full(len(values) + 1, len(codes))  # the last place takes code -1, the missing values
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    used = np.flatnonzero(first[:-1] < len(codes))
    if not kind.ordered:
        used = used[np.argsort(first[used])]
    place = np.zeros(len(values) + 1, np.int64)
    place[used] = np.arange(len(used))
    indices = pa.array(place[codes], kind.index_type, mask=codes < 0)
    fresh = _fresh(pa.chunked_array([values]), pa.field("", values.type))
    return pa.DictionaryArray.from_arrays(indices, fresh.take(pa.array(used)), ordered=kind.ordered)
