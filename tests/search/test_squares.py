"""Classes around their means: exact on a line, never worse by more search, legal, as good as the definition says."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

import covey
from covey.codes.codes import codes_from_matrix
from covey.search.demand import Demand
from covey.search.kernels.streams import draw
from covey.search.refine.estimator import ground_of
from covey.search.refine.met import nothing_met
from covey.search.squares.ground import SquaresGround, standard_points
from covey.search.squares.line import classes_on_a_line
from covey.search.squares.pool import grown_around_means, improve_means, means_loss
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
    plain = ground_of(codes, Demand(k), {}, np.arange(codes.n_rows), None)
    own = {one.name: getattr(plain, one.name) for one in fields(plain)}
    return SquaresGround(**own, points=standard_points(codes))


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
