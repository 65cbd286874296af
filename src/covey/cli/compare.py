"""`covey compare`: many algorithms on one table, side by side."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from covey.cli import words
from covey.cli.console import CANNOT_BE_MET, guarded, progress

if TYPE_CHECKING:
    from covey.report.comparison import Comparison

__all__ = ["compare"]


@words.spread
def compare(
    *,
    table: str = words.TABLE,
    k: str | None = typer.Option(None, "-k", metavar="NUMBERS", help="Least numbers of rows in a class: 2,5,10"),
    algorithms: str | None = typer.Option(
        None,
        "--algorithms",
        metavar="NAMES",
        help='Separated by commas, default all: "k-member,mondrian(relaxed=true)"',
    ),
    job: str | None = words.JOB,
    identifier: str | None = words.role("identifier", "Left out"),
    quasi: str | None = words.role("quasi"),
    sensitive: str | None = words.role("sensitive", "ED is told of the first"),
    target: str | None = words.role("target", "CM is told of the first"),
    consent: str | None = typer.Option(None, "--consent", metavar="COLUMN", help="Whose rows need no protection"),
    other: str | None = words.role("other", "Kept as they are"),
    types: list[str] | None = words.TYPE,
    weight: list[str] | None = words.WEIGHT,
    weights: str | None = words.setting("weights"),
    taxonomy: list[str] | None = words.TAXONOMY,
    models: list[str] | None = words.setting("models"),
    suppression: float | None = words.setting("suppression"),
    missing: str | None = words.setting("missing"),
    na: list[str] | None = words.setting("na"),
    release: str | None = words.setting("release"),
    ends: str | None = words.setting("ends"),
    metrics: str | None = typer.Option(
        None, "--metrics", metavar="NAMES", help='Further figures: "nn-error,sd(HIV),distortion,diameter,centre"'
    ),
    effort: str | None = words.setting("effort"),
    budget: str | None = words.setting("budget"),
    limit: str = typer.Option("60s", "--limit", metavar="TIME", help="Most time of one run: 60s, 2m, 1h or none"),
    sample: int | None = typer.Option(
        None, "--sample", metavar="ROWS", help="Compare on so many rows, drawn by the seed"
    ),
    seed: int | None = words.setting("seed", "Seed of the searches, the sample and the queries"),
    csv_flags: words.CsvFlags,
    as_json: bool = typer.Option(False, "--json", help="Print the results as JSON"),
    csv: str | None = typer.Option(None, "--csv", metavar="OUT", help="Write the results as CSV, or - for stdout"),
    charts: list[str] | None = typer.Option(
        None, "--chart", metavar="OUT", help="Draw loss against k and time: .svg, .png, .html or .json; repeatable"
    ),
    force: bool = words.FORCE,
) -> None:
    """Run algorithms side by side on one table: what each loses, takes, and leaves of use.

    Every figure is of a verified release, none of which is written. A run that fails or reaches its limit takes
    only its own row. The best at each k is marked.
    """
    with guarded(writes=bool(charts) or csv not in (None, "-")):
        given = words.Given.of({**locals(), "k": None})  # which may be several
        _check_outputs(csv, charts or (), as_json, [table, *given.files], force)
        asked = given.asked()
        ks = _numbers(k)
        with progress() as tell:
            tell("starting")
            from covey.comparison import compare_file

            found = compare_file(
                table,
                asked,
                k=ks,
                algorithms=None if algorithms is None else specs(algorithms),
                metrics=None if metrics is None else specs(metrics),
                limit=None if limit == "none" else limit,
                sample=sample,
                progress=tell,
            )
        _write(found, csv, charts or (), as_json, force)
        if all(row.failure is not None for row in found.rows):
            raise typer.Exit(CANNOT_BE_MET)


def specs(text: str) -> list[str]:
    """Return the parts between commas, but for commas in parentheses or quotes.

    >>> specs('mdav, linkage(method="single", stop=local)')
    ['mdav', 'linkage(method="single", stop=local)']
    """
    from covey.ask.calls import with_depths

    parts = [""]
    for mark, depth in with_depths(text):
        if mark == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += mark
    return [part.strip() for part in parts if part.strip()]


def _numbers(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise words.bad_option("`-k` must be whole numbers separated by commas", "for example -k 2,5,10") from None


def _check_outputs(csv: str | None, charts: Sequence[str], as_json: bool, inputs: Sequence[str], force: bool) -> None:
    """Raise unless each output can be written, and none is an input or another output."""
    import os

    from covey.tables.files import check_ending, check_target

    if as_json and csv == "-":
        raise words.bad_option("`--json` and `--csv -` both want stdout", "give --csv a file name")
    if charts:
        from covey.report.chart_files import check_chart

        for chart in charts:
            check_chart(chart, force=force)
    outputs = [output for output in (csv, *charts) if output not in (None, "-")]
    for output in outputs:
        for source in inputs:
            check_target(str(output), source=source, force=force)
    if len({os.path.realpath(str(output)) for output in outputs}) < len(outputs):
        raise words.bad_option("two of `--csv` and `--chart` name the same file", "give each a name of its own")
    check_ending(csv or "-", (".csv",), "the results")


def _write(found: Comparison, csv: str | None, charts: Sequence[str], as_json: bool, force: bool) -> None:
    from covey.tables.files import write_text

    if as_json:
        typer.echo(words.document(found.to_json()))
    elif csv == "-":
        typer.echo(found.to_csv(), nl=False)
    else:
        _show(str(found))
    if csv not in (None, "-"):
        write_text(found.to_csv(), str(csv), force=force)
    for chart in charts:
        found.save_chart(chart, force=force)


def _show(text: str) -> None:
    """Print the table; on a terminal the best rows are bold and what was not run is dim."""
    if not sys.stdout.isatty():
        typer.echo(text)
        return
    from rich.console import Console
    from rich.text import Text

    from covey.report.comparison_text import BEST

    console = Console(soft_wrap=True, highlight=False)
    for line in text.splitlines():
        style = "bold" if line.startswith(f"{BEST} ") else "dim" if "  failed: " in line else ""
        console.print(Text(line, style=style))
