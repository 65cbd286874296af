"""`covey audit-model` on changed model files: whatever stands in them it exits 0, 1 or 2, without a trace."""

from __future__ import annotations

import copy
import json
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import covey
from covey.mining.learn.clusters.estimator import KAnonymousClusters
from covey.mining.learn.rules import KAnonymousRules

ODD = (
    None, True, -1, 0, 2, 10**6, 2**31, 2**63, 10**30, -(10**30), 1e308, 5e-324, float("nan"), float("inf"), 0.5, "",
    "x", "age", "\0", "\ud800", [], {}, [[]], [None], {"a": 1},
)  # fmt: skip
JSON_RUNS, SKOPS_RUNS = 60, 40  # per model; many more were run when this was written


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables and models of every kind."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {"age": rng.integers(20, 70, 120), "sex": rng.choice(["f", "m"], 120), "pay": rng.integers(10, 90, 120)}
    )
    people["risk"] = rng.choice(["good", "fair", "bad"], 120)
    people.to_csv(folder / "people.csv", index=False)
    carts = pd.DataFrame(rng.random((120, 4)) < 0.5, columns=["tea", "milk", "pills", "plasters"])
    carts.to_csv(folder / "carts.csv", index=False)
    features = people[["age", "sex", "pay"]]
    own = {
        "tree": covey.KAnonymousTree.as_published(k=4, public=["age"]).fit(people, "risk"),
        "clusters": KAnonymousClusters(k=10, public=["age", "sex"], max_clusters=4).fit(features),
        "rules": KAnonymousRules(k=5, public=["tea", "milk"]).fit(carts),
    }
    for name, model in own.items():
        (folder / f"{name}.json").write_text(model.to_json())
    encoder = make_column_transformer((OrdinalEncoder(), ["sex"]), remainder=StandardScaler())
    one_hot = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    boosted = HistGradientBoostingClassifier(max_iter=2, categorical_features=["sex"])
    fitted = {
        "forest": make_pipeline(encoder, RandomForestClassifier(2, max_depth=4, random_state=0)).fit(
            features, people.risk
        ),
        "one_hot": make_pipeline(one_hot, RandomForestClassifier(1, max_depth=4)).fit(features, people.risk),
        "boosted": boosted.fit(features.assign(sex=features.sex.astype("category")), people.risk),
        "means": make_pipeline(StandardScaler(), KMeans(3, n_init=1, random_state=0)).fit(people[["age", "pay"]]),
    }
    for name, model in fitted.items():
        skops.io.dump(model, folder / f"{name}.skops")
    return folder


def places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document but its root."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inner:
        yield (*at, key)
        yield from places(value, (*at, key))


def found_at(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        document = document[key]
    return document


def changed(document: Any, rng: random.Random) -> Any:
    """A document of which one to four parts are replaced, moved, left out, doubled or nudged."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice([1, 1, 2, 4])):
        known = list(places(document))
        place, other = rng.choice(known), rng.choice(known)
        holder, key = found_at(document, place[:-1]), place[-1]
        how = rng.randrange(6)
        if how <= 2:
            holder[key] = copy.deepcopy(rng.choice(ODD))
        elif how == 3:
            holder[key] = copy.deepcopy(found_at(document, other))
        elif how == 4:
            del holder[key]
        elif isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif isinstance(holder[key], int | float):
            holder[key] += rng.choice([-7, -1, 1, 0.5])
    return document


def with_noise(data: bytes, rng: random.Random) -> bytes:
    """Bytes of which a few are changed, left out or added."""
    noisy = bytearray(data)
    for _ in range(rng.choice([1, 3, 9])):
        at = rng.randrange(len(noisy) + 1)
        noisy[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
    return bytes(noisy)


def ends_well(run: Any, *words: object) -> int:
    ended = run("audit-model", *words, "-k", 5)
    assert ended.code in (0, 1, 2), ended.err
    assert "Traceback" not in ended.err + ended.out
    assert bool(ended.out) == (ended.code != 2)
    return int(ended.code)


@pytest.mark.parametrize("name", ["tree", "clusters", "rules"])
def test_changed_json_files_never_crash(run, models, tmp_path, name):
    content = (models / f"{name}.json").read_bytes()
    table, public = ("carts.csv", "tea,milk") if name == "rules" else ("people.csv", "age,sex")
    file, codes = tmp_path / "changed.json", set()
    for seed in range(JSON_RUNS):
        rng = random.Random(seed)
        if seed % 4:
            file.write_text(json.dumps(changed(json.loads(content), rng)))
        else:
            file.write_bytes(with_noise(content, rng))
        codes.add(ends_well(run, file, models / table, "--public", public))
    assert 2 in codes  # some are noticed
    assert codes & {0, 1}  # some do not matter


@pytest.mark.parametrize("name", ["forest", "one_hot", "boosted", "means"])
def test_changed_skops_files_never_crash(run, models, tmp_path, name):
    with zipfile.ZipFile(models / f"{name}.skops") as file:
        parts = {part.filename: file.read(part) for part in file.infolist()}
    arrays = [part for part in parts if part != "schema.json"]
    public = "age" if name == "means" else "age,sex"
    codes = set()
    for seed in range(SKOPS_RUNS):
        rng = random.Random(seed)
        now = dict(parts)
        if seed % 2:
            now["schema.json"] = json.dumps(changed(json.loads(parts["schema.json"]), rng)).encode()
        elif seed % 8:
            part = rng.choice(arrays)
            now[part] = with_noise(parts[part], rng)
        else:
            del now[rng.choice(list(parts))]
        with zipfile.ZipFile(tmp_path / "changed.skops", "w") as file:
            for part, data in now.items():
                file.writestr(part, data)
        codes.add(ends_well(run, tmp_path / "changed.skops", models / "people.csv", "--public", public))
    assert 2 in codes
    assert codes & {0, 1}


@pytest.mark.parametrize(
    "text",
    [
        '{"format": "covey tree", "nodes": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"format": "covey tree", "version": ' + "9" * 5000 + "}",
        '{"format": "covey tree", "estimator": "KAnonymousTree"}',
        '{"format": "covey tree", "estimator": "Forest"}',
        '{"format": "covey k-anonymous clusters"}',
        '{"format": ["covey tree"], "rules": {}}',
        '{"rules": [["tea", "pills"]]}',
        '{"rules": [{"left": ["tea"], "right": "pills"}]}',
        '{"rules": [{"left": ["tea"], "right": ["pills"], "support": NaN}]}',
        '{"rules": [{"left": ["tea"], "right": ["\\ud800"]}]}',
        '{"rules": ',
        "{",
    ],
)
def test_json_that_is_no_model_exits_2(run, models, tmp_path, text):
    (tmp_path / "model.json").write_text(text)
    ended = run("audit-model", tmp_path / "model.json", models / "carts.csv", "--public", "tea", "-k", 5)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")


def test_a_tree_as_deep_as_it_is_large_is_audited(run, models, tmp_path):
    tree = json.loads((models / "tree.json").read_text())
    age = next(place for place, column in enumerate(tree["columns"]) if column["name"] == "age")
    tree["columns"][age].update(missing=False, zone=None)
    n, people = 20_000, pd.read_csv(models / "people.csv")
    own = np.array([np.bincount(people.age[people.risk == label], minlength=n + 1) for label in tree["classes"]]).T
    below = own[::-1].cumsum(axis=0)[::-1]
    tree["nodes"] = []
    for i in range(n):  # node 2i asks for i, node 2i + 1 is a leaf
        children = [2 * i + 1, 2 * i + 2]
        inner = {"counts": below[i].tolist(), "column": age, "threshold": i, "branches": [0, 1], "children": children}
        tree["nodes"] += [inner, {"counts": own[i].tolist()}]
    tree["nodes"].append({"counts": own[n].tolist()})
    (tmp_path / "deep.json").write_text(json.dumps(tree))
    assert ends_well(run, tmp_path / "deep.json", models / "people.csv", "--public", "age") == 1


def test_rules_of_a_file_that_tells_their_lift_are_audited_with_it(run, tmp_path):
    # support and confidence do not tell jam without tea from neither; with the lift others know how many have jam
    pd.DataFrame({"tea": [1, 0, 0], "jam": [0, 1, 0]}).to_csv(tmp_path / "carts.csv", index=False)
    words = ("audit-model", tmp_path / "rules.json", tmp_path / "carts.csv", "--public", "tea,jam", "-k", 2, "--json")
    rule = {"left": ["tea"], "right": ["jam"], "support": 0.0, "confidence": 0.0}
    for more, spans in (({}, 2), ({"lift": 0.0}, 3)):
        (tmp_path / "rules.json").write_text(json.dumps({"rules": [{**rule, **more}]}))
        assert json.loads(run(*words).out)["spans"] == spans
