"""The original values of one quasi column, laid out on an axis on which released cells are spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from covey.arrays import BoolVector, IntVector
from covey.schema import Column
from covey.values import NAN, write_number
from covey.verifier.coded import is_text
from covey.verifier.readings import instants, is_nan, labels, numbers

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
    is_exact: bool
    """Whether the numbers are decimals, so that released ones must be read as decimals too."""
    leaves: Sequence[str | None]
    """The leaf of a taxonomy that each distinct value stands for."""

    def is_missing(self) -> BoolVector:
        """Return which distinct values are null or NaN."""
        return np.asarray((self.rank == MISSING) | (self.rank == NOT_A_NUMBER))


def read_originals(values: pa.Array, column: Column, decimal: str = ".") -> Originals:
    """Return the distinct values of a column of a known type, ranked."""
    names = labels(values)
    if column.type == "numeric":
        return _ranked(numbers(values, decimal), values.type, _number_leaves(values, names, decimal))
    if column.type == "date":
        return _ranked(instants(values), values.type, names)
    if pa.types.is_floating(values.type):
        names = [NAN if is_nan(value) else name for value, name in zip(values.to_pylist(), names, strict=True)]
    axis = list(column.order) if column.order else sorted({name for name in names if name is not None})
    place = {label: rank for rank, label in enumerate(axis)}
    rank = [MISSING if name is None else place.get(name, STRANGE) for name in names]
    if pa.types.is_floating(values.type):
        rank = [NOT_A_NUMBER if name == NAN else found for name, found in zip(names, rank, strict=True)]
    return Originals(np.array(rank, np.int64), axis, False, names)


def _number_leaves(values: pa.Array, names: list[str | None], decimal: str) -> list[str | None]:
    """Return the canonical text of each number, which is what a taxonomy of numbers has as leaves."""
    if not is_text(values.type):
        return names
    read = numbers(pa.array(names, pa.string()), decimal)
    return [
        name if value is None or isinstance(value, str) else write_number(value)
        for name, value in zip(names, read, strict=True)
    ]


def _ranked(values: list[Any], kind: pa.DataType, leaves: Sequence[str | None]) -> Originals:
    special = {
        place: MISSING if value is None else STRANGE if isinstance(value, str) else NOT_A_NUMBER
        for place, value in enumerate(values)
        if value is None or isinstance(value, str) or is_nan(value)
    }
    axis, found = _sorted([value for place, value in enumerate(values) if place not in special], kind)
    rank = np.empty(len(values), np.int64)
    regular = np.ones(len(values), bool)
    regular[list(special)] = False
    rank[regular] = found
    rank[~regular] = list(special.values())
    return Originals(rank, axis, bool(pa.types.is_decimal(kind)), leaves)


def _sorted(values: list[Any], kind: pa.DataType) -> tuple[list[Any], IntVector]:
    """Return (different values in order, place of each value); Python compares numbers of any type exactly."""
    if pa.types.is_floating(kind):
        points, place = np.unique(np.array(values, np.float64), return_inverse=True)
        return points.tolist(), place
    axis = sorted(set(values))
    place_of = {value: place for place, value in enumerate(axis)}
    return axis, np.array([place_of[value] for value in values], np.int64)
