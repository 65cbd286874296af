"""Blocks of text joined to one chunk: the same as Arrow's own joining, and no hash is taken for an equal text."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covey.tables.csv import blocks
from covey.tables.csv.blocks import are_surely_distinct, joined

TEXT = st.text("ab0é\0", max_size=70)
CHUNK = st.lists(st.none() | TEXT, max_size=6)


def dictionaries(chunks):
    """Return a table with one column of dictionary chunks."""
    kind = pa.dictionary(pa.int32(), pa.string())
    return pa.table({"x": pa.chunked_array([pa.array(c, pa.string()).dictionary_encode() for c in chunks], kind)})


@pytest.mark.parametrize("many", [0, 10**9])
@given(chunks=st.lists(CHUNK, min_size=1, max_size=5))
def test_joined_blocks_are_those_of_arrow(many, chunks):
    given_table = dictionaries(chunks)
    expected = given_table.unify_dictionaries().combine_chunks()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "MANY", many)
        made = joined(given_table)
    assert made.equals(expected)
    column = made.column("x")
    assert column.num_chunks <= 1
    for chunk, twin in zip(column.chunks, expected.column("x").chunks, strict=True):
        assert chunk.dictionary.equals(twin.dictionary)
        assert chunk.indices.equals(twin.indices)
    made.validate(full=True)


@example(texts=["a", "b\0"], start=0)  # lengths and first bytes that differ in the same bits
@given(texts=st.lists(TEXT, max_size=12), start=st.integers(0, 3))
def test_texts_are_distinct_only_if_no_two_are_equal(texts, start):
    part = pa.array(texts, pa.string())[start:]
    own = texts[start:]
    if are_surely_distinct(part):
        assert len(set(own)) == len(own)
    elif all(len(text.encode()) <= blocks.LONGEST for text in own):  # so few hashes are not equal by chance
        assert len(set(own)) < len(own)


@pytest.mark.parametrize("again", [None, 0, 70_000, 149_998])
def test_large_columns_are_joined_alike_where_one_text_comes_twice(again):
    texts = [f"P{i:07}" for i in np.random.default_rng(1).permutation(150_000)]
    if again is not None:
        texts[-1] = texts[again]
    table = dictionaries([texts[:50_000], [], texts[50_000:90_000], texts[90_000:]])
    made = joined(table).column("x").chunk(0)
    assert len(made.dictionary) == len(set(texts))
    assert made.cast(pa.string()).to_pylist() == texts


def test_more_bytes_than_one_array_holds_are_looked_up(monkeypatch):
    monkeypatch.setattr(blocks, "MANY", 0)
    monkeypatch.setattr(blocks, "MOST_BYTES", 40)
    monkeypatch.setattr(blocks, "are_surely_distinct", lambda texts: pytest.fail("they cannot be laid end to end"))
    made = joined(dictionaries([["a" * 30, "b"], ["a" * 30, "c"]])).column("x").chunk(0)
    assert made.dictionary.to_pylist() == ["a" * 30, "b", "c"]


def test_every_part_of_csv_can_be_imported_first():
    script = "import covey.tables.csv.reading"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
