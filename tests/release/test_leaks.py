"""Nothing of a suppressed row, of a row outside a slice or of an identifier is left in a released table.

Looked for in the bytes of pickles and of files that are written from the table without compression.
"""

from __future__ import annotations

import base64
import io
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

import covey
from covey.tables import files

N = 40
LOST = (3, 17, 38)
SECRET = "planted-value-of-a-person"
AGES = [None if row in LOST else 20 + row // 4 for row in range(N)]
TEXTS = [f"{SECRET}-{row}" if row in LOST else f"plain-text-that-is-long-{row % 3}" for row in range(N)]


def arrays():
    texts = pa.array(TEXTS)
    coded = texts.dictionary_encode()
    pairs = [[text, text] for text in TEXTS]
    structs = pa.StructArray.from_arrays([texts, coded], ["plain", "coded"])
    below = pa.StructArray.from_arrays([texts, coded], ["a", "b"], mask=pa.array([row in LOST for row in range(N)]))
    offsets = pa.array(range(N + 1), pa.int32())
    many = pa.array(np.arange(N) % 2, pa.int8())
    noted = pa.field("item", pa.string(), metadata={"labels": SECRET})
    coded_noted = pa.field("item", coded.type, metadata={"labels": SECRET})
    structs_noted = pa.struct([coded_noted, pa.field("more", pa.list_(noted))])
    pairs_noted = pa.array([{"item": text, "more": [text]} for text in TEXTS], structs_noted)
    return {
        "text": texts,
        "large": texts.cast(pa.large_string()),
        "view": texts.cast(pa.string_view()),
        "bytes_view": texts.cast(pa.binary()).cast(pa.binary_view()),
        "coded": coded,
        "coded_large": texts.cast(pa.large_string()).dictionary_encode(),
        "ordered": pa.DictionaryArray.from_arrays(coded.indices, coded.dictionary, ordered=True),
        "list": pa.array(pairs),
        "large_list": pa.array(pairs, pa.large_list(pa.string())),
        "list_view": pa.array(pairs, pa.list_view(pa.string())),
        "large_list_view": pa.array(pairs, pa.large_list_view(pa.string())),
        "fixed_list": pa.array(pairs, pa.list_(pa.string(), 2)),
        "list_of_coded": pa.ListArray.from_arrays(offsets, coded),
        "list_of_views": pa.ListArray.from_arrays(offsets, texts.cast(pa.string_view())),
        "struct": structs,
        "below_null": below,
        "list_of_struct": pa.ListArray.from_arrays(offsets, structs),
        "map": pa.array([[(text, text)] for text in TEXTS], pa.map_(pa.string(), pa.string())),
        "run_ends": pa.RunEndEncodedArray.from_arrays(pa.array(range(1, N + 1), pa.int32()), texts),
        "dense": pa.UnionArray.from_dense(many, pa.array(np.arange(N) // 2, pa.int32()), [texts[::2], texts[1::2]]),
        "sparse": pa.UnionArray.from_sparse(many, [texts, coded.cast(pa.string())]),
        "noted_list": pa.array(pairs, pa.list_(noted)),
        "noted_large_list": pa.array(pairs, pa.large_list(noted)),
        "noted_list_view": pa.array(pairs, pa.list_view(noted)),
        "noted_large_list_view": pa.array(pairs, pa.large_list_view(noted)),
        "noted_fixed_list": pa.array(pairs, pa.list_(noted, 2)),
        "noted_map": pa.array([[(text, [text])] for text in TEXTS], pa.map_(pa.string(), pa.list_(noted))),
        "noted_struct": pairs_noted,
        "noted_list_of_coded": pa.ListArray.from_arrays(offsets, coded, type=pa.list_(coded_noted)),
        "noted_list_of_struct": pa.ListArray.from_arrays(offsets, pairs_noted),
        "noted_sparse": pa.UnionArray.from_sparse(many, [pa.array(pairs, pa.list_(noted)), texts]),
        "noted_tagged": pa.ExtensionArray.from_storage(
            pa.opaque(pa.list_(noted), "made", "up"), pa.array(pairs, pa.list_(noted))
        ),
        "tagged": pa.ExtensionArray.from_storage(pa.opaque(pa.string(), "made", "up"), texts),
    }  # fmt: skip


NOTED = [name for name in arrays() if name.startswith("noted_") and "sparse" not in name and "tagged" not in name]


def written(table):
    """Return the bytes of a table, as a pickle and as files without compression."""
    found = [pickle.dumps(table)]
    if isinstance(table, pd.DataFrame):
        for save in (table.to_parquet, table.to_feather):
            out = io.BytesIO()
            try:
                save(out, compression="none" if save == table.to_parquet else "uncompressed")
                found.append(out.getvalue())
            except (pa.ArrowException, ValueError, TypeError):
                continue
        return found
    if isinstance(table, pl.DataFrame):
        for save in (table.write_ipc, table.write_parquet):
            out = io.BytesIO()
            save(out, compression="uncompressed")
            found.append(out.getvalue())
        return found
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as out:
        out.write(table)
    found.append(stream.getvalue())
    try:
        parquet = io.BytesIO()
        pa.parquet.write_table(table, parquet, compression="none")
        found.append(parquet.getvalue())
    except pa.ArrowException:
        pass
    return found


def with_coded_parts(data):
    """Return the bytes of a file, and behind them what stands in it as base64: Parquet keeps Arrow's schema so."""
    parts = [data]
    for part in re.findall(rb"[A-Za-z0-9+/]{80,}", data):
        for start in range(4):  # a length that stands before it may look like a part of it
            whole = part[start : start + (len(part) - start) // 4 * 4]
            parts.append(base64.b64decode(whole))
    return b"".join(parts)


def assert_clean(table):
    for place, data in enumerate(written(table)):
        assert SECRET.encode() not in with_coded_parts(data), f"left in {['the pickle', 'a file', 'a file'][place]}"


def released(frame, **settings):
    missing = {"missing": "suppress"} if settings.pop("suppress", True) else {}
    with pytest.warns(covey.CoveyWarning) if settings.pop("warns", False) else _quiet():
        return covey.anonymize(
            frame, k=2, identifier=["who"], quasi=["age"], sensitive=["kept"], **missing, **settings
        ).table


class _quiet:
    def __enter__(self):
        import warnings

        self.catch = warnings.catch_warnings()
        self.catch.__enter__()
        warnings.simplefilter("ignore")

    def __exit__(self, *words):
        self.catch.__exit__(*words)


def arrow(kept):
    table = pa.table({"who": [f"{SECRET}-who-{row}" for row in range(N)], "age": AGES, "kept": kept})
    return table.replace_schema_metadata({"note": SECRET})


@pytest.mark.parametrize("order", ["kept", "shuffled"])
@pytest.mark.parametrize("name", arrays())
def test_arrow_columns_hold_the_released_rows_only(name, order):
    table = released(arrow(arrays()[name]), order=order)
    assert table["kept"].type == arrays()[name].type
    assert_clean(table)
    if order == "kept":
        there = [value for row, value in enumerate(arrays()[name].to_pylist()) if row not in LOST]
        assert table["kept"].to_pylist() == there


@pytest.mark.parametrize("name", arrays())
def test_a_slice_does_not_bring_its_table_along(name):
    part = arrow(arrays()[name]).slice(4, 12)
    table = released(part, suppress=False)
    assert_clean(table)
    assert table["kept"].to_pylist() == arrays()[name].slice(4, 12).to_pylist()


@pytest.mark.parametrize(
    "name", ["text", "coded", "ordered", "list", "list_view", "view", "struct", "list_of_coded", *NOTED]
)
@pytest.mark.parametrize("sliced", [False, True])
def test_pandas_columns_backed_by_arrow_hold_the_released_rows_only(name, sliced):
    column = arrays()[name]
    frame = pd.DataFrame({
        "who": pd.array([SECRET] * N, "string[pyarrow]"),
        "age": pd.array(AGES, "Int64"),
        "kept": pd.Series(pd.arrays.ArrowExtensionArray(column)),
    })  # fmt: skip
    frame.attrs["note"] = SECRET
    frame.index = pd.Index([f"{SECRET}-{row}" for row in range(N)], name=SECRET)
    frame = frame.iloc[4:16] if sliced else frame
    table = released(frame, suppress=not sliced)
    assert table["kept"].dtype == frame["kept"].dtype
    assert_clean(table)


@pytest.mark.parametrize("kind", ["category", "string[python]", "string[pyarrow]", "str", "object", "large"])
@pytest.mark.parametrize("sliced", [False, True])
def test_pandas_columns_hold_the_released_rows_only(kind, sliced):
    kind = pd.ArrowDtype(pa.large_string()) if kind == "large" else kind
    frame = pd.DataFrame({"who": SECRET, "age": pd.array(AGES, "Int64"), "kept": pd.Series(TEXTS).astype(kind)})
    frame = frame.iloc[4:16] if sliced else frame
    assert_clean(released(frame, suppress=not sliced))


def polars_columns():
    texts = pl.Series("kept", TEXTS)
    labels = pl.Enum(sorted(set(TEXTS)))
    own = pl.Categorical(pl.Categories("their-own"))
    pairs = [[text, text] for text in TEXTS]
    records = [{"a": text, "b": pair} for text, pair in zip(TEXTS, pairs, strict=True)]
    return {
        "String": texts,
        "Categorical": texts.cast(pl.Categorical),
        "Enum": texts.cast(labels),
        "Binary": texts.cast(pl.Binary),
        "List": pl.Series("kept", pairs),
        "Struct": pl.DataFrame({"a": texts}).to_struct("kept"),
        "ListOfCategorical": texts.cast(pl.Categorical).reshape((N, 1)).arr.to_list(),
        "ListOfEnum": pl.Series("kept", pairs, pl.List(labels)),
        "ArrayOfEnum": pl.Series("kept", pairs, pl.Array(labels, 2)),
        "ListOfArrayOfEnum": pl.Series("kept", [[pair] for pair in pairs], pl.List(pl.Array(labels, 2))),
        "StructOfEnum": pl.Series("kept", records, pl.Struct({"a": labels, "b": pl.Array(labels, 2)})),
        "ListOfStructOfEnum": pl.Series(
            "kept", [[record] for record in records], pl.List(pl.Struct({"a": labels, "b": pl.List(pl.String)}))
        ),
        "ArrayOfCategorical": pl.Series("kept", pairs, pl.Array(own, 2)),
        "StructOfCategorical": pl.Series("kept", records, pl.Struct({"a": own, "b": pl.List(pl.Categorical)})),
    }  # fmt: skip


def without_labels(kind):
    return re.sub(r"categories=\[.*?\]", "", str(kind))


@pytest.mark.parametrize("kind", polars_columns())
@pytest.mark.parametrize("sliced", [False, True])
def test_polars_columns_hold_the_released_rows_only(kind, sliced):
    kept = polars_columns()[kind]
    frame = pl.DataFrame({"who": [SECRET] * N, "age": AGES, "kept": kept})
    frame = frame.slice(4, 12) if sliced else frame
    table = released(frame, suppress=not sliced)
    assert table["kept"].dtype == kept.dtype or "Enum" in kind
    assert without_labels(table["kept"].dtype) == without_labels(kept.dtype)
    there = [value for row, value in enumerate(kept.to_list()) if (4 <= row < 16 if sliced else row not in LOST)]
    assert table["kept"].to_list() == there
    assert_clean(table)
    assert_clean(table.to_arrow())


def test_an_enum_inside_a_list_keeps_the_order_of_the_labels_that_are_left():
    kind = pl.List(pl.Enum(["late", SECRET, "early"]))
    rows = [[SECRET] if row in LOST else ["early", "late"] for row in range(N)]
    table = released(pl.DataFrame({"who": range(N), "age": AGES, "kept": pl.Series(rows, dtype=kind)}))
    assert table["kept"].dtype == pl.List(pl.Enum(["late", "early"]))


FLAT = ("text", "coded", "ordered", "view")
# a CSV file cannot hold these
NESTED = ("list", "list_view", "struct", "below_null", "noted_list", "noted_list_of_struct")


@pytest.mark.parametrize(
    ("name", "ending"),
    [(name, ending) for ending in ("parquet", "arrow") for name in FLAT + NESTED] + [(name, "csv") for name in FLAT],
)
def test_files_hold_the_released_rows_only(tmp_path, name, ending):
    table = released(arrow(arrays()[name]))
    out = tmp_path / f"out.{ending}"
    files.write_table(
        table, str(out), format=None, csv=files.CsvOptions(), force=False, check=lambda path: None, source=None
    )
    assert SECRET.encode() not in with_coded_parts(out.read_bytes())
    assert_clean(files.read_table(str(out)).table)
