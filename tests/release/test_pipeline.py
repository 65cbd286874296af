"""The one path, as a library: what may be given, what comes back, what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import covey
from covey.datasets import hospital_roles, hospital_taxonomies, load_adult, make_hospital
from covey.tables import frames

PEOPLE = pa.table(
    {
        "name": ["Ann", "Bo", "Cy", "Di"],
        "age": [34, 35, 61, 63],
        "sex": ["f", "f", "m", "m"],
        "ill": ["flu", "gout", "flu", "flu"],
    }
)
ROLES = {"identifier": ["name"], "quasi": ["age", "sex"], "sensitive": ["ill"]}


def test_the_report_follows_its_contract():
    made = covey.anonymize(make_hospital(120), k=4, taxonomies=hospital_taxonomies(), **hospital_roles())
    document = made.report.to_json()
    schema = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(document)), schema)
    assert document["released"] == 120
    assert document["loss"]["total_il"] == pytest.approx(sum(document["loss"]["columns"].values()) * 120)


def test_a_job_file_and_arguments_on_top(tmp_path):
    job = tmp_path / "covey.toml"
    job.write_text(
        'k = 4\n[columns.name]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\nweight = 2.0\n'
        '[columns.sex]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n'
    )
    assert covey.anonymize(PEOPLE, job=job).report.k == 4
    made = covey.anonymize(PEOPLE, k=2, job=job)
    assert made.report.k == 2
    assert made.report.loss.total_il == pytest.approx(2.0 * (2 * (1 / 29) + 2 * (2 / 29)))


def test_lists_and_facts_move_columns_of_a_job_and_leave_the_rest(tmp_path):
    job = tmp_path / "covey.toml"
    job.write_text(
        'k = 2\n[columns.name]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\nna = [35]\nweight = 2.0\n'
        '[columns.sex]\nrole = "quasi"\n[columns.ill]\nrole = "other"\n'
    )
    made = covey.anonymize(PEOPLE, job=job, sensitive=["ill"], types={"sex": "categorical"}, weights={"sex": 3.0})
    again = covey.anonymize(PEOPLE, job=job, identifier=["name"], quasi=["age", "sex"], sensitive=["ill"])
    for release in (made, again):
        assert release.report.roles["ill"] == "sensitive"  # moved
        assert not any("35" in str(age) for age in release.table.column("age").to_pylist())  # the job's na still counts


def test_a_schema_instead_of_lists():
    schema = covey.Schema.from_roles(**ROLES)
    assert covey.anonymize(PEOPLE, k=2, schema=schema).table.equals(covey.anonymize(PEOPLE, k=2, **ROLES).table)


def test_a_schema_and_lists_are_refused_lest_one_of_them_be_ignored():
    schema = covey.Schema.from_roles(quasi=["age", "sex"], other=["name", "ill"])
    with pytest.raises(covey.InputError, match="roles were given twice"):
        covey.anonymize(PEOPLE, k=2, schema=schema, identifier=["name"])


def test_a_stream_is_read_once():
    made = covey.anonymize(PEOPLE.to_reader(), k=2, **ROLES)
    assert made.table.equals(covey.anonymize(PEOPLE, k=2, **ROLES).table)


ODD_TYPES = {
    "a list": pa.array([[1], None, [2, 3], []]),
    "lists as categories": pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 2]), pa.array([[2, 3], [1], []])),
    "a struct": pa.array([{"a": 1}, None, {"a": 2}, {"a": None}]),
    "a map": pa.array([[("a", 1)], None, [], []], pa.map_(pa.string(), pa.int64())),
    "text views": pa.array(["a", None, "b", "b"], pa.string_view()),
    "byte views": pa.array([b"a", None, b"b", b"b"], pa.binary_view()),
    "runs": pc.run_end_encode(pa.array([1, 1, 2, None])),
    "small decimals": pa.array([1, None, 2, 2], pa.decimal32(5, 2)),
    "uuids": pa.array([bytes(16), None, bytes(16), bytes(16)], pa.uuid()),
    "nanoseconds of a day": pa.array([1, None, 2_001, 3], pa.time64("ns")),
    "nanoseconds": pa.array([1, None, 2_001, 3], pa.duration("ns")),
}


@pytest.mark.parametrize("order", ["kept", "shuffled"])
@pytest.mark.parametrize("kind", list(ODD_TYPES))
@pytest.mark.filterwarnings("ignore:.*cannot be compared")
def test_a_kept_column_may_have_any_type(kind, order):
    table = PEOPLE.append_column("odd", ODD_TYPES[kind])
    made = covey.anonymize(table, k=2, order=order, other=["odd"], **ROLES).table
    assert made.schema.field("odd").type == ODD_TYPES[kind].type
    assert sorted(map(repr, made.column("odd").to_pylist())) == sorted(map(repr, ODD_TYPES[kind].to_pylist()))


@pytest.mark.parametrize("role", ["identifier", "sensitive", "target"])
@pytest.mark.filterwarnings("ignore:.*cannot be compared")
def test_spans_and_lists_as_categories_may_have_any_role_but_are_not_counted(role):
    roles = {"identifier": ["name", "sex", "ill"], "quasi": ["age"]}
    roles[role] = [*roles.get(role, []), "odd"]
    spans = PEOPLE.to_pandas().assign(odd=pd.cut([1, 2, 3, 4], 2))
    for table in (spans, PEOPLE.append_column("odd", ODD_TYPES["lists as categories"])):
        made = covey.anonymize(table, k=2, **roles).table
        assert role == "identifier" or list(made["odd"]) == list(table["odd"])
        if role != "identifier":
            with pytest.raises(covey.InputError, match="column `odd` cannot be counted"):
                covey.anonymize(table, k=2, models="distinct-l-diversity(odd, l=2)", **roles)


def test_spans_in_parts_and_categories_without_a_value_are_kept():
    parts = [
        pa.Table.from_pandas(pd.DataFrame({"age": ages, "odd": pd.cut(ages, [20, 35, 50])}))
        for ages in ([30, 30], [40, 40])
    ]
    table = pa.concat_tables(parts)
    made = covey.anonymize(table, k=2, quasi=["age"], sensitive=["odd"]).table
    assert made["odd"].to_pylist() == table["odd"].to_pylist()
    nothing = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1]), pa.nulls(2))
    made = covey.anonymize(pa.table({"age": [1, 2, 3, 4], "none": nothing}), 2, quasi=["age"], other=["none"]).table
    assert made["none"].to_pylist() == [None] * 4


@pytest.mark.parametrize("rule", [covey.Taxonomy.intervals([5]), covey.Taxonomy.dates(["year"])])
def test_a_rule_over_lists_is_refused_also_where_rows_are_left_out(rule):
    table = pa.table({"at": [[1], [2], [3]], "n": [1, 1, None]})
    with pytest.raises(covey.InputError, match="column `at` has the type"):
        covey.anonymize(table, 2, quasi=["at", "n"], taxonomies={"at": rule}, missing="suppress")


@pytest.mark.parametrize(
    ("values", "type_", "taxonomy"),
    [
        (["30", "30", "unknown", "unknown"], "numeric", {"known": ["30"], "none": ["unknown"]}),
        (["ab", "ab", "cd", "cd"], "date", covey.Taxonomy.prefixes([1])),
        ([1, 1, 2, 2], "date", covey.Taxonomy.intervals([5])),
        (pa.array([2**62, 2**62, 1, 1], pa.timestamp("s")), "numeric", covey.Taxonomy.prefixes([1])),
    ],
)
def test_values_beside_a_taxonomy_must_be_of_the_declared_type(values, type_, taxonomy):
    with pytest.raises(covey.InputError, match=r"that (is|are) no (number|date)"):
        covey.anonymize(pa.table({"c": values}), 2, quasi=["c"], types={"c": type_}, taxonomies={"c": taxonomy})


def test_a_number_of_thousands_of_digits_that_is_left_out_stops_nobody():
    many = "0." + "1" * 4_400
    table = pa.table({"c": ["1", "1", "2", "7", "7", many], "n": [1, 1, 1, 1, 1, None]})
    fives = {"c": covey.Taxonomy.intervals([5])}
    made = covey.anonymize(table, 2, quasi=["c", "n"], taxonomies=fives, missing="suppress").table
    assert made.num_rows == 5


def test_nulls_among_the_values_of_several_dictionaries_are_missing():
    parts = pa.chunked_array([["a", None], ["b", "a"]]).dictionary_encode(null_encoding="encode")
    table = pa.table({"q": [30, 30, 40, 40], "p": parts})
    made = covey.anonymize(table, 2, quasi=["q"], sensitive=["p"], models=["distinct-l-diversity(p, l=2)"]).table
    assert made["p"].to_pylist() == ["a", None, "b", "a"]


def test_infinity_may_be_a_leaf():
    table = pa.table({"at": [1.0, float("inf"), 1.0, float("inf")]})
    made = covey.anonymize(table, 2, quasi=["at"], taxonomies={"at": {"a": ["1"], "b": ["inf"]}}).table
    assert made["at"].to_pylist() == ["1", "inf", "1", "inf"]
    spans = pa.table({"at": ["[0, 4]"] * 2})
    fives = {"at": covey.Taxonomy.intervals([5])}
    assert not covey.verify(spans, k=2, quasi=["at"], taxonomies=fives, original=table.slice(0, 2)).ok


@pytest.mark.parametrize("release", ["interval", "node", "bounds", "centre"])
def test_text_views_and_zones_that_are_not_known_here_can_be_quasi(release):
    table = pa.table(
        {
            "text": pa.array(["a", "a", "b", "?"], pa.string_view()),
            "time": pa.array([1, 2_001, 3, None], pa.timestamp("us", "No/Where")),
            "cost": pa.array([1, 2, 3, None], pa.decimal32(5, 2)),
        }
    )
    made = covey.anonymize(table, k=2, quasi=["text", "time", "cost"], na=["?"], release=release)
    assert made.report.verdict.ok


@pytest.mark.parametrize("release", ["interval", "bounds", "centre"])
def test_whole_numbers_of_128_bits_in_polars(release):
    frame = pl.DataFrame({"a": pl.Series([2**100, 2**100 + 1, 5, 5], dtype=pl.Int128)})
    made = covey.anonymize(frame, k=2, quasi=["a"], release=release).table
    if release == "bounds":
        assert made["a_min"].to_list() == [str(2**100), str(2**100), "5", "5"]


def test_a_shuffled_dictionary_does_not_tell_the_order_of_the_rows():
    n = 40
    codes = pa.array([f"v{i:02}" for i in range(n)]).dictionary_encode()
    with pytest.warns(covey.CoveyWarning):
        made = covey.anonymize(pa.table({"a": [1] * n, "s": codes}), k=2, quasi=["a"], other=["s"], order="shuffled")
    column = made.table.column("s").chunk(0)
    assert column.dictionary.to_pylist() == column.to_pylist() != codes.to_pylist()


def test_an_estimator_takes_its_k_from_the_call():
    estimator = covey.Mondrian(relaxed=True)
    made = covey.anonymize(PEOPLE, k=2, algorithm=estimator, **ROLES)
    assert made.report.verdict.level == 2
    assert estimator.k == 5, "the estimator that was given is not changed"


def test_not_an_algorithm():
    with pytest.raises(covey.InputError, match="a name or an estimator"):
        covey.anonymize(PEOPLE, k=2, algorithm=3.5, **ROLES)


def test_no_k():
    with pytest.raises(covey.InputError, match="no `k` was given"):
        covey.anonymize(PEOPLE, **ROLES)


def test_no_rows():
    with pytest.raises(covey.InputError, match="no rows"):
        covey.anonymize(PEOPLE.slice(0, 0), k=2, **ROLES)


def test_a_column_without_a_role_is_refused():
    with pytest.raises(covey.InputError, match="1 column without a role: `ill`") as error:
        covey.anonymize(PEOPLE, k=2, identifier=["name"], quasi=["age", "sex"])
    assert error.value.code == "no-role"


def test_no_quasi_column():
    with pytest.raises(covey.InputError, match="no column is quasi"):
        covey.anonymize(PEOPLE.select(["ill"]), k=2, other=["ill"])


def test_bounds_that_clash_with_a_kept_column():
    table = PEOPLE.append_column("age_min", pa.array([1, 2, 3, 4]))
    with pytest.raises(covey.InputError, match="needs 1 name that the table has already: `age_min`"):
        covey.anonymize(table, k=2, release="bounds", other=["age_min"], **ROLES)


def test_bounds_that_clash_with_a_dropped_column():
    table = PEOPLE.append_column("age_min", pa.array([1, 2, 3, 4]))
    roles = {**ROLES, "identifier": ["name", "age_min"]}
    with pytest.raises(covey.InputError, match="needs 1 name that the table has already: `age_min`"):
        covey.anonymize(table, k=2, release="bounds", **roles)


def test_bounds_are_typed():
    made = covey.anonymize(PEOPLE, k=2, release="bounds", **ROLES).table
    assert made.column_names == ["age_min", "age_max", "sex", "ill"]
    assert made.column("age_min").to_pylist() == [34, 34, 61, 61]
    assert made.column("age_max").to_pylist() == [35, 35, 63, 63]


def test_na_texts_are_missing_in_quasi_columns_and_kept_elsewhere():
    table = pa.table({"a": ["x", "x", "?", "?"], "s": ["?", "y", "?", "y"]})
    made = covey.anonymize(table, k=2, quasi=["a"], other=["s"], na=["?"]).table
    assert made.column("a").to_pylist() == ["x", "x", None, None]
    assert made.column("s").to_pylist() == ["?", "y", "?", "y"]


def test_a_nearly_unique_kept_column_warns_without_a_value():
    table = pa.table({"a": [i % 3 for i in range(30)], "key": [f"K{i}" for i in range(30)]})
    with pytest.warns(covey.CoveyWarning, match="column `key` is kept as it is and nearly unique") as caught:
        made = covey.anonymize(table, k=2, quasi=["a"], other=["key"])
    assert not any("K1" in str(warning.message) for warning in caught)
    assert len(made.report.warnings) == 1


def test_no_warning_without_a_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        covey.anonymize(PEOPLE, k=2, **ROLES)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_the_input_is_not_changed_and_the_result_is_its_own(kind):
    frame = PEOPLE.to_pandas() if kind == "pandas" else pl.from_arrow(PEOPLE)
    before = frame.copy() if kind == "pandas" else frame.clone()
    made = covey.anonymize(frame, k=2, **ROLES).table
    if kind == "pandas":
        made.loc[0, "ill"] = "changed"
        pd.testing.assert_frame_equal(frame, before)
    assert frame.equals(before)


def test_odd_objects_in_a_kept_pandas_column_are_kept():
    frame = PEOPLE.to_pandas()
    frame["blob"] = [object(), {"a": 1}, [1, "x"], None]
    with pytest.warns(covey.CoveyWarning, match="column `blob` is kept as it is, and its values cannot be compared"):
        made = covey.anonymize(frame, k=2, other=["blob"], **ROLES).table
    assert made["blob"].tolist() == frame["blob"].tolist()


def test_categories_of_left_out_rows_are_not_published():
    frame = pd.DataFrame({"a": [1, 1, 2, 2, None], "s": pd.Categorical(["x", "y", "x", "y", "secret"])})
    made = covey.anonymize(frame, k=2, quasi=["a"], sensitive=["s"], missing="suppress").table
    assert "secret" not in made["s"].cat.categories
    assert made["s"].tolist() == ["x", "y", "x", "y"]


def test_a_release_that_fails_its_check_is_not_returned(monkeypatch):
    from covey.release import product

    honest = product.recode

    def lie(columns, codes, labels, **settings):
        return honest(columns, codes, np.arange(len(labels)), **settings)  # every row a class of its own

    monkeypatch.setattr(product, "recode", lie)
    with pytest.raises(covey.VerificationFailed, match="nothing was published"):
        covey.anonymize(PEOPLE, k=2, **ROLES)


def test_labels_are_the_published_classes():
    # ages of two classes, but all released alike: one class
    table = pa.table({"a": ["x"] * 6})
    made = covey.anonymize(table, k=2, quasi=["a"], algorithm="k-member")
    assert made.labels.tolist() == [0] * 6
    assert made.report.verdict.classes == 1


def test_the_public_names_are_there():
    for name in covey.__all__:
        assert getattr(covey, name) is not None
        assert name in dir(covey)
    with pytest.raises(AttributeError):
        covey.nothing  # noqa: B018


def test_the_loss_of_adult_by_a_second_opinion(data, tmp_path):
    recount = data.parent / "tools" / "recount.py"
    if not recount.exists():
        pytest.skip("the recount tool does not lie beside the public tables")
    quasi = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"]
    table = load_adult().select(quasi)
    made = covey.anonymize(table, k=10, quasi=quasi)
    made.table.to_pandas().to_csv(tmp_path / "out.csv", index=False)
    table.to_pandas().to_csv(tmp_path / "raw.csv", index=False)
    done = subprocess.run(
        [sys.executable, recount, tmp_path / "raw.csv", tmp_path / "out.csv", "--quasi", ",".join(quasi),
         "--numeric", "age,education-num"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    verdict, loss = made.report.verdict, made.report.loss.total_il
    assert done.stdout.startswith(f"k {verdict.level}, classes {verdict.classes}, rows 30162 of 30162, Total-IL ")
    assert float(done.stdout.split()[-1]) == pytest.approx(loss, abs=1e-3)


def test_a_job_may_ask_for_shuffled_rows(tmp_path):
    job = tmp_path / "covey.toml"
    job.write_text('k = 2\norder = "shuffled"\n[columns.a]\nrole = "quasi"\n[columns.s]\nrole = "other"\n')
    table = pa.table({"a": [i // 2 for i in range(200)], "s": [i % 7 for i in range(200)]})
    made = covey.anonymize(table, job=job)
    assert made.report.order == "shuffled"
    assert made.table.column("s").to_pylist() != table.column("s").to_pylist()
    assert covey.anonymize(table, job=job, order="kept").table.column("s").to_pylist() == table.column("s").to_pylist()


def test_centres_have_no_ends_to_snap():
    with pytest.raises(covey.InputError, match="centres have no ends"):
        covey.anonymize(PEOPLE, k=2, release="centre", ends="snapped", **ROLES)


@pytest.mark.parametrize("kind", ["arrow", "pandas"])
def test_values_of_rows_that_were_cut_away_before_are_not_published(kind):
    whole = pa.table({"a": [1, 1, 2], "s": pa.array(["x", "y", "secret"]).dictionary_encode()})
    frame = whole.slice(0, 2) if kind == "arrow" else whole.to_pandas().iloc[:2]
    made = covey.anonymize(frame, k=2, quasi=["a"], sensitive=["s"]).table
    known = made.column("s").chunk(0).dictionary.to_pylist() if kind == "arrow" else list(made["s"].cat.categories)
    assert known == ["x", "y"]


def test_times_with_and_without_an_offset_are_refused_together():
    table = pa.table({"t": ["2024-01-01T10:00:00Z", "2024-01-01T10:00:00"]})
    with pytest.raises(covey.InputError, match="1 value without an offset from UTC") as error:
        covey.anonymize(table, k=2, quasi=["t"], types={"t": "date"})
    assert "2024" not in str(error.value)


def test_an_ordered_category_brings_its_order():
    pain = ["none", "severe", "mild", "none", "mild", "severe"]
    frame = pd.DataFrame({"pain": pd.Categorical(pain, ["none", "mild", "severe"], ordered=True)})
    made = covey.anonymize(frame, k=6, quasi=["pain"])
    assert made.report.types == {"pain": "ordered"}
    assert set(made.table["pain"]) == {"[none, severe]"}
    assert made.report.verdict.truthful.complete


def test_verify_takes_what_anonymize_takes(tmp_path):
    tree = {"prefixes": [2]}
    table = pa.table({"zip": ["01234", "01299", "47906", "47911"], "s": ["a", "b", "a", "b"]})
    made = covey.anonymize(table, k=2, quasi=["zip"], other=["s"], taxonomies={"zip": tree})
    assert made.table.column("zip").to_pylist() == ["01*", "01*", "47*", "47*"]
    verdict = covey.verify(made.table, k=2, quasi=["zip"], taxonomies={"zip": tree}, original=table)
    assert verdict.ok
    assert verdict.truthful.complete
    assert str(verdict) == "ok: k = 2, asked 2, 2 classes, truthful"
    job = tmp_path / "covey.toml"
    job.write_text('k = 3\n[columns.zip]\nrole = "quasi"\ntaxonomy = {prefixes = [2]}\n[columns.s]\nrole = "other"\n')
    again = covey.verify(made.table, job=job, original=table)
    assert (again.k, again.ok, again.truthful.complete) == (3, False, True)
    assert covey.verify(made.table, job=job, k=2).ok
    assert repr(made) == "<covey release: 4 rows, 2 classes, k = 2; see .table, .report, .labels>"


def test_a_file_is_read_as_the_job_says(tmp_path):
    from covey.ask.job import read_job

    raw, job, out = tmp_path / "raw.csv", tmp_path / "covey.toml", tmp_path / "out.csv"
    raw.write_text("1,5; a\n2,5; a\n")
    job.write_text(
        'k = 2\n[csv]\nseparator = "; "\nheader = false\ndecimal = ","\nnames = ["x", "y"]\n'
        '[columns.x]\nrole = "quasi"\n[columns.y]\nrole = "other"\n'
    )
    report = covey.anonymize_file(str(raw), str(out), read_job(job))
    assert report.types == {"x": "numeric"}
    assert out.read_text() == '"[1,5; 2,5]";a\n"[1,5; 2,5]";a\n'


def test_kept_columns_are_not_looked_up_among_all_names_one_by_one(monkeypatch):
    looked_up = []
    real = frames.column_names
    monkeypatch.setattr(frames, "column_names", lambda frame: looked_up.append(1) or real(frame))

    def lookups(n_kept):
        looked_up.clear()
        kept = {f"c{i}": ["x", "y"] * 2 for i in range(n_kept)}
        table = pa.table({"age": [1, 2, 3, 4], **kept})
        covey.anonymize(table, k=2, quasi=["age"], other=list(kept))
        return len(looked_up)

    assert lookups(40) == lookups(2)


def test_a_file_is_released_as_the_file_of_a_job_says_and_neither_is_replaced(tmp_path):
    table, job, tree = (str(tmp_path / name) for name in ("people.csv", "covey.toml", "sex.csv"))
    Path(table).write_text("age,sex\n34,f\n35,f\n61,m\n63,m\n")
    Path(job).write_text(
        'k = 2\norder = "kept"\n[columns.age]\nrole = "quasi"\n[columns.sex]\nrole = "quasi"\ntaxonomy = "sex.csv"\n'
    )
    Path(tree).write_text("f;any\nm;any\n")
    out = tmp_path / "out.csv"
    report = covey.anonymize_file(table, str(out), job)
    assert (report.k, report.verdict.ok) == (2, True)
    assert out.read_text() == 'age,sex\n"[34, 35]",f\n"[34, 35]",f\n"[61, 63]",m\n"[61, 63]",m\n'
    before = [Path(file).read_text() for file in (table, tree)]
    for file in (table, tree):
        with pytest.raises(covey.InputError, match="is the input"):
            covey.anonymize_file(table, file, Path(job), force=True)
    assert [Path(file).read_text() for file in (table, tree)] == before
