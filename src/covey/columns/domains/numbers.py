"""Numbers, typed or in text, exactly."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.schema import Column
from covey.base.arrays import BoolVector
from covey.base.hints import Asked, hint
from covey.columns.domains.domain import Domain, faulty_domain, scaled_domain
from covey.columns.values.parsing import Number, as_written, parse_number
from covey.columns.values.writing import write_number
from covey.tables.arrow_types import is_text

__all__ = ["read_numeric"]


def read_numeric(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return the domain of numbers, typed or in text with a decimal mark."""
    numbers, fault, kind = _numbers(distinct, decimal)
    is_nan = np.zeros(len(numbers), bool)
    if numbers.dtype == np.float64:
        is_nan = np.isnan(numbers) & ~fault
        infinite = np.isinf(numbers)
        if infinite.any():
            return faulty_domain(infinite, "infinite", "that {are} infinite", "an infinity has no place in a domain")
    if fault.any():
        return faulty_domain(fault, "not-a-number", "that {are} no number", _number_hint(column, distinct, decimal))
    return scaled_domain(numbers, is_nan, _comparable(column.domain, kind), kind)


def _number_hint(column: Column, distinct: pa.Array, decimal: str) -> str:
    """Return what to do about texts that are no numbers: they may be, with the other decimal mark."""
    other = "," if decimal == "." else "."
    if is_text(distinct.type) and all(parse_number(text, other) is not None for text in distinct.to_pylist()):
        words = "they are numbers with the decimal mark `{}`: turn them into numbers first, or for a CSV file give {}"
        return hint(words, other, Asked("decimal", other))
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
        exact = [as_written(value) for value in known]
        return np.array(exact, object), fault, _decimal_type(exact)
    return np.array(known, np.float64) + 0.0, fault, pa.float64()


def _is_cut(value: Number) -> bool:
    """Return whether the float beside a whole number is another number."""
    return isinstance(value, int) and as_written(float(value)) != value


def _decimal_type(values: Sequence[int | Decimal]) -> pa.DataType:
    """Return the Arrow type of exact numbers, text where they have too many digits for any."""
    texts = [write_number(value).lstrip("-").partition(".") for value in values]
    places = max((len(text[2]) for text in texts), default=0)
    digits = max((len(text[0]) for text in texts), default=1)
    return pa.decimal256(76, places) if digits + places <= 76 else pa.string()


def _comparable(ends: tuple[Number, Number] | None, kind: pa.DataType) -> tuple[Any, Any] | None:
    """Return declared ends as numbers of the column's own sort, so that 0.1 is 0.1 beside decimals and floats."""
    if ends is None:
        return None
    if pa.types.is_floating(kind):
        return _to_float(ends[0]), _to_float(ends[1])
    return as_written(ends[0]), as_written(ends[1])


def _to_float(number: Number) -> float:
    """Return the nearest float, the greatest one for a whole number beyond them."""
    try:
        value = float(number)
    except OverflowError:
        value = math.inf if number > 0 else -math.inf
    return max(min(value, sys.float_info.max), -sys.float_info.max)
