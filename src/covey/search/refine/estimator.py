"""Better classes from those of another algorithm: rows move, classes dissolve, neighbours are made anew.

1. A row of a class above k rows moves to the class whose loss grows least, if that is less than what its own saves.
2. A class dissolves, the dearest first, if its rows together lose less in the classes whose loss grows least.
   Both are repeated until neither helps, or eight times.  A class of 2k rows or more is parted before and after, in
   the order of its rows (unless a model must hold); at last classes of equal rows are one again.
3. The class of a row drawn at random, the dearer one of two, and up to 14 classes of rows near to it are made anew:
   each new class grows from a row drawn at random by the rows that widen it least, by weights that are off by chance
   (more so the larger k is); then rows move, classes dissolve and rows of two classes are swapped among them alone
   until nothing helps.  What loses no more is kept, and what loses more now and then: the more often the higher the
   temperature, which falls to nothing over all `tries`.  At last come 1. and 2. again; the best that was met is kept.

Neighbourhoods are made anew in blocks of classes, on all cores, in 2 to 8 turns with other blocks each.

Source: no paper; a search of covey's own.
Guarantee: every class has k rows or more, and together they lose no more than those it starts from.
Cost: a look at a few of all classes for each move of a row, and `tries` x classes x (rows of a neighbourhood)^2;
once for each turn, (tuples of a block)^2.
Ties: the lowest class.  Costs are whole numbers.  The number of cores does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from covey.ask.algorithms import ALGORITHMS, algorithm_named
from covey.ask.calls import parse_call
from covey.ask.schema import Schema
from covey.base.arrays import FloatMatrix, IntVector
from covey.base.checks import at_least
from covey.codes.codes import TableCodes
from covey.codes.whole_prices import in_whole_prices
from covey.columns.kept import KeptColumn
from covey.compiled.pausing import telling_within, told_within
from covey.search.cores import cores_to_use
from covey.search.demand import Demand
from covey.search.estimator import Estimator, parameter
from covey.search.keeping import keeping_best, last_of
from covey.search.refine.ground import Ground
from covey.search.refine.rules import rules_of
from covey.search.refine.search import refined
from covey.search.repair.enforce import enforce
from covey.search.squares.ground import SquaresGround
from covey.search.task import Found, Task

__all__ = ["Following", "Refine", "ground_of", "improved", "makes_classes"]

BEGINNING = 0.1
"""Of all that is told of as done, the classes to begin with are so much."""
Improvement = Callable[[Ground, IntVector], Iterator[IntVector]]
"""From classes to ever better ones."""


def makes_classes(value: object) -> str | None:
    """Return what is wrong with the first search: a rule."""
    if isinstance(value, str):
        name = parse_call(value).name
        entry = ALGORITHMS.get(name)
        fits = entry is None or entry.makes_classes
    else:
        fits = isinstance(value, Estimator) and value.makes_classes
    return None if fits else "an algorithm that makes classes, by name or as an estimator"


class Following(Estimator):
    """An algorithm that goes on from the classes of another one, its `start`."""

    start: str | Estimator
    seed: int
    needs_rows = True

    @property
    def holds_models(self) -> bool:
        """Return True: classes that would fail a model are not made."""
        return True

    def reads(self) -> tuple[str, ...]:
        """Return the kept columns that the first search looks at."""
        return self._first().reads()

    def for_roles(self, schema: Schema) -> Self:
        """Return the estimator with what the roles of the columns tell the first search."""
        first = self._first()
        told = first.for_roles(schema)
        return self if told is first else type(self)(**{**self.get_params(), "start": told})

    def may_suppress(self) -> bool:
        """Return whether the first search may leave out rows; those are left out at last too."""
        return self._first().may_suppress()

    def _first(self) -> Estimator:
        if isinstance(self.start, Estimator):
            return self.start
        first: Estimator = algorithm_named(self.start, k=int(self.k), seed=int(self.seed))
        return first

    def _begun(self, task: Task) -> tuple[Found, IntVector]:
        """Return what the first search found, and its classes once they satisfy the demand."""
        with telling_within(0.0, BEGINNING), keeping_best(lambda: False):
            first = self._first().found(task.table, task.demand, task.kept)
        return first, enforce(task.table, first.labels(task.table), task.demand, task.kept)

    def _better(self, task: Task, search: Improvement, *notes: str) -> Found:
        """Return what is found by going on from the classes of the first search, if interrupted the best so far."""
        first, labels = self._begun(task)
        best, told = last_of(labels, told_within(BEGINNING, 1.0, improved(task, labels, search)))
        return Found(of_row=best, notes=(*first.notes, *notes, *told), weights=first.weights)


@dataclass(eq=False, repr=False)
class Refine(Following):
    """Classes of at least `k` rows that lose no more than those of another algorithm, by name or as an estimator.

    `start`: the algorithm, with its options, whose classes are refined; `tries`: how many neighbourhoods are made anew
    for each class; `seed` draws them.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 35, 61, 63, 62])
    >>> rank, position = np.array([[0, 1, 2, 4, 3]], np.uint8), (np.array([34, 35, 61, 62, 63]) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> Refine(k=2, start="mondrian").labels(codes)
    array([0, 0, 1, 1, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    start: str | Estimator = parameter("peel", makes_classes)  # noqa: RUF009 - a field, as the others
    tries: int = parameter(8, at_least(0))
    seed: int = parameter(0, at_least(0))

    def search(self, task: Task) -> Found:
        """Return the class of every row."""
        tries, seed = Fraction(int(self.tries)), int(self.seed)
        return self._better(task, lambda ground, own: refined(ground, own, tries, seed, cores=cores_to_use()))


def improved(
    task: Task, labels: IntVector, search: Improvement, points: FloatMatrix | None = None
) -> Iterator[IntVector]:
    """Yield the classes of a task, then ever better ones; rows without a class (-1) stay without.

    A model that kernels cannot judge could be broken: then the classes stay as they are.  points (n, p): where the sum
    of squares is to be least.
    """
    yield labels
    rows = np.flatnonzero(labels >= 0)
    if len(rows) == 0 or not task.demand.has_rules:
        return
    ground = ground_of(task.table, task.demand, task.kept, rows, task.deadline, points)
    for found in search(ground, labels[rows]):
        better = np.full(len(labels), -1, np.int64)
        better[rows] = ground.united(found)
        yield better


def ground_of(
    codes: TableCodes,
    demand: Demand,
    kept: Mapping[str, KeptColumn],
    rows: IntVector,
    deadline: float | None,
    points: FloatMatrix | None = None,
) -> Ground:
    """Return what refining works on: some rows of a table, and what classes of them must satisfy.

    points (n, p): all rows, where the sum of squares is to be least.
    """
    whole = in_whole_prices(codes.without_rows().with_weights_near_one()[0], codes.n_rows)
    rules = rules_of(demand, {name: kept[name].codes for name in demand.columns}, codes.n_rows)
    k = min(demand.least_rows, codes.n_rows)
    facts = whole, codes.row_tuple[rows].astype(np.int64), rows, k, rules, deadline
    return Ground(*facts) if points is None else SquaresGround(*facts, points=points[rows])
