"""Checks of parameters: each class lists what it allows, one function reads the list."""

from __future__ import annotations

import difflib
import numbers
from collections.abc import Callable, Iterable
from typing import Any

from covey.errors import Infeasible, InputError

__all__ = ["at_least", "check", "did_you_mean", "listed", "one_of", "optional", "plural", "require_rows"]

Rule = Callable[[object], str | None]


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


def optional(inner: Rule) -> Rule:
    """Return a rule: None, or what `inner` allows."""
    return lambda value: None if value is None else inner(value)


def check(thing: Any) -> None:
    """Raise `InputError` for the first parameter of `thing` that breaks its `checks`."""
    for name, rule in thing.checks.items():
        fault = rule(getattr(thing, name))
        if fault is not None:
            raise InputError(
                f"`{name}` of {type(thing).__name__} must be {fault}",
                code="bad-parameter",
                hint=f"see help(covey.{type(thing).__name__})",
            )


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
