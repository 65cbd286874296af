"""One run of an algorithm on a table: its classes as it forms them, the seconds of the search, and the counts.

Classes are counted as they are formed, as the papers do.  In a release, classes whose generalised cells
happen to be equal are one: its DM is higher and its ED a little lower.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.algorithms import algorithm_named
from covey.ask.schema import Schema
from covey.base.arrays import IntVector
from covey.codes.boxes import total_loss
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_frame
from covey.columns.kept import KeptColumn, kept_column
from covey.metrics.classification import classification_metric
from covey.metrics.risk import equal_diversity, sensitive_diversity

__all__ = ["Bench", "Trial", "growth"]


@dataclass(frozen=True, slots=True)
class Trial:
    """What one run gave."""

    k: int
    seconds: float
    """Of the search alone, the table being encoded; processor time, which what else the machine does changes least.
    A search on one core takes as long by the clock when nothing else runs."""
    loss: float
    """Total-IL."""
    labels: IntVector
    """The class of every row, -1 if it is suppressed."""
    label: KeptColumn
    """The column that plays the target and the sensitive one."""

    @property
    def sizes(self) -> IntVector:
        """Return the rows of every class."""
        return np.bincount(self.labels[self.labels >= 0])

    @property
    def suppressed(self) -> int:
        """Return how many rows are in no class."""
        return int((self.labels < 0).sum())

    @property
    def dm(self) -> int:
        """Return the discernibility metric: squared sizes, and all rows for each that is suppressed."""
        return int((self.sizes**2).sum()) + self.suppressed * len(self.labels)

    @property
    def cm(self) -> int:
        """Return the classification metric, as a number of rows."""
        return classification_metric(self.labels, self.label.codes)

    @property
    def ed(self) -> int:
        """Return the rows of classes with a single label."""
        return equal_diversity(self.labels, self.label.codes)

    def sd(self, value: str) -> int:
        """Return the rows of classes whose only label is `value`."""
        return sensitive_diversity(self.labels, self.label.codes, {self.label.values.index(value)})


@dataclass(frozen=True, slots=True)
class Bench:
    """A table, encoded once, on which algorithms are run."""

    codes: TableCodes
    label: KeptColumn
    """The column that plays the target and the sensitive one."""

    @classmethod
    def of(cls, table: pa.Table, schema: Schema, label: str) -> Bench:
        """Return the bench of a table."""
        return cls(encode_frame(table, schema), kept_column(label, table.column(label)))

    def run(self, algorithm: str | Any, k: int, *, seed: int = 0, runs: int = 1, index: bool = True) -> Trial:
        """Return one trial: the seconds are those of the fastest of `runs`; every class has k rows or it raises.

        `index=False`: the plain loop of the paper, which gives the same classes.
        """
        estimator = algorithm_named(algorithm, k=k, seed=seed) if isinstance(algorithm, str) else algorithm
        if not index:
            estimator._prune = False  # every pruned search has this switch
        seconds = []
        for _ in range(runs):
            start = time.process_time()
            labels = estimator.labels(self.codes, {self.label.name: self.label})
            seconds.append(time.process_time() - start)
        trial = Trial(k, min(seconds), total_loss(self.codes, labels), labels, self.label)
        if trial.sizes.min(initial=k) < k:
            raise ValueError(f"{algorithm} left a class of {trial.sizes.min()} rows at k = {k}")
        return trial


def growth(points: Sequence[tuple[float, float]]) -> float:
    """Return b of the curve y = a * x**b that lies closest to the points, on a log scale.

    >>> round(growth([(10, 3), (20, 12), (40, 48)]), 9)
    2.0
    """
    x, y = np.log(np.array(points, float)).T
    return float(np.polyfit(x, y, 1)[0])
