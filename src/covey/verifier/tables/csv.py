"""From the bytes of a CSV file to columns of text; only an unquoted empty cell is null."""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.base.checks import plural
from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.verifier.tables.bounds import OpenQuote, bounds_of, cell_of, pieces
from covey.verifier.tables.names import Names
from covey.verifier.tables.separator import find_separator, published_separator
from covey.verifier.tables.written import FileRead, Written

__all__ = ["read_csv"]

_SPAN = re.compile(r"\s*[-+\d.,\[({<>*]")
_DATA = re.compile(r"\s*(?:[-+]?[\d.,]*\d(?:[eE][-+]?\d+)?|\d{4}-\d\d-\d\d\b.*)\s*")


def read_csv(data: bytes, name: str, written: Written, skip: Collection[str] = ()) -> FileRead:
    """Return the columns that are not in `skip`, as dictionaries of text."""
    text = _utf8(data, written.encoding, name)
    if not text.lstrip(b"\r\n") and not (written.names is not None and len(written.names) == 1):
        raise InputError(f"{name} is empty", code="empty-file", hint="give a table with a header and rows")
    if b"\0" in text:
        raise InputError(
            f"{name} holds NUL bytes, which no text has",
            code="nul-bytes",
            hint=hint(
                "if it is UTF-16 text without a byte order mark give {} or utf-16-be", Asked("encoding", "utf-16-le")
            ),
        )
    top = len(text) - len(text.lstrip(b"\r\n"))
    separator = written.separator
    if separator is None and written.quasi:
        separator = published_separator(text, written, name, lambda mark: _first_record(text, top, mark, name)[0])
    separator = separator or find_separator(text, written.decimal)
    cells, after = _first_record(text, top, separator, name)
    if written.header is False:
        names = _given_names(len(cells), name, written)
        body = 0 if len(names) == 1 else top  # where there is one column, blank lines are missing values
    else:
        names, body = _header(cells, name, written), after
    columns = _columns(text, body, separator, names, skip, name)
    read = {column: cells.texts(separator, text, name) for column, cells in columns.items()}
    if written.trims:
        read = {column: _Texts(one.codes, [_trimmed(cell) for cell in one.cells]) for column, one in read.items()}
    elif written.blank_after:
        read = _without_blank_after(read, names[0])
    if written.header is None:
        _check_names_are_no_values(read, name)
    table = pa.table({column: one.to_arrow() for column, one in read.items()})
    return FileRead(name, table, names, typed=False, separator=separator)


# --- text ----------------------------------------------------------------------------------------------------


def _utf8(data: bytes, encoding: str | None, name: str) -> bytes:
    """Return the text in UTF-8 (checked only if it was something else), one byte order mark left out."""
    if encoding is None:
        is_wide = data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE))  # the first begins as UTF-16 does
        is_pairs = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "utf-32" if is_wide else "utf-16" if is_pairs else "utf-8"
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        with contextlib.suppress(ValueError):  # a UnicodeError is one, and holds the bytes
            return data.decode(encoding).encode().removeprefix(codecs.BOM_UTF8)
        raise _not_text(name, encoding, "it")
    return data.removeprefix(codecs.BOM_UTF8)


def _not_text(name: str, encoding: str, where: str) -> InputError:
    return InputError(
        f"{name} is not {encoding} text: {where} cannot be decoded",
        code="encoding",
        hint=hint(
            "give the encoding that the file has, for example {}, cp1252 or utf-16", Asked("encoding", "latin-1")
        ),
    )


def _decoded(cell: bytes, text: bytes, name: str) -> str:
    with contextlib.suppress(UnicodeDecodeError):
        return cell.decode()
    raise _not_text(name, "utf-8", f"line {_bad_line(text):,}")


def _bad_line(text: bytes) -> int:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return _line(text, error.start)
    return 1


def _line(text: bytes, place: int) -> int:
    """Return the line (from 1) on which a place of the text lies."""
    return 1 + text.count(b"\n", 0, place) + text.count(b"\r", 0, place) - text.count(b"\r\n", 0, place)


# --- header --------------------------------------------------------------------------------------------------


def _first_record(text: bytes, start: int, separator: str, name: str) -> tuple[list[str], int]:
    """Return the cells of the record that begins at `start`, and where the next one begins."""
    size = 1 << 16
    while True:
        part = memoryview(text)[start : start + size]
        is_last = start + size >= len(text)
        try:
            found = bounds_of(part, separator, is_last=is_last)
        except OpenQuote as open_:
            if open_.place == 0:
                raise _open_quote(name, _line(text, start)) from None
            found = bounds_of(part[: open_.place], separator, is_last=True)
        if len(found.ends):
            break
        size *= 4
    last = int(np.argmax(found.closes))
    ends = [0, *found.ends[: last + 1].tolist()]
    raw = [bytes(part[a:b]) for a, b in pairwise(ends)]
    return [_decoded(cell_of(one, separator) or b"", text, name) for one in raw], start + ends[-1]


def _check_names_are_no_values(read: dict[str, _Texts], name: str) -> None:
    """Raise if names are values of their own columns: of most, or of one where no column holds numbers or spans."""
    found = sum(column in one.cells for column, one in read.items())
    settled = any(one.cells and all(cell is None or _SPAN.match(cell) for cell in one.cells) for one in read.values())
    if 2 * found > len(read) > 1 or (found and not settled):
        raise _header_like_data(name, found, f"{'is a value' if found == 1 else 'are values'} further down")


def _header_like_data(name: str, found: int, what: str) -> InputError:
    return InputError(
        f"the first row of {name} looks like data, not like a header: {plural(found, 'name')} of columns {what}",
        code="header-like-data",
        hint=hint("give {}, or {} if it does hold the names", Asked("header", False), Asked("header", True)),
    )


def _header(cells: Sequence[str], name: str, written: Written) -> tuple[str, ...]:
    names = tuple(cell.strip(" \t") if written.trims or written.blank_after else cell for cell in cells)
    data_like = sum(_DATA.fullmatch(column) is not None for column in names)
    if data_like and not written.header:  # names that may be somebody's data are not told
        raise _header_like_data(name, data_like, "would be numbers or dates")
    if not all(names):
        raise InputError(
            f"column {names.index('') + 1} of {name} has no name in the header",
            code="empty-column-name",
            hint="name every column; pandas leaves the name of its index empty unless index=False",
        )
    if len(set(names)) < len(names):
        raise InputError(
            f"the header of {name} has a name more than once",
            code="duplicate-columns",
            hint="give every column a name of its own, or say that the file has no header",
        )
    return names


def _given_names(n_cells: int, name: str, written: Written) -> tuple[str, ...]:
    """Return the names of the columns of a file without a header."""
    known = (Names(written.names),) if written.names else tuple(one for one in written.possible if one.columns)
    fitting = next((names for names in known if names.fits(n_cells)), None)
    if fitting is not None:
        return fitting.of(n_cells, name)
    if known:
        raise InputError(
            f"{plural(len(known[0].columns), 'name')} of columns given, and the first row of {name} has"
            f" {plural(n_cells, 'cell')}",
            code="bad-names",
            hint="give a name for every column, or the right separator",
        )
    return tuple(f"c{place + 1}" for place in range(n_cells))


# --- rows ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Texts:
    """The code of every row, and the text of each code (None: missing)."""

    codes: IntVector
    cells: list[str | None]

    def to_arrow(self) -> pa.DictionaryArray:
        number: dict[str, int] = {}
        place = [-1 if cell is None else number.setdefault(cell, len(number)) for cell in self.cells]
        codes = np.array(place, np.int32)[self.codes] if len(place) else np.zeros(0, np.int32)
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, pa.array(list(number), pa.large_string()))


@dataclass(slots=True)
class _Raw:
    """A column as it is written: a number for every different run of bytes, marks and quotes included."""

    number: dict[bytes, int] = field(default_factory=dict)
    codes: list[IntVector] = field(default_factory=list)

    def add(self, cells: pa.Array) -> None:
        coded = cells.dictionary_encode()
        number = self.number
        place = [number.setdefault(raw, len(number)) for raw in coded.dictionary.to_pylist()]
        self.codes.append(np.array(place, np.int32)[coded.indices.to_numpy()])

    def texts(self, separator: str, text: bytes, name: str) -> _Texts:
        """Return what the cells say."""
        found = [cell_of(raw, separator) for raw in self.number]
        cells = [None if cell is None else _decoded(cell, text, name) for cell in found]
        return _Texts(np.concatenate(self.codes), cells)


def _trimmed(cell: str | None) -> str | None:
    """Return a cell without blanks at its ends; one of blanks alone is missing."""
    if not cell:
        return cell
    return cell.strip(" \t") or None


def _without_blank_after(read: dict[str, _Texts], first: str) -> dict[str, _Texts]:
    """Return the cells without the blank after the separator, if each but those of the first column begins so."""
    others = [one for column, one in read.items() if column != first]
    if not all(cell is not None and cell.startswith(" ") for one in others for cell in one.cells):
        return read
    return {
        column: one if column == first else _Texts(one.codes, [cell and (cell[1:] or None) for cell in one.cells])
        for column, one in read.items()
    }


def _columns(
    text: bytes, body: int, separator: str, names: tuple[str, ...], skip: Collection[str], name: str
) -> dict[str, _Raw]:
    places = [(place, column) for place, column in enumerate(names) if column not in skip]
    columns = {column: _Raw() for _, column in places}
    n_rows = 0
    try:
        for piece, bounds, start in pieces(text, body, separator):
            offsets = np.concatenate([[0], bounds.ends])
            # where there is but one column, blank lines are missing values
            firsts, n_cells = bounds.records(piece, with_blank=len(names) == 1)
            ragged = offsets[firsts[n_cells != len(names)]]
            if len(ragged):
                raise _ragged(name, len(names), [_line(text, start + place) for place in ragged[:10].tolist()])
            buffers = [None, pa.py_buffer(offsets), pa.py_buffer(piece)]
            cells = pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)
            for place, column in places:
                columns[column].add(cells.take(pa.array(firsts + place)))
            n_rows += len(firsts)
    except OpenQuote as open_:
        raise _open_quote(name, _line(text, open_.place)) from None
    if not n_rows:
        raise InputError(f"{name} has a header and no rows", code="no-rows", hint="give a table with rows")
    return columns


def _ragged(name: str, expected: int, lines: Sequence[int]) -> InputError:
    shown = ", ".join(f"{line:,}" for line in lines)
    return InputError(
        f"{name} has rows with another number of cells than {expected} (first in line"
        f"{'s' if len(lines) > 1 else ''} {shown})",
        code="ragged",
        hint=hint("quote cells that hold the separator, or give the right one by {}", Asked("separator")),
    )


def _open_quote(name: str, line: int) -> InputError:
    return InputError(
        f"{name} has a quote that is opened in the row of line {line:,} and never closed",
        code="open-quote",
        hint='close it, or write a quote inside a quoted cell twice: ""',
    )
