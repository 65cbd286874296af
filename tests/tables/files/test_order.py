"""A random order of rows from the system's randomness."""

from __future__ import annotations

import numpy as np
import pytest

from covey.tables.files import shuffle_rows


@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_every_row_comes_once(n):
    assert sorted(shuffle_rows(n).tolist()) == list(range(n))


def test_two_orders_differ_and_no_seed_of_numpy_matters():
    np.random.seed(0)
    first = shuffle_rows(1000)
    np.random.seed(0)
    assert (shuffle_rows(1000) != first).any()  # equal by chance once in 1000!


def test_every_order_is_equally_likely():
    draws = 6000
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(draws):
        order = tuple(shuffle_rows(3).tolist())
        seen[order] = seen.get(order, 0) + 1
    # 6 orders, 1000 expected each, standard deviation 29: 8 of them fail less than once in 10**14
    assert len(seen) == 6
    assert all(abs(count - 1000) < 232 for count in seen.values())
