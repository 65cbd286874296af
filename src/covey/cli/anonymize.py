"""`covey anonymize`: from a table to a verified release."""

from __future__ import annotations

import json
import os
from typing import Any

import typer

from covey.base.errors import InputError
from covey.cli import words
from covey.cli.console import guarded, progress, say, warn

__all__ = ["anonymize"]


def anonymize(
    table: str = typer.Argument(..., metavar="TABLE", help="A CSV, Parquet or Arrow file, or - for stdin"),
    output: str = typer.Option(..., "-o", "--output", metavar="OUT", help="Where to publish, or - for stdout"),
    k: int | None = typer.Option(None, "-k", help="Least number of rows in a class"),
    job: str | None = typer.Option(None, "--job", metavar="FILE", help="A covey.toml; flags override it"),
    identifier: str | None = typer.Option(None, "--identifier", metavar="COLUMNS", help="Dropped"),
    quasi: str | None = typer.Option(None, "--quasi", metavar="COLUMNS", help="Generalised"),
    sensitive: str | None = typer.Option(None, "--sensitive", metavar="COLUMNS", help="Published as they are"),
    target: str | None = typer.Option(None, "--target", metavar="COLUMNS", help="Published as they are"),
    other: str | None = typer.Option(None, "--other", metavar="COLUMNS", help="Published as they are"),
    entity: str | None = typer.Option(None, "--entity", hidden=True),
    consent: str | None = typer.Option(
        None, "--consent", metavar="COLUMN", help="True for people who do not mind: their rows are released as they are"
    ),
    model: list[str] | None = typer.Option(
        None, "--model", metavar="MODEL", help='Beside k: "distinct-l-diversity(diagnosis, l=3)"; repeatable'
    ),
    suppression: float | None = typer.Option(
        None, "--suppression", metavar="SHARE", help="Share of rows that an algorithm may leave out (default 0)"
    ),
    types: list[str] | None = typer.Option(
        None, "--type", metavar="COLUMN=TYPE", help="numeric, categorical, date or boolean; repeatable"
    ),
    weight: list[str] | None = typer.Option(None, "--weight", metavar="COLUMN=NUMBER", help="Repeatable"),
    weights: str | None = typer.Option(
        None, "--weights", metavar="KIND", help="declared (default), or adaptive: learned from the table"
    ),
    taxonomy: list[str] | None = typer.Option(None, "--taxonomy", metavar="COLUMN=FILE", help="Repeatable"),
    algorithm: str | None = typer.Option(
        None,
        "--algorithm",
        metavar="NAME",
        help='covey (default), or another of docs/algorithms.md: "mondrian(relaxed=true)"',
    ),
    missing: str | None = typer.Option(None, "--missing", metavar="POLICY", help="category, suppress or error"),
    na: list[str] | None = words.NA,
    release: str | None = typer.Option(None, "--release", metavar="KIND", help="interval, node, bounds or centre"),
    ends: str | None = typer.Option(
        None, "--ends", metavar="KIND", help="exact, or snapped to values that k rows share"
    ),
    order: str | None = typer.Option(None, "--order", metavar="ORDER", help="shuffled (default) or kept"),
    seed: int | None = typer.Option(None, "--seed", help="Seed of the search"),
    separator: str | None = words.SEPARATOR,
    encoding: str | None = words.ENCODING,
    header: bool | None = words.HEADER,
    names: str | None = words.NAMES,
    decimal: str | None = words.DECIMAL,
    skip_blanks: bool = words.SKIP_BLANKS,
    report: str | None = typer.Option(None, "--report", metavar="OUT.json", help="Write the report as JSON"),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON"),
    force: bool = typer.Option(False, "--force", help="Replace the outputs if they exist"),
) -> None:
    """Publish a table so that every row is one of at least k that look the same.

    COLUMNS are names separated by commas. Every column needs a role. The result is written beside OUT, read
    back, verified by code of its own, and only then put in its place.
    """
    with guarded():
        if as_json and output == "-":
            raise InputError(
                "`--json` and `-o -` both want stdout", code="bad-option", hint="write the report with --report"
            )
        from dataclasses import replace

        from covey.ask.job import Job, read_job
        from covey.ask.na import na_words

        taxonomies = words.pairs(taxonomy, "--taxonomy")
        asked = Job() if job is None else read_job(job)
        inputs = [table, *filter(None, [job]), *taxonomies.values(), *asked.files]
        _check_targets(output, report, inputs, force)
        roles = {
            "identifier": identifier, "quasi": quasi, "sensitive": sensitive, "target": target,
            "entity": entity, "consent": consent, "other": other,
        }  # fmt: skip
        schema = words.merged_schema(
            asked,
            {role: words.column_list(given) for role, given in roles.items()},
            words.pairs(types, "--type"),
            words.pairs(weight, "--weight"),
            taxonomies,
        )
        everywhere, single_na = na_words(na, schema.names("quasi"))
        schema = schema.with_na(single_na)
        flags: dict[str, Any] = {
            "k": k, "algorithm": algorithm, "missing": missing, "na": (*asked.na, *everywhere),
            "release": release, "ends": ends, "order": order, "seed": seed, "suppression": suppression,
            "weights": weights, "models": (*asked.models, *model) if model else None,
        }  # fmt: skip
        asked = replace(asked, schema=schema, **{name: value for name, value in flags.items() if value is not None})
        if asked.k is None:
            raise InputError("no k was given", code="no-k", hint="give -k 10, say: the least number of rows in a class")
        told_of_csv = words.csv_flags(
            separator=separator, encoding=encoding, header=header, names=names, decimal=decimal,
            skip_blanks=skip_blanks,
        )  # fmt: skip
        asked = replace(asked, csv={**asked.csv, **told_of_csv})
        with progress() as tell:
            tell("starting")
            from covey.release.pipeline import anonymize_file

            notes: list[str] = []
            done = anonymize_file(table, output, asked, force=force, progress=tell, warn=notes.append)
        if as_json:  # else they stand in the summary
            for note in notes:
                warn(note)
        document = json.dumps(done.to_json(), indent=2, allow_nan=False)
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
        raise InputError("`--report` needs a file name", code="bad-option", hint="--json prints the report to stdout")
    for target in filter(None, [output, report]):
        for source in inputs:
            check_target(target, source=source, force=force)
    if report is not None and os.path.realpath(report) == os.path.realpath(output):
        raise InputError(
            "`--report` and `-o` name the same file", code="bad-option", hint="give the report another name"
        )
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
