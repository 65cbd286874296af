"""What is declared as missing (`na`): values for all quasi columns, and for single ones.

Only how it is said; who makes a release and who checks one each find the cells by code of their own.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from covey.base.checks import did_you_mean
from covey.base.errors import InputError, UnknownColumn

__all__ = ["NaGiven", "NaValue", "na_by_column", "na_fault", "na_text", "na_values", "na_words"]

NaValue = str | int | float | Decimal | bool | dt.date
NaGiven = NaValue | Sequence[NaValue] | Mapping[Any, NaValue | Sequence[NaValue]]
"""What a caller may give: values for all quasi columns, or values by column, those for all of them under None."""
_KINDS = (str, int, float, Decimal, dt.date)  # a bool is an int to Python, a datetime a date


def na_fault(value: object) -> str | None:
    """Return what is wrong with a tuple of declared values: a rule.

    >>> na_fault(("?", 999)) is None, na_fault((None,))
    (True, 'a list of values such as ["?", 999]')
    """
    fine = isinstance(value, tuple) and all(isinstance(entry, _KINDS) for entry in value)
    return None if fine else 'a list of values such as ["?", 999]'


def na_values(given: object) -> tuple[NaValue, ...]:
    """Return declared values as a tuple of plain ones; a single value will do.

    >>> na_values("NA"), na_values(["?", 999])
    (('NA',), ('?', 999))
    """
    several = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    values = tuple(_plain(value) for value in (given if several else [given]))  # type: ignore[attr-defined]
    fault = na_fault(values)
    if fault is not None:
        raise InputError(f"`na` must be {fault}", code="bad-na", hint='for example na=["?", 999] or na={"age": [99]}')
    return values


def _plain(value: Any) -> Any:
    """Return a value as a plain Python one, whatever library it comes from."""
    return value if isinstance(value, _KINDS) or not hasattr(value, "item") else value.item()


def na_by_column(given: object) -> tuple[tuple[NaValue, ...] | None, dict[str, tuple[NaValue, ...]]]:
    """Return (values for all quasi columns, values by column) of what a caller gave; None where nothing was said.

    >>> na_by_column(["?"]), na_by_column({"age": 99}), na_by_column({None: "?", "age": [98, 99]})
    ((('?',), {}), (None, {'age': (99,)}), (('?',), {'age': (98, 99)}))
    """
    if given is None:
        return None, {}
    if isinstance(given, Mapping):
        single = {str(name): na_values(values) for name, values in given.items() if name is not None}
        return (na_values(given[None]) if None in given else None), single
    return na_values(given), {}


def na_words(
    given: Sequence[str] | None, columns: Sequence[str], *, what: str = "not a quasi column"
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return (texts for all quasi columns, texts by column) of words of the command line.

    A word is a text for all columns, or COLUMN=TEXT.  As names and texts may hold `=` as well, the longest name
    that is one of `columns` is meant; a word that begins with `=` is a text for all columns, whatever follows.
    Any other word with `=` names a column that is not there, and is refused: taken for a text, a misspelt name would
    leave the sentinel in the release.  `what` says what such a column is not.

    >>> na_words(["?", "age=99", "=age=99", "=a=b"], ["age", "sex"])
    (('?', 'age=99', 'a=b'), {'age': ('99',)})
    """
    everywhere: list[str] = []
    single: dict[str, tuple[str, ...]] = {}
    for word in given or ():
        marks = [place for place, mark in enumerate(word) if mark == "="]
        end = next((place for place in reversed(marks) if place and word[:place] in columns), None)
        if word.startswith("=") and len(word) > 1:
            everywhere.append(word[1:])
        elif end is None and len(word) > 1 and marks:
            name = word[: marks[0]]
            raise UnknownColumn(
                f"`--na` names `{name}`, which is {what}",
                code="unknown-column",
                hint=f"{did_you_mean(name, columns)}; a text that holds = is given with one more before it: --na =TEXT",
            )
        elif end is None:
            everywhere.append(word)
        else:
            single[word[:end]] = (*single.get(word[:end], ()), word[end + 1 :])
    return tuple(everywhere), single


def na_text(value: NaValue) -> str:
    """Return a declared value as the text that a cell of text may hold.

    >>> na_text(" NA"), na_text(999.0), na_text(True), na_text(dt.date(1900, 1, 1))
    ('NA', '999', 'true', '1900-01-01')
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(value)
