"""Missing values: declared texts become null, and the policy says which rows are released."""

from __future__ import annotations

import pyarrow as pa
import pytest

from covey.errors import InputError
from covey.missing import present_rows, with_na


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_declared_texts_are_missing_whatever_blanks_are_around_them(kind):
    texts = pa.array(["?", " NA", "NA?", "x", None, ""])
    column = texts.dictionary_encode() if pa.types.is_dictionary(kind) else texts.cast(kind)
    found = with_na(pa.table({"a": column}), ["?", "NA "])
    assert found.column("a").to_pylist() == [None, None, "NA?", "x", None, ""]


def test_an_empty_text_can_be_declared():
    assert with_na(pa.table({"a": ["", "x"]}), [""]).column("a").to_pylist() == [None, "x"]


def test_columns_that_are_not_text_are_left_alone():
    table = pa.table({"a": [9, 1], "b": [True, False]})
    assert with_na(table, ["9", "true"]).equals(table)
    assert with_na(table, []) is table


def test_policies():
    table = pa.table({"a": [1.0, None, float("nan"), 4.0], "b": ["x", "y", "z", None]})
    assert present_rows(table, "category").tolist() == [0, 1, 2, 3]
    assert present_rows(table, "suppress").tolist() == [0]
    with pytest.raises(InputError, match="2 quasi columns with missing values: `a`, `b`"):
        present_rows(table, "error")
    assert present_rows(table.slice(0, 1), "error").tolist() == [0]
