"""The l-diverse step of Kabir, Wang, Bertino and Chi, 2010 (table 5): classes that fail are dissolved row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import plural
from covey.base.errors import Infeasible
from covey.codes.boxes import class_sets
from covey.codes.codes import TableCodes
from covey.codes.whole_prices import in_whole_prices
from covey.columns.kept import KeptColumn
from covey.privacy.model import class_values
from covey.search.leftovers import place_freely
from covey.search.threshold.kernels import merge_until_legal

__all__ = ["dissolve_classes"]


def dissolve_classes(codes: TableCodes, labels: IntVector, columns: Sequence[KeptColumn], ell: int) -> IntVector:
    """Return labels in which every class has `ell` different values of every column.

    The rows of classes that have fewer, in class and then row order, each join the diverse class whose loss grows
    least.  Where no class is diverse, the two whose union has the least extent are merged until one is.  Losses and
    extents are compared in whole numbers; ties: the lowest class, the lowest pair.
    """
    for column in columns:
        if len(np.unique(column.codes)) < ell:
            raise Infeasible(
                f"{plural(ell, 'different value')} of column `{column.name}` in every class cannot be met: "
                f"there are {plural(len(np.unique(column.codes)), 'different value')}",
                code="infeasible-model",
                hint="ask for a smaller l",
            )
    codes = in_whole_prices(codes, codes.n_rows)
    labels = labels.copy()
    if not _diverse(labels, columns, ell).any():
        labels = _merged(codes, labels, columns, ell)
    diverse = _diverse(labels, columns, ell)
    failing = np.flatnonzero(~diverse[labels])
    if len(failing):  # with one more row a class has no fewer values: nothing else to mind
        place_freely(codes, labels, diverse, failing[np.argsort(labels[failing], kind="stable")])
    return np.asarray(np.unique(labels, return_inverse=True)[1])


def _diverse(labels: IntVector, columns: Sequence[KeptColumn], ell: int) -> BoolVector:
    n_classes = int(labels.max()) + 1
    passing = np.ones(n_classes, bool)
    for column in columns:
        passing &= class_values(labels, column.codes, n_classes)[1] >= ell
    return passing


def _merged(codes: TableCodes, labels: IntVector, columns: Sequence[KeptColumn], ell: int) -> IntVector:
    """Return labels in which the two nearest classes were merged until one is diverse."""
    n_classes = int(labels.max()) + 1
    seen = [class_sets(column.codes, column.size, labels, n_classes) for column in columns]
    begin = np.cumsum([0, *(part.shape[1] for part in seen)])
    merge_until_legal(
        codes.row_codes().astype(np.int32), np.ones(codes.n_rows, np.int64), codes.measure, labels, n_classes, 1,
        np.hstack(seen), begin.astype(np.int64), ell,
    )  # fmt: skip
    return np.asarray(np.unique(labels, return_inverse=True)[1])
