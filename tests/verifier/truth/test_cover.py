"""Which cells cover which values, column type by column type, read from text as published."""

import datetime as dt
import zoneinfo
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from covey.ask.schema import Column, Schema
from covey.ask.taxonomy import Taxonomy
from covey.verifier import verify
from covey.verifier.columns.originals import read_originals
from covey.verifier.columns.released import read_cells
from covey.verifier.truth.cover import cover_of


def covered(column, values, cells, *, decimal=".", **settings):
    """Return for each cell which of the values it covers, by both ways of asking."""
    values, cells = (one if isinstance(one, pa.Array) else pa.array(one) for one in (values, cells))
    originals = read_originals(values, column, decimal)
    readings = read_cells(cells, column.type, exact=originals.is_exact, zone=originals.zone)
    cover = cover_of(column, originals, readings, **settings)
    rows = np.array([cover.row(cell) for cell in range(len(cells))])
    grid = np.indices(rows.shape).reshape(2, -1)
    assert (cover.pairs(grid[0], grid[1]).reshape(rows.shape) == rows).all()
    return rows.tolist(), cover.is_unknown.tolist()


def only(column, values, cell, **settings):
    """Return the places of the values that one cell covers; the cell must be known."""
    rows, unknown = covered(column, values, pa.array([cell]), **settings)
    assert unknown == [False]
    return [place for place, held in enumerate(rows[0]) if held]


NUMBERS = pa.array([-5.5, -0.0, 3, 7, 1e22, None, float("nan")], pa.float64())
AGE = Column("age", "quasi", type="numeric")


@pytest.mark.parametrize(
    ("cell", "places"),
    [
        ("3", [2]),
        ("3.0", [2]),
        ("0", [1]),
        ("-0.0", [1]),
        ("4", []),
        ("[3, 7]", [2, 3]),
        ("[3, 7)", [2]),
        ("(3, 7]", [3]),
        ("(3, 7)", []),
        ("[7, 3]", []),
        ("[-5.5, 0]", [0, 1]),
        ("<=3", [0, 1, 2]),
        ("<3", [0, 1]),
        (">=7", [3, 4]),
        (">7", [4]),
        ("3-7", [2, 3]),
        ("3..7", [2, 3]),
        ("-5.5--0", [0, 1]),
        ("1e22", [4]),
        ("[1e21, 1e23]", [4]),
        ("*", [0, 1, 2, 3, 4, 5, 6]),
        (None, [5]),
        ("NaN", [6]),
    ],
)
def test_numbers(cell, places):
    assert only(AGE, NUMBERS, cell) == places


def test_typed_numbers_by_other_tools_are_points():
    assert covered(AGE, NUMBERS, pa.array([3, None]))[0][0] == [i == 2 for i in range(7)]
    assert only(AGE, pa.array([3, 4]), 3) == [0]
    assert only(AGE, NUMBERS, float("nan")) == [6]


def test_whole_numbers_are_compared_exactly_beyond_what_floats_hold():
    big = pa.array([2**53, 2**53 + 1, 2**63 - 1])
    assert only(AGE, big, str(2**53 + 1)) == [1]
    assert only(AGE, big, f"[{2**53 + 1}, {2**63 - 2}]") == [1]
    unsigned = pa.array([2**64 - 1, 2**64 - 2], pa.uint64())
    assert only(AGE, unsigned, str(2**64 - 1)) == [0]
    huge = pa.array([Decimal(10**40), Decimal(10**40 + 1)], pa.decimal256(50, 0))
    assert only(AGE, huge, f"[{10**40 + 1}, {10**41}]") == [1]


def test_decimals_are_compared_digit_by_digit():
    # as a float 0.1 is a little more than a tenth, so reading the cell as floats would leave out the first
    values = pa.array([Decimal("0.1"), Decimal("0.10000000000000000000001"), Decimal("0.3")], pa.decimal128(30, 23))
    assert only(AGE, values, "[0.1, 0.3]") == [0, 1, 2]
    assert only(AGE, values, "0.1") == [0]
    assert only(AGE, values, ">0.1") == [1, 2]
    assert only(AGE, values, 0.1) == [0]


def test_numbers_in_text_are_read_first():
    values = pa.array(["007", "7", "7,5", "x", None])
    assert only(AGE, values, "7", decimal=",") == [0, 1]
    assert only(AGE, values, "[7, 7.5]", decimal=",") == [0, 1, 2]
    assert only(AGE, values, "*", decimal=",") == [0, 1, 2, 3, 4]  # nothing else covers what is no number


def test_text_beside_fractions_is_read_digit_by_digit():
    values = pa.array(["9007199254740993", "0.5", "0.1"])
    assert only(AGE, values, "9007199254740993") == [0]
    assert only(AGE, values, "9007199254740992") == []
    assert only(AGE, values, "0.10000000000000000001") == []
    assert only(AGE, values, "[0.1, 0.5]") == [1, 2]
    assert only(AGE, values, 0.1) == [2]  # a float by another tool means the tenth that it writes


DAY = Column("day", "quasi", type="date")


@pytest.mark.parametrize(
    ("cell", "places"),
    [
        ("2024-01-31", [0]),
        ("[2024-01-31, 2024-02-29]", [0, 1]),
        ("2024-02", [1]),
        ("2024-Q1", [0, 1]),
        ("2024", [0, 1, 2]),
        (">=2024-02-29", [1, 2]),
        ("2024-01-31..2024-02-29", [0, 1]),
        ("*", [0, 1, 2, 3]),
        (None, [3]),
    ],
)
def test_dates(cell, places):
    days = [dt.date(2024, 1, 31), dt.date(2024, 2, 29), dt.date(2024, 12, 31), None]
    assert only(DAY, pa.array(days), cell) == places
    assert only(DAY, pa.array([day and str(day) for day in days]), cell) == places
    times = [day and dt.datetime(day.year, day.month, day.day) for day in days]
    assert only(DAY, pa.array(times, pa.timestamp("s")), cell) == places


def test_months_are_those_of_the_calendar_of_the_columns_time_zone():
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    moments = [dt.datetime(2024, 3, 1, 0, 30, tzinfo=berlin), dt.datetime(2024, 3, 31, 23, 30, tzinfo=berlin)]
    values = pa.array(moments, pa.timestamp("us", "Europe/Berlin"))  # in UTC the first lies in February
    assert only(DAY, values, "2024-03") == [0, 1]
    assert only(DAY, values, "2024-02") == []
    assert only(DAY, values, "2024-Q1") == [0, 1]
    assert only(DAY, values, "[2024-03-01, 2024-03-02]") == [0]  # ends without an offset are local too
    text = pa.array(["2024-03-01T00:30:00+01:00", "2024-02-29T23:40:00Z"])
    assert only(DAY, text, "2024-03") == [0]  # text belongs to the day that it writes


def test_a_month_is_told_by_the_clock_on_the_wall_where_that_goes_back_over_midnight():
    # in 2009 St John's put the clocks back at 00:01 on 1 November, so that October came again for an hour
    st_johns = zoneinfo.ZoneInfo("America/St_Johns")
    moments = [
        dt.datetime(2009, 11, 1, 0, 0, 30, tzinfo=st_johns),
        dt.datetime(2009, 10, 31, 23, 30, fold=1, tzinfo=st_johns),
    ]
    values = pa.array(moments, pa.timestamp("s", "America/St_Johns"))
    assert values.cast(pa.int64()).to_pylist() == sorted(values.cast(pa.int64()).to_pylist())
    assert only(DAY, values, "2009-11") == [0]
    assert only(DAY, values, "2009-10") == [1]


def test_times_with_zones_are_compared_as_instants():
    noon = dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)
    values = pa.array([noon, noon + dt.timedelta(seconds=1)], pa.timestamp("us", "Europe/Berlin"))
    assert only(DAY, values, "2024-07-01T14:00:00+02:00") == [0]
    assert only(DAY, values, "[2024-07-01T14:00:00.5+02:00, 2024-07-01T12:00:01Z]") == [1]
    assert only(DAY, values, pa.scalar(noon, pa.timestamp("ns", "UTC")).as_py()) == [0]


LEVEL = Column("level", "quasi", order=("low", "mid", "high", ">top"))


@pytest.mark.parametrize(
    ("cell", "places"),
    [
        ("mid", [1]),
        ("[low, mid]", [0, 1]),
        ("[mid, low]", []),
        ("<=mid", [0, 1]),
        (">mid", [2, 3]),
        ('[high, ">top"]', [2, 3]),
        ('">top"', [3]),
        ("{low, high}", [0, 2]),
        ("m*", [1]),
        ("[low, huge]", []),
        ("*", [0, 1, 2, 3, 4]),
        (None, [4]),
    ],
)
def test_ordered_labels(cell, places):
    assert only(LEVEL, ["low", "mid", "high", ">top", None], cell) == places


LABELS = pa.array(["Private", "Self, other", "*", "47906", "47911", "", "N/A", "[a", None])
WORK = Column("work", "quasi", type="categorical")


@pytest.mark.parametrize(
    ("cell", "places"),
    [
        ("Private", [0]),
        ('{Private, "Self, other"}', [0, 1]),
        ("{Private, Unheard-of}", [0]),
        ('"*"', [2]),
        ("*", list(range(9))),
        ("47*", [3, 4]),
        ("4790*", [3]),
        ("479**", [3, 4]),
        ('""', [5]),
        ('"[a"', [7]),
        ('"Unheard-of"', []),
        (None, [8]),
    ],
)
def test_labels(cell, places):
    assert only(WORK, LABELS, cell) == places


def test_a_word_that_is_no_value_may_be_a_node_and_is_not_checked():
    rows, unknown = covered(WORK, LABELS, ["Gov", "Private"])
    assert unknown == [True, False]
    assert all(rows[0])
    listed = Column("work", "quasi", type="categorical", domain=("Private", "Gov"))
    assert only(listed, LABELS, "Gov") == []  # a label of the domain, not a node


def test_labels_of_typed_columns_are_their_text():
    assert only(WORK, pa.array([1, 2, None]), "2") == [1]
    assert only(WORK, pa.array([1.0, 2.5, float("nan")]), "{1, 2.5}") == [0, 1]
    assert only(WORK, pa.array([1.0, 2.5, float("nan")]), "NaN") == [2]
    assert only(WORK, pa.array([dt.date(2024, 1, 2)]), "2024-01-02") == [0]
    flag = Column("flag", "quasi", type="boolean")
    for word in ("true", "True", "TRUE"):
        assert only(flag, pa.array([True, False, None]), word) == [0]
    assert only(flag, pa.array([True, False, None]), pa.scalar(True).as_py()) == [0]
    assert only(flag, pa.array(["yes", "no"]), "no") == [1]


PLACES = Taxonomy.from_dict({"Europe": {"West": ["France", "Spain"], "East": ["Poland"]}, "Africa": ["Africa", "Mali"]})


@pytest.mark.parametrize(
    ("cell", "places"),
    [
        ("West", [0, 1]),
        ("Europe", [0, 1, 2]),
        ("France", [0]),
        ("Africa", [3]),  # the leaf; the node is written `Africa (all)`
        ('"Africa"', [3]),
        ("Africa (all)", [3]),
        ("{France, Poland}", [0, 2]),
        ("Mali", []),
        ("Atlantis", []),  # with the taxonomy at hand a word that it does not have is a fault
        ("*", [0, 1, 2, 3, 4]),
        (None, [4]),
    ],
)
def test_nodes_of_a_taxonomy_cover_the_leaves_below(cell, places):
    column = Column("place", "quasi", type="categorical", taxonomy=PLACES)
    assert only(column, ["France", "Spain", "Poland", "Africa", None], cell) == places


def test_numbers_and_dates_with_a_taxonomy():
    ages = Column("age", "quasi", type="numeric", taxonomy=Taxonomy.intervals([5, 10]))
    assert only(ages, pa.array([31, 35, 38, 41]), "[30, 39]") == [0, 1, 2]
    assert only(ages, pa.array(["31", "35", "038", "41"]), "[35, 39]") == [1, 2]
    assert only(ages, pa.array([31, 35]), "35") == [1]
    assert only(ages, pa.array([31, 35]), "young") == []
    named = Taxonomy.from_dict({"young": ["31", "35"], "41": ["41", "42"]})
    named_ages = Column("age", "quasi", type="numeric", taxonomy=named)
    assert only(named_ages, pa.array([31, 35, 41, 42]), "young") == [0, 1]
    assert only(named_ages, pa.array([31, 35, 41, 42]), "41 (all)") == [2, 3]
    assert only(named_ages, pa.array([31, 35, 41, 42]), '"41"') == [2]
    days = Column("day", "quasi", type="date", taxonomy=Taxonomy.dates(["month", "year"]))
    assert only(days, pa.array(["2024-02-29", "2024-03-01"]), "2024-02") == [0]
    zips = Column("zip", "quasi", type="categorical", taxonomy=Taxonomy.prefixes([3, 2]))
    assert only(zips, pa.array(["47906", "47911", "46001"]), "479*") == [0, 1]


@pytest.mark.parametrize(
    ("cell", "places", "is_unknown"),
    [
        ("a,b", [0, 1], False),
        ("{raw", [2], False),  # other tools do not quote
        ("10-30", [3, 4], False),
        ("[10, 30)", [3], False),
        ("a~b", [0, 1, 2, 3, 4], True),
    ],
)
def test_cells_as_other_tools_write_them(cell, places, is_unknown):
    rows, unknown = covered(WORK, ["a", "b", "{raw", "10", "30"], [cell], notation="other")
    assert ([place for place, held in enumerate(rows[0]) if held], unknown[0]) == (places, is_unknown)


@pytest.mark.parametrize(
    ("least", "greatest", "places"),
    [(31, 38, [0, 1]), (None, 31, [0]), (38, None, [1, 2]), (None, None, [0, 1, 2, 3]), (60, 70, [])],
)
def test_bounds_cover_what_lies_between(least, greatest, places):
    original = pa.table({"age": [31, 38, 41, None]})
    for place in range(4):
        for kind in (pa.int64(), pa.string()):
            ends = [pa.array([end]).cast(kind) for end in (least, greatest)]
            table = pa.table({"age_min": ends[0], "age_max": ends[1]})
            verdict = verify(table, quasi=["age"], original=original.slice(place, 1), release="bounds")
            assert verdict.truthful.ok == (place in places)


def test_bounds_of_declared_orders_are_labels():
    schema = Schema.from_roles(quasi=["level"], orders={"level": ["low", "mid", "*high"]})
    original = pa.table({"level": ["low", "mid", "*high"]})
    table = pa.table({"level_min": ["low", "low", "mid"], "level_max": ["mid", "mid", "*high"]})
    assert verify(table, schema=schema, original=original, release="bounds").truthful.ok
    wrong = table.set_column(1, "level_max", pa.array(["mid", "mid", "mid"]))
    assert not verify(wrong, schema=schema, original=original, release="bounds").truthful.ok


def test_bounds_of_labels_whose_order_was_not_given_are_not_checked():
    original = pa.table({"level": ["low", "mid", "high"]})
    table = pa.table({"level_min": ["low", "low", "high"], "level_max": ["mid", "mid", "high"]})
    truth = verify(table, quasi=["level"], original=original, release="bounds").truthful
    assert (truth.ok, truth.complete) == (True, False)
    one = pa.table({"level_min": ["low", "mid", "low"], "level_max": ["low", "mid", "low"]})
    assert not verify(one, quasi=["level"], original=original, release="bounds").truthful.ok
