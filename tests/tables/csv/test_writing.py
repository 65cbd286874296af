"""CSV as written: quotes only where needed, and our own reader gives back what was there."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from covey.base.errors import InputError
from covey.tables.csv import writing as csv_writing
from covey.tables.csv.reading import read_csv
from covey.tables.csv.writing import write_csv
from covey.tables.files import CsvOptions
from covey.tables.files.target import written_options


def text_of(table: pa.Table, **options: object) -> str:
    out = io.BytesIO()
    write_csv(table, out, CsvOptions(**options))
    return out.getvalue().decode()


def test_quotes_only_where_they_are_needed():
    table = pa.table({"a,b": ["x", "x,y", 'say "hi"', "two\nlines", "cr\r", "", None, " "], "c": list("12345678")})
    assert text_of(table) == ('"a,b",c\nx,1\n"x,y",2\n"say ""hi""",3\n"two\nlines",4\n"cr\r",5\n"",6\n,7\n ,8\n')


def test_another_separator_and_no_header():
    table = pa.table({"a": ["x,y", "x;y"], "b": [1.0, None]})
    assert text_of(table, separator=";", header=False) == 'x,y;1.0\n"x;y";\n'


def test_a_table_without_rows_is_a_header():
    assert text_of(pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int64())})) == "a,b\n"


def test_columns_of_all_types_and_codings():
    parts = [pa.array(["u", None]).dictionary_encode(), pa.array(["v"]).dictionary_encode()]
    nulls_inside = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.uint64()), pa.array(["w", None]))
    table = pa.table(
        {
            "chunks": pa.chunked_array(parts),
            "inside": nulls_inside,
            "days": pa.DictionaryArray.from_arrays(pa.array([0, 0, 1], pa.int8()), pa.array([1, 2], pa.date32())),
            "view": pa.array(["x", "y", None], pa.string_view()),
            "none": pa.nulls(3),
        }
    )
    assert text_of(table) == ("chunks,inside,days,view,none\nu,,1970-01-02,x,\n,w,1970-01-02,y,\nv,,1970-01-03,,\n")


def test_nul_characters_are_refused_by_column():
    with pytest.raises(InputError, match="`a`") as caught:
        text_of(pa.table({"a": ["x\0y"]}))
    assert caught.value.code == "nul-bytes"
    with pytest.raises(InputError, match="header"):
        text_of(pa.table({"a\0": ["x"]}))


def test_a_type_that_has_no_text_is_refused():
    with pytest.raises(InputError) as caught:
        text_of(pa.table({"a": [[1]]}))
    assert caught.value.code == "unsupported-column"


@pytest.mark.parametrize("pairs", [0, 4, 1 << 14])
@pytest.mark.parametrize("batch", [1, 7, 1 << 14])
def test_pairs_of_columns_and_batches_do_not_change_the_text(monkeypatch, pairs, batch):
    table = pa.table({f"c{j}": [None if i % 7 == j else f"v{i % (j + 2)}" for i in range(200)] for j in range(5)})
    names = ",".join(table.column_names)
    rows = "".join(",".join(cell or "" for cell in row.values()) + "\n" for row in table.to_pylist())
    monkeypatch.setattr(csv_writing, "MOST_PAIRS", pairs)
    monkeypatch.setattr(csv_writing, "BATCH_ROWS", batch)
    assert text_of(table) == f"{names}\n{rows}"


def test_long_values_make_short_batches(monkeypatch):
    monkeypatch.setattr(csv_writing, "BATCH_BYTES", 10)
    table = pa.table({"a": ["x" * 100, "y", None], "b": ["1", "2", "3"]})
    assert text_of(table) == "a,b\n" + "x" * 100 + ",1\ny,2\n,3\n"


# there and back

ODD = st.sampled_from(
    ["", ",", ";", "\t", "|", '"', '""', "\n", "\r", "\r\n", "\ufeff", "\ufeffx", "\x1f", "\x85", "é"]
)
CELL = st.one_of(st.none(), ODD, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6))
NAME = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4
) | st.sampled_from(["\ufeff", '"', ",", "\n"])


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    names = draw(st.lists(NAME, min_size=1, max_size=3, unique=True))
    n_rows = draw(st.integers(1, 6))
    columns = {}
    for name in names:
        column = pa.array(draw(st.lists(CELL, min_size=n_rows, max_size=n_rows)), pa.string())
        columns[name] = column.dictionary_encode() if draw(st.booleans()) else column
    return pa.table(columns)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "x", "\x1f", "\\", "^", "."])
def test_any_text_comes_back_as_it_was_written(separator):
    @settings(max_examples=120, deadline=None)
    @given(tables(), st.booleans())
    @example(pa.table({"a": pa.array([None, None, ""], pa.string())}), False)
    @example(pa.table({"\ufeffa": ["\ufeffb"]}), False)
    @example(pa.table({"a": ["\ufeff"], "b": ["\ufeff"]}), False)
    def check(table, header):
        options = written_options("x.csv", CsvOptions(separator=separator, header=header), tuple(table.column_names))
        out = io.BytesIO()
        write_csv(table, out, options)
        back = read_csv(out.getvalue(), "x", options).table
        assert back.column_names == table.column_names
        assert back.to_pylist() == table.to_pylist()

    check()


def test_one_column_with_missing_values_comes_back():
    values = [None, "x", None, "", None]
    back = read_csv(text_of(pa.table({"a": pa.array(values)})).encode(), "x", CsvOptions()).table
    assert back.column("a").to_pylist() == values
