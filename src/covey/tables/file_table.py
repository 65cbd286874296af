"""A table as it was read from a file, with what is needed to point back into the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from covey.base.arrays import IntVector
from covey.tables.csv.options import CsvOptions

__all__ = ["FileTable", "Format"]

Format = Literal["csv", "parquet", "arrow"]


@dataclass(frozen=True, slots=True)
class FileTable:
    """A table read from a file."""

    table: pa.Table
    """The columns; of a CSV file all are text, as dictionary arrays of one chunk."""
    typed: bool
    """Whether the file gave the columns their types (False for CSV: the schema does)."""
    format: Format
    """What kind of file it was."""
    csv: CsvOptions
    """How the CSV file was written, separator and encoding filled in."""
    names: tuple[str, ...] = ()
    """All columns of the file, those that were not loaded too."""
    first_line: int = 1
    """The line (CSV) or number (else) of the first row."""
    lines: IntVector | None = None
    """The line on which each row begins, where rows and lines do not run together."""
    data: bytes | None = None
    """The bytes of what cannot be read a second time: stdin, a pipe."""

    def line_of(self, row: int) -> int:
        """Return the line on which a row (counted from 0) begins; its number from 1 if there are no lines.

        >>> FileTable(pa.table({}), False, "csv", CsvOptions(), first_line=2).line_of(0)
        2
        """
        return self.first_line + row if self.lines is None else int(self.lines[row])
