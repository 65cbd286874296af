"""`covey init`: look at a table, propose roles and types with reasons."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from covey.cli import words
from covey.cli.console import guarded, say, warn

if TYPE_CHECKING:
    import pyarrow as pa

    from covey.tables.files import FileTable

__all__ = ["init"]


@words.spread
def init(
    *,
    table: str = words.TABLE,
    output: str = typer.Option("-", "-o", "--output", help="Where to write the job, such as covey.toml"),
    csv_flags: words.CsvFlags,
    na: list[str] | None = words.setting("na"),
    force: bool = typer.Option(False, "--force", help="Replace the output if it exists"),
) -> None:
    """Look at a table and propose a role and a type for every column, with reasons.

    Every line is a guess, and no guess publishes a column as it is: what looks like a key becomes
    an identifier (dropped), all else becomes quasi (generalised). The file runs as it is.
    """
    with guarded():
        from covey.ask.na import na_words
        from covey.base.checks import plural
        from covey.columns.proposal import propose
        from covey.columns.proposed_job import job_text
        from covey.tables.files import check_ending, check_target, options_told, read_table, write_text

        check_target(output, source=table, force=force)
        check_ending(output, (".toml",), "the job")
        flags = csv_flags.told()
        given = read_table(table, options=options_told(flags))
        everywhere, single = na_words(na, given.names, what="not in the table")
        present = _with_na(given, everywhere, single) if na else given.table
        proposals = propose(present, typed=given.typed, decimal=given.csv.decimal)
        # a file name may hold bytes that are no text; they are shown as \xff
        source = "stdin" if table == "-" else os.fsencode(Path(table).name).decode(errors="backslashreplace")
        text = job_text(proposals, given.table.num_rows, source, {} if given.typed else flags, everywhere, single)
        if output == "-":
            typer.echo(text, nl=False)
            return
        write_text(text, output, force=force)
        roles = [proposal.role for proposal in proposals]
        say(
            f"wrote {output}: {plural(roles.count('identifier'), 'identifier')}, "
            f"{plural(roles.count('quasi'), 'quasi column')}; read it, then run "
            f"covey anonymize {table} --job {output} -o OUT"
        )


def _with_na(given: FileTable, everywhere: Sequence[str], single: Mapping[str, Sequence[str]]) -> pa.Table:
    """Return a table in which what was declared as missing is missing; warn of what is in no cell."""
    from covey.ask.schema import Schema
    from covey.columns.cautions import na_cautions
    from covey.columns.missing import with_na

    quasi = Schema.from_roles(quasi=given.names).with_na(single)
    marked = with_na(given.table, quasi, everywhere, typed=given.typed, decimal=given.csv.decimal)
    for note in na_cautions(marked):
        warn(note)
    return marked.table
