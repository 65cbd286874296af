"""Hints: one text, in the words of Python and in those of the command line."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

import covey
from covey.base.errors import InputError
from covey.base.hints import Asked, hint, on_command_line
from covey.cli.app import main


@pytest.mark.parametrize(
    ("asked", "python", "option"),
    [
        (Asked("k", 10), "k=10", "-k 10"),
        (Asked("seed", 1), "seed=1", "--seed 1"),
        (Asked("suppression", 0.02), "suppression=0.02", "--suppression 0.02"),
        (Asked("models"), "models=...", "--model"),
        (Asked("quasi", ["age", "sex"]), 'quasi=["age", "sex"]', '--quasi "age,sex"'),
        (Asked("other_table", True), "other_table=True", "--other-table"),
        (Asked("header", False), 'csv={"header": False}', "--no-header"),
        (Asked("decimal", ","), 'csv={"decimal": ","}', "--decimal ,"),
        (Asked("separator"), 'csv={"separator": ...}', "--separator"),
    ],
)
def test_a_setting_is_an_argument_in_python_and_an_option_on_the_command_line(asked, python, option):
    told = hint("give {}", asked)
    assert told == f"give {python}"
    assert on_command_line(told) == f"give {option}"


def test_names_of_columns_are_no_part_of_the_text_that_is_filled():
    told = hint("give `{}` a role: {}", "{0}{x}", Asked("quasi", ["{0}"]))
    assert told == 'give `{0}{x}` a role: quasi=["{0}"]'
    assert on_command_line(told) == 'give `{0}{x}` a role: --quasi "{0}"'


def test_a_plain_hint_is_the_same_for_all():
    assert on_command_line("rename the column") == "rename the column"


def test_an_error_of_another_process_has_both_hints():
    error = InputError("it exists", code="exists", hint=hint("give {}", Asked("force", True)))
    there = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert there.hint == "give force=True"
    assert on_command_line(there.hint) == "give --force"


def test_python_is_told_arguments_and_the_command_line_options(tmp_path, capsys, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n34,f\n35,m\n")
    with pytest.raises(InputError) as caught:
        covey.anonymize(pa.table({"age": [34, 35], "sex": ["f", "m"]}), k=2, quasi=["age"])
    assert 'give each a role: identifier=["sex"] drops it' in str(caught.value)
    assert "--" not in str(caught.value)
    words = ["covey", "anonymize", str(path), "-o", str(tmp_path / "out.csv"), "-k", "2", "--quasi", "age"]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit):
        main()
    assert 'hint: give each a role: --identifier "sex" drops it' in capsys.readouterr().err
