"""From the bytes of a Parquet or Arrow IPC file to a table."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from covey.base.errors import InputError
from covey.verifier.tables.names import refuse_repeats

__all__ = ["is_columnar", "read_columnar"]

_PARQUET, _ARROW = b"PAR1", (b"ARROW1", b"\xff\xff\xff\xff")


def is_columnar(data: bytes) -> bool:
    """Return whether bytes begin like a Parquet or Arrow IPC file."""
    return data.startswith((_PARQUET, *_ARROW))


def read_columnar(data: bytes, name: str) -> pa.Table:
    """Return the table; what Arrow says of a broken file is not passed on, because it may hold values."""
    try:
        table = _open(data)
        table.validate(full=True)
    except MemoryError:  # Arrow's own is one too
        raise InputError(
            f"{name} needs more memory than there is",
            code="too-large",
            hint="use a larger machine; a damaged file may ask for too much as well",
        ) from None
    except (pa.ArrowException, OSError, ValueError, TypeError):
        table = None
    if table is None:
        raise InputError(
            f"{name} is broken: it begins like a Parquet or Arrow IPC file and cannot be read to its end",
            code="broken-file",
            hint="write or copy the file again",
        )
    names = table.column_names
    refuse_repeats(names, f"{name} has column names more than once")
    if not names:
        raise InputError(f"{name} has no columns", code="empty-file", hint="give a table with columns and rows")
    if not table.num_rows:
        raise InputError(f"{name} has columns and no rows", code="no-rows", hint="give a table with rows")
    return table.replace_schema_metadata(None)


def _open(data: bytes) -> pa.Table:
    if data.startswith(_PARQUET):
        return pyarrow.parquet.ParquetFile(pa.BufferReader(data)).read()
    of_kind = pyarrow.ipc.open_file if data.startswith(_ARROW[0]) else pyarrow.ipc.open_stream
    return of_kind(pa.BufferReader(data)).read_all()
