"""What private attributes may be: a range, or a list of values; given, or taken from the table and stated.

The span of a person depends on what the private values could be, so this is part of every audit.
"""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import BoolVector, FloatMatrix, FloatVector, IntVector
from covey.base.checks import bad_parameter, listed, plural, require_known
from covey.base.errors import InputError
from covey.mining.faults import too_large

__all__ = [
    "Interval",
    "PrivateAttribute",
    "Values",
    "every_combination",
    "is_number",
    "line_and_others",
    "named",
    "one_hot_values",
    "private_attributes",
    "refuse_outside",
    "whole_numbers",
]

MOST_VALUES = 10_000_000
"""More values of one private attribute are not listed."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Every number from `low` to `high`, both included."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"any number from {self.low:.12g} to {self.high:.12g}"


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The listed points and nothing between them."""

    points: FloatMatrix
    """(m, d): d = 1 for a number; the columns of a one-hot encoded category are one attribute with d > 1."""
    words: str
    """What they are, such as `whole numbers from 36 to 115`."""

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class PrivateAttribute:
    """One private attribute: the coordinates that it fills, and what it may be."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    """Which coordinates of the model."""
    domain: Interval | Values
    words: str = ""
    """Such as `sex: one of 2 categories (f, m)`, where the names of its coordinates would be too many."""

    def __str__(self) -> str:
        return self.words or f"{named(self.names)}: {self.domain}"

    @property
    def n_values(self) -> float:
        """Return how many values it may have; there is no end of them in a range."""
        return math.inf if isinstance(self.domain, Interval) else float(len(self.domain.points))

    def holds(self, points: FloatMatrix) -> BoolVector:
        """Return which rows of the model's coordinates lie in the domain."""
        mine = points[:, list(self.places)]
        if isinstance(self.domain, Interval):
            inside = (mine >= self.domain.low) & (mine <= self.domain.high)
            return np.asarray(inside.all(axis=1), bool)
        return _is_listed(mine, self.domain.points)


def line_and_others(
    private: Sequence[PrivateAttribute], above: float
) -> tuple[PrivateAttribute | None, list[PrivateAttribute]]:
    """Return the number that may have most values, if those are more than `above`, and all other attributes."""
    long = [a for a in private if len(a.places) == 1 and a.n_values > above]
    line = max(long, key=lambda a: a.n_values, default=None)
    return line, [a for a in private if a is not line]


def every_combination(lists: Sequence[PrivateAttribute]) -> tuple[IntVector, FloatMatrix]:
    """Return the coordinates of attributes that are lists, and (m, coordinates): every combination of their values."""
    places = np.array([place for a in lists for place in a.places], np.int64)
    chosen = itertools.product(*[a.domain.points for a in lists if isinstance(a.domain, Values)])
    return places, np.array([np.concatenate([np.zeros(0), *values]) for values in chosen])


def named(texts: Sequence[str | None], most: int = 8) -> str:
    """Return texts in a row, at most `most` of them, then a count; None is called missing.

    >>> named(["a", None, "c"], most=2)
    'a, missing and 1 more'
    """
    shown = ", ".join("missing" if text is None else text for text in texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"


def whole_numbers(low: int, high: int) -> Values:
    """Return every whole number from `low` to `high`.

    >>> str(whole_numbers(36, 115)), len(whole_numbers(36, 115).points)
    ('whole numbers from 36 to 115', 80)
    """
    if high - low >= MOST_VALUES:
        raise too_large(
            f"a private attribute may be any of {high - low + 1:,} whole numbers; at most {MOST_VALUES:,} are listed",
            "declare a range of any numbers, such as Interval(low, high)",
        )
    return Values(np.arange(low, high + 1, dtype=np.float64)[:, None], f"whole numbers from {low} to {high}")


def one_hot_values(size: int, *, may_be_none: bool = False) -> Values:
    """Return the points of a one-hot encoded category: one 1 among zeros, and all zeros where that may be.

    >>> one_hot_values(2, may_be_none=True).points.tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    points = np.eye(size)
    words = f"one of {size} categories"
    if may_be_none:
        points, words = np.vstack([points, np.zeros(size)]), f"{words} or none"
    return Values(points, words)


def private_attributes(
    names: Sequence[str],
    public: IntVector,
    points: FloatMatrix,
    given: Mapping[Any, Any],
    one_hot: Sequence[Sequence[str]],
) -> tuple[PrivateAttribute, ...]:
    """Return the attributes that are not public, in the order of their coordinates, each with its domain.

    names: of the coordinates; public: their places; points (n, p): the table; given: domains by name (a pair of
    numbers or an `Interval`, a `range`, a set, or `Values`), or by a tuple of names for one-hot columns.
    What is not given comes from the table: whole numbers between the least and the greatest where all of a
    column's values are whole, else any number between them; the categories of one-hot columns.
    """
    place = {name: i for i, name in enumerate(names)}
    groups = _groups(names, public, given, one_hot)
    found = []
    for members in groups:
        places = tuple(place[name] for name in members)
        declared = given.get(members[0] if len(members) == 1 else members, given.get(members))
        if declared is not None:
            domain = _declared(members, declared)
        elif len(members) > 1:
            domain = one_hot_values(len(members), may_be_none=not points[:, list(places)].any(axis=1).all())
        else:
            domain = _seen(points[:, places[0]])
        attribute = PrivateAttribute(members, places, domain)
        refuse_outside(~attribute.holds(points), members)
        found.append(attribute)
    return tuple(found)


def _groups(
    names: Sequence[str], public: IntVector, given: Mapping[Any, Any], one_hot: Sequence[Sequence[str]]
) -> list[tuple[str, ...]]:
    """Return the names of each private attribute: one, or those of a one-hot encoded category."""
    tuples = [key for key in given if isinstance(key, tuple) and len(key) > 1]
    together = [tuple(group) for group in one_hot]
    together += [key for key in tuples if key not in together]
    named = [*(name for group in together for name in group), *(key for key in given if not isinstance(key, tuple))]
    require_known(named, names, "there is no column {} among the coordinates")
    open_to_all = {names[i] for i in public.tolist()}
    group_of: dict[str, tuple[str, ...]] = {}
    for group in together:
        known = [name for name in group if name in open_to_all]
        if known and len(known) < len(group):
            raise bad_parameter(
                f"{listed(known)} of the one-hot columns {listed(group)} are public and the others are not",
                "columns of one category are public together or private together",
            )
        for name in group:
            if name in group_of:
                raise bad_parameter(f"column `{name}` is in two one-hot groups", "name it in one of them")
            group_of[name] = group
    told = sorted(open_to_all & {name for key in given for name in (key if isinstance(key, tuple) else (key,))})
    if told:
        raise bad_parameter(
            f"a private range is given for {listed(told)}, which {'is' if len(told) == 1 else 'are'} public",
            "leave the range out, or do not call the column public",
        )
    private = [name for name in names if name not in open_to_all]
    return list(dict.fromkeys(group_of.get(name, (name,)) for name in private))


def _declared(members: tuple[str, ...], declared: Any) -> Interval | Values:
    if isinstance(declared, Values):
        if declared.points.shape[1] != len(members) or not len(declared.points):
            raise _bad_range(members)
        return declared
    if len(members) > 1:
        raise _bad_range(members)
    if isinstance(declared, range | set | frozenset):
        return _listed_values(declared, members)
    if isinstance(declared, Interval):
        declared = (declared.low, declared.high)
    if not (isinstance(declared, Sequence | np.ndarray) and len(declared) == 2 and all(map(is_number, declared))):
        raise _bad_range(members)
    low, high = float(declared[0]), float(declared[1])
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise _bad_range(members)
    return Interval(low, high)


def is_number(value: object) -> bool:
    """Return whether a value is a number, and not true or false."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _listed_values(values: Iterable[Any], members: tuple[str, ...]) -> Values:
    found = list(values)
    if not found or not all(isinstance(value, numbers.Real) and np.isfinite(float(value)) for value in found):
        raise _bad_range(members)
    points = np.unique(np.array([float(value) for value in found]))
    return Values(points[:, None], plural(len(points), "listed value"))


def _bad_range(members: tuple[str, ...]) -> InputError:
    return bad_parameter(
        f"what is given for private {listed(members)} is neither a range nor a list of values",
        "give (low, high), range(low, high + 1), a set of numbers, or Values",
    )


def _seen(column: FloatVector) -> Interval | Values:
    low, high = float(column.min()), float(column.max())
    if bool((column == np.floor(column)).all()) and high - low < MOST_VALUES and max(abs(low), abs(high)) < 2**53:
        return whole_numbers(int(low), int(high))
    return Interval(low, high)


def refuse_outside(is_outside: BoolVector, names: Sequence[str]) -> None:
    """Raise `InputError` if rows of the table lie outside what is given for a private attribute."""
    outside = np.flatnonzero(is_outside)
    if len(outside):
        raise InputError(
            f"{plural(len(outside), 'row')} of the table lie{'s' if len(outside) == 1 else ''} outside what is given "
            f"for private {listed(names)} (first row {int(outside[0]) + 1:,})",
            code="outside-domain",
            hint="widen the range or the list of values",
        )


def _is_listed(rows: FloatMatrix, points: FloatMatrix) -> BoolVector:
    if points.shape[1] == 1:
        return np.isin(rows[:, 0], points[:, 0])
    known = {tuple(point) for point in points.tolist()}
    distinct, of_row = np.unique(rows, axis=0, return_inverse=True)
    return np.array([tuple(row) in known for row in distinct.tolist()], bool)[of_row.reshape(-1)]
