"""The composition of covey's own searches, by how much effort is to be made.

- `fast`: the classes of `Peel` or those of `LossCut`, whichever lose less.
- `balanced`: those, refined (`Refine`): rows move, classes dissolve, and neighbourhoods are made anew, k for each
  class, 8 at least, and no more than 524,288 in all, so that a large table does not take minutes; fewer where k is in
  the hundreds, since what a neighbourhood takes grows with the square of its rows (2^35 pairs of rows in all), and
  none where one would have more than 16,384 rows (4,096 for sums of squares).
- `best`: refined for longer, 180 neighbourhoods for each class times the root of k, 1,200 at most and no more than
  8,388,608 (or 2^39 pairs) in all, and then polished (`Polish`) in two rounds: two searches from the same classes, and
  the best of all classes that they met, chosen by an integer program; at k = 2 also of all pairs and triples of rows
  that lose little.  Without the extra `certify`, which has the solver, the search alone goes on.

An effort is a fixed amount of work, so that the result is the same on any machine and any number of cores (at `best`,
with the same solver, or without one).  With a `budget` of seconds it goes on by the clock instead, as at `best`, and
ends with the best so far; it never ends before `fast` is done, and compiling does not count.  Four fifths of the time
are for refining, the rest for rounds of search and choice (nine tenths where the sum of squares is to be least).

Source: no paper; searches of covey's own.
Guarantee: every class has k rows or more and satisfies the models, as far as kernels can judge them; together they lose
no more Total-IL than those of `Peel` and of `LossCut`, each after its repair, if that is what is to be least.
Cost: that of `Peel`, of `LossCut` and of the moves; for each neighbourhood the square of its rows, which are
6k + 16 at most, and more up to k = 24 (76 at k = 2, 86 at k = 5, 116 at k = 10).
Ties: those of the parts.  The order of the rows matters, as it does in `Refine`; the number of cores does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from typing import Literal, Self

import numpy as np

from covey.ask.settings import EFFORTS
from covey.base.arrays import FloatMatrix, IntVector
from covey.base.checks import at_least, one_of, optional
from covey.base.durations import duration_fault
from covey.codes.boxes import total_loss
from covey.codes.leaf_prices import in_leaf_prices
from covey.compiled.pausing import telling_within, told_within
from covey.search.cores import cores_to_use
from covey.search.estimator import Estimator, parameter
from covey.search.keeping import last_of
from covey.search.loss_cut.estimator import LossCut
from covey.search.mdav.estimator import MDAV
from covey.search.peel.estimator import Peel
from covey.search.polish.choice import NO_SOLVER, can_choose
from covey.search.polish.search import polished
from covey.search.refine.estimator import ground_of, improved
from covey.search.refine.ground import Ground
from covey.search.refine.search import cooled, refined
from covey.search.repair.enforce import enforce
from covey.search.squares.ground import standard_points
from covey.search.squares.line import classes_on_a_line
from covey.search.task import Found, Task

__all__ = ["Covey"]

LEAST_TRIES = 8
"""Neighbourhoods for each class at `balanced`, or k if that is more."""
MOST_TRIES = 1 << 19
"""And no more in all,"""
MOST_PAIRS = 1 << 35
"""nor so many that more pairs of rows of a neighbourhood were looked at, as far as that goes by their squares."""
MOST_FOR_MDAV = 30_000
"""Above so many rows the classes of `MDAV`, which takes n^2 steps, are not where the search for means begins."""
BEST_TRIES, MOST_BEST_TRIES = 180, 1_200
"""Neighbourhoods for each class at `best`, times the root of k, up to the most;"""
MOST_AT_BEST, MOST_PAIRS_AT_BEST = 1 << 23, 1 << 39
"""and no more in all, nor pairs;"""
SMALL_TRIES = 100
"""and where all small classes are listed, which gains more."""
ROUNDS = 2
"""Rounds of search and choice then."""
ROUND_TRIES = 16
"""Neighbourhoods for each class in a round, for each of its searches."""
BEGINNING, PEELING = 0.1, 0.8
"""Of all that is told of as done, the classes to begin with are so much, and of that `Peel` is so much."""
LEAST_TO_COMPILE = 64
"""So many rows at least are searched, so that all is compiled before a budget begins."""
NO_SQUARES = (
    "sums of squares need numbers in all quasi columns and none missing, so the loss of boxes was made least instead"
)


@dataclass(eq=False, repr=False)
class Covey(Estimator):
    """Classes of at least `k` rows that lose as little as the effort allows.

    `cost`: what is least, Total-IL (`"extent"`), NCP (`"ncp"`: trees are priced by leaves in place of heights; a flat
    column costs all or nothing) or the sum of squared distances to the means of classes (`"squares"`: standardised
    columns, as microaggregation has it; if all have an order and no value is missing).  None: squares for
    `release="centre"`, else the extent.

    `effort`: `"fast"`, `"balanced"` or `"best"`; `budget`: how long the search may take instead, such as `"30s"`;
    `seed` draws the neighbourhoods.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 35, 61, 63])
    >>> rank, position = np.arange(4, dtype=np.uint8), (age - 34) / 29
    >>> codes = codes_from_matrix(rank[None], np.array([0]), np.ones(1), [position], np.array([4]))
    >>> Covey(k=2).labels(codes)
    array([0, 0, 1, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    effort: Literal["fast", "balanced", "best"] = parameter("balanced", one_of(*EFFORTS))
    budget: float | str | None = parameter(None, optional(duration_fault))
    cost: Literal["extent", "ncp", "squares"] | None = parameter(None, optional(one_of("extent", "ncp", "squares")))
    seed: int = parameter(0, at_least(0))
    needs_rows = True

    def may_suppress(self) -> bool:
        """Return False: no row is left out."""
        return False

    @property
    def holds_models(self) -> bool:
        """Return True: classes that would fail a model are not made."""
        return True

    @property
    def takes_effort(self) -> bool:
        """Return True."""
        return True

    def for_release(self, kind: str) -> Self:
        """Return the search for the least sum of squares if centres are published and nothing else was asked for."""
        if self.cost is not None:
            return self
        return type(self)(**{**self.get_params(), "cost": "squares" if kind == "centre" else "extent"})

    def search(self, task: Task) -> Found:
        """Return the class of every row."""
        if self.cost == "ncp":
            task = replace(task, codes=in_leaf_prices(task.table))
        points, notes = self._points(task)
        if points is not None and points.shape[1] == 1 and not task.demand.models:
            return Found(of_row=classes_on_a_line(points[:, 0], task.k))
        is_short = task.effort == "fast" and task.deadline is None
        best = _begun(task, points, 1.0 if is_short else BEGINNING)
        if is_short:
            return Found(of_row=best, notes=notes)
        if task.is_over:
            notes += ("the budget of the search was over before its least work (`fast`) was done; it was overrun",)
        elif (task.effort == "best" or task.deadline is not None) and not can_choose():
            notes += (NO_SOLVER,)
        steps = improved(task, best, lambda ground, own: self._steps(task, ground, own), points)
        best, told = last_of(best, told_within(BEGINNING, 1.0, steps))
        return Found(of_row=best, notes=(*notes, *told))

    def make_ready(self, task: Task) -> None:
        """Have all compiled that the search needs, by way of a few rows."""
        few = task.of_few_rows(max(4 * task.k, LEAST_TO_COMPILE))
        points, _ = self._points(few)
        ground = ground_of(few.table, few.demand, {}, np.arange(few.codes.n_rows), None, points)
        with telling_within(0.0, 0.0):
            labels = _begun(few, points, 0.0)
            for found in refined(ground, labels, Fraction(1), 0, cores=1):
                labels = found
            for _ in polished(ground, labels, 1, Fraction(1), 0, cores=1):
                pass

    def _points(self, task: Task) -> tuple[FloatMatrix | None, tuple[str, ...]]:
        """Return (the rows as points if sums of squares are to be least and can be, what is to be told)."""
        if self.cost != "squares":
            return None, ()
        points = standard_points(task.table)
        return points, (NO_SQUARES,) if points is None else ()

    def _steps(self, task: Task, ground: Ground, labels: IntVector) -> Iterator[IntVector]:
        """Yield ever better classes, as the effort or the budget allows."""
        seed, cores, best = int(self.seed), cores_to_use(), labels
        is_polished = task.effort == "best" or task.deadline is not None
        alone = ground.alone if is_polished else 1.0
        for better in told_within(0.0, alone, self._searched(task, ground, labels, seed, cores)):
            best = better
            yield best
        if is_polished:
            rounds = ROUNDS if task.deadline is None else 0
            chosen = polished(ground, best, rounds, Fraction(ROUND_TRIES), seed, cores=cores)
            yield from told_within(alone, 1.0, chosen)

    def _searched(self, task: Task, ground: Ground, labels: IntVector, seed: int, cores: int) -> Iterator[IntVector]:
        """Yield ever better classes, before any are chosen from those met."""
        tries, best = Fraction(0) if task.deadline is not None else _tries(task, ground, int(labels.max()) + 1), labels
        for better in refined(ground, labels, tries, seed, cores=cores):
            best = better
            yield best
        if task.deadline is not None and not ground.is_over:
            yield from cooled(ground, best, ground.alone * ground.seconds_left, seed, cores=cores)


def _tries(task: Task, ground: Ground, n_classes: int) -> Fraction:
    """Return how many neighbourhoods are made anew for each class."""
    each, most, pairs = max(LEAST_TRIES, ground.k), MOST_TRIES, MOST_PAIRS
    if task.effort == "best":
        is_listed = ground.lists_small and can_choose()
        each = SMALL_TRIES if is_listed else min(round(BEST_TRIES * ground.k**0.5), MOST_BEST_TRIES)
        most, pairs = MOST_AT_BEST, MOST_PAIRS_AT_BEST
    return Fraction(min(each * n_classes, most, pairs // ground.most_rows**2), n_classes)


def _begun(task: Task, points: FloatMatrix | None, share: float) -> IntVector:
    """Return the classes to begin with, which satisfy the demand; finding them is such a share of all work."""
    with telling_within(0.0, share):
        return _cheapest(task) if points is None else _around_means(task)


def _cheapest(task: Task) -> IntVector:
    """Return the classes of `Peel` or of `LossCut`, whichever lose less once they satisfy the demand, or are more."""
    codes, found = task.table, []
    for search, begin, end in ((Peel(task.k), 0.0, PEELING), (LossCut(task.k), PEELING, 1.0)):
        with telling_within(begin, end):
            labels = search.search(task).labels(codes)
        found.append(enforce(codes, labels, task.demand, task.kept))
    return min(found, key=lambda labels: (total_loss(codes, labels), -labels.max()))


def _around_means(task: Task) -> IntVector:
    """Return classes for the least sum of squares to begin with: those of `MDAV`, of `LossCut` for many rows."""
    codes = task.table
    first: Estimator = MDAV(task.k) if codes.n_rows <= MOST_FOR_MDAV else LossCut(task.k)
    return enforce(codes, first.search(task).labels(codes), task.demand, task.kept)
