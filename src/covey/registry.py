"""The algorithms by name: one line each, from which every command, test and table finds them."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass
from typing import Any

from covey.checks import did_you_mean
from covey.errors import InputError

__all__ = ["ALGORITHMS", "Call", "Entry", "algorithm_named", "parse_call"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an algorithm is found, and what the common tests must know of it."""

    name: str
    module: str
    class_name: str
    source: str
    ignores_row_order: bool
    """Whether permuting the rows changes nothing but the numbers of the classes."""

    def load(self) -> Any:
        """Return the estimator class."""
        return getattr(importlib.import_module(self.module), self.class_name)


ALGORITHMS = {
    entry.name: entry
    for entry in (
        Entry("k-member", "covey.cluster.k_member", "KMember", "Byun et al. 2007", ignores_row_order=False),
        Entry("mondrian", "covey.cluster.mondrian", "Mondrian", "LeFevre et al. 2006", ignores_row_order=True),
        Entry("loss-cut", "covey.cluster.loss_cut", "LossCut", "covey", ignores_row_order=True),
        Entry("systematic", "covey.cluster.systematic", "Systematic", "Kabir et al. 2010", ignores_row_order=False),
        Entry(
            "one-pass-k-means", "covey.cluster.one_pass", "OnePassKMeans", "Lin and Wei 2008", ignores_row_order=False
        ),
        Entry("mdav", "covey.cluster.mdav", "MDAV", "Domingo-Ferrer and Torra 2005", ignores_row_order=False),
        Entry(
            "condensation-knn",
            "covey.cluster.condensation",
            "CondensationKNN",
            "Aggarwal and Yu 2004",
            ignores_row_order=False,
        ),
        Entry("linkage", "covey.cluster.linkage", "Linkage", "Chiu and Tsai 2007", ignores_row_order=False),
    )
}
ALIASES = {"covey": "loss-cut"}


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
        if rest and not rest.startswith(","):
            raise _bad_call()
        if rest == ",":
            raise _bad_call()
        rest = rest[1:].lstrip()
    names = [name for name, _ in options]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the option `{twice}` is given twice", code="bad-call", hint="give each option once")
    return Call(name[0], tuple(arguments), tuple(options))


def _value(text: str) -> tuple[Any, str]:
    """Return (value, rest): a whole word is JSON if it can be (`3`, `true`), else text (`3rd`, `true-age`)."""
    word = _WORD.match(text)
    try:
        if word is None:
            value, end = _JSON.raw_decode(text)
            return value, text[end:].lstrip()
        return _JSON.decode(word[0]), text[word.end() :].lstrip()
    except (ValueError, RecursionError):  # a whole number of thousands of digits is a plain ValueError
        if word is None:
            raise _bad_call() from None
        return word[0], text[word.end() :].lstrip()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_JSON = json.JSONDecoder(parse_constant=_no_constant)


def _bad_call() -> InputError:
    return InputError(
        "this is not of the form NAME(option=value)",
        code="bad-call",
        hint='for example "mondrian(relaxed=true)"',
    )


def algorithm_named(spec: str, *, k: int, seed: int = 0) -> Any:
    """Return the estimator that `NAME(option=value)` stands for."""
    call = parse_call(spec)
    name = ALIASES.get(call.name, call.name)
    if name not in ALGORITHMS:
        raise InputError(
            f"there is no algorithm `{call.name}`",
            code="unknown-algorithm",
            hint=did_you_mean(call.name, [*ALGORITHMS, *ALIASES]),
        )
    estimator = ALGORITHMS[name].load()(k=k)
    known = estimator.get_params()
    if "seed" in known:
        estimator.seed = seed
    if call.arguments:
        raise InputError(
            f"an option of `{name}` is given without its name",
            code="bad-call",
            hint='for example "mondrian(relaxed=true)"',
        )
    for option, value in call.options:
        if option == "k" or option not in known:
            raise InputError(
                f"`{name}` has no option `{option}`",
                code="unknown-option",
                hint=did_you_mean(option, [word for word in known if word != "k"]),
            )
        setattr(estimator, option, value)
    return estimator
