"""Binary k-means by the book: every row by itself, every try to the end, plain recursion, whole numbers for shares."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, floor

import numpy as np

from oracles.k_member import ORDERED, extent, near_one, price, tidy

WORD = 2**64 - 1


def draw(key, i):
    """Return number i of the stream of a key: SplitMix64 started there."""
    z = (key + (i + 1) * 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def below(number, bound):
    return ((number >> 32) * bound) >> 32


def shuffled(key, n):
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = below(draw(key, i), i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def is_diverse(values, ell):
    """Return whether no value has more than 1/l of the rows."""
    return ell is None or max(Counter(values).values()) * Fraction(str(ell)) <= len(values)


def alike(one, two):
    """Return whether two numbers differ by a billionth, of 1 or of the lesser, at most: rounding must not decide."""
    return abs(one - two) <= 1e-9 * max(1.0, min(one, two))


def binary_k_means(
    matrix, kinds, weights, parts, sizes, k, seed=0, tries=15, values=None, ell=None, join="growth", far=False
):
    """Return the class of every row of (p, n) codes; `values`: the sensitive value of every row.

    join: "growth", "extent", "widening" (of the halves, as rows join in turn) or "centre".  far: the first centres are
    rows far apart, which stay in their halves.
    """
    p, n = matrix.shape
    weights, _ = near_one(weights)
    codes = [tuple(int(code) for code in matrix[:, row]) for row in range(n)]
    least = k if ell is None else max(k, ceil(Fraction(str(ell))))
    whole = sorted(range(n), key=lambda row: (codes[row], row))

    def legal(rows):
        return len(rows) >= least and (ell is None or is_diverse([values[row] for row in rows], ell))

    def point(row):
        return [float(parts[j][code]) if kinds[j] == ORDERED else code for j, code in enumerate(codes[row])]

    def extent_of(points):
        """Return the extent of the least box around points, which need not be rows."""
        total = 0.0
        for j, column in enumerate(zip(*points, strict=True)):
            low, high = min(column), max(column)
            if kinds[j] == ORDERED:
                total += float(weights[j]) * min(high - low, 1.0)
            else:
                total += float(weights[j]) * price(kinds[j], parts[j], sizes[j], low, high)
        return total

    def corners(points):
        """Return the two corners of the least box around points: with more points it is the same as with all."""
        return [[f(column) for column in zip(*points, strict=True)] for f in (min, max)]

    def mean(rows):
        centre = []
        distinct = sorted(Counter(codes[row] for row in rows).items())
        for j in range(p):
            if kinds[j] == ORDERED:
                total = 0.0
                for values_of_row, count in distinct:
                    total += count * float(parts[j][values_of_row[j]])
                centre.append(total / len(rows))
            else:
                counts = Counter(codes[row][j] for row in rows)
                centre.append(min(counts, key=lambda code: (-counts[code], code)))
        return centre

    def loss(rows):
        low, high = (tuple(f(column) for column in zip(*(codes[row] for row in rows), strict=True)) for f in (min, max))
        return len(rows) * extent(low, high, kinds, weights, parts, sizes)

    def cost(rows, box, row):
        """Return what a row compares of either half: `rows` are in it, `box` is around them and its centre."""
        before, after = extent_of(box), extent_of([*box, point(row)])
        if join == "growth":
            return after + len(rows) * (after - before)
        return after - before if join == "widening" else after

    def halve(part, centres, seeds, key):
        """Return the two halves of one try, each in the order of the part."""
        halves, boxes = [[], []], [[centre, centre] for centre in centres]
        if seeds and join != "centre":
            halves = [[row] for row in seeds]
        for row in (part[i] for i in shuffled(key, len(part))):
            if any(row in half for half in halves):
                continue
            one, two = (cost(halves[h], boxes[h], row) for h in range(2))
            smaller = 0 if len(halves[0]) <= len(halves[1]) else 1
            home = smaller if alike(one, two) else 0 if one < two else 1
            halves[home].append(row)
            if join != "centre":
                boxes[home] = corners([*boxes[home], point(row)])
        place = {row: i for i, row in enumerate(part)}
        for poor in range(2):
            widened = {row: tidy(extent_of([*boxes[poor], point(row)])) for row in halves[1 - poor]}
            nearest = sorted(halves[1 - poor], key=lambda row: (widened[row], place[row]))
            borrowed = nearest[: max(0, least - len(halves[poor]))]
            halves[poor] += borrowed
            halves[1 - poor] = [row for row in halves[1 - poor] if row not in borrowed]
        return [sorted(half, key=place.get) for half in halves]

    def first_rows(part, key):
        """Return the two rows that the first centres are."""
        one = below(draw(key, 2), len(part))
        two = below(draw(key, 3), len(part) - 1)
        pair = [part[one], part[two + (two >= one)]]
        last, apart = pair[0], 0.0
        for _ in range(6 if far else 0):
            distance = {row: tidy(extent_of([point(last), point(row)])) for row in part}
            furthest = max(part, key=distance.get)  # the first of equals
            if distance[furthest] <= apart:
                break
            pair, apart = [last, furthest], distance[furthest]
            last = furthest
        return pair

    def best_split(part, key):
        seeds = first_rows(part, key)
        centres = [point(row) for row in seeds]
        best, lowest = None, float("inf")
        for x in range(tries):
            halves = halve(part, centres, seeds if far else None, draw(key, 4 + x))
            total = 0.0 + loss(halves[0]) + loss(halves[1])
            if total < lowest and not alike(total, lowest) and all(legal(half) for half in halves):
                best, lowest = halves, total
            centres = [mean(half) for half in halves]
        return best

    def classes_of(part, key):
        halves = best_split(part, key) if len(part) >= 2 * least else None
        if halves is None:
            return dealt(part)
        return [c for h in range(2) for c in classes_of(halves[h], draw(key, h))]

    def dealt(part):
        if ell is None:
            return [part]
        by_value = sorted(part, key=lambda row: values[row])
        for n_classes in range(floor(len(part) / least), 0, -1):
            hands = [by_value[c::n_classes] for c in range(n_classes)]
            if all(legal(hand) for hand in hands):
                return hands
        raise AssertionError("a part that is not legal was kept")

    labels = [-1] * n
    key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    for c, rows in enumerate(classes_of(whole, key)):
        for row in rows:
            labels[row] = c
    return labels
