"""Whether the table is the one that the model was trained on: told by the counts in the model, and never falsely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import covey
from covey.base.errors import InputError
from covey.base.hints import on_command_line
from covey.mining.audit.training_size import size_of_boosting
from covey.mining.audit.training_table import AS_MANY_ROWS, EVERY_CLUSTER, EVERY_LEAF, EVERY_RULE, NO_LEAF_TOO_MANY
from covey.mining.learn.clusters.estimator import KAnonymousClusters
from covey.mining.learn.tree.baselines import C45, ID3

EXACT: dict[str, Callable[[int], Any]] = {
    "tree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "small tree": lambda seed: DecisionTreeClassifier(max_depth=2, class_weight="balanced", random_state=seed),
    "pruned tree": lambda seed: DecisionTreeClassifier(ccp_alpha=0.01, random_state=seed),
    "regression": lambda seed: DecisionTreeRegressor(min_samples_leaf=3, random_state=seed),
    "random tree": lambda seed: ExtraTreeClassifier(random_state=seed),
    "extra trees": lambda seed: ExtraTreesClassifier(4, random_state=seed),
    "whole forest": lambda seed: RandomForestClassifier(4, bootstrap=False, random_state=seed),
    "boosted": lambda seed: GradientBoostingClassifier(n_estimators=4, random_state=seed),
    "boosted regression": lambda seed: GradientBoostingRegressor(n_estimators=4, random_state=seed),
    "histogram": lambda seed: HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=3, random_state=seed),
    "histogram regression": lambda seed: HistGradientBoostingRegressor(
        max_iter=4, min_samples_leaf=3, max_bins=7, random_state=seed
    ),
}
BOUNDED: dict[str, Callable[[int], Any]] = {
    "forest": lambda seed: RandomForestClassifier(10, random_state=seed),
    "regression forest": lambda seed: RandomForestRegressor(10, random_state=seed),
    "balanced forest": lambda seed: RandomForestClassifier(10, class_weight="balanced_subsample", random_state=seed),
    "part of a forest": lambda seed: RandomForestClassifier(10, max_samples=0.4, random_state=seed),
    "extra bootstrap": lambda seed: ExtraTreesClassifier(10, bootstrap=True, random_state=seed),
    "subsample": lambda seed: GradientBoostingClassifier(n_estimators=4, subsample=0.5, random_state=seed),
    "validation": lambda seed: GradientBoostingClassifier(n_estimators=4, n_iter_no_change=2, random_state=seed),
    "both": lambda seed: GradientBoostingRegressor(
        n_estimators=4, subsample=0.7, n_iter_no_change=2, validation_fraction=0.3, random_state=seed
    ),
    "extra part": lambda seed: ExtraTreesClassifier(6, bootstrap=True, max_samples=31, random_state=seed),
    "rows held back": lambda seed: HistGradientBoostingRegressor(
        max_iter=4, early_stopping=True, validation_fraction=13, min_samples_leaf=3, random_state=seed
    ),
    "early stopping": lambda seed: HistGradientBoostingClassifier(
        max_iter=4, early_stopping=True, min_samples_leaf=3, random_state=seed
    ),
}
MODELS = {**EXACT, **BOUNDED}


def random_people(seed: int, *, with_missing: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 200))
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "pay": rng.lognormal(3, 1, n) * rng.choice([1e-3, 1.0, 1e7]),  # apart in single precision, or not
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["Oslo", "Rome", "Bern", "Kyiv"], n),
        }
    )
    if with_missing:
        frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame["risk"] = np.where((frame.age.fillna(50) + rng.normal(0, 15, n) > 45), "bad", "good")
    return frame


def train(model: Any, people: pd.DataFrame, seed: int, **weights: Any) -> Any:
    features = people[["age", "pay", "sex", "town"]]
    encoder = (OneHotEncoder(sparse_output=False), OrdinalEncoder())[seed % 2]
    steps = make_column_transformer(
        (encoder, ["sex", "town"]), remainder=StandardScaler() if seed % 3 == 0 else "passthrough"
    )
    y = (people.risk == "bad").astype(float) if type(model).__name__.endswith("Regressor") else people.risk
    return make_pipeline(steps, model).fit(features, y, **weights)


def fits(model: Any, people: pd.DataFrame, **more: Any) -> str | None:
    return covey.audit(model, people, public=["age", "sex"], k=5, **more).table_fits


@pytest.mark.parametrize("name", MODELS)
def test_the_true_table_always_fits(name: str) -> None:
    takes_missing = not name.startswith(("boosted", "subsample", "validation", "both"))
    for seed in range(6):
        people = random_people(seed, with_missing=takes_missing and seed % 2 == 1)
        found = fits(train(MODELS[name](seed), people, seed), people.sample(frac=1, random_state=seed))
        assert found == (EVERY_LEAF if name in EXACT else AS_MANY_ROWS)


def others(people: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables that are not the one: rows left out, added or drawn anew, columns swapped."""
    n = len(people)
    return {
        "half": people.iloc[: n // 2],
        "most": people.iloc[: n - 3],
        "doubled": pd.concat([people, people]),
        "one more": pd.concat([people, people.iloc[:1]]),
        "again": people.sample(n, replace=True, random_state=1),
        "swapped": people.rename(columns={"age": "pay", "pay": "age"}),
        "shuffled": people.assign(age=people.age.sample(frac=1, random_state=1).to_numpy()),
    }


@pytest.mark.parametrize("name", MODELS)
def test_other_tables_are_refused(name: str) -> None:
    told = 0
    for seed in range(3):
        people = random_people(seed)
        model = train(MODELS[name](seed), people, seed)
        for other in others(people).values():
            try:
                fits(model, other)
            except InputError as error:
                told += error.code in ("not-the-training-table", "outside-domain", "bad-parameter")
    # a tree of few tests may not see a change; rows that took no part may be missing
    assert told >= (18 if name in EXACT else 15)


@pytest.mark.parametrize("name", ["forest", "regression forest"])
def test_a_bootstrap_forest_tells_how_many_rows_it_was_drawn_from(name: str) -> None:
    people = random_people(0)
    model = train(MODELS[name](0), people, 0)
    n = len(people)
    with pytest.raises(InputError, match=f"trained on {n} rows, the table has {n + 1}"):
        fits(model, pd.concat([people, people.iloc[:1]]))


@pytest.mark.parametrize("weight", [2.0, 0.5, "random"])
@pytest.mark.parametrize("name", ["tree", "whole forest", "forest", "boosted", "histogram"])
def test_weights_of_rows_do_not_matter(name: str, weight: Any) -> None:
    people = random_people(0)
    weights = np.random.default_rng(0).random(len(people)) + 0.1 if weight == "random" else np.full(len(people), weight)
    model = MODELS[name](0)
    step = type(model).__name__.lower()
    assert fits(train(model, people, 0, **{f"{step}__sample_weight": weights}), people) is not None


def test_a_tree_of_a_bootstrap_forest_fits_the_table_of_the_forest() -> None:
    people = random_people(0)
    forest = RandomForestRegressor(3, random_state=0).fit(people[["age", "pay"]].to_numpy(), people.risk == "bad")
    tree = forest.estimators_[0]
    assert fits(tree, people, columns=["age", "pay"]) == AS_MANY_ROWS


def test_a_tree_whose_counts_were_taken_out_says_that_nothing_tells() -> None:
    people = random_people(0)
    model = DecisionTreeClassifier().fit(people[["age"]], people.risk)
    model.tree_.n_node_samples[:] = 0
    found = covey.audit(model, people.iloc[:50], public=["age"], k=5)
    assert found.table_fits is None
    assert "nothing in the model tells" in " ".join(str(found).split())
    assert "nothing in the model tells" in found.to_html()


def test_where_rows_and_leaves_are_not_the_same_the_sentence_has_the_counts() -> None:
    people = pd.DataFrame({"age": [20, 30, 40, 50], "risk": ["good", "good", "bad", "bad"]})
    model = DecisionTreeClassifier().fit(people[["age"]], people.risk)
    with pytest.raises(InputError, match="trained on 4 rows, the table has 3: it is not the training table") as caught:
        covey.audit(model, people.iloc[:3], public=["age"], k=2)
    assert caught.value.code == "not-the-training-table"
    assert "the very table that the model was trained on" in caught.value.hint
    with pytest.raises(InputError, match="1 row of the table ends in other leaves than when the model was trained"):
        covey.audit(model, people.assign(age=[20, 30, 31, 50]), public=["age"], k=2)


@pytest.mark.parametrize("kind", ["tree", "id3", "c45"])
def test_our_own_trees_tell_their_table_by_leaf_and_class(kind: str) -> None:
    people = random_people(1)[["age", "sex", "town", "risk"]]
    makers = {"tree": covey.KAnonymousTree.as_published(3, public=["age", "sex"]), "id3": ID3(), "c45": C45()}
    if kind == "id3":
        people = people.drop(columns="age")
    tree = makers[kind].fit(people, "risk")
    known = [name for name in ("age", "sex") if name in people]
    assert covey.audit(tree, people, public=known, k=3).table_fits == EVERY_LEAF
    assert covey.audit(tree, people.drop(columns="risk"), public=known, k=3).table_fits == EVERY_LEAF
    swapped = people.assign(risk=people.risk.map({"good": "bad", "bad": "good"}))
    for other in (people.iloc[1:], pd.concat([people, people]), swapped):
        with pytest.raises(InputError, match="not the training table"):
            covey.audit(tree, other, public=known, k=3)


def test_our_own_clusters_tell_their_table() -> None:
    people = random_people(2)[["age", "sex"]]
    clusters = KAnonymousClusters(5, public=["age"]).fit(people)
    for model in (clusters, KAnonymousClusters.from_json(clusters.to_json())):
        assert covey.audit(model, people, public=["age"], k=5).table_fits == EVERY_CLUSTER
        for other in (people.iloc[1:], people.assign(age=people.age + 30)):
            with pytest.raises(InputError, match="not the training table"):
                covey.audit(model, other, public=["age"], k=5)


@pytest.mark.parametrize("maker", [KMeans, MiniBatchKMeans])
def test_k_means_tells_its_table_by_the_clusters_that_it_stores(maker: Any) -> None:
    for seed in range(4):
        people = random_people(seed)
        model = make_pipeline(StandardScaler(), maker(5, n_init=1, random_state=seed)).fit(people[["age", "pay"]])
        assert covey.audit(model, people, public=["age"], k=5).table_fits
        for other in (people.iloc[:-3], people.assign(age=people.age.max() - people.age)):
            with pytest.raises(InputError, match="not the training table"):
                covey.audit(model, other, public=["age"], k=5)
        del model[-1].labels_
        assert covey.audit(model, people.iloc[:-3], public=["age"], k=5).table_fits is None


def test_mini_batches_say_nothing_of_the_whole_table() -> None:
    people = random_people(0)
    model = MiniBatchKMeans(3, random_state=0)
    for half in (people.iloc[:30], people.iloc[30:]):
        model.partial_fit(half[["age", "pay"]])
    assert covey.audit(model, people, public=["age"], k=5).table_fits is None


def test_what_agrees_is_told_in_text_page_and_json() -> None:
    people = random_people(0)
    found = covey.audit(train(MODELS["tree"](0), people, 0), people, public=["age"], k=5)
    sentence = "fits the model: every leaf has the rows that it was trained on"
    assert sentence in str(found)
    assert sentence in found.to_html()
    assert found.to_json()["table_fits"] == EVERY_LEAF


# --- the target ------------------------------------------------------------------------------------------------------


def test_a_target_that_is_not_named_is_found_by_its_values() -> None:
    people = random_people(0)
    model = train(MODELS["tree"](0), people, 0)
    named = covey.audit(model, people, public=["age", "risk"], k=5, target="risk")
    found = covey.audit(model, people, public=["age", "risk"], k=5)
    assert (found.target, found.target_found, named.target_found) == ("risk", True, False)
    assert found.offending == named.offending
    assert "risk, told by its values" in str(found)
    assert "<code>risk</code>, told by its values" in found.to_html()


def test_a_target_is_not_guessed_where_several_columns_have_its_values() -> None:
    people = random_people(0).assign(past=lambda frame: frame.risk.sample(frac=1, random_state=0).to_numpy())
    found = covey.audit(train(MODELS["tree"](0), people, 0), people, public=["age"], k=5)
    assert found.target is None
    assert "2 columns have the values that the model tells (`risk`, `past`): name the target" in found.warnings


def test_a_target_with_other_values_than_the_model_tells_is_refused_without_naming_them() -> None:
    people = random_people(0)
    model = train(MODELS["tree"](0), people, 0)
    with pytest.raises(InputError, match="target `town` has 4 values that the model does not tell and lacks 2") as told:
        fits(model, people, target="town")
    assert not any(value in str(told.value) for value in ("Oslo", "good", "bad"))
    with pytest.raises(InputError, match="target `risk` lacks 1 of the 2 values that it tells"):
        fits(model, people.assign(risk="good"), target="risk")


def test_days_are_the_values_of_a_target_in_whatever_way_they_are_written() -> None:
    people = pd.DataFrame({"age": [20, 30, 40, 50], "day": pd.to_datetime(["2024-03-01"] * 2 + ["2024-03-31"] * 2)})
    model = DecisionTreeClassifier().fit(people[["age"]], people.day)
    for table in (people, people.assign(day=people.day.dt.strftime("%Y-%m-%d"))):
        assert covey.audit(model, table, public=["age"], k=2, target="day").ok
        assert covey.audit(model, table, public=["age"], k=2).target == "day"


def test_our_own_tree_is_asked_for_its_own_target_only() -> None:
    people = random_people(0)
    tree = covey.KAnonymousTree.as_published(5, public=["age"]).fit(people, "risk")
    with pytest.raises(InputError, match="the target `sex` is named, but the tree tells `risk`"):
        covey.audit(tree, people, public=["age"], k=5, target="sex")


def test_another_table_is_counted_if_asked_for_and_the_findings_say_so():
    rows = pd.DataFrame({"age": range(20, 60), "ill": ["no"] * 20 + ["yes"] * 20})
    model = DecisionTreeClassifier().fit(rows[["age"]], rows["ill"])
    part = rows.iloc[::2]
    with pytest.raises(InputError, match="it is not the training table") as caught:
        covey.audit(model, part, public=["age"], k=2, target="ill")
    assert "other_table=True" in caught.value.hint
    assert "--other-table" in on_command_line(caught.value.hint)
    found = covey.audit(model, part, public=["age"], k=2, target="ill", other_table=True)
    assert (found.ok, found.k_reached, found.table_fits) == (True, 10, None)
    assert found.other_table == "the model was trained on 40 rows, the table has 20"
    assert str(found).splitlines()[0] == (
        "2-anonymous: at least 10 of 20 rows in another table than it was trained on share every span that tells "
        "anything"
    )
    told = "is NOT the training table: the model was trained on 40 rows, the table has 20; it was counted all the same"
    assert told in " ".join(str(found).split())
    assert told in found.to_html()
    assert "Audit with the training table" in found.to_html()
    assert found.to_json()["other_table"] == found.other_table
    alike = covey.audit(model, rows, public=["age"], k=2, target="ill", other_table=True)
    assert (alike.other_table, alike.table_fits) == (None, EVERY_LEAF)


# --- a table that is larger than the training table ------------------------------------------------------------------


def four_hundred(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 400).astype(float),
            "pay": rng.lognormal(3, 1, 400),
            "sex": rng.choice(["f", "m"], 400),
            "town": rng.choice(["Oslo", "Rome", "Bern", "Kyiv"], 400),
        }
    )
    frame["risk"] = np.where(frame.age + rng.normal(0, 15, 400) > 45, "bad", "good")
    return frame


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_a_table_that_holds_the_training_table_and_more_is_refused(name: str, seed: int) -> None:
    people = four_hundred(seed)
    known = people.iloc[:100]
    model = train(MODELS[name](seed), known, seed)
    assert fits(model, known) == (EVERY_LEAF if name in EXACT else AS_MANY_ROWS)
    for larger in (people, people.iloc[:110]):
        with pytest.raises(InputError, match=rf"was trained on .*100.* rows, the table has {len(larger)}: ") as told:
            fits(model, larger)
        assert told.value.code == "not-the-training-table"
    found = covey.audit(model, people, public=["age", "sex"], k=5, other_table=True)
    assert found.other_table is not None
    assert found.other_table.endswith("the table has 400")


@pytest.mark.parametrize("name", MODELS)
def test_with_weights_too_a_larger_table_is_refused(name: str) -> None:
    people = four_hundred(0)
    known = people.iloc[:100]
    model = MODELS[name](0)
    weights = {f"{type(model).__name__.lower()}__sample_weight": np.random.default_rng(0).random(100) + 0.1}
    trained = train(model, known, 0, **weights)
    assert fits(trained, known) is not None
    with pytest.raises(InputError, match="the table has 400: it is not the training table"):
        fits(trained, people)


@pytest.mark.parametrize("name", [*EXACT, "forest", "part of a forest", "extra part"])
def test_rows_of_weight_zero_are_no_rows_of_the_training_table(name: str) -> None:
    people = four_hundred(1)
    weights = np.where(np.arange(400) < 100, 1.0, 0.0)
    model = MODELS[name](1)
    trained = train(model, people, 1, **{f"{type(model).__name__.lower()}__sample_weight": weights})
    if name.startswith("histogram"):  # counts rows whatever their weight
        assert fits(trained, people) == EVERY_LEAF
        return
    assert fits(trained, people.iloc[:100]) is not None
    with pytest.raises(InputError, match="trained on 100 rows, the table has 400"):
        fits(trained, people)


def test_subsamples_with_rows_of_weight_zero_do_not_tell_and_the_findings_say_so() -> None:
    people = four_hundred(2)
    weights = np.random.default_rng(2).choice([0.0, 1.0], 400)
    model = train(MODELS["subsample"](2), people, 2, gradientboostingclassifier__sample_weight=weights)
    found = covey.audit(model, people, public=["age", "sex"], k=5)
    assert found.table_fits == NO_LEAF_TOO_MANY
    told = "how many rows the training table had cannot be told"
    assert told in " ".join(str(found).split())
    assert told in found.to_html()
    assert told in found.to_json()["table_fits"]


@pytest.mark.parametrize("share", [0.1, 0.29, 1 / 3, 0.7])
def test_the_sizes_that_are_told_are_those_from_which_scikit_learn_makes_the_root(share: float) -> None:
    for options in (
        {"subsample": share},
        {"n_iter_no_change": 1, "validation_fraction": share},
        {"n_iter_no_change": 1, "validation_fraction": share, "subsample": 0.6},
    ):
        root: dict[int, int] = {}
        for n_rows in range(20, 90):
            rows = np.arange(n_rows, dtype=float).reshape(-1, 1)
            model = GradientBoostingRegressor(n_estimators=1, max_depth=1, **options).fit(rows, rows.ravel())
            root[n_rows] = int(model.estimators_[0, 0].tree_.n_node_samples[0])
        for n_rows in range(40, 60):
            sizes = size_of_boosting(model, [root[n_rows]])
            assert sizes is not None
            assert [n for n in root if n in sizes] == [n for n in root if root[n] == root[n_rows]]


def test_sizes_that_no_table_leaves_are_a_bad_model() -> None:
    rows = np.arange(40, dtype=float).reshape(-1, 1)
    for options in ({"subsample": 1e-30}, {"subsample": float("nan")}, {"subsample": "half"}, {"subsample": -1.0}):
        model = GradientBoostingRegressor(n_estimators=2, max_depth=1, subsample=0.5).fit(rows, rows.ravel())
        vars(model).update(options)
        with pytest.raises(InputError) as told:
            covey.audit(model, pd.DataFrame({"x": rows.ravel()}), public=["x"], k=2, columns=["x"])
        assert told.value.code == "bad-model-file"
    for attribute, value in (("_n_samples", 3), ("_n_samples", "many"), ("_sample_weight", np.ones(7))):
        forest = RandomForestRegressor(3, random_state=0).fit(rows, rows.ravel())
        setattr(forest, attribute, value)
        with pytest.raises(InputError) as told:
            covey.audit(forest, pd.DataFrame({"x": rows.ravel()}), public=["x"], k=2, columns=["x"])
        assert told.value.code == "bad-model-file"


def test_a_forest_that_stores_no_size_tells_by_its_trees_or_says_that_it_cannot() -> None:
    people = four_hundred(3)
    for name, expected in (("forest", AS_MANY_ROWS), ("part of a forest", NO_LEAF_TOO_MANY)):
        model = train(MODELS[name](3), people, 3)
        for attribute in ("_n_samples", "_n_samples_bootstrap", "_sample_weight"):
            vars(model[-1]).pop(attribute, None)
        assert fits(model, people) == expected


def test_rules_say_that_the_size_of_their_table_cannot_be_told() -> None:
    carts = [{"tea", "pills"}, {"tea"}, {"milk", "pills"}, {"milk"}]
    found = covey.audit([(["tea"], ["pills"], 0.25, 0.5)], carts, public=["tea"], k=2)
    assert found.table_fits == EVERY_RULE
    assert EVERY_RULE.endswith("how many rows the training table had cannot be told")
