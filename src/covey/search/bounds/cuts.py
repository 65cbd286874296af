"""Sets of rows of which the program without whole numbers takes too much: where a toll is worth it.

Of a set U of rows no partition has more than floor(|U| / q) classes with q rows of it, counted as often as they hold q;
the program without whole numbers may take more, in parts.  From each tuple that is taken in parts a set grows by the
tuple that adds most, and the prefix by which the program goes over most is kept.

Source: rank-1 cuts (Chvatal 1973) of the set-partition program, found greedily.
"""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel
from covey.compiled.pausing import DEAR_TURNS, pause

__all__ = ["grown_sets"]

TOUCH = 0.02
"""What a tuple adds to classes that it touches without filling them counts so much, to tell ties apart."""
LEAST_SHARE = 0.01
"""Sets that are taken to a smaller part, or but for a smaller part whole, do not count as taken in parts."""


@kernel
def grown_sets(starts, rows, taken, counts, per, most_tuples, most_rows, least_excess, out, lengths, excess):
    """Grow a set of tuples from each one that is taken in parts; return how many sets went over by enough.

    per: the divisor q; out (t, most_tuples) int32, lengths, excess (t,): the sets, filled.
    """
    t = counts.shape[0]
    firsts, sets = _sets_of_tuples(starts, rows, taken, t)
    held = np.zeros(starts.shape[0] - 1, np.int64)
    touched = np.empty(starts.shape[0] - 1, np.int64)
    gain, is_in = np.zeros(t), np.zeros(t, np.bool_)
    near = np.empty(t, np.int64)
    own = np.empty(most_tuples, np.int64)
    n_found = 0
    for seed in range(t):
        if seed & DEAR_TURNS == 0:
            pause(0, 0)
        if firsts[seed] == firsts[seed + 1] or counts[seed] > most_rows:
            continue
        n_own = n_touched = n_rows = best_length = 0
        filled, best, tuple_ = 0.0, least_excess, seed
        while True:
            own[n_own] = tuple_
            is_in[tuple_] = True
            n_own += 1
            n_rows += counts[tuple_]
            for at in range(firsts[tuple_], firsts[tuple_ + 1]):
                s = sets[at]
                if held[s] == 0:
                    touched[n_touched] = s
                    n_touched += 1
                held[s] += 1
                if held[s] % per == 0:
                    filled += taken[s]
            if n_rows % per != 0 and filled - n_rows // per > best:
                best, best_length = filled - n_rows // per, n_own
            if n_own == most_tuples:
                break
            tuple_ = _most_gained(
                starts, rows, taken, counts, per, firsts, sets, held, touched, n_touched, is_in, gain, near,
                most_rows - n_rows,
            )  # fmt: skip
            if tuple_ < 0:
                break
        if best_length > 0:
            for i in range(best_length):
                out[n_found, i] = own[i]
            lengths[n_found], excess[n_found] = best_length, best
            n_found += 1
        for i in range(n_own):
            is_in[own[i]] = False
        for i in range(n_touched):
            held[touched[i]] = 0
    return n_found


@kernel
def _sets_of_tuples(starts, rows, taken, t):
    """Return (firsts, sets): for each tuple the sets that are taken in parts, once for each of its rows in them."""
    firsts = np.zeros(t + 1, np.int64)
    for filling in range(2):
        if filling:
            firsts[1:] = np.cumsum(firsts[1:])
            sets = np.empty(firsts[t], np.int64)
            place = firsts.copy()
        for s in range(starts.shape[0] - 1):
            if taken[s] < LEAST_SHARE:
                continue
            for i in range(starts[s], starts[s + 1]):
                if filling:
                    sets[place[rows[i]]] = s
                    place[rows[i]] += 1
                else:
                    firsts[rows[i] + 1] += 1
    return firsts, sets


@kernel
def _most_gained(
    starts, rows, taken, counts, per, firsts, sets, held, touched, n_touched, is_in, gain, near, rows_left
):  # fmt: skip
    """Return the tuple in a touched set that adds most, -1 if there is none that fits."""
    n_near = 0
    for i in range(n_touched):
        s = touched[i]
        for at in range(starts[s], starts[s + 1]):
            other = rows[at]
            if is_in[other] or counts[other] > rows_left:
                continue
            if gain[other] == 0.0:
                near[n_near] = other
                n_near += 1
                gain[other] = -counts[other] / per - 1e-12
            gain[other] += taken[s] * (TOUCH + (1.0 if (held[s] + 1) % per == 0 else 0.0))
    best, found = -np.inf, -1
    for i in range(n_near):
        other = near[i]
        if gain[other] > best:
            best, found = gain[other], other
        gain[other] = 0.0
    return found
