"""Which rows of a box make the class that is most too dear, where classes pay tolls: branch and bound.

A class of k to 2k - 1 rows may cost its rows times its extent, and the tolls that it pays: each as often as its rows of
the toll's set hold the divisor in full.  Tolls only rise as rows join, so what the dearest rows that are left could add
without tolls is the most that they can add.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import kernel

__all__ = ["Branch", "Tolls", "dearest_class", "new_branch", "no_tolls"]


class Tolls(NamedTuple):
    """What classes pay for rows of some sets."""

    starts: np.ndarray
    """(t + 1,) int64: where the tolls of each tuple begin"""
    own: np.ndarray
    """int64: the tolls in whose sets each tuple is"""
    price: np.ndarray
    """(tolls,) int64: what is paid each time, in grains"""
    per: np.ndarray
    """(tolls,) int64: once for so many rows"""


def no_tolls(n_tuples: int) -> Tolls:
    """Return tolls that nobody pays."""
    nothing = np.zeros(0, np.int64)
    return Tolls(np.zeros(n_tuples + 1, np.int64), nothing, nothing, nothing)


class Branch(NamedTuple):
    """Room for a search, and what it found."""

    tuples: np.ndarray
    """(n,) int64: the tuple of each row, the dearest first; -1 for rows that stand for all that are cheaper"""
    prices: np.ndarray
    """(n,) int64"""
    after: np.ndarray
    """(n,) int64: the first row of the next tuple"""
    sums: np.ndarray
    """(n + 1,) int64: what the rows before each cost together"""
    chosen: np.ndarray
    """(2k - 1,) int64: rows"""
    found: np.ndarray
    """(2k - 1,) int64: the rows of the class found"""
    held: np.ndarray
    """(tolls,) int64: how many rows of each set are chosen"""


@kernel
def new_branch(most_rows, k, n_tolls):
    """Return room for a search among so many rows."""
    return Branch(
        np.empty(most_rows, np.int64), np.empty(most_rows, np.int64), np.empty(most_rows, np.int64),
        np.empty(most_rows + 1, np.int64), np.empty(2 * k - 1, np.int64), np.empty(2 * k - 1, np.int64),
        np.zeros(n_tolls, np.int64),
    )  # fmt: skip


@kernel
def dearest_class(branch, tolls, n, k, cost, most_nodes):
    """Return (rows of the class that is most too dear, by how much, whether the search came to its end).

    branch: with n rows; cost: what a row may cost beside tolls, in grains.  No rows: no class is too dear.
    """
    _prepare(branch, n)
    above = 0  # so many rows cost more than that
    while above < n and branch.prices[above] > cost:
        above += 1
    size = n_found = row = 0
    value = best = np.int64(0)
    for _ in range(most_nodes):
        if size < 2 * k - 1 and _most(branch, n, k, cost, above, row, size, value) > best:
            branch.chosen[size] = row
            size += 1
            value += branch.prices[row] - cost - _paid(branch, tolls, branch.tuples[row])
            if size >= k and value > best:
                best, n_found = value, size
                branch.found[:size] = branch.chosen[:size]
            row += 1
        elif size == 0:
            return n_found, best, True
        else:
            size -= 1
            row = branch.chosen[size]
            value -= branch.prices[row] - cost - _paid_back(branch, tolls, branch.tuples[row])
            row = branch.after[row]
    for i in range(size):
        _paid_back(branch, tolls, branch.tuples[branch.chosen[i]])
    return n_found, best, False


@kernel
def _prepare(branch, n):
    branch.sums[0] = 0
    for i in range(n):
        branch.sums[i + 1] = branch.sums[i] + branch.prices[i]
    for i in range(n - 1, -1, -1):
        is_last = i == n - 1 or branch.tuples[i + 1] != branch.tuples[i]
        branch.after[i] = i + 1 if is_last else branch.after[i + 1]


@kernel
def _most(branch, n, k, cost, above, row, size, value):
    """Return the most that a class can be too dear that has the chosen rows and others from `row` on."""
    needed = max(k - size, 0)
    end = row + needed
    if end > n or (needed == 0 and row >= n):
        return np.int64(-1)
    end = max(end, min(row + 2 * k - 1 - size, above))
    return value + branch.sums[end] - branch.sums[row] - (end - row) * cost


@kernel
def _paid(branch, tolls, t):
    """Let a row of a tuple join; return what it makes the class pay."""
    paid = np.int64(0)
    if t >= 0:
        for u in tolls.own[tolls.starts[t] : tolls.starts[t + 1]]:
            branch.held[u] += 1
            if branch.held[u] % tolls.per[u] == 0:
                paid += tolls.price[u]
    return paid


@kernel
def _paid_back(branch, tolls, t):
    """Let a row of a tuple leave; return what it had made the class pay."""
    paid = np.int64(0)
    if t >= 0:
        for u in tolls.own[tolls.starts[t] : tolls.starts[t + 1]]:
            if branch.held[u] % tolls.per[u] == 0:
                paid += tolls.price[u]
            branch.held[u] -= 1
    return paid
