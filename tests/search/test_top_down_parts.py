"""Top-down parts: halves of halves around two rows far apart, every part of k to 2k - 1 rows."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa
import pytest

from covey.search.binary_k_means import halves as _halves
from covey.search.non_homogeneous.estimator import NonHomogeneous
from covey.search.non_homogeneous.parts import top_down_parts
from oracles import binary_k_means as oracle
from oracles.random_codes import one_column, random_table, rows_around

Join = Literal["centre", "growth", "extent", "widening"]
JOINS: list[Join] = ["centre", "growth", "extent", "widening"]


@pytest.mark.parametrize("join", JOINS)
def test_parts_are_those_of_the_plain_twin(join: Join) -> None:
    random = np.random.default_rng(3)
    for seed in range(500):
        k = int(random.integers(2, 7))
        table = random_table(random, rows_around(random, k, 40))
        expected = oracle.binary_k_means(*table.plain(), k, seed, tries=1, join=join, far=True)
        assert top_down_parts(table.codes(), k, seed, join).tolist() == expected, (table, k)


@pytest.mark.parametrize("join", JOINS)
def test_every_part_has_k_to_2k_minus_1_rows(join: Join) -> None:
    random = np.random.default_rng(4)
    for seed in range(500):
        k = int(random.integers(2, 9))
        n = rows_around(random, k, 90)
        sizes = np.bincount(top_down_parts(random_table(random, n).codes(), k, seed, join))
        assert sizes.sum() == n
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1


def test_the_seeds_are_the_two_ends_whichever_row_is_drawn() -> None:
    # 0 1 2 | 7 8 10: from any row the furthest is 0 or 10, and from there the other; 2 is nearer to 0, 7 nearer to 10
    codes = one_column([7, 0, 10, 2, 8, 1]).codes()
    for seed in range(30):
        parts = top_down_parts(codes, 3, seed)
        assert np.array_equal(parts == parts[0], [True, False, True, False, True, False])


def test_rows_join_the_nearer_seed_though_their_half_grows_more() -> None:
    # 0 0 0 0 4 6 10: 4 is nearer to 0; read as growth it may join 6 and 10 instead (by 10 tenths, not 20)
    codes = one_column([0, 0, 0, 0, 4, 6, 10]).codes()
    nearer = [top_down_parts(codes, 2, seed) for seed in range(30)]
    assert all(parts[4] != parts[5] == parts[6] for parts in nearer)
    assert any(top_down_parts(codes, 2, seed, "growth")[4] == top_down_parts(codes, 2, seed, "growth")[5]
               for seed in range(30))  # fmt: skip


def test_equal_rows_are_halved() -> None:
    assert sorted(np.bincount(top_down_parts(one_column([4] * 11).codes(), 3, 0)).tolist()) == [3, 3, 5]


def test_neither_cores_nor_blocks_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    for seed in range(10):
        codes = random_table(random, int(random.integers(300, 1500))).codes()
        for join in JOINS:
            expected = top_down_parts(codes, 5, seed, join)
            for cores, block in ((1, 10), (2, 10), (3, 200)):
                with monkeypatch.context() as patch:
                    patch.setattr(_halves, "BLOCK", block)
                    patch.setattr(_halves, "cores_to_use", lambda cores=cores: cores)
                    assert np.array_equal(expected, top_down_parts(codes, 5, seed, join))


def test_non_homogeneous_makes_its_rings_in_them() -> None:
    people = pa.table({"age": [34, 35, 36, 61, 63, 80, 81, 83]})
    found = NonHomogeneous(2, parts="top-down", seed=3).fit(people)
    assert np.bincount(found.labels_).min() >= 2
    assert found.labels_[0] != found.labels_[7]
    assert found.loss_ > 0
