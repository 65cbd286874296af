"""How much is searched, as the command line asks for it, and what becomes of a search that is interrupted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from covey.datasets import hospital_roles, make_hospital
from covey.search.covey import estimator
from covey.tables.files import CsvOptions, write_table

ROLES = [word for role, names in hospital_roles().items() for word in (f"--{role}", ",".join(names))]
QUASI = ",".join(hospital_roles()["quasi"])


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    path = tmp_path / "hospital.csv"
    write_table(
        make_hospital(300), str(path), format=None, csv=CsvOptions(), force=True, check=lambda _: None, source=None
    )
    return path


def test_more_effort_loses_less(run, hospital):
    losses = {}
    for effort in ("fast", "balanced", "best"):
        out = hospital.with_name(f"{effort}.csv")
        made = run("anonymize", hospital, "-k", 5, *ROLES, "--effort", effort, "-o", out, "--json")
        assert made.code == 0, made.err
        report = json.loads(made.out)
        losses[effort] = report["loss"]["total_il"]
        assert report["settings"]["effort"] == effort
    assert losses["best"] <= losses["balanced"] < losses["fast"]


def test_a_budget_is_recorded_in_seconds(run, hospital):
    out = hospital.with_name("out.csv")
    made = run("anonymize", hospital, "-k", 5, *ROLES, "--budget", "1s", "-o", out, "--json")
    assert made.code == 0, made.err
    assert json.loads(made.out)["settings"]["budget"] == 1.0
    made = run("anonymize", hospital, "-k", 5, *ROLES, "--budget", "0.5s", "-o", out, "--force")
    assert "budget 0.5 s" in made.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--effort", "most"], "`effort` must be one of 'fast', 'balanced', 'best'"),
        (["--budget", "soon"], "`budget` must be a time above 0 in s, m or h, such as 30s, 2m or 1h"),
        (["--effort", "best", "--algorithm", "mondrian"], "`mondrian` has but one way to search"),
        (["--budget", "1s", "--algorithm", "peel"], "`effort` and `budget` would have no effect"),
    ],
)
def test_what_would_change_nothing_is_refused(run, hospital, words, said):
    out = hospital.with_name("out.csv")
    made = run("anonymize", hospital, "-k", 5, *ROLES, *words, "-o", out)
    assert made.code == 2
    assert said in made.err
    assert not out.exists()


def interrupted(monkeypatch):
    """Let every search be interrupted when it has done its least work."""

    def improved(task, labels, *given):
        yield labels
        raise KeyboardInterrupt

    monkeypatch.setattr(estimator, "improved", improved)


def test_an_interrupted_search_publishes_nothing(run, hospital, monkeypatch):
    interrupted(monkeypatch)
    out = hospital.with_name("out.csv")
    made = run("anonymize", hospital, "-k", 5, *ROLES, "-o", out)
    assert made.code == 130
    assert not out.exists()


def test_an_interrupted_search_publishes_its_best_if_it_is_to_be_kept(run, hospital, monkeypatch):
    interrupted(monkeypatch)
    out = hospital.with_name("out.csv")
    made = run("anonymize", hospital, "-k", 5, *ROLES, "--keep-best", "-o", out)
    assert made.code == 0
    assert "was interrupted, and what it had found by then is kept" in " ".join(made.err.split())
    assert run("verify", out, "-k", 5, "--quasi", QUASI, "--original", hospital).code == 0


def test_before_the_least_work_is_done_nothing_is_published(run, hospital, monkeypatch):
    def stopped(task):
        raise KeyboardInterrupt

    monkeypatch.setattr(estimator, "_cheapest", stopped)
    out = hospital.with_name("out.csv")
    assert run("anonymize", hospital, "-k", 5, *ROLES, "--keep-best", "-o", out).code == 130
    assert not out.exists()


def test_a_comparison_gives_an_effort_to_those_that_take_one(run, hospital):
    words = ("compare", hospital, "-k", 5, *ROLES, "--json")

    def losses(*more):
        found = run(*words, "--algorithms", "covey,mondrian", *more)
        assert found.code == 0, found.err
        return {row["algorithm"]: row["total_il"] for row in json.loads(found.out)["results"]}

    fast, usual = losses("--effort", "fast"), losses()
    assert usual["covey"] < fast["covey"] < fast["mondrian"] == usual["mondrian"]
    refused = run(*words, "--algorithms", "mondrian,peel", "--budget", "1s")
    assert refused.code == 2
    assert "each of the algorithms has but one way to search" in refused.err


def test_a_bound_is_below_what_a_release_loses(run, hospital):
    made = run("anonymize", hospital, "-k", 5, *ROLES, "-o", hospital.with_name("out.csv"), "--json")
    loss = json.loads(made.out)["loss"]["total_il"]
    found = run("bound", hospital, "-k", 5, "--quasi", QUASI, "--json")
    assert found.code == 0, found.err
    assert 0.6 * loss < json.loads(found.out)["total_il"] <= loss
    words = run("bound", hospital, "-k", 5, "--quasi", QUASI, "--effort", "fast")
    assert words.out.startswith("no 5-anonymous partition of 300 rows loses less than ")
    assert run("bound", hospital, "--quasi", QUASI).code == 2
    assert run("bound", hospital, "-k", 500, "--quasi", QUASI).code == 1
