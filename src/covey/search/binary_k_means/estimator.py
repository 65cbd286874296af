"""Clustering-based k-anonymity ("CB") by binary k-means (He et al. 2012).

A part of the table (at first all of it) with at least 2k rows is split in two, and each half likewise.  A split is
tried `tries` times.  The centres of the first try are two rows drawn at random, later ones the means of the halves
of the try before: the mean position of ordered columns, the most frequent value of the others.  Which half a row joins:

- `join="growth"`: the centres stand in the halves while these fill up, and are taken out at the end.  Rows come in a
  new random order, and each joins the half whose rows x extent it raises less; the centre widens the extent and is no
  row.  A half with fewer than k rows borrows those of the other that widen it least.
- `join="centre"`: the half with the nearer centre, the distance being the extent of {centre, row}; rows as near to both
  come in a new random order.  A half with fewer than k rows borrows those of the other nearest to its centre.

The try with the least rows x extent, summed over both halves, is kept.

What the paper leaves open.  Rows stand in the order of their codes, equal rows in row order.  The mean of a half adds
up rows x position over its distinct rows in that order.  The halves of a try are those after borrowing.

Source: He, Chen, Chen, Dong, Wang and Huang, 2012: clustering-based k-anonymity, which that paper calls CB.
Two readings: the paper compares the penalty of a centre and the row for one half, of a group and the row for the
other.  It puts the centres into the groups and removes them, adds a row "to the group that leads to lower penalty", and
shuffles the rows at each try, which settles no more than ties where rows are drawn to centres: so it is read as
`join="growth"`.  That loses far less than `join="centre"` (experiments/results/p2.md) and takes three to ten times as
long.
Models: those that are asked for are held during the search.  Only tries of which both halves satisfy them are kept; a
part of at least 2k rows without such a try is dealt: its rows, sorted by the sensitive value, go in turn to floor(rows
/ k) classes, or to the greatest smaller number of them with which every class satisfies the models; one class always
does.  (Of several columns, or where different values are asked for, only one number above 64 is tried for each size of
a class.)  The paper takes for granted that the first deal holds.  A class cannot have fewer than l rows: k is raised to
l rounded up.
Guarantee: every class has k to 2k - 1 rows, whatever the table; with models, k or more, and the models hold.
Cost: O(rows x columns x tries) time for each level of splits, on all cores, and O(rows x columns) memory.  There are
O(log rows) levels where halves are comparable; a table from which every split takes k rows off has rows / k.  Seconds
for 500,000 rows: benchmarks/BARS.md.
Ties: of halves the smaller, then the first; of tries the first; of values the lowest code; of rows to borrow the
first.  What differs by a billionth or less is a tie, so that rounding does not decide.  Classes are numbered from the
first halves to the second.  The order of the rows matters among equal rows only, and with models; the number of cores
does not.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from covey.base.checks import at_least, one_of
from covey.search.binary_k_means.halves import Way, halves_of_halves
from covey.search.binary_k_means.join import CENTRE, GROWTH
from covey.search.estimator import Estimator, parameter
from covey.search.task import Found, Task

__all__ = ["BinaryKMeans"]

_JOINS = {"growth": GROWTH, "centre": CENTRE}


@dataclass(eq=False, repr=False)
class BinaryKMeans(Estimator):
    """Classes of `k` to `2k - 1` rows, halves of halves around two centres.

    `seed` draws the first centres and the order in which rows join; `tries` is how often a split is tried.  `join`:
    a row joins the half whose rows x extent grows least ("growth"), or the one with the nearer "centre".

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> BinaryKMeans(k=2).labels(codes)
    array([0, 1, 0, 1, 0])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    seed: int = parameter(0, at_least(0))
    join: Literal["growth", "centre"] = parameter("growth", one_of("growth", "centre"))
    tries: int = parameter(15, at_least(1))
    needs_rows = True
    holds_models = True

    def search(self, task: Task) -> Found:
        """Return the class of every row; classes are numbered from first halves to second ones."""
        demand = task.demand.with_rules()
        way = Way(_JOINS[self.join], False, int(self.tries), self._prune)
        kept = {name: task.kept[name] for name in demand.columns}
        return Found(of_row=halves_of_halves(task.table, demand, way, int(self.seed), kept))
