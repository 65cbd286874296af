"""Whose the rows of a training table are: persons in the spans of a model, counted and never told."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.checks import require_known
from covey.base.errors import CoveyError
from covey.columns.persons import Owners, Persons, owners_of
from covey.keys import is_person_key, may_name_persons
from covey.mining.spans import Spans
from covey.tables import frames

__all__ = ["opened", "owners_in", "persons_in_spans", "without"]


def opened(table: Any) -> Any:
    """Return a table that can be read more than once: arrays and lists of items as they are."""
    return table if isinstance(table, np.ndarray | list | tuple) else frames.as_frame(table)


def without(table: Any, identifier: Sequence[str]) -> Any:
    """Return a table without its identifiers, which no model was trained on."""
    if not identifier:
        return table
    frame = frames.as_frame(table)
    names = frames.column_names(frame)
    require_known(identifier, names, "`identifier` names {}, which is not in the table")
    kept = [name for name in names if name not in identifier]
    return frame.select(kept) if frames.kind_of(frame) != "pandas" else frame[kept]


def owners_in(table: Any, identifier: Sequence[str], used: Sequence[str]) -> Owners | None:
    """Return whose the rows of a table are: by the identifiers, or by a key of persons that the model does not use."""
    if isinstance(table, np.ndarray | list | tuple):  # without names
        return None
    named = [name for name in frames.column_names(table) if may_name_persons(name) and name not in used]
    found: dict[str, pa.ChunkedArray] = {}
    for name in dict.fromkeys([*identifier, *named]):
        with contextlib.suppress(CoveyError):  # of those that Arrow can hold
            column = frames.to_arrow(table, [name]).column(0)
            if name in identifier or is_person_key(name, column):
                found[name] = column
    return owners_of(found)


def persons_in_spans(owners: Owners | None, spans: Spans, k: int) -> Persons | None:
    """Return how many persons share each span that tells anything; None if nothing tells whose the rows are."""
    if owners is None:
        return None
    labels = np.where(spans.multiple[spans.of_row], spans.of_row, -1)
    return owners.in_classes(np.arange(len(labels)), labels, k)
