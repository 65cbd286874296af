"""Nodes of trees, and sets of values without order or tree."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntMatrix, IntVector
from covey.codes.boxes import column_prices
from covey.codes.rings import Rings, window_sets
from covey.columns.typed import TypedColumn
from covey.columns.values.writing import ANY, write_set
from covey.recode.cells import Cells, distinct_pairs, first_of_each, lone_value, merge_equal, merged_cells

__all__ = ["codes_in", "distinct_sets", "node_cells", "set_cells", "sets_of_windows"]


_MOST_WORDS = 1 << 23  # of sets of values that are held at once, 8 bytes each
_Candidate = tuple[str | None, float, float]
"""A cell that may be released: its text, its price, and its share of the domain."""


def node_cells(column: TypedColumn, low: IntVector, high: IntVector, whole: int | None = None) -> Cells:
    """Return the cells of a tree; so many codes as are the `whole` are `*`, even if they are a node below the root."""
    number, pairs = distinct_pairs(low, high, column.size)
    taxonomy, missing = column.taxonomy, column.n_missing
    ends = np.array(pairs, np.int64)
    prices = column_prices(column, ends[:, 0], ends[:, 1])
    inner = frozenset(taxonomy.inner)
    found: list[_Candidate] = []
    for (lo, hi), price in zip(pairs, prices, strict=True):
        if hi - lo + 1 == whole or (lo < missing and lo < hi):
            found.append((ANY, 1.0, 1.0))
        elif lo == hi:
            found.append((lone_value(column, lo, inner), 0.0, 0.0))
        else:
            node = taxonomy.ancestor(lo - missing, hi - missing)
            found.append((node, float(price), len(taxonomy.below(node)) / len(taxonomy.leaves)))
    return _text_cells(column, number, found)


def set_cells(
    column: TypedColumn, number: IntVector, members: Sequence[Sequence[int]], whole: int | None = None
) -> Cells:
    """Return the cells of a column without order or tree, from the kind of each class's set and the kinds' codes."""
    label = functools.cache(column.label)  # a value is in many sets
    found: list[_Candidate] = []
    for codes in members:
        if len(codes) == 1 and whole != 1:
            found.append((lone_value(column, codes[0]), 0.0, 0.0))
        elif codes[0] < column.n_missing or len(codes) >= len(column.points):
            found.append((ANY, 1.0, 1.0))
        else:
            found.append((write_set([label(code) for code in codes]), 1.0, len(codes) / len(column.points)))
    return _text_cells(column, number, found)


def _text_cells(column: TypedColumn, number: IntVector, candidates: Sequence[_Candidate]) -> Cells:
    texts = pa.array([text for text, _, _ in candidates], pa.string())
    return merged_cells(number, ((column.name, texts),), [(price, share) for _, price, share in candidates])


def distinct_sets(words: IntMatrix) -> tuple[IntVector, IntMatrix]:
    """Return (the kind of each set, one set of each kind); each word is ranked first, which is quick."""
    ranks = np.stack([np.unique(word, return_inverse=True)[1] for word in words.T])
    kind = merge_equal(ranks)
    return kind, words[first_of_each(kind, int(kind.max(initial=-1)) + 1)]


def sets_of_windows(column: TypedColumn, cover: Rings, k: int) -> tuple[IntVector, IntMatrix]:
    """Return (the kind of each window's set of values, one set of each kind), some rings at a time to save memory."""
    n = len(cover.order)
    most = max(_MOST_WORDS // ((column.size + 63) // 64), 1)
    chunk = (cover.starts[1:] - 1) // most
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(chunk)) + 1, [len(chunk)]])
    kinds: IntVector = np.empty(n, np.int64)
    found: list[IntMatrix] = []
    n_found = 0
    for first, last in itertools.pairwise(bounds.tolist()):
        begin, end = int(cover.starts[first]), int(cover.starts[last])
        rings = Rings(cover.order[begin:end], cover.starts[first : last + 1] - begin, cover.windows)
        kind, sets = distinct_sets(window_sets(column.codes, column.size, rings, k))
        kinds[begin:end] = kind + n_found
        found.append(sets)
        n_found += len(sets)
    kind, sets = distinct_sets(np.concatenate(found))
    return kind[kinds], sets


def codes_in(words: IntVector) -> list[int]:
    """Return the codes whose bits are set."""
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
    return [int(code) for code in np.flatnonzero(bits)]
