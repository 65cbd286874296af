"""What refining works on: rows, what their classes cost and must satisfy, and how long it may go on."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.codes.codes import Codes
from covey.codes.prices import FLAT
from covey.search.kernels.class_tree import point_values
from covey.search.refine.met import Met
from covey.search.refine.moves import dearest_first, dissolve_classes, move_rows
from covey.search.refine.neighbours import make_anew
from covey.search.refine.partition import Partition, new_partition
from covey.search.refine.pool import new_pool
from covey.search.refine.rules import Rules
from covey.search.refine.scene import Scene, new_scene

__all__ = ["FALLING", "ROOM", "Ground", "Heat", "numbered", "steps_of"]

PASSES = 8
"""Rows move and classes dissolve in turn no more often."""
MOST_CLASSES = 3
"""A neighbourhood has so many classes at most,"""
MOST_ROWS = 24
"""and more if that takes no more rows than these."""
WARMTH, MOST_WARMTH = 0.3, 0.6
"""The temperature at first, in columns of a row,"""
WARM_ROWS = 50
"""and more for large classes: k divided by this, up to the most."""
BIAS = 1.4
"""Classes of many rows grow by weights that are off by a factor of e^this at most, pairs by the weights as they are."""
ROOM = 16
"""So many more, and more classes for a time."""
TOLERANCE = 0.3
"""Classes of a try may lose so much more, in columns of a class of k rows, and are still taken down."""
LARGEST = 1 << 14
"""Where a neighbourhood may have more rows there are none: each would take seconds, and gain next to nothing."""
SLICE = 1 << 22
"""So many pairs of rows of a neighbourhood are looked at before the clock is."""

Heat = tuple[float, float]
"""The temperature before and after some tries, as a share of that at first."""
FALLING: Heat = (1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Ground:
    """Rows that are in classes, or some of them."""

    codes: Codes
    """The tuples, with prices in whole numbers."""
    tuples: IntVector
    """(n,) int64: the tuple of each row."""
    items: IntVector
    """(n,) int64: the row as the rules know it."""
    k: int
    """The least number of rows of a class."""
    rules: Rules
    """What a class must satisfy besides."""
    deadline: float | None = None
    """When to end with what there is, by `time.monotonic`."""
    least_block: ClassVar[int] = 64
    """So many classes at least are searched together."""
    again: ClassVar[float] = 0.2
    """The temperature of a round of search and choice at first, as a share of that of the search before."""
    alone: ClassVar[float] = 0.8
    """The share of a budget for search without choice."""

    @property
    def most_classes(self) -> int:
        """Return how many classes a neighbourhood has at most."""
        return MOST_CLASSES + MOST_ROWS // self.k

    @property
    def most_rows(self) -> int:
        """Return how many rows a neighbourhood has at most."""
        return 2 * self.most_classes * self.k + ROOM

    @property
    def makes_neighbourhoods(self) -> bool:
        """Return whether neighbourhoods are small enough to be made anew."""
        return self.most_rows <= LARGEST

    @property
    def seconds_left(self) -> float:
        """Return how long it may go on."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Return whether to end with what there is."""
        return self.seconds_left < 0.0

    def of_rows(self, rows: IntVector) -> Self:
        """Return the ground of some rows alone, with their tuples alone."""
        present, own = np.unique(self.tuples[rows], return_inverse=True)
        return replace(self, codes=self.codes.part(present), tuples=own.reshape(-1), items=self.items[rows])

    def settled(self, labels: IntVector) -> IntVector:
        """Return the classes after moves and dissolves until neither helps, or for some turns."""
        found = self.parted(labels)
        partition = self.partition(found)
        for _ in range(PASSES):
            if self.is_over:
                break
            moved = move_rows(partition, self.k, True)
            if dissolve_classes(partition, dearest_first(partition), True) + moved == 0:
                break
        return self.parted(numbered(found))

    def parted(self, labels: IntVector) -> IntVector:
        """Return classes of fewer than 2k rows each: those of larger ones are parted in their order.

        That never loses more; where all rows are equal, their classes can spare rows for others.  With rules they stay,
        since a part of a class may fail what the class satisfies.
        """
        found = labels.astype(np.int64)
        rows = np.bincount(found)
        large = np.flatnonzero(rows >= 2 * self.k)
        if len(large) == 0 or len(self.rules.bars):
            return found
        own = np.flatnonzero(np.isin(found, large))
        order = own[np.lexsort([*self.codes.columns[::-1, self.tuples[own]], found[own]])]
        place = np.arange(len(order)) - np.repeat(np.cumsum(rows[large]) - rows[large], rows[large])
        parts = rows[found[order]] // self.k
        part = np.minimum(place // self.k, parts - 1)
        is_first = np.concatenate([[True], (np.diff(found[order]) != 0) | (np.diff(part) != 0)])
        found[order] = len(rows) + np.cumsum(is_first)
        return numbered(found)

    def united(self, labels: IntVector) -> IntVector:
        """Return the classes with those of rows that are all equal as one, as they are when they are published."""
        if len(self.rules.bars):
            return labels
        first = self.tuples[np.unique(labels, return_index=True)[1]]
        number = len(first) + first
        differing = np.unique(labels[self.tuples != first[labels]])
        number[differing] = differing
        return numbered(number[labels])

    def tried(self, labels: IntVector, tries: Fraction, key: np.uint64, met: Met, heat: Heat = FALLING) -> IntVector:
        """Return the classes after so many tries for each class; unless it ends cold they may lose more than before.

        met: takes down the classes of all tries.
        """
        found = labels.astype(np.int64)
        scene = self.scene(found)
        most_rows, end = self.most_rows, int(tries * (int(found.max()) + 1))
        pool = new_pool(scene.columns, self.rules.with_own_counts(), scene.points.shape[1], most_rows, self.k)
        warmth = min(max(WARMTH, self.k / WARM_ROWS), MOST_WARMTH) * self.usual_price
        for begin, after in steps_of(end, most_rows):
            if self.is_over:
                break
            make_anew(
                scene, pool, self.k, self.most_classes, begin, after, end, key, heat[0] * warmth, heat[1] * warmth,
                BIAS * (1.0 - 2.0 / self.k), met,
            )  # fmt: skip
        return numbered(found)

    def losses(self, labels: IntVector) -> FloatVector:
        """Return what the rows of each class lose together."""
        scene = self.scene(labels.astype(np.int64))
        return np.asarray(scene.rows * scene.extent)[: int(labels.max()) + 1]

    def tolerance(self, labels: IntVector) -> float:
        """Return by how much the classes of a try may lose more than those before and still be of use elsewhere."""
        return TOLERANCE * self.k * self.usual_price

    @property
    def usual_price(self) -> float:
        """Return what a column costs at most, on average."""
        codes = self.codes
        most = [
            codes.weights[j]
            * (1.0 if kind == FLAT else codes.positions[start : start + codes.sizes[j] + 1].max(initial=0.0))
            for j, (kind, start) in enumerate(zip(codes.kinds, codes.offsets, strict=True))
        ]
        return float(np.mean([price for price in most if price > 0.0] or [0.0]))

    @property
    def lists_small(self) -> bool:
        """Return whether classes of two and three rows can be listed, and are all that is needed."""
        return self.k == 2 and len(self.rules.bars) == 0

    def kinds(self) -> IntVector:
        """Return the kind of each row, from 0 without gaps: equal in all that is priced and demanded."""
        told = np.concatenate([self.tuples[None], self.rules.values[:, self.items]])
        return np.asarray(np.unique(told, axis=1, return_inverse=True)[1].reshape(-1))

    def partition(self, labels: IntVector) -> Partition:
        """Return classes that can be changed: `labels` changes with them; they are numbered without gaps."""
        found: Partition = new_partition(
            self.codes.narrow, self.codes.measure, self.tuples, labels, int(labels.max()) + 1, self.items,
            self.rules.with_own_counts(),
        )  # fmt: skip
        return found

    def scene(self, labels: IntVector) -> Scene:
        """Return the same for neighbourhood search, with room for more classes."""
        n_classes, measure = int(labels.max()) + 1, self.codes.measure
        found: Scene = new_scene(
            measure, point_values(self.codes.narrow, measure), self.tuples, labels, n_classes, ROOM + n_classes // ROOM,
            self.items,
        )  # fmt: skip
        return found


def steps_of(tries: int, most_rows: int) -> Iterator[tuple[int, int]]:
    """Yield (first, end) of the tries that are made before the clock is looked at."""
    step = max(SLICE // most_rows**2, 1)
    for begin in range(0, tries, step):
        yield begin, min(begin + step, tries)


def numbered(labels: IntVector) -> IntVector:
    """Return the classes numbered from 0 without gaps."""
    return np.asarray(np.unique(labels, return_inverse=True)[1].reshape(-1))
