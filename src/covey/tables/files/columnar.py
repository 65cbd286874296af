"""Parquet and Arrow IPC: types kept, and nothing written that is not in the rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import BinaryIO

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from covey.base.errors import InputError
from covey.tables.arrow_types import is_text
from covey.tables.compact import compact
from covey.tables.file_table import Format

__all__ = ["read_columnar", "sniff", "write_arrow", "write_parquet"]

PARQUET, IPC_FILE, IPC_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"

_STATISTICS = "save it as CSV or Parquet in the program that made it"
_SHEET = "save the sheet as CSV in UTF-8"
_UNPACK = ("zcat", "bzcat", "zstdcat", "xzcat", "unzip -p")
OTHER_FILES = (
    (rb"PK\x03\x04(?s:.*)(?:\[Content_Types\]\.xml|mimetypeapplication/vnd\.oasis|xl/)", "a spreadsheet", _SHEET),
    (rb"[\x6e\x6f\x71-\x73][\x01\x02]|<stata_dta>", "a Stata file", _STATISTICS),
    (rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])", "JSON", "give the table as CSV, Parquet or Arrow IPC"),
    (rb"\x1f\x8b", "a gzip archive", "zcat"),
    (rb"BZh", "a bzip2 archive", "bzcat"),
    (rb"\x28\xb5\x2f\xfd", "a zstandard archive", "zstdcat"),
    (rb"\xfd7zXZ", "an xz archive", "xzcat"),
    (rb"PK\x03\x04", "a zip archive", "unzip -p"),
    (rb"SQLite format 3", "a database", "export the table as CSV or Parquet"),
    (rb"PARE", "an encrypted Parquet file", "write it without encryption"),
    (rb"FEA1", "a Feather file of version 1", "write it as Feather version 2 or Parquet"),
    (rb"\xd0\xcf\x11\xe0", "an old office file", _SHEET),
    (rb"\$FL[23]", "an SPSS file", _STATISTICS),
    (rb"\x00{12}\xc2\xea\x81\x60", "a SAS file", _STATISTICS),
    (rb"HEADER RECORD\*{7}LIBRARY", "a SAS transport file", _STATISTICS),
    (rb"RDX", "an R file", _STATISTICS),
    (rb"\x89HDF", "an HDF5 file", _STATISTICS),
    (rb"%PDF", "a PDF file", "ask for the table itself"),
)
"""How files begin that are no tables, what they are, and what to do: words, or the command that unpacks them."""


def sniff(data: bytes, name: str) -> Format:
    """Return the format that the first bytes of a file tell; what is nothing else is CSV."""
    if data.startswith(PARQUET):
        return "parquet"
    if data.startswith((IPC_FILE, IPC_STREAM)):
        return "arrow"
    for beginning, kind, remedy in OTHER_FILES:
        if re.match(beginning, data[:4096]):
            if remedy in _UNPACK:
                path = "FILE" if name == "stdin" else name.strip("`")
                remedy = f"unpack it on the way: {remedy} {path} | covey ... -"
            raise InputError(f"{name} is {kind}, which cannot be read", code="unknown-format", hint=remedy)
    return "csv"


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
    of_kind = pa.ipc.open_file if data.startswith(IPC_FILE) else pa.ipc.open_stream
    return of_kind(source).read_all()


def write_parquet(table: pa.Table, out: BinaryIO) -> None:
    """Write a table as Parquet, compressed, without metadata.

    Text and numbers need no fresh memory: of these the writer writes the values of the rows, and nothing else.
    """
    for field in table.schema:
        _check_parquet_holds(field)
    others = [field.name for field in table.schema if not (is_text(field.type) or pa.types.is_primitive(field.type))]
    pa.parquet.write_table(_only_the_rows(table, others), out, compression="zstd")


def _check_parquet_holds(field: pa.Field) -> None:
    """Raise if Parquet has no place for the type of a column; of a negative scale its writer says so by an OSError."""
    try:
        pa.parquet.write_table(pa.table({"x": pa.nulls(1, field.type)}), pa.BufferOutputStream())
    except (pa.ArrowException, OSError):
        raise InputError(
            f"column `{field.name}` has the type {field.type}, which a Parquet file cannot hold",
            code="unsupported-column",
            hint="write Arrow IPC (.arrow), or turn the column into text, whole numbers or dates",
        ) from None


def write_arrow(table: pa.Table, out: BinaryIO) -> None:
    """Write a table as an Arrow IPC file, compressed, without metadata."""
    table = _only_the_rows(table, table.column_names)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(out, table.schema, options=options) as writer:
        writer.write_table(table)


def _only_the_rows(table: pa.Table, names: Collection[str]) -> pa.Table:
    """Return the same rows without metadata, the columns `names` in fresh memory.

    Dictionaries are in the order in which the rows come.
    """
    pairs = zip(table.column_names, table.columns, strict=True)
    columns = [_fresh(column) if name in names else column for name, column in pairs]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _fresh(column: pa.ChunkedArray) -> pa.Array:
    """Return a column of its rows alone.

    The order in which the original table had the values of a dictionary would tell how its rows were sorted, shuffled
    or not.  Only an ordered dictionary keeps its own order, which means something.
    """
    return compact(column, by_rows=True)
