"""Spans of nearest-centroid models: the paper's case, brute force, ties, models and refusals."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from covey.base.errors import CoveyError
from covey.mining.centres import cells as cells_module
from covey.mining.centres.cells import cells_reached
from covey.mining.centres.centroids import centroid_spans, read_centroids
from covey.mining.centres.nearness import Nearness, exact_weights
from covey.mining.centres.private import Interval, PrivateAttribute, Values, one_hot_values, whole_numbers
from covey.mining.spans import linked
from oracles.cells import cells


def seeds(quick: int, soak: int) -> list[Any]:
    """Return seeds of random cases: a few for every run, more for `make soak`."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(quick, soak))]


needs_data = pytest.mark.skipif("COVEY_DATA" not in os.environ, reason="COVEY_DATA is not set")


def example(name: str) -> Any:
    path = Path(os.environ["COVEY_DATA"]) / "p3_worked_examples.json"
    return json.loads(path.read_text(encoding="utf-8"))[name]


# --- section 4.2 ---------------------------------------------------------------------------------------------------


def zip_codes() -> tuple[Any, list[str], np.ndarray, np.ndarray]:
    case = example("section4_2_clustering")
    names = [row[0] for row in case["table5"]]
    return (
        case,
        names,
        np.array([row[1:] for row in case["table5"]], float),
        np.array([*case["centroids"].values()], float),
    )


def section_4_2(rows: np.ndarray, centroids: np.ndarray, ends: tuple[float, float]) -> Any:
    # distances are Euclidean on (zip / 50, income)
    return centroid_spans(
        centroids,
        rows,
        ["zip"],
        private_ranges={"income": ends},
        scale=[50, 1],
        names=["zip", "income"],
        class_names=["C1", "C2", "C3", "C4"],
    )


@needs_data
def test_the_clusters_of_section_4_2_expose_lisa() -> None:
    case, names, rows, centroids = zip_codes()
    found = section_4_2(rows, centroids, tuple(case["private_range"]))
    assert {n: found.class_names[c] for n, c in zip(names, found.class_of_row, strict=True)} == case["assignment"]
    for span in case["spans"]:
        members = {found.spans.of_row[names.index(name)] for name in span["members"]}
        assert len(members) == 1
        number = members.pop()
        assert found.spans.populations[number] == len(span["members"])
        assert {found.class_names[c] for c in found.spans.classes[number]} == set(span["classes"])
    assert found.spans.k_reached == 1
    exposed = found.spans.below(2)
    assert [names[i] for i in np.flatnonzero(np.isin(found.spans.of_row, exposed))] == case["breach"]
    assert linked(found.spans, found.class_of_row, exposed)[0].words == ("zip = 15013",)
    assert [str(attribute) for attribute in found.private] == ["income: any number from 36 to 115"]


@needs_data
def test_the_incomes_that_lead_to_each_centroid_of_section_4_2_are_the_stated_ones() -> None:
    case, _, _, centroids = zip_codes()
    for code, stretches in case["reachable_income_interval"].items():
        for name, (low, high) in stretches.items():
            # the file rounds to three decimals: within them only this centroid, a little beyond the inner end one more
            row = np.array([[float(code), low + 0.01]])
            inside = section_4_2(row, centroids, (low + 0.01, high - 0.01))
            assert [inside.class_names[c] for c in inside.spans.classes[0]] == [name]
            if high < 115:
                beyond = section_4_2(row, centroids, (low + 0.01, high + 0.01))
                assert len(beyond.spans.classes[0]) == 2


# --- brute force ---------------------------------------------------------------------------------------------------


def random_case(rng: np.random.Generator, *, with_ranges: bool) -> tuple[Nearness, np.ndarray, list[Any], list[Any]]:
    """Return a small model, public tuples, and the private domain for the oracle; coarse numbers make ties."""
    grain = int(rng.choice([1, 1, 2, 8]))

    def numbers(*shape: int) -> np.ndarray:
        return rng.integers(-3 * grain, 3 * grain + 1, size=shape) / grain

    n_public = int(rng.integers(0, 3))
    place = n_public
    attributes, lists, ranges = [], [], []
    for _ in range(int(rng.integers(1, 4 if rng.random() < 0.3 else 2)) if with_ranges else 0):
        low, high = sorted(numbers(2).tolist())
        attributes.append(PrivateAttribute((f"x{place}",), (place,), Interval(low, high)))
        ranges.append((place, low, high))
        place += 1
    for _ in range(int(rng.integers(0 if ranges else 1, 3 if len(ranges) < 2 else 2))):
        kind = rng.random()
        if kind < 0.4:
            values = one_hot_values(int(rng.integers(2, 4)), may_be_none=bool(rng.integers(2)))
        elif kind < 0.6 and not ranges:
            values = whole_numbers(-20, 20)
        else:
            values = Values(np.unique(numbers(int(rng.integers(1, 6))))[:, None], "some")
        places = tuple(range(place, place + values.points.shape[1]))
        attributes.append(PrivateAttribute(tuple(map(str, places)), places, values))
        lists.append((places, values.points.tolist()))
        place += len(places)
    centres = numbers(int(rng.integers(1, 6)), place)
    if len(centres) > 1 and rng.random() < 0.2:
        centres[-1] = centres[0]
    scale = [1.0] * place if rng.random() < 0.5 else rng.choice([0.5, 1, 3, 50, 0.1], size=place).tolist()
    shuffled = [attributes[i] for i in rng.permutation(len(attributes))]
    near = Nearness(centres, exact_weights(scale), np.arange(n_public), shuffled)
    return near, numbers(4, n_public), lists, ranges


def assert_equal_to_the_oracle(near: Nearness, known: np.ndarray, lists: list[Any], ranges: list[Any]) -> None:
    found = cells_reached(near, known)
    for row, reached in zip(known, found, strict=True):
        wanted = cells(near.centres.tolist(), near.exact_weights, dict(enumerate(row.tolist())), lists, ranges)
        assert set(np.flatnonzero(reached).tolist()) == wanted


@pytest.mark.parametrize("seed", seeds(4, 16))
def test_listed_private_values_give_the_spans_of_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(110):  # of 4 public tuples each: 1,760 in all
        assert_equal_to_the_oracle(*random_case(rng, with_ranges=False))


@pytest.mark.parametrize("seed", seeds(2, 16))
def test_private_ranges_give_the_spans_of_exact_corners(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(40):
        assert_equal_to_the_oracle(*random_case(rng, with_ranges=True))


@pytest.mark.parametrize("most", [0, 1])
def test_programs_and_lines_give_the_spans_of_trial(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    cases = [random_case(rng, with_ranges=i % 2 == 0) for i in range(60)]
    usual = [cells_reached(near, known) for near, known, _, _ in cases]
    monkeypatch.setattr(cells_module, "MOST_COMBINATIONS", most)
    for (near, known, _, _), wanted in zip(cases, usual, strict=True):
        assert (cells_reached(near, known) == wanted).all()


def test_programs_branch_where_mixtures_of_values_mislead(monkeypatch: pytest.MonkeyPatch) -> None:
    # many numbers of a list at once: the program's relaxation reaches what no listed values do
    rng = np.random.default_rng(8)
    monkeypatch.setattr(cells_module, "MOST_COMBINATIONS", 0)
    for _ in range(40):
        values = [Values(np.array([[-2.0], [0.0], [3.0]]), "three")] * 3
        attributes = [PrivateAttribute((str(i),), (i,), v) for i, v in enumerate(values, 1)]
        near = Nearness(rng.integers(-3, 4, (5, 4)).astype(float), exact_weights([1] * 4), np.arange(1), attributes)
        known = rng.integers(-3, 4, (3, 1)).astype(float)
        assert_equal_to_the_oracle(near, known, [((i,), v.points.tolist()) for i, v in enumerate(values, 1)], [])


@pytest.mark.parametrize("size", [1e-170, 1e160])
def test_squares_beyond_float64_are_decided_in_fractions(size: float) -> None:
    # the squares of all these numbers vanish or overflow
    centres = np.array([[0.0, 0.0], [0.0, 2.0], [1.0, 1.0]]) * size
    for attribute, lists, ranges in (
        (Interval(-size, 3 * size), [], [(1, -size, 3 * size)]),
        (Values(np.array([[0.0], [size], [2 * size]]), "three"), [((1,), [[0.0], [size], [2 * size]])], []),
    ):
        near = Nearness(centres, exact_weights([1, 1]), np.arange(1), [PrivateAttribute(("y",), (1,), attribute)])
        known = np.array([[0.0], [size], [0.25 * size], [-size]])
        assert_equal_to_the_oracle(near, known, lists, ranges)


def test_a_private_range_reaches_what_dense_samples_reach_and_little_more() -> None:
    rng = np.random.default_rng(3)
    centres, known = rng.normal(size=(6, 4)), rng.normal(size=(50, 2))
    ranges = [PrivateAttribute((str(i),), (i,), Interval(-1.5, 1.5)) for i in (2, 3)]
    reached = cells_reached(Nearness(centres, exact_weights([1] * 4), np.arange(2), ranges), known)
    steps = np.linspace(-1.5, 1.5, 151)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    sampled = np.zeros_like(reached)
    for row, tuple_ in enumerate(known):
        points = np.hstack([np.tile(tuple_, (len(grid), 1)), grid])
        sampled[row, np.unique(((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1))] = True
    assert not (sampled & ~reached).any()
    assert (reached & ~sampled).sum() <= 3  # cells so small that no sample lies in them


# --- ties ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", [Interval(0.0, 2.0), whole_numbers(0, 2), whole_numbers(-50, 50)])
@pytest.mark.parametrize("second", [None, Interval(0.0, 1.0)])
def test_a_cell_that_wins_only_a_tie_is_reached_if_its_number_wins_it(domain: Any, second: Interval | None) -> None:
    # squared distances y^2, (y - 2)^2 and (y - 1)^2 + 1 are all 1 at y = 1 and the last is nowhere the least alone
    private = [PrivateAttribute(("y",), (1,), domain)]
    private += [] if second is None else [PrivateAttribute(("z",), (2,), second)]
    p = 1 + len(private)
    outer, middle = [[0.0, 0.0, 0.0][:p], [0.0, 2.0, 0.0][:p]], [1.0, 1.0, 0.0][:p]
    for centres, reached in (
        ([middle, *outer], {0, 1, 2}),
        ([*outer, middle], {0, 1}),
        ([outer[0], middle, outer[1]], {0, 2}),
    ):
        near = Nearness(np.array(centres), exact_weights([1] * p), np.arange(1), private)
        assert set(np.flatnonzero(cells_reached(near, np.zeros((1, 1)))[0]).tolist()) == reached


@pytest.mark.parametrize("second", [None, Interval(0.0, 1.0)])
def test_a_tie_at_a_number_that_no_float_is_goes_by_the_number_of_the_centre_too(second: Interval | None) -> None:
    # public coordinates count a ninth: y^2, (y - 2)^2 + 1/9 and (y - 1)^2 + 9.5/9 are all the same at y = 37/36
    private = [PrivateAttribute(("y",), (3,), Interval(0.0, 2.0))]
    private += [] if second is None else [PrivateAttribute(("z",), (4,), second)]
    p = 3 + len(private)
    outer, middle = [[0.0] * 5, [1.0, 0.0, 0.0, 2.0, 0.0]], [3.0, 0.5, 0.5, 1.0, 0.0]
    for centres, reached in (([middle, *outer], {0, 1, 2}), ([*outer, middle], {0, 1})):
        near = Nearness(np.array(centres)[:, :p], exact_weights([3, 3, 3, 1, 1][:p]), np.arange(3), private)
        assert set(np.flatnonzero(cells_reached(near, np.zeros((1, 3)))[0]).tolist()) == reached


def test_distances_that_only_rounding_tells_apart_are_a_tie() -> None:
    # the same three differences in another order: sums of thirds and tenths differ in their last bit
    rng = np.random.default_rng(6)
    misled = 0
    for _ in range(200):
        offsets = rng.integers(1, 50, 3).astype(float)
        centres = np.stack([offsets[rng.permutation(3)], offsets[rng.permutation(3)]])
        near = Nearness(centres, exact_weights([0.3] * 3), np.arange(3), [])
        misled += int(near.public_part(np.zeros((1, 3))).argmin())
        assert near.nearest_of_points(np.zeros((1, 3)), np.zeros((1, 0))).tolist() == [0]
    assert misled > 5


def test_of_equal_centroids_the_first_has_all_rows() -> None:
    found = centroid_spans([[0, 0], [0, 0], [5, 5]], [[0, 0], [5, 5]], ["x0"])
    assert found.class_of_row.tolist() == [0, 2]
    assert all(1 not in classes for classes in found.spans.classes)


def test_whole_numbers_reach_less_than_the_range_between_them() -> None:
    # the cell of the second centre is 0.4 < y < 0.6: no whole number
    centres = [[0, 0.3], [0, 0.5], [0, 0.7]]
    rows = [[0, 0], [0, 1]]
    assert [sorted(c) for c in centroid_spans(centres, rows, ["x0"]).spans.classes] == [[0, 2]]
    wide = centroid_spans(centres, rows, ["x0"], private_ranges={"x1": (0, 1)})
    assert [sorted(c) for c in wide.spans.classes] == [[0, 1, 2]]


# --- models and tables ---------------------------------------------------------------------------------------------


def blobs(n: int = 300) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(centre, 1, (n // 3, 3)) for centre in (0, 4, 8)])


def test_k_means_gives_its_own_labels_and_each_row_lies_in_its_span() -> None:
    from sklearn.cluster import KMeans, MiniBatchKMeans

    rows = blobs()
    for model in (
        KMeans(5, n_init=1, random_state=0).fit(rows),
        MiniBatchKMeans(5, n_init=1, random_state=0).fit(rows),
    ):
        found = centroid_spans(model, rows, [0, "x2"])
        assert found.public == ("x0", "x2")
        assert (found.class_of_row == model.predict(rows)).all()
        assert all(c in found.spans.classes[s] for c, s in zip(found.class_of_row, found.spans.of_row, strict=True))


def test_nearest_centroid_keeps_its_labels_and_columns() -> None:
    from sklearn.neighbors import NearestCentroid

    frame = pd.DataFrame(blobs(), columns=["a", "b", "c"])
    model = NearestCentroid().fit(frame, np.repeat(["low", "mid", "high"], 100))
    found = centroid_spans(model, frame[["c", "a", "b"]].assign(more="text"), ["b"])
    assert found.class_names == ("high", "low", "mid")
    assert (np.array(found.class_names)[found.class_of_row] == model.predict(frame)).all()


def test_all_public_makes_every_span_one_class() -> None:
    found = centroid_spans([[0, 0], [4, 4]], blobs()[:, :2], ["x0", "x1"])
    assert not found.spans.multiple.any()
    assert found.spans.k_reached == 300


def test_nothing_public_makes_one_span_of_everybody() -> None:
    found = centroid_spans([[0, 0], [4, 4]], blobs()[:, :2], [])
    assert found.spans.words == (("everybody",),)
    assert found.spans.populations.tolist() == [300]


def test_one_hot_columns_are_one_attribute() -> None:
    # with both categories possible at once (1, 1) the third centre would be reached; one at a time it is not
    frame = pa.table({"age": [0.0, 0.0], "f": [1, 0], "m": [0, 1]})
    centres = [[0, 1, 0], [0, 0, 1], [0, 1.4, 1.4]]
    together = centroid_spans(centres, frame, ["age"], one_hot=[["f", "m"]])
    assert [sorted(c) for c in together.spans.classes] == [[0, 1]]
    assert str(together.private[0]) == "f, m: one of 2 categories"
    apart = centroid_spans(centres, frame, ["age"])
    assert [sorted(c) for c in apart.spans.classes] == [[0, 1, 2]]


def test_polars_pandas_and_arrow_give_the_same() -> None:
    import polars as pl

    data = {"age": [30, 40, 50, 60], "pay": [1.5, 2.0, 9.0, 3.0]}
    results = [
        centroid_spans([[35, 2], [55, 8], [55, 2]], frame, ["age"]).spans.of_row.tolist()
        for frame in (pa.table(data), pd.DataFrame(data), pl.DataFrame(data))
    ]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        ((0, 9), "any number from 0 to 9"),
        ([0, 9], "any number from 0 to 9"),
        (Interval(0, 9), "any number from 0 to 9"),
        (range(10), "10 listed values"),
        ({1, 2, 3, 4}, "4 listed values"),
        (whole_numbers(0, 9), "whole numbers from 0 to 9"),
        (None, "whole numbers from 1 to 4"),
    ],
)
def test_the_private_domain_is_stated(domain: Any, words: str) -> None:
    given = {} if domain is None else {"x1": domain}
    found = centroid_spans([[0, 0], [1, 1]], [[0, 1], [1, 4]], ["x0"], private_ranges=given)
    assert str(found.private[0]) == f"x1: {words}"


def fault(call: Any) -> CoveyError:
    with pytest.raises(CoveyError) as caught:
        call()
    assert caught.value.hint
    return caught.value


TWO = [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"public": ["age"]}, "unknown-column"),
        ({"public": [7]}, "unknown-column"),
        ({"public": "x0"}, "bad-parameter"),
        ({"table": [[1.0, 2.0, 3.0]]}, "bad-parameter"),
        ({"table": [["one", "two"]]}, "not-a-number"),
        ({"table": pa.table({"a": ["x"], "b": [1]})}, "not-a-number"),
        ({"table": pa.table({"a": [None, 1], "b": [1, 1]})}, "missing-values"),
        ({"table": [[np.nan, 1.0]]}, "infinite"),
        ({"table": np.zeros((0, 2))}, "empty-table"),
        ({"table": [1.0, 2.0]}, "bad-parameter"),
        ({"scale": [1.0]}, "bad-parameter"),
        ({"scale": [1.0, 0.0]}, "bad-parameter"),
        ({"class_names": ["one"]}, "bad-parameter"),
        ({"names": ["a", "a"]}, "bad-parameter"),
        ({"private_ranges": {"x1": (0.2, 0.8)}}, "outside-domain"),
        ({"private_ranges": {"x1": (5, 2)}}, "bad-parameter"),
        ({"private_ranges": {"x1": "wide"}}, "bad-parameter"),
        ({"private_ranges": {"x1": set()}}, "bad-parameter"),
        ({"private_ranges": {"x0": (0, 5)}}, "bad-parameter"),
        ({"private_ranges": {"pay": (0, 5)}}, "unknown-column"),
        ({"one_hot": [["x0", "x1"]]}, "bad-parameter"),
        ({"centroids": np.zeros((0, 2))}, "bad-parameter"),
        ({"centroids": [[np.inf, 0.0]]}, "infinite"),
    ],
)
def test_what_cannot_be_used_is_refused(options: dict[str, Any], code: str) -> None:
    given = {"centroids": TWO, "table": TWO, "public": ["x0" if "names" not in options else "a"], **options}
    if isinstance(given["table"], pa.Table):
        given["public"] = ["b"]
    assert fault(lambda: centroid_spans(**given)).code == code


def test_a_refusal_never_shows_a_value() -> None:
    secret = 7654321.25
    error = fault(lambda: centroid_spans(TWO, [[0.0, secret]], ["x0"], private_ranges={"x1": (0, 1)}))
    assert "7654321" not in str(error)
    assert "first row 1" in error.message


def test_models_that_do_not_take_the_nearest_centroid_are_refused() -> None:
    from sklearn.cluster import BisectingKMeans, KMeans, MeanShift
    from sklearn.neighbors import NearestCentroid

    rows, labels = blobs(60), np.repeat([0, 1, 2], 20)
    models = [
        BisectingKMeans(3, random_state=0).fit(rows),
        MeanShift().fit(rows),
        KMeans(3),
        NearestCentroid(metric="manhattan").fit(rows, labels),
        NearestCentroid(priors=[0.5, 0.25, 0.25]).fit(rows, labels),
    ]
    for model in models:
        assert fault(lambda model=model: read_centroids(model)).code == "bad-parameter"


def test_what_is_too_large_to_try_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells_module, "MOST_STEPS", 10)
    assert fault(lambda: centroid_spans(TWO, blobs()[:, :2], ["x0"])).code == "too-large"
    assert fault(lambda: whole_numbers(0, 10**9)).code == "too-large"


def test_weights_are_exact() -> None:
    assert exact_weights([50, 0.5]) == (Fraction(1, 2500), Fraction(4))
