"""Which character stands between the cells of a CSV text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from covey.base.arrays import IntVector
from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.verifier.tables.bounds import OpenQuote, bounds_of, pieces
from covey.verifier.tables.names import Names
from covey.verifier.tables.written import Written

__all__ = ["find_separator", "published_separator"]

_USUAL = ",;\t|"
_UNUSUAL = "\x1f\x1e\x1d\x1c"
_SAMPLE = 1 << 18
_MOST_RECORDS = 200


def find_separator(text: bytes, decimal: str = ".") -> str:
    """Return the mark that gives the first records the same number of cells, two or more; the most cells first.

    If none does, the one that agrees with the first record most often, else one that the text does not hold: then it
    has one column.  A decimal comma is tried last.

    >>> find_separator(b'name;age\\n"Smith, A";34\\n')
    ';'
    """
    counts = {mark: _cells_of_records(text, mark) for mark in _USUAL}
    splits = [mark for mark in _USUAL if len(counts[mark]) and counts[mark][0] > 1]
    others = [mark for mark in splits if mark != decimal] or splits
    even = [mark for mark in others if (counts[mark] == counts[mark][0]).all()]
    if even:
        return max(even, key=lambda mark: int(counts[mark][0]))
    if others:
        return max(others, key=lambda mark: float((counts[mark] == counts[mark][0]).mean()))
    return next((mark for mark in _USUAL + _UNUSUAL if mark.encode() not in text), ",")


def published_separator(text: bytes, written: Written, name: str, first: Callable[[str], Sequence[str]]) -> str:
    """Return the mark between the cells of a published file, of which something is known.

    With a header it is a mark that parts the names of the quasi columns; without one a mark that parts every record
    into as many cells as there are names.  Of several the likely ones come first, a decimal comma last; two that
    part a file without a header both are not chosen from, because its classes would be counted from wrong cells.
    first: from a mark to the cells of the first record.
    """
    marks: list[str] = list(dict.fromkeys([*written.likely, *_USUAL]))
    if written.header is False:
        known = [names for names in written.possible if names.columns]
        first_of_all = [names for names in known if not names.is_last_resort]
        fitting = [mark for mark in marks if _parts_into_names(text, mark, first_of_all, written.quasi)]
        if not fitting and known:
            fitting = [mark for mark in marks if _parts_into_names(text, mark, known, written.quasi)]
    else:
        fitting = [mark for mark in marks if _holds(first(mark), written.quasi)]
        fitting = [mark for mark in fitting if _is_even(_cells_of_records(text, mark))] or fitting
    fitting = [mark for mark in fitting if mark != written.decimal] or fitting
    likely = [mark for mark in written.likely if mark in fitting]
    if likely or not fitting:
        return likely[0] if likely else find_separator(text, written.decimal)
    splits = [mark for mark in fitting if (_cells_of_records(text, mark) > 1).any()]
    if written.header is False and len(splits) + (len(splits) < len(fitting)) > 1:
        raise InputError(
            f"it cannot be told which separator {name} has: more than one parts its rows evenly",
            code="unknown-separator",
            hint=hint("give the one it has, for example {}", Asked("separator", ",")),
        )
    return fitting[0]


def _parts_into_names(text: bytes, mark: str, known: Sequence[Names], quasi: Sequence[str]) -> bool:
    """Return whether every record has as many cells as names may be given; with none known, as numbered ones need."""
    counts = _cells_of_records(text, mark)
    if not _is_even(counts):
        return False
    n_cells = int(counts[0])
    if known:
        fits = any(names.fits(n_cells) for names in known)
    else:
        fits = _holds([f"c{place + 1}" for place in range(n_cells)], quasi)
    return fits and _is_even_throughout(text, mark, n_cells)


def _holds(cells: Sequence[str], quasi: Sequence[str]) -> bool:
    """Return whether the cells name all quasi columns."""
    found = {cell.strip(" \t") for cell in cells} | set(cells)
    return bool(quasi) and all(name in found or {f"{name}_min", f"{name}_max"} <= found for name in quasi)


def _is_even(counts: IntVector) -> bool:
    return len(counts) > 0 and bool((counts == counts[0]).all())


def _is_even_throughout(text: bytes, mark: str, n_cells: int) -> bool:
    top = len(text) - len(text.lstrip(b"\r\n"))
    try:
        return all((found.records(piece)[1] == n_cells).all() for piece, found, _ in pieces(text, top, mark))
    except OpenQuote:
        return False


def _cells_of_records(text: bytes, mark: str) -> IntVector:
    """Return the number of cells of each record at the beginning of the text, blank lines left out."""
    text = text.lstrip(b"\r\n")
    size = _SAMPLE
    while True:
        sample = memoryview(text)[:size]
        try:
            found = bounds_of(sample, mark, is_last=size >= len(text))
        except OpenQuote as open_:
            found = bounds_of(sample[: open_.place], mark, is_last=True)
        if len(found.ends) or size >= len(text):
            break
        size *= 4
    return found.records(sample, _MOST_RECORDS)[1]
