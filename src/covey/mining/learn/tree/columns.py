"""The columns of a table as trees read them: categories with their levels, numbers with the places to cut.

Everything that a taxonomy can tell is a level: level 1 holds the nodes below its root, level 2 those below them, and
so on; a leaf that lies higher stands for itself on all levels below.  A category without a taxonomy has one level.
One that the table declares ordered has a level for every place to cut it in two, and then that of all its values.
Missing is one more value of a category, and a number below all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from covey.ask.schema import Column, Schema
from covey.ask.taxonomy import Taxonomy, TaxonomyRule
from covey.base.arrays import FloatVector, IntVector
from covey.columns.typed import TypedColumn, type_column
from covey.columns.types import with_types
from covey.columns.values.thresholds import moment_between, number_between
from covey.induction.options import equal_bins
from covey.induction.two_branches import Level
from covey.mining.learn.tree.published import TreeColumn

__all__ = ["CodedColumn", "code_column", "code_numbers", "read_values"]


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column of the training table as integers, for the induction."""

    known: TreeColumn
    codes: IntVector
    """(n,) int32, from 0."""
    size: int
    """How many codes there are."""
    thresholds: tuple[tuple[float, float], ...] = ()
    """Of a number: for each cut between two codes the values on both sides of it."""

    def threshold(self, cut: int) -> float:
        """Return a number between the two sides of a cut, a plain one that is no value of the table.

        >>> CodedColumn(TreeColumn("age", True, "number"), np.array([0, 1]), 2, ((34.0, 37.0),)).threshold(0)
        36.0
        """
        low, high = self.thresholds[cut]
        return moment_between(low, high) if self.known.kind == "date" else number_between(low, high)


def code_column(
    name: str, data: pa.ChunkedArray | FloatVector, taxonomy: TaxonomyRule | None, *, is_public: bool, most_cuts: int
) -> CodedColumn:
    """Return one column of the training table: numbers and dates to be cut, all else categories."""
    if isinstance(data, np.ndarray):
        if taxonomy is None:
            return code_numbers(name, data, is_public=is_public, most_cuts=most_cuts)
        data = pa.chunked_array([pa.array(data, from_pandas=True)])
    schema = Schema((Column(name, "quasi", taxonomy=taxonomy),))
    column = with_types(schema, pa.table([data], names=[name])).quasi[0]
    order: Sequence[str] = ()
    if column.type == "ordered":
        column, order = Column(name, "quasi", type="categorical"), column.order or ()
    typed = type_column(column, data)
    if typed.type in ("numeric", "date") and not typed.is_tree:
        kind: Literal["number", "date"] = "date" if typed.type == "date" else "number"
        return code_numbers(name, _numbers(typed), kind, typed.zone, is_public=is_public, most_cuts=most_cuts)
    coded = _code_category(typed, is_public)
    return _with_cuts(coded, order, most_cuts) if order else coded


def code_numbers(
    name: str,
    numbers: FloatVector,
    kind: Literal["number", "date"] = "number",
    zone: str | None = None,
    *,
    is_public: bool,
    most_cuts: int,
) -> CodedColumn:
    """Return one column of numbers; where it has more places to cut than `most_cuts`, every so many rows are cut."""
    missing = np.isnan(numbers)
    points, place = np.unique(numbers[~missing], return_inverse=True)
    counts = np.bincount(place, minlength=len(points))
    bin_of = equal_bins(counts, most_cuts)
    has_missing = bool(missing.any())
    codes = np.zeros(len(numbers), np.int32)
    codes[~missing] = bin_of[place] + has_missing
    last = np.flatnonzero(np.diff(bin_of))  # the last point of each bin but the last
    cuts = [(float(points[i]), float(points[i + 1])) for i in last]
    if has_missing and len(points):
        cuts.insert(0, (-np.inf, -np.inf))
    known = TreeColumn(name, is_public, kind, has_missing=has_missing, zone=zone)
    return CodedColumn(known, codes, len(cuts) + 1, tuple(cuts))


def _numbers(typed: TypedColumn) -> FloatVector:
    """Return the value of each row as a float, NaN for missing; dates in nanoseconds since 1970."""
    points = np.array([float(point) for point in typed.points], np.float64)
    return np.concatenate([np.full(typed.n_missing, np.nan), points])[typed.codes]


def _code_category(typed: TypedColumn, is_public: bool) -> CodedColumn:
    # codes of missing values (null, NaN) come first there, and are one value here, the last
    size, shift = len(typed.points), typed.n_missing
    codes = np.where(typed.codes < shift, size, typed.codes - shift).astype(np.int32)
    labels = tuple(str(point) for point in typed.points)
    paths: list[tuple[str | None, ...]] = _paths(typed.taxonomy) if typed.is_tree else [(label,) for label in labels]
    values: tuple[str | None, ...] = labels
    if shift:
        values, paths = (*labels, None), [*paths, (None,)]
    known = TreeColumn(typed.name, is_public, "category", values, _levels(paths))
    return CodedColumn(known, codes, len(values))


def _with_cuts(column: CodedColumn, order: Sequence[str], most_cuts: int) -> CodedColumn:
    """Return an ordered category that can also be cut in two, as a number: missing lies below all its values."""
    known = column.known
    rank = {label: i for i, label in enumerate(order)}
    codes = sorted(
        (code for code, value in enumerate(known.values) if value is not None),
        key=lambda code: rank[str(known.values[code])],
    )
    rows = np.bincount(column.codes, minlength=column.size)[codes]
    ends = (np.flatnonzero(np.diff(equal_bins(rows, most_cuts))) + 1).tolist()
    if None in known.values:
        codes, ends = [known.values.index(None), *codes], [1, *(end + 1 for end in ends)]
    cuts = [_cut(known.values, codes, end) for end in ends]
    # two values are parted in one way only
    levels = [cut for cut in cuts if cut.branch_of not in {level.branch_of for level in known.levels}]
    return replace(column, known=replace(known, levels=(*levels, *known.levels)))


def _cut(values: Sequence[str | None], codes: Sequence[int], end: int) -> Level:
    """Return the level that parts the codes before `end`, in their order, from the others."""
    branch_of = np.zeros(len(values), np.int64)
    branch_of[list(codes[end:])] = 1
    names = tuple(_stretch([values[code] for code in part]) for part in (codes[:end], codes[end:]))
    return Level(names, tuple(branch_of.tolist()))


def _stretch(values: Sequence[str | None]) -> str | None:
    """Return the name of a stretch of an order, missing first.

    >>> _stretch(["low", "middle", "high"]), _stretch([None, "low"]), _stretch([None])
    ('low to high', 'low or missing', None)
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    name = known[0] if len(known) == 1 else f"{known[0]} to {known[-1]}"
    return name if len(known) == len(values) else f"{name} or missing"


def _paths(taxonomy: Taxonomy) -> list[tuple[str | None, ...]]:
    """Return for each leaf the nodes that lead to it, from below the root to the leaf itself."""
    paths: list[list[str]] = [[] for _ in taxonomy.leaves]
    for node in taxonomy.inner:  # depth first: a node comes after those above it
        for leaf in taxonomy.below(node) or ():
            paths[leaf].append(node)
    return [(*path, leaf) for path, leaf in zip(paths, taxonomy.leaves, strict=True)]


def _levels(paths: list[tuple[str | None, ...]]) -> tuple[Level, ...]:
    """Return the levels, from coarse to fine; one that parts no values is none, nor one that parts them as another."""
    levels: list[Level] = []
    for depth in range(max((len(path) for path in paths), default=0)):
        names = [path[min(depth, len(path) - 1)] for path in paths]
        number = {name: i for i, name in enumerate(dict.fromkeys(names))}
        branch_of = tuple(number[name] for name in names)
        if len(number) > 1 and (not levels or branch_of != levels[-1].branch_of):
            levels.append(Level(tuple(number), branch_of))
    return tuple(levels)


def read_values(column: TreeColumn, data: pa.ChunkedArray) -> IntVector | FloatVector:
    """Return what each row has of a column that a tree tests: codes (-1: not known to it) or numbers."""
    if column.kind == "category":
        typed = type_column(Column(column.name, "quasi", type="categorical"), data)
        code: Mapping[str | None, int] = {value: number for number, value in enumerate(column.values)}
        missing = [code.get(None, -1)] * typed.n_missing
        return np.array([*missing, *(code.get(str(label), -1) for label in typed.points)], np.int64)[typed.codes]
    kind = "numeric" if column.kind == "number" else "date"
    return _numbers(type_column(Column(column.name, "quasi", type=kind), data))
