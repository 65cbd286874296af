"""Recursive partition by the cut with the least expected Total-IL, then moves of surplus tuples.

A node (at first the whole table, equal rows merged into tuples) is cut in two by one column:

- ordered: at every threshold, missing values against the rest included;
- flat: every prefix of its values by falling count, and every value of k rows or more against the rest;
- tree: at every threshold of its leaves in depth-first order, and every subtree against the rest.

A cut is legal if both parts have at least k rows.  No cut raises the Total-IL, since a part never has a
larger extent than its node, so every node is cut until it has extent 0 or no legal cut.  Which cut is
taken is decided by what the two parts are expected to lose in the end: a part of c x k rows, which can
still give c classes, rows x extent / (1 + pace x log2(c)).  The pace is 1/5, in nodes where no column
costs two fifths of the extent half the share of the dearest one.  By the Total-IL alone, a cut that leaves
a part no room for further cuts looks as good as one that does: on Adult that costs 7 to 11 % more.  After
64 cuts the next must leave an eighth of the rows on either side, if one does, so that a column of a thousand
equally frequent values does not cost a thousand levels.  At last, tuples that widen a class above k rows move
to a class near by where the Total-IL falls most.

Source: no paper; a search of covey's own.
Guarantee: every class has k rows or more; equal rows are never in two classes.
Cost: O(tuples x columns^2) time for each level of cuts, on all cores, O(tuples x columns) memory.  There are O(log
rows) levels, more only below nodes where in every column one value has over seven eighths of the rows.
Ties: lowest column, then shortest prefix; lowest class.  Neither the order of the rows nor the number of cores matters.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.base.checks import at_least
from covey.codes.codes import Codes
from covey.search.cores import Part, cores_to_use, finished_parts, numbered
from covey.search.estimator import Estimator, parameter
from covey.search.loss_cut.cuts import cut_block, workspace
from covey.search.loss_cut.moves import move_surplus
from covey.search.task import Found, Task

__all__ = ["REACH", "LossCut"]

BLOCK = 32_768
"""Nodes of more tuples are cut one by one, by all cores; smaller ones each by one core, to the end."""

REACH = 16
"""How many classes on either side a tuple may move to at last, unless told otherwise."""

MOST_LOGS = 1 << 20
"""Parts that can give more classes than this are taken to give so many."""


@dataclass(eq=False, repr=False)
class LossCut(Estimator):
    """Classes of at least `k` rows, cut from the table where the least loss is left.

    `reach`: how many classes on either side a tuple may move to at last (0: none moves).

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 35, 61, 63])
    >>> rank, position = np.arange(4, dtype=np.uint8), (age - 34) / 29
    >>> codes = codes_from_matrix(rank[None], np.array([0]), np.ones(1), [position], np.array([4]))
    >>> LossCut(k=2).labels(codes)
    array([0, 0, 1, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    reach: int = parameter(REACH, at_least(0))

    def search(self, task: Task) -> Found:
        """Return the class of every tuple, from 0 without gaps."""
        return Found(of_tuple=tuple_labels(task.codes, task.k, self.reach))


def tuple_labels(
    codes: Codes, k: int, reach: int, *, block: int = BLOCK, depth: int = 0, cores: int | None = None
) -> IntVector:
    """Return the class of every tuple of a table that is itself the result of `depth` cuts.

    The result does not depend on `cores`; it may on `block`.
    """
    n_tuples = codes.n_tuples
    cells = _cells(codes.columns, codes.sizes)
    counts = codes.counts.astype(np.int64)
    index = np.arange(n_tuples)
    local = np.empty(n_tuples, np.int64)
    logs = logarithms(codes.n_rows // k)
    measure = codes.measure

    def cut(part: Part) -> list[Part]:
        run = slice(part.begin, part.end)
        once = part.end - part.begin > block
        work = workspace(cells[run], measure)
        n_parts = cut_block(cells[run], counts[run], index[run], measure, k, logs, part.depth, once, local[run], work)
        if once and n_parts > 1:
            middle = part.begin + int(np.searchsorted(local[run], 1))
            depth = part.depth + 1
            return [Part(part.begin, middle, depth=depth), Part(middle, part.end, depth=depth)]
        if reach > 0 and n_parts > 1:
            move_surplus(cells[run], counts[run], index[run], measure, k, n_parts, reach, local[run])
        return [replace(part, classes=n_parts)]

    whole = Part(0, n_tuples, depth=depth)
    parts = finished_parts(cut, whole, cores or cores_to_use()) if n_tuples > block else cut(whole)
    labels = np.empty(n_tuples, np.int64)
    labels[index] = numbered(parts, local)
    return labels


def logarithms(most_classes: int) -> FloatVector:
    """Return log2(c) by a quadratic between powers of two: the same bits on every machine (place 0 is unused).

    >>> logarithms(4)[1:].round(2).tolist()
    [0.0, 1.0, 1.59, 2.0]
    """
    half, exponent = np.frexp(np.arange(1, min(most_classes, MOST_LOGS) + 1))  # half x 2**exponent
    beyond = 2.0 * half - 1.0
    return np.concatenate([[0.0], (exponent - 1) + beyond * (1.0 + 0.34375 * (1.0 - beyond))])


def _cells(columns: IntMatrix, sizes: IntVector) -> IntMatrix:
    """Return (t, 2p): each tuple's codes, then `top` minus each (see `boxes`)."""
    most = int(sizes.max(initial=1)) - 1
    dtype = next(d for d in (np.uint8, np.uint16, np.int32) if most <= np.iinfo(d).max)
    narrow = columns.astype(dtype, copy=False)
    return np.ascontiguousarray(np.concatenate([narrow, np.iinfo(dtype).max - narrow]).T)
