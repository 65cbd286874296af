"""From the classes of an algorithm to classes that satisfy what was asked, or `Infeasible`.

First k: a class below k joins another.  Then the models, whatever the algorithm: classes that fail are dissolved,
row by row, into those that pass (Kabir et al. 2010), or merged whole, whichever loses less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import require_rows
from covey.codes.boxes import class_extents, summarise
from covey.codes.codes import TableCodes
from covey.codes.prices import extent
from covey.codes.whole_prices import in_whole_prices
from covey.columns.kept import KeptColumn
from covey.compiled import pausing
from covey.search.demand import Demand, share_for_counts
from covey.search.repair.merge import nearest_class
from covey.search.task import checked_labels

__all__ = ["dissolve_failing", "enforce", "enforce_k", "merge_failing"]

_MOST_PAIRS = 2_000_000_000
"""Beyond so many pairs of a failing class and any class, whole classes are merged only where rows are left over."""


def enforce(codes: TableCodes, labels: IntVector, demand: Demand, kept: Mapping[str, KeptColumn]) -> IntVector:
    """Return labels in which every class satisfies the demand; `kept` holds the columns that it speaks of.

    Rows of class -1 are suppressed and stay so, unless the others cannot satisfy a model without them.  Classes that
    fail a model are dissolved (`dissolve_failing`) and, if that loses less, merged whole (`merge_failing`); where no
    class passes they are merged, for to dissolve all others into the first that passes would leave one class.  Raises
    `Infeasible` if not even all rows together satisfy a model.
    """
    labels = enforce_k(codes, labels, demand.k)
    if not demand.models:
        return labels
    values = {name: kept[name].codes for name in demand.columns}
    labels = _with_rows_that_models_need(labels, demand, values)
    passing = demand.passing(labels, values)
    if passing.all():
        return labels
    failing = int((~passing).sum())
    can_dissolve = failing < len(passing) and demand.has_rules
    candidates = [dissolve_failing(codes, labels, demand, values)] if can_dissolve else []
    if not candidates or failing * len(passing) <= _MOST_PAIRS:
        candidates.append(merge_failing(codes, labels, demand, values))
    return min(candidates, key=lambda found: _released_loss(codes, found))


def dissolve_failing(
    codes: TableCodes, labels: IntVector, demand: Demand, values: Mapping[str, IntVector]
) -> IntVector:
    """Return labels without the classes that fail a model: the l-diverse step of Kabir et al. 2010.

    In class and then row order each of their rows joins the class that passes whose loss grows least, and that
    still passes with it; some class must pass.  Rows that no class could take stay together and are merged whole.
    values: the codes of the columns that the demand speaks of, by name.
    """
    from covey.search.repair.dissolve import place_rows  # many kernels, which a run without models does not need

    whole = in_whole_prices(codes, codes.n_rows)
    passing = demand.passing(labels, values)
    rules = [rule for model in demand.models if (rule := model.rule())]
    shares = [share_for_counts(rule.times, rule.per, codes.n_rows) for rule in rules]
    placed = labels.copy()
    place_rows(
        whole.narrow, whole.row_tuple, whole.measure, placed, passing,
        _rows_to_place(labels, passing), np.stack([values[model.column] for model in demand.models]),
        np.array([times for times, _ in shares], np.int64), np.array([per for _, per in shares], np.int64), True,
    )  # fmt: skip
    return merge_failing(codes, _without_gaps(placed), demand, values)


def enforce_k(codes: TableCodes, labels: IntVector, k: int) -> IntVector:
    """Return labels in which every class has at least `k` rows.

    A class below k, smallest first (ties: lowest number), joins the class whose loss grows least by it.
    An algorithm that keeps its promise comes back unchanged; rows of class -1 stay suppressed.
    """
    labels = _without_gaps(checked_labels(labels, codes.n_rows, "rows"))
    require_rows(k, int((labels >= 0).sum()))
    return merge_failing(codes, labels, Demand(k), {})


def _rows_to_place(labels: IntVector, passing: BoolVector) -> IntVector:
    """Return the rows of the classes that fail, in class and then row order."""
    fails = np.append(~passing, False)[labels]  # class -1 reads the last
    rows = np.flatnonzero(fails)
    return rows[np.argsort(labels[rows], kind="stable")]


def _with_rows_that_models_need(labels: IntVector, demand: Demand, values: Mapping[str, IntVector]) -> IntVector:
    """Return the labels, the suppressed rows a class of their own where the others cannot satisfy a model alone."""
    stays = labels >= 0
    if demand.holds_together({name: codes[stays] for name, codes in values.items()}):
        return labels
    demand.require_feasible(values)
    return np.where(stays, labels, labels.max() + 1)


# --- merging whole classes -----------------------------------------------------------------------------------


def merge_failing(codes: TableCodes, labels: IntVector, demand: Demand, values: Mapping[str, IntVector]) -> IntVector:
    """Return labels in which every class has k rows and passes: one that does not joins the nearest, smallest first."""
    k = demand.k
    summary = summarise(codes, labels)
    sizes, low, high = summary.sizes.copy(), summary.low.copy(), summary.high.copy()
    fails = (sizes < k) | ~demand.passing(labels, values)
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
        winner = int(nearest_class(codes.measure, low, high, sizes, extents, loser))
        low[winner] = np.minimum(low[winner], low[loser])
        high[winner] = np.maximum(high[winner], high[loser])
        extents[winner] = extent(codes.measure, low[winner], high[winner])
        sizes[winner] += sizes[loser]
        sizes[loser] = 0
        members[winner] += members[loser]
        home[loser] = winner
        fails[loser] = False
        # two classes that pass make one that passes; one that fails may be mended
        fails[winner] = sizes[winner] < k or not _class_passes(members[winner], demand, values)
    while (home[home] != home).any():
        home = home[home]
    return _without_gaps(np.append(home, -1)[labels])


def _released_loss(codes: TableCodes, labels: IntVector) -> float:
    """Return the loss of the rows that are not suppressed, in whole numbers and so exactly."""
    summary = summarise(codes, labels)
    return float((summary.sizes * class_extents(in_whole_prices(codes, codes.n_rows), summary)).sum())


def _members(labels: IntVector, n_classes: int) -> list[list[IntVector]]:
    """Return the rows of every class, as a list of parts to which those of other classes can be added."""
    rows = np.argsort(labels, kind="stable")
    ends = np.searchsorted(labels[rows], np.arange(n_classes + 1))
    return [[rows[ends[c] : ends[c + 1]]] for c in range(n_classes)]


def _class_passes(members: Sequence[IntVector], demand: Demand, values: Mapping[str, IntVector]) -> bool:
    if not demand.models:
        return True
    rows = np.concatenate(members)
    return demand.holds_together({name: codes[rows] for name, codes in values.items()})


def _without_gaps(labels: IntVector) -> IntVector:
    """Return labels numbered from 0 without gaps, in the same order; -1 stays."""
    present = np.unique(labels[labels >= 0])
    number = np.full(int(labels.max(initial=-1)) + 2, -1, np.int64)
    number[present] = np.arange(len(present))
    return number[labels]
