"""Diameters of classes and NCP by order."""

from __future__ import annotations

import numpy as np
import pytest

from covey.codes.boxes import total_loss
from covey.codes.codes import tree_positions
from covey.metrics import centre_cost, diameter_cost, ordered_ncp
from oracles import metrics as oracle
from oracles.random_codes import FLAT, ORDERED, TREE, Table, one_column
from oracles.random_releases import random_release


def test_all_three_equal_their_plain_twins() -> None:
    random = np.random.default_rng(6)
    for _ in range(1000):
        table, labels = random_release(random)
        codes, plain = table.codes(), (*table.plain(), labels.tolist())
        assert diameter_cost(codes, labels) == pytest.approx(oracle.diameter_cost(*plain), rel=1e-12), (table, labels)
        assert centre_cost(codes, labels) == oracle.centre_cost(*plain), (table, labels)
        assert ordered_ncp(codes, labels) == pytest.approx(oracle.ordered_ncp(*plain), rel=1e-12), (table, labels)


def test_no_diameter_is_above_the_extent() -> None:
    random = np.random.default_rng(7)
    for _ in range(300):
        table, labels = random_release(random)
        assert diameter_cost(table.codes(), labels) <= total_loss(table.codes(), labels) * (1 + 1e-12)


def corners() -> Table:
    """Return two numeric columns with rows (0, 0), (1, 0), (0, 1)."""
    matrix = np.array([[0, 1, 0], [0, 0, 1]], np.uint8)
    return Table(
        matrix, np.array([ORDERED, ORDERED]), np.array([1.0, 0.5]), [np.array([0.0, 1.0])] * 2, np.array([2, 2])
    )


def test_the_diameter_is_between_two_rows_and_not_across_the_box() -> None:
    # (1, 0) and (0, 1) are 1 + 0.5 apart
    assert diameter_cost(corners().codes(), [0, 0, 0]) == 3 * 1.5
    # without (0, 1): 1 apart; the suppressed row costs both weights
    assert diameter_cost(corners().codes(), [0, 0, -1]) == 2 * 1.0 + 1.5
    # with flat labels the two first rows differ in one column alone; the suppressed row costs 2
    matrix = np.array([[0, 1, 0], [0, 0, 1]], np.uint8)
    table = Table(matrix, np.array([FLAT, FLAT]), np.ones(2), [np.zeros(0)] * 2, np.array([2, 2]))
    assert diameter_cost(table.codes(), [0, 0, -1]) == 2 * 1.0 + 2.0


def test_the_centre_cost_is_that_of_the_widest_class() -> None:
    codes = one_column([0, 1, 4, 10]).codes()
    assert centre_cost(codes, [0, 0, 1, 1]) == pytest.approx(0.6)
    assert centre_cost(codes, [0, 0, -1, -1]) == pytest.approx(0.1)
    assert centre_cost(codes, [-1, -1, -1, -1]) == 0.0


def test_ncp_by_order_places_every_value_in_one_order() -> None:
    # number: 0 to 5 of 10; label: b to d of a b c d e, 2/4; tree of five leaves: first to second, 1/4
    matrix = np.array([[0, 1, 2], [1, 3, 4], [0, 1, 4]], np.uint8)
    parts = [np.array([0.0, 0.5, 1.0]), np.zeros(0), tree_positions(np.array([0.5, 1.0, 0.5, 0.5]))]
    table = Table(matrix, np.array([ORDERED, FLAT, TREE]), np.array([1.0, 1.0, 2.0]), parts, np.array([3, 5, 5]))
    assert ordered_ncp(table.codes(), [0, 0, 1]) == 2 * (0.5 + 0.5 + 2 * 0.25)
    assert ordered_ncp(table.codes(), [0, 0, -1]) == 2 * (0.5 + 0.5 + 2 * 0.25) + 4
