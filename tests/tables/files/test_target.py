"""Where a table may be written is told before any work is done."""

from __future__ import annotations

import os

import pytest

from covey.base.errors import InputError
from covey.tables.files import CsvOptions, check_target, target_format, written_options


def code_of(target: object, *, source: object = None, force: bool = False) -> str:
    with pytest.raises(InputError) as caught:
        check_target(str(target), source=None if source is None else str(source), force=force)
    assert caught.value.hint
    return caught.value.code


def test_a_free_name_and_stdout_are_fine(tmp_path, monkeypatch):
    check_target(str(tmp_path / "out.csv"), source=str(tmp_path / "in.csv"), force=False)
    check_target("-", source="-", force=False)
    monkeypatch.chdir(tmp_path)
    check_target("out.csv", source=None, force=False)


def test_a_missing_folder(tmp_path):
    assert code_of(tmp_path / "none" / "out.csv") == "no-folder"
    (tmp_path / "file").touch()
    assert code_of(tmp_path / "file" / "out.csv") == "no-folder"
    assert code_of("") == "no-folder"


def test_an_existing_file_needs_force(tmp_path):
    target = tmp_path / "out.csv"
    target.touch()
    assert code_of(target) == "exists"
    check_target(str(target), source=None, force=True)
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "nowhere")
    assert code_of(link) == "exists"


def test_the_input_is_never_the_output(tmp_path, monkeypatch):
    source = tmp_path / "in.csv"
    source.touch()
    (tmp_path / "soft.csv").symlink_to(source)
    os.link(source, tmp_path / "hard.csv")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("in.csv", "./in.csv", "folder/../in.csv", "soft.csv", "hard.csv", str(source)):
        assert code_of(name, source=source) == "same-file"
        assert code_of(name, source="in.csv", force=True) == "same-file"


def test_a_folder_or_a_device_is_no_output(tmp_path):
    assert code_of(tmp_path, force=True) == "is-folder"
    assert code_of("/dev/null", force=True) == "not-a-file"


def test_a_folder_that_may_not_be_written_into(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # the superuser may write everywhere
    assert code_of(tmp_path / "out.csv") == "no-permission"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", "csv"),
        ("a.TSV", "csv"),
        ("a.txt", "csv"),
        ("a.parquet", "parquet"),
        ("a.pq", "parquet"),
        ("a.arrow", "arrow"),
        ("a.feather", "arrow"),
        ("a.ipc", "arrow"),
    ],
)
def test_the_ending_tells_the_format(name, kind):
    assert target_format(name, "csv" if kind != "csv" else "arrow") == kind


def test_without_an_ending_the_format_of_the_input_is_used():
    assert target_format("out", "parquet") == "parquet"
    assert target_format("-", "arrow") == "arrow"
    assert target_format("-", None) == "csv"
    with pytest.raises(InputError) as caught:
        target_format("out", None)
    assert caught.value.code == "unknown-format"


def test_options_of_what_is_written():
    asked = CsvOptions(separator=";", encoding="latin-1", decimal=",")
    assert written_options("a.csv", asked, ("x",)) == CsvOptions(
        separator=";", encoding="utf-8", decimal=",", trust_header=True
    )
    assert written_options("a.tsv", asked, ("x",)).separator == "\t"
    assert written_options("-", CsvOptions(), ("x",)).separator == ","
    headless = written_options("a.csv", CsvOptions(header=False, names=("a", "b")), ("x",))
    assert headless.names == ("x",)
