"""Algorithm 1 refuses what would leave a span with 1 to k - 1 rows, and nothing else."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey.base.errors import Infeasible
from covey.induction.growth import Grown, Rules, Step, _Induction, grow
from covey.induction.options import Attribute
from oracles.k_anonymous_tree import (
    PlainAttribute,
    PlainNode,
    entropy_of,
    exposed_below,
    grow_plainly,
    leaf_of,
    spans_by_enumeration,
)


def random_attributes(random: np.random.Generator, n: int) -> list[PlainAttribute]:
    found = []
    for _ in range(int(random.integers(1, 4))):
        size = int(random.integers(2, 5))
        levels: list[list[int]] | None = None
        if random.random() < 0.6:
            levels = [list(range(size))]
            coarse = random.integers(0, 2, size)
            if random.random() < 0.6 and len(set(coarse.tolist())) == 2:
                levels.insert(0, np.unique(coarse, return_inverse=True)[1].tolist())
        codes = random.integers(0, size, n).tolist()
        found.append(PlainAttribute(codes, size, bool(random.random() < 0.6), levels))
    return found


def as_attributes(plain: list[PlainAttribute]) -> list[Attribute]:
    return [
        Attribute(
            np.array(one.codes),
            one.size,
            one.is_public,
            None if one.levels is None else tuple(np.array(level) for level in one.levels),
        )
        for one in plain
    ]


def plain_nodes(grown: Grown) -> list[PlainNode]:
    return [
        PlainNode(node.attribute, node.option, dict(zip(node.branches, node.children, strict=True)))
        for node in grown.nodes
    ]


def random_rules(random: np.random.Generator) -> dict[str, Any]:
    return {
        "criterion": ["entropy", "gini"][int(random.integers(2))],
        "class_is_public": bool(random.random() < 0.3),
        "weighted": bool(random.random() < 0.3),
        "fine_first": bool(random.random() < 0.3),
    }


def test_trees_and_spans_are_those_of_the_plain_twin() -> None:
    # the twin finds all spans again after each split, by enumerating the private values of every row
    random = np.random.default_rng(1)
    splits = 0
    for _ in range(1500):
        n, n_classes = int(random.integers(5, 15)), int(random.integers(2, 4))
        plain, labels = random_attributes(random, n), random.integers(0, n_classes, n).tolist()
        k, rules = int(random.integers(1, 6)), random_rules(random)
        expected = grow_plainly(plain, labels, n_classes, k, **rules)
        grown = grow(as_attributes(plain), np.array(labels), n_classes, Rules(k=k, **rules))
        assert plain_nodes(grown) == expected, (plain, labels, k, rules)
        spans = spans_by_enumeration(expected, plain, labels, n_classes, rules["class_is_public"])
        pairs = set(zip(spans, grown.span_of_row.tolist(), strict=True))
        assert len(pairs) == len(set(spans)) == grown.span_of_row.max() + 1
        splits += len(expected) > 1
    assert splits > 500


def test_every_span_of_more_than_one_class_has_k_rows_or_none() -> None:
    # larger tables than the twin's, spans by enumeration
    random = np.random.default_rng(2)
    for _ in range(150):
        n, n_classes, k = int(random.integers(30, 90)), 2, int(random.integers(2, 12))
        plain, labels = random_attributes(random, n), random.integers(0, n_classes, n).tolist()
        rules = random_rules(random)
        grown = grow(as_attributes(plain), np.array(labels), n_classes, Rules(k=k, **rules))
        spans = spans_by_enumeration(plain_nodes(grown), plain, labels, n_classes, rules["class_is_public"])
        assert exposed_below(spans, k) == 0


def test_what_others_learn_in_each_span_keeps_its_entropy() -> None:
    random = np.random.default_rng(3)
    tested = refused = 0
    for _ in range(250):
        n, n_classes = int(random.integers(10, 40)), int(random.integers(2, 4))
        plain, labels = random_attributes(random, n), random.integers(0, n_classes, n).tolist()
        is_public = bool(random.random() < 0.3)
        ell = float(random.uniform(1.05, 1.9))
        steps: list[Step] = []
        rules = Rules(k=1, ell=ell, class_is_public=is_public)
        try:
            grown = grow(as_attributes(plain), np.array(labels), n_classes, rules, steps.append)
        except Infeasible:
            assert entropy_of(labels) < math.log(ell)
            continue
        refused += sum(not step.is_taken for step in steps)
        nodes = plain_nodes(grown)
        spans = spans_by_enumeration(nodes, plain, labels, n_classes, is_public)
        for span in set(spans):
            rows = [row for row in range(n) if spans[row] == span]
            for seen in what_others_see(nodes, plain, {leaf for leaf, _ in span}, rows):
                assert entropy_of(seen) >= math.log(ell) - 1e-9
                tested += 1
            if not is_public:
                assert entropy_of([labels[row] for row in rows]) >= math.log(ell) - 1e-9
    assert tested > 100
    assert refused > 100


def what_others_see(
    nodes: list[PlainNode], plain: list[PlainAttribute], leaves: set[int], rows: list[int]
) -> list[list[object]]:
    """Return, for each private attribute that is tested on the way to one of the leaves, what the tests tell."""
    above = {child: number for number, node in enumerate(nodes) for child in node.children.values()}
    on_the_way = set()
    for leaf in leaves:
        while leaf in above:
            leaf = above[leaf]
            on_the_way.add(leaf)
    found = []
    for a, one in enumerate(plain):
        tests = sorted(number for number in on_the_way if nodes[number].attribute == a)
        if tests and not one.is_public:
            found.append([tuple(one.branch(nodes[t].option, one.codes[row]) for t in tests) for row in rows])
    return found


def test_85_percent_confidence_is_l_of_1_526() -> None:
    # P3, section 6.3: -0.85 log2 0.85 - 0.15 log2 0.15 = 0.6098 = log2 1.526; one base on both sides
    sex = Attribute(np.repeat([0, 1], 100), 2, True, (np.array([0, 1]),))
    for sure, is_split in ((85, True), (86, False)):
        labels = np.array([0] * sure + [1] * (100 - sure) + [0] * 50 + [1] * 50)
        grown = grow([sex], labels, 2, Rules(k=1, ell=1.526))
        assert (len(grown.nodes) > 1) == is_split


def test_a_public_split_below_a_private_one_is_taken_where_both_stay_diverse() -> None:
    # in each sex, five of ten have a car and five are of either class: the entropy of both is log 2
    sex, car, labels = [], [], []
    for s, c, zeros in ((0, 0, 4), (0, 1, 1), (1, 0, 3), (1, 1, 2)):
        sex += [s] * 5
        car += [c] * 5
        labels += [0] * zeros + [1] * (5 - zeros)
    attributes = [
        Attribute(np.array(sex), 2, True, (np.arange(2),)),
        Attribute(np.array(car), 2, False, (np.arange(2),)),
    ]
    steps: list[Step] = []
    grown = grow(attributes, np.array(labels), 2, Rules(k=10, ell=1.99), steps.append)
    assert [(step.node, step.attribute, step.is_taken) for step in steps] == [(0, 1, True), (1, 0, True), (2, 0, True)]
    assert np.bincount(grown.span_of_row).tolist() == [10, 10]


def test_private_numbers_that_differ_are_not_diverse_beyond_the_threshold_that_the_tree_names() -> None:
    # code 0 of income is low, 1 and 2 are high; five men have low ones and no woman.  The tree asks for low or high:
    # to part by sex then would tell that all women are high, however much their incomes differ
    sex = Attribute(np.repeat([0, 1], 10), 2, True, (np.arange(2),))
    income = Attribute(np.array([1] * 5 + [2] * 5 + [0] * 5 + [1, 1, 2, 2, 1]), 3, False, None)
    labels = np.array([1, 1, 0, 1, 1] * 2 + [0] * 5 + [0, 1, 0, 1, 0])
    steps: list[Step] = []
    grow([sex, income], labels, 2, Rules(k=1, ell=1.5, max_depth=2), steps.append)
    assert (steps[0].attribute, steps[0].option, steps[0].is_taken) == (1, 0, True)
    assert [step.is_taken for step in steps if step.attribute == 0] == [False]
    steps.clear()
    grow([sex, income], labels, 2, Rules(k=1, max_depth=2), steps.append)
    assert [step.is_taken for step in steps if step.attribute == 0] == [True]


def coded(values: list[str], *, is_public: bool) -> tuple[Attribute, list[str]]:
    names, codes = np.unique(values, return_inverse=True)
    return Attribute(codes, len(names), is_public, (np.arange(len(names)),)), names.tolist()


def test_figure_4_step_by_step(data: Path) -> None:
    examples = json.loads((data / "p3_worked_examples.json").read_text())
    table, expected = examples["section4_1_decision_tree"]["table4"], examples["figure4_induction"]
    names, married, car, risk = ([row[i] for row in table["rows"]] for i in range(4))
    attributes = [coded(married, is_public=True)[0], coded(car, is_public=False)[0]]  # no = 0, yes = 1
    labels = np.array([value == "good" for value in risk]).astype(int)  # bad = 0, good = 1
    steps: list[Step] = []
    grown = grow(attributes, labels, 2, Rules(k=expected["k"]), steps.append)
    assert grown.nodes[0].counts.tolist() == [4, 2]
    candidates = [step.get("candidates") for step in expected["steps"]]
    assert steps[0] == Step(0, 1, 0, pytest.approx(candidates[1]["l_0:Sports Car"], abs=1e-6), True)  # type: ignore[arg-type]
    no, yes = grown.nodes[0].children
    assert [grown.nodes[no].counts.tolist(), grown.nodes[yes].counts.tolist()] == [[3, 0], [1, 2]]
    # the other candidates gain nothing and never wait
    assert steps[1:] == [Step(yes, 0, 0, pytest.approx(candidates[2]["l_Yes:Marital Status"], abs=1e-6), True)]  # type: ignore[arg-type]
    spans = {
        frozenset(name for name, span in zip(names, grown.span_of_row, strict=True) if span == number)
        for number in set(grown.span_of_row.tolist())
    }
    assert spans == {frozenset(members) for members in expected["steps"][2]["spans"].values()}
    bins = {tuple(node.counts.tolist()) for node in grown.nodes if not node.children}
    assert bins == {(b["bad"], b["good"]) for b in examples["section4_1_decision_tree"]["bins"].values()}


def test_a_public_sports_car_leaves_john_alone(data: Path) -> None:
    # 4.1: with both public, John is alone among the married with one; three rows are kept by splitting once
    table = json.loads((data / "p3_worked_examples.json").read_text())["section4_1_decision_tree"]["table4"]
    married, car, risk = ([row[i] for row in table["rows"]] for i in range(1, 4))
    attributes = [coded(married, is_public=True)[0], coded(car, is_public=True)[0]]
    labels = np.array([value == "good" for value in risk]).astype(int)
    steps: list[Step] = []
    grown = grow(attributes, labels, 2, Rules(k=3), steps.append)
    assert [(step.node, step.attribute, step.is_taken) for step in steps] == [(0, 1, True)]
    assert np.bincount(grown.span_of_row).tolist() == [3, 3]


def test_large_leaves_are_not_enough(data: Path) -> None:
    # every leaf would have 5 rows or none, but one person could be told from all others
    case = json.loads((data / "p3_worked_examples.json").read_text())["leaf_size_is_not_enough"]
    rows = [(row["A"], row["P"]) for row in case["rows"] for _ in range(row["count"])]
    left = dict(case["class_one_rows"])
    labels = []
    for a, p in rows:
        labels.append(int(left[f"{a}/{p}"] > 0))
        left[f"{a}/{p}"] -= 1
    attributes = [coded([a for a, _ in rows], is_public=True)[0], coded([p for _, p in rows], is_public=False)[0]]
    steps: list[Step] = []
    grown = grow(attributes, np.array(labels), 2, Rules(k=case["k"]), steps.append)
    names = {0: "A", 1: "P"}
    yes = grown.nodes[0].children[1]
    told = [
        ("root" if s.node == 0 else "yes", names[s.attribute], "split" if s.is_taken else "rejected") for s in steps
    ]
    assert {step.node for step in steps} <= {0, yes}
    assert told == [(step["node"], step["attribute"], step["result"]) for step in case["induction"]]


def test_a_span_of_one_class_may_be_small() -> None:
    # public class, public attribute: nothing private is told, so one row may stand alone
    sex = Attribute(np.array([0, 1, 1, 1]), 2, True, (np.array([0, 1]),))
    labels = np.array([0, 1, 1, 1])
    assert len(grow([sex], labels, 2, Rules(k=2, class_is_public=True)).nodes) == 3
    assert len(grow([sex], labels, 2, Rules(k=2)).nodes) == 1


def test_a_private_split_is_refused_where_a_public_class_stands_alone() -> None:
    # one row of class 0: its span is a single class, and a private split would tell its private value
    car = Attribute(np.array([0, 1, 1, 1]), 2, False, (np.array([0, 1]),))
    assert len(grow([car], np.array([0, 1, 1, 1]), 2, Rules(k=2, class_is_public=True)).nodes) == 1
    assert len(grow([car], np.array([0, 0, 1, 1]), 2, Rules(k=2, class_is_public=True)).nodes) == 3


def test_a_branch_that_no_value_reaches_is_left_out() -> None:
    # all four values at once would leave the last with one row; so first 0 and 1 against 2 and 3, then 0 against 1
    place = Attribute(np.array([0, 0, 1, 1, 2, 2, 2, 3]), 4, True, (np.array([0, 0, 1, 1]), np.arange(4)))
    steps: list[Step] = []
    grown = grow([place], np.array([0, 0, 1, 1, 2, 2, 2, 2]), 3, Rules(k=2), steps.append)
    assert [(step.node, step.option, step.is_taken) for step in steps] == [(0, 1, False), (0, 0, True), (1, 1, True)]
    assert [node.branches for node in grown.nodes] == [(0, 1), (0, 1), (), (), ()]
    assert grown.nodes[1].children == (3, 4)


def test_equal_gains_go_to_the_coarse_level_or_to_the_fine_one() -> None:
    # values 0 and 1 are one branch of the coarse level; only 0 and 2 occur, so both levels part the rows alike
    place = Attribute(np.array([0, 0, 2, 2]), 3, True, (np.array([0, 0, 1]), np.arange(3)))
    labels = np.array([0, 0, 1, 1])
    assert grow([place], labels, 2, Rules(k=2)).nodes[0].option == 0
    assert grow([place], labels, 2, Rules(k=2, fine_first=True)).nodes[0].option == 1


def test_the_middle_of_cuts_alike_is_taken() -> None:
    # nobody has codes 1 to 5: cuts 0 to 5 part alike, the middle ones are 2 and 3
    age = Attribute(np.array([0, 0, 6, 6]), 7, True, None)
    assert grow([age], np.array([0, 0, 1, 1]), 2, Rules(k=2)).nodes[0].option == 2


@pytest.mark.parametrize(("depth", "min_rows", "n_nodes"), [(0, 2, 1), (1, 2, 3), (2, 2, 7), (2, 4, 3), (2, 5, 1)])
def test_depth_and_rows_end_the_growth(depth: int, min_rows: int, n_nodes: int) -> None:
    # 0011 in the first, 01 within each half by the second
    first = Attribute(np.repeat([0, 1], 2), 2, False, (np.arange(2),))
    second = Attribute(np.array([0, 1, 0, 1]), 2, False, (np.arange(2),))
    labels = np.array([0, 1, 1, 2])
    assert len(grow([first, second], labels, 3, Rules(k=1, max_depth=depth, min_rows=min_rows)).nodes) == n_nodes


def test_open_leaves_together_keep_no_more_counts_than_the_table_has_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2,000 labels x 4 classes are 8,000 counts for every leaf: with a hundred open leaves that is more than the table
    random = np.random.default_rng(4)
    n, size = 1200, 2000
    town = Attribute(random.integers(0, size, n), size, True, ((np.arange(size) % 2),))
    age = Attribute(random.integers(0, 90, n), 90, True, None)
    kept: list[int] = []

    def enqueue(self: _Induction, leaf: Any) -> None:
        kept.append(sum(one.counts.size for one in self.leaves.values() if one.counts is not None))
        add(self, leaf)

    add = _Induction._enqueue
    monkeypatch.setattr(_Induction, "_enqueue", enqueue)
    grown = grow([town, age], random.integers(0, 4, n), 4, Rules(k=2))
    assert len(grown.nodes) > 200
    assert max(kept) <= 2 * n


def test_fewer_rows_than_k_are_refused() -> None:
    sex = Attribute(np.array([0, 1]), 2, True, (np.arange(2),))
    with pytest.raises(Infeasible, match=r"k = 3 needs at least 3 rows; there are 2"):
        grow([sex], np.array([0, 1]), 2, Rules(k=3))


def test_classes_that_are_not_diverse_at_all_are_refused() -> None:
    sex = Attribute(np.array([0, 1, 0]), 2, True, (np.arange(2),))
    with pytest.raises(Infeasible, match=r"do not reach entropy l-diversity with l = 1.9"):
        grow([sex], np.array([0, 1, 1]), 2, Rules(k=1, ell=1.9))


def test_the_oracle_finds_a_person_who_stands_alone() -> None:
    # one public attribute of three values, one row each: with a private class every row is a span of its own
    plain = [PlainAttribute([0, 1, 2], 3, True, [[0, 1, 2]])]
    nodes = [PlainNode(0, 0, {0: 1, 1: 2, 2: 3}), PlainNode(), PlainNode(), PlainNode()]
    assert leaf_of(nodes, plain, [2]) == 3
    assert exposed_below(spans_by_enumeration(nodes, plain, [0, 1, 0], 2, False), 2) == 3
    assert exposed_below(spans_by_enumeration(nodes, plain, [0, 1, 0], 2, True), 2) == 0
