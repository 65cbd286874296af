"""Linkage merges the closest two classes until all have k rows, and says what memory it would need."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from covey.base.errors import InputError
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_frame
from covey.search.linkage.estimator import Linkage
from oracles.linkage import linkage
from oracles.random_codes import FLAT, ORDERED, Table, one_column, random_table, rows_around

METHODS = ["single", "complete", "average"]
STOPS = ["global", "local"]


def found(table: Table, k: int, method: str, stop: str) -> list[int]:
    return Linkage(method, k, stop=stop).labels(table.codes()).tolist()  # type: ignore[arg-type,no-any-return]


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("method", METHODS)
def test_classes_are_those_of_the_definition_with_nothing_merged_beforehand(method: str, stop: str) -> None:
    random = np.random.default_rng(0)
    for _ in range(600):
        k = int(random.integers(2, 6))
        table = random_table(random, rows_around(random, k, 16))
        assert found(table, k, method, stop) == linkage(table.plain(), k, method, stop), (table, k)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("method", METHODS)
def test_classes_are_those_of_the_definition_where_no_two_distances_are_equal(method: str, stop: str) -> None:
    random = np.random.default_rng(2)
    for _ in range(100):
        k = int(random.integers(2, 6))
        table = tie_free(random, rows_around(random, k, 25))
        assert found(table, k, method, stop) == linkage(table.plain(), k, method, stop), (table, k)


def tie_free(random: np.random.Generator, n: int) -> Table:
    """Return three ordered columns of random values; half of the rows may be repeated."""
    parts = [np.sort(random.random(n)) for _ in range(3)]
    parts = [(part - part[0]) / (part[-1] - part[0]) for part in parts]
    matrix = np.array([random.permutation(n) for _ in parts])
    if random.random() < 0.5:
        matrix = matrix[:, random.integers(0, n, n)]
    return Table(matrix.astype(np.uint8), np.full(3, ORDERED), np.array([1.0, 0.7, 2.0]), parts, np.full(3, n))


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_classes_are_those_of_the_definition_on_larger_tables(method: str, stop: str, seed: int) -> None:
    table = random_table(np.random.default_rng(300 + seed), 70)
    assert found(table, 4, method, stop) == linkage(table.plain(), 4, method, stop)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("method", METHODS)
def test_every_class_has_k_rows_and_equal_rows_are_together(method: str, stop: str) -> None:
    random = np.random.default_rng(3)
    for _ in range(60):
        k = int(random.integers(2, 9))
        table = random_table(random, rows_around(random, k, 120))
        labels = np.array(found(table, k, method, stop))
        assert np.bincount(labels).min() >= k
        for t in range(table.codes().n_tuples):
            assert len(set(labels[table.codes().row_tuple == t])) == 1


def test_single_looks_at_the_closest_rows_and_complete_at_the_furthest() -> None:
    # merged at 0.5: 6.5 7; at 1: 11 12; at 1.5: 5 with 6.5 7; at 2: 0 2, and all have two rows
    assert found(one_column([0, 2, 5, 6.5, 7, 11, 12]), 2, "single", "global") == [0, 0, 1, 1, 1, 2, 2]
    # 0 1 | 3 4 | 6.4: the pairs come first; 6.4 is 2.4 from 4 but 3.4 from 3; 1 and 3 are 2 apart, 0 and 4 are 4.
    # single merges 0 1 with 3 4 (2) and then all; complete merges 3 4 with 6.4 (3.4) and stops
    values = one_column([0, 1, 3, 4, 6.4])
    assert found(values, 2, "single", "global") == [0, 0, 0, 0, 0]
    assert found(values, 2, "complete", "global") == [0, 0, 1, 1, 1]
    # average: 3 between 0 1 and 3 4, 2.9 between 3 4 and 6.4
    assert found(values, 2, "average", "global") == [0, 0, 1, 1, 1]


def test_the_average_counts_rows_not_classes() -> None:
    # 0 0 0 3.9 are a class; from 8 they are 8, 8, 8 and 4.1, on average 7.0 (as two values 6.05); 14.5 is 6.5 from 8
    table = one_column([0, 0, 0, 3.9, 8, 14.5])
    assert found(table, 2, "average", "global") == [0, 0, 0, 0, 1, 1]


def test_local_leaves_alone_what_has_k_rows() -> None:
    # 0 1 | 3 4 | 20 at k = 2: the closest two are the pairs, 2 apart, but only 20 is too small
    values = one_column([0, 1, 3, 4, 20])
    assert found(values, 2, "single", "local") == [0, 0, 1, 1, 1]
    assert found(values, 2, "single", "global") == [0, 0, 0, 0, 0]


def test_of_equally_close_pairs_the_lowest_is_merged() -> None:
    # 10 is 5 from 5 and from 15: of the pairs (0, 1) and (1, 2) the first is merged; then 15 and 21 are closest
    assert found(one_column([5, 10, 15, 21]), 2, "complete", "local") == [0, 0, 1, 1]
    matrix = np.array([[2, 0, 1, 1]], np.uint8)  # rows 2 and 3 are equal; 0 and 1 are as far from them as apart
    table = Table(matrix, np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([3]))
    assert found(table, 2, "average", "local") == [0, 0, 1, 1]


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("method", METHODS)
def test_rows_that_differ_in_nothing_that_has_a_price_are_one_class(method: str, stop: str) -> None:
    # column 0 has no weight: by it rows 0 2 and rows 1 3 would each have k rows already, but all are at distance 0
    matrix = np.array([[0, 1, 0, 1], [0, 0, 0, 0]], np.uint8)
    table = Table(matrix, np.array([FLAT, FLAT]), np.array([0.0, 1.0]), [np.zeros(0)] * 2, np.array([2, 1]))
    assert found(table, 2, method, stop) == [0, 0, 0, 0]


@pytest.mark.parametrize("n", [3, 5, 6])
def test_as_many_rows_as_k_and_just_below_and_at_twice_k(n: int) -> None:
    labels = found(one_column([0, 1, 2, 100, 101, 102][:n]), 3, "complete", "local")
    assert np.bincount(labels).tolist() == {3: [3], 5: [5], 6: [3, 3]}[n]


def test_local_stops_lose_less_than_global_ones() -> None:
    random = np.random.default_rng(4)
    for _ in range(5):
        codes = tie_free(random, 200).codes()
        for method in METHODS:
            local = total_loss(codes, Linkage(method, 4, stop="local").labels(codes))  # type: ignore[arg-type]
            assert local < total_loss(codes, Linkage(method, 4).labels(codes))  # type: ignore[arg-type]


def test_a_table_above_the_limit_is_refused_with_the_memory_it_needs() -> None:
    # 400 x 400 x 8 bytes are 1.28 MB; repeated rows need none
    position = np.arange(400) / 399
    table = Table(np.arange(400, dtype=np.int32)[None], np.array([ORDERED]), np.ones(1), [position], np.array([400]))
    with pytest.raises(InputError) as caught:
        Linkage(memory_limit_mb=1).labels(table.codes())
    assert caught.value.code == "too-large"
    assert "2 MB for the distances between 400 distinct rows; `memory_limit_mb` is 1" in str(caught.value)
    assert set(Linkage(memory_limit_mb=1).labels(one_column([3] * 1000).codes())) == {0}


def test_the_default_limit_is_reached_before_a_great_table_is_begun() -> None:
    n = 50_000  # 50,000^2 x 8 bytes = 20,000 MB
    position = np.arange(n) / (n - 1)
    table = Table(np.arange(n, dtype=np.int32)[None], np.array([ORDERED]), np.ones(1), [position], np.array([n]))
    with pytest.raises(InputError, match=r"20,000 MB for the distances between 50,000 distinct rows"):
        Linkage().labels(table.codes())


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("method", METHODS)
def test_squared_differences_are_of_the_numbers_as_they_are(method: str, stop: str) -> None:
    random = np.random.default_rng(6)
    for _ in range(100):
        k = int(random.integers(2, 5))
        n = rows_around(random, k, 14)
        table = pa.table({
            "age": random.integers(20, 30, n), "rate": random.integers(0, 8, n) / 10,
            "town": random.choice(["a", "b", "c"], n),
        })  # fmt: skip
        codes = encode_frame(table)
        parts = [codes.positions[start:][:size] for start, size in zip(codes.offsets, codes.sizes, strict=True)]
        plain = codes.row_codes(), codes.kinds, codes.weights, parts, codes.sizes
        assert codes.widths is not None
        widths = [round(width, 6) for width in codes.widths.tolist()]
        labels = Linkage(method, k, distance="squared", stop=stop).fit(table).labels_  # type: ignore[arg-type]
        assert labels.tolist() == linkage(plain, k, method, stop, widths), (table, k)


def test_a_wide_column_counts_for_more_when_squared() -> None:
    # ages 1 to 9 and incomes in the thousands: by shares row 2 is nearest to row 0, by numbers to row 3
    table = pa.table({"age": [1, 9, 1, 9], "income": [1000, 1100, 2000, 2100]})
    assert Linkage("single", 2, stop="local").fit(table).labels_.tolist() == [0, 1, 0, 1]
    assert Linkage("single", 2, distance="squared", stop="local").fit(table).labels_.tolist() == [0, 0, 1, 1]
    with pytest.raises(InputError, match="needs the widths of the domains"):
        Linkage(distance="squared").labels(one_column([1, 2, 3, 4, 5]).codes())
