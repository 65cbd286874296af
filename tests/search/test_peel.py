"""What `Peel` promises: the cheapest class of all at every step, legal classes, less loss than by cuts."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

from covey.ask.taxonomy import Taxonomy
from covey.codes.boxes import total_loss
from covey.codes.codes import Codes, codes_from_matrix, tree_positions
from covey.codes.encoding import encode_frame
from covey.codes.prices import FLAT, ORDERED, TREE, extent, price
from covey.codes.whole_prices import in_whole_prices
from covey.datasets import make_hospital
from covey.search.loss_cut.estimator import LossCut
from covey.search.peel import boxes
from covey.search.peel import estimator as module
from covey.search.peel.estimator import STRAND, Peel
from covey.search.peel.levels import category_levels, cheapest_mixes, path_words, range_levels
from oracles import peel as plain


def random_codes(rng: np.random.Generator, n_rows: int, n_columns: int, most_ordered: int = 3) -> Codes:
    """Return a table with columns of every kind, many equal rows, missing values, constants, some without weight."""
    kinds = rng.integers(0, 3, n_columns)
    kinds[np.flatnonzero(kinds == ORDERED)[most_ordered:]] = FLAT
    matrix, parts, sizes = [], [], []
    for kind in kinds.tolist():
        size = int(rng.choice([1, 2, 3, 5, 8]))
        position, gaps = np.sort(rng.integers(0, 9, size) / 8.0), rng.integers(1, 4, size - 1) / 3.0
        if rng.random() < 0.3:
            position[0] = -1.0  # code 0 is a missing value
        parts.append({ORDERED: position, FLAT: np.zeros(0), TREE: tree_positions(gaps)}[kind])
        matrix.append(np.minimum(rng.geometric(rng.choice([0.2, 0.5]), n_rows) - 1, size - 1))
        sizes.append(size)
    weights = rng.choice([0.0, 0.5, 1.0, 1.0, 2.0], n_columns)
    return codes_from_matrix(np.array(matrix, np.uint8), kinds, weights, parts, np.array(sizes))


def interval_price(codes: Codes, j: int, low: int, high: int) -> float:
    return float(price(codes.kinds[j], codes.positions, codes.offsets[j], codes.sizes[j], low, high))


def plain_levels(codes: Codes, j: int) -> tuple[list[float], list[dict[int, int]]]:
    """Return the price of every level and the group of every code that is there, from the prices of all pairs."""
    there = sorted(set(codes.columns[j].tolist()))
    heights = sorted({interval_price(codes, j, a, b) for a, b in itertools.combinations_with_replacement(there, 2)})
    groups = [
        {b: min(a for a in there if a <= b and interval_price(codes, j, a, b) <= h) for b in there} for h in heights
    ]
    return [float(codes.weights[j]) * height for height in heights], groups


def twins_labels(codes: Codes, k: int) -> list[int]:
    """Return what the plain rule makes of codes in whole prices."""
    costly = np.flatnonzero(codes.weights > 0)
    columns, steps = [], []
    for j in costly:
        start, size = codes.offsets[j], codes.sizes[j]
        if codes.kinds[j] == ORDERED:
            positions = codes.positions[start : start + size].tolist()
            width = float(codes.positions[start + size])
            columns.append(plain.Column(positions=positions, weight=float(codes.weights[j]), width=width))
            continue
        prices, groups = plain_levels(codes, j)
        columns.append(plain.Column(prices, groups))
        steps += prices[1:2]
    strand = STRAND * sum(steps) / len(steps) if steps else module.suppressed_price(codes)
    found = plain.peel(codes.columns[costly].T.tolist(), codes.counts.tolist(), columns, k, strand)
    return [-1 if label is None else label for label in found]


@pytest.mark.parametrize("seed", range(10))
def test_the_cheapest_class_of_all_is_taken_at_every_step(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        k = int(rng.integers(2, 6))
        n_rows = max(k * int(rng.integers(1, 7)) + int(rng.integers(-1, 2)), k)
        codes = in_whole_prices(random_codes(rng, n_rows, int(rng.integers(1, 6))), n_rows)
        labels, n_classes = module._peeled(codes, k)
        assert labels.tolist() == twins_labels(codes, k)
        assert n_classes == labels.max(initial=-1) + 1


def test_rows_left_over_join_the_class_whose_loss_they_raise_least():
    rng = np.random.default_rng(5)
    for _ in range(300):
        k, n_rows = int(rng.integers(2, 5)), int(rng.integers(5, 30))
        codes = in_whole_prices(random_codes(rng, n_rows, 3), n_rows)
        before, n_classes = module._peeled(codes, k)
        after = before.copy()
        rest = np.flatnonzero(before < 0)
        module._join_cheapest(codes, after, n_classes, rest)

        def loss(labels, codes=codes, n_classes=n_classes):
            return sum(
                codes.counts[labels == c].sum()
                * extent(
                    codes.measure,
                    *(f(codes.columns[:, labels == c], axis=1).astype(np.int64) for f in (np.min, np.max)),
                )
                for c in range(n_classes)
            )

        now = before.copy()
        for t in rest:
            tried = []
            for c in range(n_classes):
                now[t] = c
                tried.append(loss(now))
            now[t] = int(np.argmin(tried))
        assert after.tolist() == now.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_every_class_is_legal_and_the_order_of_the_rows_does_not_matter(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(60):
        k = int(rng.integers(2, 8))
        n_rows = int(rng.integers(k, 90))
        codes = random_codes(rng, n_rows, int(rng.integers(1, 8)), most_ordered=8)
        labels = Peel(k=k).labels(codes)
        assert np.bincount(labels).min() >= k
        assert all(len(set(labels[codes.row_tuple == t])) == 1 for t in range(codes.n_tuples))


def test_what_no_mix_reaches_is_cut(monkeypatch):
    rng = np.random.default_rng(3)
    cut = 0
    for _ in range(100):
        k, n_rows = 3, int(rng.integers(3, 60))
        codes = random_codes(rng, n_rows, 5)
        for name, most in (("MOST_MIXES", 2), ("MOST_LOOKS", 1), ("MOST_STEPS", 40)):
            with monkeypatch.context() as patch:
                patch.setattr(module, name, most)
                patch.setattr(module, "STEPS_OF_ROW", 0 if name == "MOST_STEPS" else module.STEPS_OF_ROW)
                cut += int((module._peeled(codes, k)[0] < 0).sum() >= k)
                assert np.bincount(Peel(k=k).labels(codes)).min() >= k
    assert cut > 50


def test_ranges_of_more_than_64_values_end_at_values_spread_evenly():
    rng = np.random.default_rng(8)
    part = np.arange(500) / 499
    for n_columns in (2, 3):
        matrix = np.stack([rng.permutation(500) for _ in range(n_columns)]).astype(np.uint16)
        codes = codes_from_matrix(
            matrix, np.zeros(n_columns, int), np.ones(n_columns), [part] * n_columns, np.full(n_columns, 500)
        )
        labels = Peel(k=5).labels(codes)
        assert np.bincount(labels).min() >= 5
        assert total_loss(codes, labels) < 1.2 * total_loss(codes, LossCut(k=5).labels(codes))


@pytest.mark.parametrize(("n_rows", "n_columns"), [(400, 3), (20_000, 2), (3_000, 3)])
def test_boxes_in_numbers_alone_take_no_more_work_than_is_allowed(n_rows, n_columns, monkeypatch):
    told = []
    plain = module._ordered
    monkeypatch.setattr(module, "_ordered", lambda *given: told.append(plain(*given)) or told[-1])
    rng = np.random.default_rng(1)
    table = pa.table({f"c{j}": rng.normal(0, 100, n_rows) for j in range(n_columns)})
    labels = Peel(k=5).labels(encode_frame(table))
    assert np.bincount(labels).min() >= 5
    most_at_once = 2 * boxes.MOST_STEPS + 3 * boxes.SORTING * n_rows
    assert told[0].steps[0] <= module.MOST_STEPS + module.STEPS_OF_ROW * n_rows + most_at_once


def test_masked_words_are_equal_exactly_where_all_groups_are():
    rng = np.random.default_rng(1)
    for _ in range(100):
        codes = random_codes(rng, int(rng.integers(1, 40)), 4)
        columns = list(range(4))
        levels = [range_levels(codes, j) if codes.kinds[j] == ORDERED else category_levels(codes, j) for j in columns]
        words = path_words(codes, columns, levels)
        mixes = cheapest_mixes(words, levels, 10_000)
        tried = sorted(
            (sum(float(own.prices[at]) for own, at in zip(levels, mix, strict=True)), mix)
            for mix in itertools.product(*(range(len(own.prices)) for own in levels))
        )
        assert mixes.prices.tolist() == [total for total, _ in tried][:10_000]
        for row in rng.choice(len(mixes.prices), 5):
            mix = tried[row][1]
            masked = (words.words & mixes.masks[row]).tolist()
            chosen = [own.groups[at] for own, at in zip(levels, mix, strict=True)]
            groups = [
                tuple(of[code] for of, code in zip(chosen, codes_of_t, strict=True)) for codes_of_t in codes.columns.T
            ]
            for one, other in itertools.combinations(range(codes.n_tuples), 2):
                assert (masked[one] == masked[other]) == (groups[one] == groups[other])


def test_paths_of_many_bits_take_several_words():
    rng = np.random.default_rng(2)
    sizes = np.full(12, 200)
    codes = codes_from_matrix(
        rng.integers(0, 200, (12, 300)).astype(np.uint8), np.full(12, FLAT), np.ones(12), [np.zeros(0)] * 12, sizes
    )
    levels = [category_levels(codes, j) for j in range(12)]
    words = path_words(codes, list(range(12)), levels)
    assert words.words.shape == (300, 2)
    assert len({tuple(row) for row in words.words.tolist()}) == codes.n_tuples
    assert np.bincount(Peel(k=3).labels(codes)).min() >= 3


def test_a_deep_tree_is_climbed_level_by_level():
    people = make_hospital(400).select(["age", "postcode"])
    tree = Taxonomy.prefixes([4, 3, 2])
    from covey.ask.schema import Schema

    schema = Schema.from_roles(quasi=["age", "postcode"], taxonomies={"postcode": tree})
    codes = encode_frame(people, schema)
    assert len(category_levels(codes, 1).prices) > 3
    labels = Peel(k=5).labels(codes)
    assert np.bincount(labels).min() >= 5
    assert total_loss(codes, labels) < total_loss(codes, LossCut(k=5).labels(codes))
