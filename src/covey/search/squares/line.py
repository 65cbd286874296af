"""The classes of one column of numbers with the least sum of squares, exactly (Hansen and Mukherjee 2003).

In an optimal partition classes are runs of the sorted values, each of k to 2k - 1 rows: a longer one can be cut in two
at no cost.  So the least sum for the first i values follows from those for k to 2k - 1 values fewer.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause

__all__ = ["classes_on_a_line"]


def classes_on_a_line(values: FloatVector, k: int) -> IntVector:
    """Return the class of each value, the lowest values in class 0; there are k values or more.

    >>> classes_on_a_line(np.array([5.0, 1.0, 2.0, 9.0, 8.0, 1.0]), 2).tolist()
    [1, 0, 1, 2, 2, 0]
    """
    order = np.argsort(values, kind="stable")
    labels = np.empty(len(values), np.int64)
    labels[order] = _runs(values[order] - values.mean(), k)
    return labels


@kernel
def _runs(values, k) -> IntVector:
    """Return the class of each of the values, which ascend.  Ties: the longest last run."""
    n = values.shape[0]
    least, begin = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    least[0] = 0.0
    for end in range(k, n + 1):
        if end & CHEAP_TURNS == 0:
            pause(end, n)
        # of the run from `start` on, which grows downwards: differences of sums would be inexact beside far-off values
        mean = squares = 0.0
        for start in range(end - 1, max(end - 2 * k, -1), -1):
            rows = end - start
            apart = values[start] - mean
            mean += apart / rows
            squares += apart * (values[start] - mean)
            if rows >= k and least[start] + squares <= least[end]:
                least[end], begin[end] = least[start] + squares, start
    label = np.empty(n, np.int64)
    end, n_classes = n, 0
    while end > 0:
        label[begin[end] : end] = n_classes
        end = begin[end]
        n_classes += 1
    return n_classes - 1 - label
