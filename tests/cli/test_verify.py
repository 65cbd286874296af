"""`covey verify` with privacy models, consent and a job: what is told, and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

RAW = """age,sex,ill,ok
34,f,flu,no
35,f,gout,no
61,m,flu,
63,m,flu,no
80,f,gout,yes
"""
RELEASED = """age,sex,ill,ok
"[34, 35]",f,flu,no
"[34, 35]",f,gout,no
"[61, 63]",m,flu,
"[61, 63]",m,flu,no
80,f,gout,yes
"""
JOB = """k = 2
suppression = 0.2

[columns.age]
role = "quasi"
type = "numeric"
[columns.sex]
role = "quasi"
[columns.ill]
role = "sensitive"
[columns.ok]
role = "consent"

[[models]]
model = "frequency-l-diversity"
column = "ill"
l = 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw.csv").write_text(RAW)
    (tmp_path / "released.csv").write_text(RELEASED)
    (tmp_path / "covey.toml").write_text(JOB)
    return tmp_path


QUASI = ("released.csv", "--quasi", "age,sex")


def test_models_and_consent_are_told_word_for_word(run, folder):
    words = ("--consent", "ok", "--model", "distinct-l-diversity(ill, l=1)", "--original", "raw.csv")
    found = run("verify", *QUASI, "-k", 2, *words)
    assert found.code == 0, found.err
    assert found.out.splitlines() == [
        "k = 2 holds: the smallest class has 2 rows",
        "",
        "  classes   2 classes of 2 to 2 rows in 5 rows",
        "  consent   1 row exempt: their people agreed",
        "  models    distinct-l-diversity of `ill`: 1 asked, 1 reached",
        "  persons   not counted: k counts rows, and a person may have several of them",
        "  missing   0 rows of the original left out",
        "  truthful  every released value covers the original one (aligned)",
    ]


def test_a_model_that_fails_exits_with_1(run, folder):
    models = ("--model", "distinct-l-diversity(ill, l=2)", "--model", "frequency-l-diversity(ill, l=1)")
    found = run("verify", *QUASI, "-k", 2, "--consent", "ok", *models, "--show")
    assert found.code == 1
    assert "frequency-l-diversity of `ill`: 1 asked, 1 reached" in found.out
    assert found.out.endswith("1 class without distinct-l-diversity of `ill`:\n  2 rows: age = [61, 63], sex = m\n")
    told = json.loads(run("verify", *QUASI, "--consent", "ok", *models, "--json").out)
    assert [(model["model"], model["column"], model["ok"]) for model in told["models"]] == [
        ("k-anonymity", None, True),
        ("distinct-l-diversity", "ill", False),
        ("frequency-l-diversity", "ill", True),
    ]
    assert told["models"][1]["offending"]["rows"] == 2
    assert (told["ok"], told["exempt"]) == (False, 1)


def test_without_consent_the_row_of_somebody_who_agreed_counts(run, folder):
    found = run("verify", *QUASI, "-k", 2, "--show")
    assert found.code == 1
    assert "1 row: age = 80, sex = f" in found.out
    assert "exempt" not in found.out


def test_a_job_gives_models_consent_and_suppression(run, folder):
    found = run("verify", "released.csv", "--job", "covey.toml", "--original", "raw.csv")
    assert found.code == 0, found.err
    assert "frequency-l-diversity of `ill`: 1 asked, 1 reached" in found.out
    assert "1 row exempt: their people agreed" in found.out
    more = run("verify", "released.csv", "--job", "covey.toml", "--model", "distinct-l-diversity(ill, l=2)")
    assert more.code == 1
    assert "frequency-l-diversity of `ill`: 1 asked, 1 reached" in more.out
    # the last row is left out: 1 of 5, as much as the job allows and more than the option does
    (folder / "released.csv").write_text("".join(RELEASED.splitlines(keepends=True)[:-1]))
    words = ("verify", "released.csv", "--job", "covey.toml", "--original", "raw.csv")
    assert run(*words).code == 0
    refused = run(*words, "--suppression", "0.1")
    assert refused.code == 1
    assert "the table lacks 1 row of the original where at most 0 may be missing" in refused.out
    assert run("verify", *QUASI, "--original", "raw.csv").code == 1
    assert run("verify", *QUASI, "--original", "raw.csv", "--suppression", "0.2").code == 0


def test_a_consent_that_was_changed_exits_with_1(run, folder):
    (folder / "released.csv").write_text(RELEASED.replace("flu,no", "flu,yes"))
    found = run("verify", "released.csv", "--job", "covey.toml", "--original", "raw.csv", "--json")
    assert found.code == 1
    told = json.loads(found.out)
    assert told["exempt"] == 3
    assert told["truthful"]["ok"] is False


def test_k_consistency_is_counted_with_the_original(run, folder):
    words = ("verify", *QUASI, "--consent", "ok", "--model")
    found = run(*words, "k-consistency(k=2)", "--original", "raw.csv")
    assert found.code == 0, found.err
    assert "  models    k-consistency: 2 asked, 2 reached" in found.out
    found = run(*words, "k-consistency(k=3)", "--original", "raw.csv")
    assert found.code == 1
    assert "k-consistency: 3 asked, 2 reached, does NOT hold\n" in found.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--model", "distinct-l-diversity(il, l=2)"), "no column `il`"),
        (("--model", "distinct-diversity(ill, l=2)"), "no privacy model `distinct-diversity`"),
        (("--model", "distinct-l-diversity(ill)"), "distinct-l-diversity is not given in full"),
        (("--model", "k-consistency(k=2)"), "without the original table"),
        (("--consent", "okay"), "no column `okay`, which says who agreed"),
        (("--consent", "ill"), "column `ill` is neither yes nor no in 5 rows (first in row 1)"),
        (("--consent", "sex"), "column `sex` is quasi and cannot say who agreed"),
        (("--suppression", "1.5"), "`suppression` must be a number from 0 to 1"),
    ],
)
def test_wrong_words_exit_with_2_and_tell_no_value(run, folder, words, sentence):
    found = run("verify", *QUASI, *words)
    assert found.code == 2
    assert sentence in found.err
    assert found.out == ""
    assert "flu" not in found.err


def test_models_and_consent_load_nothing_heavy(folder):
    code = (
        "import sys; from covey.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: print('exit', end.code)\n"
        "heavy = {'numba', 'scipy', 'sklearn', 'pandas', 'polars', 'covey.privacy.diversity'} & set(sys.modules)\n"
        "print('heavy:', sorted(heavy))\n"
    )
    words = ["verify", *QUASI, "-k", "2", "--model", "frequency-l-diversity(ill, l=1)", "--consent", "ok"]
    words += ["--original", "raw.csv", "--model", "k-consistency(k=2)"]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("exit 0\nheavy: []\n")


def test_rows_left_out_for_missing_values_are_allowed_without_a_job(run, folder):
    (folder / "raw.csv").write_text("age,sex\n34,f\n35,f\n,m\n")
    (folder / "released.csv").write_text('age,sex\n"[34, 35]",f\n"[34, 35]",f\n')
    words = ("verify", *QUASI, "-k", 2, "--original", "raw.csv")
    assert run(*words).code == 1
    assert run(*words, "--missing", "suppress").code == 0
