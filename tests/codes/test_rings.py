"""Windows: the least box and the set of values of k consecutive rows of a ring, at every place."""

from __future__ import annotations

import numpy as np
import pytest

from covey.codes.boxes import class_sets, summarise
from covey.codes.rings import Rings, window_boxes, window_loss, window_sets
from oracles import non_homogeneous as plain
from oracles.random_codes import one_column, random_table


def random_rings(random: np.random.Generator, n: int, k: int) -> Rings:
    """Return rings of k rows or more, in any order."""
    cuts = []
    while n - (cuts[-1] if cuts else 0) >= 2 * k and random.random() < 0.8:
        last = cuts[-1] if cuts else 0
        cuts.append(last + int(random.integers(k, n - last - k + 1)))
    order = random.permutation(n)
    return Rings(order, np.array([0, *cuts, n]), order)


def test_boxes_sets_and_losses_are_those_of_the_plain_twin() -> None:
    random = np.random.default_rng(2)
    for _ in range(1500):
        k = int(random.integers(2, 8))
        n = int(random.integers(k, 40))
        table, cover = random_table(random, n), random_rings(random, n, k)
        codes, order, starts = table.codes(), cover.order.tolist(), cover.starts.tolist()
        boxes = window_boxes(codes, cover, k)
        assert boxes.sizes.tolist() == [1] * n
        windows = [plain.window(order, starts, place, k) for place in range(n)]
        expected = [plain.box(table.matrix, rows) for rows in windows]
        assert list(zip(boxes.low.tolist(), boxes.high.tolist(), strict=True)) == expected, (table, cover, k)
        assert window_loss(codes, cover, k) == pytest.approx(plain.loss(*table.plain(), order, starts, k), abs=1e-9)
        j = int(random.integers(len(table.kinds)))
        sets = window_sets(table.matrix[j], int(table.sizes[j]), cover, k)
        found = [
            [code for code in range(table.sizes[j]) if words[code >> 6] >> (code & 63) & 1] for words in tolist(sets)
        ]
        assert found == [sorted({int(table.matrix[j, row]) for row in rows}) for rows in windows], (table, cover, k)


def tolist(sets):
    return [[int(word) for word in words] for words in sets]


def test_a_ring_of_k_rows_has_one_window_its_class() -> None:
    random = np.random.default_rng(3)
    table = random_table(random, 60)
    codes = table.codes()
    order = random.permutation(60)
    labels = np.empty(60, np.int64)
    labels[order] = np.arange(60) // 6
    cover = Rings(order, np.arange(0, 61, 6), order)
    boxes, classes = window_boxes(codes, cover, 6), summarise(codes, labels)
    assert np.array_equal(boxes.low, np.repeat(classes.low, 6, axis=0))
    assert np.array_equal(boxes.high, np.repeat(classes.high, 6, axis=0))
    column, size = table.matrix[0], int(table.sizes[0])
    sets = class_sets(column, size, labels, 10)
    assert np.array_equal(window_sets(column, size, cover, 6), np.repeat(sets, 6, axis=0))


def test_windows_of_a_long_ring_by_hand() -> None:
    # the ring 0 1 2 9 with k = 3: {0, 1, 2}, {1, 2, 9}, {2, 9, 0}, {9, 0, 1}: (2 + 8 + 9 + 9) / 9
    codes = one_column([0, 1, 2, 9]).codes()
    assert window_loss(codes, Rings(np.arange(4), np.array([0, 4]), np.arange(4)), 3) == pytest.approx(28 / 9)
