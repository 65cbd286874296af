"""The one path: read, schema, encode, cluster, enforce, recode, write beside, read back and verify, rename."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey import __version__, files, frames
from covey.arrays import IntVector
from covey.cautions import kept_column_cautions, na_cautions, quasi_column_cautions
from covey.checks import listed, plural, require_rows
from covey.columns import Place, TypedColumn, type_column
from covey.encode import encode_columns
from covey.enforce import enforce_k
from covey.errors import CoveyWarning, InputError, VerificationFailed
from covey.job import Job, read_job
from covey.kept import comparable_columns
from covey.kernel import kernels_are_cached
from covey.metrics.loss import Losses, Published, measure
from covey.missing import present_rows, with_na
from covey.proposal import with_types
from covey.recode import Recoding, recode
from covey.registry import algorithm_named
from covey.report import Report
from covey.schema import Schema
from covey.verifier import Verdict, verify

__all__ = ["Release", "anonymize", "anonymize_file"]

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Release:
    """A verified release: the table to publish, the report, and the class of each released row."""

    table: Any
    report: Report
    labels: IntVector

    def __repr__(self) -> str:
        shape = f"{self.report.released:,} rows, {self.report.verdict.classes:,} classes"
        return f"<covey release: {shape}, k = {self.report.k}; see .table, .report, .labels>"


@dataclass(slots=True)
class _Clock:
    """Measures the steps of one run and tells a person which one is running."""

    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)

    @contextlib.contextmanager
    def step(self, name: str, words: str) -> Iterator[None]:
        self.progress(words)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


@dataclass(frozen=True, slots=True)
class _Made:
    """The released quasi columns of the rows that are kept, before anything is written."""

    schema: Schema
    rows: IntVector
    """The row numbers that are released, in their order."""
    recoding: Recoding
    losses: Losses
    algorithm: str
    cautions: tuple[str, ...]


def anonymize(
    table: Any,
    k: int | None = None,
    *,
    identifier: Sequence[str] = (),
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    target: Sequence[str] = (),
    other: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    domains: Mapping[str, Sequence[Any]] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    taxonomies: Mapping[str, Any] | None = None,
    grids: Mapping[str, float] | None = None,
    schema: Schema | None = None,
    job: Job | str | Path | None = None,
    algorithm: Any = None,
    missing: str | None = None,
    na: Sequence[str] | None = None,
    release: str | None = None,
    ends: str | None = None,
    order: str | None = None,
    seed: int | None = None,
) -> Release:
    """Return a verified k-anonymous release of a pandas, polars or Arrow table, as the same kind of table.

    Every column needs a role: `identifier` columns are dropped, `quasi` columns generalised, `sensitive`,
    `target` and `other` columns published as they are.  Roles come from the lists, from a `Schema`, or
    from a job (`covey.toml`); other arguments override the job's.  The input is not changed.

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
    given = Schema.from_roles(
        identifier=identifier, quasi=quasi, sensitive=sensitive, target=target, other=other,
        types=types, weights=weights, domains=domains, orders=orders, taxonomies=taxonomies, grids=grids,
    )  # fmt: skip
    if schema is not None and given.columns:
        raise InputError(
            "roles were given twice, as a `schema` and as lists of columns",
            code="two-roles",
            hint="give the schema alone, or the lists alone",
        )
    asked = _asked(
        job, schema or (given if given.columns else None),
        k=k, algorithm=algorithm, missing=missing, na=None if na is None else tuple(na),
        release=release, ends=ends, order=order, seed=seed,
    )  # fmt: skip
    if asked.order is None:
        asked = replace(asked, order="kept")
    clock = _Clock(lambda words: None)
    table = frames.as_frame(table)  # first of all: a stream gives its rows only once
    names = frames.column_names(table)
    asked.schema.check_table(names)
    with clock.step("read", "reading"):
        raw = frames.to_arrow(table, asked.schema.names("quasi"))
    made = _make(raw, asked, clock)
    sequence = files.shuffle_rows(len(made.rows)) if asked.order == "shuffled" else np.arange(len(made.rows))
    rows = made.rows[sequence]
    whole = asked.order == "kept" and len(rows) == raw.num_rows
    with clock.step("write", "building the table"):
        columns = _published_columns(names, made, asked, sequence)
        released = frames.rebuild(table, None if whole else rows, columns)
    with clock.step("verify", "verifying"):
        kept = comparable_columns(table, asked.schema)
        checked = [name for name, values in columns if not isinstance(values, str) or name in kept]
        original = frames.to_arrow(table, [*asked.schema.names("quasi"), *kept])
        verdict = _verify(frames.to_arrow(released, checked), frames.take_table(original, rows), made.schema, asked)
    notes = (*made.cautions, *kept_column_cautions(table, asked.schema))
    for note in notes:
        warnings.warn(note, CoveyWarning, stacklevel=2)
    return Release(released, _report(asked, made, verdict, raw.num_rows, notes, clock), made.recoding.labels[sequence])


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
    if job.order is None:
        job = replace(job, order="shuffled")
    clock = _Clock(progress)
    files.check_target(target, source=source, force=force)
    with clock.step("read", "reading"):
        # identifiers are not even loaded
        given = files.read_table(source, options=files.options_told(job.csv), skip=job.schema.names("identifier"))
    table = given.table
    job.schema.check_table(given.names)
    place = (lambda row: f"line {given.line_of(row):,}") if given.format == "csv" else None
    decimal = given.csv.decimal
    made = _make(table.select(job.schema.names("quasi")), job, clock, given.typed, decimal, place)
    notes = (*made.cautions, *kept_column_cautions(table, job.schema))
    for note in notes:
        warn(note)
    sequence = files.shuffle_rows(len(made.rows)) if job.order == "shuffled" else np.arange(len(made.rows))
    rows = made.rows[sequence]
    columns = _published_columns(given.names, made, job, sequence)
    kept = frames.take_table(table.select([c for _, c in columns if isinstance(c, str)]), rows)
    released = pa.table({name: kept.column(c) if isinstance(c, str) else c for name, c in columns})
    verdicts: list[Verdict] = []

    def check(path: str) -> None:
        clock.seconds["write"] = clock.seconds.get("write", 0.0) + time.perf_counter() - started
        with clock.step("verify", "reading back and verifying"):
            options = files.written_options(target, given.csv, tuple(released.column_names))
            back = files.read_table(path, options=options).table
            verdicts.append(_verify(back, frames.take_table(table, rows), made.schema, job, given.typed, decimal))

    progress("writing")
    started = time.perf_counter()
    files.write_table(released, target, format=given.format, csv=given.csv, force=force, check=check, source=source)
    return _report(job, made, verdicts[0], table.num_rows, notes, clock)


def _asked(job: Job | str | Path | None, schema: Schema | None, **settings: Any) -> Job:
    """Return the job with what was given explicitly on top."""
    base = job if isinstance(job, Job) else Job() if job is None else read_job(job)
    changes = {name: value for name, value in settings.items() if value is not None}
    asked = replace(base, **changes) if schema is None else replace(base, schema=schema, **changes)
    if asked.k is None:
        raise InputError("no `k` was given", code="no-k", hint="give k=10, say: the least number of rows in a class")
    return asked


def _make(
    raw: pa.Table,
    job: Job,
    clock: _Clock,
    typed: bool = True,
    decimal: str = ".",
    place: Place | None = None,
) -> _Made:
    """Return the released quasi columns: schema, encode, cluster, enforce, recode, measure."""
    assert job.k is not None
    if raw.num_rows == 0:
        raise InputError("the table has no rows", code="no-rows", hint="give a table with rows")
    once = "" if kernels_are_cached() else " (compiling, once per machine)"
    with clock.step("encode", f"encoding{once}"):
        marked = with_na(raw, job.na)
        notes = na_cautions(job.na, raw, marked)
        raw = marked
        rows = present_rows(raw, job.missing)
        require_rows(job.k, len(rows))
        schema = with_types(job.schema, raw, typed=typed, decimal=decimal)
        part = raw if len(rows) == raw.num_rows else frames.take_table(raw, rows)
        words: dict[str, Any] = {} if place is None else {"place": lambda row: place(int(rows[row]))}
        columns = [type_column(c, part.column(c.name), decimal=decimal, **words) for c in schema.quasi]
        codes = encode_columns(columns)
        notes += quasi_column_cautions(columns, job.release)
    estimator = _estimator(job)
    with clock.step("cluster", f"clustering{once}"):
        labels = estimator.labels(codes)
    with clock.step("enforce", "enforcing"):
        labels = enforce_k(codes, labels, job.k)
    with clock.step("recode", "recoding"):
        recoding = recode(columns, codes, labels, k=job.k, release=job.release, ends=job.ends)
        losses = measure(_published(columns, recoding, raw.num_rows - len(rows)), job.k)
    name = job.algorithm if isinstance(job.algorithm, str) else repr(job.algorithm)
    return _Made(schema, rows, recoding, losses, name, notes)


def _estimator(job: Job) -> Any:
    assert job.k is not None
    if isinstance(job.algorithm, str):
        return algorithm_named(job.algorithm, k=job.k, seed=job.seed)
    if not hasattr(job.algorithm, "labels") or not hasattr(job.algorithm, "get_params"):
        raise InputError(
            "`algorithm` must be a name or an estimator of covey", code="bad-parameter", hint='for example "mondrian"'
        )
    given = type(job.algorithm)(**job.algorithm.get_params())
    return given.set_params(k=job.k)


def _published(columns: Sequence[TypedColumn], recoding: Recoding, suppressed: int) -> Published:
    return Published(
        names=[column.name for column in columns],
        weights=np.array([column.weight for column in columns]),
        sizes=recoding.sizes,
        prices=recoding.prices,
        shares=recoding.shares,
        suppressed=suppressed,
        varies=[bool((column.codes != column.codes[:1]).any()) for column in columns],
    )


def _published_columns(
    names: Sequence[str], made: _Made, job: Job, sequence: IntVector
) -> list[tuple[str, str | pa.Array]]:
    """Return the output columns in order: the name of a kept column, or released values."""
    out: list[tuple[str, str | pa.Array]] = []
    clash: list[str] = []
    order = pa.array(sequence)
    in_order = job.order == "kept"
    for name in names:
        column = job.schema[name]
        if column.role == "quasi":
            out += [(new, values if in_order else values.take(order)) for new, values in made.recoding.columns[name]]
            clash += [new for new, _ in made.recoding.columns[name] if new != name and new in names]
        elif column.is_kept:
            out.append((name, name))
    if clash:  # with a dropped column too: its name would come back with another meaning
        raise InputError(
            f"the release needs {plural(len(clash), 'name')} that the table has already: {listed(clash)}",
            code="name-clash",
            hint="rename that column, or use another kind of release",
        )
    return out


def _verify(
    released: pa.Table, original: pa.Table, schema: Schema, job: Job, typed: bool = True, decimal: str = "."
) -> Verdict:
    """Return the verdict on what is about to be published; raise unless it holds.

    original: the rows that are released, in the order in which they are released.
    """
    verdict = verify(
        released, k=job.k, schema=schema, original=original, original_typed=typed, decimal=decimal, na=job.na,
        release=job.release, order="kept",
    )  # fmt: skip
    if not verdict.ok:
        raise VerificationFailed(
            "the release did not pass its own verification, so nothing was published",
            code="verification-failed",
            hint="this is a fault of covey: please report it with the settings used, never with the data",
        )
    return verdict


def _report(job: Job, made: _Made, verdict: Verdict, rows: int, notes: tuple[str, ...], clock: _Clock) -> Report:
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
