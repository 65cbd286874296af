"""Numbers and dates in text columns, read to be released."""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from typing import Any

from covey.columns.values.clock import DAY, EPOCH_DAY, FIRST, LAST, SECOND

__all__ = ["DAYS_OF_400_YEARS", "Number", "as_written", "parse_date", "parse_number"]


Number = int | float | Decimal
_NUMBER_ONLY = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_HAS_DIGIT = re.compile(r"[-+.0]*[1-9]")
_SURE = 15  # digits that any float of common size gives back
_WHOLE_ONLY = re.compile(r"[-+]?\d+", re.ASCII)
_DATE_PARTS = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[-+]\d\d:?\d\d)?)?", re.ASCII
)
DAYS_OF_400_YEARS = 146_097


def parse_number(text: str, decimal: str = ".") -> Number | None:
    """Return the very number that a text is: whole, a float that reads back to it, else a decimal; None if it is none.

    With another decimal mark a point is none: `1.234` may then be a thousand.  A number beyond the reach of floats
    (1e400, 1e-400) is none either.

    >>> parse_number("007"), parse_number("1,5", decimal=","), parse_number("0.10000000000000000001")
    (7, 1.5, Decimal('0.10000000000000000001'))
    >>> parse_number("abc"), parse_number("1e400")
    (None, None)
    """
    word = text.strip()
    if decimal != ".":
        if "." in word:
            return None
        word = word.replace(decimal, ".")
    if not _NUMBER_ONLY.fullmatch(word):
        return None
    value = float(word)
    if math.isinf(value):
        return None
    if _WHOLE_ONLY.fullmatch(word):
        return _whole(word)
    if value == 0:
        return None if _HAS_DIGIT.match(word) else 0.0
    written = repr(value)
    is_sure = len(word) <= _SURE and "e" not in word.lower()
    return value if is_sure or written == word or Decimal(written) == Decimal(word) else Decimal(word)


def _whole(word: str) -> int:
    """Return a whole number; leading zeros do not count against Python's limit of 4,300 digits."""
    sign = "-" if word[0] == "-" else ""
    return int(sign + (word.lstrip("+-").lstrip("0") or "0"))


def as_written(number: Any) -> Any:
    """Return a finite float as the number that was written, 0.1 as one tenth; all else as it is.

    >>> as_written(0.1), as_written(1e23) == 10**23, as_written(7)
    (Decimal('0.1'), True, 7)
    """
    if not isinstance(number, float) or not math.isfinite(number):
        return number
    written = Decimal(repr(number))
    return int(written) if number.is_integer() else written


def parse_date(text: str) -> int | None:
    """Return an ISO date or time as nanoseconds since 1970 (UTC if it has an offset); None if it is none.

    An instant outside the years 1 to 9999 of UTC is none.

    >>> parse_date("1970-01-02"), parse_date("1970-01-01T02:00:00+02:00"), parse_date("2023-02-29")
    (86400000000000, 0, None)
    """
    found = _DATE_PARTS.fullmatch(text.strip())
    if not found:
        return None
    try:
        day = dt.date(int(found[1]), int(found[2]), int(found[3]))
        time = dt.time(int(found[4] or 0), int(found[5] or 0), int(found[6] or 0))
    except ValueError:
        return None
    total = (day.toordinal() - EPOCH_DAY) * DAY
    total += (time.hour * 3600 + time.minute * 60 + time.second) * SECOND
    total += int((found[7] or "").ljust(9, "0"))
    if found[8] and found[8] != "Z":
        sign = -1 if found[8][0] == "-" else 1
        digits = found[8][1:].replace(":", "")
        if int(digits[:2]) > 23 or int(digits[2:]) > 59:
            return None
        total -= sign * (int(digits[:2]) * 3600 + int(digits[2:]) * 60) * SECOND
    return total if FIRST <= total <= LAST else None
