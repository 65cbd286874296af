"""Greedy k-member clustering (Byun et al. 2007), exact and fast.

Each class starts with the free row that is furthest from the previous start (the first: from a reference
row drawn at random) and takes, k - 1 times, the free row with which its extent is least.  The fewer than
k rows that are left over each join the class whose loss they raise least.

Equal rows are one tuple with a queue of row numbers, and a tree of boxes over the tuples tells which of them cannot be
furthest or cheapest: the tuples looked at in a step are tens, not all that are free.

Two variants of the paper mind kept columns while a class grows.  Classification (section 5.2): a row whose
target is not that of most rows of the class pays a penalty.  Diversity (5.1): while a class has one sensitive
value only, a row with that value pays one.  (The printed pseudo-code charges the rows that differ, against the
text beside it.)  Then equal rows are one tuple only if their labels are equal too.

Source: Byun, Kamra, Bertino and Li, 2007, figure 8.  The paper's figure and text differ on where classes start, and
this takes one from each: the first as in the figure (by the text the row drawn is itself the first start), the later
ones as in the text (by the figure furthest from the last row that joined: `next_seed="last"`).  The result is that of
the plain loop over all rows, to the last tie.
Guarantee: every class has k to 2k - 1 rows (theorem 2 of the paper).
Cost: O(tuples x columns) memory.  Time: the square of the tuples at worst (many columns, all rows unlike), hardly more
than linear in practice (benchmarks/SCALE.md).
Ties: lowest row; for leftovers lowest class.  Extents are compared as multiples of 1e-9 (of the largest weight or so),
so that sums that differ in their last bits only are ties on every machine, whatever the order of the columns; the
losses of leftovers are compared in whole numbers (`covey.codes.whole_prices`), exactly.  The order of the rows matters.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from covey.base.arrays import BoolVector
from covey.base.checks import at_least, bad_parameter, is_name, listed, one_of, optional, plural
from covey.codes.codes import TableCodes
from covey.codes.prices import FLAT
from covey.columns.kept import KeptColumn
from covey.search.estimator import Estimator, parameter
from covey.search.k_member.growth import grow_classes
from covey.search.k_member.penalties import Penalties
from covey.search.leftovers import place_leftovers
from covey.search.task import Found, Task

__all__ = ["KMember"]


def _is_penalty(value: object) -> str | None:
    """Return what is wrong with a penalty."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return f"a number of 0 or more, not {type(value).__name__}"
    return None if 0 <= float(value) < math.inf else "a number of 0 or more"


def _are_values(value: object) -> str | None:
    """Return what is wrong with a list of values."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return f"a list of values as text, not {type(value).__name__}"
    return None if value and all(isinstance(one, str) for one in value) else "a list of values as text"


@dataclass(eq=False, repr=False)
class KMember(Estimator):
    """Classes of `k` to `2k - 1` rows, each grown by the row with which its extent stays least.

    `start`: the reference row (counted from 0) in place of the one drawn from `seed`.
    `next_seed`: a class starts furthest from the `"seed"` of the class before it, as the paper's text
    says, or from the `"last"` row that joined it, as its figure has it.
    `leftovers`: they join in row `"order"`, or in `"random"` order (drawn from `seed`) as in the paper.

    `target`: a kept column; a row whose value is not the most frequent of the class pays `class_penalty` to join.
    `sensitive`: a kept column; `diversity="equal"`: while all rows of a class have one value of it, a row with that
    value pays `diversity_penalty`; `"sensitive"`: only where that value is one of `sensitive_values` (as text).
    `penalty_on`: penalties are added to the increase of the `"loss"`, as the paper prints it, where they fade as the
    class grows, or to its `"extent"` with the row.  Leftovers pay none.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> KMember(k=2, start=0).labels(codes)
    array([1, 0, 1, 0, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    seed: int = parameter(0, at_least(0))
    start: int | None = parameter(None, optional(at_least(0)))
    next_seed: Literal["seed", "last"] = parameter("seed", one_of("seed", "last"))
    leftovers: Literal["order", "random"] = parameter("order", one_of("order", "random"))
    target: str | None = parameter(None, optional(is_name))
    class_penalty: float = parameter(0.5, _is_penalty)
    sensitive: str | None = parameter(None, optional(is_name))
    diversity: Literal["equal", "sensitive"] | None = parameter(None, one_of(None, "equal", "sensitive"))
    sensitive_values: Sequence[str] | None = parameter(None, optional(_are_values))
    diversity_penalty: float = parameter(1.0, _is_penalty)
    penalty_on: Literal["loss", "extent"] = parameter("loss", one_of("loss", "extent"))
    needs_rows = True

    def reads(self) -> tuple[str, ...]:
        """Return the target and the sensitive column, those of them that are given."""
        return tuple(dict.fromkeys(name for name in (self.target, self.sensitive) if name is not None))

    def search(self, task: Task) -> Found:
        """Return the class of every row; classes are numbered in the order in which they are made."""
        self._check_diversity()
        random = np.random.default_rng(self.seed)
        given = task.table
        start = self._reference_row(given.n_rows, random)
        codes, factor = given.with_weights_near_one()
        penalties = None
        if self.reads():
            codes, penalties = self._with_penalties(codes, task, factor)
        last = self.next_seed == "last"
        labels, n_classes = grow_classes(
            codes.narrow, codes.counts, codes.row_tuple, codes.measure, task.k, start, last, penalties, self._prune
        )
        left = np.flatnonzero(labels < 0)
        if self.leftovers == "random":
            left = random.permutation(left)
        place_leftovers(given, task.k, labels, n_classes, left)
        return Found(of_row=labels)

    def _with_penalties(self, codes: TableCodes, task: Task, factor: float) -> tuple[TableCodes, Penalties]:
        """Return the codes with the labels of the rows beside them, and what a row pays for these."""
        nothing = KeptColumn("", np.zeros(codes.n_rows, np.int64), ("",))  # one label for all: nobody pays
        target = nothing if self.target is None else task.kept[self.target]
        sensitive = nothing if self.sensitive is None else task.kept[self.sensitive]
        penalties = Penalties(
            self.penalty_on == "loss",
            float(self.class_penalty) * factor,
            float(self.diversity_penalty) * factor,
            self._truly_sensitive(sensitive),
        )
        return _with_labels(codes, target, sensitive), penalties

    def _truly_sensitive(self, column: KeptColumn) -> BoolVector:
        """Return, for each code of the sensitive column, whether a class with no other value is to be avoided."""
        if self.diversity != "sensitive":
            return np.full(column.size, self.diversity == "equal")
        wanted = set(self.sensitive_values or ())
        unknown = sorted(wanted - set(column.values))
        if unknown:
            raise bad_parameter(
                f"`sensitive_values` of KMember names what column `{column.name}` does not have: {listed(unknown)}",
                "give values of the column, as text and spelt as they stand in it",
            )
        return np.array([value in wanted for value in column.values])

    def _check_diversity(self) -> None:
        """Raise `InputError` if the parameters of diversity do not go together."""
        asked = self.diversity == "sensitive"
        if (self.sensitive is None) != (self.diversity is None):
            given, needed = ("diversity", "sensitive") if self.sensitive is None else ("sensitive", "diversity")
            hint = "name the sensitive column" if self.sensitive is None else 'say diversity="equal" or "sensitive"'
        elif asked != (self.sensitive_values is not None):
            given, needed = 'diversity="sensitive"', "sensitive_values"
            hint = "list the values that are truly sensitive"
            if not asked:
                given, needed, hint = needed, given, 'say diversity="sensitive", or leave `sensitive_values` out'
        else:
            return
        raise bad_parameter(f"`{given}` of KMember needs `{needed}` beside it", hint)

    def _reference_row(self, n_rows: int, random: np.random.Generator) -> int:
        if self.start is None:
            return int(random.integers(n_rows))
        if self.start >= n_rows:
            raise bad_parameter(
                f"`start` of KMember is row {self.start:,}, counted from 0; the table has {plural(n_rows, 'row')}",
                f"give a row from 0 to {n_rows - 1:,}, or leave `start` out",
            )
        return int(self.start)


def _with_labels(codes: TableCodes, *labels: KeptColumn) -> TableCodes:
    """Return the codes with flat columns of no weight after them; only rows that agree there too are merged."""
    place = np.zeros(codes.n_rows, np.int64)
    for column in labels:  # numbered anew each time: a product of many sizes might not fit
        place = np.unique(place * column.size + column.codes, return_inverse=True)[1]
    n_places = int(place.max()) + 1
    _, first, row_tuple, counts = np.unique(
        codes.row_tuple * n_places + place, return_index=True, return_inverse=True, return_counts=True
    )
    rows = [codes.columns[:, codes.row_tuple[first]].astype(np.int32)]
    rows += [column.codes[first].astype(np.int32)[None] for column in labels]
    return TableCodes(
        columns=np.concatenate(rows),
        counts=counts,
        row_tuple=row_tuple,
        kinds=np.append(codes.kinds, np.full(len(labels), FLAT, codes.kinds.dtype)),
        sizes=np.append(codes.sizes, [column.size for column in labels]),
        weights=np.append(codes.weights, np.zeros(len(labels))),
        positions=codes.positions,
        offsets=np.append(codes.offsets, np.full(len(labels), len(codes.positions))),
    )
