"""Greedy k-member by the book: every row compared with every other, nothing merged, nothing skipped."""

from __future__ import annotations

import math

from oracles.exact import Exact

ORDERED, FLAT, TREE = 0, 1, 2


def price(kind, part, size, lo, hi):
    """Return the price of the interval [lo, hi] of one column, from its own part of the positions.

    A tree's part begins with the gaps between neighbouring leaves: the ancestor of a run of leaves is as
    high as the highest of them.
    """
    if lo == hi:
        return 0.0
    if kind == FLAT:
        return 1.0
    if kind == ORDERED:
        return min(float(part[hi]) - float(part[lo]), 1.0)
    return max(float(gap) for gap in part[lo:hi])


def extent(low, high, kinds, weights, parts, sizes):
    """Return the sum of weight x price in column order."""
    total = 0.0
    for j in range(len(kinds)):
        total += float(weights[j]) * price(kinds[j], parts[j], sizes[j], low[j], high[j])
    return total


def tidy(value):
    """Return the nearest multiple of 1e-9: what differs by rounding only is a tie."""
    return round(value / 1e-9) * 1e-9


def nine_digits(value):
    """Return the nearest number of 30 bits (Veltkamp 1968)."""
    scaled = value * (2.0**23 + 1)
    return scaled - (scaled - value)


def near_one(weights):
    """Return (weights, factor): times the power of two that brings the largest to 1 or above, below 2."""
    largest = max((float(weight) for weight in weights), default=0.0)
    factor = 2.0 ** -math.floor(math.log2(largest)) if largest > 0 else 1.0
    return [float(weight) * factor for weight in weights], factor


def majority(labels):
    """Return the most frequent of some labels, the lowest of equals."""
    return min(set(labels), key=lambda label: (-labels.count(label), label))


def class_penalty(labels, label, penalty):
    """Return what a row pays whose label is not that of most rows of the class (P0, section 5.2)."""
    return 0.0 if label == majority(labels) else penalty


def diversity_penalty(values, value, penalty, truly=None):
    """Return what a row pays that leaves the class with one sensitive value only (P0, section 5.1).

    `truly`: the values that are truly sensitive; all of them without it.
    """
    if len(set(values)) > 1:
        return 0.0
    return penalty if value == majority(values) and (truly is None or value in truly) else 0.0


def k_member(matrix, kinds, weights, parts, sizes, k, start, next_seed="seed", leftovers=None, pays=None, on="extent"):
    """Return the class of every row of (p, n) codes: classes are numbered in the order they are made.

    `leftovers` puts the rows left over into an order (row order without it).
    `pays` returns the penalties, a list, of a row for joining the rows of a class, added one after the other to the
    increase of the "loss" or to the "extent".
    """
    n = matrix.shape[1]
    rows = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    exact = Exact(kinds, weights, parts, sizes)  # for leftovers
    weights, factor = near_one(weights)
    columns = (kinds, weights, parts, sizes)

    def widened(box, row):
        low = tuple(min(a, b) for a, b in zip(box[0], rows[row], strict=True))
        high = tuple(max(a, b) for a, b in zip(box[1], rows[row], strict=True))
        return low, high

    def judged(class_rows, box, row):
        penalty = sum(each * factor for each in pays(class_rows, row)) if pays else 0.0
        # of the loss only what differs between rows: (size + 1) x extent + penalty, over size + 1
        share = penalty / (len(class_rows) + 1) if on == "loss" else penalty
        return tidy(tidy(extent(*widened(box, row), *columns)) + share)

    free = list(range(n))
    labels = [-1] * n
    boxes = []
    members = []
    reference = start
    while len(free) >= k:
        point = (rows[reference], rows[reference])
        seed = max(free, key=lambda row: (tidy(extent(*widened(point, row), *columns)), -row))
        box = (rows[seed], rows[seed])
        class_rows = [seed]
        free.remove(seed)
        while len(class_rows) < k:
            best = min(free, key=lambda row: (judged(class_rows, box, row), row))
            box = widened(box, best)
            class_rows.append(best)
            free.remove(best)
        for row in class_rows:
            labels[row] = len(boxes)
        boxes.append(box)
        members.append(k)
        reference = class_rows[-1] if next_seed == "last" else seed
    for row in leftovers(free) if leftovers else free:

        def increase(label, row=row):
            before = members[label] * exact.extent(*boxes[label])
            return (members[label] + 1) * exact.extent(*widened(boxes[label], row)) - before

        label = min(range(len(boxes)), key=lambda label: (increase(label), label))
        boxes[label] = widened(boxes[label], row)
        members[label] += 1
        labels[row] = label
    return labels
