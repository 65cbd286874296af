"""The tree: numbering, heights, ancestors, written names; against a naive tree of parents."""

from __future__ import annotations

import os
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.ask.taxonomy import Taxonomy
from covey.base.errors import InputError

EUROPE_ASIA = {"Europe": {"West": ["France", "Spain"], "East": ["Poland"]}, "Asia": ["Japan", "China"]}


@st.composite
def parent_lists(draw, most: int = 30) -> list[int]:
    """Node i > 0 hangs below an earlier node: a random shape."""
    n = draw(st.integers(2, most))
    return [-1] + [draw(st.integers(0, i - 1)) for i in range(1, n)]


def paths_of(parents: list[int]) -> list[list[int]]:
    """The way from each leaf (a node without children) up to the root."""
    inner = set(parents)
    ways = []
    for node in range(len(parents)):
        if node not in inner:
            way = [node]
            while parents[way[-1]] >= 0:
                way.append(parents[way[-1]])
            ways.append(way)
    return ways


def naive_height(node: int, ways: list[list[int]]) -> int:
    return max(way.index(node) for way in ways if node in way)


def naive_lca(leaves: list[int], ways: list[list[int]]) -> int:
    chosen = [way for way in ways if way[0] in leaves]
    return next(node for node in chosen[0] if all(node in way for way in chosen))


@settings(max_examples=150, deadline=None)
@given(parent_lists())
def test_gaps_ancestors_and_subtrees_are_those_of_the_naive_tree(parents):
    ways = paths_of(parents)
    tree = Taxonomy.from_paths([[f"n{node}" for node in way] for way in ways])
    order = [int(label[1:]) for label in tree.leaves]
    assert sorted(order) == sorted(way[0] for way in ways)
    assert tree.height == naive_height(0, ways)
    gaps = tree.gaps()
    assert gaps.shape == (len(order) - 1,)
    for lo in range(len(order)):
        assert tree.ancestor(lo, lo) == tree.leaves[lo]
        for hi in range(lo + 1, len(order)):
            lca = naive_lca(order[lo : hi + 1], ways)
            assert lca == naive_lca([order[lo], order[hi]], ways)
            assert round(max(gaps[lo:hi]) * tree.height) == naive_height(lca, ways)
            assert tree.ancestor(lo, hi) == ("*" if lca == 0 else f"n{lca}")
    for node in set(parents) - {-1}:
        run = tree.below("*" if node == 0 else f"n{node}")
        assert run is not None
        assert {order[leaf] for leaf in run} == {way[0] for way in ways if node in way}


@settings(max_examples=60, deadline=None)
@given(parent_lists())
def test_rows_and_nested_mappings_give_the_same_tree(parents):
    ways = paths_of(parents)
    nested: dict = {}
    for way in ways:
        spot = nested
        for node in reversed(way):
            spot = spot.setdefault(f"n{node}", {})
    # rows number siblings by first appearance, and so does the nested mapping
    assert Taxonomy.from_dict(nested) == Taxonomy.from_paths([[f"n{node}" for node in way] for way in ways])


def test_leaves_are_numbered_depth_first_in_order_of_first_appearance():
    rows = [("a", "X", "*"), ("b", "Y", "*"), ("c", "X", "*")]
    tree = Taxonomy.from_paths(rows)
    assert tree.leaves == ("a", "c", "b")
    assert tree.inner == ("X", "Y")
    assert [tree.index(label) for label in ("a", "b", "c", "d")] == [0, 2, 1, None]


def test_price_of_neighbours_is_the_height_of_their_ancestor_over_the_height_of_the_tree():
    tree = Taxonomy.from_dict(EUROPE_ASIA)
    # France-Spain meet in West (height 1), Spain-Poland in Europe (2), Poland-Japan in the root (3),
    # Japan-China in Asia (1); the tree has height 3
    np.testing.assert_array_equal(tree.gaps(), np.array([1, 2, 3, 1]) / 3)


def test_the_papers_example_of_countries():
    # P0, example 2: India-USA costs 3/3, India-Iran 2/3
    tree = Taxonomy.from_dict(
        {
            "America": {"North": ["USA", "Canada"], "South": ["Brazil", "Peru"]},
            "Asia": {"West": ["Iran", "Egypt"], "East": ["India", "Japan"]},
        }
    )
    gaps, at = tree.gaps(), tree.leaves.index
    assert max(gaps[at("USA") : at("India")]) == 1.0
    assert max(gaps[at("Iran") : at("India")]) == pytest.approx(2 / 3)


def test_a_flat_tree_has_height_one_and_every_mix_costs_one():
    tree = Taxonomy.from_paths([("Male", "*"), ("Female", "*")])
    assert tree.height == 1
    assert tree.inner == ()
    assert tree.gaps().tolist() == [1.0]
    assert tree.ancestor(0, 1) == "*"


@pytest.mark.parametrize("rows", [[("x", "Any")], [("x",)], [("x", "x")], [("x", "x", "x")]])
def test_a_tree_of_one_leaf_has_no_gap(rows):
    tree = Taxonomy.from_paths(rows)
    assert tree.leaves == ("x",)
    assert tree.height == 1
    assert tree.gaps().shape == (0,)
    assert tree.ancestor(0, 0) == "x"
    assert tree.below("*") == range(1)


def test_one_name_at_the_top_is_the_root_and_several_get_one():
    assert Taxonomy.from_dict({"World": EUROPE_ASIA}) == Taxonomy.from_dict(EUROPE_ASIA)
    assert Taxonomy.from_dict({"Asia": ["Japan", "China"]}).ancestor(0, 1) == "*"
    assert Taxonomy.from_dict({"Japan": [], "China": None}).height == 1


def test_every_way_to_write_an_end_is_a_leaf():
    tree = Taxonomy.from_dict({"a": {}, "b": [], "c": None, "d": "", "e": [{"f": ["g"]}, "h"]})
    assert tree.leaves == ("a", "b", "c", "d", "g", "h")
    assert tree.inner == ("e", "f")


def test_numbers_in_a_tree_become_their_text():
    assert Taxonomy.from_dict({"low": [1, 2], "high": [3.5]}).leaves == ("1", "2", "3.5")


def test_a_leaf_padded_beside_itself_is_folded():
    tree = Taxonomy.from_paths(
        [("White", "White", "Any"), ("Black", "Non-White", "Any"), ("Other", "Non-White", "Any")]
    )
    assert tree.inner == ("Non-White",)
    assert tree.gaps().tolist() == [1.0, 0.5]


def test_repeats_higher_up_are_folded():
    rows = [("1st-4th", "1st-4th", "Elementary", "Any"), ("5th", "Mid", "Mid", "Any"), ("6th", "Mid", "Mid", "Any")]
    tree = Taxonomy.from_paths(rows)
    assert tree.inner == ("Elementary", "Mid")
    assert tree.height == 2
    assert Taxonomy.from_dict({"Mid": {"Mid": ["5th", "6th"]}, "x": []}).inner == ("Mid",)


def test_a_leaf_named_as_a_node_with_other_leaves_stays_below_it():
    rows = [("Africa", "Africa", "Foreign", "*"), ("Algeria", "Africa", "Foreign", "*"), ("Ohio", "US", "*")]
    tree = Taxonomy.from_paths(rows)
    assert tree.leaves == ("Africa", "Algeria", "Ohio")
    assert tree.inner == ("Foreign", "Africa (all)", "US")
    assert tree.ancestor(0, 1) == "Africa (all)"
    assert tree.ancestor(0, 0) == "Africa"
    assert tree.below("Africa (all)") == range(2)
    assert tree.below("Africa") is None


def test_a_written_name_is_never_shared():
    rows = [("A", "A", "*"), ("b", "A", "*"), ("A (all)", "*"), ("c", "A (all) (all)", "*")]
    tree = Taxonomy.from_paths(rows)
    assert tree.inner == ("A (all) (all) (all)", "A (all) (all)")
    assert not set(tree.inner) & set(tree.leaves)


def test_a_leaf_may_bear_the_name_of_the_root():
    tree = Taxonomy.from_paths([("Any", "Any"), ("b", "Any")])
    assert tree.leaves == ("Any", "b")
    assert tree.ancestor(0, 1) == "*"


def test_equality_is_that_of_the_trees_whatever_their_names():
    one, other = Taxonomy.from_dict(EUROPE_ASIA, "one"), Taxonomy.from_dict(EUROPE_ASIA, "other")
    assert one == other
    assert hash(one) == hash(other)
    assert one != Taxonomy.from_dict({"Europe": ["France", "Spain", "Poland"], "Asia": ["Japan", "China"]})
    assert one != "one"
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301


def test_a_taxonomy_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Taxonomy.from_dict(EUROPE_ASIA).name = "other"


def test_binding_and_missing():
    tree = Taxonomy.from_dict(EUROPE_ASIA)
    assert tree.bind(["France", "Mars"]) is tree
    assert tree.missing(["Mars", "France", "Venus", "Mars"]) == ["Mars", "Venus"]


@pytest.mark.parametrize(("lo", "hi"), [(-1, 0), (2, 1), (0, 5)])
def test_leaves_out_of_range_have_no_ancestor(lo, hi):
    with pytest.raises(IndexError):
        Taxonomy.from_dict(EUROPE_ASIA).ancestor(lo, hi)


def test_a_tree_hundreds_of_levels_deep_is_no_trouble():
    nested: list = ["end"]
    for level in range(800):
        nested = [{f"n{level}": [*nested, f"leaf{level}"]}]
    tree = Taxonomy.from_dict(nested[0])
    assert tree.height == 800
    assert tree.ancestor(0, len(tree.leaves) - 1) == "*"
    rows = [[f"leaf{i}", *[f"n{level}" for level in range(i, 400)]] for i in range(400)]
    assert Taxonomy.from_paths(rows).height == 400


def test_errors_of_a_tree_name_its_faults_and_the_number_of_others():
    rows = [("a", "X", "*"), ("a", "X", "*"), ("", "X", "*"), ("b", "X", "Y", "*"), ("c", "Any")]
    with pytest.raises(InputError) as caught:
        Taxonomy.from_paths(rows, "bad.csv")
    # faults: an empty name, two roots, X below * and below Y, a twice
    assert caught.value.code == "taxonomy-empty-name"
    assert str(caught.value).startswith(
        "`bad.csv` is no taxonomy: 1 place has an empty name; there are 2 roots; 2 other faults"
    )


def test_an_empty_tree_is_refused():
    for make in (lambda: Taxonomy.from_dict({}), lambda: Taxonomy.from_paths([]), lambda: Taxonomy.from_paths([[""]])):
        with pytest.raises(InputError) as caught:
            make()
        assert caught.value.code == "taxonomy-empty"


@pytest.mark.parametrize("tree", [{"a": 3}, {"a": "text"}, {"a": [["b"]]}, {"a": [True]}, {True: ["a"]}, "text"])
def test_what_is_no_tree_is_refused(tree):
    with pytest.raises(InputError):
        Taxonomy.from_dict(tree)


def test_text_in_place_of_a_row_is_refused():
    with pytest.raises(InputError, match="not text"):
        Taxonomy.from_paths(["France;Europe;*"])


HEIGHTS = {
    "adult": {
        "age": 4,
        "education": 3,
        "marital-status": 2,
        "native-country": 2,
        "occupation": 2,
        "workclass": 2,
        "race": 1,
        "sex": 1,
        "salary-class": 1,
    },
    "adult_tds": {
        "education": 4,
        "workclass": 4,
        "marital-status": 3,
        "native-country": 3,
        "occupation": 2,
        "race": 2,
        "relationship": 2,
        "sex": 1,
    },
    "acs_income": {"birthplace": 3, "occupation": 2, "state": 3},
}


@pytest.mark.skipif("COVEY_DATA" not in os.environ, reason="COVEY_DATA is not set: no published taxonomies here")
@pytest.mark.parametrize("family", sorted(HEIGHTS))
def test_the_published_taxonomies_load_as_they_are(family):
    folder = Path(os.environ["COVEY_DATA"]) / "hierarchies" / family
    trees = {path.stem: Taxonomy.from_file(path) for path in sorted(folder.glob("*.csv"))}
    assert {name: tree.height for name, tree in trees.items()} == HEIGHTS[family]
    for path in folder.glob("*.csv"):
        lines = path.read_text().splitlines()
        assert sorted(trees[path.stem].leaves) == sorted(line.split(";")[0] for line in lines)


@pytest.mark.skipif("COVEY_DATA" not in os.environ, reason="COVEY_DATA is not set: no published taxonomies here")
def test_africa_is_a_birthplace_and_an_area():
    tree = Taxonomy.from_file(Path(os.environ["COVEY_DATA"]) / "hierarchies/acs_income/birthplace.csv")
    area = tree.below("Africa (all)")
    assert area is not None
    assert tree.index("Africa") in area
    assert tree.index("Algeria") in area
    assert tree.index("Albania") not in area
