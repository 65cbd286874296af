"""Does a release say only what its original says?  Row by row, by an assignment of rows, or recomputed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.base.checks import plural
from covey.verifier.columns.codes import Folded, coded, fold
from covey.verifier.columns.quasi import QuasiColumn
from covey.verifier.consent import agreed_in
from covey.verifier.truth.alignment import is_in_order
from covey.verifier.truth.centre import out_of_reach, promised_centre, wrong_centres
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.kept_columns import Joint, differing, joint_codes
from covey.verifier.truth.matching import match
from covey.verifier.truth.witness import left_out_faults, taken
from covey.verifier.verdict import NotChecked, Truth, in_rows

__all__ = ["Comparison", "Question", "compare"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be compared, and how its cells are read."""

    table: pa.Table
    original: pa.Table
    quasi: Sequence[QuasiColumn]
    columns: Sequence[ColumnPair]
    """The same quasi columns beside those of the original."""
    classes: Folded
    release: str
    decimal: str
    drops_missing: bool
    """Whether rows with a missing quasi value were to be left out."""
    allowed: int
    """How many rows of the original may be left out beside those."""
    order: str
    rows: IntVector | None = None
    """The row of the original that each released row is, each a row and none twice."""
    consent: str | None = None
    """The column that says who agreed."""

    @property
    def n_released(self) -> int:
        """Return how many rows the release has."""
        return int(self.table.num_rows)

    @property
    def n_original(self) -> int:
        """Return how many rows the original has."""
        return int(self.original.num_rows)

    def kept(self) -> list[str]:
        """Return the columns that both tables have and that are not quasi."""
        known = set(self.original.column_names) - {name for published in self.quasi for name in published.columns}
        return [name for name in self.table.column_names if name in known]


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
class Comparison:
    """Whether the release is truthful, and both tables as they were compared."""

    truth: Truth
    columns: Sequence[ColumnPair]
    """The quasi columns: the cell of every released row, the value of every row of `original`."""
    original: pa.Table
    """The rows of the original that could be published."""
    rows: IntVector | None
    """The row of the original that each released row is, where they are all of those rows in their order; else None."""


def compare(question: Question) -> Comparison:
    """Return whether the release is truthful, how far that could be checked, and what was compared."""
    findings = _Findings()
    for column in question.columns:
        if n_unknown := int(column.cover.is_unknown.sum()):
            reason = f"{plural(n_unknown, 'different cell')} may be nodes of a taxonomy that was not given"
            findings.not_checked.append(NotChecked(column.name, reason))
    known = {*question.original.column_names, *(name for published in question.quasi for name in published.columns)}
    added = [name for name in question.table.column_names if name not in known]
    findings.faults += [f"column `{name}` is not in the original" for name in added]
    places = _publishable(question, findings)
    if len(places) < question.n_original or question.rows is not None:
        names = question.original.column_names
        original = pa.table({name: taken(question.original.column(name), places) for name in names})
        columns = [replace(column, values=column.values[places]) for column in question.columns]
        question = replace(question, original=original, columns=columns)
    truth = _find_truth(question, findings)
    is_aligned = truth.kind == "aligned" and truth.ok and question.n_released == question.n_original
    return Comparison(truth, question.columns, question.original, places if is_aligned else None)


def _publishable(question: Question, findings: _Findings) -> IntVector:
    """Return the rows of the original that could be published."""
    if question.rows is None and not question.drops_missing:
        return np.arange(question.n_original)
    absent = np.logical_or.reduce([one.cover.originals.is_missing()[one.values] for one in question.columns])
    if question.rows is None:
        return np.flatnonzero(~absent)
    agreed = agreed_in(question.original, question.consent)
    findings.faults += left_out_faults(
        question.rows, absent, agreed, question.allowed, drops_missing=question.drops_missing
    )
    return question.rows


def _find_truth(question: Question, findings: _Findings) -> Truth:
    _check_counts(question, findings)
    names = [*(column.name for column in question.columns), *question.kept()]
    if question.release == "centre":
        _check_centres(question, findings)
        return findings.truth("recomputed", names)
    faults = _faults_in_order(question)
    if not faults or question.order == "kept":
        findings.faults += faults
        return findings.truth("aligned", names)
    findings.faults += _faults_of_matching(question)
    return findings.truth("matched", names)


def _check_counts(question: Question, findings: _Findings) -> None:
    lost = question.n_original - question.n_released
    if lost < 0:
        findings.faults.append(f"the table has {plural(-lost, 'row')} more than the original")
    elif lost > question.allowed:
        findings.faults.append(
            f"the table lacks {plural(lost, 'row')} of the original where at most {question.allowed:,} may be missing"
        )


# --- row by row ----------------------------------------------------------------------------------------------


def _faults_in_order(question: Question) -> list[str]:
    """Return what is wrong if the rows are taken in their order; nothing if they fit."""
    if question.n_released > question.n_original:
        return ["the rows are not those of the original in their order"]
    if question.n_released < question.n_original:
        fits = is_in_order(question.columns, _joints(question), question.n_released, question.n_original)
        return [] if fits else ["the rows are not those of the original in their order, some left out"]
    faults = []
    for column in question.columns:
        rows = np.flatnonzero(~column.cover.pairs(column.cells, column.values))
        if len(rows):
            faults.append(f"column `{column.name}` does not cover the original value {in_rows(rows)}")
    return faults + _kept_faults(question)


def _kept_faults(question: Question) -> list[str]:
    faults = []
    for name in question.kept():
        differs = differing(question.table.column(name), question.original.column(name), name, question.decimal)
        if differs is not None:
            faults.append(f"column `{name}` differs from the original {in_rows(np.flatnonzero(differs))}")
    return faults


def _joints(question: Question) -> list[Joint]:
    return [
        joint_codes(question.table.column(name), question.original.column(name), name, question.decimal)
        for name in question.kept()
    ]


# --- some assignment -----------------------------------------------------------------------------------------


def _faults_of_matching(question: Question) -> list[str]:
    found = match(question.columns, _joints(question), question.n_released, question.n_original)
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


def _check_centres(question: Question, findings: _Findings) -> None:
    """Recompute centres where the rows align; otherwise only kept columns can be checked."""
    same_number = question.n_released == question.n_original
    kept_faults = _kept_faults(question) if same_number else []
    if same_number and question.order == "kept":
        findings.faults += kept_faults
        _recompute(question, findings)
        return
    if same_number and not kept_faults:
        trial = _Findings()
        _recompute(question, trial)
        if not trial.faults or _fixes_the_order(question):
            findings.faults += trial.faults
            findings.not_checked += trial.not_checked
            return
    found = match([], _joints(question), question.n_released, question.n_original)
    if found.kept_differ and question.n_released <= question.n_original:
        findings.faults.append(_kept_differ(found.kept_differ))
    for column in question.columns:
        promise = _promise(question, column)
        beyond = out_of_reach(promise, column)
        if beyond:
            findings.faults.append(
                f"column `{column.name}` shows in {plural(beyond, 'row')} what can be no {promise} of original values"
            )
    reason = "centres can be recomputed only if the rows are known to be in the order of the original"
    findings.not_checked[:] = [NotChecked(column.name, reason) for column in question.columns]


def _recompute(question: Question, findings: _Findings) -> None:
    for column in question.columns:
        promise = _promise(question, column)
        wrong = wrong_centres(promise, column, question.classes)
        if wrong and column.cover.originals.type == "categorical" and not column.cover.closed:
            findings.not_checked.append(NotChecked(column.name, "may show medians of an order that was not given"))
        elif wrong:
            classes = plural(wrong, "class", "classes")
            findings.faults.append(f"column `{column.name}` is not the {promise} of its values in {classes}")


def _promise(question: Question, column: ColumnPair) -> str:
    """Return what the centres of a column have to be; those of covey's own release, whose rows are known, its own."""
    cover, is_own = column.cover, question.rows is not None
    return promised_centre(cover.originals.type, has_tree=cover.column.taxonomy is not None, is_own=is_own)


def _fixes_the_order(question: Question) -> bool:
    """Return whether kept columns that agree row by row prove that the rows were not shuffled.

    They do if a shuffle would leave them as they are less than once in a billion times: one over the
    number of ways to arrange them, n! / (c1! c2! ...) for the counts c of their distinct tuples.
    """
    parts = [coded(question.table.column(name), name) for name in question.kept()]
    counts = fold([(part.codes, part.size) for part in parts], question.n_released).counts()
    ways = math.lgamma(question.n_released + 1) - sum(math.lgamma(count + 1) for count in counts.tolist())
    return ways > math.log(1e9)
