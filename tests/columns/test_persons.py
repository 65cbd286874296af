"""Rows are not persons: what report, verdict, limits and summary say where somebody has several rows."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest

import covey
from covey.ask.schema import Column
from covey.base.errors import CoveyWarning
from covey.columns.persons import owners_of
from covey.report import verdict_text


def visits(name="patient_id", persons=40, rows=6):
    """Return a table with several rows of each person, all alike in the quasi columns."""
    random = np.random.default_rng(1)
    ages = np.repeat(random.permutation(np.arange(20, 20 + persons)), rows)
    ill = random.choice(["flu", "gout", "none"], persons * rows)
    return pa.table({name: [f"P{i:03}" for i in range(persons) for _ in range(rows)], "age": ages, "ill": ill})


def words(text):
    return " ".join(str(text).split())


@pytest.mark.parametrize("make", [lambda table: table, pa.Table.to_pandas])
def test_a_repeated_identifier_is_told_everywhere(make):
    with pytest.warns(CoveyWarning, match="240 rows of 40 persons by `patient_id`: k counts rows"):
        made = covey.anonymize(make(visits()), k=5, identifier=["patient_id"], quasi=["age"], sensitive=["ill"])
    report = made.report
    assert report.to_json()["persons"] == {
        "column": "patient_id", "certain": True, "rows": 240, "values": 40,
        "fewest_in_a_class": 1, "classes_below_k": 40,
    }  # fmt: skip
    assert "k = 5 holds for rows, NOT for persons" in words(report)
    assert "40 of 40 classes hold fewer than 5 (the fewest: 1); make one row per person first" in words(report)
    assert "rows are not persons: 240 rows are of 40 persons by `patient_id`" in report.limits[0]
    assert report.limits[0] in report.to_json()["limits"]
    assert "P0" not in json.dumps(report.to_json())


def test_the_command_line_tells_it_too_and_so_does_verify(run, tmp_path):
    source, out = tmp_path / "visits.csv", tmp_path / "out.csv"
    pyarrow.csv.write_csv(visits(), source)
    (tmp_path / "job.toml").write_text(
        'k = 5\n[columns.patient_id]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\n'
        '[columns.ill]\nrole = "sensitive"\n'
    )
    done = run("anonymize", source, "--job", tmp_path / "job.toml", "-o", out)
    assert done.code == 0
    assert "k = 5 holds for rows, NOT for persons" in words(done.err)
    assert "P0" not in done.err + done.out + out.read_text()
    check = ["verify", out, "--job", tmp_path / "job.toml", "--original", source]
    seen = run(*check)
    assert seen.code == 0
    assert "240 rows of 40 persons by `patient_id` in the original: k counts rows" in words(seen.out)
    assert "how many it holds cannot be told" in words(seen.out)  # the rows were shuffled
    assert "holds for rows, unknown for persons" in words(seen.out)
    assert json.loads(run(*check, "--json").out)["warnings"][0].startswith("240 rows of 40 persons")
    alone = run("verify", out, "-k", "5", "--quasi", "age")
    assert "persons not counted: k counts rows" in words(alone.out)


@pytest.mark.parametrize("missing", [0, 3])
def test_the_verdict_counts_persons_where_rows_are_in_the_order_of_the_original(missing):
    table = visits()
    ages = table.column("age").to_pylist()
    table = table.set_column(1, "age", pa.array([None] * missing + ages[missing:]))
    roles = {"identifier": ["patient_id"], "quasi": ["age"], "sensitive": ["ill"]}
    settings = {"k": 7, "order": "kept", "missing": "suppress"}
    with pytest.warns(CoveyWarning, match="240 rows of 40 persons"):
        made = covey.anonymize(table, **roles, **settings)
    told = made.report.persons
    schema = covey.Schema.from_roles(**roles)
    check = {"k": 7, "schema": schema, "original": table, "missing": "suppress"}
    verdict = covey.verify(made.table, **check)
    assert verdict.ok  # a warning, no verdict
    assert (
        (verdict.persons.fewest, verdict.persons.below)
        == (told.fewest, told.below)
        == (1 + (told.fewest > 1), told.below)
    )
    assert told.below > 0
    assert f"k = {verdict.level}, asked 7 for rows, NOT for persons" in str(verdict)
    assert (
        f"{told.below} of {verdict.classes} classes hold fewer than 7 (the fewest: {told.fewest})"
        in verdict.warnings[0]
    )
    assert verdict.to_json()["persons"]["classes_below_k"] == told.below
    assert "k = 7 holds for rows, NOT for persons: the smallest class has" in verdict_text(verdict)
    unasked = covey.verify(made.table, **{**check, "k": None})
    assert f"the fewest persons in a class are {told.fewest}" in unasked.warnings[0]
    assert "NOT" not in str(unasked)
    shuffled = made.table.take(np.random.default_rng(0).permutation(made.table.num_rows))
    unknown = covey.verify(shuffled, **check)
    assert unknown.truthful.kind == "matched"
    assert (unknown.persons.fewest, unknown.persons.below) == (None, None)
    assert "cannot be told" in unknown.warnings[0]


def test_persons_in_classes_are_counted():
    table = pa.table({"patient_id": list("aabbccdd"), "age": [1, 2, 1, 2, 7, 8, 7, 8]})
    with pytest.warns(CoveyWarning, match="8 rows of 4 persons by `patient_id`: k counts rows; every class holds 2"):
        made = covey.anonymize(table, k=2, identifier=["patient_id"], quasi=["age"], algorithm=Fours())
    assert made.report.persons.fewest == 2
    assert "NOT for persons" not in str(made.report)


class Fours(covey.Estimator):
    """The first four rows and the rest."""

    needs_rows = True

    def search(self, task):
        return covey.Found(of_row=np.where(np.arange(task.codes.n_rows) < 4, 0, 1))


def test_a_key_of_its_own_for_every_row_is_no_warning_and_the_limits_say_so(recwarn):
    table = visits(rows=1)
    made = covey.anonymize(table, k=5, identifier=["patient_id"], quasi=["age"], sensitive=["ill"])
    assert not recwarn.list
    assert "each with a `patient_id` of its own" in made.report.limits[0]
    assert "NOT" not in str(made.report)


def test_where_nothing_tells_persons_the_limits_say_what_k_counts():
    made = covey.anonymize(visits().select(["age", "ill"]), k=5, quasi=["age"], sensitive=["ill"])
    assert made.report.persons is None
    assert made.report.limits[0].startswith("k counts rows: where a person can have several")


def test_a_dropped_column_that_may_tell_persons_is_said_to_be_one_perhaps():
    with pytest.warns(
        CoveyWarning, match="have 40 different values of `holder`, which is dropped; if these are persons"
    ):
        made = covey.anonymize(visits("holder"), k=5, identifier=["holder"], quasi=["age"], sensitive=["ill"])
    assert "NOT for persons" not in str(made.report)


def test_namesakes_and_dropped_categories_are_no_persons(recwarn):
    names = [f"n{i % 95}" for i in range(100)]
    table = pa.table({"name": names, "sex": ["f", "m"] * 50, "age": np.arange(100) % 50})
    made = covey.anonymize(table, k=5, identifier=["name", "sex"], quasi=["age"])
    assert (made.report.persons, recwarn.list) == (None, [])


@pytest.mark.parametrize(
    ("values", "rows", "warned"), [(20, 50, True), (20, 101, False), (30, 100, True), (200, 8, True)]
)
def test_a_value_of_more_than_a_hundred_rows_is_no_person(values, rows, warned):
    random = np.random.default_rng(2)
    hours = random.permutation(np.repeat(np.arange(values), rows))
    table = pa.table({"hours": hours, "age": random.integers(0, 50, len(hours))})
    found = owners_of({"hours": table.column("hours")})
    assert (found is not None) == warned
    schema = covey.Schema.from_roles(identifier=["hours"], quasi=["age"])
    verdict = covey.verify(table.select(["age"]), quasi=["age"], schema=schema, original=table)
    assert bool(verdict.warnings) == warned
    named = owners_of({"patient_id": table.column("hours")})
    assert named.persons.is_person


def test_missing_keys_and_odd_columns_are_no_fault():
    ids = pa.chunked_array([["a", None, "a", None, "b"]])
    found = owners_of({"patient_id": ids, "list": pa.chunked_array([[[1], [2], [3], [4], [5]]])})
    assert (found.persons.rows, found.persons.values) == (3, 2)
    assert owners_of({"patient_id": pa.chunked_array([pa.array([None, None])])}) is None
    odd = pd.DataFrame({"patient_id": [1, 1, 2, 2], "thing": [object(), {1}, 2, "x"], "age": [1, 2, 3, 4]})
    with pytest.warns(CoveyWarning, match="4 rows of 2 persons"):
        covey.anonymize(odd, k=2, identifier=["patient_id", "thing"], quasi=["age"])


@pytest.mark.parametrize("role", ["quasi", "other"])
def test_a_published_column_that_looks_like_a_key_is_warned_of(role):
    roles = {"quasi": ["age"], "sensitive": ["ill"]}
    roles[role] = [*roles.get(role, []), "patient_id"]
    with pytest.warns(CoveyWarning, match="column `patient_id` is .* and looks like a key") as caught:
        made = covey.anonymize(visits(), k=5, **roles)
    assert not any("P0" in str(one.message) for one in caught)
    assert any("looks like a key" in note for note in made.report.warnings)
    verdict = covey.verify(made.table, k=5, quasi=roles["quasi"])
    assert "looks like a key" in verdict.warnings[0]
    assert verdict.ok  # a warning, no verdict


def test_the_hint_on_an_entity_says_what_is_safe():
    with pytest.raises(covey.InputError) as caught:
        Column("who", "entity")
    assert caught.value.hint.startswith("make one row per person first")


@pytest.mark.parametrize(
    ("ages", "warned"),
    [
        ([*range(20, 80)] * 5 + [999], True),
        ([*range(20, 80)] * 5 + [-99, 999], True),
        ([*range(20, 80)] * 5 + [120], False),  # not twice as wide
        ([*range(20, 80), 999], False),  # more than one row in a hundred
        ([0] * 500 + [1], False),  # one value but for a few rows: it has no width
        ([0.0, 1.0] * 300 + [-1.7e308, 1.7e308], True),
    ],
)
def test_few_rows_that_stretch_a_domain_are_warned_of_without_their_values(ages, warned):
    table = pa.table({"age": ages})
    made = covey.anonymize(table, k=2, quasi=["age"], algorithm=All())
    notes = [note for note in made.report.warnings if "twice its width" in note]
    assert bool(notes) == warned
    assert all("declare them missing (na)" in note and f"of {len(ages):,} rows" in note for note in notes)
    declared = covey.anonymize(table, k=2, quasi=["age"], algorithm=All(), domains={"age": (min(ages), max(ages))})
    assert not any("twice its width" in note for note in declared.report.warnings)


class All(covey.Estimator):
    """All rows in one class."""

    def search(self, task):
        return covey.Found(of_tuple=np.zeros(task.codes.n_tuples, np.int64))


@pytest.mark.parametrize("blanks", [False, True])
def test_persons_of_a_csv_file_are_those_of_the_frame(run, tmp_path, blanks):
    random = np.random.default_rng(3)
    ids = [None if i % 7 == 0 else f"P{i // 2:04}{' ' * (blanks and i % 2)}" for i in range(240)]
    lines = [f"{'' if i is None else i},{age}" for i, age in zip(ids, random.integers(20, 60, 240), strict=True)]
    path = tmp_path / "in.csv"
    path.write_text("\n".join(["patient_id,age", *lines]))
    report = tmp_path / "report.json"
    flags = ["--skip-blanks"] if blanks else []
    run("anonymize", path, "-o", tmp_path / "out.csv", "-k", 4, "--identifier", "patient_id", "--quasi", "age",
        "--report", report, *flags)  # fmt: skip
    told = json.loads(report.read_text())["persons"]
    own = {i and i.strip() for i in ids} - {None}
    assert (told["rows"], told["values"], told["certain"]) == (sum(i is not None for i in ids), len(own), True)
