"""Does the first row of a CSV file hold names, or is it somebody's record?

A record that is taken for names would be published, so what is in doubt is refused.  One word that headers are made
of, alone in its cell above a column of numbers or dates, settles it, if half of the first row are single words or hold
a word of headers: that row is a header.  Else the first row is taken for a record if a cell of it is a value of its own
column further down, has a form that no name has (an address, a date, a mark for missing), has the very pattern of its
column (`P0012` above codes such as `P0417`), or if half of its cells have the form of the text below them and none is
a word that headers are made of.  Somebody may have written `declined` or `in care` where others gave a number: where
there are columns of numbers, and where very few rows are there to compare with, half of the names must read like
names, or three quarters of them (or all, in lower case) be single words of which those above text differ in form.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.checks import plural
from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.tables.arrow_types import codes_of
from covey.tables.csv.header_words import HEADER_WORDS, NUMBER_WORDS, PREPOSITIONS, UNTOLD

__all__ = ["check_first_row", "check_header", "header_like_data", "looks_like_data"]

SAMPLE = 100
"""So many different values of a column are looked at."""
_NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][-+]?\d+)?\s*%?"
_DATE = r"\d{4}-\d\d-\d\d.*|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}/\d\d?/\d\d?|\d{1,2}:\d\d(?::\d\d)?"
_DATA = re.compile(rf"\s*(?:{_NUMBER}|{_DATE})\s*", re.ASCII)
_ADDRESS = re.compile(
    r"\s*(?:[^@\s]+@[^@\s]+\.[^@\s]+|https?://\S+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\s*"
)
_SHORT_MISSING = re.compile(r"\s*(?:n\s*[./]\s*a|k\s*[./]\s*a|o\s*[./]\s*a|n\s*[./]\s*v)\s*\.?\s*", re.IGNORECASE)
"""`n. a.`, `k.A.` (keine Angabe), `o. A.` (ohne Angabe), `n. v.` (nicht vorhanden)."""
_MISSING = frozenset({"?", "-", "--", ".", "na", "n/a", "nan", "null", "none", "#n/a", "missing"})
_FEW = 4
"""In fewer rows than these the form of values tells little."""
_PLAIN_NAME = re.compile(r"[A-Za-z]|[A-Za-z_.]+[ _.-]?\d+(?:[ _.-]?[A-Za-z]+)?|.*_.*")
_WITH_UNIT = re.compile(r"\s*[<>~]?\s*\d+(?:[.,]\d+)?\s*[a-z+]{0,8}\.?\s*")
_NO_VALUE = re.compile(r"\s*no\s+(?!of\b)\w", re.IGNORECASE)
_SINGLE_WORD = re.compile(r"[^\W\d][\w.$#%/-]*")


def looks_like_data(cell: str) -> bool:
    """Return whether a cell can be no name: a number, a date, an address, a mark for missing.

    >>> [looks_like_data(cell) for cell in ("12.03.1980", "a@b.org", "?", "k. A.", "age", "Q1")]
    [True, True, True, True, False, False]
    """
    if any(form.fullmatch(cell) for form in (_DATA, _ADDRESS, _SHORT_MISSING)):
        return True
    return cell.strip().casefold() in _MISSING


def check_first_row(cells: Sequence[str], name: str) -> None:
    """Raise if cells of the first row can be no names."""
    found = sum(map(looks_like_data, cells))
    if found:
        kinds = "numbers, dates, addresses or marks for missing"
        raise header_like_data(name, f"{plural(found, 'name')} of columns would be {kinds}")


def check_header(table: pa.Table, name: str) -> None:
    """Raise if the names of a table that was read are likely somebody's record."""
    repeated = [_count(table.column(column), column) for column in table.column_names]
    found = sum(count > 0 for count in repeated)
    if table.num_columns > 1 and 2 * found > table.num_columns:
        raise header_like_data(name, _repeated(found))
    samples = {column: _sample(table.column(column)) for column in table.column_names}
    measured = {column for column, values in samples.items() if _are_measures(values)}
    if _is_settled(table.column_names, measured):
        return
    common = [
        count >= 0.1 * table.num_rows / max(len(table.column(column).chunk(0).dictionary), 1)
        for column, count in zip(table.column_names, repeated, strict=True)
        if count
    ]
    if any(common):
        raise header_like_data(name, _repeated(sum(common)))
    if any(_has_pattern_of(column, values) for column, values in samples.items()):
        raise header_like_data(name, "a name of a column would have the pattern of the values below it")
    _check_names(samples, measured, table.num_rows < _FEW, name)


def _check_names(
    samples: Mapping[str, Sequence[str]], measured: AbstractSet[str], has_few_rows: bool, name: str
) -> None:
    """Raise if too few names read like names.

    samples: some values below each of them.  measured: those above numbers or dates.
    """
    names = {column for column, values in samples.items() if _is_name(column, values, column in measured)}
    fitting = {column for column in samples.keys() - measured if has_few_rows or _fits_among(column, samples[column])}
    if not measured and not has_few_rows:
        if not names and 2 * len(fitting) >= len(samples):  # one rare value (`HIV` above `flu`) makes no header
            raise header_like_data(name, "no name of a column is a known word, and half of them fit the values below")
    elif 2 * len(names) < len(samples) and not _are_other_words(samples, names | measured, fitting):
        found = f"{len(names):,} of {plural(len(samples), 'name')} of columns would read like names"
        raise header_like_data(name, found)


def _is_settled(cells: Sequence[str], measured: Collection[str]) -> bool:
    """Return whether a header word stands alone above numbers, nothing above numbers tells that it is no name, and
    half of the row are single words or hold one of headers."""
    if any(_tells_no_name(cell) for cell in measured) or not any(
        _is_single_word(cell) and _has_header_word(cell) for cell in measured
    ):
        return False
    return 2 * sum(_is_single_word(cell) or _has_header_word(cell) for cell in cells) >= len(cells)


def _are_other_words(cells: Collection[str], names: AbstractSet[str], fitting: AbstractSet[str]) -> bool:
    """Return whether cells are words in a language without known ones.

    Three quarters of them are names, stand above numbers or differ in form from the text below; or all of them are in
    lower case and one differs so.
    """
    words = {cell for cell in cells if _is_single_word(cell)}
    if len(words) == len(cells) and all(map(str.islower, words)) and words - names - fitting:
        return True
    return 4 * len(words & names | words - fitting) >= 3 * len(cells)


def _repeated(found: int) -> str:
    return f"{plural(found, 'name')} of columns {'is a value' if found == 1 else 'are values'} further down"


def header_like_data(name: str, why: str) -> InputError:
    """Return the error of a first row that is likely a record; what may be somebody's data is not told."""
    return InputError(
        f"the first row of {name} looks like data, not like a header: {why}",
        code="header-like-data",
        hint=hint("give {}, or {} if it does hold the names", Asked("header", False), Asked("header", True)),
    )


def _count(column: pa.ChunkedArray, value: str) -> int:
    """Return in how many rows a value stands."""
    coded = column.chunk(0)
    place = pc.index(coded.dictionary, value).as_py()
    return int(np.count_nonzero(codes_of(coded) == place)) if place >= 0 else 0


def _sample(column: pa.ChunkedArray) -> list[str]:
    return [value for value in column.chunk(0).dictionary[:SAMPLE].to_pylist() if value]


def _are_measures(values: Sequence[str]) -> bool:
    """Return whether a column is of numbers or dates, which its name is not: else the row was refused before."""
    return bool(values) and sum(_DATA.fullmatch(value) is not None for value in values) >= 0.9 * len(values)


def _pattern(cell: str) -> str:
    """Return a cell with its digits and letters made alike."""
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", cell)))


def _has_pattern_of(cell: str, values: Sequence[str]) -> bool:
    """Return whether a name is a code such as all values of its column."""
    own = _pattern(cell)
    return len(values) > 1 and own.count("9") >= 2 and all(_pattern(value) == own for value in values)


def _is_name(cell: str, values: Sequence[str], is_measure: bool) -> bool:
    """Return whether a cell reads like the name of a column of numbers, or of one of text."""
    if is_measure:
        return not _tells_no_name(cell) and _has_header_word(cell)
    return _has_header_word(cell, but={word for value in values for word in _words(value)})


def _has_header_word(cell: str, but: Collection[str] = ()) -> bool:
    """Return whether a cell has a word of headers, and not one of those, or is named as programs name columns."""
    if _PLAIN_NAME.fullmatch(cell):
        return True
    words = set(_words(cell))
    words |= {word.removesuffix("s") for word in words}
    return not words.isdisjoint(HEADER_WORDS.difference(but))


def _is_single_word(cell: str) -> bool:
    """Return whether a cell is one word, or several joined as programs join them, and can be the name of a number."""
    return _SINGLE_WORD.fullmatch(cell.strip()) is not None and not _tells_no_name(cell)


def _tells_no_name(cell: str) -> bool:
    """Return whether a cell says a number in words or with a unit, or that none was told; `No` alone may be a name."""
    words = _words(cell)
    if _WITH_UNIT.fullmatch(cell) or _NO_VALUE.match(cell) or UNTOLD.intersection(words):
        return True
    if words and NUMBER_WORDS.issuperset(words):
        return True
    return " " in cell.strip() and words[:1] != [] and words[0] in PREPOSITIONS


def _words(cell: str) -> list[str]:
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", cell)
    return [word.casefold() for word in re.findall(r"[^\W\d_]+", parted)]


def _form(cell: str) -> tuple[bool, bool, bool, bool]:
    """Return what a person sees of a cell at a glance: capitals, small letters, digits, other marks."""
    return (
        cell[:1].isupper(),
        any(mark.islower() for mark in cell),
        any(mark.isdigit() for mark in cell),
        any(not (mark.isalnum() or mark.isspace()) for mark in cell),
    )


def _fits_among(cell: str, values: Sequence[str]) -> bool:
    """Return whether a name has the form and about the length of some of the values of its column."""
    if not values:
        return True
    own = _form(cell)
    alike = [value for value in values if _form(value) == own]
    lengths = [len(value) for value in values]
    return 10 * len(alike) >= len(values) and 0.5 * min(lengths) <= len(cell) <= 1.5 * max(lengths)
