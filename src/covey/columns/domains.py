"""The domain of a quasi column: what the distinct values of each type are, in which order and how far apart."""

from __future__ import annotations

import math
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.schema import Column, date_ends, number_ends
from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.base.errors import InputError
from covey.columns.proposal import is_text
from covey.columns.values import Number, parse_date, parse_number, write_date, write_number, zone_named

__all__ = ["DAY", "NANOSECONDS", "Domain", "read_domain", "scale_positions"]

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
DAY = 86_400 * 10**9
_FIRST, _LAST = -719_162 * DAY, 2_932_897 * DAY - 1  # from 0001-01-01 to the end of 9999-12-31


_DIGITS = 6  # how many digits after the point decimals are looked for
_OFFSET = re.compile(r"(Z|[-+]\d\d:?\d\d)\s*$")


@dataclass(frozen=True, slots=True)
class Domain:
    """What a reader made of the distinct values: points in order, and the rank of each distinct value."""

    points: Any
    rank: IntVector
    fault: BoolVector
    fault_code: str = ""
    fault_text: str = ""
    fault_hint: str = ""
    is_nan: BoolVector = None  # type: ignore[assignment]
    positions: FloatVector | None = None
    taxonomy: Any = None
    zone: str | None = None
    arrow: pa.DataType | None = None
    ends: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        if self.is_nan is None:
            object.__setattr__(self, "is_nan", np.zeros(len(self.rank), bool))


def read_domain(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return what the distinct values of a column are; the faulty ones are marked, not raised."""
    reader = _read_tree if column.taxonomy is not None else _READERS[column.type or "categorical"]
    return reader(column, distinct, decimal)


def _read_numeric(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    numbers, fault, kind = _numbers(distinct, decimal)
    is_nan = np.zeros(len(numbers), bool)
    if numbers.dtype == np.float64:
        is_nan = np.isnan(numbers) & ~fault
        infinite = np.isinf(numbers)
        if infinite.any():
            return _faulty(infinite, "infinite", "that {are} infinite", "an infinity has no place in a domain")
    if fault.any():
        return _faulty(
            fault,
            "not-a-number",
            "that {are} no number",
            _number_hint(column, distinct, decimal),
        )
    points, rank = _ranked(numbers, is_nan)
    ends = _comparable(number_ends(column), kind)
    outside = _outside(points, rank, ends, is_nan)
    if outside.any():
        return _outside_domain(outside)
    return Domain(points, rank, outside, is_nan=is_nan, positions=scale_positions(points, ends), arrow=kind, ends=ends)


def _number_hint(column: Column, distinct: pa.Array, decimal: str) -> str:
    """Return what to do about texts that are no numbers: they may be, with the other decimal mark."""
    other = "," if decimal == "." else "."
    if is_text(distinct.type) and all(parse_number(text, other) is not None for text in distinct.to_pylist()):
        return f"they are numbers with the decimal mark `{other}`: give --decimal {other}"
    return f"declare what stands for missing (na), or give `{column.name}` the type categorical"


def _numbers(distinct: pa.Array, decimal: str) -> tuple[Any, BoolVector, pa.DataType]:
    """Return (numbers, which are none, Arrow type): int64, float64, or exact Python objects."""
    kind = distinct.type
    none = np.zeros(len(distinct), bool)
    if pa.types.is_boolean(kind):
        return distinct.cast(pa.int8()).to_numpy().astype(np.int64), none, pa.int64()
    if pa.types.is_floating(kind):
        return distinct.cast(pa.float64()).to_numpy(zero_copy_only=False) + 0.0, none, pa.float64()
    if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return distinct.to_numpy(zero_copy_only=False).astype(np.int64), none, pa.int64()
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return np.array(distinct.to_pylist(), dtype=object), none, kind
    if not is_text(kind):
        return np.zeros(len(distinct)), ~none, kind
    return _numbers_in_text(distinct, decimal)


def _numbers_in_text(distinct: pa.Array, decimal: str) -> tuple[Any, BoolVector, pa.DataType]:
    # small whole numbers, by far the most common, are cast at once; all else goes through the one parser
    if bool(pc.all(pc.match_substring_regex(distinct, r"^-?\d{1,18}$")).as_py()):
        return distinct.cast(pa.int64()).to_numpy(), np.zeros(len(distinct), bool), pa.int64()
    parsed = [parse_number(text, decimal) for text in distinct.to_pylist()]
    fault = np.array([value is None for value in parsed], bool)
    known = [0 if value is None else value for value in parsed]
    is_whole = all(isinstance(value, int) for value in known)
    if is_whole and all(-(2**63) <= value < 2**63 for value in known):
        return np.array(known, np.int64), fault, pa.int64()
    if is_whole or any(isinstance(value, Decimal) or _is_cut(value) for value in known):  # floats would round them
        exact = [_as_written(value) for value in known]
        return _objects(exact), fault, _decimal_type(exact)
    return np.array(known, np.float64) + 0.0, fault, pa.float64()


def _is_cut(value: Number) -> bool:
    """Return whether the float beside a whole number is another number."""
    return isinstance(value, int) and Decimal(repr(float(value))) != value


def _objects(values: Sequence[Any]) -> Any:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _decimal_type(values: Sequence[int | Decimal]) -> pa.DataType:
    """Return the Arrow type of exact numbers, text where they have too many digits for any."""
    texts = [write_number(value).lstrip("-").partition(".") for value in values]
    places = max((len(text[2]) for text in texts), default=0)
    digits = max((len(text[0]) for text in texts), default=1)
    return pa.decimal256(76, places) if digits + places <= 76 else pa.string()


def _ranked(values: Any, leave_out: BoolVector) -> tuple[Any, IntVector]:
    """Return (sorted distinct points, rank of each value); values left out have rank 0."""
    rank = np.zeros(len(values), np.int64)
    points, inverse = np.unique(values[~leave_out], return_inverse=True)
    rank[~leave_out] = inverse
    return points, rank


def _comparable(ends: tuple[Number, Number] | None, kind: pa.DataType) -> tuple[Any, Any] | None:
    """Return declared ends as numbers of the column's own sort, so that 0.1 is 0.1 beside decimals and floats."""
    if ends is None:
        return None
    if pa.types.is_floating(kind):
        return _to_float(ends[0]), _to_float(ends[1])
    return _as_written(ends[0]), _as_written(ends[1])


def _as_written(number: Number) -> int | Decimal:
    """Return a declared float as the decimal that was written, 0.1 as one tenth."""
    if not isinstance(number, float):
        return number
    written = Decimal(repr(number))
    return int(written) if number.is_integer() else written


def _to_float(number: Number) -> float:
    """Return the nearest float, the greatest one for a whole number beyond them."""
    try:
        value = float(number)
    except OverflowError:
        value = math.inf if number > 0 else -math.inf
    return max(min(value, sys.float_info.max), -sys.float_info.max)


def _outside(points: Any, rank: IntVector, ends: tuple[Any, Any] | None, leave_out: BoolVector) -> BoolVector:
    """Return which values lie outside the ends; Python compares numbers of any sort exactly."""
    if ends is None:
        return np.zeros(len(rank), bool)
    first = bisect_left(points, ends[0], key=_exact)
    after = bisect_right(points, ends[1], key=_exact)
    return np.asarray(((rank < first) | (rank >= after)) & ~leave_out, dtype=bool)


def scale_positions(points: Any, ends: tuple[Any, Any] | None) -> FloatVector:
    """Return the place of each point in 0..1 of the domain, without overflow at either end of the scale."""
    if len(points) == 0:
        return np.zeros(0)
    low, high = (_exact(end) for end in ((points[0], points[-1]) if ends is None else ends))
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
        return np.array([float((_exact(point) - low) / (high - low)) for point in points])


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


def _exact(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _read_date(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    instants, fault, zone, kind = _instants(distinct)
    if fault.any():
        return _faulty(
            fault,
            "not-a-date",
            "that {are} no date of the form 2024-03-31",
            f"declare what stands for missing (na), or give `{column.name}` the type categorical",
        )
    mixed = _without_offset(distinct)
    if mixed.any():
        hint = "give every time an offset such as +01:00, or none"
        return _faulty(mixed, "mixed-offsets", "without an offset from UTC beside others that have one", hint)
    none = np.zeros(len(instants), bool)
    points, rank = _ranked(instants, none)
    ends = date_ends(column)
    outside = _outside(points, rank, ends, none)
    if outside.any():
        return _outside_domain(outside)
    return Domain(points, rank, outside, positions=scale_positions(points, ends), zone=zone, arrow=kind, ends=ends)


def _instants(distinct: pa.Array) -> tuple[Any, BoolVector, str | None, pa.DataType]:
    """Return (nanoseconds since 1970, which are none, time zone, Arrow type)."""
    kind = distinct.type
    none = np.zeros(len(distinct), bool)
    if pa.types.is_date(kind):
        unit = DAY if pa.types.is_date32(kind) else NANOSECONDS["ms"]
        ticks = [int(tick) * unit for tick in distinct.cast(pa.int32() if unit == DAY else pa.int64()).to_pylist()]
        fault = np.array([not _FIRST <= tick <= _LAST or tick % DAY != 0 for tick in ticks], bool)
        return _whole(ticks), fault, None, pa.date32()
    if pa.types.is_timestamp(kind):
        unit = NANOSECONDS[kind.unit]
        ticks = [int(tick) * unit for tick in distinct.cast(pa.int64()).to_pylist()]
        fault = np.array([not _FIRST <= tick <= _LAST for tick in ticks], bool)
        return _whole(ticks), fault, kind.tz, kind
    if not is_text(kind):
        return np.zeros(len(distinct), np.int64), ~none, None, kind
    texts = distinct.to_pylist()
    parsed = [parse_date(text) for text in texts]
    fault = np.array([value is None for value in parsed], bool)
    with_time = any(len(text.strip()) > 10 for text in texts)
    aware = any(_OFFSET.search(text[10:]) for text in texts)
    dates = [0 if value is None else value for value in parsed]
    zone = "UTC" if aware else None
    fits = all(-(2**63) < value < 2**63 for value in dates)
    return _whole(dates), fault, zone, pa.timestamp("ns" if fits else "us", zone) if with_time else pa.date32()


def _without_offset(distinct: pa.Array) -> BoolVector:
    """Return which texts tell no offset from UTC, where others do: they cannot be put in one order."""
    if not is_text(distinct.type):
        return np.zeros(len(distinct), bool)
    plain = np.array([not _OFFSET.search(text[10:]) for text in distinct.to_pylist()], bool)
    return np.zeros(len(plain), bool) if plain.all() else plain


def _whole(values: Sequence[int]) -> Any:
    fits = all(-(2**62) <= value < 2**62 for value in values)
    return np.array(values, np.int64) if fits else np.array(values, object)


def _labels(distinct: pa.Array) -> list[str]:
    """Return the text of each distinct value, as it is written in a release."""
    kind = distinct.type
    if is_text(kind):
        return [str(text) for text in distinct.to_pylist()]
    if pa.types.is_boolean(kind):
        return ["true" if value else "false" for value in distinct.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return [write_number(value) for value in distinct.to_pylist()]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        instants, fault, zone, _ = _instants(distinct)
        # a year beyond 9999 cannot be written as a date; as a mere label it is its count of nanoseconds
        return [
            str(int(value)) if odd else write_date(int(value), zone_named(zone))
            for value, odd in zip(instants, fault, strict=True)
        ]
    return [str(value) for value in distinct.to_pylist()]


def _nan_mask(distinct: pa.Array) -> BoolVector:
    if pa.types.is_floating(distinct.type):
        return np.asarray(np.isnan(distinct.cast(pa.float64()).to_numpy(zero_copy_only=False)), bool)
    return np.zeros(len(distinct), bool)


def _read_flat(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    labels, is_nan = _labels(distinct), _nan_mask(distinct)
    if column.domain is not None:
        return _in_listed(column.domain, labels, is_nan)
    ordered = _natural_order({label for label, nan in zip(labels, is_nan, strict=True) if not nan}, distinct)
    number = {label: i for i, label in enumerate(ordered)}
    rank = np.array([number.get(label, 0) for label in labels], np.int64)
    return Domain(tuple(ordered), rank, np.zeros(len(labels), bool), is_nan=is_nan)


def _natural_order(labels: set[str], distinct: pa.Array) -> list[str]:
    """Return labels sorted: codes that are numbers by value, all else as text."""
    kind = distinct.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return sorted(labels, key=lambda label: (parse_number(label) or 0, label))
    return sorted(labels)


def _in_listed(listed: Sequence[str], labels: Sequence[str], is_nan: BoolVector) -> Domain:
    number = {label: i for i, label in enumerate(listed)}
    outside = np.array([label not in number for label in labels], bool) & ~is_nan
    if outside.any():
        return _outside_domain(outside)
    rank = np.array([number.get(label, 0) for label in labels], np.int64)
    return Domain(tuple(listed), rank, outside, is_nan=is_nan)


def _read_boolean(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    domain = _read_flat(column, distinct, decimal)
    if len(domain.points) > 2:
        raise InputError(
            f"column `{column.name}` is declared boolean but holds {len(domain.points):,} different values",
            code="not-boolean",
            hint=f"give `{column.name}` the type categorical",
        )
    return domain


def _read_ordered(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    order = column.order or ()
    domain = _in_listed(order, _labels(distinct), _nan_mask(distinct))
    if domain.fault.any():
        return domain
    steps = np.arange(len(order)) / max(len(order) - 1, 1)
    ends = (order[0], order[-1])
    return Domain(order, domain.rank, domain.fault, is_nan=domain.is_nan, positions=steps, arrow=pa.string(), ends=ends)


def _read_tree(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    labels, is_nan = _tree_labels(column, distinct, decimal), _nan_mask(distinct)
    present = [label for label, nan in zip(labels, is_nan, strict=True) if not nan]
    assert column.taxonomy is not None
    taxonomy = column.taxonomy.bind(present)
    leaf = [taxonomy.index(label) for label in labels]
    gap = np.array([number is None for number in leaf], bool) & ~is_nan
    if gap.any():
        return _faulty(
            gap,
            "taxonomy-gap",
            f"that the taxonomy `{taxonomy.name}` does not have",
            "add the missing leaves; `covey taxonomy lint` with `--column` lists them",
        )
    rank = np.array([number or 0 for number in leaf], np.int64)
    return Domain(taxonomy.leaves, rank, gap, is_nan=is_nan, taxonomy=taxonomy)


def _tree_labels(column: Column, distinct: pa.Array, decimal: str) -> list[str]:
    """Return the leaves that the values stand for: numbers and dates in their canonical text."""
    if is_text(distinct.type) and column.type == "numeric":
        parsed = [parse_number(text, decimal) for text in distinct.to_pylist()]
        return [
            text if number is None else write_number(number)
            for text, number in zip(distinct.to_pylist(), parsed, strict=True)
        ]
    return _labels(distinct)


def _faulty(fault: BoolVector, code: str, text: str, hint: str) -> Domain:
    return Domain((), np.zeros(len(fault), np.int64), fault, code, text, hint)


def _outside_domain(fault: BoolVector) -> Domain:
    return _faulty(
        fault,
        "outside-domain",
        "outside the declared domain",
        "widen the domain or the order, or correct the table",
    )


_READERS = {
    "numeric": _read_numeric,
    "date": _read_date,
    "ordered": _read_ordered,
    "categorical": _read_flat,
    "boolean": _read_boolean,
}
