"""Agglomerative clustering (single, complete or average linkage) until every class has k rows.

Every row is a class of its own at first; the closest two classes are merged, again and again.  The distance
of two rows is their extent or the sum of weight x squared difference; that of two classes the least, the
greatest or the mean of the distances between their rows.

- `stop="global"` (the paper's words): the closest two of all classes are merged until all have k rows, so that
  classes that have them long since grow on;
- `stop="local"`: the closest two of which one is still too small, so that most classes stay small.

Rows at distance 0 would be merged before all others, and row after row into the same class, since of
equally close pairs the lowest is merged; so they are one class from the start, and the result is that of the
definition.

Source: agglomerative clustering, as Chiu and Tsai 2007 compare with it; they define squared differences only
(`distance="squared"`).
Guarantee: every class has k rows or more; equal rows are never in two classes.
Cost: tuples^2 x 8 bytes of memory (10,000 tuples: 800 MB), and a refusal where that is above the limit, with the memory
it would need; O(tuples^2 x columns) time in practice, O(tuples^3) at worst.
Ties: the lowest pair, a class being named by its lowest row, exactly: distances are compared in whole numbers
(`covey.codes.whole_prices`), means are exact sums divided once.  The order of the rows matters.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from covey.base.checks import at_least, bad_parameter, one_of, plural
from covey.base.errors import InputError
from covey.codes.codes import TableCodes
from covey.codes.whole_prices import in_whole_prices
from covey.search.estimator import Estimator, parameter
from covey.search.linkage.kernels import AVERAGE, COMPLETE, SINGLE, merge_classes
from covey.search.task import Found, Task

__all__ = ["Linkage"]

_METHODS = {"single": SINGLE, "complete": COMPLETE, "average": AVERAGE}


@dataclass(eq=False, repr=False)
class Linkage(Estimator):
    """Classes of at least `k` rows, merged from the closest two.

    `method`: how far two classes are apart, by their `"single"` closest rows, by their furthest
    (`"complete"`) or on `"average"`.
    `distance`: how far two rows are apart, by their `"extent"`, or by `"squared"` differences: of numbers as they
    are, of all else the squared price (P4, equation 3).
    `stop`: merge the closest two of all (`"global"`) or only where one is still too small (`"local"`).
    `memory_limit_mb`: refuse a table whose distances need more (1 MB is a million bytes).

    >>> import numpy as np
    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([34, 61, 35, 63, 36])
    >>> rank, position = np.array([[0, 3, 1, 4, 2]], np.uint8), (np.sort(age) - 34) / 29
    >>> codes = codes_from_matrix(rank, np.array([0]), np.ones(1), [position], np.array([5]))
    >>> Linkage("single", k=2).labels(codes)
    array([0, 1, 0, 1, 0])
    """

    method: Literal["single", "complete", "average"] = parameter("average", one_of(*_METHODS))
    k: int = parameter(5, at_least(2))
    _: KW_ONLY
    distance: Literal["extent", "squared"] = parameter("extent", one_of("extent", "squared"))
    stop: Literal["global", "local"] = parameter("global", one_of("global", "local"))
    memory_limit_mb: int = parameter(4000, at_least(1))

    needs_rows = True

    def search(self, task: Task) -> Found:
        """Return the class of every row; classes are numbered by their lowest rows."""
        self._require_memory(task.codes.n_tuples)
        codes = self._in_whole_prices(task.table)
        _, lowest_row = np.unique(codes.row_tuple, return_index=True)
        order = np.argsort(lowest_row)
        columns = np.ascontiguousarray(codes.columns[:, order], dtype=np.int32)  # one type: compiled once
        squared, local = self.distance == "squared", self.stop == "local"
        home = merge_classes(columns, codes.counts[order], codes.measure, task.k, _METHODS[self.method], squared, local)
        labels = np.empty(codes.n_tuples, np.int64)
        labels[order] = np.unique(home, return_inverse=True)[1]
        return Found(of_tuple=labels)

    def _in_whole_prices(self, codes: TableCodes) -> TableCodes:
        if self.distance == "squared" and codes.widths is None:
            raise bad_parameter(
                '`distance="squared"` of Linkage needs the widths of the domains, which these codes do not have',
                'fit a table, or give distance="extent"',
            )
        # of two classes; four times as many, so that a sum is told by its mean
        most_pairs = 4 * (codes.n_rows // 2 + 1) ** 2 if self.method == "average" else 1
        return in_whole_prices(codes, most_pairs, squared=self.distance == "squared")

    def _require_memory(self, n_tuples: int) -> None:
        need = -(-8 * n_tuples**2 // 1_000_000)  # rounded up
        if need > self.memory_limit_mb:
            raise InputError(
                f"Linkage needs {need:,} MB for the distances between {plural(n_tuples, 'distinct row')}; "
                f"`memory_limit_mb` is {self.memory_limit_mb:,}",
                code="too-large",
                hint="give a sample of the rows, another algorithm, or a higher `memory_limit_mb`",
            )
