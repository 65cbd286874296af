"""Joint spans of several trees."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from covey.base.errors import InputError
from covey.mining.trees.model import ForestModel
from covey.mining.trees.reach import spans_of_trees
from random_trees import compare
from written_trees import Cut, Leaf, Split, make_tree


@pytest.mark.parametrize("n_trees", [2, 3, 4])
def test_a_forest_has_the_spans_of_brute_force(n_trees: int) -> None:
    for seed in range(10_000 * n_trees, 10_000 * n_trees + 400):
        compare(seed, n_trees)


@pytest.mark.soak
@pytest.mark.parametrize("n_trees", [1, 2, 3, 5])
def test_many_more_models_have_the_spans_of_brute_force(n_trees: int) -> None:
    for seed in range(1_000_000 * n_trees, 1_000_000 * n_trees + 10_000):
        compare(seed, n_trees)


def test_a_row_is_alone_though_every_tree_is_two_anonymous() -> None:
    # age parts {1, 2} from {3, 4}, home parts {1, 3} from {2, 4}: the common refinement has one row in each part
    table = pa.table({"age": [20, 21, 60, 61], "home": ["e", "w", "e", "w"], "ill": ["y", "n", "y", "n"]})
    age = make_tree(Cut("age", 40, Leaf(), Leaf()), labels=["n", "y"])
    home = make_tree(Split("home", {"e": Leaf(), "w": Leaf()}), labels=["n", "y"])
    for tree in (age, home):
        assert spans_of_trees(tree, table, public=["age", "home"], target="ill").spans.k_reached == 2
    found = spans_of_trees(ForestModel((age, home)), table, public=["age", "home"], target="ill")
    assert found.spans.k_reached == 1
    assert found.spans.words[0] == ("age <= 40, home = e",)
    assert sorted(found.bin_names[c] for c in found.spans.classes[0]) == [
        "tree 1: leaf 1/n", "tree 1: leaf 1/y", "tree 2: leaf 1/n", "tree 2: leaf 1/y",
    ]  # fmt: skip
    assert found.class_names[found.class_of_row[3]] == "combination 4 of leaves/n"


def test_a_span_is_multiple_if_it_is_so_in_one_tree() -> None:
    table = pa.table({"age": [20, 60, 61], "car": ["y", "n", "y"]})
    age = make_tree(Cut("age", 40, Leaf(), Leaf()))
    car = make_tree(Cut("age", 40, Leaf(), Split("car", {"y": Leaf(), "n": Leaf()})))
    found = spans_of_trees(ForestModel((age, car)), table, public=["age"])
    assert found.spans.populations.tolist() == [1, 2]
    assert found.spans.multiple.tolist() == [False, True]


def test_the_same_tree_many_times_has_the_spans_of_one() -> None:
    rng = np.random.default_rng(1)
    table = pa.table({"x": rng.integers(0, 9, 200), "y": rng.random(200)})
    tree = make_tree(Cut("x", 3, Cut("y", 0.5, Leaf(), Leaf()), Cut("x", 6, Leaf(), Cut("y", 0.2, Leaf(), Leaf()))))
    one = spans_of_trees(tree, table, public=["x"])
    many = spans_of_trees(ForestModel((tree,) * 30), table, public=["x"])
    assert (one.spans.of_row == many.spans.of_row).all()
    assert (one.spans.multiple == many.spans.multiple).all()
    assert list(one.spans.words) == list(many.spans.words)


def test_a_forest_without_trees_is_refused() -> None:
    with pytest.raises(InputError, match="no tree"):
        ForestModel(())
