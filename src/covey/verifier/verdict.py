"""The verdict: what was found in a published table, as plain facts."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from covey.base.arrays import IntVector
from covey.base.checks import listed, plural
from covey.base.printable import printable

if TYPE_CHECKING:
    from covey.verifier.persons import PersonsFound

__all__ = ["ModelVerdict", "NotChecked", "OffendingClass", "Truth", "Verdict", "in_rows"]


@dataclass(frozen=True, slots=True)
class OffendingClass:
    """A class that fails: its rows, and its quasi cells as released (None is an empty cell).

    The cells may be those of single people, so that they are not shown with the class unless asked for.
    """

    size: int
    cells: dict[str, str | None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What one privacy model asked for (None: nothing) and the level that the table reaches.

    A level of 0 means that there was nothing to count: every row is exempt, which holds for nobody.
    """

    model: str
    asked: float | None
    level: float
    ok: bool
    column: str | None = None
    """The column whose values the model protects; None for k-anonymity and k-consistency."""
    offending: tuple[OffendingClass, ...] = ()
    """The smallest classes that fail, as released; at most 5."""
    offending_count: int = 0
    """How many classes fail; 0 for k-consistency, which is not about classes."""
    offending_rows: int = 0
    """How many rows they have."""

    def __str__(self) -> str:
        return self.model if self.column is None else f"{self.model} of `{self.column}`"

    def to_json(self) -> dict[str, Any]:
        """Return what a report tells of a model; a verdict adds the classes that fail."""
        return _as_told(self, "model", "column", "asked", "level", "ok")


class NotChecked(NamedTuple):
    """A column that could not be held against the original in full, and why."""

    column: str
    reason: str


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether the release says only what the original says.

    `kind`: `aligned` (row by row), `matched` (some one-to-one assignment of rows) or `recomputed`
    (centres).  `ok` speaks of what was checked; `complete` says that nothing was left out.
    """

    kind: str
    ok: bool
    complete: bool
    checked: tuple[str, ...]
    not_checked: tuple[NotChecked, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a published table is worth; `ok` is the answer, the rest says why."""

    ok: bool
    k: int | None
    """What was asked for."""
    level: int
    """The k that is reached: the rows of the smallest class; 0 if every row is exempt."""
    rows: int
    """The rows of the table, starred and exempt ones too."""
    classes: int
    smallest: int
    largest: int
    sizes: tuple[tuple[int, int], ...]
    """(size, how many classes have it), by size."""
    offending: tuple[OffendingClass, ...]
    """The smallest classes below k, as released; at most 20."""
    offending_count: int
    """How many classes are below k."""
    offending_rows: int
    """How many rows they have."""
    suppressed: int | None
    """Rows of the original that were not published; None without the original."""
    starred_rows: int
    """Rows that are `*` in every quasi column and not exempt."""
    starred_ignored: bool
    """Whether starred rows were left out of the count, as asked."""
    exempt: int
    """Rows that no model protects, because the person agreed; they are in no class."""
    models: tuple[ModelVerdict, ...]
    """k-anonymity first, then the others in the order in which they were asked for."""
    truthful: Truth | None
    """None without the original."""
    unchecked_allowed: bool
    """Whether `ok` was asked to pass over what could not be checked."""
    faults: tuple[str, ...]
    """What is wrong with the table whatever its level: unreadable cells, a published identifier."""
    persons: PersonsFound | None = None
    """Whose the rows of the original are, where a dropped column tells that rows are not persons; else None."""
    warnings: tuple[str, ...] = ()
    """What does not touch the verdict and should be known: rows that are not persons, columns that look like keys."""

    @property
    def only_rows(self) -> bool:
        """Return whether every class has k rows, and some of them are known to be of fewer than k persons."""
        return self.persons is not None and self.persons.breaks_k and self.models[0].ok

    def __str__(self) -> str:
        asked = "" if self.k is None else f", asked {self.k}"
        others = "".join(f", {model}{'' if model.ok else ' NOT'} met" for model in self.models[1:])
        truth = "" if self.truthful is None else f", {_truth_word(self.truthful)}"
        whose = " for rows, NOT for persons" if self.only_rows else ""
        head = f"{'ok' if self.ok else 'NOT ok'}: k = {self.level}{asked}{whose}, {self.classes:,} classes"
        return printable(head + others + truth)

    def to_json(self, *, show: bool = False) -> dict[str, Any]:
        """Return the document of `docs/verdict.schema.json`; with the cells of classes that fail if asked to."""
        return {
            # looked up, not imported: the top of the package reaches code that the verifier must not
            "covey": sys.modules["covey"].__version__,
            **_as_told(self, "ok", "k", "level", "rows", "classes", "smallest", "largest"),
            "sizes": [{"size": size, "classes": count} for size, count in self.sizes],
            "offending": _offending_json(self, show),
            **_as_told(self, "suppressed", "starred_rows", "starred_ignored", "exempt"),
            "models": [{**one.to_json(), "offending": _offending_json(one, show)} for one in self.models],
            "truthful": None if self.truthful is None else _truth_json(self.truthful),
            "unchecked_allowed": self.unchecked_allowed,
            "faults": list(self.faults),
            "persons": None if self.persons is None else self.persons.to_json(),
            "warnings": list(self.warnings),
        }


def in_rows(rows: IntVector) -> str:
    """Return in how many rows something was found, and where first; rows: their numbers from 0, in order."""
    return f"in {plural(len(rows), 'row')} (first in row {rows[0] + 1:,})"


def _truth_word(truth: Truth) -> str:
    if truth.ok and truth.not_checked:
        return f"NOT checked: {listed(one.column for one in truth.not_checked)}"
    return "truthful" if truth.ok else "NOT truthful"


def _as_told(thing: object, *names: str) -> dict[str, Any]:
    """Return facts that a document tells under their own names."""
    return {name: getattr(thing, name) for name in names}


def _offending_json(of: Verdict | ModelVerdict, show: bool) -> dict[str, Any]:
    shown = [{"size": found.size, **({"cells": dict(found.cells)} if show else {})} for found in of.offending]
    return {"classes": of.offending_count, "rows": of.offending_rows, "shown": shown}


def _truth_json(truth: Truth) -> dict[str, Any]:
    return {
        **_as_told(truth, "kind", "ok", "complete"),
        "checked": list(truth.checked),
        "not_checked": [one._asdict() for one in truth.not_checked],
        "faults": list(truth.faults),
    }
