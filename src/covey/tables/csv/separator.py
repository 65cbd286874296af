"""Which character stands between the cells of a CSV text."""

from __future__ import annotations

from itertools import islice

from covey.tables.csv.layout import records

__all__ = ["CANDIDATES", "detect_separator"]

CANDIDATES = (",", ";", "\t", "|")
UNUSUAL = ("\x1f", "\x1e", "\x1d", "\x1c")
SAMPLE_BYTES = 1 << 18
SAMPLE_RECORDS = 200


def detect_separator(data: bytes, start: int, *, decimal: str = ".", header: bool = True) -> str:
    """Return the separator of the text from `start` on, quotes and a decimal comma minded.

    The first record decides with the help of up to 200 more: a separator that gives all of them the same
    number of cells (two or more) wins, the most cells first; else the one that splits the first record and
    agrees with it most often (without a header in half of the records at least); else the file has one
    column, and the result is a character that it does not hold.  Ties: comma, semicolon, tab, bar; a comma
    comes last where it is the decimal mark.

    >>> detect_separator(b'name;age\\n"Smith, A";34\\n', 0)
    ';'
    """
    counts = {mark: _cell_counts(data, start, mark) for mark in CANDIDATES}
    order = [mark for mark in CANDIDATES if mark != decimal]
    least_share = 0.0 if header else 0.5
    found = _best(counts, order, least_share)
    if found is None and decimal in CANDIDATES:
        found = _best(counts, [decimal], least_share)
    return found or _headless(counts) or _absent(data, start)


def _cell_counts(data: bytes, start: int, mark: str, size: int = SAMPLE_BYTES) -> list[int]:
    sample = data[start : start + size]
    found = list(islice((record for record in records(sample, 0, mark) if not record.is_blank), SAMPLE_RECORDS))
    if found and found[-1].end == len(sample) < len(data) - start:
        del found[-1]  # cut off by the end of the sample
        if not found:
            return _cell_counts(data, start, mark, 4 * size)
    return [len(record.cells) for record in found]


def _best(counts: dict[str, list[int]], order: list[str], least_share: float) -> str | None:
    split = [mark for mark in order if counts[mark] and counts[mark][0] > 1]
    whole = [mark for mark in split if len(set(counts[mark])) == 1]
    if whole:
        return max(whole, key=lambda mark: counts[mark][0])
    agreeing = {mark: counts[mark].count(counts[mark][0]) / len(counts[mark]) for mark in split}
    best = max(split, key=lambda mark: agreeing[mark], default=None)
    return best if best is not None and agreeing[best] >= least_share else None


def _headless(counts: dict[str, list[int]]) -> str | None:
    """Return a separator that all records but the first agree on: a fault of the header, to be reported."""
    for mark, found in counts.items():
        if len(found) > 1 and found[1] > 1 and len(set(found[1:])) == 1:
            return mark
    return None


def _absent(data: bytes, start: int) -> str:
    free = (mark for mark in CANDIDATES + UNUSUAL if data.find(mark.encode(), start) < 0)
    return next(free, ",")
