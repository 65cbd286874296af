"""The check of a release before it is published reads both files by itself and counts every row."""

from __future__ import annotations

import io
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import covey
from covey.ask.job import Job
from covey.ask.schema import Schema
from covey.base.errors import VerificationFailed
from covey.release.pipeline import anonymize_file
from covey.tables.csv import writing as csv_writing
from covey.tables.files import writing

TABLE = "name,age,city,ill\n" + "".join(
    f"P{i},{20 + i},{'Oslo' if i % 4 < 2 else 'Rome'},{'flu' if i % 3 else 'none'}\n" for i in range(12)
)
ROLES = {"identifier": ["name"], "quasi": ["age", "city"], "sensitive": ["ill"]}


def job(**settings) -> Job:
    return Job(schema=Schema.from_roles(**ROLES), k=3, **settings)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return str(path)


def lost_row(table):
    return table.slice(1)


def doubled_row(table):
    return pa.concat_tables([table.slice(0, 1), table.slice(0, table.num_rows - 1)])


def swapped_rows(table):
    ill = table.column("ill").to_pylist()
    other = next(i for i, value in enumerate(ill) if value != ill[0])
    ill[0], ill[other] = ill[other], ill[0]
    return table.set_column(table.column_names.index("ill"), "ill", pa.array(ill))


def blank_added(table):
    ill = [value + " " if i == 0 else value for i, value in enumerate(table.column("ill").to_pylist())]
    return table.set_column(table.column_names.index("ill"), "ill", pa.array(ill))


@pytest.mark.parametrize("broken", [lost_row, doubled_row, swapped_rows, blank_added])
@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_a_fault_in_writing_is_noticed(monkeypatch, source, tmp_path, broken, ending):
    name = {"csv": "write_csv", "parquet": "write_parquet", "arrow": "write_arrow"}[ending]
    honest = getattr(writing, name)
    monkeypatch.setattr(writing, name, lambda table, *rest: honest(broken(table), *rest))
    target = tmp_path / f"out.{ending}"
    with pytest.raises(VerificationFailed):
        anonymize_file(source, str(target), job())
    assert not target.exists()


@pytest.mark.parametrize("broken", [lost_row, doubled_row, swapped_rows, blank_added])
def test_a_fault_in_reading_is_noticed(monkeypatch, source, tmp_path, broken):
    honest = covey.tables.files.reading.read_csv

    def read(*given):
        found = honest(*given)
        plain = pa.table({name: found.table.column(name).cast(pa.string()) for name in found.table.column_names})
        return covey.tables.files.reading.replace(found, table=broken(plain))

    monkeypatch.setattr("covey.tables.files.reading.read_csv", read)
    with pytest.raises(VerificationFailed):
        anonymize_file(source, str(tmp_path / "out.csv"), job())


def test_a_quoting_fault_of_the_writer_is_noticed(monkeypatch, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('age,ill\n30,""\n31,\n32,a\n33,b\n')
    schema = Schema.from_roles(quasi=["age"], sensitive=["ill"])
    monkeypatch.setattr(csv_writing, "_quoted", lambda values, separator, where: values)
    with pytest.raises(VerificationFailed):
        anonymize_file(str(path), str(tmp_path / "out.csv"), Job(schema=schema, k=2))


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("broken", [lost_row, doubled_row, swapped_rows])
def test_a_fault_in_rebuilding_a_frame_is_noticed(monkeypatch, kind, broken):
    frame = frame_of(kind)
    honest = covey.tables.frames.rebuild
    monkeypatch.setattr("covey.tables.frames.rebuild", lambda *given: back(broken(arrow(honest(*given))), kind))
    with pytest.raises(VerificationFailed):
        covey.anonymize(frame, k=3, **ROLES)


def frame_of(kind):
    table = pa.table(pd.read_csv(io.StringIO(TABLE)))
    return back(table, kind)


def arrow(frame):
    return frame if isinstance(frame, pa.Table) else pa.table(frame)


def back(table, kind):
    if kind == "pandas":
        return table.to_pandas()
    return table if kind == "arrow" else pytest.importorskip("polars").from_arrow(table)


def test_a_kept_column_of_odd_objects_is_compared_by_what_it_holds():
    things = [object() for _ in range(12)]
    people = pd.DataFrame({"age": range(12), "thing": things, "when": pd.period_range("2024-01", periods=12, freq="M")})
    release = covey.anonymize(people, k=3, quasi=["age"], other=["thing", "when"])
    assert release.table["thing"].tolist() == things


def test_stdin_is_read_once(monkeypatch, tmp_path):
    class Stdin:
        buffer = io.BytesIO(TABLE.encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    report = anonymize_file("-", str(tmp_path / "out.csv"), job())
    assert report.verdict.truthful.ok
    assert report.verdict.rows == 12


def test_the_last_cell_without_a_line_end_is_missing(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('age,ill\n30,"a"\n31,"b"\n32,"c"\n33,')
    out = tmp_path / "out.parquet"
    anonymize_file(str(path), str(out), Job(schema=Schema.from_roles(quasi=["age"], sensitive=["ill"]), k=2))
    assert pa.parquet.read_table(out).column("ill").null_count == 1


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_kept_text_that_may_be_a_key_is_looked_at_in_every_kind_of_frame(kind):
    table = back(pa.table({"age": [1, 2, 3, 4], "code": ["p1", "p1", "p2", "p2"]}), kind)
    assert covey.anonymize(table, k=2, quasi=["age"], other=["code"]).report.verdict.ok
