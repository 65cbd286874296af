"""Shuffled rows: is there a one-to-one assignment of released rows to original rows that fits?

Rows with equal tuples are one node with a count.  An edge joins a released tuple with an original tuple
that has the same kept values and that it covers in every quasi column.  All released rows must be
assigned; original rows may be left over (how many is for the caller to judge).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import IntVector
from covey.base.checks import plural
from covey.base.errors import InputError
from covey.verifier.columns.codes import Folded, fold
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.flow import largest_flow
from covey.verifier.truth.kept_columns import Joint

__all__ = ["MOST_EDGES", "MOST_PAIRS", "Matching", "Tuples", "fitting_pairs", "match", "tuples_of"]

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


def match(
    columns: Sequence[ColumnPair],
    kept: Sequence[Joint],
    n_released: int,
    n_original: int,
    *,
    most_pairs: int = MOST_PAIRS,
    most_edges: int = MOST_EDGES,
) -> Matching:
    """Return how far released rows can be assigned to original rows, each at most once.

    Cost: pairs of distinct tuples with equal kept values, then a largest flow over those that fit.
    Raises `InputError` (`matching-too-large`) beyond `most_pairs` or `most_edges`.
    """
    both = fold(
        [(np.concatenate([joint.released, joint.original]), joint.size) for joint in kept],
        n_released + n_original,
    )
    ours, theirs = both.numbers[:n_released], both.numbers[n_released:]
    surplus = np.bincount(ours, minlength=both.size) - np.bincount(theirs, minlength=both.size)
    released = tuples_of(ours, both.size, [(column.cells, column.n_cells) for column in columns])
    original = tuples_of(theirs, both.size, [(column.values, column.n_values) for column in columns])
    sources, targets = fitting_pairs(columns, released, original, most_pairs, most_edges)
    left = largest_flow(sources, targets, released.counts, original.counts)
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
    columns: Sequence[ColumnPair],
    released: Tuples,
    original: Tuples,
    most_pairs: int,
    most_edges: int,
    hint: str = _HINT,
) -> tuple[IntVector, IntVector]:
    """Return (released tuple, original tuple) of every pair that fits, by released tuple.

    Raises `InputError` (`matching-too-large`, with this hint) beyond `most_pairs` to compare or `most_edges` that fit.
    """
    starts = np.searchsorted(original.kept, released.kept, side="left")
    stops = np.searchsorted(original.kept, released.kept, side="right")
    _refuse_beyond(int((stops - starts).sum()), most_pairs, "comparison", hint)
    order = _narrowest_first(columns, released, original)
    width = stops - starts
    few, many = np.flatnonzero((width > 0) & (width <= _SMALL)), np.flatnonzero(width > _SMALL)
    found: list[tuple[IntVector, IntVector]] = []
    total = 0
    for part in _chunks(few, width):
        found.append(_pairs_of_few(columns, order, released, original, part, starts[part], width[part]))
        total += len(found[-1][0])
        _refuse_beyond(total, most_edges, "possible pair", hint)
    for one in many.tolist():
        options = _options(columns, order, released, original, one, int(starts[one]), int(stops[one]))
        found.append((np.full(len(options), one, np.int64), options))
        total += len(options)
        _refuse_beyond(total, most_edges, "possible pair", hint)
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    sources = np.concatenate([part for part, _ in found])
    targets = np.concatenate([part for _, part in found])
    by_source = np.argsort(sources, kind="stable")
    return sources[by_source], targets[by_source]


def _narrowest_first(columns: Sequence[ColumnPair], released: Tuples, original: Tuples) -> list[int]:
    """Return the columns in the order in which they rule out most, judged by a fixed sample of pairs."""
    if not len(released.counts) or not len(original.counts):
        return list(range(len(columns)))
    sample = np.arange(4096)
    ours = sample * 7919 % len(released.counts)
    theirs = sample * 104_729 % len(original.counts)
    shares = [
        column.cover.pairs(cells[ours], values[theirs]).mean()
        for column, cells, values in zip(columns, released.codes, original.codes, strict=True)
    ]
    return [int(place) for place in np.argsort(shares, kind="stable")]


def _chunks(chosen: IntVector, width: IntVector) -> list[IntVector]:
    """Return the chosen tuples in parts of about `_CHUNK` pairs."""
    if not len(chosen):
        return []
    part = np.cumsum(width[chosen]) // _CHUNK
    return np.split(chosen, np.flatnonzero(np.diff(part)) + 1)


def _pairs_of_few(
    columns: Sequence[ColumnPair],
    order: Sequence[int],
    released: Tuples,
    original: Tuples,
    part: IntVector,
    starts: IntVector,
    width: IntVector,
) -> tuple[IntVector, IntVector]:
    """Return the fitting pairs of released tuples with few options each, many tuples at once."""
    ours: IntVector = np.repeat(part, width)
    ramp = np.arange(len(ours)) - np.repeat(np.cumsum(width) - width, width)
    theirs: IntVector = np.repeat(starts, width) + ramp
    for place in order:
        cells, values = released.codes[place][ours], original.codes[place][theirs]
        fits = columns[place].cover.pairs(cells, values)
        ours, theirs = ours[fits], theirs[fits]
    return ours, theirs


def _options(
    columns: Sequence[ColumnPair],
    order: Sequence[int],
    released: Tuples,
    original: Tuples,
    one: int,
    start: int,
    stop: int,
) -> IntVector:
    """Return the original tuples from `start` to `stop` that one released tuple covers."""
    options = None
    for place in order:
        fits = columns[place].cover.row(int(released.codes[place][one]))
        values = original.codes[place]
        if options is None:
            options = np.flatnonzero(fits[values[start:stop]]) + start
        else:
            options = options[fits[values[options]]]
    return np.arange(start, stop) if options is None else options
