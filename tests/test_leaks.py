"""Nothing of a suppressed row, of a row outside a slice or of an identifier is left in a released table.

Looked for in the bytes of pickles and of files that are written from the table without compression.
"""

from __future__ import annotations

import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

import covey
from covey import files

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
        "tagged": pa.ExtensionArray.from_storage(pa.opaque(pa.string(), "made", "up"), texts),
    }  # fmt: skip


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


def assert_clean(table):
    for place, data in enumerate(written(table)):
        assert SECRET.encode() not in data, f"left in {['the pickle', 'a file', 'a file'][place]}"


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


@pytest.mark.parametrize("name", ["text", "coded", "ordered", "list", "list_view", "view", "struct", "list_of_coded"])
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


@pytest.mark.parametrize("kind", ["String", "Categorical", "Enum", "Binary", "List", "Struct", "ListOfCategorical"])
@pytest.mark.parametrize("sliced", [False, True])
def test_polars_columns_hold_the_released_rows_only(kind, sliced):
    texts = pl.Series("kept", TEXTS)
    kept = {
        "String": lambda: texts,
        "Categorical": lambda: texts.cast(pl.Categorical),
        "Enum": lambda: texts.cast(pl.Enum(sorted(set(TEXTS)))),
        "Binary": lambda: texts.cast(pl.Binary),
        "List": lambda: pl.Series("kept", [[text, text] for text in TEXTS]),
        "Struct": lambda: pl.DataFrame({"a": texts}).to_struct("kept"),
        "ListOfCategorical": lambda: texts.cast(pl.Categorical).reshape((N, 1)).arr.to_list(),
    }[kind]()
    frame = pl.DataFrame({"who": [SECRET] * N, "age": AGES, "kept": kept})
    frame = frame.slice(4, 12) if sliced else frame
    table = released(frame, suppress=not sliced)
    assert table["kept"].dtype == kept.dtype or kind == "Enum"
    assert_clean(table)


FLAT = ("text", "coded", "ordered", "view")
NESTED = ("list", "list_view", "struct", "below_null")  # a CSV file cannot hold these


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
    assert SECRET.encode() not in out.read_bytes()
    assert_clean(files.read_table(str(out)).table)
