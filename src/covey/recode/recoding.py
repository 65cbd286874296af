"""From classes to released columns: one shared description per class and column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.base.checks import bad_parameter
from covey.codes.boxes import ClassSummary, class_sets, summarise
from covey.codes.codes import TableCodes
from covey.codes.rings import Rings, window_boxes
from covey.columns.descriptions import Descriptions
from covey.columns.typed import TypedColumn
from covey.recode.categories import codes_in, distinct_sets, node_cells, set_cells, sets_of_windows
from covey.recode.cells import Cells, distinct_pairs, first_of_each, merge_equal
from covey.recode.centres import centre_cells
from covey.recode.intervals import interval_cells

__all__ = ["Recoding", "recode", "recode_windows"]


@dataclass(frozen=True, slots=True)
class Recoding:
    """The released quasi columns and what they cost; classes with the same released tuple are one."""

    columns: dict[str, tuple[tuple[str, pa.Array], ...]]
    """For each quasi column the columns published for it: (name, a value for every row)."""
    labels: IntVector
    """(n,) int64: the class of each row, as published."""
    sizes: IntVector
    """(c,) int64: the rows of each class."""
    prices: FloatVector
    """(p, c) float64: what each released cell costs, 0 to 1 (Total-IL)."""
    shares: FloatVector
    """(p, c) float64: the share of the domain that each released cell covers, 0 for one value (NCP)."""


def recode(
    columns: Sequence[TypedColumn],
    codes: TableCodes,
    labels: IntVector,
    *,
    k: int,
    release: str = "interval",
    ends: str = "exact",
    told: Descriptions | None = None,
) -> Recoding:
    """Return what is published of the quasi columns, given the class of every row.

    told: what is said of the classes in place of the least boxes around their rows; centres do not go with it.
    """
    labels = np.asarray(labels, np.int64)
    if told is not None:
        return _published(columns, _told(columns, told.of_classes(labels), k, release, ends), labels)
    if release != "centre":
        return _published(columns, _describe(columns, codes, labels, k, release, ends), labels)
    centres = _published(columns, [centre_cells(column, labels) for column in columns], labels)
    # a centre does not say how far its class reaches, so it costs what an interval would
    reach = _describe(columns, codes, centres.labels, k, "interval", "exact")
    return replace(
        centres, prices=np.stack([part.prices for part in reach]), shares=np.stack([part.shares for part in reach])
    )


def recode_windows(
    columns: Sequence[TypedColumn],
    codes: TableCodes,
    cover: Rings,
    *,
    k: int,
    release: str = "interval",
    ends: str = "exact",
) -> Recoding:
    """Return what is published of the quasi columns where every row is released with a window of k rows.

    Rows with the same released tuple count as one class, which may have fewer than k rows.
    Raises `InputError` for centres, which do not say what they cover.
    """
    if release == "centre":
        raise bad_parameter(
            "centres do not say which rows they cover, so windows that overlap cannot be published as centres",
            'give release="interval", "node" or "bounds", or another algorithm',
        )
    boxes = window_boxes(codes, cover, k)
    cells = _cells_of(columns, boxes, lambda j: sets_of_windows(columns[j], cover, k), k, release, ends)
    return _published(columns, cells, cover.windows)


def _published(columns: Sequence[TypedColumn], cells: Sequence[Cells], labels: IntVector) -> Recoding:
    """Return what is published, given the cells of every class (or window) and the one that each row has."""
    published = merge_equal(np.stack([part.number for part in cells]))
    merged = published[labels]
    sizes = np.bincount(merged)
    one = first_of_each(published, len(sizes))
    return Recoding(
        columns={
            column.name: tuple((name, _spread(values, part.number, labels)) for name, values in part.published)
            for column, part in zip(columns, cells, strict=True)
        },
        labels=merged,
        sizes=sizes,
        prices=np.stack([part.prices[one] for part in cells]),
        shares=np.stack([part.shares[one] for part in cells]),
    )


def _spread(values: pa.Array, number: IntVector, labels: IntVector) -> pa.Array:
    """Return the cell of every row: text stays a dictionary of its few distinct cells."""
    if not pa.types.is_string(values.type):
        return values.take(pa.array(number[labels]))
    empty = np.asarray(values.is_null().to_numpy(zero_copy_only=False), bool)[number]
    indices = number.astype(np.int32)[labels]
    mask = empty[labels] if empty.any() else None
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=mask), values.fill_null(""))


def _describe(
    columns: Sequence[TypedColumn], codes: TableCodes, labels: IntVector, k: int, release: str, ends: str
) -> list[Cells]:
    """Return the cells that cover each class, column by column."""
    boxes = summarise(codes, labels)

    def kinds_of_sets(j: int) -> tuple[IntVector, IntMatrix]:
        return distinct_sets(class_sets(columns[j].codes, columns[j].size, labels, len(boxes.sizes)))

    return _cells_of(columns, boxes, kinds_of_sets, k, release, ends)


def _told(columns: Sequence[TypedColumn], classes: Descriptions, k: int, release: str, ends: str) -> list[Cells]:
    """Return the cells of classes that are told by what they admit; what admits every value is `*`."""
    if release == "centre":
        raise bad_parameter(
            "centres are made from the values of a class, and its description has none",
            'give release="interval", "node" or "bounds", or leave out `equivalent`',
        )
    return _cells_of(columns, classes, lambda j: distinct_sets(classes.sets[j]), k, release, ends, is_told=True)


def _cells_of(
    columns: Sequence[TypedColumn],
    boxes: ClassSummary | Descriptions,
    kinds_of_sets: Callable[[int], tuple[IntVector, IntMatrix]],
    k: int,
    release: str,
    ends: str,
    is_told: bool = False,
) -> list[Cells]:
    """Return the cells that cover each box, column by column.

    kinds_of_sets: for the number of a column without order or tree, (kind of the set of values in each box, the
    distinct sets).
    """
    cells = []
    for j, column in enumerate(columns):
        low, high = boxes.low[:, j], boxes.high[:, j]
        whole = column.size if is_told else None
        if column.is_tree:
            cells.append(node_cells(column, low, high, whole))
        elif not column.is_flat:
            cells.append(interval_cells(column, low, high, k, release, ends, whole))
        elif release == "node":
            number, pairs = distinct_pairs(low, high, column.size)
            members = [[lo] if lo == hi else list(range(column.size)) for lo, hi in pairs]
            cells.append(set_cells(column, number, members, whole))
        else:
            number, sets = kinds_of_sets(j)
            cells.append(set_cells(column, number, [codes_in(words) for words in sets], whole))
    return cells
