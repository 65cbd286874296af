"""Classes are recounted from released cells, of any type, whatever the index says."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.base.errors import InputError, UnknownColumn
from covey.verifier import verify
from oracles.verify import level


def level_reached(table, *names, **settings):
    return verify(table, quasi=list(names), **settings).level


def test_f12_a_missing_value_is_a_value_of_its_own():
    # pycanon leaves the missing one out and reports 3
    assert level_reached(pd.DataFrame({"q": ["a", "a", "a", None]}), "q") == 1
    assert level_reached(pd.DataFrame({"q": [None, None]}), "q") == 2
    assert not verify(pd.DataFrame({"q": ["a", "a", "a", None]}), k=3, quasi=["q"]).ok


@pytest.mark.parametrize("index", [[0, 2, 1, 3], [10, 11, 12, 13], list("wxyz"), [0, 0, 1, 1]])
def test_f15_index_labels_never_matter(index):
    plain = pd.DataFrame({"q": list("aabc"), "s": list("xxyy")})
    labelled = pd.DataFrame({"q": list("aabc"), "s": list("xxyy")}, index=index)
    for table in (plain, labelled):
        verdict = verify(table, k=2, quasi=["q"], original=plain)
        assert (verdict.level, verdict.offending_count, verdict.truthful.kind) == (1, 2, "aligned")


def test_f18_rows_that_are_all_stars_are_a_class_and_fail_below_k():
    table = pa.table({"age": ["[30, 39]"] * 5 + ["*"] * 3, "sex": ["f"] * 5 + ["*"] * 3})
    counted = verify(table, k=5, quasi=["age", "sex"])
    assert (counted.ok, counted.level, counted.starred_rows, counted.starred_ignored) == (False, 3, 3, False)
    assert counted.offending[0].cells == {"age": "*", "sex": "*"}
    ignored = verify(table, k=5, quasi=["age", "sex"], suppressed_rows="ignore")
    assert (ignored.ok, ignored.level, ignored.classes) == (True, 5, 1)
    assert (ignored.starred_rows, ignored.starred_ignored, ignored.rows) == (3, True, 8)


def test_a_row_with_one_star_is_not_starred():
    table = pa.table({"age": ["*", "*", "*"], "sex": ["f", "f", "*"]})
    verdict = verify(table, quasi=["age", "sex"], suppressed_rows="ignore")
    assert (verdict.starred_rows, verdict.level, verdict.classes) == (1, 2, 1)


def test_nothing_left_to_count_is_an_error():
    table = pa.table({"age": ["*", "*"]})
    with pytest.raises(InputError, match="nothing to count"):
        verify(table, quasi=["age"], suppressed_rows="ignore")
    with pytest.raises(InputError, match="no rows"):
        verify(table.slice(0, 0), quasi=["age"])


ZONE = dt.timezone(dt.timedelta(hours=2))
PAIRS = {
    "int8": pa.array([1, 2], pa.int8()),
    "uint64": pa.array([2**64 - 1, 2**64 - 2], pa.uint64()),
    "int64 beyond 2**53": pa.array([2**53, 2**53 + 1]),
    "float": pa.array([0.1, 0.30000000000000004]),
    "float32": pa.array([0.1, 0.2], pa.float32()),
    "float16": pa.array(np.array([0.5, 1.5], np.float16)),
    "infinities": pa.array([float("inf"), float("-inf")]),
    "NaN is a value": pa.array([float("nan"), 1.0]),
    "decimal": pa.array([Decimal("1.10"), Decimal("1.11")]),
    "big decimal": pa.array([Decimal(10**40), Decimal(10**40 + 1)], pa.decimal256(50, 0)),
    "bool": pa.array([True, False]),
    "text": pa.array(["a", ""]),
    "large text": pa.array(["a", "b"], pa.large_string()),
    "text view": pa.array(["a", "b"], pa.string_view()),
    "binary": pa.array([b"a", b"b"]),
    "binary view": pa.array([b"a", b"b"], pa.binary_view()),
    "date": pa.array([dt.date(2024, 1, 1), dt.date(2024, 1, 2)]),
    "timestamp": pa.array([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 0, 0, 1)]),
    "zoned": pa.array([dt.datetime(2024, 1, 1, tzinfo=ZONE), dt.datetime(2024, 1, 2, tzinfo=ZONE)]),
    "time": pa.array([dt.time(1), dt.time(2)]),
    "duration": pa.array([dt.timedelta(1), dt.timedelta(2)]),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("as_dictionary", [False, True])
def test_every_type_is_counted_by_value(name, as_dictionary):
    values = PAIRS[name]
    first, second = values.to_pylist()
    rows = pa.array([first] * 3 + [second] * 2 + [None] * 2, values.type)
    if as_dictionary:
        rows = rows.dictionary_encode()
    verdict = verify(pa.table({"q": rows}), k=3, quasi=["q"])
    assert verdict.sizes == ((2, 2), (3, 1))
    assert len(verdict.offending) == 2
    assert {None} < {one.cells["q"] for one in verdict.offending}


def test_zeros_and_nans_are_each_one_value():
    zeros = pa.array([0.0, -0.0, float("nan"), -float("nan")])
    assert level_reached(pa.table({"q": zeros}), "q") == 2
    assert level_reached(pa.table({"q": zeros.dictionary_encode()}), "q") == 2


def test_null_and_nan_differ_where_the_frame_tells_them_apart():
    assert level_reached(pl.DataFrame({"q": [None, None, float("nan")]}), "q") == 1
    assert level_reached(pd.DataFrame({"q": [None, None, float("nan")]}), "q") == 3


def test_unused_and_repeated_categories_do_not_count():
    unused = pd.DataFrame({"q": pd.Categorical(["a", "a"], categories=["z", "a", "b"])})
    assert verify(unused, quasi=["q"]).classes == 1
    repeated = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["a", "a", None, None]))
    assert verify(pa.table({"q": repeated}), quasi=["q"]).sizes == ((2, 2),)
    with_null = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", None]))
    assert verify(pa.table({"q": with_null}), quasi=["q"]).sizes == ((1, 1), (2, 1))


def test_chunks_with_different_dictionaries_are_one_column():
    column = pa.chunked_array([pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "a"]).dictionary_encode()])
    assert level_reached(pa.table({"q": column}), "q") == 2


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, 1, 2], "b": ["x", "x", "y"]}),
        pd.DataFrame({"a": [1, 1, 2], "b": ["x", "x", "y"]}).convert_dtypes(dtype_backend="pyarrow"),
        pd.DataFrame({"a": [1, 1, 2], "b": ["x", "x", "y"]}).astype("category"),
        pl.DataFrame({"a": [1, 1, 2], "b": ["x", "x", "y"]}),
        pl.DataFrame({"a": [1, 1, 2], "b": ["x", "x", "y"]}).cast({"b": pl.Categorical}),
    ],
)
def test_every_kind_of_frame_is_counted(frame):
    assert verify(frame, quasi=["a", "b"]).sizes == ((1, 1), (2, 1))


def test_bounds_are_found_by_the_name_of_the_column():
    table = pa.table({"age_min": [30, 30, 40], "age_max": [39, 39, 49], "s": ["x", "y", "z"]})
    verdict = verify(table, k=2, quasi=["age"])
    assert verdict.level == 1
    assert verdict.offending[0].cells == {"age_min": "40", "age_max": "49"}
    both = pa.table({"age": [1, 1], "age_min": [1, 2], "age_max": [3, 4]})
    assert level_reached(both, "age") == 2  # the column itself goes first
    with pytest.raises(UnknownColumn, match="no column `age`"):
        verify(table.drop_columns(["age_max"]), quasi=["age"])


def test_offending_classes_come_smallest_first_and_at_most_twenty():
    cells = [f"c{size}" for size in range(1, 31) for _ in range(size)]
    verdict = verify(pa.table({"q": cells}), k=26, quasi=["q"])
    assert [one.size for one in verdict.offending] == list(range(1, 21))
    assert (verdict.offending_count, verdict.offending_rows) == (25, 325)  # 1 + 2 + ... + 25
    assert (verdict.smallest, verdict.largest, verdict.classes) == (1, 30, 30)


def test_without_k_the_level_is_reported():
    verdict = verify(pa.table({"q": ["a", "b"]}), quasi=["q"])
    assert (verdict.ok, verdict.k, verdict.level, verdict.offending) == (True, None, 1, ())
    assert verdict.suppressed is None
    assert verdict.truthful is None


def test_many_wide_columns_do_not_overflow_the_count():
    # 12 columns of 101 different values: 101**12 > 2**63, so keys must be renumbered on the way
    rng = np.random.default_rng(3)
    columns = {f"q{j}": np.concatenate([rng.permutation(101), rng.permutation(101)]) for j in range(12)}
    table = pa.table({**columns})
    doubled = pa.concat_tables([table, table])
    assert verify(doubled, quasi=list(columns)).sizes == ((2, 202),)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", None]),
            st.sampled_from([1.0, -0.0, 0.0, float("nan"), None]),
            st.booleans() | st.none(),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_the_level_is_the_brute_force_count(rows):
    table = pa.table(
        {
            "x": pa.array([row[0] for row in rows], pa.string()),
            "y": pa.array([row[1] for row in rows], pa.float64()),
            "z": pa.array([row[2] for row in rows], pa.bool_()),
        }
    )
    verdict = verify(table, quasi=["x", "y", "z"])
    assert verdict.level == level(rows)
    assert sum(size * classes for size, classes in verdict.sizes) == len(rows)
