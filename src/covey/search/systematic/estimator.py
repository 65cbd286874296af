"""Systematic clustering (Kabir et al. 2010), both steps, exact and fast.

The rows are sorted by the quasi columns, and every k-th row, counted from one of the first k, starts a
class.  Then every k-th row counted from another of the first k, and so on until each has been taken: each row
in turn joins the class of fewer than k rows whose loss grows least.  The fewer than k rows at the end join
likewise, whatever the size of the class.

A tree of the classes tells which of them cannot be cheapest.  (The paper's table 4 prints p(i - 1) for k(i - 1), and
"<= k" for "< k".)

The l-diverse step (table 5), if it is asked for: classes with fewer than l different values of a sensitive column are
dissolved, in class and then row order, each row into the diverse class whose loss grows least.  Where no class is
diverse, the two whose union has the least extent are merged until one is.

Source: Kabir, Wang, Bertino and Chi, 2010, tables 4 and 5.  The result is that of the plain loop over rows and classes,
to the last tie.  The paper's example, with `presorted=True` and `order=(2, 3, 1)`, gives the classes of its table 2, at
another loss than it prints (experiments/results/p1.md).
Guarantee: every class has k to 2k - 1 rows (theorem 3 of the paper); with `l`, k or more, and l values.
Cost: O(rows x columns) memory.  Time: rows^2 / k at worst, as in the paper; far less in practice (benchmarks/SCALE.md).
Ties: lowest class, exactly: losses are compared in whole numbers (`covey.codes.whole_prices`).  The order of the rows
matters among equal rows only; with `presorted=True` it matters.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from covey.ask.models import ModelSpec, model_spec
from covey.base.arrays import IntVector
from covey.base.checks import at_least, bad_parameter, one_of, optional
from covey.codes.codes import TableCodes
from covey.codes.whole_prices import in_whole_prices
from covey.search.estimator import Estimator, parameter
from covey.search.kernels.class_tree import INCREASE, TOTAL
from covey.search.systematic.diversity import dissolve_classes
from covey.search.systematic.kernels import deal_systematically
from covey.search.task import Found, Task

__all__ = ["Systematic"]


def _is_order(value: object) -> str | None:
    """Return what is wrong with an order of the numbers from 1 on."""
    wanted = "the numbers from 1 to k in any order"
    if isinstance(value, str) or not isinstance(value, Sequence):
        return f"{wanted}, not {type(value).__name__}"
    whole = all(isinstance(number, numbers.Integral) and not isinstance(number, bool) for number in value)
    return None if whole and sorted(value) == list(range(1, len(value) + 1)) else wanted


def _are_names(value: object) -> str | None:
    """Return what is wrong with the name of a column, or a list of such."""
    names = [value] if isinstance(value, str) else value
    fine = isinstance(names, Sequence) and len(names) > 0 and all(isinstance(name, str) for name in names)
    return None if fine else f"the name of a column or a list of names, not {type(value).__name__}"


@dataclass(eq=False, repr=False)
class Systematic(Estimator):
    """Classes of `k` to `2k - 1` rows, started by every k-th row and filled where the loss grows least.

    `presorted`: keep the rows in the order given instead of sorting them.
    `order`: in which order the first k rows are taken, counted from 1, in place of the one drawn from `seed`.
    `criterion`: a row joins where the loss grows least (`"increase"`), or is least afterwards (`"total"`); the
    paper's figures cannot tell which it means.
    `sensitive` and `l`: the paper's l-diverse step: every class has `l` different values of that column, or of each of
    these.

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> Systematic(k=2, order=(2, 1)).labels(codes)
    array([0, 1, 0, 1, 1])
    """

    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    seed: int = parameter(0, at_least(0))
    presorted: bool = parameter(False, one_of(False, True))
    order: Sequence[int] | None = parameter(None, optional(_is_order))
    criterion: Literal["increase", "total"] = parameter("increase", one_of("increase", "total"))
    sensitive: str | Sequence[str] | None = parameter(None, optional(_are_names))
    l: int | None = parameter(None, optional(at_least(1)))  # noqa: E741
    needs_rows = True

    def promises(self) -> tuple[ModelSpec, ...]:
        """Return distinct l-diversity of each sensitive column, if it was asked for."""
        if self.l is None:
            return ()
        return tuple(
            model_spec({"model": "distinct-l-diversity", "column": name, "l": self.l}) for name in self.reads()
        )

    def reads(self) -> tuple[str, ...]:
        """Return the sensitive columns, if l-diversity is asked for."""
        if self.sensitive is None:
            return ()
        return (self.sensitive,) if isinstance(self.sensitive, str) else tuple(dict.fromkeys(self.sensitive))

    def search(self, task: Task) -> Found:
        """Return the class of every row, diverse in the sensitive columns if that is asked for."""
        if (self.sensitive is None) != (self.l is None):
            given, absent = ("l", "sensitive") if self.sensitive is None else ("sensitive", "l")
            raise bad_parameter(f"Systematic has `{given}` and no `{absent}`", "give both for l-diversity, or neither")
        labels = self._dealt(task.table, task.k)
        if self.l is not None:
            columns = [task.kept[name] for name in self.reads()]
            labels = dissolve_classes(task.table, labels, columns, int(self.l))
        return Found(of_row=labels)

    def _dealt(self, codes: TableCodes, k: int) -> IntVector:
        """Return the class of every row; classes are numbered in the order of the rows that start them."""
        order = self._order(k)
        codes = in_whole_prices(codes, 2 * k)
        # tuples are numbered in the order of their codes: equal rows follow each other in row order
        rows = np.arange(codes.n_rows) if self.presorted else np.argsort(codes.row_tuple, kind="stable")
        labels = np.empty(codes.n_rows, np.int64)
        criterion = TOTAL if self.criterion == "total" else INCREASE
        labels[rows] = deal_systematically(
            codes.narrow, codes.row_tuple[rows], codes.measure, k, order, criterion, self._prune
        )
        return labels

    def _order(self, k: int) -> IntVector:
        """Return the first k positions, counted from 0, in the order in which they are taken."""
        if self.order is None:
            return np.random.default_rng(self.seed).permutation(k)
        if len(self.order) != k:
            raise bad_parameter(
                f"`order` of Systematic has {len(self.order):,} numbers; k is {k:,}",
                "give each number from 1 to k once, or leave `order` out",
            )
        return np.array(self.order, np.int64) - 1
