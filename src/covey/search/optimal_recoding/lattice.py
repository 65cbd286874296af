"""The best node of a lattice of levels, exactly, without looking at all of them.

A node has a level per column; it lies below another if no level is higher.  What is asked for must be monotone:
above a legal node all are legal, and a node's bound is not above the cost of itself or of any node over it.  Then an
illegal node rules out all below it, and one whose bound is too high all above it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Node", "Worth", "best_node"]

Node = tuple[int, ...]


class Worth(NamedTuple):
    """What a node is worth."""

    is_legal: bool
    bound: int
    """No node above it, nor itself, costs less."""
    cost: int
    """What it costs if it is legal."""


def best_node(n_levels: Sequence[int], judge: Callable[[Node], Worth]) -> tuple[Node, int]:
    """Return (node, number of nodes judged): the legal node of least cost; ties: least sum of levels, first columns.

    n_levels: how many levels each column has.  The highest node must be legal.

    >>> best_node((3, 3), lambda node: Worth(sum(node) >= 2, bound=2 * node[0] + node[1], cost=2 * node[0] + node[1]))
    ((0, 2), 5)
    """
    varying = [j for j, n in enumerate(n_levels) if n > 1]  # an array has few dimensions

    def whole(node: Node) -> Node:
        levels = dict(zip(varying, node, strict=True))
        return tuple(levels.get(j, 0) for j in range(len(n_levels)))

    shape = tuple(n_levels[j] for j in varying)
    search = _Search(np.ones(shape, np.bool_), lambda node: judge(whole(node)))
    is_open = search.is_open.reshape(-1)
    place = 0
    while True:
        place += int(is_open[place:].argmax())  # what is closed stays closed
        if not is_open[place]:
            assert search.best is not None
            return whole(search.best[2]), search.n_judged
        chain = search.chain_from(tuple(int(level) for level in np.unravel_index(place, shape)))
        while chain:
            middle = len(chain) // 2
            is_legal = search.look_at(chain[middle])
            chain = [node for node in (chain[:middle] if is_legal else chain[middle + 1 :]) if search.is_open[node]]


@dataclass(slots=True)
class _Search:
    """Which nodes may still be best, and the best so far."""

    is_open: npt.NDArray[np.bool_]
    judge: Callable[[Node], Worth]
    best: tuple[int, int, Node] | None = None
    """(cost, sum of levels, node): the least is best."""
    n_judged: int = 0
    _bounds: list[tuple[int, int, Node]] = field(default_factory=list)
    """(bound, sum of levels, node) of judged nodes with open nodes above them."""

    def look_at(self, node: Node) -> bool:
        """Judge a node, close all that it rules out, and return whether it is legal."""
        worth = self.judge(node)
        self.n_judged += 1
        self.is_open[node] = False
        self._bounds.append((worth.bound, sum(node), node))
        if not worth.is_legal:
            self.is_open[tuple(slice(level + 1) for level in node)] = False
        key = (worth.cost, sum(node), node)
        is_best = worth.is_legal and (self.best is None or key < self.best)
        if is_best:
            self.best = key
        self._close_above(self._bounds if is_best else self._bounds[-1:])
        return worth.is_legal

    def _close_above(self, bounds: list[tuple[int, int, Node]]) -> None:
        """Close what lies above nodes whose bound is too high: at least the best cost, and on a tie not below it."""
        if self.best is None:
            return
        closed = [entry for entry in bounds if entry >= self.best]
        for _, _, node in closed:
            self.is_open[tuple(slice(level, None) for level in node)] = False
        if closed:
            self._bounds = [entry for entry in self._bounds if entry < self.best]

    def chain_from(self, node: Node) -> list[Node]:
        """Return open nodes, each a level above the one before, from `node` as far up as there are any."""
        tops = [max(n - 1, 1) for n in self.is_open.shape]
        chain = [node]
        while True:
            above = [
                (node[j] / tops[j], j)
                for j, n in enumerate(self.is_open.shape)
                if node[j] + 1 < n and self.is_open[(*node[:j], node[j] + 1, *node[j + 1 :])]
            ]
            if not above:
                return chain
            j = min(above)[1]  # the column that is lowest for its height
            node = (*node[:j], node[j] + 1, *node[j + 1 :])
            chain.append(node)
