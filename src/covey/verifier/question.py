"""What is asked of a published table: the k and the privacy models, from arguments and from a job."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from covey.ask.algorithms import ALGORITHMS
from covey.ask.calls import parse_call
from covey.ask.job import Job
from covey.ask.models import ModelSpec, as_models, model_spec
from covey.base.checks import unknown_column
from covey.base.errors import InputError
from covey.base.hints import Asked, hint

__all__ = ["CONSISTENCY", "asked_models", "promised"]

CONSISTENCY = "k-consistency"
"""The one model that is not about classes: it needs the original."""


def promised(job: Job, k: int | None) -> tuple[int | None, list[ModelSpec]]:
    """Return the k and the models that a job asks for, `k` in place of its own if that is given.

    An algorithm without classes promises k-consistency instead of k-anonymity.
    """
    if k is not None or job.k is None or _makes_classes(job.algorithm):
        return job.k if k is None else k, list(job.models)
    return None, [model_spec({"model": CONSISTENCY, "k": job.k}), *job.models]


def _makes_classes(algorithm: Any) -> bool:
    if not isinstance(algorithm, str):
        return bool(getattr(algorithm, "makes_classes", True))
    name = parse_call(algorithm).name
    entry = ALGORITHMS.get(name)
    return entry is None or entry.makes_classes


def asked_models(given: Any, table: pa.Table, *, has_original: bool) -> list[ModelSpec]:
    """Return the models that were asked for, each once; raise if the table cannot be judged by one of them."""
    specs = list(dict.fromkeys(model_spec(model) for model in as_models(given)))
    for spec in specs:
        if spec.column is not None and spec.column not in table.column_names:
            words = f"the table has no column `{spec.column}`, of which {spec.model} speaks"
            raise unknown_column(words, spec.column, table.column_names)
        if spec.model == CONSISTENCY and not has_original:
            raise InputError(
                f"{spec.model} cannot be counted without the original table",
                code="needs-original",
                hint=hint("give the table that the release was made from: {}", Asked("original")),
            )
    return specs
