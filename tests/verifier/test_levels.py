"""Levels from counts, against plain loops over the rows that the counts stand for."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.ask.registry import MODELS
from covey.base.errors import InputError
from covey.verifier.levels import distinct_l_diversity, failing, frequency_l_diversity, k_anonymity, level_of

LEVELS = {"distinct-l-diversity": distinct_l_diversity, "frequency-l-diversity": frequency_l_diversity}


@given(st.lists(st.integers(1, 50), min_size=1))
def test_k_anonymity_is_the_smallest_class(sizes):
    assert k_anonymity(sizes) == sorted(sizes)[0]
    assert level_of("k-anonymity", sizes) == k_anonymity(sizes)
    assert failing("k-anonymity", sizes, 7) == [place for place, size in enumerate(sizes) if size < 7]


# --- diversity against brute force: the rows of every class, one by one -----------------------------------------


def class_level(model, values):
    """The l of one class from its values, by counting every value with a loop."""
    if model == "distinct-l-diversity":
        return Fraction(len(set(values)))
    return min(Fraction(len(values), sum(other == value for other in values)) for value in values)


def test_levels_are_the_brute_force_ones_on_random_histograms():
    rng = np.random.default_rng(11)
    asked_for = ["1", "1.1", "1.5", "2", "2.2", "2.5", "3", "3.3", "4"]
    failed = 0
    for _ in range(3000):
        classes = [rng.integers(0, rng.integers(1, 6), rng.integers(1, 12)).tolist() for _ in range(rng.integers(1, 7))]
        counts = [list(Counter(values).values()) for values in classes]
        if rng.random() < 0.5:  # a value that a class does not have may be listed with 0
            counts = [[*found, 0] for found in counts]
        asked = asked_for[rng.integers(len(asked_for))]
        for model, compute in LEVELS.items():
            reached = [class_level(model, values) for values in classes]
            assert compute(counts) == min(reached)
            assert level_of(model, counts) == min(reached)
            below = [place for place, level in enumerate(reached) if level < Fraction(Decimal(asked))]
            assert failing(model, counts, float(asked)) == below
            failed += bool(below)
    assert 1000 < failed < 5900  # both answers were tried


def test_what_is_asked_is_read_as_it_is_written():
    # 25 rows of 55: 55 / 25 = 2.2, though the float 25 * 2.2 is above 55
    assert 25 * 2.2 > 55
    assert frequency_l_diversity([[25, 20, 10]]) == Fraction(11, 5)
    assert failing("frequency-l-diversity", [[25, 20, 10]], 2.2) == []
    assert failing("frequency-l-diversity", [[25, 20, 9]], 2.2) == [0]
    # (3 * 10**17 - 1) / 10**17 is just below 3, and no float can tell it from 3
    almost = [10**17, 10**17, 10**17 - 1]
    assert float(frequency_l_diversity([almost])) == 3.0
    assert failing("frequency-l-diversity", [almost], 3) == [0]


def test_counts_of_any_kind_are_counted_without_overflow():
    # 2**40 rows x the numerator of 1.000000000000001 (10**15 + 1) is beyond 64 bits
    histogram = np.array([2**40, 2**40])
    assert failing("frequency-l-diversity", [histogram], 1.000000000000001) == []
    assert frequency_l_diversity([histogram]) == 2
    assert distinct_l_diversity([histogram]) == 2


@pytest.mark.parametrize("model", ["k-anonymity", *LEVELS])
def test_no_class_is_refused(model):
    for counts in [[], [0] if model == "k-anonymity" else [[1], []], [0] if model == "k-anonymity" else [[0, 0]]]:
        with pytest.raises(InputError, match="no class") as caught:
            level_of(model, counts)
        assert caught.value.code == "empty-table"


def test_an_unknown_model_is_refused_with_the_nearest_name():
    for call in (lambda: level_of("k-anonimity", [2]), lambda: failing("k-anonimity", [2], 2)):
        with pytest.raises(InputError, match="`k-anonimity`") as caught:
            call()
        assert caught.value.code == "unknown-model"
        assert caught.value.hint == "did you mean `k-anonymity`?"


def test_every_registered_model_has_a_level():
    for name in MODELS:
        assert level_of(name, [[1, 1], [2, 2]]) == 2
