"""CondensationKNN gives the exact neighbours of the plain loop over all rows, and skips nothing that counts."""

from __future__ import annotations

import numpy as np
import pytest

from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_frame
from covey.search.condensation.estimator import CondensationKNN
from covey.search.k_member.estimator import KMember
from oracles.condensation import condensation
from oracles.random_codes import Table, one_column, random_table, rows_around

QUASI = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"]


def order_of(seed: int, n: int) -> list[int]:
    """Return the order of rows that a seed draws."""
    return [int(row) for row in np.random.default_rng(seed).permutation(n)]


def starting_with(row: int, n: int) -> int:
    """Return a seed whose first row is `row`."""
    return next(seed for seed in range(1000) if order_of(seed, n)[0] == row)


def without_pruning(k: int, seed: int) -> CondensationKNN:
    estimator = CondensationKNN(k, seed=seed)
    estimator._prune = False  # type: ignore[misc]
    return estimator


@pytest.mark.parametrize("seed", range(8))
def test_classes_are_those_of_the_plain_loop(seed: int) -> None:
    random = np.random.default_rng(seed)
    for i in range(250):
        k = int(random.integers(2, 7))
        n = rows_around(random, k, 35)
        table = random_table(random, n)
        expected = condensation(*table.plain(), k, order_of(i, n))
        assert CondensationKNN(k, seed=i).labels(table.codes()).tolist() == expected, (table, k, i)


@pytest.mark.parametrize("seed", range(20))
def test_classes_are_those_of_the_plain_loop_where_the_tree_is_deep(seed: int) -> None:
    random = np.random.default_rng(100 + seed)
    k = int(random.integers(2, 12))
    n = rows_around(random, k, 250)
    table = random_table(random, n)
    expected = condensation(*table.plain(), k, order_of(seed, n))
    for estimator in (CondensationKNN(k, seed=seed), without_pruning(k, seed)):
        assert estimator.labels(table.codes()).tolist() == expected


@pytest.mark.parametrize("seed", range(6))
def test_pruning_changes_nothing_on_larger_tables(seed: int) -> None:
    codes = random_table(np.random.default_rng(200 + seed), 2000).codes()
    for k in (2, 7, 50):
        pruned = CondensationKNN(k, seed=seed).labels(codes)
        assert np.array_equal(pruned, without_pruning(k, seed).labels(codes))


def test_every_class_has_k_to_2k_minus_1_rows() -> None:
    # the fewer than k rows left over can all join one class of k, no more
    random = np.random.default_rng(1)
    for seed in range(150):
        k = int(random.integers(2, 9))
        table = random_table(random, rows_around(random, k, 60))
        sizes = np.bincount(CondensationKNN(k, seed=seed).labels(table.codes()))
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1
        assert len(sizes) == table.matrix.shape[1] // k


def test_a_row_takes_its_nearest_not_those_that_widen_the_class_least() -> None:
    # from 10 the nearest are 8 and 13 (k-member, once it has 8..10, would take 6 before 13)
    values = [10, 8, 13, 6, 0, 20, 21, 22]
    seed = starting_with(0, len(values))
    labels = CondensationKNN(3, seed=seed).labels(one_column(values).codes())
    assert np.flatnonzero(labels == 0)[:3].tolist() == [0, 1, 2]


def test_equally_near_rows_join_in_row_order() -> None:
    # 4 and 6 are equally far from 5: row 1 comes before row 2
    values = [5, 6, 4, 50]
    labels = CondensationKNN(2, seed=starting_with(0, 4)).labels(one_column(values).codes())
    assert labels.tolist() == [0, 0, 1, 1]


def test_a_row_drawn_among_equal_ones_leaves_the_others_free() -> None:
    # row 2 is drawn first; of its equals the lowest, row 0, joins it, and row 1 the next class
    table = one_column([7, 7, 7, 7])
    assert CondensationKNN(2, seed=starting_with(2, 4)).labels(table.codes()).tolist() == [0, 1, 0, 1]


def test_a_leftover_joins_where_the_loss_rises_least() -> None:
    # 0 1 and 90 100 are classes of two; 80 makes 3 x 1.0 - 2 x 0.01 or 3 x 0.2 - 2 x 0.1 = 0.4 of the domain
    values = [0, 1, 90, 100, 80]
    seed = next(s for s in range(1000) if order_of(s, 5)[0] == 0 and order_of(s, 5)[1] == 3)
    assert CondensationKNN(2, seed=seed).labels(one_column(values).codes()).tolist() == [0, 0, 1, 1, 1]


def test_every_seed_draws_other_classes_and_the_same_seed_the_same() -> None:
    table = random_table(np.random.default_rng(3), 200)
    found = [tuple(CondensationKNN(3, seed=seed).labels(table.codes()).tolist()) for seed in (0, 1, 2, 0)]
    assert len(set(found)) == 3
    assert found[0] == found[3]


def test_every_row_is_drawn_first_about_equally_often() -> None:
    # 4 rows, 2 far pairs: class 0 is the pair of the row drawn; 400 seeds, deviation 10 around 200
    codes = one_column([0, 1, 100, 101]).codes()
    first = sum(int(CondensationKNN(2, seed=seed).labels(codes)[0] == 0) for seed in range(400))
    assert 150 < first < 250


@pytest.mark.parametrize("n", [3, 5, 6])
def test_as_many_rows_as_k_and_just_below_and_at_twice_k(n: int) -> None:
    labels = CondensationKNN(3).labels(one_column(list(range(n))).codes())
    assert np.bincount(labels).tolist() == {3: [3], 5: [5], 6: [3, 3]}[n]


def test_columns_without_a_price_do_not_matter() -> None:
    matrix = np.array([[0, 1, 0, 1], [0, 0, 1, 1]], np.uint8)
    table = Table(matrix, np.array([0, 0]), np.array([0.0, 1.0]), [np.array([0.0, 1.0])] * 2, np.array([2, 2]))
    labels = CondensationKNN(2, seed=starting_with(0, 4)).labels(table.codes())
    assert labels.tolist() == [0, 0, 1, 1]


def test_adult_loses_more_than_with_k_member(data: object) -> None:
    # P0 (figure 9) finds the same order: neighbours of a random row make wider classes than greedy growth
    from covey.datasets import load_adult

    codes = encode_frame(load_adult().select(QUASI))
    for k in (5, 25):
        labels = CondensationKNN(k).labels(codes)
        assert np.bincount(labels).min() >= k
        assert total_loss(codes, labels) > total_loss(codes, KMember(k, start=0).labels(codes))
