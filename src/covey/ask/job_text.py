"""A job as the text of a `covey.toml` that says the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from covey.ask.algorithms import algorithm_text
from covey.ask.job import Job
from covey.ask.schema import Column
from covey.ask.settings import SETTINGS
from covey.ask.taxonomy import taxonomy_spec
from covey.ask.toml import toml_key, toml_value

__all__ = ["job_toml"]


def job_toml(job: Job) -> str:
    """Return a job as TOML; `read_job` gives the same job back, its trees written out in place of their files.

    A `Decimal`, which TOML does not have, comes back as a float.

    >>> from covey.ask.schema import Schema
    >>> schema = Schema((Column("age", "quasi", weight=2.0),))
    >>> print(job_toml(Job(schema, k=5, models=("distinct-l-diversity(x, l=2)",))))
    k = 5
    <BLANKLINE>
    [columns.age]
    role = "quasi"
    weight = 2.0
    <BLANKLINE>
    [[models]]
    model = "distinct-l-diversity"
    column = "x"
    l = 2
    <BLANKLINE>
    """
    sections = [[*_settings(job)]]
    if job.csv:
        sections.append(["[csv]", *(_line(name, value) for name, value in job.csv.items())])
    sections += [[f"[columns.{toml_key(column.name)}]", *_column(column)] for column in job.schema.columns]
    for model in job.models:
        facts = {"model": model.model, **({"column": model.column} if model.columns else {}), **dict(model.parameters)}
        sections.append(["[[models]]", *(_line(name, value) for name, value in facts.items())])
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _settings(job: Job) -> Iterator[str]:
    plain = Job()
    for name in SETTINGS:
        value = getattr(job, name)
        if name == "models" or value == getattr(plain, name):
            continue
        if name == "algorithm" and not isinstance(value, str):
            value = algorithm_text(value, job.seed)
        yield _line(name, value)


def _column(column: Column) -> Iterator[str]:
    yield _line("role", column.role)
    for name in ("type", "weight", "domain", "order", "grid", "na"):
        value = getattr(column, name)
        if value is not None and not (isinstance(value, tuple) and not value) and not (name == "weight" and value == 1):
            yield _line(name, value)
    if column.taxonomy is not None:
        yield _line("taxonomy", taxonomy_spec(column.taxonomy))


def _line(name: str, value: Any) -> str:
    return f"{name} = {toml_value(value)}"
