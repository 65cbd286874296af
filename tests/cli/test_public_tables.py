"""The whole path on large public tables, from `covey init` on: aligned on the largest, matched on the others."""

from __future__ import annotations

import json

import pyarrow.parquet
import pytest

ACS = ["age", "sex", "race", "marital_status", "education_num", "birthplace", "workclass", "occupation"]
KDD = [
    "age", "sex", "race", "hispanic_origin", "marital_stat", "education", "class_of_worker", "major_occupation_code",
    "country_of_birth_self", "citizenship",
]  # fmt: skip
NIST = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU", "INDP_CAT", "HOUSING_TYPE", "OWN_RENT"]


@pytest.mark.parametrize(
    ("file", "quasi", "trees", "order", "kind"),
    [
        ("acs_income_2018_665k", ACS, ["birthplace", "occupation"], "kept", "aligned"),
        ("census_income_kdd_test", KDD, [], "shuffled", "matched"),
        ("nist_acs_national2019", NIST, [], "shuffled", "matched"),
    ],
)
def test_from_init_to_verified(run, data, tmp_path, file, quasi, trees, order, kind):
    raw, job, out = data / "large" / f"{file}.parquet", tmp_path / "covey.toml", tmp_path / "out.parquet"
    assert run("init", raw, "-o", job).code == 0
    others = [name for name in pyarrow.parquet.read_schema(raw).names if name not in quasi]
    taxonomies = [
        word for name in trees
        for word in ("--taxonomy", f"{name}={data / 'hierarchies' / 'acs_income' / f'{name}.csv'}")
    ]  # fmt: skip
    roles = ("--quasi", ",".join(quasi), "--other", ",".join(others))
    made = run("anonymize", raw, "--job", job, "-k", 10, *roles, *taxonomies, "--order", order, "-o", out, "--json")
    assert made.code == 0, made.err
    assert json.loads(made.out)["smallest"] >= 10
    words = ("-k", 10, "--job", job, "--quasi", ",".join(quasi), *taxonomies)
    checked = run("verify", out, *words, "--original", raw, "--json")
    assert checked.code == 0, checked
    verdict = json.loads(checked.out)
    assert verdict["classes"] == json.loads(made.out)["classes"]
    assert (verdict["truthful"]["kind"], verdict["truthful"]["complete"]) == (kind, True)


def test_the_job_that_init_writes_runs_as_it_is(run, data, tmp_path):
    raw, job, out = data / "large" / "nist_acs_national2019.parquet", tmp_path / "covey.toml", tmp_path / "out.csv"
    assert run("init", raw, "-o", job).code == 0
    assert run("anonymize", raw, "--job", job, "-o", out).code == 0
    assert run("verify", out, "--job", job, "--original", raw).code == 0
