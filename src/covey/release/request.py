"""What a job asks for, made ready: the estimator, what classes must satisfy, and the columns that a run looks at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from covey.ask.algorithms import ALGORITHMS, algorithm_named
from covey.ask.calls import parse_call
from covey.ask.job import Job
from covey.ask.models import PROMISED, entry_of
from covey.ask.schema import KEPT
from covey.base.checks import bad_parameter, check, did_you_mean
from covey.base.errors import InputError, UnknownColumn
from covey.base.hints import Asked, hint
from covey.search.demand import Demand
from covey.search.estimator import Estimator

__all__ = ["Request", "asks_for_effort", "k_of", "no_effort", "no_suppression", "request_of", "says_effort"]


@dataclass(frozen=True, slots=True)
class Request:
    """A job that can be run."""

    job: Job
    """With a k, and with the models that the algorithm itself satisfies, so that they are verified too."""
    k: int
    estimator: Any
    demand: Demand
    beside: tuple[str, ...]
    """The kept columns that a run looks at: for consent, for a model, for the search."""

    def cautions(self) -> tuple[str, ...]:
        """Return what a person should know of the algorithm before it runs."""
        notes = [*self.estimator.cautions()]
        target = getattr(self.estimator, "target", None)
        if target is not None and self.job.schema[target].role == "sensitive":
            notes.append(
                f"column `{target}` is sensitive, and the algorithm makes classes alike in it, so that a class tells "
                "more of it; ask for a model such as distinct-l-diversity too"
            )
        return tuple(notes)


def request_of(job: Job) -> Request:
    """Return what a job asks for; raise for what cannot be, without a look at the table."""
    k = k_of(job)
    estimator = _estimator_of(job, k)
    check(estimator)
    _check_suppression(job, estimator)
    if asks_for_effort(job) and not estimator.takes_effort:
        raise no_effort(f"`{_name_of(job, estimator)}` has but one way to search")
    if estimator.takes_effort:  # it may have said its own
        by_clock = estimator.budget is not None
        job = replace(job, effort=Job().effort if by_clock else estimator.effort, budget=estimator.budget)
    job = replace(job, models=tuple(dict.fromkeys([*job.models, *estimator.promises()])))
    _check_models(job, estimator)
    models = tuple(entry_of(one.model).load()(*one.columns, **dict(one.parameters)) for one in job.models)
    return Request(job, k, estimator, Demand(k, models), _columns_beside(job, estimator))


def k_of(job: Job) -> int:
    """Return the k of a job; raise if it has none."""
    if job.k is None:
        raise InputError("no `k` was given", code="no-k", hint="give k=10, say: the least number of rows in a class")
    return int(job.k)


def _estimator_of(job: Job, k: int) -> Any:
    """Return the estimator that a job asks for, told what the roles of its columns say."""
    if isinstance(job.algorithm, str):
        given = algorithm_named(job.algorithm, k=k, seed=job.seed, suppression=job.suppression)
    elif isinstance(job.algorithm, Estimator):
        given = type(job.algorithm)(**job.algorithm.get_params()).set_params(k=k)
        if job.suppression and getattr(given, "suppression", None) == 0:  # else it has said its own share
            given.set_params(suppression=job.suppression)
    else:
        raise bad_parameter("`algorithm` must be a name or an estimator of covey", 'for example "mondrian"')
    if asks_for_effort(job) and given.takes_effort:
        if says_effort(job.algorithm, given):
            raise bad_parameter(
                "an effort or a budget is given twice, beside the algorithm and as its option",
                "leave out one of the two",
            )
        given.set_params(effort=job.effort, budget=job.budget)
    return given.for_roles(job.schema).for_release(job.release)


def _check_suppression(job: Job, estimator: Any) -> None:
    """Raise if the algorithm may leave out rows and never would; those with missing values need no leave."""
    if not job.suppression or estimator.may_suppress():
        return
    raise no_suppression(f"`{_name_of(job, estimator)}` as it is asked for leaves out no row")


def _name_of(job: Job, estimator: Any) -> str:
    return job.algorithm if isinstance(job.algorithm, str) else type(estimator).__name__


def no_suppression(reason: str) -> InputError:
    """Return the error that says why a share of rows that may be left out would change nothing."""
    able = [entry.name for entry in ALGORITHMS.values() if entry.may_suppress]
    return InputError(
        f"{reason}, so that `suppression` would have no effect",
        code="no-suppression",
        hint=f"leave out `suppression`, or choose an algorithm that can: {', '.join(able)}",
    )


def says_effort(algorithm: Any, estimator: Any) -> bool:
    """Return whether an algorithm says itself how much or how long it searches; a text may say what is usual."""
    options = dict(parse_call(algorithm).options) if isinstance(algorithm, str) else {}
    return "effort" in options or "budget" in options or asks_for_effort(estimator)


def asks_for_effort(asked: Any) -> bool:
    """Return whether a job, or an estimator that takes an effort, asks for more or less search than is usual."""
    return (asked.effort, asked.budget) != (Job().effort, None)


def no_effort(reason: str) -> InputError:
    """Return the error that says why an effort, or a budget of time, would change nothing."""
    return InputError(
        f"{reason}, so that `effort` and `budget` would have no effect",
        code="no-effort",
        hint=hint("leave out {} and {}, or choose the algorithm covey", Asked("effort"), Asked("budget")),
    )


def _check_models(job: Job, estimator: Any) -> None:
    for spec in job.models:
        if spec.model in PROMISED:
            raise InputError(
                f"{spec.model} is no model that can be asked for: it is what `non-homogeneous` gives",
                code="bad-model",
                hint="leave it out of the models, and choose that algorithm",
            )
    if not estimator.makes_classes and (job.models or job.schema.names("consent")):
        what = "privacy models over classes" if job.models else "consent"
        raise InputError(
            f"`{type(estimator).__name__}` makes no classes, so {what} cannot be asked for with it",
            code="no-classes",
            hint="choose another algorithm",
        )


def _columns_beside(job: Job, estimator: Any) -> tuple[str, ...]:
    asked = [*estimator.reads(), *(column for model in job.models for column in model.columns)]
    known = job.schema.names(*KEPT)
    for name in asked:
        if name not in known:
            raise UnknownColumn(
                f"column `{name}` is asked for by a model or the algorithm, but is not published as it is",
                code="unknown-column",
                hint=did_you_mean(str(name), known) if known else f"make `{name}` sensitive",
            )
    return tuple(dict.fromkeys([*asked, *job.schema.names("consent")]))
