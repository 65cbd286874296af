"""The attributes that a trained model tests: public or private, their domains, and their values in a table.

Others know the public attributes of a person.  The domain of a private attribute is what a person may have as far
as others can tell: the values that the model or the table knows, or the numbers of a stated range.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds_of

from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.base.checks import bad_parameter, require_known
from covey.columns.kept import kept_column
from covey.mining.faults import bad_domain, not_a_number
from covey.tables import frames

__all__ = ["Attribute", "Kind", "as_texts", "check_public", "read_attribute", "value_text"]

Kind = Literal["category", "integer", "real"]
Domain = Sequence[Any]
"""(least, greatest) of a number, or the values of a category."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One attribute of a model, and what each row of a table has of it.

    >>> age = Attribute("age", is_public=False, kind="integer")
    >>> age.has_number_in(np.array([2.2, 2.2]), np.array([2.8, 3.1])).tolist()
    [False, True]
    """

    name: str
    is_public: bool
    kind: Kind
    values: tuple[str | None, ...] = ()
    """The values of a category as texts; missing (None) is one more value."""
    low: float = -math.inf
    high: float = math.inf
    """The range of a number."""
    may_be_missing: bool = False
    """Whether a number may be missing."""
    codes: IntVector | None = None
    """(n,) of a category: the place of each row's value among the values."""
    numbers: FloatVector | None = None
    """(n,) of a number; NaN if it is missing."""

    def has_number_in(self, above: FloatVector, upto: FloatVector) -> BoolVector:
        """Return whether the domain has a number in (above, upto], element by element."""
        least = np.nextafter(above, np.inf)
        low, high = self.low, min(self.high, np.finfo(float).max)
        if self.kind == "integer":
            least = np.maximum(least, np.floor(above) + 1)
            low, upto, high = math.ceil(low) if math.isfinite(low) else low, np.floor(upto), np.floor(high)
        return np.asarray(np.maximum(least, low) <= np.minimum(upto, high))


def check_public(public: Collection[str], table: Any) -> frozenset[str]:
    """Return the names of the public attributes; each must be a column of the table."""
    if isinstance(public, str):
        raise bad_parameter("`public` must be a list of column names, not one text", f"give public=[{public!r}]")
    require_known(public, frames.column_names(table), "there is no public column {} in the table")
    return frozenset(public)


def read_attribute(
    table: Any,
    name: str,
    *,
    is_public: bool,
    kind: Kind | None = None,
    is_number: bool | None = None,
    values: Collection[str | None] = (),
    domain: Domain | None = None,
) -> Attribute:
    """Return one attribute with its domain, and its values in the table.

    kind, is_number: what the attribute must be; if neither is given, columns of numbers and truth values are
    numbers.  A number is an integer if its column is, or if all its values are whole.  values: further values of
    a category, beside those of the table and the declared `domain`.

    >>> sex = read_attribute(pa.table({"sex": ["m", None, "f"]}), "sex", is_public=True)
    >>> sex.values, sex.codes.tolist()
    (('f', 'm', None), [1, 2, 0])
    >>> read_attribute(pa.table({"age": [34, 35]}), "age", is_public=False, domain=(0, 120)).high
    120.0
    """
    data = frames.to_arrow(table, [name]).column(0)
    value_type = data.type.value_type if kinds_of.is_dictionary(data.type) else data.type
    if kind not in (None, "category", "integer", "real"):
        raise bad_parameter(f"the kind of `{name}` must be category, integer or real", "for example {'age': 'integer'}")
    if is_number is None:
        is_number = _is_numeric(value_type) if kind is None else kind != "category"
    if not is_number:
        of_domain = () if domain is None else as_texts(list(domain)) or ()
        return _category(name, is_public, data, set(values), of_domain)
    if not _is_numeric(value_type):
        raise not_a_number(
            f"the model compares column `{name}` with numbers, but it holds {value_type}",
            "give the table that the model was trained on, with numbers where it had numbers",
        )
    numbers = _numbers(data)
    if kind is None:
        kind = "integer" if _is_whole(value_type, numbers) else "real"
    attribute = Attribute(name, is_public, kind, may_be_missing=bool(np.isnan(numbers).any()), numbers=numbers)
    if domain is not None:
        return _with_range(attribute, domain)
    return replace(attribute, low=0.0, high=1.0) if kinds_of.is_boolean(value_type) else attribute


def as_texts(values: Any) -> tuple[str | None, ...] | None:
    """Return values as the texts that a column of them has, missing as None; None if they are of several kinds.

    >>> as_texts(np.array([1.0, 2.5, np.nan])), as_texts([True, False]), as_texts(["a", None])
    (('1', '2.5', None), ('true', 'false'), ('a', None))
    >>> as_texts(np.array(["2024-03-31", "2024-03-31T12:30"], "datetime64[ns]"))
    ('2024-03-31', '2024-03-31 12:30:00')
    """
    try:
        array = _plain_dates(pa.array(values, from_pandas=True))
        if kinds_of.is_floating(array.type) and not kinds_of.is_float16(array.type):
            array = pc.add(array, pa.scalar(0.0, array.type))  # 0.0 and -0.0 are one value
        return tuple(array.cast(pa.string()).to_pylist())
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def value_text(value: str | None) -> str:
    """Return a value as it is shown."""
    return "missing" if value is None else value


def _is_numeric(kind: pa.DataType) -> bool:
    numeric = (kinds_of.is_integer, kinds_of.is_floating, kinds_of.is_boolean, kinds_of.is_decimal, kinds_of.is_null)
    return any(is_kind(kind) for is_kind in numeric)


def _is_whole(kind: pa.DataType, numbers: FloatVector) -> bool:
    if kinds_of.is_integer(kind) or kinds_of.is_boolean(kind):
        return True
    known = numbers[~np.isnan(numbers)]
    return bool(len(known) and np.isfinite(known).all() and (known == np.floor(known)).all())


def _numbers(data: pa.ChunkedArray) -> FloatVector:
    plain = data.cast(data.type.value_type) if kinds_of.is_dictionary(data.type) else data
    return np.asarray(plain.cast(pa.float64(), safe=False).to_numpy(), np.float64)


def _plain_dates(data: Any) -> Any:
    """Return dates and times as texts that are the same in every unit; other values as they are."""
    kind = data.type.value_type if kinds_of.is_dictionary(data.type) else data.type
    if not (kinds_of.is_date(kind) or (kinds_of.is_timestamp(kind) and kind.tz is None)):
        return data
    texts = data.cast(kind).cast(pa.string())
    without_zeros = pc.replace_substring_regex(texts, r"(\.\d*?)0+$", r"\1")
    return pc.replace_substring_regex(without_zeros, r"( 00:00:00)?\.?$", "")


def _category(
    name: str, is_public: bool, data: pa.ChunkedArray, of_model: set[str | None], of_domain: Collection[str | None]
) -> Attribute:
    column = kept_column(name, _plain_dates(data))
    if set(column.values) <= _TRUTH_VALUES.keys() and of_model and of_model <= {*_TRUTH_VALUES.values()}:
        # encoders number the truth values of some types of columns
        column = replace(column, values=tuple(_TRUTH_VALUES[value] for value in column.values))
        of_domain = [_TRUTH_VALUES.get(value, value) for value in of_domain]
    known = {*column.values, *of_model, *of_domain}
    values = tuple(sorted(known, key=lambda text: (text is None, text or "")))
    place = {value: code for code, value in enumerate(values)}
    codes = np.array([place[value] for value in column.values], np.int64)[column.codes]
    return Attribute(name, is_public, "category", values=values, codes=codes)


_TRUTH_VALUES: dict[str | None, str | None] = {"false": "0", "true": "1", None: None}


def _with_range(attribute: Attribute, domain: Domain) -> Attribute:
    try:
        low, high = (float(end) for end in domain)
        is_range = low <= high
    except (TypeError, ValueError):
        is_range = False
    if not is_range:
        raise bad_domain(
            f"the domain of `{attribute.name}` must be its least and its greatest number", "for example (0, 120)"
        )
    return replace(attribute, low=low, high=high)
