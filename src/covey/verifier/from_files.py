"""From published files to a verdict: what `covey verify` runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from covey.checks import did_you_mean
from covey.errors import InputError, UnknownColumn
from covey.files import CsvOptions, options_told, read_table
from covey.job import Job, read_job
from covey.na import NaGiven, na_by_column
from covey.na import na_words as words_of_na
from covey.registry import as_models
from covey.schema import Column, Schema
from covey.taxonomy import Taxonomy
from covey.verifier.asked import promised
from covey.verifier.judge import verify
from covey.verifier.verdict import Verdict

__all__ = ["verify_file"]


def verify_file(
    table: str,
    *,
    k: int | None = None,
    quasi: Sequence[str] | None = None,
    job: str | Path | None = None,
    original: str | None = None,
    types: Mapping[str, str] | None = None,
    taxonomies: Mapping[str, str] | None = None,
    models: Sequence[Any] = (),
    consent: str | None = None,
    suppression: float | None = None,
    suppressed_rows: str = "count",
    notation: str = "covey",
    release: str | None = None,
    na: NaGiven = (),
    na_words: Sequence[str] = (),
    csv: Mapping[str, Any] | None = None,
    allow_unchecked: bool = False,
) -> Verdict:
    """Return the verdict on a published file, held against the file it was made from if that is given.

    A job gives roles, types, taxonomies, k, what stands for missing, and the share of rows that may be left out; the
    other arguments override it.  Its models count beside those given here.
    na, na_words: what means missing, as in Python, or `?`, `age=99` as the command line has it.
    `csv` says how the original is written, as the table `csv` of a job does; the published file's own
    separator and encoding are detected.  Words that may be nodes of a taxonomy that nobody gave are not proven, and
    so not ok, unless `allow_unchecked`; a job says which columns have no taxonomy.
    """
    asked = Job() if job is None else read_job(job)
    schema = _schema(asked.schema, quasi, types or {}, taxonomies or {})
    everywhere, single = na_by_column(na)
    texts, by_column = words_of_na(na_words, schema.names("quasi"))
    everywhere = (*(everywhere or ()), *texts)
    options = options_told({**asked.csv, **(csv or {})})
    settings: dict[str, Any] = {}
    layout = options
    if original is not None:
        raw = read_table(original, options=options)
        settings = {"original": raw.table, "original_typed": raw.typed, "decimal": options.decimal}
        layout = _published_options(options, raw.names, schema)
    published = read_table(table, options=layout)
    k, its_models = promised(asked, k)
    return verify(
        published.table,
        k=k,
        quasi=[column.name for column in schema.quasi],
        schema=_declared(schema, asked.schema),
        types=types,
        taxonomies={name: schema[name].taxonomy for name in taxonomies or {}},
        na={None: everywhere or asked.na, **single, **by_column},
        missing=asked.missing,
        models=[*its_models, *as_models(models)],
        consent=consent,
        suppression=asked.suppression if suppression is None else suppression,
        suppressed_rows=suppressed_rows,
        notation=notation,
        release=release or asked.release,
        allow_unchecked=allow_unchecked,
        **settings,
    )


def _declared(schema: Schema, declared: Schema) -> Schema:
    """Return what the job says of the columns: of a column that it does not name nothing is known."""
    known = {column.name: column for column in declared.columns}
    return Schema(tuple(known[column.name] for column in schema.columns if column.name in known))


def _published_options(options: CsvOptions, names: Sequence[str], schema: Schema) -> CsvOptions:
    """Return how a published CSV is read beside its original: its own layout is detected.

    Without a header its columns are those of the original, less the identifiers, which were dropped.
    """
    dropped = schema.names("identifier")
    kept = None if options.header else tuple(name for name in names if name not in dropped)
    return replace(options, separator=None, encoding=None, names=kept)


def _schema(
    declared: Schema, quasi: Sequence[str] | None, types: Mapping[str, str], taxonomies: Mapping[str, str]
) -> Schema:
    """Return the schema of the quasi columns that were named, else of the job's."""
    known = {column.name: column for column in declared.quasi}
    columns = {name: known.get(name, Column(name, "quasi")) for name in quasi} if quasi else known
    if not columns:
        raise InputError(
            "no quasi column was named", code="no-quasi", hint="give --quasi age,sex or a --job that names them"
        )
    for name in [*types, *taxonomies]:
        if name not in columns:
            raise UnknownColumn(
                f"`{name}` is not a quasi column", code="unknown-column", hint=did_you_mean(name, list(columns))
            )
    for name, kind in types.items():
        columns[name] = replace(columns[name], type=kind)
    for name, path in taxonomies.items():
        columns[name] = replace(columns[name], taxonomy=Taxonomy.from_file(Path(path)))
    others = tuple(column for column in declared.columns if column.name not in columns and column.role != "quasi")
    return Schema((*columns.values(), *others))
