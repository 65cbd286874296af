"""A table under nested cuts: what others see of it, the cluster of every row, and the spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import FloatMatrix, IntVector
from covey.mining.centres.coordinates import Category, Coordinates
from covey.mining.centres.nearness import Nearness
from covey.mining.centres.private import PrivateAttribute, private_attributes
from covey.mining.centres.regions import MOST_POINTS, OPEN, Regions
from covey.mining.spans import Reach, Spans, find_spans

__all__ = ["NestedCut", "View", "follow", "tuples_reaching"]


@dataclass(frozen=True, slots=True)
class NestedCut:
    """One cut of the released model: the nearer of two centres, and what comes next on each side."""

    first: tuple[float, ...]
    """The centre whose side is taken, also by points as near to both."""
    second: tuple[float, ...]
    then: tuple[int, int]
    """For each side the number of the next cut, or -1 - c where cluster c is reached."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A table as others see it: the coordinates that are public, and what the private ones may be."""

    coordinates: Coordinates
    public: IntVector
    private: tuple[PrivateAttribute, ...]
    points: FloatMatrix

    @classmethod
    def of(
        cls, coordinates: Coordinates, points: FloatMatrix, public: Sequence[str], ranges: Mapping[str, Any] | None
    ) -> View:
        """Return the view of points where some columns are public; ranges: of private numbers, by column."""
        places = np.array(coordinates.places(public), np.int64)
        together = [
            coordinates.names_of(column)
            for column in coordinates.columns
            if isinstance(column, Category) and len(column.values) > 1
        ]
        private = private_attributes(coordinates.names, places, points, ranges or {}, together)
        return cls(coordinates, places, private, points)

    def tuples(self) -> tuple[FloatMatrix, IntVector]:
        """Return the distinct public tuples, and the number of each row's."""
        found, of_row = np.unique(self.points[:, self.public], axis=0, return_inverse=True)
        return found, of_row.reshape(-1)

    def nearness(self) -> Nearness:
        """Return squared distances in these coordinates, to centres yet to be given."""
        weights = self.coordinates.weights
        return Nearness(np.zeros((1, len(weights))), weights, self.public, self.private)

    def regions(self) -> Regions:
        """Return the regions over the distinct public tuples, to be cut."""
        places = [place for attribute in self.private for place in attribute.places]
        seen = np.unique(self.points[:, places], axis=0)
        likely = seen[np.linspace(0, len(seen) - 1, min(len(seen), MOST_POINTS)).astype(np.int64)]
        return Regions(self.nearness(), self.tuples()[0], likely)

    def spans(self, reached: Sequence[IntVector]) -> Spans:
        """Return the spans of the rows; reached: for each cluster the public tuples that reach it."""
        tuples, of_row = self.tuples()
        classes: list[list[int]] = [[] for _ in tuples]
        for cluster, rows in enumerate(reached):
            for row in rows.tolist():
                classes[row].append(cluster)
        _, first = np.unique(of_row, return_index=True)
        known, every = set(self.public.tolist()), self.coordinates
        names = [column.name for column in every.columns if known.issuperset(every.places([column.name]))]
        words = [self.coordinates.words(self.points[row].tolist(), names) for row in first.tolist()]
        return find_spans(of_row, [Reach(frozenset(c), text) for c, text in zip(classes, words, strict=True)])


def follow(cuts: Sequence[NestedCut], view: View) -> IntVector:
    """Return the cluster of each row, exactly."""
    points = view.points
    nearness = view.nearness()
    cluster = np.zeros(len(points), np.int64)
    todo = [(0, np.arange(len(points)))] if cuts else []
    while todo:
        at, rows = todo.pop()
        if at < 0:
            cluster[rows] = -1 - at
            continue
        cut = cuts[at]
        pair = nearness.with_centres(np.array([cut.first, cut.second]))
        side = pair.nearest_of_points(points[np.ix_(rows, pair.public)], points[np.ix_(rows, pair.places)])
        todo += [(cut.then[s], rows[side == s]) for s in (0, 1)]
    return cluster


def tuples_reaching(cuts: Sequence[NestedCut], view: View) -> list[IntVector]:
    """Return for each cluster the public tuples that reach it, exactly."""
    regions = view.regions()
    found: dict[int, IntVector] = {}
    todo = [(0 if cuts else -1, regions.whole())]
    while todo:
        at, region = todo.pop()
        if at < 0:
            found[-1 - at] = region.rows
            continue
        cut = np.array([cuts[at].first, cuts[at].second])
        sides = regions.sides(region, cut)
        for place in np.flatnonzero((sides == OPEN).any(axis=0)).tolist():
            regions.settle(region, cut, sides, place)
        todo += zip(cuts[at].then, regions.parts(region, cut, sides), strict=True)
    return [found[cluster] for cluster in range(len(found))]
