"""What a class has of what is demanded of it: states that kernels add up, join and judge.

A state holds how many rows a class has; how many different values of each column, and how many rows of the commonest;
then how many of each value, column after column.  Items are tuples, or rows where a search parts equal rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.compiled.kernel import kernel

__all__ = ["Needs", "add", "forget", "holds", "join", "new_state", "violation"]


class Needs(NamedTuple):
    """A demand as kernels read it, with what the items have in the columns that it speaks of."""

    k: int
    begin: IntVector
    """(columns + 1,) int64: where the values of each column begin in a state; the last: how long a state is."""
    starts: IntMatrix
    """(columns, items + 1) int64: where the pairs of each item begin."""
    values: IntVector
    """int64: the place in a state of each pair."""
    counts: IntVector
    """int64: the rows of each pair."""
    rows: IntVector
    """(items,) int64."""
    column: IntVector
    """(rules,) int64: the column that each rule speaks of."""
    least: IntVector
    """(rules,) int64: so many different values a class must have."""
    times: IntVector
    """(rules,) int64: (rows of the commonest value) x times <= rows x per."""
    per: IntVector
    """(rules,) int64."""


@kernel
def new_state(needs):
    """Return the state of a class without rows."""
    return np.zeros(needs.begin[-1], np.int64)


@kernel
def add(needs, state, item) -> None:
    """Add an item to a class."""
    state[0] += needs.rows[item]
    for c in range(needs.starts.shape[0]):
        for x in range(needs.starts[c, item], needs.starts[c, item + 1]):
            _count(state, c, needs.values[x], needs.counts[x])


@kernel
def join(needs, state, other) -> None:
    """Add all rows of another class to a class."""
    state[0] += other[0]
    for c in range(needs.starts.shape[0]):
        for place in range(needs.begin[c], needs.begin[c + 1]):
            if other[place] > 0:
                _count(state, c, place, other[place])


@kernel
def _count(state, c, place, rows) -> None:
    """Count so many rows more of a value of column c."""
    if state[place] == 0:
        state[1 + 2 * c] += 1
    state[place] += rows
    state[2 + 2 * c] = max(state[2 + 2 * c], state[place])


@kernel
def forget(needs, state, item) -> None:
    """Undo `add`: once for every item that was added, and the class has no rows."""
    state[0] = 0
    for c in range(needs.starts.shape[0]):
        state[1 + 2 * c] = state[2 + 2 * c] = 0
        for x in range(needs.starts[c, item], needs.starts[c, item + 1]):
            state[needs.values[x]] = 0


@kernel
def holds(needs, state):
    """Return whether a class satisfies the demand."""
    return violation(needs, state) == 0


@kernel
def violation(needs, state):
    """Return how many rows must join a class at least before it satisfies the demand, 0 if it does."""
    missing = max(needs.k - state[0], 0)
    for m in range(needs.column.shape[0]):
        different, most = state[1 + 2 * needs.column[m]], state[2 + 2 * needs.column[m]]
        missing = max(missing, needs.least[m] - different)
        # rows of other values: most x times <= (rows + missing) x per
        missing = max(missing, -(-most * needs.times[m] // needs.per[m]) - state[0])
    return missing
