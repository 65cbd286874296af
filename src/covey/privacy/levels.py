"""The level that a table reaches for each privacy model, by plain code from counts.

This is the verifier's own count: it knows neither the model classes nor how the classes were made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from covey.checks import did_you_mean
from covey.errors import InputError

__all__ = ["MODELS", "k_anonymity", "level_of"]


def k_anonymity(class_sizes: Iterable[int]) -> int:
    """Return the k that a table reaches: the rows of its smallest class (Samarati and Sweeney, 1998).

    >>> k_anonymity([5, 3, 8])
    3
    """
    sizes = [int(size) for size in class_sizes]
    if not sizes:
        raise InputError("there is no class to count", code="empty-table", hint="give a table with rows")
    return min(sizes)


MODELS: dict[str, Callable[[Iterable[int]], int]] = {"k-anonymity": k_anonymity}
"""What computes the level of each model, by the model's name."""


def level_of(name: str, class_sizes: Iterable[int]) -> int:
    """Return the level that classes of these sizes reach for the model called `name`.

    >>> level_of("k-anonymity", [2, 4])
    2
    """
    if name not in MODELS:
        raise InputError(f"there is no privacy model `{name}`", code="unknown-model", hint=did_you_mean(name, MODELS))
    return MODELS[name](class_sizes)
