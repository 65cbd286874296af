"""Parquet and Arrow IPC: types kept, and nothing written that is not in the rows."""

from __future__ import annotations

import re
from typing import BinaryIO

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from covey.compact import compact
from covey.errors import InputError
from covey.files.table import Format

__all__ = ["read_columnar", "sniff", "write_arrow", "write_parquet"]

PARQUET, IPC_FILE, IPC_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"

_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")
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
    if _JSON.match(data[:1000].removeprefix(b"\xef\xbb\xbf")):
        raise InputError(
            f"{name} is JSON, which cannot be read",
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
    """Return the same rows in fresh memory, without metadata, dictionaries in the order in which the rows come."""
    columns = [_fresh(column) for column in table.columns]
    fields = [pa.field(name, column.type) for name, column in zip(table.column_names, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _fresh(column: pa.ChunkedArray) -> pa.Array:
    """Return a column of its rows alone.

    The order in which the original table had the values of a dictionary would tell how its rows were sorted, shuffled
    or not.  Only an ordered dictionary keeps its own order, which means something.
    """
    return compact(column, by_rows=True)
