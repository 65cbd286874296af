"""The original values of one quasi column, laid out on an axis on which released cells are spans."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.schema import Column
from covey.base.arrays import BoolVector, IntVector
from covey.verifier.columns.codes import is_text
from covey.verifier.reading.cell import NAN
from covey.verifier.reading.dates import local_day, written_day
from covey.verifier.reading.numbers import number_of
from covey.verifier.reading.trees import Leaf
from covey.verifier.reading.values import canonical, instants, is_nan, labels, numbers, zone_of_type

__all__ = ["MISSING", "NOT_A_NUMBER", "STRANGE", "Originals", "read_originals"]

MISSING, NOT_A_NUMBER, STRANGE = -1, -2, -3
"""Ranks of values that lie on no axis; only `*` covers a strange one (not of the column's type)."""


@dataclass(frozen=True, slots=True)
class Originals:
    """The distinct original values of a column.

    `axis` holds numbers or instants in order, the declared order of labels, or labels sorted as text;
    `rank` is the place of each distinct value on it, or one of the ranks below 0.
    """

    rank: IntVector
    axis: Sequence[Any]
    values: pa.Array
    """The distinct values themselves."""
    type: str
    decimal: str

    @property
    def is_exact(self) -> bool:
        """Return whether a released fraction is the very number that it writes; beside floats it is the nearest."""
        return not pa.types.is_floating(self.values.type)

    @property
    def zone(self) -> dt.tzinfo | None:
        """Return the time zone whose calendar the column has."""
        return zone_of_type(self.values.type)

    def is_missing(self) -> BoolVector:
        """Return which distinct values are null or NaN."""
        return np.asarray((self.rank == MISSING) | (self.rank == NOT_A_NUMBER))

    def days(self) -> list[dt.date | None]:
        """Return the day of each date in the column's own calendar; text belongs to the day that it writes."""
        if is_text(self.values.type):
            return [None if text is None else written_day(text.strip()) for text in self.values.to_pylist()]
        return [local_day(one, self.zone) if isinstance(one, int) else None for one in instants(self.values)]

    def leaves(self) -> list[Leaf]:
        """Return each distinct value as a leaf of a taxonomy."""
        names = ["" if name is None else name for name in labels(self.values)]
        if self.type == "numeric":
            read = [None if isinstance(one, str) else one for one in numbers(self.values, self.decimal)]
            if is_text(self.values.type):
                names = [name if one is None else canonical(one) for name, one in zip(names, read, strict=True)]
            return [Leaf(name, number=one) for name, one in zip(names, read, strict=True)]
        if self.type == "date":
            pairs = zip(names, self.days(), strict=True)
            return [Leaf(name, day=day, is_timed=len(name) > len("2024-03-31")) for name, day in pairs]
        return [Leaf(name, number_of(name), written_day(name), len(name) > len("2024-03-31")) for name in names]


def read_originals(values: pa.Array, column: Column, decimal: str = ".") -> Originals:
    """Return the distinct values of a column of a known type, ranked."""
    kind = column.type or "categorical"
    if kind in ("numeric", "date"):
        read = numbers(values, decimal) if kind == "numeric" else instants(values)
        return Originals(*_ranked(read, values.type), values, kind, decimal)
    names = labels(values)
    axis = list(column.order) if column.order else sorted({name for name in names if name is not None})
    place = {label: rank for rank, label in enumerate(axis)}
    rank = [MISSING if name is None else place.get(name, STRANGE) for name in names]
    if pa.types.is_floating(values.type):
        rank = [NOT_A_NUMBER if name == NAN else found for name, found in zip(names, rank, strict=True)]
    return Originals(np.array(rank, np.int64), axis, values, kind, decimal)


def _ranked(values: list[Any], kind: pa.DataType) -> tuple[IntVector, Sequence[Any]]:
    """Return (rank of each value, the axis)."""
    rank = np.array([_rank_off_axis(value) for value in values], np.int64)
    regular = rank == 0
    present = [value for value, is_regular in zip(values, regular.tolist(), strict=True) if is_regular]
    if pa.types.is_floating(kind):
        points, rank[regular] = np.unique(np.array(present, np.float64), return_inverse=True)
        return rank, points.tolist()
    axis = sorted(set(present))  # Python compares numbers of any type exactly
    place = {value: number for number, value in enumerate(axis)}
    rank[regular] = [place[value] for value in present]
    return rank, axis


def _rank_off_axis(value: Any) -> int:
    """Return the rank of a value that lies on no axis, 0 for any other."""
    if value is None or isinstance(value, str):
        return MISSING if value is None else STRANGE
    return NOT_A_NUMBER if is_nan(value) else 0
