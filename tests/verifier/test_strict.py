"""What is not proven is not ok: words that are no values, cells that cannot be read, columns that were not checked."""

import datetime as dt
import json

import jsonschema
import pandas as pd
import pyarrow as pa
import pytest

import covey
from covey.ask.schema import Schema
from covey.cli.app import main
from covey.report import verdict_text
from covey.verifier import verify

PEOPLE = pa.table({"sex": ["female", "female", "male", "male"], "city": ["Oslo", "Oslo", "Rome", "Rome"]})
LIES = pa.table({"sex": ["MALE", "MALE", "FEMALE", "FEMALE"], "city": ["Paris", "Paris", "Tokyo", "Tokyo"]})


def test_a_word_that_is_no_value_covers_nothing_where_the_schema_has_no_taxonomy():
    schema = Schema.from_roles(quasi=["sex", "city"], domains={"sex": ["female", "male"]})
    verdict = verify(LIES, k=2, schema=schema, original=PEOPLE)
    assert (verdict.ok, verdict.truthful.ok, verdict.truthful.complete) == (False, False, True)
    assert not verify(LIES, k=2, schema=schema, original=PEOPLE, allow_unchecked=True).ok
    assert not verify(LIES, k=2, schema=schema, original=PEOPLE, notation="other", allow_unchecked=True).ok
    assert not verify(LIES, k=2, schema=schema, original=PEOPLE, release="node", allow_unchecked=True).ok


def test_a_word_that_may_be_a_node_is_not_proven_unless_that_is_allowed():
    lies = LIES.select(["city"])
    verdict = verify(lies, k=2, quasi=["city"], original=PEOPLE)
    assert (verdict.ok, verdict.truthful.ok, verdict.truthful.complete) == (False, True, False)
    assert verify(lies, k=2, quasi=["city"], original=PEOPLE, allow_unchecked=True).ok


def test_no_words_say_truthful_of_a_column_that_was_not_checked():
    verdict = verify(LIES.select(["city"]), k=2, quasi=["city"], original=PEOPLE)
    assert str(verdict) == "NOT ok: k = 2, asked 2, 2 classes, NOT checked: `city`"
    text = verdict_text(verdict)
    assert text.startswith("k = 2 holds: the smallest class has 2 rows, but NOT everything could be checked")
    assert "NOT proven: 1 column could not be checked" in text
    assert "covers the original" not in text
    allowed = verify(LIES.select(["city"]), k=2, quasi=["city"], original=PEOPLE, allow_unchecked=True)
    assert str(allowed) == "ok: k = 2, asked 2, 2 classes, NOT checked: `city`"
    assert "passed over, as asked: 1 column could not be checked" in verdict_text(allowed)
    assert (verdict.to_json()["unchecked_allowed"], allowed.to_json()["unchecked_allowed"]) == (False, True)


@pytest.mark.parametrize("settings", [{"types": {"flag": "boolean"}}, {"allow_unchecked": True}, {}])
def test_a_boolean_has_no_nodes(settings):
    original = pa.table({"flag": [False, False]})
    assert not verify(pa.table({"flag": ["true", "true"]}), quasi=["flag"], original=original, **settings).ok
    assert verify(pa.table({"flag": ["FALSE", "false"]}), quasi=["flag"], original=original, **settings).ok
    assert not verify(pa.table({"flag": ["nein", "nein"]}), quasi=["flag"], original=original, **settings).ok


NUMBERS = pa.table({"x": [90, 95]})
DAYS = pa.table({"x": [dt.date(1999, 1, 1), dt.date(1999, 1, 1)]})
STRANGE = [
    "[90, 95] ",
    " [90, 95]",
    "90–95",
    "[٩٠, ٩٥]",
    "٩٠-٩٥",
    "senior",
    "90 bis 95",
    "[90; 95]",
    "{90, 95}",
    "[95, 90]",
]
STRANGE_DAYS = [
    "01.01.1999",
    "1999-01-01 ",
    " 1999-01",
    "1999/01/01",
    "Jan 1999",
    "[1999-01-01, 1999-01-02] ",
    "１９９９-01-01",
]


@pytest.mark.parametrize(("original", "cell"), [(NUMBERS, c) for c in STRANGE] + [(DAYS, c) for c in STRANGE_DAYS])
def test_a_cell_that_cannot_be_read_is_never_ok(original, cell):
    released = pa.table({"x": [cell, cell]})
    assert not verify(released, quasi=["x"], original=original).ok
    schema = Schema.from_roles(quasi=["x"])
    verdict = verify(released, schema=schema, original=original, allow_unchecked=True)
    assert (verdict.ok, verdict.truthful.ok) == (False, False)


def test_the_self_check_refuses_words_that_the_table_does_not_have(monkeypatch):
    monkeypatch.setattr("covey.recode.cells.write_label", lambda label, **settings: "Atlantis")
    with pytest.raises(covey.VerificationFailed):
        covey.anonymize(PEOPLE, k=2, quasi=["sex", "city"])


def published(tmp_path, table=LIES):
    from pyarrow import csv

    csv.write_csv(PEOPLE, tmp_path / "raw.csv")
    csv.write_csv(table, tmp_path / "out.csv")
    return [str(tmp_path / "out.csv"), "-k", "2", "--original", str(tmp_path / "raw.csv")]


def run(*words):
    """Return the exit code of a command of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["covey", *words])
        try:
            main()
        except SystemExit as end:
            return end.code or 0
    return 0


def test_the_command_exits_with_1_when_something_was_not_checked(tmp_path, capsys):
    words = ["verify", *published(tmp_path), "--quasi", "sex,city"]
    assert run(*words) == 1
    assert "truthful  NOT proven: 2 columns could not be checked" in capsys.readouterr().out
    assert run(*words, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["unchecked_allowed"], document["truthful"]["complete"]) == (False, False, False)
    assert run(*words, "--allow-unchecked") == 0


def test_a_job_says_which_columns_have_no_taxonomy(tmp_path, capsys):
    (tmp_path / "covey.toml").write_text('[columns.sex]\nrole = "quasi"\n[columns.city]\nrole = "quasi"\n')
    words = ["verify", *published(tmp_path), "--job", str(tmp_path / "covey.toml")]
    assert run(*words) == 1
    assert "truthful  NO" in capsys.readouterr().out
    assert run(*words, "--allow-unchecked") == 1
    truthful = ["verify", *published(tmp_path, PEOPLE), "--job", str(tmp_path / "covey.toml")]
    assert run(*truthful) == 0


def test_the_document_keeps_its_contract():
    from pathlib import Path

    schema = json.loads((Path(__file__).parents[2] / "docs" / "verdict.schema.json").read_text())
    verdict = verify(LIES, quasi=["city"], original=PEOPLE, allow_unchecked=True)
    jsonschema.validate(verdict.to_json(), schema)


@pytest.mark.parametrize(
    ("index", "is_plain"),
    [
        (pd.Index(["Ann", "Bea", "Cid", "Dan"]), False),
        (pd.Index([7, 3, 9, 2], name="patient"), False),
        (pd.MultiIndex.from_product([[1, 2], [3, 4]]), False),
        (pd.Index([7, 3, 9, 2]), True),
        (pd.RangeIndex(4, name="row"), True),
    ],
)
def test_an_index_that_tells_more_than_a_number_needs_a_role_like_any_column(index, is_plain):
    released = pd.DataFrame({"age": ["[1, 2]"] * 4, "ill": list("abab")}, index=index)
    roles = Schema.from_roles(quasi=["age"], sensitive=["ill"], identifier=["name"])
    verdict = verify(released, k=2, schema=roles)
    assert verdict.ok is is_plain
    assert verdict.faults == (() if is_plain else ("the index of the table has no role that lets it be published",))
    assert verify(released, k=2, quasi=["age"]).ok  # nobody said which columns may be published
