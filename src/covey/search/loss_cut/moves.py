"""The last pass of `LossCut`: tuples that widen a class above k go to a class near by where they cost less."""

from __future__ import annotations

import numpy as np

from covey.codes.prices import price
from covey.compiled.kernel import kernel
from covey.compiled.pausing import SHARED_TURNS, pause
from covey.search.loss_cut.boxes import active_columns, box_extent, copy, join
from covey.search.loss_cut.tally import shell_sort

__all__ = ["move_surplus"]

LEAST_GAIN = 1e-9


@kernel
def move_surplus(cells, counts, index, measure, k, n_classes, reach, label) -> None:
    """Move tuples of a block to one of the `reach` classes on either side of their own.

    Each class of more than k rows, in order, offers the tuples it was cut with, in the order of `index`,
    once each.  A tuple whose loss narrows its class goes where the Total-IL falls most, if it falls and k
    rows stay behind.  Ties: lowest class.  label (m,) int64: the class of each tuple, on entry ascending
    from 0.  A class keeps k rows, so none ends.

    Cost: tuples x columns, and classes x columns for each of the few tuples at the border of a box.
    """
    m, width = cells.shape
    top = np.int64(np.iinfo(cells.dtype).max)
    # an empty box is all `top`; guests: the tuples that joined a class, later: those a class has yet to offer
    boxes = np.full((2 * n_classes + m + 4, width), top, cells.dtype)
    guests = boxes[n_classes : 2 * n_classes]
    later = boxes[2 * n_classes : 2 * n_classes + m + 1]
    kept, trial, whole = boxes[-1], boxes[-2], boxes[-3]
    rows = np.zeros(n_classes, np.int64)
    end = np.zeros(n_classes, np.int64)
    for i in range(m):
        e = label[i]
        rows[e] += counts[i]
        end[e] = i + 1
        join(boxes[e], cells[i])
        join(whole, cells[i])
    active = active_columns(whole, top, measure.weights)
    extents = np.empty(n_classes)
    for e in range(n_classes):
        extents[e] = box_extent(boxes[e], top, measure, active)
    offered = np.empty(m, np.int64)
    for e in range(n_classes):
        if rows[e] <= k or extents[e] == 0.0:
            continue
        if e & SHARED_TURNS == 0:
            pause(0, 0)
        begin = end[e - 1] if e > 0 else 0
        size = end[e] - begin
        for x in range(size):
            offered[x] = index[begin + x] * size + x
        shell_sort(offered, size)
        for x in range(width):
            later[size, x] = top
        for x in range(size - 1, -1, -1):
            offered[x] = begin + offered[x] % size
            copy(later[x], later[x + 1])
            join(later[x], cells[offered[x]])
        copy(kept, guests[e])
        for x in range(size):
            i = offered[x]
            n_leave = counts[i]
            target = np.int64(-1)
            if rows[e] - n_leave >= k and is_narrower(kept, later[x + 1], boxes[e]):
                copy(trial, kept)
                join(trial, later[x + 1])
                left = box_extent(trial, top, measure, active)
                if left < extents[e]:
                    saved = n_leave * extents[e] + (rows[e] - n_leave) * (extents[e] - left)
                    target = best_home(cells[i], n_leave, saved, e, reach, rows, boxes, extents, top, measure, active)
            if target < 0:
                join(kept, cells[i])
                continue
            label[i] = target
            rows[e] -= n_leave
            rows[target] += n_leave
            copy(boxes[e], trial)
            join(boxes[target], cells[i])
            join(guests[target], cells[i])
            for f in (e, target):
                extents[f] = box_extent(boxes[f], top, measure, active)


@kernel
def is_narrower(one, two, box):
    """Return whether the least box that holds `one` and `two` differs from `box`."""
    differences = np.int64(0)
    for i in range(box.shape[0]):
        differences += (one[i] if one[i] < two[i] else two[i]) != box[i]
    return differences > 0


@kernel
def best_home(cell, n_leave, saved, e, reach, rows, boxes, extents, top, measure, active):
    """Return the class near e where n_leave rows equal to `cell` cost least, or -1 if no less than is saved.

    A class is given up once its extent is so large that it cannot be the best, rounding allowed for.
    """
    kinds, weights, positions, offsets, sizes = measure
    p = kinds.shape[0]
    best, target = LEAST_GAIN, np.int64(-1)
    for f in range(max(0, e - reach), min(rows.shape[0], e + reach + 1)):
        room = saved - n_leave * extents[f]
        if f == e or room <= best:
            continue
        n_after = rows[f] + n_leave
        most = (extents[f] + (room - best) / n_after) * 1.000001 + 1e-9
        widened = 0.0
        for j in active:
            low = np.int64(min(boxes[f, j], cell[j]))
            high = top - np.int64(min(boxes[f, p + j], cell[p + j]))
            widened += weights[j] * price(kinds[j], positions, offsets[j], sizes[j], low, high)
            if widened > most:
                break
        gain = room - n_after * (widened - extents[f])
        if gain > best:
            best, target = gain, f
    return target
