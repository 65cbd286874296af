"""Non-homogeneous release: every window covers k rows of its ring, every row gets one of its k windows by chance."""

from __future__ import annotations

import secrets

import numpy as np
import pyarrow as pa
import pytest

from covey.base.errors import InputError
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_frame
from covey.codes.rings import window_boxes, window_loss
from covey.search.loss_cut.estimator import LossCut
from covey.search.non_homogeneous import estimator as non_homogeneous
from covey.search.non_homogeneous.estimator import NonHomogeneous
from oracles import non_homogeneous as plain
from oracles.random_codes import one_column, random_table, rows_around


@pytest.mark.parametrize("ahead", [2048, 3])
def test_the_tours_are_those_of_the_plain_twin(ahead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(non_homogeneous, "AHEAD", ahead)
    random = np.random.default_rng(ahead)
    for _ in range(1000):
        k = int(random.integers(2, 8))
        n = rows_around(random, k, 50)
        table = random_table(random, n)
        codes = table.codes()
        algorithm = NonHomogeneous(k, part_size=int(random.integers(k, 4 * k)))
        cover = algorithm.cover(codes)
        order, starts = plain.tours(*table.plain(), algorithm.labels(codes).tolist(), k, ahead)
        assert cover.order.tolist() == order, (table, k)
        assert cover.starts.tolist() == starts


@pytest.mark.parametrize("parts", ["loss-cut", "binary-k-means", "top-down"])
def test_every_window_covers_k_rows_of_its_ring_and_every_row_gets_a_window_that_covers_it(parts: str) -> None:
    random = np.random.default_rng(4)
    for seed in range(200):
        k = int(random.integers(2, 9))
        n = rows_around(random, k, 90)
        table = random_table(random, n)
        codes = table.codes()
        part_size = None if seed % 2 else int(random.integers(k, 100))
        algorithm = NonHomogeneous(k, seed=seed, parts=parts, part_size=part_size)  # type: ignore[arg-type]
        cover = algorithm.cover(codes)
        order, starts = cover.order.tolist(), cover.starts.tolist()
        assert sorted(order) == list(range(n))
        assert np.diff(starts).min() >= k
        assert np.array_equal(np.repeat(np.arange(len(starts) - 1), np.diff(starts)), algorithm.labels(codes)[order])
        assert sorted(cover.windows) == list(range(n))  # every window is released once
        boxes = window_boxes(codes, cover, k)
        for row, place in enumerate(cover.windows.tolist()):
            rows = plain.window(order, starts, place, k)
            assert len(set(rows)) == k
            assert row in rows
            codes_of_rows = table.matrix[:, rows].T
            assert (codes_of_rows >= boxes.low[place]).all()
            assert (codes_of_rows <= boxes.high[place]).all()


def test_windows_lose_no_more_than_the_parts_they_lie_in() -> None:
    random = np.random.default_rng(6)
    gained = 0
    for _ in range(200):
        k = int(random.integers(2, 9))
        codes = random_table(random, rows_around(random, k, 120)).codes()
        ours, classes = (
            window_loss(codes, NonHomogeneous(k).cover(codes), k),
            total_loss(codes, LossCut(k).labels(codes)),
        )
        assert ours <= classes + 1e-9
        gained += ours < classes - 1e-9
    assert gained > 50


def covering_windows(order, starts, row, k):
    return {place for place in range(len(order)) if row in plain.window(order, starts, place, k)}


def test_a_row_gets_each_of_its_k_windows_with_chance_one_in_k() -> None:
    # 9,000 draws of windows for 23 rows, k = 3: 3,000 each, standard deviation sqrt(9000 x 1/3 x 2/3) = 44.7.
    # The generator is fixed; a fair one leaves 5 deviations once in a million times
    k, draws = 3, 9000
    codes = random_table(np.random.default_rng(10), 23).codes()
    algorithm, random = NonHomogeneous(k, part_size=7), np.random.default_rng(20)
    covers = [algorithm.cover(codes, random) for _ in range(200)]
    order, starts = covers[0].order.tolist(), covers[0].starts.tolist()
    assert len(starts) > 2
    counts = np.zeros((23, 23), int)
    shifts = np.zeros((draws, len(starts) - 1), int)
    for draw in range(draws):
        windows = non_homogeneous._matched(covers[0].order, covers[0].starts, k, random)
        counts[np.arange(23), windows] += 1
        firsts = [order[start] for start in starts[:-1]]
        lengths = np.diff(starts)
        shifts[draw] = (np.array(starts[:-1]) - windows[firsts]) % lengths
    for row in range(23):
        assert set(np.flatnonzero(counts[row])) == covering_windows(order, starts, row, k)
        assert np.abs(counts[row][counts[row] > 0] - draws / k).max() < 5 * 44.8
    # two rings are drawn apart from each other: 9 pairs of shifts, 1,000 each, deviation sqrt(9000 x 8/81) = 29.8
    pairs = np.bincount(shifts[:, 0] * k + shifts[:, 1], minlength=k * k)
    assert np.abs(pairs - draws / k**2).max() < 5 * 29.9
    # and whole calls draw anew each time
    assert len({tuple(cover.windows.tolist()) for cover in covers}) >= k


def test_a_seed_does_not_determine_the_matching() -> None:
    codes = random_table(np.random.default_rng(1), 600).codes()
    one, other = (NonHomogeneous(5, seed=7).cover(codes) for _ in range(2))
    assert np.array_equal(one.order, other.order)
    assert np.array_equal(one.starts, other.starts)
    # equal by chance once in 5 ** rings times
    assert len(one.starts) > 30
    assert not np.array_equal(one.windows, other.windows)


def test_the_shifts_come_from_the_system_one_for_each_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(secrets, "randbelow", lambda k: asked.append(k) or 1)
    codes = one_column([1, 2, 3, 50, 51, 53, 90, 91, 95]).codes()
    cover = NonHomogeneous(3).cover(codes)
    assert asked == [3, 3, 3]
    # every ring is shifted by one: the row at a place has the window that begins one place before it
    assert cover.windows[cover.order].tolist() == [2, 0, 1, 5, 3, 4, 8, 6, 7]


def test_fit_gives_rings_and_the_loss_of_the_windows() -> None:
    people = pa.table({"age": [34, 35, 36, 61, 63]})
    found = NonHomogeneous(k=2).fit(people)
    assert found.labels_.tolist() == [0, 0, 0, 1, 1]
    assert found.n_classes_ == 2
    # {34, 35}, {35, 36}, {36, 34} and twice {61, 63}: (1 + 1 + 2 + 2 + 2) / 29, where the classes lose (3 x 2 + 4) / 29
    assert found.loss_ == pytest.approx(8 / 29)
    assert LossCut(k=2).fit(people).loss_ == pytest.approx(10 / 29)
    assert NonHomogeneous(k=2).fit_predict(people).tolist() == found.labels_.tolist()
    assert not NonHomogeneous.makes_classes


def test_a_tour_jumps_once_to_each_cluster() -> None:
    # one part; sorted by codes the tour would go 0 0, 0 5, 1 0, 1 5: the nearest of all is in the other column
    codes = encode_frame(pa.table({"a": [0, 0, 1, 1], "b": [0, 50, 0, 51]}))
    cover = NonHomogeneous(k=2, part_size=4).cover(codes)
    assert cover.order.tolist() == [0, 1, 3, 2]


def test_the_order_of_the_rows_does_not_matter_for_the_windows() -> None:
    random = np.random.default_rng(8)
    for _ in range(50):
        table = random_table(random, 70)
        order = random.permutation(70)
        mixed = type(table)(table.matrix[:, order], table.kinds, table.weights, table.parts, table.sizes)
        boxes = [window_boxes(codes, NonHomogeneous(4).cover(codes), 4) for codes in (table.codes(), mixed.codes())]
        assert np.array_equal(boxes[0].low, boxes[1].low)
        assert np.array_equal(boxes[0].high, boxes[1].high)


@pytest.mark.parametrize("part_size", [None, 50, 10**6])
def test_as_few_rows_as_k_are_one_ring(part_size: int | None) -> None:
    cover = NonHomogeneous(3, part_size=part_size).cover(one_column([5, 1, 9]).codes())
    assert cover.starts.tolist() == [0, 3]


def test_parts_below_k_are_refused() -> None:
    with pytest.raises(InputError, match=r"`part_size` of NonHomogeneous is 4; k is 5") as caught:
        NonHomogeneous(5, part_size=4).cover(one_column(list(range(20))).codes())
    assert caught.value.code == "bad-parameter"
