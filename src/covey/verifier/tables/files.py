"""From a path, stdin or bytes to a table."""

from __future__ import annotations

import errno
import re
import sys
from collections.abc import Collection

from covey.base.errors import InputError, MachineError
from covey.verifier.tables.columnar import is_columnar, read_columnar
from covey.verifier.tables.csv import read_csv
from covey.verifier.tables.written import FileRead, Written

__all__ = ["read_file"]

_UNPACKED = "unpack it on the way: {} {} | covey verify - ..."
_SAVED = "save it as CSV or Parquet in the program that made it"
_SHEET = "save the sheet as CSV in UTF-8"
_OTHERS = {
    rb"PK\x03\x04(?s:.{0,4096}?)(?:\[Content_Types\]\.xml|application/vnd\.oasis|xl/)": ("a spreadsheet", _SHEET),
    rb"PK\x03\x04": ("a zip archive", "unzip -p"),
    rb"\x1f\x8b": ("a gzip archive", "zcat"),
    rb"BZh": ("a bzip2 archive", "bzcat"),
    rb"\x28\xb5\x2f\xfd": ("a zstandard archive", "zstdcat"),
    rb"\xfd7zXZ": ("an xz archive", "xzcat"),
    rb"SQLite format 3": ("a database", "export the table as CSV or Parquet"),
    rb"PARE": ("an encrypted Parquet file", "write it without encryption"),
    rb"FEA1": ("a Feather file of version 1", "write it as Feather version 2 or Parquet"),
    rb"\xd0\xcf\x11\xe0": ("an old office file", _SHEET),
    rb"<stata_dta>|[\x6e\x6f\x71-\x73][\x01\x02]": ("a Stata file", _SAVED),
    rb"\$FL[23]": ("an SPSS file", _SAVED),
    rb"\x00{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}LIBRARY": ("a SAS file", _SAVED),
    rb"RDX": ("an R file", _SAVED),
    rb"\x89HDF": ("an HDF5 file", _SAVED),
    rb"%PDF": ("a PDF file", "ask for the table itself"),
    rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])": ("JSON", "give the table as CSV, Parquet or Arrow IPC"),
}
"""How files begin that are no tables, what they are, and what to do: words, or the command that unpacks them."""
_UNTOLD = Written()
"""Nobody said how a CSV file is written."""


def read_file(
    source: str | bytes, written: Written = _UNTOLD, *, skip: Collection[str] = (), name: str | None = None
) -> FileRead:
    """Return the table in a file, from stdin (`-`), or in bytes that were read already.

    Parquet and Arrow IPC are known by their first bytes; anything else is CSV, read as `written` says.
    The columns in `skip` are left out.
    """
    if name is None:
        name = "stdin" if source == "-" or isinstance(source, bytes) else f"`{source}`"
    data = source if isinstance(source, bytes) else _bytes_of(source, name)
    if is_columnar(data):
        table = read_columnar(data, name)
        kept = table.select([column for column in table.column_names if column not in skip])
        return FileRead(name, kept, tuple(table.column_names), typed=True)
    for beginning, (kind, remedy) in _OTHERS.items():
        if re.match(beginning, data):
            unpacks = remedy.split()[0] in ("zcat", "bzcat", "zstdcat", "xzcat", "unzip")
            path = "FILE" if name == "stdin" else name.strip("`")
            raise InputError(
                f"{name} is {kind}, which cannot be read",
                code="unknown-format",
                hint=_UNPACKED.format(remedy, path) if unpacks else remedy,
            )
    return read_csv(data, name, written, skip)


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
