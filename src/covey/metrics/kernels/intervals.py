"""The greatest distance inside each class: the loop of `covey.metrics.cost`."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import FloatVector
from covey.codes.prices import price
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause

__all__ = ["find_diameters"]


@kernel
def find_diameters(columns, starts, tuples, low, high, measure) -> FloatVector:
    """Return the greatest distance between two tuples of each class, 0 where there are none.

    columns (p, t) codes; the tuples of class c are tuples[starts[c] : starts[c + 1]]; low, high (c, p) int64, its box.

    Nothing in the box is further from a tuple, column by column, than one of the ends of the box: a
    tuple that cannot be as far off as the furthest pair so far is passed over.  Terms are added in the same order,
    so this holds for the rounded sums too.
    """
    kinds, weights, positions, offsets, sizes = measure
    out = np.zeros(starts.shape[0] - 1)
    for c in range(out.shape[0]):
        for a in range(starts[c], starts[c + 1]):
            if a & CHEAP_TURNS == 0:
                pause(a, tuples.shape[0])
            most = 0.0
            for j in range(columns.shape[0]):
                x = columns[j, tuples[a]]
                down = price(kinds[j], positions, offsets[j], sizes[j], low[c, j], x)
                up = price(kinds[j], positions, offsets[j], sizes[j], x, high[c, j])
                most += weights[j] * max(down, up)
            if most <= out[c]:
                continue
            for b in range(a + 1, starts[c + 1]):
                distance = 0.0
                for j in range(columns.shape[0]):
                    x, y = columns[j, tuples[a]], columns[j, tuples[b]]
                    distance += weights[j] * price(kinds[j], positions, offsets[j], sizes[j], min(x, y), max(x, y))
                out[c] = max(out[c], distance)
    return out
