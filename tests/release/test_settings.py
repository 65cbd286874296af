"""One setting, one rule: Python, the command line and the job file take the same values and refuse them alike."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import fields

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.ask.job import Job
from covey.release.pipeline import anonymize_file

TABLE = {"age": [34, 35, 36, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "ill": ["a", "b", "a", "c", "b", "c"]}
MODEL = "distinct-l-diversity(ill, l=2)"

GOOD = {
    "k": 2,
    "missing": "suppress",
    "na": ["?"],
    "algorithm": "mondrian",
    "effort": "fast",
    "budget": "1s",
    "suppression": 1.0,
    "release": "node",
    "ends": "snapped",
    "order": "shuffled",
    "seed": 3,
    "weights": "adaptive",
    "models": [MODEL],
}
BAD = {
    "k": [(1, "`k` must be at least 2, not 1")],
    "missing": [("drop", "`missing` must be one of 'category', 'suppress', 'error'")],
    "suppression": [
        (1.5, "`suppression` must be a number from 0 to 1"),
        (-0.1, "`suppression` must be a number from 0 to 1"),
    ],
    "effort": [("most", "`effort` must be one of 'fast', 'balanced', 'best'")],
    "budget": [("soon", "`budget` must be a time above 0 in s, m or h, such as 30s, 2m or 1h")],
    "release": [("interva", "`release` must be one of 'interval', 'node', 'bounds', 'centre'")],
    "ends": [("open", "`ends` must be one of 'exact', 'snapped'")],
    "order": [("random", "`order` must be one of 'shuffled', 'kept'")],
    "seed": [(-1, "`seed` must be at least 0, not -1")],
    "weights": [("best", "`weights` must be one of 'declared', 'adaptive'")],
    "models": [(["distinct-l-diversity(ill, l=0)"], "`l` of distinct-l-diversity must be a number of 1 or more")],
}
OF_A_COMPARISON = {
    "effort",
    "budget",
    "missing",
    "na",
    "suppression",
    "release",
    "ends",
    "seed",
    "weights",
    "models",
    "k",
}
NOT_SETTINGS = {"schema", "csv", "files"}
CASES = [(name, value, words) for name, cases in BAD.items() for value, words in cases]


def roles() -> dict[str, list[str]]:
    return {"quasi": ["age", "sex"], "sensitive": ["ill"]}


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    rows = zip(*TABLE.values(), strict=True)
    path.write_text("\n".join([",".join(TABLE), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def flags(name, value):
    if name == "models":
        return [word for model in value for word in ("--model", model)]
    if name == "na":
        return [word for text in value for word in ("--na", text)]
    return ["-k" if name == "k" else f"--{name}", value]


def job_file(people, name, value):
    path = people.with_name("covey.toml")
    facts = {} if name == "k" else {"k": 2}
    if name == "suppression":
        facts["algorithm"] = "optimal-recoding"
    lines = []
    if name == "models":
        lines = ["[[models]]", 'model = "distinct-l-diversity"', 'column = "ill"', f"l = {value[0][-2]}"]
    else:
        facts[name] = value
    tables = [f'[columns.{column}]\nrole = "{role}"' for role, names in roles().items() for column in names]
    text = [f"{key} = {fact!r}" for key, fact in facts.items()] + tables + lines
    path.write_text("\n".join(text) + "\n")
    return path


def settings(name, value):
    """Return what `covey.anonymize` is called with."""
    extra = {"algorithm": "optimal-recoding"} if name == "suppression" else {}
    return {"k": 2, **extra, name: value}


def test_every_setting_of_a_job_is_looked_at_here():
    assert {field.name for field in fields(Job)} - NOT_SETTINGS == set(GOOD)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_value_is_taken_everywhere(name, people, run):
    value = GOOD[name]
    table = pa.table(TABLE)
    assert covey.anonymize(table, **roles(), **settings(name, value)).report.rows == 6
    words = ["--quasi", "age,sex", "--sensitive", "ill"]
    options = [word for setting in settings(name, value).items() for word in flags(*setting)]
    made = run("anonymize", people, *words, *options, "-o", people.with_name("flags.csv"))
    assert made.code == 0, made.err
    made = run("anonymize", people, "--job", job_file(people, name, value), "-o", people.with_name("job.csv"))
    assert made.code == 0, made.err


@pytest.mark.parametrize(("name", "value", "words"), CASES)
def test_a_bad_value_is_refused_in_the_same_words_everywhere(name, value, words, people, run):
    with pytest.raises(covey.InputError) as found:
        covey.anonymize(pa.table(TABLE), **roles(), **settings(name, value))
    assert words in found.value.message
    told = ["--quasi", "age,sex", "--sensitive", "ill"]
    options = [word for setting in settings(name, value).items() for word in flags(*setting)]
    made = run("anonymize", people, *told, *options, "-o", people.with_name("flags.csv"))
    assert made.code == 2
    assert words in made.err
    made = run("anonymize", people, "--job", job_file(people, name, value), "-o", people.with_name("job.csv"))
    assert made.code == 2
    assert words in made.err
    if name not in OF_A_COMPARISON:
        return
    with pytest.raises(covey.InputError) as found:
        covey.compare(pa.table(TABLE), **roles(), **{"k": 2, name: value})
    assert words in found.value.message
    options = [word for setting in {"k": 2, name: value}.items() for word in flags(*setting)]
    made = run("compare", people, *told, *options)
    assert made.code == 2
    assert words in made.err


def test_a_comparison_takes_what_a_release_takes(people, run):
    names = OF_A_COMPARISON - {"suppression", "budget"}
    given = {name: value for name, value in GOOD.items() if name in names}
    found = covey.compare(pa.table(TABLE), **roles(), **given, algorithms=["mondrian", "covey"])
    assert [row.failure for row in found.rows] == [None, None]
    options = [word for setting in given.items() for word in flags(*setting)]
    made = run(
        "compare", people, "--quasi", "age,sex", "--sensitive", "ill", *options, "--algorithms", "mondrian,covey"
    )
    assert made.code == 0, made.err


def test_one_model_as_text_is_enough():
    found = covey.compare(pa.table(TABLE), k=2, **roles(), models=MODEL, algorithms=["mondrian"])
    assert [row.failure for row in found.rows] == [None]


def test_a_file_is_not_anonymized_without_k(people):
    job = Job(schema=covey.Schema.from_roles(**roles()))
    with pytest.raises(covey.InputError) as found:
        anonymize_file(str(people), str(people.with_name("out.csv")), job)
    assert found.value.code == "no-k"


# --- suppression that would do nothing --------------------------------------------------------------------------


def test_suppression_is_refused_where_no_row_is_ever_left_out(people, run):
    with pytest.raises(covey.InputError) as found:
        covey.anonymize(pa.table(TABLE), k=2, **roles(), suppression=0.1)
    assert found.value.code == "no-suppression"
    assert "threshold-clustering, optimal-recoding" in str(found.value.hint)
    words = ["--quasi", "age,sex", "--sensitive", "ill", "-k", "2", "-o", people.with_name("out.csv")]
    made = run("anonymize", people, *words, "--suppression", "0.1")
    assert made.code == 2
    assert "`suppression` would have no effect" in made.err
    assert "`covey` as it is asked for leaves out no row" in made.err
    path = job_file(people, "suppression", 0.1)
    path.write_text(path.read_text().replace("optimal-recoding", "mondrian"))
    made = run("anonymize", people, "--job", path, "-o", people.with_name("out.csv"))
    assert made.code == 2
    assert "`mondrian` as it is asked for leaves out no row" in made.err


def test_rows_left_out_for_missing_values_need_no_suppression():
    holes = pa.table({"age": [1, 1, None, None, 3, 3], "ill": ["a", "b", "a", "b", "a", "b"]})
    given = {"k": 2, "quasi": ["age"], "sensitive": ["ill"], "missing": "suppress"}
    made = covey.anonymize(holes, **given)
    assert made.report.suppressed == 2
    assert covey.verify(made.table, k=2, quasi=["age"], original=holes, missing="suppress", suppression=0.0).ok
    for run in (covey.anonymize, functools.partial(covey.compare, algorithms=["mondrian"])):
        with pytest.raises(covey.InputError) as found:
            run(holes, **given, suppression=0.5)
        assert found.value.code == "no-suppression"


def test_threshold_clustering_that_merges_leaves_out_no_row():
    algorithm = 'threshold-clustering(small="merge")'
    with pytest.raises(covey.InputError) as found:
        covey.anonymize(pa.table(TABLE), k=2, **roles(), suppression=0.1, algorithm=algorithm)
    assert found.value.code == "no-suppression"


def test_an_estimator_that_names_no_share_takes_that_of_the_release():
    odd = pa.table({"age": [1, 1, 1, 1, 9], "ill": ["a", "b", "a", "b", "a"]})
    algorithm = covey.ThresholdClustering(threshold=0.0)
    made = covey.anonymize(odd, k=2, quasi=["age"], sensitive=["ill"], suppression=0.2, algorithm=algorithm)
    assert made.report.suppressed == 1
    assert algorithm.suppression == 0.0


def test_an_estimator_of_ones_own_may_leave_out_rows():
    class Drops(covey.Estimator):
        def search(self, task):
            return covey.Found(of_tuple=np.array([0, 1, -1]))

    odd = pa.table({"age": [1, 1, 2, 2, 9], "ill": ["a", "b", "a", "b", "a"]})
    made = covey.anonymize(odd, k=2, quasi=["age"], sensitive=["ill"], suppression=0.2, algorithm=Drops())
    assert made.report.suppressed == 1


def test_in_a_comparison_those_that_leave_out_no_row_run_without():
    odd = pa.table({"age": [1, 1, 1, 1, 9], "ill": ["a", "b", "a", "b", "a"]})
    names = ["threshold-clustering(threshold=0.0)", "mondrian"]
    found = covey.compare(odd, k=2, quasi=["age"], sensitive=["ill"], suppression=0.2, algorithms=names)
    assert {row.algorithm: (row.suppressed, row.failure) for row in found.rows} == {
        names[0]: (1, None),
        "mondrian": (0, None),
    }
    with pytest.raises(covey.InputError) as refused:
        covey.compare(odd, k=2, quasi=["age"], sensitive=["ill"], suppression=0.2, algorithms=["mondrian"])
    assert refused.value.code == "no-suppression"


def test_a_report_is_strict_json_whatever_is_declared_as_missing():
    table = pa.table({"age": [1.0, 1.0, math.nan, 3.0, 3.0, 3.0]})
    made = covey.anonymize(table, k=2, quasi=["age"], na=[math.nan, math.inf, 999])
    document = json.loads(json.dumps(made.report.to_json(), allow_nan=False))
    assert document["settings"]["na"] == ["nan", "inf", 999]


class Own(covey.LossCut):
    """An algorithm with a `budget` of its own meaning, and none that must be given."""

    def __init__(self, k=5, *, budget):
        super().__init__(k)
        self.budget = budget


def test_an_algorithm_of_ones_own_may_use_the_words_of_settings_otherwise():
    found = covey.anonymize(pa.table(TABLE), k=2, **roles(), algorithm=Own(budget=1000))
    assert found.report.settings["budget"] is None
    with pytest.raises(covey.InputError, match="has but one way to search"):
        covey.anonymize(pa.table(TABLE), k=2, **roles(), algorithm=Own(budget=1000), effort="fast")


@pytest.mark.parametrize(
    ("algorithm", "told", "effort", "budget"),
    [
        ("covey", {"effort": "fast"}, "fast", None),
        ("covey", {"budget": "0.5s"}, None, 0.5),
        (covey.Covey(), {"effort": "fast"}, "fast", None),
        (covey.Covey(effort="fast"), {}, "fast", None),
        ("covey(effort=fast)", {}, "fast", None),
        (covey.Covey(budget=0.5), {}, None, 0.5),
        ("peel", {}, None, None),
    ],
)
def test_what_was_searched_is_told(algorithm, told, effort, budget):
    found = covey.anonymize(pa.table(TABLE), k=2, **roles(), algorithm=algorithm, **told).report.settings
    assert (found["effort"], found["budget"]) == (effort, budget)


@pytest.mark.parametrize(
    "algorithm", ["covey(effort=fast)", "covey(effort=balanced)", "covey(budget=1s)", covey.Covey(effort="fast")]
)
@pytest.mark.parametrize("told", [{"effort": "best"}, {"budget": "2s"}])
def test_an_effort_that_is_given_twice_is_refused(algorithm, told):
    with pytest.raises(covey.InputError, match="an effort or a budget is given twice"):
        covey.anonymize(pa.table(TABLE), k=2, **roles(), algorithm=algorithm, **told)


def test_an_algorithm_has_an_effort_or_a_budget():
    with pytest.raises(covey.InputError, match="cannot both be kept"):
        covey.anonymize(pa.table(TABLE), k=2, **roles(), algorithm="covey(effort=fast, budget=1s)")
    with pytest.raises(covey.InputError, match="cannot both be kept"):
        covey.Covey(k=2, effort="best", budget=1).fit(pa.table({"age": [1, 2, 3]}))


def test_of_a_job_and_what_is_given_the_latter_says_how_to_search():
    roles_of_columns = covey.Schema.from_roles(**roles())
    by_clock = Job(roles_of_columns, k=2, budget="10m")
    told = covey.anonymize(pa.table(TABLE), job=by_clock, effort="fast").report.settings
    assert (told["effort"], told["budget"]) == ("fast", None)
    told = covey.anonymize(pa.table(TABLE), job=Job(roles_of_columns, k=2, effort="best"), budget=0.1).report.settings
    assert (told["effort"], told["budget"]) == (None, 0.1)
    with pytest.raises(covey.InputError, match="cannot both be kept"):
        covey.anonymize(pa.table(TABLE), k=2, **roles(), effort="best", budget="1s")


@pytest.mark.parametrize("algorithm", ["covey", covey.Covey()])
def test_centres_are_searched_by_sums_of_squares(algorithm):
    # squares: 1,536 + 800 for {0, 0, 48} {80, 120}, 0 + 2,603 otherwise; extents: 3 x 48 + 2 x 40 against 3 x 72
    table = pa.table({"a": [0, 0, 48, 80, 120]})
    for release, alike in (("centre", [True, False]), ("interval", [False, True])):
        labels = covey.anonymize(table, k=2, quasi=["a"], algorithm=algorithm, release=release).labels
        assert [labels[2] == labels[1], labels[2] == labels[3]] == alike
