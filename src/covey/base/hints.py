"""What to do next, in the words of whoever asks: Python's functions have parameters, the command line has options.

>>> advice = hint("quote cells that hold the separator, or give the right one: {}", Asked("separator", ";"))
>>> print(advice)
quote cells that hold the separator, or give the right one: csv={"separator": ";"}
>>> print(on_command_line(advice))
quote cells that hold the separator, or give the right one: --separator ;
"""

from __future__ import annotations

import json
from dataclasses import dataclass

__all__ = ["Asked", "Hint", "hint", "hint_in_both", "on_command_line"]

_OPTIONS = {"k": "-k", "models": "--model", "types": "--type", "taxonomies": "--taxonomy"}
"""Options that are named otherwise than the parameter."""
_OF_CSV = ("separator", "encoding", "header", "names", "decimal", "skip_blanks")
"""What Python is told of a CSV in one dictionary."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that can be asked for, with the value to ask for; None leaves the value to the reader."""

    name: str
    value: object = None

    def in_python(self) -> str:
        """Return the argument of a function."""
        value = "..." if self.value is None else _literal(self.value)
        return f'csv={{"{self.name}": {value}}}' if self.name in _OF_CSV else f"{self.name}={value}"

    def on_command_line(self) -> str:
        """Return the option."""
        option = _OPTIONS.get(self.name, "--" + self.name.replace("_", "-"))
        if self.value is False:
            return f"--no-{option[2:]}"
        if isinstance(self.value, list):
            return f'{option} "{",".join(self.value)}"'
        return option if self.value is None or self.value is True else f"{option} {self.value}"


def _literal(value: object) -> str:
    """Return a value as it is written in Python, texts in double quotes."""
    return repr(value) if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


class Hint(str):
    """A hint in the words of Python that knows those of the command line."""

    on_command_line: str


def hint(words: str, *asked: Asked | str) -> Hint:
    """Return a hint whose `{}` are filled with what can be asked for, or with plain text."""
    return hint_in_both(
        words.format(*(one.in_python() if isinstance(one, Asked) else one for one in asked)),
        words.format(*(one.on_command_line() if isinstance(one, Asked) else one for one in asked)),
    )


def hint_in_both(in_python: str, on_command_line: str) -> Hint:
    """Return a hint from its words for either."""
    made = Hint(in_python)
    made.on_command_line = on_command_line
    return made


def on_command_line(told: str) -> str:
    """Return a hint in the words of the command line."""
    return told.on_command_line if isinstance(told, Hint) else told
