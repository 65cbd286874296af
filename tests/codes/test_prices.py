"""Prices, extents and codes against brute force by the definitions of P0."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.ask.schema import Column, Schema
from covey.codes.boxes import class_extents, class_sets, summarise, suppressed_price, total_loss
from covey.codes.codes import tree_positions
from covey.codes.encoding import encode_columns, encode_frame
from covey.codes.merging import merge_rows
from covey.codes.prices import FLAT, ORDERED, TREE, price
from covey.columns.typed import type_column
from random_tables import random_case

# the sample of P0 (figure 5) with a country tree of three levels, as its examples 1 to 3 use it
SAMPLE = pa.table(
    {
        "Age": [41, 57, 40, 38, 24, 45],
        "Country": ["USA", "India", "Canada", "Iran", "Brazil", "Greece"],
        "Occupation": ["Armed-Forces", "Tech-support", "Teacher", "Tech-support", "Doctor", "Salesman"],
    }
)
COUNTRIES = covey.Taxonomy.from_dict(
    {
        "America": {"North": ["USA", "Canada"], "South": ["Peru", "Brazil"]},
        "Eurasia": {"Europe": ["Greece", "Spain"], "West Asia": ["Iran", "Egypt"], "East Asia": ["India", "Japan"]},
    },
    "Country",
)


def sample_loss(first: int, second: int) -> float:
    """Return the distance of two rows of the sample: the extent of the class of the two (P0, definition 6)."""
    schema = Schema.from_roles(quasi=SAMPLE.column_names, taxonomies={"Country": COUNTRIES})
    codes = encode_frame(SAMPLE, schema)
    labels = np.full(6, -1)
    labels[[first, second]] = 0
    return float(class_extents(codes, summarise(codes, labels))[0])


def test_p0_example_1_numeric_distances():
    codes = encode_frame(SAMPLE.select(["Age"]))
    rank = {24: 0, 38: 1, 40: 2, 41: 3, 45: 4, 57: 5}
    found = [price(ORDERED, codes.positions, 0, 6, rank[a], rank[b]) for a, b in ((41, 57), (24, 45))]
    assert found == pytest.approx([16 / 33, 21 / 33], abs=1e-15)


def test_p0_example_2_taxonomy_distances():
    table = tree_positions(COUNTRIES.gaps())
    place = {name: i for i, name in enumerate(COUNTRIES.leaves)}

    def distance(a: str, b: str) -> float:
        lo, hi = sorted((place[a], place[b]))
        return float(price(TREE, table, 0, len(place), lo, hi))

    assert distance("India", "USA") == 3 / 3
    assert distance("India", "Iran") == 2 / 3
    assert distance("India", "India") == 0


def test_p0_example_3_distances_of_rows():
    assert sample_loss(0, 1) == pytest.approx(16 / 33 + 3 / 3 + 1, abs=1e-12)  # 2.485
    assert sample_loss(0, 2) == pytest.approx(1 / 33 + 1 / 3 + 1, abs=1e-12)  # 1.364; the paper prints 1.363


@pytest.mark.parametrize("seed", range(300))
def test_the_price_of_every_interval_is_that_of_the_definition(seed):
    case = random_case(seed)
    schema = covey.Schema.from_roles(
        quasi=case.quasi, taxonomies=case.settings["taxonomies"], orders=case.settings["orders"]
    )
    from covey.columns.types import with_types

    for column in with_types(schema, case.table.select(case.quasi)).quasi:
        typed = type_column(column, case.table.column(column.name))
        codes = encode_columns([typed])
        for lo, hi in itertools.combinations_with_replacement(range(typed.size), 2):
            found = price(codes.kinds[0], codes.positions, codes.offsets[0], typed.size, lo, hi)
            assert found == pytest.approx(float(expected_price(typed, lo, hi)), abs=1e-12)


def expected_price(typed, lo: int, hi: int) -> Fraction:
    """Return the price of a set of values, in exact arithmetic from the points themselves."""
    if lo == hi:
        return Fraction(0)
    missing = typed.n_missing
    if lo < missing or typed.is_flat:
        return Fraction(1)
    a, b = lo - missing, hi - missing
    if typed.is_tree:
        return Fraction(tree_height(typed.taxonomy, a, b), typed.taxonomy.height)
    if typed.type == "ordered":
        return Fraction(b - a, len(typed.points) - 1)
    points = [Fraction(point.item() if isinstance(point, np.generic) else point) for point in typed.points]
    width = points[-1] - points[0]
    return (points[b] - points[a]) / width if width else Fraction(0)


def tree_height(tree, a: int, b: int) -> int:
    """Return the height of the lowest common ancestor, by walking up from the widest nodes."""
    return max(round(gap * tree.height) for gap in tree.gaps()[a:b])


def test_missing_beside_a_value_costs_the_whole_domain():
    codes = encode_frame(pa.table({"a": [1.0, 2.0, None, float("nan")]}))
    # codes: null 0, NaN 1, then 1.0 and 2.0
    pairs = {(0, 0): 0, (1, 1): 0, (0, 1): 1, (0, 2): 1, (0, 3): 1, (1, 2): 1, (1, 3): 1, (2, 3): 1, (2, 2): 0}
    for (lo, hi), expected in pairs.items():
        assert price(ORDERED, codes.positions, 0, 4, lo, hi) == expected


@pytest.mark.parametrize("seed", range(200))
def test_extents_and_losses_are_those_of_the_rows_of_each_class(seed):
    case = random_case(seed)
    schema = Schema.from_roles(**{k: v for k, v in case.settings.items() if k not in ("identifier", "sensitive")})
    codes = encode_frame(case.table, schema)
    random = np.random.default_rng(seed)
    labels = random.integers(0, 4, codes.n_rows)
    labels = np.unique(labels, return_inverse=True)[1]
    rows = codes.row_codes()
    summary = summarise(codes, labels)
    extents = class_extents(codes, summary)
    expected_total = 0.0
    for label in range(labels.max() + 1):
        members = rows[:, labels == label]
        expected = sum(
            codes.weights[j]
            * price(codes.kinds[j], codes.positions, codes.offsets[j], codes.sizes[j], m.min(), m.max())
            for j, m in enumerate(members)
        )
        assert extents[label] == pytest.approx(expected, abs=1e-12)
        expected_total += members.shape[1] * expected
    assert total_loss(codes, labels) == pytest.approx(expected_total, abs=1e-9)


def test_a_suppressed_row_costs_the_weights_of_the_columns_that_vary():
    schema = Schema.from_roles(quasi=["a", "b", "c"], weights={"a": 2.0, "b": 5.0})
    codes = encode_frame(pa.table({"a": [1, 2, 2], "b": [7, 7, 7], "c": ["x", "y", "y"]}), schema)
    assert suppressed_price(codes) == 3.0  # a and c; b is constant
    assert total_loss(codes, np.array([-1, 0, 0])) == 3.0


def test_sets_of_classes_hold_a_bit_per_code():
    codes = np.array([0, 70, 3, 70])
    sets = class_sets(codes, 71, np.array([0, 0, 1, -1]), 2)
    assert sets.tolist() == [[1, 1 << 6], [8, 0]]


def test_a_column_without_a_schema_is_quasi():
    codes = encode_frame(pa.table({"a": [1, 1, 2], "b": ["x", "x", "y"]}))
    assert codes.n_tuples == 2
    assert codes.kinds.tolist() == [ORDERED, FLAT]
    assert codes.counts.tolist() == [2, 1]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32])
def test_merged_rows_are_those_of_numpy(dtype):
    random = np.random.default_rng(1)
    for _ in range(300):
        sizes = random.integers(1, 200, random.integers(1, 14))
        matrix = np.stack([random.integers(0, size, random.integers(1, 60)) for size in sizes[:1]] or [[]])
        n = matrix.shape[1]
        matrix = np.stack([random.integers(0, size, n) * random.integers(0, 2) for size in sizes]).astype(dtype)
        columns, counts, row_tuple = merge_rows(matrix, sizes)
        expected, inverse, number = np.unique(matrix, axis=1, return_inverse=True, return_counts=True)
        assert np.array_equal(columns, expected)
        assert np.array_equal(row_tuple, inverse.reshape(-1))
        assert np.array_equal(counts, number)


def test_a_schema_names_the_columns_that_count():
    schema = Schema((Column("a", "quasi"), Column("b", "other")))
    assert encode_frame(pa.table({"a": [1, 1], "b": [1, 2]}), schema).n_tuples == 1
