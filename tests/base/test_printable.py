"""Nothing that a table holds acts on a terminal."""

import unicodedata

import pyarrow as pa
import pytest

from covey.base.printable import printable, printable_lines
from covey.cli.app import main
from covey.cli.console import warn


def test_every_character_that_acts_is_escaped():
    for number in range(0x110000):
        mark = chr(number)
        if unicodedata.category(mark) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            assert printable(mark).startswith("\\")
            assert printable(mark).isascii()


@pytest.mark.parametrize("text", ["Oslo", "São Tomé", "東京", "[34, 35]", "a\u00a0b", "\U0001f600"])
def test_what_is_seen_stays(text):
    assert printable(text) == text


def test_a_line_ends_only_where_lines_are_joined():
    assert printable_lines(["a\nb", "c\x1b[1m"]) == "a\\nb\nc\\x1b[1m"


def test_messages_on_stderr_are_safe(capsys):
    warn("column `a\x1b[2J\nok`")
    assert capsys.readouterr().err == "warning: column `a\\x1b[2J\\nok`\n"


def test_errors_with_names_of_columns_are_safe(tmp_path, capsys, monkeypatch):
    path = tmp_path / "t.arrow"
    table = pa.table({"ages\x1b[2J": ["1", "2"]})
    with pa.ipc.new_file(str(path), table.schema) as out:
        out.write_table(table)
    monkeypatch.setattr("sys.argv", ["covey", "verify", str(path), "--quasi", "ages", "-k", "2"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert "\x1b" not in capsys.readouterr().err
