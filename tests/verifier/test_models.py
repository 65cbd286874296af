"""Privacy models beside k-anonymity: recounted from published tables, against pandas' own grouping."""

import datetime as dt
import subprocess
import sys
from fractions import Fraction
from types import ModuleType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from covey.ask.job import Job
from covey.ask.models import ModelSpec
from covey.ask.schema import Schema
from covey.base.errors import InputError, UnknownColumn
from covey.verifier import verify
from verdicts import check_document

# --- brute force ---------------------------------------------------------------------------------------------

SENSITIVE = {
    "text": ["flu", "gout", "", "Flu", None],
    "whole": [1, 2, 10, 0, None],
    "number": [0.5, 1.0, -1.0, 1e300, None],
    "bool": [True, False, None],
    "date": [dt.date(2024, 1, 1), dt.date(2024, 1, 2), None],
}
TYPES = {
    "text": pa.string(),
    "whole": pa.int64(),
    "number": pa.float64(),
    "bool": pa.bool_(),
    "date": pa.date32(),
}


def random_table(rng):
    """Classes with released tuples of a small pool, so that different classes share one and become one."""
    n_rows, n_classes = int(rng.integers(1, 25)), int(rng.integers(1, 6))
    pool = [("[1, 2]", "a"), ("[1, 2]", None), (None, "a"), ("*", "*"), ("7", "{a, b}")]
    tuples = [pool[rng.integers(len(pool))] for _ in range(n_classes)]
    rows = [tuples[rng.integers(n_classes)] for _ in range(n_rows)]
    columns = {
        "x": pa.array([row[0] for row in rows], pa.string()),
        "y": pa.array([row[1] for row in rows], pa.string()),
        "agrees": pa.array([bool(rng.random() < 0.3) for _ in range(n_rows)]),
    }
    for name, values in SENSITIVE.items():
        few = values[: int(rng.integers(1, len(values) + 1))]
        drawn = pa.array([few[rng.integers(len(few))] for _ in range(n_rows)], TYPES[name])
        columns[name] = drawn.dictionary_encode() if rng.random() < 0.3 and name in ("text", "whole") else drawn
    return pa.table(columns)


def by_pandas(frame, column, model, asked):
    """(level, classes that fail, rows of those), as pandas groups and counts."""
    levels, fails = [], []
    for _, part in frame.groupby(["x", "y"], dropna=False):
        values = part[column].astype(object).map(lambda value: None if value == "" else value)  # blanks are missing
        counts = values.value_counts(dropna=False)
        level = Fraction(len(counts)) if model.startswith("distinct") else Fraction(len(part), int(counts.max()))
        levels.append(level)
        fails += [len(part)] if level < Fraction(str(asked)) else []
    return min(levels), len(fails), sum(fails)


def test_levels_and_failing_classes_are_those_that_pandas_counts():
    rng = np.random.default_rng(5)
    held = 0
    for case in range(400):
        table = random_table(rng)
        with_consent, ignore = bool(case % 2), bool(case % 3 == 0)
        frame = table.to_pandas()
        exempt = int(frame["agrees"].sum()) if with_consent else 0
        if with_consent:
            frame = frame[~frame["agrees"]]
        if ignore:
            frame = frame[~((frame["x"] == "*") & (frame["y"] == "*"))]
        if frame.empty:
            continue
        first, second = rng.choice(list(SENSITIVE), 2).tolist()
        specs = [
            ModelSpec("distinct-l-diversity", (first,), (("l", int(rng.integers(1, 4))),)),
            ModelSpec("frequency-l-diversity", (second,), (("l", float(rng.choice([1, 1.2, 1.5, 2, 2.5, 3]))),)),
        ]
        verdict = verify(
            table, quasi=["x", "y"], models=specs, consent="agrees" if with_consent else None,
            suppressed_rows="ignore" if ignore else "count",
        )  # fmt: skip
        assert verdict.level == frame.groupby(["x", "y"], dropna=False).size().min()
        assert (verdict.exempt, verdict.rows) == (exempt, table.num_rows)
        assert len(verdict.models) == len(specs) + 1
        for spec, found in zip(specs, verdict.models[1:], strict=True):
            level, classes, rows = by_pandas(frame, spec.column, spec.model, spec.asked)
            assert (found.model, found.column, found.asked) == (spec.model, spec.column, spec.asked)
            assert found.level == float(level)
            assert (found.offending_count, found.offending_rows, found.ok) == (classes, rows, classes == 0)
            assert len(found.offending) == min(classes, 5)
        assert verdict.ok == all(found.ok for found in verdict.models)
        held += verdict.ok
        if case % 25 == 0:
            check_document(verdict)
    assert 40 < held < 360  # both answers were tried


# --- what is asked and what is told ---------------------------------------------------------------------------

TABLE = pa.table(
    {
        "age": ["[34, 35]"] * 4 + ["[61, 63]"] * 3,
        "ill": ["flu", "flu", "gout", None, "flu", "flu", "gout"],
    }
)
ORIGINAL = TABLE.set_column(0, "age", pa.array([34, 35, 34, 35, 61, 63, 62]))


@pytest.mark.parametrize(
    "model",
    [
        "distinct-l-diversity(ill, l=3)",
        {"model": "distinct-l-diversity", "column": "ill", "l": 3},
        ModelSpec("distinct-l-diversity", ("ill",), (("l", 3),)),
    ],
)
def test_models_are_given_as_text_table_or_spec_alone_or_in_a_list(model):
    for given in (model, [model], (model, model)):
        verdict = verify(TABLE, k=3, quasi=["age"], models=given)
        k, found = verdict.models
        assert (k.ok, k.column, k.level) == (True, None, 3)
        # flu, gout, missing in the first class; flu, gout in the second, of 3 rows
        assert (found.model, found.column, found.asked, found.level, found.ok) == (
            "distinct-l-diversity", "ill", 3, 2, False,
        )  # fmt: skip
        assert not verdict.ok
        assert [(one.size, one.cells) for one in found.offending] == [(3, {"age": "[61, 63]"})]
        assert verdict.offending == ()  # those are the classes below k
        assert str(verdict) == "NOT ok: k = 3, asked 3, 2 classes, distinct-l-diversity of `ill` NOT met"


def test_a_model_object_is_taken_too():
    from covey.privacy.diversity import FrequencyLDiversity

    found = verify(TABLE, quasi=["age"], models=[FrequencyLDiversity("ill", l=1.5)]).models[1]
    assert (found.level, found.ok) == (1.5, True)  # 4 rows / 2 with flu, 3 / 2


def test_one_column_may_have_several_models_and_all_must_hold():
    words = ["distinct-l-diversity(ill, l=2)", "frequency-l-diversity(ill, l=1.5)"]
    assert verify(TABLE, k=3, quasi=["age"], models=words).ok
    verdict = verify(TABLE, k=3, quasi=["age"], models=[*words, "frequency-l-diversity(ill, l=2)"])
    assert [model.ok for model in verdict.models] == [True, True, True, False]
    assert not verdict.ok


def test_the_document_has_the_models_with_their_columns_and_failing_classes():
    document = check_document(verify(TABLE, k=2, quasi=["age"], models="frequency-l-diversity(ill, l=1.75)"))
    assert document["models"] == [
        {
            "model": "k-anonymity", "column": None, "asked": 2, "level": 3, "ok": True,
            "offending": {"classes": 0, "rows": 0, "shown": []},
        },
        {
            "model": "frequency-l-diversity", "column": "ill", "asked": 1.75, "level": 1.5, "ok": False,
            "offending": {"classes": 1, "rows": 3, "shown": [{"size": 3, "cells": {"age": "[61, 63]"}}]},
        },
    ]  # fmt: skip


def test_at_most_five_failing_classes_are_shown_the_smallest_first():
    cells = [f"c{size}" for size in range(8, 0, -1) for _ in range(size)]
    table = pa.table({"q": cells, "ill": ["flu"] * len(cells)})
    found = verify(table, quasi=["q"], models="distinct-l-diversity(ill, l=2)").models[1]
    assert [one.size for one in found.offending] == [1, 2, 3, 4, 5]
    assert (found.offending_count, found.offending_rows) == (8, 36)  # 1 + 2 + ... + 8


def test_the_column_must_be_published():
    with pytest.raises(UnknownColumn, match="no column `il`, of which distinct-l-diversity speaks") as caught:
        verify(TABLE, quasi=["age"], models="distinct-l-diversity(il, l=2)")
    assert caught.value.code == "unknown-column"
    assert caught.value.hint == "did you mean `ill`?"


@pytest.mark.parametrize(
    ("models", "code"),
    [
        ("distinct-diversity(ill, l=2)", "unknown-model"),
        ("distinct-l-diversity(ill)", "bad-model"),
        ("distinct-l-diversity(ill, l=2.5)", "bad-model"),
        ("distinct-l-diversity(ill, l=", "bad-model"),
        ([5], "bad-model"),
        (5, "bad-model"),
    ],
)
def test_models_that_are_none_are_refused(models, code):
    with pytest.raises(InputError) as caught:
        verify(TABLE, quasi=["age"], models=models)
    assert caught.value.code == code


def test_a_nested_sensitive_column_cannot_be_counted():
    table = TABLE.append_column("notes", pa.array([[1]] * 7))
    with pytest.raises(InputError) as caught:
        verify(table, quasi=["age"], models="distinct-l-diversity(notes, l=2)")
    assert caught.value.code == "nested-column"


# --- jobs ------------------------------------------------------------------------------------------------------

SCHEMA = Schema.from_roles(quasi=["age"], sensitive=["ill"])


def test_the_models_of_a_job_count_beside_those_given():
    job = Job(schema=SCHEMA, k=3, models=(ModelSpec("distinct-l-diversity", ("ill",), (("l", 3),)),))
    verdict = verify(TABLE, job=job)
    assert [(model.model, model.ok) for model in verdict.models] == [
        ("k-anonymity", True),
        ("distinct-l-diversity", False),
    ]
    more = verify(TABLE, job=job, models=["distinct-l-diversity(ill, l=3)", "frequency-l-diversity(ill, l=1.5)"])
    assert [model.asked for model in more.models] == [3, 3, 1.5]


def test_the_suppression_of_a_job_is_allowed_unless_another_is_given():
    job = Job(schema=SCHEMA, k=3, suppression=0.25)
    original = pa.concat_tables([ORIGINAL, ORIGINAL.slice(0, 2)])  # 2 of 9 rows are lost, 0.25 allows 2
    assert verify(TABLE, job=job, original=original).ok
    assert not verify(TABLE, job=job, original=original, suppression=0.2).ok  # 1
    assert not verify(TABLE, job=job, original=original, suppression=0.0).ok
    assert not verify(TABLE, schema=SCHEMA, original=original).ok


# --- k-consistency: the verifier hands over what was compared -----------------------------------------------------


@pytest.fixture
def counted(monkeypatch):
    """A count of k-consistency that gives 4 and remembers what it was given."""
    calls = []

    def k_consistency(columns, n_released, n_original):
        calls.append((columns, n_released, n_original))
        return 4

    module = ModuleType("covey.verifier.truth.consistency")
    module.k_consistency = k_consistency
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return calls


def test_k_consistency_needs_the_original():
    with pytest.raises(InputError, match="k-consistency cannot be counted without the original table") as caught:
        verify(TABLE, quasi=["age"], models="k-consistency(k=4)")
    assert caught.value.code == "needs-original"


@pytest.mark.parametrize(("k", "ok"), [(4, True), (5, False)])
def test_k_consistency_is_counted_on_what_was_compared(counted, k, ok):
    verdict = verify(TABLE, quasi=["age"], models=f"k-consistency(k={k})", original=ORIGINAL)
    found = check_document(verdict)["models"][1]
    assert found == {
        "model": "k-consistency", "column": None, "asked": k, "level": 4, "ok": ok,
        "offending": {"classes": 0, "rows": 0, "shown": []},
    }  # fmt: skip
    assert verdict.ok == ok
    [(columns, n_released, n_original)] = counted
    assert (n_released, n_original) == (7, 7)
    covers = columns[0].cover.pairs(np.repeat(columns[0].cells, 7), np.tile(columns[0].values, 7)).reshape(7, 7)
    assert covers.tolist() == [[(i < 4) == (j < 4) for j in range(7)] for i in range(7)]


def test_k_consistency_leaves_out_exempt_rows_on_both_sides(counted):
    agrees = pa.array([False, True, False, False, False, False, True])
    released = TABLE.append_column("ok", agrees)
    shuffled = [6, 1, 0, 2, 3, 4, 5]
    original = ORIGINAL.append_column("ok", agrees).take(shuffled)
    verdict = verify(released, quasi=["age"], models="k-consistency(k=4)", consent="ok", original=original)
    assert (verdict.ok, verdict.exempt) == (True, 2)
    [(columns, n_released, n_original)] = counted
    assert (n_released, n_original) == (5, 5)
    assert columns[0].cells.tolist() == [0, 0, 0, 1, 1]
    ages = np.array([62, 35, 34, 61, 63])  # the distinct values as they first stand in the shuffled original
    assert ages[columns[0].values].tolist() == [34, 34, 35, 61, 63]


def test_cells_that_cannot_be_read_are_not_counted_as_covering(counted):
    released = pa.table({"city": ["North"] * 3})
    original = pa.table({"city": ["Oslo", "Bergen", "Oslo"]})
    words = ["k-consistency(k=2)", "k-consistency(k=3)"]
    verdict = verify(released, quasi=["city"], models=words, original=original)
    assert not verdict.ok
    assert [model.ok for model in verdict.models] == [True, False, False]
    assert verdict.faults == (
        "k-consistency cannot be counted: cells of `city` may be nodes of a taxonomy that was not given",
    )
    assert counted == []


def test_a_job_whose_algorithm_makes_no_classes_promises_k_consistency(counted, monkeypatch):
    from covey.ask.algorithms import ALGORITHMS, Entry

    entry = Entry("rings", "none", "None", "a test", ignores_row_order=False, makes_classes=False)
    monkeypatch.setitem(ALGORITHMS, "rings", entry)
    job = Job(schema=SCHEMA, k=4, algorithm="rings(width=3)")
    verdict = verify(TABLE, job=job, original=ORIGINAL)
    assert [(model.model, model.asked) for model in verdict.models] == [("k-anonymity", None), ("k-consistency", 4)]
    assert verdict.ok
    assert not verify(TABLE, job=job, k=4, original=ORIGINAL).ok  # a k that is given asks for classes of k
    with pytest.raises(InputError) as caught:
        verify(TABLE, job=job)
    assert caught.value.code == "needs-original"


# --- independence ------------------------------------------------------------------------------------------------


def test_the_verifier_counts_models_without_the_model_classes():
    program = (
        "import sys, pyarrow as pa; from covey.verifier import verify\n"
        "table = pa.table({'q': ['a', 'a'], 's': ['x', 'y'], 'c': [False, False]})\n"
        "assert verify(table, k=2, quasi=['q'], models='distinct-l-diversity(s, l=2)', consent='c').ok\n"
        "shared = {'numba', 'covey.privacy', 'covey.columns.consent', 'covey.codes', 'covey.search'}\n"
        "print(sorted(shared & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_pandas_and_arrow_tables_give_the_same_levels():
    frame = pd.DataFrame({"q": ["a", "a", "b"], "s": [1.0, np.nan, 2.0]})
    for table in (frame, pa.Table.from_pandas(frame)):
        found = verify(table, quasi=["q"], models="distinct-l-diversity(s, l=1)").models[1]
        assert found.level == 1
        assert verify(table, quasi=["q"], models="frequency-l-diversity(s, l=1)").models[1].level == 1
