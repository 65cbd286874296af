"""Frequency l-diversity in binary k-means: the check of a half, and the deal of a part that cannot be split.

allowed[m] is how many rows of one sensitive value a class of m rows may have.
"""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel

__all__ = ["deal", "is_diverse"]


@kernel
def is_diverse(part, half, h, values, most, tally):
    """Return whether no value has more than `most` rows in half h of a part.

    part (m,) int64: places; half (m,) int8; values (n,) int64; tally: int64 zeros, one for each value.
    """
    holds = True
    for i in range(part.shape[0]):
        if half[i] == h:
            tally[values[part[i]]] += 1
            holds &= tally[values[part[i]]] <= most
    for i in range(part.shape[0]):
        tally[values[part[i]]] = 0
    return holds


@kernel
def deal(part, values, allowed, least, begins):
    """Deal the rows of a part, sorted by value and then place, to as many classes in turn as stay legal.

    part (m,) int64, ascending places: put into the order of the classes; begins (m,) int64: set to 1 where a class
    begins.  The part itself is legal.
    """
    n = part.shape[0]
    by_value = part[np.argsort(values[part], kind="mergesort")]  # stable
    start = np.empty(n + 1, np.int64)
    n_runs = 0
    for i in range(n):
        if i == 0 or values[by_value[i]] != values[by_value[i - 1]]:
            start[n_runs] = i
            n_runs += 1
    start[n_runs] = n
    n_classes = n // least
    while n_classes > 1 and not _deal_is_legal(n, start[: n_runs + 1], n_classes, allowed):
        n_classes -= 1
    place = 0
    for c in range(n_classes):
        begins[place] = 1
        for i in range(c, n, n_classes):
            part[place] = by_value[i]
            place += 1


@kernel
def _deal_is_legal(n, start, n_classes, allowed):
    """Return whether no class of the deal has too many rows of one value.

    start: where the rows of each value begin, and n.  The first n % n_classes classes have a row more than the
    others.  A value's rows go to classes in turn from `first` on, round the ring, and the first `rest` of these
    have a row more of it than the others.
    """
    size, larger = n // n_classes, n % n_classes
    for v in range(start.shape[0] - 1):
        each, rest = (start[v + 1] - start[v]) // n_classes, (start[v + 1] - start[v]) % n_classes
        first = start[v] % n_classes
        last = first + rest - 1  # it goes round the ring from n_classes on
        if each > allowed[size]:
            return False
        if rest > 0:
            reaches_smaller = last >= larger  # also if it goes round: then the last class, a smaller one, is in it
            if each + 1 > (allowed[size] if reaches_smaller else allowed[size + 1]):
                return False
    return True
