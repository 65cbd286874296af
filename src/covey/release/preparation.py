"""The front half of the path: from a source to typed columns of the rows that are searched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from covey.ask.job import Job
from covey.ask.schema import Column, Schema
from covey.ask.taxonomy import Rule, RuleAmong
from covey.base.arrays import IntVector
from covey.base.errors import InputError
from covey.columns.cautions import na_cautions, quasi_column_cautions, text_cautions
from covey.columns.missing import with_na
from covey.columns.typed import Place, TypedColumn, leaf_labels, type_column
from covey.columns.types import with_types
from covey.release.lots import Lots, deal
from covey.release.sources import Source
from covey.tables import frames

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A table before the search: types, lots, and the quasi columns as domains and codes."""

    schema: Schema
    """With the type of every quasi column."""
    marked: pa.Table
    """The quasi columns of all rows, what was declared as missing made so."""
    lots: Lots
    published: list[TypedColumn]
    """The quasi columns of all rows that are present, those of people who agreed too."""
    searched: list[TypedColumn]
    """The quasi columns of the rows of which classes are made: who agreed sets no domain for the others."""
    decimal: str
    cautions: tuple[str, ...]

    def columns_of(self, rows: IntVector) -> list[TypedColumn]:
        """Return the quasi columns of some rows of the table, with the domains that these rows have."""
        return _typed(self.schema, self.marked, rows, self.decimal)


def prepare(source: Source, job: Job, k: int) -> Prepared:
    """Return the quasi columns of a source, typed, and its rows dealt into lots; k rows at least must be there."""
    if source.n_rows == 0:
        raise InputError("the table has no rows", code="no-rows", hint="give a table with rows")
    typed, decimal = source.typed, source.decimal
    found = with_na(source.columns(job.schema.names("quasi")), job.schema, job.na, typed=typed, decimal=decimal)
    consent = next(iter(job.schema.names("consent")), None)
    lots = deal(found.table, None if consent is None else source.column(consent), job, k)
    schema = with_types(job.schema, found.table, typed=typed, decimal=decimal)
    published = _typed(schema, found.table, lots.present, decimal, source.place)
    searched = _typed(schema, found.table, lots.guarded, decimal) if len(lots.exempt) else published
    notes = na_cautions(found) + (text_cautions(job.schema, schema, found.table) if typed else ())
    notes += quasi_column_cautions(searched, job.release)
    return Prepared(schema, found.table, lots, published, searched, decimal, notes)


def _typed(
    schema: Schema, table: pa.Table, rows: IntVector, decimal: str, place: Place | None = None
) -> list[TypedColumn]:
    part, columns = table, schema.quasi
    if len(rows) < table.num_rows:
        part = frames.take_table(table, rows)
        columns = tuple(_named_by_all_rows(column, table, decimal) for column in columns)
    words: dict[str, Any] = {} if place is None else {"place": lambda row: place(int(rows[row]))}
    return [type_column(column, part.column(column.name), decimal=decimal, **words) for column in columns]


def _named_by_all_rows(column: Column, table: pa.Table, decimal: str) -> Column:
    """Return a column whose rule, if it has one, names its nodes as the whole original is read."""
    if not isinstance(column.taxonomy, Rule):
        return column
    others = leaf_labels(column, table.column(column.name), decimal)
    return replace(column, taxonomy=RuleAmong(column.taxonomy, tuple(others)))
