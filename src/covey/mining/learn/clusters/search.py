"""Deletes the longest edges of a spanning tree while every span keeps no row or at least k (see `clusters`)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

import numpy as np

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.mining.centres.regions import MOST_PROGRAMS, OPEN, YES, Cut, Region, Sides
from covey.mining.faults import too_large
from covey.mining.learn.clusters.nested import NestedCut, View
from covey.mining.learn.clusters.spanning import spanning_tree

__all__ = ["MOST_ROWS", "Search"]

MOST_ROWS = 50_000
"""More distinct rows are refused."""

Edge = tuple[float, int, int, int]
"""Minus the length, the lower point, the higher point, and the place in the preorder of what hangs below it."""

Tree = tuple[IntVector, IntVector, IntVector]
"""A tree in preorder: points, the point above each (-1 for the first), and the size of each subtree."""


@dataclass(slots=True, eq=False)
class _Component:
    """A part of the spanning tree in preorder, so that what hangs below an edge is a stretch of it."""

    order: IntVector
    parent: IntVector
    size: IntVector
    edges: list[Edge]
    """Those that may be tried, the longest first."""
    region: Region
    members: IntVector
    """The points whose own private values lie in the region."""
    above: tuple[int, int] | None
    """The cut and the side that lead here."""
    tried: int = 0
    cut: int | None = None
    """The cut that divides it; None: it is a cluster."""
    cluster: int = -1


class Search:
    """Deletes edges of a spanning tree, the longest first, while every span has no row or at least k."""

    def __init__(self, view: View, k: int, rows_per_centre: int) -> None:
        self.k = k
        self.rows_per_centre = rows_per_centre
        points = view.points
        # points in the order of their first row, so that ties go by rows
        _, first, of_row = np.unique(points, axis=0, return_index=True, return_inverse=True)
        if len(first) > MOST_ROWS:
            raise too_large(
                f"there are {len(first):,} distinct rows; clusters are made of at most {MOST_ROWS:,}",
                "fit a sample of the rows, then `predict` the others",
            )
        rank = np.argsort(np.argsort(first))
        of_row = rank[of_row.reshape(-1)]
        self.points = points[np.sort(first)]
        self.counts = np.bincount(of_row)
        tuples, tuple_of_row = view.tuples()
        self.n_rows_of = np.bincount(tuple_of_row)
        """Rows per public tuple."""
        self.span_of = np.zeros(len(tuples), np.int64)
        self.regions = view.regions()
        self.scaled = self.points * np.sqrt([float(weight) for weight in view.coordinates.weights])
        self.nearness = self.regions.nearness
        self.cuts: list[NestedCut] = []
        self.components: list[_Component] = []
        self.n_clusters = 1

    def run(self, most_clusters: int) -> None:
        """Cut until no safe cut is left or there are so many clusters."""
        edges, lengths = spanning_tree(self.scaled)
        self.lengths = {(int(a), int(b)): float(length) for (a, b), length in zip(edges, lengths, strict=True)}
        whole = _preorder(len(self.points), edges)
        self.components = [self._component(whole, self.regions.whole(), np.arange(len(self.points)), None)]
        queue: list[tuple[Edge, int]] = []
        self._push(queue, 0)
        while queue and self.n_clusters < most_clusters:
            edge, number = heapq.heappop(queue)
            component = self.components[number]
            component.tried += 1
            parts = self._cut(component, edge[3])
            if parts is None:
                self._push(queue, number)
                continue
            for part in parts:
                self._push(queue, part)
        self._number_clusters()

    def reached(self) -> list[IntVector]:
        """Return for each cluster the public tuples that reach it."""
        rows = {component.cluster: component.region.rows for component in self.components if component.cut is None}
        return [rows[cluster] for cluster in range(self.n_clusters)]

    def _push(self, queue: list[tuple[Edge, int]], number: int) -> None:
        component = self.components[number]
        if component.tried < len(component.edges):
            heapq.heappush(queue, (component.edges[component.tried], number))

    def _component(self, tree: Tree, region: Region, members: IntVector, above: tuple[int, int] | None) -> _Component:
        order, parent, size = tree
        # rows below each edge, from the running sum over the preorder
        running = np.concatenate([[0], np.cumsum(self.counts[order])])
        at = np.arange(len(order))
        below = running[at + size] - running[at]
        fits = (below >= self.rows_per_centre) & (running[-1] - below >= self.rows_per_centre)
        fits[0] = False
        edges = []
        for place in np.flatnonzero(fits).tolist():
            a, b = sorted((int(order[place]), int(parent[place])))
            edges.append((-self.lengths[a, b], a, b, place))
        edges.sort()
        return _Component(order, parent, size, edges, region, members, above)

    def _cut(self, component: _Component, place: int) -> tuple[int, int] | None:
        """Divide a component below one place if that is safe; return the numbers of its parts."""
        stop = place + int(component.size[place])
        below = component.order[place:stop]
        beside = np.concatenate([component.order[:place], component.order[stop:]])
        first, second = (below, beside) if below.min() < beside.min() else (beside, below)
        cut = np.stack([self._mean(first), self._mean(second)])
        divided = self._divide_members(component.members, cut)
        if divided is None:
            return None
        sides = self.regions.sides(component.region, cut)
        kinds = self._safe_kinds(component.region, cut, sides)
        if kinds is None:
            return None
        rows = component.region.rows
        self.span_of[rows] = np.unique(self.span_of[rows] * 3 + kinds, return_inverse=True)[1] + self.span_of.max() + 1
        regions = self.regions.parts(component.region, cut, sides)
        self.cuts.append(NestedCut(tuple(cut[0].tolist()), tuple(cut[1].tolist()), (0, 0)))
        component.cut = len(self.cuts) - 1
        trees = (_subtree(component, place, stop), _rest(component, place, stop))
        by_side = trees if first is below else trees[::-1]
        number = len(self.components)
        for side in (0, 1):
            self.components.append(self._component(by_side[side], regions[side], divided[side], (component.cut, side)))
        self.n_clusters += 1
        return number, number + 1

    def _mean(self, members: IntVector) -> FloatVector:
        weights = self.counts[members]
        return np.asarray((self.points[members] * weights[:, None]).sum(axis=0) / weights.sum(), np.float64)

    def _divide_members(self, members: IntVector, cut: Cut) -> tuple[IntVector, IntVector] | None:
        """Return the points of a region on each side of a cut; None if one side has none, or all centres agree."""
        if (cut[0] == cut[1]).all():
            return None
        pair = self.nearness.with_centres(cut)
        mine = self.points[members]
        side = pair.nearest_of_points(mine[:, pair.public], mine[:, pair.places])
        if side.all() or not side.any():
            return None
        return members[side == 0], members[side == 1]

    def _safe_kinds(self, region: Region, cut: Cut, sides: Sides) -> IntVector | None:
        """Return how each tuple's span is parted (0 first side only, 1 second only, 2 both); None if it is not safe."""
        _, span = np.unique(self.span_of[region.rows], return_inverse=True)
        rows = self.n_rows_of[region.rows]
        n_spans = int(span.max(initial=-1)) + 1
        programs = 0
        while True:
            is_open = (sides == OPEN).any(axis=0)
            kinds = np.where(sides[1] != YES, 0, np.where(sides[0] != YES, 1, 2))
            sure = ~is_open
            count = np.bincount(span[sure] * 3 + kinds[sure], weights=rows[sure], minlength=3 * n_spans)
            may_join = np.repeat(np.bincount(span[is_open], weights=rows[is_open], minlength=n_spans), 3)
            if ((count > 0) & (count + may_join < self.k)).any():
                return None
            if not is_open.any():
                return kinds
            if programs >= MOST_PROGRAMS:
                return None
            programs += self.regions.settle(region, cut, sides, int(np.flatnonzero(is_open)[0]))

    def _number_clusters(self) -> None:
        """Number the clusters by their lowest row, and write into each cut what comes next."""
        leaves = sorted(
            (component for component in self.components if component.cut is None), key=lambda c: int(c.members.min())
        )
        for number, component in enumerate(leaves):
            component.cluster = number
        then = [[0, 0] for _ in self.cuts]
        for component in self.components:
            if component.above is not None:
                cut, side = component.above
                then[cut][side] = -1 - component.cluster if component.cut is None else component.cut
        self.cuts = [replace(cut, then=(one, two)) for cut, (one, two) in zip(self.cuts, then, strict=True)]


def _preorder(n_points: int, edges: IntMatrix) -> Tree:
    """Return a tree in preorder from point 0."""
    near: list[list[int]] = [[] for _ in range(n_points)]
    for a, b in edges.tolist():
        near[a].append(b)
        near[b].append(a)
    order, parent = [], []
    todo = [(0, -1)]
    while todo:
        point, above = todo.pop()
        order.append(point)
        parent.append(above)
        todo += [(other, point) for other in near[point] if other != above]
    return _sized(np.array(order, np.int64), np.array(parent, np.int64))


def _sized(order: IntVector, parent: IntVector) -> Tree:
    """Return a preorder with the sizes of its subtrees."""
    place = dict(zip(order.tolist(), range(len(order)), strict=True))
    size = [1] * len(order)
    above = parent.tolist()
    for i in range(len(order) - 1, 0, -1):
        size[place[above[i]]] += size[i]
    return order, parent, np.array(size, np.int64)


def _subtree(tree: _Component, place: int, stop: int) -> Tree:
    parent = tree.parent[place:stop].copy()
    parent[0] = -1
    return tree.order[place:stop], parent, tree.size[place:stop]


def _rest(tree: _Component, place: int, stop: int) -> Tree:
    kept = np.r_[0:place, stop : len(tree.order)]
    return _sized(tree.order[kept], tree.parent[kept])
