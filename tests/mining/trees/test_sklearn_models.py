"""Trees of scikit-learn, read in the original columns: against brute force through the model itself."""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from covey.base.errors import InputError
from covey.mining.trees.model import ForestModel, TreeModel
from covey.mining.trees.reach import spans_of_trees
from covey.mining.trees.sklearn_models import is_tree_model, read_trees

NUMBERS = {"age": list(range(5)), "size": list(range(-2, 3))}
TEXTS = {"job": ["clerk", "judge", "nurse", "smith"], "home": ["east", "west"]}


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    """Threads only wait for each other on tables of this size."""
    with threadpool_limits(1):
        yield


def random_table(seed: int, n: int = 24, missing: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {name: rng.choice(values, n) for name, values in NUMBERS.items()}
    columns |= {name: rng.choice(values, n).astype(object) for name, values in TEXTS.items()}
    table = pd.DataFrame(columns)
    if missing:
        for name in table:
            table.loc[rng.random(n) < missing, name] = None
    table["label"] = rng.choice(["no", "yes", "yes", "maybe"], n)
    return table


def leaves(model: Any, table: pd.DataFrame) -> np.ndarray:
    """Return the leaf of every row in every tree, by scikit-learn itself."""
    while isinstance(model, Pipeline):
        *steps, (_, last) = model.steps
        for _, step in steps:
            table = table if step == "passthrough" else step.transform(table)
        model = last
    if isinstance(model, HistGradientBoostingClassifier | HistGradientBoostingRegressor):
        data = np.ascontiguousarray(model._preprocess_X(table, reset=False))
        known, places = model._bin_mapper.make_known_categories_bitsets()
        found = []
        for stage in model._predictors:
            for predictor in stage:
                kept = predictor.nodes["value"].copy()
                predictor.nodes["value"] = np.arange(len(kept))  # so that a prediction names its leaf
                found.append(predictor.predict(data, known, places, 1))
                predictor.nodes["value"] = kept
        return np.array(found, int).T
    return np.asarray(model.apply(table)).reshape(len(table), -1)


def brute_force(
    model: Any, table: pd.DataFrame, features: list[str], private: list[str], has_bins: bool
) -> tuple[list[int], list[bool], list[Any]]:
    """Return (people who share the span, whether it is multiple, leaves) of every row, from every private value."""
    domains = [_domain(table, name) for name in private]
    assignments = pd.DataFrame(list(itertools.product(*domains)), columns=private)
    public = [name for name in features if name not in private]
    kinds = pd.Series(["/".join(map(repr, row)) for row in table[public].itertuples(index=False)])
    reached = {}
    for kind, row in table.groupby(kinds)[features].head(1).groupby(kinds):
        frame = pd.concat([row[public]] * len(assignments), ignore_index=True)
        frame = pd.concat([frame, assignments], axis=1)[features].astype(table[features].dtypes)
        reached[kind] = frozenset(map(tuple, leaves(model, frame).tolist()))
    of_row = [reached[kind] for kind in kinds]
    people = Counter(of_row)
    return [people[span] for span in of_row], [has_bins or len(span) > 1 for span in of_row], of_row


def _domain(table: pd.DataFrame, name: str) -> list[Any]:
    """Return the values that the encoders have seen, or all numbers of the small range and one beyond on each side."""
    present = table[name]
    if name in TEXTS:
        return sorted(present.dropna().unique()) + ([None] if present.isna().any() else [])
    numbers = [min(NUMBERS[name]) - 1, *NUMBERS[name], max(NUMBERS[name]) + 1]
    return numbers + ([np.nan] if present.isna().any() else [])


def check(model: Any, table: pd.DataFrame, private: list[str], has_target: bool = True, **options: Any) -> None:
    features = [name for name in table if name != "label"]
    read = read_trees(model, **options)
    public = [name for name in features if name not in private]
    found = spans_of_trees(read, table, public=public, target="label" if has_target else None)
    people, multiple, of_row = brute_force(model, table, features, private, has_bins=True)
    spans = found.spans
    assert [int(spans.populations[s]) for s in spans.of_row] == people
    assert [bool(spans.multiple[s]) for s in spans.of_row] == multiple
    # with a public label a span is multiple only if two leaves are reached
    opened = spans_of_trees(read, table, public=[*public, "label"], target="label")
    labels = table["label"].tolist()
    shared = Counter(zip(of_row, labels, strict=True))
    assert [int(opened.spans.populations[s]) for s in opened.spans.of_row] == [
        shared[pair] for pair in zip(of_row, labels, strict=True)
    ]
    assert [bool(opened.spans.multiple[s]) for s in opened.spans.of_row] == [len(span) > 1 for span in of_row]
    real = [tuple(row) for row in leaves(model, table[features]).tolist()]
    classes = found.class_of_row
    has_bins = has_target and not read.trees[0].is_regression  # a leaf has a bin per label, but none per private number
    same = [
        (real[i] == real[j] and (not has_bins or labels[i] == labels[j])) == (classes[i] == classes[j])
        for i, j in itertools.combinations(range(len(table)), 2)
    ]
    assert all(same)


def columns_of(kind: str) -> Any:
    texts, numbers = list(TEXTS), list(NUMBERS)
    return {
        "one-hot": lambda: make_column_transformer((OneHotEncoder(), texts), remainder="passthrough"),
        "one-hot, first dropped": lambda: make_column_transformer(
            (StandardScaler(), numbers), (OneHotEncoder(drop="first", sparse_output=False), texts)
        ),
        "one-hot, rare together": lambda: make_column_transformer(
            (OneHotEncoder(min_frequency=0.3), texts), (MinMaxScaler(), numbers)
        ),
        "one-hot, few": lambda: make_column_transformer(
            (OneHotEncoder(max_categories=2, drop="if_binary"), texts), (MinMaxScaler(clip=True), numbers)
        ),
        "ordinal": lambda: make_column_transformer((OrdinalEncoder(), texts), (MinMaxScaler((-3, 5)), numbers)),
        "ordinal, rare together": lambda: make_column_transformer(
            (OrdinalEncoder(max_categories=3), texts), ("passthrough", numbers)
        ),
        "scaled after": lambda: make_pipeline(
            make_column_transformer((OrdinalEncoder(), texts), ("passthrough", numbers)), StandardScaler()
        ),
        "nested": lambda: ColumnTransformer([
            ("n", make_pipeline(StandardScaler(), "passthrough", MinMaxScaler()), ["size"]),
            ("t", make_pipeline(OneHotEncoder(sparse_output=False), MinMaxScaler()), ["home", "job"]),
            ("gone", "drop", ["age"]),
        ]),
    }[kind]()  # fmt: skip


COLUMNS = [
    "one-hot", "one-hot, first dropped", "one-hot, rare together", "one-hot, few", "ordinal", "ordinal, rare together",
    "scaled after", "nested",
]  # fmt: skip
PRIVATE = [[], ["job"], ["age", "home"], ["age", "job"], ["size"], ["age", "size", "job", "home"]]


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_tree_behind_encoders_has_the_spans_of_brute_force(kind: str) -> None:
    for seed, private in enumerate(PRIVATE):
        table = random_table(seed + 100)
        tree = DecisionTreeClassifier(max_depth=4, random_state=seed)
        model = make_pipeline(columns_of(kind), tree).fit(table.drop(columns="label"), table["label"])
        check(model, table, private)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(5, max_depth=3, random_state=1),
        ExtraTreesClassifier(5, max_depth=3, random_state=1),
        GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_forest_behind_encoders_has_the_spans_of_brute_force(model: Any) -> None:
    for seed, private in enumerate(PRIVATE):
        table = random_table(seed + 200)
        pipeline = make_pipeline(columns_of("one-hot"), model).fit(table.drop(columns="label"), table["label"])
        check(pipeline, table, private)


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_histogram_boosting_has_the_spans_of_brute_force(kind: str) -> None:
    for seed, private in enumerate(PRIVATE):
        table = random_table(seed + 300, n=40)
        for name in TEXTS:
            table[name] = table[name].astype("category")
        size = {"max_iter": 3, "max_leaf_nodes": 6, "min_samples_leaf": 2, "random_state": seed}
        target = table["label"] if kind == "classifier" else table["age"] * 1.5 + (table["job"] == "judge")
        made = HistGradientBoostingClassifier if kind == "classifier" else HistGradientBoostingRegressor
        model = made(categorical_features="from_dtype", **size).fit(table.drop(columns="label"), target)
        check(model, table, private)


def test_histogram_boosting_over_numbered_values_and_missing_ones() -> None:
    for seed, private in enumerate(PRIVATE):
        table = random_table(seed + 400, n=40, missing=0.2)
        encoder = make_column_transformer((OrdinalEncoder(), list(TEXTS)), remainder="passthrough")
        model = make_pipeline(
            encoder, HistGradientBoostingClassifier(categorical_features=[0], max_iter=3, min_samples_leaf=2)
        ).fit(table.drop(columns="label"), table["label"])
        check(model, table, private)


def test_missing_values_go_where_the_tree_sends_them() -> None:
    for seed, private in enumerate(PRIVATE):
        table = random_table(seed + 500, n=40, missing=0.2)
        encoder = make_column_transformer(
            (OrdinalEncoder(), ["job"]), (OneHotEncoder(), ["home"]), remainder="passthrough"
        )
        model = make_pipeline(encoder, DecisionTreeClassifier(max_depth=5, random_state=seed)).fit(
            table.drop(columns="label"), table["label"]
        )
        check(model, table, private)
        known = make_column_transformer(
            (OrdinalEncoder(encoded_missing_value=-1), list(TEXTS)), remainder="passthrough"
        )
        model = make_pipeline(known, RandomForestRegressor(3, max_depth=3, random_state=seed)).fit(
            table.drop(columns="label"), table["label"] == "yes"
        )
        check(model, table, private)


def test_a_plain_array_needs_the_names_of_its_columns() -> None:
    table = random_table(7)[["age", "size", "label"]]
    model = DecisionTreeClassifier(random_state=0).fit(table[["age", "size"]].to_numpy(), table["label"])
    with pytest.raises(InputError, match="no names"):
        read_trees(model)
    read = read_trees(model, columns=["age", "size"])
    named = DecisionTreeClassifier(random_state=0).fit(table[["age", "size"]], table["label"])
    ours = spans_of_trees(read, table, public=["age"], target="label").spans  # type: ignore[arg-type]
    theirs = spans_of_trees(read_trees(named), table, public=["age"], target="label").spans  # type: ignore[arg-type]
    assert ours.of_row.tolist() == theirs.of_row.tolist()


@pytest.mark.filterwarnings("ignore:X has feature names")  # scikit-learn's own, of the trees inside
def test_regressions_of_every_kind_are_read() -> None:
    table = random_table(8)[["age", "size", "label"]]
    target = table["age"] * 2.5 + table["size"]
    for model in (
        DecisionTreeRegressor(max_depth=3),
        RandomForestRegressor(3, max_depth=2, random_state=0),
        GradientBoostingRegressor(n_estimators=3, random_state=0),
    ):
        model.fit(table[["age", "size"]], target)
        assert read_trees(model).trees[0].is_regression
        check(model, table, ["age"], has_target=False)


def test_columns_made_by_hand_are_one_attribute() -> None:
    table = random_table(9, n=60)
    wide = pd.get_dummies(table[["job", "age"]], columns=["job"])
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(wide, table["label"])
    names = {"job": {f"job_{value}": value for value in TEXTS["job"]}}
    read = read_trees(model, one_hot=names)
    assert isinstance(read, TreeModel)
    found = spans_of_trees(read, table, public=["age"], target="label")
    reached = {}
    for age in NUMBERS["age"]:  # exactly one of the columns is 1: never two jobs, never none
        jobs = pd.DataFrame(np.eye(4, dtype=bool), columns=sorted(names["job"]))
        frame = jobs.assign(age=age)[list(wide.columns)]
        reached[age] = frozenset(model.apply(frame).tolist())
    people = Counter(reached[age] for age in table["age"])
    assert [int(found.spans.populations[s]) for s in found.spans.of_row] == [
        people[reached[age]] for age in table["age"]
    ]
    assert {int(n) for n in found.class_of_row} <= set(range(len(found.class_names)))


def test_numbers_are_compared_in_single_precision() -> None:
    # the threshold between 2**24 and 2**24 + 2 is 2**24 + 1, which single precision rounds down to 2**24
    table = pd.DataFrame({"x": [2**24, 2**24 + 2], "label": ["a", "b"]})
    model = DecisionTreeClassifier().fit(table[["x"]], table["label"])
    assert model.tree_.threshold[0] == 2**24 + 1
    asked = pd.DataFrame({"x": [2**24, 2**24 + 1, 2**24 + 2, 2**24 + 3], "label": ["a"] * 4})
    read = read_trees(model)
    assert isinstance(read, TreeModel)
    found = spans_of_trees(read, asked, public=["x"], target="label")
    assert [found.class_names[c].split("/")[0] for c in found.class_of_row] == [
        f"leaf {leaf}" for leaf in model.apply(asked[["x"]])
    ]


def test_scaled_thresholds_are_exact_in_the_original_numbers() -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.normal(1000, 1e-3, 300), "z": rng.normal(size=300) * 1e6})
    table["label"] = rng.choice(["a", "b"], 300)
    for scaler in (StandardScaler(), MinMaxScaler(), make_pipeline(StandardScaler(), MinMaxScaler((5, 6)))):
        model = make_pipeline(scaler, DecisionTreeClassifier(random_state=0)).fit(table[["x", "z"]], table["label"])
        read = read_trees(model)
        assert isinstance(read, TreeModel)
        # the numbers just on and just beyond each threshold, and those of the table
        x = read.threshold[(read.attribute >= 0) & (np.array(read.attributes)[read.attribute] == "x")]
        x = np.concatenate([x, np.nextafter(x, np.inf), table["x"]])
        asked = pd.DataFrame({"x": x, "z": np.resize(table["z"], len(x)), "label": "a"})
        found = spans_of_trees(read, asked, public=["x", "z"], target="label")
        expected = model[-1].apply(model[:-1].transform(asked[["x", "z"]]))
        assert [found.class_names[c].split("/")[0] for c in found.class_of_row] == [f"leaf {leaf}" for leaf in expected]


def test_splits_read_in_the_original_columns() -> None:
    table = pd.DataFrame({"age": [20, 30, 41, 50] * 2 + [20, 30], "sex": ["f"] * 4 + ["m"] * 4 + ["f"] * 2})
    label = ["no", "no", "yes", "yes", "no", "no", "no", "no", "no", "no"]
    model = make_pipeline(
        make_column_transformer((StandardScaler(), ["age"]), (OneHotEncoder(), ["sex"])),
        DecisionTreeClassifier(random_state=0),
    ).fit(table, label)
    read = read_trees(model)
    assert isinstance(read, TreeModel)
    found = spans_of_trees(read, table.assign(risk=label), public=["age", "sex"], target="risk")
    assert sorted(found.spans.words) == [("age <= 35",), ("age > 35, sex = f",), ("age > 35, sex = m",)]
    assert read.labels == ("no", "yes")


# -- what is refused


def test_other_models_and_steps_are_refused_by_name() -> None:
    table = random_table(10)[["age", "size", "label"]]
    features, label = table[["age", "size"]], table["label"]
    with pytest.raises(InputError, match="LogisticRegression") as caught:
        read_trees(LogisticRegression().fit(features, label))
    assert caught.value.code == "not-available"
    for step, name in [
        (PolynomialFeatures(), "polynomialfeatures"),
        (FunctionTransformer(np.abs), "functiontransformer"),
    ]:
        model = make_pipeline(step, DecisionTreeClassifier()).fit(features, label)
        with pytest.raises(InputError, match=f"`{name}`"):
            read_trees(model)
    model = make_pipeline(MinMaxScaler(), OneHotEncoder(), DecisionTreeClassifier()).fit(features, label)
    with pytest.raises(InputError, match="after another step"):
        read_trees(model)
    weighted = make_column_transformer((MinMaxScaler(), ["age"]))
    weighted.transformer_weights = {"minmaxscaler": 2.0}
    with pytest.raises(InputError, match="weights"):
        read_trees(make_pipeline(weighted, DecisionTreeClassifier()).fit(features, label))
    with pytest.raises(InputError, match="start from another model"):
        read_trees(GradientBoostingClassifier(init=LogisticRegression()).fit(features, label == "yes"))
    two = np.stack([label == "yes", label == "no"], axis=1)
    for several in (DecisionTreeClassifier(), RandomForestClassifier(2), DecisionTreeRegressor()):
        with pytest.raises(InputError, match="several targets"):
            read_trees(several.fit(features, two))


def test_a_model_that_is_not_trained_is_refused() -> None:
    for model in (DecisionTreeClassifier(), RandomForestRegressor(), HistGradientBoostingRegressor()):
        with pytest.raises(InputError, match="not trained"):
            read_trees(model, columns=["a"])
    with pytest.raises(InputError, match="not trained"):
        read_trees(make_pipeline(StandardScaler(), DecisionTreeClassifier()), columns=["a"])


def test_is_tree_model() -> None:
    assert is_tree_model(make_pipeline(StandardScaler(), make_pipeline(RandomForestClassifier())))
    assert is_tree_model(HistGradientBoostingClassifier())
    assert not is_tree_model(LogisticRegression())
    assert not is_tree_model(make_pipeline(StandardScaler()))
    assert not is_tree_model(object())


def crafted(change: Any) -> DecisionTreeClassifier:
    """Return a trained tree whose nodes were changed behind its back, as in a file made by hand."""
    table = random_table(11)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(table[["age", "size"]], table["label"])
    state = model.tree_.__getstate__()
    state["nodes"] = state["nodes"].copy()
    change(state)
    other = type(model.tree_)(model.tree_.n_features, np.array([3], np.intp), 1)
    other.__setstate__(state)
    model.tree_ = other
    return model


def set_node(field: str, node: int, value: float) -> Any:
    return lambda state: state["nodes"][field].__setitem__(node, value)


CRAFTED = {
    "a child beyond the end": set_node("left_child", 0, 10**6),
    "a child far before the start": set_node("right_child", 0, -(10**9)),
    "a circle": set_node("left_child", 1, 0),
    "itself": set_node("left_child", 1, 1),
    "a node twice": lambda state: state["nodes"]["left_child"].__setitem__(0, state["nodes"]["right_child"][0]),
    "one child": set_node("left_child", 0, -1),
    "a column that there is not": set_node("feature", 0, 99),
    "a column before the first": set_node("feature", 0, -7),
    "no threshold": set_node("threshold", 0, np.nan),
    "no nodes": lambda state: state.__setitem__("node_count", 0),
    "fewer than none": lambda state: state.__setitem__("node_count", -3),
}


@pytest.mark.parametrize("fault", CRAFTED)
def test_a_crafted_tree_is_refused(fault: str) -> None:
    with pytest.raises(InputError) as caught:
        read_trees(crafted(CRAFTED[fault]))
    assert caught.value.code == "bad-model-file"
    assert caught.value.__cause__ is None


def test_crafted_steps_are_refused() -> None:
    table = random_table(12)
    features = table.drop(columns="label")

    def model() -> Any:
        columns = make_column_transformer((StandardScaler(), list(NUMBERS)), (OneHotEncoder(), list(TEXTS)))
        return make_pipeline(columns, DecisionTreeClassifier()).fit(features, table["label"])

    def scaler(made: Any) -> Any:
        return made[0].named_transformers_["standardscaler"]

    def encoder(made: Any) -> Any:
        return made[0].named_transformers_["onehotencoder"]

    changes = [
        lambda made: setattr(scaler(made), "scale_", np.array([1.0, -1.0])),
        lambda made: setattr(scaler(made), "scale_", np.array([1.0])),
        lambda made: setattr(scaler(made), "mean_", np.array(["a", "b"])),
        lambda made: setattr(scaler(made), "n_features_in_", 9),
        lambda made: setattr(encoder(made), "categories_", [np.array(["a", "a"]), np.array(["b"])]),
        lambda made: setattr(encoder(made), "categories_", [np.array(["a"])]),
        lambda made: setattr(encoder(made), "categories_", [np.array(["a"]), np.array(["b"])]),
        lambda made: setattr(encoder(made), "drop_idx_", np.array([77, 0], object)),
        lambda made: made[0]._transformer_to_input_indices.__setitem__("standardscaler", [0, 40]),
        lambda made: setattr(made[1], "classes_", np.array([1, "a", None], object)),
        lambda made: setattr(made[0], "transformers_", 7),
        lambda made: setattr(encoder(made), "handle_unknown", None) or delattr(encoder(made), "handle_unknown"),
        lambda made: setattr(made, "steps", [("all", made)]),
    ]
    read_trees(model())
    for change in changes:
        made = model()
        change(made)
        with pytest.raises(InputError) as caught:
            read_trees(made)
        assert caught.value.code == "bad-model-file"


def test_crafted_histogram_trees_are_refused() -> None:
    table = random_table(13, n=60)
    for name in TEXTS:
        table[name] = table[name].astype("category")

    def model() -> Any:
        return HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=3).fit(
            table.drop(columns="label"), table["label"] == "yes"
        )

    assert isinstance(read_trees(model()), ForestModel)
    nodes = model()._predictors[0][0].nodes
    listing = int(np.flatnonzero(nodes["is_categorical"])[0]) if nodes["is_categorical"].any() else -1
    assert listing >= 0
    for field, node, value in [
        ("left", 0, 10**6),
        ("right", 0, 0),
        ("feature_idx", 0, 50),
        ("bitset_idx", listing, 10**5),
    ]:
        made = model()
        made._predictors[0][0].nodes[field][node] = value
        with pytest.raises(InputError) as caught:
            read_trees(made)
        assert caught.value.code == "bad-model-file"


def test_reading_warns_of_nothing() -> None:
    table = random_table(14)
    model = make_pipeline(columns_of("ordinal"), RandomForestClassifier(2, random_state=0)).fit(
        table.drop(columns="label"), table["label"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_read = read_trees(model)
    assert isinstance(check_read, ForestModel)
