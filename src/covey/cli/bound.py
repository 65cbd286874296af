"""`covey bound`: what no release of a table can lose less than."""

from __future__ import annotations

import typer

from covey.cli import words
from covey.cli.console import guarded, progress, warn

__all__ = ["bound"]


@words.spread
def bound(
    *,
    table: str = words.TABLE,
    k: int | None = words.setting("k"),
    job: str | None = words.JOB,
    quasi: str | None = words.role("quasi", "The columns that classes generalise"),
    consent: str | None = words.role("consent", "True for people who do not mind: their rows are in no class"),
    suppression: float | None = words.setting(
        "suppression", "Above 0: the bound also holds for classes that leave out rows, at the price of all columns each"
    ),
    types: list[str] | None = words.TYPE,
    weight: list[str] | None = words.WEIGHT,
    taxonomy: list[str] | None = words.TAXONOMY,
    effort: str | None = words.setting(
        "effort", "How strong: fast (boxes), balanced (prices of rows, the default) or best (a linear program)"
    ),
    missing: str | None = words.setting("missing"),
    na: list[str] | None = words.setting("na"),
    csv_flags: words.CsvFlags,
    as_json: bool = typer.Option(False, "--json", help="Print the bound as JSON"),
) -> None:
    """Say what no partition of a table into classes of at least k rows can lose less than.

    The bound is proven, for all partitions and so for every algorithm. Columns that are not quasi need no role:
    nothing is published.
    """
    with guarded(writes=False):
        given = words.Given.of({**locals(), "models": None})
        asked = given.asked()
        with progress() as tell:
            tell("starting")
            from covey.release.bounding import bound_file

            notes: list[str] = []
            found = bound_file(table, asked, progress=tell, warn=notes.append)
        for note in notes:
            warn(note)
        typer.echo(words.document(found.to_json()) if as_json else str(found))
