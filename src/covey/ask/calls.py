"""`NAME(option=value)`: how algorithms and models are written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from covey.base.errors import InputError

__all__ = ["Call", "parse_call", "with_depths"]


@dataclass(frozen=True, slots=True)
class Call:
    """`name(argument, option=value)`, parsed."""

    name: str
    arguments: tuple[Any, ...]
    options: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        parts = [json.dumps(value) for value in self.arguments]
        parts += [f"{name}={json.dumps(value)}" for name, value in self.options]
        return f"{self.name}({', '.join(parts)})" if parts else self.name


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_WORD = re.compile(r"-?\d+(?:\.\d+)?[eE]\+\d+(?![\w.+-])|[\w.-]+")  # a plus sign only in numbers such as 1e+16
_OPTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*")


def parse_call(text: str) -> Call:
    """Return the parts of `NAME(option=value, ...)`: JSON values, plain words stand for text.

    >>> parse_call("mondrian(relaxed=true)")
    Call(name='mondrian', arguments=(), options=(('relaxed', True),))
    >>> parse_call('distinct-l-diversity("home town", l=3)').arguments
    ('home town',)
    >>> parse_call("refine(start=mondrian(relaxed=true), tries=3)").options
    (('start', 'mondrian(relaxed=true)'), ('tries', 3))
    """
    text = text.strip()
    name = _NAME.match(text)
    if name is None:
        raise _bad_call()
    rest = text[name.end() :].strip()
    if not rest:
        return Call(name[0], (), ())
    if not (rest.startswith("(") and rest.endswith(")")):
        raise _bad_call()
    arguments: list[Any] = []
    options: list[tuple[str, Any]] = []
    rest = rest[1:-1].strip()
    while rest:
        option = _OPTION.match(rest)
        if option:
            rest = rest[option.end() :]
        value, rest = _value(rest)
        if option:
            options.append((option[1], value))
        else:
            arguments.append(value)
        if rest == "," or (rest and not rest.startswith(",")):
            raise _bad_call()
        rest = rest[1:].lstrip()
    names = [name for name, _ in options]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the option `{twice}` is given twice", code="bad-call", hint="give each option once")
    return Call(name[0], tuple(arguments), tuple(options))


def _value(text: str) -> tuple[Any, str]:
    """Return (value, rest): a whole word is JSON if it can be (`3`, `true`), else text (`3rd`, `true-age`).

    A word before a parenthesis is a call, which is text as it stands: `mondrian(relaxed=true)`.
    """
    word = _WORD.match(text)
    if word is not None and text.startswith("(", word.end()):
        end = _closing(text, word.end())
        return text[:end], text[end:].lstrip()
    try:
        if word is None:
            value, end = _JSON.raw_decode(text)
            return value, text[end:].lstrip()
        return _JSON.decode(word[0]), text[word.end() :].lstrip()
    except (ValueError, RecursionError):  # a whole number of thousands of digits is a plain ValueError
        if word is None:
            raise _bad_call() from None
        return word[0], text[word.end() :].lstrip()


def _closing(text: str, begin: int) -> int:
    """Return where the parenthesis that opens at `begin` has been closed."""
    for place, (_, depth) in enumerate(with_depths(text[begin:]), begin):
        if depth == 0:
            return place + 1
    raise _bad_call()


def with_depths(text: str) -> Iterator[tuple[str, int]]:
    """Yield each mark, and how many parentheses and quotes are open behind it; parentheses within quotes are none.

    >>> [depth for _, depth in with_depths('a(b, ")")')]
    [0, 1, 1, 1, 1, 2, 2, 1, 0]
    """
    depth, quoted, escaped = 0, False, False
    for mark in text:
        if mark == '"' and not escaped:
            quoted = not quoted
        escaped = quoted and mark == "\\" and not escaped
        depth += 0 if quoted else {"(": 1, ")": -1}.get(mark, 0)
        yield mark, depth + quoted


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_JSON = json.JSONDecoder(parse_constant=_no_constant)


def _bad_call() -> InputError:
    return InputError(
        "this is not of the form NAME(option=value)", code="bad-call", hint='for example "mondrian(relaxed=true)"'
    )
