"""What classes must satisfy beside their number of rows, where every row has one value in each column: few arrays.

(Kernels that pass many arrays from hand to hand take minutes to compile.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from covey.compiled.kernel import lean_kernel
from covey.search.demand import Demand, share_for_counts

__all__ = ["Rules", "count_row", "forget_row", "missing_rows", "rules_of", "size_with"]

LEAST, TIMES, PER = 0, 1, 2
DIFFERENT, MOST = -2, -1


class Rules(NamedTuple):
    """The rules of a demand, one for each model, and room to count the rows of one class."""

    values: np.ndarray
    """(rules, items) int64: the value of each item in the column that a rule speaks of"""
    bars: np.ndarray
    """(rules, 3) int64: so many different values; (rows of the commonest value) x times <= rows x per"""
    counts: np.ndarray
    """(rules, values + 2) int64: rows of each value; then how many values there are, and rows of the commonest"""

    def with_own_counts(self) -> Rules:
        """Return the rules with room of their own, so that threads do not count in the same."""
        return self._replace(counts=np.zeros_like(self.counts))


def rules_of(demand: Demand, codes: Mapping[str, np.ndarray], n_rows: int) -> Rules:
    """Return the rules of the models of a demand that have one; codes: of each column, row by row."""
    rules = [(model.column, rule) for model in demand.models if (rule := model.rule())]
    values = np.zeros((len(rules), n_rows), np.int64)
    bars = np.zeros((len(rules), 3), np.int64)
    for m, (column, rule) in enumerate(rules):
        values[m] = codes[column]
        bars[m] = (rule.least, *share_for_counts(rule.times, rule.per, n_rows))
    return Rules(values, bars, np.zeros((len(rules), int(values.max(initial=0)) + 3), np.int64))


@lean_kernel
def count_row(rules, item) -> None:
    """Count a row more."""
    for m in range(rules.bars.shape[0]):
        counts = rules.counts[m]
        value = rules.values[m, item]
        counts[value] += 1
        counts[DIFFERENT] += counts[value] == 1
        counts[MOST] = max(counts[MOST], counts[value])


@lean_kernel
def forget_row(rules, item) -> None:
    """Undo `count_row`: once for every row that was counted, and there is none."""
    for m in range(rules.bars.shape[0]):
        counts = rules.counts[m]
        counts[rules.values[m, item]] = 0
        counts[DIFFERENT] = counts[MOST] = 0


@lean_kernel
def missing_rows(rules, size, k):
    """Return how many rows must join a class of `size` rows that were counted before it satisfies all, 0 if it does."""
    missing = max(k - size, 0)
    for m in range(rules.bars.shape[0]):
        counts = rules.counts[m]
        missing = max(missing, rules.bars[m, LEAST] - counts[DIFFERENT])
        missing = max(missing, -(-counts[MOST] * rules.bars[m, TIMES] // rules.bars[m, PER]) - size)
    return missing


@lean_kernel
def size_with(rules, size, k, item):
    """Return how many rows a class has at least once it satisfies all, if a row joins the `size` that were counted."""
    least = max(k, size + 1)
    for m in range(rules.bars.shape[0]):
        counts = rules.counts[m]
        rows = counts[rules.values[m, item]] + 1
        most = max(counts[MOST], rows)
        least = max(least, size + 1 + rules.bars[m, LEAST] - counts[DIFFERENT] - (rows == 1))
        least = max(least, -(-most * rules.bars[m, TIMES] // rules.bars[m, PER]))
    return least
