"""Columns whose values a model must not list: those that a look at the table takes for identifiers."""

from __future__ import annotations

import pyarrow as pa

from covey.base.checks import bad_parameter
from covey.columns.proposal import propose

__all__ = ["refuse_identifier"]


def refuse_identifier(name: str, column: pa.ChunkedArray) -> None:
    """Raise `InputError` for a column of categories that `covey init` would take for an identifier."""
    found = propose(pa.table({name: column}))[0]
    if found.role == "identifier":
        raise bad_parameter(
            f"column `{name}` looks like an identifier ({found.reasons[-1]}), and the model would list its values",
            "leave it out of the table (covey learn: --identifier), or rename it if it tells nobody apart",
        )
