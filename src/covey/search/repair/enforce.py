"""From the classes of an algorithm to classes that satisfy what was asked, or `Infeasible`.

First k: a class below k joins another.  Then the models, whatever the algorithm: classes that fail are dissolved,
row by row, into those that pass (Kabir et al. 2010), or merged whole, whichever loses less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import plural, require_rows
from covey.base.errors import Infeasible, InputError
from covey.codes.boxes import class_extents, summarise
from covey.codes.codes import Codes
from covey.codes.prices import extent
from covey.codes.whole_prices import in_whole_prices
from covey.columns.kept import KeptColumn
from covey.compiled import pausing
from covey.privacy.diversity import class_values
from covey.search.repair.dissolve import place_rows
from covey.search.repair.merge import nearest_class

__all__ = ["dissolve_failing", "enforce", "enforce_k", "merge_failing"]

_MOST_PAIRS = 2_000_000_000
"""Beyond so many pairs of a failing class and any class, whole classes are merged only where rows are left over."""


def enforce(
    codes: Codes, labels: IntVector, k: int, models: Sequence[Any] = (), kept: Mapping[str, KeptColumn] | None = None
) -> IntVector:
    """Return labels in which every class has at least `k` rows and satisfies every model.

    models: such as `DistinctLDiversity`; `kept` holds the columns that they speak of.  Rows of class -1 are
    suppressed and stay so, unless the others cannot satisfy a model without them.  Classes that fail a model are
    dissolved (`dissolve_failing`) and, if that loses less, merged whole (`merge_failing`); where no class passes they
    are merged, for to dissolve all others into the first that passes would leave one class.  Raises `Infeasible` if
    not even all rows together satisfy a model.
    """
    labels = enforce_k(codes, labels, k)
    if not models:
        return labels
    values = [(kept or {})[model.column].codes for model in models]
    labels = _with_rows_that_models_need(labels, models, values)
    passing = _passing(labels, models, values)
    if passing.all():
        return labels
    failing = int((~passing).sum())
    candidates = [dissolve_failing(codes, labels, k, models, values)] if failing < len(passing) else []
    if not candidates or failing * len(passing) <= _MOST_PAIRS:
        candidates.append(merge_failing(codes, labels, k, models, values))
    return min(candidates, key=lambda found: _released_loss(codes, found))


def dissolve_failing(
    codes: Codes, labels: IntVector, k: int, models: Sequence[Any], values: Sequence[IntVector]
) -> IntVector:
    """Return labels without the classes that fail a model: the l-diverse step of Kabir et al. 2010.

    In class and then row order each of their rows joins the class that passes whose loss grows least, and that
    still passes with it; some class must pass.  Rows that no class could take stay together and are merged whole.
    values: the codes of each model's column.
    """
    whole = in_whole_prices(codes, codes.n_rows)
    passing = _passing(labels, models, values)
    rules = [model.rule() for model in models]
    placed = labels.copy()
    place_rows(
        whole.columns.astype(np.int32), whole.row_tuple, *whole.prices, placed, len(passing), passing,
        _rows_to_place(labels, passing), np.stack(values),
        np.array([rule.times for rule in rules], np.int64), np.array([rule.per for rule in rules], np.int64), True,
    )  # fmt: skip
    return merge_failing(codes, _without_gaps(placed), k, models, values)


def enforce_k(codes: Codes, labels: IntVector, k: int) -> IntVector:
    """Return labels in which every class has at least `k` rows.

    A class below k, smallest first (ties: lowest number), joins the class whose loss grows least by it.
    An algorithm that keeps its promise comes back unchanged; rows of class -1 stay suppressed.
    """
    labels = _checked(codes, labels)
    require_rows(k, int((labels >= 0).sum()))
    return merge_failing(codes, labels, k, (), ())


def _rows_to_place(labels: IntVector, passing: BoolVector) -> IntVector:
    """Return the rows of the classes that fail, in class and then row order."""
    fails = np.append(~passing, False)[labels]  # class -1 reads the last
    rows = np.flatnonzero(fails)
    return rows[np.argsort(labels[rows], kind="stable")]


def _passing(labels: IntVector, models: Sequence[Any], values: Sequence[IntVector]) -> BoolVector:
    n_classes = int(labels.max(initial=-1)) + 1
    passing = np.ones(n_classes, bool)
    for model, column in zip(models, values, strict=True):
        passing &= model.passes(labels, column, n_classes)
    return passing


def _with_rows_that_models_need(labels: IntVector, models: Sequence[Any], values: Sequence[IntVector]) -> IntVector:
    """Return the labels, the suppressed rows a class of their own where the others cannot satisfy a model alone."""
    stays = labels >= 0
    if all(_passes_together(model, column[stays]) for model, column in zip(models, values, strict=True)):
        return labels
    for model, column in zip(models, values, strict=True):
        _require_feasible(model, column)
    return np.where(stays, labels, labels.max() + 1)


def _passes_together(model: Any, column: IntVector) -> bool:
    """Return whether all rows as one class satisfy the model: if not, no classes can."""
    return bool(model.passes(np.zeros(len(column), np.int64), column, 1)[0])


def _require_feasible(model: Any, column: IntVector) -> None:
    if _passes_together(model, column):
        return
    together = np.zeros(len(column), np.int64)
    rows, different, most = (int(found[0]) for found in class_values(together, column, 1))
    reached = (
        f"there {'is' if different == 1 else 'are'} {plural(different, 'different value')}"
        if model.rule().least > different
        else f"its commonest value has {most:,} of {plural(rows, 'row')}"
    )
    raise Infeasible(
        f"{model.name} with l = {model.l:g} cannot be met for column `{model.column}`: {reached}",
        code="infeasible-model",
        hint="ask for a smaller l",
    )


# --- merging whole classes -----------------------------------------------------------------------------------


def merge_failing(
    codes: Codes, labels: IntVector, k: int, models: Sequence[Any], values: Sequence[IntVector]
) -> IntVector:
    """Return labels in which every class has k rows and passes: one that does not joins the nearest, smallest first."""
    summary = summarise(codes, labels)
    sizes, low, high = summary.sizes.copy(), summary.low.copy(), summary.high.copy()
    fails = (sizes < k) | ~_passing(labels, models, values)
    if not fails.any():
        return labels
    codes = in_whole_prices(codes, codes.n_rows)
    extents = class_extents(codes, summary)
    members = _members(labels, len(sizes))
    home = np.arange(len(sizes))
    n_failing = int(fails.sum())
    while fails.any():
        pausing.heard(n_failing - int(fails.sum()), n_failing)
        small = np.flatnonzero(fails)
        loser = int(small[np.argmin(sizes[small])])
        winner = int(nearest_class(*codes.prices, low, high, sizes, extents, loser))
        low[winner] = np.minimum(low[winner], low[loser])
        high[winner] = np.maximum(high[winner], high[loser])
        extents[winner] = extent(*codes.prices, low[winner], high[winner])
        sizes[winner] += sizes[loser]
        sizes[loser] = 0
        members[winner] += members[loser]
        home[loser] = winner
        fails[loser] = False
        # two classes that pass make one that passes; one that fails may be mended
        fails[winner] = sizes[winner] < k or not _class_passes(members[winner], models, values)
    while (home[home] != home).any():
        home = home[home]
    return _without_gaps(np.append(home, -1)[labels])


def _released_loss(codes: Codes, labels: IntVector) -> float:
    """Return the loss of the rows that are not suppressed, in whole numbers and so exactly."""
    summary = summarise(codes, labels)
    return float((summary.sizes * class_extents(in_whole_prices(codes, codes.n_rows), summary)).sum())


def _members(labels: IntVector, n_classes: int) -> list[list[IntVector]]:
    """Return the rows of every class, as a list of parts to which those of other classes can be added."""
    rows = np.argsort(labels, kind="stable")
    ends = np.searchsorted(labels[rows], np.arange(n_classes + 1))
    return [[rows[ends[c] : ends[c + 1]]] for c in range(n_classes)]


def _class_passes(members: Sequence[IntVector], models: Sequence[Any], values: Sequence[IntVector]) -> bool:
    if not models:
        return True
    rows = np.concatenate(members)
    together = np.zeros(len(rows), np.int64)
    return all(bool(model.passes(together, column[rows], 1)[0]) for model, column in zip(models, values, strict=True))


def _without_gaps(labels: IntVector) -> IntVector:
    """Return labels numbered from 0 without gaps, in the same order; -1 stays."""
    present = np.unique(labels[labels >= 0])
    number = np.full(int(labels.max(initial=-1)) + 2, -1, np.int64)
    number[present] = np.arange(len(present))
    return number[labels]


def _checked(codes: Codes, labels: IntVector) -> IntVector:
    """Return the labels of an algorithm as int64; raise unless they give every row a class, or suppress it."""
    labels = np.asarray(labels)
    fine = labels.shape == (codes.n_rows,) and np.issubdtype(labels.dtype, np.integer)
    if not fine or labels.min(initial=0) < -1:
        raise InputError(
            f"the algorithm did not give each of the {codes.n_rows:,} rows a class number of 0 or more, or -1",
            code="bad-labels",
            hint="use an algorithm of covey, or correct the one given",
        )
    return _without_gaps(labels.astype(np.int64, copy=False))
