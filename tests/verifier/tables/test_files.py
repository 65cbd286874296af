"""What is no table is called what it is, with what to do; what does not fit into memory is not called broken."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from covey.base.errors import InputError
from covey.verifier.tables import read_file


@pytest.mark.parametrize(
    ("data", "kind", "hint"),
    [
        (b"\x1f\x8b\x08", "a gzip archive", "unpack it on the way: zcat FILE | covey verify - "),
        (b"PK\x03\x04" + b"." * 99, "a zip archive", "unpack it on the way: unzip -p FILE"),
        (b"PK\x03\x04" + b"." * 26 + b"[Content_Types].xml", "a spreadsheet", "save the sheet as CSV"),
        (b"$FL2@(#) SPSS DATA FILE", "an SPSS file", "save it as CSV or Parquet"),
        (b"<stata_dta><header>", "a Stata file", "save it as CSV or Parquet"),
        (b"\x72\x02\x01\x00", "a Stata file", "save it as CSV or Parquet"),
        (b'[{"age": 34}]', "JSON", "give the table as CSV"),
        (b'\xef\xbb\xbf {"age": 34}', "JSON", "give the table as CSV"),
    ],
)
def test_other_files_are_called_what_they_are_with_what_to_do(data, kind, hint):
    with pytest.raises(InputError) as caught:
        read_file(data)
    assert caught.value.code == "unknown-format"
    assert f" is {kind}, which cannot be read" in caught.value.message
    assert caught.value.hint.startswith(hint)


def test_a_file_that_needs_more_memory_than_there_is_is_not_called_broken(monkeypatch):
    def read(data):
        raise pa.ArrowMemoryError("malloc of size 4000000000 failed")

    out = io.BytesIO()
    pq.write_table(pa.table({"age": [1, 2]}), out)
    monkeypatch.setattr("covey.verifier.tables.columnar._open", read)
    with pytest.raises(InputError, match="needs more memory than there is") as caught:
        read_file(out.getvalue())
    assert caught.value.code == "too-large"
