"""Private numbers of which there are too many to try: few programs decide them, and never wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from covey.base.errors import CoveyError
from covey.mining.centres import programs
from covey.mining.centres.cells import cells_reached
from covey.mining.centres.centroids import centroid_spans, read_centroids
from covey.mining.centres.nearness import Comparisons, Nearness, exact_weights
from covey.mining.centres.private import Interval, PrivateAttribute, Values, whole_numbers
from oracles.cells import cells


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by one with every linear program."""
    seen: list[int] = []
    plain = programs._program

    def counted(*given: Any) -> Any:
        seen.append(1)
        assert len(seen) < 2000, "one more would be one after the other"
        return plain(*given)

    monkeypatch.setattr(programs, "_program", counted)
    return seen


def private_numbers(first_place: int, *domains: Interval | Values) -> list[PrivateAttribute]:
    return [PrivateAttribute((str(i),), (i,), domain) for i, domain in enumerate(domains, first_place)]


def test_whole_numbers_of_unlike_grain_are_branched_on_where_it_matters(run: list[int]) -> None:
    # as in Adult: years of education go up by steps that matter, gains and losses by steps that hardly do; halving
    # the widest of them again and again never came to the end
    rng = np.random.default_rng(0)
    scale = [10.0, 2.5, 7000.0, 400.0]
    centres = rng.normal(size=(30, 4)) * scale + [40, 10, 15_000, 600]
    known = rng.integers(17, 90, (40, 1)).astype(float)
    domains = whole_numbers(1, 16), whole_numbers(0, 99_999), whole_numbers(0, 4_356)
    listed = Nearness(centres, exact_weights(scale), np.arange(1), private_numbers(1, *domains))
    reached = cells_reached(listed, known)
    assert 0 < len(run) < 1000
    ranges = [Interval(float(domain.points.min()), float(domain.points.max())) for domain in domains]
    between = cells_reached(Nearness(centres, exact_weights(scale), np.arange(1), private_numbers(1, *ranges)), known)
    assert (reached <= between).all()
    assert (reached < between).any()  # a cell between two years of education
    drawn = np.stack([rng.choice(domain.points[:, 0], 20_000) for domain in domains], axis=1)
    for row, tuple_ in zip(reached, known, strict=True):
        assert row[np.unique(listed.nearest_of_points(np.tile(tuple_, (len(drawn), 1)), drawn))].all()


def test_a_tie_whatever_the_private_values_is_decided_at_once(run: list[int]) -> None:
    # the first two centres differ in the public number alone, and 1 lies half way: the first has all ties
    centres = np.array([[0.0, 10.0, 10.0], [2.0, 10.0, 10.0], [1.0, 90.0, 90.0]])
    domains = whole_numbers(0, 5_000), whole_numbers(0, 5_000)
    near = Nearness(centres, exact_weights([1] * 3), np.arange(1), private_numbers(1, *domains))
    assert cells_reached(near, np.array([[1.0], [0.5], [1.5]])).tolist() == [
        [True, False, True],
        [True, False, True],
        [False, True, True],
    ]
    assert len(run) < 10


def test_programs_beyond_float64_are_decided_in_fractions() -> None:
    size = 1e150
    centres = np.array([[-size, size, 0.0], [-size, 2.0, 0.0], [3 * size, 3 * size, 4e-160]])
    ends = [(1, -2 * size, 3 * size), (2, -20.0, 20.0)]
    private = private_numbers(1, *(Interval(low, high) for _, low, high in ends))
    weights = exact_weights([1e-6, 50, 50])
    known = np.array([[-size], [0.0], [size]])
    reached = cells_reached(Nearness(centres, weights, np.arange(1), private), known)
    for row, (number,) in zip(reached, known.tolist(), strict=True):
        wanted = cells(centres.tolist(), list(weights), {0: number}, [], ends)
        assert set(np.flatnonzero(row).tolist()) == set(wanted)


@pytest.mark.parametrize("low", [-1.125, -1.0, 0.125, 0.25])
@pytest.mark.parametrize("beyond", ["high", "low"])
def test_a_cell_that_begins_just_beyond_an_end_of_large_numbers_is_not_reached(low: float, beyond: str) -> None:
    # around 1e15 numbers are 1/8 apart, so that the middle of two of them may be off by 1/16; the cells of the two
    # centres meet 1/16 beyond one of the ends
    start, end = 1e15 + low, 1e15 + low + 2.625
    inside, outside = (end, end + 0.125) if beyond == "high" else (start, start - 0.125)
    line = private_numbers(0, Interval(start, end))
    near = Nearness(np.array([[inside], [outside]]), exact_weights([1]), np.arange(0), line)
    for first, second, is_reached in ((0, 1, True), (1, 0, False)):
        against = Comparisons(near, np.array([first]), np.array([second]), np.array([first > second]))
        assert programs.meet(against, np.zeros(0), np.zeros(2)).holds is is_reached


@pytest.mark.parametrize("public", ["a", "b"])
@pytest.mark.parametrize(("odd", "code"), [(float("nan"), "missing-values"), (float("inf"), "infinite")])
@pytest.mark.parametrize("make", [pl.DataFrame, pa.table])
def test_frames_with_numbers_that_are_none_are_refused(make: Any, odd: float, code: str, public: str) -> None:
    with pytest.raises(CoveyError) as caught:
        centroid_spans([[0.0, 0.0], [1.0, 1.0]], make({"a": [odd, 1.0], "b": [0.0, 1.0]}), [public])
    assert caught.value.code == code


@pytest.mark.parametrize("divisor", [1e-200, 1e200])
def test_a_scale_whose_square_is_no_full_float64_is_refused(divisor: float) -> None:
    with pytest.raises(CoveyError) as caught:
        centroid_spans([[0.0, 0.0], [1.0, 1.0]], [[0, 1], [1, 0]], ["x0"], scale=[divisor, 1.0])
    assert caught.value.code == "bad-parameter"


def test_centres_of_models_that_may_measure_otherwise_are_refused() -> None:
    from sklearn.cluster import KMeans

    class KMedoids:
        cluster_centers_ = np.eye(2)
        inertia_ = 1.0
        metric = "manhattan"

    class SphericalKMeans(KMeans):  # type: ignore[misc]
        """By angles."""

    rows = np.random.default_rng(0).normal(size=(20, 2))
    for model in (KMedoids(), SphericalKMeans(2, n_init=1, random_state=0).fit(rows)):
        with pytest.raises(CoveyError) as caught:
            read_centroids(model)
        assert caught.value.code == "bad-parameter"
