"""How often each value of a sensitive column comes in each class, and what a model finds in that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from covey.ask.models import ModelSpec, entry_of
from covey.base.arrays import BoolVector, IntVector
from covey.base.errors import InputError

__all__ = ["Histograms", "Judged", "Level", "judged"]

Level = int | float | Fraction


class Judged(NamedTuple):
    """What a model finds in the classes of a table."""

    level: Level
    """The level of the class that is worst off."""
    fails: BoolVector
    """Which classes do not satisfy what is asked."""


@dataclass(frozen=True, slots=True)
class Histograms:
    """The values of every class that has rows, one class after the other; no class is taken for another of its kind."""

    starts: IntVector
    """(c + 1,) int64: where the values of each class begin in `codes` and `counts`, and where the last ones end."""
    codes: IntVector
    """(m,) int64: the values that a class has, ascending; missing is a value like any other."""
    counts: IntVector
    """(m,) int64: how many of its rows have each, 1 or more."""
    ranks: IntVector | None = None
    """(values,) int64: the place of each code in the column's own order (9 before 10), None if it has none."""

    @classmethod
    def of_rows(cls, classes: IntVector, codes: IntVector, ranks: IntVector | None = None) -> Histograms:
        """Return the histograms of the classes that have rows, by their number; classes, codes: of every row.

        >>> Histograms.of_rows(np.array([0, 4, 0, 0, 2]), np.array([7, 7, 7, 1, 2]))
        Histograms(starts=array([0, 2, 3, 4]), codes=array([1, 7, 2, 7]), counts=array([1, 2, 1, 1]), ranks=None)
        """
        width = int(codes.max(initial=0)) + 1
        keys = np.sort(classes.astype(np.int64) * width + codes)  # below rows x rows, which 64 bits hold
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(firsts, append=len(keys))
        found = keys[firsts]
        starts = np.append(np.flatnonzero(np.diff(found // width, prepend=-1)), len(found))
        return cls(starts, found % width, counts, ranks)

    @classmethod
    def of_counts(cls, classes: Iterable[Sequence[int]]) -> Histograms:
        """Return histograms from the counts of the values 0, 1, ... of each class.

        >>> Histograms.of_counts([[2, 0, 1], [4]]).different()
        array([2, 1])
        """
        listed = [[(code, int(count)) for code, count in enumerate(counts) if count > 0] for counts in classes]
        if not listed or not all(listed):  # a class without rows is none
            raise InputError("there is no class to count", code="empty-table", hint="give a table with rows")
        pairs = np.array([pair for one in listed for pair in one], np.int64)
        return cls(np.cumsum([0, *map(len, listed)]), pairs[:, 0], pairs[:, 1])

    @property
    def n_classes(self) -> int:
        """Return how many classes have rows."""
        return len(self.starts) - 1

    def rows(self) -> IntVector:
        """Return how many rows each class has."""
        return np.add.reduceat(self.counts, self.starts[:-1])

    def different(self) -> IntVector:
        """Return how many different values each class has."""
        return np.diff(self.starts)

    def commonest(self) -> IntVector:
        """Return how many rows of each class have its commonest value."""
        return np.maximum.reduceat(self.counts, self.starts[:-1])

    def reference(self) -> IntVector:
        """Return how many rows have each code, in all classes together.

        >>> Histograms.of_counts([[2, 0, 1], [4]]).reference()
        array([6, 0, 1])
        """
        return np.bincount(self.codes, weights=self.counts).astype(np.int64)


def judged(spec: ModelSpec, classes: Histograms) -> Judged:
    """Return the level that classes reach for a model, and which of them fail it; what is asked is read as written.

    >>> from covey.ask.models import model_spec
    >>> asked = model_spec("frequency-l-diversity(ill, l=2.2)")
    >>> judged(asked, Histograms.of_counts([[25, 20, 10], [3, 1]])).fails  # 25 x 2.2 <= 55, which floats deny
    array([False,  True])
    """
    judge = entry_of(spec.model).load_judge()
    found: Judged = judge(classes, **{name: Fraction(str(value)) for name, value in spec.parameters})
    return found
