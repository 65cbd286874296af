"""What an algorithm says of its groups of rows, where that is published in place of the least boxes around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import IntMatrix, IntVector

__all__ = ["Descriptions"]


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Groups of rows, and by column the codes that each group admits: those of its rows, and others."""

    group_of_row: IntVector
    """(n,) int64."""
    low: IntMatrix
    """(g, p) int64: the least code of each column that a group admits."""
    high: IntMatrix
    """(g, p) int64: the greatest one; of an order or a tree all between count as admitted."""
    sets: Mapping[int, IntMatrix]
    """(g, words) uint64 for each column without order or tree, by its number: what a group admits, a bit per code."""

    def of_classes(self, labels: IntVector) -> Descriptions:
        """Return the classes as groups: each admits what any of the groups that its rows come from does.

        >>> two = Descriptions(np.array([0, 0, 1]), np.array([[2], [5]]), np.array([[3], [9]]), {})
        >>> both = two.of_classes(np.array([0, 0, 0]))
        >>> both.low.tolist(), both.high.tolist()
        ([[2]], [[9]])
        """
        n_groups = len(self.low)
        pairs = np.unique(np.asarray(labels, np.int64) * n_groups + self.group_of_row)
        label, group = pairs // n_groups, pairs % n_groups
        starts = np.flatnonzero(np.diff(label, prepend=-1))  # every class has rows
        return Descriptions(
            np.asarray(labels, np.int64),
            np.minimum.reduceat(self.low[group], starts),
            np.maximum.reduceat(self.high[group], starts),
            {j: np.bitwise_or.reduceat(words[group], starts) for j, words in self.sets.items()},
        )
