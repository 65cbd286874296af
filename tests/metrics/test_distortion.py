"""Information distortion and SSE / SST are squared differences to the centre of the class."""

from __future__ import annotations

import numpy as np
import pytest

from covey.base.errors import InputError
from covey.codes.codes import tree_positions
from covey.metrics import information_distortion, sse_over_sst
from oracles import metrics as oracle
from oracles.random_codes import FLAT, ORDERED, TREE, Table, one_column
from oracles.random_releases import random_labels, random_release


def test_information_distortion_equals_its_plain_twin() -> None:
    random = np.random.default_rng(4)
    for _ in range(1000):
        table, labels = random_release(random)
        p = len(table.kinds)
        plain = table.matrix, table.kinds, table.weights, table.parts, table.sizes, labels.tolist()
        found = information_distortion(table.codes(), labels, table.weights)
        assert found == pytest.approx(oracle.information_distortion(*plain), rel=1e-9, abs=1e-12), (table, labels)
        alike = table.matrix, table.kinds, [1 / p] * p, table.parts, table.sizes, labels.tolist()
        found = information_distortion(table.codes(), labels)
        assert found == pytest.approx(oracle.information_distortion(*alike), rel=1e-9, abs=1e-12), (table, labels)


def test_numbers_differ_from_the_mean_of_their_class() -> None:
    # positions 0 0.5 | 1 1: mean 0.25 twice 0.25 away, then 0
    assert information_distortion(one_column([0, 5, 10, 10]).codes(), [0, 0, 1, 1]) == 2 * 0.25**2


def test_categories_differ_from_the_commonest_by_their_price() -> None:
    # flat a a b: b is 1 away; tree ((a b) c), values a b b: a is 1/2 away; each column has weight 1/2
    matrix = np.array([[0, 0, 1], [0, 1, 1]], np.uint8)
    parts = [np.zeros(0), tree_positions(np.array([0.5, 1.0]))]
    table = Table(matrix, np.array([FLAT, TREE]), np.ones(2), parts, np.array([2, 3]))
    assert information_distortion(table.codes(), [0, 0, 0]) == 0.5 * 1 + 0.5 * 0.25
    # of equally common ones the lowest code is the centre: a for a b, so that b is 1 and 1/2 away
    assert information_distortion(table.codes(), [-1, 0, 0], [0.0, 1.0]) == 1.0  # the suppressed row alone
    assert information_distortion(table.codes(), [0, 0, -1], [0.0, 1.0]) == 0.25 + 1.0


def test_a_missing_value_differs_by_one_unless_all_are_missing() -> None:
    # two missing rows; values at 0 and 1
    part = np.array([-1.0, 0.0, 1.0])
    table = Table(np.array([[0, 0, 1, 2]], np.uint8), np.array([ORDERED]), np.ones(1), [part], np.array([3]))
    assert information_distortion(table.codes(), [0, 0, 1, 1]) == 2 * 0.25
    assert information_distortion(table.codes(), [0, 1, 1, 0]) == 2.0  # missing beside a value, twice


def test_a_suppressed_row_costs_the_columns_that_are_not_constant() -> None:
    matrix = np.array([[0, 1, 1], [0, 0, 0]], np.uint8)
    table = Table(matrix, np.array([FLAT, FLAT]), np.ones(2), [np.zeros(0)] * 2, np.array([2, 2]))
    assert information_distortion(table.codes(), [-1, 0, 0]) == 0.5


def test_weights_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="`weights` must be 1 number of 0 or more"):
        information_distortion(one_column([1, 2]).codes(), [0, 0], [0.5, 0.5])


def test_sse_over_sst_equals_its_plain_twin() -> None:
    random = np.random.default_rng(5)
    for _ in range(1000):
        n = int(random.integers(1, 30))
        values = np.round(random.normal(size=(n, int(random.integers(1, 4)))) * 10 ** random.integers(0, 4), 1)
        values[:, random.random(values.shape[1]) < 0.2] = 7.1  # constant
        labels = random_labels(random, n)
        found = sse_over_sst(values, labels)
        assert found == pytest.approx(oracle.sse_over_sst(values.tolist(), labels.tolist()), rel=1e-9, abs=1e-9)


def test_codes_give_what_their_numbers_give() -> None:
    values = [3.0, 8.0, 1.0, 4.0, 4.5, 9.0]
    labels = [0, 1, 0, 0, 1, 1]
    expected = sse_over_sst(np.array(values)[:, None], labels)
    assert sse_over_sst(one_column(values).codes(), labels) == pytest.approx(expected, rel=1e-12)


def test_one_class_is_all_of_it_and_rows_of_their_own_are_none() -> None:
    values = np.array([[1.0, 5.0], [3.0, 5.5], [7.0, 1.0]])
    assert sse_over_sst(values, [0, 0, 0]) == pytest.approx(1.0)
    assert sse_over_sst(values, [0, 1, 2]) == 0.0
    assert sse_over_sst(values, [-1, -1, -1]) == pytest.approx(1.0)  # nothing is known but the overall mean
    assert sse_over_sst(np.full((3, 1), 2.5), [0, 0, 0]) == 0.0
    assert sse_over_sst(np.zeros((0, 2)), []) == 0.0


def test_sse_over_sst_is_for_numbers() -> None:
    flat = Table(np.array([[0, 1]], np.uint8), np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([2]))
    missing = Table(np.array([[0, 1]], np.uint8), np.array([ORDERED]), np.ones(1), [np.array([-1.0, 0])], np.array([2]))
    for table in (flat.codes(), missing.codes(), np.array([[1.0], [np.nan]])):
        with pytest.raises(InputError, match="needs columns of numbers without missing values") as fault:
            sse_over_sst(table, [0, 0])
        assert fault.value.code == "unsupported-column"
