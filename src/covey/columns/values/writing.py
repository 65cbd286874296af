"""Released values: how they are written.

The verifier reads all of it by code of its own (`covey.verifier.reading`).

| released | written |
|---|---|
| one value | `37`, `Private` |
| interval, both ends included | `[35, 39]`, `[2024-01-03, 2024-03-31]`, `[low, medium]` |
| open interval | `<=39`, `>=35` |
| set | `{Private, Self-emp-inc}` |
| node of a taxonomy | `Western-Europe` |
| everything | `*` |
| missing | empty cell (None); a NaN beside nulls is `NaN` |

A raw label that could be mistaken for one of these is quoted as JSON text.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import re
import zoneinfo
from collections.abc import Collection, Sequence
from decimal import Decimal

from covey.columns.values.clock import DAY, EPOCH_DAY, SECOND
from covey.columns.values.parsing import DAYS_OF_400_YEARS, Number

__all__ = [
    "ANY",
    "NAN",
    "write_bound",
    "write_date",
    "write_interval",
    "write_label",
    "write_number",
    "write_set",
    "zone_named",
]


ANY = "*"
NAN = "NaN"


def write_number(value: Number) -> str:
    """Return the shortest text that reads back to the very same number.

    >>> write_number(37.0), write_number(-0.0), write_number(1e-20), write_number(10**25)
    ('37', '0', '1e-20', '10000000000000000000000000')
    """
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    if isinstance(value, Decimal):
        text = format(value, "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text in ("-0", "") else text
    return str(int(value))


def write_date(nanoseconds: int, zone: dt.tzinfo | None = None) -> str:
    """Return an instant as ISO text: a plain date at midnight without a zone, else date, time and offset.

    Where the zone's own time cannot be written so (an offset with seconds, as local mean times before 1900
    have, or a day outside the years 1 to 9999), the same instant is written in UTC.

    >>> write_date(0), write_date(1_500_000_000), write_date(0, dt.UTC)
    ('1970-01-01', '1970-01-01T00:00:01.5', '1970-01-01T00:00:00+00:00')
    """
    offset = ""
    if zone is not None:
        seconds = dt.timedelta(seconds=nanoseconds // SECOND)
        try:
            local = (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + seconds).astimezone(zone)
        except OverflowError:
            return write_date(nanoseconds, dt.UTC)
        shift = local.utcoffset() or dt.timedelta()
        if shift.total_seconds() % 60:
            return write_date(nanoseconds, dt.UTC)
        nanoseconds += int(shift.total_seconds()) * SECOND
        minutes = int(shift.total_seconds()) // 60
        offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    days, rest = divmod(nanoseconds, DAY)
    day = _write_day(EPOCH_DAY + days)
    if rest == 0 and zone is None:
        return day
    seconds_of_day, fraction = divmod(rest, SECOND)
    time = f"{seconds_of_day // 3600:02}:{seconds_of_day // 60 % 60:02}:{seconds_of_day % 60:02}"
    return f"{day}T{time}{f'.{fraction:09}'.rstrip('0') if fraction else ''}{offset}"


def _write_day(ordinal: int) -> str:
    """Return a day as ISO text, also beyond the years 1 to 9999: the calendar repeats itself every 400 years.

    >>> _write_day(1), _write_day(3_652_060)
    ('0001-01-01', '10000-01-01')
    """
    cycles, rest = divmod(ordinal - 1, DAYS_OF_400_YEARS)
    day = dt.date.fromordinal(rest + 1)
    return f"{day.year + 400 * cycles:04}-{day.month:02}-{day.day:02}"


@functools.cache
def zone_named(name: str | None) -> dt.tzinfo | None:
    """Return the time zone with that name (`Europe/Berlin`, `+02:00`), UTC where it is not known here."""
    if name is None:
        return None
    fixed = re.fullmatch(r"([-+])(\d\d):?(\d\d)", name)
    try:
        if fixed:
            minutes = int(fixed[2]) * 60 + int(fixed[3])
            return dt.timezone(dt.timedelta(minutes=-minutes if fixed[1] == "-" else minutes))
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return dt.UTC


def write_label(label: str, *, nodes: Collection[str] = (), ordered: bool = False) -> str:
    """Return a label as it stands alone in a cell, quoted if it could be mistaken for something else.

    >>> write_label("Private"), write_label("*"), write_label("Africa", nodes={"Africa"}), write_label("")
    ('Private', '"*"', '"Africa"', '""')
    """
    mistaken = (
        label == ""
        or label[0] in '[{"'
        or (ordered and label[0] in "<>")
        or label.endswith("*")
        or label == NAN
        or label in nodes
    )
    return json.dumps(label, ensure_ascii=False) if mistaken else label


def _inside(label: str) -> str:
    """Return a label as it stands inside an interval or a set."""
    written = write_label(label, ordered=True)
    doubtful = any(mark in label for mark in ",]})") or label != label.strip()
    return json.dumps(label, ensure_ascii=False) if doubtful and written is label else written


def write_interval(low: str, high: str, *, labels: bool = False, decimal: str = ".") -> str:
    """Return `[low, high]`; ends are written values, or labels still to be quoted.

    Beside a decimal comma the ends are parted by a semicolon.

    >>> write_interval("35", "39"), write_interval("low, or none", "medium", labels=True)
    ('[35, 39]', '["low, or none", medium]')
    >>> write_interval("3,5", "3,9", decimal=",")
    '[3,5; 3,9]'
    """
    between = "; " if decimal == "," else ", "
    return f"[{_inside(low)}, {_inside(high)}]" if labels else f"[{low}{between}{high}]"


def write_bound(sign: str, end: str, *, labels: bool = False) -> str:
    """Return `<=end` or `>=end`; the end is a written value, or a label still to be quoted.

    >>> write_bound("<=", "39"), write_bound(">=", " low", labels=True)
    ('<=39', '>=" low"')
    """
    return f"{sign}{_inside(end)}" if labels else f"{sign}{end}"


def write_set(labels: Sequence[str]) -> str:
    """Return `{a, b}`, in the order given.

    >>> write_set(["Private", "Self, other"])
    '{Private, "Self, other"}'
    """
    return "{" + ", ".join(_inside(label) for label in labels) + "}"
