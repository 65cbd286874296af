"""The public doors: `anonymize` for tables in memory, `anonymize_file` for files; both walk the one path."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.ask.arguments import job_of_arguments
from covey.ask.job import Job, as_job
from covey.ask.na import NaGiven
from covey.ask.schema import Schema
from covey.base.arrays import IntVector
from covey.base.errors import CoveyWarning
from covey.release.clock import Clock, Progress
from covey.release.path import walk
from covey.release.request import k_of
from covey.release.sinks import FileSink, FrameSink
from covey.release.sources import FileSource, FrameSource
from covey.report import Report
from covey.tables import files

__all__ = ["Release", "anonymize", "anonymize_file"]


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
    effort: str | None = None,
    budget: float | str | None = None,
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
    (`covey.toml`); other arguments override the job's, `na` and `models` add to it.  The input is not changed.

    effort: how much the default algorithm searches, `"fast"`, `"balanced"` or `"best"`; budget: how long instead, such
    as `"30s"`.  models: beside k-anonymity, such as `DistinctLDiversity("ill", l=3)` or the same as text.
    weights: by quasi column, or `"adaptive"` to let the search learn them.  suppression: the share of rows that an
    algorithm may leave out.  na: values that mean missing, compared by value: `["?", 999]` in every quasi column,
    `{"age": [99]}` in some.

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
    asked = job_of_arguments(locals())  # all arguments by name, before anything else is one
    k_of(asked)
    source = FrameSource(table)
    sink = FrameSink(source)
    report, labels = walk(source, sink, asked, Clock(lambda words: None), _warn_caller)
    return Release(sink.table, report, labels)


def _warn_caller(note: str) -> None:
    warnings.warn(note, CoveyWarning, stacklevel=4)  # of `anonymize`, which calls `walk`, which calls this


def anonymize_file(
    source: str,
    target: str,
    job: Job | str | Path,
    *,
    force: bool = False,
    progress: Progress = lambda words: None,
    warn: Callable[[str], None] = lambda note: None,
    proved: Callable[[], None] = lambda: None,
) -> Report:
    """Anonymize a CSV, Parquet or Arrow file into another, as a job or its file says; return the report.

    The result is written beside `target`, read back, verified, and only then renamed; `proved` is called just before.
    """
    asked = as_job(job)
    k_of(asked)
    clock = Clock(progress)
    files.check_ending(target, files.TABLE_ENDINGS, "a table")
    for taken in [source, *([] if isinstance(job, Job) else [str(job)]), *asked.files]:
        files.check_target(target, source=taken, force=force)
    with clock.step("read", "reading"):
        given = FileSource(source, asked.csv)
    report, _ = walk(given, FileSink(given, target, force=force, proved=proved), asked, clock, warn)
    return report
