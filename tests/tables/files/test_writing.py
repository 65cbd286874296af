"""Files appear whole and checked under their name, or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pyarrow as pa
import pytest

from covey.base.errors import InputError, MachineError
from covey.tables.files import CsvOptions, atomic, read_table, write_table, written_options

TABLE = pa.table({"age": ["[34, 35]", "*", None], "sex": pa.array(["f", "m", "f"]).dictionary_encode()})
SECRET = "secret-cell-value"


def write(target: object, table: pa.Table = TABLE, **words: object) -> None:
    words = {"format": None, "csv": CsvOptions(), "force": False, "check": lambda path: None, "source": None} | words
    write_table(table, str(target), **words)


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.parquet", "out.arrow"])
def test_every_format_reads_back_before_it_gets_its_name(tmp_path, name):
    target = tmp_path / name
    seen = []

    def check(path: str) -> None:
        assert not target.exists()
        assert os.path.dirname(path) == str(tmp_path)
        assert os.path.basename(path).startswith(".")
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        options = written_options(name, CsvOptions(), tuple(TABLE.column_names))
        seen.append(read_table(path, options=options).table.to_pylist())

    write(target, check=check)
    assert seen == [TABLE.to_pylist()]
    assert os.listdir(tmp_path) == [name]
    umask = os.umask(0o077)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask


def test_what_the_check_raises_stops_the_publication(tmp_path):
    def check(path: str) -> None:
        raise KeyError("does not hold")

    with pytest.raises(KeyError, match="does not hold"):
        write(tmp_path / "out.csv", check=check)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("stage", ["write", "check", "rename"])
def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch, stage):
    def interrupt(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    if stage == "write":
        monkeypatch.setattr("covey.tables.files.writing.write_csv", interrupt)
    if stage == "rename":
        monkeypatch.setattr(atomic, "_rename", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "out.csv", check=interrupt if stage == "check" else lambda path: None)
    assert os.listdir(tmp_path) == []


def test_a_file_is_replaced_only_with_force(tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(InputError) as caught:
        write(target)
    assert caught.value.code == "exists"
    assert target.read_text() == "old"
    write(target, force=True)
    assert target.read_text().startswith("age,sex\n")
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appeared_meanwhile_is_not_replaced(tmp_path, monkeypatch, links):
    target = tmp_path / "out.csv"
    if not links:
        monkeypatch.setattr(os, "link", refuse_link)
    with pytest.raises(InputError) as caught:
        write(target, check=lambda path: target.write_text("theirs") and None)
    assert caught.value.code == "exists"
    assert target.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_file_system_without_hard_links_will_do(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", refuse_link)
    write(tmp_path / "out.csv")
    assert os.listdir(tmp_path) == ["out.csv"]


def refuse_link(source: str, target: str) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_the_input_is_never_written_over(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("a\n1\n")
    with pytest.raises(InputError) as caught:
        write(source, source=str(source), force=True)
    assert caught.value.code == "same-file"
    assert source.read_text() == "a\n1\n"


def test_without_an_ending_it_takes_the_format_of_the_input(tmp_path):
    write(tmp_path / "out", format="parquet")
    assert read_table(str(tmp_path / "out")).format == "parquet"
    for name in ("other", "other.data"):
        with pytest.raises(InputError) as caught:
            write(tmp_path / name)
        assert caught.value.code == "unknown-format"
    with pytest.raises(InputError):
        write(tmp_path / "other.data", format="parquet")


def test_a_type_that_a_format_cannot_hold_is_an_input_error(tmp_path):
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([SECRET]), pa.array([1])])
    with pytest.raises(InputError) as caught:
        write(tmp_path / "out.parquet", pa.table({"a": union}))
    assert caught.value.code == "unsupported-column"
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert os.listdir(tmp_path) == []


def test_a_failing_disk_is_a_machine_error(tmp_path, monkeypatch):
    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device", "a path")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(MachineError, match="No space left on device") as caught:
        write(tmp_path / "out.csv")
    assert caught.value.code == "write-failed"
    assert "a path" not in str(caught.value)
    assert os.listdir(tmp_path) == []


# in a process of their own

PROGRAM = """
import resource, sys, time
import pyarrow as pa
from covey.base.errors import MachineError
from covey.tables.files import CsvOptions, write_table

table = pa.table({"a": [f"value {i}" for i in range(200_000)]})
"""

CALL = """
write_table(table, sys.argv[1], format="csv", csv=CsvOptions(), force=False, check=check, source=None)
"""


def run(program: str, *words: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", program, *words], capture_output=True, check=False, **options)


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.arrow"])
def test_a_full_disk_leaves_nothing(tmp_path, name):
    program = (
        PROGRAM
        + "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        + "check = lambda path: None\n"
        + "try:"
        + CALL.replace("\n", "\n    ")
        + "\nexcept MachineError as error:\n    print(error.code, error.message)\n"
    )
    done = run(program, str(tmp_path / name))
    assert done.stdout.decode().strip() == "write-failed the output could not be written: File too large", done.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("number", "left"), [(signal.SIGKILL, 1), (signal.SIGINT, 0)])
def test_a_killed_process_leaves_nothing_under_the_final_name(tmp_path, number, left):
    ready = tmp_path / "ready"
    target = tmp_path / "out" / "out.csv"
    target.parent.mkdir()
    program = PROGRAM + f"def check(path):\n    open({str(ready)!r}, 'w').close()\n    time.sleep(60)\n" + CALL
    child = subprocess.Popen([sys.executable, "-c", program, str(target)], stderr=subprocess.DEVNULL)
    try:
        wait_for(ready)
        child.send_signal(number)
        child.wait(timeout=30)
    finally:
        child.kill()
    found = os.listdir(target.parent)
    assert target.name not in found
    assert len(found) == left
    assert all(name.startswith(".covey-") for name in found)


def test_a_process_killed_in_the_middle_of_writing_leaves_nothing_under_the_final_name(tmp_path):
    slow = (
        "import covey.tables.files.writing as writing\n"
        "real = writing.write_csv\n"
        "def stuck(table, out, options):\n"
        "    real(table, out, options)\n"
        "    print('writing', flush=True)\n"
        "    time.sleep(60)\n"
        "writing.write_csv = stuck\ncheck = lambda path: None\n"
    )
    target = tmp_path / "out.csv"
    child = subprocess.Popen([sys.executable, "-c", PROGRAM + slow + CALL, str(target)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == b"writing\n"
        child.kill()
        child.wait(timeout=30)
    finally:
        child.kill()
        child.stdout.close()
    assert not target.exists()
    assert all(name.startswith(".covey-") for name in os.listdir(tmp_path))


def wait_for(path: Path) -> None:
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end, "the other process did not come so far"
        time.sleep(0.01)


def test_stdout_gets_a_file_that_was_checked(tmp_path):
    program = PROGRAM + "check = lambda path: print('checked', path.startswith(sys.argv[2]), file=sys.stderr)\n" + CALL
    done = run(program, "-", str(tmp_path), env=os.environ | {"TMPDIR": str(tmp_path)})
    assert done.stderr.decode().strip() == "checked True"
    assert done.stdout.startswith(b"a\nvalue 0\nvalue 1\n")
    assert done.stdout.count(b"\n") == 200_001
    assert os.listdir(tmp_path) == []


def test_stdout_gets_nothing_that_failed_its_check(tmp_path):
    program = PROGRAM + "def check(path):\n    raise SystemExit(70)\n" + CALL
    done = run(program, "-", env=os.environ | {"TMPDIR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (70, b"")
    assert os.listdir(tmp_path) == []


def test_a_reader_that_went_away_is_no_machine_error(tmp_path):
    program = (
        PROGRAM
        + "check = lambda path: None\ntry:"
        + CALL.replace("\n", "\n    ")
        + "\nexcept BrokenPipeError:\n    print('closed', file=sys.stderr)\n    __import__('os')._exit(70)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    with child.stderr:
        assert child.stderr.read().decode().strip() == "closed"
    assert child.wait(timeout=30) == 70
    assert os.listdir(tmp_path) == []
