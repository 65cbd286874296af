"""What a run was asked for beside its k and its roles, as a report records it, so that it can be repeated."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from covey.columns.values.writing import write_date
from covey.report.tree_digest import described

if TYPE_CHECKING:
    from covey.ask.job import Job
    from covey.ask.schema import Column

__all__ = ["recorded_settings"]


def recorded_settings(job: Job) -> dict[str, Any]:
    """Return the settings of a job as JSON; domains as they were declared, null where nobody did.

    A domain that comes from the table is not told: its ends may be values that the release hides.
    """
    return {
        "suppression": job.suppression,
        "na": [_plain(value) for value in job.na],
        "weights": job.weights,
        "csv": {name: _plain(value) for name, value in job.csv.items()},
        "columns": {column.name: _column(column) for column in job.schema.quasi},
    }


def _column(column: Column) -> dict[str, Any]:
    return {
        "weight": float(column.weight),
        "domain": None if column.domain is None else _domain(column),
        "order": None if column.order is None else list(column.order),
        "grid": None if column.grid is None else _plain(column.grid),
        "taxonomy": None if column.taxonomy is None else described(column.taxonomy),
        "na": [_plain(value) for value in column.na],
    }


def _domain(column: Column) -> list[Any]:
    assert column.domain is not None
    if column.type == "date":  # nanoseconds since 1970
        return [write_date(end) for end in column.domain]
    return [_plain(end) for end in column.domain]


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
