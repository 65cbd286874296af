"""The arguments of a Python function as a job: roles from lists or a schema, and settings on top of a job's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from covey.ask.job import Job, read_job
from covey.ask.models import as_models
from covey.ask.na import na_by_column
from covey.ask.schema import Schema
from covey.base.errors import InputError

__all__ = ["job_of_arguments"]


def job_of_arguments(
    job: Job | str | Path | None, schema: Schema | None, columns: Mapping[str, Any], settings: Mapping[str, Any]
) -> Job:
    """Return a job with what was given explicitly on top; a setting that is None was not given, `na` is added.

    columns: the lists of roles and the facts about columns, as `Schema.from_roles` takes them; `weights` may be a text,
    which is a setting of the whole run.
    """
    weights = columns.get("weights")
    is_setting = isinstance(weights, str)
    given = Schema.from_roles(**{**columns, "weights": None if is_setting else weights})
    if schema is not None and given.columns:
        raise InputError(
            "roles were given twice, as a `schema` and as lists of columns",
            code="two-roles",
            hint="give the schema alone, or the lists alone",
        )
    base = job if isinstance(job, Job) else Job() if job is None else read_job(job)
    everywhere, single_na = na_by_column(settings.get("na"))
    models = settings.get("models")
    changes = {
        **settings,
        "schema": schema or (given if given.columns else None),
        "na": (*base.na, *(everywhere or ())),
        "models": None if models is None else as_models(models),
        "weights": weights if is_setting else None,
    }
    asked = replace(base, **{name: value for name, value in changes.items() if value is not None})
    return replace(asked, schema=asked.schema.with_na(single_na))
