"""What the columns that reach an estimator are made of: the original columns behind encoders and scalers.

Steps of scikit-learn are read from their fitted arrays.  What becomes of an original column is either a number that
grows with the original one, or a number per value of a category.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covey.arrays import FloatVector
from covey.checks import listed
from covey.errors import InputError
from covey.mining.attributes import as_texts
from covey.mining.tree_model import bad_model

__all__ = ["Category", "Number", "Source", "fitted", "kind_of_step", "ordinal", "through"]

Values = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric column of the table, changed by steps none of which ever turns the order of two numbers round."""

    name: str
    steps: tuple[Callable[[FloatVector], FloatVector], ...] = ()

    def forward(self, numbers: FloatVector) -> FloatVector:
        """Return what becomes of numbers of the table."""
        for step in self.steps:
            numbers = step(numbers)
        return numbers


@dataclass(frozen=True, slots=True)
class Category:
    """A column of the table as a number per value (NaN: missing); `other`: of values that the step did not know."""

    name: str
    numbers: Mapping[str | None, float]
    other: float | None
    """None: the step refuses such values."""


Source = Number | Category


def kind_of_step(step: object) -> str:
    """Return the name of a scikit-learn class; empty for anything else, a class derived from one included."""
    kind = type(step)
    return kind.__name__ if kind.__module__.split(".")[0] == "sklearn" else ""


def fitted(thing: object, name: str) -> Any:
    """Return an attribute that training sets."""
    try:
        return getattr(thing, name)
    except AttributeError:
        raise bad_model(f"`{type(thing).__name__}` has no `{name}`: it is not trained") from None


def through(step: object, sources: Sequence[Source], name: str = "") -> list[Source]:
    """Return what comes out of a fitted step into which the sources go; `name`: that of the step."""
    if step is None or step == "passthrough":
        return list(sources)
    reader = _READERS.get(kind_of_step(step))
    if reader is None:
        raise InputError(
            f"step `{name or type(step).__name__}` of the model ({type(step).__name__}) cannot be read back",
            code="not-available",
            hint=f"known steps: {listed(sorted(_READERS), most=20)}; do others before the pipeline",
        )
    n_features = getattr(step, "n_features_in_", len(sources))
    if n_features != len(sources):
        raise bad_model(f"step `{name}` of the model takes {n_features} columns, but {len(sources)} reach it")
    return reader(step, sources, name)


def _pipeline(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    found = list(sources)
    for inner, part in step.steps:
        found = through(part, found, inner)
    return found


def _column_transformer(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    if getattr(step, "transformer_weights", None):
        raise InputError(
            f"step `{name}` of the model has weights, which cannot be read back",
            code="not-available",
            hint="train it without `transformer_weights`",
        )
    places = fitted(step, "_transformer_to_input_indices")
    found: list[Source] = []
    for inner, part, _ in fitted(step, "transformers_"):
        mine = np.asarray(places.get(inner, ()), np.int64).reshape(-1)
        if len(mine) and (mine.min() < 0 or mine.max() >= len(sources)):
            raise bad_model(f"step `{inner}` of the model takes a column that there is not")
        if len(mine) and part != "drop":
            found.extend(through(part, [sources[i] for i in mine.tolist()], inner))
    return found


def _function(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    if step.func is not None:
        raise InputError(
            f"step `{name}` of the model calls a function of its own, which cannot be read back",
            code="not-available",
            hint="call it on the table, before the pipeline",
        )
    return list(sources)


def _standard(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    n = len(sources)
    centre = _floats(fitted(step, "mean_"), n, name) if step.with_mean else np.zeros(n)
    scale = _positive(fitted(step, "scale_"), n, name) if step.with_std else np.ones(n)
    return [_then(source, _scaled(centre[i], scale[i])) for i, source in enumerate(sources)]


def _scaled(centre: float, scale: float) -> Callable[[FloatVector], FloatVector]:
    return lambda numbers: (numbers - centre) / scale


def _min_max(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    scale = _positive(fitted(step, "scale_"), len(sources), name)
    least = _floats(fitted(step, "min_"), len(sources), name)
    ends = _floats(step.feature_range, 2, name) if step.clip else None
    return [_then(source, _stretched(scale[i], least[i], ends)) for i, source in enumerate(sources)]


def _stretched(scale: float, least: float, ends: FloatVector | None) -> Callable[[FloatVector], FloatVector]:
    if ends is None:
        return lambda numbers: numbers * scale + least
    return lambda numbers: np.clip(numbers * scale + least, ends[0], ends[1])


def _then(source: Source, step: Callable[[FloatVector], FloatVector]) -> Source:
    if isinstance(source, Number):
        return replace(source, steps=(*source.steps, step))
    changed = step(np.array([*source.numbers.values(), np.nan if source.other is None else source.other]))
    other = None if source.other is None else float(changed[-1])
    return replace(source, numbers=dict(zip(source.numbers, changed[:-1].tolist(), strict=True)), other=other)


def _floats(given: object, n: int, name: str) -> FloatVector:
    try:
        found = np.asarray(given, np.float64).reshape(-1)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if len(found) != n or not np.isfinite(found).all():
        raise bad_model(f"step `{name}` of the model does not have a number per column")
    return found


def _positive(given: object, n: int, name: str) -> FloatVector:
    found = _floats(given, n, name)
    if (found <= 0).any():
        raise bad_model(f"step `{name}` of the model divides by a number that is not above 0")
    return found


def _one_hot(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    found: list[Source] = []
    dropped = getattr(step, "drop_idx_", None)
    for i, source in enumerate(sources):
        values = _values_of(step, i, source, name)
        rare = _rare(step, i)
        groups = [{value} for value in values if value not in rare] + ([rare] if rare else [])
        drop = None if dropped is None else dropped[i]
        if drop is not None:
            if not 0 <= drop < len(values):
                raise bad_model(f"step `{name}` of the model drops a value that it does not have")
            groups = [group for group in groups if values[drop] not in group]
        takes_others = step.handle_unknown in ("infrequent_if_exist", "warn")
        for group in groups:
            numbers = {value: float(value in group) for value in values}
            other = float(takes_others and group is rare)
            found.append(_encoded(source, numbers, other))
    return found


def _ordinal(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    other = float(step.unknown_value) if step.handle_unknown == "use_encoded_value" else None
    return [
        ordinal(source, _values_of(step, i, source, name), _rare(step, i), float(step.encoded_missing_value), other)
        for i, source in enumerate(sources)
    ]


def ordinal(source: Source, values: Values, rare: set[str | None], missing: float, other: float | None) -> Source:
    """Return a column whose values are numbered in their order, those of `rare` by one number after the others."""
    common = [value for value in values if value is not None and value not in rare]
    numbers: dict[str | None, float] = {value: float(i) for i, value in enumerate(common)}
    numbers.update(dict.fromkeys(rare - {None}, float(len(common))))
    if None in values:
        numbers[None] = missing
    return _encoded(source, numbers, other)


def _values_of(step: Any, i: int, source: Source, name: str) -> Values:
    """Return the values that an encoder knows of its column i; each once, missing as None."""
    if isinstance(source, Number) and source.steps:
        raise InputError(
            f"step `{name}` of the model encodes column `{source.name}` after another step has changed it",
            code="not-available",
            hint="encode the column as it is in the table",
        )
    lists = fitted(step, "categories_")
    values = as_texts(lists[i]) if i < len(lists) else None
    if values is None or len(set(values)) != len(values):
        raise bad_model(f"step `{name}` of the model does not have a list of different values per column")
    return values


def _rare(step: Any, i: int) -> set[str | None]:
    """Return the values that an encoder takes together because few rows have them."""
    if getattr(step, "min_frequency", None) is None and getattr(step, "max_categories", None) is None:
        return set()
    found = fitted(step, "infrequent_categories_")[i]
    return set() if found is None else set(as_texts(found) or ())


def _encoded(source: Source, numbers: Mapping[str | None, float], other: float | None) -> Source:
    """Return a column after an encoder that gives these numbers to its values."""
    if isinstance(source, Number):
        return Category(source.name, numbers, other)

    def after(number: float | None) -> float | None:
        """Return the second encoding of what the first one gave."""
        text = None if number is None or np.isnan(number) else (as_texts(np.array([number])) or (None,))[0]
        return numbers.get(text, other)

    changed = {value: after(number) for value, number in source.numbers.items()}
    known = {value: number for value, number in changed.items() if number is not None}
    return Category(source.name, known, None if source.other is None else after(source.other))


_READERS: dict[str, Callable[[Any, Sequence[Source], str], list[Source]]] = {
    "ColumnTransformer": _column_transformer,
    "FunctionTransformer": _function,
    "MinMaxScaler": _min_max,
    "OneHotEncoder": _one_hot,
    "OrdinalEncoder": _ordinal,
    "Pipeline": _pipeline,
    "StandardScaler": _standard,
}
