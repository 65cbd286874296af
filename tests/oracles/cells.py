"""Which cells of centres a public tuple reaches, one private point after the other, in fractions.

Listed values are enumerated.  For ranges the closed cell is a polytope in a box: its corners are found by solving
every choice of as many equations as there are ranges, and the mean of the corners tells whether the strict
conditions (ties go to the lowest number) can hold.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

Row = Sequence[float]


def cells(
    centres: Sequence[Row],
    weights: Sequence[Fraction],
    known: dict[int, float],
    lists: Sequence[tuple[Sequence[int], Sequence[Row]]],
    ranges: Sequence[tuple[int, float, float]],
) -> set[int]:
    """Return the numbers of the reached cells.

    known: value by coordinate; lists: (coordinates, points); ranges: (coordinate, low, high).
    """
    found: set[int] = set()
    for chosen in itertools.product(*[points for _, points in lists]):
        point = dict(known)
        for (places, _), values in zip(lists, chosen, strict=True):
            point.update(zip(places, values, strict=True))
        base = [distance(centre, weights, point) for centre in centres]
        found |= {i for i in range(len(centres)) if reaches(i, centres, weights, base, ranges)}
    return found


def distance(centre: Row, weights: Sequence[Fraction], point: dict[int, float]) -> Fraction:
    return sum((weights[j] * (Fraction(x) - Fraction(centre[j])) ** 2 for j, x in point.items()), Fraction(0))


def reaches(
    i: int,
    centres: Sequence[Row],
    weights: Sequence[Fraction],
    base: Sequence[Fraction],
    ranges: Sequence[tuple[int, float, float]],
) -> bool:
    conditions = []  # (coefficients, constant): coefficients . y + constant <= 0
    strict = []
    for j in range(len(centres)):
        if j == i:
            continue
        coefficients = [2 * weights[r] * (Fraction(centres[j][r]) - Fraction(centres[i][r])) for r, _, _ in ranges]
        constant = base[i] - base[j]
        for r, _, _ in ranges:
            constant += weights[r] * (Fraction(centres[i][r]) ** 2 - Fraction(centres[j][r]) ** 2)
        conditions.append((coefficients, constant))
        if j < i:
            strict.append((coefficients, constant))
    return holds_somewhere(conditions, strict, [(Fraction(low), Fraction(high)) for _, low, high in ranges])


def holds_somewhere(
    conditions: Sequence[tuple[Sequence[Fraction], Fraction]],
    strict: Sequence[tuple[Sequence[Fraction], Fraction]],
    box: Sequence[tuple[Fraction, Fraction]],
) -> bool:
    d = len(box)
    every = list(conditions)
    for r, (low, high) in enumerate(box):
        unit = [Fraction(int(r == s)) for s in range(d)]
        every.append((unit, -high))
        every.append(([-u for u in unit], low))
    corners = []
    for chosen in itertools.combinations(every, d):
        corner = solved([list(c[0]) for c in chosen], [-c[1] for c in chosen])
        if corner is not None and all(value(c, corner) <= 0 for c in every):
            corners.append(corner)
    if not corners:
        return False
    mean = [sum(column, Fraction(0)) / len(corners) for column in zip(*corners, strict=True)]
    return all(value(c, mean) < 0 for c in strict)


def value(condition: tuple[Sequence[Fraction], Fraction], point: Sequence[Fraction]) -> Fraction:
    return condition[1] + sum((a * y for a, y in zip(condition[0], point, strict=True)), Fraction(0))


def solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Return x with matrix x = right, None if there is not exactly one."""
    n = len(right)
    rows = [[*row, r] for row, r in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = next((r for r in range(i, n) if rows[r][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                times = rows[r][i]
                rows[r] = [a - times * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]
