"""The table that all algorithms get: checked once, typed once, as Arrow columns that can be sent to a process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.job import Job
from covey.ask.schema import KEPT, Column, Schema
from covey.columns.domains import as_plain
from covey.columns.typed import TypedColumn
from covey.release.preparation import prepare
from covey.release.sources import Source

__all__ = ["Given", "common_table", "from_bytes", "to_bytes", "told_columns"]


@dataclass(frozen=True, slots=True)
class Given:
    """A table without its identifiers, and the job that every algorithm is to do."""

    table: pa.Table
    job: Job
    """Without `k` and `algorithm`; every quasi column has its type."""
    with_domains: Schema
    """The schema with the domain of the whole table declared, so that a sample has the prices of the whole; with
    snapped ends only the declared domains."""


def common_table(source: Source, job: Job, least_k: int) -> Given:
    """Return the table that is handed to every algorithm; raise what would stop all of them."""
    found = prepare(source, job, least_k)
    schema, quasi, decimal = found.schema, job.schema.names("quasi"), source.decimal
    # as they are with what means missing made so, once for all runs
    kept = {name: column for name, column in source.held(schema.names(*KEPT)).items() if column is not None}
    table = pa.table({name: found.marked.column(name) for name in quasi} | kept)
    if decimal != ".":
        table = _with_points(table, [column.name for column in schema.quasi if column.type == "numeric"], decimal)
    schema = Schema(tuple(column for column in schema.columns if column.name in table.column_names))
    with_domains = schema
    if job.ends != "snapped":  # else figures would tell the values that are hidden
        with_domains = schema.with_columns(_with_domain(schema[column.name], column) for column in found.searched)
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
    return replace(column, domain=(as_plain(typed.points[0]), as_plain(typed.points[-1])))


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


def told_columns(schema: Schema) -> tuple[str | None, str | None]:
    """Return the columns that CM and ED are told of: the first target, the first sensitive one, or else the other."""
    target, sensitive = schema.names("target"), schema.names("sensitive")
    return next(iter(target + sensitive), None), next(iter(sensitive + target), None)
