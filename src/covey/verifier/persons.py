"""Whose the rows are: what a published table and its original tell of persons; a warning, never a verdict."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from covey.checks import plural
from covey.keys import is_person_key_name, key_reason

__all__ = ["ROWS_ONLY", "person_warnings", "tells_persons"]

ROWS_ONLY = "not counted: k counts rows, and a person may have several of them"
_FEW = 10
_CHANCE = 0.5
_MANY_ROWS = 100
"""As anybody who publishes such a table is warned of it: fewer values are no persons, and neither are those of which
nearly every row has its own, or of which each has more rows than this on average."""


def tells_persons(name: str, identifiers: Collection[str]) -> bool:
    """Return whether a column of the original is looked at: an identifier, or one whose name is a key of persons."""
    return name in identifiers or is_person_key_name(name)


def person_warnings(published: pa.Table, quasi: Collection[str], dropped: pa.Table | None) -> tuple[str, ...]:
    """Return a warning for each dropped key of which rows share values, and each published column that looks like one.

    quasi: which columns are quasi; dropped: columns of the original that tell persons and were not published.
    """
    notes = []
    if dropped is not None:
        notes += [_of_dropped(name, dropped.column(name)) for name in dropped.column_names]
    for name in published.column_names:
        notes.append(_of_published(name, published.column(name), "quasi" if name in quasi else "published as it is"))
    return tuple(note for note in notes if note)


def _of_dropped(name: str, column: pa.ChunkedArray) -> str:
    rows = len(column) - column.null_count
    values = _distinct(column)
    if values is None or values >= rows:
        return ""
    last = "k counts rows, and a class may hold one person; make one row per person first"
    if is_person_key_name(name):
        return f"{plural(rows, 'row')} of {plural(values, 'person', 'persons')} by `{name}` in the original: {last}"
    looks = key_reason(name, column) != ""
    if not looks and (values < _FEW or values > _CHANCE * rows or values * _MANY_ROWS < rows):
        return ""
    return f"`{name}` has {values:,} different values in {rows:,} rows of the original; if these are persons: {last}"


def _of_published(name: str, column: pa.ChunkedArray, what: str) -> str:
    try:
        reason = key_reason(name, column)
    except pa.ArrowException:  # of a type without distinct values
        return ""
    if not reason:
        return ""
    return (
        f"column `{name}` is {what} and looks like a key ({reason}): it tells which rows are of one person, "
        "and k counts rows"
    )


def _distinct(column: pa.ChunkedArray) -> int | None:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    try:
        return int(pc.count_distinct(column.cast(kind), mode="only_valid").as_py())
    except pa.ArrowException:  # lists, say
        return None
