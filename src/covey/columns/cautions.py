"""Cautions: what a data steward should look at before signing, told without a value."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.na import na_text
from covey.ask.schema import Schema
from covey.columns.missing import Marked
from covey.columns.typed import TypedColumn
from covey.keys import key_reason
from covey.tables.arrow_types import is_text, plain_type

__all__ = ["kept_column_cautions", "key_cautions", "na_cautions", "quasi_column_cautions", "text_cautions"]

NEARLY_UNIQUE = 0.9
"""A kept column with at least this share of different values draws a warning."""
MANY_LABELS = 0.1
"""A flat quasi column with at least this share of different labels draws a warning."""
Columns = Mapping[str, pa.ChunkedArray | None]
"""Columns by name; None in the place of one that Arrow cannot hold."""
FEW_ROWS = 20
"""Below this many rows, or labels, values that differ say nothing."""


def quasi_column_cautions(columns: Sequence[TypedColumn], release: str) -> tuple[str, ...]:
    """Return a warning for each quasi column whose domain few rows stretch, or whose sets list rare labels."""
    return _stretched(columns) + (_many_labels(columns) if release == "interval" else ())


def _stretched(columns: Sequence[TypedColumn]) -> tuple[str, ...]:
    """Return a warning for each domain of numbers or dates that less than one row in a hundred makes twice as wide."""
    notes = []
    for column in columns:
        few = _stretching_rows(column) if column.ends is None else 0
        if few:
            rows = int(np.count_nonzero(column.codes >= column.n_missing))
            do = "stretches" if few == 1 else "stretch"
            notes.append(
                f"column `{column.name}`: {few:,} of {rows:,} rows {do} its domain to more than twice its width, so "
                "that its loss looks small; if they are sentinels such as 999, declare them missing (na), if outliers, "
                "give the column a domain or leave them out"
            )
    return tuple(notes)


def _stretching_rows(column: TypedColumn) -> int:
    """Return the fewest rows without which the domain is at most half as wide, 0 unless they are less than one in a
    hundred and leave more than one value."""
    if column.type not in ("numeric", "date") or column.is_tree or len(column.points) < 3:
        return 0
    try:
        places = np.asarray(column.points, np.float64) / 4  # so that no difference overflows
    except OverflowError:  # whole numbers beyond all floats
        return 0
    counts = np.bincount(column.codes, minlength=column.size)[column.n_missing :]
    before = np.concatenate([[0], np.cumsum(counts)])
    half = (places[-1] - places[0]) / 2
    last = np.searchsorted(places, places + half, side="right") - 1
    first = np.arange(len(places))
    held = np.where(last > first, before[last + 1] - before[first], 0)
    few = int(before[-1] - held.max())
    return few if few * 100 < before[-1] else 0


def _many_labels(columns: Sequence[TypedColumn]) -> tuple[str, ...]:
    return tuple(
        f"column `{column.name}` has {len(column.points):,} different labels and no taxonomy: its sets list them as "
        'they are; give it a taxonomy, make it an identifier, or use release="node"'
        for column in columns
        if column.is_flat and len(column.points) > FEW_ROWS and len(column.points) >= MANY_LABELS * len(column.codes)
    )


def text_cautions(declared: Schema, found: Schema, table: pa.Table) -> tuple[str, ...]:
    """Return a warning for each text column of a typed table that is generalised as numbers or dates.

    declared, found: the schema as it was given, and with the types that the columns have.
    """
    kinds = {"numeric": "numbers", "date": "dates"}
    return tuple(
        f"column `{column.name}` is text and all its values are {kinds[column.type]}, so that it is generalised as "
        f"{kinds[column.type]}; give it the type categorical if they are codes"
        for column in found.quasi
        if declared[column.name].type is None
        and column.type in kinds
        and column.taxonomy is None
        and is_text(plain_type(table.schema.field(column.name).type))
    )


def na_cautions(marked: Marked) -> tuple[str, ...]:
    """Return a warning for each value that was declared as missing and is in no cell."""
    everywhere = [f"no quasi column holds `{na_text(entry)}`, declared as missing (na)" for entry in marked.idle]
    single = [
        f"column `{name}` does not hold `{na_text(entry)}`, declared as missing (na)"
        for name, entry in marked.idle_by_column
    ]
    return (*everywhere, *single)


def key_cautions(columns: Columns, schema: Schema) -> tuple[str, ...]:
    """Return a warning for each column that is published, generalised or as it is, and looks like a key."""
    notes = []
    quasi = set(schema.names("quasi"))
    for name, column in columns.items():
        reason = None
        if column is not None:
            with contextlib.suppress(pa.ArrowException):  # a column of lists, say; who keeps one is warned of that
                reason = key_reason(name, column)
        if reason:
            what = "quasi" if name in quasi else "kept as it is"
            notes.append(
                f"column `{name}` is {what} and looks like a key ({reason}): it tells which rows are of one person, "
                "and k counts rows; make it an identifier, and one row per person first"
            )
    return tuple(notes)


def kept_column_cautions(columns: Columns) -> tuple[str, ...]:
    """Return a warning for each kept column whose values almost all differ, or cannot be compared."""
    notes = []
    for name, column in columns.items():
        distinct = None if column is None else _distinct(column)
        if column is None or distinct is None:
            notes.append(
                f"column `{name}` is kept as it is, and its values cannot be compared with each other: "
                "see for yourself that none of them tells who a row is about"
            )
            continue
        n = len(column)
        if n >= FEW_ROWS and distinct >= NEARLY_UNIQUE * n:
            notes.append(
                f"column `{name}` is kept as it is and nearly unique "
                f"({distinct:,} different values in {n:,} rows): whoever knows it can single people out"
            )
    return tuple(notes)


def _distinct(column: pa.ChunkedArray | pa.Array) -> int | None:
    """Return how many different values there are; None if they cannot be compared."""
    try:
        return len(_comparable(column).unique())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return None


def _comparable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the same values in a type of which Arrow tells how many are different, where there is one."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return column.cast(kind.storage_type)
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return column.cast(pa.decimal128(kind.precision, kind.scale))
    return pc.run_end_decode(column) if pa.types.is_run_end_encoded(kind) else column
