"""The algorithms by name: one line each, from which every command, test and table finds them."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covey.checks import did_you_mean
from covey.errors import InputError

__all__ = [
    "ALGORITHMS",
    "MODELS",
    "Call",
    "Entry",
    "ModelEntry",
    "ModelSpec",
    "algorithm_named",
    "model_spec",
    "parse_call",
]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an algorithm is found, and what the common tests must know of it."""

    name: str
    module: str
    class_name: str
    source: str
    ignores_row_order: bool
    """Whether permuting the rows changes nothing but the numbers of the classes."""
    makes_classes: bool = True
    """Whether rows are grouped; without, the release has its own guarantee and class-based models are refused."""
    may_suppress: bool = False
    """Whether rows may be left out, within the suppression budget."""
    most_rows: int | None = None
    """Above so many rows it takes minutes: `compare` gives it a sample, and says so."""

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
        Entry(
            "binary-k-means", "covey.cluster.binary_k_means", "BinaryKMeans", "He et al. 2012", ignores_row_order=False
        ),
        Entry(
            "non-homogeneous",
            "covey.cluster.non_homogeneous",
            "NonHomogeneous",
            "Wong et al. 2010",
            ignores_row_order=False,
            makes_classes=False,
        ),
        Entry("mdav", "covey.cluster.mdav", "MDAV", "Domingo-Ferrer and Torra 2005", ignores_row_order=False),
        Entry(
            "condensation-knn",
            "covey.cluster.condensation",
            "CondensationKNN",
            "Aggarwal and Yu 2004",
            ignores_row_order=False,
        ),
        Entry(
            "threshold-clustering",
            "covey.cluster.threshold",
            "ThresholdClustering",
            "Loukides and Shao 2007",
            ignores_row_order=False,
            may_suppress=True,
        ),
        Entry(
            "weighted-c-means",
            "covey.cluster.weighted_c_means",
            "WeightedCMeans",
            "Chiu and Tsai 2007",
            ignores_row_order=False,
            most_rows=500_000,
        ),
        Entry(
            "linkage",
            "covey.cluster.linkage",
            "Linkage",
            "Chiu and Tsai 2007",
            ignores_row_order=False,
            most_rows=5_000,
        ),
    )
}
ALIASES = {"covey": "loss-cut"}


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """Where a privacy model is found; the verifier knows it by its name alone."""

    name: str
    module: str
    class_name: str
    parameter: str
    """The name of its one parameter: what is asked for."""

    def load(self) -> Any:
        """Return the model class."""
        return getattr(importlib.import_module(self.module), self.class_name)


MODELS = {
    entry.name: entry
    for entry in (
        ModelEntry("distinct-l-diversity", "covey.privacy.diversity", "DistinctLDiversity", "l"),
        ModelEntry("frequency-l-diversity", "covey.privacy.diversity", "FrequencyLDiversity", "l"),
    )
}
"""Models over classes, beside k-anonymity, which every release has."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A privacy model as plain words: `distinct-l-diversity("diagnosis", l=3)`."""

    model: str
    column: str | None
    asked: float
    """What is asked for: the l, or the k of `k-consistency`."""

    def __str__(self) -> str:
        parts = [] if self.column is None else [json.dumps(self.column, ensure_ascii=False)]
        return f"{self.model}({', '.join([*parts, f'{_parameter(self.model)}={self.asked}'])})"


def _parameter(model: str) -> str:
    return MODELS[model].parameter if model in MODELS else "k"


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


def algorithm_named(spec: str, *, k: int, seed: int = 0, suppression: float = 0.0) -> Any:
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
    for shared, value in (("seed", seed), ("suppression", suppression)):
        if shared in known:
            setattr(estimator, shared, value)
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


def model_spec(given: Any) -> ModelSpec:
    """Return a model from `NAME(COLUMN, l=3)`, from a table of a job, or from a model object.

    >>> model_spec("distinct-l-diversity(diagnosis, l=3)")
    ModelSpec(model='distinct-l-diversity', column='diagnosis', asked=3)
    >>> model_spec({"model": "frequency-l-diversity", "column": "ill", "l": 2.5}).asked
    2.5
    """
    if isinstance(given, ModelSpec):
        return given
    if hasattr(given, "spec"):
        spec: ModelSpec = given.spec()
        return spec
    if isinstance(given, str):
        call = parse_call(given)
        name, facts = call.name, dict(call.options)
        for key, value in zip(("column",), call.arguments, strict=False):
            facts.setdefault(key, value)
        if len(call.arguments) > 1:
            raise _bad_model(name)
    elif isinstance(given, Mapping):
        facts = dict(given)
        name = facts.pop("model", None)
    else:
        raise _bad_model("distinct-l-diversity")
    if name == "k-consistency":
        facts.setdefault("k", facts.pop("column", None))
        if set(facts) != {"k"} or not _is_at_least(facts["k"], 2) or facts["k"] != int(facts["k"]):
            raise _bad_model(name)
        return ModelSpec(name, None, int(facts["k"]))
    if name not in MODELS:
        raise InputError(
            f"there is no privacy model `{name}`", code="unknown-model", hint=did_you_mean(str(name), [*MODELS])
        )
    parameter = MODELS[name].parameter
    column: Any = facts.get("column")
    asked: Any = facts.get(parameter)
    if set(facts) != {"column", parameter} or not isinstance(column, str) or not _is_at_least(asked, 1):
        raise _bad_model(name)
    if name == "distinct-l-diversity" and asked != int(asked):
        raise _bad_model(name)
    return ModelSpec(name, column, asked)


def _is_at_least(value: Any, least: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value < 1e15


def _bad_model(name: str | None) -> InputError:
    example = "k-consistency(k=10)" if name == "k-consistency" else f"{name}(diagnosis, l=3)"
    return InputError(
        "a privacy model is not given in full: its name, its column and its number of 1 or more (k: of 2 or more)",
        code="bad-model",
        hint=f'for example "{example}"',
    )
