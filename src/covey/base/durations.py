"""Lengths of time as people write them."""

from __future__ import annotations

import re

__all__ = ["duration_fault", "seconds_of"]

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_WRITTEN = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)\s*([a-z]{0,3})", re.IGNORECASE)


def seconds_of(given: object) -> float | None:
    """Return a length of time in seconds, None if it is none above 0.

    >>> seconds_of("2m"), seconds_of("90s"), seconds_of(1.5), seconds_of("soon")
    (120.0, 90.0, 1.5, None)
    """
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given) if 0 < given < 1e12 else None
    parts = _WRITTEN.fullmatch(given.strip()) if isinstance(given, str) else None
    if parts is None or parts[2].lower() not in _UNITS:
        return None
    return float(parts[1]) * _UNITS[parts[2].lower()] or None


def duration_fault(value: object) -> str | None:
    """Return what is wrong with a length of time: a rule.

    >>> duration_fault("1h") is None, duration_fault(0)
    (True, 'a time above 0 in s, m or h, such as 30s, 2m or 1h')
    """
    return "a time above 0 in s, m or h, such as 30s, 2m or 1h" if seconds_of(value) is None else None
