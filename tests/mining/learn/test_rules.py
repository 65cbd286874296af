"""The largest set of rules that can be released together."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from covey.base.errors import CoveyError
from covey.mining.learn import rules as safe_rules
from covey.mining.learn.rules import INTERESTS, KAnonymousRules, keep_safe
from covey.mining.rules.rules import Rule, rule_spans
from mining_carts import carts_of_section_4_3
from oracles import rules as plain

ITEMS = ["a", "b", "c", "d", "e", "f"]
FIRST = Rule(("Cherries",), ("Viagra",), 0.084, 0.75)
SECOND = Rule(("Birthday Candles", "Cherries"), ("Tylenol",), 0.024, 0.8)
SEEN = ["Cherries", "Birthday Candles"]


def random_carts(rng: np.random.Generator, n: int) -> list[frozenset[str]]:
    share = rng.uniform(0.2, 0.9, len(ITEMS))
    return [frozenset(np.array(ITEMS)[rng.random(len(ITEMS)) < share].tolist()) for _ in range(n)]


@pytest.mark.parametrize(("k", "kept"), [(30, (FIRST, SECOND)), (31, (FIRST,)), (112, (FIRST,)), (113, ())])
def test_of_section_4_3_both_rules_are_kept_at_30_and_the_first_up_to_112(k: int, kept: tuple[Rule, ...]) -> None:
    found = keep_safe([FIRST, SECOND], carts_of_section_4_3(), SEEN, k)
    assert found.rules == kept
    assert found.is_exact
    for withheld in found.withheld:
        # the second splits the 112 with cherries into 30 and 82; by itself it leaves 30 people
        assert withheld.people == (112 if withheld.rule == FIRST else 30)
        assert withheld.alone
        assert withheld.reason == f"by itself it would tie {withheld.people} rows to private items"


def test_a_rule_that_only_the_others_forbid_says_so() -> None:
    # each rule alone leaves spans of 3 and 3; together (a and b, a alone, b alone, neither): 2, 1, 1, 2
    carts = [{"a", "b", "z"}, {"a", "b"}, {"a"}, {"b"}, {"c", "z"}, {"c"}]
    rules = [Rule(("a",), ("z",)), Rule(("b",), ("z",))]
    found = keep_safe(rules, carts, ["a", "b", "c"], k=3, interest=[0.1, 0.9])
    assert found.rules == (rules[1],)
    assert [(one.rule, one.people, one.alone) for one in found.withheld] == [(rules[0], 1, False)]
    assert found.withheld[0].reason == "beside the rules that are kept it would tie 1 row to private items"


@pytest.mark.parametrize("seed", range(3))
def test_the_exact_search_finds_the_largest_set(seed: int) -> None:
    rng = np.random.default_rng(seed)
    larger = 0
    for _ in range(40):
        carts = random_carts(rng, int(rng.integers(6, 25)))
        rules = []
        for _ in range(int(rng.integers(1, 7))):
            chosen = rng.permutation(ITEMS)[: int(rng.integers(2, 4))].tolist()
            rules.append(Rule(tuple(sorted(chosen[:-1])), (chosen[-1],)))
        public = ["a", "b", "c", "d"]
        k = int(rng.integers(2, 6))
        as_sets = [(frozenset(rule.left), frozenset(rule.right)) for rule in rules]
        interest = rng.random(len(rules))
        exact = keep_safe(rules, list(carts) + [set(ITEMS)] * 2, public, k, interest)
        wanted = plain.largest_safe(as_sets, [*carts, *[frozenset(ITEMS)] * 2], frozenset(public), k)
        assert len(exact.rules) == wanted
        greedy = keep_safe(rules, list(carts) + [set(ITEMS)] * 2, public, k, interest, exact_up_to=0)
        assert len(greedy.rules) <= wanted
        larger += len(greedy.rules) < wanted
        for one in greedy.withheld:  # nothing can be added
            every = [*carts, *[frozenset(ITEMS)] * 2]
            together = [(frozenset(r.left), frozenset(r.right)) for r in (*greedy.rules, one.rule)]
            assert plain.k_reached(together, every, frozenset(public)) < k
            told_of = together[-1:] if one.alone else together
            assert plain.k_reached(told_of, every, frozenset(public)) == one.people < k
    assert larger  # the exact search is worth its time somewhere


@pytest.mark.parametrize("interest", INTERESTS)
def test_what_is_kept_is_safe_by_the_audit(interest: str) -> None:
    carts = random_carts(np.random.default_rng(4), 300)
    frame = pd.DataFrame([{item: item in cart for item in ITEMS} for cart in carts])
    for k in (5, 20, 60):
        model = KAnonymousRules(k, ["a", "b", "c"], min_support=0.05, min_confidence=0.3, interest=interest).fit(frame)
        assert model.rules_
        assert rule_spans(model.rules_, frame, ["a", "b", "c"]).spans.k_reached >= k
        assert len(model.rules_) + len(model.withheld_) == model.n_frequent_
        assert all(one.people < k for one in model.withheld_)


def test_transactions_and_frames_give_the_same_rules() -> None:
    carts = random_carts(np.random.default_rng(5), 100)
    frame = pd.DataFrame([{item: item in cart for item in ITEMS} for cart in carts])
    one, two = (KAnonymousRules(5, ["a", "b"], min_support=0.2).fit(table) for table in (list(carts), frame))
    assert one.rules_ == two.rules_


def test_a_saved_model_tells_nothing_of_what_was_withheld() -> None:
    carts = [*carts_of_section_4_3()]
    model = KAnonymousRules(31, SEEN, min_support=0.02, min_confidence=0.7).fit(carts)
    assert {one.rule for one in model.withheld_} >= {Rule(SECOND.left, SECOND.right, 0.024, 0.8)}
    text = model.to_json()
    assert json.loads(text)["rules"] == [
        {"left": list(r.left), "right": list(r.right), "support": r.support, "confidence": r.confidence}
        for r in model.rules_
    ]
    assert "withheld" not in text
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 (made here)
    for saved in (again, copy.deepcopy(model)):
        assert saved.rules_ == model.rules_
        assert not hasattr(saved, "withheld_")
        assert not hasattr(saved, "n_frequent_")
    assert b"withheld" not in pickle.dumps(model)


def test_the_frame_reads_like_mlxtend_s() -> None:
    carts = carts_of_section_4_3()
    model = KAnonymousRules(30, SEEN, min_support=0.02, min_confidence=0.7).fit(carts)
    frame = model.to_frame()
    assert list(frame.columns) == ["antecedents", "consequents", "support", "confidence"]
    assert rule_spans(frame, carts, SEEN).spans.k_reached >= 30


def test_a_table_without_frequent_rules_gives_none() -> None:
    for carts in ([{"a"}, {"b"}, {"c"}], [set(), set(), set()]):
        model = KAnonymousRules(2, [], min_support=0.5).fit(carts)
        assert model.rules_ == ()
        assert model.withheld_ == ()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"k": 1}, "bad-parameter"),
        ({"min_support": 0}, "bad-parameter"),
        ({"min_confidence": 1.5}, "bad-parameter"),
        ({"interest": "conviction"}, "bad-parameter"),
        ({"exact_up_to": 99}, "bad-parameter"),
        ({"max_length": 1}, "bad-parameter"),
        ({"public": ["q"]}, "unknown-column"),
        ({"k": 9}, "too-few-rows"),
    ],
)
def test_parameters_are_checked(options: dict[str, Any], code: str) -> None:
    with pytest.raises(CoveyError) as caught:
        KAnonymousRules(**{"k": 2, "public": ["a"], **options}).fit([{"a", "b"}] * 4)
    assert caught.value.code == code


def test_before_fit_there_is_nothing_to_release() -> None:
    with pytest.raises(CoveyError, match="not there yet"):
        KAnonymousRules(2).to_json()


def test_it_is_cloned_like_any_estimator() -> None:
    from sklearn.base import clone

    model = clone(KAnonymousRules(7, ["a"], interest="lift"))
    assert (model.k, model.public, model.interest) == (7, ["a"], "lift")
    assert safe_rules.MOST_EXACT == 30


def test_a_reason_counts_the_people_of_what_it_speaks_of() -> None:
    # by itself the second rule ties the three with tea to pills; beside the first, two of them
    carts = [{"bread", "tea", "pills"}] * 2 + [{"tea", "pills"}] + [{"bread", "salve"}] * 8 + [set[str]()] * 5
    rules = [Rule(("bread",), ("salve",)), Rule(("tea",), ("pills",))]
    found = keep_safe(rules, carts, ["bread", "tea"], 5, [2.0, 1.0])
    assert found.rules == (rules[0],)
    assert found.withheld[0].reason == "by itself it would tie 3 rows to private items"


def test_the_order_of_released_rules_tells_no_lift() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.random((200, 5)) < [0.8, 0.6, 0.5, 0.7, 0.4], columns=ITEMS[:5])
    model = KAnonymousRules(5, ["a", "b"], min_support=0.05, min_confidence=0.3, interest="lift").fit(frame)
    confidences = [rule.confidence for rule in model.rules_]
    assert len(confidences) > 2
    assert confidences == sorted(confidences, reverse=True)


# --- tables that have no column per item ----------------------------------------------------------------------------


def test_columns_of_other_values_are_refused_by_name() -> None:
    raw = pd.DataFrame(
        {"age": [34, 35, 36], "sex": ["f", "m", "f"], "tea": [True, False, True], "jam": ["yes", "no", "no"]}
    )
    with pytest.raises(CoveyError) as caught:
        KAnonymousRules(2, ["tea"]).fit(raw)
    assert caught.value.code == "not-boolean"
    assert caught.value.message == "columns `age`, `sex`, `jam` hold other values than true and false"
    assert caught.value.hint == "make one column per item, e.g. pandas.get_dummies"
    with pytest.raises(CoveyError, match=r"^column `jam` holds other values than true and false"):
        KAnonymousRules(2, ["tea"]).fit(raw[["tea", "jam"]])
    assert KAnonymousRules(2, ["tea"]).fit(pd.get_dummies(raw.drop(columns="age"))).rules_


def test_of_many_columns_of_other_values_ten_are_named_and_the_others_counted() -> None:
    with pytest.raises(CoveyError) as caught:
        KAnonymousRules(2, []).fit(pd.DataFrame({f"n{i}": [5, 6, 7] for i in range(15)}))
    named = ", ".join(f"`n{i}`" for i in range(10))
    assert caught.value.message == f"columns {named} and 5 more hold other values than true and false"


@pytest.mark.parametrize("column", [[1.0, None, 0.0], [True, None, False], [None, None, None]])
def test_a_missing_value_is_refused_and_not_taken_for_not_there(column: list[Any]) -> None:
    for table in (pd.DataFrame({"a": [1, 0, 1], "b": column}), pa.table({"a": [1, 0, 1], "b": column})):
        with pytest.raises(CoveyError, match=r"^column `b` lacks") as caught:
            KAnonymousRules(2, ["a"]).fit(table)
        assert caught.value.code == "missing-values"
        assert "false" in caught.value.hint


def test_no_value_of_a_refused_table_is_told() -> None:
    with pytest.raises(CoveyError) as caught:
        KAnonymousRules(2, []).fit(pd.DataFrame({"name": ["Lisa", "John", "Ann"]}))
    assert not any(value in f"{caught.value} {caught.value.hint}" for value in ("Lisa", "John", "Ann"))


# --- what is read again ---------------------------------------------------------------------------------------------


def kept_text() -> str:
    return KAnonymousRules(31, SEEN, min_support=0.02, min_confidence=0.7).fit(carts_of_section_4_3()).to_json()


def test_the_json_gives_the_same_rules_again() -> None:
    text = kept_text()
    again = KAnonymousRules.from_json(text)
    assert (again.k, again.public) == (31, sorted(SEEN))
    assert again.rules_
    assert again.to_json() == text
    assert not hasattr(again, "withheld_")
    carts = carts_of_section_4_3()
    assert rule_spans(again.rules_, carts, again.public).spans.k_reached >= 31
    nothing = KAnonymousRules(2, ["a"], min_support=0.9).fit([{"a"}, {"b"}, {"c"}]).to_json()
    assert KAnonymousRules.from_json(nothing).rules_ == ()


RULE = {"left": ["a"], "right": ["b"], "support": 0.5, "confidence": 0.5}


@pytest.mark.parametrize(
    "change",
    [
        {"format": "covey k-anonymous clusters"},
        {"version": 2},
        {"k": 1},
        {"k": "5"},
        {"k": True},
        {"public": "ab"},
        {"public": [5]},
        {"rules": {}},
        {"rules": ["a"]},
        {"rules": [5]},
        {"rules": [{**RULE, "left": "a"}]},
        {"rules": [{**RULE, "right": []}]},
        {"rules": [{**RULE, "right": ["a"]}]},
        {"rules": [{**RULE, "right": ["b", "b"]}]},
        {"rules": [{**RULE, "support": 2}]},
        {"rules": [{**RULE, "support": None}]},
        {"rules": [{**RULE, "confidence": float("nan")}]},
        {"rules": [{**RULE, "lift": 1.5}]},
        {"rules": [{"left": ["a"], "right": ["b"]}]},
        {"rules": [{**RULE, "left": ["\ud800"]}]},
    ],
)
def test_a_text_that_was_not_written_by_to_json_is_refused(change: dict[str, Any]) -> None:
    document = {**json.loads(kept_text()), "rules": [RULE]}
    assert KAnonymousRules.from_json(json.dumps(document)).rules_ == (Rule(("a",), ("b",), 0.5, 0.5),)
    with pytest.raises(CoveyError, match="no model of covey's rules") as caught:
        KAnonymousRules.from_json(json.dumps({**document, **change}))
    assert caught.value.code == "bad-model-file"


@pytest.mark.parametrize("text", ["", "5", "[]", "not json", "[" * 100_000, '{"format": 1' + "0" * 5000 + "}"])
def test_a_text_that_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(CoveyError) as caught:
        KAnonymousRules.from_json(text)
    assert caught.value.code == "bad-model-file"


# --- thresholds ------------------------------------------------------------------------------------------------------


def carts_with(both: int, left: int, n_rows: int) -> list[set[str]]:
    return [{"tea", "pills"}] * both + [{"tea"}] * (left - both) + [{"milk"}] * (n_rows - left)


@pytest.mark.parametrize("n_rows", [3, 7, 10, 29, 100, 1000])
def test_a_rule_exactly_on_the_threshold_is_frequent(n_rows: int) -> None:
    for both in range(1, n_rows, max(1, n_rows // 40)):
        for written in {str(Fraction(both, n_rows).limit_denominator(1000)), repr(both / n_rows)}:
            share = float(Fraction(written))
            if Fraction(str(share)) > Fraction(both, n_rows):  # 1/3 cannot be written
                continue
            carts = carts_with(both, n_rows, n_rows)
            model = KAnonymousRules(2, [], min_support=share, min_confidence=1e-9).fit(carts)
            assert ("tea", "pills") in {(*rule.left, *rule.right) for rule in model.rules_}
            model = KAnonymousRules(2, [], min_support=0.0001, min_confidence=share).fit(carts)
            assert ("tea", "pills") in {(*rule.left, *rule.right) for rule in model.rules_}


def test_seven_of_a_hundred_have_a_support_of_seven_hundredths() -> None:
    model = KAnonymousRules(2, ["tea"], min_support=0.07, min_confidence=0.5).fit(carts_with(7, 10, 100))
    assert [str(rule) for rule in model.rules_] == ["{pills} -> {tea}", "{tea} -> {pills}"]
    assert model.is_exact_
    assert not KAnonymousRules(2, ["tea"], min_support=0.0701, min_confidence=0.5).fit(carts_with(7, 10, 100)).rules_
    lower = KAnonymousRules(2, ["tea"], min_support=0.01, min_confidence=0.7).fit(carts_with(7, 10, 100))
    assert {rule.confidence for rule in lower.rules_} == {0.7, 1.0}


@pytest.mark.parametrize("seed", range(60))
def test_the_frequent_rules_are_those_of_counting_in_whole_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.choice([7, 10, 20, 50, 100]))
    names = ["a", "b", "c", "d"]
    has = rng.random((n_rows, 4)) < rng.random(4)
    support, confidence = (round(float(rng.integers(1, 60)) / 100, 2) for _ in range(2))
    carts = pd.DataFrame(has, columns=names)
    found = KAnonymousRules(2, names, min_support=support, min_confidence=confidence, max_length=3).fit(carts)
    wanted = set()
    for size in (2, 3):
        for items in combinations(range(4), size):
            both = int(has[:, items].all(axis=1).sum())
            for width in range(1, size):
                for left in combinations(items, width):
                    known = int(has[:, left].all(axis=1).sum())
                    is_frequent = both > 0 and both * 100 >= round(support * 100) * n_rows
                    if is_frequent and both * 100 >= round(confidence * 100) * known:
                        right = tuple(names[i] for i in items if i not in left)
                        wanted.add((tuple(names[i] for i in left), right))
    # all items are public, so no rule tells anything: all may be released
    assert {(rule.left, rule.right) for rule in found.rules_} == wanted
    assert found.n_frequent_ == len(wanted)
