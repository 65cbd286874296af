"""Losses of published classes, against their definitions taken row by row."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.metrics.loss import Losses, Published, measure
from oracles.loss import losses, price, share, tree_facts

AGE = {"kind": "numeric", "low": 0, "high": 100}
GRADE = {"kind": "ordered", "order": ["low", "mid", "high"]}
WORK = {"kind": "flat", "domain": ["a", "b", "c", "d"]}
PLACE = {"kind": "tree", "tree": {"N": {"N1": ["a", "b"], "N2": ["c"]}, "S": {"S1": ["d", "e", "f"]}}}

CELLS = {
    "age": [("point", 7), ("interval", 10, 35), ("interval", None, 25), ("interval", 75, None), ("any",), ("missing",)],
    "grade": [("point", "mid"), ("interval", "low", "mid"), ("any",), ("missing",)],
    "work": [("point", "a"), ("set", ("a", "b")), ("set", ("b", "c", "d")), ("any",), ("missing",)],
    "place": [("point", "a"), ("node", ("a", "b")), ("node", ("a", "b", "c")), ("node", ("d", "e", "f")), ("any",)],
}
COLUMNS = {"age": AGE, "grade": GRADE, "work": WORK, "place": PLACE}


def published(names, weights, classes, suppressed=0, varies=None):
    """Return `Published` of {tuple of cells: rows}, priced by the oracle."""

    def matrix(measured):
        cells = [[float(measured(COLUMNS[name], cells[j])) for cells in classes] for j, name in enumerate(names)]
        return np.array(cells).reshape(len(names), len(classes))

    sizes = np.array(list(classes.values()), np.int64)
    return Published(names, np.array(weights, float), sizes, matrix(price), matrix(share), suppressed, varies)


@st.composite
def releases(draw):
    names = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4, unique=True))
    tuples = st.tuples(*[st.sampled_from(CELLS[name]) for name in names])
    classes = draw(st.dictionaries(tuples, st.integers(1, 5), max_size=6))
    weights = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0, 2.0, 7.5]), min_size=len(names), max_size=len(names)))
    varies = draw(st.none() | st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    return names, weights, classes, draw(st.integers(0, 4)), varies


@given(releases(), st.integers(2, 4))
def test_every_measure_equals_its_definition(release, k):
    names, weights, classes, suppressed, varies = release
    found = measure(published(names, weights, classes, suppressed, varies), k)
    rows = [cells for cells, size in classes.items() for _ in range(size)]
    expected = losses([COLUMNS[name] for name in names], weights, rows, k, suppressed, varies)
    assert found.total_il == pytest.approx(expected["total_il"], rel=1e-12, abs=1e-12)
    # whatever the weights: the mean of the columns
    assert found.mean_price == pytest.approx(sum(expected["columns"]) / len(names), rel=1e-12, abs=1e-12)
    assert found.ncp == pytest.approx(expected["ncp"], rel=1e-12, abs=1e-12)
    assert found.gcp == pytest.approx(expected["gcp"], rel=1e-12, abs=1e-12)
    assert found.dm == expected["dm"]
    assert found.c_avg == pytest.approx(expected["c_avg"], rel=1e-12)
    assert list(found.columns) == names
    assert list(found.columns.values()) == pytest.approx(expected["columns"], rel=1e-12, abs=1e-12)
    assert isinstance(found.dm, int)


def test_the_oracle_prices_by_hand():
    assert price(AGE, ("interval", 10, 35)) == Fraction(1, 4)
    assert price(AGE, ("interval", None, 25)) == 1
    assert price(GRADE, ("interval", "low", "mid")) == Fraction(1, 2)
    assert price(WORK, ("set", ("a", "b"))) == 1
    assert share(WORK, ("set", ("a", "b"))) == Fraction(1, 2)
    # the tree has height 3: root, N and S, N1 to S1, leaves
    assert tree_facts(PLACE["tree"])[1] == 3
    assert price(PLACE, ("node", ("a", "b"))) == Fraction(1, 3)
    assert price(PLACE, ("node", ("a", "b", "c"))) == Fraction(2, 3)
    assert price(PLACE, ("node", ("d", "e", "f"))) == Fraction(1, 3)  # S1 is the lowest node over them
    assert share(PLACE, ("node", ("d", "e", "f"))) == Fraction(1, 2)


def test_a_release_by_hand():
    # two classes of 2 and 3 rows; age costs 1/4 and 0, work 1 (half of its domain) and 0; weights 2 and 1
    classes = {(("interval", 10, 35), ("set", ("a", "b"))): 2, (("point", 7), ("point", "a")): 3}
    found = measure(published(["age", "work"], [2.0, 1.0], classes, suppressed=1), k=2)
    assert found == Losses(
        total_il=2 * (2 * 0.25 + 1) + 3,  # a suppressed row costs both weights
        mean_price=(1.5 + 3) / 12,  # prices of six rows x two columns, whatever their weights
        ncp=2 * (2 * 0.25 + 0.5) + 3,
        gcp=5 / (6 * 3),  # NCP over six rows x weights of three
        dm=4 + 9 + 6,  # a suppressed row counts as many as there are rows
        c_avg=5 / 2 / 2,
        columns={"age": (2 * 0.25 + 1) / 6, "work": (2 * 1 + 1) / 6},
    )


def test_no_weight_makes_the_mean_price_look_smaller():
    classes = {(("interval", 10, 35), ("set", ("a", "b"))): 2}
    plain, heavy, none = (
        measure(published(["age", "work"], weights, classes), k=2) for weights in ([1.0, 1.0], [1e6, 1.0], [0.0, 0.0])
    )
    assert plain.mean_price == heavy.mean_price == none.mean_price == (0.25 + 1) / 2


def test_a_constant_column_costs_nothing_even_where_rows_are_suppressed():
    classes = {(("point", 7),): 3}
    found = measure(published(["age"], [5.0], classes, suppressed=2, varies=[False]), k=3)
    assert (found.total_il, found.ncp, found.gcp, found.columns) == (0.0, 0.0, 0.0, {"age": 0.0})
    assert found.dm == 9 + 2 * 5


def test_nothing_published_is_no_division_by_zero():
    found = measure(published(["age"], [0.0], {}), k=2)
    assert found == Losses(0.0, 0.0, 0.0, 0.0, 0, 0.0, {"age": 0.0})


def test_squared_sizes_do_not_overflow():
    size = 4_000_000_000
    found = measure(Published(["age"], np.ones(1), np.array([size, size]), np.zeros((1, 2)), np.zeros((1, 2))), k=2)
    assert found.dm == 2 * size**2


def test_suppressed_rows_are_whole_tables_in_dm_and_absent_from_c_avg():
    # classes of 2 and 4 rows, 3 suppressed, 9 rows in all
    sizes, none = np.array([2, 4]), np.zeros((1, 2))
    found = measure(Published(["age"], np.ones(1), sizes, none, none, suppressed=3), k=2)
    assert found.dm == 4 + 16 + 3 * 9
    assert found.c_avg == 6 / 2 / 2


def test_a_class_without_rows_is_no_class():
    sizes, none = np.array([2, 0, 4]), np.zeros((1, 3))
    assert measure(Published(["age"], np.ones(1), sizes, none, none), k=2).c_avg == 6 / 2 / 2


def test_a_release_without_classes_has_neither_dm_nor_c_avg():
    sizes, prices = np.ones(4, np.int64), np.array([[0.5, 0.25, 0.25, 0.0]])
    found = measure(Published(["age"], np.ones(1), sizes, prices, prices, has_classes=False), k=2)
    assert (found.dm, found.c_avg) == (None, None)
    assert (found.total_il, found.mean_price, found.columns) == (1.0, 0.25, {"age": 0.25})
