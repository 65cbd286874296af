"""Parquet and Arrow IPC: types kept, and nothing written that is not in the rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import BinaryIO

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from covey.base.errors import InputError
from covey.tables.compact import compact
from covey.tables.file_table import Format

__all__ = ["read_columnar", "sniff", "write_arrow", "write_parquet"]

PARQUET, IPC_FILE, IPC_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"

_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")
_STATISTICS = "save it as CSV or Parquet in the program that made it"
OTHER_FILES = (
    (b"\x1f\x8b", "a gzip archive", "zcat"),
    (b"BZh", "a bzip2 archive", "bzcat"),
    (b"\x28\xb5\x2f\xfd", "a zstandard archive", "zstdcat"),
    (b"\xfd7zXZ", "an xz archive", "xzcat"),
    (b"PK\x03\x04", "a zip archive", "unzip -p"),
    (b"SQLite format 3", "a database", "export the table as CSV or Parquet"),
    (b"PARE", "an encrypted Parquet file", "write it without encryption"),
    (b"FEA1", "a Feather file of version 1", "write it as Feather version 2 or Parquet"),
    (b"\xd0\xcf\x11\xe0", "an old office file", "save the sheet as CSV in UTF-8"),
    (b"<stata_dta>", "a Stata file", _STATISTICS),
    (b"$FL2", "an SPSS file", _STATISTICS),
    (b"$FL3", "an SPSS file", _STATISTICS),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", "a SAS file", _STATISTICS),
    (b"HEADER RECORD*******LIBRARY", "a SAS transport file", _STATISTICS),
    (b"RDX", "an R file", _STATISTICS),
    (b"\x89HDF", "an HDF5 file", _STATISTICS),
    (b"%PDF", "a PDF file", "ask for the table itself"),
)
"""How files begin that are no tables, what they are, and what to do: words, or the command that unpacks them."""
_UNPACK = ("zcat", "bzcat", "zstdcat", "xzcat", "unzip -p")
_SHEETS = (b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis", b"xl/")


def sniff(data: bytes, name: str) -> Format:
    """Return the format that the first bytes of a file tell; what is nothing else is CSV."""
    if data.startswith(PARQUET):
        return "parquet"
    if data.startswith((IPC_FILE, IPC_STREAM)):
        return "arrow"
    found = _other_file(data)
    if found is None:
        return "csv"
    kind, remedy = found
    if remedy in _UNPACK:
        remedy = f"unpack it on the way: {remedy} {'FILE' if name == 'stdin' else name.strip('`')} | covey ... -"
    raise InputError(f"{name} is {kind}, which cannot be read", code="unknown-format", hint=remedy)


def _other_file(data: bytes) -> tuple[str, str] | None:
    """Return what a file is that is no table, and what to do; None if it may be one."""
    if data.startswith(b"PK\x03\x04") and any(mark in data[:4096] for mark in _SHEETS):
        return "a spreadsheet", "save the sheet as CSV in UTF-8"
    if data[:1] in (b"\x6e", b"\x6f", b"\x71", b"\x72", b"\x73") and data[1:2] in (b"\x01", b"\x02"):
        return "a Stata file", _STATISTICS
    if _JSON.match(data[:1000].removeprefix(b"\xef\xbb\xbf")):
        return "JSON", "give the table as CSV, Parquet or Arrow IPC"
    return next(((kind, remedy) for magic, kind, remedy in OTHER_FILES if data.startswith(magic)), None)


def read_columnar(data: bytes, name: str) -> pa.Table:
    """Return the table in the bytes of a Parquet or Arrow IPC file, its metadata dropped."""
    try:
        table = _read(data)
        table.validate(full=True)
    except MemoryError:
        raise InputError(
            f"{name} needs more memory than there is{_unpacked(data)}",
            code="too-large",
            hint="give fewer columns or rows, or use a larger machine; a damaged file may ask for too much as well",
        ) from None
    except (pa.ArrowException, OSError, ValueError, TypeError):  # their text may hold values
        raise InputError(
            f"{name} is broken: it begins like a {'Parquet' if data.startswith(PARQUET) else 'Arrow IPC'} file "
            "and cannot be read to its end",
            code="broken-file",
            hint="write or copy the file again",
        ) from None
    return table.replace_schema_metadata(None)


def _unpacked(data: bytes) -> str:
    """Return words on how large the columns of a Parquet file are once unpacked, if it says so."""
    if not data.startswith(PARQUET):
        return ""
    try:
        facts = pa.parquet.read_metadata(pa.BufferReader(data))
        size = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
    except (pa.ArrowException, OSError, MemoryError):
        return ""
    return f": its {len(data) / 1e6:,.0f} MB hold {size / 1e6:,.0f} MB of columns, and their rows take more"


def _read(data: bytes) -> pa.Table:
    source = pa.BufferReader(data)
    if data.startswith(PARQUET):
        return pa.parquet.ParquetFile(source).read()  # not `read_table`, which looks at folder names
    if data.startswith(IPC_FILE):
        return pa.ipc.open_file(source).read_all()
    return pa.ipc.open_stream(source).read_all()


def write_parquet(table: pa.Table, out: BinaryIO) -> None:
    """Write a table as Parquet, compressed, without metadata.

    Text and numbers need no fresh memory: of these the writer writes the values of the rows, and nothing else.
    """
    others = [name for name in table.column_names if not _is_text_or_number(table.field(name).type)]
    pa.parquet.write_table(_only_the_rows(table, others), out, compression="zstd")


def write_arrow(table: pa.Table, out: BinaryIO) -> None:
    """Write a table as an Arrow IPC file, compressed, without metadata."""
    table = _only_the_rows(table, table.column_names)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(out, table.schema, options=options) as writer:
        writer.write_table(table)


def _is_text_or_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_primitive(kind))


def _only_the_rows(table: pa.Table, names: Collection[str]) -> pa.Table:
    """Return the same rows without metadata, the columns `names` in fresh memory.

    Dictionaries are in the order in which the rows come.
    """
    columns = [
        _fresh(column) if name in names else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    fields = [pa.field(name, column.type) for name, column in zip(table.column_names, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _fresh(column: pa.ChunkedArray) -> pa.Array:
    """Return a column of its rows alone.

    The order in which the original table had the values of a dictionary would tell how its rows were sorted, shuffled
    or not.  Only an ordered dictionary keeps its own order, which means something.
    """
    return compact(column, by_rows=True)
