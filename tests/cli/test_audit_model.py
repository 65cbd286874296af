"""`covey audit-model`: what is found and how it ends, for files of every kind, whatever they hold."""

from __future__ import annotations

import json
import pickle
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import joblib
import jsonschema
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree

import covey

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "audit.schema.json").read_text())
WORDS = ("--public", "age,sex", "--target", "risk")


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """Forty people in a file `people.csv` of the current folder; one of them is 99 years old, and a bad risk."""
    monkeypatch.chdir(tmp_path)
    ages = [*range(20, 40), *range(20, 39), 99]
    frame = pd.DataFrame({"age": ages, "sex": ["f", "m"] * 20, "car": ["yes", "yes", "no", "no"] * 10})
    frame["risk"] = np.where(frame.age > 90, "bad", np.where(frame.age > 30, "good", "fair"))
    frame.to_csv("people.csv", index=False)
    return frame


def trained(people: pd.DataFrame, **options: Any) -> Any:
    encoder = make_column_transformer((OneHotEncoder(), ["sex", "car"]), remainder="passthrough")
    model = make_pipeline(encoder, DecisionTreeClassifier(random_state=0, **options))
    return model.fit(people[["age", "sex", "car"]], people.risk)


def test_a_model_with_a_violation_exits_1_and_says_who_is_exposed(run, people):
    skops.io.dump(trained(people), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.startswith("NOT 5-anonymous: 1 of 40 rows is in 1 span of fewer than 5; 1 in the smallest")
    assert "age > 69: 1 row, 'bad'" in ended.out
    assert "do not publish" in ended.out


def test_a_model_without_a_violation_exits_0(run, people):
    skops.io.dump(trained(people, min_samples_leaf=5), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("5-anonymous")


def test_json_follows_its_contract(run, people):
    skops.io.dump(trained(people), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5, "--json")
    document = json.loads(ended.out)
    jsonschema.validate(document, SCHEMA)
    assert (ended.code, document["ok"], document["k_reached"], document["target"]) == (1, False, 1, "risk")


def test_models_of_all_kinds_are_read_from_skops(run, people):
    numbers = people.assign(car=people.car == "yes")[["age", "car"]]
    table = people.assign(car=people.car == "yes", sex=people.sex.astype("category"))
    table.to_csv("numbers.csv", index=False)
    boosted = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2, categorical_features=["sex"])
    models = {
        "boosted": (boosted.fit(table[["age", "sex"]], people.risk), 1),
        "means": (make_pipeline(StandardScaler(), KMeans(2, n_init=1, random_state=0)).fit(people[["age"]]), 0),
        "kernel": (SVC().fit(numbers, people.risk), 1),
    }
    for name, (model, code) in models.items():
        skops.io.dump(model, f"{name}.skops")
        ended = run("audit-model", f"{name}.skops", "numbers.csv", "--public", "age", "-k", 30)
        assert (name, ended.code, ended.err) == (name, code, "")


def test_covey_models_of_all_kinds_are_read_from_their_json(run, people):
    from covey.mining.learn.clusters.estimator import KAnonymousClusters
    from covey.mining.learn.rules import KAnonymousRules
    from covey.mining.learn.tree.baselines import C45, ID3

    people.assign(born=[f"{2024 - age}-05-17" for age in people.age]).to_csv("people.csv", index=False)
    table = pd.read_csv("people.csv", parse_dates=["born"])
    carts = pd.DataFrame({"tea": [True, False] * 20, "pills": [True] * 15 + [False] * 25})
    carts.to_csv("carts.csv", index=False)
    models = {
        "tree": (
            covey.KAnonymousTree.as_published(k=5, public=["born"]).fit(table[["born", "risk"]], "risk"),
            "people.csv",
            "born",
            0,
        ),
        "id3": (ID3().fit(people, "risk"), "people.csv", "age,sex", 1),
        "c45": (C45().fit(people, "risk"), "people.csv", "age,sex", 0),
        "clusters": (KAnonymousClusters(k=5, public=["age"]).fit(people), "people.csv", "age", 0),
        "rules": (KAnonymousRules(k=5, public=["tea"], min_confidence=0.1).fit(carts), "carts.csv", "tea", 0),
    }
    for name, (model, table_file, public, code) in models.items():
        Path(f"{name}.json").write_text("\ufeff" + model.to_json(), encoding="utf-8")  # as some editors write it
        ended = run("audit-model", f"{name}.json", table_file, "--public", public, "-k", 5)
        assert (name, ended.code, ended.err) == (name, code, "")


def test_our_own_tree_is_read_from_its_json(run, people):
    tree = covey.KAnonymousTree.as_published(k=5, public=["age", "sex"]).fit(people, "risk")
    Path("tree.json").write_text(tree.to_json())
    assert run("audit-model", "tree.json", "people.csv", *WORDS, "-k", 5).code == 0
    assert run("audit-model", "tree.json", "people.csv", *WORDS, "-k", 41).code == 1
    Path("tree.json").write_text(tree.to_json().replace('"covey tree"', '"a shrub"'))
    assert run("audit-model", "tree.json", "people.csv", *WORDS, "-k", 5).code == 2
    crafted = json.loads(tree.to_json())
    crafted["classes"][0] = 10**30
    Path("tree.json").write_text(json.dumps(crafted))
    assert run("audit-model", "tree.json", "people.csv", *WORDS, "-k", 5).code == 2


# --- files that are not trusted --------------------------------------------------------------------------------------


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("ran"),)


@pytest.mark.parametrize("name", ["model.pkl", "model.pickle", "model.joblib", "model.bin", "model.skops"])
def test_a_pickle_is_refused_and_not_run(run, people, name):
    Path(name).write_bytes(pickle.dumps(Bomb()))
    ended = run("audit-model", name, "people.csv", *WORDS, "-k", 5)
    assert (ended.code, ended.out) == (2, "")
    assert "is a pickle, which can run any program" in ended.err
    assert "skops.io.dump" in ended.err
    assert not Path("ran").exists()


def test_an_old_or_packed_pickle_is_not_run_either(run, people):
    Path("old.bin").write_bytes(pickle.dumps(Bomb(), protocol=0))
    joblib.dump(Bomb(), "packed.bin", compress=3)
    for name in ("old.bin", "packed.bin"):
        assert run("audit-model", name, "people.csv", *WORDS, "-k", 5).code == 2
    assert not Path("ran").exists()


@pytest.mark.parametrize("name", ["model.pkl", "model.joblib"])
def test_a_trusted_pickle_is_read_after_a_warning_of_what_it_risks(run, people, name):
    joblib.dump(trained(people), name)
    ended = run("audit-model", name, "people.csv", *WORDS, "-k", 5, "--trust-pickle")
    assert ended.code == 1
    assert ended.err.startswith(f"warning: `{name}` is a pickle: reading it runs whatever its maker put into it")
    assert "age > 69: 1 row, 'bad'" in ended.out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\x80\x05nothing", "cannot be unpickled"),
        (b"", "cannot be unpickled"),
        (b"plain text", "cannot be unpickled"),
        (b"cnosuchpackage.parts\nModel\n.", "needs the package `nosuchpackage`, which is not installed"),
        (pickle.dumps({"model": 1}), "a model of the kind dict cannot be audited"),
        (pickle.dumps(pd.DataFrame({"age": [1]})), "a model of the kind DataFrame cannot be audited"),
        (pickle.dumps([1, 2]), "rule 1 is not (left, right, support, confidence)"),
        (pickle.dumps([("age", 7)]), "the rules of the model are not (left, right, support, confidence) each"),
        (pickle.dumps(SimpleNamespace(columns=5, tree_=3)), "SimpleNamespace cannot be audited"),
    ],
)
def test_a_broken_or_foreign_pickle_that_is_trusted_exits_2(run, people, content, told):
    Path("model.pkl").write_bytes(content)
    ended = run("audit-model", "model.pkl", "people.csv", *WORDS, "-k", 5, "--trust-pickle")
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err


def test_a_trusted_pickle_may_hold_pandas_though_the_command_line_does_without(people):
    # in a process of its own: here pandas is loaded
    rules = pd.DataFrame({"antecedents": [frozenset({"tea"})], "consequents": [frozenset({"pills"})]})
    rules.to_pickle("rules.pkl")
    pd.DataFrame({"tea": [1, 1, 1, 0], "pills": [1, 0, 1, 0]}).to_csv("carts.csv", index=False)
    words = ["audit-model", "rules.pkl", "carts.csv", "--public", "tea", "--trust-pickle", "-k"]
    for k, code in ((3, 0), (4, 1)):
        ended = subprocess.run(
            [sys.executable, "-m", "covey", *words, str(k)], capture_output=True, text=True, check=False
        )
        assert (ended.returncode, "Traceback" in ended.stderr) == (code, False)
        assert "1 association rule, 2 spans" in ended.stdout


def test_a_pipeline_that_gives_frames_is_read_from_a_pickle(run, people):
    encoder = make_column_transformer((OneHotEncoder(sparse_output=False), ["sex", "car"]), remainder="passthrough")
    model = make_pipeline(encoder, DecisionTreeClassifier(random_state=0)).set_output(transform="pandas")
    joblib.dump(model.fit(people[["age", "sex", "car"]], people.risk), "model.joblib")
    ended = run("audit-model", "model.joblib", "people.csv", *WORDS, "-k", 5, "--trust-pickle")
    assert ended.code == 1
    assert "age > 69: 1 row, 'bad'" in ended.out


def test_types_that_are_not_trusted_are_refused_by_name(run, people):
    step = FunctionTransformer(np.frombuffer)
    skops.io.dump(Pipeline([("odd", step), ("tree", trained(people)[-1])]), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5)
    assert (ended.code, ended.out) == (2, "")
    assert "the model needs types that are not trusted: `numpy.frombuffer`" in ended.err
    skops.io.dump(KNeighborsClassifier(algorithm="kd_tree").fit(people[["age"]], people.risk), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5)
    assert ended.code == 2
    assert "holds the rows that it was trained on" in ended.err


def with_changed_nodes(model: Any, field: str, node: int, value: float) -> Any:
    """Return a tree of which one number of one node was changed."""
    tree = model.tree_
    state = tree.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"][field][node] = value
    made = Tree(tree.n_features, np.array([tree.max_n_classes], np.intp), tree.n_outputs)
    made.__setstate__(state)
    model.tree_ = made
    return model


def parts_of(name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(name) as parts:
        return {part.filename: parts.read(part) for part in parts.infolist()}


def write_parts(name: str, parts: dict[str, bytes]) -> None:
    with zipfile.ZipFile(name, "w") as file:
        for part, data in parts.items():
            file.writestr(part, data)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("left_child", 10**6),
        ("left_child", 0),
        ("right_child", -7),
        ("right_child", 1),
        ("feature", 99),
        ("feature", -5),
        ("threshold", np.nan),
    ],
)
def test_a_crafted_tree_exits_2(run, people, field, value):
    model = DecisionTreeClassifier(random_state=0).fit(people[["age"]], people.risk)
    skops.io.dump(with_changed_nodes(model, field, 0, value), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", "--public", "age", "--target", "risk", "-k", 5)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: a tree of the model")


@pytest.mark.parametrize("count", [-1, 0, 10**6])
def test_a_crafted_number_of_nodes_is_never_believed(run, people, count):
    model = DecisionTreeClassifier(random_state=0).fit(people[["age"]], people.risk)
    skops.io.dump(model, "model.skops")
    honest = run("audit-model", "model.skops", "people.csv", "--public", "age", "-k", 5)
    parts = parts_of("model.skops")
    schema = json.loads(parts["schema.json"])
    stored = schema["content"]["content"]["tree_"]["content"]["content"]["node_count"]
    assert stored["content"] == str(model.tree_.node_count)
    stored["content"] = str(count)
    write_parts("model.skops", {**parts, "schema.json": json.dumps(schema).encode()})
    ended = run("audit-model", "model.skops", "people.csv", "--public", "age", "-k", 5)
    # scikit-learn takes at most the nodes that there are
    assert ended.code == 2 if count <= 0 else ended == honest


def test_a_broken_skops_file_exits_2(run, people):
    skops.io.dump(trained(people), "model.skops")
    kept = parts_of("model.skops")
    for broken in ({**kept, "schema.json": b"{}"}, {"schema.json": kept["schema.json"]}, {"else": b""}):
        write_parts("broken.skops", broken)
        ended = run("audit-model", "broken.skops", "people.csv", *WORDS, "-k", 5)
        assert (ended.code, ended.out) == (2, "")
        assert "cannot be read as a skops file" in ended.err


def test_a_skops_file_that_is_cut_short_is_said_to_be(run, people):
    skops.io.dump(trained(people), "model.skops")
    whole = Path("model.skops").read_bytes()
    Path("model.skops").write_bytes(whole[: len(whole) // 2])
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5)
    assert (ended.code, ended.out) == (2, "")
    assert "`model.skops` is damaged or cut short" in ended.err


def test_a_model_of_covey_in_a_skops_file_is_referred_to_its_json(run, people):
    skops.io.dump(covey.KAnonymousTree.as_published(k=5, public=["age"]).fit(people, "risk"), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5)
    assert (ended.code, ended.out) == (2, "")
    assert "save it with to_json()" in ended.err


# --- words and tables ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("gone.skops", "people.csv", *WORDS, "-k", 5), "there is no file `gone.skops`"),
        (("people.csv", "people.csv", *WORDS, "-k", 5), "no file of a trained model"),
        (("model.skops", "gone.csv", *WORDS, "-k", 5), "gone.csv"),
        (("model.skops", "people.csv", "--public", "agee", "-k", 5), "no public column `agee`"),
        (("model.skops", "people.csv", *WORDS, "-k", 1), "`k` must be at least 2"),
        (("model.skops", "people.csv", *WORDS, "-k", 5, "--shown", -1), "`shown` must be at least 0"),
        (("model.skops", "people.csv", *WORDS, "-k", 5, "--html", "-"), "`--html` needs a file name"),
        (("model.skops", "people.csv", *WORDS, "-k", 5, "--html", "gone/a.html"), "there is no folder `gone`"),
        (("model.skops", "people.csv", *WORDS, "-k", 5, "--type", "age=long"), "type of `age`"),
        (("model.skops", "people.csv", *WORDS, "-k", 5, "--type", "sex=numeric"), "no numbers"),
        (("model.skops", "people.csv", "-k", 5), "--public"),
        (("model.skops", "people.csv", "--public", "", "-k", 5), "`--public` names no column"),
        (("model.skops", "people.csv", "--public", " , ", "-k", 5), "`--public` names no column"),
        (("model.skops", "people.csv", "--public", "agee", "-k", 5), "did you mean `age`?"),
        (("model.skops", "people.csv", *WORDS[:2], "--target", "rsk", "-k", 5), "no target column `rsk`"),
        (("model.skops", "people.csv", *WORDS[:2], "--target", "rsk", "-k", 5), "did you mean `risk`?"),
        (("model.skops", "people.csv", *WORDS[:2], "--target", "car", "-k", 5), "the target `car` has 2 values that"),
        (("people.csv", "model.skops", *WORDS, "-k", 5), "the model comes first, then the table"),
    ],
)
def test_wrong_words_exit_2(run, people, words, told):
    skops.io.dump(trained(people), "model.skops")
    ended = run("audit-model", *words)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err


def test_a_csv_column_is_a_number_where_all_cells_are_and_text_where_that_is_said(run, people):
    people.assign(age=people.age.map("0{}".format)).to_csv("zeros.csv", index=False)
    skops.io.dump(trained(people), "model.skops")
    refused = run("audit-model", "model.skops", "zeros.csv", *WORDS, "-k", 5)
    assert refused.code == 2
    told = run("audit-model", "model.skops", "zeros.csv", *WORDS, "-k", 5, "--type", "age=numeric")
    assert told.code == 1
    assert told.out == run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5).out


def test_a_parquet_table_gives_the_same_findings(run, people):
    people.to_parquet("people.parquet")
    skops.io.dump(trained(people), "model.skops")
    csv, parquet = (
        run("audit-model", "model.skops", f"people.{kind}", *WORDS, "-k", 5, "--json") for kind in ("csv", "parquet")
    )
    assert (csv.code, csv.err) == (parquet.code, parquet.err)
    assert csv.out.replace("people.csv", "people.parquet") == parquet.out


def test_another_table_than_the_training_table_exits_2_and_gives_no_verdict(run, people):
    skops.io.dump(trained(people), "model.skops")
    people.iloc[:30].to_csv("others.csv", index=False)
    ended = run("audit-model", "model.skops", "others.csv", *WORDS, "-k", 5, "--html", "audit.html")
    assert (ended.code, ended.out) == (2, "")
    assert "the model was trained on 40 rows, the table has 30: it is not the training table" in ended.err
    assert "audit with the very table that the model was trained on" in ended.err
    assert not Path("audit.html").exists()


def test_a_target_that_is_not_named_is_found_by_its_values(run, people):
    skops.io.dump(trained(people), "model.skops")
    words = ("audit-model", "model.skops", "people.csv", "--public", "age,sex", "-k", 5)
    found = run(*words)
    assert "risk, told by its values" in found.out
    assert "told by its values" not in run(*words, "--target", "risk").out
    assert "1 row, 'bad'" in found.out


def test_a_public_column_that_is_named_twice_counts_once(run, people):
    skops.io.dump(trained(people), "model.skops")
    once, twice = (
        run("audit-model", "model.skops", "people.csv", "--public", public, "-k", 5) for public in ("age", "age,age")
    )
    assert once == twice


def test_a_k_above_the_number_of_rows_is_said_plainly(run, people):
    skops.io.dump(trained(people), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 41)
    assert ended.code == 1
    assert ended.out.startswith("NOT 41-anonymous: the table has only 40 rows, 40 of them in 3 spans that tell some")


def test_hints_name_options_and_no_parameters(run, people):
    skops.io.dump(DecisionTreeClassifier().fit(people[["age"]].to_numpy(), people.risk), "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", "--public", "age", "-k", 5)
    assert ended.code == 2
    assert "name the columns that it takes, in their order: --columns" in ended.err
    assert run("audit-model", "model.skops", "people.csv", "--public", "age", "-k", 5, "--columns", "age").code == 1


def test_the_files_are_named_in_json_and_page_without_their_folders(run, people):
    Path("made").mkdir()
    skops.io.dump(trained(people), "made/model.skops")
    words = ("audit-model", "made/model.skops", "people.csv", *WORDS, "-k", 5, "--json", "--html", "audit.html")
    document = json.loads(run(*words).out)
    jsonschema.validate(document, SCHEMA)
    assert document["source"] == {"model": "model.skops", "table": "people.csv"}
    page = Path("audit.html").read_text(encoding="utf-8")
    assert "DecisionTreeClassifier (<code>model.skops</code>)" in page
    assert "40 rows (<code>people.csv</code>); it fits the model" in page


# --- the page --------------------------------------------------------------------------------------------------------


def test_html_is_written_beside_what_is_printed_and_only_its_owner_may_read_it(run, people):
    skops.io.dump(trained(people), "model.skops")
    printed = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5)
    ended = run("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5, "--html", "audit.html")
    assert ended == printed
    assert stat.S_IMODE(Path("audit.html").stat().st_mode) == 0o600
    page = Path("audit.html").read_text(encoding="utf-8")
    assert "<h1>Not 5-anonymous</h1>" in page
    assert "<td>age\u00a0&gt;\u00a069</td>" in page
    assert sorted(path.name for path in Path().iterdir()) == ["audit.html", "model.skops", "people.csv"]


def test_html_replaces_nothing_unless_forced_and_never_an_input(run, people):
    skops.io.dump(trained(people), "model.skops")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    words = ("audit-model", "model.skops", "people.csv", *WORDS, "-k", 5, "--html")
    for name in before:
        for force in ((), ("--force",)):
            ended = run(*words, name, *force)
            assert (ended.code, ended.out) == (2, "")
            assert "is the input" in ended.err
    Path("audit.html").write_text("mine")
    ended = run(*words, "audit.html")
    assert (ended.code, ended.out) == (2, "")
    assert "the output `audit.html` exists" in ended.err
    assert {name: Path(name).read_bytes() for name in before} == before
    assert Path("audit.html").read_text() == "mine"
    assert run(*words, "audit.html", "--force").code == 1
    assert Path("audit.html").read_text().startswith("<!DOCTYPE html>")


def test_so_many_spans_are_listed_as_asked_for(run, people):
    skops.io.dump(trained(people), "model.skops")
    words = ("audit-model", "model.skops", "people.csv", *WORDS, "-k", 41)
    every = json.loads(run(*words, "--json").out)["exposed"]
    assert every["spans"] > 1
    few = json.loads(run(*words, "--json", "--shown", 1).out)["exposed"]
    assert few == {**every, "shown": every["shown"][:1]}
    left = every["spans"] - 1
    assert f"and {left} span{'s' if left > 1 else ''} more" in run(*words, "--shown", 1).out
    none = run(*words, "--shown", 0, "--html", "audit.html")
    assert none.code == 1
    assert "<table>" not in Path("audit.html").read_text()


# --- domains ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("car=no,yes,stolen", "car: no, stolen, yes"),
        ('car="no","yes","a, b"', "car: a, b, no, yes"),
        ("age=0..130", "age: any whole number from 0 to 130"),
        ("age=0..", "age: any whole number from 0"),
        ("age=..130", "age: any whole number to 130"),
        ("age=-.5..1e3", "age: any whole number from -0.5 to 1000"),
    ],
)
def test_a_domain_is_a_range_or_a_list_of_values(run, people, given, told):
    model = trained(people.assign(risk=people.risk + people.car))
    skops.io.dump(model, "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", "--public", "sex", "-k", 5, "--domain", given)
    assert ended.err == ""
    assert told in ended.out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("age", "`--domain` must be COLUMN=LOW..HIGH or COLUMN=VALUE"),
        ("age=", "`--domain` must be"),
        ("age=..", "`--domain` must be"),
        ("age=young..old", "`--domain` must be"),
        ("age=0..inf", "`--domain` must be"),
        ("age=nan..3", "`--domain` must be"),
        ("agee=0..3", "`--domain` names `agee`, which is not in the table"),
        ("sex=f,m", "a domain is given for `sex`, which is public"),
        ("age=99..0", "the domain of `age` ends below its beginning"),
        ("age=20,30", "the model compares `age` with numbers, so its domain must be a range"),
        ("car=0..1", "the model takes `car` as a category, so its domain must be a list of values"),
        ("age=30..130", "20 rows of the table lie outside what is given for private `age` (first row 1)"),
        ("car=yes", "20 rows of the table lie outside what is given for private `car` (first row 3)"),
        ("age=0-100", "a range is written with two dots: --domain age=0..100"),
    ],
)
def test_a_domain_that_cannot_be_exits_2(run, people, given, told):
    model = trained(people.assign(risk=people.risk + people.car))
    skops.io.dump(model, "model.skops")
    ended = run("audit-model", "model.skops", "people.csv", "--public", "sex", "-k", 5, "--domain", given)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err


def test_a_domain_that_is_given_twice_exits_2(run, people):
    skops.io.dump(trained(people), "model.skops")
    words = ("audit-model", "model.skops", "people.csv", "--public", "sex", "-k", 5)
    ended = run(*words, "--domain", "age=0..130", "--domain", "age=0..140")
    assert (ended.code, ended.out) == (2, "")
    assert "`--domain` is given twice for `age`" in ended.err


def test_a_domain_of_a_column_that_the_model_does_not_test_is_warned_of(run, people):
    skops.io.dump(trained(people), "model.skops")  # tests the age alone
    words = ("audit-model", "model.skops", "people.csv", "--public", "sex", "-k", 5)
    ended = run(*words, "--domain", "car=yes,no", "--domain", "age=0..130")
    assert ended.err == "warning: `--domain` of `car` has no effect: the model does not test that column\n"
    assert ended.out == run(*words, "--domain", "age=0..130").out


def test_a_value_with_a_hyphen_is_no_range(run, people):
    table = people.assign(band=np.where(people.age > 30, "31-99", "0-30"))[["band", "sex", "risk"]]
    table.to_csv("people.csv", index=False)
    encoder = make_column_transformer((OneHotEncoder(), ["band", "sex"]))
    model = make_pipeline(encoder, DecisionTreeClassifier(random_state=0)).fit(table[["band", "sex"]], table.risk)
    skops.io.dump(model, "model.skops")
    words = ("audit-model", "model.skops", "people.csv", "--public", "sex", "-k", 5, "--domain")
    assert "band: 0-30, 31-99" in run(*words, "band=0-30,31-99").out


def test_the_longest_name_that_is_a_column_is_meant_by_a_domain(run, people):
    table = people.assign(**{"car=yes": (people.car == "yes").astype(int)})[["age", "car=yes", "risk"]]
    table.to_csv("people.csv", index=False)
    model = KMeans(3, n_init=1, random_state=0).fit(table[["age", "car=yes"]])
    skops.io.dump(model, "model.skops")
    words = ("audit-model", "model.skops", "people.csv", "--public", "age", "-k", 5, "--domain")
    assert "car=yes: any number from 0 to 9" in run(*words, "car=yes=0..9").out
    assert "car=yes: 3 listed values" in run(*words, "car=yes=0,1,2").out
    for given, told in [
        ("0..", "has an open end"),
        ("0,a", "as a number"),
        ("1,2", "20 rows of the table lie outside"),
    ]:
        ended = run(*words, f"car=yes={given}")
        assert (ended.code, ended.out) == (2, "")
        assert told in ended.err
