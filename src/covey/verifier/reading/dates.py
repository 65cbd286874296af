"""Dates and times: instants from text, to the nanosecond, and the calendar that they belong to."""

from __future__ import annotations

import datetime as dt
import functools
import re
import zoneinfo

__all__ = ["DATE", "calendar_text", "date_text", "instant_of", "local_day", "written_day", "zone_of"]

DATE = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ](?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[-+][0-9]{2}:?[0-9]{2})?)?"
)
_PARTS = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ](?P<time>(?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-9]{2})?)(?:(?<=:..:..)\.(?P<fraction>[0-9]{1,9}))?"
    r"(?P<offset>Z|[-+][0-9]{2}:?[0-9]{2})?)?"
)
_EPOCH = dt.datetime(1970, 1, 1)
_SECOND = 10**9
_400_YEARS = 146_097 * 86_400 * _SECOND


def instant_of(word: str, zone: dt.tzinfo | None = None) -> int | None:
    """Return an ISO date or time without blanks around it as nanoseconds since 1970; None if it is none.

    Without an offset it is a time of `zone`, if one is given.  What is outside the years 1 to 9999 is none.

    >>> instant_of("1970-01-02"), instant_of("1970-01-01T02:00:00+02:00"), instant_of("2023-02-29")
    (86400000000000, 0, None)
    """
    found = _PARTS.fullmatch(word)
    if found is None:
        return None
    try:
        local = dt.datetime.fromisoformat(f"{found['day']}T{found['time'] or '00:00'}")
        shift = _shift(found["offset"])
        if found["offset"] is None and zone is not None:
            shift = local.replace(tzinfo=zone).utcoffset() or dt.timedelta()
        seconds = (local - shift - _EPOCH) // dt.timedelta(seconds=1)
    except (ValueError, OverflowError):
        return None
    return seconds * _SECOND + int(f"{found['fraction'] or 0:0<9}")


def _shift(offset: str | None) -> dt.timedelta:
    """Return how far local time is ahead of UTC."""
    if offset is None or offset == "Z":
        return dt.timedelta()
    hours, minutes = int(offset[1:3]), int(offset[-2:])
    if hours > 23 or minutes > 59:
        raise ValueError("no offset")
    return dt.timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)


@functools.cache
def zone_of(name: str | None) -> dt.tzinfo | None:
    """Return the time zone of a column (`Europe/Berlin`, `+02:00`); UTC where this machine does not know it."""
    if name is None:
        return None
    try:
        return dt.timezone(_shift(name)) if re.fullmatch(r"[-+]\d\d:?\d\d", name) else zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return dt.UTC


def _local(instant: int, zone: dt.tzinfo | None) -> tuple[dt.datetime, dt.timedelta | None]:
    """Return the wall clock of a zone at an instant, cut to seconds, and its distance from UTC (None: no zone).

    A clock that is no whole number of minutes from UTC, as local mean times were, and one outside the years 1 to
    9999 cannot be written: such an instant is told in UTC.
    """
    plain = _EPOCH + dt.timedelta(seconds=instant // _SECOND)
    if zone is None:
        return plain, None
    try:
        moved = plain.replace(tzinfo=dt.UTC).astimezone(zone)
        shift = moved.utcoffset() or dt.timedelta()
    except OverflowError:
        return plain, dt.timedelta()
    if shift % dt.timedelta(minutes=1):
        return plain, dt.timedelta()
    return moved.replace(tzinfo=None), shift


def local_day(instant: int, zone: dt.tzinfo | None) -> dt.date | None:
    """Return the day of the column's own calendar that an instant belongs to; None beyond the year 9999.

    >>> local_day(-1800 * 10**9, zone_of("Europe/Berlin"))  # half an hour before 1970 in UTC
    datetime.date(1970, 1, 1)
    """
    try:
        return _local(instant, zone)[0].date()
    except OverflowError:
        return None


def written_day(word: str) -> dt.date | None:
    """Return the day that an ISO text writes, whatever its offset."""
    return None if instant_of(word) is None else dt.date.fromisoformat(word[:10])


def date_text(instant: int, zone: dt.tzinfo | None = None) -> str:
    """Return an instant as a label: a plain date at midnight without a zone, else date, time and offset.

    Beyond the year 9999 it is its count of nanoseconds.

    >>> date_text(0), date_text(1_500_000_000), date_text(0, dt.UTC)
    ('1970-01-01', '1970-01-01T00:00:01.5', '1970-01-01T00:00:00+00:00')
    """
    try:
        local, shift = _local(instant, zone)
    except OverflowError:
        return str(instant)
    fraction = instant % _SECOND
    if shift is None and fraction == 0 and local.time() == dt.time():
        return local.date().isoformat()
    text = local.isoformat(timespec="seconds") + (f".{fraction:09}".rstrip("0") if fraction else "")
    if shift is None:
        return text
    minutes = abs(shift) // dt.timedelta(minutes=1)
    return f"{text}{'-' if shift < dt.timedelta() else '+'}{minutes // 60:02}:{minutes % 60:02}"


def calendar_text(instant: int, zone: dt.tzinfo | None = None) -> str:
    """Return an instant for people: the same, and beyond the year 9999 too, as the calendar repeats itself.

    >>> calendar_text(0), calendar_text(400_000_000_000 * 10**9), calendar_text(-100_000_000_000 * 10**9)
    ('1970-01-01', '14645-06-30T15:06:40', '-1199-02-15T14:13:20')
    """
    text = date_text(instant, zone)
    if text != str(instant):
        return text
    turns, rest = divmod(instant, _400_YEARS)
    text = date_text(rest, None if zone is None else dt.UTC)
    return f"{int(text[:4]) + 400 * turns:04}{text[4:]}"
