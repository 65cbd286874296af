"""Classes around their means: exact on a line, never worse by more search, legal, as good as the definition says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import covey
from covey.codes.codes import codes_from_matrix
from covey.columns.kept import KeptColumn
from covey.search.demand import Demand
from covey.search.kernels.streams import below, draw
from covey.search.refine.estimator import ground_of
from covey.search.refine.ground import ROOM
from covey.search.refine.met import nothing_met
from covey.search.refine.rules import rules_of
from covey.search.squares.ground import SquaresGround, standard_points
from covey.search.squares.line import classes_on_a_line
from covey.search.squares.near import new_near
from covey.search.squares.neighbours import make_means_anew, new_means
from covey.search.squares.pool import grown_around_means, improve_means, means_loss
from oracles import squares as plain
from oracles.squares import least_sum_of_squares, sum_of_squares


@pytest.mark.parametrize("seed", range(3))
def test_one_column_is_solved_exactly(seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        k = int(rng.integers(2, 4))
        values = rng.integers(0, 12, int(rng.integers(k, 9))).astype(float)
        labels = classes_on_a_line(values, k)
        assert np.bincount(labels).min() >= k
        best = least_sum_of_squares(values[:, None], k)
        assert sum_of_squares(values[:, None], labels) == pytest.approx(best, abs=1e-9)


def test_one_column_is_solved_exactly_beside_values_that_are_far_away():
    rng = np.random.default_rng(9)
    for far in (1e6, 1e9, 1e12):
        near = rng.integers(0, 100, 60)
        labels = classes_on_a_line(np.append(near, [far, far, far]).astype(float), 3)
        alone = classes_on_a_line(near.astype(float), 3)
        assert sum_of_squares(near[:, None], labels[:60]) == pytest.approx(sum_of_squares(near[:, None], alone))
        assert (labels[60:] == labels[60]).all()
        assert (labels[:60] != labels[60]).all()


@pytest.mark.parametrize("values", [[3.0, 3.0], [1.0, 2.0, 3.0], [0.0] * 7, [-1e9, 1e9, 0.0, 5.0]])
def test_a_line_of_few_or_equal_values(values):
    labels = classes_on_a_line(np.array(values), 2)
    assert np.bincount(labels).min() >= 2
    assert sorted(set(labels.tolist())) == list(range(labels.max() + 1))


def numbers(rng: np.random.Generator, n_rows: int, n_columns: int):
    """Return the codes of a table of random numbers, all different."""
    columns = [rng.permutation(n_rows) for _ in range(n_columns)]
    positions = [np.sort(rng.random(n_rows)) for _ in range(n_columns)]
    positions = [(own - own[0]) / (own[-1] - own[0]) for own in positions]
    sizes = np.full(n_columns, n_rows)
    kinds = np.zeros(n_columns, np.uint8)
    return codes_from_matrix(np.array(columns, np.int32), kinds, np.ones(n_columns), positions, sizes)


def ground(codes, k: int) -> SquaresGround:
    return ground_of(codes, Demand(k), {}, np.arange(codes.n_rows), None, standard_points(codes))


@pytest.mark.parametrize("seed", range(4))
def test_a_pool_ends_where_no_move_and_no_swap_helps(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        k, m = int(rng.integers(2, 4)), int(rng.integers(4, 14))
        points = rng.random((m, 2))
        pool = grown_around_means(points, np.arange(m), np.arange(m), k, np.uint64(draw(np.uint64(seed), m)))
        improve_means(pool, k)
        labels, least = pool.label, sum_of_squares(points, pool.label)
        assert means_loss(pool) == pytest.approx(least, abs=1e-9)
        assert np.bincount(labels)[np.unique(labels)].min() >= k
        for i in range(m):
            for c in np.unique(labels):
                if (labels == labels[i]).sum() > k:
                    moved = labels.copy()
                    moved[i] = c
                    assert sum_of_squares(points, moved) > least - 1e-9
            for j in range(i):
                swapped = labels.copy()
                swapped[i], swapped[j] = labels[j], labels[i]
                assert sum_of_squares(points, swapped) > least - 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_classes_grow_and_change_as_the_plain_twin_has_them(seed):
    rng = np.random.default_rng(40 + seed)
    for _ in range(60):
        k, m = int(rng.integers(2, 5)), int(rng.integers(4, 20))
        points, key = rng.random((m, int(rng.integers(1, 4)))), np.uint64(rng.integers(1 << 60))
        pool = grown_around_means(points, np.arange(m), np.arange(m), k, key)

        def place(turn: int, number: int, n_left: int, key: np.uint64 = key) -> int:
            return int(below(np.uint64(draw(np.uint64(draw(key, turn)), number)), n_left))

        classes = plain.grown_around_means(points, k, place)
        assert classes_of(pool.label) == sorted(map(sorted, classes))
        improve_means(pool, k)
        assert classes_of(pool.label) == sorted(sorted(rows) for rows in plain.improved(points, classes, k) if rows)


def classes_of(labels: np.ndarray) -> list[list[int]]:
    return sorted(np.flatnonzero(labels == c).tolist() for c in np.unique(labels))


@pytest.mark.parametrize("seed", range(5))
def test_tries_gain_what_is_said_and_stay_legal_whatever_is_equal_or_demanded(seed):
    rng = np.random.default_rng(60 + seed)
    total = 0.0
    for _ in range(60):
        k, n = int(rng.integers(2, 4)), int(rng.integers(8, 40))
        points = np.ascontiguousarray(rng.integers(0, 6, (n, 2)).astype(float))  # many are equal
        values = rng.integers(0, 3, n)
        demand = Demand(k, (covey.DistinctLDiversity("ill", 2),) if rng.random() < 0.5 else ())
        kept = {"ill": KeptColumn("ill", values, ("0", "1", "2"))}
        rules = rules_of(demand, {name: kept[name].codes for name in demand.columns}, n)
        labels = np.arange(n) // (n // 2 + 1)  # two classes, of which tries make more
        if not demand.passing(labels, {"ill": values}).all():
            continue
        means, before = new_means(points, labels, 2, ROOM), sum_of_squares(points, labels)
        key = np.uint64(rng.integers(1 << 60))
        gained = make_means_anew(
            means, new_near(len(means.rows)), np.arange(n), rules, k, 2 * n, 0, 30, 30, key, 0.0, 0.0, nothing_met()
        )
        found = np.unique(means.label, return_inverse=True)[1]
        assert sum_of_squares(points, found) == pytest.approx(before - gained, abs=1e-7)
        assert np.bincount(found).min() >= k
        assert demand.passing(found, {"ill": values}).all()
        assert gained >= 0.0
        total += gained
    assert total > 0.0


@pytest.mark.parametrize("k", [2, 3, 5])
def test_tries_lose_less_and_stay_legal(k):
    codes = numbers(np.random.default_rng(k), 200, 3)
    own = ground(codes, k)
    labels = covey.MDAV(k=k).labels(codes)
    found = own.tried(labels, Fraction(20), np.uint64(5), nothing_met())
    assert np.bincount(found).min() >= k
    assert sum_of_squares(own.points, found) < 0.98 * sum_of_squares(own.points, labels)
    assert own.losses(found).sum() == pytest.approx(sum_of_squares(own.points, found))


def test_tiny_tables_are_near_their_optimum():
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(15):
        codes = numbers(rng, 8, 2)
        found = covey.Covey(k=2, cost="squares", effort="best").labels(codes)
        points = standard_points(codes)
        ratios.append(sum_of_squares(points, found) / least_sum_of_squares(points, 2))
    assert min(ratios) > 1 - 1e-9
    assert np.mean(ratios) < 1.01
