"""Consent: rows of people who agreed are exempt from every count, and truthful like all others."""

import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from covey.ask.job import Job, read_job
from covey.ask.schema import Column, Schema
from covey.base.errors import InputError, UnknownColumn
from covey.verifier import verify
from covey.verifier.consent import agreed
from verdicts import check_document

# --- reading the column ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([True, False, None]),
        pa.array(["true", "false", None]),
        pa.array(["YES", "No", None]),
        pa.array([" Yes ", " no", " "]),
        pa.array(["1", "0", ""]),
        pa.array(["1.0", "0.0", None]),
        pa.array(["yes", "no", None], pa.large_string()),
        pa.array(["yes", "no", None], pa.string_view()),
        pa.array(["yes", "no", None]).dictionary_encode(),
        pa.array([True, False, None]).dictionary_encode(),
        pa.array([1, 0, None]),
        pa.array([1, 0, None], pa.uint8()),
        pa.array([1.0, 0.0, None]),
        pa.array([1.0, -0.0, float("nan")]),
        pa.array([Decimal("1.0"), Decimal("0"), None]),
    ],
    ids=lambda cells: f"{cells.type} {cells[0]}",
)
def test_the_first_agrees_the_second_does_not_and_no_answer_is_no_consent(cells):
    assert agreed(pa.chunked_array([cells]), "ok").tolist() == [True, False, False]


def test_a_column_without_any_answer_is_no_consent():
    assert agreed(pa.chunked_array([pa.nulls(2)]), "ok").tolist() == [False, False]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array(["yes", "perhaps", "perhaps"]),
        pa.array(["yes", "y", "t"]),
        pa.array([1, 2, -1]),
        pa.array([1.0, 0.5, float("inf")]),
        pa.array([Decimal("1.0"), Decimal("1.1"), Decimal("1.1")]),
        pa.array([None, dt.date(2024, 1, 1), dt.date(2024, 1, 2)]),
        pa.array([None, b"yes", b"1"]),
    ],
    ids=lambda cells: str(cells.type),
)
def test_another_answer_is_refused_without_telling_it(cells):
    with pytest.raises(InputError) as caught:
        agreed(pa.chunked_array([cells.slice(0, 1), cells.slice(1)]), "ok")
    assert caught.value.code == "bad-consent"
    assert caught.value.message == "column `ok` is neither yes nor no in 2 rows (first in row 2)"
    assert caught.value.__cause__ is None


# --- counting ----------------------------------------------------------------------------------------------------

TABLE = pa.table(
    {
        "age": ["[34, 35]", "[34, 35]", "61", "[34, 35]", "*", "62"],
        "ill": ["flu", "gout", "flu", "asthma", "flu", "gout"],
        "ok": ["no", None, "yes", "yes", "yes", "yes"],
    }
)
ORIGINAL = TABLE.set_column(0, "age", pa.array([34, 35, 61, 34, 70, 62]))
ROLES = Schema.from_roles(quasi=["age"], sensitive=["ill"], consent="ok", types={"age": "numeric"})


def test_exempt_rows_are_in_no_class_and_no_model():
    models = ["distinct-l-diversity(ill, l=2)"]
    verdict = verify(TABLE, k=2, quasi=["age"], consent="ok", models=models)
    assert verdict.ok
    assert (verdict.exempt, verdict.rows, verdict.starred_rows) == (4, 6, 0)
    # the fourth row has the same cells as the class, and asthma, but is not of it
    assert (verdict.sizes, verdict.level, verdict.smallest, verdict.largest) == (((2, 1),), 2, 2, 2)
    assert verdict.models[1].level == 2
    assert check_document(verdict)["exempt"] == 4
    everybody = verify(TABLE, k=2, quasi=["age"], models=models)
    assert (everybody.ok, everybody.exempt, everybody.level, everybody.models[1].level) == (False, 0, 1, 1)


def test_rows_that_did_not_agree_are_counted_among_themselves():
    table = pa.table({"q": ["a", "a", "a", "b"], "ok": [True, True, False, False]})
    verdict = verify(table, k=2, quasi=["q"], consent="ok")
    assert not verdict.ok
    assert [(one.size, one.cells["q"]) for one in verdict.offending] == [(1, "a"), (1, "b")]


def test_the_column_comes_from_the_argument_the_schema_or_the_job():
    for words in ({"schema": ROLES}, {"job": Job(schema=ROLES, k=2)}, {"schema": ROLES, "quasi": ["age"]}):
        assert verify(TABLE, **words).exempt == 4
    other = TABLE.append_column("said", pa.array([False] * 5 + [True]))
    assert verify(other, schema=ROLES, consent="said").exempt == 1


def test_a_job_file_may_name_the_column(tmp_path):
    job = tmp_path / "covey.toml"
    job.write_text(
        'k = 2\n[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "other"\n[columns.ok]\nrole = "consent"\n'
    )
    assert verify(TABLE, job=job).ok
    assert verify(TABLE, job=read_job(job), k=3).exempt == 4


def test_every_kind_of_frame_says_who_agreed():
    cells = {"q": ["a", "a", "b"], "ok": [False, None, True]}
    for frame in (pa.table(cells), pl.DataFrame(cells), pd.DataFrame(cells), pd.DataFrame(cells).convert_dtypes()):
        assert verify(frame, k=2, quasi=["q"], consent="ok").ok
    numbers = pd.DataFrame({"q": ["a", "a", "b"], "ok": [0, None, 1]})  # pandas makes these 0.0, NaN, 1.0
    assert verify(numbers, k=2, quasi=["q"], consent="ok").ok


def test_if_everybody_agreed_k_holds_for_nobody():
    table = pa.table({"q": ["a", "b"], "ill": ["flu", "flu"], "ok": [True, True]})
    models = ["distinct-l-diversity(ill, l=2)", "frequency-l-diversity(ill, l=2)"]
    verdict = verify(table, k=2, quasi=["q"], consent="ok", models=models)
    assert verdict.ok
    assert (verdict.level, verdict.classes, verdict.smallest, verdict.largest, verdict.sizes) == (0, 0, 0, 0, ())
    assert [(model.level, model.ok) for model in verdict.models] == [(0, True)] * 3
    check_document(verdict)
    identified = Schema((Column("q", "quasi"), Column("ill", "identifier"), Column("ok", "consent")))
    assert not verify(table, k=2, schema=identified).ok
    original = pa.table({"q": ["a", "b"], "ill": ["flu", "gout"], "ok": [True, True]})
    assert not verify(table, k=2, quasi=["q"], consent="ok", original=original).ok
    consistent = verify(table, quasi=["q"], consent="ok", models="k-consistency(k=2)", original=table)
    assert (consistent.ok, consistent.models[1].level) == (True, 0)


def test_starred_rows_of_people_who_agreed_are_exempt_not_starred():
    table = pa.table({"q": ["*", "*", "a", "a"], "ok": [True, False, False, False]})
    counted = verify(table, quasi=["q"], consent="ok")
    assert (counted.starred_rows, counted.exempt, counted.sizes) == (1, 1, ((1, 1), (2, 1)))
    assert verify(table, quasi=["q"], consent="ok", suppressed_rows="ignore").sizes == ((2, 1),)
    with pytest.raises(InputError) as caught:
        verify(table.slice(0, 2), quasi=["q"], consent="ok", suppressed_rows="ignore")
    assert caught.value.code == "no-rows"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"quasi": ["age"], "consent": "okay"}, "unknown-column"),
        ({"quasi": ["age", "ok"], "consent": "ok"}, "two-roles"),
        ({"schema": ROLES, "quasi": ["ok"]}, "two-roles"),
        ({"quasi": ["age"], "consent": "ill"}, "bad-consent"),
    ],
)
def test_columns_that_cannot_say_who_agreed_are_refused(words, code):
    with pytest.raises(InputError) as caught:
        verify(TABLE, **words)
    assert caught.value.code == code
    assert "flu" not in str(caught.value)


def test_a_release_without_the_declared_column_is_refused():
    with pytest.raises(UnknownColumn, match="no column `ok`, which says who agreed"):
        verify(TABLE.drop_columns(["ok"]), schema=ROLES)


# --- truth -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["kept", "any"])
def test_exempt_rows_are_compared_with_the_original_like_all_others(order):
    rows = [0, 1, 2, 3, 4, 5] if order == "kept" else [5, 3, 1, 0, 2, 4]
    released = TABLE.take(rows)
    found = verify(released, k=2, schema=ROLES, original=ORIGINAL, order=order)
    assert found.ok
    assert "ok" in found.truthful.checked
    wrong = TABLE.set_column(0, "age", pa.array(["[34, 35]", "[34, 35]", "60", "[34, 35]", "*", "62"])).take(rows)
    found = verify(wrong, k=2, schema=ROLES, original=ORIGINAL, order=order)
    assert (found.ok, found.models[0].ok, found.truthful.ok) == (False, True, False)


@pytest.mark.parametrize("rows", [[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4]])
def test_a_consent_that_the_original_does_not_have_is_a_fault(rows):
    # the two rows below k are declared to have agreed
    original = pa.table({"age": [34, 35, 35, 61, 62, 34], "ok": [False, False, False, False, False, False]})
    released = pa.table({"age": ["[34, 35]"] * 3 + ["61", "62", "34"], "ok": [False] * 3 + [True] * 3})
    alone = verify(released.take(rows), k=3, quasi=["age"], consent="ok")
    assert alone.ok  # the table itself cannot tell
    found = verify(released.take(rows), k=3, quasi=["age"], consent="ok", original=original)
    assert not found.ok
    assert found.models[0].ok
    assert not found.truthful.ok
    added = verify(released.take(rows), k=3, quasi=["age"], consent="ok", original=original.drop_columns(["ok"]))
    assert "column `ok` is not in the original" in added.truthful.faults


def test_text_and_booleans_are_the_same_consent():
    released = TABLE.set_column(2, "ok", pa.array(["false", None, "true", "true", "true", "true"]))
    original = ORIGINAL.set_column(2, "ok", pa.array([False, None, True, True, True, True]))
    assert verify(released, k=2, schema=ROLES, original=original).ok


def test_a_centre_is_recomputed_without_the_rows_that_agreed():
    schema = Schema.from_roles(quasi=["age"], other=["id"], consent="ok", types={"age": "numeric"})
    original = pa.table({"age": [30, 40, 50, 35], "id": ["a", "b", "c", "d"], "ok": [False, False, True, True]})
    fine = original.set_column(0, "age", pa.array(["35", "35", "50", "35"]))
    verdict = verify(fine, k=2, schema=schema, original=original, release="centre", order="kept")
    assert verdict.ok
    assert (verdict.classes, verdict.truthful.kind) == (1, "recomputed")
    # the mean of three rows, one of which agreed and is of no class
    wrong = original.set_column(0, "age", pa.array(["40", "40", "40", "35"]))
    assert not verify(wrong, k=2, schema=schema, original=original, release="centre", order="kept").ok


def test_suppressed_missing_values_are_left_out_whoever_agreed():
    original = ORIGINAL.set_column(0, "age", pa.array([34, 35, 61, 34, None, None]))
    released = TABLE.slice(0, 4)
    assert verify(released, k=2, schema=ROLES, original=original, missing="suppress").ok
    consistent = verify(released, schema=ROLES, original=original, missing="suppress", models="k-consistency(k=2)", k=2)
    assert (consistent.ok, consistent.models[1].level) == (True, 2)
