"""`compare`: every algorithm at every k on one table, each run in a process that can be stopped and measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from covey import __version__
from covey.ask.algorithms import ALGORITHMS, algorithm_named, entry_of_class, options_given
from covey.ask.arguments import job_of_arguments
from covey.ask.calls import Call, parse_call
from covey.ask.job import Job
from covey.ask.na import NaGiven
from covey.ask.schema import Schema
from covey.base.checks import at_least, bad_parameter, check, did_you_mean, optional, require
from covey.base.durations import duration_fault, seconds_of
from covey.base.errors import InputError
from covey.comparison.more_figures import asked_figures
from covey.comparison.process import Bench
from covey.comparison.table import common_table, to_bytes, told_columns
from covey.comparison.worker import Order, Start
from covey.release.clock import Progress
from covey.release.request import asks_for_effort, no_effort, no_suppression, says_effort
from covey.release.sources import FileSource, FrameSource, Source
from covey.report.comparison import Comparison, Row, ranked
from covey.search.estimator import Estimator

__all__ = ["LIMIT", "compare", "compare_file"]

LIMIT = 60.0
"""Seconds that one run may take."""


@dataclass(frozen=True, slots=True)
class _Contender:
    """An algorithm under comparison."""

    name: str
    algorithm: Any
    most_rows: int | None
    makes_classes: bool
    may_suppress: bool
    takes_effort: bool
    """Whether it searches as the job says: it can go on, and has not said itself how much or how long."""
    budget: float | None
    """Seconds that it searches by the clock, if it said so itself."""


def compare(
    table: Any,
    k: int | Sequence[int] | None = None,
    *,
    algorithms: Sequence[Any] | None = None,
    metrics: Sequence[str] | None = None,
    limit: float | str | None = LIMIT,
    sample: int | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
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
    effort: str | None = None,
    budget: float | str | None = None,
    models: Sequence[Any] | None = None,
    suppression: float | None = None,
    missing: str | None = None,
    na: NaGiven | None = None,
    release: str | None = None,
    ends: str | None = None,
) -> Comparison:
    """Return the loss, the use and the cost of verified releases of one table by several algorithms.

    Roles, facts about columns and settings are those of `anonymize`; every run is a call of it.  CM is told of the
    first target column, ED of the first sensitive one; where there is none, of the other.

    algorithms: names, `"name(option=value)"` or estimators; default: all that are registered.
    metrics: further figures: `"nn-error"` (of the column of CM), `"sd(VALUE, ...)"` (of that of ED, for the values that
    are truly sensitive), `"distortion"`, `"diameter"`, `"centre"`.
    limit: seconds that one run may take beside its budget, a number or `"60s"`, `"2m"`, `"1h"`; None is any time.
    effort, budget: how much, or how long, algorithms search that can go on; the others have no use for them.
    sample: compare on so many rows, drawn by the seed.  An algorithm that is too slow for the table gets a sample
    of its own in any case, and its row says so.
    progress: called with a few words before each run.

    A run that fails or reaches its limit takes only its own row.  What would stop all of them is raised.
    Cost: each run is in a process of its own, to which the table is copied.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [34, 35, 61, 63], "ill": ["flu", "flu", "gout", "flu"]})
    >>> found = compare(people, k=2, algorithms=["mondrian", "mdav"], quasi=["age"], sensitive=["ill"])
    >>> [(row.algorithm, row.k, row.classes, row.ed, row.best) for row in found.rows]
    [('mondrian', 2, 2, 2, True), ('mdav', 2, 2, 2, True)]
    """
    asked = job_of_arguments({**locals(), "k": None})  # which may be several
    return _compare(lambda: FrameSource(table), asked, k, algorithms, metrics, limit, sample, progress)


def compare_file(
    source: str,
    job: Job,
    *,
    k: Sequence[int] | None = None,
    algorithms: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    limit: float | str | None = LIMIT,
    sample: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Return the same for a CSV, Parquet or Arrow file, read as the job says."""

    def read() -> Source:
        if progress is not None:
            progress("reading")
        return FileSource(source, job.csv, skip=job.schema.names("identifier"))

    return _compare(read, job, k, algorithms, metrics, limit, sample, progress)


def _compare(
    read: Callable[[], Source],
    job: Job,
    k: int | Sequence[int] | None,
    algorithms: Sequence[Any] | None,
    metrics: Sequence[str] | None,
    limit: float | str | None,
    sample: int | None,
    progress: Progress | None,
) -> Comparison:
    """Check all that is asked, then read the table and run every algorithm on it."""
    ks = _ks(k, job)
    contenders = _contenders(algorithms)
    require(optional(duration_fault), "limit", limit, "or leave it out: then it is 60s")
    seconds = seconds_of(limit)
    by: Literal["mean_price", "information_distortion"] = "mean_price"
    if job.release == "centre":  # whose loss is told in rough steps
        asked = [metrics] if isinstance(metrics, str) else list(metrics or ())
        metrics, by = [*asked, "distortion"], "information_distortion"
    figures = asked_figures(metrics, *told_columns(job.schema))
    require(optional(at_least(2)), "sample", sample, "give a number of rows, such as 5000")
    source = read()
    job.schema.check_table(source.names)
    given = common_table(source, job, ks[0])
    if given.job.suppression and not any(one.may_suppress for one in contenders):  # missing values need no leave
        raise no_suppression("none of the algorithms leaves out a row")
    if asks_for_effort(given.job) and not any(one.takes_effort for one in contenders):
        raise no_effort("each of the algorithms has but one way to search, or has said its own")
    n_rows = given.table.num_rows
    common = n_rows if sample is None else min(sample, n_rows)
    rows: list[Row] = []
    may_be_best: list[bool] = []
    total = len(contenders) * len(ks)
    start = Start(given.job, given.with_domains, ks[0], common, figures)
    with closing(Bench(start, to_bytes(given.table))) as bench:
        for contender in contenders:
            size = common if contender.most_rows is None else min(common, contender.most_rows)
            for one in ks:
                if progress is not None:
                    progress(f"{len(rows)} of {total} done, {contender.name} at k = {one}")
                order = Order(
                    contender.algorithm, one, size,
                    contender.makes_classes, contender.may_suppress, contender.takes_effort,
                )  # fmt: skip
                most = _most_seconds(seconds, contender, given.job)
                rows.append(Row(contender.name, one, size, size < n_rows, **bench.run(order, most)))
                may_be_best.append(size == common and contender.makes_classes)
    target, sensitive = told_columns(given.job.schema)
    return Comparison(
        version=__version__,
        table_rows=n_rows,
        rows=ranked(rows, may_be_best, by),
        quasi=given.job.schema.names("quasi"),
        target=target,
        sensitive=sensitive,
        seed=given.job.seed,
        limit=seconds,
        effort=given.job.effort,
        budget=seconds_of(given.job.budget),
        sample=common if common < n_rows else None,
        ranked_by=by,
    )


def _ks(given: int | Sequence[int] | None, job: Job) -> tuple[int, ...]:
    """Return the different k, in order; raise unless each is one."""
    asked: Any = given if given is not None else job.k
    listed = [] if asked is None else list(asked) if isinstance(asked, Iterable) else [asked]
    if not listed:
        raise InputError(
            "no `k` was given", code="no-k", hint="give k=[2, 5, 10], say: the least number of rows in a class"
        )
    for k in listed:
        replace(job, k=k)  # a job says what is wrong with it
    return tuple(sorted({int(k) for k in listed}))


def _most_seconds(limit: float | None, contender: _Contender, job: Job) -> float | None:
    """Return how long one run may take: a search by the clock has its time besides."""
    if limit is None:
        return None
    return limit + ((seconds_of(job.budget) if contender.takes_effort else contender.budget) or 0.0)


def _contenders(given: Sequence[Any] | None) -> tuple[_Contender, ...]:
    """Return the algorithms, each once; raise for one that there is not, or that has no such option."""
    listed = list(ALGORITHMS) if given is None else [given] if isinstance(given, str) else list(given)
    found = [_contender(algorithm) for algorithm in listed]
    if not found:
        raise bad_parameter("no algorithm was given", did_you_mean("", ALGORITHMS))
    return tuple({contender.name: contender for contender in found}.values())


def _contender(algorithm: Any) -> _Contender:
    estimator = algorithm_named(algorithm, k=2) if isinstance(algorithm, str) else algorithm
    kind = type(estimator)
    entry = entry_of_class(kind)
    if isinstance(algorithm, str):
        check(estimator)  # says what is wrong with it
        name = str(parse_call(algorithm))
    else:
        _require_estimator(algorithm)
        options = {option: _plain(value) for option, value in options_given(estimator).items()}
        name = str(Call(kind.__name__ if entry is None else entry.name, (), tuple(options.items())))
    can_go_on = bool(getattr(estimator, "takes_effort", False))
    return _Contender(
        name=name,
        algorithm=algorithm,
        most_rows=None if entry is None else entry.most_rows,
        makes_classes=bool(getattr(estimator, "makes_classes", True)),
        may_suppress=isinstance(estimator, Estimator) and estimator.may_suppress(),
        takes_effort=can_go_on and not says_effort(algorithm, estimator),
        budget=seconds_of(estimator.budget) if can_go_on else None,
    )


def _require_estimator(given: Any) -> None:
    """Raise unless an algorithm that is no name can be run, and found by another process."""
    if not hasattr(given, "labels") or not hasattr(given, "get_params"):
        raise bad_parameter("`algorithms` must hold names or estimators of covey", 'for example "mondrian"')
    kind = type(given)
    if kind.__module__ == "__main__":
        raise bad_parameter(
            f"the class `{kind.__name__}` is defined in the program that runs, where other processes cannot find it",
            "define it in a module, and import it from there",
        )


def _plain(value: Any) -> Any:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return repr(value)
    return value
