"""What can be asked stands in one table: job files, commands and functions take it as it is there."""

import inspect

import pytest
import typer

import covey
from covey.ask.job import Job, read_job
from covey.ask.settings import SETTINGS
from covey.base.errors import InputError
from covey.cli.app import app

TAKERS = ("anonymize", "compare", "verify", "bound")
OUT_OF_RANGE = {
    "k": 1, "missing": "drop", "suppression": 1.5, "release": "boxes", "ends": "open", "order": "sorted", "seed": -1,
    "weights": "learned",
}  # fmt: skip


def options(command):
    """The options of a command by their first name: (its words, whether it can be repeated)."""
    found = typer.main.get_command(app).commands[command]
    return {
        option.opts[-1]: (option.help, option.multiple) for option in found.params if option.opts[0].startswith("-")
    }


def taken_by(name):
    return [setting for setting in SETTINGS.values() if name in setting.takers]


@pytest.mark.parametrize("name", SETTINGS)
def test_a_job_has_the_default_and_the_rule_of_the_table(name):
    setting = SETTINGS[name]
    assert setting.rule(getattr(Job(), name)) is None
    assert name in inspect.signature(Job).parameters


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_what_the_table_refuses_is_refused_everywhere(name, tmp_path):
    words = f"`{name}` must be {SETTINGS[name].rule(OUT_OF_RANGE[name])}"
    with pytest.raises(InputError) as caught:
        Job(**{name: OUT_OF_RANGE[name]})
    assert str(caught.value).startswith(words)
    file = tmp_path / "covey.toml"
    file.write_text(f"{name} = {OUT_OF_RANGE[name]!r}\n")
    with pytest.raises(InputError) as caught:
        read_job(file)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("command", TAKERS)
def test_a_function_takes_the_settings_that_the_table_says(command):
    parameters = inspect.signature(getattr(covey, command)).parameters
    assert [setting.name for setting in taken_by(command) if setting.name not in parameters] == []
    others = [setting.name for setting in SETTINGS.values() if command not in setting.takers]
    # verify is told in which order rows are compared, bound the weights of columns: no settings of a run
    ordered = {"verify": ["order"], "bound": ["weights"]}.get(command, [])
    assert [name for name in others if name in parameters] == ordered
    if command != "verify":  # a default cannot be told from what was said, so that nothing said is None
        assert {parameters[setting.name].default for setting in taken_by(command)} == {None}


@pytest.mark.parametrize("command", TAKERS)
def test_a_command_has_an_option_for_each_setting(command):
    found = options(command)
    for setting in taken_by(command):
        words, is_multiple = found[setting.option]
        assert words
        assert is_multiple == setting.repeatable, setting.name


def test_a_number_of_any_length_is_refused_with_a_sentence(tmp_path):
    file = tmp_path / "covey.toml"
    file.write_text(f"suppression = 1{'0' * 400}\n")
    with pytest.raises(InputError, match="`suppression` must be a number from 0 to 1"):
        read_job(file)
