"""What a reader makes of the distinct values of a column."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.columns.domains.positions import as_plain, scale_positions

__all__ = ["Domain", "faulty_domain", "nan_mask", "outside_domain", "scaled_domain"]


@dataclass(frozen=True, slots=True)
class Domain:
    """What a reader made of the distinct values: points in order, and the rank of each distinct value."""

    points: Any
    rank: IntVector
    fault: BoolVector
    is_nan: BoolVector
    fault_code: str = ""
    fault_text: str = ""
    fault_hint: str = ""
    positions: FloatVector | None = None
    taxonomy: Any = None
    zone: str | None = None
    arrow: pa.DataType | None = None
    ends: tuple[Any, Any] | None = None


def scaled_domain(
    values: Any, is_nan: BoolVector, ends: tuple[Any, Any] | None, arrow: pa.DataType, zone: str | None = None
) -> Domain:
    """Return the domain of numbers or instants, each with its place between declared ends or the outermost."""
    points, rank = _ranked(values, is_nan)
    outside = _outside_ends(points, rank, ends, is_nan)
    if outside.any():
        return outside_domain(outside)
    positions = scale_positions(points, ends)
    return Domain(points, rank, outside, is_nan, positions=positions, zone=zone, arrow=arrow, ends=ends)


def _ranked(values: Any, leave_out: BoolVector) -> tuple[Any, IntVector]:
    """Return (sorted distinct points, rank of each value); values left out have rank 0."""
    rank = np.zeros(len(values), np.int64)
    points, inverse = np.unique(values[~leave_out], return_inverse=True)
    rank[~leave_out] = inverse
    return points, rank


def _outside_ends(points: Any, rank: IntVector, ends: tuple[Any, Any] | None, leave_out: BoolVector) -> BoolVector:
    """Return which values lie outside the ends; Python compares numbers of any sort exactly."""
    if ends is None:
        return np.zeros(len(rank), bool)
    first = bisect_left(points, ends[0], key=as_plain)
    after = bisect_right(points, ends[1], key=as_plain)
    return np.asarray(((rank < first) | (rank >= after)) & ~leave_out, dtype=bool)


def nan_mask(distinct: pa.Array) -> BoolVector:
    """Return which distinct values are NaN."""
    if pa.types.is_floating(distinct.type):
        return np.asarray(np.isnan(distinct.cast(pa.float64()).to_numpy(zero_copy_only=False)), bool)
    return np.zeros(len(distinct), bool)


def faulty_domain(fault: BoolVector, code: str, text: str, hint: str) -> Domain:
    """Return a domain that could not be read, and why."""
    return Domain((), np.zeros(len(fault), np.int64), fault, np.zeros(len(fault), bool), code, text, hint)


def outside_domain(fault: BoolVector) -> Domain:
    """Return a domain with values beyond what was declared."""
    hint = "widen the domain or the order, or correct the table"
    return faulty_domain(fault, "outside-domain", "outside the declared domain", hint)
