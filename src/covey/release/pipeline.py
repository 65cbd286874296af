"""The one path: read, schema, encode, cluster, enforce, recode, write beside, read back and verify, rename."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey import __version__
from covey.ask.job import Job, read_job
from covey.ask.models import as_models, model_spec
from covey.ask.na import NaGiven, na_by_column
from covey.ask.schema import Schema
from covey.base.arrays import IntVector
from covey.base.checks import listed, plural
from covey.base.errors import CoveyError, CoveyWarning, InputError, UnknownColumn, VerificationFailed
from covey.codes.rings import Rings
from covey.columns.cautions import kept_column_cautions, key_cautions
from covey.columns.kept import comparable_columns, value_codes
from covey.columns.persons import Persons, owners_of
from covey.columns.typed import missing_rows
from covey.metrics import classification_metric, equal_diversity
from covey.release.making import Clock, Made, columns_beside, estimator_of, make, with_promises
from covey.report import KeptValues, Report
from covey.report.settings import recorded_settings
from covey.tables import files, frames
from covey.verifier import Verdict, verify, verify_written

__all__ = ["Release", "anonymize", "anonymize_file"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Release:
    """A verified release: the table to publish, the report, and the class of each released row."""

    table: Any
    report: Report
    labels: IntVector

    def __repr__(self) -> str:
        shape = f"{self.report.verdict.classes:,} classes, k = {self.report.k}"
        if not self.report.makes_classes:
            shape = f"{self.report.k}-consistent, not k-anonymous"
        return f"<covey release: {self.report.released:,} rows, {shape}; see .table, .report, .labels>"


def anonymize(
    table: Any,
    k: int | None = None,
    *,
    identifier: Sequence[str] = (),
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    target: Sequence[str] = (),
    consent: str | None = None,
    other: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | str | None = None,
    domains: Mapping[str, Sequence[Any]] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    taxonomies: Mapping[str, Any] | None = None,
    grids: Mapping[str, float] | None = None,
    schema: Schema | None = None,
    job: Job | str | Path | None = None,
    algorithm: Any = None,
    models: Sequence[Any] | None = None,
    suppression: float | None = None,
    missing: str | None = None,
    na: NaGiven | None = None,
    release: str | None = None,
    ends: str | None = None,
    order: str | None = None,
    seed: int | None = None,
) -> Release:
    """Return a verified k-anonymous release of a pandas, polars or Arrow table, as the same kind of table.

    Every column needs a role: `identifier` columns are dropped, `quasi` columns generalised, `sensitive`,
    `target` and `other` columns published as they are; rows for which the boolean `consent` column is true are
    released as they are and protect nobody.  Roles come from the lists, from a `Schema`, or from a job
    (`covey.toml`); other arguments override the job's, `na` adds to it.  The input is not changed.

    models: beside k-anonymity, such as `DistinctLDiversity("ill", l=3)` or the same as text.  weights: by quasi
    column, or `"adaptive"` to let the search learn them.  suppression: the share of rows that an algorithm may
    leave out.  na: values that mean missing, compared by value: `["?", 999]` in every quasi column, `{"age": [99]}`
    in some.

    Raises `InputError` (what was given cannot be used), `Infeasible` (k cannot be met) or
    `VerificationFailed` (nothing is returned).

    >>> import pyarrow as pa
    >>> people = pa.table({"name": ["Ann", "Bo", "Cy", "Di"], "age": [34, 35, 61, 63], "ill": ["a", "b", "a", "c"]})
    >>> result = anonymize(people, k=2, identifier=["name"], quasi=["age"], sensitive=["ill"])
    >>> result.table.column("age").to_pylist()
    ['[34, 35]', '[34, 35]', '[61, 63]', '[61, 63]']
    >>> round(result.report.loss.total_il, 4)  # 2 x 1/29 + 2 x 2/29
    0.2069
    """
    named = None if isinstance(weights, str) else weights
    given = Schema.from_roles(
        identifier=identifier, quasi=quasi, sensitive=sensitive, target=target, consent=consent, other=other,
        types=types, weights=named, domains=domains, orders=orders, taxonomies=taxonomies, grids=grids,
    )  # fmt: skip
    if schema is not None and given.columns:
        raise InputError(
            "roles were given twice, as a `schema` and as lists of columns",
            code="two-roles",
            hint="give the schema alone, or the lists alone",
        )
    everywhere, single_na = na_by_column(na)
    asked = _asked(
        job, schema or (given if given.columns else None),
        k=k, algorithm=algorithm, missing=missing, na=everywhere,
        release=release, ends=ends, order=order, seed=seed, suppression=suppression,
        models=None if models is None else as_models(models), weights=weights if isinstance(weights, str) else None,
    )  # fmt: skip
    asked = replace(asked, order=asked.order or "kept", schema=asked.schema.with_na(single_na))
    clock = Clock(lambda words: None)
    table = frames.as_frame(table)  # first of all: a stream gives its rows only once
    names = frames.column_names(table)
    asked.schema.check_table(names)
    estimator = estimator_of(asked)
    asked = with_promises(asked, estimator)
    needed = columns_beside(asked, estimator)
    with clock.step("read", "reading"):
        raw = frames.to_arrow(table, asked.schema.names("quasi"))
        beside = frames.to_arrow(table, needed)
        owners = owners_of(_identifiers(table, asked.schema))
    made = make(raw, beside, asked, estimator, clock)
    sequence = files.shuffle_rows(len(made.rows)) if asked.order == "shuffled" else np.arange(len(made.rows))
    rows = made.rows[sequence]
    whole = asked.order == "kept" and len(rows) == raw.num_rows
    with clock.step("write", "building the table"):
        columns = _published_columns(names, made, asked, sequence)
        released = frames.rebuild(table, None if whole else rows, columns)
    with clock.step("verify", "verifying"):
        promises = _promises(made, asked, sequence)
        verdict = _proven(lambda: verify(released, original=table, schema=asked.schema, roles=asked.schema, **promises))
    persons = None if owners is None else owners.in_classes(made.rows, made.labels, asked.k or 0)
    notes = (*_of_persons(persons, asked), *made.cautions, *_of_published(table, asked.schema))
    for note in notes:
        warnings.warn(note, CoveyWarning, stacklevel=2)
    values = _kept_values(frames.to_arrow(table, comparable_columns(table, asked.schema)), made)
    report = _report(asked, made, verdict, raw.num_rows, values, persons, notes, clock)
    return Release(released, report, made.labels[sequence])


def anonymize_file(
    source: str,
    target: str,
    job: Job,
    *,
    force: bool = False,
    progress: Progress = lambda words: None,
    warn: Progress = lambda note: None,
) -> Report:
    """Anonymize a CSV, Parquet or Arrow file into another; return the report.

    The result is written beside `target`, read back, verified, and only then renamed.
    """
    job = _with_k(job)
    if job.order is None:
        job = replace(job, order="shuffled")
    clock = Clock(progress)
    files.check_ending(target, files.TABLE_ENDINGS, "a table")
    files.check_target(target, source=source, force=force)
    with clock.step("read", "reading"):
        given = files.read_table(source, options=files.options_told(job.csv))
        job.schema.check_table(given.names)
        table = given.table
        dropped = job.schema.names("identifier")
        owners = owners_of({name: table.column(name) for name in dropped}, distinct=given.format == "csv")
        # only counts are left of identifiers from here on
        table = table.drop_columns(list(dropped))
        given = replace(given, table=table)
    place = (lambda row: f"line {given.line_of(row):,}") if given.format == "csv" else None
    decimal = given.csv.decimal
    estimator = estimator_of(job)
    job = with_promises(job, estimator)
    beside = table.select(columns_beside(job, estimator))
    raw = table.select(job.schema.names("quasi"))
    made = make(raw, beside, job, estimator, clock, given.typed, decimal, place)
    persons = None if owners is None else owners.in_classes(made.rows, made.labels, job.k or 0)
    notes = (*_of_persons(persons, job), *made.cautions, *_of_published(table, job.schema))
    for note in notes:
        warn(note)
    sequence = files.shuffle_rows(len(made.rows)) if job.order == "shuffled" else np.arange(len(made.rows))
    rows = made.rows[sequence]
    columns = _published_columns(given.names, made, job, sequence)
    kept = frames.take_table(table.select([c for _, c in columns if isinstance(c, str)]), rows)
    released = pa.table({name: kept.column(c) if isinstance(c, str) else c for name, c in columns})
    if files.target_format(target, given.format) != "csv":
        released = _with_plain_text(released, [name for name, c in columns if not (given.typed and isinstance(c, str))])
    verdicts: list[Verdict] = []

    def check(path: str) -> None:
        clock.seconds["write"] = clock.seconds.get("write", 0.0) + time.perf_counter() - started
        with clock.step("verify", "reading back and verifying"):
            written = files.written_options(target, given.csv, tuple(released.column_names))
            # which encoding the source has is found out again, not told by who may have mistaken it
            found = {**given.csv.as_told(), "encoding": job.csv.get("encoding")}
            promises = _promises(made, job, sequence)
            original = source if given.data is None else given.data
            verdict = _proven(
                lambda: verify_written(
                    path, written.as_told(), source=original, source_csv=found, schema=job.schema, **promises
                )
            )
            verdicts.append(verdict)

    progress("writing")
    started = time.perf_counter()
    files.write_table(released, target, format=given.format, csv=given.csv, force=force, check=check, source=source)
    return _report(job, made, verdicts[0], table.num_rows, _kept_values(table, made), persons, notes, clock)


def _with_plain_text(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return the table with plain text in these columns, where dictionaries would be read as categories."""
    for name in names:
        place = table.schema.get_field_index(name)
        kind = table.schema.field(place).type
        if pa.types.is_dictionary(kind):
            table = table.set_column(place, name, table.column(place).cast(kind.value_type))
    return table


def _asked(job: Job | str | Path | None, schema: Schema | None, **settings: Any) -> Job:
    """Return the job with what was given explicitly on top."""
    base = job if isinstance(job, Job) else Job() if job is None else read_job(job)
    changes = {name: value for name, value in settings.items() if value is not None}
    changes["na"] = (*base.na, *changes.get("na", ()))
    asked = replace(base, **changes) if schema is None else replace(base, schema=schema, **changes)
    return _with_k(asked)


def _with_k(job: Job) -> Job:
    if job.k is None:
        raise InputError("no `k` was given", code="no-k", hint="give k=10, say: the least number of rows in a class")
    return job


def _published_columns(
    names: Sequence[str], made: Made, job: Job, sequence: IntVector
) -> list[tuple[str, str | pa.Array]]:
    """Return the output columns in order: the name of a kept column, or released values."""
    out: list[tuple[str, str | pa.Array]] = []
    clash: list[str] = []
    order = pa.array(sequence)
    in_order = job.order == "kept"
    known = {column.name: column for column in job.schema.columns}
    for name in names:
        column = known[name]
        if column.role == "quasi":
            out += [(new, values if in_order else values.take(order)) for new, values in made.columns[name]]
            clash += [new for new, _ in made.columns[name] if new != name and new in names]
        elif column.is_kept:
            out.append((name, name))
    if clash:  # with a dropped column too: its name would come back with another meaning
        raise InputError(
            f"the release needs {plural(len(clash), 'name')} that the table has already: {listed(clash)}",
            code="name-clash",
            hint="rename that column, or use another kind of release",
        )
    return out


def _promises(made: Made, job: Job, sequence: IntVector) -> dict[str, Any]:
    """Return what is to be proved of a release whose rows are written in the order of `sequence`."""
    assert job.k is not None
    promises: dict[str, Any] = {"k": job.k, "models": job.models}
    if made.cover is not None:
        promises = {
            "models": [model_spec({"model": "k-consistency", "k": job.k})],
            "rings": _rings(made.cover, sequence),
        }
    return {
        **promises,
        "rows": made.rows[sequence],
        "na": job.na,
        "missing": job.missing,
        "suppression": job.suppression,
        "release": job.release,
        "order": "kept",
    }


def _proven(check: Callable[[], Verdict]) -> Verdict:
    """Return the verdict on what is about to be published; raise unless it holds."""
    verdict = None
    with contextlib.suppress(UnknownColumn):  # the release lacks one
        verdict = check()
    if verdict is None or not verdict.ok:
        raise VerificationFailed(
            "the release did not pass its own verification, so nothing was published",
            code="verification-failed",
            hint="this is a fault of covey: please report it with the settings used, never with the data",
        )
    return verdict


def _identifiers(table: Any, schema: Schema) -> dict[str, pa.ChunkedArray]:
    """Return the columns that are dropped, of those that Arrow can hold."""
    found = {}
    for name in schema.names("identifier"):
        with contextlib.suppress(CoveyError):
            found[name] = frames.to_arrow(table, [name]).column(0)
    return found


def _of_persons(persons: Persons | None, job: Job) -> tuple[str, ...]:
    note = "" if persons is None else persons.warning(job.k or 0)
    return (note,) if note else ()


def _of_published(table: Any, schema: Schema) -> tuple[str, ...]:
    return key_cautions(table, schema) + kept_column_cautions(table, schema)


def _rings(cover: Rings, sequence: IntVector) -> tuple[IntVector, IntVector, IntVector]:
    """Return the rings of a cover in terms of the rows as they are written."""
    place = np.empty(len(sequence), np.int64)
    place[sequence] = np.arange(len(sequence))
    return place[cover.order], cover.starts, cover.windows[sequence]


def _kept_values(table: pa.Table, made: Made) -> dict[str, KeptValues]:
    """Return what the classes tell of each sensitive or target column."""
    if not made.makes_classes:
        return {}
    guarded = made.labels >= 0
    rows = made.rows[guarded]
    lost = made.protected - len(rows)
    labels = np.concatenate([made.labels[guarded], np.full(lost, -1, np.int64)])
    found = {}
    for name in made.schema.names("sensitive", "target"):
        if name not in table.column_names:
            continue
        values = frames.take_table(table.select([name]), rows).column(0)
        codes = value_codes(values)
        if codes is not None:
            codes = np.concatenate([codes, np.zeros(lost, np.int64)])
            wrong, alike = classification_metric(labels, codes), equal_diversity(labels, codes)
            untold = _rows_without_any(values, labels[: len(rows)])
            found[name] = KeptValues(made.schema[name].role, wrong, alike - untold, untold, made.protected, len(rows))
    return found


def _rows_without_any(values: pa.ChunkedArray, labels: IntVector) -> int:
    """Return how many rows are in classes in which one kind of missing value is all there is."""
    absent = missing_rows(values)
    sizes, gone = np.bincount(labels), np.bincount(labels[absent], minlength=int(labels.max(initial=-1)) + 1)
    alike = gone == sizes
    if values.null_count:  # beside nulls, NaN is another value
        null = np.bincount(labels[values.is_null().to_numpy()], minlength=len(sizes))
        alike &= (null == 0) | (null == sizes)
    return int(sizes[alike].sum())


def _report(
    job: Job,
    made: Made,
    verdict: Verdict,
    rows: int,
    values: Mapping[str, KeptValues],
    persons: Persons | None,
    notes: tuple[str, ...],
    clock: Clock,
) -> Report:
    assert job.k is not None
    return Report(
        version=__version__,
        k=job.k,
        rows=rows,
        released=len(made.rows),
        suppressed=rows - len(made.rows),
        loss=made.losses,
        verdict=verdict,
        algorithm=made.algorithm,
        makes_classes=made.makes_classes,
        exempt=made.exempt,
        learned_weights=made.weights,
        settings=recorded_settings(job),
        kept=values,
        persons=persons,
        seed=job.seed,
        missing=job.missing,
        release=job.release,
        ends=job.ends,
        order=job.order or "kept",
        roles={column.name: column.role for column in made.schema.columns},
        types={column.name: column.type or "" for column in made.schema.quasi},
        warnings=notes,
        seconds=clock.seconds,
        peak_memory_mb=peak_memory_mb(),
    )


def peak_memory_mb() -> float:
    """Return the most memory that this process has held, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024**2 if sys.platform == "darwin" else peak / 1024
