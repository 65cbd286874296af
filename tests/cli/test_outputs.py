"""What is written: one decimal mark in one file, plain text in typed files, the usual rights."""

from __future__ import annotations

import csv
import os
import stat
from datetime import timedelta

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import covey
from covey.base.errors import InputError

ROWS = [(53.6 + row // 2, row % 4, f"{100 + row},5", f"00{row % 3}") for row in range(24)]


@pytest.fixture
def commas(tmp_path):
    lines = [f"{weight:.1f}".replace(".", ",") + f";{age};{pay};{code}" for weight, age, pay, code in ROWS]
    path = tmp_path / "raw.csv"
    path.write_text("weight;age;pay;code\n" + "\n".join(lines) + "\n")
    return path


def flags(path):
    return [path, "-k", 3, "--quasi", "weight,age", "--other", "pay,code", "--decimal", ",", "-o"]


@pytest.mark.parametrize("release", ["interval", "bounds", "centre", "node"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_has_one_decimal_mark(run, tmp_path, commas, release, ending):
    out = tmp_path / f"out.{ending}"
    made = run("anonymize", *flags(commas), out, "--release", release, "--order", "kept")
    assert made.code == 0, made.err
    if ending == "csv":
        text = out.read_text()
        assert "." not in text
        assert release == "node" or ",6" in text
    elif release == "interval":
        cells = pa.parquet.read_table(out)["weight"].to_pylist()
        assert any(cell.startswith("[53,6; ") for cell in cells)
    checks = ["verify", out, "-k", 3, "--quasi", "weight,age", "--release", release, "--decimal", ","]
    assert run(*checks, "--original", commas).code == 0
    assert run(*checks, "--type", "weight=numeric").code == 0


def test_an_interval_that_does_not_cover_is_seen_with_a_comma(run, tmp_path, commas):
    out = tmp_path / "out.csv"
    assert run("anonymize", *flags(commas), out, "--order", "kept").code == 0
    with out.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    first = rows[1][0]
    assert first.startswith("[53,6; ")
    broken = out.read_text().replace(first, first.replace("[53,6", "[53,7"))
    out.write_text(broken)
    told = run("verify", out, "-k", 3, "--quasi", "weight,age", "--decimal", ",", "--original", commas)
    assert told.code == 1


def test_columns_of_a_csv_are_plain_text_in_a_typed_file(run, tmp_path, commas):
    out = tmp_path / "out.parquet"
    assert run("anonymize", *flags(commas), out, "--order", "kept").code == 0
    table = pa.parquet.read_table(out)
    assert {str(field.type) for field in table.schema} == {"string"}
    assert table["code"].to_pylist() == [code for *_, code in ROWS]
    assert not any(isinstance(kind, pd.CategoricalDtype) for kind in pd.read_parquet(out).dtypes)


@pytest.mark.parametrize(("umask", "rights"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)])
def test_published_files_have_the_rights_of_new_files(run, tmp_path, commas, umask, rights):
    out, report = tmp_path / "out.csv", tmp_path / "report.json"
    before = os.umask(umask)
    try:
        assert run("anonymize", *flags(commas), out, "--report", report).code == 0
        assert run("init", commas, "-o", tmp_path / "covey.toml").code == 0
    finally:
        os.umask(before)
    for path in (out, report, tmp_path / "covey.toml"):
        assert stat.S_IMODE(path.stat().st_mode) == rights


def test_text_numbers_are_numbers_in_a_frame_as_in_a_file(run, tmp_path):
    ages = ["34", "35", "61", "63"]
    (tmp_path / "a.csv").write_text("age\n" + "\n".join(ages) + "\n")
    assert run("anonymize", tmp_path / "a.csv", "-k", 2, "--quasi", "age", "-o", tmp_path / "b.csv").code == 0
    frame = pd.DataFrame({"age": ages})
    with pytest.warns(covey.CoveyWarning, match="column `age` is text and all its values are numbers"):
        release = covey.anonymize(frame, k=2, quasi=["age"])
    assert release.table["age"].tolist() == ["[34, 35]", "[34, 35]", "[61, 63]", "[61, 63]"]
    assert set(release.table["age"]) == set(pd.read_csv(tmp_path / "b.csv")["age"])
    assert covey.verify(release.table, k=2, quasi=["age"], original=frame).ok
    codes = covey.anonymize(frame, k=2, quasi=["age"], types={"age": "categorical"})
    assert codes.table["age"][0] == "{34, 35}"
    assert covey.anonymize(frame.astype("category"), k=2, quasi=["age"]).report.types == {"age": "categorical"}


@pytest.mark.parametrize("kind", ["arrow", "pandas", "category"])
def test_a_span_of_time_is_no_quasi_column(kind):
    spans = [timedelta(days=day) for day in range(6)]
    frame = {
        "arrow": lambda: pa.table({"stay": spans}),
        "pandas": lambda: pd.DataFrame({"stay": spans}),
        "category": lambda: pa.table({"stay": pa.array(spans).dictionary_encode()}),
    }[kind]()
    with pytest.raises(InputError, match=r"column `stay` has the type .*, which cannot be generalised") as caught:
        covey.anonymize(frame, k=2, quasi=["stay"])
    assert caught.value.code == "unsupported-column"
