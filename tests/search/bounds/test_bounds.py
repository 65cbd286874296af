"""What lower bounds promise: never above the least loss, no class that costs less than its rows, twins that agree."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from covey.codes.codes import Codes, codes_from_matrix
from covey.codes.prices import FLAT, ORDERED
from covey.search.bounds.extents import least_extents
from covey.search.bounds.program import raised
from covey.search.bounds.repair import repaired
from covey.search.bounds.space import Space, space_of
from oracles import bounds as plain
from oracles.random_codes import random_table, tied_table

CLOSE = 1e-9


def tiny(seed: int) -> tuple[Codes, int]:
    """Return a table of up to eight rows, columns of any kind, and a k that it can meet."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    return (random_table if seed % 2 else tied_table)(rng, n).codes(), int(rng.integers(2, min(n, 4) + 1))


def guess_for(space: Space, rng: np.random.Generator) -> np.ndarray:
    """Return prices that are mostly too high, some of them below 0."""
    shares = rng.random(space.counts.size) * rng.choice([0.3, 1.0, 2.0]) - 0.1 * rng.random()
    return np.floor(shares * space.dearest * space.grain).astype(np.int64)


def loss_of(space: Space, prices: np.ndarray) -> float:
    return space.in_losses(int((prices * space.counts).sum()))


def ordered_columns(codes: Codes) -> int:
    return int(((codes.kinds == ORDERED) & (codes.weights > 0)).sum())


@pytest.mark.parametrize("seed", range(8))
def test_least_extents_are_those_of_all_sets_of_k_rows(seed):
    for table in range(300 * seed, 300 * (seed + 1)):
        codes, k = tiny(table)
        space = space_of(codes, k)
        found = least_extents(space)[codes.row_tuple] / space.units
        wanted = np.array(plain.least_extents(codes, k))
        assert (found <= wanted + CLOSE + space.slack / space.units).all(), table
        if ordered_columns(codes) <= 3:
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6, err_msg=str(table))


@pytest.mark.parametrize("seed", range(8))
def test_no_k_rows_cost_more_than_a_class_of_them_loses(seed):
    for table in range(300 * seed, 300 * (seed + 1)):
        codes, k = tiny(table)
        space = space_of(codes, k)
        guess = guess_for(space, np.random.default_rng(table))
        prices = repaired(space, guess, least_extents(space)).prices
        assert (prices <= np.maximum(guess, space.lowest * space.grain)).all()
        own = prices[codes.row_tuple] / space.grain / space.units
        assert plain.dearest_excess(codes, k, own) <= 1e-6 * (1 + codes.weights.sum()), table


def rounds(space: Space, guess: np.ndarray, labels: np.ndarray, n: int, cores: int = 1) -> list[np.ndarray]:
    return [held.prices for held in itertools.islice(raised(space, guess, least_extents(space), labels, cores), n)]


@pytest.mark.parametrize("seed", range(8))
def test_bounds_are_never_above_the_least_loss(seed):
    for table in range(60 * seed, 60 * (seed + 1)):
        codes, k = tiny(table)
        space = space_of(codes, k)
        guess = guess_for(space, np.random.default_rng(table))
        found = [loss_of(space, prices) for prices in rounds(space, guess, np.zeros(codes.n_rows, np.int64), 8)]
        assert found == sorted(found)
        least = loss_of(space, least_extents(space) * space.grain)
        assert max(*found, least) <= plain.least_loss(codes, k) + CLOSE, table


@pytest.mark.parametrize("seed", range(4))
def test_rounds_come_to_the_value_of_the_program_of_all_sets(seed):
    shares = []
    for table in range(15 * seed, 15 * (seed + 1)):
        codes, k = tiny(table)
        wanted = plain.program_value(codes, k)
        if ordered_columns(codes) > 3 or wanted < CLOSE:
            continue
        space = space_of(codes, k)
        guess = guess_for(space, np.random.default_rng(table))
        labels = np.random.default_rng(table).integers(0, codes.n_rows // k, codes.n_rows)
        labels = np.unique(np.where(np.bincount(labels)[labels] < k, 0, labels), return_inverse=True)[1]
        found = loss_of(space, rounds(space, guess, labels, 60)[-1])
        assert found <= wanted * (1 + CLOSE) + CLOSE
        shares.append(found / wanted)
    assert min(shares) > 0.9
    assert np.mean(shares) > 0.985


@pytest.mark.parametrize("seed", range(6))
def test_repairs_are_those_of_the_plain_rule(seed):
    for table in range(100 * seed, 100 * (seed + 1)):
        rng = np.random.default_rng(table)
        codes = many_places(rng)
        space = space_of(codes, int(rng.integers(2, min(7, codes.n_rows + 1))))
        least, guess = least_extents(space), guess_for(space, rng)
        found = repaired(space, guess, least)
        assert found.prices.tolist() == repaired(space, guess, least, prune=False).prices.tolist()
        assert found.prices.tolist() == plain.repaired(space, guess.tolist(), least.tolist()), table


def many_places(rng: np.random.Generator) -> Codes:
    """Return a table with many values in the window column, few in two sides, and a category."""
    n = int(rng.integers(6, 40))
    sizes = np.array([30, 4, 3, 3])
    parts = [np.arange(30) / 29, np.array([-1.0, 0.0, 0.4, 1.0]), np.array([0.0, 0.3, 1.0]), np.zeros(0)]
    p = int(rng.integers(1, 5))
    columns = np.array([rng.integers(0, size, n) for size in sizes[:p]], np.uint8)
    if rng.random() < 0.5:
        columns = columns[:, rng.integers(0, n, n)]
    weights = rng.choice([0.5, 1.0, 2.0], p)
    kinds = np.array([ORDERED, ORDERED, ORDERED, FLAT])[:p]
    return codes_from_matrix(columns, kinds, weights, parts[:p], sizes[:p])


def test_sets_that_failed_cost_too_much_by_the_guess():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        codes = many_places(rng)
        space = space_of(codes, 3)
        guess = guess_for(space, rng)
        sets = repaired(space, guess, least_extents(space), 1000).sets
        capped = np.minimum(guess, space.highest * space.grain)
        for rows in sets.tolist():
            own = space.codes.columns[:, rows].astype(np.int64)
            price = plain.extent(space.codes.measure, own.min(axis=1), own.max(axis=1))
            assert capped[rows].sum() > 3 * price * space.grain


def test_two_cores_give_the_bound_of_one():
    rng = np.random.default_rng(0)
    n = 6_000
    columns = np.array([rng.integers(0, 60, n), rng.integers(0, 6, n), rng.integers(0, 5, n), rng.integers(0, 9, n)])
    parts = [np.arange(60) / 59, np.zeros(0), np.zeros(0), np.zeros(0)]
    kinds, sizes = np.array([ORDERED, FLAT, FLAT, FLAT]), np.array([60, 6, 5, 9])
    codes = codes_from_matrix(columns.astype(np.uint8), kinds, np.ones(4), parts, sizes)
    space = space_of(codes, 5)
    guess = least_extents(space) * space.grain * 2
    labels = np.arange(n) // 5
    found = [rounds(space, guess, labels, 3, cores) for cores in (1, 2)]
    assert all((one == other).all() for one, other in zip(*found, strict=True))


def test_more_columns_and_levels_than_are_looked_at_leave_a_bound():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, p = 7, 6
        columns = rng.integers(0, 3, (p, n)).astype(np.uint8)
        kinds = rng.choice([ORDERED, FLAT], p)
        parts = [np.arange(3) / 2 if kind == ORDERED else np.zeros(0) for kind in kinds]
        codes = codes_from_matrix(columns, kinds, np.ones(p), parts, np.full(p, 3))
        space = space_of(codes, 3, most_mixes=int(rng.integers(1, 9)))
        least = least_extents(space)
        prices = repaired(space, guess_for(space, rng), least).prices
        best = plain.least_loss(codes, 3)
        assert loss_of(space, least * space.grain) <= best + CLOSE
        assert loss_of(space, prices) <= best + CLOSE
        own = prices[codes.row_tuple] / space.grain / space.units
        assert plain.dearest_excess(codes, 3, own) <= 1e-6
