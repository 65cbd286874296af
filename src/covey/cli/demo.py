"""`covey demo`: a small hospital table, before and after, with the evidence and the loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from covey.base.printable import printable
from covey.cli.console import guarded, progress

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["demo"]

_SHOWN_CLASSES = 2


def demo(
    rows: int = typer.Option(1000, "--rows", help="How many admissions to make up"),
    k: int = typer.Option(5, "-k", help="Least number of rows in a class"),
    seed: int = typer.Option(0, "--seed", help="Seed of the made-up table"),
    save: str | None = typer.Option(
        None, "--save", metavar="FILE", help="Only write the made-up table, to try covey on"
    ),
    force: bool = typer.Option(False, "--force", help="Replace FILE if it exists"),
) -> None:
    """Make up a hospital's admissions, anonymize them, verify the result, and show all of it."""
    with guarded():
        if save is not None:
            _save(rows, seed, save, force)
            return
        with progress() as tell:
            tell("making up a hospital")
            from covey.datasets import hospital_roles, hospital_taxonomies, make_hospital
            from covey.release.pipeline import anonymize
            from covey.report import release_text, verdict_text
            from covey.verifier import verify

            table = make_hospital(rows, seed)
            roles: dict[str, Any] = hospital_roles()
            taxonomies = hospital_taxonomies()
            tell("clustering (kernels are compiled once per machine)")
            release = anonymize(table, k=k, taxonomies=taxonomies, **roles)
            tell("verifying")
            again = verify(release.table, k=k, quasi=roles["quasi"])
        shown = _rows_of_first_classes(release.labels)
        typer.echo(f"{rows:,} admissions of a made-up hospital, two classes of them shown.\n\nbefore\n")
        typer.echo(_text_table(table.take(shown)))
        typer.echo(f"\nafter: every row looks like at least {k - 1} others\n")
        typer.echo(_text_table(release.table.take(shown)))
        typer.echo("\nthe evidence: a recount of the published cells by other code than made them\n")
        typer.echo(verdict_text(again))
        typer.echo("\nthe report\n")
        typer.echo(release_text(release.report))


def _save(rows: int, seed: int, target: str, force: bool) -> None:
    """Write the made-up table, in the format that its name asks for."""
    from covey.datasets import make_hospital
    from covey.tables.files import TABLE_ENDINGS, CsvOptions, check_ending, write_table

    check_ending(target, TABLE_ENDINGS, "a table")
    write_table(
        make_hospital(rows, seed), target, format="csv", csv=CsvOptions(), force=force, check=_no_check, source=None
    )


def _no_check(path: str) -> None:
    """Accept the file: nobody in it is real."""


def _rows_of_first_classes(labels: Any) -> list[int]:
    """Return the rows of the classes that the first rows of the table are in."""
    first = list(dict.fromkeys(labels.tolist()))[:_SHOWN_CLASSES]
    return [row for label in first for row in range(len(labels)) if labels[row] == label]


def _text_table(table: pa.Table) -> str:
    """Return a table as aligned text."""
    columns = [[name, *map(_cell, table.column(name).to_pylist())] for name in table.column_names]
    widths = [max(len(cell) for cell in column) for column in columns]
    lines = [_line(row, widths) for row in zip(*columns, strict=True)]
    return "\n".join([lines[0], "  " + "  ".join("-" * width for width in widths), *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _cell(value: object) -> str:
    return "" if value is None else printable(str(value))
