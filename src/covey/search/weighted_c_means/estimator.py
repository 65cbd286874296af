"""Weighted feature C-means with class merging (Chiu and Tsai 2007), for every kind of column.

As many rows as there can be classes of k are drawn as centres.  Then, again and again: every row goes to the nearest
centre; every centre moves to the mean of its rows; and every column's weight is adjusted by how well it separates
the classes (equations 10 and 16: squared differences between the classes over those within), until no row moves.
At last each class below k rows is merged, all at once, with the legal one that has the nearest centre.  There always
is one: the classes are no more than rows / k, so not all of them can be smaller.

The distance is the sum over columns of declared weight x learned weight x squared difference.  The learned weights
begin equal and add up to 1; half of them is new in every iteration, so what they begin with is soon forgotten, and
declared weights multiply them.

Source: Chiu and Tsai, 2007: WF-C-means (weighted feature C-means) with class merging.
Decided here: the paper has numbers only; here the difference of two categories is their price, and the centre has the
most frequent value.  Missing values have the position they are priced by, a whole domain below the least; no difference
is above a whole domain.  A column that separates the classes and varies in none takes the largest finite ratio of the
others; one that does not vary takes 0.  Centres without rows are dropped; where equal rows are drawn there are fewer
classes.  The centre of merged classes is the mean of all their rows (equation 18 divides by the rows of one class); it
decides nothing more.
Guarantee: every class has k rows or more.  It need not converge; if it stops at `max_iter` it says so (`converged_`,
and a warning).
Cost: O(tuples x columns) memory.  Time: tuples x rows / k x columns for every iteration at worst; a tree of the centres
spares most comparisons without changing the result, on all cores (benchmarks/SCALE.md).
Ties: the lowest class, in the order of the rows that were drawn; of equally frequent values the first.  Distances that
agree to nine digits (30 bits) are ties: centres are means, and weights are learned, so that they cannot be compared
exactly.  The order of the rows matters, since rows are drawn by number.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.base.checks import at_least, bad_parameter, check, one_of, plural, require_rows
from covey.base.errors import CoveyWarning
from covey.codes.codes import Codes, TableCodes
from covey.compiled.pausing import heard, threads_that_stop
from covey.search.cores import cores_to_use
from covey.search.estimator import Estimator, parameter
from covey.search.task import Found, Task
from covey.search.weighted_c_means.kernels import (
    adjust_weights,
    assign,
    homes_of_small,
    move_centres,
    plant,
    separations,
    start,
)

__all__ = ["WeightedCMeans", "adaptive_weights"]

BLOCK = 2_000
"""So many tuples are assigned in one go by one core."""


@dataclass(eq=False, repr=False)
class WeightedCMeans(Estimator):
    """Classes of `k` rows or more around centres, by weights that are learned beside them.

    `seed` draws the rows that are the first centres.
    `max_iter`: after so many iterations it stops, with a warning, though rows still move.
    `scale`: numbers count as shares of their domain's `"range"`, or as they are (`"none"`, as in the paper); all
    else always counts from 0 to 1.

    After `fit`: `weights_` (declared x learned weight of every column, adding up to 1), `converged_` and `n_iter_`.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> WeightedCMeans(k=2).labels(codes)
    array([1, 0, 1, 0, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    seed: int = parameter(0, at_least(0))
    max_iter: int = parameter(100, at_least(1))
    scale: Literal["range", "none"] = parameter("range", one_of("range", "none"))
    needs_rows = True
    _block: ClassVar[int] = BLOCK

    def search(self, task: Task) -> Found:
        """Return the class of every row; classes are numbered in the order of the rows drawn as centres."""
        search, weights = self._learn(task.table, task.k)
        home = search.homes_of_small(weights, task.k)
        _, labels = np.unique(home[search.labels], return_inverse=True)
        return Found(of_tuple=np.asarray(labels), weights=self._weights(task.codes), notes=self._notes())

    def _weights(self, codes: Codes) -> FloatVector:
        """Return the declared x learned weight of every column, with the sum of the declared."""
        return self.weights_ * float(codes.weights.sum())

    def _notes(self) -> tuple[str, ...]:
        if self.converged_:
            return ()
        note = (
            f"weighted C-means did not converge in {plural(self.n_iter_, 'iteration')}: rows still move between "
            "classes; every class is legal all the same, and a higher `max_iter` may give better ones"
        )
        return (note,)

    def _learn(self, codes: TableCodes, k: int) -> tuple[_Search, FloatVector]:
        """Return (search, weights of the distance) once no row moves; set `weights_`, `converged_` and `n_iter_`."""
        rows = np.random.default_rng(self.seed).choice(codes.n_rows, codes.n_rows // k, replace=False)
        search = _Search(codes, codes.row_tuple[np.sort(rows)], self._block, self._prune)
        scales = codes.weights * self._squared_widths(codes)
        learned = np.full(len(scales), 1 / len(scales))
        self.converged_, self.n_iter_ = False, 0
        with threads_that_stop(cores_to_use()) as pool:
            while not self.converged_ and self.n_iter_ < self.max_iter:
                heard(self.n_iter_, int(self.max_iter))
                self.converged_ = search.assign(scales * learned, pool) == 0
                self.n_iter_ += 1
                learned = adjust_weights(learned, *search.move_centres())
        self.weights_ = _normalised(codes.weights * learned)
        return search, scales * learned

    def _squared_widths(self, codes: Codes) -> FloatVector:
        if self.scale == "range":
            return np.ones(len(codes.kinds))
        if codes.widths is None:
            raise bad_parameter(
                '`scale="none"` of WeightedCMeans needs the widths of the domains, which these codes do not have',
                'fit a table, or give scale="range"',
            )
        return codes.widths * codes.widths


class _Search:
    """The tuples, the centres and who is nearest to which."""

    def __init__(self, codes: Codes, seeds: IntVector, block: int, prune: bool) -> None:
        self.points, self.columns, self.classes, self.near = start(
            codes.narrow,
            codes.counts,
            codes.measure,
            seeds,
        )
        self.labels = np.full(codes.n_tuples, -1, np.int64)
        """(t,) int64: the class of each tuple."""
        self.blocks = [(begin, min(begin + block, codes.n_tuples)) for begin in range(0, codes.n_tuples, block)]
        self.prune = prune

    def assign(self, weights: FloatVector, pool: ThreadPoolExecutor) -> int:
        """Give every tuple to the nearest centre; return how many moved.

        The class of a tuple does not depend on that of another: the result is the same on any number of cores.
        """
        nodes = plant(self.columns, weights, self.classes, self.near)

        def assign_block(block: tuple[int, int]) -> int:
            own = nodes._replace(stack=np.empty_like(nodes.stack), bound=np.empty_like(nodes.bound))
            return assign(self.points, self.columns, weights, self.classes, own, self.labels, *block, self.prune)

        run = map if len(self.blocks) == 1 else pool.map
        return sum(run(assign_block, self.blocks))

    def move_centres(self) -> tuple[FloatVector, FloatVector]:
        """Move every centre to the mean of its rows; return the separations within and between classes."""
        move_centres(self.points, self.columns, self.classes, self.labels, self.near)
        return separations(self.points, self.columns, self.classes, self.labels)

    def homes_of_small(self, weights: FloatVector, k: int) -> IntVector:
        """Return the class into which each goes, those below k rows into the nearest that is not."""
        nodes = plant(self.columns, weights, self.classes, self.near)
        return homes_of_small(self.columns, weights, self.classes, nodes, k)


def adaptive_weights(codes: TableCodes, k: int, seed: int = 0) -> FloatVector:
    """Return P4's weights for the columns of any search: declared x learned, with the sum of the declared.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> ages, towns = np.array([0, 1, 2, 3]), np.array([1, 0, 0, 1])
    >>> position = np.array([0, 0.1, 0.9, 1])
    >>> kinds, sizes = np.array([0, 1]), np.array([4, 2])
    >>> codes = codes_from_matrix(np.array([ages, towns]), kinds, np.ones(2), [position, np.zeros(0)], sizes)
    >>> adaptive_weights(codes, k=2, seed=1).round(2).tolist()  # age separates the classes, town does not
    [1.75, 0.25]
    """
    estimator = WeightedCMeans(k, seed=seed)
    check(estimator)
    require_rows(k, codes.n_rows)
    estimator._learn(codes, k)
    for note in estimator._notes():
        warnings.warn(note, CoveyWarning, stacklevel=2)
    return estimator._weights(codes)


def _normalised(weights: FloatVector) -> FloatVector:
    total = float(weights.sum())
    return weights / total if total > 0 else weights
