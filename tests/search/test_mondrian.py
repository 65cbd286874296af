"""Mondrian cuts at the median nearest to two equal sides, and tries the next column where that is not legal."""

from __future__ import annotations

import numpy as np
import pytest

from covey.codes.boxes import total_loss
from covey.codes.codes import tree_positions
from covey.codes.encoding import encode_frame
from covey.search.k_member.estimator import KMember
from covey.search.mondrian.estimator import Mondrian
from oracles.mondrian import mondrian
from oracles.random_codes import FLAT, TREE, Table, one_column, random_table, rows_around

QUASI = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"]


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_classes_are_those_of_the_plain_twin(seed: int, relaxed: bool) -> None:
    random = np.random.default_rng(seed)
    for _ in range(300):
        k = int(random.integers(2, 7))
        table = random_table(random, rows_around(random, k, 50))
        expected = mondrian(*table.plain(), k, relaxed)
        assert Mondrian(k, relaxed=relaxed).labels(table.codes()).tolist() == expected, (table, k)


@pytest.mark.parametrize("relaxed", [False, True])
def test_every_class_has_k_rows_and_none_that_could_be_cut_is_left(relaxed: bool) -> None:
    random = np.random.default_rng(5)
    for _ in range(150):
        k = int(random.integers(2, 7))
        table = random_table(random, rows_around(random, k, 80))
        codes = table.codes()
        labels = Mondrian(k, relaxed=relaxed).labels(codes)
        sizes = np.bincount(labels)
        assert sizes.min() >= k
        for label in range(len(sizes)):
            tuples = set(codes.row_tuple[labels == label].tolist())
            if relaxed:
                assert sizes[label] <= 2 * k - 1 or len(tuples) == 1
            else:  # strict: equal rows are never parted
                assert set(labels[np.isin(codes.row_tuple, list(tuples))]) == {label}


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_order_of_the_rows_does_not_matter(relaxed: bool) -> None:
    random = np.random.default_rng(6)
    for _ in range(50):
        table = random_table(random, 60)
        order = random.permutation(60)
        moved = Table(
            np.ascontiguousarray(table.matrix[:, order]), table.kinds, table.weights, table.parts, table.sizes
        )
        one, other = table.codes(), moved.codes()
        labels, moved_labels = Mondrian(3, relaxed=relaxed).labels(one), Mondrian(3, relaxed=relaxed).labels(other)
        # the same tuples in the same classes, with the same multiplicity
        assert sorted(zip(one.row_tuple.tolist(), labels.tolist(), strict=True)) == sorted(
            zip(other.row_tuple.tolist(), moved_labels.tolist(), strict=True)
        )


def test_a_skewed_column_is_cut_beside_its_median() -> None:
    # seven times 0, then 10, 20, 30.  The median is 0: all of it on the left gives 7 and 3 rows
    assert Mondrian(3).labels(one_column([0] * 7 + [10, 20, 30]).codes()).tolist() == [0] * 7 + [1] * 3


def test_rows_at_the_median_go_to_the_side_that_balances_better() -> None:
    # 1 2 2 2 3 3: the median is 2; above it the cut gives 4 and 2 rows, below it 1 and 5
    assert Mondrian(2).labels(one_column([1, 2, 2, 2, 3, 3]).codes()).tolist() == [0, 0, 0, 0, 1, 1]
    # 1 1 2 2 3 3, k = 2: below 2 and above 2 give 2 and 4 alike: the lower cut, then 2 | 3
    assert Mondrian(2).labels(one_column([1, 1, 2, 2, 3, 3]).codes()).tolist() == [0, 0, 1, 1, 2, 2]


def test_relaxed_deals_rows_at_the_median_to_both_sides() -> None:
    # 0 0 0 0 0 5, k = 3: strict has no cut (5 and 1); relaxed takes three zeros to the left
    table = one_column([0, 0, 0, 0, 0, 5])
    assert Mondrian(3).labels(table.codes()).tolist() == [0] * 6
    assert Mondrian(3, relaxed=True).labels(table.codes()).tolist() == [0, 0, 0, 1, 1, 1]


def test_the_next_widest_column_is_tried_where_the_widest_cannot_be_cut() -> None:
    # column 0: 0 x 5 and 1 (width 1, no two sides of 3); column 1 is declared wider than it is used: width 2/9
    matrix = np.array([[0, 0, 0, 0, 0, 1], [0, 2, 0, 2, 0, 2]], np.uint8)
    parts = [np.array([0.0, 1.0]), np.arange(10) / 9]
    table = Table(matrix, np.array([0, 0]), np.ones(2), parts, np.array([2, 10]))
    assert Mondrian(3).labels(table.codes()).tolist() == [0, 1, 0, 1, 0, 1]


def test_of_equally_wide_columns_the_lowest_is_cut() -> None:
    matrix = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    table = Table(matrix, np.array([0, 0]), np.ones(2), [np.array([0.0, 1.0])] * 2, np.array([2, 2]))
    assert Mondrian(2).labels(table.codes()).tolist() == [0, 0, 1, 1]


def test_weights_decide_which_column_is_cut() -> None:
    matrix = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    table = Table(matrix, np.array([0, 0]), np.array([1.0, 1.5]), [np.array([0.0, 1.0])] * 2, np.array([2, 2]))
    assert Mondrian(2).labels(table.codes()).tolist() == [0, 1, 0, 1]


def test_flat_categories_are_as_wide_as_their_labels_lie_apart() -> None:
    # column 0 uses labels 0 and 1 of 5: 1/4; column 1 has positions 0 and 0.3: it is wider and is cut
    matrix = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    parts = [np.zeros(0), np.array([0.0, 0.3])]
    table = Table(matrix, np.array([FLAT, 0]), np.ones(2), parts, np.array([5, 2]))
    assert Mondrian(2).labels(table.codes()).tolist() == [0, 1, 0, 1]


def test_a_tree_is_cut_between_children_of_the_lowest_common_ancestor() -> None:
    # ((a b c) (d e)): the gap between c and d is the root (1), the others 1/2.  Rows a a a a b d: the median is
    # a, but a | b is no boundary of the root; a a a a b | d d is
    codes = np.array([[0, 0, 0, 0, 1, 3, 3]], np.uint8)
    table = Table(codes, np.array([TREE]), np.ones(1), [tree_positions(np.array([0.5, 0.5, 1.0, 0.5]))], np.array([5]))
    assert Mondrian(2).labels(table.codes()).tolist() == [0, 0, 0, 0, 0, 1, 1]
    # with k = 3 that boundary leaves two rows: strict gives up, relaxed deals at the median
    assert Mondrian(3).labels(table.codes()).tolist() == [0] * 7
    assert Mondrian(3, relaxed=True).labels(table.codes()).tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_missing_values_are_cut_off_like_any_other_code() -> None:
    # code 0 is missing (position -1): it stands a whole domain away, so the column is wide until it is apart
    codes = np.array([[0, 0, 0, 1, 2, 3]], np.uint8)
    table = Table(codes, np.array([0]), np.ones(1), [np.array([-1.0, 0.0, 0.5, 1.0])], np.array([4]))
    assert Mondrian(3).labels(table.codes()).tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("relaxed", [False, True])
def test_equal_rows_are_one_class(relaxed: bool) -> None:
    assert set(Mondrian(2, relaxed=relaxed).labels(one_column([4] * 9).codes())) == {0}


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("n", [3, 5, 6])
def test_as_many_rows_as_k_and_just_below_and_at_twice_k(n: int, relaxed: bool) -> None:
    labels = Mondrian(3, relaxed=relaxed).labels(one_column(list(range(n))).codes())
    assert np.bincount(labels).tolist() == {3: [3], 5: [5], 6: [3, 3]}[n]


def test_adult_loses_more_than_with_k_member_at_every_k(data: object) -> None:
    from covey.datasets import load_adult

    codes = encode_frame(load_adult().select(QUASI))
    for k in (2, 5, 10, 25, 50, 100):
        labels = Mondrian(k).labels(codes)
        assert np.bincount(labels).min() >= k
        assert total_loss(codes, labels) > total_loss(codes, KMember(k, start=0).labels(codes))
