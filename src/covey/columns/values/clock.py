"""Dates and times as nanoseconds since 1970: units, and the first and last moment that can be written."""

from __future__ import annotations

import datetime as dt

__all__ = ["DAY", "EPOCH_DAY", "FIRST", "LAST", "NANOSECONDS", "SECOND"]

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""By the unit of an Arrow timestamp."""
SECOND = 10**9
DAY = 86_400 * SECOND
EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
FIRST = (dt.date.min.toordinal() - EPOCH_DAY) * DAY
LAST = (dt.date.max.toordinal() - EPOCH_DAY + 1) * DAY - 1
