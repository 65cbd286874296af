"""Nested cuts by plain loops in fractions: which clusters a public tuple reaches, and the whole search (P3, 5.2)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracles.cells import distance, holds_somewhere

Row = Sequence[float]
Path = tuple[tuple[Row, Row, int], ...]
"""(first centre, second centre, side) of every cut on the way."""


@dataclass(frozen=True)
class Space:
    weights: Sequence[Fraction]
    public: Sequence[int]
    lists: Sequence[tuple[Sequence[int], Sequence[Row]]]
    ranges: Sequence[tuple[int, float, float]]


def reaches(path: Path, row: Row, space: Space) -> bool:
    """Return whether the public part of a row can lie in what a path leads to."""
    known = {place: row[place] for place in space.public}
    for chosen in itertools.product(*[points for _, points in space.lists]):
        point = dict(known)
        for (places, _), values in zip(space.lists, chosen, strict=True):
            point.update(zip(places, values, strict=True))
        conditions, strict = [], []
        for first, second, side in path:
            near, far = (first, second) if side == 0 else (second, first)
            slopes, constant = [], distance(near, space.weights, point) - distance(far, space.weights, point)
            for place, _, _ in space.ranges:
                w, a, b = space.weights[place], Fraction(near[place]), Fraction(far[place])
                slopes.append(2 * w * (b - a))
                constant += w * (a * a - b * b)
            conditions.append((slopes, constant))
            if side == 1:
                strict.append((slopes, constant))
        if holds_somewhere(conditions, strict, [(Fraction(low), Fraction(high)) for _, low, high in space.ranges]):
            return True
    return False


def side_of(first: Row, second: Row, row: Row, weights: Sequence[Fraction]) -> int:
    point = dict(enumerate(row))
    return int(distance(first, weights, point) > distance(second, weights, point))


def inside(path: Path, row: Row, weights: Sequence[Fraction]) -> bool:
    return all(side_of(first, second, row, weights) == side for first, second, side in path)


def spans(paths: Sequence[Path], rows: Sequence[Row], space: Space) -> list[frozenset[int]]:
    """Return the clusters that each row may lie in, by its public part."""
    return [frozenset(i for i, path in enumerate(paths) if reaches(path, row, space)) for row in rows]


def search(rows: Sequence[Row], space: Space, k: int, rows_per_centre: int, most: int) -> list[Path]:
    """Return the paths of the clusters that deleting edges gives; all rows are different."""
    edges = minimum_spanning_tree(rows, space.weights)
    parts = [(frozenset(range(len(rows))), ())]  # (rows of the tree, path)
    refused: set[tuple[frozenset[int], tuple[int, int]]] = set()
    while len(parts) < most:
        options = [
            (edge, part)
            for edge in edges
            for part in parts
            if set(edge[1:]) <= part[0] and (part[0], edge[1:]) not in refused
        ]
        if not options:
            break
        edge, part = options[0]  # edges come with the longest first
        sides = divide(part[0], edge[1:], [e[1:] for e in edges])
        first, second = sorted(sides, key=min)
        one, two = mean(rows, first), mean(rows, second)
        tried = [other for other in parts if other is not part]
        tried += [(first, (*part[1], (one, two, 0))), (second, (*part[1], (one, two, 1)))]
        paths = [path for _, path in tried]
        if (
            min(len(first), len(second)) >= rows_per_centre
            and all(any(inside(path, row, space.weights) for row in rows) for path in paths)
            and smallest(spans(paths, rows, space)) >= k
        ):
            parts = tried
        else:
            refused.add((part[0], edge[1:]))
    return [path for _, path in parts]


def smallest(found: Sequence[frozenset[int]]) -> int:
    return min(found.count(span) for span in found)


def mean(rows: Sequence[Row], members: frozenset[int]) -> Row:
    return [sum(column) / len(members) for column in zip(*(rows[i] for i in sorted(members)), strict=True)]


def minimum_spanning_tree(rows: Sequence[Row], weights: Sequence[Fraction]) -> list[tuple[Fraction, int, int]]:
    """Return (squared length, row, row), the longest first."""
    pairs = sorted(
        (distance(rows[a], weights, dict(enumerate(rows[b]))), a, b)
        for a, b in itertools.combinations(range(len(rows)), 2)
    )
    part = list(range(len(rows)))
    tree = []
    for length, a, b in pairs:
        if part[a] != part[b]:
            old, new = part[a], part[b]
            part = [new if p == old else p for p in part]
            tree.append((length, a, b))
    return sorted(tree, key=lambda edge: (-edge[0], edge[1], edge[2]))


def divide(
    members: frozenset[int], edge: tuple[int, int], edges: Sequence[tuple[int, int]]
) -> tuple[frozenset[int], frozenset[int]]:
    found, todo = {edge[0]}, [edge[0]]
    while todo:
        at = todo.pop()
        for a, b in edges:
            if (a, b) == edge or at not in (a, b):
                continue
            other = b if at == a else a
            if other in members and other not in found:
                found.add(other)
                todo.append(other)
    return frozenset(found), members - found
