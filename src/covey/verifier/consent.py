"""Consent: the rows of people who do not mind, which no privacy model protects.

The published column says who agreed.  It is read here alone, so that a release cannot be judged by the reading that
made it: `true`, `yes`, `1` agree, `false`, `no`, `0` and missing or blank do not, and nothing else is an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.schema import Schema
from covey.base.arrays import BoolVector
from covey.base.checks import unknown_column
from covey.base.errors import InputError
from covey.verifier.columns.codes import coded, is_number_type, is_text
from covey.verifier.reading.values import is_nan
from covey.verifier.verdict import in_rows

__all__ = ["agreed", "agreed_in", "consent_column"]

_ANSWERS = {
    "true": True, "yes": True, "1": True, "1.0": True,
    "false": False, "no": False, "0": False, "0.0": False, "": False,
}  # fmt: skip


def consent_column(told: str | None, schema: Schema | None, quasi: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the column of a table with these `names` that says who agreed: the one told, else the schema's."""
    declared = () if schema is None else schema.names("consent")
    name = told if told is not None else declared[0] if declared else None
    if name is None:
        return None
    if name in quasi:
        raise InputError(
            f"column `{name}` is quasi and cannot say who agreed", code="two-roles", hint="give each column one role"
        )
    if name not in names:
        raise unknown_column(f"the table has no column `{name}`, which says who agreed", name, names)
    return name


def agreed_in(table: pa.Table, name: str | None) -> BoolVector | None:
    """Return which rows of a table agreed by the column of that name; None if it has none."""
    return agreed(table.column(name), name) if name is not None and name in table.column_names else None


def agreed(column: pa.ChunkedArray, name: str) -> BoolVector:
    """Return which rows agreed; no answer (missing) is no consent.

    >>> agreed(pa.chunked_array([["yes", "No", None, "TRUE"]]), "consent").tolist()
    [True, False, False, True]
    """
    found = coded(column, name)
    answers = [_answer(value) for value in _plain_values(found.values)]
    strange = np.array([answer is None for answer in answers], bool)[found.codes]
    if strange.any():
        raise InputError(
            f"column `{name}` is neither yes nor no {in_rows(np.flatnonzero(strange))}",
            code="bad-consent",
            hint="write true or false, yes or no, 1 or 0, or leave the cell empty",
        )
    return np.array([bool(answer) for answer in answers], bool)[found.codes]


def _plain_values(values: pa.Array) -> list[Any]:
    """Return the distinct cells as Python values, those of other types as a thing that is no answer."""
    kind = values.type
    if is_text(kind) or is_number_type(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return list(values.to_pylist())
    return [None if is_missing else object() for is_missing in values.is_null().to_pylist()]


def _answer(value: Any) -> bool | None:
    """Return whether a cell agrees, None if it says something else."""
    if value is None or is_nan(value):
        return False
    if isinstance(value, str):
        return _ANSWERS.get(value.strip().casefold())
    return bool(value) if value in (0, 1) else None
