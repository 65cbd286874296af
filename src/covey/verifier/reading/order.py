"""The order that the values of a column have by themselves: 9 before 10 before 100, days by the calendar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.verifier.columns.codes import is_date_type, is_number_type, is_text
from covey.verifier.reading.dates import instant_of
from covey.verifier.reading.numbers import as_decimal, number_of
from covey.verifier.reading.values import is_nan, ticks

__all__ = ["own_ranks"]


def own_ranks(values: pa.Array) -> IntVector | None:
    """Return the place of each distinct value in the order of numbers or of time; None if the values have neither.

    Missing values come last.  Text has an order where all of it reads as numbers, or all as dates.

    >>> own_ranks(pa.array(["10", "9", None, "100"])), own_ranks(pa.array(["flu", "9"]))
    (array([1, 0, 3, 2]), None)
    """
    points = _points(values)
    if points is None:
        return None
    present = sorted({point for point in points if point is not None})
    place = {point: rank for rank, point in enumerate(present)}
    return np.array([len(present) if point is None else place[point] for point in points], np.int64)


def _points(values: pa.Array) -> list[Any] | None:
    """Return every value as a number or an instant, None where it is missing; None if some value is neither."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return list(values.to_pylist())
    if is_date_type(kind) or pa.types.is_time(kind):
        return ticks(values)
    if is_number_type(kind):
        return [None if value is None or is_nan(value) else as_decimal(value) for value in values.to_pylist()]
    if not is_text(kind):
        return None
    texts = values.to_pylist()
    readers: tuple[Callable[[str], Any], ...] = (number_of, instant_of)
    for read in readers:
        points = [None if text is None else read(text) for text in texts]
        if not any(point is None and text is not None for point, text in zip(points, texts, strict=True)):
            return points
    return None
