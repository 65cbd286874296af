"""Released values: whatever is written reads back to the very same value, and no two are written alike."""

from __future__ import annotations

import datetime as dt
import json
import zoneinfo
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covey.columns.values.parsing import parse_date, parse_number
from covey.columns.values.writing import (
    write_bound,
    write_date,
    write_interval,
    write_label,
    write_number,
    write_set,
    zone_named,
)
from covey.verifier.reading.cell import (
    Calendar,
    Everything,
    Interval,
    Missing,
    NotANumber,
    Point,
    Prefix,
    Set,
)
from covey.verifier.reading.notation import Unreadable, read_cell

DAY = 86_400 * 10**9
FIRST, LAST = -719_162 * DAY, 2_932_897 * DAY - 1  # 0001-01-01 to the last nanosecond of 9999-12-31

whole = st.one_of(st.integers(-(10**30), 10**30), st.integers(-(2**63), 2**64), st.integers(-9, 9))
floats = st.floats(allow_nan=False, allow_infinity=False)
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=6) | st.decimals(
    min_value=-(10**30), max_value=10**30, allow_nan=False, allow_infinity=False
)
instants = st.one_of(
    st.integers(FIRST, LAST), st.integers(FIRST // DAY, LAST // DAY).map(lambda day: day * DAY), st.integers(-5, 5)
)
ZONES = [
    "UTC",
    "Europe/Berlin",
    "Asia/Kolkata",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Europe/Amsterdam",
    "Africa/Monrovia",
    "Pacific/Kiritimati",
    "America/New_York",
    "+05:30",
    "-09:30",
    "+14:00",
]
zones = st.sampled_from(ZONES)
ODD = [
    "",
    " ",
    "a",
    " a",
    "a ",
    ",",
    "a, b",
    "[a",
    "]",
    "[a, b]",
    "{a}",
    "{",
    "}",
    '"',
    '"a"',
    "*",
    "4790*",
    "**",
    "NaN",
    "nan",
    "<=x",
    "<",
    ">=5",
    "> 3",
    "(",
    ")",
    "a)b",
    "a\nb",
    "\n",
    "\t",
    "é",
    "\u2028",
    "\u00a0a",
    "\x1f",
    "\\",
    "null",
    "37",
    "-5--3",
    "1e-20",
    "2024-01-01",
    "Smith, J",
    "Smith",
    "J",
    "\x85",
    "𝔘",
    "a\\",
    "\ufeff",
]
labels = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


# --- numbers -----------------------------------------------------------------------------------------------


@given(whole | floats)
@example(1e-320)
@example(5e-324)
@example(1.7976931348623157e308)
@example(-1e308)
@example(1e16)
@example(-0.0)
@example(10**300)
def test_a_written_number_reads_back_to_the_very_same_number(number):
    cell = read_cell(write_number(number), "numeric", exact=False)
    assert isinstance(cell, Point)
    assert cell.value == number


@given(decimals)
@example(Decimal("-0.00"))
@example(Decimal("1.50"))
@example(Decimal("1E+10"))
@example(Decimal("9" * 76))
def test_a_written_decimal_reads_back_digit_by_digit(number):
    assert read_cell(write_number(number), "numeric", exact=True) == Point(number)


def test_zero_has_one_way_to_be_written():
    assert {write_number(zero) for zero in (0, 0.0, -0.0, Decimal("0"), Decimal("-0.00"), Decimal("0E+5"))} == {"0"}


@given(st.lists(floats | whole, unique=True, min_size=2, max_size=6))
def test_no_two_numbers_are_written_alike(numbers):
    assert len({write_number(number) for number in numbers}) == len(numbers)


@given(floats | whole, floats | whole)
@example(-5, -3)
@example(1e-20, 0.3)
def test_an_interval_of_numbers_reads_back(low, high):
    cell = read_cell(write_interval(write_number(low), write_number(high)), "numeric", exact=False)
    assert cell == Interval(low, high)
    assert read_cell(write_bound("<=", write_number(high)), "numeric", exact=False) == Interval(None, high)
    assert read_cell(write_bound(">=", write_number(low)), "numeric", exact=False) == Interval(low, None)


@given(decimals, decimals)
def test_an_interval_of_decimals_reads_back(low, high):
    text = write_interval(write_number(low), write_number(high))
    assert read_cell(text, "numeric", exact=True) == Interval(low, high)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("007", 7),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("+5", 5),
        (".5", 0.5),
        ("5.", 5.0),
        (" 12 ", 12),
        ("-0", 0),
        ("0" * 6000 + "1", 1),
    ],
)
def test_numbers_of_other_spellings_are_read(text, number):
    assert parse_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "1,5",
        "1 000",
        "inf",
        "-inf",
        "nan",
        "NaN",
        "0x10",
        "1_000",
        "٣",
        "1e400",
        "1e-400",
        "1e99999999999999999999",
        "9" * 400,
        "9" * 5000,
        "-",
        ".",
        "1e",
        "--1",
        "1.2.3",
    ],
)
def test_what_is_no_number_is_none(text):
    assert parse_number(text) is None


def test_with_a_decimal_comma_a_point_is_no_decimal_mark():
    # 1.234 would be a thousand where the comma is the decimal mark: reading it as 1.234 would be silently wrong
    assert parse_number("1,5", ",") == 1.5
    assert parse_number("-1,5e3", ",") == -1500.0
    assert parse_number("1.234", ",") is None
    assert parse_number("1.234,5", ",") is None


# --- dates -------------------------------------------------------------------------------------------------


@given(instants)
@example(FIRST)
@example(LAST)
def test_a_written_instant_reads_back_to_the_nanosecond(instant):
    assert read_cell(write_date(instant), "date") == Point(instant)


@given(instants, zones)
@example(FIRST, "America/New_York")  # locally still in the year 0
@example(LAST, "Asia/Kolkata")  # locally already in the year 10000
@example(parse_date("1890-01-01T00:00:00.000000001Z"), "Europe/Amsterdam")  # local mean time, 19 min 32 s
@example(parse_date("2023-10-29T00:30:00Z"), "Europe/Berlin")  # 02:30, twice
@example(parse_date("2023-10-29T01:30:00Z"), "Europe/Berlin")
def test_an_instant_in_a_time_zone_reads_back_to_the_nanosecond(instant, zone):
    assert read_cell(write_date(instant, zone_named(zone)), "date") == Point(instant)


@given(instants, instants, zones | st.none())
def test_an_interval_of_instants_reads_back(low, high, zone):
    written = [write_date(end, zone_named(zone)) for end in (low, high)]
    assert read_cell(write_interval(*written), "date") == Interval(low, high)
    assert read_cell(write_bound("<=", written[1]), "date") == Interval(None, high)


@given(st.lists(instants, unique=True, min_size=2, max_size=6), zones | st.none())
def test_no_two_instants_are_written_alike(found, zone):
    assert len({write_date(instant, zone_named(zone)) for instant in found}) == len(found)


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_written_instants_agree_with_the_standard_library(moment):
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    nanoseconds = (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000
    assert dt.datetime.fromisoformat(write_date(nanoseconds, dt.UTC)[:19] + "+00:00") == moment.replace(microsecond=0)
    assert parse_date(moment.isoformat()) == nanoseconds


def test_midnight_without_a_zone_is_a_plain_date():
    assert write_date(DAY) == "1970-01-02"
    assert write_date(DAY, dt.UTC) == "1970-01-02T00:00:00+00:00"
    assert write_date(-1) == "1969-12-31T23:59:59.999999999"
    assert write_date(0, zone_named("Asia/Kolkata")) == "1970-01-01T05:30:00+05:30"


@pytest.mark.parametrize(
    "text",
    [
        "2023-02-29",
        "2024-13-01",
        "0000-01-01",
        "2024-01-01T24:00",
        "2024-1-1",
        "01.02.2024",
        "2024-01-01T00:00:00.1234567891",
        "2024-01-01+02:00",
        "2024-01-01T00:00+25:00",
        "2024-01-01T00:00+01:60",
        "0001-01-01T00:00+05:00",
        "9999-12-31T23:00-05:00",
        "",
        "٢٠٢٤-٠١-٠١",
    ],
)
def test_what_is_no_date_is_none(text):
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2024-03-31 12:30", "2024-03-31T12:30:00"),
        ("2024-03-31T12:30:00Z", "2024-03-31T12:30:00+00:00"),
        ("2024-03-31T12:30:00+0530", "2024-03-31T07:00:00Z"),
        (" 2024-03-31 ", "2024-03-31"),
    ],
)
def test_other_spellings_of_a_date_are_read(text, same):
    assert parse_date(text) == parse_date(same) is not None


def test_an_unknown_zone_is_written_in_utc():
    for name in ("Mars/Olympus", "+99:00", "../passwd", "", "Europe"):
        assert zone_named(name) == dt.UTC
    assert zone_named(None) is None
    assert zone_named("Europe/Berlin") == zoneinfo.ZoneInfo("Europe/Berlin")


def test_months_quarters_and_years_are_months_of_a_calendar():
    january = 2024 * 12
    assert read_cell("2024-03", "date") == Calendar(january + 2, january + 2)
    assert read_cell("2024-Q1", "date") == Calendar(january, january + 2)
    assert read_cell("2024-Q4", "date") == Calendar(january + 9, january + 11)
    assert read_cell("2024", "date") == Calendar(january, january + 11)
    for text in ("2024-13", "2024-00", "2024-Q5", "0000", "2024-3"):
        with pytest.raises(Unreadable):
            read_cell(text, "date")


# --- labels ------------------------------------------------------------------------------------------------


@given(labels)
def test_a_label_alone_reads_back(label):
    cell = read_cell(write_label(label), "categorical")
    assert isinstance(cell, Point)
    assert cell.value == label
    ordered = read_cell(write_label(label, ordered=True), "ordered")
    assert isinstance(ordered, Point)
    assert ordered.value == label


@given(labels)
def test_a_label_with_the_name_of_a_node_is_quoted(label):
    written = write_label(label, nodes={label})
    assert json.loads(written) == label
    assert read_cell(written, "categorical") == Point(label, quoted=True)


@given(st.lists(labels, min_size=2, max_size=5, unique=True))
def test_a_set_of_labels_reads_back_in_its_order(members):
    assert read_cell(write_set(members), "categorical") == Set(tuple(members))


@given(labels, labels)
def test_an_interval_of_labels_reads_back(low, high):
    assert read_cell(write_interval(low, high, labels=True), "ordered") == Interval(low, high)


@given(labels)
@example(" x")
@example("x*")
@example("=5")
def test_an_open_interval_of_labels_reads_back(end):
    assert read_cell(write_bound("<=", end, labels=True), "ordered") == Interval(None, end)
    assert read_cell(write_bound(">=", end, labels=True), "ordered") == Interval(end, None)


@given(st.lists(labels, min_size=2, max_size=6, unique=True))
def test_no_two_cells_of_labels_are_written_alike(members):
    alone = {write_label(label) for label in members}
    sets = {write_set(members[:size]) for size in range(2, len(members) + 1)}
    assert len(alone) == len(members)
    assert len(alone | sets | {"*"}) == len(members) + len(members) - 1 + 1
    ordered = [write_label(label, ordered=True) for label in members]
    spans = [write_interval(a, b, labels=True) for a in members for b in members if a != b]
    bounds = [write_bound(sign, a, labels=True) for sign in ("<=", ">=") for a in members]
    everything = [*ordered, *spans, *bounds, "*"]
    assert len(set(everything)) == len(everything)


@given(labels)
def test_plain_labels_are_written_as_they_are(label):
    assert write_label(label) in (label, json.dumps(label, ensure_ascii=False))
    if label.isalnum() and label != "NaN":
        assert write_label(label) == label


def test_negative_numbers_exponents_dates_and_commas_parse_back():
    # not left in doubt as "-5--3", "1e-20-0.3", "2020-01-01 00:00:00-2020-02-01 00:00:00", "Smith,J,Smith, J"
    assert write_interval(write_number(-5), write_number(-3)) == "[-5, -3]"
    assert read_cell("[-5, -3]", "numeric") == Interval(-5, -3)
    small = write_interval(write_number(1e-20), write_number(0.3))
    assert small == "[1e-20, 0.3]"
    assert read_cell(small, "numeric", exact=False) == Interval(1e-20, 0.3)
    assert read_cell(small, "numeric") == Interval(Decimal("1e-20"), Decimal("0.3"))
    ends = parse_date("2020-01-01"), parse_date("2020-02-01")
    dates = write_interval(*(write_date(end) for end in ends))
    assert dates == "[2020-01-01, 2020-02-01]"
    assert read_cell(dates, "date") == Interval(*ends)
    names = write_set(["J", "Smith", "Smith, J"])
    assert names == '{J, Smith, "Smith, J"}'
    assert read_cell(names, "categorical") == Set(("J", "Smith", "Smith, J"))


# --- everything else ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["numeric", "date", "ordered", "categorical", "boolean"])
def test_missing_everything_and_nan_are_the_same_in_every_column(kind):
    assert read_cell(None, kind) == Missing()
    assert read_cell("*", kind) == Everything()
    assert read_cell("NaN", kind) == NotANumber()


@pytest.mark.parametrize(
    ("text", "kind", "meaning"),
    [
        ("[20, 30)", "numeric", Interval(20, 30, False, True)),
        ("(20,30]", "numeric", Interval(20, 30, True, False)),
        ("20-30", "numeric", Interval(20, 30)),
        ("-5--3", "numeric", Interval(-5, -3)),
        ("1e-20-0.3", "numeric", Interval(Decimal("1e-20"), Decimal("0.3"))),
        ("20..30", "numeric", Interval(20, 30)),
        ("<30", "numeric", Interval(None, 30, False, True)),
        ("> 5", "numeric", Interval(5, None, True, False)),
        ("4790*", "categorical", Prefix("4790")),
        ("47**", "categorical", Prefix("47")),
        ("{a}", "categorical", Set(("a",))),
        ("<=low", "categorical", Point("<=low")),
        ("<=low", "ordered", Interval(None, "low")),
    ],
)
def test_what_other_tools_write_is_read(text, kind, meaning):
    assert read_cell(text, kind) == meaning


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("secret", "numeric"),
        ("[1, 2, 3]", "numeric"),
        ("[1; 2]", "numeric"),
        ("secret", "date"),
        ("[secret, 2024]", "date"),
        ('"secret', "categorical"),
        ('{"secret}', "categorical"),
        ('{"secret"x}', "categorical"),
        ("[secret]", "ordered"),
        ("[secret, b, c]", "ordered"),
        ("", "numeric"),
    ],
)
def test_an_unreadable_cell_is_never_repeated_in_the_message(text, kind):
    with pytest.raises(Unreadable) as caught:
        read_cell(text, kind)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
