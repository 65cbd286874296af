"""Short tours through parts of a table: the loop of `covey.search.non_homogeneous.estimator`."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.prices import price
from covey.compiled.kernel import kernel
from covey.compiled.pausing import CHEAP_TURNS, pause

__all__ = ["short_tours"]


@kernel
def short_tours(columns, tuples, counts, starts, measure, back, ahead) -> IntVector:
    """Return the items (sets of equal rows of one part) in the order in which their part's tour visits them.

    columns (p, t) int32; tuples, counts (m,) int64: the tuple and the rows of each item, part after part;
    starts (r + 1,) int64: where each part begins.  A tour begins with the first item of its part.  The next item is,
    of the first `ahead` not yet visited, the one that widens the box of the last `back` rows least; ties: the
    nearest to the last one, then the first.
    """
    kinds, weights, positions, offsets, sizes = measure
    p = columns.shape[0]
    order = np.empty(tuples.shape[0], np.int64)
    low = np.empty(p, np.int64)
    high = np.empty(p, np.int64)
    near = np.empty(ahead, np.int64)
    for r in range(starts.shape[0] - 1):
        begin, end = starts[r], starts[r + 1]
        n_near = min(ahead, end - begin)
        for f in range(n_near):
            near[f] = begin + f
        unseen = begin + n_near
        for place in range(begin, end):
            if place & CHEAP_TURNS == 0:
                pause(place, tuples.shape[0])
            choice = 0
            if place > begin:
                _box_of_last(columns, tuples, counts, order, begin, place, back, low, high)
                last = tuples[order[place - 1]]
                least = np.inf
                closest = np.inf
                for f in range(n_near):
                    t = tuples[near[f]]
                    widened = 0.0
                    for j in range(p):
                        code = np.int64(columns[j, t])
                        lo, hi = min(low[j], code), max(high[j], code)
                        widened += weights[j] * price(kinds[j], positions, offsets[j], sizes[j], lo, hi)
                        if widened > least:
                            break
                    if widened > least:
                        continue
                    distance = 0.0
                    for j in range(p):
                        code, other = np.int64(columns[j, t]), np.int64(columns[j, last])
                        lo, hi = min(code, other), max(code, other)
                        distance += weights[j] * price(kinds[j], positions, offsets[j], sizes[j], lo, hi)
                    if widened < least or distance < closest:
                        least, closest, choice = widened, distance, f
            order[place] = near[choice]
            for f in range(choice, n_near - 1):
                near[f] = near[f + 1]
            if unseen < end:
                near[n_near - 1] = unseen
                unseen += 1
            else:
                n_near -= 1
    return order


@kernel
def _box_of_last(columns, tuples, counts, order, begin, place, back, low, high):
    """Set low, high (p,) to the least box around the last `back` rows visited before `place`, if there are so many."""
    low[:], high[:] = np.iinfo(np.int64).max, -1
    rows, visited = 0, place
    while rows < back and visited > begin:
        visited -= 1
        t = tuples[order[visited]]
        for j in range(columns.shape[0]):
            code = np.int64(columns[j, t])
            low[j] = min(low[j], code)
            high[j] = max(high[j], code)
        rows += counts[order[visited]]
