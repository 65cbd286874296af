"""Better classes from those of another algorithm: rows move, classes dissolve, neighbours are made anew.

1. A row of a class above k rows moves to the class whose loss grows least, if that is less than what its own saves.
2. A class dissolves, the dearest first, if its rows together lose less in the classes whose loss grows least.
   Both are repeated until neither helps, or eight times.
3. A class with a great extent and up to 8 of those near to it (the least extent of both together) are made anew:
   each new class grows from a row drawn at random by the rows that widen it least; then rows move, classes dissolve
   and rows of two classes are swapped among them alone until nothing helps.  What loses no more is kept.  After half
   of the `tries` for each class, and after all, come 1. and 2. again.

Neighbourhoods are made anew in blocks of classes, on all cores, the second half of them in other blocks than the first.

Source: no paper; a search of covey's own.
Guarantee: every class has k rows or more, and together they lose no more than those it starts from.
Cost: a look at a few of all classes for each move of a row, and `tries` x classes x (rows of a neighbourhood)^2.
Ties: the lowest class.  Costs are whole numbers.  The number of cores does not matter.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from covey.ask.algorithms import ALGORITHMS, ALIASES, algorithm_named
from covey.ask.calls import parse_call
from covey.ask.schema import Schema
from covey.base.arrays import IntVector
from covey.base.checks import at_least
from covey.codes.codes import Codes, TableCodes
from covey.codes.whole_prices import in_whole_prices
from covey.search.cores import cores_to_use
from covey.search.demand import Demand
from covey.search.estimator import Estimator, parameter
from covey.search.kernels.streams import draw
from covey.search.refine.blocks import Worker, in_blocks
from covey.search.refine.moves import dissolve_classes, move_rows
from covey.search.refine.neighbours import make_anew
from covey.search.refine.partition import new_partition, with_room
from covey.search.task import Found, Task

__all__ = ["Refine", "refined"]

BLOCK = 1_024
"""So many classes are refined together at least, by one core."""
TURNS = 2
"""The tries are made in so many turns, each with other blocks."""
PASSES = 8
"""Rows move and classes dissolve in turn no more often."""
POOL = 12
"""A neighbourhood has so many times k rows at most, and some more."""
ROOM = 16
"""So many more, and more classes for a time."""


def makes_classes(value: object) -> str | None:
    """Return what is wrong with the first search: a rule."""
    if isinstance(value, str):
        name = parse_call(value).name
        entry = ALGORITHMS.get(ALIASES.get(name, name))
        fits = (entry is None or entry.makes_classes) and name != "refine"
    else:
        fits = isinstance(value, Estimator) and value.makes_classes
    return None if fits else "an algorithm that makes classes, by name or as an estimator"


@dataclass(eq=False, repr=False)
class Refine(Estimator):
    """Classes of at least `k` rows that lose no more than those of another algorithm, by name or as an estimator.

    `start`: the algorithm, with its options, whose classes are refined; `tries`: how many neighbourhoods are made anew
    for each class; `seed` draws them.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 35, 61, 63, 62])
    >>> rank, position = np.array([[0, 1, 2, 4, 3]], np.uint8), (np.array([34, 35, 61, 62, 63]) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> Refine(k=2, start="mondrian").labels(codes)
    array([1, 1, 0, 0, 0])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    start: str | Estimator = parameter("peel", makes_classes)  # noqa: RUF009 - a field, as the others
    tries: int = parameter(8, at_least(0))
    seed: int = parameter(0, at_least(0))
    needs_rows = True

    def search(self, task: Task) -> Found:
        """Return the class of every row."""
        codes = task.table
        first = self._first().found(codes, Demand(task.k), task.kept)
        labels = refined(codes, first.labels(codes), task.k, int(self.tries), int(self.seed))
        return Found(of_row=labels, notes=first.notes, weights=first.weights)

    def reads(self) -> tuple[str, ...]:
        """Return the kept columns that the first search looks at."""
        return self._first().reads()

    def for_roles(self, schema: Schema) -> Refine:
        """Return the estimator with what the roles of the columns tell the first search."""
        first = self._first()
        told = first.for_roles(schema)
        return self if told is first else replace(self, start=told)

    def may_suppress(self) -> bool:
        """Return whether the first search may leave out rows; those are left out at last too."""
        return self._first().may_suppress()

    def _first(self) -> Estimator:
        if isinstance(self.start, Estimator):
            return self.start
        first: Estimator = algorithm_named(self.start, k=int(self.k), seed=int(self.seed))
        return first


def refined(
    codes: TableCodes, labels: IntVector, k: int, tries: int, seed: int, *, block: int = BLOCK, cores: int | None = None
) -> IntVector:
    """Return better classes of k rows or more from some, numbered anew; rows without a class (-1) stay without.

    The result does not depend on `cores`; it does on `block`.
    """
    rows = np.flatnonzero(labels >= 0)
    better = np.full_like(labels, -1)
    if len(rows) == 0:
        return better
    whole = in_whole_prices(codes.without_rows().with_weights_near_one()[0], codes.n_rows)
    tuples = codes.row_tuple[rows]
    found = _settled(whole, tuples, _numbered(labels[rows]), k)
    keys = np.random.SeedSequence(seed).generate_state(TURNS, np.uint64) if tries else ()
    for turn, key in enumerate(keys):
        worker = _worker(whole, k, tries // 2 if turn else (tries + 1) // 2, key)
        found = in_blocks(whole, tuples, found, worker, size=block + turn * block // 2, cores=cores or cores_to_use())
        found = _settled(whole, tuples, found, k)
    better[rows] = found
    return better


def _worker(codes: Codes, k: int, tries: int, key: np.uint64) -> Worker:
    """Return what refines a block, with so many tries for each class."""

    def worker(tuples: IntVector, labels: IntVector, number: int) -> IntVector:
        present, own = np.unique(tuples, return_inverse=True)
        part, found = codes.part(present), labels.astype(np.int64)
        n_classes = int(found.max()) + 1
        partition = new_partition(part.narrow, part.measure, own.reshape(-1), found, n_classes)
        room = with_room(partition, ROOM + n_classes // ROOM)
        make_anew(room, k, POOL * k + ROOM, tries * n_classes, np.uint64(draw(key, number)))
        return _numbered(found)

    return worker


def _settled(codes: Codes, tuples: IntVector, labels: IntVector, k: int) -> IntVector:
    """Return the classes after moves and dissolves until neither helps, or for some turns."""
    found = labels.astype(np.int64)
    partition = new_partition(codes.narrow, codes.measure, tuples, found, int(found.max()) + 1)
    for _ in range(PASSES):
        moved = move_rows(partition, k, True)
        if dissolve_classes(partition, True) + moved == 0:
            break
    return _numbered(found)


def _numbered(labels: IntVector) -> IntVector:
    """Return the classes numbered from 0 without gaps."""
    return np.asarray(np.unique(labels, return_inverse=True)[1].reshape(-1))
