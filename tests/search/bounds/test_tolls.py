"""Tolls: the class that is most too dear is found, prices hold with them, bounds rise and never pass the optimum."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from covey.search.bounds.branch import Tolls, dearest_class, new_branch
from covey.search.bounds.cuts import grown_sets
from covey.search.bounds.extents import least_extents
from covey.search.bounds.lower import lower_bound
from covey.search.bounds.program import raised
from covey.search.bounds.repair import repaired
from covey.search.bounds.space import Space, space_of
from oracles import bounds as plain
from oracles.random_codes import one_column, random_table, tied_table

CLOSE = 1e-9


def tolls_of(sets, price, per, n_tuples: int) -> Tolls:
    own = [[u for u, one in enumerate(sets) if t in one] for t in range(n_tuples)]
    return Tolls(
        np.cumsum([0, *(len(of_tuple) for of_tuple in own)]).astype(np.int64),
        np.array(list(itertools.chain(*own)), np.int64), np.array(price, np.int64), np.array(per, np.int64),
    )  # fmt: skip


def paid(rows, sets, price, per) -> int:
    return sum(int(z) * (sum(row in one for row in rows) // int(q)) for one, z, q in zip(sets, price, per, strict=True))


def random_tolls(rng: np.random.Generator, n_tuples: int, k: int, most: int):
    n = int(rng.integers(0, 5))
    sets = [set(np.flatnonzero(rng.random(n_tuples) < 0.6).tolist()) for _ in range(n)]
    return sets, rng.integers(0, max(most, 1), n), rng.integers(2, k + 1, n)


@pytest.mark.parametrize("seed", range(5))
def test_the_class_that_is_most_too_dear_is_found(seed):
    for case in range(300 * seed, 300 * (seed + 1)):
        rng = np.random.default_rng(case)
        k = int(rng.integers(2, 5))
        n = int(rng.integers(k, 11))
        tuples = np.unique(np.sort(rng.integers(0, n, n)), return_inverse=True)[1]
        price_of = rng.integers(-3, 20, int(tuples.max()) + 1)
        tuples = np.array(sorted(tuples.tolist(), key=lambda t: (-price_of[t], t)))
        sets, price, per = random_tolls(rng, len(price_of), k, 15)
        cost = int(rng.integers(0, 12))
        branch = new_branch(n + 2, k, len(sets))
        branch.tuples[:n], branch.prices[:n] = tuples, price_of[tuples]

        def excess(rows, tuples=tuples, price_of=price_of, sets=sets, price=price, per=per, cost=cost):
            own = [int(tuples[row]) for row in rows]
            return sum(int(price_of[t]) for t in own) - len(own) * cost - paid(own, sets, price, per)

        wanted = max(
            excess(rows)
            for size in range(k, min(2 * k - 1, n) + 1)
            for rows in itertools.combinations(range(n), size)
        )  # fmt: skip
        n_found, best, is_whole = dearest_class(branch, tolls_of(sets, price, per, len(price_of)), n, k, cost, 1 << 20)
        assert is_whole
        assert best == max(wanted, 0)
        assert n_found == 0 or excess(branch.found[:n_found].tolist()) == best
        assert not branch.held.any()


def tiny(seed: int):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    return (random_table if seed % 2 else tied_table)(rng, n).codes(), int(rng.integers(2, min(n, 4) + 1))


def guess_for(space: Space, rng: np.random.Generator) -> np.ndarray:
    return np.floor(rng.random(space.counts.size) * space.dearest * space.grain).astype(np.int64)


@pytest.mark.parametrize("most_nodes", [3, 300_000])
@pytest.mark.parametrize("seed", range(3))
def test_no_class_costs_more_than_it_loses_and_pays(seed, most_nodes):
    rose = 0
    for table in range(70 * seed, 70 * (seed + 1)):
        codes, k = tiny(table)
        space, rng = space_of(codes, k), np.random.default_rng(table)
        if space.slack:
            continue
        sets, price, per = random_tolls(rng, space.counts.size, k, space.dearest)
        tolls = tolls_of(sets, price * space.grain, per, space.counts.size)
        guess, least = guess_for(space, rng), least_extents(space)
        prices = repaired(space, guess, least, tolls=tolls, most_nodes=most_nodes).prices
        rose += int((prices * space.counts).sum()) > int((repaired(space, guess, least).prices * space.counts).sum())
        for size in range(k, min(2 * k - 1, codes.n_rows) + 1):
            for rows in itertools.combinations(range(codes.n_rows), size):
                own = codes.row_tuple[list(rows)].tolist()
                extent = round(plain.row_extent(codes, rows) * space.units)
                allowed = size * extent * space.grain + paid(own, sets, tolls.price, per)
                assert sum(int(prices[t]) for t in own) <= allowed, table
    assert rose > 5 or most_nodes == 3  # tolls let prices rise, where there is time to see to it


@pytest.mark.parametrize("seed", range(4))
def test_bounds_with_tolls_rise_and_never_pass_the_least_loss(seed):
    closed, paying = [], 0
    for table in range(25 * seed, 25 * (seed + 1)):
        codes, k = tiny(table)
        space = space_of(codes, k)
        best, program = plain.least_loss(codes, k), plain.program_value(codes, k)
        labels, guess = np.zeros(codes.n_rows, np.int64), guess_for(space, np.random.default_rng(table))
        steps = raised(space, guess, least_extents(space), labels, 1, with_tolls=True)
        found = [space.in_losses(held.value(space.counts)) for held in itertools.islice(steps, 60)]
        assert max(found) <= best + CLOSE, table
        assert found == sorted(found)
        paying += found[-1] > program + 1e-6
        closed += [(found[-1] - program) / (best - program)] if best > program + 1e-3 else []
    assert paying > 0
    assert np.mean(closed) > 0.1


def test_sets_that_the_program_takes_too_much_of_are_found():
    # a ring of five: each pair of neighbours is taken by half, two and a half classes where only two can be
    rows = np.array([[t, (t + 1) % 5] for t in range(5)], np.int32).reshape(-1)
    out, lengths, excess = np.empty((5, 9), np.int32), np.empty(5, np.int64), np.empty(5)
    n = grown_sets(
        np.arange(0, 11, 2), rows, np.full(5, 0.5), np.ones(5, np.int64), 2, 9, 20, 0.1, out, lengths, excess
    )
    assert n == 5
    assert all(sorted(own[:length].tolist()) == [0, 1, 2, 3, 4] for own, length in zip(out, lengths, strict=True))
    assert excess.tolist() == [0.5] * 5


def test_tuples_of_many_rows_may_cost_something_with_tolls():
    # k rows of one tuple alone lose nothing, so that their price is 0 at most, but for the tolls that they pay
    codes, k = one_column([1, 1, 1, 5, 9]).codes(), 2
    space = space_of(codes, k)
    many = np.flatnonzero(space.counts >= k)
    assert len(many) == 1
    tolls = tolls_of([set(many.tolist())], [5 * space.grain], [2], space.counts.size)
    guess = np.full(space.counts.size, 3 * space.grain)
    prices = repaired(space, guess, least_extents(space), tolls=tolls).prices
    assert (prices[many] > 0).any()


@pytest.mark.parametrize("seed", range(20))
def test_the_strongest_bound_is_below_the_least_loss(seed):
    codes, k = tiny(seed)
    found = [lower_bound(codes, k, effort) for effort in ("fast", "balanced", "best")]
    losses = [one.total_il for one in found]
    assert losses == sorted(losses)
    assert losses[-1] <= plain.least_loss(codes, k) + CLOSE
