"""Tables of every kind in as Arrow columns, and the same kind out with what was kept untouched."""

from __future__ import annotations

import datetime as dt
import math
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from covey.base.errors import InputError, UnknownColumn
from covey.tables.frames import as_frame, column_names, kind_of, n_rows, rebuild, take_rows, take_table, to_arrow

SECRET = "secret-cell-value"


class Stream:
    """A thing that only knows the Arrow stream protocol."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def objects(*values: object) -> pd.DataFrame:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return pd.DataFrame({"x": pd.Series(column, dtype=object)})


def code_of(frame: object, **kwargs: object) -> str:
    with pytest.raises(InputError) as caught:
        to_arrow(frame, **kwargs)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value.code


# what it is


def test_kinds_rows_and_names_of_each_library():
    data = {"age": [34, 35, 61], "sex": ["f", "f", "m"]}
    table = pa.table(data)
    frames = {
        "pandas": [pd.DataFrame(data)],
        "polars": [pl.DataFrame(data)],
        "arrow": [table, table.to_batches()[0], Stream(table)],
    }
    for kind, members in frames.items():
        for frame in members:
            assert kind_of(frame) == kind
            assert column_names(frame) == ["age", "sex"]
            assert n_rows(frame) == 3
            assert to_arrow(frame).to_pydict() == data


@pytest.mark.parametrize(
    "thing",
    [
        {"age": [1, 2]},
        [[1, 2]],
        None,
        "people.csv",
        np.zeros((2, 2)),
        pd.Series([1]),
        pl.Series([1]),
        pa.array([1]),
        pd.DataFrame,
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_other_things_are_not_tables(thing):
    assert code_of(thing) == "not-a-table"


def test_a_lazy_frame_is_refused_with_a_hint_to_collect():
    with pytest.raises(InputError, match="collect") as caught:
        to_arrow(pl.LazyFrame({"a": [1]}))
    assert caught.value.code == "not-a-table"


def test_a_reader_that_gives_its_rows_once_is_kept_as_a_table():
    table = pa.table({"a": [1, 2]})
    frame = as_frame(pa.RecordBatchReader.from_batches(table.schema, table.to_batches()))
    assert n_rows(frame) == 2
    assert to_arrow(frame).equals(table)
    pandas = pd.DataFrame({"a": [1]})
    assert as_frame(pandas) is pandas


def test_importing_frames_imports_neither_pandas_nor_polars():
    program = "import sys, covey.tables.frames; print([m for m in ('pandas', 'polars', 'numba') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_arrow_tables_need_neither_pandas_nor_polars():
    program = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('pandas', 'polars'):\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import numpy as np, pyarrow as pa\n"
        "from covey.tables.frames import rebuild, to_arrow\n"
        "table = pa.table({'a': pa.array(['x', 'y', None]).dictionary_encode()})\n"
        "print(rebuild(table, np.array([2, 0]), [('b', 'a')]).to_pydict(), to_arrow(table).num_rows)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{'b': [None, 'x']} 3"


# names


def test_duplicate_column_names_are_refused_in_pandas_and_arrow():
    assert code_of(pd.DataFrame([[1, 2]], columns=["a", "a"])) == "duplicate-columns"
    assert code_of(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])) == "duplicate-columns"


def test_column_names_that_are_not_text_are_refused():
    assert code_of(pd.DataFrame([[1, 2]])) == "column-names"
    levels = pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])
    assert code_of(pd.DataFrame([[1, 2]], columns=levels)) == "column-names"


def test_an_unknown_column_is_named_with_the_nearest_one():
    with pytest.raises(UnknownColumn, match="did you mean `age`") as caught:
        to_arrow(pa.table({"age": [1]}), ["agee"])
    assert caught.value.code == "unknown-column"
    with pytest.raises(UnknownColumn):
        rebuild(pa.table({"age": [1]}), None, [("age", "agee")])


# pandas: the index


@pytest.mark.parametrize(
    "index",
    [
        [7, 7, 7],
        [2, 0, 1],
        ["c", "a", None],
        pd.MultiIndex.from_tuples([("a", 1), ("a", 1), ("b", 2)]),
        pd.date_range("2024-01-01", periods=3),
    ],
    ids=["duplicate", "shuffled", "text", "multi", "dates"],
)
def test_the_pandas_index_is_ignored_and_fresh(index):
    frame = pd.DataFrame({"age": [34, 35, 61], "sex": ["f", "f", "m"]}, index=index)
    before = frame.copy(deep=True)
    table = to_arrow(frame)
    assert table.to_pydict() == {"age": [34, 35, 61], "sex": ["f", "f", "m"]}
    result = rebuild(frame, np.array([2, 0]), [("sex", "sex"), ("age", pa.array(["61", "34"]))])
    expected = pd.DataFrame({"sex": ["m", "f"], "age": ["61", "34"]})
    pd.testing.assert_frame_equal(result, expected)
    assert isinstance(result.index, pd.RangeIndex)
    pd.testing.assert_frame_equal(frame, before)


# pandas: values


def test_every_pandas_way_to_say_missing_is_null():
    nan_beside_null = pd.arrays.ArrowExtensionArray(pa.array([1.5, math.nan, None]))
    frame = pd.DataFrame(
        {
            "float": [1.5, np.nan, 2.0],
            "time": pd.to_datetime(["2024-01-01", None, "2024-01-03"]),
            "object": pd.Series(["a", None, np.nan], dtype=object),
            "na": pd.Series(["a", pd.NA, pd.NaT], dtype=object),
            "Int64": pd.Series([1, None, 3], dtype="Int64"),
            "arrow": nan_beside_null,
            "category": pd.Categorical(["a", None, "b"]),
            "text": ["a", None, "b"],
            "string": pd.Series(["a", None, "b"], dtype="string"),
            "boolean": pd.Series([True, None, False], dtype="boolean"),
            "decimal": pd.Series([Decimal("1.5"), Decimal("NaN"), None], dtype=object),
        }
    )
    nulls = {name: column.null_count for name, column in zip(frame, to_arrow(frame).columns, strict=True)}
    assert nulls == dict.fromkeys(frame, 1) | {"object": 2, "na": 2, "arrow": 2, "decimal": 2}


def test_polars_and_arrow_tell_nan_from_null():
    for frame in (pl.DataFrame({"x": [1.5, math.nan, None]}), pa.table({"x": [1.5, math.nan, None]})):
        column = to_arrow(frame).column("x")
        assert column.null_count == 1
        assert math.isnan(column[1].as_py())


def test_minus_zero_and_infinities_arrive_as_they_are():
    values = [-0.0, math.inf, -math.inf, 0.0]
    for frame in (
        pd.DataFrame({"x": values}),
        pd.DataFrame({"x": pd.Series(values, dtype="Float64")}),
        pd.DataFrame({"x": pd.Series(values, dtype="double[pyarrow]")}),
        pl.DataFrame({"x": values}),
        pa.table({"x": values}),
    ):
        got = to_arrow(frame).column("x").to_pylist()
        assert got == values
        assert [math.copysign(1, value) for value in got] == [-1, 1, -1, 1]


def test_categories_arrive_as_dictionary_arrays():
    pandas = pd.DataFrame({"x": pd.Categorical(["b", "a", "b"], categories=["a", "b", "c"], ordered=True)})
    column = to_arrow(pandas).column("x")
    assert pa.types.is_dictionary(column.type)
    assert column.type.ordered
    assert column.chunk(0).dictionary.to_pylist() == ["a", "b", "c"]
    for kind in (pl.Categorical, pl.Enum(["a", "b", "c"])):
        polars = pl.DataFrame({"x": pl.Series(["b", "a", "b"], dtype=kind)})
        column = to_arrow(polars).column("x")
        assert pa.types.is_dictionary(column.type)
        assert column.to_pylist() == ["b", "a", "b"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([2**70, 1, None], pa.decimal128(22, 0)),
        ([2**63, -1], pa.decimal128(19, 0)),
        ([-(2**200), 5], pa.decimal256(61, 0)),
        ([2**63 - 1, 1], pa.int64()),
    ],
)
def test_whole_numbers_beyond_64_bits_become_decimals(values, kind):
    column = to_arrow(objects(*values)).column("x")
    assert column.type == kind
    assert [None if value is None else int(value) for value in column.to_pylist()] == values


def test_whole_numbers_beyond_76_digits_are_refused():
    assert code_of(objects(10**76)) == "big-number"


def test_polars_128_bit_numbers_become_decimals():
    frame = pl.DataFrame({"x": pl.Series([2**100, None, -(2**127)], dtype=pl.Int128)})
    assert to_arrow(frame).column("x").to_pylist() == [Decimal(2**100), None, Decimal(-(2**127))]


@pytest.mark.parametrize(
    "values",
    [
        (1, SECRET),
        (SECRET, 1.5),
        (True, 2),
        (b"x", SECRET),
        (dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 5)),
        (dt.datetime(2024, 1, 1, 5), dt.date(2024, 1, 1)),
        ({"a": SECRET},),
        ([SECRET],),
        ({SECRET},),
        (object(),),
        (1j,),
        (2**53 + 1, 1.5),
        (math.inf, 2**70),
        (SECRET + "\ud800",),
        (pd.Period("2024"),),
        (Decimal("1e80"),),
        (np.timedelta64(1, "s"), 1),
    ],
    ids=lambda values: ", ".join(type(value).__name__ for value in values),
)
def test_a_column_of_mixed_or_odd_objects_is_refused_by_name(values):
    frame = objects(*values)
    assert code_of(frame) == "mixed-column"
    with pytest.raises(InputError, match="`x`"):
        to_arrow(frame)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ((1, 2.5, None), pa.float64()),
        ((1, Decimal("2.50")), pa.decimal128(3, 2)),
        ((True, None), pa.bool_()),
        ((dt.date(2024, 1, 1), None), pa.date32()),
        ((dt.time(5), None), pa.time64("us")),
        ((b"x", None), pa.binary()),
        ((None, None), pa.null()),
    ],
)
def test_object_columns_of_one_kind_are_read(values, kind):
    column = to_arrow(objects(*values)).column("x")
    assert column.type == kind
    assert column.to_pylist() == list(values)


def test_pandas_types_without_a_counterpart_are_refused_by_name():
    for values in (pd.period_range("2024", periods=2), pd.interval_range(0, 2), [1j, 2j]):
        assert code_of(pd.DataFrame({"x": values})) == "unsupported-column"
    assert code_of(pd.DataFrame({"x": pd.Categorical([1, SECRET])})) == "unsupported-column"


def test_polars_objects_are_refused_by_name():
    assert code_of(pl.DataFrame({"x": pl.Series([object()], dtype=pl.Object)})) == "mixed-column"


def test_only_the_columns_asked_for_are_converted():
    frame = objects(1, SECRET).assign(y=[1, 2])
    assert to_arrow(frame, ["y"]).to_pydict() == {"y": [1, 2]}
    polars = pl.DataFrame({"x": pl.Series([object()], dtype=pl.Object), "y": [1]})
    assert to_arrow(polars, ["y"]).to_pydict() == {"y": [1]}


def test_text_and_zones_keep_their_type():
    moments = pd.to_datetime(["2024-03-31 00:30", "2024-10-27 02:30"]).tz_localize("UTC")
    frame = pd.DataFrame({"t": moments.tz_convert("Europe/Berlin")})
    assert to_arrow(frame).column("t").type.tz == "Europe/Berlin"
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        table = pa.table({"x": pa.array(["a", None, "b"], kind)})
        assert to_arrow(table).column("x").type == kind


def test_empty_tables_and_tables_without_columns():
    for frame in (pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), pa.table({"a": pa.array([], pa.int64())})):
        assert n_rows(frame) == 0
        assert to_arrow(frame).column_names == ["a"]
        result = rebuild(frame, None, [("a", "a"), ("b", pa.array([], pa.string()))])
        assert column_names(result) == ["a", "b"]
        assert n_rows(result) == 0
    bare = pd.DataFrame(index=[1, 2, 3])
    assert (column_names(bare), n_rows(bare), to_arrow(bare).num_rows) == ([], 3, 3)
    assert to_arrow(pl.DataFrame()).num_columns == 0
    assert to_arrow(pa.table({})).num_columns == 0
    assert n_rows(rebuild(bare, np.array([0, 1]), [("b", pa.array(["x", "y"]))])) == 2


# back again


def odd_pandas() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "category": pd.Categorical(["b", "a", None, "b"], categories=["c", "b", "a"], ordered=True),
            "Int64": pd.Series([1, None, 3, 4], dtype="Int64"),
            "int8": np.array([1, 2, 3, 4], np.int8),
            "boolean": pd.Series([True, None, False, True], dtype="boolean"),
            "arrow": pd.Series(["x", None, "y", "z"], dtype="string[pyarrow]"),
            "arrow_decimal": pd.Series(
                [Decimal("1.50"), None, Decimal("2"), Decimal("3")], dtype=pd.ArrowDtype(pa.decimal128(5, 2))
            ),
            "time": pd.to_datetime(["2024-01-01", None, "2024-01-03", "2024-01-04"]).tz_localize("Asia/Tokyo"),
            "text": ["a", None, "", "d"],
            "object": pd.Series(["a", 1, {"k": 2}, None], dtype=object),
            "words": pd.Series(["a", "b", "c", None], dtype=object),
            "period": pd.period_range("2024", periods=4),
            "float": [-0.0, math.inf, math.nan, 1.5],
            "big": pd.Series([2**70, 1, None, 2], dtype=object),
        },
        index=[3, 3, 1, 0],
    )


def test_kept_pandas_columns_keep_dtype_and_values():
    frame = odd_pandas()
    before = frame.copy(deep=True)
    keep = [(name, name) for name in frame]
    for rows in (None, np.array([3, 1, 0, 2]), np.array([0, 1, 3])):
        result = rebuild(frame, rows, keep)
        expected = frame.iloc[slice(None) if rows is None else rows].reset_index(drop=True)
        # a category that no row has is gone, of an ordered one too
        expected["category"] = expected["category"].cat.remove_unused_categories()
        pd.testing.assert_frame_equal(result, expected, check_categorical=True)
        assert math.copysign(1, result["float"][result["float"] == 0].iloc[0]) == -1
    pd.testing.assert_frame_equal(frame, before)


def test_changing_the_result_never_changes_a_pandas_input():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    before = frame.copy(deep=True)
    for rows in (None, np.array([0, 1])):
        result = rebuild(frame, rows, [("a", "a"), ("b", "b")])
        result.loc[0, "a"] = 99
        result["b"].array[0] = "changed"
        pd.testing.assert_frame_equal(frame, before)


def test_attributes_of_a_pandas_frame_are_not_published():
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["source"] = SECRET
    assert rebuild(frame, None, [("a", "a")]).attrs == {}


def test_new_pandas_columns_have_plain_types():
    frame = pd.DataFrame({"a": [1, 2]})
    new = {
        "text": (pa.array(["x", None]), pd.Series(["x", None]).dtype),
        "codes": (pa.array(["x", "y"]).dictionary_encode(), pd.Series(["x", "y"]).dtype),
        "whole": (pa.array([1, 2]), np.dtype("int64")),
        "holes": (pa.array([2**60 + 1, None]), pd.Int64Dtype()),
        "flags": (pa.array([True, None]), pd.BooleanDtype()),
        "real": (pa.array([1.5, None]), np.dtype("float64")),
    }
    result = rebuild(frame, None, [(name, column) for name, (column, _) in new.items()])
    assert {name: result[name].dtype for name in new} == {name: dtype for name, (_, dtype) in new.items()}
    assert result["holes"][0] == 2**60 + 1
    assert list(result["codes"]) == ["x", "y"]


def test_kept_polars_columns_keep_dtype_and_values():
    thing = object()
    frame = pl.DataFrame(
        {
            "category": pl.Series(["b", "a", None], dtype=pl.Categorical),
            "enum": pl.Series(["b", "a", None], dtype=pl.Enum(["c", "b", "a"])),
            "int8": pl.Series([1, 2, None], dtype=pl.Int8),
            "wide": pl.Series([2**100, 2, None], dtype=pl.Int128),
            "decimal": pl.Series([Decimal("1.50"), None, Decimal("2")], dtype=pl.Decimal(10, 2)),
            "time": pl.Series([dt.datetime(2024, 1, 1)] * 3).dt.replace_time_zone("Asia/Tokyo"),
            "text": ["", None, "x"],
            "list": [[1], [], None],
            "float": [-0.0, math.nan, None],
        }
    )
    before = frame.clone()
    result = rebuild(frame, np.array([2, 0]), [(name, name) for name in frame.columns])
    # of the enum's list, the values that no released row has are gone
    expected = frame[[2, 0]].with_columns(pl.col("enum").cast(pl.Enum(["b"])))
    assert result.schema == expected.schema
    assert result.equals(expected, null_equal=True)
    assert rebuild(frame, None, [("text", "text")]).equals(frame.select("text"))
    assert frame.equals(before)
    odd = pl.DataFrame({"x": pl.Series([thing, 1], dtype=pl.Object)})
    assert rebuild(odd, np.array([1, 0]), [("x", "x")])["x"].to_list() == [1, thing]


def test_new_polars_text_is_a_string_column():
    frame = pl.DataFrame({"a": [1, 2]})
    texts = [pa.array(["x", None]), pa.array(["x", None]).dictionary_encode(), pa.array(["x", None], pa.large_string())]
    for text in texts:
        result = rebuild(frame, None, [("n", text), ("a", "a")])
        assert result.schema == {"n": pl.String, "a": pl.Int64}
        assert result["n"].to_list() == ["x", None]


def odd_arrow() -> pa.Table:
    part = pa.table(
        {
            "text": pa.array(["x", None, "y"]),
            "large": pa.array(["x", None, "y"], pa.large_string()),
            "view": pa.array(["x", None, "a text too long to be stored inside the view"], pa.string_view()),
            "bytes": pa.array([b"x", None, b"a text too long to be stored inside the view"], pa.binary_view()),
            "dictionary": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), ["x", "y"], ordered=True),
            "decimal": pa.array([Decimal("1.50"), None, Decimal("2")], pa.decimal128(5, 2)),
            "big": pa.array([Decimal(2**200), None, Decimal(1)], pa.decimal256(61, 0)),
            "time": pa.array([1, None, 3], pa.timestamp("ns", "Asia/Tokyo")),
            "list": pa.array([[1], None, []]),
            "none": pa.nulls(3),
            "float": pa.array([-0.0, math.nan, None]),
        }
    )
    other = part.set_column(
        4, "dictionary", pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), ["z", "x"], ordered=True)
    )
    return pa.concat_tables([part, other])


def test_kept_arrow_columns_keep_type_and_values_over_chunks():
    table = odd_arrow()
    rows = np.array([5, 0, 3, 1, 2, 4])
    values = [str(row) for row in table.to_pylist()]  # text, so that NaN equals NaN
    result = rebuild(table, rows, [(name, name) for name in table.column_names])
    assert result.schema.types == table.schema.types
    assert [str(row) for row in result.to_pylist()] == [values[row] for row in rows]
    whole = rebuild(table, None, [(name, name) for name in table.column_names])
    assert whole.schema.types == table.schema.types
    assert [str(row) for row in whole.to_pylist()] == values


def test_a_record_batch_comes_back_as_a_record_batch():
    batch = pa.record_batch({"a": [1, 2], "b": ["x", "y"]})
    result = rebuild(batch, np.array([1]), [("n", pa.array(["[1, 2]"])), ("b", "b")])
    assert isinstance(result, pa.RecordBatch)
    assert result.to_pylist() == [{"n": "[1, 2]", "b": "y"}]
    assert rebuild(batch, np.array([], np.int64), [("b", "b")]).num_rows == 0


def test_other_arrow_things_come_back_as_tables():
    result = rebuild(Stream(pa.table({"a": [1, 2]})), np.array([1, 0]), [("a", "a")])
    assert isinstance(result, pa.Table)
    assert result.to_pydict() == {"a": [2, 1]}


def test_metadata_of_an_arrow_table_is_not_published():
    table = pa.table({"a": [1]}).replace_schema_metadata({"pandas": SECRET})
    result = rebuild(table, None, [("a", "a")])
    assert result.schema.metadata is None
    assert table.schema.metadata == {b"pandas": SECRET.encode()}


def test_categories_that_no_taken_row_has_are_dropped():
    # categories are in the order of the rows taken, which are shuffled: that of the table tells how its rows lay
    categories = ["unused", "a", SECRET, "b"]
    pandas = pd.DataFrame({"x": pd.Categorical(["a", SECRET, "b"], categories=categories)})
    rows = np.array([2, 0])
    kept = rebuild(pandas, rows, [("x", "x")])["x"]
    assert list(kept) == ["b", "a"]
    assert list(kept.cat.categories) == ["b", "a"]
    arrow = pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([1, 2, 3, None], pa.int16()), categories)})
    column = rebuild(arrow, np.array([2, 3, 0]), [("x", "x")]).column("x")
    assert column.to_pylist() == ["b", None, "a"]
    assert column.chunk(0).dictionary.to_pylist() == ["b", "a"]
    assert column.type == arrow.schema.field("x").type
    polars = pl.DataFrame({"x": pl.Series(["a", SECRET, "b"], dtype=pl.Categorical)})
    assert SECRET not in rebuild(polars, rows, [("x", "x")])["x"].to_arrow().dictionary.to_pylist()


def test_rows_taken_from_views_leave_no_bytes_of_other_rows():
    long = "a text too long to be stored inside the view"
    column = pa.chunked_array([pa.array([SECRET + long, long, None], pa.string_view())])
    taken = take_rows(column, np.array([1, 2]))
    assert taken.to_pylist() == [long, None]
    assert all(SECRET.encode() not in part.to_pybytes() for part in taken.chunk(0).buffers() if part)


def test_a_clash_of_names_in_the_result_is_refused():
    with pytest.raises(InputError) as caught:
        rebuild(pa.table({"a": [1]}), None, [("a", "a"), ("a", pa.array(["x"]))])
    assert caught.value.code == "duplicate-columns"


def test_a_new_column_of_the_wrong_length_is_a_programming_error():
    with pytest.raises(ValueError, match="has 2 rows where the result has 1"):
        rebuild(pa.table({"a": [1]}), None, [("b", pa.array(["x", "y"]))])


def test_rows_of_any_type_can_be_taken():
    table = pa.table(
        {
            "text": pa.array(["a", None, "b"], pa.string_view()),
            "bytes": pa.array([b"a", None, b"b"], pa.binary_view()),
            "runs": pc.run_end_encode(pa.array([1, 1, None])),
            "codes": pa.array(["x", "y", "x"]).dictionary_encode(),
        }
    )
    taken = take_table(table, np.array([2, 0]))
    assert taken.to_pylist() == [table.to_pylist()[2], table.to_pylist()[0]]
    assert taken.schema == table.schema
