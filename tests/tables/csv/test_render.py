"""Typed values as text that reads back to the very same value."""

from __future__ import annotations

import datetime as dt
import math
import struct
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.base.errors import InputError
from covey.tables.files import render_text


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (pa.array([1, None, -(2**63)]), ["1", None, "-9223372036854775808"]),
        (pa.array([2**64 - 1], pa.uint64()), ["18446744073709551615"]),
        (pa.array([5.0, -0.0, 0.1, 1e16, 1e-7, None]), ["5.0", "-0.0", "0.1", "1e+16", "1e-7", None]),
        (pa.array([math.nan, math.inf, -math.inf]), ["nan", "inf", "-inf"]),
        (pa.array([0.1], pa.float32()), ["0.1"]),
        (pa.array([1.5], pa.float16()), ["1.5"]),
        (pa.array([True, False, None]), ["true", "false", None]),
        (pa.array([Decimal("1.50"), None]), ["1.50", None]),
        (pa.array([Decimal(2**200)], pa.decimal256(61, 0)), [str(2**200)]),
        (pa.array([dt.date(2024, 2, 29)]), ["2024-02-29"]),
        (pa.array([dt.datetime(2024, 2, 29, 5, 6, 7)], pa.timestamp("s")), ["2024-02-29 05:06:07"]),
        (pa.array([1], pa.timestamp("ns")), ["1970-01-01 00:00:00.000000001"]),
        (pa.array([0], pa.timestamp("s", "Asia/Tokyo")), ["1970-01-01 00:00:00Z"]),
        (pa.array([dt.time(5, 6)], pa.time32("s")), ["05:06:00"]),
        (pa.array([90], pa.duration("s")), ["90"]),
        (pa.nulls(2), [None, None]),
        (pa.array(["5", "", None], pa.string_view()), ["5", "", None]),
    ],
)
def test_each_type_has_its_text(column, texts):
    assert render_text(column, "x").to_pylist() == texts
    coded = render_text(column.dictionary_encode(), "x") if column.type.id not in SKIP else None
    if coded is not None:
        assert pa.types.is_dictionary(coded.type)
        assert coded.to_pylist() == texts


SKIP = {pa.string_view().id, pa.float16().id, pa.null().id, pa.duration("s").id}  # Arrow cannot encode these


def test_chunks_with_dictionaries_of_their_own_become_one():
    parts = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    assert render_text(pa.chunked_array(parts), "x").to_pylist() == ["a", "b", "c", "a"]
    assert render_text(pa.chunked_array([], pa.int64()), "x").to_pylist() == []


@given(st.lists(st.floats(allow_nan=False)))
def test_floats_read_back_to_the_very_bits(values):
    back = [float(text) for text in render_text(pa.array(values, pa.float64()), "x").to_pylist()]
    assert [struct.pack("d", value) for value in back] == [struct.pack("d", value) for value in values]


@pytest.mark.parametrize("column", [pa.array([b"x"]), pa.array([[1]]), pa.array([{"a": 1}])])
def test_types_without_a_text_are_refused_by_name(column):
    with pytest.raises(InputError, match="`x`") as caught:
        render_text(column, "x")
    assert caught.value.code == "unsupported-column"


@pytest.mark.parametrize("day", [2932897, -719163])  # 10000-01-01 and the last day before the year 1
@pytest.mark.parametrize("kind", [pa.date32(), pa.timestamp("s"), pa.timestamp("s", "UTC")])
def test_years_that_no_reader_knows_are_refused_by_name(day, kind):
    column = pa.array([day, 0, None], pa.int32()).cast(pa.date32()).cast(kind)
    with pytest.raises(InputError, match="`x` has dates outside the years 1 to 9999") as caught:
        render_text(column, "x")
    assert caught.value.code == "unsupported-column"
    assert len(render_text(pa.array([2932896, -719162, None], pa.int32()).cast(pa.date32()).cast(kind), "x")) == 3
