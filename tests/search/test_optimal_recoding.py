"""Optimal recoding finds the best of all recodings to levels, exactly."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.ask.schema import Schema
from covey.base.errors import InputError
from covey.codes.boxes import total_loss
from covey.codes.codes import tree_positions
from covey.columns.kept import KeptColumn
from covey.datasets import load_adult, load_taxonomy
from covey.metrics import classification_metric
from covey.search.optimal_recoding import estimator as optimal_recoding
from covey.search.optimal_recoding.estimator import OptimalRecoding
from covey.search.optimal_recoding.levels import column_levels
from oracles.optimal_recoding import levels_of
from oracles.optimal_recoding import optimal_recoding as by_the_book
from oracles.random_codes import FLAT, TREE, Table, one_column, random_table, rows_around


def fitted(table: Table, k: int, values: Any = None, **options: Any) -> tuple[OptimalRecoding, list[int]]:
    """Return the estimator and the labels, with `values` as the target."""
    kept = {}
    if values is not None:
        distinct, codes = np.unique(values, return_inverse=True)
        kept = {"y": KeptColumn("y", codes.astype(np.int64), tuple(str(value) for value in distinct))}
        options |= {"metric": "cm", "target": "y"}
    estimator = OptimalRecoding(k, **options)
    return estimator, estimator.labels(table.codes(), kept).tolist()


@pytest.mark.parametrize("metric", ["total_il", "cm", "dm"])
def test_the_recoding_is_the_best_of_all(metric: str) -> None:
    random = np.random.default_rng(["total_il", "cm", "dm"].index(metric))
    suppressed = 0
    for _ in range(700):
        k = int(random.integers(2, 7))
        table = random_table(random, rows_around(random, k, 30))
        n = table.matrix.shape[1]
        options = {
            "suppression": float(random.choice([0.0, 0.0, 0.05, 0.2, 1.0])),
            "levels": str(random.choice(["leaves", "root"])),
            "halvings": int(random.integers(0, 3)),
        }
        values = random.integers(0, 3, n) if metric == "cm" else None
        estimator, labels = fitted(table, k, values, **({} if metric == "cm" else {"metric": metric}), **options)
        budget = {0.0: 0, 0.05: n // 20, 0.2: n // 5, 1.0: n}[options["suppression"]]
        expected, node, _ = by_the_book(
            *table.plain(), k, metric, None if values is None else values.tolist(), budget, options["levels"],
            options["halvings"],
        )  # fmt: skip
        assert labels == expected, (table, k, options)
        assert estimator.levels_ == node
        suppressed += -1 in labels
    assert suppressed > 50


def test_levels_are_those_of_the_plain_twin() -> None:
    random = np.random.default_rng(8)
    for _ in range(500):
        table = random_table(random, int(random.integers(1, 20)))
        codes = table.codes()
        halvings = int(random.integers(0, 7))
        for j, kind in enumerate(table.kinds):
            if table.sizes[j] > 20:
                continue
            for count in ("leaves", "root"):
                found = column_levels(codes, j, count, halvings)  # type: ignore[arg-type]
                used = sorted(set(table.matrix[j].tolist()))
                expected = levels_of(kind, table.parts[j], int(table.sizes[j]), used, count, halvings)
                assert len(found) == len(expected)
                for level, runs in zip(found, expected, strict=True):
                    same = [sorted(np.flatnonzero(level == run).tolist()) for run in level.tolist()]
                    assert same == [list(range(low, high + 1)) for low, high in runs.values()]


def test_classes_are_the_rows_with_equal_values_and_none_is_below_k() -> None:
    random = np.random.default_rng(5)
    for _ in range(100):
        k = int(random.integers(2, 9))
        table = random_table(random, int(random.integers(100, 300)))
        estimator, labels = fitted(table, k, halvings=2)
        tuples = [tuple(values) for values in estimator.generalised_.T.tolist()]
        assert len(set(zip(tuples, labels, strict=True))) == len(set(tuples)) == max(labels) + 1
        assert min(Counter(labels).values()) >= k
        for column, cut, row in zip(table.matrix, estimator.cut_, estimator.generalised_, strict=True):
            assert np.array_equal(cut[column], row)


def unbalanced_tree() -> Table:
    """Return six rows over the tree (((a b) c) d): a a b c d d."""
    positions = tree_positions(np.array([1 / 3, 2 / 3, 1.0]))
    return Table(np.array([[0, 0, 1, 2, 3, 3]], np.uint8), np.array([TREE]), np.ones(1), [positions], np.array([4]))


def test_levels_from_the_leaves_go_by_height_and_from_the_root_by_depth() -> None:
    codes = unbalanced_tree().codes()
    levels = [[level.tolist() for level in column_levels(codes, 0, count, 6)] for count in ("leaves", "root")]
    assert levels[0] == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert levels[1] == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    # ((a b) (c (d e))): a and b have height 1 with each other; d is one deeper than they are
    positions = tree_positions(np.array([1 / 3, 1.0, 2 / 3, 1 / 3]))
    table = Table(np.array([[0, 1, 2, 3, 4]], np.uint8), np.array([TREE]), np.ones(1), [positions], np.array([5]))
    levels = [[level.tolist() for level in column_levels(table.codes(), 0, count, 6)] for count in ("leaves", "root")]
    assert levels[0] == [[0, 1, 2, 3, 4], [0, 0, 1, 2, 2], [0, 0, 1, 1, 1], [0, 0, 0, 0, 0]]
    assert levels[1] == [[0, 1, 2, 3, 4], [0, 1, 2, 3, 3], [0, 0, 1, 1, 1], [0, 0, 0, 0, 0]]


def test_an_order_is_halved() -> None:
    # 0 1 2 | 5 6 8: halves at 4; quarters 0-1, 2, 5, 6-8; k = 2 needs the halves
    estimator, labels = fitted(one_column([0, 1, 2, 5, 6, 8]), 2)
    assert labels == [0, 0, 0, 1, 1, 1]
    assert estimator.cut_[0].tolist() == [0, 0, 0, 1, 1, 1]
    assert fitted(one_column([0, 1, 2, 5, 6, 8]), 2, halvings=0)[1] == [0] * 6
    assert fitted(one_column([0, 0, 2, 2, 8, 8]), 2, halvings=0)[1] == [
        0,
        0,
        1,
        1,
        2,
        2,
    ]  # values are legal as they are
    assert fitted(one_column([0, 1, 2, 5, 6, 8]), 2, halvings=5000)[1] == labels


def test_the_budget_decides_between_suppression_and_a_higher_level() -> None:
    # d is legal; (((a b) c) d): at k = 2, b and c are alone; suppressing both costs 2 x 1, level 2 (a b c | d) costs
    # 4 x 2/3 = 2.67, level 1 (a b | c | d) with c suppressed 3 x 1/3 + 1 = 2: a tie with the values, the lower wins
    table = unbalanced_tree()
    assert fitted(table, 2)[1] == [0, 0, 0, 0, 1, 1]
    assert fitted(table, 2, suppression=0.2)[1] == [0, 0, 0, -1, 1, 1]  # one row at most
    assert fitted(table, 2, suppression=0.4)[1] == [0, 0, -1, -1, 1, 1]
    # DM: 4 + 4 + 2 x 6 = 20, 9 + 4 + 6 = 19, 16 + 4 = 20
    assert fitted(table, 2, suppression=0.4, metric="dm")[1] == [0, 0, 0, -1, 1, 1]
    # CM: the values cost 2; level 1 costs 0 + 1 if b is as a; level 2 costs one of four
    assert fitted(table, 2, [0, 0, 0, 1, 1, 1], suppression=0.4)[1] == [0, 0, 0, -1, 1, 1]


def test_not_all_rows_are_suppressed_whatever_the_budget() -> None:
    matrix = np.arange(6, dtype=np.uint8)[None]
    table = Table(matrix, np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([6]))
    assert fitted(table, 2, suppression=1.0)[1] == [0] * 6


def test_of_equal_recodings_the_lowest_is_taken() -> None:
    # the second column says what the first says: each may be a value if the other is `*`, or both
    matrix = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], np.uint8)
    table = Table(matrix, np.array([FLAT, FLAT]), np.zeros(2), [np.zeros(0)] * 2, np.array([2, 2]))
    estimator, _ = fitted(table, 2)
    assert estimator.levels_ == (0, 0)
    # (0, 1) and (1, 0) are legal, equal in DM and in the sum of levels
    matrix = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    table = Table(matrix, np.array([FLAT, FLAT]), np.ones(2), [np.zeros(0)] * 2, np.array([2, 2]))
    assert fitted(table, 2, metric="dm")[0].levels_ == (0, 1)


def test_a_lattice_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal_recoding, "MOST_NODES", 3)
    matrix = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], np.uint8)
    table = Table(matrix, np.array([FLAT, FLAT]), np.ones(2), [np.zeros(0)] * 2, np.array([2, 2]))
    with pytest.raises(InputError, match=r"would search 4 recodings; 3 is the most it does") as caught:
        fitted(table, 2)
    assert caught.value.code == "too-large"


def test_a_target_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal_recoding, "MOST_COUNTS", 19)
    with pytest.raises(InputError, match=r"count 4 distinct rows for each of the 5 values of its target") as caught:
        fitted(one_column([0, 1, 2, 3, 3]), 2, [0, 1, 2, 3, 4])
    assert caught.value.code == "too-large"


@pytest.mark.parametrize("options", [{"metric": "cm"}, {"target": "ill"}, {"metric": "dm", "target": "ill"}])
def test_a_target_and_the_metric_that_reads_it_go_together(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"`target` .* is given with `metric=\"cm\"`, and only with it"):
        OptimalRecoding(2, **options).fit(pa.table({"age": [1, 2, 3], "ill": list("yyn")}))


def test_a_release_may_suppress_within_its_budget() -> None:
    people = pa.table({"age": [34, 34, 35, 35, 63], "sex": list("ffffm")})
    release = covey.anonymize(people, k=2, quasi=["age", "sex"], algorithm="optimal-recoding", suppression=0.2)
    assert release.table.to_pydict() == {"age": ["34", "34", "35", "35"], "sex": list("ffff")}
    assert release.report.suppressed == 1


def adult(quasi: list[str]) -> tuple[pa.Table, Schema, np.ndarray]:
    trees = {name: load_taxonomy("adult_tds", name) for name in quasi}
    table = load_adult()
    schema = Schema.from_roles(quasi=quasi, target=["income"], taxonomies=trees)
    return table, schema, np.array([value == ">50K" for value in table["income"].to_pylist()], int)


def test_adult_in_the_setting_of_k_optimal(data) -> None:
    # P3 quotes 5230-5280, 5280-5330, 5350-5410 and 5460 for recodings that are more general than levels
    quasi = ["workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
    table, schema, income = adult(quasi)
    costs = []
    for k in (10, 25, 50, 100):
        found = OptimalRecoding(k, metric="cm", target="income").fit(table, schema)
        costs.append(classification_metric(found.labels_, income))
        assert found.n_recodings_ == 5760
        assert found.n_judged_ < 300
    assert costs == [5518, 5518, 5518, 5524]
    with_suppression = OptimalRecoding(10, metric="cm", target="income", suppression=0.05).fit(table, schema)
    assert classification_metric(with_suppression.labels_, income) == 5409


def test_adult_by_the_loss(data) -> None:
    quasi = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
    table, schema, _ = adult(quasi)
    codes = covey.codes.encoding.encode_frame(table, schema)
    found = OptimalRecoding(10)
    assert total_loss(codes, found.labels(codes)) == pytest.approx(123_881, abs=1)
    assert found.n_recodings_ == 17_280
