"""Where the cells of a CSV text end, and what they say.

A quote counts only at the start of a cell; inside quotes a doubled quote is one quote; after the closing quote the
cell goes on as plain text; a record ends with LF, CR LF or CR.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import BoolVector, IntVector

__all__ = ["Bounds", "OpenQuote", "bounds_of", "cell_of", "pieces"]

QUOTE, LF, CR = b'"'[0], b"\n"[0], b"\r"[0]
PIECE = 1 << 24


class OpenQuote(Exception):
    """A quote that begins somewhere after `place` is never closed."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


@dataclass(frozen=True, slots=True)
class Bounds:
    """The cells of a text: each ends before `ends`, its separator or line end included."""

    ends: IntVector
    closes: BoolVector
    """Whether the cell is the last of its record."""

    def whole_records(self) -> Bounds:
        """Return the cells up to the last end of a record."""
        last = np.flatnonzero(self.closes)
        n_cells = int(last[-1]) + 1 if len(last) else 0
        return Bounds(self.ends[:n_cells], self.closes[:n_cells])

    def records(
        self, text: memoryview, most: int | None = None, *, with_blank: bool = False
    ) -> tuple[IntVector, IntVector]:
        """Return (its first cell, how many it has) of each of the first records, of all if `most` is None.

        with_blank: False leaves out blank lines.
        """
        last = np.flatnonzero(self.closes)[: most if len(text) else 0]
        n_cells = np.diff(last, prepend=-1)
        first = last - n_cells + 1
        begins = np.concatenate([[0], self.ends[last[:-1]]])[: len(last)]
        marks = np.frombuffer(text, np.uint8)[np.minimum(begins, len(text) - 1)]
        kept = with_blank | (n_cells > 1) | ((marks != LF) & (marks != CR))
        return first[kept], n_cells[kept]


def pieces(data: bytes, start: int, separator: str, size: int = PIECE) -> Iterator[tuple[memoryview, Bounds, int]]:
    """Yield (text, its cells, where it begins) of pieces of whole records, one after the other."""
    wanted = size
    while start < len(data):
        stop = min(start + wanted, len(data))
        while stop < len(data) and data[stop - 1] == CR:  # CR LF stays together
            stop += 1
        text = memoryview(data)[start:stop]
        found = bounds_of(text, separator, is_last=stop == len(data), place=start)
        if not len(found.ends):
            wanted *= 2
            continue
        length = int(found.ends[-1])
        yield text[:length], found, start
        start, wanted = start + length, size


def bounds_of(text: memoryview, separator: str, *, is_last: bool, place: int = 0) -> Bounds:
    """Return the cells of a text that begins with a record; of its whole records only, unless it is the last.

    Raises `OpenQuote` if the last text ends inside quotes.
    """
    found = _by_pairs_of_quotes(text, ord(separator))
    if found is None:
        found = _cell_by_cell(bytes(text), separator)
    cells, is_open = found
    if not is_last:
        return cells.whole_records()
    if is_open:
        whole = cells.whole_records().ends
        raise OpenQuote(place + (int(whole[-1]) if len(whole) else 0))
    length = len(text)
    if not len(cells.ends) or cells.ends[-1] < length or not cells.closes[-1]:  # the last line may have no end
        cells = Bounds(np.append(cells.ends, length), np.append(cells.closes, True))
    return cells


def _by_pairs_of_quotes(text: memoryview, separator: int) -> tuple[Bounds, bool] | None:
    """Return (cells, whether a quote is open at the end); None if a quote stands inside a plain cell."""
    codes = np.frombuffer(text, np.uint8)
    quotes = np.flatnonzero(codes == QUOTE)
    opening = quotes[::2]
    before = codes[opening[opening > 0] - 1]
    if not np.isin(before, (separator, QUOTE, LF, CR)).all():
        return None
    marks = np.flatnonzero((codes == separator) | (codes == LF) | (codes == CR))
    if len(quotes):
        marks = marks[np.searchsorted(quotes, marks) % 2 == 0]
    following = codes[np.minimum(marks + 1, len(codes) - 1)]
    marks = marks[~((codes[marks] == CR) & (following == LF))]  # of CR LF the LF is the end
    return Bounds(marks + 1, codes[marks] != separator), len(quotes) % 2 == 1


def _cell_by_cell(text: bytes, separator: str) -> tuple[Bounds, bool]:
    ends, closes = [], []
    place, is_open = 0, False
    mark = re.compile(b"\r\n|[\r\n" + re.escape(separator.encode()) + b"]")
    while place < len(text):
        if text[place] == QUOTE:
            after = _after_quotes(text, place)
            if after is None:
                is_open = True
                break
            place = after
        found = mark.search(text, place)
        if found is None:
            break
        place = found.end()
        ends.append(place)
        closes.append(found.group() != separator.encode())
    return Bounds(np.array(ends, np.int64), np.array(closes, bool)), is_open


def cell_of(raw: bytes, separator: str) -> bytes | None:
    """Return what a cell says without its quotes and the mark that ends it; None if nothing stands there.

    >>> cell_of(b'"a ""b"" c",', ","), cell_of(b'"",', ","), cell_of(b",", ",")
    (b'a "b" c', b'', None)
    """
    for mark in (b"\r\n", b"\n", b"\r", separator.encode()):
        if raw.endswith(mark):
            raw = raw[: -len(mark)]
            break
    if not raw.startswith(b'"'):
        return raw or None
    after = _after_quotes(raw, 0) or len(raw) + 1
    return raw[1 : after - 1].replace(b'""', b'"') + raw[after:]


def _after_quotes(text: bytes, opening: int) -> int | None:
    """Return the place after the quote that closes the one at `opening`; None if none does."""
    place = opening + 1
    while (quote := text.find(b'"', place)) >= 0:
        if text[quote + 1 : quote + 2] != b'"':
            return quote + 1
        place = quote + 2
    return None
