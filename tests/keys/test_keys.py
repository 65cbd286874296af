"""Keys of persons: told by names in several languages, and where a name is in doubt by the shape of the values."""

from __future__ import annotations

import csv
import random

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.columns.persons import owners_of
from covey.columns.proposal import propose
from covey.keys import is_key_name, is_person_key, key_reason, may_name_persons

SUBJECTS = range(20)
NUMBERED = {
    "cdisc": [f"01-701-{1000 + i}" for i in SUBJECTS],
    "short": [f"S-{i:02}" for i in SUBJECTS],
    "two digits": [f"P{i:02}" for i in SUBJECTS],
    "zeros": [f"{i:05}" for i in SUBJECTS],
    "whole": [str(i + 1) for i in SUBJECTS],
}


def shuffled(values, times=50):
    """Return values in a random order, each several times, as visits are listed by date."""
    rows = list(values) * times
    random.Random(3).shuffle(rows)
    return rows


def column(values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


def role(name, values, kind=None, *, typed=False):
    (found,) = propose(pa.table({name: column(values, kind)}), typed=typed)
    return found.role


@pytest.mark.parametrize(
    "name",
    [
        "USUBJID", "SUBJID", "PTID", "patid", "PatID", "patient_code", "subject_code", "Patienten-Code",
        "Probandencode", "code patient", "codigo paciente", "patient_name", "nom du patient", "nino", "ssn", "msisdn",
        "IBAN", "emp_no", "patient_id",
    ],
)  # fmt: skip
def test_a_name_of_a_key_is_one_whatever_its_values_are(name):
    assert is_key_name(name)
    assert role(name, ["A", "B", "C"] * 50) == "identifier"


@pytest.mark.parametrize(
    "name",
    [
        "patient", "Patient", "subject", "subj", "participant", "study_participant", "Teilnehmer", "paciente", "sujet",
        "Proband", "client", "employee", "patient #", "account", "customer_account",
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", NUMBERED)
def test_a_word_for_a_person_is_a_key_if_its_values_tell_persons_apart(name, shape):
    values = shuffled(NUMBERED[shape])
    assert role(name, values) == "identifier"
    assert role(name, [*values, "unknown", None]) == "identifier"
    assert is_person_key(name, column(values))
    assert may_name_persons(name)


@pytest.mark.parametrize("kind", [pa.int16(), pa.uint64(), pa.float64(), pa.float16()])
def test_whole_numbers_of_every_type_are_keys_of_persons(kind):
    numbers = [*shuffled(SUBJECTS), None]
    given = pa.array(np.array(numbers[:-1], np.float16)) if kind == pa.float16() else pa.array(numbers, kind)
    assert key_reason("patient", pa.chunked_array([given]))
    coded = column(list(map(str, numbers[:-1]))).dictionary_encode()
    assert key_reason("patient", coded)
    assert key_reason("patient", coded.chunk(0))


def test_few_subjects_with_large_numbers_are_keys_and_flags_are_none():
    assert key_reason("subject", column([1001, 1002, 1003] * 30))
    assert not key_reason("participant", column([0, 1] * 30))
    assert not key_reason("participant", column([0, 1, 999] * 30))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("email", ["ann@kiel.de", "bo@oslo.no", "cy@rome.it"]),
        ("e-mail address", ["ann@kiel.de", "bo@oslo.no", "cy@rome.it"]),
        ("phone", [f"+49 431 55{i}" for i in range(8)]),
        ("home_phone_number", [f"431 55{i}" for i in range(8)]),
        ("passport", [f"C0{i}X" for i in range(8)]),
        ("Reisepass-Nr", [f"C0{i}X" for i in range(8)]),
    ],
)
def test_contacts_are_keys(name, values):
    assert role(name, shuffled(values)) == "identifier"
    assert key_reason(name, column(shuffled(values)))


@pytest.mark.parametrize("name", ["patient_tag", "subjectLabel", "participant marker", "Patientenkürzel tag patient"])
@pytest.mark.parametrize("shape", ["cdisc", "short", "two digits"])
def test_numbered_values_under_a_name_of_persons_are_keys(name, shape):
    assert role(name, shuffled(NUMBERED[shape])) == "identifier"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("subject", ["maths", "art", "music", "sport", "biology"]),
        ("patient", ["inpatient", "outpatient"]),
        ("participant", ["treated", "control"]),
        ("student", ["yes", "no"]),
        ("member", [str(i) for i in range(5)]),
        ("passport", ["0", "1"]),
        ("account", [f"{i - 50}" for i in range(90)]),
        ("patient_age", [str(i) for i in range(20, 80)]),
        ("patient_sex", ["f", "m"]),
        ("participant_group", [f"G{i:02}" for i in range(15)]),
        ("subject_visit", [f"V{i:02}" for i in range(15)]),
        ("participant_admitted", [f"{i % 28 + 1:02}.03.2024" for i in range(28)]),
        ("patient_score", [str(i) for i in range(40)]),
        ("age", [str(i) for i in range(20, 80)]),
        ("zip", [str(10000 + 7 * i) for i in range(40)]),
        ("education-num", [str(i) for i in range(1, 17)]),
        ("email_opt_in", ["0", "1"]),
        ("phone_type", [f"T{i}" for i in range(9)]),
        ("phone", ["Android", "iOS", "none"]),
        ("class of worker", ["Private", "State", "Self-employed"]),
        ("family members under 18", [str(i) for i in range(12)]),
        ("policy_code", ["A", "B", "C"]),
        ("deptid", ["A", "B", "C"]),
    ],
)
def test_what_only_speaks_of_persons_is_no_key(name, values):
    rows = shuffled(values)
    assert key_reason(name, column(rows)) == ""
    assert role(name, rows) == "quasi"


def test_persons_are_counted_by_a_dropped_word_for_a_person():
    found = owners_of({"USUBJID": column(shuffled(NUMBERED["cdisc"]))})
    assert found is not None
    assert (found.persons.is_person, found.persons.values) == (True, 20)
    taught = owners_of({"subject": column(shuffled(["maths", "art", "music", "sport", "biology"]))})
    assert taught is None


@pytest.mark.parametrize("name", ["USUBJID", "subject", "patient"])
@pytest.mark.parametrize("shape", NUMBERED)
def test_the_unedited_job_of_visits_publishes_no_subject(tmp_path, run, name, shape):
    source, job, out = tmp_path / "visits.csv", tmp_path / "covey.toml", tmp_path / "out.csv"
    draw = random.Random(7)
    with source.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([name, "age", "visit"])
        for subject in shuffled(NUMBERED[shape]):
            rows.writerow([subject, draw.randrange(20, 80), draw.randrange(1, 6)])
    assert run("init", source, "-o", job).code == 0
    done = run("anonymize", source, "--job", job, "-o", out)
    assert done.code == 0
    assert out.read_text().splitlines()[0] == "age,visit"
    assert f"1,000 rows of 20 persons by `{name}`" in " ".join(done.err.split())


@pytest.mark.parametrize(("values", "warned"), [(NUMBERED["short"], True), (["maths", "art", "music"], False)])
def test_the_verdict_counts_persons_by_a_word_for_a_person_only_if_it_tells_them(values, warned):
    rows = shuffled(values)
    table = pa.table({"subject": rows, "age": [20 + i % 5 for i in range(len(rows))]})
    verdict = covey.verify(table.select(["age"]), quasi=["age"], original=table)
    assert any("20 persons by `subject`" in note for note in verdict.warnings) == warned
    assert (verdict.persons is not None) == warned


@pytest.mark.parametrize("name", ["patient", "email", "visit"])
@pytest.mark.parametrize("start", ["", "P"])
def test_numbers_of_any_length_are_looked_at(name, start):
    column = pa.chunked_array([[start + "7" * (5_000 + i % 12) for i in range(60)]])
    assert isinstance(key_reason(name, column), str)


@pytest.mark.parametrize("n_values", [3, 8, 21, 60_000])
def test_keys_of_many_rows_are_told_by_some_of_them(n_values):
    rows = np.arange(60_000) % n_values
    column = pa.chunked_array([pa.array(rows)])
    assert is_person_key("patient", column) == (n_values >= 10)
    assert is_person_key("patient", pa.chunked_array([pa.array([f"S-{i}" for i in rows])]))


def test_columns_that_cannot_be_numbered_are_no_keys():
    assert key_reason("patient", pa.chunked_array([[[i] for i in range(60_000)]])) == ""
