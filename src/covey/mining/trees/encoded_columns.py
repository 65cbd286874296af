"""What the columns that reach an estimator are made of: the original columns behind encoders and scalers.

Steps of scikit-learn are read from their fitted arrays.  What becomes of an original column is either a number that
grows with the original one, or a number per value of a category.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covey.base.arrays import FloatVector
from covey.base.checks import listed
from covey.mining.faults import bad_model, not_available
from covey.mining.trees.attributes import as_texts

__all__ = ["Category", "Number", "Source", "fitted", "is_passed_on", "kind_of_step", "last_step", "ordinal", "through"]

DEEPEST = 50  # pipelines inside pipelines

Values = tuple[str | None, ...]
Numbers = Mapping[str | None, float]
"""A number for each value of a category; missing is None."""


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric column of the table, changed by steps none of which ever turns the order of two numbers round."""

    name: str
    steps: tuple[Callable[[FloatVector], FloatVector], ...] = ()
    missing: Any = None
    """What has been put in the place of a missing value, and what has become of it; None: it is still missing."""

    def forward(self, numbers: FloatVector) -> FloatVector:
        """Return what becomes of numbers of the table."""
        for step in self.steps:
            numbers = step(numbers)
        return numbers


@dataclass(frozen=True, slots=True)
class Category:
    """A column of the table as a number per value (NaN: missing); `other`: of values that the step did not know."""

    name: str
    numbers: Numbers
    other: float | None
    """None: the step refuses such values."""
    lists_all: bool = False
    """Whether the step has listed every value of the training table, or refuses those that it has not."""

    @property
    def known(self) -> frozenset[str | None] | None:
        """Return all values that the training table can have; None: any."""
        if not self.lists_all:
            return None
        return frozenset(self.numbers) if self.other is None else frozenset({*self.numbers, None})


Source = Number | Category


def kind_of_step(step: object) -> str:
    """Return the name of a scikit-learn class; empty for anything else, a class derived from one included."""
    kind = type(step)
    return kind.__name__ if kind.__module__.split(".")[0] == "sklearn" else ""


def last_step(model: Any) -> Any:
    """Return the estimator at the end of a pipeline; the model itself if it is none."""
    for _ in range(DEEPEST):
        if kind_of_step(model) != "Pipeline" or not getattr(model, "steps", None):
            break
        model = model.steps[-1][-1]
    return model


def fitted(thing: object, name: str) -> Any:
    """Return an attribute that training sets."""
    try:
        return getattr(thing, name)
    except AttributeError:
        raise bad_model(f"`{type(thing).__name__}` has no `{name}`: it is not trained") from None


def is_passed_on(step: object) -> bool:
    """Return whether a step does nothing."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def through(step: object, sources: Sequence[Source], name: str = "") -> list[Source]:
    """Return what comes out of a fitted step into which the sources go; `name`: that of the step."""
    if is_passed_on(step):
        return list(sources)
    reader = _READERS.get(kind_of_step(step))
    if reader is None:
        raise not_available(
            f"step `{name or type(step).__name__}` of the model ({type(step).__name__}) cannot be read back",
            f"known steps: {listed(sorted(_READERS), most=20)}; do others before the pipeline",
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
        raise not_available(
            f"step `{name}` of the model has weights, which cannot be read back",
            "train it without `transformer_weights`",
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
        raise not_available(
            f"step `{name}` of the model calls a function of its own, which cannot be read back",
            "call it on the table, before the pipeline",
        )
    return list(sources)


def _standard(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    return _centred(step, sources, name, "mean_" if step.with_mean else "", step.with_std)


def _robust(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    return _centred(step, sources, name, "center_" if step.with_centering else "", step.with_scaling)


def _centred(step: Any, sources: Sequence[Source], name: str, centre: str, is_scaled: bool) -> list[Source]:
    """Return what comes out of a step that takes `centre` off, if it has one, and divides by `scale_`, if it does."""
    n = len(sources)
    centres = _floats(fitted(step, centre), n, name) if centre else np.zeros(n)
    scales = _positive(fitted(step, "scale_"), n, name) if is_scaled else np.ones(n)
    return [_then(source, _scaled(*numbers)) for source, *numbers in zip(sources, centres, scales, strict=True)]


def _scaled(centre: float, scale: float) -> Callable[[FloatVector], FloatVector]:
    return lambda numbers: (numbers - centre) / scale


def _max_abs(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    found = _centred(step, sources, name, "", True)
    return _clipped(found, np.array([-1.0, 1.0])) if getattr(step, "clip", False) else found


def _clipped(sources: Sequence[Source], ends: FloatVector) -> list[Source]:
    return [_then(source, lambda numbers: np.clip(numbers, ends[0], ends[1])) for source in sources]


def _imputer(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    given = np.asarray(fitted(step, "statistics_")).tolist()
    if len(given) != len(sources):
        raise bad_model(f"step `{name}` of the model does not have a value per column")
    texts = [as_texts([value]) for value in given]
    fills_missing = as_texts([step.missing_values]) == (None,)
    if step.add_indicator or not fills_missing or any(text in (None, (None,)) for text in texts):
        raise not_available(
            f"step `{name}` of the model does more than to fill in missing values, and cannot be read back",
            "let it fill in missing values only, without an indicator, in columns that have values",
        )
    return [_filled(source, value) for source, value in zip(sources, given, strict=True)]


def _filled(source: Source, value: Any) -> Source:
    if isinstance(source, Number):
        return replace(source, missing=value if source.missing is None else source.missing)
    numbers = {key: float(value) if np.isnan(number) else number for key, number in source.numbers.items()}
    other = float(value) if source.other is not None and np.isnan(source.other) else source.other
    return replace(source, numbers=numbers, other=other)


def _min_max(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    scale = _positive(fitted(step, "scale_"), len(sources), name)
    least = _floats(fitted(step, "min_"), len(sources), name)
    found = [_then(source, _stretched(*numbers)) for source, *numbers in zip(sources, scale, least, strict=True)]
    return _clipped(found, _floats(step.feature_range, 2, name)) if step.clip else found


def _stretched(scale: float, least: float) -> Callable[[FloatVector], FloatVector]:
    return lambda numbers: numbers * scale + least


def _then(source: Source, step: Callable[[FloatVector], FloatVector]) -> Source:
    if isinstance(source, Number):
        missing = None if source.missing is None else float(step(np.array([source.missing], np.float64))[0])
        return replace(source, steps=(*source.steps, step), missing=missing)
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
            found.append(_encoded(source, numbers, other, lists_all=_lists_all(step)))
    return found


def _ordinal(step: Any, sources: Sequence[Source], name: str) -> list[Source]:
    other = float(step.unknown_value) if step.handle_unknown == "use_encoded_value" else None
    found = []
    for i, source in enumerate(sources):
        values = _values_of(step, i, source, name)
        # NaN has a number of its own, None is numbered as any other value
        missing = float(step.encoded_missing_value) if any(map(_is_nan, step.categories_[i])) else None
        found.append(ordinal(source, values, _rare(step, i), missing, other, lists_all=_lists_all(step)))
    return found


def _is_nan(value: object) -> bool:
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _lists_all(step: Any) -> bool:
    """Return whether an encoder has seen every value of the table that it was trained on."""
    return step.handle_unknown == "error" or isinstance(step.categories, str)


def ordinal(
    source: Source,
    values: Values,
    rare: set[str | None],
    missing: float | None,
    other: float | None,
    *,
    lists_all: bool,
) -> Source:
    """Return a column whose values are numbered in their order, those of `rare` by one number after the others.

    missing: the number of missing values; None: that of their place.
    """
    apart = set() if missing is None else {None}
    common = [value for value in values if value not in rare | apart]
    numbers: dict[str | None, float] = {value: float(i) for i, value in enumerate(common)}
    numbers.update(dict.fromkeys(rare - apart, float(len(common))))
    if missing is not None and None in values:
        numbers[None] = missing
    return _encoded(source, numbers, other, lists_all=lists_all)


def _values_of(step: Any, i: int, source: Source, name: str) -> Values:
    """Return the values that an encoder knows of its column i; each once, missing as None."""
    if isinstance(source, Number) and source.steps:
        raise not_available(
            f"step `{name}` of the model encodes column `{source.name}` after another step has changed it",
            "encode the column as it is in the table",
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


def _encoded(source: Source, numbers: Numbers, other: float | None, *, lists_all: bool) -> Source:
    """Return a column after an encoder that gives these numbers to its values."""
    if isinstance(source, Number):
        if source.missing is not None:
            numbers = _with_filled(source, numbers, other)
        return Category(source.name, numbers, other, lists_all)

    def after(number: float | None) -> float | None:
        """Return the second encoding of what the first one gave."""
        text = None if number is None or np.isnan(number) else (as_texts(np.array([number])) or (None,))[0]
        return numbers.get(text, other)

    changed = {value: after(number) for value, number in source.numbers.items()}
    known = {value: number for value, number in changed.items() if number is not None}
    return Category(source.name, known, None if source.other is None else after(source.other), source.lists_all)


def _with_filled(source: Number, numbers: Numbers, other: float | None) -> Numbers:
    """Return the numbers of values, missing ones counted as what was put in their place."""
    if None in numbers:
        raise not_available(
            f"missing values of column `{source.name}` are filled in, and yet the model knows of some",
            "let one value stand for missing in the table, NaN",
        )
    (text,) = as_texts([source.missing]) or (None,)
    number = numbers.get(text, other)
    return numbers if number is None else {**numbers, None: number}


_READERS: dict[str, Callable[[Any, Sequence[Source], str], list[Source]]] = {
    "ColumnTransformer": _column_transformer,
    "FunctionTransformer": _function,
    "MaxAbsScaler": _max_abs,
    "MinMaxScaler": _min_max,
    "OneHotEncoder": _one_hot,
    "OrdinalEncoder": _ordinal,
    "Pipeline": _pipeline,
    "RobustScaler": _robust,
    "SimpleImputer": _imputer,
    "StandardScaler": _standard,
}
