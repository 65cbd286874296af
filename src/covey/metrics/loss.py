"""Losses of what was published: Total-IL, NCP, GCP, DM, C_avg and the loss per column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from covey.arrays import FloatVector, IntVector

__all__ = ["METRICS", "Losses", "Metric", "Published", "measure"]


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


@dataclass(frozen=True, slots=True)
class Metric:
    """What a number means."""

    name: str
    formula: str
    range: str
    better: str
    source: str


METRICS = {
    metric.name: metric
    for metric in (
        Metric("total_il", "sum of rows x weighted prices", "0 to rows x weights", "lower", "Byun et al. 2007"),
        Metric("mean_price", "total_il / (rows x sum of weights)", "0 to 1", "lower", "Byun et al. 2007"),
        Metric("ncp", "sum of weighted shares of the domain", "0 to rows x weights", "lower", "Xu et al. 2006"),
        Metric("gcp", "ncp / (rows x sum of weights)", "0 to 1", "lower", "Ghinita et al. 2007"),
        Metric("dm", "sum of squared class sizes, all rows for a suppressed one", "rows to rows squared", "lower",
               "Bayardo and Agrawal 2005"),
        Metric("c_avg", "released rows / classes / k", "1 and more", "lower", "LeFevre et al. 2006"),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Losses:
    """The loss of a release by each measure; see `METRICS`."""

    total_il: float
    mean_price: float
    """Total-IL per row and unit of weight: what the average released cell costs, 0 to 1."""
    ncp: float
    gcp: float
    dm: int
    c_avg: float
    columns: Mapping[str, float]
    """For each quasi column the mean price of a row, 0 to 1."""


def measure(published: Published, k: int) -> Losses:
    """Return the losses of published classes.

    A suppressed row costs all weights of the columns that are not constant (Total-IL, NCP), its price
    in each column is 1, and it counts as many rows as the table has in DM.

    >>> pair = Published(["age"], np.ones(1), np.array([2, 2]), np.array([[0.5, 0.0]]), np.array([[0.5, 0.0]]))
    >>> measure(pair, k=2)
    Losses(total_il=1.0, mean_price=0.25, ncp=1.0, gcp=0.25, dm=8, c_avg=1.0, columns={'age': 0.25})
    """
    sizes = published.sizes.astype(np.float64)
    released = int(published.sizes.sum())
    rows = released + published.suppressed
    varies = np.ones(len(published.names), bool) if published.varies is None else np.array(published.varies, bool)
    dropped = published.suppressed * float(published.weights[varies].sum())
    total_il = float(((published.weights @ published.prices) * sizes).sum()) + dropped
    ncp = float(((published.weights @ published.shares) * sizes).sum()) + dropped
    weight = float(published.weights.sum())
    per_column = (published.prices @ sizes + published.suppressed * varies) / max(rows, 1)
    return Losses(
        total_il=total_il,
        mean_price=total_il / (rows * weight) if rows and weight else 0.0,
        ncp=ncp,
        gcp=ncp / (rows * weight) if rows and weight else 0.0,
        dm=int((published.sizes.astype(object) ** 2).sum()) + published.suppressed * rows,
        c_avg=released / len(sizes) / k if len(sizes) else 0.0,
        columns={name: float(value) for name, value in zip(published.names, per_column, strict=True)},
    )
