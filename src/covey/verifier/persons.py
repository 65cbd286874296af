"""Whose the rows are: what a published table and its original tell of persons; a warning, never a verdict."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.base.checks import plural
from covey.base.errors import CoveyError, InputError
from covey.keys import is_person_key, key_reason, may_name_persons
from covey.verifier.classes import Classes
from covey.verifier.columns.codes import coded
from covey.verifier.tables import arrow_of, names_of

__all__ = ["ROWS_ONLY", "PersonsFound", "person_warnings", "persons_found", "telling_columns"]

ROWS_ONLY = "not counted: k counts rows, and a person may have several of them"
_FEW = 10
_CHANCE = 0.5
_MANY_ROWS = 100
"""As anybody who publishes such a table is warned of it: fewer values are no persons, and neither are those of which
nearly every row has its own, or of which each has more rows than this on average."""


@dataclass(frozen=True, slots=True)
class PersonsFound:
    """Whose the rows of the original are by a dropped column with repeated values, and how many each class holds."""

    column: str
    is_person: bool
    """Whether equal values are one person's, as the column's name says; else they may be."""
    rows: int
    """Rows that have a value of it."""
    values: int
    k: int | None
    """What is asked for."""
    classes: int = 0
    fewest: int | None = None
    """The fewest of them in a class; None where it is not known which row of the original a released row is."""
    below: int | None = None
    """How many classes hold fewer than k of them; None where that is not known, or nothing is asked for."""

    @property
    def breaks_k(self) -> bool:
        """Return whether the rows of some class are those of fewer than k persons."""
        return self.is_person and bool(self.below)

    def to_json(self) -> dict[str, Any]:
        """Return the counts."""
        return {
            "column": self.column,
            "certain": self.is_person,
            "rows": self.rows,
            "values": self.values,
            "fewest_in_a_class": self.fewest,
            "classes_below_k": self.below,
        }

    def warning(self) -> str:
        """Return what somebody who relies on the verdict must know."""
        if self.is_person:
            people = plural(self.values, "person", "persons")
            start = f"{plural(self.rows, 'row')} of {people} by `{self.column}` in the original"
        else:
            start = (
                f"`{self.column}` has {self.values:,} different values in {self.rows:,} rows of the original; if these "
                "are persons"
            )
        first = "make one row per person first"
        if self.fewest is None:
            return (
                f"{start}: k counts rows, and a class may hold one person; how many it holds cannot be told, as the "
                f"rows are not known to be all those of the original in their order; {first}"
            )
        if self.k is None:
            return f"{start}: k counts rows, and the fewest persons in a class are {self.fewest:,}; {first}"
        if not self.below:
            return f"{start}: k counts rows; every class holds {self.fewest:,} persons or more"
        hold = "holds" if self.classes == 1 else "hold"
        found = f"{self.below:,} of {plural(self.classes, 'class', 'classes')} {hold} fewer than {self.k:,}"
        return f"{start}: k counts rows, and {found} (the fewest: {self.fewest:,}); {first}"


def telling_columns(frame: Any, published: Collection[str], identifiers: Collection[str]) -> pa.Table:
    """Return the dropped columns of the original that tell whose rows they are, of those that Arrow can hold.

    They are the identifiers and the keys of persons.  Values are looked at only where the name may be that of a key.
    """
    found = {}
    for name in names_of(frame):
        if name not in published and (name in identifiers or may_name_persons(name)):
            with contextlib.suppress(CoveyError):
                column = arrow_of(frame, [name]).column(0)
                if name in identifiers or is_person_key(name, column):
                    found[name] = column
    return pa.table(found)


def persons_found(dropped: pa.Table, k: int | None, classes: Classes, rows: IntVector | None) -> list[PersonsFound]:
    """Return whose the rows are by each dropped column that tells it and repeats, the one that tells it best first.

    dropped: columns of the original that tell persons and were not published.  rows: the row of the original that each
    released row is; None if that is not known.
    """
    found = [_of_dropped(name, dropped.column(name), k, classes, rows) for name in dropped.column_names]
    told = [one for one in found if one is not None]
    return sorted(told, key=lambda one: (not one.is_person, one.values - one.rows))


def person_warnings(published: pa.Table, quasi: Collection[str], found: Sequence[PersonsFound]) -> tuple[str, ...]:
    """Return a warning for each dropped key of which rows share values, and each published column that looks like one.

    quasi: which columns are quasi.
    """
    notes = [one.warning() for one in found]
    for name in published.column_names:
        notes.append(_of_published(name, published.column(name), "quasi" if name in quasi else "published as it is"))
    return tuple(note for note in notes if note)


def _of_dropped(
    name: str, column: pa.ChunkedArray, k: int | None, classes: Classes, rows: IntVector | None
) -> PersonsFound | None:
    try:
        owners = coded(column, name)
    except (InputError, pa.ArrowException):  # lists, say, which cannot be compared
        return None
    present = len(column) - column.null_count
    values = owners.size - (1 if column.null_count else 0)
    if values >= present:
        return None
    is_person = is_person_key(name, column)
    looks = is_person or key_reason(name, column) != ""
    if not looks and (values < _FEW or values > _CHANCE * present or values * _MANY_ROWS < present):
        return None
    found = PersonsFound(name, is_person, present, values, k)
    if rows is None or not classes.counted.any():
        return found
    keys = classes.folded.numbers[classes.counted] * owners.size + owners.codes[rows][classes.counted]
    held = np.bincount(np.unique(keys) // owners.size)
    held = held[held > 0]
    below = None if k is None else int(np.count_nonzero(held < k))
    return replace(found, classes=len(held), fewest=int(held.min()), below=below)


def _of_published(name: str, column: pa.ChunkedArray, what: str) -> str:
    try:
        reason = key_reason(name, column)
    except pa.ArrowException:  # of a type without distinct values
        return ""
    if not reason:
        return ""
    return (
        f"column `{name}` is {what} and looks like a key ({reason}): it tells which rows are of one person, "
        "and k counts rows"
    )
