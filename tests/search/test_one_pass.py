"""One-pass k-means: rows join moving centres, full classes give up what is far, and every class ends legal."""

from __future__ import annotations

import numpy as np
import pytest

from covey.codes.encoding import encode_frame
from covey.search.one_pass.estimator import OnePassKMeans
from oracles.one_pass import one_pass
from oracles.random_codes import FLAT, Table, one_column, random_table, rows_around


class Unpruned(OnePassKMeans):
    """Looks at every class in every step."""

    _prune = False


def drawn(seed: int, n: int, k: int) -> list[int]:
    """Return the places, in the sorted rows, of the rows that start the classes."""
    return sorted(np.random.default_rng(seed).choice(n, n // k, replace=False).tolist())


def seed_that_draws(places: list[int], n: int, k: int) -> int:
    return next(seed for seed in range(10_000) if drawn(seed, n, k) == places)


@pytest.mark.parametrize("centre", ["mode", "lca"])
@pytest.mark.parametrize("seed", range(3))
def test_classes_are_those_of_the_plain_twin(seed: int, centre: str) -> None:
    random = np.random.default_rng(seed)
    for _ in range(250):
        k = int(random.integers(2, 7))
        n = rows_around(random, k, 40)
        table = random_table(random, n)
        expected = one_pass(*table.plain(), k, drawn(seed, n, k), centre)
        found = OnePassKMeans(k, seed=seed, centre=centre).labels(table.codes())  # type: ignore[arg-type]
        assert found.tolist() == expected, (table, k)


@pytest.mark.parametrize("centre", ["mode", "lca"])
def test_the_index_changes_nothing(centre: str) -> None:
    # hundreds of classes, so that the tree has several levels
    random = np.random.default_rng(7)
    for seed in range(60):
        k = int(random.integers(2, 7))
        codes = random_table(random, int(random.integers(500, 1500))).codes()
        pruned = OnePassKMeans(k, seed=seed, centre=centre).labels(codes)  # type: ignore[arg-type]
        assert np.array_equal(pruned, Unpruned(k, seed=seed, centre=centre).labels(codes)), (seed, k)  # type: ignore[arg-type]


@pytest.mark.parametrize("centre", ["mode", "lca"])
def test_every_class_has_k_to_2k_minus_1_rows(centre: str) -> None:
    random = np.random.default_rng(5)
    for seed in range(300):
        k = int(random.integers(2, 9))
        n = rows_around(random, k, 90)
        codes = random_table(random, n).codes()
        sizes = np.bincount(OnePassKMeans(k, seed=seed, centre=centre).labels(codes))  # type: ignore[arg-type]
        assert len(sizes) == n // k
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1


def test_equal_rows_and_rows_that_all_go_to_one_centre_are_legal() -> None:
    # at first all join the lowest class; it gives up all but k
    assert np.bincount(OnePassKMeans(3).labels(one_column([4] * 11).codes())).tolist() == [5, 3, 3]
    far = one_column([*range(1000, 1003), *[0] * 97])  # most centres are 0: the lowest of them takes every 0
    sizes = np.bincount(OnePassKMeans(5).labels(far.codes()))
    assert sizes.tolist() == [5] * 20


def test_a_centre_moves_as_rows_join_it() -> None:
    # 0 4 7 10 with starts at 0 and 10: 4 joins 0 (4/10 against 6/10), whose centre becomes 2; 7 joins 10
    seed = seed_that_draws([0, 3], 4, 2)
    assert OnePassKMeans(2, seed=seed).labels(one_column([0, 4, 7, 10]).codes()).tolist() == [0, 0, 1, 1]
    # 0 1 1 1 6 11 11 11 12, k = 4, starts at 0 and 12: 6 is as near to both starts, but the first centre has
    # moved to 3/4 by then: 6 joins the first.  Of its five rows 6 is furthest and is given up; no class is below k,
    # and 6 is 21/4 from both centres, 3/4 and 45/4: the lowest class
    values = [0, 1, 1, 1, 6, 11, 11, 11, 12]
    seed = seed_that_draws([0, 8], 9, 4)
    assert OnePassKMeans(4, seed=seed).labels(one_column(values).codes()).tolist() == [0] * 5 + [1] * 4


def test_a_full_class_gives_up_its_furthest_row_to_one_that_is_not() -> None:
    # 0 1 2 3 4 8, k = 3, starts at 0 and 8: 1, 2, 3 and 4 all join the first class (4 is 2.5 from its centre
    # 1.5, and 4 from 8).  Of 0..4 around 2, 0 and 4 are furthest, 0 the lowest: given up; then 1..4 around
    # 2.5, 1 is the lowest: given up.  Both join the second class, the only one below 3
    seed = seed_that_draws([0, 5], 6, 3)
    assert OnePassKMeans(3, seed=seed).labels(one_column([0, 1, 2, 3, 4, 8]).codes()).tolist() == [1, 1, 0, 0, 0, 1]


def test_a_class_that_is_mixed_is_as_far_as_the_whole_domain_under_lca_and_not_under_mode() -> None:
    # flat labels, sorted 0 0 1 1 2 2, k = 3, starts at the first 0 and the last 2.  The other 0 joins the first
    # class; both 1s are 1 from both centres and join the first; then 2 joins the second: sizes 4 and 2.
    # mode: centre 0, so the first 1 is furthest and is given up.  lca: the centre is any label, all rows are
    # as far, and the first row is given up
    table = Table(np.array([[0, 0, 1, 1, 2, 2]], np.uint8), np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([3]))
    seed = seed_that_draws([0, 5], 6, 3)
    assert OnePassKMeans(3, seed=seed).labels(table.codes()).tolist() == [0, 0, 1, 0, 1, 1]
    assert OnePassKMeans(3, seed=seed, centre="lca").labels(table.codes()).tolist() == [1, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("n", [3, 5, 6])
def test_as_many_rows_as_k_and_just_below_and_at_twice_k(n: int) -> None:
    sizes = np.bincount(OnePassKMeans(3).labels(one_column(list(range(n))).codes()))
    assert sizes.tolist() == {3: [3], 5: [5], 6: [3, 3]}[n]


def test_the_seed_draws_the_starts() -> None:
    codes = random_table(np.random.default_rng(3), 80).codes()
    first = OnePassKMeans(5, seed=1).labels(codes)
    assert np.array_equal(first, OnePassKMeans(5, seed=1).labels(codes))
    assert any(not np.array_equal(first, OnePassKMeans(5, seed=seed).labels(codes)) for seed in range(2, 5))


def test_a_census_is_clustered_as_without_the_index() -> None:
    from covey.datasets import census_roles, make_census

    codes = encode_frame(make_census(3000).select(census_roles()["quasi"]))
    assert np.array_equal(OnePassKMeans(5).labels(codes), Unpruned(5).labels(codes))
