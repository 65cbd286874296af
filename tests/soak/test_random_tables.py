"""Random jobs end to end: every algorithm, kind of column, release, policy and door, judged by plain counting.

A release must be what was asked, or be refused for the reason that the judge names.  Then one cell is exchanged for
another of its column: the verifier must say of the result what the judge says.
"""

from __future__ import annotations

import os
import warnings
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import covey
from soak.cases import Case, draw_case
from soak.doors import FILES, Outcome, publish
from soak.judge import deviations, is_centre, outcomes
from soak.meaning import Labels, Line, Ordered

QUICK, BLOCK = 1_000, 250
SOAK = int(os.environ.get("COVEY_SOAK", "100000"))
"""How many tables `make soak` draws."""


def blocks(first: int, last: int) -> list[range]:
    return [range(start, min(start + BLOCK, last)) for start in range(first, last, BLOCK)]


@pytest.mark.parametrize("seeds", blocks(0, QUICK), ids=str)
def test_a_release_is_what_was_asked_or_refused_for_the_right_reason(seeds, tmp_path):
    run(seeds, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seeds", blocks(0, SOAK), ids=str)
def test_a_release_is_what_was_asked_or_refused_for_the_right_reason_at_length(seeds, tmp_path):
    run(seeds, tmp_path)


def run(seeds: range, folder: Path) -> None:
    found = {}
    for seed in seeds:
        case = draw_case(seed)
        faults = judged(case, folder)
        if faults:
            found[seed] = faults
    assert not found


def judged(case: Case, folder: Path) -> list[str]:
    possible = outcomes(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", covey.CoveyWarning)
        try:
            outcome = publish(case, folder)
        except covey.VerificationFailed:
            return ["the release failed its own verification"]
        except (covey.InputError, covey.Infeasible) as error:
            return [] if type(error).__name__ in possible else [f"refused: {type(error).__name__} {error.code} {error}"]
    if None not in possible:
        return [f"published where {possible} was due"]
    return deviations(case, outcome.columns, outcome.total_il) + misjudged(case, outcome)


def misjudged(case: Case, outcome: Outcome) -> list[str]:
    """Return what the verifier says wrongly of the release, and of the release with a cell exchanged."""
    if case.door != "arrow" or case.settings["algorithm"] == "non-homogeneous":
        return []
    random = np.random.default_rng(case.seed)
    faults = [] if verdict(case, outcome.table) else ["verify says no to a release without a fault"]
    name = str(random.choice([column.name for column in case.quasi]))
    if name not in outcome.columns or case.settings["release"] == "centre" or outcome.table.num_rows < 2:
        return faults
    cells = list(outcome.columns[name])
    a, b = random.choice(len(cells), 2, replace=False)
    cells[a] = cells[b]
    place = outcome.table.column_names.index(name)
    changed = outcome.table.set_column(place, name, pa.array(cells, pa.string()))
    is_right = not deviations(case, {**outcome.columns, name: cells})
    if verdict(case, changed) != is_right:
        faults.append(f"verify says {'no' if is_right else 'yes'} to a release with a cell exchanged")
    return faults


def verdict(case: Case, table: pa.Table) -> bool:
    facts = {fact: case.settings[fact] for fact in ("types", "orders", "taxonomies", "na") if fact in case.settings}
    given = {name: case.settings[name] for name in ("missing", "release", "suppression") if name in case.settings}
    consent = {} if case.consent is None else {"consent": "agrees"}
    return covey.verify(
        table, k=case.k, quasi=case.settings["quasi"], original=case.table(), models=case.settings["models"],
        allow_unchecked=case.settings["release"] == "centre",  # of shuffled rows they cannot be recomputed
        **facts, **given, **consent,
    ).ok  # fmt: skip


@pytest.mark.parametrize(
    ("meaning", "values", "right", "wrong"),
    [
        (Line(), [Fraction(1), Fraction(3), None], [2.0, "2"], [None, "NaN", "*", 1.5]),
        (Line(), [None, None], [None, "NaN"], ["*", 0.0]),
        (Ordered(order=("low", "mid", "high")), ["low", "low", "high", None], ["low"], ["mid", "high", None]),
        (Ordered(order=("low", "mid", "high")), [None, None], [None], ["low"]),
        (Labels(), ["a", "a", "b", None], ["a"], ["b", None]),
        (Labels(), ["a", "b", None, None], [None], ["a", "b"]),
        (Labels(), ["a", None], ["a", None], ["b", "*"]),
    ],
)
def test_the_judge_knows_the_centre_of_values_some_of_which_are_missing(meaning, values, right, wrong):
    column = SimpleNamespace(meaning=meaning, type="numeric")
    assert [cell for cell in right if not is_centre(column, cell, values)] == []
    assert [cell for cell in wrong if is_centre(column, cell, values)] == []


def test_the_doors_are_all_met():
    assert {draw_case(seed).door for seed in range(200)} >= {"arrow", "pandas", "polars", *FILES}
