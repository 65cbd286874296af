"""Non-homogeneous generalisation, "NH" (Wong et al. 2010): overlapping boxes in place of classes.

The rows are parted by another algorithm, and the rows of each part are put into a short closed tour, a ring.  The
window of a place is the least box around the k rows from there on.  So each window covers k rows of its ring and
each row lies in k windows.  Each row is released with one of these: all windows of a ring are shifted by one number
from 0 to k - 1, drawn for that ring alone.  The k shifts are k disjoint perfect matchings of rows and windows, so a
window belongs to each of its k rows with chance 1/k.  The draw comes from the system's randomness: a published seed
would undo it.

A tour whose next tuple is judged by the last row alone, or by k - 1 rows, loses up to 0.5 % more; hill climbing by
thousands of random changes of a ring gains another 0.5 % in 300 times the time; sorting loses 0.6 %.

Source: Wong, Mamoulis and Cheung, 2010: non-homogeneous generalisation, which He et al. 2012 call NH.  The ring and the
randomised assignment are theirs; they put it on top of any way to part the rows.
Guarantee: it is k-consistency, which is not k-anonymity over classes (docs/limits.md#k-consistency): released tuples
differ from row to row.  One known link between a person and a released row tells the shift of the whole ring, so small
rings are better for privacy.  Every ring has k rows or more.
Loss: no window has a larger extent than its ring's rows together.  With parts of k (the default) the windows lie in the
classes of the algorithm that makes the parts and lose 0.5 to 16 % less than these; what is gained is gained where a
part has more than k rows.  In longer rings more windows reach from one cluster of rows into the next, which is dear:
with parts of 2k they lose 8 to 34 % more and with parts of 500 rows 15 to 113 % more (Adult, census and ACS tables, k =
5, 10 and 50, loss-cut).
The tour: it begins with the first tuple of its part; the next one is that which widens the box of the last k / 2 rows
least.  Of parts with more than 2,048 tuples only the first 2,048 that are left are looked at, in the order of their
codes.
Cost: that of the parts, then O(rows x columns x tuples of a part, at most 2,048) time and O(rows x columns) memory.
Ties: the tuple nearest to the last one, then the first.  The order of the rows does not matter for the windows with
`parts="loss-cut"`.
"""

from __future__ import annotations

import secrets
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np

from covey.ask.algorithms import algorithm_named
from covey.base.arrays import IntVector
from covey.base.checks import at_least, bad_parameter, one_of, optional
from covey.codes.codes import TableCodes
from covey.codes.rings import Rings, window_loss
from covey.search.demand import Demand
from covey.search.estimator import Estimator, parameter
from covey.search.non_homogeneous.kernels import short_tours
from covey.search.non_homogeneous.parts import top_down_parts
from covey.search.task import Found, Task

__all__ = ["NonHomogeneous", "tours"]

AHEAD = 2_048
"""So many tuples are compared at most for each step of a tour."""


@dataclass(eq=False, repr=False)
class NonHomogeneous(Estimator):
    """Windows of `k` rows along rings, each row released with one of the k windows that it lies in.

    `parts`: the algorithm that makes the parts, a ring each; `seed` is for its search alone.  "top-down", halves of
    halves around two rows far apart (after Xu et al., 2006), is what He et al., 2012, compare with.
    `part_size`: the k that it is given, k itself by default.

    Attributes after `fit`: `labels_` (the ring of each row), `n_classes_` (how many rings there are) and `loss_`
    (Total-IL of the windows).

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 35, 36, 61, 63])
    >>> rank, position = np.arange(5, dtype=np.uint8)[None], (age - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> rings = NonHomogeneous(k=2).cover(codes)
    >>> rings.order, rings.starts  # the windows are {34, 35}, {35, 36}, {36, 34}, {61, 63} and {63, 61}
    (array([0, 1, 2, 3, 4]), array([0, 3, 5]))
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    seed: int = parameter(0, at_least(0))
    parts: Literal["binary-k-means", "loss-cut", "top-down"] = parameter(
        "loss-cut", one_of("binary-k-means", "loss-cut", "top-down")
    )
    part_size: int | None = parameter(None, optional(at_least(2)))
    makes_classes: ClassVar[bool] = False
    needs_rows = True

    def search(self, task: Task) -> Found:
        """Return the ring of every row."""
        codes = task.table
        part_size = self._part_size(codes.n_rows)
        if self.parts == "top-down":
            return Found(of_row=top_down_parts(codes, part_size, int(self.seed)))
        parts: Estimator = algorithm_named(self.parts, k=part_size, seed=self.seed)
        return parts.found(codes, Demand(part_size))

    def cover(self, codes: TableCodes, random: np.random.Generator | None = None) -> Rings:
        """Return the rings and the window of every row, drawn anew at each call from the system's randomness.

        `random` takes its place in tests.
        """
        order, starts = tours(codes, self.labels(codes), int(self.k))
        return Rings(order, starts, _matched(order, starts, int(self.k), random))

    def _loss(self, codes: TableCodes, labels: IntVector) -> float:
        order, starts = tours(codes, labels, int(self.k))
        return window_loss(codes, Rings(order, starts, order), int(self.k))

    def _part_size(self, n_rows: int) -> int:
        """Return the k of the parts, at most all rows."""
        part_size = self.k if self.part_size is None else self.part_size
        if part_size < self.k:
            raise bad_parameter(
                f"`part_size` of NonHomogeneous is {part_size:,}; k is {self.k:,}",
                "give a `part_size` of k or more, or leave it out",
            )
        return min(int(part_size), n_rows)


def tours(codes: TableCodes, rings: IntVector, k: int) -> tuple[IntVector, IntVector]:
    """Return (order, starts): the rows in the tours of their rings, equal rows side by side in row order."""
    rows = np.argsort(rings * codes.n_tuples + codes.row_tuple, kind="stable")
    ring, tuples = rings[rows], codes.row_tuple[rows]
    begins = np.flatnonzero(np.concatenate([[True], (ring[1:] != ring[:-1]) | (tuples[1:] != tuples[:-1])]))
    counts = np.diff(np.append(begins, len(rows)))
    n_rings = int(rings.max(initial=-1)) + 1
    parts = np.searchsorted(ring[begins], np.arange(n_rings + 1))
    items = short_tours(codes.narrow, tuples[begins], counts, parts, codes.measure, max(k // 2, 1), AHEAD)
    first, length = begins[items], counts[items]
    ramp = np.arange(len(rows)) - np.repeat(np.cumsum(length) - length, length)
    order = rows[np.repeat(first, length) + ramp]
    return order, np.concatenate([[0], np.cumsum(np.bincount(rings, minlength=n_rings))])


def _matched(order: IntVector, starts: IntVector, k: int, random: np.random.Generator | None) -> IntVector:
    """Return the window of every row: in each ring the one that begins so many places before it, 0 to k - 1."""
    begin, length = starts[:-1], np.diff(starts)
    n_rings = len(length)
    if random is None:
        shift = np.array([secrets.randbelow(k) for _ in range(n_rings)], np.int64)
    else:
        shift = random.integers(0, k, n_rings)
    place = np.arange(len(order)) - np.repeat(begin, length)
    windows = np.empty(len(order), np.int64)
    windows[order] = np.repeat(begin, length) + (place - np.repeat(shift, length)) % np.repeat(length, length)
    return windows
