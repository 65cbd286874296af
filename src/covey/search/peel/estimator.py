"""The cheapest class first: of all classes that the rows left can make, the one with the least extent.

A class may generalise some columns: each category to a level of its tree (a flat one: to any value), each ordered
column to a range.  For every mix of levels, from cheap to dear, the rows are grouped by what the mix leaves of their
categories, and in each group the smallest box of k rows in the ordered columns is looked for.  The cheapest class of
all is taken, with every row inside its box: what is left can only get dearer.  So costs only rise, groups are
priced again only when they come up with fewer rows than before, and a mix is opened only once no cheaper class is left.
The last class of a group (fewer than 2k rows) has the box that loses least if each row left out loses 1.2 steps of a
category more, as it mostly does where it ends.

The box is exact for up to three ordered columns, as long as all but the one with the most values have at most 64 in
a group, and fewer in large groups (down to 4: all ranges times the members are to be no more than `MOST_STEPS` of
`boxes`); ranges end at so many values spread evenly above that, and further ordered columns have levels of halves,
quarters and so on.  If there are too many mixes (`MOST_MIXES`), or grouping (`MOST_LOOKS`)
or boxes (`MOST_STEPS`) take too much work, the rows that are still left are cut by `LossCut`.  Fewer than k that are
left over at last join the classes whose loss they raise least.

Source: no paper; a search of covey's own.
Guarantee: every class has k rows or more; equal rows are never in two classes.
Cost: O(tuples) time for each mix that is opened, and (values of the range columns)^2 x members whenever a group is
priced; memory O(tuples) for each mix that was opened.
Ties: the cheapest mix, of equally cheap ones that with the lowest levels in the first columns; the group whose first
tuple comes first; the narrowest, then the lowest box.  Costs are whole numbers.  The order of the rows does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.base.checks import at_least
from covey.codes.boxes import interval_prices, suppressed_price
from covey.codes.codes import Codes
from covey.codes.prices import ORDERED
from covey.codes.whole_prices import in_whole_prices
from covey.search.estimator import Estimator, parameter
from covey.search.loss_cut.estimator import REACH, tuple_labels
from covey.search.peel.boxes import ORDERED_COLUMNS, Ordered
from covey.search.peel.kernels import peel
from covey.search.peel.levels import Levels, category_levels, cheapest_mixes, path_words, range_levels
from covey.search.task import Found, Task

__all__ = ["Peel"]

MOST_MIXES = 1 << 14
"""No more mixes of levels are opened."""
MOST_LOOKS = 1 << 28
"""Nor any further one once so many tuples were grouped, all mixes together."""
MOST_STEPS, STEPS_OF_ROW = 1 << 28, 4_096
"""Nor any group priced once so many tuples were looked at for boxes, and so many for each row."""
STRAND = 1.2
"""A row that is left out of the last class of its group is taken to lose so many steps of a category more."""


@dataclass(eq=False, repr=False)
class Peel(Estimator):
    """Classes of at least `k` rows, the cheapest that the rows left can make one after another.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 35, 61, 63])
    >>> rank, position = np.arange(4, dtype=np.uint8), (age - 34) / 29
    >>> codes = codes_from_matrix(rank[None], np.array([0]), np.ones(1), [position], np.array([4]))
    >>> Peel(k=2).labels(codes)
    array([0, 0, 1, 1])
    """

    k: int = parameter(5, at_least(2))

    def search(self, task: Task) -> Found:
        """Return the class of every tuple, from 0 without gaps."""
        codes = in_whole_prices(task.codes.without_rows(), task.codes.n_rows)
        labels, n_classes = _peeled(codes, task.k)
        rest = np.flatnonzero(labels < 0)
        if int(codes.counts[rest].sum()) >= task.k:
            labels[rest] = n_classes + tuple_labels(codes.part(rest), task.k, REACH)
        else:
            _join_cheapest(codes, labels, n_classes, rest)
        return Found(of_tuple=labels)


def _peeled(codes: Codes, k: int) -> tuple[IntVector, int]:
    """Return the class of each tuple, -1 if it has none yet, and how many classes there are."""
    costly = np.flatnonzero(codes.weights > 0.0).tolist()
    by_values = sorted((j for j in costly if codes.kinds[j] == ORDERED), key=lambda j: (-codes.sizes[j], j))
    boxed, levelled = by_values[:ORDERED_COLUMNS], by_values[ORDERED_COLUMNS:]
    columns = [j for j in costly if j not in boxed]
    levels = [range_levels(codes, j) if j in levelled else category_levels(codes, j) for j in columns]
    words = path_words(codes, columns, levels)
    mixes = cheapest_mixes(words, levels, MOST_MIXES)
    ordered = _ordered(codes, boxed[::-1])
    labels = np.full(codes.n_tuples, -1, np.int64)
    order = np.argsort(ordered.positions[-1], kind="stable").astype(np.int32)
    most_steps = MOST_STEPS + STEPS_OF_ROW * codes.n_rows
    n_classes, _ = peel(
        words.words, *mixes, codes.counts, ordered, order, k, MOST_LOOKS, most_steps, _strand(codes, levels), labels
    )
    return labels, n_classes


def _strand(codes: Codes, levels: Sequence[Levels]) -> float:
    """Return what a row is taken to lose beside what it loses anyway if the last class of its group leaves it out."""
    steps = [float(own.prices[1]) for own in levels if len(own.prices) > 1]
    return STRAND * sum(steps) / len(steps) if steps else float(suppressed_price(codes))


def _ordered(codes: Codes, columns: list[int]) -> Ordered:
    """Return the ordered columns that have a box, the one with the most values last; absent ones cost nothing."""
    absent = ORDERED_COLUMNS - len(columns)
    positions = [np.zeros(codes.n_tuples)] * absent + [codes.values(j) for j in columns]
    weights = [0.0] * absent + [float(codes.weights[j]) for j in columns]
    widths = [0.0] * absent + [float(codes.positions[codes.offsets[j] + codes.sizes[j]]) for j in columns]
    return Ordered(np.stack(positions), np.array(weights), np.array(widths), np.zeros(1, np.int64))


def _join_cheapest(codes: Codes, labels: IntVector, n_classes: int, rest: IntVector) -> None:
    """Let each tuple that is left, fewer than k rows in all, join the class whose loss it raises least."""
    placed = np.flatnonzero(labels >= 0)
    p = len(codes.kinds)
    low, high = np.full((p, n_classes), np.iinfo(np.int64).max), np.full((p, n_classes), -1)
    for j in range(p):
        np.minimum.at(low[j], labels[placed], codes.columns[j, placed])
        np.maximum.at(high[j], labels[placed], codes.columns[j, placed])
    rows = np.bincount(labels[placed], codes.counts[placed], n_classes)
    before = _extents(codes, low, high)
    for t in rest:
        own = codes.columns[:, t, None].astype(np.int64)
        after = _extents(codes, np.minimum(low, own), np.maximum(high, own))
        home = int(np.argmin((rows + codes.counts[t]) * after - rows * before))
        labels[t] = home
        low[:, home], high[:, home] = np.minimum(low[:, home], own[:, 0]), np.maximum(high[:, home], own[:, 0])
        rows[home] += codes.counts[t]
        before[home] = after[home]


def _extents(codes: Codes, low: IntMatrix, high: IntMatrix) -> FloatVector:
    """Return the extent of every class, whose box is given column by column."""
    total = np.zeros(low.shape[1])
    for j in range(len(codes.kinds)):
        prices = interval_prices(codes.kinds[j], codes.positions, codes.offsets[j], codes.sizes[j], low[j], high[j])
        total += codes.weights[j] * prices
    return total
