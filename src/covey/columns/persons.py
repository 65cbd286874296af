"""Rows are not persons: what the dropped identifiers tell of whose the rows are, counted and never told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.base.checks import plural
from covey.columns.kept import value_codes
from covey.keys import is_person_key, key_reason

__all__ = ["ROWS_ONLY", "Owners", "Persons", "owners_of"]

FEW = 10
"""Fewer different values than this tell no persons apart, unless the name says so."""
CHANCE = 0.5
"""Above this share of different values repeats may be chance, as of names, unless the column looks like a key."""
MANY_ROWS = 100
"""A value with more rows than this on average is a category or a measure, unless the column looks like a key."""


@dataclass(frozen=True, slots=True)
class Persons:
    """How many values an identifier has, and how many of them each class holds."""

    column: str
    rows: int
    """Rows that have a value of it."""
    values: int
    is_person: bool
    """Whether equal values are one person's, as the column's name says; else they may be."""
    fewest: int | None = None
    """The fewest of them in a class; None without classes."""
    classes: int = 0
    below: int = 0
    """How many classes hold fewer than k of them."""

    @property
    def repeats(self) -> bool:
        """Return whether some value has several rows."""
        return self.values < self.rows

    @property
    def breaks_k(self) -> bool:
        """Return whether the rows of some class are those of fewer than k persons."""
        return self.is_person and self.repeats and self.below > 0

    def to_json(self) -> dict[str, Any]:
        """Return the counts."""
        return {
            "column": self.column,
            "certain": self.is_person,
            "rows": self.rows,
            "values": self.values,
            "fewest_in_a_class": self.fewest,
            "classes_below_k": None if self.fewest is None else self.below,
        }

    def warning(self, k: int) -> str:
        """Return what somebody who publishes the table must know, nothing if every row has a value of its own."""
        if self.fewest is None and self.repeats:
            start = self._whose("dropped")
            return f"{start}: k counts rows, and a ring may hold one person; make one row per person first"
        return self._counted(k, "class", "classes", "dropped")

    def span_warning(self, k: int) -> str:
        """Return the same of the spans of a model; nothing if no span tells anything."""
        return "" if self.fewest is None else self._counted(k, "span", "spans", "no part of the model")

    def _counted(self, k: int, one: str, several: str, what: str) -> str:
        if not self.repeats:
            return ""
        start = self._whose(what)
        if not self.below:
            return (
                f"{start}: k counts rows; every {one} holds {self.fewest:,} persons or more" if self.is_person else ""
            )
        hold = "holds" if self.classes == 1 else "hold"
        found = f"{self.below:,} of {plural(self.classes, one, several)} {hold} fewer than {k:,}"
        return f"{start}: k counts rows, and {found} (the fewest: {self.fewest:,}); make one row per person first"

    def _whose(self, what: str) -> str:
        if self.is_person:
            return f"{plural(self.rows, 'row')} of {plural(self.values, 'person', 'persons')} by `{self.column}`"
        return (
            f"{plural(self.rows, 'row')} have {self.values:,} different values of `{self.column}`, which is {what}; "
            "if these are persons"
        )

    def limit(self) -> str:
        """Return what k says of persons, as a limit of the release."""
        if not self.is_person:
            return ROWS_ONLY
        if not self.repeats:
            return (
                f"k counts rows, each with a `{self.column}` of its own: whoever has several of them has several rows"
            )
        share = "" if self.fewest is None else f"; the fewest persons in a class are {self.fewest:,}"
        return f"rows are not persons: {self.rows:,} rows are of {self.values:,} persons by `{self.column}`{share}"


ROWS_ONLY = "k counts rows: where a person can have several, a class may hold fewer than k persons, or one alone"


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose each row is, by the identifier that tells it best; its values are gone."""

    persons: Persons
    codes: IntVector | None
    """(n,) int64, the missing value with a code of its own; None where every row has a value of its own."""

    def in_classes(self, rows: IntVector, labels: IntVector, k: int) -> Persons:
        """Return the counts with those of the classes: `labels` of the released `rows`, below 0 in no class."""
        inside = labels >= 0
        if self.codes is None or not inside.any():
            return self.persons
        size = int(self.codes.max()) + 1
        pairs = np.unique(labels[inside] * size + self.codes[rows[inside]])
        held = np.bincount(pairs // size)
        held = held[held > 0]
        return replace(self.persons, fewest=int(held.min()), classes=len(held), below=int(np.count_nonzero(held < k)))


def owners_of(identifiers: Mapping[str, pa.ChunkedArray], *, distinct: bool = False) -> Owners | None:
    """Return whose the rows are by the identifier that tells it best, None if none does.

    A key of persons by its name counts before all others, of several the one with the most rows that repeat a value;
    of other columns only one that repeats, those that look like keys first, then the one with the most values.
    distinct: dictionaries are known to hold no value twice.
    """
    found = [_owners(name, column, distinct) for name, column in identifiers.items()]
    known = [one for one in found if one is not None]
    named = [owners for owners, _ in known if owners.persons.is_person]
    if named:
        return min(named, key=lambda owners: (owners.persons.values - owners.persons.rows, owners.persons.column))
    maybe = [(looks, owners.persons.values, owners) for owners, looks in known if owners.persons.repeats]
    return max(maybe, key=lambda one: one[:2])[2] if maybe else None


def _owners(name: str, column: pa.ChunkedArray, distinct: bool) -> tuple[Owners, bool] | None:
    """Return (whose the rows are by one column, whether it looks like a key); None if it can tell nobody apart."""
    codes = value_codes(column, distinct=distinct)
    if codes is None or not len(codes):
        return None
    rows = len(column) - column.null_count
    values = int(np.count_nonzero(np.bincount(codes))) - (1 if column.null_count else 0)
    is_person = is_person_key(name, column)
    if values == rows and not is_person:  # it tells rows apart, not persons
        return None
    looks = is_person or key_reason(name, column) != ""
    if values == 0 or (not looks and (values < FEW or values > CHANCE * rows or rows > MANY_ROWS * values)):
        return None
    return Owners(Persons(name, rows, values, is_person), None if values == rows else codes), looks
