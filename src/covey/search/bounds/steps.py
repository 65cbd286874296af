"""Steps of the primal-dual method of Chambolle and Pock (2011) on a pool of sets, and what sets cost."""

from __future__ import annotations

import numpy as np

from covey.codes.prices import extent
from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause

__all__ = ["set_extents", "take_steps"]


@kernel
def set_extents(measure, columns, sets):
    """Return the extent of every set of tuples; columns (p, t) int32; sets (m, k) int32."""
    m, k = sets.shape
    p = columns.shape[0]
    low, high = np.empty(p, np.int64), np.empty(p, np.int64)
    out = np.empty(m)
    for s in range(m):
        for j in range(p):
            low[j] = high[j] = columns[j, sets[s, 0]]
            for i in range(1, k):
                code = np.int64(columns[j, sets[s, i]])
                low[j], high[j] = min(low[j], code), max(high[j], code)
        out[s] = extent(measure, low, high)
    return out


@kernel
def take_steps(sets, costs, counts, taken, worth, pace, steps, average):
    """Take some steps from `taken` (m,) and `worth` (t,), which change; average (t,): of the later half of `worth`.

    sets (m, k) int32: of which each takes a row from its tuples, and costs (m,) so much; counts (t,): the rows of each
    tuple, all to be taken once; pace (t,): how fast the price of each goes.
    """
    m, k = sets.shape
    short = np.empty(counts.shape[0])
    n = 0
    for step in range(steps):
        if step & DEAR_TURNS == 0:
            pause(0, 0)
        for t in range(counts.shape[0]):
            short[t] = counts[t]
        for s in range(m):
            value = 0.0
            for i in range(k):
                value += worth[sets[s, i]]
            before = taken[s]
            taken[s] = max(before - (costs[s] - value) / k, 0.0)
            ahead = 2.0 * taken[s] - before
            if ahead != 0.0:
                for i in range(k):
                    short[sets[s, i]] -= ahead
        for t in range(counts.shape[0]):
            worth[t] += pace[t] * short[t]
        if 2 * step >= steps:
            n += 1
            for t in range(counts.shape[0]):
                average[t] += worth[t]
    for t in range(counts.shape[0]):
        average[t] /= n
