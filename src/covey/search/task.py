"""What a search is given, and what it gives."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.base.errors import InputError
from covey.codes.codes import Codes, TableCodes
from covey.codes.tallies import Tally
from covey.columns.descriptions import Descriptions
from covey.columns.kept import KeptColumn
from covey.compiled.pausing import heard
from covey.search.demand import Demand

__all__ = ["Found", "Task", "checked_labels"]


@dataclass(frozen=True, slots=True)
class Task:
    """A table as a search sees it, and what its classes must satisfy."""

    codes: Codes
    """Distinct tuples and their counts, with tallies of the kept columns that are asked for."""
    demand: Demand
    kept: Mapping[str, KeptColumn] = field(default_factory=dict)
    """The kept columns row by row; only for searches that need rows."""
    seed: int = 0
    effort: Literal["fast", "balanced", "best"] = "balanced"
    """How much is tried, for searches that can go on."""
    deadline: float | None = None
    """When a search that can go on ends with the best so far, by `time.monotonic`."""
    start: IntVector | None = None
    """The classes that another search found, for one that goes on from there."""

    @property
    def k(self) -> int:
        """Return how many rows a class must have at least: what the demand needs, and never more than there are."""
        return min(self.demand.least_rows, self.codes.n_rows)

    @property
    def table(self) -> TableCodes:
        """Return the codes with the tuple of each row; a search that asks for it says `needs_rows = True`."""
        if not isinstance(self.codes, TableCodes):
            raise TypeError("a search that looks at rows says `needs_rows = True`")
        return self.codes

    def of_few_rows(self, n: int) -> Task:
        """Return some rows alone, as unlike as may be, as a task without models."""
        codes = self.table
        first = np.unique(codes.row_tuple, return_index=True)[1]
        rows = np.concatenate([first, np.setdiff1d(np.arange(codes.n_rows), first)])[:n]
        present, own = np.unique(codes.row_tuple[rows], return_inverse=True)
        few = replace(
            codes,
            columns=np.ascontiguousarray(codes.columns[:, present]),
            counts=np.bincount(own.reshape(-1)).astype(codes.counts.dtype),
            row_tuple=own.reshape(-1).astype(codes.row_tuple.dtype),
            tallies={},
        )
        return Task(few, Demand(self.k))

    @property
    def is_over(self) -> bool:
        """Return whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def tally(self, column: str) -> Tally:
        """Return how many rows of each tuple have each value of a kept column; rows have them in `kept`."""
        return self.codes.tallies[column]

    def tell(self, done: int, total: int) -> None:
        """Tell who waits that `done` of `total` is done (total 0: not known); raises where the search is to stop."""
        heard(done, total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The classes that a search found, numbered from 0 without gaps; -1 is suppressed."""

    of_tuple: IntVector | None = None
    """(t,) the class of each tuple; or"""
    of_row: IntVector | None = None
    """(n,) the class of each row, by a search that needs rows."""
    bound: float | None = None
    """What no classes can lose less than, if the search has proved it."""
    notes: tuple[str, ...] = ()
    """What a person should know of the result."""
    weights: FloatVector | None = None
    """The weights that were learned for the quasi columns, if they were."""
    descriptions: Descriptions | None = None
    """What is published of the classes in place of the least boxes; then no row is suppressed."""

    def labels(self, codes: TableCodes) -> IntVector:
        """Return the class of every row of the table."""
        if self.of_row is not None:
            return checked_labels(self.of_row, codes.n_rows, "rows")
        return checked_labels(self.of_tuple, codes.n_tuples, "distinct rows")[codes.row_tuple]


def checked_labels(labels: object, size: int, what: str) -> IntVector:
    """Return class numbers as int64; raise unless each of `size` rows or tuples has a class, or is suppressed."""
    given = np.asarray(labels)
    if given.shape != (size,) or not np.issubdtype(given.dtype, np.integer) or given.min(initial=0) < -1:
        raise InputError(
            f"the algorithm did not give each of the {size:,} {what} a class number of 0 or more, or -1",
            code="bad-labels",
            hint="use an algorithm of covey, or correct the one given",
        )
    if given.max(initial=0) > 4 * size:  # far apart, or beyond 64 bits with a sign: numbered anew
        present = np.unique(given[given >= 0])
        return np.where(given >= 0, np.searchsorted(present, given), -1)
    return given.astype(np.int64, copy=False)
