"""What `Polish` promises: the best partition that the classes at hand make, dealt to rows, on any number of cores."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import covey
from covey.codes.boxes import total_loss
from covey.search.demand import Demand
from covey.search.polish import choice
from covey.search.polish.choice import Choices, chosen_labels, prices
from covey.search.polish.search import polished
from covey.search.polish.small import with_small_classes
from covey.search.refine.estimator import ground_of
from covey.search.refine.rules import rules_of
from search.test_refine import census


def choices_of(classes: list[tuple[int, ...]], losses: list[float]) -> Choices:
    starts = np.concatenate([[0], np.cumsum([len(one) for one in classes])])
    return Choices(np.concatenate([np.array(one) for one in classes]), starts, np.array(losses, float))


def best_by_trying(counts: np.ndarray, classes: list[tuple[int, ...]], losses: list[float]) -> float:
    """Return the least loss of classes that take every row once, by trying all ways."""
    if counts.sum() == 0:
        return 0.0
    best, first = np.inf, int(np.flatnonzero(counts)[0])
    for one, loss in zip(classes, losses, strict=True):
        left = counts - np.bincount(one, minlength=len(counts))
        if first in one and (left >= 0).all():
            best = min(best, loss + best_by_trying(left, classes, losses))
    return best


@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_all_partitions_is_chosen_and_dealt_to_rows(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        counts = rng.integers(1, 4, int(rng.integers(2, 5)))
        counts[0] += 2  # so that all rows together are none of the other classes
        kind = rng.permutation(np.repeat(np.arange(len(counts)), counts))
        pool = [
            one
            for size in (2, 3)
            for one in itertools.combinations_with_replacement(range(len(counts)), size)
            if (np.bincount(one, minlength=len(counts)) <= counts).all()
        ]
        classes = [one for one in pool if rng.random() < 0.7] + [tuple(sorted(kind.tolist()))]
        losses = [float(rng.integers(0, 30)) for _ in classes[:-1]] + [100.0]
        found = chosen_labels(kind, choices_of(classes, losses), np.array([len(classes) - 1]))
        best = best_by_trying(counts, classes, losses)
        if best == 100.0:
            assert found is None
            continue
        assert found is not None
        made = [tuple(sorted(kind[found == c].tolist())) for c in range(found.max() + 1)]
        priced = {}
        for one, loss in zip(classes, losses, strict=True):
            priced[one] = min(loss, priced.get(one, np.inf))
        assert sum(priced[one] for one in made) == best


def test_one_core_and_several_give_the_same_classes():
    codes = census(1_200)
    start = covey.Peel(k=3).labels(codes)
    ground = ground_of(codes, Demand(3), {}, np.arange(1_200), None)
    one, two = ([*polished(ground, start, 2, Fraction(6), 0, cores=cores)][-1] for cores in (1, 3))
    assert (one == two).all()
    assert np.bincount(one).min() >= 3
    assert total_loss(codes, one) < total_loss(codes, start)


def test_it_loses_less_than_what_it_starts_from():
    codes = census(1_500)
    begun = covey.Refine(k=4, tries=2).labels(codes)
    found = covey.Polish(k=4, start="refine(tries=2)", rounds=1, tries=6).labels(codes)
    assert total_loss(codes, found) < total_loss(codes, begun)
    assert np.bincount(found).min() >= 4


def test_without_the_solver_the_better_search_is_kept(monkeypatch):
    codes = census(800)
    begun = covey.Peel(k=3).labels(codes)
    monkeypatch.setattr("covey.search.polish.search.can_choose", lambda: False)
    found = covey.Polish(k=3, start="peel", rounds=1, tries=4).labels(codes)
    assert total_loss(codes, found) < total_loss(codes, begun)


def test_the_solver_is_there_in_tests():
    assert choice.can_choose()


def test_rows_of_a_kind_are_equal_in_what_is_priced_and_demanded():
    codes = census(400)
    ill = np.arange(400) % 3
    model = covey.DistinctLDiversity("ill", 2)
    demand = Demand(3, (model,))
    ground = ground_of(codes, Demand(3), {}, np.arange(400), None)
    assert len(np.unique(ground.kinds())) == codes.n_tuples
    kinds = replace(ground, rules=rules_of(demand, {"ill": ill}, 400)).kinds()
    pairs = {(t, i): kind for t, i, kind in zip(ground.tuples.tolist(), ill.tolist(), kinds.tolist(), strict=True)}
    assert len(pairs) == len(set(pairs.values())) == kinds.max() + 1


@pytest.mark.parametrize("seed", range(3))
def test_prices_are_those_at_which_the_classes_chosen_lose_what_their_rows_are_worth(seed):
    """Weak and strong duality of the program without whole numbers."""
    rng = np.random.default_rng(seed)
    for _ in range(30):
        kind = rng.permutation(np.repeat(np.arange(5), rng.integers(1, 4, 5)))
        classes = [*itertools.combinations(range(5), 2), tuple(sorted(kind.tolist()))]
        losses = [float(rng.integers(1, 20)) for _ in classes[:-1]] + [60.0]
        price = prices(kind, choices_of(classes, losses), 3.0, np.inf)
        assert price is not None
        assert price.min() >= -3.0 - 1e-9
        for one, loss in zip(classes, losses, strict=True):
            assert loss - price[list(one)].sum() > -1e-6
        assert any(abs(loss - price[list(one)].sum()) < 1e-6 for one, loss in zip(classes, losses, strict=True))


def test_at_two_rows_a_class_all_small_classes_are_chosen_from():
    codes = census(400)
    ground = ground_of(codes, Demand(2), {}, np.arange(400), None)
    labels = covey.Refine(k=2, tries=20).labels(codes)
    kind, order = ground.kinds(), np.argsort(labels, kind="stable")
    own = Choices(kind[order], np.concatenate([[0], np.cumsum(np.bincount(labels))]), ground.losses(labels))
    found = chosen_labels(kind, with_small_classes(ground, kind, own), np.arange(len(own.loss)))
    assert found is not None
    assert np.bincount(found).min() >= 2
    assert total_loss(codes, found) < total_loss(codes, labels)
    three = ground_of(codes, Demand(3), {}, np.arange(400), None)
    assert with_small_classes(three, kind, own) is own
