"""What a report tells: nothing of a value that the release hides, leaves out, or has from somebody who agreed."""

import json

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.ask.job import Job
from covey.ask.schema import Schema
from covey.datasets import make_hospital

NOT_TOLD = ("seconds", "peak_memory_mb")


def told(release):
    """Return everything that somebody sees of a release: its cells, and its report in full."""
    report = {name: value for name, value in release.report.to_json().items() if name not in NOT_TOLD}
    return json.dumps([release.table.to_pydict(), report], sort_keys=True, default=str)


def ages(oldest):
    """Return 75 people, of whom one is far older than all others."""
    random = np.random.default_rng(3)
    years = np.concatenate([np.repeat(np.arange(20, 62, 4), 6), random.integers(61, 70, 8), [oldest]])
    return pa.table({"age": years, "sex": np.where(np.arange(len(years)) % 2, "f", "m")})


@pytest.mark.parametrize("release", ["interval", "bounds"])
@pytest.mark.parametrize("algorithm", ["mondrian", "covey"])
def test_a_hidden_end_cannot_be_solved_for_from_the_release_and_its_report(algorithm, release):
    settings = {"k": 5, "quasi": ["age", "sex"], "algorithm": algorithm, "ends": "snapped", "release": release}
    published = covey.anonymize(ages(103), **settings)
    assert "103" not in told(published)
    tries = [covey.anonymize(ages(age), **settings) for age in range(80, 131)]
    alike = [made for made in tries if made.table.equals(published.table)]
    # who runs the search with every age rules some out by the classes it makes, and none by what the report adds
    assert len(alike) >= 10
    assert {told(made) for made in alike} == {told(published)}


@pytest.mark.parametrize("n", [5, 40])
def test_how_far_a_class_reaches_cannot_be_solved_for_from_its_centre_and_the_report(n):
    def pairs(apart):
        years = [30] * n + [50] * n + [80 - apart, 80 + apart]
        return covey.anonymize(pa.table({"age": years}), k=2, quasi=["age"], algorithm="mondrian", release="centre")

    published = pairs(20)
    assert set(published.table["age"].to_pylist()) == {30.0, 50.0, 80.0}
    alike = [made for made in map(pairs, range(1, 30)) if told(made) == told(published)]
    assert len(alike) >= 20


def test_the_loss_of_centres_is_that_of_intervals_rounded_up():
    table = make_hospital(1000).select(["age", "sex"])
    exact, rounded = (
        covey.anonymize(table, k=5, quasi=["age", "sex"], algorithm="mondrian", release=release)
        for release in ("interval", "centre")
    )
    largest = max(np.bincount(rounded.labels))
    step = 10.0 ** -int(np.log10(1000 / largest))
    for name, loss in rounded.report.loss.columns.items():
        assert 0 <= loss - exact.report.loss.columns[name] < step


def test_a_centre_that_hides_nothing_costs_nothing():
    made = covey.anonymize(pa.table({"age": [30] * 5 + [50] * 5}), k=5, quasi=["age"], release="centre")
    assert made.report.loss.total_il == 0


@pytest.mark.parametrize("hiding", [{"ends": "snapped"}, {"release": "centre"}])
def test_weights_learned_beside_hidden_ends_are_not_told(hiding):
    settings = {"k": 5, "quasi": ["age", "sex"], "algorithm": "mondrian", "weights": "adaptive"}
    hidden = covey.anonymize(ages(103), **hiding, **settings)
    assert hidden.report.to_json()["learned_weights"] is None
    shown = covey.anonymize(ages(103), **settings).report.to_json()["learned_weights"]
    assert all(weight == round(weight, 2) for weight in shown.values())


def test_losses_beside_hidden_ends_are_those_of_what_is_published():
    # nobody knows how far the last class reaches
    table = pa.table({"age": [20, 20, 24, 24, 28, 28, 60, 60, 71, 103]})
    made = covey.anonymize(table, k=2, quasi=["age"], ends="snapped", algorithm=Pairs())
    cells = made.table["age"].to_pylist()
    assert cells == ["20", "20", "24", "24", "28", "28", "60", "60", ">=60", ">=60"]
    # the domain is 20 to 60 as published; an open side costs all of it
    assert made.report.loss.total_il == pytest.approx(2.0)
    assert made.report.loss.columns["age"] == pytest.approx(0.2)


def test_a_value_that_a_mix_with_missing_hides_is_no_end_of_the_domain():
    table = pa.table({"age": [10, 20, 20, 30, None, 95]})
    made = covey.anonymize(table, k=2, quasi=["age"], algorithm=Pairs())
    assert made.table["age"].to_pylist() == ["[10, 20]"] * 2 + ["[20, 30]"] * 2 + ["*"] * 2
    assert made.report.loss.total_il == pytest.approx(4 * 10 / 20 + 2)


class Pairs(covey.Estimator):
    """Rows in pairs as they come."""

    needs_rows = True

    def search(self, task):
        return covey.Found(of_row=np.arange(task.codes.n_rows) // 2)


class DropsLast(covey.Estimator):
    """Rows in pairs as they come; the last row is left out."""

    needs_rows = True

    def may_suppress(self):
        return True

    def search(self, task):
        rows = np.arange(task.codes.n_rows)
        return covey.Found(of_row=np.where(rows < len(rows) - 1, rows // 2, -1))


@pytest.mark.parametrize("kind", ["numeric", "labels", "prefixes", "intervals"])
def test_a_row_that_is_left_out_changes_nothing_that_is_told(kind):
    def released(last):
        values = {"age": [10, 20, 30, 40, 50, 70, last], "town": ["31a", "31b", "32a", "32a", "32b", "31a", f"3{last}"]}
        table = pa.table(values).select(["age"] if kind in ("numeric", "intervals") else ["town"])
        name = table.column_names[0]
        trees = {"prefixes": {"town": {"prefixes": [2]}}, "intervals": {"age": {"intervals": [25]}}}
        facts = {"taxonomies": trees[kind]} if kind in trees else {}
        settings = {"k": 2, "quasi": [name], "algorithm": DropsLast(), "suppression": 0.2}
        return told(covey.anonymize(table, **settings, **facts))

    assert released(80) == released(90_000) == released(7)


def test_a_row_with_a_missing_value_that_is_left_out_changes_nothing_that_is_told():
    def released(lost):
        table = pa.table({"age": [10, 20, 30, 40, lost], "sex": ["f", "m", "f", "m", None]})
        return told(covey.anonymize(table, k=2, quasi=["age", "sex"], missing="suppress"))

    assert released(50) == released(100_000)


def test_who_agreed_sets_nobody_elses_domain():
    def table(age):
        return pa.table({"age": [*range(20, 80), age], "agrees": [False] * 60 + [True]})

    near, far = (covey.anonymize(table(age), k=5, quasi=["age"], consent="agrees") for age in (50, 100_000))
    assert far.report.loss == near.report.loss
    assert far.table["age"].to_pylist()[:-1] == near.table["age"].to_pylist()[:-1]
    assert far.table["age"].to_pylist()[-1] == "100000"


def test_who_agreed_is_released_with_values_that_nobody_else_has():
    table = pa.table(
        {"age": [1, 2, 3, 4, 5.5], "town": ["Rome", "Rome", "Bern", "Bern", "Oslo"], "agrees": [0, 0, 0, 0, 1]}
    )
    made = covey.anonymize(table, k=2, quasi=["age", "town"], consent="agrees", release="bounds")
    assert made.table.to_pylist()[-1] == {"age_min": 5.5, "age_max": 5.5, "town": "Oslo", "agrees": 1}
    assert made.report.verdict.ok


def test_the_numbers_of_a_text_file_stay_numbers_beside_who_agreed(tmp_path):
    source = tmp_path / "people.csv"
    source.write_text("age,agrees\n1,no\n2,no\n3,no\n4,no\n5.5,yes\n")
    out = tmp_path / "out.parquet"
    job = Job(schema=Schema.from_roles(quasi=["age"], consent="agrees"), k=2, release="bounds", order="kept")
    covey.anonymize_file(str(source), str(out), job)
    import pyarrow.parquet as pq

    assert pq.read_table(out)["age_max"].to_pylist() == [2, 2, 4, 4, 5.5]
