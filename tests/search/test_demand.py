"""What a class must satisfy: states of kernels against plain counting, and shares against fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.base.errors import Infeasible
from covey.codes.tallies import Tally
from covey.privacy.diversity import DistinctLDiversity, FrequencyLDiversity
from covey.search.demand import Demand, share_for_counts
from covey.search.kernels.states import add, forget, holds, join, new_state, violation


def missing_rows(classes, k, models):
    """How many rows must join a class at least, by trying one more until it could hold."""
    rows = len(classes["ill"])
    for more in range(rows * 100 + 100):
        if all(could_hold(classes[model.column], rows + more, more, model) for model in models) and rows + more >= k:
            return more
    raise AssertionError


def could_hold(values, rows, more, model):
    """Whether a class could satisfy a model with so many rows more, all of values of their own."""
    if isinstance(model, DistinctLDiversity):
        return len(set(values)) + more >= model.l
    return max(Counter(values).values(), default=0) * Fraction(str(model.l)) <= rows


def test_states_are_those_of_counting_the_rows_one_by_one():
    random = np.random.default_rng(3)
    answers = Counter()
    for _ in range(1500):
        n, n_items, k = int(random.integers(1, 40)), int(random.integers(1, 12)), int(random.integers(1, 9))
        item = random.integers(0, n_items, n)
        columns = {"ill": random.integers(0, 5, n), "paid": random.integers(0, 3, n)}
        models = [
            (FrequencyLDiversity if random.random() < 0.5 else DistinctLDiversity)(name, int(random.integers(1, 4)))
            for name in random.choice(["ill", "paid"], int(random.integers(0, 4)))
        ]
        tallies = {name: Tally.of_rows(item, n_items, codes, 5) for name, codes in columns.items()}
        needs = Demand(k, tuple(models)).needs(np.bincount(item, minlength=n_items), tallies)
        one, two = new_state(needs), new_state(needs)
        first = np.flatnonzero(random.random(n_items) < 0.5)
        for x in range(n_items):
            add(needs, one if x in first else two, x)
        for state, inside in ((one, np.isin(item, first)), (two, ~np.isin(item, first))):
            members = {name: codes[inside].tolist() for name, codes in columns.items()}
            least = min(max([k, *(model.least_rows() for model in models)]), n)
            expected = missing_rows(members, least, models)
            if inside.sum() + expected <= n:  # beyond the rows of the table shares are not exact
                assert violation(needs, state) == expected
            assert (violation(needs, state) == 0) == holds(needs, state) == (expected == 0)
            answers[expected == 0] += 1
        join(needs, one, two)
        members = {name: codes.tolist() for name, codes in columns.items()}
        least = min(max([k, *(model.least_rows() for model in models)]), n)
        assert (violation(needs, one) == 0) == (missing_rows(members, least, models) == 0)
        for x in range(n_items):
            forget(needs, one, x)
        assert not one.any()
    assert min(answers.values()) > 500


@given(st.integers(1, 10**16), st.integers(1, 10**16), st.integers(1, 300), st.data())
def test_a_share_decides_for_counts_as_the_long_one_does(one, other, n, data):
    per, times = sorted((one, other))
    short_times, short_per = share_for_counts(times, per, n)
    assert short_times <= n + 1
    rows = data.draw(st.integers(0, n))
    most = data.draw(st.integers(0, rows))
    assert (most * short_times <= rows * short_per) == (most * times <= rows * per)


def test_what_all_rows_together_do_not_satisfy_is_refused():
    demand = Demand(2, (DistinctLDiversity("ill", 3),))
    demand.require_feasible({"ill": np.array([0, 1, 2])})
    with pytest.raises(
        Infeasible, match=r"distinct-l-diversity with l = 3 cannot be met for column `ill`: there are 2"
    ):
        demand.require_feasible({"ill": np.array([0, 1, 1])})


def test_a_demand_needs_the_rows_of_its_models():
    assert Demand(2, (FrequencyLDiversity("ill", 3.5),)).least_rows == 4
    assert Demand(5).least_rows == 5
    assert Demand(5).has_rules
    assert Demand(2, (FrequencyLDiversity("ill", 3.5),)).with_rules().k == 4
