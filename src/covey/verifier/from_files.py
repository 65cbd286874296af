"""From published files to a verdict: what `covey verify` runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from covey.ask.job import Job, read_job
from covey.ask.na import NaGiven, NaValue, na_by_column
from covey.ask.na import na_words as words_of_na
from covey.ask.schema import Column, Schema
from covey.ask.taxonomy import Taxonomy
from covey.base.checks import plural, require_known
from covey.base.errors import InputError, UnknownColumn, VerificationFailed
from covey.base.hints import Asked, hint
from covey.verifier.columns.codes import coded
from covey.verifier.columns.na import without_na
from covey.verifier.judge import verify
from covey.verifier.reading.kinds import with_type
from covey.verifier.tables import FileRead, Names, Written, read_file
from covey.verifier.verdict import Verdict

__all__ = ["verify_file", "verify_written"]


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
    missing: str | None = None,
    na: NaGiven = (),
    na_words: Sequence[str] = (),
    csv: Mapping[str, Any] | None = None,
    allow_unchecked: bool = False,
) -> Verdict:
    """Return the verdict on a published file, held against the file it was made from if that is given.

    A job gives roles, types, taxonomies, k, what stands for missing, and the share of rows that may be left out; the
    other arguments override it.  Its models count beside those given here.
    na, na_words: what means missing, as in Python, or `?`, `age=99` as the command line has it.
    `csv` says how the original is written, as the table `csv` of a job does; without an original it tells the
    separator and encoding of the published file, which otherwise are found out.  Words that may be nodes of a taxonomy
    that nobody gave are not proven, and so not ok, unless `allow_unchecked`; a job says which columns have none.
    """
    if table == original == "-":
        raise InputError(
            "the published table and the original cannot both come from stdin",
            code="two-stdin",
            hint="give one of them as a file",
        )
    asked = Job() if job is None else read_job(job)
    schema = _schema(asked.schema, quasi, types or {}, taxonomies or {})
    everywhere, single = na_by_column(na)
    texts, by_column = words_of_na(na_words, schema.names("quasi"))
    absent: dict[Any, tuple[NaValue, ...]] = {None: (*asked.na, *(everywhere or ()), *texts), **single, **by_column}
    told = Written.told({**asked.csv, **(csv or {})})
    kind = release or asked.release
    settings: dict[str, Any] = {"decimal": told.decimal}
    typed, names = schema, told.names or _numbered([column.name for column in asked.schema.columns])
    likely = [told.separator]
    if original is not None:
        raw = read_file(original, told)
        settings |= {"original": raw.table, "original_typed": raw.typed}
        typed, names = _typed(schema, raw, told.decimal, absent), raw.names
        likely.append(raw.separator)
    if table.lower().endswith((".tsv", ".tab")):
        likely.insert(0, "\t")
    written = told.as_published(
        _possible_names(names, typed, kind),
        tuple(column.name for column in schema.quasi),
        tuple(mark for mark in likely if mark),
    )
    if original is None:  # then what this call tells, other than its job, can only be of the published file
        alone = Written.told(csv or {})
        written = replace(written, separator=alone.separator, encoding=alone.encoding)
    published = read_file(table, written)
    known = (*schema.names("quasi"), *(column.name for column in asked.schema.columns))
    for read in [published] if original is None else [published, raw]:
        _check_is_header(read, told.header, known)
    return verify(
        published.table,
        k=k,
        quasi=[column.name for column in schema.quasi],
        schema=_declared(schema, asked.schema),
        job=None if job is None else asked,
        types=types,
        taxonomies={name: schema[name].taxonomy for name in taxonomies or {}},
        na=absent,
        missing=missing,
        models=models,
        consent=consent,
        suppression=suppression,
        suppressed_rows=suppressed_rows,
        notation=notation,
        release=kind,
        allow_unchecked=allow_unchecked,
        **settings,
    )


def _check_is_header(read: FileRead, told: bool | None, known: Sequence[str]) -> None:
    """Raise if none of the known columns is in a header that nobody vouched for: a record would be told as names."""
    if read.typed or told is not None:
        return
    bounds = (f"{name}_{end}" for name in known for end in ("min", "max"))
    if not {*known, *bounds} & {name.strip(" \t") for name in read.names}:
        raise UnknownColumn(
            f"none of the columns that were named is in the first row of {read.name}, which has"
            f" {plural(len(read.names), 'cell')}",
            code="unknown-column",
            hint=hint(
                "give {} if that row is a record, or {} if it holds the names, to see them",
                Asked("header", False),
                Asked("header", True),
            ),
        )


def _declared(schema: Schema, declared: Schema) -> Schema:
    """Return what the job says of the columns: of a column that it does not name nothing is known."""
    known = {column.name: column for column in declared.columns}
    return Schema(tuple(known[column.name] for column in schema.columns if column.name in known))


def verify_written(
    path: str,
    csv: Mapping[str, Any],
    *,
    source: str | bytes,
    source_csv: Mapping[str, Any],
    schema: Schema,
    **settings: Any,
) -> Verdict:
    """Return the verdict on a file that has just been written, read back and held against the file it was made from.

    csv, source_csv: how both are written, as the table `csv` of a job says it.  source: the path of the original, or
    its bytes if it cannot be read twice.  Its identifiers are not loaded.  The other settings are those of `verify`.
    """
    try:
        back = read_file(path, Written.told(csv), name="the written file")
    except InputError:  # its words are for files that somebody gave
        raise VerificationFailed(
            "the release could not be read back, so nothing was published",
            code="verification-failed",
            hint="this is a fault of covey: please report it with the settings used, never with the data",
        ) from None
    layout = Written.told(source_csv)
    raw = read_file(source, layout, skip=schema.names("identifier"))
    return verify(
        back.table,
        schema=schema,
        roles=schema,
        original=raw.table,
        original_typed=raw.typed,
        decimal=layout.decimal,
        **settings,
    )


def _typed(schema: Schema, raw: FileRead, decimal: str, na: Mapping[Any, Sequence[NaValue]]) -> Schema:
    """Return the schema with the types that the quasi columns of the original have, what means missing left out."""
    found = []
    for column in schema.quasi:
        name = column.name
        if column.type is None and name in raw.table.column_names:
            data = raw.table.column(name)
            entries = (*na[None], *column.na, *na.get(name, ()))
            if entries:
                data = without_na(data, column, entries, typed=raw.typed, decimal=decimal)
            values = coded(data, name).values
            found.append(with_type(column, data, values, typed=raw.typed, decimal=decimal))
    return schema.with_columns(found)


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that a job lists; `c1`, `c2`, ..., as columns without a header are called, in their order."""
    counted = tuple(f"c{place + 1}" for place in range(len(names)))
    return counted if set(counted) == set(names) else tuple(names)


def _possible_names(names: Sequence[str], schema: Schema, release: str) -> tuple[Names, ...]:
    """Return what the columns of a published file without a header may be, the likeliest first.

    They are those of the original less the identifiers, which were dropped.  Where bounds are released, a quasi
    column has two if it is in an order and no taxonomy was given for it.
    """
    dropped = schema.names("identifier")
    plain = tuple(name for name in names if name not in dropped)
    bare = [column for column in schema.quasi if column.taxonomy is None and column.name in plain]
    split = frozenset(column.name for column in bare if column.type in ("numeric", "ordered", "date"))
    may_split = frozenset(column.name for column in bare if column.type is None)
    bounds = Names(plain, split, may_split)
    if release == "bounds":
        return (bounds, Names(plain), Names(tuple(names)))
    return (Names(plain), Names(tuple(names)), replace(bounds, is_last_resort=True))


def _schema(
    declared: Schema, quasi: Sequence[str] | None, types: Mapping[str, str], taxonomies: Mapping[str, str]
) -> Schema:
    """Return the schema of the quasi columns that were named, else of the job's."""
    known = {column.name: column for column in declared.quasi}
    columns = {name: known.get(name, Column(name, "quasi")) for name in quasi} if quasi else known
    if not columns:
        raise InputError(
            "no quasi column was named",
            code="no-quasi",
            hint=hint("give {} or a {} that names them", Asked("quasi", ["age", "sex"]), Asked("job")),
        )
    require_known([*types, *taxonomies], columns, "{} is not a quasi column")
    for name, kind in types.items():
        columns[name] = replace(columns[name], type=kind)
    for name, path in taxonomies.items():
        columns[name] = replace(columns[name], taxonomy=Taxonomy.from_file(Path(path)))
    others = tuple(column for column in declared.columns if column.name not in columns and column.role != "quasi")
    return Schema((*columns.values(), *others))
