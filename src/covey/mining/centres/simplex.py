"""Linear programs in fractions, for the few that rounding would decide."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["greatest"]


def greatest(
    rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction], goal: Sequence[Fraction]
) -> Fraction | None:
    """Return the greatest goal . x with rows x <= right and x >= 0, in fractions; None if no x meets the rows.

    The simplex method with Bland's rule, which cannot cycle; the goal must be bounded.

    >>> F = Fraction
    >>> greatest([[F(1), F(1)], [F(-1), F(0)]], [F(3), F(-1)], [F(0), F(2)])
    Fraction(4, 1)
    """
    n, m = len(goal), len(rows)
    # one artificial column (the last) makes every right side reachable: it is driven to zero first
    table = [
        [*row, *(Fraction(int(i == j)) for j in range(m)), Fraction(-1), value]
        for i, (row, value) in enumerate(zip(rows, right, strict=True))
    ]
    basis = list(range(n, n + m))
    artificial = n + m
    worst = min(range(m), key=lambda i: right[i])
    if right[worst] < 0:
        _pivot(table, basis, worst, artificial)
        drive = [Fraction(0)] * (n + m) + [Fraction(-1)]
        if _climb(table, basis, drive) < 0:
            return None
        if artificial in basis:
            row = basis.index(artificial)
            column = next((j for j in range(n + m) if table[row][j] != 0), None)
            if column is not None:
                _pivot(table, basis, row, column)
    for line in table:
        line[artificial] = Fraction(0)
    return _climb(table, basis, [*goal, *([Fraction(0)] * (m + 1))])


def _climb(table: list[list[Fraction]], basis: list[int], goal: Sequence[Fraction]) -> Fraction:
    """Pivot until no column improves the goal; return what it is."""
    while True:
        gain = list(goal)
        value = Fraction(0)
        for line, column in zip(table, basis, strict=True):
            if goal[column]:
                value += goal[column] * line[-1]
                gain = [g - goal[column] * entry for g, entry in zip(gain, line[:-1], strict=True)]
        enter = next((j for j, g in enumerate(gain) if g > 0 and j not in basis), None)
        if enter is None:
            return value
        leave = min(
            (i for i, line in enumerate(table) if line[enter] > 0),
            key=lambda i: (table[i][-1] / table[i][enter], basis[i]),
        )
        _pivot(table, basis, leave, enter)


def _pivot(table: list[list[Fraction]], basis: list[int], row: int, column: int) -> None:
    by = table[row][column]
    table[row] = [entry / by for entry in table[row]]
    for i, line in enumerate(table):
        if i != row and line[column]:
            times = line[column]
            table[i] = [entry - times * pivot for entry, pivot in zip(line, table[row], strict=True)]
    basis[row] = column
