"""Words of the verifier that several of its faults and errors share."""

from __future__ import annotations

from covey.base.arrays import IntVector
from covey.base.checks import plural

__all__ = ["in_rows"]


def in_rows(rows: IntVector) -> str:
    """Return in how many rows something was found, and where first; rows: their numbers from 0, in order."""
    return f"in {plural(len(rows), 'row')} (first in row {rows[0] + 1:,})"
