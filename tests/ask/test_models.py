"""A privacy model as it is asked for: each thing once, in its range, whatever library a number comes from."""

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.ask.models import model_spec
from covey.base.errors import InputError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("distinct-l-diversity(ill, column=ward, l=3)", "`column` of distinct-l-diversity is given twice"),
        ("k-consistency(2, k=10)", "`k` of k-consistency is given twice"),
        ({"model": "k-consistency", "k": 10, "column": 2}, "k-consistency has no `column`"),
        ({"model": "distinct-l-diversity", "column": "d", "l": 3, "{y}": 1}, "distinct-l-diversity has no `{y}`"),
        ("distinct-l-diversity(ill, l=1e16)", "`l` of distinct-l-diversity must be below 1,000,000,000,000,000"),
        ("distinct-l-diversity(ill, l=0)", "`l` of distinct-l-diversity must be a number of 1 or more"),
        ("frequency-l-diversity(ill, l=true)", "`l` of frequency-l-diversity must be a number of 1 or more"),
        ("distinct-l-diversity(ill, 3)", "the number of distinct-l-diversity is given without its name"),
        ("l-diversity(ill, 3)", "there is no privacy model `l-diversity`"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, words):
    with pytest.raises(InputError) as caught:
        model_spec(given)
    assert str(caught.value).startswith(words)


def test_a_model_without_its_call_is_refused_wherever_models_are_given():
    table = pa.table({"age": [1, 1], "pay": [1, 2]})
    for ask in (covey.anonymize, covey.verify):
        with pytest.raises(InputError, match=r'write it as a call, for example DistinctLDiversity\("pay", l=2\)'):
            ask(table, k=2, quasi=["age"], models=covey.DistinctLDiversity)


def test_numbers_of_numpy_are_numbers():
    spec = model_spec({"model": "distinct-l-diversity", "column": "ill", "l": np.int64(3)})
    assert spec == model_spec("distinct-l-diversity(ill, l=3)")
    assert type(spec.asked) is int
    assert str(model_spec({"model": "frequency-l-diversity", "column": "ill", "l": np.float64(2.5)})).endswith("l=2.5)")


def test_the_one_number_of_a_model_without_columns_needs_no_name():
    assert model_spec("k-consistency(10)") == model_spec("k-consistency(k=10)")
