"""The public door to lower bounds: what no release of a table can lose less than."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from covey import __version__
from covey.ask.arguments import job_of_arguments
from covey.ask.job import Job
from covey.ask.na import NaGiven
from covey.ask.schema import Schema
from covey.base.checks import require_rows
from covey.base.errors import CoveyWarning
from covey.codes.encoding import encode_columns
from covey.compiled.kernel import kernels_are_cached
from covey.release.clock import Clock, Progress
from covey.release.preparation import prepare
from covey.release.request import k_of
from covey.release.sources import FileSource, FrameSource, Source
from covey.report.bounds import Bound
from covey.search.bounds.lower import lower_bound
from covey.search.cores import cores_to_use

__all__ = ["bound", "bound_file"]


def bound(
    table: Any,
    k: int | None = None,
    *,
    quasi: Sequence[str] = (),
    consent: str | None = None,
    types: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    domains: Mapping[str, Sequence[Any]] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    taxonomies: Mapping[str, Any] | None = None,
    grids: Mapping[str, float] | None = None,
    schema: Schema | None = None,
    job: Job | str | Path | None = None,
    effort: str | None = None,
    suppression: float | None = None,
    missing: str | None = None,
    na: NaGiven | None = None,
) -> Bound:
    """Return what no release of a table in classes of at least `k` rows can lose less than, as Total-IL: proven.

    It holds for all partitions of the table and for any algorithm; privacy models and wider ends only add to a loss.
    The quasi columns, their facts and the job are those of `anonymize`; other columns need no role.

    effort: `"fast"` (the least box around every row), `"balanced"` (prices of rows, repaired once) or `"best"` (the
    prices of a linear program, with tolls up to k = 5).  suppression: if it is above 0, the bound also holds for
    classes that leave out rows, at the price of all columns each.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [34, 35, 61, 63], "ill": ["a", "b", "a", "c"]})
    >>> bound(people, k=2, quasi=["age"]).total_il  # 2 x 1/29 + 2 x 2/29, rounded down
    0.206896
    """
    given = {**locals(), **dict.fromkeys(("identifier", "sensitive", "target", "other"), ()), "models": None}
    asked = job_of_arguments(given)
    return _bound(FrameSource(table), asked, Clock(lambda words: None), _warn_caller)


def bound_file(
    source: str, job: Job, *, progress: Progress = lambda words: None, warn: Callable[[str], None] = lambda note: None
) -> Bound:
    """Return what no release of a CSV, Parquet or Arrow file can lose less than."""
    clock = Clock(progress)
    with clock.step("read", "reading"):
        given = FileSource(source, job.csv)
    return _bound(given, job, clock, warn)


def _warn_caller(note: str) -> None:
    warnings.warn(note, CoveyWarning, stacklevel=4)  # of `bound`, which calls `_bound`, which calls this


def _bound(source: Source, job: Job, clock: Clock, warn: Callable[[str], None]) -> Bound:
    k = k_of(job)
    job.schema.require_quasi()
    start = time.perf_counter()
    once = "" if kernels_are_cached() else " (compiling, once per machine)"
    with clock.step("encode", f"encoding{once}"):
        table = prepare(source, job, k)
        codes = encode_columns(table.searched)
    for note in table.cautions:
        warn(note)
    require_rows(k, codes.n_rows)
    with clock.step("bound", f"bounding{once}"):
        found = lower_bound(codes, k, job.effort, may_suppress=job.suppression > 0, cores=cores_to_use())
    return Bound(
        version=__version__,
        k=k,
        rows=codes.n_rows,
        total_il=found.total_il,
        kind=found.kind,
        effort=job.effort,
        may_suppress=job.suppression > 0,
        is_weighted=any(column.weight != 1 for column in table.searched),
        seconds=time.perf_counter() - start,
    )
