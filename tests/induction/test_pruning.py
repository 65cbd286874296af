"""Pruning takes back what does not pay, and no span becomes smaller than k by it."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.base.errors import InputError
from covey.datasets import census_taxonomies, load_adult, load_taxonomy, make_census
from covey.induction.growth import Grown, Rules, grow
from covey.induction.options import Attribute
from covey.induction.pruning import description_bits, prune
from covey.mining.learn.tree.estimator import KAnonymousTree
from covey.mining.trees.reach import spans_of_trees
from oracles.k_anonymous_tree import PlainAttribute, PlainNode, exposed_below, spans_by_enumeration


def random_attributes(random: np.random.Generator, n: int) -> list[PlainAttribute]:
    found = []
    for _ in range(int(random.integers(1, 4))):
        size = int(random.integers(2, 5))
        levels = [list(range(size))] if random.random() < 0.6 else None
        found.append(PlainAttribute(random.integers(0, size, n).tolist(), size, bool(random.random() < 0.6), levels))
    return found


def as_attributes(plain: list[PlainAttribute]) -> list[Attribute]:
    levels = [None if one.levels is None else tuple(map(np.array, one.levels)) for one in plain]
    return [
        Attribute(np.array(one.codes), one.size, one.is_public, own) for one, own in zip(plain, levels, strict=True)
    ]


def plain_nodes(grown: Grown) -> list[PlainNode]:
    return [
        PlainNode(node.attribute, node.option, dict(zip(node.branches, node.children, strict=True)))
        for node in grown.nodes
    ]


# --- the guarantee ---------------------------------------------------------------------------------------------


def test_spans_of_a_pruned_tree_are_those_of_the_plain_twin_and_none_falls_below_k() -> None:
    # the twin enumerates the private values of every row
    random = np.random.default_rng(1)
    pruned = private = 0
    for _ in range(1500):
        n, n_classes, k = int(random.integers(8, 40)), int(random.integers(2, 4)), int(random.integers(1, 6))
        plain, labels = random_attributes(random, n), random.integers(0, n_classes, n).tolist()
        is_public = bool(random.random() < 0.3)
        attributes = as_attributes(plain)
        whole = grow(attributes, np.array(labels), n_classes, Rules(k=k, class_is_public=is_public))
        bits = float(random.uniform(0, 4))
        left = prune(whole, attributes, np.array(labels), bits=bits, class_is_public=is_public)
        spans = spans_by_enumeration(plain_nodes(left), plain, labels, n_classes, is_public)
        pairs = set(zip(spans, left.span_of_row.tolist(), strict=True))
        assert len(pairs) == len(set(spans)) == left.span_of_row.max() + 1
        assert exposed_below(spans, k) == 0
        # people of one span stay in one span
        assert len(set(zip(whole.span_of_row, left.span_of_row, strict=True))) == whole.span_of_row.max() + 1
        pruned += 1 < len(left.nodes) < len(whole.nodes)
        private += len(left.nodes) > 1 and not all(one.is_public for one in plain)
    assert pruned > 200
    assert private > 200


@pytest.mark.parametrize("splits", ["multiway", "binary"])
@pytest.mark.parametrize("public", [["age", "sex", "marital-status"], ["age", "sex", "marital-status", "income"]])
def test_an_audit_of_a_pruned_tree_finds_its_spans_and_k_in_each(splits: Any, public: list[str]) -> None:
    people = make_census(2000, seed=3).select(["age", "sex", "marital-status", "workclass", "education-num", "income"])
    taxonomies = {name: census_taxonomies()[name] for name in ("marital-status", "workclass")}
    options: dict[str, Any] = {"taxonomies": taxonomies, "min_rows": 30, "splits": splits}
    whole = KAnonymousTree(15, public, prune=None, **options).fit(people, "income")
    tree = KAnonymousTree(15, public, prune=3.0, **options).fit(people, "income")
    assert 1 < len(tree.tree_.leaves) < len(whole.tree_.leaves)
    assert covey.audit(tree, people, public=public, k=15).ok
    found = spans_of_trees(tree.tree_.as_model(), people, public=public, target="income").spans
    assert len(set(zip(found.of_row.tolist(), tree.span_of_row_.tolist(), strict=True))) == len(found.populations)
    assert np.bincount(tree.span_of_row_).min() >= np.bincount(whole.span_of_row_).min()


def test_the_class_stays_as_diverse_as_was_asked() -> None:
    people = make_census(3000, seed=4).select(["age", "sex", "education-num", "workclass", "income"])
    tree = KAnonymousTree(10, l=1.5, prune=2.0).fit(people, "income")
    assert len(tree.tree_.leaves) > 1
    counts = tree.tree_.counts()[list(tree.tree_.leaves)]
    for leaf in counts[counts.sum(axis=1) > 0] / counts[counts.sum(axis=1) > 0].sum(axis=1, keepdims=True):
        assert -sum(share * math.log(share) for share in leaf if share) >= math.log(1.5) - 1e-9


def test_diversity_of_private_columns_is_refused_beside_pruning() -> None:
    people = pa.table({"sex": ["f", "m"] * 5, "car": ["no"] * 5 + ["yes"] * 5, "risk": ["good", "bad"] * 5})
    with pytest.raises(InputError, match="`prune` cannot be combined with `l` where columns are private"):
        KAnonymousTree(2, ["sex"], l=1.2, prune=1.0).fit(people, "risk")
    with pytest.raises(InputError, match="`prune` cannot be combined with `l` where columns are private"):
        KAnonymousTree(2, ["sex"], l=1.2, prune="mdl").fit(people, "risk")


def test_the_defaults_prune_unless_diversity_of_private_columns_is_asked_for() -> None:
    people = make_census(3000, seed=5).select(["age", "sex", "education-num", "workclass", "income"])
    for public, ell, same in (
        (None, None, "mdl"),
        (["age", "sex"], None, "mdl"),
        (None, 1.3, "mdl"),
        (["age", "sex"], 1.05, None),
    ):
        usual = KAnonymousTree(20, public, l=ell, min_rows=60).fit(people, "income")
        named = KAnonymousTree(20, public, l=ell, min_rows=60, splits="binary", prune=same).fit(people, "income")
        assert usual.to_text() == named.to_text()
        assert covey.audit(usual, people, public=public or ["age", "sex", "education-num", "workclass"], k=20).ok


def test_the_tree_as_published_splits_into_all_branches_and_takes_nothing_back() -> None:
    own = KAnonymousTree.as_published(
        7, ["age"], l=1.5, criterion="gini", min_gain=0.1, max_depth=3, min_rows=4, weighted=True, ties="fine",
        most_cuts=9,
    )  # fmt: skip
    assert own.get_params() == {
        "k": 7, "public": ["age"], "l": 1.5, "criterion": "gini", "taxonomies": None, "min_gain": 0.1, "max_depth": 3,
        "min_rows": 4, "weighted": True, "ties": "fine", "most_cuts": 9, "splits": "multiway", "prune": None,
    }  # fmt: skip
    usual = KAnonymousTree().get_params()
    assert (usual.pop("splits"), usual.pop("prune")) == ("binary", "auto")
    assert KAnonymousTree.as_published().get_params() == {**usual, "splits": "multiway", "prune": None}


# --- what is taken back ----------------------------------------------------------------------------------------


def test_no_other_tree_that_is_left_costs_less() -> None:
    # all subsets of inner nodes may become leaves
    random = np.random.default_rng(2)
    tried = 0
    for _ in range(300):
        n = int(random.integers(10, 30))
        attributes = as_attributes(random_attributes(random, n))
        labels = random.integers(0, 2, n)
        whole = grow(attributes, labels, 2, Rules(k=2, max_depth=3))
        inner = [number for number, node in enumerate(whole.nodes) if node.children]
        if not 1 < len(inner) < 8:
            continue
        bits = float(random.uniform(0, 4))
        left = prune(whole, attributes, labels, bits=bits, class_is_public=False)
        costs = [cost_without(whole, set(ended), bits) for r in range(len(inner) + 1) for ended in subsets(inner, r)]
        assert cost_without(left, set(), bits) == pytest.approx(min(costs))
        tried += 1
    assert tried > 100


def subsets(numbers: list[int], size: int) -> itertools.combinations[tuple[int, ...]]:
    return itertools.combinations(numbers, size)


def cost_without(grown: Grown, ended: set[int], bits: float, node: int = 0) -> float:
    """Return the cost of the tree below a node if some nodes were leaves."""
    here = grown.nodes[node]
    if here.children and node not in ended:
        return sum(cost_without(grown, ended, bits, child) for child in here.children)
    rows = int(here.counts.sum())
    return sum(-c * math.log2(c / rows) for c in here.counts.tolist() if c) + (bits if rows else 0.0)


@pytest.mark.parametrize(("bits", "n_nodes"), [(0.0, 5), (1.2, 5), (1.3, 3), (5.0, 3), (5.1, 1)])
def test_a_leaf_must_save_its_bits(bits: float, n_nodes: int) -> None:
    # the classes of all take 9 H(1/3) = 8.26 bits; by sex 4 H(1/4) = 3.25 are left, all of them in the first branch;
    # by town there 2 H(1/2) = 2.  The first split saves 5.02 bits and the second 1.25, each for one leaf more
    sex = Attribute(np.array([0] * 4 + [1] * 5), 2, True, (np.arange(2),))
    town = Attribute(np.array([0, 0, 1, 1] + [0] * 5), 2, True, (np.arange(2),))
    labels = np.array([1, 1, 1, 0] + [0] * 5)
    whole = grow([sex, town], labels, 2, Rules(k=2))
    assert len(whole.nodes) == 5
    assert len(prune(whole, [sex, town], labels, bits=bits, class_is_public=False).nodes) == n_nodes


def test_a_branch_without_rows_costs_nothing_and_stays_with_its_split() -> None:
    # value 1 is in the taxonomy and in no row
    place = Attribute(np.array([0, 0, 0, 2, 2, 2]), 3, True, (np.arange(3),))
    labels = np.array([0, 0, 0, 1, 1, 1])
    whole = grow([place], labels, 2, Rules(k=3))
    left = prune(whole, [place], labels, bits=5.9, class_is_public=False)  # 6 bits are saved by one more leaf
    assert [node.counts.tolist() for node in left.nodes] == [[3, 3], [3, 0], [0, 0], [0, 3]]
    assert len(prune(whole, [place], labels, bits=6.1, class_is_public=False).nodes) == 1


def test_description_length_counts_the_free_shares_of_a_leaf() -> None:
    assert description_bits(1024, 2) == 5.0
    assert description_bits(1024, 4) == 15.0
    people = make_census(1024, seed=1).select(["age", "sex", "workclass", "income"])
    named, told = (KAnonymousTree(4, prune=bits).fit(people, "income") for bits in ("mdl", 5.0))
    assert named.to_text() == told.to_text()


# --- categories in two -----------------------------------------------------------------------------------------


def test_a_rare_value_does_not_stand_in_the_way_of_two_branches() -> None:
    town = ["Lyon"] * 4 + ["Oslo"] * 4 + ["Ys"]
    people = pa.table({"town": town, "risk": ["bad"] * 4 + ["good"] * 5})
    assert len(KAnonymousTree.as_published(3).fit(people, "risk").tree_.nodes) == 1
    tree = KAnonymousTree(3, prune=None).fit(people, "risk")
    assert tree.to_text().splitlines()[1:] == [
        "town = Lyon -> bad: bad 4, good 0",
        "town = all but Lyon -> good: bad 0, good 5",
    ]
    assert tree.predict(pa.table({"town": ["Ys", "Lyon"]})).tolist() == ["good", "bad"]


def test_missing_is_a_value_against_all_others() -> None:
    people = pa.table({"town": [None] * 3 + ["Oslo", "Lyon", "Ys"], "risk": ["bad"] * 3 + ["good"] * 3})
    text = KAnonymousTree(3, prune=None).fit(people, "risk").to_text()
    assert "town is missing -> bad: bad 3, good 0" in text
    assert "town = all but missing -> good: bad 0, good 3" in text


def test_a_file_tells_only_the_levels_that_are_tested() -> None:
    people = make_census(2000, seed=2).select(["age", "occupation", "marital-status", "income"])
    taxonomies = {"marital-status": census_taxonomies()["marital-status"]}
    tree = KAnonymousTree(20, splits="binary", prune="mdl", taxonomies=taxonomies).fit(people, "income")
    told = json.loads(tree.to_json())
    tested = {(node["column"], node["level"]) for node in told["nodes"] if "level" in node}
    there = {(c, i) for c, column in enumerate(told["columns"]) for i in range(len(column.get("levels", ())))}
    assert tested == there
    assert there
    back = KAnonymousTree.from_json(tree.to_json())
    assert (back.splits, back.prune) == ("binary", "mdl")
    assert back.predict_proba(people).tolist() == tree.predict_proba(people).tolist()
    assert np.bincount(tree.span_of_row_).min() >= 20


def test_too_many_values_are_offered_by_their_rows() -> None:
    # of a, b and c with 6, 5 and 4 rows, the smaller parts are these: with one way left it is a
    people = pa.table({"x": list("aaaaaabbbbbcccc"), "risk": ["bad"] * 11 + ["good"] * 4})
    assert "x = c" in KAnonymousTree(2, prune=None).fit(people, "risk").to_text()
    text = KAnonymousTree(2, prune=None, most_cuts=1).fit(people, "risk").to_text()
    assert "x = a" in text
    assert "x = c" not in text


# --- worth -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("splits", ["multiway", "binary"])
def test_on_adult_a_pruned_tree_errs_less_on_rows_that_it_has_not_seen(data: Path, splits: Any) -> None:
    columns = ["age", "education-num", "hours-per-week", "capital-gain", "marital-status", "occupation", "income"]
    train, test = load_adult().select(columns), load_adult("test").select(columns)
    trees = {name: load_taxonomy("adult_tds", name) for name in ("marital-status", "occupation")}
    truth = np.array(test["income"].to_pylist())
    errors, leaves = [], []
    for bits in (None, "mdl"):
        tree = KAnonymousTree(10, taxonomies=trees, splits=splits, prune=bits).fit(train, "income")  # type: ignore[arg-type]
        assert np.bincount(tree.span_of_row_).min() >= 10
        errors.append(float((tree.predict(test) != truth).mean()))
        leaves.append(len(tree.tree_.leaves))
    assert errors[1] < errors[0] - 0.005
    assert 5 * leaves[1] < leaves[0]


@pytest.mark.parametrize(("name", "value"), [("prune", "bic"), ("prune", -1), ("prune", True), ("splits", "both")])
def test_an_option_that_is_not_allowed_is_refused(name: str, value: object) -> None:
    people = pa.table({"sex": ["f", "m"] * 5, "risk": ["good", "bad"] * 5})
    with pytest.raises(InputError, match=f"`{name}` of KAnonymousTree must be"):
        KAnonymousTree(**{name: value}).fit(people, "risk")  # type: ignore[arg-type]
