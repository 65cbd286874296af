"""Merging equal rows gives what `numpy.unique` gives, however many bits the codes need."""

from __future__ import annotations

import numpy as np
import pytest

from covey.codes.merging import merge_rows


def assert_merged(matrix: np.ndarray, sizes: list[int]) -> None:
    """Tuples in lexicographic order, their rows counted, and every row sent to its own tuple."""
    columns, counts, row_tuple = merge_rows(matrix, np.array(sizes))
    distinct, inverse, expected = np.unique(matrix, axis=1, return_inverse=True, return_counts=True)
    assert columns.dtype == matrix.dtype
    assert columns.flags.c_contiguous
    assert (columns == distinct).all()
    assert counts.dtype == row_tuple.dtype == np.int64
    assert (counts == expected).all()
    assert (row_tuple == inverse.ravel()).all()


def random_matrix(rng: np.random.Generator, n_rows: int, sizes: list[int], dtype: type) -> np.ndarray:
    """Codes of which the smallest and the greatest are always there, and some are much more frequent."""
    rows = [np.minimum(rng.geometric(0.3, n_rows) - 1, s - 1) if s < 50 else rng.integers(0, s, n_rows) for s in sizes]
    matrix = np.array(rows, dtype).reshape(len(sizes), n_rows)
    matrix[:, -1] = np.array(sizes) - 1
    return matrix


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_small_tables_are_merged_as_unique_does(dtype):
    rng = np.random.default_rng(0)
    for _ in range(300):
        sizes = rng.choice([1, 2, 3, 5, 17, 200], rng.integers(1, 9)).tolist()
        assert_merged(random_matrix(rng, int(rng.integers(1, 200)), sizes, dtype), sizes)


@pytest.mark.parametrize(
    ("n_rows", "sizes"),
    [
        (1, [1]),
        (1, [2**31 - 1, 2**31 - 1, 2**31 - 1]),
        (2, [2**31 - 1] * 5),  # 155 bits: ranks in between
        (1_000, [2**31 - 1] * 9),
        (3_000, [2] * 70),
        (3_000, [300] * 60),
        (70_000, [2**31 - 1, 3, 2**31 - 1, 2**20]),  # a column does not fit beside rank and row number
        (70_000, [74, 7, 16, 7, 14, 5, 2, 41]),
    ],
)
def test_codes_of_any_width_are_merged_as_unique_does(n_rows, sizes):
    assert_merged(random_matrix(np.random.default_rng(n_rows), n_rows, sizes, np.int32), sizes)


def test_columns_of_one_value_merge_all_rows():
    columns, counts, row_tuple = merge_rows(np.zeros((3, 5), np.uint8), np.ones(3, np.int64))
    assert columns.tolist() == [[0], [0], [0]]
    assert counts.tolist() == [5]
    assert row_tuple.tolist() == [0] * 5


def test_no_rows_give_no_tuples():
    columns, counts, row_tuple = merge_rows(np.zeros((3, 0), np.uint8), np.ones(3, np.int64))
    assert columns.shape == (3, 0)
    assert len(counts) == len(row_tuple) == 0
