"""Labels: flat, in a declared order, of booleans, or leaves of a tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from covey.ask.schema import Column
from covey.base.arrays import BoolVector
from covey.base.errors import InputError
from covey.columns.domains.dates import instants_of
from covey.columns.domains.domain import Domain, faulty_domain, nan_mask, outside_domain
from covey.columns.values.parsing import parse_number
from covey.columns.values.writing import write_date, write_number, zone_named
from covey.tables.arrow_types import is_text

__all__ = ["labels_of", "read_boolean", "read_flat", "read_ordered", "read_tree", "tree_labels"]


def labels_of(distinct: pa.Array) -> list[str]:
    """Return the text of each distinct value, as it is written in a release."""
    kind = distinct.type
    if is_text(kind):
        return [str(text) for text in distinct.to_pylist()]
    if pa.types.is_boolean(kind):
        return ["true" if value else "false" for value in distinct.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return [write_number(value) for value in distinct.to_pylist()]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        instants, fault, zone, _ = instants_of(distinct)
        # a year beyond 9999 cannot be written as a date; as a mere label it is its count of nanoseconds
        return [
            str(int(value)) if odd else write_date(int(value), zone_named(zone))
            for value, odd in zip(instants, fault, strict=True)
        ]
    return [str(value) for value in distinct.to_pylist()]


def read_flat(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return the domain of labels without an order."""
    labels, is_nan = labels_of(distinct), nan_mask(distinct)
    present = {label for label, nan in zip(labels, is_nan, strict=True) if not nan}
    listed = _natural_order(present, distinct) if column.domain is None else column.domain
    return _in_listed(listed, labels, is_nan)


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
        return outside_domain(outside)
    rank = np.array([number.get(label, 0) for label in labels], np.int64)
    return Domain(tuple(listed), rank, outside, is_nan=is_nan)


def read_boolean(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return the domain of `false` and `true`."""
    domain = read_flat(column, distinct, decimal)
    if len(domain.points) > 2:
        raise InputError(
            f"column `{column.name}` is declared boolean but holds {len(domain.points):,} different values",
            code="not-boolean",
            hint=f"give `{column.name}` the type categorical",
        )
    return domain


def read_ordered(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return the domain of labels in their declared order."""
    order = column.order or ()
    domain = _in_listed(order, labels_of(distinct), nan_mask(distinct))
    if domain.fault.any():
        return domain
    steps = np.arange(len(order)) / max(len(order) - 1, 1)
    ends = (order[0], order[-1])
    return Domain(order, domain.rank, domain.fault, is_nan=domain.is_nan, positions=steps, arrow=pa.string(), ends=ends)


def read_tree(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return the domain of values that are leaves of a tree."""
    labels, is_nan = tree_labels(column, distinct, decimal), nan_mask(distinct)
    present = [label for label, nan in zip(labels, is_nan, strict=True) if not nan]
    assert column.taxonomy is not None
    taxonomy = column.taxonomy.bind(present)
    leaf = [taxonomy.index(label) for label in labels]
    gap = np.array([number is None for number in leaf], bool) & ~is_nan
    if gap.any():
        hint = "add the missing leaves; `covey taxonomy lint` with `--column` lists them"
        return faulty_domain(gap, "taxonomy-gap", f"that the taxonomy `{taxonomy.name}` does not have", hint)
    rank = np.array([number or 0 for number in leaf], np.int64)
    return Domain(taxonomy.leaves, rank, gap, is_nan=is_nan, taxonomy=taxonomy)


def tree_labels(column: Column, distinct: pa.Array, decimal: str) -> list[str]:
    """Return the leaves that the values stand for: numbers and dates in their canonical text."""
    if is_text(distinct.type) and column.type == "numeric":
        parsed = ((text, parse_number(text, decimal)) for text in distinct.to_pylist())
        return [text if number is None else write_number(number) for text, number in parsed]
    return labels_of(distinct)
