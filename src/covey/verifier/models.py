"""What every privacy model asks of the classes of a published table, and the level that they reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.models import ModelSpec, entry_of
from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import listed
from covey.verifier.classes import Classes
from covey.verifier.columns.codes import coded
from covey.verifier.columns.quasi import QuasiColumn
from covey.verifier.consent import agreed_in
from covey.verifier.levels import Histograms, Judged, Level, judged, k_anonymity
from covey.verifier.reading.meaning import as_meant
from covey.verifier.reading.order import own_ranks
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.comparison import Comparison
from covey.verifier.verdict import ModelVerdict

__all__ = ["judge_consistency", "judge_k", "judge_model", "uncountable"]

_MOST_SHOWN = 5


def judge_k(classes: Classes, k: int | None, quasi: Sequence[QuasiColumn]) -> ModelVerdict:
    """Return the verdict on k-anonymity; it holds if no class is left to count, since then it protects nobody."""
    level = k_anonymity(classes.sizes.tolist()) if len(classes.sizes) else 0
    return ModelVerdict("k-anonymity", k, level, **_failing(classes.below(k), classes, quasi))


def judge_model(spec: ModelSpec, classes: Classes, table: pa.Table, quasi: Sequence[QuasiColumn]) -> ModelVerdict:
    """Return the verdict on a model of the sensitive values in every class."""
    assert spec.column is not None
    values = as_meant(coded(table.column(spec.column), spec.column))
    ranks = own_ranks(values.values) if "order" in entry_of(spec.model).needs else None
    histograms = Histograms.of_rows(classes.folded.numbers[classes.counted], values.codes[classes.counted], ranks)
    level, fails = judged(spec, histograms) if histograms.n_classes else Judged(0, np.zeros(0, bool))
    bad = classes.smallest_first(np.flatnonzero(classes.counts > 0)[fails])
    return ModelVerdict(spec.model, spec.asked, _number(level), column=spec.column, **_failing(bad, classes, quasi))


def judge_consistency(
    spec: ModelSpec,
    comparison: Comparison,
    consent: str | None,
    exempt: BoolVector | None,
    rings: tuple[IntVector, IntVector, IntVector] | None = None,
) -> ModelVerdict:
    """Return the verdict on k-consistency, among the rows that are exempt in neither table.

    rings: (order, starts, windows) that may prove it without the graph of all rows; they are not trusted.
    """
    from covey.verifier.truth.consistency import k_consistency  # a graph of all rows, which no other model needs

    if uncountable(spec, comparison):
        return ModelVerdict(spec.model, spec.asked, 0, False)
    exempt_original = agreed_in(comparison.original, consent)
    columns = [_protected(column, exempt, exempt_original) for column in comparison.columns]
    if rings is not None:
        from covey.verifier.truth.consistency import is_consistent_by_rings

        if is_consistent_by_rings(columns, *rings, int(spec.asked)):
            return ModelVerdict(spec.model, spec.asked, spec.asked, True)
    n_released, n_original = len(columns[0].cells), len(columns[0].values)
    level = k_consistency(columns, n_released, n_original) if n_released else 0
    return ModelVerdict(spec.model, spec.asked, level, not n_released or level >= spec.asked)


def uncountable(spec: ModelSpec, comparison: Comparison) -> list[str]:
    """Return a fault if cells that could not be checked would count as covering everything."""
    names = [column.name for column in comparison.columns if column.cover.is_unknown.any()]
    if not names:
        return []
    return [f"{spec.model} cannot be counted: cells of {listed(names)} may be nodes of a taxonomy that was not given"]


def _protected(column: ColumnPair, exempt: BoolVector | None, exempt_original: BoolVector | None) -> ColumnPair:
    return replace(
        column,
        cells=column.cells if exempt is None else column.cells[~exempt],
        values=column.values if exempt_original is None else column.values[~exempt_original],
    )


def _failing(numbers: IntVector, classes: Classes, quasi: Sequence[QuasiColumn]) -> dict[str, Any]:
    """Return what a verdict tells of the classes that fail, from their numbers; it is ok if there are none."""
    return {
        "ok": not len(numbers),
        "offending": classes.shown(numbers[:_MOST_SHOWN], quasi),
        "offending_count": len(numbers),
        "offending_rows": int(classes.counts[numbers].sum()),
    }


def _number(level: Level) -> float:
    """Return a level as a plain number; what holds has been decided before, exactly."""
    exact = Fraction(level)
    return exact.numerator if exact.denominator == 1 else float(exact)
