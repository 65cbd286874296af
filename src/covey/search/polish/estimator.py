"""Better classes from those of another algorithm: the best of all classes that two searches met, in rounds.

In a round, two searches start from the same classes, in blocks of up to 1,280 classes or some more, on all cores: both
make neighbourhoods anew as `Refine` does, `tries` for each class.  All classes of tries that come near to what was
there are taken down.  An integer program then chooses, of all that both met, the classes that take every row once and
lose least together: what one search found in one place completes what the other found elsewhere.  Rows that are alike
(equal in the quasi columns, and in those that models speak of) can stand for each other, so that the program has an
equation for each kind of rows.  Rows move and classes dissolve after each round, and the next round has other blocks.

At k = 2 without models the program also chooses from all pairs and triples of rows that lose little beyond what their
rows are worth (the prices of the program without whole numbers), in blocks of 2,048 classes or more.

The program needs the solver of the extra `certify`; without it each round ends with the better of its searches.

Source: no paper; a search of covey's own.
Guarantee: every class has k rows or more, and together they lose no more than those it starts from.
Cost: 2 x `tries` x classes x (rows of a neighbourhood)^2 for each round, and for each block a program of up to 97 times
as many columns as it has classes (at k = 2 up to 180,000 more).
Ties: those of the solver, which is given a fixed seed and one core for each program.  The number of cores does not
matter.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction

from covey.base.checks import at_least
from covey.search.cores import cores_to_use
from covey.search.estimator import Estimator, parameter
from covey.search.polish.choice import NO_SOLVER, can_choose
from covey.search.polish.search import polished
from covey.search.refine.estimator import Following, makes_classes
from covey.search.task import Found, Task

__all__ = ["Polish"]


@dataclass(eq=False, repr=False)
class Polish(Following):
    """Classes of at least `k` rows that lose no more than those of another algorithm, by name or as an estimator.

    `start`: the algorithm, with its options, whose classes are polished; `rounds` of search and choice; `tries`: how
    many neighbourhoods each search of a round makes anew for each class; `seed` draws them.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 35, 61, 63, 62])
    >>> rank, position = np.array([[0, 1, 2, 4, 3]], np.uint8), (np.array([34, 35, 61, 62, 63]) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> Polish(k=2, start="mondrian").labels(codes)
    array([0, 0, 1, 1, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    start: str | Estimator = parameter("refine", makes_classes)  # noqa: RUF009 - a field, as the others
    rounds: int = parameter(2, at_least(1))
    tries: int = parameter(8, at_least(1))
    seed: int = parameter(0, at_least(0))

    def search(self, task: Task) -> Found:
        """Return the class of every row."""
        rounds, tries, seed = int(self.rounds), Fraction(int(self.tries)), int(self.seed)
        return self._better(
            task,
            lambda ground, own: polished(ground, own, rounds, tries, seed, cores=cores_to_use()),
            *(() if can_choose() else (NO_SOLVER,)),
        )
