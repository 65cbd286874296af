"""A column is converted once, and no released cell is read twice."""

from __future__ import annotations

from collections import Counter

import pytest

import covey
from covey.datasets import make_hospital
from covey.tables.frames import conversion
from covey.verifier.columns import released

QUASI = ["age", "sex", "postcode", "admitted", "insurance"]
ROLES = {
    "identifier": ["name"],
    "quasi": QUASI,
    "sensitive": ["ward", "diagnosis"],
    "other": ["length_of_stay"],
}


@pytest.fixture
def people():
    return make_hospital(300).to_pandas()


def test_a_column_of_a_pandas_frame_is_converted_once(people, monkeypatch):
    honest, seen = conversion.arrow_of_pandas, Counter()

    def counting(series, name):
        seen[name] += 1
        return honest(series, name)

    monkeypatch.setattr(conversion, "arrow_of_pandas", counting)
    models = ["distinct-l-diversity(diagnosis, l=2)"]
    covey.anonymize(people, k=5, algorithm="k-member(target=ward)", models=models, **ROLES)
    assert seen == Counter(list(people.columns))


@pytest.mark.parametrize("order", ["kept", "shuffled"])
def test_no_released_cell_is_read_twice(people, monkeypatch, order):
    made = covey.anonymize(people, k=5, order=order, **ROLES).table
    honest, seen = released.cell_or_none, Counter()

    def counting(text, kind, **facts):
        seen[text, kind] += 1
        return honest(text, kind, **facts)

    monkeypatch.setattr(released, "cell_or_none", counting)
    assert covey.verify(made, k=5, quasi=QUASI, original=people).ok
    assert len(seen) > 100
    assert max(seen.values()) <= len(QUASI)  # `*` may stand in every column, once each
    assert sum(seen.values()) == sum(made[name].nunique(dropna=False) for name in QUASI)
