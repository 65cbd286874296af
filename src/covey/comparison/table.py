"""The table that all algorithms get: checked once, typed once, as Arrow columns that can be sent to a process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.job import Job
from covey.ask.schema import Column, Schema
from covey.base.checks import require_rows
from covey.base.errors import InputError
from covey.columns.consent import exempt_rows
from covey.columns.kept import comparable_columns
from covey.columns.missing import present_rows, with_na
from covey.columns.typed import Place, TypedColumn, type_column
from covey.columns.types import with_types
from covey.tables import frames

__all__ = ["Given", "first_in", "from_bytes", "prepare", "to_bytes"]


@dataclass(frozen=True, slots=True)
class Given:
    """A table without its identifiers, and the job that every algorithm is to do."""

    table: pa.Table
    job: Job
    """Without `k` and `algorithm`; every quasi column has its type."""
    with_domains: Schema
    """The schema with the domain of the whole table declared, so that a sample has the prices of the whole; with
    snapped ends only the declared domains."""


def prepare(
    frame: Any, job: Job, least_k: int, *, typed: bool = True, decimal: str = ".", place: Place | None = None
) -> Given:
    """Return the table that is handed to every algorithm; raise what would stop all of them."""
    frame = frames.as_frame(frame)
    quasi = job.schema.names("quasi")
    raw = frames.to_arrow(frame, quasi)
    if raw.num_rows == 0:
        raise InputError("the table has no rows", code="no-rows", hint="give a table with rows")
    marked = with_na(raw, job.schema, job.na, typed=typed, decimal=decimal).table
    rows = present_rows(marked, job.missing)
    require_rows(least_k, len(rows))
    schema = with_types(job.schema, marked, typed=typed, decimal=decimal)
    part = frames.take_table(marked, rows)
    words: dict[str, Any] = {} if place is None else {"place": lambda row: place(int(rows[row]))}
    columns = [type_column(column, part.column(column.name), decimal=decimal, **words) for column in schema.quasi]
    for name in schema.names("consent"):  # who agreed sets no domain for the others
        guarded = np.flatnonzero(~exempt_rows(name, frames.to_arrow(frame, [name]).column(0))[rows])
        part = frames.take_table(part, guarded)
        columns = [type_column(column, part.column(column.name), decimal=decimal) for column in schema.quasi]
    kept = comparable_columns(frame, schema)
    table = frames.to_arrow(frame, kept)
    for name in reversed(quasi):  # as they are with what means missing made so, once for all runs
        table = table.add_column(0, name, marked.column(name))
    if decimal != ".":
        table = _with_points(table, [column.name for column in schema.quasi if column.type == "numeric"], decimal)
    schema = Schema(tuple(column for column in schema.columns if column.name in table.column_names))
    with_domains = schema
    if job.ends != "snapped":  # else figures would tell the values that are hidden
        with_domains = schema.with_columns(_with_domain(schema[column.name], column) for column in columns)
    schema, with_domains = (each.with_na(dict.fromkeys(quasi, ())) for each in (schema, with_domains))
    return Given(table, replace(job, schema=schema, k=None, order="kept", csv={}, na=()), with_domains)


def _with_points(table: pa.Table, names: Sequence[str], decimal: str) -> pa.Table:
    """Return the table with a decimal point in its numbers, which tables in memory have."""
    for name in names:
        place = table.schema.get_field_index(name)
        texts = table.column(place).cast(pa.string())
        table = table.set_column(place, name, pc.replace_substring(texts, decimal, ".").dictionary_encode())
    return table


def _with_domain(column: Column, typed: TypedColumn) -> Column:
    """Return a numeric or date column with the ends that it has in the whole table."""
    is_free = column.domain is None and not typed.is_tree and typed.type in ("numeric", "date")
    if not is_free or not len(typed.points):
        return column
    ends = tuple(end.item() if isinstance(end, np.generic) else end for end in (typed.points[0], typed.points[-1]))
    return replace(column, domain=ends)


def to_bytes(table: pa.Table) -> pa.Buffer:
    """Return a table as an Arrow stream in memory."""
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def from_bytes(stream: bytes) -> pa.Table:
    """Return the table in an Arrow stream."""
    with pa.ipc.open_stream(stream) as reader:
        return reader.read_all()


def first_in(schema: Schema, *roles: str) -> str | None:
    """Return the first column in the first of these roles that has one."""
    return next((name for role in roles for name in schema.names(role)), None)
