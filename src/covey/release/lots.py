"""Rows dealt into lots, once and in one place: which are put into classes, released as they are, or left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from covey.ask.job import Job
from covey.base.arrays import IntVector
from covey.base.checks import plural, require_rows
from covey.base.errors import Infeasible
from covey.columns.consent import exempt_rows
from covey.columns.missing import present_rows

__all__ = ["Lots", "deal"]


@dataclass(frozen=True, slots=True)
class Lots:
    """The rows of a table by what becomes of them, as row numbers in their order."""

    present: IntVector
    """All that are not left out for a missing value."""
    guarded: IntVector
    """Those of which classes are made."""
    exempt: IntVector
    """Those of people who agreed, which are released as they are and protect nobody."""


def deal(marked: pa.Table, consent: pa.ChunkedArray | None, job: Job, k: int) -> Lots:
    """Return the lots of a table: its quasi columns with missing values marked, and its column of consent, if any."""
    present = present_rows(marked, job.missing)
    require_rows(k, len(present))
    if consent is None:
        return Lots(present, present, np.zeros(0, np.int64))
    (name,) = job.schema.names("consent")
    agrees = exempt_rows(name, consent)[present]
    guarded, exempt = present[~agrees], present[agrees]
    if len(exempt) and len(guarded) < k:
        raise Infeasible(
            f"k = {k} needs at least {plural(k, 'row')} of people who did not agree; there are {len(guarded):,}",
            code="too-few-rows",
            hint="give a smaller k, or leave out `consent` to protect everybody",
        )
    return Lots(present, guarded, exempt)
