"""`covey anonymize`: from a table to a verified release."""

from __future__ import annotations

import os

import typer

from covey.base.errors import InputError
from covey.cli import words
from covey.cli.console import end_undisturbed, guarded, progress, say, warn

__all__ = ["anonymize"]


@words.spread
def anonymize(
    *,
    table: str = words.TABLE,
    output: str = typer.Option(..., "-o", "--output", metavar="OUT", help="Where to publish, or - for stdout"),
    k: int | None = words.setting("k"),
    job: str | None = words.JOB,
    identifier: str | None = words.role("identifier"),
    quasi: str | None = words.role("quasi"),
    sensitive: str | None = words.role("sensitive"),
    target: str | None = words.role("target"),
    other: str | None = words.role("other"),
    entity: str | None = typer.Option(None, "--entity", hidden=True),
    consent: str | None = typer.Option(
        None, "--consent", metavar="COLUMN", help="True for people who do not mind: their rows are released as they are"
    ),
    models: list[str] | None = words.setting("models"),
    suppression: float | None = words.setting("suppression"),
    types: list[str] | None = words.TYPE,
    weight: list[str] | None = words.WEIGHT,
    weights: str | None = words.setting("weights"),
    taxonomy: list[str] | None = words.TAXONOMY,
    algorithm: str | None = words.setting("algorithm"),
    effort: str | None = words.setting("effort"),
    budget: str | None = words.setting("budget"),
    keep_best: bool = typer.Option(
        False, "--keep-best", help="Publish the best found so far when the search is interrupted (Ctrl-C)"
    ),
    missing: str | None = words.setting("missing"),
    na: list[str] | None = words.setting("na"),
    release: str | None = words.setting("release"),
    ends: str | None = words.setting("ends"),
    order: str | None = words.setting("order"),
    seed: int | None = words.setting("seed"),
    csv_flags: words.CsvFlags,
    report: str | None = typer.Option(None, "--report", metavar="OUT.json", help="Write the report as JSON"),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON"),
    force: bool = words.FORCE,
) -> None:
    """Publish a table so that every row is one of at least k that look the same.

    COLUMNS are names separated by commas. Every column needs a role. The result is written beside OUT, read
    back, verified by code of its own, and only then put in its place.
    """
    with guarded():
        if as_json and output == "-":
            raise words.bad_option("`--json` and `-o -` both want stdout", "write the report with --report")
        given = words.Given.of(locals())  # all options by name, before anything else is one
        _check_targets(output, report, [table, *given.files], force)
        asked = given.asked()
        if asked.k is None:
            raise InputError("no k was given", code="no-k", hint="give -k 10, say: the least number of rows in a class")
        with progress() as tell:
            tell("starting")
            from covey.release.pipeline import anonymize_file
            from covey.search.keeping import keeping_best

            notes: list[str] = []
            # what goes to stdout is no whole before it is read; a file is published from one moment to the next
            proved = (lambda: None) if output == "-" else end_undisturbed
            with keeping_best(lambda: keep_best or tell.ask("publish the best that was found so far?")):
                done = anonymize_file(
                    table, output, asked, force=force, progress=tell, warn=notes.append, proved=proved
                )
        if as_json:  # else they stand in the summary
            for note in notes:
                warn(note)
        document = words.document(done.to_json())
        if report is not None:
            _write_report(document, report, force)
        if as_json:
            typer.echo(document)
        else:
            say(str(done))


def _check_targets(output: str, report: str | None, inputs: list[str], force: bool) -> None:
    """Raise unless the release and the report can each have a file of its own, none of them an input."""
    from covey.tables.files import TABLE_ENDINGS, check_ending, check_target

    if report == "-":
        raise words.bad_option("`--report` needs a file name", "--json prints the report to stdout")
    for target in filter(None, [output, report]):
        for source in inputs:
            check_target(target, source=source, force=force)
    if report is not None and os.path.realpath(report) == os.path.realpath(output):
        raise words.bad_option("`--report` and `-o` name the same file", "give the report another name")
    check_ending(output, TABLE_ENDINGS, "a table")
    check_ending(report or "-", (".json",), "the report")


def _write_report(document: str, report: str, force: bool) -> None:
    """Write the report; the release is published by now, and an error says so."""
    from covey.base.errors import MachineError
    from covey.tables.files import write_text

    try:
        write_text(document + "\n", report, force=force)
    except MachineError as error:
        raise MachineError(
            f"the release was published, but its report was not: {error.message}",
            code=error.code,
            hint="run it again with --json, or with --report in another folder",
        ) from None
