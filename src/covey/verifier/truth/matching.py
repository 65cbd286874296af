"""Shuffled rows: is there a one-to-one assignment of released rows to original rows that fits?

Rows with equal tuples are one node with a count.  An edge joins a released tuple with an original tuple
that has the same kept values and that it covers in every quasi column.  All released rows must be
assigned; original rows may be left over (how many is for the caller to judge).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from covey.base.arrays import IntVector
from covey.base.checks import plural
from covey.base.errors import InputError
from covey.verifier.columns.codes import Folded, fold
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.flow import edge_flows
from covey.verifier.truth.kept_columns import Joint

__all__ = ["Matching", "Tuples", "fitting_pairs", "match", "tuples_of"]

MOST_PAIRS = 4_000_000_000
"""Pairs of tuples that are compared at most; beyond that matching is refused."""
MOST_EDGES = 30_000_000
"""Pairs of tuples that may fit, at most: each takes some 40 bytes."""
_HINT = (
    f"up to {MOST_PAIRS:,} pairs of different rows with equal kept values can be compared, such as 60,000 rows with"
    " 60,000; `covey anonymize` proved every row before it shuffled them"
)
_CHUNK = 2_000_000
_SMALL = 512


@dataclass(frozen=True, slots=True)
class Matching:
    """How many released rows could not be assigned, and what is known of the reason."""

    unassigned: int
    kept_differ: int
    """Released rows whose kept values the original does not have, or not so often."""
    without_option: int
    """Released rows that cover no original row with their kept values."""


@dataclass(frozen=True, slots=True)
class Tuples:
    """The distinct tuples of one table, sorted by kept values: their rows, kept number and codes."""

    counts: IntVector
    kept: IntVector
    codes: list[IntVector]


def match(columns: Sequence[ColumnPair], kept: Sequence[Joint], n_released: int, n_original: int) -> Matching:
    """Return how far released rows can be assigned to original rows, each at most once.

    Cost: pairs of distinct tuples with equal kept values, then a largest flow over those that fit.
    Raises `InputError` (`matching-too-large`) beyond `MOST_PAIRS` or `MOST_EDGES`.
    """
    both = fold(
        [(np.concatenate([joint.released, joint.original]), joint.size) for joint in kept],
        n_released + n_original,
    )
    ours, theirs = both.numbers[:n_released], both.numbers[n_released:]
    surplus = np.bincount(ours, minlength=both.size) - np.bincount(theirs, minlength=both.size)
    released = tuples_of(ours, both.size, [(column.cells, column.n_cells) for column in columns])
    original = tuples_of(theirs, both.size, [(column.values, column.n_values) for column in columns])
    sources, targets = fitting_pairs(columns, released, original)
    left, _ = edge_flows(sources, targets, released.counts, original.counts)
    optionless = np.bincount(sources, minlength=len(released.counts)) == 0
    kept_differ = int(surplus[surplus > 0].sum())
    known = np.isin(released.kept, original.kept)
    return Matching(int(left.sum()), kept_differ, int(released.counts[optionless & known].sum()))


def _refuse_beyond(needed: int, most: int, noun: str, hint: str) -> None:
    if needed > most:
        raise InputError(
            f"finding which row is which takes {plural(needed, noun)}, more than {most:,}",
            code="matching-too-large",
            hint=hint,
        )


def tuples_of(kept: IntVector, n_kept: int, columns: Sequence[tuple[IntVector, int]]) -> Tuples:
    """Return the distinct tuples of a table, from the number of its kept values and the codes of its quasi columns."""
    folded: Folded = fold([(kept, n_kept), *columns], len(kept))
    first, counts = folded.first_rows(), folded.counts()
    order = np.argsort(kept[first], kind="stable")
    first = first[order]
    return Tuples(counts[order], kept[first], [codes[first] for codes, _ in columns])


def fitting_pairs(
    columns: Sequence[ColumnPair], released: Tuples, original: Tuples, hint: str = _HINT
) -> tuple[IntVector, IntVector]:
    """Return (released tuple, original tuple) of every pair that fits, by released tuple.

    Raises `InputError` (`matching-too-large`, with this hint) beyond `MOST_PAIRS` to compare or `MOST_EDGES` that fit.
    """
    starts = np.searchsorted(original.kept, released.kept, side="left")
    stops = np.searchsorted(original.kept, released.kept, side="right")
    _refuse_beyond(int((stops - starts).sum()), MOST_PAIRS, "comparison", hint)
    compared = _narrowest_first(columns, released, original)
    width = stops - starts
    few, many = np.flatnonzero((width > 0) & (width <= _SMALL)), np.flatnonzero(width > _SMALL)
    of_few = (_pairs_of_few(compared, part, starts[part], width[part]) for part in _chunks(few, width))
    of_many = (_pairs_of_one(compared, one, int(starts[one]), int(stops[one])) for one in many.tolist())
    found: list[tuple[IntVector, IntVector]] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    total = 0
    for pairs in itertools.chain(of_few, of_many):
        found.append(pairs)
        total += len(pairs[0])
        _refuse_beyond(total, MOST_EDGES, "possible pair", hint)
    sources = np.concatenate([part for part, _ in found])
    targets = np.concatenate([part for _, part in found])
    by_source = np.argsort(sources, kind="stable")
    return sources[by_source], targets[by_source]


def _narrowest_first(columns: Sequence[ColumnPair], released: Tuples, original: Tuples) -> list[ColumnPair]:
    """Return the columns of the distinct tuples, those first that rule out most in a fixed sample of pairs."""
    pairs = zip(columns, released.codes, original.codes, strict=True)
    compared = [replace(column, cells=cells, values=values) for column, cells, values in pairs]
    if not len(released.counts) or not len(original.counts):
        return compared
    sample = np.arange(4096)
    ours = sample * 7919 % len(released.counts)
    theirs = sample * 104_729 % len(original.counts)
    shares = [one.cover.pairs(one.cells[ours], one.values[theirs]).mean() for one in compared]
    return [compared[place] for place in np.argsort(shares, kind="stable")]


def _chunks(chosen: IntVector, width: IntVector) -> list[IntVector]:
    """Return the chosen tuples in parts of about `_CHUNK` pairs."""
    if not len(chosen):
        return []
    part = np.cumsum(width[chosen]) // _CHUNK
    return np.split(chosen, np.flatnonzero(np.diff(part)) + 1)


def _pairs_of_few(
    compared: Sequence[ColumnPair], part: IntVector, starts: IntVector, width: IntVector
) -> tuple[IntVector, IntVector]:
    """Return the fitting pairs of released tuples with few options each, many tuples at once."""
    ours: IntVector = np.repeat(part, width)
    ramp = np.arange(len(ours)) - np.repeat(np.cumsum(width) - width, width)
    theirs: IntVector = np.repeat(starts, width) + ramp
    for one in compared:
        fits = one.cover.pairs(one.cells[ours], one.values[theirs])
        ours, theirs = ours[fits], theirs[fits]
    return ours, theirs


def _pairs_of_one(compared: Sequence[ColumnPair], released: int, start: int, stop: int) -> tuple[IntVector, IntVector]:
    """Return the pairs of one released tuple with the original tuples from `start` to `stop` that it covers."""
    options = None
    for one in compared:
        fits = one.cover.row(int(one.cells[released]))
        if options is None:
            options = np.flatnonzero(fits[one.values[start:stop]]) + start
        else:
            options = options[fits[one.values[options]]]
    options = np.arange(start, stop) if options is None else options
    return np.full(len(options), released, np.int64), options
