"""Where the intervals of a class end: at its values, at values that k rows share, on a grid, or at thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from covey.columns.domains import as_plain
from covey.columns.typed import TypedColumn
from covey.columns.values.parsing import Number
from covey.columns.values.thresholds import parting

__all__ = ["Ends", "exact_ends", "grid_point", "on_grid", "snapper", "told_ends"]


@dataclass(frozen=True, slots=True)
class Ends:
    """The published ends of one interval: points (None is open), and the places they are priced at."""

    low: Any
    high: Any
    low_position: float
    high_position: float


def exact_ends(column: TypedColumn) -> Callable[[int, int], Ends]:
    """Return the least and the greatest value of a class as its ends."""
    missing = column.n_missing
    positions = column.positions
    assert positions is not None

    def ends(lo: int, hi: int) -> Ends:
        a, b = lo - missing, hi - missing
        return Ends(column.points[a], column.points[b], float(positions[a]), float(positions[b]))

    return ends


def snapper(column: TypedColumn, k: int) -> Callable[[int, int], Ends]:
    """Return how ends move outwards to values that at least k rows share, so that no end is one person's."""
    missing = column.n_missing
    points, positions = column.points, column.positions
    assert positions is not None
    shared = np.flatnonzero(np.bincount(column.codes, minlength=column.size)[missing:] >= k)
    domain = column.ends or (points[0], points[-1]) if len(points) else (0, 0)
    least, greatest = column.ends or (None, None)

    def ends(lo: int, hi: int) -> Ends:
        a, b = lo - missing, hi - missing
        if a == b:
            return Ends(points[a], points[b], float(positions[a]), float(positions[b]))
        below = int(np.searchsorted(shared, a, side="right")) - 1
        above = int(np.searchsorted(shared, b, side="left"))
        low = (points[shared[below]], float(positions[shared[below]])) if below >= 0 else (least, 0.0)
        high = (points[shared[above]], float(positions[shared[above]])) if above < len(shared) else (greatest, 1.0)
        if column.grid is not None:  # its multiples alone: a shared value between them would tell more than was asked
            low = on_grid(grid_point(points[a], column.grid), domain)
            high = on_grid(grid_point(points[b], column.grid, up=True), domain)
        return Ends(low[0], high[0], low[1], high[1])

    return ends


def told_ends(column: TypedColumn, inside: Callable[[int, int], Ends], ends: str) -> Callable[[int, int], Ends]:
    """Return the ends of what is told by tests: thresholds, and where none was tested the declared end or nothing.

    inside: the ends of values.  They are taken of labels in order, and where they are to be snapped, since a threshold
    between two values is no end that people share.
    """
    first, last = column.n_missing, column.size - 1
    if column.type == "ordered":
        return inside
    if ends != "snapped":
        inside = _thresholds(column)
    least, greatest = column.ends or (None, None)

    def told(lo: int, hi: int) -> Ends:
        span = inside(lo, hi)
        if lo == hi and ends == "snapped":  # a value that k rows have
            return span
        span = replace(span, low=least, low_position=0.0) if lo == first else span
        return replace(span, high=greatest, high_position=1.0) if hi == last else span

    return told


def _thresholds(column: TypedColumn) -> Callable[[int, int], Ends]:
    """Return how ends move outwards to a threshold before the next value, that nobody has."""
    points, n_missing = [as_plain(point) for point in column.points], column.n_missing
    domain = column.ends or (points[0], points[-1])
    is_date = column.type == "date"

    def ends(lo: int, hi: int) -> Ends:
        a, b = lo - n_missing, hi - n_missing
        low = parting(points[a - 1], points[a], is_date=is_date)[1] if a > 0 else points[a]
        high = parting(points[b], points[b + 1], is_date=is_date)[0] if b + 1 < len(points) else points[b]
        return Ends(low, high, on_grid(low, domain)[1], on_grid(high, domain)[1])

    return ends


def grid_point(point: Any, step: Number, *, up: bool = False) -> Number:
    """Return the greatest multiple of `step` that is not above a point, or `up` the least that is not below it.

    >>> grid_point(37, 5), grid_point(37, 5, up=True), grid_point(-0.3, 0.25), grid_point(0.3, 0.1, up=True)
    (35, 40, -0.5, 0.3)
    """
    exact = Fraction(str(step)) if isinstance(step, float) else Fraction(step)
    value = Fraction(as_plain(point))
    times = math.ceil(value / exact) if up else math.floor(value / exact)
    # 0.3 is a float just below 3 x 0.1: a multiple that prints as the point itself is the point itself
    for nearest in (round(value / exact), times):
        multiple = nearest * exact
        end = int(multiple) if multiple.denominator == 1 else float(multiple)
        if (end >= value) if up else (end <= value):
            return end
    # a decimal with more digits than a float holds: the whole number outside is one that nobody has
    return math.floor(times * exact) + (1 if up else 0)


def on_grid(point: Number, domain: tuple[Any, Any]) -> tuple[Any, float]:
    """Return a point of the grid, and its place in the domain, by which it is priced."""
    low, high = (Fraction(as_plain(end)) for end in domain)
    place = (Fraction(point) - low) / (high - low) if high != low else Fraction(0)
    return point, float(min(max(place, Fraction(0)), Fraction(1)))
