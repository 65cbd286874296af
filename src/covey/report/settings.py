"""What a run was asked for beside its k and its roles, as a report records it, so that it can be repeated."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from covey.ask.taxonomy import Dates, Intervals, Prefixes, Taxonomy
from covey.base.durations import seconds_of
from covey.columns.values.writing import write_date

if TYPE_CHECKING:
    from covey.ask.job import Job
    from covey.ask.schema import Column

__all__ = ["recorded_settings"]


def recorded_settings(job: Job, *, by_effort: bool) -> dict[str, Any]:
    """Return the settings of a job as JSON; domains as they were declared, null where nobody did.

    by_effort: whether the algorithm searched by an effort, which is told then.

    A domain that comes from the table is not told: its ends may be values that the release hides.
    """
    return {
        "effort": job.effort if by_effort else None,
        "budget": seconds_of(job.budget),
        "suppression": job.suppression,
        "na": [_plain(value) for value in job.na],
        "weights": job.weights,
        "csv": {name: _plain(value) for name, value in job.csv.items()},
        "columns": {column.name: _column(column) for column in job.schema.quasi},
    }


def _column(column: Column) -> dict[str, Any]:
    instants = column.domain if column.type == "date" else None  # nanoseconds since 1970
    return {
        "weight": float(column.weight),
        "domain": _plain(column.domain) if instants is None else [write_date(end) for end in instants],
        "order": _plain(column.order),
        "grid": _plain(column.grid),
        "taxonomy": None if column.taxonomy is None else _described(column.taxonomy),
        "na": [_plain(value) for value in column.na],
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; what JSON lacks is text."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dt.date | dt.datetime):
        return value.isoformat()
    if value is None or isinstance(value, str | bool | int):
        return value
    is_number = not isinstance(value, Decimal) and math.isfinite(value)
    return float(value) if is_number else str(value)


def _described(taxonomy: Any) -> dict[str, Any]:
    """Return the name, the rule if it is one, and the SHA-256 of the file, or of the declaration as JSON.

    The digest is null for objects that make trees in a way of their own.

    >>> _described(Taxonomy.prefixes([3, 2], "zip"))["rule"]
    {'kind': 'prefixes', 'lengths': [3, 2]}
    """
    name = getattr(taxonomy, "name", type(taxonomy).__name__)
    if isinstance(taxonomy, Taxonomy):
        return {"name": name, "rule": None, "sha256": taxonomy.file_digest or _digest(list(taxonomy.paths()))}
    if isinstance(taxonomy, Intervals | Prefixes | Dates):
        facts = {key: _rule_value(value) for key, value in asdict(taxonomy).items() if key != "name"}
        rule = {"kind": type(taxonomy).__name__.lower(), **facts}
        return {"name": name, "rule": rule, "sha256": _digest(rule)}
    return {"name": str(name), "rule": None, "sha256": None}


def _rule_value(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_rule_value(part) for part in value]
    return value if isinstance(value, str | int | float) else str(value)


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
