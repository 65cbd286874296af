"""KMember gives the classes of the plain loop over all rows, whatever the table, and skips nothing that counts."""

from __future__ import annotations

import numpy as np
import pytest

from covey.base.errors import InputError
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_frame
from covey.search.k_member.estimator import KMember
from oracles.k_member import k_member
from oracles.random_codes import Table, one_column, random_table, rows_around

QUASI = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"]


def without_pruning(**parameters: object) -> KMember:
    estimator = KMember(**parameters)  # type: ignore[arg-type]
    estimator._prune = False  # type: ignore[misc]
    return estimator


@pytest.mark.parametrize("seed", range(8))
def test_classes_are_those_of_the_plain_loop(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(250):
        k = int(random.integers(2, 7))
        n = rows_around(random, k, 30)
        table, start = random_table(random, n), int(random.integers(n))
        next_seed = str(random.choice(["seed", "last"]))
        expected = k_member(*table.plain(), k, start, next_seed)
        estimator = KMember(k, start=start, next_seed=next_seed)
        assert estimator.labels(table.codes()).tolist() == expected, (table, k, start, next_seed)


@pytest.mark.parametrize("seed", range(20))
def test_classes_are_those_of_the_plain_loop_where_the_tree_is_deep(seed: int) -> None:
    random = np.random.default_rng(100 + seed)
    k = int(random.integers(2, 12))
    n = rows_around(random, k, 180)
    table, start = random_table(random, n), int(random.integers(n))
    for next_seed in ("seed", "last"):
        expected = k_member(*table.plain(), k, start, next_seed)
        for make in (KMember, without_pruning):
            assert make(k=k, start=start, next_seed=next_seed).labels(table.codes()).tolist() == expected


@pytest.mark.parametrize("seed", range(6))
def test_pruning_changes_nothing_on_larger_tables(seed: int) -> None:
    random = np.random.default_rng(200 + seed)
    table = random_table(random, 2000)
    for k in (2, 7, 50):
        parameters = {"k": k, "seed": seed, "next_seed": "last" if seed % 2 else "seed"}
        pruned = KMember(**parameters).labels(table.codes())  # type: ignore[arg-type]
        assert np.array_equal(pruned, without_pruning(**parameters).labels(table.codes()))


@pytest.mark.parametrize("leftovers", ["order", "random"])
def test_every_class_has_k_to_2k_minus_1_rows(leftovers: str) -> None:
    # P0, theorem 2: the fewer than k rows left over can all join one class of k, no more
    random = np.random.default_rng(1)
    for _ in range(150):
        k = int(random.integers(2, 9))
        table = random_table(random, rows_around(random, k, 60))
        labels = KMember(k, seed=int(random.integers(99)), leftovers=leftovers).labels(table.codes())  # type: ignore[arg-type]
        sizes = np.bincount(labels)
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1
        assert len(sizes) == len(labels) // k


@pytest.mark.parametrize("seed", range(10))
def test_random_leftovers_join_in_an_order_drawn_from_the_seed(seed: int) -> None:
    random = np.random.default_rng(seed)
    k = 6
    table = random_table(random, 4 * k + 5)
    expected = k_member(
        *table.plain(), k, 0, leftovers=lambda left: np.random.default_rng(seed).permutation(np.array(left))
    )
    assert KMember(k, seed=seed, start=0, leftovers="random").labels(table.codes()).tolist() == expected


def test_the_reference_row_is_drawn_from_the_seed() -> None:
    table = random_table(np.random.default_rng(3), 41)
    for seed in range(5):
        start = int(np.random.default_rng(seed).integers(41))
        drawn, given = KMember(4, seed=seed), KMember(4, start=start)
        assert np.array_equal(drawn.labels(table.codes()), given.labels(table.codes()))


def test_ages_pair_up_with_their_neighbours() -> None:
    # 34 35 61 63, k = 2: row 3 is furthest from row 0 and takes 61; 34 and 35 remain
    labels = KMember(2, start=0).labels(one_column([34, 35, 61, 63]).codes())
    assert labels.tolist() == [1, 1, 0, 0]
    # loss (1/29) x 2 + (2/29) x 2
    assert total_loss(one_column([34, 35, 61, 63]).codes(), labels) == pytest.approx(6 / 29)


def test_next_seed_last_starts_furthest_from_the_last_row_added() -> None:
    # rows D(0, 1) A(0, 0) B(1, 1) C(1, 0.5) E(0.25, 0) F(0.25, 1), start at A: B is furthest and takes C.
    matrix = np.array([[0, 0, 2, 2, 1, 1], [2, 0, 2, 1, 0, 2]], np.uint8)
    parts = [np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.5, 1.0])]
    table = Table(matrix, np.array([0, 0]), np.ones(2), parts, np.array([3, 3]))
    # from the seed B: A (2) is furthest and takes E; F and D remain
    assert KMember(2, start=1).labels(table.codes()).tolist() == [2, 1, 0, 0, 1, 2]
    # from the last row C: D and A (1.5 both), D is the lower row and takes F; A and E remain
    assert KMember(2, start=1, next_seed="last").labels(table.codes()).tolist() == [1, 2, 0, 0, 2, 1]


def test_a_leftover_joins_the_class_whose_loss_it_raises_least() -> None:
    # 0 0 10 10 4, k = 2, start at row 0: {10, 10}, then from a row at 10 the furthest is 0: {0, 0}.
    # 4 is left: joining 0 costs 3 x 0.4 = 1.2, joining 10 costs 3 x 0.6 = 1.8
    assert KMember(2, start=0).labels(one_column([0, 0, 10, 10, 4]).codes()).tolist() == [1, 1, 0, 0, 1]


def test_a_leftover_that_costs_the_same_twice_joins_the_lower_class() -> None:
    # 0 0 10 10 5: 3 x 0.5 on either side; class 0 is the one at 10
    assert KMember(2, start=0).labels(one_column([0, 0, 10, 10, 5]).codes()).tolist() == [1, 1, 0, 0, 0]


def test_ties_go_to_the_lowest_row() -> None:
    # all rows equal: seeds and members come in row order, the last row is left over and joins class 0
    assert KMember(3, start=5).labels(one_column([7] * 10).codes()).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 0]


@pytest.mark.parametrize("n", [3, 5, 6])
def test_as_many_rows_as_k_and_just_below_and_at_twice_k(n: int) -> None:
    labels = KMember(3, start=0).labels(one_column(list(range(n))).codes())
    assert np.bincount(labels).tolist() == {3: [3], 5: [5], 6: [3, 3]}[n]


def test_columns_of_weight_0_do_not_count() -> None:
    # the first column would pair rows 0-1 and 2-3; it has no weight
    matrix = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.uint8)
    table = Table(matrix, np.array([1, 1]), np.array([0.0, 1.0]), [np.zeros(0)] * 2, np.array([2, 2]))
    assert KMember(2, start=0).labels(table.codes()).tolist() == [1, 0, 1, 0]


def test_an_ordered_column_with_more_codes_than_are_tabled_gives_the_same_classes() -> None:
    random = np.random.default_rng(8)
    values = random.random(600).round(3).tolist()
    table = one_column(values)
    wide = Table(table.matrix.astype(np.uint16), table.kinds, table.weights, table.parts, table.sizes)
    assert KMember(5, start=0).labels(wide.codes()).tolist() == k_member(*wide.plain(), 5, 0)


def test_a_start_beyond_the_table_is_refused() -> None:
    with pytest.raises(InputError, match=r"`start` of KMember is row 4, counted from 0; the table has 4 rows"):
        KMember(2, start=4).labels(one_column([1, 2, 3, 4]).codes())


def test_adult_loses_what_the_literature_reports(data: object) -> None:
    from covey.datasets import load_adult

    codes = encode_frame(load_adult().select(QUASI))
    assert codes.n_rows == 30_162
    expected = {2: 5_400, 5: 16_700, 10: 29_900, 25: 55_984, 50: 77_364, 100: 99_864}
    for k, loss in expected.items():
        labels = KMember(k, start=0).labels(codes)
        sizes = np.bincount(labels)
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1
        assert total_loss(codes, labels) == pytest.approx(loss, rel=0.02)
