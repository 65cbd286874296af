"""Parts of k to 2k - 1 rows, top-down around two rows far apart (after Xu, Wang, Pei, Wang, Shi and Fu, 2006).

A part (at first the whole table) with at least 2k rows is split in two, and each half likewise.  Its two seeds: from a
row drawn at random to the row furthest from it, from there to the furthest again, and so on while the two are further
apart than before, six times at most.  Every row joins the nearer seed, the distance being the extent of {seed, row};
rows as near to both come in a random order and join the half that is smaller when their turn comes.  A half with fewer
than k rows borrows those of the other that are nearest to its seed: so every part has k rows, and none need be merged
with another afterwards.

He et al., 2012, say that the parts of NH are "a special case" of that algorithm, and no more.  In the algorithm itself
rows join groups that grow, the one "with the lower penalty", and that again can be read in three ways.  `join` says
what is compared: the extent of {seed, row} ("centre", the special case); or, while rows come in a random order and the
seeds are the first of their halves, by how much rows x extent of a half grows ("growth"), its extent with the row
("extent") or by how much that grows ("widening").  What each gives is in experiments/results/p2.md.

Guarantee: every part has k to 2k - 1 rows.  Ties: the smaller half, then the first; of rows the first in the order of
codes.  Cost: O(rows x columns) time for each level of splits and O(rows x columns) memory.
"""

from __future__ import annotations

from typing import Literal

from covey.base.arrays import IntVector
from covey.codes.codes import TableCodes
from covey.search.binary_k_means.halves import Way, halves_of_halves
from covey.search.binary_k_means.join import CENTRE, EXTENT, GROWTH, WIDENING
from covey.search.demand import Demand

__all__ = ["top_down_parts"]

_JOINS = {"centre": CENTRE, "growth": GROWTH, "extent": EXTENT, "widening": WIDENING}


def top_down_parts(
    codes: TableCodes, k: int, seed: int, join: Literal["centre", "growth", "extent", "widening"] = "centre"
) -> IntVector:
    """Return the part of every row, numbered from first halves to second ones."""
    return halves_of_halves(codes, Demand(k), Way(_JOINS[join], True, 1, True), seed)
