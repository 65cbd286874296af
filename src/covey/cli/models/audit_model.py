"""`covey audit-model`: whom a trained model exposes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from covey.base.checks import unknown_column
from covey.base.errors import InputError
from covey.cli import words
from covey.cli.console import CANNOT_BE_MET, guarded, progress, warn
from covey.cli.pandas_loading import allow_pandas

__all__ = ["audit_model", "read_domains"]

_HYPHEN = re.compile(r"(-?[\d.]+)-(-?[\d.]+)")


@words.spread
def audit_model(
    *,
    model: str = typer.Argument(..., metavar="MODEL", help="A .skops file, or the JSON of a model of covey"),
    table: str = typer.Argument(..., metavar="TABLE", help="The table it was trained on, or - for stdin"),
    public: str = typer.Option(..., "--public", metavar="COLUMNS", help="What others know of a person"),
    k: int = typer.Option(..., "-k", help="Least number of rows that must share what the model tells of them"),
    target: str | None = typer.Option(None, "--target", metavar="COLUMN", help="The column that the model tells"),
    types: list[str] | None = words.MODEL_TYPE,
    domain: list[str] | None = typer.Option(
        None,
        "--domain",
        metavar="COLUMN=VALUES",
        help="What a private column may be: 0..500, 0.., ..500, or yes,no; repeatable",
    ),
    columns: str | None = typer.Option(
        None, "--columns", metavar="COLUMNS", help="The columns of a model that was trained on an array, in its order"
    ),
    identifier: str | None = words.role("identifier", "What the model was not trained on and tells whose the rows are"),
    other_table: bool = typer.Option(
        False, "--other-table", help="Count a table all the same that is not the one the model was trained on"
    ),
    trust_pickle: bool = typer.Option(
        False, "--trust-pickle", help="Read a pickle or joblib file, which can run any program"
    ),
    na: list[str] | None = words.setting(
        "na", "A value that means missing, in one column or in all: ? or 999 or age=99; repeatable"
    ),
    csv_flags: words.CsvFlags,
    shown: int = typer.Option(20, "--shown", metavar="NUMBER", help="Most exposed groups that are listed"),
    as_json: bool = typer.Option(False, "--json", help="Print the findings as JSON"),
    html: str | None = typer.Option(
        None, "--html", metavar="OUT", help="Write the findings as a page too, for your eyes only"
    ),
    force: bool = typer.Option(False, "--force", help="Replace the page if it exists"),
) -> None:
    """Say whom a trained model exposes, of the people it was trained on; nothing of the model is run.

    The findings are for the steward and name small groups of people: they are not for publication. It exits with 1
    if fewer than k rows share a span.
    """
    with guarded():
        if trust_pickle:
            allow_pandas()  # a pickle may hold frames, or need it
        from covey.ask.na import na_words
        from covey.mining.audit.audit import audit
        from covey.mining.audit.model_files import is_pickle, read_model
        from covey.mining.audit.typed_table import typed_table
        from covey.tables.files import options_told, read_table, write_text

        known = words.column_list(public)
        if not known:
            raise words.bad_option(
                "`--public` names no column", "name what others can know of a person, for example --public age,sex"
            )
        _check_html(html, [model, table], force)
        flags = csv_flags.told()
        if trust_pickle and is_pickle(model):
            warn(
                f"`{model}` is a pickle: reading it runs whatever its maker put into it, with your rights; "
                "trust it only if you know who made it and who could have changed it"
            )
        with progress() as tell:
            tell("reading the model")
            trained = read_model(model, trust_pickle=trust_pickle)
            tell("reading the table")
            options = options_told(flags)
            read = read_table(table, options=options)
            everywhere, single = na_words(na, read.names, what="not in the table")
            rows = typed_table(
                read, words.pairs(types, "--type"), na=everywhere, na_by_column=single, decimal=options.decimal
            )
            tell("auditing")
            domains = read_domains(domain, rows)
            found = audit(
                trained,
                rows,
                public=known,
                k=k,
                target=target,
                domains=domains,
                columns=words.column_list(columns) or None,
                other_table=other_table,
                identifier=words.column_list(identifier),
                shown=shown,
            )
        found = replace(found, source=(_file_name(model), _file_name(table)))
        for name in domains:
            if name not in found.private or name == found.target:
                warn(f"`--domain` of `{name}` has no effect: the model does not test that column")
        if html is not None:
            write_text(found.to_html(), html, force=force, private=True)  # it names small groups of people
        typer.echo(words.document(found.to_json()) if as_json else str(found))
        if not found.ok:
            raise typer.Exit(CANNOT_BE_MET)


def _check_html(html: str | None, inputs: Sequence[str], force: bool) -> None:
    """Raise unless the page can be written, and is no input."""
    from covey.tables.files import check_ending, check_target

    if html is None:
        return
    if html == "-":
        raise words.bad_option("`--html` needs a file name", "for example --html audit.html")
    for source in inputs:  # which not even --force replaces, so that is told first
        check_target(html, source=source, force=True)
    check_ending(html, (".html", ".htm"), "the page")
    check_target(html, source=None, force=force)


def _file_name(given: str) -> str:
    """Return the name of a file without its folder, which is nobody's business."""
    return "stdin" if given == "-" else Path(given).name


def read_domains(given: Sequence[str] | None, table: Any) -> dict[str, Any]:
    """Return COLUMN=VALUES words as domains by column."""
    found: dict[str, Any] = {}
    columns = table.column_names
    for word in given or ():
        marks = [place for place, mark in enumerate(word) if mark == "="]
        if not marks or not word[marks[0] + 1 :]:
            raise _bad_domain()
        # names and values may hold = as well: the longest name that is a column is meant
        end = next((place for place in reversed(marks) if word[:place] in columns), None)
        if end is None:
            name = word[: marks[0]]
            raise unknown_column(f"`--domain` names `{name}`, which is not in the table", name, columns)
        name, values = word[:end], word[end + 1 :]
        if name in found:
            raise words.bad_option(f"`--domain` is given twice for `{name}`", "give all of its values at once")
        ends = _HYPHEN.fullmatch(values)
        if ends and _holds_numbers(table, name):
            raise words.bad_option(
                f"`--domain` of the numbers `{name}` is no range",
                f"a range is written with two dots: --domain {name}={ends[1]}..{ends[2]}",
            )
        found[name] = _values(values)
    return found


def _holds_numbers(table: Any, name: str) -> bool:
    import pyarrow.types as kinds

    kind = table.schema.field(name).type
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind))


def _values(text: str) -> Any:
    """Return a range, of which one end may be open, or the listed values.

    >>> _values("0..500"), _values("yes,no") == {"yes", "no"}
    (Interval(low=0.0, high=500.0), True)
    """
    from covey.mining.centres.private import Interval

    low, dots, high = text.partition("..")
    if not dots or "," in text or '"' in text:
        listed = frozenset(words.column_list(text))
        if not listed:
            raise _bad_domain()
        return listed
    try:
        ends = (float(low) if low else -math.inf, float(high) if high else math.inf)
        is_range = bool(low or high) and all(math.isfinite(float(end)) for end in (low, high) if end)
    except ValueError:
        is_range = False
    if not is_range:
        raise _bad_domain()
    return Interval(*ends)


def _bad_domain() -> InputError:
    return words.bad_option(
        "`--domain` must be COLUMN=LOW..HIGH or COLUMN=VALUE,VALUE,...",
        'for example --domain income=0..500, --domain income=0.. or --domain car=yes,no; values such as "a..b" '
        "in double quotes",
    )
