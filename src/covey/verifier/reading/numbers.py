"""Numbers from text, digit by digit: a whole number or a decimal, never the float beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

__all__ = ["NUMBER", "are_numbers", "as_decimal", "number_of", "number_text"]

NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_NUMBER = re.compile(NUMBER)
_WHOLE = re.compile(r"[-+]?[0-9]+")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]")
# what no float reaches is no measured number: beyond the greatest, and nearer to 0 than half of the least
_TOO_LARGE = Decimal(2**1024 - 2**970)
_TOO_SMALL = Decimal((0, tuple(int(digit) for digit in str(5**1075)), -1075))


def number_of(word: str, decimal: str = ".", *, exact: bool = True) -> int | float | Decimal | None:
    """Return the number that a word without blanks is; None if it is none or out of reach of floats.

    Digits alone are a whole number, all else a decimal, exactly; if not exact, the float that is nearest to it.
    With another decimal mark a point is none.

    >>> number_of("007"), number_of("1,50", ","), number_of("9007199254740993.5"), number_of("1e400")
    (7, Decimal('1.50'), Decimal('9007199254740993.5'), None)
    """
    if decimal != ".":
        if "." in word:
            return None
        word = word.replace(decimal, ".")
    if not _NUMBER.fullmatch(word):
        return None
    is_zero = not re.search("[1-9]", re.split("[eE]", word)[0])
    try:
        value = Decimal(0) if is_zero else Decimal(word)
    except InvalidOperation:  # an exponent of twenty digits
        return None
    if not is_zero and not _TOO_SMALL < value.copy_abs() < _TOO_LARGE:  # abs() rounds, and overflows beyond 1e999999
        return None
    if _WHOLE.fullmatch(word):
        return int(value)
    return value if exact else float(value)


def are_numbers(words: Iterable[str], decimal: str = ".") -> bool:
    """Return whether all words are numbers, and none has a leading zero, as postcodes have.

    >>> are_numbers(["7", "-0.5"]), are_numbers(["7", "007"]), are_numbers(["7", "n.a."])
    (True, False, False)
    """
    return all(number_of(word, decimal) is not None and not _LEADING_ZERO.match(word) for word in words)


def as_decimal(value: int | float | Decimal) -> Decimal:
    """Return a number as it is written in the fewest digits, 0.1 as one tenth.

    >>> as_decimal(0.1), as_decimal(2**60)
    (Decimal('0.1'), Decimal('1152921504606846976'))
    """
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def number_text(value: int | float | Decimal) -> str:
    """Return the text of a number as a label: `37`, `0.5`, `1e-20`; decimals without an exponent.

    >>> number_text(37.0), number_text(-0.0), number_text(1e22), number_text(Decimal("0.50"))
    ('37', '0', '1e+22', '0.5')
    """
    if isinstance(value, float):
        is_short = value == value // 1 and -1e16 < value < 1e16
        return f"{value + 0.0:.0f}" if is_short else repr(value)
    if isinstance(value, int) or value == 0:
        return str(int(value))
    whole, _, places = f"{value:f}".partition(".")
    places = places.rstrip("0")
    return f"{whole}.{places}" if places else whole
