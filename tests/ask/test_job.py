"""The job file: strict, all faults at once, nothing guessed."""

from __future__ import annotations

import dataclasses

import pytest

from covey.ask.job import Job, read_job
from covey.ask.schema import Column, Schema
from covey.ask.taxonomy import Taxonomy
from covey.base.errors import InputError
from covey.columns.values.parsing import parse_date

FULL = """
k = 10
missing = "suppress"
na = ["?", "NA"]
algorithm = "mondrian(relaxed=true)"
suppression = 0.0
release = "bounds"
ends = "snapped"
order = "kept"
seed = 7

[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
type = "numeric"
weight = 2.0
domain = [0, 120]
[columns."home town"]
role = "quasi"
taxonomy = "towns.csv"
[columns.grade]
role = "quasi"
order = ["low", "high"]
[columns.zip]
role = "quasi"
taxonomy = {prefixes = [3, 2]}
[columns.born]
role = "quasi"
domain = [1900-01-01, 2024-12-31]
[columns.diagnosis]
role = "sensitive"
"""


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        (tmp_path / "covey.toml").write_text(text, encoding=encoding)
        return tmp_path / "covey.toml"

    return write


def refusal(path):
    with pytest.raises(InputError) as caught:
        read_job(path)
    return caught.value


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_full_job_is_read(write, tmp_path, encoding):
    (tmp_path / "towns.csv").write_text("Ulm;South;*\nKiel;North;*\n")
    job = read_job(write(FULL, encoding))
    assert (job.k, job.missing, job.na, job.algorithm) == (10, "suppress", ("?", "NA"), "mondrian(relaxed=true)")
    assert (job.release, job.ends, job.order, job.seed) == ("bounds", "snapped", "kept", 7)
    assert job.schema["age"] == Column("age", "quasi", "numeric", 2.0, (0, 120))
    assert job.schema["home town"].taxonomy == Taxonomy.from_file(tmp_path / "towns.csv")
    assert job.schema["grade"].order == ("low", "high")
    assert job.schema["zip"].taxonomy == Taxonomy.prefixes([3, 2], "zip")
    assert job.schema["born"].domain == (parse_date("1900-01-01"), parse_date("2024-12-31"))
    assert job.schema.names("identifier", "sensitive") == ("name", "diagnosis")


def test_an_empty_job_has_the_defaults(write):
    assert read_job(write("")) == Job()
    assert (Job().missing, Job().release, Job().ends, Job().order, Job().seed) == (
        "category",
        "interval",
        "exact",
        None,  # shuffled for files, kept for tables
        0,
    )


def test_all_faults_are_reported_at_once(write):
    error = refusal(
        write("""
k = 1
mising = "category"
missing = "maybe"
na = "?"
algorithm = 5
suppression = 0.1
release = "text"
seed = -1
[[models]]
model = "distinct-l-diversity"
[columns.a]
role = "quassi"
[columns.b]
type = "numeric"
[columns.c]
role = "quasi"
wieght = 2
weight = -1
domain = [5, 1]
type = "numeric"
[columns.d]
role = "entity"
[columns]
e = 5
""")
    )
    text = error.message
    assert error.code == "bad-job"
    for part in (
        "unknown key `mising`, did you mean `missing`?",
        "column `a` has the unknown role `quassi` (did you mean `quasi`?)",
        "column `b` has no `role`",
        "unknown key `wieght` of column `c`, did you mean `weight`?",
        "`weight` of column `c` must be a number of 0 or more",
        "`domain` of column `c` must be two ends in order",
        "the role `entity` is not available in this version",
        "`columns.e` must be a table with a `role`",
    ):
        assert part in text
    # 7 of settings (mising, algorithm, k, missing, na, release, seed), an unknown model and
    # 7 of columns (one each of a, b, d and e, three of c): ten are named, the others counted
    assert text.startswith("15 faults: ")
    assert text.endswith("and 5 more")


def test_faults_of_settings_are_reported_at_once(write):
    error = refusal(
        write('k = 1\nmissing = "no"\nna = "?"\nends = "cut"\norder = "x"\nseed = -1\nalgorithm = []\nmodels = 5\n')
    )
    assert error.message.startswith("8 faults: ")
    for part in (
        "`k` must be at least 2, not 1",
        "`missing` must be one of 'category', 'suppress', 'error'",
        "`na` must be",
        "`ends` must be one of 'exact', 'snapped'",
        "`order` must be",
        "`seed` must be",
        "`algorithm` must be text",
        "`models` must be tables",
    ):
        assert part in error.message


def test_each_fault_of_a_column_is_named_once(write):
    error = refusal(write('[columns.a]\nrole = "quasi"\ntype = "number"\ndomain = [0, 1]\norder = ["a", "a"]\n'))
    assert error.message.count("unknown type `number`") == 1


@pytest.mark.parametrize("key", ["a." * 20_000 + "b = 1", "[" + "a . " * 150 + "b]", '"a".' * 150 + "b = 1"])
def test_a_key_of_many_parts_is_refused_before_it_is_read(write, key):
    with pytest.raises(InputError) as caught:
        read_job(write(key))
    assert caught.value.code == "bad-toml"
    assert "is nested too deeply" in caught.value.message


def test_one_fault_is_one_sentence(write):
    error = refusal(write("k = 2.5\n"))
    assert error.message == "`k` must be a whole number of 2 or more, not float"
    assert "covey.toml" in error.hint


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[columns.a]\nrole = 5", "`role` of column `a` must be text"),
        ('[columns.a]\nrole = "quasi"\ntype = []', "`type` of column `a` must be text"),
        ('[columns.a]\nrole = "quasi"\ndomain = 5', "`domain` of column `a` must be a list"),
        ('[columns.a]\nrole = "quasi"\norder = "abc"', "`order` of column `a` must be a list"),
        ('[columns.a]\nrole = "quasi"\norder = [["a"], ["b"]]', "`order` of column `a` must list each label once"),
        ('[columns.a]\nrole = "quasi"\ndomain = [["a"], ["b"]]', "`domain` of column `a` must be"),
        ('[columns.a]\nrole = "quasi"\nweight = "2"', "`weight` of column `a` must be a number"),
        ('[columns.a]\nrole = "quasi"\ntaxonomy = 5', "the taxonomy of `a` must be a file name or a table"),
        ('[columns.a]\nrole = "quasi"\ntaxonomy = {prefxes = [2]}', "did you mean `prefixes`?"),
        ('[columns.a]\nrole = "quasi"\ntaxonomy = "none.csv"', "none.csv"),
        ('[columns.a]\nrole = "quasi"\ntaxonomy = {intervals = [5]}\ndomain = [0, 9]', "beside a taxonomy"),
        ('[columns.a]\nrole = "entity"', "the role `entity` is not available"),
        ("columns = 5", "`columns` must be tables"),
        ("columns = [1]", "`columns` must be tables"),
        ("[column.a]\nrole = 'quasi'", "unknown key `column`, did you mean `columns`?"),
        ("na = '?'", "`na` must be a list of values"),
        ("na = [[1]]", "`na` must be a list of values"),
        ("[columns.a]\nrole = 'quasi'\nna = 9", "`na` of column `a` must be a list"),
        ("[columns.a]\nrole = 'other'\nna = [9]", "`na` of column `a` belongs to quasi columns"),
        ("suppression = 1.5", "`suppression` must be a number from 0 to 1"),
        ("suppression = nan", "`suppression` must be a number from 0 to 1"),
        ("suppression = true", "`suppression` must be a number from 0 to 1"),
        ("k = true", "`k` must be a whole number"),
        ("models = 5", "`models` must be tables"),
    ],
)
def test_each_fault_has_its_sentence(write, text, part):
    assert part in refusal(write(text + "\n")).message


def test_models_are_read_in_order_and_checked(write):
    job = read_job(write('[[models]]\nmodel = "distinct-l-diversity"\ncolumn = "ill"\nl = 3\n'))
    assert [str(model) for model in job.models] == ['distinct-l-diversity("ill", l=3)']
    unknown = refusal(write('[[models]]\nmodel = "t-closenes"\n'))
    assert (unknown.code, "there is no privacy model `t-closenes`" in unknown.message) == ("bad-job", True)
    half = refusal(write('k = 1\n[[models]]\nmodel = "distinct-l-diversity"\nl = 3\n'))
    assert "2 faults" in half.message
    assert "distinct-l-diversity is not given in full" in half.message


def test_a_suppression_budget_and_adaptive_weights_are_read(write):
    job = read_job(write('suppression = 0.02\nweights = "adaptive"\n'))
    assert (job.suppression, job.weights) == (0.02, "adaptive")
    assert "`weights` must be one of" in refusal(write('weights = "even"\n')).message


def test_files_that_cannot_be_read_are_refused(write, tmp_path):
    assert refusal(tmp_path / "none.toml").code == "no-such-file"
    assert refusal(tmp_path).code == "unreadable"
    assert refusal(write("k = 5\nna = ['é']\n", "latin-1")).code == "unreadable"
    broken = refusal(write("k = 5\nk = 6\n"))
    assert broken.code == "bad-toml"
    assert "line 2" in broken.message
    assert refusal(write('[columns.a]\nrole = "quasi"\n[columns.a]\nrole = "other"\n')).code == "bad-toml"


def test_a_job_made_in_python_is_checked_as_well():
    with pytest.raises(InputError, match="2 faults: `k` must be at least 2, not 1; `missing` must be one of"):
        Job(k=1, missing="no")
    with pytest.raises(InputError, match="`na` must be a list of values"):
        Job(na=["?"])
    with pytest.raises(InputError, match="there is no privacy model `x`"):
        Job(models=({"model": "x"},))
    job = Job(schema=Schema.from_roles(quasi=["a"]), k=2)
    assert dataclasses.replace(job, k=3).k == 3
    with pytest.raises(InputError):
        dataclasses.replace(job, ends="x")
