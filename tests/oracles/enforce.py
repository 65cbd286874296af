"""Dissolving and merging classes that fail a model, by plain loops over rows and classes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any


class Plain:
    """A table of codes with the exact extent of any class, as plain Python."""

    def __init__(self, matrix: Any, exact: Any) -> None:
        self.rows = [tuple(int(code) for code in row) for row in matrix.T]
        self.exact = exact

    def extent(self, rows: list[int]) -> int:
        columns = list(zip(*(self.rows[row] for row in rows), strict=True))
        return int(self.exact.extent([min(codes) for codes in columns], [max(codes) for codes in columns]))

    def loss(self, rows: list[int]) -> int:
        return len(rows) * self.extent(rows)


def passes(rows: list[int], rules: list[tuple[str, float, list[int]]]) -> bool:
    """Return whether a class satisfies every (model, l, values)."""
    for model, l, values in rules:  # noqa: E741
        counts = Counter(values[row] for row in rows)
        if model == "distinct" and len(counts) < l:
            return False
        if model == "frequency" and max(counts.values()) * Fraction(str(l)) > len(rows):
            return False
    return True


def merge(table: Plain, classes: list[list[int]], k: int, rules: Any) -> list[list[int]]:
    """Join each class that fails, smallest first, to the class whose loss grows least by it."""
    classes = [list(rows) for rows in classes]
    while True:
        failing = [c for c, rows in enumerate(classes) if rows and (len(rows) < k or not passes(rows, rules))]
        if not failing:
            return [rows for rows in classes if rows]
        loser = min(failing, key=lambda c: (len(classes[c]), c))
        others = [c for c, rows in enumerate(classes) if rows and c != loser]
        winner = min(others, key=lambda c: (_growth(table, classes[c], classes[loser]), c))
        classes[winner] += classes[loser]
        classes[loser] = []


def dissolve(table: Plain, classes: list[list[int]], k: int, rules: Any) -> list[list[int]]:
    """Give each row of a failing class, in class and row order, to the passing class whose loss grows least."""
    classes = [sorted(rows) for rows in classes]
    good = [c for c, rows in enumerate(classes) if passes(rows, rules)]
    for c in range(len(classes)):
        if c in good:
            continue
        for row in list(classes[c]):
            options = [other for other in good if passes([*classes[other], row], rules)]
            if options:
                home = min(options, key=lambda other: (_growth(table, classes[other], [row]), other))
                classes[home].append(row)
                classes[c].remove(row)
    return merge(table, [rows for rows in classes if rows], k, rules)


def _growth(table: Plain, ours: list[int], theirs: list[int]) -> int:
    return table.loss(ours + theirs) - table.loss(ours) - table.loss(theirs)
