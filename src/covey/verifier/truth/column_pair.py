"""A quasi column in both tables: what its released cells cover, and which cell and value each row has."""

from __future__ import annotations

from dataclasses import dataclass

from covey.base.arrays import IntVector
from covey.verifier.truth.cover import Cover

__all__ = ["ColumnPair"]


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """The code of the released cell of each released row, and of the value of each original row."""

    name: str
    cover: Cover
    cells: IntVector
    n_cells: int
    values: IntVector
    n_values: int
