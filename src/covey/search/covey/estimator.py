"""The composition of covey's own searches, by how much effort is to be made.

- `fast`: the classes of `Peel` or those of `LossCut`, whichever lose less.
- `balanced`: those, refined (`Refine`): rows move, classes dissolve, and neighbourhoods are made anew, k for each
  class, 8 at least, and no more than 524,288 in all, so that a large table does not take minutes.
- `best`: refined for longer, 180 neighbourhoods for each class times the root of k, 1,200 at most and no more than
  8,388,608 in all, and then polished (`Polish`) in two rounds: two searches from the same classes, and the best of all
  classes that they met, chosen by an integer program; at k = 2 also of all pairs and triples of rows that lose little.
  Without the extra `certify`, which has the solver, the search alone goes on.

An effort is a fixed amount of work, so that the result is the same on any machine and any number of cores (at `best`,
with the same solver).  With a `budget` of seconds it goes on by the clock instead, as at `best`, and ends with the best
so far; it never ends before `fast` is done.  Four fifths of the time are for refining, the rest for rounds of search
and choice (nine tenths where the sum of squares is to be least).

Source: no paper; searches of covey's own.
Guarantee: every class has k rows or more and satisfies the models, as far as kernels can judge them; together they lose
no more Total-IL than those of `Peel` and of `LossCut`, each after its repair, if that is what is to be least.
Cost: that of `Peel`, of `LossCut` and of the moves; for each neighbourhood (12k rows)^2 at most.
Ties: those of the parts.  The order of the rows matters, as it does in `Refine`; the number of cores does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Literal, Self

from covey.ask.settings import EFFORTS
from covey.base.arrays import IntVector
from covey.base.checks import at_least, one_of, optional
from covey.base.durations import duration_fault
from covey.codes.boxes import total_loss
from covey.compiled.pausing import telling_within
from covey.search.cores import cores_to_use
from covey.search.estimator import Estimator, parameter
from covey.search.keeping import keeps_best
from covey.search.loss_cut.estimator import LossCut
from covey.search.mdav.estimator import MDAV
from covey.search.peel.estimator import Peel
from covey.search.polish.choice import can_choose
from covey.search.polish.search import polished
from covey.search.refine.estimator import improved
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
"""And no more in all."""
MOST_FOR_MDAV = 30_000
"""Above so many rows the classes of `MDAV`, which takes n^2 steps, are not where the search for means begins."""
BEST_TRIES, MOST_BEST_TRIES = 180, 1_200
"""Neighbourhoods for each class at `best`, times the root of k, up to the most;"""
MOST_AT_BEST = 1 << 23
"""and no more in all;"""
SMALL_TRIES = 100
"""and where all small classes are listed, which gains more."""
ROUNDS = 2
"""Rounds of search and choice then."""
ROUND_TRIES = 16
"""Neighbourhoods for each class in a round, for each of its searches."""


@dataclass(eq=False, repr=False)
class Covey(Estimator):
    """Classes of at least `k` rows that lose as little as the effort allows.

    `cost`: what is least, Total-IL (`"extent"`) or the sum of squared distances to the means of classes (`"squares"`:
    standardised columns, as microaggregation has it; if all have an order and no value is missing).  None: squares for
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
    cost: Literal["extent", "squares"] | None = parameter(None, optional(one_of("extent", "squares")))
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
        self.cost = self.cost or ("squares" if kind == "centre" else "extent")
        return self

    def search(self, task: Task) -> Found:
        """Return the class of every row."""
        points = standard_points(task.table) if self.cost == "squares" else None
        if points is not None and points.shape[1] == 1 and not task.demand.models:
            return Found(of_row=classes_on_a_line(points[:, 0], task.k))
        best = _cheapest(task) if points is None else _around_means(task)
        notes = []
        if task.is_over:
            notes.append("the budget of the search was over before its least work (`fast`) was done; it was overrun")
        elif (task.effort == "best" or task.deadline is not None) and not can_choose():
            notes.append("the search had no solver to choose among the classes that it met: install the extra certify")
        if task.effort == "fast" and task.deadline is None:
            return Found(of_row=best)
        try:
            for better in improved(task, best, lambda ground, own: self._steps(task, ground, own), points):
                best = better
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt or not keeps_best():  # else the system asks for an end
                raise
            notes.append("the search was interrupted, and what it had found by then is kept")
        return Found(of_row=best, notes=tuple(notes))

    def _steps(self, task: Task, ground: Ground, labels: IntVector) -> Iterator[IntVector]:
        """Yield ever better classes, as the effort or the budget allows."""
        seed, cores, best = int(self.seed), cores_to_use(), labels
        is_polished = task.effort == "best" or task.deadline is not None
        alone = ground.alone if is_polished else 1.0
        for better in _told_within(0.0, alone, self._searched(task, ground, labels, seed, cores)):
            best = better
            yield best
        if is_polished:
            rounds = ROUNDS if task.deadline is None else 0
            chosen = polished(ground, best, rounds, Fraction(ROUND_TRIES), seed, cores=cores)
            yield from _told_within(alone, 1.0, chosen)

    def _searched(self, task: Task, ground: Ground, labels: IntVector, seed: int, cores: int) -> Iterator[IntVector]:
        """Yield ever better classes, before any are chosen from those met."""
        n_classes, best = int(labels.max()) + 1, labels
        tries = Fraction(min(max(LEAST_TRIES, ground.k) * n_classes, MOST_TRIES), n_classes)
        if task.effort == "best" and task.deadline is None:
            is_listed = ground.lists_small and can_choose()
            each = SMALL_TRIES if is_listed else min(round(BEST_TRIES * ground.k**0.5), MOST_BEST_TRIES)
            tries = Fraction(min(each * n_classes, MOST_AT_BEST), n_classes)
        for better in refined(ground, labels, tries if task.deadline is None else Fraction(0), seed, cores=cores):
            best = better
            yield best
        if task.deadline is not None and not ground.is_over:
            yield from cooled(ground, best, ground.alone * ground.seconds_left, seed, cores=cores)


def _told_within(begin: float, end: float, steps: Iterator[IntVector]) -> Iterator[IntVector]:
    """Yield the steps; what is done of them is told as a part of all."""
    while True:
        with telling_within(begin, end):
            found = next(steps, None)
        if found is None:
            return
        yield found


def _cheapest(task: Task) -> IntVector:
    """Return the classes of `Peel` or of `LossCut`, whichever lose less once they satisfy the demand, or are more."""
    codes, found = task.table, []
    for search in (Peel(task.k), LossCut(task.k)):
        labels = search.search(task).labels(codes)
        found.append(enforce(codes, labels, task.demand, task.kept))
    return min(found, key=lambda labels: (total_loss(codes, labels), -labels.max()))


def _around_means(task: Task) -> IntVector:
    """Return classes for the least sum of squares to begin with: those of `MDAV`, of `Peel` for many rows."""
    codes = task.table
    first: Estimator = MDAV(task.k) if codes.n_rows <= MOST_FOR_MDAV else Peel(task.k)
    return enforce(codes, first.search(task).labels(codes), task.demand, task.kept)
