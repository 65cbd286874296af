"""From a path, or stdin, to a table."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Collection
from dataclasses import replace

from covey.base.errors import InputError, MachineError
from covey.tables.csv.options import CsvOptions
from covey.tables.csv.reading import read_csv
from covey.tables.file_table import FileTable
from covey.tables.files.columnar import read_columnar, sniff
from covey.tables.names import refuse_repeats

__all__ = ["FileTable", "read_table"]


_FOUND_OUT = CsvOptions()
"""Nobody said how a CSV file is written."""


def read_table(path: str, *, options: CsvOptions = _FOUND_OUT, skip: Collection[str] = ()) -> FileTable:
    """Return the table in a file, or from stdin if the path is `-`.

    Parquet and Arrow IPC are known by their first bytes, whatever the file is called; anything else is read
    as CSV, as `options` say.  The columns in `skip` are not loaded; `names` of the result still lists them.
    """
    name = "stdin" if path == "-" else f"`{path}`"
    data = _bytes_of(path, name)
    again = None if path != "-" and os.path.isfile(path) else data
    kind = sniff(data, name)
    if kind == "csv":
        return replace(read_csv(data, name, options, skip), data=again)
    table = read_columnar(data, name)
    names = table.column_names
    refuse_repeats(names, f"{name} has column names more than once")
    if not names:
        raise InputError(f"{name} has no columns", code="empty-file", hint="give a table with columns and rows")
    if not table.num_rows:
        raise InputError(f"{name} has columns and no rows", code="no-rows", hint="give a table with rows")
    kept = table.select([column for column in names if column not in skip])
    return FileTable(table=kept, typed=True, format=kind, csv=options, names=tuple(names), data=again)


def _bytes_of(path: str, name: str) -> bytes:
    try:
        if path == "-":
            return b"" if sys.stdin is None else sys.stdin.buffer.read()  # None: it was closed
        with open(path, "rb") as file:
            return file.read()
    except IsADirectoryError:
        raise InputError(f"{name} is a folder", code="is-folder", hint="give the file itself") from None
    except PermissionError:
        raise InputError(
            f"{name} may not be read by this user", code="no-permission", hint="ask for the right to read it"
        ) from None
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last: a NUL in the path
        raise InputError(
            f"there is no file {name}", code="no-such-file", hint="check the path and the folder you are in"
        ) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"the path {name} is too long", code="no-such-file", hint="check the path") from None
        raise MachineError(
            f"{name} could not be read: {error.strerror}", code="read-failed", hint="check the disk and try again"
        ) from None
