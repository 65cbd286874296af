"""From the bytes of a CSV file to columns of text.

Every cell is text, in dictionary arrays; only an unquoted empty cell is null.
The values come from pyarrow's reader.  Its errors are never passed on, because they hold cells: the fault is
looked for again by `layout`, which gives line numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from covey.base.checks import plural
from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.tables.csv.blocks import joined
from covey.tables.csv.encoding import BOM, check_utf8, to_utf8
from covey.tables.csv.header import check_first_row, check_header
from covey.tables.csv.layout import first_record, layout
from covey.tables.csv.options import CsvOptions
from covey.tables.csv.separator import detect_separator
from covey.tables.file_table import FileTable

__all__ = ["read_csv"]

BLOCK = 1 << 22
LARGEST_BLOCK = (1 << 31) - 1
MOST_LINES = 10
BLANKS = " \t"
TEXT = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, slots=True)
class _Text:
    """A CSV text in UTF-8, its header read."""

    data: bytes
    name: str
    separator: str
    columns: list[str]
    body: int
    """Where the rows begin in `data`."""
    body_line: int
    """The line on which the rows begin."""


def read_csv(data: bytes, name: str, options: CsvOptions, skip: Collection[str] = ()) -> FileTable:
    """Return the table in the bytes of a CSV file; `name` is what the file is called in an error.

    The columns in `skip` are left out, but for a look at the last one, which tells of an open quote.
    """
    utf8 = to_utf8(data, options.encoding, name)
    _check_not_empty(utf8.data, utf8.start, name, options)
    _check_no_nul(utf8.data, name)
    separator = options.separator or detect_separator(
        utf8.data, utf8.start, decimal=options.decimal, header=options.header
    )
    # without a line end the reader would take an empty last cell of the file for a quoted one
    data = utf8.data + b"\n" if utf8.data.endswith(separator.encode()) else utf8.data
    text = _with_header(data, utf8.start, name, separator, options)
    if _is_blank(text.data, text.body) and (len(text.columns) > 1 or text.body == len(text.data)):
        raise InputError(f"{name} has a header and no rows", code="no-rows", hint="give a table with rows")
    if skip:  # the reader looks at the columns that it is asked for only, and a fault in another one is one too
        check_utf8(text.data, name)
    wanted = [column for column in text.columns if column not in skip]
    table = _columns(text, wanted if text.columns[-1] in wanted else [*wanted, text.columns[-1]])
    _check_no_open_quote(text, table)
    if options.skip_blanks:
        table = pa.Table.from_arrays([_trimmed(column.chunk(0)) for column in table.columns], names=table.column_names)
    if options.header and not options.trust_header:
        check_header(table, name)
    names = None if options.header else tuple(text.columns)
    return FileTable(
        table=table.select(wanted),
        typed=False,
        format="csv",
        names=tuple(text.columns),
        csv=replace(options, separator=separator, encoding=utf8.encoding, names=names),
        first_line=text.body_line,
        lines=_lines(text, table.num_rows),
    )


# before the rows


def _check_not_empty(data: bytes, start: int, name: str, options: CsvOptions) -> None:
    is_one_column = options.names is not None and len(options.names) == 1  # then blank lines are missing values
    if start == len(data) or (_is_blank(data, start) and not is_one_column):
        raise InputError(f"{name} is empty", code="empty-file", hint="give a table with a header and rows")


def _is_blank(data: bytes, start: int) -> bool:
    return _skip_blank_lines(data, start) == len(data)


def _skip_blank_lines(data: bytes, start: int) -> int:
    while start < len(data) and data[start] in b"\r\n":
        start += 1
    return start


def _check_no_nul(data: bytes, name: str) -> None:
    place = data.find(b"\0")
    if place >= 0:
        raise InputError(
            f"{name} holds NUL bytes (first in line {_line_at(data, place):,}), which no text has",
            code="nul-bytes",
            hint=hint(
                "if it is UTF-16 text without a byte order mark give {} or utf-16-be", Asked("encoding", "utf-16-le")
            ),
        )


def _line_at(data: bytes, place: int) -> int:
    return 1 + _line_ends(data, 0, place)


def _line_ends(data: bytes, start: int, end: int) -> int:
    lone = data.count(b"\r", start, end)
    if lone:
        lone -= data.count(b"\r\n", start, end)
    text = np.frombuffer(data, np.uint8)
    pieces = range(start, end, 1 << 20)  # several times faster than `bytes.count` on short lines
    return lone + sum(int(np.count_nonzero(text[i : min(i + (1 << 20), end)] == 10)) for i in pieces)


def _with_header(data: bytes, start: int, name: str, separator: str, options: CsvOptions) -> _Text:
    top = _skip_blank_lines(data, start)
    first = first_record(data, top, separator)
    if first.is_open:
        raise _open_quote(name, _line_at(data, top))
    if not options.header:
        columns = list(options.names or (f"c{i + 1}" for i in range(len(first.cells))))
        if len(columns) != len(first.cells):
            raise InputError(
                f"{plural(len(columns), 'name')} of columns given, and the first row of {name} has "
                f"{plural(len(first.cells), 'cell')}",
                code="bad-names",
                hint="give a name for every column, or the right separator",
            )
        # leading blank lines are missing values where there is but one column
        body = top if len(columns) > 1 else start
        return _Text(data, name, separator, columns, body, _line_at(data, body))
    columns = _header_names(data, first.cells, name, _line_at(data, top), options)
    return _Text(data, name, separator, columns, first.end, _line_at(data, first.end))


def _header_names(data: bytes, cells: Sequence[bytes], name: str, line: int, options: CsvOptions) -> list[str]:
    names = [cell.decode(errors="replace") for cell in cells]
    if any("\ufffd" in column for column in names):  # the mark of what cannot be decoded, unless it stands there
        check_utf8(data, name)
    if options.skip_blanks:
        names = [column.strip(BLANKS) for column in names]
    if not options.trust_header:
        check_first_row(names, name)
    if "" in names:
        raise InputError(
            f"column {names.index('') + 1} of {name} has no name in the header (line {line:,})",
            code="empty-column-name",
            hint="name every column; pandas leaves the name of its index empty unless index=False",
        )
    double = next((i for i, column in enumerate(names) if column in names[:i]), None)
    if double is not None:  # the name itself is not told: it may be a cell of a file without a header
        raise InputError(
            f"the header of {name} has the name of column {names.index(names[double]) + 1} again (column {double + 1})",
            code="duplicate-columns",
            hint=hint(
                "give every column a name of its own, or say that the file has no header ({})", Asked("header", False)
            ),
        )
    return names


# the rows


def _trimmed(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return the cells without blanks at their ends; a cell of blanks alone is missing."""
    plain = column.dictionary
    cells = pc.utf8_trim(plain, BLANKS)
    is_blank = pc.and_(pc.equal(cells, ""), pc.not_equal(plain, ""))
    coded = pc.if_else(is_blank, pa.scalar(None, pa.string()), cells).dictionary_encode()
    return pa.DictionaryArray.from_arrays(coded.indices.take(column.indices), coded.dictionary)


def _columns(text: _Text, wanted: Sequence[str]) -> pa.Table:
    """Return the cells of the wanted columns as dictionary columns of one chunk each."""
    block = BLOCK
    while (table := _parsed(text, wanted, block)) is None:
        # outside of any handler: the reader's error, with cells in it, must not come along as the context
        _raise_fault(text)
        if block >= min(len(text.data), LARGEST_BLOCK):
            raise InputError(
                f"{text.name} cannot be read as CSV",
                code="broken-file",
                hint="check that no column has more than 2 GB of different texts",
            )
        block = min(16 * block, LARGEST_BLOCK)  # without a fault, a record was longer than a block
    return table


def _parsed(text: _Text, wanted: Sequence[str], block: int) -> pa.Table | None:
    """Return what the reader finds if it takes so many bytes at a time; None if it fails."""
    body = pa.py_buffer(text.data).slice(text.body)
    if text.data.startswith(BOM, text.body):
        body = pa.py_buffer(BOM + body.to_pybytes())  # the reader takes one away, and this one is content
    # threads only where there is more than one block for them; one that has just begun when a short
    # process ends takes the process down with it
    reading = pa.csv.ReadOptions(column_names=text.columns, block_size=block, use_threads=len(body) > block)
    parsing = pa.csv.ParseOptions(
        delimiter=text.separator,
        newlines_in_values=text.data.find(b'"', text.body) >= 0,
        ignore_empty_lines=len(text.columns) > 1,
    )
    converting = pa.csv.ConvertOptions(
        include_columns=wanted,
        column_types=dict.fromkeys(wanted, TEXT),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    try:
        return joined(pa.csv.read_csv(pa.BufferReader(body), reading, parsing, converting))
    except pa.ArrowException:
        return None


# faults


def _raise_fault(text: _Text) -> None:
    """Raise the fault that a text has, if it has one."""
    check_utf8(text.data, text.name)
    rows = layout(text.data, text.body, text.separator)
    if rows.open_line is not None:
        raise _open_quote(text.name, rows.open_line + text.body_line - 1)
    expected = len(text.columns)
    ragged = rows.n_cells != expected
    if expected > 1:
        ragged &= ~rows.is_blank
    if ragged.any():
        raise _ragged(text, rows.lines[ragged] + text.body_line - 1)


def _ragged(text: _Text, lines: Sequence[int]) -> InputError:
    shown = ", ".join(f"{line:,}" for line in lines[:MOST_LINES])
    more = f" and {len(lines) - MOST_LINES:,} more" if len(lines) > MOST_LINES else ""
    return InputError(
        f"{text.name} has {plural(len(lines), 'row')} with another number of cells than "
        f"{len(text.columns)} (line{'s' if len(lines) > 1 else ''} {shown}{more})",
        code="ragged",
        hint=hint("quote cells that hold the separator, or give the right one by {}", Asked("separator")),
    )


def _check_no_open_quote(text: _Text, table: pa.Table) -> None:
    """Raise if the last quote is never closed; the reader takes the rest of the file as a cell then.

    That cell is the last one and the file ends with it: only such a file needs the full look.
    """
    last = table.column(table.num_columns - 1)[table.num_rows - 1].as_py() if table.num_rows else None
    if last is not None and text.data.endswith(b'"' + last.replace('"', '""').encode()):
        _raise_fault(text)


def _open_quote(name: str, line: int) -> InputError:
    return InputError(
        f"{name} has a quote that is opened in the row of line {line:,} and never closed",
        code="open-quote",
        hint='close it, or write a quote inside a quoted cell twice: ""',
    )


# lines


def _lines(text: _Text, n_rows: int) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Return the line of each row, or None if every row is one line and no line is empty."""
    end = len(text.data)
    if len(text.columns) > 1:
        while text.data[end - 1] in b"\r\n":
            end -= 1
    n_lines = _line_ends(text.data, text.body, end) + (text.data[end - 1] not in b"\r\n")
    if n_lines == n_rows:
        return None
    rows = layout(text.data, text.body, text.separator)
    lines = rows.lines if len(text.columns) == 1 else rows.lines[~rows.is_blank]
    return np.asarray(lines + text.body_line - 1, np.int64)
