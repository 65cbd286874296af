"""The arguments of a Python function as a job: roles from lists or a schema, and settings on top of a job's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from covey.ask.job import Job, as_job
from covey.ask.models import as_models
from covey.ask.na import na_by_column
from covey.ask.schema import FACTS, Schema
from covey.ask.settings import SETTINGS
from covey.base.errors import InputError

__all__ = ["job_of_arguments"]

_LISTS = ("identifier", "quasi", "sensitive", "target", "other", "consent")
"""The arguments that name columns by their role."""


def job_of_arguments(given: Mapping[str, Any]) -> Job:
    """Return the job that a function is asked for, whose arguments are given by name; others are passed over.

    What is given stands on top of its `job`: a role moves a column, a fact replaces one; a setting that is None was not
    given, `na` and `models` are added: no argument asks for less privacy by the way.  `weights` may be a text, which is
    a setting of the whole run.
    """
    weights, schema, base = given["weights"], given["schema"], as_job(given["job"])
    is_setting = isinstance(weights, str)
    roles = {role: () if given[role] is None else given[role] for role in _LISTS}
    facts = {fact: given[argument] for fact, argument in FACTS.items()} | {"weight": None if is_setting else weights}
    if schema is not None and Schema(()).with_roles(roles, {}).columns:
        raise InputError(
            "roles were given twice, as a `schema` and as lists of columns",
            code="two-roles",
            hint="give the schema alone, or the lists alone",
        )
    everywhere, single_na = na_by_column(given["na"])
    changes = {
        **{name: given[name] for name in SETTINGS if name in given},
        "na": (*base.na, *(everywhere or ())),
        "models": (*base.models, *as_models(given["models"])),
        "weights": weights if is_setting else None,
    }
    asked = base.with_settings(changes)
    own = (asked.schema if schema is None else schema).with_roles(roles, facts)
    return replace(asked, schema=own.with_na(single_na))
