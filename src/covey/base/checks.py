"""Checks of parameters: each class lists what it allows, one function reads the list."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from covey.base.errors import Infeasible, InputError, UnknownColumn

__all__ = [
    "at_least",
    "bad_parameter",
    "check",
    "did_you_mean",
    "is_name",
    "is_share",
    "listed",
    "one_of",
    "optional",
    "plural",
    "require",
    "require_known",
    "require_rows",
    "rows_of_share",
    "unknown",
    "unknown_column",
]

Rule = Callable[[object], str | None]
_MOST = 2**63 - 1
"""No whole number that a person gives is larger: kernels count in 64 bits."""


def at_least(least: int) -> Rule:
    """Return a rule: a whole number that is `least` or more.

    >>> at_least(2)(5) is None
    True
    >>> at_least(2)(1)
    'at least 2, not 1'
    """

    def rule(value: object) -> str | None:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            return f"a whole number of {least} or more, not {type(value).__name__}"
        if abs(int(value)) > _MOST:  # it may have more digits than Python writes
            return f"from {least} to {_MOST}"
        return None if int(value) >= least else f"at least {least}, not {int(value)}"

    return rule


def one_of(*allowed: object) -> Rule:
    """Return a rule: one of the listed values.

    >>> one_of("kept", "shuffled")("keep")
    "one of 'kept', 'shuffled'"
    """

    def rule(value: object) -> str | None:
        same = any(type(value) is type(a) and value == a for a in allowed)
        return None if same else "one of " + ", ".join(repr(a) for a in allowed)

    return rule


def is_name(value: object) -> str | None:
    """Return what is wrong with the name of a column: a rule.

    >>> is_name("age") is None, is_name(3)
    (True, 'the name of a column')
    """
    return None if isinstance(value, str) and value else "the name of a column"


def is_share(value: object) -> str | None:
    """Return what is wrong with a share of the rows: a rule.

    >>> is_share(0.02) is None, is_share(2)
    (True, 'a number from 0 to 1')
    """
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return None if is_number and 0 <= value <= 1 else "a number from 0 to 1"  # type: ignore[operator]


def rows_of_share(share: float, n_rows: int) -> int:
    """Return how many whole rows a share is.

    >>> rows_of_share(0.29, 100), math.floor(0.29 * 100)
    (29, 28)
    """
    return math.floor(Fraction(str(float(share))) * n_rows)


def optional(inner: Rule) -> Rule:
    """Return a rule: None, or what `inner` allows."""
    return lambda value: None if value is None else inner(value)


def check(thing: Any) -> None:
    """Raise `InputError` for the first parameter of `thing` that breaks its `checks`."""
    for name, rule in thing.checks.items():
        fault = rule(getattr(thing, name))
        if fault is not None:
            kind = type(thing).__name__
            raise bad_parameter(f"`{name}` of {kind} must be {fault}", f"see help(covey.{kind})")


def require(rule: Rule, name: str, value: object, hint: str) -> None:
    """Raise `InputError` if the value of a parameter breaks a rule."""
    fault = rule(value)
    if fault is not None:
        raise bad_parameter(f"`{name}` must be {fault}", hint)


def bad_parameter(message: str, hint: str) -> InputError:
    """Return the error of a parameter that cannot be what was given."""
    return InputError(message, code="bad-parameter", hint=hint)


def unknown(message: str, word: object, known: Iterable[str], *, code: str) -> InputError:
    """Return the error of a word that is none of the known ones, with the one that may be meant."""
    return InputError(message, code=code, hint=did_you_mean(str(word), known))


def unknown_column(message: str, name: str, known: Iterable[str]) -> UnknownColumn:
    """Return the error of a column that is not there, with the known one that may be meant."""
    return UnknownColumn(message, code="unknown-column", hint=did_you_mean(name, known))


def require_known(names: Iterable[str], known: Iterable[str], fault: str) -> None:
    """Raise `UnknownColumn` for the first name that is not known; fault: what is said of it, {} for the name."""
    options = list(known)
    for name in names:
        if name not in options:
            raise unknown_column(fault.format(f"`{name}`"), str(name), options)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known word, or the list of known words (`none` if there is none).

    >>> did_you_mean("algoritm", ["algorithm", "k"])
    'did you mean `algorithm`?'
    """
    options = list(known)
    near = difflib.get_close_matches(word, options, n=1)
    return f"did you mean `{near[0]}`?" if near else f"known: {listed(options) or 'none'}"


def listed(names: Iterable[str], most: int = 10) -> str:
    """Return names in backticks, at most `most` of them, then a count.

    >>> listed(["a", "b", "c"], most=2)
    '`a`, `b` and 1 more'
    """
    items = list(names)
    shown = ", ".join(f"`{name}`" for name in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most:,} more"


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return a count with its noun.

    >>> plural(1, "row"), plural(1204, "row"), plural(2, "class", "classes")
    ('1 row', '1,204 rows', '2 classes')
    """
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def require_rows(k: int, n_rows: int) -> None:
    """Raise `Infeasible` if there are too few rows for one class of k."""
    if n_rows < k:
        raise Infeasible(
            f"k = {k} needs at least {plural(k, 'row')}; there are {n_rows:,}",
            code="too-few-rows",
            hint="give a smaller k or more rows",
        )
