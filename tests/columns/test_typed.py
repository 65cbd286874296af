"""Typed columns: every Arrow type becomes a domain in order, exact positions, and a code for every row."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covey.ask.schema import Column
from covey.ask.taxonomy import Taxonomy
from covey.base.errors import InputError
from covey.base.hints import on_command_line
from covey.columns.typed import missing_rows, type_column
from covey.columns.values.parsing import parse_date
from covey.columns.values.writing import write_date

DAY = 86_400 * 10**9
NAN = float("nan")


def chunked(values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


def typed(values, kind=None, *, decimal=".", **facts):
    data = values if isinstance(values, pa.ChunkedArray) else chunked(values, kind)
    return type_column(Column("secretive", "quasi", **facts), data, decimal=decimal)


def decoded(column):
    """Return the value of every row by its code: a missing kind, or a point."""
    table = [*column.missing, *[point.item() if isinstance(point, np.generic) else point for point in column.points]]
    return [table[code] for code in column.codes.tolist()]


def refusal(*args, **kwargs):
    with pytest.raises(InputError) as caught:
        typed(*args, **kwargs)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


# --- numbers of every type ---------------------------------------------------------------------------------

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_whole_numbers_of_every_width(kind):
    column = typed([7, 3, None, 7, 100], kind, type="numeric")
    assert decoded(column) == [7, 3, "null", 7, 100]
    assert column.codes.tolist() == [2, 1, 0, 2, 3]
    assert column.positions.tolist() == [0.0, 4 / 97, 1.0]
    assert [column.label(code) for code in (1, 2, 3)] == ["3", "7", "100"]


def test_whole_numbers_above_63_bits_keep_every_digit():
    column = typed([2**64 - 1, 2**64 - 2, 2**63 + 1, 0], pa.uint64(), type="numeric")
    assert decoded(column) == [2**64 - 1, 2**64 - 2, 2**63 + 1, 0]
    assert [column.label(code) for code in range(4)] == ["0", str(2**63 + 1), str(2**64 - 2), str(2**64 - 1)]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_floats_of_every_width_with_null_apart_from_nan(kind):
    values = [np.float16(value) if kind == pa.float16() else value for value in (0.5, NAN, -2.0, 0.5)]
    column = typed([*values, None], kind, type="numeric")
    assert column.missing == ("null", "NaN")
    assert decoded(column) == [0.5, "NaN", -2.0, 0.5, "null"]
    assert column.codes.tolist() == [3, 1, 2, 3, 0]
    assert (column.missing_text(0), column.missing_text(1)) == (None, "NaN")
    assert column.positions.tolist() == [0.0, 1.0]


def test_a_column_of_nan_alone_has_one_kind_of_missing_value():
    column = typed([NAN, NAN], type="numeric")
    assert (column.missing, column.size, column.codes.tolist()) == (("NaN",), 1, [0, 0])


@pytest.mark.parametrize(
    "kind", [pa.decimal32(7, 2), pa.decimal64(15, 2), pa.decimal128(38, 2), pa.decimal256(76, 2)], ids=str
)
def test_decimals_stay_decimals(kind):
    column = typed([Decimal("1.50"), Decimal("0.1"), None, Decimal("1.5"), Decimal("0.30")], kind, type="numeric")
    assert decoded(column) == [Decimal("1.5"), Decimal("0.1"), "null", Decimal("1.5"), Decimal("0.3")]
    assert [column.label(code) for code in (1, 2, 3)] == ["0.1", "0.3", "1.5"]
    assert column.positions.tolist() == [0.0, float(Fraction(2, 14)), 1.0]


def test_minus_zero_is_zero():
    column = typed([-0.0, 0.0, 1.0], type="numeric")
    assert column.codes.tolist() == [0, 0, 1]
    assert column.label(0) == "0"
    assert math.copysign(1.0, column.points[0]) == 1.0


@pytest.mark.parametrize("values", [[1.0, math.inf], [-math.inf, None], [math.inf, NAN]])
def test_infinities_are_refused(values):
    error = refusal(values, pa.float64(), type="numeric")
    assert error.code == "infinite"
    assert "has 1 value that is infinite (first in row " in error.message


def test_booleans_declared_numeric_are_zero_and_one():
    assert decoded(typed([True, False, None], type="numeric")) == [1, 0, "null"]


def exact_positions(points, low, high):
    low, high = Fraction(low), Fraction(high)
    return [float((Fraction(point) - low) / (high - low)) if high > low else 0.0 for point in points]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8))
@example([-(2**63), 2**63 - 1, 0])
@example([2**63 - 1, 2**63 - 2])
@example([5])
def test_positions_of_whole_numbers_are_rounded_once(values):
    column = typed(values, pa.int64(), type="numeric")
    points = sorted(set(values))
    assert decoded(column) == values
    assert column.positions.tolist() == exact_positions(points, points[0], points[-1])


@given(st.lists(st.decimals(-(10**20), 10**20, places=8), min_size=1, max_size=8))
def test_positions_of_decimals_are_rounded_once(values):
    column = typed(values, pa.decimal256(60, 8), type="numeric")
    points = sorted(set(values))
    assert decoded(column) == values
    assert column.positions.tolist() == exact_positions(points, points[0], points[-1])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
@example([1e308, -1e308, 0.0])
@example([1.7976931348623157e308, -1.7976931348623157e308])
@example([0.0, 5e-324])
@example([0.0, 5e-324, 1e-323])
@example([-0.0, 0.0])
def test_positions_of_floats_hold_over_the_whole_scale(values):
    column = typed(values, pa.float64(), type="numeric")
    points = sorted(set(values))
    assert decoded(column) == values
    assert (column.positions[0], column.positions[-1]) == (0.0, 1.0 if len(points) > 1 else 0.0)
    assert (np.diff(column.positions) >= 0).all()
    for found, exact in zip(column.positions, exact_positions(points, points[0], points[-1]), strict=True):
        assert found == pytest.approx(exact, rel=1e-15, abs=0)  # two differences and a quotient: three roundings


# --- declared domains --------------------------------------------------------------------------------------


def test_a_declared_domain_is_what_positions_are_measured_in():
    column = typed([30, 60], pa.int64(), type="numeric", domain=(0, 120))
    assert column.positions.tolist() == [0.25, 0.5]
    assert column.ends == (0, 120)
    assert decoded(column) == [30, 60]


@pytest.mark.parametrize(
    ("values", "kind", "domain"),
    [
        ([5, 121], pa.int64(), (0, 120)),
        ([5, -1], pa.int64(), (0, 120)),
        ([2**53 + 1, 0], pa.int64(), (0, 2.0**53)),  # as floats they would be equal
        ([2**64 - 1, 5], pa.uint64(), (0, 2**64 - 2)),
        ([0.5, 1.5], pa.float64(), (0, 1)),
        ([Decimal("0.10"), Decimal("0.31")], pa.decimal128(9, 2), (0.1, 0.3)),
        (["5", "121"], pa.string(), (0, 120)),
    ],
)
def test_a_value_outside_the_declared_domain_is_refused(values, kind, domain):
    error = refusal([None, *values], kind, type="numeric", domain=domain)
    assert error.code == "outside-domain"
    assert "column `secretive` has 1 value outside the declared domain (first in row " in error.message
    assert "121" not in str(error)


@pytest.mark.parametrize(
    ("values", "kind", "domain"),
    [
        ([Decimal("0.1"), Decimal("0.3")], pa.decimal128(9, 1), (0.1, 0.3)),  # the floats lie just beside the decimals
        ([0.1, 0.3], pa.float64(), (Decimal("0.1"), Decimal("0.3"))),
        ([0, 120], pa.int64(), (0.0, 120.0)),
        ([0.0, 120.0], pa.float64(), (0, 120)),
        ([-(2**63), 2**63 - 1], pa.int64(), (-(2**70), 2**70)),
        ([-(2**63)], pa.int64(), (-(2**63) - 5, -(2**63) + 5)),
        ([1e308], pa.float64(), (0, 10**400)),
        ([0, NAN], pa.float64(), (0, 1)),
    ],
)
def test_the_ends_of_a_declared_domain_belong_to_it(values, kind, domain):
    column = typed(values, kind, type="numeric", domain=domain)
    assert ((column.positions >= 0) & (column.positions <= 1)).all()


def test_positions_in_a_domain_with_odd_ends():
    assert typed([-(2**63)], pa.int64(), type="numeric", domain=(-(2**63) - 5, -(2**63) + 5)).positions.tolist() == [
        0.5
    ]
    assert typed([60], pa.int64(), type="numeric", domain=(0, 120.5)).positions.tolist() == [float(Fraction(120, 241))]


def test_a_domain_of_one_point_costs_nothing():
    assert typed([5, 5], pa.int64(), type="numeric", domain=(5, 5)).positions.tolist() == [0.0]


# --- numbers as text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_text_declared_numeric_is_read_by_value(kind):
    column = typed(["007", "7", "1.50", "1e3", " 12 ", None, "+7"], kind, type="numeric")
    assert decoded(column) == [7, 7, 1.5, 1000, 12, "null", 7]
    assert [column.label(code) for code in range(1, 5)] == ["1.5", "7", "12", "1000"]


def test_whole_numbers_in_text_keep_every_digit():
    values = ["9007199254740993", "9007199254740992", str(2**70), "-5"]
    assert decoded(typed(values, type="numeric")) == [int(value) for value in values]
    small = ["-999999999999999999", "12", "-0"]
    assert decoded(typed(small, type="numeric")) == [-(10**18) + 1, 12, 0]


def test_decimal_commas_are_read_where_they_are_declared():
    assert decoded(typed(["1,5", "2", "1,50"], type="numeric", decimal=",")) == [1.5, 2.0, 1.5]
    assert refusal(["1,5", "1.234"], type="numeric", decimal=",").code == "not-a-number"


@pytest.mark.parametrize("bad", ["private", "", "inf", "NaN", "1e999", "9" * 5000, "2024-01-01", "٣"])
def test_text_in_a_numeric_column_is_refused_by_its_place(bad):
    data = pa.chunked_array([["1", "2"], ["1", bad, "3", bad]])
    error = refusal(data, type="numeric")
    assert error.code == "not-a-number"
    assert error.message.startswith("column `secretive` has 1 value")
    assert error.message.endswith("(first in row 4)")
    assert not bad or bad not in str(error)
    assert "categorical" in error.hint


def test_the_other_decimal_mark_is_hinted_at():
    assert "give --decimal ," in on_command_line(refusal(["1,5", "2"], type="numeric").hint)
    assert "give --decimal ." in on_command_line(refusal(["1.5", "2"], type="numeric", decimal=",").hint)


def test_the_place_can_be_a_line_of_a_file():
    column = Column("a", "quasi", "numeric")
    with pytest.raises(InputError, match=r"has 2 values that are no number \(first in line 12\)"):
        type_column(column, chunked(["1", "x", "y"]), place=lambda row: f"line {row + 11}")


# --- dates -------------------------------------------------------------------------------------------------


def test_dates_of_both_widths():
    for kind in (pa.date32(), pa.date64()):
        column = typed([dt.date(2024, 3, 1), None, dt.date(2024, 1, 1)], kind, type="date")
        assert decoded(column) == [parse_date("2024-03-01"), "null", parse_date("2024-01-01")]
        assert column.label(1) == "2024-01-01"
        assert column.positions.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Kolkata", "-09:30"])
def test_timestamps_of_every_unit_with_and_without_a_zone(unit, zone):
    ticks = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    data = pa.chunked_array([pa.array([5 * ticks, None, -86_400 * ticks], pa.int64()).cast(pa.timestamp(unit, zone))])
    column = typed(data, type="date")
    assert decoded(column) == [5 * 10**9, "null", -DAY]
    assert column.zone == zone
    assert [parse_date(column.label(code)) for code in (1, 2)] == [-DAY, 5 * 10**9]
    assert ("+" in column.label(1)[10:] or "-" in column.label(1)[10:]) == (zone is not None)


def test_nanoseconds_are_kept():
    data = pa.chunked_array([pa.array([1, 2, 10**18], pa.int64()).cast(pa.timestamp("ns"))])
    assert decoded(typed(data, type="date")) == [1, 2, 10**18]


def test_the_first_and_the_last_day_of_the_calendar_are_dates():
    column = typed([dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(5000, 7, 2)], pa.date32(), type="date")
    assert [column.label(code) for code in range(3)] == ["0001-01-01", "5000-07-02", "9999-12-31"]
    moments = [dt.datetime(9999, 12, 31, 23, 59, 59, 999999), dt.datetime(1, 1, 1)]
    column = typed(moments, pa.timestamp("us"), type="date")
    assert column.label(1) == "9999-12-31T23:59:59.999999"
    zoned = typed(pa.chunked_array([pa.array(moments, pa.timestamp("us", "America/New_York"))]), type="date")
    assert zoned.label(0) == "0001-01-01T00:00:00+00:00"


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ms", "UTC")], ids=str)
def test_years_beyond_the_calendar_are_refused(kind):
    days = {pa.date32(): 1, pa.date64(): 86_400_000, pa.timestamp("s"): 86_400}.get(kind, 86_400_000)
    whole = pa.int32() if kind == pa.date32() else pa.int64()
    for day in (2_932_897, -719_163):  # 10000-01-01 and the day before 0001-01-01
        data = pa.chunked_array([pa.array([0, day * days], whole).cast(kind)])
        assert refusal(data, type="date").code == "not-a-date"
        assert typed(data, type="categorical").size == 2  # as a plain category it does no harm


def test_text_declared_a_date_is_read_by_value():
    column = typed(["2024-01-02", " 2024-01-01", None, "2024-01-02T00:00"], type="date")
    assert decoded(column) == [parse_date("2024-01-02"), parse_date("2024-01-01"), "null", parse_date("2024-01-02")]
    assert column.zone is None
    aware = typed(["2024-01-02T00:00+02:00", "2024-01-01T22:00:00Z"], type="date")
    assert aware.size == 1
    assert aware.zone == "UTC"
    assert aware.arrow == pa.timestamp("ns", "UTC")


@pytest.mark.parametrize("bad", ["31.12.2024", "2024-02-30", "", "private", "2024", "0001-01-01T00:00+05:00"])
def test_what_is_no_date_is_refused_by_its_place(bad):
    error = refusal(["2024-01-01", bad], type="date")
    assert error.code == "not-a-date"
    assert "(first in row 2)" in error.message
    assert not bad or bad not in str(error).replace("2024-03-31", "")


def test_numbers_are_no_dates_and_dates_no_numbers():
    assert refusal([1, 2], type="date").code == "not-a-date"
    assert refusal([dt.date(2024, 1, 1)], type="numeric").code == "not-a-number"


def test_declared_ends_of_dates():
    column = typed(["2024-01-01", "2024-07-01"], type="date", domain=("2023-07-02", "2024-12-29"))
    assert column.positions.tolist() == [183 / 546, 365 / 546]  # 183 days from July to January, 546 in all
    assert (
        refusal(["2024-01-01", "2025-01-01"], type="date", domain=("2024-01-01", "2024-12-31")).code == "outside-domain"
    )


@given(st.lists(st.integers(-719_162 * DAY, 2_932_897 * DAY - 1), min_size=1, max_size=6))
def test_positions_of_instants_are_rounded_once(instants):
    column = typed([write_date(instant) for instant in instants], pa.string(), type="date")
    points = sorted(set(instants))
    assert decoded(column) == instants
    assert column.positions.tolist() == exact_positions(points, points[0], points[-1])


# --- labels ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_text_is_kept_as_it_is_in_the_order_of_its_characters(kind):
    values = ["b", "", None, " b", "B", "é", "b"]
    column = typed(values, kind, type="categorical")
    assert column.points == ("", " b", "B", "b", "é")
    assert decoded(column) == ["b", "", "null", " b", "B", "é", "b"]
    assert column.is_flat
    assert not column.is_tree


@pytest.mark.parametrize(
    ("values", "kind", "labels"),
    [
        ([10, 9, -1], pa.int64(), ("-1", "9", "10")),
        ([2.5, 10.0, 9.0], pa.float64(), ("2.5", "9", "10")),
        ([Decimal("10.0"), Decimal("9.5")], pa.decimal128(9, 1), ("9.5", "10")),
        ([True, False], pa.bool_(), ("false", "true")),
        ([dt.date(2024, 1, 2), dt.date(2024, 1, 1)], pa.date32(), ("2024-01-01", "2024-01-02")),
        ([dt.time(9, 30), dt.time(8, 0)], pa.time64("us"), ("08:00:00", "09:30:00")),
        ([b"b", b"a"], pa.binary(), ("b'a'", "b'b'")),
    ],
)
def test_values_of_other_types_become_labels_in_their_natural_order(values, kind, labels):
    assert typed([*values, None], kind, type="categorical").points == labels


def test_nan_is_no_label():
    column = typed([1.0, NAN, None, 2.0], type="categorical")
    assert column.points == ("1", "2")
    assert decoded(column) == ["1", "NaN", "null", "2"]
    assert decoded(typed(["NaN", "x"], type="categorical")) == ["NaN", "x"]


def test_a_declared_domain_of_labels_is_the_domain_in_its_order():
    column = typed(["b", "c", None], type="categorical", domain=("c", "b", "a"))
    assert column.points == ("c", "b", "a")
    assert decoded(column) == ["b", "c", "null"]
    error = refusal(["b", "private"], type="categorical", domain=("a", "b"))
    assert (error.code, "private" in str(error)) == ("outside-domain", False)


def test_ordered_labels_are_placed_by_their_declared_order():
    column = typed(["high", "low", None], type="ordered", order=("low", "mid", "high"))
    assert column.positions.tolist() == [0.0, 0.5, 1.0]
    assert decoded(column) == ["high", "low", "null"]
    assert column.ends == ("low", "high")
    assert typed(["x"], type="ordered", order=("x",)).positions.tolist() == [0.0]
    error = refusal(["low", "private"], type="ordered", order=("low", "high"))
    assert (error.code, "private" in str(error)) == ("outside-domain", False)


def test_numbers_can_be_put_in_a_declared_order():
    assert decoded(typed([3, 1, 2], type="ordered", order=("2", "1", "3"))) == ["3", "1", "2"]


def test_a_boolean_has_two_values():
    assert decoded(typed([True, None, False], type="boolean")) == ["true", "null", "false"]
    assert decoded(typed(["yes", "no"], type="boolean")) == ["yes", "no"]
    error = refusal(["yes", "no", "private"], type="boolean")
    assert error.code == "not-boolean"
    assert "3 different values" in error.message
    assert "private" not in str(error)


# --- taxonomies --------------------------------------------------------------------------------------------

PLACES = Taxonomy.from_dict({"Europe": ["France", "Spain"], "Asia": ["Japan"]}, "places")


def test_leaves_are_numbered_depth_first_missing_before_them():
    column = typed(["Japan", None, "France"], type="categorical", taxonomy=PLACES)
    assert column.points == ("France", "Spain", "Japan")
    assert decoded(column) == ["Japan", "null", "France"]
    assert column.is_tree


def test_a_value_that_the_taxonomy_lacks_is_refused_by_its_place():
    error = refusal(["Japan", None, "Peru", "Mars", "Peru"], type="categorical", taxonomy=PLACES)
    assert error.code == "taxonomy-gap"
    assert error.message.startswith("column `secretive` has 2 values")
    assert error.message.endswith("(first in row 3)")
    assert "Peru" not in str(error)
    assert "Mars" not in str(error)


def test_numbers_and_dates_meet_a_rule_in_their_canonical_text():
    decades = Taxonomy.intervals([10])
    column = typed(["007", "12.0", None, "7"], type="numeric", taxonomy=decades)
    assert decoded(column) == ["7", "12", "null", "7"]
    assert decoded(typed([7, 12], type="numeric", taxonomy=decades)) == ["7", "12"]
    assert decoded(typed([7.0, NAN], type="numeric", taxonomy=decades)) == ["7", "NaN"]
    days = typed([dt.date(2024, 3, 1)], type="date", taxonomy=Taxonomy.dates(["month"]))
    assert decoded(days) == ["2024-03-01"]


def test_a_rule_that_cannot_read_a_value_does_not_repeat_it():
    error = refusal(["7", "private"], type="numeric", taxonomy=Taxonomy.intervals([10]))
    assert "private" not in str(error)


def test_an_empty_column_under_a_rule():
    column = typed([None, None], pa.string(), type="categorical", taxonomy=Taxonomy.prefixes([2]))
    assert (column.missing, column.codes.tolist(), column.size) == (("null",), [0, 0], 1)


# --- dictionaries, chunks, emptiness -----------------------------------------------------------------------


def dictionary(indices, values, kind=None, index=None):
    return pa.DictionaryArray.from_arrays(pa.array(indices, index or pa.int8()), pa.array(values, kind))


@pytest.mark.parametrize("index", [pa.int8(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64()], ids=str)
def test_dictionaries_with_unused_double_and_null_entries(index):
    data = pa.chunked_array([dictionary([0, 1, None, 2, 3, 0], ["b", "a", "b", None, "unused"], index=index)])
    column = typed(data, type="categorical")
    assert column.points == ("a", "b")
    assert decoded(column) == ["b", "a", "null", "b", "null", "b"]
    assert missing_rows(data).tolist() == [False, False, True, False, True, False]


def test_chunks_with_dictionaries_of_their_own():
    data = pa.chunked_array(
        [
            dictionary([0, 1], ["b", "a"]),
            dictionary([1, None], ["c", "b"]),
            dictionary([0, 1], [None, "a"]),
            dictionary([], [], pa.string()),
        ]
    )
    assert decoded(typed(data, type="categorical")) == ["b", "a", "b", "null", "null", "a"]


def test_an_entry_that_no_row_uses_is_no_fault():
    data = pa.chunked_array([dictionary([0, 1], ["1", "2", "private"])])
    assert decoded(typed(data, type="numeric")) == [1, 2]
    double = pa.chunked_array([dictionary([0, 1, 2], ["x", "1", "x"])])
    assert "has 1 value" in refusal(double, type="numeric").message


def test_dictionaries_of_numbers_dates_and_views():
    floats = pa.chunked_array([dictionary([0, 1, 2, 3], [1.5, NAN, -0.0, 0.0])])
    assert decoded(typed(floats, type="numeric")) == [1.5, "NaN", 0.0, 0.0]
    assert missing_rows(floats).tolist() == [False, True, False, False]
    days = pa.chunked_array([dictionary([0, None], [dt.date(2024, 1, 1)])])
    assert decoded(typed(days, type="date")) == [parse_date("2024-01-01"), "null"]
    views = pa.chunked_array([dictionary([0, 1, None], ["a", "b"], pa.string_view())])
    assert decoded(typed(views, type="categorical")) == ["a", "b", "null"]
    nulls = pa.chunked_array([dictionary([0, None], [None], pa.null())])
    assert decoded(typed(nulls, type="categorical")) == ["null", "null"]


@pytest.mark.parametrize("kind", ["numeric", "date", "categorical", "boolean"])
@pytest.mark.parametrize(
    "arrow", [pa.null(), pa.string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_a_column_without_values_has_only_the_missing_code(kind, arrow):
    data = pa.chunked_array([pa.nulls(3, arrow), pa.nulls(0, arrow)])
    column = typed(data, type=kind)
    assert (column.missing, column.size, column.codes.tolist()) == (("null",), 1, [0, 0, 0])
    assert missing_rows(data).all()


@pytest.mark.parametrize("kind", ["numeric", "date", "categorical", "boolean"])
@pytest.mark.parametrize(
    "arrow", [pa.null(), pa.string(), pa.int64(), pa.float64(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
@pytest.mark.parametrize("chunks", [0, 1])
def test_a_column_without_rows_has_no_codes(kind, arrow, chunks):
    column = typed(pa.chunked_array([pa.nulls(0, arrow)] * chunks, arrow), type=kind)
    assert (column.size, len(column.codes)) == (0, 0)


@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}]])
def test_lists_and_records_are_refused(values):
    error = refusal(values, type="categorical")
    assert error.code == "unsupported-column"
    assert "cannot be generalised" in error.message


def test_missing_rows_are_nulls_and_nans():
    assert missing_rows(chunked([1.0, NAN, None])).tolist() == [False, True, True]
    assert missing_rows(chunked(["NaN", "", None])).tolist() == [False, False, True]


@given(
    st.lists(st.none() | st.sampled_from(["a", "b", "", "é", " a"]), max_size=12),
    st.lists(st.integers(0, 12), max_size=3),
)
def test_chunks_and_dictionaries_change_nothing(values, cuts):
    plain = chunked(values, pa.string())
    edges = sorted({0, len(values), *(min(cut, len(values)) for cut in cuts)})
    parts = [pa.array(values[a:b], pa.string()) for a, b in itertools.pairwise(edges)]
    expected = typed(plain, type="categorical")
    for arrays in (parts, [part.dictionary_encode() for part in parts]):
        found = typed(pa.chunked_array(arrays, None if arrays else pa.string()), type="categorical")
        assert (found.points, found.missing, found.codes.tolist()) == (
            expected.points,
            expected.missing,
            expected.codes.tolist(),
        )
