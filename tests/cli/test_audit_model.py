"""`covey audit-model`: what is found and how it ends, for files of every kind, whatever they hold."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path
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
    assert ended.out.startswith("NOT 5-anonymous: 1 of 40 people is in 1 span of fewer than 5; 1 in the smallest")
    assert "age > 69: 1 person, 'bad'" in ended.out
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


def test_our_own_tree_is_read_from_its_json(run, people):
    tree = covey.KAnonymousTree(k=5, public=["age", "sex"]).fit(people, "risk")
    Path("tree.json").write_text(tree.to_json())
    assert run("audit-model", "tree.json", "people.csv", *WORDS, "-k", 5).code == 0
    assert run("audit-model", "tree.json", "people.csv", *WORDS, "-k", 41).code == 1
    Path("tree.json").write_text(tree.to_json().replace('"covey tree"', '"a shrub"'))
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
    assert "age > 69: 1 person, 'bad'" in ended.out


def test_a_broken_pickle_that_is_trusted_exits_2(run, people):
    Path("model.pkl").write_bytes(b"\x80\x05nothing")
    assert run("audit-model", "model.pkl", "people.csv", *WORDS, "-k", 5, "--trust-pickle").code == 2


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


# --- words and tables ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("gone.skops", "people.csv", *WORDS, "-k", 5), "there is no file `gone.skops`"),
        (("people.csv", "people.csv", *WORDS, "-k", 5), "no file of a trained model"),
        (("model.skops", "gone.csv", *WORDS, "-k", 5), "gone.csv"),
        (("model.skops", "people.csv", "--public", "agee", "-k", 5), "no public column `agee`"),
        (("model.skops", "people.csv", *WORDS, "-k", 1), "`k` must be at least 2"),
        (("model.skops", "people.csv", *WORDS, "-k", 5, "--domain", "age=3"), "LOW..HIGH"),
        (("model.skops", "people.csv", *WORDS, "-k", 5, "--type", "age=long"), "type of `age`"),
        (("model.skops", "people.csv", *WORDS, "-k", 5, "--type", "sex=numeric"), "no numbers"),
        (("model.skops", "people.csv", "-k", 5), "--public"),
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
    assert csv == parquet
