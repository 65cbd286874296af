"""Where the records of a CSV text begin, how many cells they have, and whether a quote stays open.

The rules are those of the reader that turns the text into columns (pyarrow): a quote counts only at the
start of a cell, inside quotes a doubled quote is one quote, after the closing quote the cell goes on as
plain text, and a line ends with LF, CR LF or CR.  Needed for line numbers and faults, never for the values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from covey.base.arrays import BoolVector, IntVector

__all__ = ["Layout", "Record", "first_record", "layout", "records"]

QUOTE, LF, CR = 34, 10, 13
PIECE = 1 << 24

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a CSV text."""

    cells: tuple[bytes, ...]
    """The cells, quotes removed."""
    end: int
    """Where the next record begins."""
    is_blank: bool
    """Whether the line was empty."""
    is_open: bool
    """Whether a quote was still open at the end of the text."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The records of a CSV text in their order."""

    lines: IntVector
    """The line on which each record begins; the first line of the text is 1."""
    n_cells: IntVector
    """How many cells each record has."""
    is_blank: BoolVector
    """Whether the line is empty."""
    open_line: int | None
    """The line of a record in which a quote is opened and never closed."""


def first_record(data: bytes, start: int, separator: str) -> Record:
    """Return the record that begins at `start`.

    >>> first_record(b'"a,b",c\\n1,2\\n', 0, ",").cells
    (b'a,b', b'c')
    """
    cells = []
    place = start
    pattern = _cell_pattern(separator)
    while True:
        match = pattern.match(data, place)
        assert match is not None  # the pattern also matches nothing
        quoted, plain = match.group("quoted", "plain")
        cells.append(plain if quoted is None else quoted.replace(b'""', b'"') + plain)
        place = match.end()
        end = match.group("end")
        if end != separator.encode():
            is_open = quoted is not None and match.group("close") is None
            is_blank = len(cells) == 1 and quoted is None and not plain
            return Record(tuple(cells), place, is_blank, is_open)


def records(data: bytes, start: int, separator: str) -> Iterator[Record]:
    """Yield the records from `start` on, blank lines included."""
    while start < len(data):
        record = first_record(data, start, separator)
        yield record
        start = record.end


def layout(data: bytes, start: int, separator: str) -> Layout:
    """Return the layout of the text from `start` on, in time linear in its length.

    Goes by pieces that begin with a record.  A piece in which every quote opens or closes a cell is read by
    array operations; one with a quote in the middle of a plain cell is read cell by cell.
    """
    parts: list[_Part] = []
    everything = np.frombuffer(data, np.uint8)
    line, size = 1, PIECE
    while start < len(data):
        stop = min(start + size, len(data))
        while stop < len(data) and data[stop - 1] == CR:  # keep CR LF together
            stop += 1
        is_last = stop == len(data)
        part = _by_arrays(everything[start:stop], ord(separator), is_last)
        if part is None:
            part = _by_cells(data[start:stop], separator, is_last)
        if part.length == 0:  # not one whole record in this piece
            size *= 2
            continue
        parts.append(replace(part, lines=part.lines + line))
        line += part.n_lines
        start += part.length
        size = PIECE
    last = parts[-1] if parts else None
    return Layout(
        lines=np.concatenate([np.zeros(0, np.int64), *(part.lines for part in parts)]),
        n_cells=np.concatenate([np.zeros(0, np.int64), *(part.n_cells for part in parts)]),
        is_blank=np.concatenate([np.zeros(0, np.bool_), *(part.is_blank for part in parts)]),
        open_line=int(last.lines[-1]) if last is not None and last.is_open else None,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    lines: IntVector
    n_cells: IntVector
    is_blank: BoolVector
    length: int
    n_lines: int
    is_open: bool


def _by_arrays(text: Bytes, separator: int, is_last: bool) -> _Part | None:
    """Return the whole records of a piece that begins with one, or None if quotes do not just alternate."""
    quotes = np.flatnonzero(text == QUOTE)
    if not _alternates(text, quotes, separator):
        return None
    breaks = np.flatnonzero((text == LF) | (text == CR))
    after = text[np.minimum(breaks + 1, len(text) - 1)]
    breaks = breaks[~((text[breaks] == CR) & (after == LF))]  # of CR LF keep the LF
    is_end = _outside(breaks, quotes)
    ends = breaks[is_end]
    numbers = np.flatnonzero(is_end) + 1  # the line on which the record after each end begins
    length = int(ends[-1]) + 1 if len(ends) else 0
    starts = np.append(0, ends + 1)
    lines = np.append(0, numbers)
    if length == len(text) or not is_last:
        starts, lines = starts[:-1], lines[:-1]
    else:
        ends = np.append(ends, len(text))
        length = len(text)
    n_lines = int(np.searchsorted(breaks, length))
    commas = np.flatnonzero(text == separator)
    commas = commas[_outside(commas, quotes)]
    n_cells = np.diff(np.searchsorted(commas, np.append(starts, length))) + 1
    first = text[np.minimum(starts, len(text) - 1)]
    is_blank = (first == LF) | (first == CR)
    is_open = bool(is_last and len(quotes) % 2)
    return _Part(lines.astype(np.int64), n_cells.astype(np.int64), is_blank, length, n_lines, is_open)


def _alternates(text: Bytes, quotes: IntVector, separator: int) -> bool:
    """Return whether every first quote of a pair stands at the start of a cell or right after a quote."""
    opening = quotes[::2]
    before = text[opening[opening > 0] - 1]
    return bool(np.all((before == separator) | (before == QUOTE) | (before == LF) | (before == CR)))


def _outside(places: IntVector, quotes: IntVector) -> BoolVector:
    """Return which places have an even number of quotes before them."""
    if not len(quotes):
        return np.ones(len(places), np.bool_)
    return np.asarray(np.searchsorted(quotes, places) % 2 == 0)


def _by_cells(data: bytes, separator: str, is_last: bool) -> _Part:
    lines, n_cells, is_blank = [], [], []
    line = place = 0
    is_open = False
    for record in records(data, 0, separator):
        if record.end == len(data) and not is_last and (record.is_open or data[-1] not in b"\r\n"):
            break  # the rest of this record is in the next piece
        lines.append(line)
        n_cells.append(len(record.cells))
        is_blank.append(record.is_blank)
        text = data[place : record.end]
        line += text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
        place = record.end
        is_open = record.is_open
    return _Part(
        np.array(lines, np.int64), np.array(n_cells, np.int64), np.array(is_blank, np.bool_), place, line, is_open
    )


@cache
def _cell_pattern(separator: str) -> re.Pattern[bytes]:
    """Return a pattern of one cell and what ends it; it never goes back (`++`, `*+`), like the reader."""
    mark = re.escape(separator.encode())
    return re.compile(
        rb'(?:"(?P<quoted>(?:[^"]++|"")*+)(?P<close>")?+)?+'
        rb"(?P<plain>[^" + mark + rb"\r\n]*+)"
        rb"(?P<end>" + mark + rb"|\r\n|\n|\r|\Z)"
    )
