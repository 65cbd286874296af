"""Tuples grouped by their masked words: those with the same words are a group, if they have k rows."""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel

__all__ = ["grouped"]


@kernel
def grouped(words, mask, counts, tuples, k):
    """Return (members, starts): the tuples of each group of k rows or more, in their order, one group after another.

    words (t, w) uint64; mask (w,) uint64; tuples: those to be grouped.  Groups come in the order of their first tuple.
    """
    n = tuples.shape[0]
    group = np.empty(n, np.int64)
    first = np.empty(n, np.int64)  # of each group the first tuple
    rows = np.zeros(n, np.int64)
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, np.int64)  # open addressing: the group in each place
    n_groups = 0
    for i in range(n):
        t = tuples[i]
        place = np.int64(_hash(words, mask, t) & np.uint64(size - 1))
        while table[place] >= 0 and not _are_equal(words, mask, first[table[place]], t):
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place] = n_groups
            first[n_groups] = t
            n_groups += 1
        group[i] = table[place]
        rows[group[i]] += counts[t]
    return _in_order(tuples, group, rows, n_groups, k)


@kernel
def _in_order(tuples, group, rows, n_groups, k):
    sizes = np.zeros(n_groups, np.int64)
    for i in range(tuples.shape[0]):
        sizes[group[i]] += 1
    number = np.full(n_groups, -1, np.int64)
    starts = np.zeros(n_groups + 1, np.int64)
    kept = 0
    for g in range(n_groups):
        if rows[g] >= k:
            number[g] = kept
            starts[kept + 1] = starts[kept] + sizes[g]
            kept += 1
    place = starts[: kept + 1].copy()
    members = np.empty(starts[kept], np.int32)
    for i in range(tuples.shape[0]):
        g = number[group[i]]
        if g >= 0:
            members[place[g]] = tuples[i]
            place[g] += 1
    return members, starts[: kept + 1].copy()


@kernel
def _hash(words, mask, t):
    mixed = np.uint64(0x9E3779B97F4A7C15)
    for w in range(mask.shape[0]):
        mixed = (mixed ^ (words[t, w] & mask[w])) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(32))


@kernel
def _are_equal(words, mask, one, other):
    differing = np.uint64(0)
    for w in range(mask.shape[0]):
        differing |= (words[one, w] ^ words[other, w]) & mask[w]
    return differing == np.uint64(0)
