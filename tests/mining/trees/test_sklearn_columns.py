"""Trees of scikit-learn over columns that are easily misread: what the table holds must be what the model compared."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import covey
from covey.base.errors import InputError
from covey.mining.trees.model import TreeModel
from covey.mining.trees.reach import spans_of_trees
from covey.mining.trees.sklearn_models import read_trees


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    with threadpool_limits(1):
        yield


def people(seed: int = 0, n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"a": rng.integers(0, 5, n), "b": rng.integers(0, 5, n)})
    table["label"] = rng.choice(["no", "yes"], n)
    return table


def populations(model: Any, table: Any, public: list[str]) -> list[int]:
    """Return with how many people each row shares its span, as an audit has it."""
    read = read_trees(model)
    assert isinstance(read, TreeModel)
    spans = spans_of_trees(read, table, public=public, target="label").spans
    return [int(spans.populations[span]) for span in spans.of_row]


def shared_leaves(model: Any, table: pd.DataFrame) -> list[int]:
    """Return with how many rows each row shares its leaf, by scikit-learn itself: all features are public."""
    leaves = model[-1].apply(model[:-1].transform(table.drop(columns="label"))).tolist()
    people_of = Counter(leaves)
    return [people_of[leaf] for leaf in leaves]


def behind(encoder: Any, *columns: str) -> Pipeline:
    return make_pipeline(
        ColumnTransformer([("encoded", encoder, list(columns))], remainder="passthrough"),
        DecisionTreeClassifier(random_state=0),
    )


TRUTH = {
    "nullable": lambda column: (column > 2).astype("boolean"),
    "category": lambda column: (column > 2).astype("category"),
    "plain": lambda column: column > 2,
    "objects": lambda column: (column > 2).astype(object),
}


@pytest.mark.parametrize("kind", TRUTH)
@pytest.mark.parametrize("encoder", [OneHotEncoder(), OrdinalEncoder(), OneHotEncoder(handle_unknown="ignore")])
def test_truth_values_are_told_apart_however_an_encoder_writes_them(kind: str, encoder: Any) -> None:
    # encoders list those of some types as 0.0 and 1.0; a table of true and false must not be taken for other values
    table = people().assign(a=lambda t: TRUTH[kind](t["a"]))
    model = behind(encoder, "a").fit(table[["a", "b"]], table["label"])
    assert populations(model, table, ["a", "b"]) == shared_leaves(model, table)


def test_truth_values_that_histogram_boosting_takes_as_a_category_are_told_apart() -> None:
    table = people().assign(a=lambda t: (t["a"] > 2).astype("category"))
    table["label"] = np.where(table["a"].astype(bool), "yes", "no")
    model = HistGradientBoostingClassifier(max_iter=1, categorical_features=["a"]).fit(table[["a"]], table["label"])
    found = covey.audit(model, table, public=["a"], k=2, target="label")
    assert found.spans == 2
    assert found.k_reached == min(Counter(table["a"]).values())


@pytest.mark.parametrize("kind", [pa.timestamp("s"), pa.timestamp("ns"), pa.date32()])
def test_dates_are_the_same_values_in_every_unit(kind: pa.DataType) -> None:
    table = people()
    table["a"] = pd.to_datetime("2024-01-01") + pd.to_timedelta(table["a"], unit="D")
    model = behind(OneHotEncoder(), "a").fit(table[["a", "b"]], table["label"])
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    arrow = arrow.set_column(0, "a", arrow.column("a").cast(kind))
    assert populations(model, arrow, ["a", "b"]) == shared_leaves(model, table)


def test_zero_and_minus_zero_are_one_value() -> None:
    table = pd.DataFrame({"a": [-0.0, 0.0, 1.0, 2.0] * 5, "label": list("xxyx") * 5})
    model = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(random_state=0)).fit(table[["a"]], table["label"])
    assert populations(model, table, ["a"]) == shared_leaves(model, table)


@pytest.mark.parametrize(
    "encoder", [OneHotEncoder(), OrdinalEncoder(), OneHotEncoder(handle_unknown="ignore", sparse_output=False)]
)
def test_a_table_with_a_value_that_the_model_never_saw_is_refused(encoder: Any) -> None:
    table = people().assign(a=lambda t: t["a"].astype(str))
    model = behind(encoder, "a").fit(table[["a", "b"]], table["label"])
    assert populations(model, table, ["a", "b"]) == shared_leaves(model, table)
    other = table.assign(a=table["a"].where(table.index > 0, "secret"))
    with pytest.raises(InputError, match="column `a` of the table has 1 value that the model does not know") as caught:
        populations(model, other, ["a", "b"])
    assert caught.value.code == "outside-domain"
    assert "secret" not in str(caught.value)


def test_values_beyond_a_list_given_to_an_encoder_are_as_it_takes_them() -> None:
    table = people().assign(a=lambda t: t["a"].astype(str))
    encoder = OneHotEncoder(categories=[["1", "3"]], handle_unknown="ignore", sparse_output=False)
    model = behind(encoder, "a").fit(table[["a", "b"]], table["label"])
    assert populations(model, table, ["a", "b"]) == shared_leaves(model, table)


def test_our_own_tree_is_not_audited_on_values_that_it_does_not_know() -> None:
    table = people().assign(a=lambda t: "v" + t["a"].astype(str))
    tree = covey.KAnonymousTree.as_published(k=3, public=["a"], min_gain=0).fit(table[["a", "label"]], "label")
    with pytest.raises(InputError, match="does not know"):
        covey.audit(tree, table.assign(a="x"), public=["a"], k=3)
    # times of day are written differently by Arrow: whatever comes of it, nobody is called safe who is not
    times = table.assign(a=[datetime.time(int(a)) for a in people()["a"]])
    tree = covey.KAnonymousTree.as_published(k=3, public=["a"], min_gain=0).fit(times[["a", "label"]], "label")
    assert len(tree.tree_.nodes) > 1
    try:
        assert covey.audit(tree, times, public=["a"], k=3).k_reached == np.bincount(tree.span_of_row_).min()
    except InputError as error:
        assert error.code == "outside-domain"  # noqa: PT017 (either is right)


# --- names


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"]])
def test_as_many_names_as_the_model_takes_columns(names: list[str]) -> None:
    table = people()
    tree = DecisionTreeClassifier(random_state=0).fit(table[["a", "b"]].to_numpy(), table["label"])
    for model in (tree, Pipeline([("nothing", "passthrough"), ("tree", tree)])):
        with pytest.raises(InputError, match="the model takes 2 columns") as caught:
            read_trees(model, columns=names)
        assert caught.value.code == "bad-parameter"


def test_two_columns_of_one_name_are_refused() -> None:
    table = people()
    tree = DecisionTreeClassifier(random_state=0).fit(table[["a", "b"]].to_numpy(), table["label"])
    with pytest.raises(InputError, match="two columns of one name") as caught:
        read_trees(tree, columns=["a", "a"])
    assert caught.value.code == "duplicate-columns"


def test_names_are_found_behind_steps_that_do_nothing() -> None:
    table = people()
    steps = [("nothing", "passthrough"), ("scaled", StandardScaler()), ("tree", DecisionTreeClassifier(random_state=0))]
    model = Pipeline(steps).fit(table[["a", "b"]], table["label"])
    assert populations(model, table, ["a", "b"]) == shared_leaves(model, table)


# --- missing values that are filled in, and more scalers


def with_gaps(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = people(seed)
    table["a"] = table["a"].where(rng.random(len(table)) > 0.3)
    table["b"] = table["b"].map(str).where(rng.random(len(table)) > 0.3)
    return table


NUMBERS = {
    "mean": SimpleImputer(),
    "then scaled": make_pipeline(SimpleImputer(strategy="median"), RobustScaler()),
    "after scaling": make_pipeline(MaxAbsScaler(), SimpleImputer(strategy="constant", fill_value=0.6)),
    "clipped": make_pipeline(RobustScaler(with_centering=False), SimpleImputer(), MaxAbsScaler(clip=True)),
}
TEXTS = {
    "most frequent": make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
    "a value of its own": make_pipeline(SimpleImputer(strategy="constant", fill_value="none"), OrdinalEncoder()),
    "after numbering": make_pipeline(OrdinalEncoder(), SimpleImputer(strategy="median")),
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("number", NUMBERS)
def test_missing_values_go_where_what_is_filled_in_goes(number: str, text: str) -> None:
    for seed in range(5):
        table = with_gaps(seed)
        columns = ColumnTransformer([("number", NUMBERS[number], ["a"]), ("text", TEXTS[text], ["b"])])
        model = make_pipeline(columns, DecisionTreeClassifier(random_state=0, max_leaf_nodes=12))
        model.fit(table[["a", "b"]], table["label"])
        assert populations(model, table, ["a", "b"]) == shared_leaves(model, table)


ORDINALS = {
    "as it is": OrdinalEncoder(),
    "with a number for NaN": OrdinalEncoder(encoded_missing_value=-1),
    "then filled in": make_pipeline(OrdinalEncoder(), SimpleImputer(strategy="median")),
    "rare values together": OrdinalEncoder(min_frequency=15, encoded_missing_value=-1),
}


@pytest.mark.parametrize("gap", [None, np.nan])
@pytest.mark.parametrize("kind", ORDINALS)
def test_an_ordinal_encoder_numbers_none_as_a_value_and_nan_apart(kind: str, gap: float | None) -> None:
    for seed in range(5):
        table = with_gaps(seed)
        table["b"] = table["b"].astype(object).where(table["b"].notna(), gap)
        model = behind(ORDINALS[kind], "b").fit(table[["a", "b"]], table["label"])
        assert populations(model, table, ["a", "b"]) == shared_leaves(model, table)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_an_ordinal_encoder_of_numbers_keeps_nan_apart_in_every_precision(kind: str) -> None:
    for seed in range(5):
        table = with_gaps(seed).astype({"a": kind})
        model = behind(OrdinalEncoder(encoded_missing_value=-1), "a").fit(table[["a"]], table["label"])
        assert populations(model, table, ["a"]) == shared_leaves(model, table[["a", "label"]])


@pytest.mark.parametrize(
    "imputer", [SimpleImputer(add_indicator=True), SimpleImputer(missing_values=-1), SimpleImputer(missing_values=2)]
)
def test_an_imputer_that_does_more_is_refused(imputer: Any) -> None:
    table = people().astype({"a": float})
    model = make_pipeline(imputer, DecisionTreeClassifier()).fit(table[["a", "b"]], table["label"])
    with pytest.raises(InputError, match="does more than to fill in missing values") as caught:
        read_trees(model)
    assert caught.value.code == "not-available"


# --- many values


def test_thresholds_that_part_numbered_values_alike_are_one_partition() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 200, 2_000).astype(str), "label": rng.choice(["no", "yes"], 2_000)})
    model = make_pipeline(OrdinalEncoder(), RandomForestClassifier(10, random_state=0)).fit(
        table[["a"]], table["label"]
    )
    partitions = read_trees(model).trees[0].partitions  # type: ignore[union-attr]
    assert len(partitions) <= 199
    assert len({id(partition.number) for partition in partitions}) == 1  # type: ignore[attr-defined]
