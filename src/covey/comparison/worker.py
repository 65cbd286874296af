"""The process that runs the algorithms: it takes orders through one line, and ends when the line does.

The other end is `process`.  Orders come pickled from the process that started this one, through a socket that
nobody else holds; answers go back as JSON.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import pickle
import queue
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.calls import Call
from covey.ask.job import Job
from covey.ask.schema import Schema
from covey.base.arrays import IntVector
from covey.base.errors import CoveyError
from covey.base.hints import on_command_line
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_columns
from covey.columns.kept import KeptColumn, kept_column
from covey.comparison.more_figures import more_figures
from covey.comparison.table import from_bytes, told_columns
from covey.metrics import range_query_error
from covey.release.clock import peak_memory_mb
from covey.release.pipeline import Release, anonymize
from covey.release.preparation import prepare
from covey.release.request import request_of
from covey.release.sources import FrameSource
from covey.report.document import Report, as_told
from covey.search.estimator import Estimator
from covey.search.task import Found, Task
from covey.tables import frames

__all__ = ["Order", "Start", "sampled_rows", "serve"]

_TRIED_TUPLES = 200
_TRIED_K = 2


@dataclass(frozen=True, slots=True)
class Start:
    """The first order: what all runs share; the table follows as an Arrow stream."""

    job: Job
    with_domains: Schema
    least_k: int
    rows: int
    """How many rows most algorithms run on."""
    metrics: tuple[Call, ...] = ()
    """Figures that are computed only if they are asked for."""


@dataclass(frozen=True, slots=True)
class Order:
    """One run: an algorithm at one k."""

    algorithm: Any
    """`NAME(option=value)`, or an estimator."""
    k: int
    rows: int
    makes_classes: bool
    may_suppress: bool
    takes_effort: bool


class _OneClass(Estimator):
    """All rows in one class: the release that any algorithm could make."""

    def search(self, task: Task) -> Found:
        """Return class 0 for every tuple."""
        return Found(of_tuple=np.zeros(task.codes.n_tuples, np.int64))


@dataclass(frozen=True, slots=True)
class _Part:
    """The rows that some algorithms run on, and the views of them that metrics need."""

    table: pa.Table
    job: Job
    row_column: str
    """A column of the table that numbers its rows, so that those that are left out are known."""
    coded: IntVector
    """The rows of which classes are made: not those of people who agreed, nor those left out for a missing value."""
    codes: TableCodes
    kept: Mapping[str, KeptColumn]

    def searched(self, name: str | None) -> KeptColumn | None:
        """Return a kept column of the rows of which classes are made; None if there is none to be counted."""
        column = self.kept.get(name or "")
        return None if column is None else column.take(self.coded)


def serve(handle: int) -> None:
    """Answer orders until the process at the other end closes the line, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted closes the line
    line = Connection(handle)
    orders: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(line, orders), daemon=True).start()

    def tell(event: str, **facts: Any) -> None:
        line.send_bytes(json.dumps({"event": event, **facts}).encode())

    warnings.simplefilter("ignore")
    try:
        start: Start = _order(orders)
        bench = _Bench(start, from_bytes(orders.get()))
        bench.try_table()
    except CoveyError as error:
        hints = error.hint, on_command_line(error.hint)
        tell("refused", kind=type(error).__name__, message=error.message, code=error.code, hints=hints)
        return
    except Exception as error:
        tell("broken", fault=_fault(error))
        return
    tell("ready", resets_peak=_reset_peak())
    while True:
        try:
            order: Order = _order(orders)
            bench.try_algorithm(order)
            tell("warm")
            tell("done", **bench.run(order, lambda: tell("released")))
        except CoveyError as error:
            tell("failed", failure=error.message)
        except MemoryError:
            tell("failed", failure="there was not enough memory")
        except Exception as error:
            tell("failed", failure=f"internal fault ({_fault(error)})")


def _listen(line: Connection, orders: queue.SimpleQueue[bytes]) -> None:
    """Pass orders on; end this process, whatever it is doing, when there is nobody left to give them."""
    while True:
        try:
            orders.put(line.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)


def _order(orders: queue.SimpleQueue[bytes]) -> Any:
    return pickle.loads(orders.get())  # noqa: S301 (from the process that started this one, and from nobody else)


def _fault(error: Exception) -> str:
    """Return the kind and the place of an unforeseen error; its own words may hold values."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"


class _Bench:
    """The table, and what has been worked out of it once for all runs."""

    def __init__(self, start: Start, table: pa.Table) -> None:
        self.start = start
        self.table = table
        self.parts: dict[int, _Part] = {}
        self.tried: set[tuple[str, int]] = set()

    def try_table(self) -> None:
        """Release the table as one class: raises what would stop every algorithm, and compiles what all share."""
        part = self.part(self.start.rows)
        order = Order(_OneClass(), self.start.least_k, self.start.rows, True, may_suppress=False, takes_effort=False)
        anonymize(part.table, job=_job_of(order, part, order.k))

    def try_algorithm(self, order: Order) -> None:
        """Run an algorithm on a few rows, so that compiling it is not counted; what goes wrong shows in the run."""
        what = (repr(order.algorithm), order.rows)
        if what in self.tried:
            return
        self.tried.add(what)
        part = self.part(order.rows)
        few = np.unique(np.linspace(0, part.codes.n_rows - 1, _TRIED_TUPLES).astype(np.int64))
        job = _job_of(order, part, _TRIED_K)
        with contextlib.suppress(Exception):
            job = _by_effort(job)
            anonymize(frames.take_table(part.table, part.coded[few]), job=job)
        # the codes of few rows may be of a narrower type, for which other code is compiled
        with contextlib.suppress(Exception):
            estimator = request_of(job).estimator
            kept = {name: column.take(part.coded[few]) for name, column in part.kept.items()}
            codes = _few_tuples(part.codes, few)
            _ = estimator.labels(codes, kept) if order.makes_classes else estimator.cover(codes)

    def run(self, order: Order, released: Any) -> dict[str, Any]:
        """Return the figures of one run; `released` is called when the verified release is there."""
        part = self.part(order.rows)
        with _peak_memory() as peak:
            started = time.perf_counter()
            release = anonymize(part.table, job=_job_of(order, part, order.k))
            taken = time.perf_counter() - started
        released()
        report = release.report
        facts: dict[str, Any] = {
            "seconds": report.seconds["cluster"] + report.seconds.get("enforce", 0.0),
            "release_seconds": taken,
            "peak_memory_mb": peak[0],
            **as_told(report.loss, "total_il", "mean_price", "gcp"),
            "suppressed": report.suppressed,
        }
        if order.makes_classes:
            facts |= _class_figures(part, release, self.start.metrics)
        return facts

    def part(self, rows: int) -> _Part:
        if rows not in self.parts:
            self.parts[rows] = self._make_part(rows)
        return self.parts[rows]

    def _make_part(self, rows: int) -> _Part:
        table, job = self.table, self.start.job
        if rows < table.num_rows:
            table = frames.take_table(table, sampled_rows(table.num_rows, rows, job.seed))
            job = replace(job, schema=self.start.with_domains)
        prepared = prepare(FrameSource(table), job, 1)
        coded, codes = prepared.lots.guarded, encode_columns(prepared.searched)
        names = [column.name for column in job.schema.columns if column.is_kept]
        kept = {name: column for name in names if (column := _coded(name, table)) is not None}
        number = _free_name("row", table.column_names)
        table = table.append_column(number, pa.array(np.arange(table.num_rows)))
        roles = Schema.from_roles(other=[number])
        job = replace(job, schema=Schema((*job.schema.columns, *roles.columns)))
        return _Part(table, job, number, coded, codes, kept)


def sampled_rows(n_rows: int, wanted: int, seed: int) -> IntVector:
    """Return the row numbers of a random sample, in order; a smaller sample is part of a larger one.

    >>> sampled_rows(10, 3, seed=0).tolist()
    [2, 4, 6]
    """
    return np.sort(np.random.default_rng(seed).permutation(n_rows)[:wanted])


def _coded(name: str, table: pa.Table) -> KeptColumn | None:
    try:
        return kept_column(name, table.column(name))
    except CoveyError:  # a list, say: no algorithm or metric can count such values
        return None


def _free_name(wanted: str, taken: list[str]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted


def _few_tuples(codes: TableCodes, rows: IntVector) -> TableCodes:
    """Return the codes of some rows, in arrays of the same types as those of all rows."""
    return replace(
        codes,
        columns=np.ascontiguousarray(codes.columns[:, codes.row_tuple[rows]]),
        counts=np.ones(len(rows), np.int64),
        row_tuple=np.arange(len(rows)),
    )


def _job_of(order: Order, part: _Part, k: int) -> Job:
    """Return the job of one run, without the settings that its algorithm has no use for."""
    plain = Job()
    job = replace(part.job, k=k, algorithm=order.algorithm)
    if not order.may_suppress:
        job = replace(job, suppression=plain.suppression)
    return job if order.takes_effort else replace(job, effort=plain.effort, budget=plain.budget)


def _by_effort(job: Job) -> Job:
    """Return a job whose search ends by itself: by the clock, few rows would take as long as all."""
    estimator = request_of(job).estimator
    if not estimator.takes_effort or estimator.budget is None:
        return job
    return replace(job, algorithm=estimator.set_params(budget=None, effort="best"), effort=Job().effort, budget=None)


def _class_figures(part: _Part, release: Release, metrics: tuple[Call, ...]) -> dict[str, Any]:
    """Return the figures of the classes as they were released."""
    report = release.report
    labels = np.full(part.table.num_rows, -1, np.int64)
    labels[release.table.column(part.row_column).to_numpy()] = release.labels
    target, sensitive = told_columns(part.job.schema)
    error = None
    if part.job.ends != "snapped":  # it is measured on the boxes of the values, which snapped ends hide
        error = float(range_query_error(part.codes, labels[part.coded], seed=part.job.seed))
    return {
        "classes": report.verdict.classes,
        "dm": report.loss.dm,
        "query_error": error,
        **_told(report, target, "cm"),
        **_told(report, sensitive, "ed"),
        **more_figures(
            metrics, part.codes, labels[part.coded], part.searched(target), part.searched(sensitive), part.job.release
        ),
    }


def _told(report: Report, name: str | None, metric: str) -> dict[str, float]:
    """Return what the classes tell of a column, as a count and as a share; nothing of none."""
    if name is None or name not in report.kept:
        return {}
    told = report.kept[name]
    count: int = getattr(told, metric)
    return {metric: count, f"{metric}_share": count / told.rows if told.rows else 0.0}


@contextlib.contextmanager
def _peak_memory() -> Iterator[list[float]]:
    """Give a list that holds, once the block is done, the most megabytes that it took beyond those held before."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(AttributeError, OSError):  # what earlier runs freed goes back to the system
        ctypes.CDLL(None).malloc_trim(0)
    peak = _high_water_mark if _reset_peak() else peak_memory_mb
    before = peak()
    taken: list[float] = []
    yield taken
    taken.append(peak() - before)


def _reset_peak() -> bool:
    """Make the system forget the most memory that this process had; return whether it can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _high_water_mark() > 0
    except (OSError, StopIteration, ValueError):
        return False


def _high_water_mark() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1024
