"""Streams that are closed or full, and numbers and texts at the end of what can be read."""

from __future__ import annotations

import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey

TEXT = "age,sex\n34,f\n35,f\n61,m\n63,m\n"
DIGITS = "9" * 100_000


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(TEXT)
    return path


def shell(line: str, folder) -> subprocess.CompletedProcess[str]:
    words = {**os.environ, "COVEY": f"{sys.executable} -m covey"}
    return subprocess.run(["sh", "-c", line], cwd=folder, env=words, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", ["verify people.csv --quasi age -k 2", "init people.csv", "--version", "--help"])
def test_a_full_disk_behind_stdout_is_told_in_a_sentence(words, people):
    done = shell(f"$COVEY {words} > /dev/full", people.parent)
    assert done.returncode == 70
    assert done.stderr.startswith("error: reading or writing failed: No space left on device\n")
    assert "internal fault" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_messages_do_not_go_to_stdout_where_stderr_is_closed(people):
    done = shell("$COVEY verify none.csv --quasi age -k 2 2>&-", people.parent)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_release_is_written_where_stderr_is_closed(people):
    done = shell("$COVEY anonymize people.csv --quasi age,sex -k 2 -o out.csv 2>&-", people.parent)
    assert (done.returncode, done.stdout) == (0, "")
    assert (people.parent / "out.csv").read_text().count("\n") == 5


def test_utf_16_without_a_mark_and_with_half_a_character(run, people):
    people.write_bytes(b"a,b\n1,2\n3")
    found = run("init", people, "--encoding", "utf-16")
    assert found.code == 2
    assert "is not utf-16 text: line 1 cannot be decoded" in found.err


def test_a_number_of_many_digits_in_a_job(run, people):
    job = people.with_name("covey.toml")
    job.write_text(f"k = {DIGITS}\n")
    found = run("verify", people, "--job", job)
    assert found.code == 2
    assert "has a number of more digits than can be read" in found.err


def test_a_number_of_many_digits_on_the_command_line(run, people):
    assert run("verify", people, "--quasi", "age", "-k", DIGITS).code == 2


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_of_many_digits_in_python(sign):
    table = pa.table({"age": [1, 2]})
    many = sign * 10**100_000
    for call in (
        lambda: covey.anonymize(table, k=many, quasi=["age"]),
        lambda: covey.verify(table, k=many, quasi=["age"]),
        lambda: covey.compare(table, k=many, quasi=["age"]),
        lambda: covey.anonymize(table, k=2, seed=many, quasi=["age"]),
    ):
        with pytest.raises(covey.InputError) as found:
            call()
        assert "to 9223372036854775807" in found.value.message


def test_an_offending_class_beyond_the_year_9999_is_shown(run, tmp_path):
    path = tmp_path / "far.parquet"
    times = pa.array([400_000_000_000, 400_000_000_000, -100_000_000_000], pa.timestamp("s"))
    pq.write_table(pa.table({"seen": times}), path)
    found = run("verify", path, "--quasi", "seen", "-k", "2", "--show")
    assert found.code == 1
    assert "seen = -1199-02-15T14:13:20" in found.out


@pytest.mark.parametrize(
    "values",
    [
        [[1.0, float("nan")], [2.0], [float("nan")], []],
        [{"a": float("nan")}, {"a": 2.0}, None, {"a": None}],
    ],
)
def test_nan_inside_a_kept_list_or_record_is_itself(values):
    table = pa.table({"age": [1, 2, 3, 4], "told": pa.array(values)})
    made = covey.anonymize(table, k=2, quasi=["age"], other=["told"])
    assert made.table.column("told").type == table.column("told").type
    harmed = made.table.set_column(1, "told", pa.array(values[::-1], table.column("told").type))
    schema = covey.Schema.from_roles(quasi=["age"], other=["told"])
    assert covey.verify(made.table, k=2, schema=schema, original=table, order="kept").ok
    assert not covey.verify(harmed, k=2, schema=schema, original=table, order="kept").ok


def test_null_in_a_dictionary_is_missing():
    told = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1, 2, None]), pa.array(["a", None, "c"]))
    table = pa.table({"told": told, "kept": told, "age": [1, 1, 2, 2, 3, 3]})
    made = covey.anonymize(
        table, k=2, quasi=["told", "age"], sensitive=["kept"], models=["distinct-l-diversity(kept, l=2)"]
    )
    assert made.table.column("kept").to_pylist() == ["a", None, "a", None, "c", None]


@pytest.mark.parametrize(
    "words", ["verify - -k 2 --quasi age", "init -", "anonymize - -k 2 --quasi age,sex -o out.csv"]
)
def test_closed_stdin_is_empty(words, people):
    done = shell(f"$COVEY {words} <&-", people.parent)
    assert done.returncode == 2
    assert done.stderr.startswith("error: stdin is empty\n")


def test_two_tables_cannot_come_from_stdin(run):
    found = run("verify", "-", "-k", 2, "--quasi", "age", "--original", "-", stdin=TEXT.encode())
    assert found.code == 2
    assert "cannot both come from stdin" in found.err


def test_a_reader_who_has_gone_is_no_fault(people):
    line = "{ $COVEY anonymize people.csv --quasi age,sex -k 2 -o -; echo $? > code; } | true"
    done = shell(line, people.parent)
    assert (done.stdout, done.stderr) == ("", "")
    assert (people.parent / "code").read_text() == "141\n"


@pytest.mark.parametrize("name", [".csv", "./.parquet"])
def test_an_ending_without_a_name_is_no_output(run, people, monkeypatch, name):
    monkeypatch.chdir(people.parent)
    found = run("anonymize", people, "--quasi", "age,sex", "-k", 2, "-o", name)
    assert found.code == 2
    assert "is an ending without a name" in found.err
    assert sorted(os.listdir(people.parent)) == ["people.csv"]


def test_a_file_of_a_taxonomy_may_hold_an_equals_sign(tmp_path):
    from covey.cli.words import pairs

    folder = tmp_path / "year=2024"
    folder.mkdir()
    file = folder / "city.csv"
    file.write_text("Oslo;Norway;*\n")
    assert pairs([f"city={file}"], "--taxonomy") == {"city": str(file)}
    assert pairs(["a=b=numeric"], "--type") == {"a=b": "numeric"}
