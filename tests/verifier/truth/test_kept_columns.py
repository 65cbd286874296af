"""Kept columns are compared by value, text against text, and text against typed values."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.verifier.truth.kept_columns import differing, joint_codes


def rows_that_differ(released, original, decimal="."):
    columns = [one if isinstance(one, pa.ChunkedArray) else pa.chunked_array([one]) for one in (released, original)]
    found = differing(*columns, "kept", decimal)
    return [] if found is None else np.flatnonzero(found).tolist()


def test_text_is_compared_as_it_stands():
    assert rows_that_differ(pa.array(["007", "a", None, ""]), pa.array(["7", "a", None, None])) == [0, 3]


def test_text_of_any_kind_is_text():
    texts = ["a", "b", None]
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        assert rows_that_differ(pa.array(texts, kind), pa.array(texts)) == []
        assert rows_that_differ(pa.array(texts, kind), pa.array(["a", "c", "b"])) == [1, 2]


@pytest.mark.parametrize(
    ("typed", "written", "other"),
    [
        (pa.array([1, 20, None]), ["1", "20", None], "21"),
        (pa.array([0.1, 1e22, None]), ["0.1", "1e22", None], "0.2"),
        (pa.array([0.1, 0.2, None], pa.float32()), ["0.1", "0.2", None], "0.20001"),
        (pa.array([0.5, 1.5, float("nan")]), ["0.5", "1.50", "nan"], "NaN"),
        (pa.array([0.5, 1.5, float("inf")]), ["0.5", "1.5", "inf"], "-inf"),
        (pa.array([Decimal("1.10"), Decimal("2.00"), None]), ["1.10", "2", None], "2.000000000000000000001"),
        (pa.array([True, False, None]), ["true", "False", None], "true"),
        (pa.array([dt.date(2024, 1, 2), dt.date(2024, 1, 3), None]), ["2024-01-02", "2024-01-03", None], "x"),
        (
            pa.array([dt.datetime(2024, 1, 2, 3), dt.datetime(2024, 1, 3), None], pa.timestamp("us", "UTC")),
            ["2024-01-02 03:00:00.000000Z", "2024-01-03T01:00:00+01:00", None],
            "2024-01-03T01:00:00Z",
        ),
        (pa.array([dt.time(1), dt.time(2), None]), ["01:00:00", "02:00:00", None], "03:00:00"),
    ],
)
def test_text_is_read_as_the_type_of_the_other_side(typed, written, other):
    assert rows_that_differ(pa.array(written), typed) == []
    assert rows_that_differ(typed, pa.array(written)) == []
    assert rows_that_differ(pa.array([written[0], other, written[2]]), typed) == [1]


def test_decimal_commas_are_read_in_text():
    assert rows_that_differ(pa.array(["1,5", "2"]), pa.array([1.5, 2.0]), decimal=",") == []


def test_numbers_of_different_types_are_compared_exactly():
    assert rows_that_differ(pa.array([1, 2**53 + 1]), pa.array([1.0, 2.0**53])) == [1]
    assert rows_that_differ(pa.array([1, 2], pa.int8()), pa.array([1, 2])) == []


def test_zeros_nans_and_nulls():
    assert rows_that_differ(pa.array([0.0, float("nan"), None]), pa.array([-0.0, float("nan"), None])) == []
    assert rows_that_differ(pa.array([float("nan"), None]), pa.array([None, float("nan")])) == [0, 1]
    assert rows_that_differ(pa.nulls(2), pa.array(["a", None])) == [0]


def test_codes_hold_for_both_tables():
    joint = joint_codes(pa.chunked_array([["b", "a", None]]), pa.chunked_array([["a", "c"]]), "kept")
    assert joint.released[1] == joint.original[0]
    assert len({*joint.released.tolist(), *joint.original.tolist()}) == joint.size == 4


RECORDS = [
    pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 2]), pa.array([[1], [2], []])),
    pa.array([[1, None], None, [2], []]),
    pa.array([{"a": 1, "b": [float("nan")]}, None, {"a": 2, "b": []}, {"a": 1, "b": None}]),
    pa.array([[("x", 1)], None, [("x", 2)], []], pa.map_(pa.string(), pa.int64())),
    pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"a" * 16, None, b"b" * 16, b"c" * 16], pa.binary(16))),
    pa.array([(1, 2, 3), None, (1, 2, 4), (0, 0, 0)], pa.month_day_nano_interval()),
]


@pytest.mark.parametrize("column", RECORDS, ids=lambda column: str(column.type))
def test_lists_and_records_have_codes_too(column):
    moved = column.take(pa.array([2, 0, 0, 1, 3]))
    joint = joint_codes(pa.chunked_array([moved]), pa.chunked_array([column]), "kept")
    assert joint.released.tolist() == joint.original[[2, 0, 0, 1, 3]].tolist()
    assert len(set(joint.original.tolist())) == joint.size == 4


@pytest.mark.parametrize(
    ("released", "original"),
    [
        (pa.array([0, 86_400_000_000_000]), pa.array([0, 1], pa.date32())),
        (pa.array([10**9, 2 * 10**9]), pa.array([1, 2], pa.duration("s"))),
        (pa.array([1, 2], pa.time32("s")), pa.array([1, 2], pa.duration("s"))),
        (pa.array([0, 86_400], pa.duration("s")), pa.array([0, 1], pa.date32())),
        (pa.array([1, 0]), pa.array([True, False])),
        (pa.array(["1", "0"]), pa.array([True, False])),
        (pa.array([" 1", "002.0 "]), pa.array([1, 2])),
        (pa.array([" TRUE", "false "]), pa.array([True, False])),
    ],
)
def test_values_that_mean_another_thing_or_stand_beside_blanks_are_others(released, original):
    assert rows_that_differ(released, original) == [0, 1]


def test_blanks_around_text_may_stand_in_the_original():
    assert rows_that_differ(pa.array([1, 2]), pa.array([" 1", "2 "])) == []


@pytest.mark.parametrize("role", ["quasi", "kept"])
@pytest.mark.parametrize("typed", [True, False])
def test_a_clock_without_an_offset_is_that_of_the_columns_time_zone(role, typed):
    at = dt.datetime(2024, 2, 29, 23, 30, tzinfo=dt.UTC)  # half past midnight in Berlin, on the first of March
    zoned = pa.array([at, at], pa.timestamp("us", "Europe/Berlin"))
    names = {"quasi": ("at", "x"), "kept": ("x", "at")}[role]
    original = pa.table(dict(zip(("at", "x"), (zoned, pa.array([1, 1])), strict=True)))

    def is_taken(clock):
        shown = pa.array([clock] * 2, pa.timestamp("us")) if typed else pa.array([clock.isoformat()] * 2)
        released = pa.table({"at": shown, "x": pa.array([1, 1])})
        return covey.verify(released, original=original, quasi=[names[0]], k=2).ok

    assert is_taken(dt.datetime(2024, 3, 1, 0, 30))
    assert not is_taken(dt.datetime(2024, 2, 29, 23, 30))
