"""`covey audit-model`: whom a trained model exposes."""

from __future__ import annotations

import json

import typer

from covey.cli import words
from covey.cli.console import CANNOT_BE_MET, guarded, warn
from covey.errors import InputError

__all__ = ["audit_model"]


def audit_model(
    model: str = typer.Argument(..., metavar="MODEL", help="A .skops file, or the JSON of a model of covey"),
    table: str = typer.Argument(..., metavar="TABLE", help="The table it was trained on, or - for stdin"),
    public: str = typer.Option(..., "--public", metavar="COLUMNS", help="What others know of a person"),
    k: int = typer.Option(..., "-k", help="Least number of people who must share what the model tells of them"),
    target: str | None = typer.Option(None, "--target", metavar="COLUMN", help="The column that the model tells"),
    types: list[str] | None = typer.Option(
        None, "--type", metavar="COLUMN=TYPE", help="numeric or categorical, for a column of a CSV; repeatable"
    ),
    domain: list[str] | None = typer.Option(
        None, "--domain", metavar="COLUMN=LOW..HIGH", help="What a private number may be; repeatable"
    ),
    columns: str | None = typer.Option(
        None, "--columns", metavar="COLUMNS", help="The columns of a model that was trained on an array, in its order"
    ),
    trust_pickle: bool = typer.Option(
        False, "--trust-pickle", help="Read a pickle or joblib file, which can run any program"
    ),
    na: list[str] | None = typer.Option(
        None, "--na", metavar="TEXT", help="A text that stands for a missing value; repeatable"
    ),
    separator: str | None = words.SEPARATOR,
    encoding: str | None = words.ENCODING,
    header: bool | None = words.HEADER,
    names: str | None = words.NAMES,
    decimal: str | None = words.DECIMAL,
    skip_blanks: bool = words.SKIP_BLANKS,
    as_json: bool = typer.Option(False, "--json", help="Print the findings as JSON"),
) -> None:
    """Say whom a trained model exposes, of the people it was trained on; nothing of the model is run.

    The findings are for the steward and name small groups of people: they are printed, and not for publication. It
    exits with 1 if fewer than k people share a span.
    """
    with guarded():
        from covey.files import options_told, read_table
        from covey.mining.audit import audit
        from covey.mining.model_files import is_pickle, read_model
        from covey.mining.typed_table import typed_table

        flags = words.csv_flags(
            separator=separator, encoding=encoding, header=header, names=names, decimal=decimal,
            skip_blanks=skip_blanks,
        )  # fmt: skip
        domains = {name: _range(text) for name, text in words.pairs(domain, "--domain").items()}
        if trust_pickle and is_pickle(model):
            warn(
                f"`{model}` is a pickle: reading it runs whatever its maker put into it, with your rights; "
                "trust it only if you know who made it and who could have changed it"
            )
        trained = read_model(model, trust_pickle=trust_pickle)
        options = options_told(flags)
        rows = typed_table(
            read_table(table, options=options),
            words.pairs(types, "--type"),
            na=tuple(na or ()),
            decimal=options.decimal,
        )
        found = audit(
            trained,
            rows,
            public=words.column_list(public),
            k=k,
            target=target,
            domains=domains,
            columns=words.column_list(columns) or None,
        )
        typer.echo(json.dumps(found.to_json(), indent=2) if as_json else str(found))
        if not found.ok:
            raise typer.Exit(CANNOT_BE_MET)


def _range(text: str) -> tuple[float, float]:
    low, dots, high = text.partition("..")
    try:
        if not dots:
            raise ValueError
        return float(low), float(high)
    except ValueError:
        raise InputError(
            "`--domain` must be COLUMN=LOW..HIGH", code="bad-option", hint="for example --domain income=0..500"
        ) from None
