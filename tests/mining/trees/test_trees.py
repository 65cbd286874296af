"""Spans of a decision tree."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from covey.base.errors import InputError, UnknownColumn
from covey.mining.spans import linked
from covey.mining.trees.model import Partition, TreeModel
from covey.mining.trees.reach import spans_of_trees
from random_trees import compare
from written_trees import Cut, Leaf, Split, make_tree

# -- the worked cases of the paper


@pytest.fixture(scope="module")
def cases() -> Any:
    folder = os.environ.get("COVEY_DATA")
    if not folder:
        pytest.skip("COVEY_DATA does not name the folder of public tables")
    return json.loads((Path(folder) / "p3_worked_examples.json").read_text(encoding="utf-8"))


def frame(table: Any) -> pd.DataFrame:
    return pd.DataFrame(table["rows"], columns=table["columns"])


def nested(spec: Any) -> Any:
    if isinstance(spec, str):
        return Leaf(spec)
    return Split(spec["split"], {value: nested(child) for value, child in spec["children"].items()})


def members(found: Any, table: pd.DataFrame) -> dict[frozenset[str], frozenset[str]]:
    """Return the names of the people by the classes of their span."""
    return {
        frozenset(found.class_names[c] for c in found.spans.classes[s]): frozenset(
            table["Name"][found.spans.of_row == s]
        )
        for s in range(len(found.spans.populations))
    }


def test_the_mortgage_tree_is_three_anonymous(cases: Any) -> None:
    case = cases["figure1_mortgage_tree"]
    table = frame(case["table1"])
    found = spans_of_trees(
        make_tree(nested(case["tree"]), labels=["good", "bad"]), table, public=case["public"], target="Loan Risk"
    )
    expected = {
        frozenset({f"{span['leaf']}/good", f"{span['leaf']}/bad"}): frozenset(span["members"]) for span in case["spans"]
    }
    assert members(found, table) == expected
    assert found.spans.k_reached == case["k_max"]
    assert found.spans.below(3).tolist() == []
    assert len(found.spans.below(4)) == 4
    counts = np.bincount(found.class_of_row, minlength=8)
    bins = {name: int(count) for name, count in zip(found.class_names, counts, strict=True)}
    for span in case["spans"]:
        assert {label: bins[f"{span['leaf']}/{label}"] for label in ("good", "bad")} == span["bins"]


def test_a_linking_names_the_group_and_what_is_learned(cases: Any) -> None:
    case = cases["figure1_mortgage_tree"]
    table = frame(case["table1"])
    found = spans_of_trees(
        make_tree(nested(case["tree"]), labels=["good", "bad"]), table, public=case["public"], target="Loan Risk"
    )
    told = {
        link.words[0]: {found.class_names[c]: n for c, n in link.counts}
        for link in linked(found.spans, found.class_of_row, found.spans.below(4))
    }
    assert told["Gender = Female, Married = Yes"] == {"leaf3/bad": 3}
    assert told["Age = Young, Gender = Male"] == {"leaf1/good": 3}
    assert told["Age = Old, Gender = Male"] == {"leaf2/bad": 2, "leaf2/good": 1}


@pytest.mark.parametrize("setting", ["sports_car_private", "sports_car_public"])
def test_section_4_1(cases: Any, setting: str) -> None:
    case = cases["section4_1_decision_tree"]
    table = frame(case["table4"])
    public = ["Marital Status", *(["Sports Car"] if setting == "sports_car_public" else [])]
    found = spans_of_trees(
        make_tree(nested(case["tree"]), labels=["good", "bad"]), table, public=public, target="Loan Risk"
    )
    expected = case[setting]
    assert members(found, table) == {
        frozenset(span["classes"]): frozenset(span["members"]) for span in expected["spans"]
    }
    assert found.spans.k_reached == expected["k_max"]
    assert (not len(found.spans.below(3))) == expected["three_anonymous"]


def test_large_leaves_are_not_enough(cases: Any) -> None:
    case = cases["leaf_size_is_not_enough"]
    rows = [row for row in case["rows"] for _ in range(row["count"])]
    ones = dict(case["class_one_rows"])
    table = pd.DataFrame({"A": [row["A"] for row in rows], "P": [row["P"] for row in rows]})
    label = []
    for row in rows:
        key = f"{row['A']}/{row['P']}"
        label.append("one" if ones[key] > 0 else "zero")
        ones[key] -= 1
    table["class"] = label
    found = spans_of_trees(
        make_tree(nested(case["tree"]), labels=["zero", "one"]), table, public=case["public"], target="class"
    )
    spans = {
        frozenset(found.class_names[c].split("/")[0] for c in found.spans.classes[s]): int(found.spans.populations[s])
        for s in range(len(found.spans.populations))
    }
    assert spans == {frozenset(span["leaves"]): span["rows"] for span in case["spans"]}
    assert found.spans.k_reached == 1
    assert [found.spans.words[s] for s in found.spans.below(case["k"])] == [("A = c",)]


# -- brute force


@pytest.mark.parametrize("block", range(8))
def test_a_tree_has_the_spans_of_brute_force(block: int) -> None:
    for seed in range(250 * block, 250 * (block + 1)):
        compare(seed, 1)


# -- what counts


def spans_of(tree: Any, table: Any, **options: Any) -> Any:
    return spans_of_trees(make_tree(tree), table, **options)


def test_integers_have_no_value_between_two_and_three() -> None:
    table = pa.table({"x": [2, 3], "sex": ["f", "m"]})
    tree = Cut("x", 2.2, Leaf("low"), Cut("x", 2.8, Leaf("between"), Leaf("high")))
    found = spans_of(tree, table, public=["sex"])
    assert {found.class_names[c] for c in found.spans.classes[0]} == {"low", "high"}
    found = spans_of(tree, table, public=["sex"], kinds={"x": "real"})
    assert {found.class_names[c] for c in found.spans.classes[0]} == {"low", "between", "high"}


def test_a_stated_range_closes_leaves() -> None:
    table = pa.table({"x": [2.0, 3.5]})
    tree = Cut("x", 10, Leaf("low"), Leaf("high"))
    assert spans_of(tree, table, public=[]).spans.multiple.tolist() == [True]
    assert spans_of(tree, table, public=[], domains={"x": (0, 10)}).spans.multiple.tolist() == [False]


def test_a_path_that_contradicts_itself_is_not_reached() -> None:
    table = pa.table({"job": ["clerk", "nurse", "judge"]})
    tree = Split("job", {"clerk": Split("job", {"clerk": Leaf("a"), "nurse": Leaf("b")})}, other=Leaf("c"))
    found = spans_of(tree, table, public=[])
    assert {found.class_names[c] for c in found.spans.classes[0]} == {"a", "c"}


def test_a_span_of_one_class_exposes_nobody() -> None:
    table = pa.table({"x": [1, 2, 3], "sex": ["f", "f", "m"]})
    tree = Split("sex", {"f": Leaf("f"), "m": Leaf("m")})
    found = spans_of(tree, table, public=["sex"])
    assert found.spans.multiple.tolist() == [False, False]
    assert found.spans.k_reached == 3  # no span of more than one class: all rows


def test_a_private_target_that_is_not_named_counts_all_the_same() -> None:
    table = pa.table({"sex": ["f", "f", "m"]})
    tree = make_tree(Split("sex", {"f": Leaf("f"), "m": Leaf("m")}), labels=["no", "yes"])
    found = spans_of_trees(tree, table, public=["sex"])
    assert found.spans.k_reached == 1
    assert list(found.class_names) == ["f", "m"]


def test_a_leaf_of_a_private_regression_is_multiple() -> None:
    table = pa.table({"sex": ["f", "f", "m"], "income": [1.5, 2.5, 3.5]})
    tree = make_tree(Split("sex", {"f": Leaf("f"), "m": Leaf("m")}), is_regression=True)
    assert spans_of_trees(tree, table, public=["sex"], target="income").spans.k_reached == 1
    assert not spans_of_trees(tree, table, public=["sex", "income"], target="income").spans.multiple.any()


def test_a_public_label_joins_the_signature() -> None:
    table = pa.table({"sex": ["f", "f", "m"], "car": ["y", "n", "y"], "risk": ["good", "bad", "good"]})
    tree = make_tree(Split("car", {"y": Leaf("car"), "n": Leaf("none")}), labels=["good", "bad"])
    found = spans_of_trees(tree, table, public=["sex", "risk"], target="risk")
    assert found.spans.populations.tolist() == [2, 1]
    assert list(found.spans.words) == [("risk = good",), ("risk = bad",)]
    assert {found.class_names[c] for c in found.spans.classes[1]} == {"car/bad", "none/bad"}


def test_a_value_without_a_branch_is_a_class_of_its_own() -> None:
    table = pa.table({"job": ["clerk", "nurse", "judge"]})
    found = spans_of(Split("job", {"clerk": Leaf("a"), "nurse": Leaf("b")}), table, public=["job"])
    assert [found.class_names[c] for c in found.class_of_row] == ["a", "b", "no branch at node 0"]


def test_missing_is_one_more_value() -> None:
    table = pa.table({"age": pa.array([20, 40, None]), "job": pa.array(["clerk", None, "clerk"])})
    tree = Cut("age", 30, Split("job", {"clerk": Leaf("a"), None: Leaf("b")}), Leaf("c"), missing_below=True)
    found = spans_of(tree, table, public=["age", "job"])
    assert [found.class_names[c] for c in found.class_of_row] == ["a", "c", "a"]
    assert set(found.spans.words) == {("age <= 30 or missing, job = clerk",), ("age > 30",)}
    # others do not know whether the age is missing; with job private, the missing age reaches both a and b
    found = spans_of(tree, table, public=["age"])
    assert found.spans.populations.tolist() == [2, 1]


WORDS = [
    (Cut("age", 30, Cut("age", 25, Leaf(), Leaf()), Leaf()), 20, "age <= 25"),
    (Cut("age", 30, Cut("age", 25, Leaf(), Leaf()), Leaf()), 28, "25 < age <= 30"),
    (Cut("age", 30, Cut("age", 25, Leaf(), Leaf()), Leaf()), 31, "age > 30"),
    (Cut("age", 30.5, Cut("age", 29.5, Leaf(), Leaf()), Leaf()), 30, "age = 30"),
    (Leaf(), 30, "everyone"),
]


@pytest.mark.parametrize(("tree", "age", "words"), WORDS)
def test_tests_of_one_attribute_are_merged_in_words(tree: Any, age: int, words: str) -> None:
    found = spans_of(tree, pa.table({"age": [age]}), public=["age"])
    assert list(found.spans.words) == [(words,)]


def test_words_of_real_numbers_and_of_sets() -> None:
    table = pa.table({"x": [0.1, 0.9], "job": ["a", "e"], "more": ["b", "c"]})
    tree = Cut("x", 1 / 3, Split("job", {("a", "b"): Leaf()}, other=Leaf()), Split("job", {"a": Leaf()}, other=Leaf()))
    found = spans_of(tree, table, public=["x", "job"], domains={"job": ["a", "b", "c", "d", "e"]})
    assert list(found.spans.words) == [("job = a or b, x <= 0.333333",), ("job other than a, x > 0.333333",)]


def test_long_sets_are_counted_in_words() -> None:
    values = [f"v{i:02}" for i in range(40)]
    table = pa.table({"job": values})
    tree = Split("job", {tuple(values[:15]): Leaf()}, other=Leaf())
    assert spans_of(tree, table, public=["job"]).spans.words[0] == (
        "job = v00 or v01 or v02 or v03 or v04 or v05 or v06 or 8 more values",
    )


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_every_kind_of_table_gives_the_same_spans(make: Any) -> None:
    table = make({"age": [20, 40, 41], "sex": ["f", "m", "m"], "ok": [True, False, True]})
    tree = Cut("ok", 0.5, Cut("age", 30, Leaf("a"), Leaf("b")), Split("sex", {"f": Leaf("c"), "m": Leaf("d")}))
    found = spans_of(tree, table, public=["age", "sex"])
    assert found.spans.of_row.tolist() == [0, 1, 1]
    assert {found.class_names[c] for c in found.spans.classes[1]} == {"b", "d"}
    assert next(a for a in found.attributes if a.name == "ok").high == 1


def test_an_empty_table_has_no_span() -> None:
    found = spans_of(Cut("age", 30, Leaf(), Leaf()), pa.table({"age": pa.array([], pa.int64())}), public=["age"])
    assert len(found.spans.populations) == 0


def test_a_thousand_signatures_of_many_attributes_do_not_overflow() -> None:
    # 40 attributes of 10 cells: 10**40 signatures, which no 64 bits can number without care
    rng = np.random.default_rng(0)
    table = pa.table({f"x{i}": rng.integers(0, 10, 1000) for i in range(40)})
    tree: Any = Leaf()
    for i in range(40):
        for cut in range(9):
            tree = Cut(f"x{i}", cut, tree, Leaf())
    found = spans_of(tree, table, public=table.column_names)
    # from the outermost test inwards, a row ends at the first cut that it is above
    assert len(found.spans.populations) == len(set(found.class_of_row.tolist()))


# -- refusals


def test_public_names_must_be_columns() -> None:
    with pytest.raises(UnknownColumn, match="`agee`"):
        spans_of(Leaf(), pa.table({"age": [1]}), public=["agee"])
    with pytest.raises(InputError, match="list of column names"):
        spans_of(Leaf(), pa.table({"age": [1]}), public="age")


def test_what_the_tree_tests_must_be_in_the_table() -> None:
    with pytest.raises(UnknownColumn, match="`job`"):
        spans_of(Split("job", {"a": Leaf()}), pa.table({"age": [1]}), public=["age"])


def test_a_text_is_not_compared_with_numbers() -> None:
    with pytest.raises(InputError) as caught:
        spans_of(Cut("job", 1, Leaf(), Leaf()), pa.table({"job": ["nurse"]}), public=["job"])
    assert caught.value.code == "not-a-number"
    assert "nurse" not in str(caught.value)


def test_a_column_is_a_number_or_a_category_not_both() -> None:
    with pytest.raises(InputError, match="both as a number and as a category"):
        spans_of(Cut("x", 1, Leaf(), Split("x", {"1": Leaf()})), pa.table({"x": [1]}), public=["x"])


def test_a_public_target_must_be_named() -> None:
    with pytest.raises(InputError, match="public target"):
        spans_of(Leaf(), pa.table({"x": [1]}), public=["x"], target_is_private=False)


def test_a_domain_must_be_a_range() -> None:
    with pytest.raises(InputError, match="`x`"):
        spans_of(Cut("x", 1, Leaf(), Leaf()), pa.table({"x": [1]}), public=[], domains={"x": (3, 1)})
    with pytest.raises(InputError, match="kind of `x`"):
        spans_of(Cut("x", 1, Leaf(), Leaf()), pa.table({"x": [1]}), public=[], kinds={"x": "float"})


GOOD = {
    "attributes": ("x",),
    "attribute": np.array([0, -1, -1]),
    "threshold": np.array([1.0, np.nan, np.nan]),
    "missing_first": np.zeros(3, bool),
    "partition": np.array([-1, -1, -1]),
    "partitions": (),
    "child_start": np.array([0, 2, 2, 2]),
    "children": np.array([1, 2]),
}
BAD = {
    "no node": {**{key: np.array([], int) for key in GOOD}, "attributes": (), "partitions": ()},
    "a child that is no node": {"children": np.array([1, 7])},
    "a child before the first": {"children": np.array([1, -2])},
    "the root as a child": {"children": np.array([0, 2])},
    "a node twice": {"children": np.array([1, 1])},
    "lengths": {"threshold": np.array([1.0])},
    "an unknown attribute": {"attribute": np.array([3, -1, -1])},
    "no threshold": {"threshold": np.full(3, np.nan)},
    "a leaf with children": {"attribute": np.array([-1, -1, -1])},
    "a test without children": {"attribute": np.array([0, 0, -1])},
    "starts": {"child_start": np.array([0, 1, 1, 1])},
    "an unknown partition": {"partition": np.array([0, -1, -1])},
    "a place that is no child": {"partition": np.array([0, -1, -1]), "partitions": (Partition.of({"a": 2}),)},
    "a place before the first": {"partition": np.array([0, -1, -1]), "partitions": (Partition.of({"a": -1}),)},
}


@pytest.mark.parametrize("fault", BAD)
def test_arrays_that_are_no_tree_are_refused(fault: str) -> None:
    assert TreeModel(**GOOD).n_nodes == 3  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        TreeModel(**{**GOOD, **BAD[fault]})  # type: ignore[arg-type]
    assert caught.value.code == "bad-model-file"


def test_nodes_in_a_circle_are_refused() -> None:
    # 1 and 2 are each other's parent; each node has one parent, and the root has none
    with pytest.raises(InputError, match="in a circle"):
        TreeModel(
            attributes=("x",),
            attribute=np.array([-1, 0, 0, -1, -1]),
            threshold=np.ones(5),
            missing_first=np.zeros(5, bool),
            partition=np.full(5, -1),
            partitions=(),
            child_start=np.array([0, 0, 2, 4, 4, 4]),
            children=np.array([2, 3, 1, 4]),
        )
