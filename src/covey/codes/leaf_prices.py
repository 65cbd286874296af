"""Prices of trees as NCP has them (Xu et al. 2006): the share of all leaves that lie below a node, 0 for one leaf."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from covey.base.arrays import FloatVector
from covey.codes.codes import Codes, tree_positions
from covey.codes.prices import TREE

__all__ = ["in_leaf_prices"]

Kind = TypeVar("Kind", bound=Codes)


def in_leaf_prices(codes: Kind) -> Kind:
    """Return the same codes with trees priced by leaves in place of heights; all else is as it was.

    A tree is known by the heights between neighbouring leaves.  The leaves below a node are a run of leaves with no
    greater height between any two, and no node beside it can join the run, since only a higher one is above both.
    """
    positions = codes.positions.copy()
    missing = np.zeros(len(codes.kinds), np.int64) if codes.missing is None else codes.missing
    for j in np.flatnonzero(codes.kinds == TREE).tolist():
        start, size = int(codes.offsets[j]), int(codes.sizes[j])
        shares = _shares(positions[start : start + size - 1], size - int(missing[j]))
        table = tree_positions(shares)
        positions[start : start + len(table)] = table
    return replace(codes, positions=positions)


def _shares(heights: FloatVector, n_leaves: int) -> FloatVector:
    """Return which share of the leaves lies below the lowest node above each two neighbours.

    >>> _shares(np.array([0.5, 0.5, 1.0, 0.5]), 5)  # three leaves below one node, two below another
    array([0.6, 0.6, 1. , 0.4])
    """
    shares = np.ones(len(heights))  # the root has all; missing values, which are no leaves, are below it alone
    for height in np.unique(heights[heights < 1.0]).tolist():
        node = np.concatenate([[0], np.cumsum(heights > height)])
        at = np.flatnonzero(heights == height)
        shares[at] = np.bincount(node)[node[at]] / n_leaves
    return shares
