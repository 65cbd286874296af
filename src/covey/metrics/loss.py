"""Losses of what was published: Total-IL, NCP, GCP, DM, C_avg and the loss per column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from covey.base.arrays import FloatVector, IntVector

__all__ = ["Losses", "Published", "measure", "without_classes"]


@dataclass(frozen=True, slots=True)
class Published:
    """The published classes: their rows, and what each released cell costs."""

    names: Sequence[str]
    weights: FloatVector
    """(p,) float64."""
    sizes: IntVector
    """(c,) int64: rows of each class."""
    prices: FloatVector
    """(p, c) float64: price of each cell, 0 to 1."""
    shares: FloatVector
    """(p, c) float64: share of the domain that each cell covers."""
    suppressed: int = 0
    varies: Sequence[bool] | None = None
    """Which columns are not constant; a suppressed row costs their weights."""
    has_classes: bool = True
    """False for a release by rings, where each row has a box of its own: it has no DM and no C_avg."""


@dataclass(frozen=True, slots=True)
class Losses:
    """The loss of a release by each measure; see `covey.metrics.METRICS`."""

    total_il: float
    mean_price: float
    """What the average released cell costs, 0 to 1: the mean of the columns, whatever their weights."""
    ncp: float
    gcp: float
    dm: int | None
    """None for a release without classes, as `c_avg`."""
    c_avg: float | None
    columns: Mapping[str, float]
    """For each quasi column the mean price of a row, 0 to 1."""


def measure(published: Published, k: int) -> Losses:
    """Return the losses of published classes.

    A suppressed row costs all weights of the columns that are not constant (Total-IL, NCP), its price
    in each column is 1, it counts as many rows as the table has in DM, and C_avg leaves it out.

    >>> pair = Published(["age"], np.ones(1), np.array([2, 2]), np.array([[0.5, 0.0]]), np.array([[0.5, 0.0]]))
    >>> measure(pair, k=2)
    Losses(total_il=1.0, mean_price=0.25, ncp=1.0, gcp=0.25, dm=8, c_avg=1.0, columns={'age': 0.25})
    """
    sizes = published.sizes.astype(np.float64)
    released = int(published.sizes.sum())
    n_classes = int(np.count_nonzero(published.sizes))
    rows = released + published.suppressed
    varies = np.ones(len(published.names), bool) if published.varies is None else np.array(published.varies, bool)
    dropped = published.suppressed * float(published.weights[varies].sum())
    total_il = float(((published.weights @ published.prices) * sizes).sum()) + dropped
    ncp = float(((published.weights @ published.shares) * sizes).sum()) + dropped
    weight = float(published.weights.sum())
    per_column = (published.prices @ sizes + published.suppressed * varies) / max(rows, 1)
    return Losses(
        total_il=total_il,
        mean_price=float(per_column.mean()) if len(per_column) else 0.0,
        ncp=ncp,
        gcp=ncp / (rows * weight) if rows and weight else 0.0,
        dm=_discernibility(published.sizes, published.suppressed) if published.has_classes else None,
        c_avg=released / max(n_classes, 1) / k if published.has_classes else None,
        columns={name: float(value) for name, value in zip(published.names, per_column, strict=True)},
    )


def without_classes(published: Published) -> Published:
    """Return the same with prices that tell of no class how far it reaches: the mean of each column in all of them.

    The mean is rounded up, in powers of ten, to steps in which even the largest class counts for one step at most.

    >>> pair = Published(["age"], np.ones(1), np.array([2, 20]), np.array([[0.5, 0.0]]), np.array([[0.5, 0.0]]))
    >>> without_classes(pair).prices.tolist()
    [[1.0, 1.0]]
    """
    sizes = published.sizes
    rows = max(int(sizes.sum()), 1)
    steps = 10 ** (len(str(rows // int(sizes.max(initial=1)))) - 1)

    def told(prices: FloatVector) -> FloatVector:
        means = np.ceil(np.round(prices @ sizes / rows * steps, 9)) / steps
        return np.repeat(means[:, None], prices.shape[1], axis=1)

    return replace(published, prices=told(published.prices), shares=told(published.shares))


def _discernibility(sizes: IntVector, suppressed: int) -> int:
    """Return DM: the squares of the class sizes, and all rows of the table for each suppressed one."""
    rows = int(sizes.sum()) + suppressed
    return int((sizes.astype(object) ** 2).sum()) + suppressed * rows
