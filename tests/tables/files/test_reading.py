"""Files become tables: text as it stands, faults named by line, never a cell in a message."""

from __future__ import annotations

import io
import os
import sys
import traceback

import pyarrow as pa
import pyarrow.parquet
import pytest

from covey.base.errors import InputError
from covey.base.hints import on_command_line
from covey.tables.csv import reading as csv_reading
from covey.tables.files import CsvOptions, FileTable, read_table

SECRET = "secret-cell-value"
TEXT = pa.dictionary(pa.int32(), pa.string())


@pytest.fixture
def read(tmp_path):
    def read(content: str | bytes, **options: object) -> FileTable:
        path = tmp_path / "people.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(str(path), options=CsvOptions(**options))

    return read


@pytest.fixture
def fault(read):
    """Return the error of a file: no cell in it, nor in what is printed with its trace."""

    def fault(content: str | bytes, **options: object) -> InputError:
        with pytest.raises(InputError) as caught:
            read(content, **options)
        shown = "".join(traceback.format_exception(caught.value))
        assert SECRET not in shown
        assert SECRET not in repr(caught.value.__context__)
        assert caught.value.hint
        return caught.value

    return fault


# cells


def test_cells_are_text_and_only_an_unquoted_empty_cell_is_null(read):
    found = read('zip,note\n01234,NA\n,"" \n"",\n 5 ,null\n')
    assert found.table.to_pydict() == {
        "zip": ["01234", None, "", " 5 "],
        "note": ["NA", " ", None, "null"],
    }
    assert found.table.schema.types == [TEXT, TEXT]
    assert [column.num_chunks for column in found.table.columns] == [1, 1]
    assert (found.typed, found.format) == (False, "csv")
    assert found.csv == CsvOptions(separator=",", encoding="utf-8")


def test_quotes_line_ends_and_byte_order_mark(read):
    found = read('\ufeffa;b\r\n"x;y";"say ""hi"""\r\n"two\r\nlines";5" pipe\r\n')
    assert found.table.to_pydict() == {"a": ["x;y", "two\r\nlines"], "b": ['say "hi"', '5" pipe']}
    assert found.csv.separator == ";"
    assert read("a,b\r1,2\r3,4\r").table.to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}
    assert read("a,b\n1,2").table.num_rows == 1


def test_a_byte_order_mark_inside_is_content(read):
    assert read("a\n\ufeffx\n").table.to_pydict() == {"a": ["\ufeffx"]}
    assert read("\ufeffa\nx\n").table.to_pydict() == {"a": ["x"]}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_marked_encodings_are_found(read, encoding):
    found = read("größe,b\nÄ,2\n".encode(encoding))
    assert found.table.to_pydict() == {"größe": ["Ä"], "b": ["2"]}


def test_an_encoding_can_be_given(read):
    found = read("größe,b\nÄ,2\n".encode("cp1252"), encoding="cp1252")
    assert found.table.to_pydict() == {"größe": ["Ä"], "b": ["2"]}
    assert found.csv.encoding == "cp1252"


def test_a_file_without_header(read):
    assert read("1,2\n3,4\n", header=False).table.to_pydict() == {"c1": ["1", "3"], "c2": ["2", "4"]}
    named = read("1,2\n3,4\n", header=False, names=("x", "y"))
    assert named.table.to_pydict() == {"x": ["1", "3"], "y": ["2", "4"]}
    assert named.csv.names == ("x", "y")


def test_blank_lines_are_skipped_between_columns_and_missing_in_one_column(read):
    assert read("\na,b\n\n1,2\n\n\n3,4\n\n").table.to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}
    assert read('a\n1\n\n""\n2\n\n').table.to_pydict() == {"a": ["1", None, "", "2", None]}
    assert read("\n\n1\n", header=False).table.to_pydict() == {"c1": [None, None, "1"]}
    assert read("a\n\n").table.to_pydict() == {"a": [None]}


def test_a_cell_longer_than_a_block_is_read(read, monkeypatch):
    monkeypatch.setattr(csv_reading, "BLOCK", 64)
    long = "x" * 50_000
    found = read(f'a,b\n{long},1\n"{long}\n{long}",2\n')
    assert found.table.column("a").to_pylist() == [long, f"{long}\n{long}"]


def test_many_blocks_share_one_dictionary(read, monkeypatch):
    monkeypatch.setattr(csv_reading, "BLOCK", 256)
    values = [f"v{i % 300}" for i in range(3000)]
    column = read("a,b\n" + "".join(f"{value},x\n" for value in values)).table.column("a")
    assert column.num_chunks == 1
    assert column.to_pylist() == values
    assert len(column.chunk(0).dictionary) == 300


def test_two_hundred_thousand_distinct_texts(read):
    values = [f"person-{i}" for i in range(200_000)]
    column = read("id,b\n" + "".join(f"{value},x\n" for value in values)).table.column("id")
    assert column.type == TEXT
    assert column.to_pylist() == values


# lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("a,b\n1,2\n3,4\n", [2, 3]),
        ("a,b\r\n1,2\r\n3,4", [2, 3]),
        ("a,b\r1,2\r3,4\r", [2, 3]),
        ("\n\na,b\n1,2\n\n3,4\n\n\n", [4, 6]),
        ('"a\nb",c\n1,2\n3,4\n', [3, 4]),
        ('a,b\n"1\n\n1",2\n3,4\n', [2, 5]),
        ('a,b\n5" pipe,"1\r\n1"\n3,4\n', [2, 4]),
        ("a\n1\n\n2\n", [2, 3, 4]),
        ('a\n"1\n"\n\n2', [2, 4, 5]),
    ],
)
def test_rows_know_their_lines(read, content, lines):
    found = read(content)
    assert [found.line_of(row) for row in range(found.table.num_rows)] == lines


def test_lines_without_a_header_begin_with_one(read):
    found = read("1,2\n3,4\n", header=False)
    assert [found.line_of(0), found.line_of(1)] == [1, 2]


# faults


def test_ragged_rows_are_named_by_line(fault):
    error = fault(f"a,b\n1,2\n{SECRET}\n3,4\n{SECRET},2,3\n")
    assert error.code == "ragged"
    assert error.message.endswith("people.csv` has 2 rows with another number of cells than 2 (lines 3, 5)")


def test_ragged_rows_after_a_quoted_line_end_keep_their_line(fault):
    assert "(line 5)" in fault(f'a,b\n"1\n1",2\n\n{SECRET},2,3\n').message


def test_at_most_ten_ragged_lines_are_named(fault):
    error = fault("a,b\n" + f"{SECRET}\n" * 12)
    assert "12 rows" in error.message
    assert "(lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more)" in error.message


def test_a_header_that_disagrees_with_all_rows_is_ragged(fault):
    assert fault(f"a\n{SECRET},2\n3,4\n").code == "ragged"


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", "\r\n"])
def test_an_empty_file(fault, content):
    assert fault(content).code == "empty-file"


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\n\n\n", "a\n", "a"])
def test_a_header_without_rows(fault, content):
    assert fault(content).code == "no-rows"


def test_duplicate_names_in_the_header(fault):
    error = fault("a,b,a\n1,2,3\n")
    assert error.code == "duplicate-columns"
    assert "the name of column 1 again (column 3)" in error.message


def test_an_empty_name_in_the_header(fault):
    error = fault(",b\n1,2\n")
    assert error.code == "empty-column-name"
    assert "column 1" in error.message


@pytest.mark.parametrize(
    "content",
    [
        f'a,b\n1,2\n{SECRET},"{SECRET}\n3,4\n',
        f'a,b\n1,2\n3,"{SECRET}',
        'a,b\n1,2\n3,"',
        f'a,b\n5" pipe,1\n{SECRET},"{SECRET}\n3,4\n',  # an even number of quotes
        f'a,b\n1,2\n3,"{SECRET} ""x""\n',
        'a\n1\n"2\n3\n',
    ],
)
def test_a_quote_that_is_never_closed(fault, content):
    error = fault(content)
    assert error.code == "open-quote"
    assert "line 3" in error.message


def test_a_quote_never_closed_in_the_header(fault):
    assert fault('a,"b\n1,2\n').code == "open-quote"


@pytest.mark.parametrize("content", ['a,b\n1,""', 'a,b\n1,""""', 'a,b\n"1","x"', 'a,b\n1,"x\n"\n', 'a,b\n1,x"'])
def test_closed_quotes_at_the_end_are_fine(read, content):
    assert read(content).table.num_rows == 1


def test_an_unreadable_encoding_names_the_first_bad_line(fault):
    error = fault(b"a,b\n1,2\n" + SECRET.encode() + b"\xff,2\n")
    assert error.code == "encoding"
    assert "line 3" in error.message
    assert 'csv={"encoding": "latin-1"}' in error.hint
    assert "--encoding latin-1" in on_command_line(error.hint)
    assert fault(b"gr\xf6\xdfe,b\n1,2\n").code == "encoding"
    assert fault("a,b\n1,\udc81\n".encode("utf-16", "surrogatepass")).code == "encoding"


def test_nul_bytes_are_refused_with_a_hint(fault):
    error = fault(f"a,b\n1,{SECRET}\n".encode("utf-16-le"))
    assert error.code == "nul-bytes"
    assert "utf-16" in error.hint
    assert "line 2" in fault("a,b\n1,\0\n").message


def test_too_few_or_many_names_for_a_file_without_header(fault):
    assert fault(f"{SECRET},2\n", header=False, names=("a", "b", "c")).code == "bad-names"


def test_paths_that_cannot_be_read(tmp_path):
    codes = {}
    for path in (tmp_path / "none.csv", tmp_path, tmp_path / "none.csv" / "x", tmp_path / ("x" * 300), "a\0b"):
        with pytest.raises(InputError) as caught:
            read_table(str(path))
        codes[str(path)] = caught.value.code
    assert list(codes.values()) == ["no-such-file", "is-folder", "no-such-file", "no-such-file", "no-such-file"]


def test_a_file_that_may_not_be_read(monkeypatch, tmp_path):
    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)  # the superuser may read everything
    with pytest.raises(InputError) as caught:
        read_table(str(tmp_path / "x.csv"))
    assert caught.value.code == "no-permission"


# other formats


def sample() -> pa.Table:
    return pa.table({"a": [1, 2, None], "b": pa.array(["x", "y", "x"]).dictionary_encode()}).replace_schema_metadata(
        {"pandas": "{}"}
    )


def as_bytes(kind: str, table: pa.Table) -> bytes:
    out = io.BytesIO()
    if kind == "parquet":
        pa.parquet.write_table(table, out)
    else:
        make = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with make(out, table.schema) as writer:
            writer.write_table(table)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_parquet_and_arrow_are_known_by_their_bytes_and_keep_types(read, kind):
    found = read(as_bytes(kind, sample()))  # under a name in .csv
    assert found.table.equals(sample())
    assert found.table.schema.metadata is None
    assert (found.typed, found.format) == (True, "parquet" if kind == "parquet" else "arrow")
    assert found.line_of(0) == 1


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_broken_files_are_refused(fault, kind):
    whole = as_bytes(kind, pa.table({"a": [SECRET] * 1000}))
    for broken in (whole[: len(whole) // 2], whole[:8], whole[:8] + b"\xff" * 50):
        assert fault(broken).code == "broken-file"


def test_tables_without_rows_columns_or_with_double_names_are_refused(fault):
    assert fault(as_bytes("parquet", pa.table({"a": pa.array([], pa.int64())}))).code == "no-rows"
    assert fault(as_bytes("arrow", pa.table({}))).code == "empty-file"
    double = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert fault(as_bytes("arrow", double)).code == "duplicate-columns"


def test_archives_are_named(fault):
    error = fault(b"\x1f\x8b\x08\x00 and so on")
    assert error.code == "unknown-format"
    assert "gzip" in error.message
    assert fault(b"PK\x03\x04...").code == "unknown-format"


@pytest.mark.parametrize(
    ("data", "kind", "hint"),
    [
        (b"\x1f\x8b\x08\x00 and so on", "a gzip archive", "unpack it on the way: zcat"),
        (b"BZh91AY&SY", "a bzip2 archive", "unpack it on the way: bzcat"),
        (b"PK\x03\x04\x14\x00people.csv", "a zip archive", "unpack it on the way: unzip -p"),
        (b"PK\x03\x04\x14\x00[Content_Types].xml", "a spreadsheet", "save the sheet as CSV in UTF-8"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old office file", "save the sheet as CSV in UTF-8"),
        (b"<stata_dta><header>", "a Stata file", "save it as CSV or Parquet in the program that made it"),
        (b"\x72\x02\x01\x00", "a Stata file", "save it as CSV or Parquet in the program that made it"),
        (b"$FL2@(#) SPSS DATA FILE", "an SPSS file", "save it as CSV or Parquet in the program that made it"),
    ],
)
def test_other_files_are_called_what_they_are_with_what_to_do(fault, data, kind, hint):
    error = fault(data)
    assert error.code == "unknown-format"
    assert f" is {kind}, which cannot be read" in error.message
    assert error.hint.startswith(hint)


def test_a_file_that_needs_more_memory_than_there_is_is_not_called_broken(fault, monkeypatch):
    def read(data):
        raise pa.ArrowMemoryError("malloc of size 4000000000 failed")

    data = as_bytes("parquet", pa.table({"age": [1, 2, 3]}))
    monkeypatch.setattr("covey.tables.files.columnar._read", read)
    error = fault(data)
    assert error.code == "too-large"
    assert "needs more memory than there is: its 0 MB hold 0 MB of columns" in error.message


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_stdin_is_read_by_its_bytes(monkeypatch, kind):
    data = b"a,b\n1,x\n" if kind == "csv" else as_bytes(kind, sample())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    found = read_table("-")
    assert found.format == kind
    assert found.table.column_names == ["a", "b"]


def test_an_error_from_stdin_names_it(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="stdin is empty"):
        read_table("-")


@pytest.mark.skipif(not os.environ.get("COVEY_DATA"), reason="COVEY_DATA is not set: no real tables to read")
def test_adult_reads_as_it_is():
    path = os.path.join(os.environ["COVEY_DATA"], "adult", "adult.data")
    found = read_table(path, options=CsvOptions(header=False))
    assert (found.table.num_rows, found.table.num_columns) == (32_561, 15)
    assert found.line_of(32_560) == 32_561
