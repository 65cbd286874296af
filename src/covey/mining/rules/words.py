"""Spans and classes of association rules in words, short enough to be read.

A span is told by the public items that its people have, then by those that they lack; a class by the outcomes of a few
rules, those first that tell something private which no rule before them told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import plural

if TYPE_CHECKING:
    from covey.mining.rules.rules import Patterns, Rule

__all__ = ["OUTCOMES", "OutcomeWords", "pattern_words", "span_words"]

OUTCOMES = ("left side missing", "left side only", "both sides", "right side only")
MOST_NAMED = 8
"""So many items that are there are named, and so many patterns of one span."""
MOST_LACKING = 3
"""So many items that are not there are named; more are counted."""
LONGEST_CLASS = 120
"""Characters that the outcomes of a class may take; the first is told even if it takes more."""
_MOST_IN_A_SIDE = 3
_MOST_LOOKED_AT = 64
"""Among so many rules of a class those that tell something new are looked for."""


# --- spans ---------------------------------------------------------------------------------------------------------


def span_words(patterns: Patterns, spans: IntVector, n_spans: int) -> list[str]:
    """Return each span in words; spans: that of each pattern.  Where two would read alike, all items are named."""
    words = _SpanWords(patterns, spans)
    short = [words.of(span) for span in range(n_spans)]
    times = Counter(short)
    return [words.of(span, in_full=True) if times[text] > 1 else text for span, text in enumerate(short)]


class _SpanWords:
    def __init__(self, patterns: Patterns, spans: IntVector) -> None:
        self.patterns = patterns
        self.order = np.argsort(spans, kind="stable")
        self.ends = np.concatenate([[0], np.cumsum(np.bincount(spans))])
        self.counted: dict[bytes, dict[bytes, int]] = {}

    def of(self, span: int, *, in_full: bool = False) -> str:
        """Return a span by the items that its patterns agree on, if those tell them apart from all others."""
        if not self.patterns.items:
            return "everybody"
        inside = self.patterns.rows[self.order[self.ends[span] : self.ends[span + 1]]]
        agreed = (inside == inside[0]).all(axis=0)
        if len(inside) == 1 or (agreed.any() and self._alike(agreed, inside[0]) == len(inside)):
            items = [item for item, is_agreed in zip(self.patterns.items, agreed, strict=True) if is_agreed]
            return pattern_words(inside[0][agreed], items, in_full=in_full)
        shown = [pattern_words(row, self.patterns.items, in_full=in_full) for row in inside[:MOST_NAMED]]
        more = len(inside) - len(shown)
        return " or ".join([*dict.fromkeys(shown), *([f"{more:,} more"] if more else [])])

    def _alike(self, chosen: BoolVector, row: IntVector) -> int:
        """Return how many patterns are like a row in some items; counted once for every choice of items."""
        key = chosen.tobytes()
        if key not in self.counted:
            every = np.packbits(self.patterns.rows[:, chosen].astype(bool), axis=1)
            distinct, counts = np.unique(every, axis=0, return_counts=True)
            self.counted[key] = {one.tobytes(): int(n) for one, n in zip(distinct, counts, strict=True)}
        return self.counted[key][np.packbits(row[chosen].astype(bool)).tobytes()]


def pattern_words(row: IntVector, items: Sequence[str], *, in_full: bool = False) -> str:
    """Return a pattern in words: the items that are there, then those that are not, counted if they are many.

    >>> pattern_words(np.array([0, 1, 0]), ["jam", "milk", "tea"])
    'milk, no jam, no tea'
    >>> pattern_words(np.array([0, 1, 0, 0, 0]), ["jam", "milk", "tea", "salt", "oil"])
    'milk, none of 4 others'
    """
    there = [item for item, has in zip(items, row.tolist(), strict=True) if has]
    lacking = [item for item, has in zip(items, row.tolist(), strict=True) if not has]
    named = there if in_full else there[:MOST_NAMED]
    more = [f"{len(there) - len(named):,} more"] if len(there) > len(named) else []
    if in_full or len(lacking) <= MOST_LACKING:
        return ", ".join([*named, *more, *(f"no {item}" for item in lacking)])
    return ", ".join([*named, *more, f"none of {len(lacking):,} {'others' if there else 'items'}"])


# --- classes -------------------------------------------------------------------------------------------------------


class OutcomeWords:
    """Of every pattern of items the first rules of which a side that counts is there; private ones are preferred."""

    def __init__(self, rules: Sequence[Rule], public: frozenset[str], n_patterns: int) -> None:
        self.rules = rules
        self.texts = [_short(rule) for rule in rules]
        self.public = public
        self.active = np.zeros((2, n_patterns), np.int64)
        self.which = np.zeros((2, n_patterns, _MOST_LOOKED_AT), np.int32)
        """The rules that are noted of each pattern: those with a private item, and the others."""
        self.outcomes = np.zeros((2, n_patterns, _MOST_LOOKED_AT), np.int8)
        self.facts: dict[tuple[int, int], frozenset[object]] = {}

    def add(self, r: int, outcome: IntVector) -> None:
        """Take note of the outcome of one rule in every pattern."""
        rule = self.rules[r]
        kind = int(self.public.issuperset((*rule.left, *rule.right)))
        before = self.active[kind]
        shown = np.flatnonzero((outcome > 0) & (before < _MOST_LOOKED_AT))
        self.which[kind, shown, before[shown]] = r
        self.outcomes[kind, shown, before[shown]] = outcome[shown]
        before += outcome > 0

    def of(self, pattern: int) -> str:
        """Return the outcomes of a pattern: whole rules, as many as there is room for, and how many more."""
        n_active = int(self.active[:, pattern].sum())
        if not n_active:
            return "no left side"
        told: list[str] = []
        room = LONGEST_CLASS
        for r, outcome in self._most_telling_first(pattern):
            if told and len(self.texts[r]) > room:  # a quick no, as most are
                continue
            longer = [*told, f"{self.texts[r]}: {OUTCOMES[outcome]}"]
            if not told or len(_joined(longer, n_active)) <= LONGEST_CLASS:
                told = longer
                room -= len(told[-1])
        return _joined(told, n_active)

    def _most_telling_first(self, pattern: int) -> list[tuple[int, int]]:
        """Return noted rules with their outcomes, those that tell something new of private items before the others."""
        pairs = [
            pair
            for kind in (0, 1)
            for pair in zip(self.which[kind, pattern].tolist(), self.outcomes[kind, pattern].tolist(), strict=True)
            if pair[1]
        ]
        known: set[object] = set()
        new: list[tuple[int, int]] = []
        old: list[tuple[int, int]] = []
        for pair in pairs:
            facts = self._facts(*pair)
            (old if facts <= known else new).append(pair)
            known |= facts
        return new + old

    def _facts(self, r: int, outcome: int) -> frozenset[object]:
        """Return what an outcome tells of private items: each that is there, and a side that is not wholly there."""
        if (r, outcome) not in self.facts:
            left, right = (frozenset(side) - self.public for side in (self.rules[r].left, self.rules[r].right))
            there = (left if outcome in (1, 2) else frozenset()) | (right if outcome in (2, 3) else frozenset())
            lacking = {1: right, 3: left}.get(outcome)
            self.facts[r, outcome] = frozenset([*there, *([("not all", lacking)] if lacking else [])])
        return self.facts[r, outcome]


def _joined(told: Sequence[str], n_active: int) -> str:
    more = n_active - len(told)
    return "; ".join([*told, plural(more, "more rule")] if more else told)


def _short(rule: Rule) -> str:
    """Return a rule as text, of long sides the first items and how many more."""
    text = str(rule)
    if len(text) <= LONGEST_CLASS - len(f": {OUTCOMES[0]}; 1,000 more rules"):
        return text
    return f"{_side(rule.left)} -> {_side(rule.right)}"


def _side(items: Sequence[str]) -> str:
    more = len(items) - _MOST_IN_A_SIDE
    return f"{{{', '.join([*items[:_MOST_IN_A_SIDE], *([f'{more:,} more'] if more > 0 else [])])}}}"
