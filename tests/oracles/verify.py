"""Brute-force twins of the verifier: plain loops over rows, no parsing, every permutation tried."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any


def level(rows: Sequence[Sequence[Any]]) -> int:
    """Return the size of the smallest class of equal rows; None and NaN are values like any other."""
    return min(Counter(tuple(_comparable(cell) for cell in row) for row in rows).values())


def _comparable(cell: Any) -> Any:
    return ("NaN",) if cell != cell else (cell,)


def is_aligned(n_released: int, n_original: int, fits: Callable[[int, int], bool]) -> bool:
    """Return whether every released row fits the original row in the same place."""
    return n_released == n_original and all(fits(row, row) for row in range(n_released))


def is_subsequence(n_released: int, n_original: int, fits: Callable[[int, int], bool]) -> bool:
    """Return whether the released rows fit some of the original rows, in their order."""
    return any(
        all(fits(row, other) for row, other in enumerate(chosen))
        for chosen in itertools.combinations(range(n_original), n_released)
    )


def is_matched(n_released: int, n_original: int, fits: Callable[[int, int], bool]) -> bool:
    """Return whether some assignment gives every released row an original row of its own."""
    return any(
        all(fits(row, other) for row, other in enumerate(chosen))
        for chosen in itertools.permutations(range(n_original), n_released)
    )


def most_matched(n_released: int, n_original: int, fits: Callable[[int, int], bool]) -> int:
    """Return the most released rows that can get original rows of their own (Kuhn's augmenting paths)."""
    owner: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for other in range(n_original):
            if other not in seen and fits(row, other):
                seen.add(other)
                if other not in owner or place(owner[other], seen):
                    owner[other] = row
                    return True
        return False

    return sum(place(row, set()) for row in range(n_released))


def covers(cell: tuple[Any, ...], value: Any, order: Sequence[str] = ()) -> bool:
    """Return whether a cell given by its meaning covers a value.

    Cells: ("any",), ("missing",), ("point", v), ("between", low, high, low_open, high_open) with None for
    no end, ("set", labels), ("prefix", text).  Labels are compared by their place in `order` if there is one.
    """
    kind = cell[0]
    if kind == "any":
        return True
    if value is None or kind == "missing":
        return kind == "missing" and value is None
    if kind == "point":
        return bool(cell[1] == value)
    if kind == "set":
        return value in cell[1]
    if kind == "prefix":
        return bool(value.startswith(cell[1]))
    _, low, high, low_open, high_open = cell
    if order:
        low, high, value = (None if end is None else order.index(end) for end in (low, high, value))
    above = low is None or low < value or (low == value and not low_open)
    below = high is None or value < high or (high == value and not high_open)
    return above and below
