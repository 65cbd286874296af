"""What the default search promises: never worse than its parts, less loss with more effort, an end by the clock."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_frame
from covey.columns.kept import KeptColumn
from covey.datasets import make_census
from covey.search.covey import estimator
from covey.search.demand import Demand
from covey.search.keeping import keeping_best
from covey.search.refine.estimator import ground_of
from covey.search.repair.enforce import enforce
from covey.search.squares.ground import standard_points
from covey.search.task import Task
from search.test_refine import census


def test_more_effort_loses_less_and_none_more_than_the_parts():
    codes = census(3_000)
    fast, balanced, best = (
        total_loss(codes, covey.Covey(k=5, effort=effort).labels(codes)) for effort in ("fast", "balanced", "best")
    )
    parts = [total_loss(codes, search.labels(codes)) for search in (covey.Peel(k=5), covey.LossCut(k=5))]
    assert best < balanced < fast == min(parts)


def test_a_release_is_made_by_it_and_verified():
    people = pa.table({"age": [20, 21, 40, 41, 60, 61], "sex": list("fmfmfm")})
    release = covey.anonymize(people, k=2, quasi=["age", "sex"], algorithm=covey.Covey(effort="fast"))
    assert release.report.verdict.ok
    assert "effort='fast'" in release.report.algorithm


@pytest.mark.parametrize(
    "wrong", [{"effort": "good"}, {"budget": 0}, {"budget": "soon"}, {"cost": "mean"}, {"seed": -1}]
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(covey.InputError):
        covey.Covey(k=2, **wrong).labels(census(50))


def ill(n_rows: int, n_values: int = 4) -> dict[str, KeptColumn]:
    values = np.random.default_rng(1).integers(0, n_values, n_rows) ** 2 // n_values
    return {"ill": KeptColumn("ill", values, tuple(str(value) for value in range(int(values.max()) + 1)))}


@pytest.mark.parametrize("model", [covey.DistinctLDiversity("ill", 3), covey.FrequencyLDiversity("ill", 1.5)])
def test_models_hold_and_cost_less_than_by_repair(model):
    codes, kept = census(1_500), ill(1_500)
    found = covey.Covey(k=5).labels(codes, kept, [model])
    values = {"ill": kept["ill"].codes}
    demand = Demand(5, (model,))
    assert demand.passing(found, values).all()
    assert np.bincount(found).min() >= 5
    repaired = enforce(codes, covey.Covey(k=5).labels(codes), demand, kept)
    assert total_loss(codes, found) < total_loss(codes, repaired)


class Untold(covey.DistinctLDiversity):
    """A model that does not tell kernels its rule."""

    def rule(self):
        return None

    def passes(self, labels, codes, n_classes):
        return covey.DistinctLDiversity(self.column, self.l).passes(labels, codes, n_classes)


def test_a_model_that_kernels_cannot_judge_holds_too():
    codes, kept = census(600), ill(600)
    model = Untold("ill", 3)
    found = covey.Covey(k=4).labels(codes, kept, [model])
    assert Demand(4, (model,)).passing(found, {"ill": kept["ill"].codes}).all()


def test_a_budget_ends_the_search_by_the_clock():
    codes = census(4_000)
    covey.Covey(k=5, budget=0.01).labels(codes)  # compiled
    start = time.monotonic()
    found = covey.Covey(k=5, budget="2s").found(codes, Demand(5))
    assert time.monotonic() - start < 20  # a wide margin: the machine may be busy
    assert found.notes == ()
    fast = covey.Covey(k=5, effort="fast").labels(codes)
    assert total_loss(codes, found.labels(codes)) < total_loss(codes, fast)


def test_a_budget_that_is_too_short_is_overrun_and_told():
    codes = census(2_000)
    found = covey.Covey(k=5, budget=1e-6).found(codes, Demand(5))
    assert "overrun" in found.notes[0]
    assert (found.labels(codes) == covey.Covey(k=5, effort="fast").labels(codes)).all()


def interrupted_after(steps: int, monkeypatch):
    """Let the search be interrupted once it has found so many better partitions."""
    plain = estimator.improved

    def improved(*given):
        for number, labels in enumerate(plain(*given)):
            if number == steps:
                raise KeyboardInterrupt
            yield labels

    monkeypatch.setattr(estimator, "improved", improved)


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_what_was_found_by_then_is_kept_if_somebody_says_so(steps, monkeypatch):
    codes = census(1_000)
    fast = total_loss(codes, covey.Covey(k=4, effort="fast").labels(codes))
    interrupted_after(steps, monkeypatch)
    with keeping_best(lambda: True):
        found = covey.Covey(k=4).found(codes, Demand(4))
    assert "interrupted" in found.notes[0]
    assert np.bincount(found.labels(codes)).min() >= 4
    assert total_loss(codes, found.labels(codes)) <= fast
    with pytest.raises(KeyboardInterrupt):
        covey.Covey(k=4).labels(codes)
    with pytest.raises(KeyboardInterrupt), keeping_best(lambda: False):
        covey.Covey(k=4).labels(codes)


def test_before_the_least_work_is_done_nothing_is_kept(monkeypatch):
    def stopped(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(estimator, "_cheapest", stopped)
    with pytest.raises(KeyboardInterrupt), keeping_best(lambda: True):
        covey.Covey(k=4).labels(census(100))


@pytest.mark.parametrize("cost", ["extent", "squares"])
@pytest.mark.parametrize("k", [300, 1_000, 3_000])
def test_neighbourhoods_of_many_rows_are_few_or_none(cost, k):
    rng = np.random.default_rng(7)
    codes = encode_frame(pa.table({"a": rng.integers(0, 90, 3 * k), "b": rng.integers(0, 9, 3 * k)}))
    labels = covey.Covey(k=k, cost=cost).labels(codes)
    assert np.bincount(labels).min() >= k
    ground = ground_of(
        codes, Demand(k), {}, np.arange(3 * k), None, standard_points(codes) if cost == "squares" else None
    )
    tries = estimator._tries(Task(codes, Demand(k)), ground, 3)
    assert tries * 3 * ground.most_rows**2 <= estimator.MOST_PAIRS


@pytest.mark.parametrize(("cost", "k"), [("extent", 2), ("extent", 5), ("squares", 3)])
def test_one_core_finds_what_two_do(cost, k, monkeypatch):
    codes = (
        encode_frame(make_census(1_500, seed=3).select(["age", "education-num"]))
        if cost == "squares"
        else census(1_500)
    )
    found = []
    for cores in (1, 2):
        monkeypatch.setattr(estimator, "cores_to_use", lambda cores=cores: cores)
        found.append(covey.Covey(k=k, cost=cost, effort="best").labels(codes))
    assert (found[0] == found[1]).all()


def test_without_numbers_alone_the_least_sum_of_squares_is_not_looked_for_and_that_is_told():
    table = pa.table({"age": [20, 21, 40, 41, 60, 61], "sex": list("fmfmfm")})
    release = covey.anonymize(table, k=2, quasi=["age", "sex"], release="centre")
    assert any("sums of squares need numbers" in note for note in release.report.warnings)


@pytest.mark.parametrize("n_rows", [2, 3, 4, 5, 7])
def test_tables_of_about_k_rows(n_rows):
    table = pa.table({"age": list(range(n_rows)), "sex": [None, "f"] * (n_rows // 2) + ["m"] * (n_rows % 2)})
    for effort in ("fast", "balanced", "best"):
        labels = covey.Covey(k=2, effort=effort).fit(table).labels_
        assert np.bincount(labels).min() >= 2
