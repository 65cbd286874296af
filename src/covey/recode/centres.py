"""The mean, median or mode of each class."""

from __future__ import annotations

import contextlib
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.codes.tallies import count_values
from covey.columns.domains import as_plain
from covey.columns.typed import TypedColumn
from covey.columns.values.clock import NANOSECONDS
from covey.recode.cells import Cells, distinct_cells, lone_value

__all__ = ["centre_cells"]


def centre_cells(column: TypedColumn, labels: IntVector) -> Cells:
    """Return the centre of each class: the mean of numbers and dates, the median of declared orders, else the mode.

    They are priced once equal ones are merged, for two classes may share a centre and reach differently far.
    """
    n_classes = int(labels.max(initial=-1)) + 1
    is_number = column.type in ("numeric", "date") and not column.is_tree
    if is_number:
        values = _means(column, labels, n_classes)
    else:
        pick = _medians if column.type == "ordered" and not column.is_tree else _modes
        picked = pick(column, labels, n_classes)
        inner = frozenset(column.taxonomy.inner) if column.is_tree else frozenset()
        texts = {int(code): lone_value(column, int(code), inner) for code in np.unique(picked)}
        values = pa.array([texts[int(code)] for code in picked], pa.string())
    cells, number = distinct_cells(values)
    unpriced = np.zeros(n_classes)
    return Cells(number, ((column.name, cells),), unpriced, unpriced)


def _means(column: TypedColumn, labels: IntVector, n_classes: int) -> pa.Array:
    """Return the mean of the values present in each class, null if there is none; of equal values, that value."""
    points = [as_plain(point) for point in column.points]
    present = column.codes >= column.n_missing
    owner, place = labels[present], column.codes[present].astype(np.int64) - column.n_missing
    order = np.argsort(owner, kind="stable")
    ends = np.cumsum(np.bincount(owner, minlength=n_classes)).tolist()
    places = place[order].tolist()
    # each class by itself and exactly: a far-off value elsewhere must not cost the others their digits
    centres = [
        _mean([points[at] for at in places[start:end]], column.type) if end > start else None
        for start, end in itertools.pairwise([0, *ends])
    ]
    if column.type == "date":
        unit = "ns" if all(-(2**63) < point < 2**63 for point in points[:1] + points[-1:]) else "us"
        ticks = [None if centre is None else centre // NANOSECONDS[unit] for centre in centres]
        return pa.array(ticks, pa.int64()).cast(pa.timestamp(unit, column.zone))
    return pa.array([None if centre is None else float(centre) for centre in centres], pa.float64())


def _mean(values: list[Any], kind: str) -> Any:
    """Return the mean of numbers or instants, rounded once or twice, whatever their sizes.

    >>> _mean([1e308, 1e308, -1e308, 3e307], "numeric") == 3.25e307
    True
    """
    if kind == "date":
        return round(Fraction(sum(values), len(values)))
    if values.count(values[0]) == len(values):
        return values[0]
    if all(isinstance(value, float) for value in values):
        with contextlib.suppress(OverflowError):  # the sum may leave the range of floats where the mean does not
            return math.fsum(values) / len(values)
    return float(sum(map(Fraction, values)) / len(values))


def _medians(column: TypedColumn, labels: IntVector, n_classes: int) -> IntVector:
    """Return the lower median code of the values present in each class, the missing code if there is none."""
    order = np.lexsort((column.codes, labels))
    classes, codes = labels[order], column.codes[order].astype(np.int64)
    starts = np.searchsorted(classes, np.arange(n_classes), side="left")
    stops = np.searchsorted(classes, np.arange(n_classes), side="right")
    absent = np.bincount(classes[codes < column.n_missing], minlength=n_classes)
    starts = np.where(absent < stops - starts, starts + absent, starts)
    return codes[starts + (stops - starts - 1) // 2]


def _modes(column: TypedColumn, labels: IntVector, _: int) -> IntVector:
    """Return the most frequent code of each class, the lowest if several are; the labels have no gaps."""
    return count_values(labels, column.codes).of_majorities().values
