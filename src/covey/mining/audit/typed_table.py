"""The table of a file with the types that a model was trained on: CSV cells are text, models compare numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.na import NaValue
from covey.ask.schema import Schema
from covey.base.checks import require_known
from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.columns.missing import with_na
from covey.columns.types import distinct_values, type_of
from covey.columns.values.parsing import parse_number
from covey.mining.faults import not_a_number
from covey.tables.files import FileTable

__all__ = ["typed_table"]

_TYPES = ("numeric", "categorical")


def typed_table(
    read: FileTable,
    types: Mapping[str, str] | None = None,
    *,
    na: Sequence[NaValue] = (),
    na_by_column: Mapping[str, Sequence[NaValue]] | None = None,
    decimal: str = ".",
) -> pa.Table:
    """Return the columns of a table that was read: numbers where all values are, true and false where all are.

    types: `numeric` or `categorical` by column, where that is not right (`01234` is text unless it is said to be a
    number).  na, na_by_column: what means missing beside the empty cell, in all columns and in single ones, compared
    by value.  A file that has types of its own keeps them.
    """
    told = dict(types or {})
    for name, kind in told.items():
        require_known([name], read.table.column_names, "a type was given for {}, which is not in the table")
        if kind not in _TYPES:
            raise InputError(
                f"the type of `{name}` is unknown", code="unknown-type", hint=f"known: {', '.join(_TYPES)}"
            )
    names = read.table.column_names
    schema = Schema.from_roles(quasi=names, types=told).with_na(na_by_column or {})
    marked = with_na(read.table, schema, na, typed=read.typed, decimal=decimal).table
    return pa.table({name: _typed(name, marked.column(name), read.typed, told.get(name), decimal) for name in names})


def _typed(name: str, column: pa.ChunkedArray, is_typed: bool, told: str | None, decimal: str) -> pa.ChunkedArray:
    if is_typed and told is None:
        return column
    texts = _texts(column, name)
    texts = pc.if_else(pc.equal(texts, ""), None, texts)
    if told == "categorical":
        return texts
    if told == "numeric" or type_of(texts, typed=False, decimal=decimal) == "numeric":
        return _numbers(name, texts, decimal)
    words = {str(text).lower() for text in distinct_values(texts).to_pylist()[:3]}
    return pc.equal(pc.utf8_lower(texts), "true") if words and words <= {"true", "false"} else texts


def _texts(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    try:
        return column.cast(pa.string())
    except pa.ArrowException:
        raise InputError(
            f"column `{name}` cannot be read as text", code="unsupported-column", hint="leave it out of the table"
        ) from None


def _numbers(name: str, texts: pa.ChunkedArray, decimal: str) -> pa.ChunkedArray:
    coded = texts.combine_chunks().dictionary_encode()
    parsed = [parse_number(text, decimal) for text in coded.dictionary.to_pylist()]
    faulty = sum(number is None for number in parsed)
    if faulty:
        raise not_a_number(
            f"column `{name}` has {faulty:,} distinct values that are no numbers",
            hint("declare what stands for missing ({}), or give it the type categorical", Asked("na")),
        )
    is_whole = all(isinstance(number, int) and abs(number) < 2**53 for number in parsed)
    values = pa.array(
        [number if is_whole else float(number or 0) for number in parsed], pa.int64() if is_whole else pa.float64()
    )
    return pa.chunked_array([values.take(coded.indices)])
