"""Spans of association rules, one private item set after the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

Rule = tuple[frozenset[str], frozenset[str]]


def outcome(rule: Rule, cart: frozenset[str]) -> int:
    """Return 0 if some item of the left side is missing, 1 if one of the right side is, else 2."""
    left, right = rule
    if not left <= cart:
        return 0
    return 2 if right <= cart else 1


def span(rules: Sequence[Rule], cart: frozenset[str], public: frozenset[str]) -> frozenset[tuple[int, ...]]:
    """Return every joint outcome of the rules that a cart of these public items may have."""
    private = sorted({item for left, right in rules for item in left | right} - public)
    found = set()
    for size in range(len(private) + 1):
        for chosen in itertools.combinations(private, size):
            full = (cart & public) | frozenset(chosen)
            found.add(tuple(outcome(rule, full) for rule in rules))
    return frozenset(found)


def k_reached(rules: Sequence[Rule], carts: Iterable[frozenset[str]], public: frozenset[str]) -> int:
    """Return the smallest population of a span of more than one class; all carts if there is none."""
    population: dict[frozenset[tuple[int, ...]], int] = {}
    every = list(carts)
    for cart in every:
        mine = span(rules, cart, public)
        population[mine] = population.get(mine, 0) + 1
    return min((count for mine, count in population.items() if len(mine) > 1), default=len(every))


def largest_safe(rules: Sequence[Rule], carts: Sequence[frozenset[str]], public: frozenset[str], k: int) -> int:
    """Return the size of the largest set of rules that can be released together, by trying all sets."""
    return max(
        len(chosen)
        for size in range(len(rules) + 1)
        for chosen in itertools.combinations(rules, size)
        if k_reached(chosen, carts, public) >= k
    )
