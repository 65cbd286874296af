"""A case through its door: a frame, or a file; and what came out, as plain Python values."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

import covey
from covey.ask.job import Job
from soak.cases import Case, Layout

__all__ = ["Outcome", "job_of", "publish", "write_csv"]

FILES = ("csv", "parquet", "feather")
_ENDINGS = {"csv": ".csv", "parquet": ".parquet", "feather": ".arrow"}


@dataclass(frozen=True)
class Outcome:
    """A release: its columns as plain values, its Total-IL, and the table or the file that holds it."""

    columns: dict[str, list[Any]]
    total_il: float
    table: Any


def publish(case: Case, folder: Path) -> Outcome:
    """Return what covey publishes for a case."""
    if case.door in FILES:
        return _through_files(case, folder)
    release = covey.anonymize(_frame(case), case.k, **case.settings)
    return Outcome(_plain(release.table), release.report.loss.total_il, release.table)


def _frame(case: Case) -> Any:
    table = case.table()
    if case.door == "pandas":
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    if case.door == "numpy":
        return table.to_pandas()
    return pl.from_arrow(table) if case.door == "polars" else table


def _plain(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of a frame as lists."""
    if isinstance(frame, pl.DataFrame):
        frame = frame.to_arrow()
    elif isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    return {name: frame.column(name).to_pylist() for name in frame.column_names}


def _through_files(case: Case, folder: Path) -> Outcome:
    source = folder / f"in{_ENDINGS[case.door]}"
    target = folder / f"out{_ENDINGS[case.door]}"
    if case.door == "csv":
        source.write_bytes(write_csv(case))
    elif case.door == "parquet":
        pyarrow.parquet.write_table(case.table(), source)
    else:
        pyarrow.feather.write_feather(case.table(), source)
    report = covey.anonymize_file(str(source), str(target), job_of(case), force=True)
    return Outcome(_read(case, target), report.loss.total_il, target)


def job_of(case: Case) -> Job:
    """Return the job of a case."""
    given = dict(case.settings)
    roles = ("identifier", "quasi", "sensitive", "other", "consent")
    facts = ("types", "weights", "domains", "orders", "taxonomies", "grids")
    schema = covey.Schema.from_roles(**{name: given.pop(name) for name in (*roles, *facts) if name in given})
    csv_told = case.layout.told(case.names) if case.door == "csv" else {}
    if isinstance(given.get("na"), dict):
        schema = schema.with_na({name: tuple(marks) for name, marks in given.pop("na").items()})
    elif "na" in given:
        given["na"] = tuple(given["na"])
    return Job(k=case.k, schema=schema, csv=csv_told, **given)


def _cell(text: str | None, layout: Layout) -> str:
    if text is None:
        return ""
    quoted = text == "" or any(mark in text for mark in ('"', "\n", "\r", layout.separator)) or text.strip() != text
    text = '"' + text.replace('"', '""') + '"' if quoted else text
    return f" {text} " if layout.blanks and not quoted else text


def write_csv(case: Case) -> bytes:
    """Return the table of a case as a CSV file; null is an unquoted empty cell."""
    columns: list[list[str | None]] = [[f"person {i}" for i in range(case.n)]]
    columns += [column.texts for column in case.quasi]
    columns += [[str(value) for value in values] for values in case.kept.values()]
    if case.consent is not None:
        columns.append(["true" if agrees else "false" for agrees in case.consent])
    lines = [case.names] if case.layout.header else []
    lines += [list(row) for row in zip(*columns, strict=True)]
    text = "".join(
        case.layout.separator.join(_cell(cell, case.layout) for cell in line) + case.layout.line_end for line in lines
    )
    return text.encode(case.layout.encoding)


def _read(case: Case, path: Path) -> dict[str, list[Any]]:
    if case.door == "csv":
        return _read_csv(case, path)
    table = pyarrow.parquet.read_table(path) if case.door == "parquet" else pyarrow.feather.read_table(path)
    return _plain(table)


def _read_csv(case: Case, path: Path) -> dict[str, list[Any]]:
    """Return the columns of a released CSV; an unquoted empty cell is None."""
    text = path.read_bytes().decode("utf-8-sig")  # whatever the original was in
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=case.layout.separator))
    empty = _unquoted_empty(text, case.layout.separator)
    names = _released_names(case, rows[0])
    start = 1 if case.layout.header else 0
    cells = [
        [None if (number, place) in empty else cell for place, cell in enumerate(row)]
        for number, row in enumerate(rows)
    ]
    columns = [list(column) for column in zip(*cells[start:], strict=True)] or [[] for _ in names]
    return dict(zip(names, columns, strict=True))


def _released_names(case: Case, first: list[str]) -> list[str]:
    if case.layout.header:
        return first
    names = []
    bounds = case.settings["release"] == "bounds"
    known = case.settings.get("types", {}), case.settings.get("orders", {})
    typed = {
        column.name
        for column in case.quasi
        if column.type in ("numeric", "date", "ordered")
        # nothing tells the type of a column that is missing in every row
        and (any(column.texts) or any(column.name in told for told in known))
    }
    trees = {column.name for column in case.quasi if "taxonomy" in column.facts}
    for name in case.names[1:]:
        names += [f"{name}_min", f"{name}_max"] if bounds and name in typed - trees else [name]
    return names


def _unquoted_empty(text: str, separator: str) -> set[tuple[int, int]]:
    """Return (row, place) of the cells that are empty and not quoted."""
    marked = text.replace('""', "\x00\x00")
    found, row, place, start, quoted = set(), 0, 0, 0, False
    for i, sign in enumerate(marked):
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign in (separator, "\n", "\r"):
            if sign == "\n" and i and marked[i - 1] == "\r":
                start = i + 1
                continue
            if i == start:
                found.add((row, place))
            start = i + 1
            row, place = (row, place + 1) if sign == separator else (row + 1, 0)
    return found
