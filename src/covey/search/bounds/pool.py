"""Sets of rows that the linear program chooses from, each once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntMatrix, IntVector
from covey.search.bounds.space import Space
from covey.search.bounds.steps import set_extents

__all__ = ["Pool", "marks_of", "pool_of"]


@dataclass(frozen=True, slots=True)
class Pool:
    """Sets of rows, one after another, and how much of each is taken."""

    starts: IntVector
    """(m + 1,) int64"""
    rows: IntVector
    """int32: the tuple of each row."""
    costs: FloatVector
    """(m,) what each loses as a class, in columns."""
    taken: FloatVector
    """(m,)"""
    keys: IntVector
    """(m,) uint64: a number for each set, all different."""

    @property
    def sizes(self) -> IntVector:
        """Return (m,): how many rows each set has."""
        return np.diff(self.starts)

    def worth(self, prices: FloatVector) -> FloatVector:
        """Return (m,): what the rows of each set are worth together."""
        return np.asarray(np.add.reduceat(prices[self.rows], self.starts[:-1]))

    def only(self, stays: BoolVector) -> Pool:
        """Return some of the sets."""
        sizes = self.sizes
        starts = np.concatenate([[0], np.cumsum(sizes[stays])])
        rows = self.rows[np.repeat(stays, sizes)]
        return Pool(starts, rows, self.costs[stays], self.taken[stays], self.keys[stays])

    def joined(self, other: Pool) -> Pool:
        """Return the sets of both, those of the other one that are new."""
        new = other.only(~np.isin(other.keys, self.keys))
        return Pool(
            np.concatenate([self.starts, self.starts[-1] + new.starts[1:]]),
            np.concatenate([self.rows, new.rows]),
            np.concatenate([self.costs, new.costs]),
            np.concatenate([self.taken, new.taken]),
            np.concatenate([self.keys, new.keys]),
        )

    def cut_down(self, prices: FloatVector, spare: FloatVector, most_rows: int) -> Pool:
        """Return the pool; if it has too many rows, without the sets that cost most beyond their worth.

        spare (m,): what each set pays beside.
        """
        if len(self.rows) <= most_rows:
            return self
        beyond = np.where(self.taken > 0.0, -np.inf, self.costs + spare - self.worth(prices))
        order = np.argsort(beyond, kind="stable")
        stays = np.zeros(len(beyond), bool)
        stays[order[np.cumsum(self.sizes[order]) <= most_rows // 2]] = True
        return self.only(stays)

    def with_taken(self, taken: FloatVector) -> Pool:
        """Return the pool with other shares taken."""
        return replace(self, taken=taken)


def marks_of(space: Space) -> IntVector:
    """Return (t,) uint64: a chance number for each tuple; the sums of those of sets tell them apart."""
    return np.random.default_rng(0).integers(1, 1 << 63, space.counts.size, dtype=np.uint64)


def pool_of(space: Space, sets: IntMatrix, marks: IntVector) -> Pool:
    """Return different sets (m, most rows) of tuples, behind each -1, as a pool of which nothing is taken."""
    if not len(sets):
        empty = np.zeros(0)
        return Pool(np.zeros(1, np.int64), np.zeros(0, np.int32), empty, empty, np.zeros(0, np.uint64))
    is_row = sets >= 0
    numbers = np.where(is_row, marks[sets], np.uint64(0)).sum(axis=1, dtype=np.uint64)
    keys, first = np.unique(numbers, return_index=True)
    own, is_row = sets[first], is_row[first]
    starts = np.concatenate([[0], np.cumsum(is_row.sum(axis=1))]).astype(np.int64)
    rows = own[is_row]
    extents = set_extents(space.codes.measure, space.codes.narrow, starts, rows)
    return Pool(starts, rows, np.diff(starts) * extents / space.units, np.zeros(len(own)), keys)
