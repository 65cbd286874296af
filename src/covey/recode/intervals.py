"""Intervals of numbers, dates and labels in order, as text or as two columns of ends."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.columns.domains import as_plain, scale_positions
from covey.columns.typed import TypedColumn
from covey.columns.values.clock import DAY, NANOSECONDS
from covey.columns.values.writing import ANY, write_bound, write_interval
from covey.recode.cells import Cells, distinct_pairs, lone_value, merged_cells
from covey.recode.ends import Ends, exact_ends, on_grid, snapper, told_ends

__all__ = ["interval_cells", "output_names"]


_YEAR_10000 = 2932897 * DAY


def output_names(name: str, is_ordered: bool, release: str) -> tuple[str, ...]:
    """Return the names of the columns that a quasi column is published as."""
    return (f"{name}_min", f"{name}_max") if release == "bounds" and is_ordered else (name,)


def interval_cells(
    column: TypedColumn, low: IntVector, high: IntVector, k: int, release: str, ends: str, whole: int | None = None
) -> Cells:
    """Return the cells of an ordered column; so many codes as are the `whole` are `*`."""
    number, pairs = distinct_pairs(low, high, column.size)
    published_ends = snapper(column, k) if ends == "snapped" else exact_ends(column)
    if whole is not None:
        published_ends = told_ends(column, published_ends, ends)
    n_missing = column.n_missing
    found = [None if lo < n_missing or hi - lo + 1 == whole else published_ends(lo, hi) for lo, hi in pairs]
    is_any = [lo != hi or whole == 1 for lo, hi in pairs]
    missing = [(1.0, 1.0) if mixed or release == "bounds" else (0.0, 0.0) for mixed in is_any]
    widths = _widths(column, found, are_values=whole is None and column.grid is None)
    facts = [
        absent if span is None else (width, width)
        for absent, span, width in zip(missing, found, widths, strict=True)
    ]  # fmt: skip
    if release == "bounds":
        names = output_names(column.name, True, release)
        lows = _points_array(column, [None if span is None else span.low for span in found])
        highs = _points_array(column, [None if span is None else span.high for span in found], up=True)
        return merged_cells(number, ((names[0], lows), (names[1], highs)), facts)
    texts = _interval_texts(column, found)
    for place, (span, (lo, _)) in enumerate(zip(found, pairs, strict=True)):
        if span is None:
            texts[place] = ANY if is_any[place] else lone_value(column, lo)
        elif span.low is not None and span.low == span.high:
            texts[place] = lone_value(column, lo)
    return merged_cells(number, ((column.name, pa.array(texts, pa.string())),), facts)


def _widths(column: TypedColumn, spans: Sequence[Ends | None], *, are_values: bool) -> list[float]:
    """Return the share of the domain that each interval covers, told by nothing but what is published.

    A domain that nobody declared is that of the published ends: one that reached as far as a value hidden by a snapped
    end, or by a mix with missing, would let that value be solved for.  An open side may reach anywhere: it costs all.
    are_values: whether all ends are values of the column.
    """
    published = [span for span in spans if span is not None]
    lows = [span.low for span in published if span.low is not None]
    highs = [span.high for span in published if span.high is not None]
    places: Callable[[Ends], tuple[float, float]] = _own_places
    if column.ends is None and lows + highs:
        least, greatest = min(lows + highs), max(lows + highs)
        if least != column.points[0] or greatest != column.points[-1]:
            places = _places_between(column, lows + highs, least, greatest, are_values)
    widths = []
    for span in spans:
        if span is None or span.low is None or span.high is None:
            widths.append(1.0)
            continue
        low, high = places(span)
        widths.append(min(max(high - low, 0.0), 1.0))
    return widths


def _own_places(span: Ends) -> tuple[float, float]:
    return span.low_position, span.high_position


def _places_between(
    column: TypedColumn, points: Sequence[Any], least: Any, greatest: Any, are_values: bool
) -> Callable[[Ends], tuple[float, float]]:
    """Return where the ends of an interval lie in 0..1 between the least and the greatest published point."""
    if are_values:
        distinct = np.unique(np.array(points, column.points.dtype))
        found = scale_positions(distinct, (least, greatest)).tolist()
        place = dict(zip((as_plain(point) for point in distinct), found, strict=True))
    else:
        place = {point: on_grid(point, (least, greatest))[1] for point in map(as_plain, points)}
    return lambda span: (place[as_plain(span.low)], place[as_plain(span.high)])


def _interval_texts(column: TypedColumn, spans: Sequence[Ends | None]) -> list[str | None]:
    """Return how intervals are written; None in the place of none."""
    points = [point for span in spans if span is not None for point in (span.low, span.high) if point is not None]
    written = iter(column.texts(points))
    are_labels = column.type == "ordered"
    mark = column.decimal if column.type == "numeric" else "."

    def text(span: Ends) -> str:
        low, high = (None if point is None else next(written) for point in (span.low, span.high))
        if low is not None and high is not None:
            return write_interval(low, high, labels=are_labels, decimal=mark)
        if high is not None:
            return write_bound("<=", high, labels=are_labels)
        return ANY if low is None else write_bound(">=", low, labels=are_labels)

    return [None if span is None else text(span) for span in spans]


def _points_array(column: TypedColumn, points: Sequence[Any], *, up: bool = False) -> pa.Array:
    """Return points as an Arrow array of the column's own type, as text where that cannot hold a declared end.

    A declared end between two ticks of the column's clock is moved outwards (`up`: to the later one).
    """
    kind: Any = column.arrow
    if pa.types.is_date(kind):
        days = [None if point is None else int(point) // DAY for point in points]
        return pa.array(days, pa.int32()).cast(pa.date32())
    if pa.types.is_timestamp(kind):
        unit = NANOSECONDS[kind.unit]
        ticks = [None if point is None else -(-int(point) // unit) if up else int(point) // unit for point in points]
        pairs = [(point, tick) for point, tick in zip(points, ticks, strict=True) if tick is not None]
        if not any(point < _YEAR_10000 <= tick * unit for point, tick in pairs):
            return pa.array(ticks, pa.int64()).cast(kind)
        kind = pa.string()  # the next tick is of a year that cannot be written: the end as it stands
    plain = [as_plain(point) for point in points]
    if pa.types.is_integer(kind) and any(isinstance(point, float) for point in plain):  # thresholds between them
        kind = pa.float64() if all(point is None or abs(point) < 2**53 for point in plain) else pa.string()
    is_cut = pa.types.is_integer(kind) and any(isinstance(point, Decimal) for point in plain)  # Arrow drops fractions
    with contextlib.suppress(pa.ArrowException, OverflowError, TypeError, ValueError):
        if not is_cut:
            return pa.array(plain, kind)
    return pa.array([None if point is None else column.text(point) for point in plain], pa.string())
