"""Where a table comes from: a frame in memory, or a file.  Each column is converted once, when first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from covey.ask.schema import Schema
from covey.base.errors import CoveyError
from covey.columns.persons import Owners, owners_of
from covey.columns.typed import Place
from covey.tables import files, frames

__all__ = ["FileSource", "FrameSource", "Source"]


class Source:
    """The columns of a table as Arrow, by name."""

    names: Sequence[str]
    n_rows: int
    order: str
    """In which order rows are released unless the job says so."""
    typed = True
    """False where cells are text still to be typed."""
    decimal = "."
    place: Place | None = None
    """How a row is called in messages."""
    is_distinct = False
    """Whether no dictionary holds a value twice."""

    def __init__(self) -> None:
        self._columns: dict[str, pa.ChunkedArray | CoveyError] = {}

    def _read(self, name: str) -> pa.ChunkedArray:
        raise TypeError(f"{type(self).__name__} does not say how it reads a column")

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column; raise `InputError` if Arrow cannot hold it."""
        if name not in self._columns:
            try:
                self._columns[name] = self._read(name)
            except CoveyError as error:
                self._columns[name] = error
        found = self._columns[name]
        if isinstance(found, CoveyError):
            raise found
        return found

    def columns(self, names: Sequence[str]) -> pa.Table:
        """Return some columns as a table."""
        if not names:
            return pa.table({"none": pa.nulls(self.n_rows)}).select([])
        return pa.Table.from_arrays([self.column(name) for name in names], names=list(names))

    def held(self, names: Iterable[str]) -> dict[str, pa.ChunkedArray | None]:
        """Return columns by name, None in the place of one that Arrow cannot hold (a pandas column of odd objects)."""
        found: dict[str, pa.ChunkedArray | None] = {}
        for name in names:
            try:
                found[name] = self.column(name)
            except CoveyError:
                found[name] = None
        return found

    def owners(self, schema: Schema) -> Owners | None:
        """Return whose the rows are by the dropped identifiers; only counts are left of these from here on."""
        given = self.held(schema.names("identifier"))
        for name in given:
            self.forget(name)
        return owners_of({name: one for name, one in given.items() if one is not None}, distinct=self.is_distinct)

    def forget(self, name: str) -> None:
        """Drop a column that nobody will ask for again."""
        self._columns.pop(name, None)


class FrameSource(Source):
    """A pandas, polars or Arrow table in memory."""

    order = "kept"

    def __init__(self, table: Any) -> None:
        super().__init__()
        self.frame = frames.as_frame(table)  # first of all: a stream gives its rows only once
        self.names = frames.column_names(self.frame)
        self._place = {name: place for place, name in enumerate(self.names)}
        self.n_rows = frames.n_rows(self.frame)

    def _read(self, name: str) -> pa.ChunkedArray:
        if name not in self._place:
            return frames.to_arrow(self.frame, [name]).column(0)  # which says that there is none
        found = frames.arrow_column(self.frame, self._place[name], name)
        return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])


class FileSource(Source):
    """A CSV, Parquet or Arrow file; a job says how a CSV file is read."""

    order = "shuffled"

    def __init__(self, path: str, told: Mapping[str, Any], skip: Sequence[str] = ()) -> None:
        super().__init__()
        self.path = path
        read = files.read_table(path, options=files.options_told(told), skip=skip)
        self._table = read.table
        self.file = replace(read, table=pa.table({}))
        """What is known of the file beside its columns."""
        self.names, self.n_rows = read.names, read.table.num_rows
        self.typed, self.decimal = read.typed, read.csv.decimal
        self.is_distinct = read.format == "csv"
        if self.file.format == "csv":
            self.place = lambda row: f"line {self.file.line_of(row):,}"

    def _read(self, name: str) -> pa.ChunkedArray:
        return self._table.column(name)

    def forget(self, name: str) -> None:
        """Drop a column that nobody will ask for again."""
        super().forget(name)
        self._table = self._table.drop_columns([name])
