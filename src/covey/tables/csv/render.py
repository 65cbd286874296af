"""Values of any type as the text that a CSV cell holds."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from covey.base.errors import InputError
from covey.tables.arrow_types import is_text, one_array, plain_type

__all__ = ["render_text"]


def render_text(column: pa.Array | pa.ChunkedArray, name: str, decimal: str = ".") -> pa.Array:
    """Return a column as text that reads back to the very same values; dictionaries stay dictionaries.

    Numbers are as short as they can be (`0.1`, `1e+16`), floating-point ones never look whole (`5.0`,
    `-0.0`, `nan`, `inf`), booleans are `true` and `false`, dates and times ISO 8601, and times with a zone
    are in UTC (`2024-03-31 01:30:00Z`).  Null stays null.  A type without such a text (bytes, lists) and a date outside
    the years 1 to 9999 are an `InputError` that names the column.  decimal: the mark in numbers.

    >>> render_text(pa.array([5.0, None, 0.1]), "x").to_pylist()
    ['5.0', None, '0.1']
    """
    array = one_array(column)
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, render_text(array.dictionary, name, decimal))
    kind = array.type
    if not _has_text(kind):
        raise _not_in_csv(name, f"the type {kind}")
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        array = array.cast(pa.timestamp(kind.unit, "UTC"))
    text = array.cast(pa.large_string())
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        written = pc.and_(pc.match_substring_regex(text, r"^[0-9]{4}-"), pc.invert(pc.starts_with(text, "0000")))
        if not pc.all(written, min_count=0).as_py():
            raise _not_in_csv(name, "dates outside the years 1 to 9999")
    if pa.types.is_floating(kind):
        text = pc.replace_substring_regex(text, r"^(-?[0-9]+)$", r"\1.0")
    is_fraction = pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return pc.replace_substring(text, ".", decimal) if is_fraction and decimal != "." else text


def _not_in_csv(name: str, what: str) -> InputError:
    return InputError(
        f"column `{name}` has {what}, which a CSV file cannot hold",
        code="unsupported-column",
        hint="write Parquet or Arrow IPC, or turn the column into text",
    )


def _has_text(kind: pa.DataType) -> bool:
    if is_text(plain_type(kind)) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return True
    return bool(pa.types.is_primitive(kind) and not pa.types.is_interval(kind))
