"""The algorithms by name: one line each, from which every command, test and table finds them."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from covey.base.checks import did_you_mean
from covey.base.errors import InputError

__all__ = [
    "ALGORITHMS",
    "MODELS",
    "Call",
    "Entry",
    "ModelEntry",
    "ModelSpec",
    "algorithm_named",
    "as_models",
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
        Entry("k-member", "covey.search.k_member.estimator", "KMember", "Byun et al. 2007", ignores_row_order=False),
        Entry("mondrian", "covey.search.mondrian.estimator", "Mondrian", "LeFevre et al. 2006", ignores_row_order=True),
        Entry("loss-cut", "covey.search.loss_cut.estimator", "LossCut", "covey", ignores_row_order=True),
        Entry(
            "systematic",
            "covey.search.systematic.estimator",
            "Systematic",
            "Kabir et al. 2010",
            ignores_row_order=False,
        ),
        Entry(
            "one-pass-k-means",
            "covey.search.one_pass.estimator",
            "OnePassKMeans",
            "Lin and Wei 2008",
            ignores_row_order=False,
        ),
        Entry(
            "binary-k-means",
            "covey.search.binary_k_means.estimator",
            "BinaryKMeans",
            "He et al. 2012",
            ignores_row_order=False,
        ),
        Entry(
            "non-homogeneous",
            "covey.search.non_homogeneous.estimator",
            "NonHomogeneous",
            "Wong et al. 2010",
            ignores_row_order=False,
            makes_classes=False,
        ),
        Entry("mdav", "covey.search.mdav.estimator", "MDAV", "Domingo-Ferrer and Torra 2005", ignores_row_order=False),
        Entry(
            "condensation-knn",
            "covey.search.condensation.estimator",
            "CondensationKNN",
            "Aggarwal and Yu 2004",
            ignores_row_order=False,
        ),
        Entry(
            "threshold-clustering",
            "covey.search.threshold.estimator",
            "ThresholdClustering",
            "Loukides and Shao 2007",
            ignores_row_order=False,
            may_suppress=True,
        ),
        Entry(
            "weighted-c-means",
            "covey.search.weighted_c_means.estimator",
            "WeightedCMeans",
            "Chiu and Tsai 2007",
            ignores_row_order=False,
            most_rows=500_000,
        ),
        Entry(
            "linkage",
            "covey.search.linkage.estimator",
            "Linkage",
            "Chiu and Tsai 2007",
            ignores_row_order=False,
            most_rows=5_000,
        ),
        Entry(
            "top-down-specialization",
            "covey.search.top_down.estimator",
            "TopDownSpecialization",
            "Fung et al. 2005",
            ignores_row_order=True,
        ),
        Entry(
            "optimal-recoding",
            "covey.search.optimal_recoding.estimator",
            "OptimalRecoding",
            "Samarati 2001, Bayardo and Agrawal 2005",
            ignores_row_order=True,
            may_suppress=True,
        ),
        Entry("tree", "covey.search.tree.estimator", "TreeClasses", "Friedman et al. 2008", ignores_row_order=True),
    )
}
ALIASES = {"covey": "loss-cut"}
LITERATURE = {
    "oka": "one-pass-k-means", "one-pass": "one-pass-k-means", "cb": "binary-k-means", "nh": "non-homogeneous",
    "ring": "non-homogeneous", "wf-c-means": "weighted-c-means", "wfc": "weighted-c-means", "knn": "condensation-knn",
    "condensation": "condensation-knn", "threshold": "threshold-clustering", "single-linkage": "linkage",
    "complete-linkage": "linkage", "average-linkage": "linkage", "microaggregation": "mdav", "mdav": "mdav",
    "kmember": "k-member", "median-partitioning": "mondrian", "k-anonymous-tree": "tree",
}  # fmt: skip
"""What a paper calls an algorithm, in small letters, and its name here."""


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
        known = LITERATURE.get(call.name.lower().replace("_", "-"))
        raise InputError(
            f"there is no algorithm `{call.name}`",
            code="unknown-algorithm",
            hint=f"it is called `{known}` here" if known else did_you_mean(call.name.lower(), [*ALIASES, *ALGORITHMS]),
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
        if option == "suppression":
            raise InputError(
                f"`suppression` of `{name}` is that of the whole release",
                code="unknown-option",
                hint="give --suppression 0.02, in Python suppression=0.02",
            )
        if option == "k" or option not in known:
            raise InputError(
                f"`{name}` has no option `{option}`",
                code="unknown-option",
                hint=did_you_mean(option, [word for word in known if word != "k"]),
            )
        setattr(estimator, option, value)
    return estimator


def as_models(given: Any) -> tuple[Any, ...]:
    """Return models as a tuple; one alone, as text, table or object, is a list of one."""
    if given is None:
        return ()
    alone = isinstance(given, str | Mapping) or not isinstance(given, Iterable)
    return (given,) if alone else tuple(given)


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
    name, facts = _model_facts(given)
    if name == "k-consistency":
        parameter = "k"
        facts = {"k" if key == "column" else key: value for key, value in facts.items()}
        _require_keys(name, facts, ("k",))
    elif name in MODELS:
        parameter = MODELS[name].parameter
        _require_keys(name, facts, ("column", parameter))
        if not isinstance(facts["column"], str):
            raise _bad_model(name, "the column of {} must be a name")
    else:
        raise _unknown_model(name)
    asked, least = facts[parameter], 2 if parameter == "k" else 1
    if not _is_at_least(asked, least):
        raise _bad_model(name, f"`{parameter}` of {{}} must be a number of {least} or more")
    if name != "frequency-l-diversity" and asked != int(asked):
        raise _bad_model(name, f"`{parameter}` of {{}} must be a whole number")
    return ModelSpec(name, facts.get("column"), asked)


def _model_facts(given: Any) -> tuple[str, dict[str, Any]]:
    """Return the name of a model and what is said of it, by key."""
    if isinstance(given, Mapping):
        facts = {key: value for key, value in given.items() if key != "model"}
        if not isinstance(given.get("model"), str):
            raise _bad_model("distinct-l-diversity", "a privacy model has no `model`, which is its name")
        return given["model"], facts
    if not isinstance(given, str):
        raise _bad_model("distinct-l-diversity", "a privacy model must be text, a table or a model of covey")
    try:
        call = parse_call(given)
    except InputError:
        raise _bad_model("distinct-l-diversity", "a privacy model is not of the form NAME(COLUMN, l=NUMBER)") from None
    if len(call.arguments) > 1:
        raise _bad_model(call.name, "the number of {} is given without its name")
    facts = dict(call.options)
    if call.arguments:
        facts["column"] = call.arguments[0]
    return call.name, facts


def _require_keys(name: str, facts: Mapping[str, Any], wanted: tuple[str, ...]) -> None:
    unknown = [key for key in facts if key not in wanted]
    if unknown:
        raise _bad_model(name, f"{{}} has no `{unknown[0]}`, {did_you_mean(str(unknown[0]), wanted)}")
    missing = [key for key in wanted if key not in facts]
    if missing:
        raise _bad_model(name, f"{{}} is not given in full: it lacks `{missing[0]}`")


def _unknown_model(name: str) -> InputError:
    # a near name is another guarantee, so all of them are listed and none is suggested
    known = ", ".join(f"`{model}`" for model in MODELS)
    return InputError(f"there is no privacy model `{name}`", code="unknown-model", hint=f"known: {known}")


def _is_at_least(value: Any, least: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value < 1e15


def _bad_model(name: str, words: str) -> InputError:
    example = "k-consistency(k=10)" if name == "k-consistency" else f"{name}(diagnosis, l=3)"
    return InputError(words.format(name), code="bad-model", hint=f'for example "{example}"')
