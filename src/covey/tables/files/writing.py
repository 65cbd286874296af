"""From a table to a file, or stdout, that has been read back and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import pyarrow as pa

from covey.base.errors import InputError
from covey.tables.csv.options import CsvOptions
from covey.tables.csv.writing import write_csv
from covey.tables.files.atomic import publish_file
from covey.tables.files.columnar import write_arrow, write_parquet
from covey.tables.files.target import check_target, target_format, written_options

__all__ = ["write_table"]


def write_table(
    table: pa.Table,
    target: str,
    *,
    format: str | None,  # noqa: A002 (the word of every reader and writer)
    csv: CsvOptions,
    force: bool,
    check: Callable[[str], None],
    source: str | None,
) -> None:
    """Write a table to a file, or to stdout if the target is `-`; it appears whole and checked or not at all.

    check: called with the path of the written file before it gets its name; what it raises stops the
    publication.  A CSV file is to be read back with `written_options(target, csv, names)`.
    format: for a target whose ending tells none.  source: the input, never written over.
    """
    check_target(target, source=source, force=force)
    kind = target_format(target, format)
    options = written_options(target, csv, tuple(table.column_names))

    def write(out: BinaryIO) -> None:
        try:
            if kind == "csv":
                write_csv(table, out, options)
            elif kind == "parquet":
                write_parquet(table, out)
            else:
                write_arrow(table, out)
        except pa.ArrowException:  # its text may hold values
            raise InputError(
                f"the table has a column of a type that {kind} files cannot hold",
                code="unsupported-column",
                hint="turn the column into text, numbers or dates, or choose another format",
            ) from None

    publish_file(write, target, check=check, force=force)
