"""The verdict as a document, and the words that verify takes."""

import pyarrow as pa
import pytest

import covey
from covey.ask.schema import Schema
from covey.base.errors import InputError, UnknownColumn
from covey.verifier import verify
from verdicts import check_document

TABLE = pa.table({"age": ["[34, 35]", "[34, 35]", None], "ill": ["a", "b", "c"]})
ORIGINAL = pa.table({"age": [34, 35, None], "ill": ["a", "b", "c"]})


def test_the_document_follows_its_schema():
    document = check_document(verify(TABLE, k=2, quasi=["age"], original=ORIGINAL))
    assert document["covey"] == covey.__version__
    assert document["ok"] is False
    assert document["offending"] == {"classes": 1, "rows": 1, "shown": [{"size": 1, "cells": {"age": None}}]}
    assert document["models"] == [
        {
            "model": "k-anonymity", "column": None, "asked": 2, "level": 1, "ok": False,
            "offending": document["offending"],
        },
    ]  # fmt: skip
    assert document["sizes"] == [{"size": 1, "classes": 1}, {"size": 2, "classes": 1}]
    assert document["truthful"]["checked"] == ["age", "ill"]
    assert document["suppressed"] == 0


def test_the_document_follows_its_schema_without_k_original_and_with_faults():
    assert check_document(verify(TABLE, quasi=["age"]))["truthful"] is None
    words = pa.table({"age": ["young", "young"], "ill": ["x", "b"]})
    document = check_document(verify(words, quasi=["age"], original=ORIGINAL.slice(0, 2)))
    assert document["truthful"]["not_checked"][0]["column"] == "age"
    assert document["truthful"]["faults"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"k": 1}, "bad-parameter"),
        ({"k": "two"}, "bad-parameter"),
        ({"k": True}, "bad-parameter"),
        ({"suppression": 1.5}, "bad-parameter"),
        ({"suppression": "some"}, "bad-parameter"),
        ({"suppressed_rows": "skip"}, "bad-parameter"),
        ({"notation": "arx"}, "bad-parameter"),
        ({"release": "mean"}, "bad-parameter"),
        ({"missing": "drop"}, "bad-parameter"),
        ({"order": "shuffled"}, "bad-parameter"),
        ({"consent": 3}, "bad-parameter"),
        ({"quasi": []}, "no-quasi"),
        ({"quasi": None}, "no-quasi"),
    ],
)
def test_wrong_words_are_refused(words, code):
    with pytest.raises(InputError) as caught:
        verify(TABLE, **{"quasi": ["age"], **words})
    assert caught.value.code == code


def test_unknown_columns_are_named_with_a_hint():
    with pytest.raises(UnknownColumn, match="the table has no column `agee`") as caught:
        verify(TABLE, quasi=["agee"])
    assert caught.value.hint == "did you mean `age`?"
    with pytest.raises(UnknownColumn, match="the original has no column `age`"):
        verify(TABLE, quasi=["age"], original=ORIGINAL.drop_columns(["age"]))


def test_nested_columns_are_refused():
    with pytest.raises(InputError, match="cannot be compared") as caught:
        verify(pa.table({"q": pa.array([[1], [2]])}), quasi=["q"])
    assert caught.value.code == "nested-column"


def test_a_published_identifier_is_a_fault():
    schema = Schema.from_roles(identifier=["name"], quasi=["age"])
    table = pa.table({"name": ["Ann", "Bob"], "age": ["[34, 35]"] * 2})
    verdict = verify(table, k=2, schema=schema)
    assert not verdict.ok
    assert verdict.faults == ("column `name` is an identifier and was published",)
    assert verify(table.drop_columns(["name"]), k=2, schema=schema).ok


def test_a_published_column_without_a_role_is_a_fault():
    schema = Schema.from_roles(identifier=["name"], quasi=["age"], sensitive=["ill"])
    table = pa.table({"age": ["[34, 35]"] * 2, "ill": ["flu", "gout"], "ssn": ["078-05-1120", "219-09-9999"]})
    verdict = verify(table, k=2, schema=schema)
    assert not verdict.ok
    assert verdict.faults == ("column `ssn` has no role that lets it be published",)
    assert verify(table.drop_columns(["ssn"]), k=2, schema=schema).ok
    # roles that are given count instead; quasi columns alone say nothing of the others
    assert verify(table, k=2, schema=schema, roles=Schema.from_roles(quasi=["age"], other=["ill", "ssn"])).ok
    assert verify(table, k=2, schema=Schema.from_roles(quasi=["age"])).ok
    assert verify(table, k=2, quasi=["age"]).ok


def test_a_column_that_is_named_as_consent_has_a_role():
    schema = Schema.from_roles(identifier=["name"], quasi=["age"])
    table = pa.table({"age": ["[34, 35]", "[34, 35]", "61"], "said": [False, False, True]})
    assert verify(table, k=2, schema=schema, consent="said").ok


@pytest.mark.parametrize(
    ("kind", "cell"),
    [("numeric", "young"), ("numeric", "[1, 2"), ("numeric", "[1; 2]"), ("date", "spring"), ("categorical", '"half')],
)
def test_cells_that_are_no_released_values_are_a_fault(kind, cell):
    schema = Schema.from_roles(quasi=["q"], types={"q": kind})
    table = pa.table({"q": [None, cell, cell]})
    verdict = verify(table, schema=schema)
    assert not verdict.ok
    assert verdict.faults == (f"column `q` holds no released value of type {kind} in 2 rows (first in row 2)",)
    assert cell not in str(verdict.faults)
    # not judged: without a declared type, with nodes, and as other tools may write
    assert verify(table, quasi=["q"]).ok
    assert verify(table, schema=schema, release="node").ok
    assert verify(table, schema=schema, notation="other").ok


def test_quasi_chooses_among_the_columns_of_a_schema():
    schema = Schema.from_roles(quasi=["a", "b"], types={"a": "numeric"})
    table = pa.table({"a": ["1", "1"], "b": ["x", "y"]})
    assert verify(table, schema=schema).level == 1
    assert verify(table, schema=schema, quasi=["a"]).level == 2


def test_no_cell_of_a_class_that_fails_is_shown_by_the_way():
    table = pa.table({"age": ["31", "47"], "ill": ["flu", "gout"]})
    verdict = verify(table, k=2, quasi=["age"], models=["distinct-l-diversity(ill, l=2)"])
    shown = repr(verdict) + str(verdict) + repr(verdict.models) + repr(verdict.offending[0])
    assert "31" not in shown
    assert "47" not in shown
    assert [one.cells for one in verdict.offending] == [{"age": "31"}, {"age": "47"}]
