"""The level that a table reaches for each privacy model, by plain code from counts.

This is the verifier's own count: it knows neither the model classes nor how the classes were made.  All of it is
exact: a level is a whole number or a fraction, and what is asked is read as it is written (2.1 is 21/10).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from covey.base.checks import did_you_mean
from covey.base.errors import InputError

__all__ = ["MODELS", "Level", "distinct_l_diversity", "failing", "frequency_l_diversity", "k_anonymity", "level_of"]

Level = int | Fraction


def k_anonymity(class_sizes: Iterable[int]) -> int:
    """Return the k that a table reaches: the rows of its smallest class (Samarati and Sweeney, 1998).

    >>> k_anonymity([5, 3, 8])
    3
    """
    return min(_counted(int(size) for size in class_sizes))


def distinct_l_diversity(histograms: Iterable[Sequence[int]]) -> int:
    """Return the least number of different sensitive values in a class (Machanavajjhala et al., 2007).

    histograms: for every class the counts of its sensitive values; missing is a value like any other.

    >>> distinct_l_diversity([[2, 1, 1], [4, 1]])
    2
    """
    return min(_counted(_different(histogram) for histogram in histograms))


def frequency_l_diversity(histograms: Iterable[Sequence[int]]) -> Fraction:
    """Return the least over classes of rows / rows with the commonest sensitive value (Wong et al., 2006).

    histograms: for every class the counts of its sensitive values; missing is a value like any other.

    >>> frequency_l_diversity([[2, 1, 1], [4, 2]])  # 4/2 and 6/4
    Fraction(3, 2)
    """
    # many classes have the same two numbers, and fractions are slow
    shapes = {(int(sum(histogram)), int(max(histogram, default=0))) for histogram in histograms}
    _counted(most for _, most in shapes)
    return min(Fraction(rows, most) for rows, most in shapes)


MODELS: dict[str, Callable[[Iterable[Any]], Level]] = {
    "k-anonymity": k_anonymity,
    "distinct-l-diversity": distinct_l_diversity,
    "frequency-l-diversity": frequency_l_diversity,
}
"""What computes the level of each model, by the model's name."""


def level_of(name: str, counts: Iterable[Any]) -> Level:
    """Return the level that classes reach for the model called `name`.

    counts: for every class its rows (`k-anonymity`), or the counts of its sensitive values (the other models).

    >>> level_of("k-anonymity", [2, 4])
    2
    >>> level_of("distinct-l-diversity", [[2], [1, 3]])
    1
    """
    return _named(name)(counts)


def failing(name: str, counts: Iterable[Any], asked: float) -> list[int]:
    """Return the places of the classes, given as for `level_of`, that do not reach what is asked.

    >>> failing("frequency-l-diversity", [[25, 20, 10], [3, 1]], 2.2)  # 25 x 2.2 <= 55, which floats deny
    [1]
    """
    _named(name)
    exact = Fraction(str(asked))
    if name == "frequency-l-diversity":
        times, per = exact.numerator, exact.denominator
        # whole numbers of Python, which do not overflow
        return [place for place, found in enumerate(counts) if int(max(found)) * times > int(sum(found)) * per]
    least = math.ceil(exact)
    if name == "distinct-l-diversity":
        return [place for place, found in enumerate(counts) if _different(found) < least]
    return [place for place, rows in enumerate(counts) if rows < least]


def _different(histogram: Sequence[int]) -> int:
    return sum(1 for count in histogram if count > 0)


def _counted(numbers: Iterable[int]) -> list[int]:
    """Return the numbers of all classes; a class without rows is none."""
    found = list(numbers)
    if not found or min(found) < 1:
        raise InputError("there is no class to count", code="empty-table", hint="give a table with rows")
    return found


def _named(name: str) -> Callable[[Iterable[Any]], Level]:
    if name not in MODELS:
        raise InputError(f"there is no privacy model `{name}`", code="unknown-model", hint=did_you_mean(name, MODELS))
    return MODELS[name]
