"""Where ordered points lie between the ends of their domain, 0 to 1."""

from __future__ import annotations

import math
from decimal import localcontext
from typing import Any

import numpy as np

from covey.base.arrays import FloatVector

__all__ = ["as_plain", "scale_positions"]


_DIGITS = 6  # how many digits after the point decimals are looked for


def scale_positions(points: Any, ends: tuple[Any, Any] | None) -> FloatVector:
    """Return the place of each point in 0..1 of the domain, without overflow at either end of the scale."""
    if len(points) == 0:
        return np.zeros(0)
    low, high = (as_plain(end) for end in ((points[0], points[-1]) if ends is None else ends))
    if high == low:
        return np.zeros(len(points))
    if points.dtype == np.float64:
        if math.isinf(high - low):  # such a width fits only halved, and halving is exact up there
            points, low, high = points / 2, low / 2, high / 2
        return _decimal_positions(points, low, high)
    if points.dtype == np.int64 and isinstance(low, int) and isinstance(high, int) and high - low < 2**53:
        offset = int(points[0]) - low  # an end may lie outside of 64 bits
        return np.asarray((points - points[0]).astype(np.float64) + offset) / float(high - low)
    with localcontext(prec=200):  # so that decimals are subtracted exactly and rounded once, as whole numbers are
        return np.array([float((as_plain(point) - low) / (high - low)) for point in points])


def _decimal_positions(points: FloatVector, low: float, high: float) -> FloatVector:
    """Return the places of floats; of decimals exact but for one rounding, so that equal steps are equal."""
    all_points = np.append(points, [float(low), float(high)])
    for digits in range(_DIGITS + 1):
        whole = np.rint(all_points * 10.0**digits)
        if not (np.abs(whole) < 2**52).all():
            break
        if (whole / 10.0**digits == all_points).all():
            return np.asarray((whole[:-2] - whole[-2]) / (whole[-1] - whole[-2]))
    return np.asarray((points - low) / (high - low))


def as_plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value
