"""The commands put together, and the entry that `covey` calls."""

from __future__ import annotations

import sys

import typer

from covey.cli.commands import Commands
from covey.cli.console import INTERRUPTED, guarded, open_what_is_closed, stopping_when_terminated
from covey.cli.pandas_loading import without_pandas

__all__ = ["app", "main"]

app = typer.Typer(
    name="covey",
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Publish tables about people so that nobody in them can be singled out, and prove it.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from covey import __version__

        typer.echo(f"covey {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: bool = typer.Option(False, "--version", help="Print the version", callback=_version, is_eager=True),
) -> None:
    """Publish tables about people so that nobody in them can be singled out, and prove it."""


def main() -> None:
    """Run the command line and exit with its code."""
    open_what_is_closed()
    with guarded(), stopping_when_terminated(), without_pandas():
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # between the commands' own guards, where typer hears it and says nothing
            raise KeyboardInterrupt
    sys.exit(code if isinstance(code, int) else 0)
