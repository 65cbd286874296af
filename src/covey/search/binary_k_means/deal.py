"""The rows of a part that cannot be split, dealt to classes in turn so that all of them satisfy the models."""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel
from covey.search.kernels.states import add, forget, holds

__all__ = ["deal"]

STEPS = 64
"""Of more classes, so many times fewer are left out at once where a deal is not legal."""


@kernel
def deal(part, needs, state, begins):
    """Deal the rows of a part, sorted by their values and then place, to as many classes in turn as stay legal.

    part (m,) int64, ascending places: put into the order of the classes; state: zeros; begins (m,) int64: set to 1
    where a class begins.  The part itself is legal.
    """
    n = part.shape[0]
    sorted_part = part.copy()
    for c in range(needs.starts.shape[0] - 1, -1, -1):
        values = np.empty(n, np.int64)
        for i in range(n):
            values[i] = needs.values[needs.starts[c, sorted_part[i]]]
        sorted_part = sorted_part[np.argsort(values, kind="mergesort")]  # stable
    n_classes = n // needs.k
    while n_classes > 1 and not _deal_holds(sorted_part, n_classes, needs, state):
        n_classes -= max(n_classes // STEPS, 1)
    place = 0
    for c in range(n_classes):
        begins[place] = 1
        for i in range(c, n, n_classes):
            part[place] = sorted_part[i]
            place += 1


@kernel
def _deal_holds(sorted_part, n_classes, needs, state):
    """Return whether all classes of a deal satisfy the models."""
    n = sorted_part.shape[0]
    for c in range(n_classes):
        for i in range(c, n, n_classes):
            add(needs, state, sorted_part[i])
        legal = holds(needs, state)
        for i in range(c, n, n_classes):
            forget(needs, state, sorted_part[i])
        if not legal:
            return False
    return True
