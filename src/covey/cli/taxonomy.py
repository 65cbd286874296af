"""`covey taxonomy lint`: look for faults in a taxonomy file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from covey.base.printable import printable
from covey.cli import words
from covey.cli.console import CANNOT_BE_MET, guarded

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True, help="Look after taxonomies")


@app.callback()
def _top() -> None:
    """Look after taxonomies."""


@app.command("lint")
@words.spread
def lint(
    *,
    file: str = typer.Argument(..., metavar="FILE", help="A taxonomy: CSV leaf;level1;...;root, TOML or JSON"),
    column: str | None = typer.Option(
        None, "--column", metavar="TABLE:NAME", help="A column whose values the taxonomy must have"
    ),
    csv_flags: words.CsvFlags,
) -> None:
    """List the faults of a taxonomy: missing and duplicate leaves, two parents, cycles, uneven depth.

    Exits with 1 if there is an error; warnings alone exit with 0.
    """
    with guarded(writes=False):
        from covey.ask.taxonomy import lint as find_faults
        from covey.base.checks import plural

        flags = csv_flags.told()
        labels = None if column is None else _labels(column, flags)
        findings = find_faults(file, labels)
        for finding in findings:
            typer.echo(printable(f"{finding.severity}: {finding.message} [{finding.code}]"))
        errors = sum(finding.severity == "error" for finding in findings)
        typer.echo(f"{plural(errors, 'error')}, {plural(len(findings) - errors, 'warning')}")
        if errors:
            raise typer.Exit(CANNOT_BE_MET)


def _labels(place: str, csv: Mapping[str, Any]) -> list[str]:
    """Return the labels of a column given as TABLE:NAME, as `covey anonymize` looks for them in a taxonomy."""
    from covey.ask.schema import Column
    from covey.base.checks import unknown_column
    from covey.columns.typed import leaf_labels
    from covey.columns.types import type_of
    from covey.tables.files import options_told, read_table

    path, colon, name = place.rpartition(":")
    if not colon or not path:
        raise words.bad_option("`--column` must be TABLE:NAME", "for example people.csv:age")
    read = read_table(path, options=options_told(csv))
    if name not in read.table.column_names:
        raise unknown_column(f"`{path}` has no column `{name}`", name, read.table.column_names)
    data, decimal = read.table.column(name), read.csv.decimal
    kind = type_of(data, typed=read.typed, decimal=decimal)
    return leaf_labels(Column(name, "quasi", type=kind), data, decimal)
