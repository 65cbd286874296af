"""The reader of each type of column."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from covey.ask.schema import Column
from covey.columns.domains.dates import read_date
from covey.columns.domains.domain import Domain
from covey.columns.domains.labels import read_boolean, read_flat, read_ordered, read_tree
from covey.columns.domains.numbers import read_numeric

__all__ = ["read_domain"]


def read_domain(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return what the distinct values of a column are; the faulty ones are marked, not raised."""
    reader = _READERS[column.type or "categorical"]
    if column.taxonomy is None:
        return reader(column, distinct, decimal)
    if column.type in ("numeric", "date") and not pa.types.is_floating(distinct.type):  # infinity may be a leaf
        plain = reader(replace(column, taxonomy=None), distinct, decimal)
        if plain.fault_code in ("not-a-number", "not-a-date"):
            return plain
    return read_tree(column, distinct, decimal)


_READERS = {
    "numeric": read_numeric,
    "date": read_date,
    "ordered": read_ordered,
    "categorical": read_flat,
    "boolean": read_boolean,
}
