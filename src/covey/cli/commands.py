"""The commands by name: each is loaded when it is run, and the list of them loads none."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Any

import typer
from typer.core import TyperGroup

__all__ = ["COMMANDS", "Commands"]

COMMANDS = {
    "init": ("init:init", "Look at a table, propose roles and types"),
    "anonymize": ("anonymize:anonymize", "Publish a table, verified"),
    "verify": ("verify:verify", "Check a published table"),
    "bound": ("bound:bound", "What no release can lose less than"),
    "compare": ("compare:compare", "Run algorithms side by side"),
    "audit-model": ("models.audit_model:audit_model", "Say whom a trained model exposes"),
    "demo": ("demo:demo", "A made-up hospital, before and after"),
    "learn": ("models.learn:app", "Learn a model that exposes nobody"),
    "taxonomy": ("taxonomy:app", "Look after taxonomies"),
}
"""Where a command is in this folder, a function or a group of commands, and what it does."""


class Commands(TyperGroup):
    """A group of commands that are loaded one by one."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Loaded()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in COMMANDS.items()])


class _Loaded(MutableMapping[str, Any]):
    """All commands by name, each made when it is asked for; a group of typer may be given more."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _command(name)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS | self._made)

    def __len__(self) -> int:
        return len(COMMANDS | self._made)


def _command(name: str) -> Any:
    """Return a command as the group above runs it."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    found = getattr(importlib.import_module(f"covey.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        command = typer.main.get_command(found)
        command.name = name
        return command
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(found)
    return typer.main.get_command(alone)
