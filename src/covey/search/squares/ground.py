"""What refining works on where the sum of squared distances to the means of classes is to be least."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from covey.base.arrays import FloatMatrix, FloatVector, IntVector
from covey.codes.codes import TableCodes, are_numbers, standardised
from covey.search.refine.ground import FALLING, ROOM, Ground, Heat, numbered, steps_of
from covey.search.refine.met import Met
from covey.search.squares.near import new_near
from covey.search.squares.neighbours import make_means_anew, new_means

__all__ = ["SquaresGround", "standard_points"]

POOL = 6
"""A neighbourhood has so many times k rows at most, and some more."""
LARGEST = 1 << 12
"""Where it would have more there are none: all distances of its rows would take too much memory."""
TOLERANCE = 1.0
"""Classes of a try may lose so many times what a class loses on average more, and are still taken down."""
WARMTH = 0.04
"""The temperature at first, as a share of what a class loses on average."""


def standard_points(codes: TableCodes) -> FloatMatrix | None:
    """Return (n, p): the rows as points, standardised and times the root of the weight; None if not all are numbers."""
    values = codes.row_values()
    if not are_numbers(codes, values):
        return None
    columns = [standardised(column) * np.sqrt(weight) for column, weight in zip(values, codes.weights, strict=True)]
    return np.ascontiguousarray(np.stack(columns, axis=1))


@dataclass(frozen=True, slots=True)
class SquaresGround(Ground):
    """Rows as points: standardised numbers, times the root of the weight."""

    points: FloatMatrix = field(default_factory=lambda: np.zeros((0, 0)))
    """(n, p) float64."""
    least_block: ClassVar[int] = 512
    again: ClassVar[float] = 0.5
    alone: ClassVar[float] = 0.1

    @property
    def most_rows(self) -> int:
        """Return how many rows a neighbourhood has at most."""
        return POOL * self.k + ROOM

    @property
    def makes_neighbourhoods(self) -> bool:
        """Return whether neighbourhoods are small enough to be made anew."""
        return self.most_rows <= LARGEST

    def of_rows(self, rows: IntVector) -> Self:
        """Return the ground of some rows alone."""
        return replace(super(SquaresGround, self).of_rows(rows), points=self.points[rows])

    def settled(self, labels: IntVector) -> IntVector:
        """Return the classes as they are: moves come with the tries."""
        return labels

    def losses(self, labels: IntVector) -> FloatVector:
        """Return the sum of squares of each class."""
        n_classes = int(labels.max()) + 1
        return np.asarray(new_means(self.points, labels.astype(np.int64), n_classes, 0).loss)

    @property
    def lists_small(self) -> bool:
        """Return False: only boxes are listed."""
        return False

    def tolerance(self, labels: IntVector) -> float:
        """Return by how much the classes of a try may lose more than those before and still be of use elsewhere."""
        return TOLERANCE * float(self.losses(labels).mean())

    def tried(self, labels: IntVector, tries: Fraction, key: np.uint64, met: Met, heat: Heat = FALLING) -> IntVector:
        """Return the classes after so many tries for each class; unless it ends cold they may lose more."""
        found = labels.astype(np.int64)
        n_classes = int(found.max()) + 1
        means = new_means(self.points, found, n_classes, ROOM + n_classes // ROOM)
        near, before = new_near(len(means.rows)), float(means.loss.sum())
        most_rows, end = self.most_rows, int(tries * n_classes)
        warmth = WARMTH * before / n_classes
        rules = self.rules.with_own_counts()
        for begin, after in steps_of(end, most_rows):
            if self.is_over:
                break
            make_means_anew(
                means, near, self.items, rules, self.k, most_rows, begin, after, end, key, heat[0] * warmth,
                heat[1] * warmth, met,
            )  # fmt: skip
        return numbered(found)
