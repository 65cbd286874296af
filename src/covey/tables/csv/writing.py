"""From a table to the bytes of a CSV file: UTF-8, LF, quotes only where they are needed.

Null is an empty cell, an empty text is `""`.  Quotes are set once per distinct value; neighbouring columns of
few values become one column of their pairs; rows are then joined from these values, a batch at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import IntVector
from covey.base.errors import InputError
from covey.tables.csv.options import CsvOptions
from covey.tables.csv.render import render_text

__all__ = ["write_csv"]

BATCH_ROWS = 1 << 14
BATCH_BYTES = 1 << 28
MOST_PAIRS = 1 << 14
TEXT = pa.large_string()
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class _Cells:
    """One column, or several beside each other, ready to be joined: the text of row i is values[codes[i]]."""

    codes: IntVector
    values: pa.Array

    def rows(self, start: int, count: int) -> pa.Array:
        return self.values.take(pa.array(self.codes[start : start + count]))

    def longest(self) -> int:
        return int(pc.max(pc.binary_length(self.values)).as_py())


def write_csv(table: pa.Table, out: BinaryIO, options: CsvOptions) -> None:
    """Write a table as CSV with the separator of `options` (a comma if it has none), a header if it says so.

    >>> import io
    >>> out = io.BytesIO()
    >>> write_csv(pa.table({"a": ["x,y", "", None], "b": [1, 2, 3]}), out, CsvOptions())
    >>> print(out.getvalue().decode())
    a,b
    "x,y",1
    "",2
    ,3
    """
    separator = options.separator or ","
    if options.header:
        names = pa.array(table.column_names, TEXT)
        cells = _quoted(names, separator, "the header").to_pylist()
        out.write((separator.join(cells) + "\n").encode())
    if not table.num_columns:
        return
    pairs = zip(table.column_names, table.columns, strict=True)
    columns = [_cells(column, name, separator, options.decimal) for name, column in pairs]
    columns = _merged(columns, separator)
    columns[-1] = _ending_in(columns[-1], "\n")
    widest = sum(column.longest() for column in columns) + len(columns)
    step = max(1, min(BATCH_ROWS, BATCH_BYTES // widest))
    mark = pa.scalar(separator, TEXT)
    for start in range(0, table.num_rows, step):
        parts = [column.rows(start, step) for column in columns]
        out.write(_bytes_of(pc.binary_join_element_wise(*parts, mark)))


def _cells(column: pa.ChunkedArray, name: str, separator: str, decimal: str) -> _Cells:
    text = render_text(column, name, decimal)
    if not pa.types.is_dictionary(text.type):
        text = text.dictionary_encode()
    values = _quoted(text.dictionary.cast(TEXT), separator, f"column `{name}`").fill_null("")
    values = pa.concat_arrays([values, pa.array([""], TEXT)])  # the last value is the cell of a null
    codes = text.indices
    if codes.null_count:
        codes = codes.cast(pa.int64()).fill_null(len(values) - 1)
    return _Cells(codes.to_numpy(zero_copy_only=False), values)


def _merged(columns: list[_Cells], separator: str) -> list[_Cells]:
    """Return fewer columns with the same text: neighbours of few values joined into all pairs of them.

    Pays because joining costs time for every cell of every row.  The pairs stay few enough for the cache,
    and far fewer than the rows.
    """
    merged = columns[:1]
    for column in columns[1:]:
        left = merged[-1]
        n_pairs = len(left.values) * len(column.values)
        if n_pairs > MOST_PAIRS or 8 * n_pairs > len(column.codes):
            merged.append(column)
            continue
        first = np.repeat(np.arange(len(left.values)), len(column.values))
        second = np.tile(np.arange(len(column.values)), len(left.values))
        pairs = pc.binary_join_element_wise(
            left.values.take(pa.array(first)), column.values.take(pa.array(second)), pa.scalar(separator, TEXT)
        )
        codes = left.codes.astype(np.int32) * np.int32(len(column.values)) + column.codes.astype(np.int32)
        merged[-1] = _Cells(codes, pairs)
    return merged


def _ending_in(column: _Cells, end: str) -> _Cells:
    values = pc.binary_join_element_wise(column.values, pa.scalar(end, TEXT), pa.scalar("", TEXT))
    return _Cells(column.codes, values)


def _quoted(values: pa.Array, separator: str, where: str) -> pa.Array:
    """Return the values, those that need it in quotes: a separator, a quote, a line end, nothing at all.

    So is a text that begins with a byte order mark, which at the start of a file would be lost.
    """
    if not _may_need_quotes(values, separator):
        return values
    if pc.any(pc.match_substring(values, "\0")).as_py():
        raise InputError(
            f"{where} holds NUL characters, which a CSV file cannot hold",
            code="nul-bytes",
            hint="remove them, or write Parquet or Arrow IPC",
        )
    special = "[" + "".join(f"\\x{{{ord(mark):x}}}" for mark in separator + '"\r\n') + "]"
    needs = pc.fill_null(pc.match_substring_regex(values, f"{special}|^{BOM}|\\A\\z"), False)
    if not pc.any(needs).as_py():
        return values
    quote, nothing = pa.scalar('"', TEXT), pa.scalar("", TEXT)
    odd = pc.replace_substring(values.filter(needs), '"', '""')
    return pc.replace_with_mask(values, needs, pc.binary_join_element_wise(quote, odd, quote, nothing))


def _may_need_quotes(values: pa.Array, separator: str) -> bool:
    """Return False if no value can need quotes, told from the bytes of all of them at once."""
    if pc.any(pc.equal(pc.binary_length(values), 0)).as_py():
        return True
    text = values.buffers()[2]
    data = b"" if text is None else text.to_pybytes()
    return any(mark.encode() in data for mark in (separator, '"', "\r", "\n", "\0", BOM))


def _bytes_of(rows: pa.Array) -> memoryview:
    """Return the text of all rows as it lies in memory, one row after the other."""
    _, offsets, text = rows.buffers()
    places = np.frombuffer(offsets, np.int64, len(rows) + 1, rows.offset * 8)
    return memoryview(text)[places[0] : places[-1]]
