"""Random tables with classes, for the tests of the measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracles.random_codes import Table, random_table

__all__ = ["random_labels", "random_release"]


def random_labels(random: np.random.Generator, n: int) -> Any:
    """Return the class of n rows: few or many classes, numbers that nobody has, some rows suppressed."""
    labels = random.integers(0, int(random.integers(1, n + 2)), n)
    if random.random() < 0.2:  # every row a class of its own
        labels = random.permutation(n)
    share = random.choice([0.0, 0.0, 0.2, 1.0], p=[0.4, 0.2, 0.35, 0.05])
    return np.where(random.random(n) < share, -1, labels)


def random_release(random: np.random.Generator, most: int = 25) -> tuple[Table, Any]:
    """Return a table of one row or more, and the class of each."""
    n = int(random.integers(1, most))
    return random_table(random, n), random_labels(random, n)
