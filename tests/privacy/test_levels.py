"""Levels from counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.errors import InputError
from covey.privacy.levels import k_anonymity, level_of


@given(st.lists(st.integers(1, 50), min_size=1))
def test_k_anonymity_is_the_smallest_class(sizes):
    assert k_anonymity(sizes) == sorted(sizes)[0]
    assert level_of("k-anonymity", sizes) == k_anonymity(sizes)


def test_no_class_is_refused():
    with pytest.raises(InputError, match="no class") as caught:
        k_anonymity([])
    assert caught.value.code == "empty-table"


def test_an_unknown_model_is_refused_with_the_nearest_name():
    with pytest.raises(InputError, match="`k-anonimity`") as caught:
        level_of("k-anonimity", [2])
    assert caught.value.code == "unknown-model"
    assert caught.value.hint == "did you mean `k-anonymity`?"
