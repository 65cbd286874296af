"""From classes to released columns: one shared description per class and column (DESIGN: released values)."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.base.errors import InputError
from covey.codes.encode import ClassSummary, Codes, class_sets, column_prices, merge_rows, summarise
from covey.codes.windows import Cover, window_boxes, window_sets
from covey.columns.descriptions import Descriptions
from covey.columns.domains import DAY, NANOSECONDS, scale_positions
from covey.columns.thresholds import parting
from covey.columns.typed import TypedColumn
from covey.columns.values import ANY, Number, write_bound, write_interval, write_label, write_set

__all__ = ["ENDS", "RELEASES", "Recoding", "output_names", "recode", "recode_windows"]

_YEAR_10000 = 2932897 * DAY
RELEASES = ("interval", "node", "bounds", "centre")
ENDS = ("exact", "snapped")
_MOST_WORDS = 1 << 23  # of sets of values that are held at once, 8 bytes each


@dataclass(frozen=True, slots=True)
class Recoding:
    """The released quasi columns and what they cost; classes with the same released tuple are one."""

    columns: dict[str, tuple[tuple[str, pa.Array], ...]]
    """For each quasi column the columns published for it: (name, a value for every row)."""
    labels: IntVector
    """(n,) int64: the class of each row, as published."""
    sizes: IntVector
    """(c,) int64: the rows of each class."""
    prices: FloatVector
    """(p, c) float64: what each released cell costs, 0 to 1 (Total-IL)."""
    shares: FloatVector
    """(p, c) float64: the share of the domain that each released cell covers, 0 for one value (NCP)."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """What is published for one column: a number of a distinct cell for every class, and the cells.

    Two classes have the same number if and only if the same is published for both.
    """

    number: IntVector
    """(c,) int64."""
    published: tuple[tuple[str, pa.Array], ...]
    """The columns published: (name, its distinct cells)."""
    prices: FloatVector
    """(c,) float64."""
    shares: FloatVector
    """(c,) float64."""


def output_names(name: str, is_ordered: bool, release: str) -> tuple[str, ...]:
    """Return the names of the columns that a quasi column is published as."""
    return (f"{name}_min", f"{name}_max") if release == "bounds" and is_ordered else (name,)


def recode(
    columns: Sequence[TypedColumn],
    codes: Codes,
    labels: IntVector,
    *,
    k: int,
    release: str = "interval",
    ends: str = "exact",
    told: Descriptions | None = None,
) -> Recoding:
    """Return what is published of the quasi columns, given the class of every row.

    told: what is said of the classes in place of the least boxes around their rows; centres do not go with it.
    """
    labels = np.asarray(labels, np.int64)
    if told is not None:
        return _published(columns, _told(columns, told.of_classes(labels), k, release, ends), labels)
    if release != "centre":
        return _published(columns, _describe(columns, codes, labels, k, release, ends), labels)
    centres = _published(columns, [_centres(column, labels) for column in columns], labels)
    # a centre does not say how far its class reaches, so it costs what an interval would
    reach = _describe(columns, codes, centres.labels, k, "interval", "exact")
    return replace(
        centres,
        prices=np.stack([part.prices for part in reach]),
        shares=np.stack([part.shares for part in reach]),
    )


def recode_windows(
    columns: Sequence[TypedColumn],
    codes: Codes,
    cover: Cover,
    *,
    k: int,
    release: str = "interval",
    ends: str = "exact",
) -> Recoding:
    """Return what is published of the quasi columns where every row is released with a window of k rows.

    Rows with the same released tuple count as one class, which may have fewer than k rows.
    Raises `InputError` for centres, which do not say what they cover.
    """
    if release == "centre":
        raise InputError(
            "centres do not say which rows they cover, so windows that overlap cannot be published as centres",
            code="bad-parameter",
            hint='give release="interval", "node" or "bounds", or another algorithm',
        )

    def kinds_of_sets(column: TypedColumn) -> tuple[IntVector, IntMatrix]:
        return _window_sets(column, cover, k)

    boxes = window_boxes(codes, cover, k)
    return _published(columns, _cells_of(columns, boxes, kinds_of_sets, k, release, ends), cover.windows)


def _published(columns: Sequence[TypedColumn], cells: Sequence[_Cells], labels: IntVector) -> Recoding:
    """Return what is published, given the cells of every class (or window) and the one that each row has."""
    published = _merge_equal(np.stack([part.number for part in cells]))
    merged = published[labels]
    sizes = np.bincount(merged)
    one = _first_of_each(published, len(sizes))
    return Recoding(
        columns={
            column.name: tuple((name, _spread(values, part.number, labels)) for name, values in part.published)
            for column, part in zip(columns, cells, strict=True)
        },
        labels=merged,
        sizes=sizes,
        prices=np.stack([part.prices[one] for part in cells]),
        shares=np.stack([part.shares[one] for part in cells]),
    )


def _spread(values: pa.Array, number: IntVector, labels: IntVector) -> pa.Array:
    """Return the cell of every row: text stays a dictionary of its few distinct cells."""
    if not pa.types.is_string(values.type):
        return values.take(pa.array(number[labels]))
    empty = np.asarray(values.is_null().to_numpy(zero_copy_only=False), bool)[number]
    indices = number.astype(np.int32)[labels]
    mask = empty[labels] if empty.any() else None
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=mask), values.fill_null(""))


def _merge_equal(numbers: IntMatrix) -> IntVector:
    """Return the published class of each class: those with the same number in every row of (p, c) are one."""
    return merge_rows(numbers, numbers.max(axis=1, initial=0) + 1)[2]


def _first_of_each(published: IntVector, n_published: int) -> IntVector:
    """Return the first class of each published class; all of them have the same cells, so the same prices."""
    first = np.zeros(n_published, np.int64)
    first[published[::-1]] = np.arange(len(published))[::-1]
    return first


def _describe(
    columns: Sequence[TypedColumn], codes: Codes, labels: IntVector, k: int, release: str, ends: str
) -> list[_Cells]:
    """Return the cells that cover each class, column by column."""
    boxes = summarise(codes, labels)

    def kinds_of_sets(column: TypedColumn) -> tuple[IntVector, IntMatrix]:
        return _distinct_sets(class_sets(column.codes, column.size, labels, len(boxes.sizes)))

    return _cells_of(columns, boxes, kinds_of_sets, k, release, ends)


def _told(columns: Sequence[TypedColumn], classes: Descriptions, k: int, release: str, ends: str) -> list[_Cells]:
    """Return the cells of classes that are told by what they admit; what admits every value is `*`."""
    if release == "centre":
        raise InputError(
            "centres are made from the values of a class, and its description has none",
            code="bad-parameter",
            hint='give release="interval", "node" or "bounds", or leave out `equivalent`',
        )
    place = {column.name: j for j, column in enumerate(columns)}

    def kinds_of_sets(column: TypedColumn) -> tuple[IntVector, IntMatrix]:
        return _distinct_sets(classes.sets[place[column.name]])

    return _cells_of(columns, classes, kinds_of_sets, k, release, ends, is_told=True)


def _cells_of(
    columns: Sequence[TypedColumn],
    boxes: ClassSummary | Descriptions,
    kinds_of_sets: Callable[[TypedColumn], tuple[IntVector, IntMatrix]],
    k: int,
    release: str,
    ends: str,
    is_told: bool = False,
) -> list[_Cells]:
    """Return the cells that cover each box, column by column.

    kinds_of_sets: for a column without order or tree, (kind of the set of values in each box, the distinct sets).
    """
    cells = []
    for j, column in enumerate(columns):
        low, high = boxes.low[:, j], boxes.high[:, j]
        whole = column.size if is_told else None
        if column.is_tree:
            cells.append(_nodes(column, low, high, whole))
        elif not column.is_flat:
            cells.append(_intervals(column, low, high, k, release, ends, whole))
        elif release == "node":
            number, pairs = _distinct_pairs(low, high, column.size)
            members = [[lo] if lo == hi else list(range(column.size)) for lo, hi in pairs]
            cells.append(_sets(column, number, members, whole))
        else:
            number, sets = kinds_of_sets(column)
            cells.append(_sets(column, number, [_members(words) for words in sets], whole))
    return cells


def _distinct_pairs(low: IntVector, high: IntVector, size: int) -> tuple[IntVector, list[tuple[int, int]]]:
    """Return (number of each class's pair, the distinct pairs of ends)."""
    keys, number = np.unique(low * size + high, return_inverse=True)
    return number, [(int(key) // size, int(key) % size) for key in keys]


def _cells(
    number: IntVector, published: tuple[tuple[str, pa.Array], ...], facts: Sequence[tuple[float, float]]
) -> _Cells:
    """Return the cells of a column from the (price, share) of each candidate; candidates that read alike are one.

    Different candidates read alike where several runs of leaves have one ancestor, where ends snap to the
    same values, and where a mix with missing is `*`.
    """
    table = np.array(facts, np.float64).reshape(-1, 2)
    alike = _merge_equal(np.stack([_distinct_cells(values)[1] for _, values in published]))
    first = pa.array(_first_of_each(alike, int(alike.max(initial=-1)) + 1))
    fewer = tuple((name, values.take(first)) for name, values in published)
    return _Cells(alike[number], fewer, table[number, 0], table[number, 1])


def _alone(column: TypedColumn, code: int, nodes: Collection[str] = ()) -> str | None:
    """Return how one value is written where it stands alone; `nodes` are the written names it must not have."""
    if code < column.n_missing:
        return column.missing_text(code)
    plain = column.label(code)
    if column.type in ("numeric", "date") and not column.is_tree:
        return plain
    return write_label(plain, nodes=nodes, ordered=column.type == "ordered")


# --- trees and flat sets -----------------------------------------------------------------------------------


def _nodes(column: TypedColumn, low: IntVector, high: IntVector, whole: int | None = None) -> _Cells:
    """Return the cells of a tree; so many codes as are the `whole` are `*`, even if they are a node below the root."""
    number, pairs = _distinct_pairs(low, high, column.size)
    taxonomy, missing = column.taxonomy, column.n_missing
    ends = np.array(pairs, np.int64)
    prices = column_prices(column, ends[:, 0], ends[:, 1])
    inner = frozenset(taxonomy.inner)
    texts: list[str | None] = []
    facts = []
    for (lo, hi), price in zip(pairs, prices, strict=True):
        if hi - lo + 1 == whole or (lo < missing and lo < hi):
            texts.append(ANY)
            facts.append((1.0, 1.0))
        elif lo == hi:
            texts.append(_alone(column, lo, inner))
            facts.append((0.0, 0.0))
        else:
            node = taxonomy.ancestor(lo - missing, hi - missing)
            below = taxonomy.below(node)
            texts.append(node)
            facts.append((float(price), len(below) / len(taxonomy.leaves)))
    return _cells(number, ((column.name, pa.array(texts, pa.string())),), facts)


def _sets(column: TypedColumn, number: IntVector, members: Sequence[Sequence[int]], whole: int | None = None) -> _Cells:
    """Return the cells of a column without order or tree, from the kind of each class's set and the kinds' codes."""
    texts: list[str | None] = []
    facts = []
    for codes in members:
        if len(codes) == 1 and whole != 1:
            texts.append(_alone(column, codes[0]))
            facts.append((0.0, 0.0))
        elif codes[0] < column.n_missing or len(codes) >= len(column.points):
            texts.append(ANY)
            facts.append((1.0, 1.0))
        else:
            texts.append(write_set([column.label(code) for code in codes]))
            facts.append((1.0, len(codes) / len(column.points)))
    return _cells(number, ((column.name, pa.array(texts, pa.string())),), facts)


def _distinct_sets(words: IntMatrix) -> tuple[IntVector, IntMatrix]:
    """Return (the kind of each set, one set of each kind); each word is ranked first, which is quick."""
    ranks = np.stack([np.unique(word, return_inverse=True)[1] for word in words.T])
    _, counts, kind = merge_rows(ranks, ranks.max(axis=1, initial=0) + 1)
    first = np.zeros(len(counts), np.int64)
    first[kind] = np.arange(len(kind))
    return kind, words[first]


def _window_sets(column: TypedColumn, cover: Cover, k: int) -> tuple[IntVector, IntMatrix]:
    """Return (the kind of each window's set of values, one set of each kind), some rings at a time to save memory."""
    n = len(cover.order)
    most = max(_MOST_WORDS // ((column.size + 63) // 64), 1)
    chunk = (cover.starts[1:] - 1) // most
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(chunk)) + 1, [len(chunk)]])
    kinds: IntVector = np.empty(n, np.int64)
    found: list[IntMatrix] = []
    n_found = 0
    for first, last in itertools.pairwise(bounds.tolist()):
        begin, end = int(cover.starts[first]), int(cover.starts[last])
        rings = Cover(cover.order[begin:end], cover.starts[first : last + 1] - begin, cover.windows)
        kind, sets = _distinct_sets(window_sets(column.codes, column.size, rings, k))
        kinds[begin:end] = kind + n_found
        found.append(sets)
        n_found += len(sets)
    kind, sets = _distinct_sets(np.concatenate(found))
    return kind[kinds], sets


def _members(words: IntVector) -> list[int]:
    """Return the codes whose bits are set."""
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
    return [int(code) for code in np.flatnonzero(bits)]


# --- intervals ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ends:
    """The published ends of one interval: points (None is open), and the places they are priced at."""

    low: Any
    high: Any
    low_position: float
    high_position: float


def _intervals(
    column: TypedColumn,
    low: IntVector,
    high: IntVector,
    k: int,
    release: str,
    ends: str,
    whole: int | None = None,
) -> _Cells:
    number, pairs = _distinct_pairs(low, high, column.size)
    published_ends = _snapper(column, k) if ends == "snapped" else _exact_ends(column)
    if whole is not None:
        published_ends = _told_ends(column, published_ends, ends)
    found: list[_Ends | None] = []
    texts: list[str | None] = []
    missing: list[tuple[float, float]] = []
    for lo, hi in pairs:
        is_any = lo != hi or whole == 1
        if lo < column.n_missing or hi - lo + 1 == whole:
            found.append(None)
            texts.append(ANY if is_any else _alone(column, lo))
        else:
            span = published_ends(lo, hi)
            found.append(span)
            is_one = span.low is not None and span.low == span.high
            texts.append(_interval_text(column, span, _alone(column, lo) if is_one else None))
        missing.append((1.0, 1.0) if is_any or release == "bounds" else (0.0, 0.0))
    widths = _widths(column, found, are_values=whole is None and column.grid is None)
    facts = [
        absent if span is None else (width, width)
        for absent, span, width in zip(missing, found, widths, strict=True)
    ]  # fmt: skip
    if release == "bounds":
        names = output_names(column.name, True, release)
        lows = _points_array(column, [None if span is None else span.low for span in found])
        highs = _points_array(column, [None if span is None else span.high for span in found], up=True)
        return _cells(number, ((names[0], lows), (names[1], highs)), facts)
    return _cells(number, ((column.name, pa.array(texts, pa.string())),), facts)


def _widths(column: TypedColumn, spans: Sequence[_Ends | None], *, are_values: bool) -> list[float]:
    """Return the share of the domain that each interval covers, told by nothing but what is published.

    A domain that nobody declared is that of the published ends: one that reached as far as a value hidden by a snapped
    end, or by a mix with missing, would let that value be solved for.  An open side may reach anywhere: it costs all.
    are_values: whether all ends are values of the column.
    """
    published = [span for span in spans if span is not None]
    lows = [span.low for span in published if span.low is not None]
    highs = [span.high for span in published if span.high is not None]
    places: Callable[[_Ends], tuple[float, float]] = _own_places
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


def _own_places(span: _Ends) -> tuple[float, float]:
    return span.low_position, span.high_position


def _places_between(
    column: TypedColumn, points: Sequence[Any], least: Any, greatest: Any, are_values: bool
) -> Callable[[_Ends], tuple[float, float]]:
    """Return where the ends of an interval lie in 0..1 between the least and the greatest published point."""
    if are_values:
        distinct = np.unique(np.array(points, column.points.dtype))
        found = scale_positions(distinct, (least, greatest)).tolist()
        place = dict(zip((_plain(point) for point in distinct), found, strict=True))
    else:
        low, width = Fraction(_plain(least)), Fraction(_plain(greatest)) - Fraction(_plain(least))
        place = {
            point: float((Fraction(point) - low) / width) if width else 0.0 for point in {_plain(one) for one in points}
        }
    return lambda span: (place[_plain(span.low)], place[_plain(span.high)])


def _interval_text(column: TypedColumn, span: _Ends, alone: str | None) -> str:
    if alone is not None:
        return alone
    labels = column.type == "ordered"
    if span.low is None and span.high is None:
        return ANY
    if span.low is None or span.high is None:
        sign, end = ("<=", span.high) if span.low is None else (">=", span.low)
        return write_bound(sign, column.text(end), labels=labels)
    mark = column.decimal if column.type == "numeric" else "."
    return write_interval(column.text(span.low), column.text(span.high), labels=labels, decimal=mark)


def _exact_ends(column: TypedColumn) -> Callable[[int, int], _Ends]:
    missing = column.n_missing
    positions = column.positions
    assert positions is not None

    def ends(lo: int, hi: int) -> _Ends:
        a, b = lo - missing, hi - missing
        return _Ends(column.points[a], column.points[b], float(positions[a]), float(positions[b]))

    return ends


def _snapper(column: TypedColumn, k: int) -> Callable[[int, int], _Ends]:
    """Return how ends move outwards to values that at least k rows share, so that no end is one person's."""
    missing = column.n_missing
    points, positions = column.points, column.positions
    assert positions is not None
    shared = np.flatnonzero(np.bincount(column.codes, minlength=column.size)[missing:] >= k)
    domain = column.ends or (points[0], points[-1]) if len(points) else (0, 0)

    def ends(lo: int, hi: int) -> _Ends:
        a, b = lo - missing, hi - missing
        if a == b:
            return _Ends(points[a], points[b], float(positions[a]), float(positions[b]))
        below = int(np.searchsorted(shared, a, side="right")) - 1
        above = int(np.searchsorted(shared, b, side="left"))
        low = (points[shared[below]], float(positions[shared[below]])) if below >= 0 else (None, 0.0)
        high = (points[shared[above]], float(positions[shared[above]])) if above < len(shared) else (None, 1.0)
        if column.grid is not None:  # its multiples alone: a shared value between them would tell more than was asked
            low = _on_grid(grid_point(points[a], column.grid), domain)
            high = _on_grid(grid_point(points[b], column.grid, up=True), domain)
        if column.ends is not None:
            low = low if low[0] is not None else (column.ends[0], 0.0)
            high = high if high[0] is not None else (column.ends[1], 1.0)
        return _Ends(low[0], high[0], low[1], high[1])

    return ends


def _told_ends(column: TypedColumn, inside: Callable[[int, int], _Ends], ends: str) -> Callable[[int, int], _Ends]:
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

    def told(lo: int, hi: int) -> _Ends:
        span = inside(lo, hi)
        if lo == hi and ends == "snapped":  # a value that k rows have
            return span
        span = replace(span, low=least, low_position=0.0) if lo == first else span
        return replace(span, high=greatest, high_position=1.0) if hi == last else span

    return told


def _thresholds(column: TypedColumn) -> Callable[[int, int], _Ends]:
    """Return how ends move outwards to a threshold before the next value, that nobody has."""
    points, n_missing = [_plain(point) for point in column.points], column.n_missing
    domain = column.ends or (points[0], points[-1])
    is_date = column.type == "date"

    def ends(lo: int, hi: int) -> _Ends:
        a, b = lo - n_missing, hi - n_missing
        low = parting(points[a - 1], points[a], is_date=is_date)[1] if a > 0 else points[a]
        high = parting(points[b], points[b + 1], is_date=is_date)[0] if b + 1 < len(points) else points[b]
        return _Ends(low, high, _on_grid(low, domain)[1], _on_grid(high, domain)[1])

    return ends


def grid_point(point: Any, step: Number, *, up: bool = False) -> Number:
    """Return the greatest multiple of `step` that is not above a point, or `up` the least that is not below it.

    >>> grid_point(37, 5), grid_point(37, 5, up=True), grid_point(-0.3, 0.25), grid_point(0.3, 0.1, up=True)
    (35, 40, -0.5, 0.3)
    """
    exact = Fraction(str(step)) if isinstance(step, float) else Fraction(step)
    value = Fraction(point.item() if isinstance(point, np.generic) else point)
    times = math.ceil(value / exact) if up else math.floor(value / exact)
    # 0.3 is a float just below 3 x 0.1: a multiple that prints as the point itself is the point itself
    for nearest in (round(value / exact), times):
        multiple = nearest * exact
        end = int(multiple) if multiple.denominator == 1 else float(multiple)
        if (end >= value) if up else (end <= value):
            return end
    # a decimal with more digits than a float holds: the whole number outside is one that nobody has
    return math.floor(times * exact) + (1 if up else 0)


def _on_grid(point: Number, domain: tuple[Any, Any]) -> tuple[Any, float]:
    """Return a point of the grid, and its place in the domain, by which it is priced."""
    low, width = Fraction(_plain(domain[0])), Fraction(_plain(domain[1])) - Fraction(_plain(domain[0]))
    place = (Fraction(point) - low) / width if width else Fraction(0)
    return point, float(min(max(place, Fraction(0)), Fraction(1)))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


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
    plain = [point.item() if isinstance(point, np.generic) else point for point in points]
    if pa.types.is_integer(kind) and any(isinstance(point, float) for point in plain):  # thresholds between them
        kind = pa.float64() if all(point is None or abs(point) < 2**53 for point in plain) else pa.string()
    is_cut = pa.types.is_integer(kind) and any(isinstance(point, Decimal) for point in plain)  # Arrow drops fractions
    with contextlib.suppress(pa.ArrowException, OverflowError, TypeError, ValueError):
        if not is_cut:
            return pa.array(plain, kind)
    return pa.array([None if point is None else column.text(point) for point in plain], pa.string())


# --- centres -----------------------------------------------------------------------------------------------


def _centres(column: TypedColumn, labels: IntVector) -> _Cells:
    """Return the centre of each class: the mean of numbers and dates, the median of declared orders, else the mode.

    They are priced once equal ones are merged, for two classes may share a centre and reach differently far.
    """
    n_classes = int(labels.max(initial=-1)) + 1
    is_number = column.type in ("numeric", "date") and not column.is_tree
    if is_number:
        values = _means(column, labels, n_classes)
    else:
        pick = _medians if column.type == "ordered" and not column.is_tree else _modes
        picked = pick(column, labels, n_classes)
        inner = frozenset(column.taxonomy.inner) if column.is_tree else frozenset()
        texts = {int(code): _alone(column, int(code), inner) for code in np.unique(picked)}
        values = pa.array([texts[int(code)] for code in picked], pa.string())
    cells, number = _distinct_cells(values)
    unpriced = np.zeros(n_classes)
    return _Cells(number, ((column.name, cells),), unpriced, unpriced)


def _distinct_cells(values: pa.Array) -> tuple[pa.Array, IntVector]:
    coded = values.dictionary_encode(null_encoding="encode")
    return coded.dictionary, coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def _means(column: TypedColumn, labels: IntVector, n_classes: int) -> pa.Array:
    """Return the mean of the values present in each class, null if there is none; of equal values, that value."""
    points = [point.item() if isinstance(point, np.generic) else point for point in column.points]
    present = column.codes >= column.n_missing
    owner, place = labels[present], column.codes[present].astype(np.int64) - column.n_missing
    order = np.argsort(owner, kind="stable")
    ends = np.cumsum(np.bincount(owner, minlength=n_classes)).tolist()
    places = place[order].tolist()
    # each class by itself and exactly: a far-off value elsewhere must not cost the others their digits
    centres = [
        _mean([points[at] for at in places[start:end]], column.type) if end > start else None
        for start, end in itertools.pairwise([0, *ends])
    ]
    if column.type == "date":
        unit = "ns" if all(-(2**63) < point < 2**63 for point in points[:1] + points[-1:]) else "us"
        ticks = [None if centre is None else centre // NANOSECONDS[unit] for centre in centres]
        return pa.array(ticks, pa.int64()).cast(pa.timestamp(unit, column.zone))
    return pa.array([None if centre is None else float(centre) for centre in centres], pa.float64())


def _mean(values: list[Any], kind: str) -> Any:
    """Return the mean of numbers or instants, rounded once or twice, whatever their sizes.

    >>> _mean([1e308, 1e308, -1e308, 3e307], "numeric") == 3.25e307
    True
    """
    if kind == "date":
        return round(Fraction(sum(values), len(values)))
    if values.count(values[0]) == len(values):
        return values[0]
    if all(isinstance(value, float) for value in values):
        with contextlib.suppress(OverflowError):  # the sum may leave the range of floats where the mean does not
            return math.fsum(values) / len(values)
    return float(sum(map(Fraction, values)) / len(values))


def _by_class(column: TypedColumn, labels: IntVector) -> tuple[IntVector, IntVector]:
    """Return (labels, codes) of all rows, sorted by class and then by code."""
    order = np.lexsort((column.codes, labels))
    return labels[order], column.codes[order].astype(np.int64)


def _medians(column: TypedColumn, labels: IntVector, n_classes: int) -> IntVector:
    """Return the lower median code of the values present in each class, the missing code if there is none."""
    classes, codes = _by_class(column, labels)
    starts = np.searchsorted(classes, np.arange(n_classes), side="left")
    stops = np.searchsorted(classes, np.arange(n_classes), side="right")
    absent = np.bincount(classes[codes < column.n_missing], minlength=n_classes)
    starts = np.where(absent < stops - starts, starts + absent, starts)
    return codes[starts + (stops - starts - 1) // 2]


def _modes(column: TypedColumn, labels: IntVector, n_classes: int) -> IntVector:
    """Return the most frequent code of each class, the lowest if several are."""
    keys, counts = np.unique(labels * column.size + column.codes, return_counts=True)
    order = np.lexsort((keys, -counts, keys // column.size))
    classes = keys[order] // column.size
    first = np.searchsorted(classes, np.arange(n_classes), side="left")
    return np.asarray(keys[order][first] % column.size)
