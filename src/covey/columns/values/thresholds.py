"""Thresholds between two neighbouring values: plain numbers and moments that nobody has."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from covey.columns.values.clock import DAY

__all__ = ["moment_between", "number_between", "parting"]

_UNITS = (DAY, DAY // 24, DAY // 1440, DAY // 86_400)


def parting(low: Any, high: Any, *, is_date: bool = False) -> tuple[Any, Any]:
    """Return (the end of what lies below, the beginning of what lies above): one threshold between two values.

    Where none can be told apart from both, these are the two values themselves.

    >>> parting(34, 35), parting(Decimal("0.1"), Decimal("0.3")), parting(2**60, 2**60 + 1)
    ((34.5, 34.5), (0.2, 0.2), (1152921504606846976, 1152921504606846977))
    """
    if is_date:
        threshold: Any = _whole_moment(int(low), int(high))
    else:
        threshold = number_between(float(low), float(high))
    return (threshold, threshold) if low < threshold < high else (low, high)


def number_between(low: float, high: float) -> float:
    """Return a number between two numbers that has as few digits as any, nearest to the middle; low if there is none.

    >>> number_between(34.0, 35.0), number_between(950.0, 1013.0), number_between(0.1234, 0.1267)
    (34.5, 1000.0, 0.125)
    """
    if not low < high or low == -np.inf:
        return low
    with localcontext(prec=1100):  # so that nothing is rounded: a float has at most 1,074 places
        middle = (Decimal(low) + Decimal(high)) / 2
        first = max(Decimal(low), Decimal(high), key=abs).adjusted()
        for place in range(first + 1, first - 20, -1):
            number = float(middle.scaleb(-place).to_integral_value().scaleb(place))
            if low < number < high:
                return number + 0.0  # never minus zero
        return float(middle) if low < float(middle) < high else low


def moment_between(low: float, high: float) -> float:
    """Return a moment between two, at the beginning of a day, hour, minute or second where one is."""
    if not low < high or low == -np.inf:
        return low
    middle = low / 2 + high / 2
    for unit in _UNITS:
        moment = middle // unit * unit
        if moment > low:
            return float(moment)
    return middle if low < middle < high else low


def _whole_moment(low: int, high: int) -> int:
    """Return the same in whole nanoseconds, which floats do not hold; low if there is no moment between.

    >>> _whole_moment(0, 3 * DAY) // DAY, _whole_moment(5, 6)
    (1, 5)
    """
    middle = (low + high) // 2
    return next((moment for unit in _UNITS if (moment := middle // unit * unit) > low), middle)
