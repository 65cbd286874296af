"""The largest flow between sources with a supply and targets with room, over edges without limit.

First a greedy pass (sources with the fewest options first), then shortest augmenting paths in phases
(Dinic, 1970), until no source that has something left can reach a target that has room.  That is the
largest flow; no recursion, so long paths do no harm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covey.base.arrays import IntVector

__all__ = ["edge_flows"]


def edge_flows(
    sources: IntVector, targets: IntVector, supply: IntVector, room: IntVector
) -> tuple[IntVector, IntVector]:
    """Return (what each source has left, what each edge carries) when as much as possible has been sent.

    sources, targets (e,): the ends of each edge.  supply: what each source has; room: what each target takes.

    >>> edge_flows(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 1]), np.array([1, 1]))
    (array([0, 0]), array([0, 1, 1]))
    """
    network = _Network(sources, targets, supply, room)
    network.send_forced()
    network.send_greedily()
    while network.find_levels():
        network.send_along_levels()
    carried = np.empty_like(network.flow)
    carried[network.order] = network.flow
    return network.left, carried


class _Network:
    """Edges by source (`targets[first[s]:first[s + 1]]`) and by target (`into[enter[t]:enter[t + 1]]`)."""

    def __init__(self, sources: IntVector, targets: IntVector, supply: IntVector, room: IntVector) -> None:
        n_sources, n_targets = len(supply), len(room)
        popularity = np.bincount(targets, minlength=n_targets)
        self.order = np.lexsort((popularity[targets], sources))  # targets that few can use come first
        self.sources = np.ascontiguousarray(sources[self.order], np.int64)
        self.targets = np.ascontiguousarray(targets[self.order], np.int64)
        self.first = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=n_sources))])
        self.into = np.argsort(self.targets, kind="stable")
        self.enter = np.concatenate([[0], np.cumsum(popularity)])
        self.flow = np.zeros(len(targets), np.int64)
        self.left = supply.astype(np.int64)
        self.room = room.astype(np.int64)
        self.source_level = np.full(n_sources, -1, np.int64)
        self.target_level = np.full(n_targets, -1, np.int64)

    def send_forced(self) -> None:
        """Send what has only one way to go, all of it at once."""
        options = np.diff(self.first)
        edges = self.first[:-1][options == 1]
        edges = edges[np.argsort(self.targets[edges], kind="stable")]
        targets, wanted = self.targets[edges], self.left[self.sources[edges]]
        if not len(edges):
            return
        before = np.cumsum(wanted) - wanted
        starts = np.concatenate([[True], targets[1:] != targets[:-1]])
        before -= np.maximum.accumulate(np.where(starts, before, 0))
        sent = np.clip(self.room[targets] - before, 0, wanted)
        self.flow[edges] = sent
        self.left[self.sources[edges]] -= sent
        np.subtract.at(self.room, targets, sent)

    def send_greedily(self) -> None:
        """Let each source fill its targets in their order, the source with least choice first."""
        options = np.diff(self.first)
        open_ = np.flatnonzero((options > 1) & (self.left > 0))
        choice = np.concatenate([[0], np.cumsum(self.room[self.targets])])
        choice = choice[self.first[1:]] - choice[self.first[:-1]] - self.left
        for source in open_[np.argsort(choice[open_], kind="stable")].tolist():
            row = slice(self.first[source], self.first[source + 1])
            targets = self.targets[row]
            room = self.room[targets]
            sent = np.clip(self.left[source] - (np.cumsum(room) - room), 0, room)
            self.flow[row] = sent
            self.room[targets] = room - sent
            self.left[source] -= sent.sum()

    def find_levels(self) -> bool:
        """Number the nodes by their distance from the sources with something left; True if room is in reach."""
        self.source_level.fill(-1)
        self.target_level.fill(-1)
        frontier, level = np.flatnonzero(self.left > 0), 0
        self.source_level[frontier] = 0
        while len(frontier):
            reached = np.unique(self.targets[_runs(self.first, frontier)])
            reached = reached[self.target_level[reached] < 0]
            self.target_level[reached] = level + 1
            if (self.room[reached] > 0).any():
                return True
            edges = self.into[_runs(self.enter, reached)]
            frontier = np.unique(self.sources[edges[self.flow[edges] > 0]])
            frontier = frontier[self.source_level[frontier] < 0]
            level += 2
            self.source_level[frontier] = level
        return False

    def send_along_levels(self) -> None:
        """Send as much as shortest paths can take: depth first, no edge is looked at twice in vain."""
        # memory views read and write single numbers of the arrays much faster than indexing does
        first, enter = _view(self.first), _view(self.enter)
        sources, targets, into = _view(self.sources), _view(self.targets), _view(self.into)
        flow, left, room = _view(self.flow), _view(self.left), _view(self.room)
        source_level, target_level = _view(self.source_level), _view(self.target_level)
        next_out = _view(self.first.copy())
        next_in = _view(self.enter.copy())

        def way_back(target: int) -> int:
            """Return the edge by which a full target can send something back to a further source, or -1."""
            place, wanted = next_in[target], target_level[target] + 1
            while place < enter[target + 1]:
                edge = into[place]
                if flow[edge] > 0 and source_level[sources[edge]] == wanted:
                    break
                place += 1
            next_in[target] = place
            return into[place] if place < enter[target + 1] else -1

        for root in np.flatnonzero(self.left > 0).tolist():
            there: list[int] = []  # edges of the path that get more
            back: list[int] = []  # edges of the path that give something back
            source = root
            while left[root] > 0:
                edge = next_out[source]
                if edge == first[source + 1]:  # a dead end
                    if not there:
                        break
                    edge = there.pop()
                    back.pop()
                    source = sources[edge]
                    next_in[targets[edge]] += 1
                    continue
                target = targets[edge]
                if target_level[target] != source_level[source] + 1:
                    next_out[source] += 1
                elif room[target] > 0:
                    amount = min([left[root], room[target], *(flow[used] for used in back)])
                    for used in (*there, edge):
                        flow[used] += amount
                    for used in back:
                        flow[used] -= amount
                    room[target] -= amount
                    left[root] -= amount
                    there, back, source = [], [], root
                elif (returned := way_back(target)) >= 0:
                    there.append(edge)
                    back.append(returned)
                    source = sources[returned]
                else:
                    next_out[source] += 1


def _view(array: Any) -> memoryview:
    return memoryview(array)


def _runs(first: IntVector, chosen: IntVector) -> IntVector:
    """Return all positions first[c] up to first[c + 1] of the chosen, one run after the other."""
    lengths = first[chosen + 1] - first[chosen]
    ramp = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(np.repeat(first[chosen], lengths) + ramp)
