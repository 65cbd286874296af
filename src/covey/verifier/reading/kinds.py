"""The type of a quasi column that nobody declared, told from its values."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from covey.ask.schema import Column
from covey.verifier.columns.codes import is_date_type, is_number_type, is_text
from covey.verifier.reading.dates import instant_of
from covey.verifier.reading.numbers import are_numbers

__all__ = ["type_of", "with_type"]

_BLANKS = " \t\n\r\f"


def with_type(
    column: Column, data: pa.ChunkedArray, values: pa.Array, *, typed: bool = True, decimal: str = "."
) -> Column:
    """Return a column with its type: the declared one, else that of its data, whose distinct values are given.

    typed: False if a dictionary of texts is only how a file was read; else it is a category that somebody declared.
    A category that the table declares ordered brings its order along.
    """
    if column.type is not None:
        return column
    plain = column.domain is None and column.taxonomy is None and column.grid is None
    order = _declared_order(data) if plain else ()
    if order:
        return replace(column, type="ordered", order=order)
    is_category = typed and pa.types.is_dictionary(data.type)
    return replace(column, type="categorical" if is_category and is_text(values.type) else type_of(values, decimal))


def _declared_order(data: pa.ChunkedArray) -> tuple[str, ...]:
    """Return the labels of an ordered category, from least to greatest; none for any other column."""
    if not (pa.types.is_dictionary(data.type) and data.type.ordered and is_text(data.type.value_type)):
        return ()
    lists = {tuple(chunk.dictionary.to_pylist()) for chunk in data.chunks}
    labels = lists.pop() if len(lists) == 1 else ()
    return labels if None not in labels and len(set(labels)) == len(labels) else ()


def type_of(values: pa.Array, decimal: str = ".") -> str:
    """Return the type of distinct values: from their Arrow type, of text from the shape of all of it."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return "boolean"
    if is_number_type(kind):
        return "numeric"
    if is_date_type(kind):
        return "date"
    if not is_text(kind):
        return "categorical"
    words = [text.strip(_BLANKS) for text in values.to_pylist() if text is not None]
    if words and are_numbers(words, decimal):
        return "numeric"
    return "date" if words and all(instant_of(word) is not None for word in words) else "categorical"
