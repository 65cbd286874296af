"""Values of any type that are leaves of a tree."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from covey.ask.schema import Column
from covey.columns.domains.domain import Domain, faulty_domain, nan_mask
from covey.columns.domains.labels import labels_of
from covey.columns.values.parsing import parse_number
from covey.columns.values.writing import write_number
from covey.tables.arrow_types import is_text

__all__ = ["read_tree"]


def read_tree(column: Column, distinct: pa.Array, decimal: str) -> Domain:
    """Return the domain of values that are leaves of a tree."""
    labels, is_nan = _tree_labels(column, distinct, decimal), nan_mask(distinct)
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


def _tree_labels(column: Column, distinct: pa.Array, decimal: str) -> list[str]:
    """Return the leaves that the values stand for: numbers and dates in their canonical text."""
    if is_text(distinct.type) and column.type == "numeric":
        parsed = ((text, parse_number(text, decimal)) for text in distinct.to_pylist())
        return [text if number is None else write_number(number) for text, number in parsed]
    return labels_of(distinct)
