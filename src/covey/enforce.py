"""From the classes of an algorithm to classes that satisfy what was asked, or `Infeasible`."""

from __future__ import annotations

import numpy as np

from covey.arrays import IntVector
from covey.checks import require_rows
from covey.encode import Codes, summarise
from covey.errors import InputError
from covey.prices import extent

__all__ = ["enforce_k"]


def enforce_k(codes: Codes, labels: IntVector, k: int) -> IntVector:
    """Return labels in which every class has at least `k` rows.

    A class below k, smallest first (ties: lowest number), joins the class whose loss grows least by it.
    An algorithm that keeps its promise comes back unchanged.
    """
    require_rows(k, codes.n_rows)
    labels = _checked(codes, labels)
    summary = summarise(codes, labels)
    if summary.sizes.min(initial=k) >= k:
        return labels
    sizes, low, high = summary.sizes.copy(), summary.low.copy(), summary.high.copy()
    home = np.arange(len(sizes))
    while True:
        alive = np.flatnonzero(sizes > 0)
        small = alive[sizes[alive] < k]
        if not len(small):
            break
        loser = small[np.argmin(sizes[small])]
        others = alive[alive != loser]
        growth = [_growth(codes, sizes, low, high, int(other), int(loser)) for other in others]
        winner = others[int(np.argmin(growth))]
        low[winner] = np.minimum(low[winner], low[loser])
        high[winner] = np.maximum(high[winner], high[loser])
        sizes[winner] += sizes[loser]
        sizes[loser] = 0
        home[home == loser] = winner
    _, numbers = np.unique(home[labels], return_inverse=True)
    return np.asarray(numbers, np.int64)


def _checked(codes: Codes, labels: IntVector) -> IntVector:
    """Return the labels of an algorithm as int64; raise unless they give every row a class."""
    labels = np.asarray(labels)
    fine = labels.shape == (codes.n_rows,) and np.issubdtype(labels.dtype, np.integer)
    if not fine or labels.min(initial=0) < 0:
        raise InputError(
            f"the algorithm did not give each of the {codes.n_rows:,} rows a class number of 0 or more",
            code="bad-labels",
            hint="use an algorithm of covey, or correct the one given",
        )
    return labels.astype(np.int64, copy=False)


def _growth(codes: Codes, sizes: IntVector, low: IntVector, high: IntVector, a: int, b: int) -> float:
    """Return how much more the rows of two classes lose once they are one."""

    def loss(rows: int, least: IntVector, most: IntVector) -> float:
        width = extent(codes.kinds, codes.weights, codes.positions, codes.offsets, codes.sizes, least, most)
        return float(rows * width)

    joined = loss(int(sizes[a] + sizes[b]), np.minimum(low[a], low[b]), np.maximum(high[a], high[b]))
    return joined - loss(int(sizes[a]), low[a], high[a]) - loss(int(sizes[b]), low[b], high[b])
