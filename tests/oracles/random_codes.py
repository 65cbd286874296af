"""Random tables of codes for the oracles, those made to tie among them, and the text notation of small ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.codes.codes import Codes, codes_from_matrix, tree_positions

ORDERED, FLAT, TREE = 0, 1, 2


@dataclass(frozen=True)
class Table:
    """What `codes_from_matrix` takes."""

    matrix: Any
    kinds: Any
    weights: Any
    parts: list[Any]
    sizes: Any

    def codes(self) -> Codes:
        return codes_from_matrix(self.matrix, self.kinds, self.weights, self.parts, self.sizes)

    def plain(self) -> tuple[Any, ...]:
        return self.matrix, self.kinds, self.weights, self.parts, self.sizes


def one_column(values: list[float]) -> Table:
    """Return a table of one ordered column, positions (v - least) / (greatest - least)."""
    distinct, ranks = np.unique(np.array(values, float), return_inverse=True)
    width = distinct[-1] - distinct[0] if len(distinct) > 1 else 1.0
    position = (distinct - distinct[0]) / width
    return Table(ranks[None].astype(np.uint8), np.array([ORDERED]), np.ones(1), [position], np.array([len(distinct)]))


def rows_around(random: np.random.Generator, k: int, most: int) -> int:
    """Return a number of rows: any, or one next to a multiple of k."""
    if random.random() < 0.5:
        return int(random.integers(k, most))
    return max(k, k * int(random.integers(1, most // k + 1)) + int(random.integers(-1, 2)))


def random_table(random: np.random.Generator, n: int) -> Table:
    """Return n rows of one to five columns of any kind, with duplicates, constants, missing values, any weights."""
    p = int(random.integers(1, 6))
    kinds = random.integers(0, 3, p).astype(np.uint8)
    parts, columns, sizes = [], [], []
    for kind in kinds:
        part, size = _part(random, kind, int(random.choice([1, 2, 3, 5, 8, 700], p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.1])))
        column = random.integers(0, size, n)
        if random.random() < 0.3:  # skewed
            column = np.minimum(column, random.integers(0, size, n))
        parts.append(part)
        columns.append(column)
        sizes.append(size)
    matrix = np.array(columns)
    if random.random() < 0.4:  # many equal rows
        matrix = matrix[:, random.integers(0, max(1, n // 2), n)]
    weights = random.choice([0.0, 0.1, 0.5, 1.0, 1.0, 1.0, 2.0, 3.7], p)
    dtype = random.choice([np.uint16, np.int32] if max(sizes) > 256 else [np.uint8, np.uint16, np.int32])
    return Table(matrix.astype(dtype), kinds, weights, parts, np.array(sizes))


def tied_table(random: np.random.Generator, n: int) -> Table:
    """Return n rows in which many losses are equal: few values in equal steps, and weights such as 1/3."""
    p = int(random.integers(1, 5))
    kinds = random.choice([ORDERED, ORDERED, ORDERED, FLAT, TREE], p).astype(np.uint8)
    parts, columns, sizes = [], [], []
    for kind in kinds:
        size = int(random.choice([2, 3, 4, 7, 8, 11]))
        part = np.zeros(0)
        if kind == ORDERED:
            missing = [-1.0] if random.random() < 0.2 else []
            part = np.concatenate([missing, np.arange(size) / (size - 1)])
            size = len(part)
        elif kind == TREE:
            height = int(random.integers(2, 5))
            gaps = random.integers(1, height + 1, size - 1)
            gaps[random.integers(size - 1)] = height
            part = tree_positions(gaps / height)
        parts.append(part)
        columns.append(random.integers(0, size, n))
        sizes.append(size)
    weights = random.choice([1 / 3, 2 / 3, 1 / 7, 0.1, 0.2, 0.3, 0.7, 1.0, 3.0], p)
    return Table(np.array(columns).astype(np.uint8), kinds, weights, parts, np.array(sizes))


def _part(random: np.random.Generator, kind: int, size: int) -> tuple[Any, int]:
    """Return the positions of a column and its number of codes."""
    if kind == FLAT:
        return np.zeros(0), size
    if kind == TREE:
        gaps = random.integers(1, 4, size - 1)
        if size > 1:
            gaps[random.integers(size - 1)] = 3  # the root stands between some two leaves
        return tree_positions(gaps / 3), size
    values = np.sort(random.random(size)) if random.random() < 0.5 else np.arange(size)
    position = (values - values[0]) / (values[-1] - values[0]) if size > 1 else np.zeros(size)
    missing: list[float] = [[], [-1.0], [-2.0, -1.0]][random.choice(3, p=[0.6, 0.3, 0.1])]  # type: ignore[assignment]
    return np.concatenate([missing, position]), size + len(missing)
