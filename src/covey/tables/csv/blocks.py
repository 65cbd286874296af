"""The blocks in which a CSV file is read, joined to columns of one chunk.

Each block has a dictionary of its own.  Arrow joins them by looking up every text again, which is most of the time
that reading takes where nearly every row has a text of its own (names, keys).  There all texts are first hashed and
sorted: if no two hashes are equal, no two texts are, and the dictionaries are simply laid end to end.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["joined"]

MANY = 20_000
"""Fewer texts are looked up faster than they are hashed and sorted."""
MOST_BYTES = (1 << 31) - 1
"""More cannot be laid end to end, however few different texts there are."""
WORD = 8
LONGEST = 8 * WORD
"""Texts with more bytes are looked up: hashing takes a turn for each word of the longest one."""
MASKS = np.array([(1 << 8 * size) - 1 for size in range(WORD + 1)], np.uint64)
"""Which bytes of a word belong to a text that has so many of them."""
ODD = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


def joined(table: pa.Table) -> pa.Table:
    """Return a table of dictionary columns with one chunk and one dictionary each, its texts as they first appear."""
    columns = [_joined(column) for column in table.columns]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _joined(column: pa.ChunkedArray) -> pa.DictionaryArray:
    sizes = [len(chunk.dictionary) for chunk in column.chunks]
    n_bytes = sum(chunk.dictionary.nbytes for chunk in column.chunks)
    if sum(sizes) >= MANY and 2 * sum(sizes) > len(column) and n_bytes <= MOST_BYTES:
        texts = pa.concat_arrays([chunk.dictionary for chunk in column.chunks])
        if are_surely_distinct(texts):
            begins = np.cumsum([0, *sizes[:-1]]).tolist()
            indices = [
                pc.add(chunk.indices, pa.scalar(begin, pa.int32()))
                for chunk, begin in zip(column.chunks, begins, strict=True)
            ]
            return pa.DictionaryArray.from_arrays(pa.concat_arrays(indices), texts)
    return column.unify_dictionaries().combine_chunks()


def are_surely_distinct(texts: pa.StringArray) -> bool:
    """Return True only if no two texts are equal; False tells nothing.

    >>> are_surely_distinct(pa.array(["Ann", "Bo", "An", "n"])), are_surely_distinct(pa.array(["Ann", "Bo", "Ann"]))
    (True, False)
    """
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset :][: len(texts) + 1].astype(np.int64)
    lengths = np.diff(ends)
    longest = int(lengths.max(initial=0))
    if longest > LONGEST:
        return False
    used = np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]
    text = np.concatenate([used, np.zeros(LONGEST + WORD, np.uint8)])
    words = np.ndarray(len(text) - WORD + 1, np.dtype("<u8"), text, strides=(1,))  # the one that begins at each byte
    begins = ends[:-1] - ends[0]
    hashes = lengths.astype(np.uint64) * ODD  # spread, or "a" and "b\0" would differ in both by the same bits
    for done in range(0, longest, WORD):
        word = words[begins + done] & MASKS[np.clip(lengths - done, 0, WORD)]
        hashes = (hashes ^ word) * ODD
        hashes ^= hashes >> HALF
    hashes.sort()
    return not bool((hashes[1:] == hashes[:-1]).any())
