"""Mixed columns as coordinates: numbers divided by a scale, categories as one 1 among zeros.

Two numbers differ by their difference over the scale (the width of the range, so at most 1 within it), two categories
by 1 (each of the two coordinates in which they differ counts a half): the prices that the other algorithms use.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import FloatMatrix, FloatVector
from covey.base.checks import plural
from covey.base.errors import InputError
from covey.columns.kept import kept_column
from covey.mining.centres.nearness import exact_weights
from covey.mining.centres.private import Interval, PrivateAttribute, Values, named
from covey.mining.faults import missing_values, not_a_number, not_a_table
from covey.tables.frames import to_arrow

__all__ = ["Category", "Coordinates", "Number", "columns_of", "read_coordinates"]


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric column; one coordinate."""

    name: str
    scale: float
    """By what differences are divided."""


@dataclass(frozen=True, slots=True)
class Category:
    """A column of categories; one coordinate each."""

    name: str
    values: tuple[str | None, ...]
    """The categories; missing (None) is one like any other."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The columns of a table as coordinates."""

    columns: tuple[Number | Category, ...]
    names_by_column: tuple[tuple[str, ...], ...] = field(init=False)
    """The names of the coordinates of each column; no two are the same."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names_by_column", _distinct_names(self.columns))

    @property
    def names(self) -> list[str]:
        """Return the name of each coordinate."""
        return [name for names in self.names_by_column for name in names]

    def names_of(self, column: Number | Category) -> tuple[str, ...]:
        """Return the names of the coordinates of one column."""
        return self.names_by_column[self.columns.index(column)]

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """Return the weight of each squared difference."""
        half = Fraction(1, 2)
        found: list[Fraction] = []
        for column in self.columns:
            found += exact_weights([column.scale]) if isinstance(column, Number) else [half] * len(column.values)
        return tuple(found)

    def by_place(self) -> list[Number | Category]:
        """Return the column of each coordinate."""
        pairs = zip(self.columns, self.names_by_column, strict=True)
        return [column for column, names in pairs for _ in names]

    def places(self, names: Sequence[str]) -> list[int]:
        """Return the places of the coordinates of some columns."""
        return [place for place, column in enumerate(self.by_place()) if column.name in names]

    def points(self, table: Mapping[str, pa.ChunkedArray]) -> FloatMatrix:
        """Return (n, p): the rows of a table; a category that is not known is all zeros."""
        parts: list[FloatMatrix] = []
        for column in self.columns:
            data = table[column.name]
            if isinstance(column, Number):
                parts.append(numbers_of(data, column.name)[:, None])
                continue
            kept = kept_column(column.name, data)
            place = {value: i for i, value in enumerate(column.values)}
            code = np.array([place.get(value, -1) for value in kept.values], np.int64)[kept.codes]
            parts.append((code[:, None] == np.arange(len(column.values))[None, :]).astype(np.float64))
        return np.hstack(parts)

    def words(self, point: Sequence[float], names: Sequence[str]) -> str:
        """Return the values of some columns at a point of all coordinates, in words."""
        told, at = [], 0
        for column, coordinates in zip(self.columns, self.names_by_column, strict=True):
            mine = point[at : at + len(coordinates)]
            at += len(coordinates)
            if column.name in names:
                told.append(
                    f"{column.name} = {mine[0]:.12g}" if isinstance(column, Number) else _which(coordinates, mine)
                )
        return ", ".join(told) or "everybody"

    def in_words(self, private: Sequence[PrivateAttribute]) -> tuple[PrivateAttribute, ...]:
        """Return private attributes that are told by their column, those of categories by some of their values."""
        column_of = self.by_place()
        return tuple(
            replace(attribute, words=_category_words(column, attribute.domain))
            if isinstance(column := column_of[attribute.places[0]], Category)
            else attribute
            for attribute in private
        )


def _category_words(column: Category, domain: Interval | Values) -> str:
    """Return what a category may be; domain: points with a 1 for a value, all zeros for one that the model lacks."""
    if not isinstance(domain, Values):  # a range for the only value that there is
        return f"{column.name}: {domain}"
    possible = [value for value, points in zip(column.values, domain.points.T, strict=True) if points.any()]
    if not possible:
        return f"{column.name}: another category"
    others = "" if domain.points.any(axis=1).all() else ", or another"
    return f"{column.name}: one of {plural(len(possible), 'category', 'categories')} ({named(possible)}){others}"


def _distinct_names(columns: Sequence[Number | Category]) -> tuple[tuple[str, ...], ...]:
    """Return the names of each column's coordinates; one that another column or value has is marked with its number."""
    taken = {column.name for column in columns}
    found: list[tuple[str, ...]] = []
    for column in columns:
        if isinstance(column, Number):
            found.append((column.name,))
            continue
        names = []
        for value in column.values:
            plain = f"{column.name} = {'missing' if value is None else value}"
            marked = (f"{plain} ({number})" for number in itertools.count(2))
            name = next(one for one in itertools.chain([plain], marked) if one not in taken)
            taken.add(name)
            names.append(name)
        found.append(tuple(names))
    return tuple(found)


def _which(names: Sequence[str], point: Sequence[float]) -> str:
    return next((name for name, value in zip(names, point, strict=True) if value == 1.0), "another category")


def columns_of(table: Any) -> dict[str, pa.ChunkedArray]:
    """Return the columns of a frame, or of an array (whose columns are x0, x1 and so on)."""
    if isinstance(table, np.ndarray | list | tuple):
        try:
            matrix = np.asarray(table, np.float64)
        except (TypeError, ValueError):
            raise not_a_number("the rows are no matrix of numbers", "give a frame if there are categories") from None
        if matrix.ndim != 2:
            raise not_a_table("the rows are no matrix", "give n rows of p numbers")
        return {f"x{i}": pa.chunked_array([matrix[:, i].copy()]) for i in range(matrix.shape[1])}
    arrow = to_arrow(table)
    return dict(zip(arrow.column_names, arrow.columns, strict=True))


def read_coordinates(table: Mapping[str, pa.ChunkedArray], widths: Mapping[str, float] | None) -> Coordinates:
    """Return the coordinates of a table; widths: scales of numeric columns, None for no scaling at all.

    A numeric column without a scale is divided by the width of its values; true and false are categories.
    """
    columns: list[Number | Category] = []
    for name, data in table.items():
        kind = data.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
            scale = 1.0 if widths is None else widths.get(name) or _width(numbers_of(data, name))
            columns.append(Number(name, float(scale)))
        else:
            columns.append(Category(name, kept_column(name, data).values))
    return Coordinates(tuple(columns))


def _width(values: FloatVector) -> float:
    with np.errstate(over="ignore"):
        return float(values.max() - values.min()) or 1.0


def numbers_of(column: pa.ChunkedArray, name: str) -> FloatVector:
    """Return a numeric column without gaps."""
    try:
        values = np.asarray(column.cast(pa.float64()).to_numpy(), np.float64)
    except pa.ArrowException:
        raise not_a_number(
            f"column `{name}` has values that are no numbers", "give the kind of column that the model was fitted on"
        ) from None
    if column.null_count or np.isnan(values).any():
        raise missing_values(f"column `{name}` has missing values", "leave such rows out, or fill them first")
    if np.isinf(values).any():
        raise InputError(f"column `{name}` has an infinite number", code="infinite", hint="replace it by a number")
    return values
