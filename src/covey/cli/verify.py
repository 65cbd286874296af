"""`covey verify`: check a published table, without trusting what made it."""

from __future__ import annotations

import typer

from covey.cli import words
from covey.cli.console import CANNOT_BE_MET, guarded

__all__ = ["verify"]


@words.spread
def verify(
    *,
    table: str = typer.Argument(..., metavar="TABLE", help="A published CSV, Parquet or Arrow file, or - for stdin"),
    k: int | None = words.setting("k", "Least number of rows in a class; without it the level is reported"),
    quasi: str | None = typer.Option(None, "--quasi", metavar="COLUMNS", help="The quasi columns"),
    job: str | None = typer.Option(None, "--job", metavar="FILE", help="A covey.toml with roles, types and taxonomies"),
    original: str | None = typer.Option(None, "--original", metavar="RAW", help="The table it was made from"),
    types: list[str] | None = typer.Option(None, "--type", metavar="COLUMN=TYPE", help="Repeatable"),
    taxonomy: list[str] | None = words.TAXONOMY,
    model: list[str] | None = words.setting("models", 'For example "distinct-l-diversity(diagnosis, l=3)"; repeatable'),
    consent: str | None = typer.Option(
        None, "--consent", metavar="COLUMN", help="The column that says who agreed to be published as they are"
    ),
    suppression: float | None = words.setting(
        "suppression", "Share of rows that may be left out (default: the job's, else 0)"
    ),
    suppressed_rows: str = typer.Option(
        "count",
        "--suppressed-rows",
        metavar="WORD",
        help="count rows that are all * as a class (default), or ignore them",
    ),
    notation: str = typer.Option(
        "covey", "--notation", metavar="KIND", help="covey, or other for cells as other tools write them"
    ),
    release: str | None = words.setting("release"),
    missing: str | None = words.setting(
        "missing", "suppress if rows with a missing quasi value were left out (default: the job's)"
    ),
    na: list[str] | None = words.setting("na"),
    csv_flags: words.CsvFlags,
    allow_unchecked: bool = typer.Option(
        False, "--allow-unchecked", help="Accept what cannot be checked, such as words of a taxonomy that nobody gave"
    ),
    show: bool = typer.Option(
        False, "--show", help="Print the cells of classes that fail; they may be those of single people"
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the verdict as JSON"),
) -> None:
    """Check a published table: recount its classes and models, and with the original at hand prove it truthful.

    The check reads, types and counts by code of its own; with `covey anonymize` it shares what says what is asked
    (roles, the job, declared taxonomies and missing values). It reads tables made by other tools too. It exits with 1
    if what is asked does not hold, or could not be checked (unless --allow-unchecked).
    """
    with guarded(writes=False):
        from covey.report import verdict_text
        from covey.verifier import verify_file

        verdict = verify_file(
            table,
            k=k,
            quasi=words.column_list(quasi) or None,
            job=job,
            original=original,
            types=words.pairs(types, "--type"),
            taxonomies=words.pairs(taxonomy, "--taxonomy"),
            models=tuple(model or ()),
            consent=consent,
            suppression=suppression,
            suppressed_rows=suppressed_rows,
            notation=notation,
            release=release,
            missing=missing,
            na_words=tuple(na or ()),
            csv=csv_flags.told(),
            allow_unchecked=allow_unchecked,
        )
        typer.echo(words.document(verdict.to_json(show=show)) if as_json else verdict_text(verdict, show=show))
        if not verdict.ok:
            raise typer.Exit(CANNOT_BE_MET)
