"""Enforcing k: legal classes come back unchanged, small ones join where they cost least."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.ask.schema import Column
from covey.base.errors import Infeasible, InputError
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_columns
from covey.columns.typed import type_column
from covey.search.repair.enforce import enforce_k


def codes_of(**columns):
    typed = []
    for name, values in columns.items():
        kind = "categorical" if any(isinstance(value, str) for value in values) else "numeric"
        typed.append(type_column(Column(name, "quasi", kind), pa.chunked_array([pa.array(values)])))
    return encode_columns(typed)


def test_legal_labels_come_back_unchanged():
    codes = codes_of(age=[1, 2, 3, 4])
    labels = np.array([1, 0, 1, 0])
    assert enforce_k(codes, labels, 2).tolist() == [1, 0, 1, 0]
    assert enforce_k(codes, labels.astype(np.int32), 2).dtype == np.int64


def test_a_small_class_joins_the_class_whose_loss_grows_least():
    # ages 0 to 100: row 2 (age 12) beside 10..11 raises 2 x 1/100 to 3 x 2/100, beside 90..100 2 x 10/100 to 3 x 88/100
    codes = codes_of(age=[10, 11, 12, 90, 100, 0, 0])
    assert enforce_k(codes, np.array([0, 0, 1, 2, 2, 3, 3]), 2).tolist() == [0, 0, 0, 1, 1, 2, 2]


def test_the_rows_of_a_class_count_in_what_it_costs():
    # age 50 is as near to 40 as to 60, but five rows stand at 40 and two at 60: 6 x 10 against 3 x 10
    codes = codes_of(age=[40, 40, 40, 40, 40, 50, 60, 60])
    assert enforce_k(codes, np.array([0, 0, 0, 0, 0, 1, 2, 2]), 2).tolist() == [0, 0, 0, 0, 0, 1, 1, 1]


def test_small_classes_may_join_each_other():
    codes = codes_of(age=[1, 2, 50, 51])
    assert enforce_k(codes, np.array([0, 1, 2, 3]), 2).tolist() == [0, 0, 1, 1]


def test_the_smallest_goes_first():
    # the row at 0 joins the two at 10 (3 x 10 against 4 x 14), which are then enough; had the two gone first,
    # they would have joined the three at 14 (5 x 4 against 3 x 10) and left it no other choice
    codes = codes_of(age=[0, 10, 10, 14, 14, 14])
    assert enforce_k(codes, np.array([0, 1, 1, 2, 2, 2]), 3).tolist() == [0, 0, 0, 1, 1, 1]


def test_ties_go_to_the_lowest_number():
    # at equal cost the single row joins class 0
    codes = codes_of(age=[0, 0, 5, 10, 10])
    assert enforce_k(codes, np.array([0, 0, 2, 1, 1]), 3).tolist() == [0, 0, 0, 0, 0]
    assert enforce_k(codes, np.array([0, 0, 2, 1, 1]), 2).tolist() == [0, 0, 0, 1, 1]


def test_all_rows_in_one_class_where_k_is_all_of_them():
    codes = codes_of(age=[1, 2, 3], sex=["f", "m", "f"])
    assert enforce_k(codes, np.array([0, 1, 2]), 3).tolist() == [0, 0, 0]


def test_numbers_without_rows_are_closed_up():
    codes = codes_of(age=[1, 2, 3, 4])
    assert enforce_k(codes, np.array([5, 5, 9, 9]), 2).tolist() == [0, 0, 1, 1]


def test_fewer_rows_than_k_cannot_be_met():
    with pytest.raises(Infeasible) as caught:
        enforce_k(codes_of(age=[1, 2, 3]), np.array([0, 0, 0]), 4)
    assert caught.value.message == "k = 4 needs at least 4 rows; there are 3"
    assert caught.value.code == "too-few-rows"


@pytest.mark.parametrize("labels", [[0, 0], [0, 0, 0, 0], [0, -2, 0], [0.0, 0.0, 0.0], [[0, 0, 0]]])
def test_labels_that_leave_out_rows_are_refused(labels):
    with pytest.raises(InputError, match="did not give each of the 3 rows a class number"):
        enforce_k(codes_of(age=[1, 2, 3]), np.array(labels), 2)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab"), st.integers(0, 6)), min_size=1, max_size=14), st.data()
)
def test_every_class_is_legal_and_none_is_torn_apart(rows, data):
    k = data.draw(st.integers(1, len(rows)))
    codes = codes_of(age=[row[0] for row in rows], sex=[row[1] for row in rows])
    labels = np.array([row[2] for row in rows])
    found = enforce_k(codes, labels, k)
    assert np.bincount(found).min() >= k
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    for a, b in itertools.combinations(range(len(rows)), 2):
        assert labels[a] != labels[b] or found[a] == found[b]
    sizes = np.bincount(labels)[np.unique(labels)]
    if sizes.min() >= k and labels.max() + 1 == len(sizes):
        assert found.tolist() == labels.tolist()
    if k == 1:
        assert len(set(found.tolist())) == len(set(labels.tolist()))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("abc")), min_size=3, max_size=13))
def test_one_small_class_is_joined_as_the_brute_force_would(rows):
    # pairs, and one row alone: trying every partner and pricing the whole table finds the same least loss
    rows = rows[: (len(rows) - 1) // 2 * 2 + 1]
    codes = codes_of(age=[row[0] for row in rows], sex=[row[1] for row in rows])
    labels = np.arange(len(rows)) // 2
    alone = labels.max()
    found = enforce_k(codes, labels, 2)
    joined = [np.where(labels == alone, other, labels) for other in range(alone)]
    assert total_loss(codes, found) == pytest.approx(min(total_loss(codes, option) for option in joined))
