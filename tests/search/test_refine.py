"""What `Refine` promises: no more loss than before, legal classes, the moves of its plain twin, any number of cores."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import covey
from covey.base.errors import CoveyError
from covey.codes.boxes import total_loss
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_frame
from covey.codes.whole_prices import in_whole_prices
from covey.datasets import census_roles, make_census
from covey.privacy.diversity import DistinctLDiversity, FrequencyLDiversity
from covey.search.demand import Demand
from covey.search.kernels.boxes import new_columns
from covey.search.kernels.class_tree import joined_extent, point_values
from covey.search.polish.pairs import NO_ROW, cheap_classes
from covey.search.refine.estimator import Refine, ground_of
from covey.search.refine.growth import grow_anew
from covey.search.refine.improve import improve
from covey.search.refine.met import new_met
from covey.search.refine.moves import dearest_first, dissolve_classes, move_rows
from covey.search.refine.neighbours import make_anew
from covey.search.refine.partition import detach, members, new_partition
from covey.search.refine.pool import CLASSES, ROWS, is_legal, new_pool, pool_loss
from covey.search.refine.rules import count_row, forget_row, missing_rows, rules_of, size_with
from covey.search.refine.scene import NEAR, UNKNOWN, look_around, new_scene
from covey.search.refine.search import refined
from oracles import refine as plain
from search.test_peel import random_codes


def feasible_models(rng: np.random.Generator, labels: np.ndarray, ills: np.ndarray) -> tuple:
    """Return models that random classes satisfy, none if they satisfy none."""
    drawn = [
        DistinctLDiversity("ill", int(rng.integers(2, 4))),
        FrequencyLDiversity("ill", rng.choice([1.2, 1.5, 2.0])),
    ]
    of_all = {"ill": ills}
    return tuple(model for model in drawn if Demand(2, (model,)).passing(labels, of_all).all())


class Drawn:
    """A random table in whole prices, in random classes of k rows or more."""

    def __init__(self, rng: np.random.Generator, most_classes: int = 6, with_models: bool = False) -> None:
        self.k = int(rng.integers(2, 5))
        self.n_classes = int(rng.integers(1, most_classes + 1))
        self.n_rows = self.n_classes * self.k + int(rng.integers(0, 2 * self.k))
        self.codes = in_whole_prices(random_codes(rng, self.n_rows, int(rng.integers(1, 5))), self.n_rows)
        self.tuples = self.codes.row_tuple.astype(np.int64)
        self.labels = rng.permutation(
            np.concatenate(
                [
                    np.repeat(np.arange(self.n_classes), self.k),
                    rng.integers(0, self.n_classes, self.n_rows - self.k * self.n_classes),
                ]
            )
        )
        self.columns = new_columns(self.codes.measure)
        self.points = point_values(self.codes.narrow, self.codes.measure)[self.tuples]
        self.items = np.arange(self.n_rows)
        self.ills = rng.integers(0, 5, self.n_rows)
        self.demand = Demand(self.k)
        if with_models and (models := feasible_models(rng, self.labels, self.ills)):
            self.demand = Demand(self.k, models)
        self.rules = rules_of(self.demand, {"ill": self.ills}, self.n_rows)

    def partition(self):
        measure = self.codes.measure
        return new_partition(
            self.codes.narrow, measure, self.tuples, self.labels, self.n_classes, self.items, self.rules
        )

    def scene(self, room: int):
        measure = self.codes.measure
        points = point_values(self.codes.narrow, measure)
        return new_scene(measure, points, self.tuples, self.labels, self.n_classes, room, self.items)

    def pool(self):
        pool = new_pool(self.codes.measure, self.rules, self.points.shape[1], self.n_rows, self.k)
        m = self.n_rows
        pool.size[:] = m, self.n_classes
        pool.points[:, :m], pool.items[:m], pool.label[:m] = self.points.T, self.items, self.labels
        pool.rows[: self.n_classes] = np.bincount(self.labels, minlength=self.n_classes)
        return pool

    def take(self, pool) -> None:
        """Let the classes be those of a pool."""
        self.labels, self.n_classes = pool.label[: pool.size[ROWS]].copy(), int(pool.size[CLASSES])

    def passes(self, rows: list[int]) -> bool:
        return not rows or self.demand.holds_together({"ill": self.ills[rows]})

    def classes(self) -> list[list[int]]:
        return [np.flatnonzero(self.labels == c).tolist() for c in range(self.n_classes)]

    def extent(self, rows: list[int]) -> float:
        if not rows:
            return 0.0
        low, high = self.points[rows].min(0), self.points[rows].max(0)
        return float(joined_extent(self.columns, low, high, low))

    def loss(self) -> float:
        return plain.total(self.classes(), self.extent)


def labels_of(classes: list[list[int]], n_rows: int) -> list[int]:
    labels = [-1] * n_rows
    for c, rows in enumerate(classes):
        for row in rows:
            labels[row] = c
    return labels


@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_rows_move_as_the_plain_twin_moves_them(seed, prune):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        drawn = Drawn(rng, with_models=True)
        classes = drawn.classes()
        moved = plain.move_rows(classes, drawn.n_rows, drawn.k, drawn.extent, drawn.passes)
        assert move_rows(drawn.partition(), drawn.k, prune) == moved
        assert drawn.labels.tolist() == labels_of(classes, drawn.n_rows)


@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_classes_dissolve_as_the_plain_twin_dissolves_them(seed, prune):
    rng = np.random.default_rng(50 + seed)
    n_gone = 0
    for _ in range(100):
        drawn = Drawn(rng, with_models=True)
        classes = drawn.classes()
        gone = plain.dissolve_classes(classes, drawn.extent, drawn.passes)
        partition = drawn.partition()
        assert dissolve_classes(partition, dearest_first(partition), prune) == gone
        assert drawn.labels.tolist() == labels_of(classes, drawn.n_rows)
        n_gone += gone
    assert n_gone > 0


def test_a_partition_knows_the_boxes_and_rows_of_its_classes_after_any_moves():
    rng = np.random.default_rng(7)
    for _ in range(200):
        drawn = Drawn(rng)
        partition = drawn.partition()
        move_rows(partition, drawn.k, True)
        dissolve_classes(partition, dearest_first(partition), True)
        for row in rng.permutation(drawn.n_rows)[:3]:
            detach(partition, row)
        for c, rows in enumerate(drawn.classes()):
            assert sorted(members(partition, c).tolist()) == rows
            assert partition.classes.rows[c] == len(rows)
            assert partition.classes.extent[c] == drawn.extent(rows)
            if rows:
                assert (partition.classes.low[c] == drawn.points[rows].min(0)).all()
                assert (partition.classes.high[c] == drawn.points[rows].max(0)).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_pool_ends_where_no_move_no_dissolved_class_and_no_swap_helps(seed):
    rng = np.random.default_rng(90 + seed)
    for _ in range(60):
        drawn = Drawn(rng, most_classes=4, with_models=True)
        before = drawn.loss()
        pool = drawn.pool()
        improve(pool, drawn.k)
        assert is_legal(pool, drawn.k)
        drawn.take(pool)
        classes = drawn.classes()
        assert pool_loss(pool) == plain.total(classes, drawn.extent) <= before
        assert all(not rows or len(rows) >= drawn.k for rows in classes)
        assert all(map(drawn.passes, classes))
        assert not plain.has_better_neighbour(classes, drawn.k, drawn.extent, drawn.passes)


@pytest.mark.parametrize("seed", range(5))
def test_classes_grow_as_the_plain_twin_grows_them(seed):
    rng = np.random.default_rng(120 + seed)
    for _ in range(60):
        drawn = Drawn(rng, with_models=True)
        pool = drawn.pool()
        pool.biased.weights[:] *= 1.0 + rng.integers(0, 2) * rng.random(len(pool.weights))
        grow_anew(pool, drawn.k)

        def biased(rows: list[int], drawn: Drawn = drawn, weights: np.ndarray = pool.biased.weights) -> float:
            points, columns = drawn.points[rows], drawn.columns._replace(weights=weights)
            return float(joined_extent(columns, points.min(0), points.max(0), points[0]))

        def needs(rows: list[int], drawn: Drawn = drawn) -> int:
            return least_size(drawn.ills[rows].tolist(), drawn.k, drawn.demand)

        classes = plain.grown(drawn.n_rows, drawn.k, biased, drawn.extent, needs, drawn.passes)
        drawn.take(pool)
        assert drawn.classes() == [sorted(rows) for rows in classes]
        assert pool.rows[: drawn.n_classes].tolist() == [len(rows) for rows in classes]
        assert pool.extent[: drawn.n_classes].tolist() == [drawn.extent(rows) for rows in classes]


@pytest.mark.parametrize("warmth", [0.0, 20.0])
@pytest.mark.parametrize("seed", range(5))
def test_classes_made_anew_lose_less_by_what_is_said_and_stay_legal(seed, warmth):
    rng = np.random.default_rng(200 + seed)
    total = 0.0
    for _ in range(60):
        drawn = Drawn(rng, with_models=True)
        before = drawn.loss()
        scene, met = drawn.scene(3), new_met(drawn.tuples, 500, 10, 1e6)
        pool = new_pool(drawn.codes.measure, drawn.rules, drawn.points.shape[1], 40, drawn.k)
        key = np.uint64(rng.integers(1 << 60))
        gained = make_anew(scene, pool, drawn.k, 5, 0, 30, 30, key, warmth, 0.0, 0.5, met)
        drawn.n_classes += 3
        assert before - gained == drawn.loss()
        assert {len(rows) >= drawn.k for rows in drawn.classes() if rows} == {True}
        assert scene.rows.tolist() == [len(rows) for rows in drawn.classes()]
        assert scene.extent.tolist() == [drawn.extent(rows) for rows in drawn.classes()]
        assert drawn.labels.min() >= 0
        assert all(map(drawn.passes, drawn.classes()))
        assert len({tuple(sorted(kinds)) for kinds in met_classes(met)}) == met.used[0]
        assert gained >= 0.0 or warmth > 0.0
        total += gained
    assert total > 0.0


def test_near_tuples_are_those_whose_boxes_with_it_cost_least():
    rng = np.random.default_rng(11)
    for _ in range(100):
        drawn = Drawn(rng, most_classes=20)
        scene = drawn.scene(0)
        n_tuples = len(scene.points)
        t = int(rng.integers(n_tuples))
        look_around(scene, t)

        def distance(other: int, t: int = t, scene=scene, drawn: Drawn = drawn) -> float:
            pair = scene.points[[t, other]]
            return float(joined_extent(drawn.columns, pair.min(0), pair.max(0), pair[0]))

        others = sorted((distance(other), other) for other in range(n_tuples) if other != t)
        expected = [t, *(other for _, other in others)][:NEAR]
        assert scene.near[t].tolist() == expected + [UNKNOWN] * (NEAR - len(expected))


@pytest.mark.parametrize("seed", range(3))
def test_large_classes_are_parted_at_no_loss_and_small_ones_stay(seed):
    rng = np.random.default_rng(300 + seed)
    n_parted = 0
    for _ in range(60):
        drawn = Drawn(rng)
        ground = ground_of(drawn.codes, drawn.demand, {}, drawn.items, None)
        found, rows = ground.parted(drawn.labels), np.bincount(drawn.labels)
        assert np.bincount(found).min() >= drawn.k
        assert ground.losses(found).sum() <= ground.losses(drawn.labels).sum()
        for c in range(drawn.n_classes):
            parts = np.unique(found[drawn.labels == c])
            is_parted = rows[c] >= 2 * drawn.k
            assert len(parts) == (rows[c] // drawn.k if is_parted else 1)
            n_parted += is_parted
        assert len(np.unique(np.stack([drawn.labels, found]), axis=1).T) == found.max() + 1
        together = ground.united(found)
        for own in range(together.max() + 1):
            parts, tuples = np.unique(found[together == own]), np.unique(drawn.tuples[together == own])
            assert len(parts) == 1 or len(tuples) == 1
        alike = [drawn.tuples[found == c] for c in range(found.max() + 1)]
        n_alike = len({own[0] for own in alike if (own == own[0]).all()})
        assert together.max() + 1 == n_alike + sum((own != own[0]).any() for own in alike)
    assert n_parted > 0


def test_classes_are_not_parted_where_a_model_must_hold():
    codes = census(60)
    ills = np.arange(60) % 2
    model = DistinctLDiversity("ill", 2)
    ground = ground_of(codes, Demand(2), {}, np.arange(60), None)
    with_rule = replace(ground, rules=rules_of(Demand(2, (model,)), {"ill": ills}, 60))
    assert ground.parted(np.zeros(60, np.int64)).max() == 29
    assert with_rule.parted(np.zeros(60, np.int64)).max() == 0


def least_size(values: list[int], k: int, demand: Demand) -> int:
    """Return how many rows a class needs at least, by adding the rarest of twelve values until it passes."""
    found = [*values]
    while len(found) < k or not demand.holds_together({"ill": np.array(found)}):
        found.append(min(range(12), key=found.count))
    return len(found)


@pytest.mark.parametrize("seed", range(3))
def test_rules_say_how_many_rows_a_class_still_needs(seed):
    """By trying: so many more rows of the best values, and no fewer, make a class that passes."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        n_rows, k = int(rng.integers(1, 8)), int(rng.integers(1, 5))
        ills = np.concatenate([rng.integers(0, 4, n_rows), np.arange(40) % 12])
        models = [
            DistinctLDiversity("ill", int(rng.integers(1, 6))),
            FrequencyLDiversity("ill", rng.choice([1.0, 1.5, 3.0])),
        ]
        demand = Demand(2, tuple(model for model in models if rng.random() < 0.7))
        rules = rules_of(demand, {"ill": ills}, len(ills))

        own = ills[:n_rows].tolist()
        for row in range(n_rows):
            count_row(rules, row)
        assert n_rows + missing_rows(rules, n_rows, k) == least_size(own, k, demand)
        for row in range(n_rows, n_rows + 12):
            assert size_with(rules, n_rows, k, row) == least_size([*own, int(ills[row])], k, demand)
        for row in range(n_rows):
            forget_row(rules, row)
        assert not rules.counts.any()


def met_classes(met) -> list[list[int]]:
    return [met.kinds[met.starts[c] : met.starts[c + 1]].tolist() for c in range(met.used[0])]


def census(n_rows: int) -> TableCodes:
    return encode_frame(make_census(n_rows).select(census_roles()["quasi"]))


def test_one_core_and_several_give_the_same_classes():
    codes = census(3_000)
    start = covey.Peel(k=3).labels(codes)
    ground = ground_of(codes, Demand(3), {}, np.arange(3_000), None)
    one, two, three = ([*refined(ground, start, Fraction(4), 1, cores=cores)][-1] for cores in (1, 2, 3))
    assert (one == two).all()
    assert (one == three).all()
    assert total_loss(codes, one) < total_loss(codes, start)


@pytest.mark.parametrize("start", ["peel", "loss-cut", "mondrian", "k-member", "mdav", "binary-k-means"])
def test_it_loses_less_than_what_it_starts_from(start):
    codes = census(2_000)
    first = covey.Refine(k=5, start=start, tries=0).labels(codes)
    more = covey.Refine(k=5, start=start, tries=6).labels(codes)
    begun = Refine(k=5, start=start)._first().labels(codes)
    assert total_loss(codes, more) < total_loss(codes, first) < total_loss(codes, begun)
    assert np.bincount(more).min() >= 5


class LeavesOut(covey.LossCut):
    """A search that leaves out one of its classes."""

    def search(self, task):
        labels = super().search(task).of_tuple
        return covey.Found(of_tuple=np.where(labels == 3, -1, labels))


def test_rows_without_a_class_stay_without():
    codes = census(500)
    labels = LeavesOut(k=4).labels(codes)
    found = Refine(k=4, start=LeavesOut(k=4), tries=2).labels(codes)
    assert 0 < (labels < 0).sum() < 500
    assert ((found < 0) == (labels < 0)).all()
    assert np.bincount(found[found >= 0]).min() >= 4


def test_the_seed_decides_and_no_tries_need_none():
    codes = census(1_500)
    same = [Refine(k=4, tries=3, seed=seed).labels(codes).tolist() for seed in (0, 0, 1)]
    assert same[0] == same[1] != same[2]
    assert (Refine(k=4, tries=0, seed=0).labels(codes) == Refine(k=4, tries=0, seed=5).labels(codes)).all()


def test_an_estimator_can_be_the_start():
    codes = census(800)
    by_name = Refine(k=4, start="mondrian(relaxed=true)", tries=2).labels(codes)
    assert (Refine(k=4, start=covey.Mondrian(k=4, relaxed=True), tries=2).labels(codes) == by_name).all()


@pytest.mark.parametrize("start", ["non-homogeneous", "nothing-like-it", 7])
def test_what_makes_no_classes_is_no_start(start):
    with pytest.raises(CoveyError):
        Refine(k=4, start=start).labels(census(100))


@pytest.mark.parametrize("seed", range(4))
def test_all_small_classes_that_are_cheap_are_listed(seed):
    """By trying all pairs and triples of rows."""
    rng = np.random.default_rng(400 + seed)
    n_found = 0
    for _ in range(40):
        drawn = Drawn(rng, most_classes=4)
        points = point_values(drawn.codes.narrow, drawn.codes.measure)
        counts, unit = np.bincount(drawn.tuples), float(drawn.codes.weights.max())
        price, slack = unit * rng.uniform(-0.2, 1.0, len(points)), unit * rng.uniform(0.0, 0.5)
        tuples, beyond, loss = cheap_classes(drawn.codes.measure, points, counts, price, slack, 10_000)
        expected = {}
        for size in (2, 3):
            for rows in itertools.combinations(range(drawn.n_rows), size):
                members = tuple(sorted(drawn.tuples[list(rows)].tolist()))
                lost = size * drawn.extent(list(rows))
                if lost - price[list(members)].sum() <= slack:
                    expected[members] = lost
        found = [tuple(sorted(one[one != NO_ROW].tolist())) for one in tuples]
        assert dict(zip(found, loss.tolist(), strict=True)) == expected
        assert len(set(found)) == len(found)
        for members, own in zip(found, beyond, strict=True):
            assert own == pytest.approx(expected[members] - price[list(members)].sum())
        n_found += len(found)
        few = cheap_classes(drawn.codes.measure, points, counts, price, slack, 3)[0]
        assert (few == tuples[:3]).all()
    assert n_found > 100
