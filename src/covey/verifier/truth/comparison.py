"""Does a release say only what its original says?  Row by row, by an assignment of rows, or recomputed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pyarrow as pa

from covey.ask.schema import Column
from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import plural
from covey.verifier.columns.codes import Coded, Folded, coded, fold
from covey.verifier.columns.originals import Originals, read_originals
from covey.verifier.columns.quasi import Published
from covey.verifier.columns.released import Reading
from covey.verifier.consent import agreed
from covey.verifier.faults import in_rows
from covey.verifier.truth.alignment import is_in_order, uncovered
from covey.verifier.truth.centre import out_of_reach, promised_centre, wrong_centres
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.cover import cover_of
from covey.verifier.truth.kept_columns import Joint, differing, joint_codes
from covey.verifier.truth.matching import match
from covey.verifier.truth.witness import left_out_faults, taken
from covey.verifier.verdict import NotChecked, Truth

__all__ = ["Comparison", "Question", "compare"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be compared, and how its cells are read."""

    table: pa.Table
    original: pa.Table
    quasi: Sequence[Published]
    values: Sequence[Coded]
    """The quasi columns of the original as codes, in the order of `quasi`."""
    columns: Sequence[Column]
    """The quasi columns of the schema, with their types, in the order of `quasi`."""
    strict: Sequence[bool]
    """Whether an unreadable cell of each column is a fault, not a word that cannot be checked."""
    closed: Sequence[bool]
    """Whether each column is known to have no taxonomy, so that a word it does not know is no node."""
    classes: Folded
    release: str
    notation: str
    decimal: str
    drops_missing: bool
    """Whether rows with a missing quasi value were to be left out."""
    suppression: float
    order: str
    rows: IntVector | None = None
    """The row of the original that each released row is, each a row and none twice."""
    consent: str | None = None
    """The column that says who agreed."""


@dataclass(slots=True)
class _Findings:
    """What has been found so far."""

    faults: list[str] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)

    def truth(self, kind: str, names: Sequence[str]) -> Truth:
        open_ = {one.column for one in self.not_checked}
        return Truth(
            kind=kind,
            ok=not self.faults,
            complete=not self.not_checked,
            checked=tuple(name for name in names if name not in open_),
            not_checked=tuple(self.not_checked),
            faults=tuple(self.faults),
        )


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both tables ready to be compared: quasi columns as codes, kept columns as they are."""

    columns: list[ColumnPair]
    originals: list[Originals]
    readings: list[list[Reading]]
    kept: list[str]
    original: pa.Table
    """The rows of the original that could be published."""
    places: IntVector
    """Which rows of the original these are."""
    n_released: int
    n_original: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether the release is truthful, and both tables as they were compared."""

    truth: Truth
    columns: list[ColumnPair]
    """The quasi columns: the cell of every released row, the value of every row of `original`."""
    original: pa.Table
    """The rows of the original that could be published."""
    rows: IntVector | None
    """The row of the original that each released row is, where they are all of those rows in their order; else None."""


def compare(question: Question) -> Comparison:
    """Return whether the release is truthful, how far that could be checked, and what was compared."""
    findings = _Findings()
    sides = _prepare(question, findings)
    truth = _find_truth(question, sides, findings)
    is_aligned = truth.kind == "aligned" and truth.ok and sides.n_released == sides.n_original
    return Comparison(truth, sides.columns, sides.original, sides.places if is_aligned else None)


def _find_truth(question: Question, sides: _Sides, findings: _Findings) -> Truth:
    _check_counts(question, sides, findings)
    names = [column.name for column in sides.columns] + sides.kept
    if question.release == "centre":
        _check_centres(question, sides, findings)
        return findings.truth("recomputed", names)
    faults = _faults_in_order(question, sides)
    if not faults:
        return findings.truth("aligned", names)
    if question.order == "kept":
        findings.faults += faults
        return findings.truth("aligned", names)
    findings.faults += _faults_of_matching(question, sides)
    return findings.truth("matched", names)


def _prepare(question: Question, findings: _Findings) -> _Sides:
    columns, originals, readings = [], [], []
    known = zip(question.quasi, question.values, question.columns, question.strict, question.closed, strict=True)
    for published, values, column, strict, closed in known:
        facts = read_originals(values.values, column, question.decimal)
        cells, pairs = published.cells()
        read = published.readings(column.type or "categorical", pairs, exact=facts.is_exact, zone=facts.zone)
        cover = cover_of(column, facts, read, notation=question.notation, strict=strict, closed=closed)
        _note_unknown(column.name, int(cover.is_unknown.sum()), findings)
        columns.append(ColumnPair(column.name, cover, cells.codes, cells.size, values.codes, values.size))
        originals.append(facts)
        readings.append(read)
    of_quasi = {name for published in question.quasi for name in published.columns}
    kept = [name for name in question.table.column_names if name not in of_quasi]
    known_before = set(question.original.column_names)  # asked for once: Arrow makes the list anew each time
    added = [name for name in kept if name not in known_before]
    findings.faults += [f"column `{name}` is not in the original" for name in added]
    original = question.original
    places = np.arange(original.num_rows)
    if question.rows is not None:
        absent, drops_missing = _is_absent(originals, columns), question.drops_missing
        findings.faults += left_out_faults(
            question.rows, absent, _agreed(question), _allowed(question), drops_missing=drops_missing
        )
        columns, places = [_only(column, question.rows) for column in columns], question.rows
        original = pa.table({name: taken(original.column(name), question.rows) for name in original.column_names})
    elif question.drops_missing:
        there = ~_is_absent(originals, columns)
        columns, original = [_only(column, there) for column in columns], original.filter(pa.array(there))
        places = np.flatnonzero(there)
    return _Sides(
        columns=columns,
        originals=originals,
        readings=readings,
        kept=[name for name in kept if name not in added],
        original=original,
        places=places,
        n_released=question.table.num_rows,
        n_original=original.num_rows,
    )


def _is_absent(originals: Sequence[Originals], columns: Sequence[ColumnPair]) -> BoolVector:
    """Return which rows of the original have a missing quasi value."""
    missing = [facts.is_missing()[column.values] for facts, column in zip(originals, columns, strict=True)]
    return np.asarray(np.logical_or.reduce(missing))


def _agreed(question: Question) -> BoolVector | None:
    name = question.consent
    if name is None or name not in question.original.column_names:
        return None
    return agreed(question.original.column(name), name)


def _allowed(question: Question) -> int:
    """Return how many rows may be left out: a share such as 0.29 means what it says, not the float beside it."""
    rows: int = question.original.num_rows
    return math.floor(Fraction(str(question.suppression)) * rows)


def _only(column: ColumnPair, rows: BoolVector | IntVector) -> ColumnPair:
    return ColumnPair(column.name, column.cover, column.cells, column.n_cells, column.values[rows], column.n_values)


def _note_unknown(name: str, n_unknown: int, findings: _Findings) -> None:
    if n_unknown:
        words = plural(n_unknown, "different cell")
        findings.not_checked.append(NotChecked(name, f"{words} may be nodes of a taxonomy that was not given"))


def _check_counts(question: Question, sides: _Sides, findings: _Findings) -> None:
    lost = sides.n_original - sides.n_released
    allowed = _allowed(question)
    if lost < 0:
        findings.faults.append(f"the table has {plural(-lost, 'row')} more than the original")
    elif lost > allowed:
        findings.faults.append(
            f"the table lacks {plural(lost, 'row')} of the original where at most {allowed:,} may be missing"
        )


# --- row by row ----------------------------------------------------------------------------------------------


def _faults_in_order(question: Question, sides: _Sides) -> list[str]:
    """Return what is wrong if the rows are taken in their order; nothing if they fit."""
    if sides.n_released > sides.n_original:
        return ["the rows are not those of the original in their order"]
    if sides.n_released < sides.n_original:
        fits = is_in_order(sides.columns, _joints(question, sides), sides.n_released, sides.n_original)
        return [] if fits else ["the rows are not those of the original in their order, some left out"]
    faults = []
    for column in sides.columns:
        rows = np.flatnonzero(uncovered(column))
        if len(rows):
            faults.append(f"column `{column.name}` does not cover the original value {in_rows(rows)}")
    return faults + _kept_faults(question, sides)


def _kept_faults(question: Question, sides: _Sides) -> list[str]:
    faults = []
    for name in sides.kept:
        differs = differing(question.table.column(name), sides.original.column(name), name, question.decimal)
        if differs is not None:
            faults.append(f"column `{name}` differs from the original {in_rows(np.flatnonzero(differs))}")
    return faults


def _joints(question: Question, sides: _Sides) -> list[Joint]:
    return [
        joint_codes(question.table.column(name), sides.original.column(name), name, question.decimal)
        for name in sides.kept
    ]


# --- some assignment -----------------------------------------------------------------------------------------


def _faults_of_matching(question: Question, sides: _Sides) -> list[str]:
    found = match(sides.columns, _joints(question, sides), sides.n_released, sides.n_original)
    if not found.unassigned:
        return []
    rows = plural(found.unassigned, "released row")
    faults = [f"{rows} cannot be assigned to rows of the original, each to one of its own"]
    if found.kept_differ:
        faults.append(_kept_differ(found.kept_differ))
    if found.without_option:
        rows = plural(found.without_option, "released row")
        faults.append(f"no row of the original with the same kept values is covered by {rows}")
    return faults


def _kept_differ(rows: int) -> str:
    return f"{plural(rows, 'released row')} with kept values that the original does not have, or not so often"


# --- centres -------------------------------------------------------------------------------------------------


def _check_centres(question: Question, sides: _Sides, findings: _Findings) -> None:
    """Recompute centres where the rows align; otherwise only kept columns can be checked."""
    same_number = sides.n_released == sides.n_original
    kept_faults = _kept_faults(question, sides) if same_number else []
    if same_number and question.order == "kept":
        findings.faults += kept_faults
        _recompute(question, sides, findings)
        return
    if same_number and not kept_faults:
        trial = _Findings()
        _recompute(question, sides, trial)
        if not trial.faults or _fixes_the_order(question, sides):
            findings.faults += trial.faults
            findings.not_checked += trial.not_checked
            return
    found = match([], _joints(question, sides), sides.n_released, sides.n_original)
    if found.kept_differ and sides.n_released <= sides.n_original:
        findings.faults.append(_kept_differ(found.kept_differ))
    for column, schema, originals, readings in zip(
        sides.columns, question.columns, sides.originals, sides.readings, strict=True
    ):
        promise = _promise(question, schema)
        beyond = out_of_reach(promise, column, originals, readings)
        if beyond:
            findings.faults.append(
                f"column `{column.name}` shows in {plural(beyond, 'row')} what can be no {promise} of original values"
            )
    reason = "centres can be recomputed only if the rows are known to be in the order of the original"
    findings.not_checked[:] = [NotChecked(column.name, reason) for column in sides.columns]


def _recompute(question: Question, sides: _Sides, findings: _Findings) -> None:
    for column, schema, originals, readings, closed in zip(
        sides.columns, question.columns, sides.originals, sides.readings, question.closed, strict=True
    ):
        kind = schema.type or "categorical"
        promise = _promise(question, schema)
        wrong = wrong_centres(promise, kind, column, originals, readings, question.classes)
        if wrong and kind == "categorical" and not closed:
            findings.not_checked.append(NotChecked(column.name, "may show medians of an order that was not given"))
        elif wrong:
            classes = plural(wrong, "class", "classes")
            findings.faults.append(f"column `{column.name}` is not the {promise} of its values in {classes}")


def _promise(question: Question, column: Column) -> str:
    """Return what the centres of a column have to be; those of covey's own release, whose rows are known, its own."""
    is_own = question.rows is not None
    return promised_centre(column.type or "categorical", has_tree=column.taxonomy is not None, is_own=is_own)


def _fixes_the_order(question: Question, sides: _Sides) -> bool:
    """Return whether kept columns that agree row by row prove that the rows were not shuffled.

    They do if a shuffle would leave them as they are less than once in a billion times: one over the
    number of ways to arrange them, n! / (c1! c2! ...) for the counts c of their distinct tuples.
    """
    parts = [coded(question.table.column(name), name) for name in sides.kept]
    counts = fold([(part.codes, part.size) for part in parts], sides.n_released).counts()
    ways = math.lgamma(sides.n_released + 1) - sum(math.lgamma(count + 1) for count in counts.tolist())
    return ways > math.log(1e9)
