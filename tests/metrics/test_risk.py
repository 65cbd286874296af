"""ED and SD count the rows of classes that tell one sensitive value."""

from __future__ import annotations

import numpy as np
import pytest

from covey.base.errors import InputError
from covey.metrics import equal_diversity, sensitive_diversity
from oracles import metrics as oracle
from oracles.random_releases import random_labels


def test_both_equal_their_plain_twins() -> None:
    random = np.random.default_rng(1)
    for _ in range(2000):
        n = int(random.integers(1, 30))
        labels, values = random_labels(random, n), random.integers(0, int(random.integers(1, 5)), n)
        truly = set(random.choice(5, int(random.integers(0, 4)), replace=False).tolist())
        plain = labels.tolist(), values.tolist()
        assert equal_diversity(labels, values) == oracle.equal_diversity(*plain), plain
        assert sensitive_diversity(labels, values, truly) == oracle.sensitive_diversity(*plain, truly), (plain, truly)


def test_classes_with_one_value_count_with_all_their_rows() -> None:
    # class 0 tells value 2 of three rows, class 1 has two values, class 2 tells value 0 of one row
    labels, values = [0, 0, 0, 1, 1, 2], [2, 2, 2, 0, 1, 0]
    assert equal_diversity(labels, values) == 4
    assert sensitive_diversity(labels, values, {2}) == 3
    assert sensitive_diversity(labels, values, {0, 1}) == 1
    assert sensitive_diversity(labels, values, set()) == 0


def test_suppressed_rows_count_in_neither() -> None:
    assert equal_diversity([-1, -1, 0, 0], [1, 1, 1, 1]) == 2
    assert equal_diversity([-1, -1], [1, 1]) == 0
    assert sensitive_diversity([-1, 0], [1, 1], {1}) == 1


def test_an_empty_table_tells_nothing() -> None:
    assert equal_diversity([], []) == 0
    assert sensitive_diversity([], [], {0}) == 0


def test_arrays_of_unlike_length_are_refused() -> None:
    with pytest.raises(InputError, match="`labels` has 2 numbers for 3 rows") as fault:
        equal_diversity([0, 0], [1, 1, 1])
    assert fault.value.code == "bad-parameter"
