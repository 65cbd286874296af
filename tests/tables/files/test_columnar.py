"""Parquet and Arrow IPC keep types, and hold nothing but the rows."""

from __future__ import annotations

import io
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from covey.base.errors import InputError
from covey.tables.files.columnar import read_columnar, write_arrow, write_parquet

SECRET = "secret-cell-value"
WRITERS = [write_parquet, write_arrow]


def written(write: object, table: pa.Table) -> bytes:
    out = io.BytesIO()
    write(table, out)
    return out.getvalue()


def bytes_inside(data: bytes) -> bytes:
    """Return a file with its compressed buffers laid open (IPC), or as it is."""
    if not data.startswith(b"ARROW1"):
        return data
    table = pa.ipc.open_file(pa.BufferReader(data)).read_all()
    arrays = [chunk for column in table.columns for chunk in column.chunks]
    arrays += [array.dictionary for array in arrays if pa.types.is_dictionary(array.type)]
    return b"".join(part.to_pybytes() for array in arrays for part in array.buffers() if part is not None)


@pytest.mark.parametrize(
    "kind",
    [
        pa.decimal128(10, -3),
        pa.list_(pa.decimal256(50, -3)),
        pa.dictionary(pa.int8(), pa.list_(pa.int64())),
        pa.month_day_nano_interval(),
    ],
)
def test_a_type_that_parquet_cannot_hold_is_refused_by_the_name_of_its_column(kind):
    table = pa.table({"age": [1], "pay": pa.nulls(1, kind)})
    with pytest.raises(InputError, match=r"column `pay` has the type .* which a Parquet file cannot hold") as caught:
        written(write_parquet, table)
    assert caught.value.code == "unsupported-column"
    assert written(write_arrow, table)


@pytest.mark.parametrize("write", WRITERS)
def test_types_and_values_come_back(write):
    table = pa.table(
        {
            "int8": pa.array([1, None], pa.int8()),
            "float": pa.array([-0.0, float("inf")]),
            "text": pa.array(["", None]),
            "large": pa.array(["", None], pa.large_string()),
            "view": pa.array(["x", "a text too long to be stored inside the view"], pa.string_view()),
            "codes": pa.DictionaryArray.from_arrays(pa.array([1, None], pa.int8()), ["a", "b"], ordered=True),
            "decimal": pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)),
            "time": pa.array([1, None], pa.timestamp("us", "Asia/Tokyo")),
            "date": pa.array([1, None], pa.date32()),
            "flag": pa.array([True, None]),
            "list": pa.array([[1, 2], None]),
        }
    )
    back = read_columnar(written(write, table), "x")
    assert back.to_pylist() == table.to_pylist()
    assert [f for f in back.schema if f.name != "codes"] == [f for f in table.schema if f.name != "codes"]
    assert back.schema.field("codes").type.value_type == pa.string()


def test_arrow_keeps_the_very_type_of_codes_over_chunks():
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    chunks = [pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), [value], ordered=True) for value in "ab"]
    table = pa.table({"codes": pa.chunked_array(chunks, kind)})
    back = read_columnar(written(write_arrow, table), "x")
    assert back.schema.field("codes").type == kind
    assert back.column("codes").to_pylist() == ["a", None, "b", None]


@pytest.mark.parametrize("write", WRITERS)
def test_metadata_is_not_written(write):
    field = pa.field("a", pa.int64(), metadata={"note": SECRET})
    table = pa.table({"a": [1]}, schema=pa.schema([field], metadata={"pandas": SECRET}))
    data = written(write, table)
    assert SECRET.encode() not in data
    assert not read_columnar(data, "x").schema.metadata


@pytest.mark.parametrize("write", WRITERS)
def test_dictionary_values_that_no_row_has_are_not_written(write):
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 2, None]), ["x", SECRET, "y"])
    data = written(write, pa.table({"a": codes}))
    assert SECRET.encode() not in bytes_inside(data)
    assert read_columnar(data, "x").column("a").to_pylist() == ["x", "y", None]


@pytest.mark.parametrize("write", WRITERS)
def test_rows_left_out_are_not_written_with_views(write):
    long = "a text too long to be stored inside the view"
    for kind in (pa.string_view(), pa.string()):
        column = pa.array([SECRET + long, long, None], kind).slice(1)
        data = written(write, pa.table({"a": column}))
        assert SECRET.encode() not in bytes_inside(data)
        assert read_columnar(data, "x").column("a").to_pylist() == [long, None]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())])
@pytest.mark.parametrize("write", WRITERS)
def test_rows_around_a_slice_are_not_written(write, kind):
    number = np.int64(0x5345435245543A29)
    table = pa.table({"a": pa.array([SECRET, "a", "b", SECRET]).cast(kind), "b": pa.array([number, 1, 2, number])})
    data = written(write, table.slice(1, 2))
    assert SECRET.encode() not in bytes_inside(data)
    assert number.tobytes() not in bytes_inside(data)
    assert read_columnar(data, "x").column("b").to_pylist() == [1, 2]


@pytest.mark.parametrize("write", WRITERS)
def test_values_below_nulls_are_not_written(write):
    valid = pa.py_buffer(b"\x05")  # the second of three is null
    places = pa.py_buffer(np.array([0, 1, 1 + len(SECRET), 2 + len(SECRET)], np.int32))
    text = pa.Array.from_buffers(pa.string(), 3, [valid, places, pa.py_buffer(f"a{SECRET}b".encode())])
    number = pa.Array.from_buffers(pa.int64(), 3, [valid, pa.py_buffer(np.array([1, 0x5345435245543A29, 3], np.int64))])
    data = written(write, pa.table({"text": text, "number": number}))
    assert SECRET.encode() not in bytes_inside(data)
    assert np.int64(0x5345435245543A29).tobytes() not in bytes_inside(data)
    assert read_columnar(data, "x").to_pydict() == {"text": ["a", None, "b"], "number": [1, None, 3]}


@pytest.mark.parametrize("write", WRITERS)
def test_dictionaries_and_views_inside_others_hold_the_rows_only(write):
    texts = pa.array(["a", SECRET, "b"])
    for inner in (texts.dictionary_encode(), texts.cast(pa.string_view())):
        nested = pa.StructArray.from_arrays([inner], ["x"], mask=pa.array([False, True, False]))
        data = written(write, pa.table({"a": nested}))
        assert SECRET.encode() not in bytes_inside(data)
        assert read_columnar(data, "x").column("a").to_pylist() == [{"x": "a"}, None, {"x": "b"}]


@pytest.mark.parametrize("write", WRITERS)
def test_the_order_of_a_dictionary_tells_nothing_about_the_original(write):
    # the original had a, b, c in its rows; the file has c, a, b
    codes = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 1, 2]), ["a", "b", "c"])
    table = pa.table({"x": codes})
    data = written(write, table)
    back = pa.ipc.open_file(pa.BufferReader(data)).read_all() if write is write_arrow else None
    if back is None:
        back = pa.parquet.read_table(pa.BufferReader(data), read_dictionary=["x"])
    assert back.column("x").to_pylist() == ["c", "a", None, "b", "c"]
    assert back.column("x").chunk(0).dictionary.to_pylist() == ["c", "a", "b"]


@pytest.mark.parametrize("write", WRITERS)
def test_an_ordered_dictionary_keeps_its_order(write):
    codes = pa.DictionaryArray.from_arrays(pa.array([2, 0]), ["low", "mid", "high"], ordered=True)
    data = written(write, pa.table({"x": codes}))
    back = read_columnar(data, "x").column("x")
    assert back.to_pylist() == ["high", "low"]
    assert back.chunk(0).dictionary.to_pylist() == ["low", "high"]


def hidden_below_a_null(kind: str) -> pa.Array:
    """Return rows of which the second is null and holds the secret all the same."""
    inner = pa.StructArray.from_arrays([pa.array(["x", SECRET])], names=["overview"], mask=pa.array([False, True]))
    if kind == "struct":
        return inner
    if kind == "struct in a struct":
        return pa.StructArray.from_arrays([inner], names=["a"])
    return pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), inner)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("kind", ["struct", "struct in a struct", "struct in a list"])
def test_values_below_the_nulls_of_a_struct_are_not_written(write, kind):
    table = pa.table({"a": hidden_below_a_null(kind)})
    buffers = [part.to_pybytes() for part in table.column("a").chunk(0).buffers() if part is not None]
    assert SECRET.encode() in b"".join(buffers), "the test needs a hidden value"
    data = written(write, table)
    assert SECRET.encode() not in bytes_inside(data)
    back = read_columnar(data, "x")
    assert back.to_pylist() == table.to_pylist()
    assert back.schema.field("a").type == table.schema.field("a").type


def test_a_union_holds_the_values_that_are_chosen_only():
    union = pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2]), pa.array([SECRET, SECRET])])
    data = written(write_arrow, pa.table({"a": union}))
    assert SECRET.encode() not in bytes_inside(data)
    assert read_columnar(data, "x").column("a").to_pylist() == [1, 2]
