"""Which character stands between the cells of a CSV text."""

from __future__ import annotations

import numpy as np

from covey.arrays import IntVector
from covey.verifier.tables.bounds import OpenQuote, bounds_of

__all__ = ["find_separator"]

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
    last = np.flatnonzero(found.closes)[:_MOST_RECORDS]
    n_cells = np.diff(last, prepend=-1)
    if not len(last):
        return n_cells
    starts = np.concatenate([[0], found.ends[last[:-1]]])
    codes = np.frombuffer(sample, np.uint8)
    is_blank = (n_cells == 1) & np.isin(codes[np.minimum(starts, len(codes) - 1)], (10, 13))
    return np.asarray(n_cells[~is_blank])
