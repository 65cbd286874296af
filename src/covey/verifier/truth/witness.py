"""A witness for the order of the rows: which row of the original each released row is.  It is checked, not trusted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import plural

__all__ = ["left_out_faults", "taken", "witness_faults"]


def witness_faults(rows: IntVector, n_released: int, n_original: int) -> list[str]:
    """Return why row numbers cannot be those of the released rows: each must be a row of the original, once."""
    if len(rows) != n_released:
        return [f"the table has {plural(n_released, 'row')} where {len(rows):,} were to be released"]
    if len(rows) and (rows.min() < 0 or rows.max() >= n_original):
        return ["a released row is no row of the original"]
    if (np.bincount(rows, minlength=n_original) > 1).any():
        return ["a row of the original was released more than once"]
    return []


def left_out_faults(
    rows: IntVector, absent: BoolVector, agreed: BoolVector | None, allowed: int, *, drops_missing: bool
) -> list[str]:
    """Return what is wrong with the rows of the original that are not released.

    absent: where a quasi column is missing; only such rows may be left out beside the `allowed` ones,
    and only under the policy that drops them.  Nobody who agreed is left out otherwise.
    """
    is_out = np.ones(len(absent), bool)
    is_out[rows] = False
    faults = []
    if drops_missing:
        kept = int((~is_out & absent).sum())
        if kept:
            faults.append(f"{plural(kept, 'row')} with missing values were released that were to be left out")
        is_out &= ~absent
    lost = int(is_out.sum())
    if lost > allowed:
        faults.append(f"the table lacks {plural(lost, 'row')} of the original where at most {allowed:,} may be missing")
    if agreed is not None and (is_out & agreed).any():
        faults.append(f"{plural(int((is_out & agreed).sum()), 'row')} of people who agreed were left out")
    return faults


def taken(column: pa.ChunkedArray, rows: IntVector) -> pa.ChunkedArray:
    """Return some rows of a column of any type."""
    if pa.types.is_run_end_encoded(column.type):
        plain = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], column.type.value_type)
        again = pc.run_end_encode(taken(plain, rows).combine_chunks(), run_end_type=column.type.run_end_type)
        return pa.chunked_array([again])
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_binary_view(column.type):
        column = column.cast(pa.large_binary())
    if pa.types.is_dictionary(column.type):
        try:
            column = column.unify_dictionaries()
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # of spans or lists, or with nulls among them
            column = pa.chunked_array([chunk.dictionary.take(chunk.indices) for chunk in column.chunks])
    try:
        return column.take(pa.array(rows))
    except pa.ArrowNotImplementedError:  # views inside of lists or records
        values = column.to_pylist()
        return pa.chunked_array([pa.array([values[row] for row in rows.tolist()], column.type)])
