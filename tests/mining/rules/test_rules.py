"""Spans of released association rules: the paper's case, brute force, counts that others work out, refusals."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import covey
from covey.base.errors import CoveyError
from covey.mining.rules.rules import OUTCOMES, Rule, implied_counts, read_items, read_rules, rule_spans
from covey.mining.spans import linked
from mining_carts import carts_of_section_4_3
from oracles import rules as plain

needs_data = pytest.mark.skipif("COVEY_DATA" not in os.environ, reason="COVEY_DATA is not set")


def section_4_3() -> Any:
    path = Path(os.environ["COVEY_DATA"]) / "p3_worked_examples.json"
    return json.loads(path.read_text(encoding="utf-8"))["section4_3_rules"]


@needs_data
def test_the_rules_of_section_4_3_are_safe_at_30_and_not_at_31() -> None:
    case = section_4_3()
    rules = [(rule["lhs"], rule["rhs"], rule["support"], rule["confidence"]) for rule in case["rules"]]
    found = rule_spans(rules, carts_of_section_4_3(), case["public_items"])
    assert sorted(found.spans.populations.tolist()) == [30, 82, 888]
    assert found.spans.k_reached == case["k_max_both_rules"] == 30
    assert len(found.spans.below(30)) == 0
    assert found.spans.populations[found.spans.below(31)].tolist() == [30]
    by_population = {span["population"]: span for span in case["spans"]}
    total = 0
    for span, population in enumerate(found.spans.populations.tolist()):
        wanted = by_population[population]
        assert found.n_classes(span) == wanted["classes"]
        assert bool(found.spans.multiple[span]) == (wanted["flag"] == "multiple")
        total += wanted["classes"]
    assert total == case["classes_real"]
    assert 3 ** len(rules) == case["classes_nominal"]
    words = dict(zip(found.spans.populations.tolist(), found.spans.words, strict=True))
    assert words == {
        888: ("no Cherries",),
        30: ("Birthday Candles, Cherries",),
        82: ("Cherries, no Birthday Candles",),
    }


@needs_data
def test_what_others_learn_of_the_thirty_of_section_4_3() -> None:
    case = section_4_3()
    rules = [(rule["lhs"], rule["rhs"], rule["support"], rule["confidence"]) for rule in case["rules"]]
    found = rule_spans(rules, carts_of_section_4_3(), case["public_items"])
    link = linked(found.spans, found.class_of_row, found.spans.below(31))[0]
    assert link.people == 30
    tylenol = sum(n for c, n in link.counts if "{Tylenol}: both sides" in found.class_names[c])
    assert (tylenol, link.people - tylenol) == (case["s2_detail"]["tylenol"], case["s2_detail"]["no_tylenol"])
    counts = [(one.left, one.both) for one in found.counts]
    assert counts == [(rule["lhs_count"], rule["both_count"]) for rule in case["rules"]]
    # 0.084 and 0.75, to three and two decimals, leave one possible count: 84 / 0.755 .. 84 / 0.745 holds only 112
    assert [one.left_implied for one in found.counts] == [(112, 112), (30, 30)]
    assert all(one.agrees for one in found.counts)


@needs_data
def test_the_first_rule_of_section_4_3_alone_is_safe_up_to_112() -> None:
    found = rule_spans([(["Cherries"], ["Viagra"])], carts_of_section_4_3(), ["Cherries", "Birthday Candles"])
    assert found.spans.k_reached == section_4_3()["k_max_first_rule_only"] == 112


# --- brute force ---------------------------------------------------------------------------------------------------

ITEMS = ["a", "b", "c", "d", "e", "f"]


def random_rules(rng: np.random.Generator, n_rules: int) -> list[plain.Rule]:
    rules = []
    for _ in range(n_rules):
        chosen = rng.permutation(ITEMS)[: int(rng.integers(1, 5))].tolist()
        cut = int(rng.integers(0, len(chosen)))
        rules.append((frozenset(chosen[:cut]), frozenset(chosen[cut:])))
    return rules


def random_carts(rng: np.random.Generator, n: int) -> list[frozenset[str]]:
    share = rng.uniform(0.2, 0.9, len(ITEMS))
    return [frozenset(np.array(ITEMS)[rng.random(len(ITEMS)) < share].tolist()) for _ in range(n)]


@pytest.mark.parametrize("seed", range(4))
def test_spans_are_those_of_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(300):  # 1,200 sets of rules in all, of 12 rows each
        rules = random_rules(rng, int(rng.integers(1, 5)))
        carts = random_carts(rng, 12)
        public = frozenset(rng.permutation(ITEMS)[: int(rng.integers(0, 7))].tolist())
        known = frozenset().union(*carts, *(left | right for left, right in rules))
        found = rule_spans(rules, list(carts), sorted(public & known))
        wanted = [plain.span(rules, cart, public) for cart in carts]
        for i, j in zip(*np.triu_indices(len(carts), 1), strict=True):
            assert (found.spans.of_row[i] == found.spans.of_row[j]) == (wanted[i] == wanted[j])
        for i, span in enumerate(found.spans.of_row.tolist()):
            assert bool(found.spans.multiple[span]) == (len(wanted[i]) > 1)
            assert found.n_classes(span) == len(wanted[i])
            open_rules = {r for joint in wanted[i] for r, o in enumerate(joint) if o}
            marginal = {3 * r + o for joint in wanted[i] for r, o in enumerate(joint) if r in open_rules}
            assert found.spans.classes[span] == marginal
        outcomes = [tuple(plain.outcome(rule, cart) for rule in rules) for cart in carts]
        for i, j in zip(*np.triu_indices(len(carts), 1), strict=True):
            assert (found.class_of_row[i] == found.class_of_row[j]) == (outcomes[i] == outcomes[j])
        assert found.spans.k_reached == plain.k_reached(rules, carts, public)


def test_many_rules_over_many_rows_are_read_by_their_patterns() -> None:
    rng = np.random.default_rng(1)
    carts = random_carts(rng, 400)
    rules = random_rules(rng, 150)
    found = rule_spans(rules, list(carts), ["a", "b", "c"])
    assert len(found.spans.populations) <= 2**3
    assert found.spans.k_reached == min(plain_population(rules, carts).values())


def plain_population(rules: list[plain.Rule], carts: list[frozenset[str]]) -> dict[frozenset[str], int]:
    """Return the rows of each set of public items; with so many rules each is a span of its own."""
    population: dict[frozenset[str], int] = {}
    for cart in carts:
        population[cart & {"a", "b", "c"}] = population.get(cart & {"a", "b", "c"}, 0) + 1
    return population


# --- reading -------------------------------------------------------------------------------------------------------


def test_mlxtend_s_frame_and_plain_tuples_give_the_same() -> None:
    from mlxtend.frequent_patterns import association_rules, fpgrowth

    carts = random_carts(np.random.default_rng(2), 200)
    frame = pd.DataFrame([{item: item in cart for item in ITEMS} for cart in carts])
    frequent = fpgrowth(frame, min_support=0.2, use_colnames=True)
    rules = association_rules(frequent, metric="confidence", min_threshold=0.6)
    assert len(rules) > 5
    released = rules[["antecedents", "consequents", "support", "confidence"]]
    by_frame = rule_spans(released, frame, ["a", "b", "c"])
    tuples = list(zip(rules["antecedents"], rules["consequents"], rules["support"], rules["confidence"], strict=True))
    by_tuples = rule_spans(tuples, list(carts), ["a", "b", "c"])
    assert (by_frame.spans.of_row == by_tuples.spans.of_row).all()
    assert by_frame.spans.words == by_tuples.spans.words
    assert all(one.agrees for one in by_frame.counts)
    # unrounded shares leave one possible count each
    assert all(one.left_implied == (one.left, one.left) for one in by_frame.counts)


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame])
def test_columns_of_0_and_1_are_items_and_others_are_refused_if_they_are_named(make: Any) -> None:
    table = make({"tea": [1, 0, 1], "milk": [True, True, False], "age": [34, 35, 36], "jam": ["yes", "no", "no"]})
    found = rule_spans([("tea", "milk")], table, ["tea"])
    assert found.spans.populations.tolist() == [2, 1]
    for rules, public in (([("tea", "age"), ("jam", "tea")], ["tea"]), ([("tea", "milk")], ["tea", "age", "jam"])):
        with pytest.raises(CoveyError) as caught:
            rule_spans(rules, table, public)
        assert caught.value.code == "not-boolean"
        assert caught.value.message == "columns `age`, `jam` hold other values than true and false"
        assert "get_dummies" in caught.value.hint
    with pytest.raises(CoveyError, match="column `age` holds other values"):
        covey.audit([("tea", "age")], table, public=["tea"], k=2)


def test_an_item_that_a_raw_table_lacks_is_refused_with_the_columns_that_are_no_items() -> None:
    table = pa.table({"sex": ["f", "m", "f"], "tea": [True, False, True]})
    for rules, public in (([("sex=f", "tea")], ["tea"]), ([], ["sex=f"])):
        with pytest.raises(CoveyError, match="there is no item `sex=f`") as caught:
            rule_spans(rules, table, public)
        assert caught.value.code == "unknown-column"
        assert caught.value.hint.startswith("column `sex` holds other values than true and false; make one column")


@pytest.mark.parametrize("missing", ["f", "g"])
@pytest.mark.parametrize("make", [pa.table, pd.DataFrame])
def test_a_missing_value_of_a_named_item_is_refused_and_elsewhere_no_matter(make: Any, missing: str) -> None:
    table = make({"a": [1, 0, 1], "f": [True, None, None], "g": [1.0, None, 0.0]})
    with pytest.raises(CoveyError) as caught:
        rule_spans([("a", missing)], table, ["a"])
    assert caught.value.code == "missing-values"
    lacks = {"f": "column `f` lacks 2 values", "g": "column `g` lacks 1 value"}[missing]
    assert caught.value.message == f"{lacks}, so that whether the item is there is not known"
    other = make({"a": [1, 0, 1], "b": [0, 0, 1], "f": [True, None, None]})
    assert rule_spans([("a", "b")], other, ["a"]).spans.k_reached == 2


def test_true_and_false_are_read_from_every_kind_of_column() -> None:
    kinds = {
        "whole": pa.array([1, 0, 1], pa.int8()),
        "real": pa.array([1.0, 0.0, 1.0]),
        "decimal": pa.array([1, 0, 1], pa.decimal128(5, 2)),
        "truth": pa.array([True, False, True]),
        "coded": pa.array([True, False, True]).dictionary_encode(),
    }
    items = read_items(pa.table(kinds))
    assert items.others == ()
    assert {name: found.tolist() for name, found in items.columns.items()} == {
        name: [True, False, True] for name in kinds
    }
    not_items = {
        "empty": pa.nulls(3),
        "nan": pa.array([1.0, float("nan"), 0.0]),
        "two": pa.array([0, 1, 2]),
        "text": pa.array(["0", "1", "1"]),
    }
    refused = read_items(pa.table(not_items))
    assert (refused.others, refused.n_missing) == (("nan", "two", "text"), {"empty": 3})


def test_no_rule_and_no_public_item_expose_nobody_apart() -> None:
    assert rule_spans([], [{"a"}, {"b"}], ["a"]).spans.k_reached == 2
    nothing_seen = rule_spans([("a", "b")], [{"a"}, {"b"}, {"a", "b"}], [])
    assert nothing_seen.spans.words == (("everybody",),)
    assert nothing_seen.spans.multiple.tolist() == [True]
    assert nothing_seen.n_classes(0) == 3


def test_a_rule_of_public_items_parts_spans_of_one_class() -> None:
    found = rule_spans([("a", "b")], [{"a", "b"}, {"a"}, set()], ["a", "b"])
    assert found.spans.populations.tolist() == [1, 1, 1]
    assert not found.spans.multiple.any()
    assert found.spans.k_reached == 3


def test_words_name_what_the_rows_of_a_span_agree_on_or_list_their_patterns() -> None:
    # both sides of {a, b} -> {z} are missing unless a and b are there: three patterns that agree on nothing
    found = rule_spans([(["a", "b"], "z")], [{"a", "b"}, {"a"}, {"b"}, set()], ["a", "b"])
    assert found.spans.words == (("a, b",), ("a, no b or b, no a or no a, no b",))


# --- counts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("support", "confidence", "digits", "left", "both"),
    [
        (0.084, 0.75, (3, 2), (112, 112), (84, 84)),
        (0.084, 0.8, (3, 1), (99, 112), (84, 84)),  # 84 / 0.85 .. 84 / 0.75
        (0.08, 0.75, (2, 2), (100, 114), (75, 85)),  # 75 / 0.755 .. 85 / 0.745
        (0.0, 0.0, (2, 2), (0, 1000), (0, 5)),
        (1.0, 1.0, (2, 2), (995, 1000), (995, 1000)),
        (0.084, None, (3, 2), None, (84, 84)),
        (None, 0.75, (3, 2), None, None),
    ],
)
def test_rounded_shares_leave_a_range_of_counts(
    support: float | None, confidence: float | None, digits: tuple[int, int], left: Any, both: Any
) -> None:
    assert implied_counts(1000, support, confidence, digits) == (left, both)


def test_every_true_count_lies_in_what_its_rounded_shares_imply() -> None:
    rng = np.random.default_rng(5)
    for _ in range(3000):
        n = int(rng.integers(1, 3000))
        left = int(rng.integers(1, n + 1))
        both = int(rng.integers(0, left + 1))
        digits = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        shares = round(both / n, digits[0]), round(both / left, digits[1])
        left_ends, both_ends = implied_counts(n, *shares, digits)
        assert left_ends is not None
        assert both_ends is not None
        assert left_ends[0] <= left <= left_ends[1]
        assert both_ends[0] <= both <= both_ends[1]


def test_rules_of_another_table_do_not_agree() -> None:
    found = rule_spans([("a", "b", 0.25, 0.5)], [{"a", "b"}, {"a"}, {"c"}, {"c"}], ["a"])
    assert [one.agrees for one in found.counts] == [True]
    assert [one.agrees for one in rule_spans([("a", "b", 0.25, 0.5)], [{"a", "b"}] * 4, ["a"]).counts] == [False]


# --- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "table", "public", "code"),
    [
        ([("a",)], [{"a"}], ["a"], "bad-parameter"),
        ([5], [{"a"}], ["a"], "bad-parameter"),
        ([("a", "a")], [{"a"}], ["a"], "bad-parameter"),
        ([("a", [])], [{"a"}], ["a"], "bad-parameter"),
        ([([1], [2])], [{"a"}], ["a"], "bad-parameter"),
        ([("a", "b", 84, 0.5)], [{"a"}], ["a"], "bad-parameter"),
        ([("a", "b")], [{"a"}], ["x"], "unknown-column"),
        ([("a", "b")], [{"a"}], "a", "bad-parameter"),
        ([("a", "b")], ["ab"], ["a"], "not-a-table"),
        ([("a", "b")], [], ["a"], "empty-table"),
        ([("a", "b")], pa.table({"a": [True]}), ["a"], "unknown-column"),
        (pd.DataFrame({"left": [1]}), [{"a"}], ["a"], "bad-parameter"),
    ],
)
def test_what_cannot_be_used_is_refused(rules: Any, table: Any, public: Any, code: str) -> None:
    with pytest.raises(CoveyError) as caught:
        rule_spans(rules, table, public)
    assert caught.value.code == code
    assert caught.value.hint


def test_rules_are_read_in_any_form() -> None:
    wanted = Rule(("a", "b"), ("c",), 0.5, 1.0)
    assert read_rules([wanted, (["b", "a"], "c", 0.5, 1), [{"a", "b"}, {"c"}, 0.5, 1.0]]) == (wanted,) * 3
    assert str(wanted) == "{a, b} -> {c}"


# --- lift and the like ----------------------------------------------------------------------------------------------


def test_a_frame_with_lift_tells_of_those_who_have_the_right_side_alone() -> None:
    # support and confidence speak of the six who bought candles; lift gives away that eight bought cherries and pills,
    # so that both who bought cherries without candles bought pills too
    carts = [{"candles", "cherries", "pills"}] * 6 + [{"cherries", "pills"}] * 2 + [{"bread"}] * 8
    rules = pd.DataFrame(
        {
            "antecedents": [frozenset({"candles"})],
            "consequents": [frozenset({"cherries", "pills"})],
            "support": [6 / 16],
            "confidence": [1.0],
            "lift": [2.0],
        }
    )
    seen = ["candles", "cherries", "bread"]
    with_lift = rule_spans(rules, carts, seen)
    assert with_lift.spans.k_reached == 2
    exposed = linked(with_lift.spans, with_lift.class_of_row, with_lift.spans.below(6))
    assert [(one.words, one.people) for one in exposed] == [(("cherries, no candles",), 2)]
    assert with_lift.class_names[exposed[0].counts[0][0]] == "{candles} -> {cherries, pills}: right side only"
    # cherries and no pills, or both
    assert with_lift.n_classes(int(with_lift.spans.of_row[6])) == 2
    assert rule_spans(rules.drop(columns="lift"), carts, seen).spans.k_reached == 6


@pytest.mark.parametrize("seed", range(2))
def test_spans_of_rules_with_and_without_lift_are_those_of_enumeration(seed: int) -> None:
    # that so many rows have the right side is what a rule with nothing on its left says
    rng = np.random.default_rng(seed)
    for _ in range(200):
        rules = random_rules(rng, int(rng.integers(1, 4)))
        tells = rng.random(len(rules)) < 0.5
        carts = random_carts(rng, 12)
        public = frozenset(rng.permutation(ITEMS)[: int(rng.integers(0, 7))].tolist())
        known = frozenset().union(*carts, *(left | right for left, right in rules))
        given = [
            Rule(tuple(sorted(left)), tuple(sorted(right)), tells_right=bool(one))
            for (left, right), one in zip(rules, tells, strict=True)
        ]
        found = rule_spans(given, list(carts), sorted(public & known))
        every = rules + [(frozenset(), right) for (_, right), one in zip(rules, tells, strict=True) if one]
        wanted = [plain.span(every, cart, public) for cart in carts]
        for i, j in zip(*np.triu_indices(len(carts), 1), strict=True):
            assert (found.spans.of_row[i] == found.spans.of_row[j]) == (wanted[i] == wanted[j])
        for i, span in enumerate(found.spans.of_row.tolist()):
            assert found.n_classes(span) == len(wanted[i])
            assert all(0 <= number < len(found.outcome_names) for number in found.spans.classes[span])
        assert found.spans.k_reached == plain.k_reached(every, carts, public)


def test_the_joint_outcomes_of_more_rules_than_one_number_holds_are_told_apart() -> None:
    rng = np.random.default_rng(4)
    carts = random_carts(rng, 60)
    rules = random_rules(rng, 100)
    found = rule_spans(rules, list(carts), ["a"])
    outcomes = [tuple(plain.outcome(rule, cart) for rule in rules) for cart in carts]
    place = {outcome: i for i, outcome in enumerate(sorted(set(outcomes)))}
    assert found.class_of_row.tolist() == [place[outcome] for outcome in outcomes]
    for row, outcome in enumerate(outcomes):
        active = [r for r, one in enumerate(outcome) if one]
        name = found.class_names[found.class_of_row[row]]
        assert len(name) <= 120
        told = [] if name == "no left side" else name.split("; ")
        shown = [part for part in told if "more rule" not in part]
        true = [f"{found.rules[r]}: {OUTCOMES[outcome[r]]}" for r in active]
        # whole rules with their true outcomes, and the others are counted
        assert all(part in true for part in shown)
        left = len(active) - len(shown)
        assert told[len(shown) :] == ([f"{left} more rule{'s' if left > 1 else ''}"] if left else [])


# --- words ---------------------------------------------------------------------------------------------------------


def test_many_items_that_are_not_there_are_counted_after_those_that_are() -> None:
    jobs = [f"job={name}" for name in ("clerk", "cook", "nurse", "pilot", "smith", "none")]
    carts = [*({job, "pills"} for job in jobs), {"pills"}]
    found = rule_spans([(job, "pills") for job in jobs], carts, jobs)
    assert [found.spans.words[span] for span in found.spans.of_row.tolist()] == [
        *((f"{job}, none of 5 others",) for job in jobs),
        ("none of 6 items",),
    ]


def test_spans_that_would_read_alike_name_all_items() -> None:
    # three carts have eight items that are named, one more, and lack four
    items = [*"abcdefghijklm"]
    carts = [{*items[:8], more} for more in "ijk"] + [set(items[:8])]
    found = rule_spans([(item, "z") for item in items], [{*cart, "z"} for cart in carts], items)
    assert [found.spans.words[span] for span in found.spans.of_row.tolist()] == [
        ("a, b, c, d, e, f, g, h, i, no j, no k, no l, no m",),
        ("a, b, c, d, e, f, g, h, j, no i, no k, no l, no m",),
        ("a, b, c, d, e, f, g, h, k, no i, no j, no l, no m",),
        ("a, b, c, d, e, f, g, h, none of 5 others",),
    ]


def test_a_class_names_whole_rules_and_first_those_that_tell_something_new_and_private() -> None:
    # everybody sees a and b; that z is there follows from the second rule, and the next two say it once more
    rules = [("a", "b"), ("a", "z"), ("b", "z"), (["a", "b"], "z"), (["a", "b"], "another private thing")]
    name = rule_spans(rules, [{"a", "b", "z", "another private thing"}], ["a", "b"]).class_names[0]
    told = ["{a} -> {z}", "{a, b} -> {another private thing}", "{b} -> {z}"]
    assert name == "; ".join([*(f"{rule}: both sides" for rule in told), "2 more rules"])
    assert len(f"{name}; {{a, b}} -> {{z}}: both sides") > 120


def test_a_class_of_one_long_rule_names_some_of_its_items() -> None:
    many = [f"item number {i}" for i in range(10, 20)]
    name = rule_spans([(many, "z")], [{*many, "z"}], many).class_names[0]
    assert name == "{item number 10, item number 11, item number 12, 7 more} -> {z}: both sides"
