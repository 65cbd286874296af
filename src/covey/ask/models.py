"""The privacy models by name, and a model as it is asked for.

A model is an entry: where the maker and the verifier find it, each by code of its own, and what it is given.  The names
of its parameters and their ranges stand here once, for Python, the command line and job files alike.
"""

from __future__ import annotations

import importlib
import json
import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from covey.ask.calls import parse_call
from covey.ask.plugins import broken_plugin, plugin
from covey.base.checks import did_you_mean
from covey.base.errors import InputError

__all__ = [
    "MODELS",
    "PROMISED",
    "ModelEntry",
    "ModelSpec",
    "Parameter",
    "as_models",
    "entry_of",
    "is_at_least",
    "model_spec",
]

Need = Literal["order", "tree", "reference", "population"]
"""What a model looks at beside the values of a class: their order, their tree, the values of the whole table, people
who are not in it."""
_GREATEST = 1e15
"""Below this, whole numbers and what a float holds are the same."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that a model is given: its name, and the range in which it makes sense."""

    name: str
    least: float
    most: float = math.inf
    whole: bool = False
    example: float = 3

    def fault(self, value: object) -> str | None:
        """Return what is wrong with a value, in words that follow its name; None if nothing is.

        >>> Parameter("t", 0, 1).fault(1.5), Parameter("l", 1).fault(0), Parameter("l", 1, whole=True).fault(2.5)
        ('must be a number from 0 to 1', 'must be a number of 1 or more', 'must be a whole number')
        """
        number: Any = value
        is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not is_number or not self.least <= number <= self.most:
            return f"must be a number {self._span()}"
        if number >= _GREATEST:
            return f"must be below {_GREATEST:,.0f}"
        return "must be a whole number" if self.whole and number != int(number) else None

    def _span(self) -> str:
        return f"of {self.least:g} or more" if self.most == math.inf else f"from {self.least:g} to {self.most:g}"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A privacy model: where both sides of the wall find it, what it is given, and what it needs."""

    name: str
    maker: str
    """`module:class` of the value that a search is given."""
    judge: str
    """`module:function` by which the verifier counts it."""
    parameters: tuple[Parameter, ...]
    """The level that classes reach is that of the first one."""
    source: str
    n_columns: int = 1
    """How many sensitive columns it speaks of: one, or none."""
    at_least: bool = True
    """Whether a greater level is the safer one (l); if not, what is asked is the most that may be (t)."""
    needs: frozenset[Need] = frozenset()
    survives_joining: bool = True
    """Whether two classes that satisfy it always make one that does."""

    def load(self) -> Any:
        """Return the model class."""
        return _loaded(self.maker)

    def load_judge(self) -> Any:
        """Return the function by which the verifier counts it."""
        return _loaded(self.judge)

    def example(self) -> str:
        """Return how the model may be written."""
        columns = ["diagnosis"] * self.n_columns
        return f"{self.name}({', '.join([*columns, *(f'{one.name}={one.example:g}' for one in self.parameters)])})"


def _loaded(place: str) -> Any:
    module, _, name = place.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise broken_plugin(
            f"`{name}` of a privacy model cannot be loaded", f"see that `{module}` can be imported and has it"
        ) from None


_MAKER, _JUDGE = "covey.privacy.diversity", "covey.verifier.levels.diversity"
MODELS = {
    entry.name: entry
    for entry in (
        ModelEntry(
            "distinct-l-diversity",
            f"{_MAKER}:DistinctLDiversity",
            f"{_JUDGE}:distinct_l_diversity",
            (Parameter("l", 1, whole=True),),
            "Machanavajjhala et al. 2007",
        ),
        ModelEntry(
            "frequency-l-diversity",
            f"{_MAKER}:FrequencyLDiversity",
            f"{_JUDGE}:frequency_l_diversity",
            (Parameter("l", 1),),
            "Wong et al. 2006",
        ),
    )
}
"""Models over classes, beside k-anonymity, which every release has."""
_ANY = MODELS["distinct-l-diversity"]  # for an example where no model is named
PROMISED = {
    entry.name: entry
    for entry in (
        ModelEntry(
            "k-consistency", "", "", (Parameter("k", 2, whole=True, example=10),), "Wong et al. 2010", n_columns=0
        ),
    )
}
"""What an algorithm gives in place of classes: it is verified, and cannot be asked of others."""


def entry_of(name: str) -> ModelEntry:
    """Return the entry of a model that can be asked for or verified; raise for any other name."""
    known = MODELS | PROMISED
    if name in known:
        return known[name]
    entry: ModelEntry | None = plugin("covey.models", name, ModelEntry)
    if entry is None or entry.name != name:
        # a near name is another guarantee, so all of them are listed and none is suggested
        listed = ", ".join(f"`{model}`" for model in MODELS)
        raise InputError(f"there is no privacy model `{name}`", code="unknown-model", hint=f"known: {listed}")
    return entry


def is_at_least(name: str) -> bool:
    """Return whether a greater level of the model is the safer one, as that of k-anonymity is."""
    return name == "k-anonymity" or entry_of(name).at_least


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A privacy model as plain words: `distinct-l-diversity("diagnosis", l=3)`."""

    model: str
    columns: tuple[str, ...]
    parameters: tuple[tuple[str, float], ...]
    """By name, in the order of the model's entry."""

    @property
    def column(self) -> str | None:
        """Return the sensitive column that it speaks of, the first if there are several; None if it speaks of none."""
        return self.columns[0] if self.columns else None

    @property
    def asked(self) -> float:
        """Return the number that the level of a table is held against: the l, or the k of `k-consistency`."""
        return self.parameters[0][1]

    def __str__(self) -> str:
        parts = [json.dumps(column, ensure_ascii=False) for column in self.columns]
        return f"{self.model}({', '.join([*parts, *(f'{name}={value}' for name, value in self.parameters)])})"


def as_models(given: Any) -> tuple[Any, ...]:
    """Return models as a tuple; one alone, as text, table or object, is a list of one."""
    if given is None:
        return ()
    alone = isinstance(given, str | Mapping) or not isinstance(given, Iterable)
    return (given,) if alone else tuple(given)


def model_spec(given: Any) -> ModelSpec:
    """Return a model from `NAME(COLUMN, l=3)`, from a table of a job, or from a model object.

    >>> model_spec("distinct-l-diversity(diagnosis, l=3)")
    ModelSpec(model='distinct-l-diversity', columns=('diagnosis',), parameters=(('l', 3),))
    >>> model_spec({"model": "frequency-l-diversity", "column": "ill", "l": 2.5}).asked
    2.5
    """
    if isinstance(given, ModelSpec):
        return given
    if hasattr(given, "spec"):
        if isinstance(given, type):
            raise InputError(
                f"the privacy model `{given.__name__}` is given without its column and its number",
                code="bad-model",
                hint='write it as a call, for example DistinctLDiversity("pay", l=2)',
            )
        spec: ModelSpec = given.spec()
        return spec
    name, facts = _model_facts(given)
    entry = entry_of(name)
    names = [parameter.name for parameter in entry.parameters]
    _require_keys(entry, facts, (*(["column"] if entry.n_columns else []), *names))
    if entry.n_columns and not isinstance(facts["column"], str):
        raise _bad_model(entry, f"the column of {name} must be a name")
    for parameter in entry.parameters:
        fault = parameter.fault(facts[parameter.name])
        if fault:
            raise _bad_model(entry, f"`{parameter.name}` of {name} {fault}")
    columns = (facts["column"],) if entry.n_columns else ()
    return ModelSpec(name, columns, tuple((one, _plain(facts[one])) for one in names))


def _plain(number: Any) -> float:
    """Return a number as one of Python, whatever library it comes from."""
    return number if isinstance(number, int | float) else int(number) if number == int(number) else float(number)


def _model_facts(given: Any) -> tuple[str, dict[str, Any]]:
    """Return the name of a model and what is said of it, by key."""
    if isinstance(given, Mapping):
        facts = {key: value for key, value in given.items() if key != "model"}
        if not isinstance(given.get("model"), str):
            raise _bad_model(_ANY, "a privacy model has no `model`, which is its name")
        return given["model"], facts
    if not isinstance(given, str):
        raise _bad_model(_ANY, "a privacy model must be text, a table or a model of covey")
    try:
        call = parse_call(given)
    except InputError:
        raise _bad_model(_ANY, "a privacy model is not of the form NAME(COLUMN, l=NUMBER)") from None
    if len(call.arguments) > 1:
        raise _bad_model(entry_of(call.name), f"the number of {call.name} is given without its name")
    facts = dict(call.options)
    if call.arguments:
        entry = entry_of(call.name)
        first = "column" if entry.n_columns else entry.parameters[0].name
        if first in facts:
            raise _bad_model(entry, f"`{first}` of {call.name} is given twice")
        facts[first] = call.arguments[0]
    return call.name, facts


def _require_keys(entry: ModelEntry, facts: Mapping[str, Any], wanted: tuple[str, ...]) -> None:
    unknown = [key for key in facts if key not in wanted]
    if unknown:
        raise _bad_model(entry, f"{entry.name} has no `{unknown[0]}`, {did_you_mean(str(unknown[0]), wanted)}")
    missing = [key for key in wanted if key not in facts]
    if missing:
        raise _bad_model(entry, f"{entry.name} is not given in full: it lacks `{missing[0]}`")


def _bad_model(entry: ModelEntry, words: str) -> InputError:
    return InputError(words, code="bad-model", hint=f'for example "{entry.example()}"')
