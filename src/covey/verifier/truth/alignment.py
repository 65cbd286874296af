"""Row by row: released row i against original row i, or against the next original row that fits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.base.arrays import BoolVector
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.kept_columns import Joint

__all__ = ["is_in_order"]


_BLOCK = 4096


def is_in_order(columns: Sequence[ColumnPair], kept: Sequence[Joint], n_released: int, n_original: int) -> bool:
    """Return whether the released rows are the original rows in their order, some of them left out.

    Each released row takes the next original row that fits.  Taking the first one never hurts: what it
    leaves behind is a longer rest of the original for the rows that follow.
    """
    row, other, step = 0, 0, _BLOCK
    while row < n_released:
        if n_original - other < n_released - row:
            return False
        step = min(step, n_released - row)
        fits = _fits(columns, kept, row, other, step)
        agreed = step if fits.all() else int(np.argmin(fits))
        row, other = row + agreed, other + agreed
        if agreed < step:
            other += 1
        # where rows are left out often, long blocks are compared in vain
        step = min(2 * step, _BLOCK) if agreed == step else max(2 * agreed, 16)
    return True


def _fits(columns: Sequence[ColumnPair], kept: Sequence[Joint], row: int, other: int, step: int) -> BoolVector:
    ours, theirs = slice(row, row + step), slice(other, other + step)
    fits = np.ones(step, bool)
    for joint in kept:
        fits &= joint.released[ours] == joint.original[theirs]
    for column in columns:
        fits &= column.cover.pairs(column.cells[ours], column.values[theirs])
    return fits
