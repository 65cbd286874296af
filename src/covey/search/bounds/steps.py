"""Steps of the primal-dual method of Chambolle and Pock (2011) on a pool of sets, and what sets cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.codes.prices import extent
from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause

__all__ = ["Dues", "set_dues", "set_extents", "take_steps"]


class Dues(NamedTuple):
    """Which tolls the sets of a pool pay, and how often."""

    starts: np.ndarray
    """(m + 1,) int64"""
    own: np.ndarray
    """int64: the tolls of each set"""
    times: np.ndarray
    """float64"""


@kernel
def set_extents(measure, columns, starts, rows):
    """Return the extent of every set of tuples; columns (p, t) int32; starts (m + 1,); rows int32."""
    m, p = starts.shape[0] - 1, columns.shape[0]
    low, high = np.empty(p, np.int64), np.empty(p, np.int64)
    out = np.empty(m)
    for s in range(m):
        for j in range(p):
            low[j] = high[j] = columns[j, rows[starts[s]]]
            for i in range(starts[s] + 1, starts[s + 1]):
                code = np.int64(columns[j, rows[i]])
                low[j], high[j] = min(low[j], code), max(high[j], code)
        out[s] = extent(measure, low, high)
    return out


@kernel
def set_dues(starts, rows, tolls):
    """Return the `Dues` of sets: a toll is paid once for so many rows of its set (`branch.Tolls`)."""
    m = starts.shape[0] - 1
    held = np.zeros(tolls.price.shape[0], np.int64)
    ends = np.zeros(m + 1, np.int64)
    for filling in range(2):  # first counted, then filled in
        own, times = np.empty(ends[m] * filling, np.int64), np.empty(ends[m] * filling)
        n = 0
        for s in range(m):
            for i in range(starts[s], starts[s + 1]):
                for u in tolls.own[tolls.starts[rows[i]] : tolls.starts[rows[i] + 1]]:
                    held[u] += 1
            for i in range(starts[s], starts[s + 1]):
                for u in tolls.own[tolls.starts[rows[i]] : tolls.starts[rows[i] + 1]]:
                    if held[u] >= tolls.per[u]:
                        if filling:
                            own[n], times[n] = u, held[u] // tolls.per[u]
                        n += 1
                    held[u] = 0
            ends[s + 1] = n
    return Dues(ends, own, times)


@kernel
def take_steps(starts, rows, costs, counts, dues, most, taken, worth, tolls, steps, average, toll_average):
    """Take some steps from `taken` (m,), `worth` (t,) and `tolls` (u,), which change; the averages are of later ones.

    Each set takes its rows and costs `costs`; all rows of each tuple, `counts`, are to be taken once; what is taken
    pays no toll more often than `most` times in all.
    """
    m, t, n_tolls = starts.shape[0] - 1, counts.shape[0], most.shape[0]
    pace, toll_pace, set_pace = np.zeros(t), np.zeros(n_tolls), np.empty(m)
    for s in range(m):
        load = np.float64(starts[s + 1] - starts[s])
        for i in range(starts[s], starts[s + 1]):
            pace[rows[i]] += 1.0
        for i in range(dues.starts[s], dues.starts[s + 1]):
            toll_pace[dues.own[i]] += dues.times[i]
            load += dues.times[i]
        set_pace[s] = 1.0 / load
    short, over = np.empty(t), np.empty(n_tolls)
    n = 0
    for step in range(steps):
        if step & DEAR_TURNS == 0:
            pause(0, 0)
        for one in range(t):
            short[one] = counts[one]
        for u in range(n_tolls):
            over[u] = -most[u]
        for s in range(m):
            beyond = costs[s]
            for i in range(starts[s], starts[s + 1]):
                beyond -= worth[rows[i]]
            for i in range(dues.starts[s], dues.starts[s + 1]):
                beyond += dues.times[i] * tolls[dues.own[i]]
            before = taken[s]
            taken[s] = max(before - beyond * set_pace[s], 0.0)
            ahead = 2.0 * taken[s] - before
            if ahead != 0.0:
                for i in range(starts[s], starts[s + 1]):
                    short[rows[i]] -= ahead
                for i in range(dues.starts[s], dues.starts[s + 1]):
                    over[dues.own[i]] += dues.times[i] * ahead
        is_late = 2 * step >= steps
        n += is_late
        for one in range(t):
            worth[one] += short[one] / max(pace[one], 1.0)
            average[one] += is_late * worth[one]
        for u in range(n_tolls):
            tolls[u] = max(tolls[u] + over[u] / max(toll_pace[u], 1.0), 0.0)
            toll_average[u] += is_late * tolls[u]
    for one in range(t):
        average[one] /= n
    for u in range(n_tolls):
        toll_average[u] /= n
