"""Comparing: every row is of a verified release, and what fails takes only its own row."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest

import covey
from covey import metrics
from covey.ask.algorithms import ALGORITHMS
from covey.ask.job import Job
from covey.base.errors import Infeasible, InputError, UnknownColumn
from covey.codes.encoding import encode_frame
from covey.columns.kept import kept_column
from covey.comparison import Row, compare_file
from covey.comparison.worker import sampled_rows
from covey.datasets import census_roles, census_taxonomies, hospital_roles, make_census, make_hospital
from odd_estimators import Chatty, Faulty, Hungry, Killed, Leaver, Sleeper

HOSPITAL = make_hospital(300)
pytestmark = pytest.mark.filterwarnings("ignore:column `postcode` has:covey.CoveyWarning")
ROLES = {**hospital_roles(), "sensitive": ["ward"], "target": ["diagnosis"]}


def figures(row: Row) -> Row:
    """Return what does not differ from run to run."""
    return replace(row, seconds=None, release_seconds=None, peak_memory_mb=None)


@pytest.fixture(scope="module")
def sound() -> covey.Comparison:
    algorithms = ["mondrian(relaxed=true)", covey.Mondrian(k=7), covey.Mondrian(relaxed=True), "k-member", "covey"]
    return covey.compare(HOSPITAL, k=[5, 2], algorithms=[*algorithms, "non-homogeneous"], **ROLES)


@pytest.fixture(scope="module")
def odd() -> dict[str, Row]:
    """Bad ones and good ones in turn, on more rows than they are tried on."""
    algorithms = [
        Hungry(), "mondrian", Faulty(), "linkage(memory_limit_mb=1)", Killed(), Chatty(), Sleeper(), Leaver(), "mdav",
    ]  # fmt: skip
    table = make_census(400, seed=1)
    roles = census_roles()
    found = covey.compare(table, k=3, algorithms=algorithms, limit=4, taxonomies=census_taxonomies(), **roles)
    assert found.rows[0].failure is None
    return {row.algorithm: row for row in found.rows}


def by_class(labels, values):
    found: dict[int, list] = {}
    for label, value in zip(labels.tolist(), values, strict=True):
        found.setdefault(label, []).append(value)
    return found.values()


def classed(comparison: covey.Comparison) -> list[Row]:
    return [row for row in comparison.rows if row.algorithm != "non-homogeneous"]


def test_every_figure_is_that_of_the_release(sound):
    for row in classed(sound):
        made = covey.anonymize(HOSPITAL, k=row.k, algorithm=row.algorithm, **ROLES)
        loss = made.report.loss
        assert (row.total_il, row.mean_price, row.gcp, row.dm) == (loss.total_il, loss.mean_price, loss.gcp, loss.dm)
        assert row.classes == made.report.verdict.classes
        targets = by_class(made.labels, HOSPITAL.column("diagnosis").to_pylist())
        assert row.cm == sum(len(values) - max(Counter(values).values()) for values in targets)
        wards = by_class(made.labels, HOSPITAL.column("ward").to_pylist())
        assert row.ed == sum(len(values) for values in wards if len(set(values)) == 1)
        assert (row.cm_share, row.ed_share) == (row.cm / 300, row.ed / 300)
        assert row.query_error is not None
        assert row.query_error >= 0
        assert 0 <= row.seconds <= row.release_seconds
        assert row.peak_memory_mb >= 0
        assert (row.rows, row.sampled, row.suppressed, row.failure) == (300, False, 0, None)


def test_rows_that_are_left_out_are_counted_and_shown():
    # 1, 2, 3 and 50: one of four rows may be left out, and the halves of the domain then keep two rows each
    table = pa.table({"age": [1, 2, 3, 50], "ill": list("nnyy")})
    settings = {"quasi": ["age"], "sensitive": ["ill"], "suppression": 0.25}
    found = covey.compare(table, k=2, algorithms=["optimal-recoding", "mondrian"], **settings)
    by_name = {row.algorithm: row for row in found.rows}
    assert (by_name["optimal-recoding"].suppressed, by_name["mondrian"].suppressed) == (1, 0)
    lines = str(found).splitlines()
    assert "left out" in lines[2]
    assert any(line.startswith("  left out  suppressed rows") for line in lines)


def test_rows_are_sorted_by_k_and_then_by_loss(sound):
    assert [row.k for row in sound.rows] == [2] * 5 + [5] * 5
    for k in (2, 5):
        losses = [row.mean_price for row in sound.rows if row.k == k]
        assert losses == sorted(losses)


def test_the_least_loss_at_each_k_is_marked(sound):
    assert [row.best for row in classed(sound)] == [True, False, False, False] * 2


def test_an_algorithm_without_classes_has_no_figures_of_classes_and_is_never_best(sound):
    for row in sound.rows:
        if row.algorithm == "non-homogeneous":
            assert row.failure is None
            assert row.total_il is not None
            assert row.classes is row.dm is row.cm is row.ed is row.query_error is None
            assert not row.best


def test_estimators_are_named_by_what_is_not_default_and_run_once(sound):
    names = sorted(row.algorithm for row in sound.rows if row.k == 2)
    assert names == ["covey", "k-member", "mondrian", "mondrian(relaxed=true)", "non-homogeneous"]


def test_the_comparison_says_what_was_compared(sound):
    assert (sound.table_rows, sound.ks, sound.target, sound.sensitive) == (300, (2, 5), "diagnosis", "ward")
    assert (sound.seed, sound.limit, sound.sample) == (0, 60.0, None)
    assert sound.quasi == tuple(ROLES["quasi"])


def test_the_same_again_apart_from_time_and_memory(sound):
    algorithms = ["covey", "k-member", "mondrian", "mondrian(relaxed=true)"]
    again = covey.compare(HOSPITAL, k=[2, 5], algorithms=algorithms, **ROLES)
    assert list(map(figures, again.rows)) == list(map(figures, classed(sound)))


def test_a_refusal_takes_only_its_own_row(odd):
    # 400 different rows at most need 8 x 400^2 = 1.28 MB
    row = odd["linkage(memory_limit_mb=1)"]
    assert row.failure.startswith("Linkage needs 2 MB for the distances between ")
    assert row.mean_price is row.classes is row.seconds is None
    assert not row.best


def test_a_fault_is_told_by_its_place_without_its_words(odd):
    assert odd["Faulty"].failure.startswith("internal fault (ValueError at odd_estimators.py:")
    assert "34" not in odd["Faulty"].failure.partition(" at ")[0]
    assert "Ann" not in odd["Faulty"].failure


def test_a_process_that_dies_takes_only_its_own_row(odd):
    assert odd["Killed"].failure == "its process was killed, most likely for want of memory"
    assert odd["Leaver"].failure == "its process ended (exit 3)"


def test_a_run_over_its_limit_takes_only_its_own_row(odd):
    assert odd["Sleeper"].failure == "it took over 4 s, the limit; give it a higher `limit`"


def test_all_others_run(odd):
    assert all(odd[name].failure is None for name in ("Hungry", "mondrian", "Chatty", "mdav"))
    assert sum(row.best for row in odd.values()) == 1


def test_what_an_algorithm_prints_does_no_harm(odd):
    assert odd["Chatty"].classes == 133  # 400 rows, three and three


def test_memory_is_that_of_the_run_alone(odd):
    assert 290 <= odd["Hungry"].peak_memory_mb <= 400
    assert odd["mondrian"].peak_memory_mb < 100  # in the same process, right after


def test_a_compiled_search_is_stopped():
    table = make_census(4000, seed=2).select(census_roles()["quasi"])
    found = covey.compare(table, k=2, algorithms=["linkage"], limit=0.2, quasi=table.column_names)
    assert [row.failure for row in found.rows] == ["it took over 0.2 s, the limit; give it a higher `limit`"]


def test_a_k_above_the_rows_fails_alone_and_progress_tells_of_every_run():
    words: list[str] = []
    table = HOSPITAL.slice(0, 6)
    found = covey.compare(table, k=[2, 7], algorithms=["mondrian"], limit=None, progress=words.append, **ROLES)
    assert words == ["0 of 2 done, mondrian at k = 2", "1 of 2 done, mondrian at k = 7"]
    assert [row.failure for row in found.rows] == [None, "k = 7 needs at least 7 rows; there are 6"]
    assert found.limit is None


def test_an_algorithm_that_does_not_scale_gets_a_sample_and_is_never_best(monkeypatch):
    monkeypatch.setitem(ALGORITHMS, "k-member", replace(ALGORITHMS["k-member"], most_rows=100))
    found = covey.compare(HOSPITAL, k=2, algorithms=["k-member", "mondrian"], seed=3, **ROLES)
    rows = {row.algorithm: row for row in found.rows}
    assert (rows["k-member"].rows, rows["k-member"].sampled) == (100, True)
    assert (rows["mondrian"].rows, rows["mondrian"].sampled) == (300, False)
    assert rows["k-member"].mean_price < rows["mondrian"].mean_price
    assert rows["mondrian"].best
    assert not rows["k-member"].best
    # the sample has the prices of the whole table
    part = HOSPITAL.take(sampled_rows(300, 100, 3))
    ages, days = HOSPITAL.column("age").to_pylist(), HOSPITAL.column("admitted").to_pylist()
    domains = {"age": (min(ages), max(ages)), "admitted": (min(days), max(days))}
    made = covey.anonymize(part, k=2, algorithm="k-member", seed=3, domains=domains, **ROLES)
    assert rows["k-member"].total_il == made.report.loss.total_il
    bare = covey.anonymize(part, k=2, algorithm="k-member", seed=3, **ROLES)
    assert rows["k-member"].total_il != bare.report.loss.total_il


def test_a_sample_for_all_is_the_same_for_all():
    found = covey.compare(HOSPITAL, k=2, algorithms=["k-member", "mondrian"], sample=50, **ROLES)
    assert [(row.rows, row.sampled) for row in found.rows] == [(50, True)] * 2
    assert [row.best for row in found.rows] == [True, False]
    assert found.sample == 50


def test_files_are_read_as_anonymize_reads_them(tmp_path):
    typed = pa.table({"x": [1.5, 2.5, 30.0, 31.5, None], "zip": ["01", "02", "10", "11", "?"], "t": list("ababa")})
    text = 'x;zip;t\n1,5;01;a\n2,5;02;b\n30;10;a\n"31,5";11;b\n;?;a\n'
    file = tmp_path / "raw.csv"
    file.write_text(text)
    roles = {"quasi": ["x", "zip"], "target": ["t"], "types": {"x": "numeric", "zip": "categorical"}}
    job = Job(schema=covey.Schema.from_roles(**roles), na=("?",), csv={"decimal": ",", "separator": ";"})
    read = compare_file(str(file), job, k=[2], algorithms=["mondrian", "mdav"])
    given = covey.compare(typed, k=2, algorithms=["mondrian", "mdav"], na=["?"], **roles)
    assert list(map(figures, read.rows)) == list(map(figures, given.rows))
    assert all(row.failure is None for row in read.rows)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"k": 1}, "bad-parameter"),
        ({"k": "ten"}, "bad-parameter"),
        ({"k": []}, "no-k"),
        ({"k": None}, "no-k"),
        ({"algorithms": ["mondrain"]}, "unknown-algorithm"),
        ({"algorithms": ["mondrian(relax=true)"]}, "unknown-option"),
        ({"algorithms": []}, "bad-parameter"),
        ({"algorithms": [3]}, "bad-parameter"),
        ({"limit": 0}, "bad-parameter"),
        ({"limit": "soon"}, "bad-parameter"),
        ({"limit": float("nan")}, "bad-parameter"),
        ({"sample": 1}, "bad-parameter"),
        ({"quasi": ["age"]}, "no-role"),
        ({"schema": covey.Schema.from_roles(quasi=["age"])}, "two-roles"),
        ({"types": {"sex": "numeric"}}, "not-a-number"),
    ],
)
def test_what_would_stop_all_is_raised_before_any_run(monkeypatch, change, code):
    monkeypatch.setattr("covey.comparison.process.Bench._begin", None)
    with pytest.raises(InputError) as found:
        covey.compare(HOSPITAL, **{"k": 2, "algorithms": ["mondrian"], **ROLES, **change})
    assert found.value.code == code


def test_an_estimator_of_the_running_program_is_refused(monkeypatch):
    monkeypatch.setattr(Chatty, "__module__", "__main__")
    with pytest.raises(InputError, match="the class `Chatty` is defined in the program that runs"):
        covey.compare(HOSPITAL, k=2, algorithms=[Chatty()], **ROLES)


def test_what_the_worker_refuses_is_raised_as_it_is():
    with pytest.raises(UnknownColumn) as found:
        covey.compare(HOSPITAL, k=2, algorithms=["mondrian"], models=["distinct-l-diversity(name, l=2)"], **ROLES)
    assert found.value.code == "unknown-column"


def test_too_few_rows_for_any_k_is_infeasible():
    with pytest.raises(Infeasible):
        covey.compare(HOSPITAL.slice(0, 3), k=[4, 5], algorithms=["mondrian"], **ROLES)
    with pytest.raises(InputError, match="no rows"):
        covey.compare(HOSPITAL.slice(0, 0), k=2, algorithms=["mondrian"], **ROLES)


def test_further_figures_are_those_of_the_functions():
    asked = ["nn-error", "sd(Surgery, General)", "distortion", "diameter", "centre"]
    found = covey.compare(HOSPITAL, k=5, algorithms=["mondrian"], metrics=asked, **ROLES)
    row = found.rows[0]
    quasi = HOSPITAL.select(ROLES["quasi"])
    codes, labels = encode_frame(quasi), covey.Mondrian(k=5).fit(quasi).labels_
    ward, diagnosis = (kept_column(name, HOSPITAL.column(name)) for name in ("ward", "diagnosis"))
    truly = {ward.values.index(value) for value in ("Surgery", "General") if value in ward.values}
    assert row.sd == metrics.sensitive_diversity(labels, ward.codes, truly)
    assert row.nearest_neighbour_error == pytest.approx(metrics.nearest_neighbour_error(codes, labels, diagnosis.codes))
    assert row.information_distortion == pytest.approx(metrics.information_distortion(codes, labels))
    assert row.diameter_cost == pytest.approx(metrics.diameter_cost(codes, labels))
    assert row.centre_cost == pytest.approx(metrics.centre_cost(codes, labels))
    assert all(word in str(found) for word in ("SD", "1-NN", "distortion", "diameter", "centre"))
    assert "1-NN" not in str(covey.compare(HOSPITAL, k=5, algorithms=["mondrian"], **ROLES))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["nn"], "there is no metric `nn` to compare by"),
        (["sd"], "`sd` needs the values that are truly sensitive"),
        (["diameter(2)"], "`diameter` takes no such option"),
        ([3], "there is no metric"),
    ],
)
def test_a_figure_that_there_is_not_is_refused(asked, words):
    with pytest.raises(InputError, match=words):
        covey.compare(HOSPITAL, k=5, algorithms=["mondrian"], metrics=asked, **ROLES)
    with pytest.raises(InputError, match="`nn-error` needs a sensitive or target column"):
        covey.compare(HOSPITAL.select(["age"]), k=5, algorithms=["mondrian"], metrics=["nn-error"], quasi=["age"])
