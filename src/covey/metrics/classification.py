"""What a release is worth to somebody who wants to predict a target column: CM and the nearest-neighbour error."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from covey.base.arrays import FloatMatrix, IntMatrix, IntVector
from covey.base.checks import one_of, require
from covey.codes.boxes import class_sets, summarise
from covey.codes.codes import TableCodes
from covey.codes.prices import FLAT, ORDERED, TREE
from covey.metrics._classes import checked_weights, counted, one_per_row
from covey.metrics._columns import class_centres, prices_between
from covey.metrics.kernels.neighbours import wrong_shares

__all__ = ["classification_metric", "classification_share", "nearest_neighbour_error"]


def classification_metric(labels: Any, values: Any) -> int:
    """Return CM: how many rows are suppressed or do not have the commonest label of their class (Iyengar, 2002).

    labels (n,): the class of each row, -1 if suppressed; values (n,): the code of its target label.  Of equally
    common labels the lowest code is the majority.  Cost: one sort of the rows.

    >>> classification_metric([0, 0, 0, 1, 1, -1], [1, 1, 0, 0, 1, 1])  # one row, one of a tie, one suppressed
    3
    """
    return len(values) - int(counted(labels, values).of_majorities().counts.sum())


def classification_share(labels: Any, values: Any) -> float:
    """Return CM over the number of rows, 0 for no rows."""
    return classification_metric(labels, values) / max(len(values), 1)


def nearest_neighbour_error(
    codes: TableCodes,
    labels: Any,
    values: Any,
    *,
    release: Literal["interval", "centre"] = "interval",
    weights: Any = None,
) -> float:
    """Return the share of original rows whose nearest released row has another label (P4, section 3.2).

    Every original row, suppressed ones too, is given the label of the nearest released row other than its own
    (leave one out).  Of equally near ones each counts alike: a row adds the share of them that have another label, the
    error expected of one drawn among them; so the order of the rows does not matter.  All rows of a class are equally
    near, and so are those whose distances differ by less than 1e-12 of a domain.  A row for which there is none counts
    as wrong.

    labels (n,): the class of each row, -1 if suppressed; values (n,): the code of its target label.
    release: `"interval"`, each class is its least box, and nearness is to its nearest point; or `"centre"`, each
    class is its centre (as in the paper).  With every row a class of its own this is the error of the original table.
    weights (p,): one per quasi column, 1 / columns each by default (the weights of the schema are not used).

    Distance: the sum of weight x squared difference (P4, equations 2 and 3).  Ordered columns: between positions
    in 0..1; a missing value is 1 from all others, and 0 from a class that mixes it with values (`*`).  Trees:
    0 for a leaf below the class's node, else the price of their common ancestor.  Flat labels: 0 for a label of the
    class's set, else 1.  Centres: mean position of the values present, else the commonest value.

    Cost: O(rows x classes x columns) time at worst, most classes are given up after a column or two; O(rows +
    classes x columns) memory.
    """
    require(one_of("interval", "centre"), "release", release, 'give release="interval"')
    labels = _without_gaps(one_per_row("labels", labels, codes.n_rows))
    values = one_per_row("values", values, codes.n_rows)
    if not len(values):
        return 0.0
    low, high = _ranges(codes, labels) if release == "interval" else _centres(codes, labels)
    sets, words = _label_sets(codes, labels, None if release == "interval" else low)
    truth = np.unique(values, return_inverse=True)[1].astype(np.int64)
    pairs = counted(labels, truth)
    wrong = wrong_shares(
        np.stack([codes.values(j) for j in range(len(codes.kinds))]), codes.row_tuple, labels, truth,
        pairs.classes * (truth.max() + 1) + pairs.values, pairs.counts,
        np.bincount(labels[labels >= 0], minlength=len(low)), codes.kinds,
        checked_weights(weights, len(codes.kinds)), low, high, _tree_prices(codes, low, high), sets, words,
        codes.positions, codes.offsets, codes.sizes,
    )  # fmt: skip
    return math.fsum(wrong.tolist()) / len(wrong)  # rounded once: the order of the rows does not matter


def _without_gaps(labels: IntVector) -> IntVector:
    """Return the labels with classes numbered from 0 on."""
    released = np.flatnonzero(labels >= 0)
    numbered = np.full(len(labels), -1, np.int64)
    numbered[released] = np.unique(labels[released], return_inverse=True)[1]
    return numbered


def _ranges(codes: TableCodes, labels: IntVector) -> tuple[FloatMatrix, FloatMatrix]:
    """Return (c, p) least and greatest: positions of ordered columns, codes of others."""
    summary = summarise(codes, labels)
    low, high = summary.low.astype(np.float64), summary.high.astype(np.float64)
    for j in np.flatnonzero(codes.kinds == ORDERED).tolist():
        part = codes.positions[codes.offsets[j] :]
        low[:, j], high[:, j] = part[summary.low[:, j]], part[summary.high[:, j]]
        mixed = (low[:, j] < 0) & (summary.low[:, j] != summary.high[:, j])
        low[mixed, j], high[mixed, j] = -np.inf, np.inf
    return low, high


def _centres(codes: TableCodes, labels: IntVector) -> tuple[FloatMatrix, FloatMatrix]:
    """Return the centre of each class, twice; that of missing values alone reaches from -2 to -1."""
    n_classes = int(labels.max(initial=-1)) + 1
    centres = [class_centres(codes, j, labels, n_classes) for j in range(len(codes.kinds))]
    centre = np.stack(centres, axis=1)
    empty = np.isnan(centre)
    return np.where(empty, -2.0, centre), np.where(empty, -1.0, centre)


def _label_sets(codes: TableCodes, labels: IntVector, centre: FloatMatrix | None) -> tuple[IntMatrix, IntVector]:
    """Return (sets, words): the labels of each class in all flat columns, and where the words of each column begin."""
    n_classes = int(labels.max(initial=-1)) + 1
    words = np.zeros(len(codes.kinds), np.int64)
    parts: list[IntMatrix] = [np.zeros((n_classes, 0), np.uint64)]
    for j in np.flatnonzero(codes.kinds == FLAT).tolist():
        words[j] = sum(part.shape[1] for part in parts)
        size = int(codes.sizes[j])
        if centre is None:
            parts.append(class_sets(codes.columns[j][codes.row_tuple], size, labels, n_classes))
        else:
            parts.append(class_sets(centre[:, j].astype(np.int64), size, np.arange(n_classes), n_classes))
    return np.hstack(parts), words


def _tree_prices(codes: TableCodes, low: FloatMatrix, high: FloatMatrix) -> FloatMatrix:
    """Return (c, p): the price of the node of each class in the trees, 0 elsewhere."""
    prices = np.zeros(low.shape)
    for j in np.flatnonzero(codes.kinds == TREE).tolist():
        prices[:, j] = prices_between(codes, j, low[:, j].astype(np.int64), high[:, j].astype(np.int64))
    return prices
