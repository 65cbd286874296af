"""The rows of a part that cannot be split, dealt to classes in turn so that all of them satisfy the models."""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import pause
from covey.search.kernels.states import add, forget, holds

__all__ = ["deal"]

FEW = 64
"""Up to so many classes every number of them is tried, of more only the greatest for each size of a class."""


@kernel
def deal(part, needs, state, begins):
    """Deal the rows of a part, sorted by their values and then place, to as many classes in turn as stay legal.

    part (m,) int64, ascending places: put into the order of the classes; state: zeros; begins (m,) int64: set to 1
    where a class begins.  The part itself is legal.
    """
    n = part.shape[0]
    ordered = part.copy()
    for c in range(needs.starts.shape[0] - 1, -1, -1):
        values = np.empty(n, np.int64)
        for i in range(n):
            values[i] = needs.values[needs.starts[c, ordered[i]]]
        ordered = ordered[np.argsort(values, kind="mergesort")]  # stable
    n_classes = max(n // needs.k, 1)
    if needs.starts.shape[0] == 1 and needs.least.max() <= 1:
        starts = _starts_of_values(ordered, needs)
        while n_classes > 1 and not _shares_hold(n, starts, n_classes, needs):
            n_classes -= 1
    else:
        while n_classes > 1 and not _deal_holds(ordered, n_classes, needs, state):
            pause(0, 0)
            n_classes = n // (n // n_classes + 1) if n_classes > FEW else n_classes - 1
    place = 0
    for c in range(n_classes):
        begins[place] = 1
        for i in range(c, n, n_classes):
            part[place] = ordered[i]
            place += 1


@kernel
def _deal_holds(ordered, n_classes, needs, state):
    """Return whether all classes of a deal satisfy the models."""
    n = ordered.shape[0]
    for c in range(n_classes):
        for i in range(c, n, n_classes):
            add(needs, state, ordered[i])
        legal = holds(needs, state)
        for i in range(c, n, n_classes):
            forget(needs, state, ordered[i])
        if not legal:
            return False
    return True


@kernel
def _starts_of_values(ordered, needs):
    """Return where the rows of each value of the one column begin, and how many rows there are."""
    n = ordered.shape[0]
    start = np.empty(n + 1, np.int64)
    n_runs = 0
    last = np.int64(-1)
    for i in range(n):
        value = needs.values[needs.starts[0, ordered[i]]]
        if value != last:
            start[n_runs] = i
            n_runs += 1
            last = value
    start[n_runs] = n
    return start[: n_runs + 1]


@kernel
def _shares_hold(n, start, n_classes, needs):
    """Return whether no class of a deal by one column has too many rows of one value, without dealing.

    The first n % n_classes classes have a row more than the others.  A value's rows go to classes in turn from `first`
    on, round the ring, and the first `rest` of these have a row more of it than the others.
    """
    size, larger = n // n_classes, n % n_classes
    for v in range(start.shape[0] - 1):
        each, rest = (start[v + 1] - start[v]) // n_classes, (start[v + 1] - start[v]) % n_classes
        first = start[v] % n_classes
        last = first + rest - 1  # it goes round the ring from n_classes on
        if each > _most_rows(needs, size):
            return False
        if rest > 0:
            reaches_smaller = last >= larger  # also if it goes round: then the last class, a smaller one, is in it
            if each + 1 > _most_rows(needs, size if reaches_smaller else size + 1):
                return False
    return True


@kernel
def _most_rows(needs, rows):
    """Return how many rows of one value a class of so many rows may have."""
    most = rows
    for m in range(needs.times.shape[0]):
        if needs.times[m] > 0:
            most = min(most, rows * needs.per[m] // needs.times[m])
    return most
