"""Measures by their definitions, row by row, from lists of codes; no covey code.

A table is what `random_codes.Table.plain()` gives: (p, n) codes, kinds, weights, positions and sizes of the columns.
A row of class -1 is suppressed.
"""

from __future__ import annotations

import statistics
from collections import Counter
from fractions import Fraction

from oracles.k_member import FLAT, ORDERED, TREE, price

__all__ = [
    "centre_cost",
    "classification_metric",
    "diameter_cost",
    "equal_diversity",
    "information_distortion",
    "nearest_neighbour_error",
    "ordered_ncp",
    "query_error",
    "sensitive_diversity",
    "sse_over_sst",
]


def classes_of(labels):
    """Return the rows of each class, without those that are suppressed."""
    classes = {}
    for row, label in enumerate(labels):
        if label >= 0:
            classes.setdefault(label, []).append(row)
    return classes


def commonest(values):
    """Return the most frequent value, the lowest of equally frequent ones."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))


def equal_diversity(labels, values):
    return sum(len(rows) for rows in classes_of(labels).values() if len({values[row] for row in rows}) == 1)


def sensitive_diversity(labels, values, truly):
    told = 0
    for rows in classes_of(labels).values():
        kinds = {values[row] for row in rows}
        if len(kinds) == 1 and kinds <= set(truly):
            told += len(rows)
    return told


def classification_metric(labels, values):
    wrong = sum(label < 0 for label in labels)
    for rows in classes_of(labels).values():
        majority = commonest([values[row] for row in rows])
        wrong += sum(values[row] != majority for row in rows)
    return wrong


def varies(column):
    return len(set(column)) > 1


def suppressed_cost(matrix, weights, labels):
    dropped = sum(label < 0 for label in labels)
    return dropped * sum(float(w) for w, column in zip(weights, matrix.tolist(), strict=True) if varies(column))


def between(kind, part, size, one, other):
    """Return the price of two codes."""
    return price(kind, part, size, min(one, other), max(one, other))


def diameters(matrix, kinds, weights, parts, sizes, labels):
    """Return {class: greatest distance between two of its rows}, every pair looked at."""
    rows = list(zip(*matrix.tolist(), strict=True))

    def distance(one, other):
        total = 0.0
        for j, kind in enumerate(kinds):
            total += float(weights[j]) * between(kind, parts[j], sizes[j], rows[one][j], rows[other][j])
        return total

    return {
        label: max(distance(one, other) for one in members for other in members)
        for label, members in classes_of(labels).items()
    }


def diameter_cost(matrix, kinds, weights, parts, sizes, labels):
    found = diameters(matrix, kinds, weights, parts, sizes, labels)
    cost = sum(len(members) * found[label] for label, members in classes_of(labels).items())
    return cost + suppressed_cost(matrix, weights, labels)


def centre_cost(matrix, kinds, weights, parts, sizes, labels):
    return max(diameters(matrix, kinds, weights, parts, sizes, labels).values(), default=0.0)


def ordered_ncp(matrix, kinds, weights, parts, sizes, labels):
    total = suppressed_cost(matrix, weights, labels)
    for members in classes_of(labels).values():
        for j, kind in enumerate(kinds):
            column = [int(matrix[j, row]) for row in members]
            low, high = min(column), max(column)
            if kind == ORDERED:
                width = price(kind, parts[j], sizes[j], low, high)
            else:
                width = (high - low) / max(int(sizes[j]) - 1, 1)
            total += len(members) * float(weights[j]) * width
    return total


def centre_of(kind, part, column):
    """Return the centre of the codes of a class: a mean position (None if all are missing) or a code."""
    if kind != ORDERED:
        return commonest(column)
    present = [float(part[code]) for code in column if part[code] >= 0]
    total = 0.0
    for position in present:
        total += position
    return total / len(present) if present else None


def from_centre(kind, part, size, code, centre):
    """Return how far a code is from a centre, 0 to 1."""
    if kind != ORDERED:
        return between(kind, part, size, code, centre)
    if part[code] < 0 or centre is None:
        return 0.0 if part[code] < 0 and centre is None else 1.0
    return abs(float(part[code]) - centre)


def information_distortion(matrix, kinds, weights, parts, sizes, labels):
    total = 0.0
    for j, kind in enumerate(kinds):
        column = matrix[j].tolist()
        for members in classes_of(labels).values():
            centre = centre_of(kind, parts[j], [column[row] for row in members])
            for row in members:
                total += float(weights[j]) * from_centre(kind, parts[j], sizes[j], column[row], centre) ** 2
        total += float(weights[j]) * sum(label < 0 for label in labels) * varies(column)
    return total


def sse_over_sst(values, labels):
    """Return the ratio for a list of rows of numbers, one column after the other, each scaled to the same total."""
    ratios = []
    for column in zip(*values, strict=True):
        overall = statistics.fmean(column)
        total = sum((value - overall) ** 2 for value in column)
        if len(set(column)) == 1:
            continue
        within = sum((column[row] - overall) ** 2 for row, label in enumerate(labels) if label < 0)
        for members in classes_of(labels).values():
            mean = statistics.fmean(column[row] for row in members)
            within += sum((column[row] - mean) ** 2 for row in members)
        ratios.append(within / total)
    return statistics.fmean(ratios) if ratios else 0.0


def below_node(part, size, low, high):
    """Return the leaves below the lowest node over a run of leaves: as far as no gap is above the run's highest."""
    if low == high:
        return {low}
    top = price(TREE, part, size, low, high)
    while low > 0 and part[low - 1] <= top:
        low -= 1
    while high < size - 1 and part[high] <= top:
        high += 1
    return set(range(low, high + 1))


def from_cell(kind, part, size, code, column):
    """Return how far a code is from the released cell of a class with these codes, 0 to 1."""
    low, high = min(column), max(column)
    if kind == FLAT:
        return 0.0 if code in column else 1.0
    if kind == TREE:
        leaves = below_node(part, size, low, high)
        return 0.0 if code in leaves else min(between(kind, part, size, code, leaf) for leaf in leaves)
    if part[low] < 0:  # missing alone, or mixed with values: `*`
        return 0.0 if low != high or code == low else 1.0
    if part[code] < 0:
        return 1.0
    x = float(part[code])
    return max(float(part[low]) - x, x - float(part[high]), 0.0)


def nearest_neighbour_error(matrix, kinds, weights, parts, sizes, labels, values, release):
    """Return the share of wrong labels: every row compared with every other one that is released."""
    n = len(labels)
    if n == 0:
        return 0.0
    members = classes_of(labels)
    columns = matrix.tolist()

    def away(row, other, j):
        column = [columns[j][member] for member in members[labels[other]]]
        facts = kinds[j], parts[j], sizes[j], columns[j][row]
        if release == "interval":
            return from_cell(*facts, column)
        return from_centre(*facts, centre_of(kinds[j], parts[j], column))

    def distance(row, other):
        total = 0.0
        for j in range(len(kinds)):
            apart = away(row, other, j)
            total += float(weights[j]) * apart * apart
        return total

    wrong = 0
    for row in range(n):
        others = [other for other in range(n) if other != row and labels[other] >= 0]
        found = {other: distance(row, other) ** 0.5 for other in others}
        nearest = [values[other] for other in others if found[other] <= min(found.values()) + 1e-12]
        wrong += Fraction(sum(value != values[row] for value in nearest), len(nearest)) if nearest else 1
    return wrong / n


def covered_share(kind, part, size, column, wanted):
    """Return the share of the released cell of a class with these codes that a query for `wanted` codes covers."""
    low, high = min(column), max(column)
    if kind != ORDERED:
        cell = set(column) if kind == FLAT else below_node(part, size, low, high)
        return len(cell & wanted) / len(cell)
    if low == high:
        return float(low in wanted)
    places = [float(position) for position in part[:size] if position >= 0]
    asked = [float(part[code]) for code in wanted]
    start, end = (0.0, 1.0) if part[low] < 0 else (float(part[low]), float(part[high]))
    before = [place for place in places if place < min(asked)]
    after = [place for place in places if place > max(asked)]
    least = (before[-1] + min(asked)) / 2 if before else 0.0
    greatest = (after[0] + max(asked)) / 2 if after else 1.0
    return max(min(end, greatest) - max(start, least), 0.0) / (end - start)


def query_error(matrix, kinds, weights, parts, sizes, labels, query, sanity):
    """Return the relative error of one query, given as (column, set of codes) pairs; row by row."""
    n = len(labels)
    columns = matrix.tolist()
    count = sum(all(columns[j][row] in wanted for j, wanted in query) for row in range(n))
    members = classes_of(labels)
    estimate = 0.0
    for row in range(n):
        if labels[row] < 0:
            continue
        likely = 1.0
        for j, wanted in query:
            column = [columns[j][member] for member in members[labels[row]]]
            likely *= covered_share(kinds[j], parts[j], int(sizes[j]), column, wanted)
        estimate += likely
    return abs(estimate - count) / max(count, sanity * n)
