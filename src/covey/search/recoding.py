"""What recodings of a whole table share: rows under a recoding, and classes in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.base.errors import InputError
from covey.codes.codes import TableCodes
from covey.columns.kept import KeptColumn
from covey.search.estimator import Estimator

__all__ = ["WholeRecoding", "in_order_of_tuples", "require_counts"]


class WholeRecoding(Estimator):
    """An estimator whose search finds a recoding, `cut_`: the number of the value that each code of a column has."""

    cut_: tuple[IntVector, ...]
    generalised_: IntMatrix
    """(p, n) int32: the number of every row's value."""

    def labels(
        self, codes: TableCodes, kept: Mapping[str, KeptColumn] | None = None, models: Sequence[Any] = ()
    ) -> IntVector:
        """Return the class of every row; set `generalised_` too."""
        labels = super().labels(codes, kept, models)
        values = [of_code.astype(np.int32)[own] for of_code, own in zip(self.cut_, codes.columns, strict=True)]
        self.generalised_ = np.stack(values)[:, codes.row_tuple]
        return labels


def in_order_of_tuples(label: IntVector) -> IntVector:
    """Return the labels renumbered by the first tuple that has each.

    >>> in_order_of_tuples(np.array([7, 2, 7, 5]))
    array([0, 1, 0, 2])
    """
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse])


def require_counts(who: str, n: int, what: str, n_values: int, most: int) -> None:
    """Raise `InputError` if a table of counts, `n` of something by the values of a target, has more than `most`."""
    if n * n_values > most:
        raise InputError(
            f"{who} would count {n:,} {what} for each of the {n_values:,} values of its target",
            code="too-large",
            hint="give a target with fewer values, or group its values first",
        )
