"""What rows may be worth: the loss of each class, shared among its rows by what they lose at least.

A guess alone is no bound; it is one once it is repaired (`repair`).  The classes of `Peel` lose more than the best
ones, so that the guess is mostly too high, which a repair needs: it only lowers.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.boxes import ClassSummary, boxes_of, class_extents
from covey.search.bounds.space import Space

__all__ = ["shared_losses"]

EASE, POWER = 0.05, 0.6
"""A row bears its share of a loss in proportion to (its least extent + EASE columns) to this power."""


def shared_losses(space: Space, least: IntVector, labels: IntVector) -> IntVector:
    """Return (t,) int64, in grains: what a row of each tuple bears of the losses of classes.

    least (t,): the least extents, in units; labels (n,): the class of every row, in the order of tuples.
    """
    tuples = np.repeat(np.arange(space.counts.size), space.counts)
    n_classes = int(labels.max()) + 1
    low, high, sizes = boxes_of(space.codes.columns, tuples, labels, n_classes)
    losses = sizes * class_extents(space.codes, ClassSummary(sizes, low, high))
    ease = (least / space.units + EASE) ** POWER
    whole = np.bincount(labels, ease[tuples], n_classes)
    borne = np.bincount(tuples, (losses / whole)[labels] * ease[tuples]) / space.counts
    return np.asarray(np.floor(np.maximum(borne, least) * space.grain), np.int64)
