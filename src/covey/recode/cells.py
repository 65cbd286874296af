"""The distinct cells of one released column, and which of them each class has."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.codes.merging import merge_rows
from covey.columns.typed import TypedColumn
from covey.columns.values.writing import write_label

__all__ = ["Cells", "distinct_cells", "distinct_pairs", "first_of_each", "lone_value", "merge_equal", "merged_cells"]


@dataclass(frozen=True, slots=True)
class Cells:
    """What is published for one column: a number of a distinct cell for every class, and the cells.

    Two classes have the same number if and only if the same is published for both.
    """

    number: IntVector
    """(c,) int64."""
    published: tuple[tuple[str, pa.Array], ...]
    """The columns published: (name, its distinct cells)."""
    prices: FloatVector
    """(c,) float64."""
    shares: FloatVector
    """(c,) float64."""


def merge_equal(numbers: IntMatrix) -> IntVector:
    """Return the published class of each class: those with the same number in every row of (p, c) are one."""
    return merge_rows(numbers, numbers.max(axis=1, initial=0) + 1)[2]


def first_of_each(published: IntVector, n_published: int) -> IntVector:
    """Return the first class of each published class; all of them have the same cells, so the same prices."""
    first = np.zeros(n_published, np.int64)
    first[published[::-1]] = np.arange(len(published))[::-1]
    return first


def distinct_pairs(low: IntVector, high: IntVector, size: int) -> tuple[IntVector, list[tuple[int, int]]]:
    """Return (number of each class's pair, the distinct pairs of ends)."""
    keys, number = np.unique(low * size + high, return_inverse=True)
    return number, [(int(key) // size, int(key) % size) for key in keys]


def merged_cells(
    number: IntVector, published: tuple[tuple[str, pa.Array], ...], facts: Sequence[tuple[float, float]]
) -> Cells:
    """Return the cells of a column from the (price, share) of each candidate; candidates that read alike are one.

    Different candidates read alike where several runs of leaves have one ancestor, where ends snap to the
    same values, and where a mix with missing is `*`.
    """
    table = np.array(facts, np.float64).reshape(-1, 2)
    alike = merge_equal(np.stack([distinct_cells(values)[1] for _, values in published]))
    first = pa.array(first_of_each(alike, int(alike.max(initial=-1)) + 1))
    fewer = tuple((name, values.take(first)) for name, values in published)
    return Cells(alike[number], fewer, table[number, 0], table[number, 1])


def lone_value(column: TypedColumn, code: int, nodes: Collection[str] = ()) -> str | None:
    """Return how one value is written where it stands alone; `nodes` are the written names it must not have."""
    if code < column.n_missing:
        return column.missing_text(code)
    plain = column.label(code)
    if column.type in ("numeric", "date") and not column.is_tree:
        return plain
    return write_label(plain, nodes=nodes, ordered=column.type == "ordered")


def distinct_cells(values: pa.Array) -> tuple[pa.Array, IntVector]:
    """Return (the distinct values, the number of each value among them)."""
    coded = values.dictionary_encode(null_encoding="encode")
    return coded.dictionary, coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
