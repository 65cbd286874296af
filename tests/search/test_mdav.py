"""MDAV gives the classes of the plain twin, and the published losses on the reference sets of microaggregation."""

from __future__ import annotations

import numpy as np
import pytest

from covey.codes.codes import tree_positions
from covey.codes.encoding import encode_frame
from covey.metrics import sse_over_sst
from covey.search.mdav.estimator import MDAV
from oracles.mdav import mdav
from oracles.random_codes import FLAT, ORDERED, TREE, Table, one_column, random_table, rows_around


@pytest.mark.parametrize("seed", range(6))
def test_classes_are_those_of_the_plain_twin(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(250):
        k = int(random.integers(2, 7))
        table = random_table(random, rows_around(random, k, 40))
        assert MDAV(k).labels(table.codes()).tolist() == mdav(*table.plain(), k), (table, k)


@pytest.mark.parametrize("seed", range(4))
def test_classes_are_those_of_the_plain_twin_where_all_columns_are_numbers(seed: int) -> None:
    random = np.random.default_rng(50 + seed)
    for _ in range(150):
        k = int(random.integers(2, 7))
        table = random_numbers(random, rows_around(random, k, 50))
        assert MDAV(k).labels(table.codes()).tolist() == mdav(*table.plain(), k), (table, k)


def random_numbers(random: np.random.Generator, n: int) -> Table:
    """Return ordered columns without missing values: few or many codes, some constant."""
    p = int(random.integers(1, 5))
    sizes = random.choice([1, 2, 4, 9, 60], p)
    parts = [np.arange(size) / max(size - 1, 1) for size in sizes]
    matrix = np.array([random.integers(0, size, n) for size in sizes]).astype(np.uint8)
    return Table(matrix, np.full(p, ORDERED), random.choice([0.0, 0.5, 1.0, 1.0, 3.0], p), parts, sizes)


def test_every_class_has_k_rows_and_only_the_last_more() -> None:
    random = np.random.default_rng(1)
    for _ in range(150):
        k = int(random.integers(2, 9))
        n = rows_around(random, k, 80)
        sizes = np.bincount(MDAV(k).labels(random_table(random, n).codes()))
        assert sizes[:-1].tolist() == [k] * (n // k - 1)
        assert k <= sizes[-1] <= 2 * k - 1


def test_two_classes_come_from_one_centroid_while_3k_rows_are_free() -> None:
    # 0 1 2 10 11 20, mean 7.33, k = 2: 20 is furthest and takes 11; furthest from 20 is 0, which takes 1; rest 2 10.
    assert MDAV(2).labels(one_column([0, 1, 2, 10, 11, 20]).codes()).tolist() == [1, 1, 2, 2, 0, 0]
    # 0 1 2 10 20, mean 6.6, k = 2: four or five rows give one such class, and the rest
    assert MDAV(2).labels(one_column([0, 1, 2, 10, 20]).codes()).tolist() == [1, 1, 1, 0, 0]


def test_numbers_are_compared_after_standardising() -> None:
    # three of six rows have 1 in column 0 (deviation 1/2), two in column 1 (deviation 0.47): a difference in
    # column 1 counts (1 / 0.47)^2 = 4.5, one in column 0 only 4.  Row 0 is furthest from the mean, and takes row 2
    # (which differs in column 0) before row 1 (in column 1); as they stand, the two would be equally near
    matrix = np.array([[1, 1, 0, 0, 0, 1], [1, 0, 1, 0, 0, 0]], np.uint8)
    table = Table(matrix, np.array([0, 0]), np.ones(2), [np.array([0.0, 1.0])] * 2, np.array([2, 2]))
    assert MDAV(2).labels(table.codes()).tolist() == [0, 2, 0, 1, 1, 2]


def test_weights_scale_the_squared_difference() -> None:
    # two columns part the rows crosswise; the heavier one decides
    matrix = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    for weights, expected in (([2.0, 1.0], [0, 0, 1, 1]), ([1.0, 2.0], [0, 1, 0, 1])):
        table = Table(matrix, np.array([0, 0]), np.array(weights), [np.array([0.0, 1.0])] * 2, np.array([2, 2]))
        assert MDAV(2).labels(table.codes()).tolist() == expected


def test_the_centroid_of_categories_is_the_most_frequent_value() -> None:
    # labels 1 1 1 0 0: the centroid is 1, row 3 is the first of those 1 away and takes row 4
    table = Table(np.array([[1, 1, 1, 0, 0]], np.uint8), np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([2]))
    assert MDAV(2).labels(table.codes()).tolist() == [1, 1, 1, 0, 0]
    # ((a b) (c d)): most rows are a; b is 1/2 away, c and d are 1 away: c starts and takes d
    part = tree_positions(np.array([0.5, 1.0, 0.5]))
    table = Table(np.array([[1, 0, 0, 3, 2]], np.uint8), np.array([TREE]), np.ones(1), [part], np.array([4]))
    assert MDAV(2).labels(table.codes()).tolist() == [1, 1, 1, 0, 0]


def test_a_missing_value_is_a_whole_domain_away() -> None:
    # the mean of 0, 0.5 and 1 is 0.5; row 0 is missing, at 1 further than any value, and takes row 4, the other one
    matrix, part = np.array([[0, 1, 2, 3, 0]], np.uint8), np.array([-1.0, 0.0, 0.5, 1.0])
    table = Table(matrix, np.array([0]), np.ones(1), [part], np.array([4]))
    assert MDAV(2).labels(table.codes()).tolist() == [0, 1, 1, 1, 0]


@pytest.mark.parametrize("n", [3, 5, 6, 8, 9])
def test_as_many_rows_as_k_and_around_its_multiples(n: int) -> None:
    labels = MDAV(3).labels(one_column(list(range(n))).codes())
    assert np.bincount(labels).tolist() == {3: [3], 5: [5], 6: [3, 3], 8: [3, 5], 9: [3, 3, 3]}[n]


def test_equal_rows_go_in_row_order() -> None:
    assert MDAV(2).labels(one_column([4] * 7).codes()).tolist() == [0, 0, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("census", {3: 5.6922, 5: 9.0884, 10: 14.1559}),
        ("tarragona", {3: 16.9326, 5: 22.4619, 10: 33.1929}),
        ("eia", {3: 0.4829, 5: 1.6667, 10: 3.8397}),
    ],
)
def test_the_published_losses_are_met(data: object, name: str, expected: dict[int, float]) -> None:
    from covey.datasets import load_casc

    table = load_casc(name)
    if name == "eia":  # 11 columns: the number of the utility, revenues and sales
        table = table.select(["UTILITYID", *(c for c in table.column_names if c.endswith(("REVENUE", "SALES")))])
        assert table.num_columns == 11
    values = np.column_stack([table.column(c).to_numpy().astype(float) for c in table.column_names])
    codes = encode_frame(table)
    for k, published in expected.items():
        labels = MDAV(k).labels(codes)
        assert round(100 * sse_over_sst(values, labels), 4) == published
        assert round(100 * sse_over_sst(codes, labels), 4) == published
