"""MDAV: the loops of `covey.search.mdav.estimator`.

Values lie column by column, those of the free rows first and in row order, so that every pass over the
free rows runs straight through memory.
"""

from __future__ import annotations

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.prices import FLAT, ORDERED, TREE, price
from covey.compiled.kernel import kernel
from covey.compiled.pausing import pause
from covey.search.kernels.nine_digits import nine_digits

__all__ = ["SQUARED", "form_classes"]

SQUARED = 3
"""The kind of a standardised column: weight x squared difference, in place of a price."""


@kernel
def form_classes(values, measure, k) -> IntVector:
    """Return the class of every row, in the order in which the classes are made.

    values (p, n) float64, reordered: a standardised value, the position of an ordered column, or a code;
    the kinds of the measure are `SQUARED` or those of `prices`.
    """
    p, n = values.shape
    label = np.empty(n, np.int64)
    row = np.arange(n)
    centre = np.empty(p)
    distance = np.empty(n)
    counts = np.zeros(measure.sizes.max(), np.int64)
    free = n
    n_classes = 0
    while free >= 2 * k:
        pause(n - free, n)
        _find_centre(values, free, measure.kinds, counts, centre)
        _find_distances(values, free, measure, centre, distance)
        for last in (False, True):
            far = np.argmax(distance[:free])
            centre[:] = values[:, far]
            _find_distances(values, free, measure, centre, distance)
            distance[far] = -1.0  # before all that are equal to it
            free = _take_nearest(values, row, distance, free, k, label, n_classes)
            n_classes += 1
            if last or free < 2 * k:
                break
    for place in range(free):
        label[row[place]] = n_classes
    return label


@kernel
def _find_centre(values, free, kinds, counts, centre):
    """Set the centroid: the mean of the values there are (NaN if there is none), the most frequent category.

    counts: int64 zeros, one for each code of the column with the most.
    """
    for j in range(values.shape[0]):
        x = values[j]
        if kinds[j] == FLAT or kinds[j] == TREE:
            for i in range(free):
                counts[np.int64(x[i])] += 1
            centre[j] = np.argmax(counts)
            for i in range(free):
                counts[np.int64(x[i])] = 0
            continue
        total = 0.0
        present = 0
        for i in range(free):
            if kinds[j] == SQUARED or x[i] >= 0.0:  # a missing value has a position below 0
                total += x[i]
                present += 1
        centre[j] = total / present if present > 0 else np.nan


@kernel
def _find_distances(values, free, measure, centre, distance):
    """Set the distance of every free row from `centre`: the terms of the columns, in their order, to nine digits."""
    kinds, weights, positions, offsets, sizes = measure
    for i in range(free):
        distance[i] = 0.0
    for j in range(values.shape[0]):
        x, here, weight = values[j], centre[j], weights[j]
        if kinds[j] == SQUARED:
            for i in range(free):
                distance[i] += weight * ((x[i] - here) * (x[i] - here))
        elif kinds[j] == FLAT:
            for i in range(free):
                if x[i] != here:
                    distance[i] += weight
        elif kinds[j] == TREE:
            for i in range(free):
                low, high = np.int64(min(x[i], here)), np.int64(max(x[i], here))
                distance[i] += weight * price(TREE, positions, offsets[j], sizes[j], low, high)
        elif kinds[j] == ORDERED and not np.isnan(here):  # without a value the column tells nothing
            for i in range(free):
                distance[i] += weight * min(abs(x[i] - here), 1.0)
    for i in range(free):
        distance[i] = nine_digits(distance[i])


@kernel
def _take_nearest(values, row, distance, free, k, label, n_classes):
    """Label the k rows of least distance, the first of equal ones; return how many are left, moved together."""
    limit = np.partition(distance[:free], k - 1)[k - 1]
    at_limit = k
    for i in range(free):
        at_limit -= distance[i] < limit
    kept = 0
    for i in range(free):
        taken = distance[i] < limit
        if distance[i] == limit and at_limit > 0:
            taken = True
            at_limit -= 1
        if taken:
            label[row[i]] = n_classes
            continue
        row[kept] = row[i]
        distance[kept] = distance[i]
        for j in range(values.shape[0]):
            values[j, kept] = values[j, i]
        kept += 1
    return kept
