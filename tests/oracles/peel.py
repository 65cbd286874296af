"""Peel without heap, bounds or bits: at every step all classes that the rows left can make are priced."""

from __future__ import annotations

import itertools


class Column:
    """A category: for each level what it costs and the group of each code; or an ordered column: its positions."""

    def __init__(self, prices=None, groups=None, positions=None, weight=1, width=None):
        self.prices, self.groups = prices, groups
        self.positions, self.weight, self.width = positions, weight, width


def peel(tuples, counts, columns, k, strand):
    """Return the class of each tuple, None for those left over.

    tuples: codes; columns: `Column`s, at most three of them ordered, the one with the most values (the first of these)
    being the window; the ranges are those with the fewest values first.
    """
    label = [None] * len(tuples)
    ordered = [j for j, column in enumerate(columns) if column.positions is not None]
    boxed = sorted(ordered, key=lambda j: (-len(columns[j].positions), j))[::-1]
    categories = [j for j in range(len(columns)) if j not in boxed]
    place = {t: position(tuples[t], columns, boxed[-1]) if boxed else 0 for t in range(len(tuples))}
    order = sorted(range(len(tuples)), key=lambda t: (place[t], t))
    mixes = sorted(
        (sum(columns[j].prices[level] for j, level in zip(categories, mix, strict=True)), mix)
        for mix in itertools.product(*(range(len(columns[j].prices)) for j in categories))
    )
    opened = []
    number = 0
    while True:
        left = [t for t in order if label[t] is None]
        if sum(counts[t] for t in left) < k:
            return label
        offers = []
        for index, (price, members) in enumerate(opened):
            members = [t for t in members if label[t] is None]
            if sum(counts[t] for t in members) >= k:
                extent, box = smallest(tuples, counts, columns, boxed, members, k)
                offers.append((price + extent, index, members, box))
        best = min(offers, key=lambda offer: offer[:2], default=None)
        if mixes and (best is None or mixes[0][0] <= best[0]):
            price, mix = mixes.pop(0)
            groups = {}
            for t in left:
                key = tuple(columns[j].groups[level][tuples[t][j]] for j, level in zip(categories, mix, strict=True))
                groups.setdefault(key, []).append(t)
            opened += [(price, group) for group in groups.values() if sum(counts[t] for t in group) >= k]
            continue
        if best is None:
            return label
        _, _, members, box = best
        if sum(counts[t] for t in members) < 2 * k:
            box = closing(tuples, counts, columns, boxed, members, k, strand)
        for t in members:
            if inside(tuples[t], columns, boxed, box):
                label[t] = number
        number += 1


def position(codes, columns, j):
    return columns[j].positions[codes[j]]


def price(columns, j, low, high):
    return columns[j].weight * min(high - low, columns[j].width)


def inside(codes, columns, boxed, box):
    return all(low <= position(codes, columns, j) <= high for j, (low, high) in zip(boxed, box, strict=True))


def ranges(tuples, columns, j, members):
    """Yield the ranges of a column, narrow ones (by number of values) first."""
    values = sorted({position(tuples[t], columns, j) for t in members})
    for span in range(len(values)):
        for start in range(len(values) - span):
            yield values[start], values[start + span]


def windows(tuples, columns, boxed, members):
    """Yield (price of the sides, sides, members within them) for all ranges of all columns but the last."""
    for sides in itertools.product(*(list(ranges(tuples, columns, j, members)) for j in boxed[:-1])):
        within = [t for t in members if inside(tuples[t], columns, boxed[:-1], sides)]
        yield sum(price(columns, j, *side) for j, side in zip(boxed, sides, strict=False)), sides, within


def smallest(tuples, counts, columns, boxed, members, k):
    """Return (extent, box) of the smallest box of k rows; of equally small ones the first."""
    if not boxed:
        return 0, ()
    best = None
    for sides_price, sides, within in windows(tuples, columns, boxed, members):
        at = [position(tuples[t], columns, boxed[-1]) for t in within]
        for last in range(len(within)):
            for first in range(last, -1, -1):
                if sum(counts[t] for t in within[first : last + 1]) >= k:
                    extent = sides_price + price(columns, boxed[-1], at[first], at[last])
                    if best is None or extent < best[0]:
                        best = extent, (*sides, (at[first], at[last]))
                    break
    return best


def closing(tuples, counts, columns, boxed, members, k, strand):
    """Return the box of k rows or more for which all members lose least, those left out `strand` each."""
    if not boxed:
        return ()
    total, best = sum(counts[t] for t in members), None
    for sides_price, sides, within in windows(tuples, columns, boxed, members):
        at = [position(tuples[t], columns, boxed[-1]) for t in within]
        for first in range(len(within)):
            for last in range(first, len(within)):
                rows = sum(counts[t] for t in within[first : last + 1])
                if rows >= k:
                    extent = sides_price + price(columns, boxed[-1], at[first], at[last])
                    loss = rows * extent + (total - rows) * strand
                    if best is None or loss < best[0]:
                        best = loss, (*sides, (at[first], at[last]))
    return best[1]
