"""Clustering-based k-anonymity ("CB") by binary k-means (He, Chen, Chen, Dong, Wang and Huang, 2012).

A part of the table (at first all of it) with at least 2k rows is split in two, and each half likewise.  A split is
tried `tries` times.  The centres of the first try are two rows drawn at random, later ones the means of the halves
of the try before: the mean position of ordered columns, the most frequent value of the others.  Every row joins the
half with the nearer centre, the distance being the extent of {centre, row}; rows as near to both come in a new
random order and join the half that is smaller when their turn comes.  A half with fewer than k rows borrows those
of the other that are nearest to its centre.  The try with the least rows x extent, summed over both halves, is kept.

With `sensitive` and `l` no value of that column has more than 1/l of the rows of a class.  Only tries of which both
halves satisfy that are kept; a part of at least 2k rows without such a try is dealt: its rows, sorted by the
sensitive value, go in turn to floor(rows / k) classes, or to the greatest smaller number of them with which every
class satisfies it (one class always does).  A class cannot have fewer than l rows: k is raised to l rounded up.

What the paper leaves open.  Rows stand in the order of their codes, equal rows in row order.  The mean of a half adds
up rows x position over its distinct rows in that order.  The halves of a try are those after borrowing, its centre
for borrowing the one it began with.  Each part draws from a stream of its own (`kernels.streams`), whose key
comes from the seed and from where the part stands among the halves of halves: the result does not depend on the cores.

Guarantee: every class has k to 2k - 1 rows; with l, at least k.  Ties: of two centres the smaller half, then the
first; of tries the first; of values the lowest code; of rows to borrow the first.  Classes are numbered from the
first halves to the second.
Cost: O(rows x columns x tries) time for each level of splits and O(rows x columns) memory.  There are O(log rows)
levels where halves are comparable; a table from which every split takes k rows off has rows / k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from covey.arrays import IntVector
from covey.checks import at_least, optional, plural
from covey.cluster._cores import cores_to_use, finished_parts
from covey.cluster._estimator import Estimator
from covey.cluster.kernels.binary_k_means import CHILD, Rows, split_part
from covey.cluster.kernels.class_tree import point_values
from covey.cluster.kernels.streams import draw
from covey.encode import Codes
from covey.errors import Infeasible, InputError
from covey.kept import KeptColumn
from covey.privacy.diversity import FrequencyLDiversity
from covey.registry import ModelSpec

__all__ = ["BinaryKMeans"]

BLOCK = 32_768
"""Parts of more rows are split one by one; smaller ones each by one core, to the end."""


def _number(value: object) -> str | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and 1 <= value < 1e15:  # type: ignore[operator]
        return None
    return f"a number of 1 or more, not {value:g}" if is_number else f"a number, not {type(value).__name__}"


def _name(value: object) -> str | None:
    return None if isinstance(value, str) else f"the name of a column, not {type(value).__name__}"


class BinaryKMeans(Estimator):
    """Classes of `k` to `2k - 1` rows, halves of halves around two centres.

    `seed` draws the first centres and the order in which rows settle ties; `tries` is how often a split is tried.
    `sensitive` and `l`: in no class has a value of that column more than 1/l of the rows (frequency l-diversity).

    >>> import numpy as np
    >>> from covey.encode import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> BinaryKMeans(k=2).labels(codes)
    array([0, 1, 0, 1, 0])
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]] = {
        "k": at_least(2),
        "seed": at_least(0),
        "tries": at_least(1),
        "sensitive": optional(_name),
        "l": optional(_number),
    }
    _prune: ClassVar[bool] = True

    def __init__(
        self,
        k: int = 5,
        *,
        seed: int = 0,
        tries: int = 15,
        sensitive: str | None = None,
        l: float | None = None,  # noqa: E741
    ) -> None:
        self.k = k
        self.seed = seed
        self.tries = tries
        self.sensitive = sensitive
        self.l = l

    def promises(self) -> tuple[ModelSpec, ...]:
        """Return frequency l-diversity, if it was asked for."""
        if self.sensitive is None or self.l is None:
            return ()
        return (ModelSpec("frequency-l-diversity", self.sensitive, self.l),)

    def reads(self) -> tuple[str, ...]:
        """Return the sensitive column, if l-diversity is asked for."""
        return () if self.sensitive is None else (self.sensitive,)

    def cluster(self, codes: Codes) -> IntVector:
        """Return the class of every row; classes are numbered from first halves to second ones."""
        return self.cluster_beside(codes, {})

    def cluster_beside(self, codes: Codes, kept: Mapping[str, KeptColumn]) -> IntVector:
        """Return the class of every row, diverse in the sensitive column if that is asked for."""
        if (self.sensitive is None) != (self.l is None):
            given, absent = ("l", "sensitive") if self.sensitive is None else ("sensitive", "l")
            raise InputError(
                f"BinaryKMeans has `{given}` and no `{absent}`",
                code="bad-parameter",
                hint="give both for l-diversity, or neither",
            )
        demand = _Demand(int(self.k), np.zeros(0, np.int64), np.zeros(0, np.int64), 0)
        if self.sensitive is not None and self.l is not None:
            demand = _diverse_demand(int(self.k), FrequencyLDiversity(self.sensitive, self.l), kept[self.sensitive])
        return _row_labels(codes, demand, int(self.seed), int(self.tries), self._prune)


@dataclass(frozen=True, slots=True)
class _Demand:
    """What a class must satisfy: at least so many rows, and at most `allowed[rows]` of them of one value."""

    least: int
    values: IntVector
    """(n,) int64: the sensitive value of every row; empty if none is looked at"""
    allowed: IntVector
    """(n + 1,) int64; empty likewise"""
    n_values: int


def _diverse_demand(k: int, model: FrequencyLDiversity, column: KeptColumn) -> _Demand:
    """Return what classes must satisfy; raise `Infeasible` if all rows together do not."""
    rule = model.rule()
    rows = len(column.codes)
    # Python's whole numbers where the products could pass 64 bits
    counts = np.arange(rows + 1, dtype=np.int64 if max(rule.times, rule.per) < 2**31 else object)
    allowed = np.asarray(counts * rule.per // rule.times, np.int64)
    most = int(np.bincount(column.codes).max())
    if most > allowed[rows]:
        raise Infeasible(
            f"{model.name} with l = {model.l:g} cannot be met for column `{model.column}`: "
            f"its commonest value has {most:,} of {plural(rows, 'row')}",
            code="infeasible-model",
            hint="ask for a smaller l",
        )
    return _Demand(max(k, -(-rule.times // rule.per)), column.codes, allowed, column.size)


@dataclass(frozen=True, slots=True, order=True)
class _Part:
    """Places begin..end-1, with the key of their stream; classes is 0 where they may be split again."""

    begin: int
    end: int
    key: int
    classes: int


def _row_labels(codes: Codes, demand: _Demand, seed: int, tries: int, prune: bool) -> IntVector:
    """Return the class of every row; it depends neither on BLOCK nor on the cores nor on `prune`."""
    rows = np.argsort(codes.row_tuple, kind="stable")
    narrow = codes.columns.astype(np.int32)  # one type, so that the kernel is compiled once
    measure = (codes.kinds, codes.weights, codes.positions, codes.offsets, codes.sizes)
    points = point_values(narrow, codes.kinds, codes.positions, codes.offsets, codes.sizes)
    values = demand.values[rows] if len(demand.values) else demand.values
    most_codes = max(int(codes.sizes.max(initial=1)), demand.n_values)
    table = Rows(narrow, points, codes.row_tuple[rows], values, demand.allowed, most_codes)
    places = np.arange(codes.n_rows)
    local = np.empty(codes.n_rows, np.int64)

    def split(part: _Part) -> list[_Part]:
        run = slice(part.begin, part.end)
        once = part.end - part.begin > BLOCK
        classes, n_first = split_part(
            places[run], np.uint64(part.key), table, *measure, demand.least, tries, once, prune, local[run]
        )
        if classes > 0:
            return [_Part(part.begin, part.end, part.key, int(classes))]
        middle = part.begin + int(n_first)
        one, two = (int(draw(np.uint64(part.key), CHILD + h)) for h in range(2))
        return [_Part(part.begin, middle, one, 0), _Part(middle, part.end, two, 0)]

    # any whole number can be a seed: numpy makes 64 bits of it
    key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    labels = np.empty(codes.n_rows, np.int64)
    n_classes = 0
    for part in sorted(finished_parts(split, _Part(0, codes.n_rows, key, 0), cores_to_use())):
        run = slice(part.begin, part.end)
        labels[rows[places[run]]] = local[run] + n_classes
        n_classes += part.classes
    return labels
