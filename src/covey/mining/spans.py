"""Spans: which classes of a model a person may fall into, as far as others can know.

Others know a person's public attributes and not the private ones.  A model divides all possible rows into
classes; the span of a public tuple is the set of classes that it reaches as the private values vary.  A model is
k-anonymous for its table if every row's span is a single class, or is shared by at least k rows (Friedman, Wolff
and Schuster 2008, definitions 4 to 7 and claim 3).

Front ends (trees, centroids, rules) reduce the rows to public signatures and say what each one reaches; what
follows from that is here, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import BoolVector, IntVector

__all__ = ["Link", "Reach", "RowSpans", "Spans", "either", "find_spans", "linked"]

_MOST_NAMED = 8  # in words, before they are counted


@dataclass(frozen=True, slots=True)
class Reach:
    """What one public signature reaches."""

    classes: frozenset[int]
    """The classes of the model, by number."""
    words: str
    """The signature in words, such as `age <= 30, sex = f`."""
    is_multiple: bool | None = None
    """Whether the span counts as more than one class; None: it does if it has more than one."""

    @property
    def tells(self) -> bool:
        """Return whether the span counts as more than one class."""
        return len(self.classes) > 1 if self.is_multiple is None else self.is_multiple


@dataclass(frozen=True, slots=True)
class Spans:
    """The spans of the rows of a table under a model."""

    of_row: IntVector
    """(n,) int64: the span of each row."""
    populations: IntVector
    """(s,) int64: how many rows have each span."""
    multiple: BoolVector
    """(s,): whether it is more than one class; a span of one class exposes nobody beyond the model itself."""
    classes: Sequence[frozenset[int]]
    """(s,): the classes in each span, by number."""
    words: Sequence[tuple[str, ...]]
    """(s,): the public signatures of each span, in words."""

    @property
    def k_reached(self) -> int:
        """Return the least population among spans of more than one class; all rows if there is none."""
        return int(self.populations[self.multiple].min(initial=len(self.of_row)))

    def below(self, k: int) -> IntVector:
        """Return the spans of more than one class that fewer than k rows share, the smallest first."""
        bad = np.flatnonzero(self.multiple & (self.populations < k))
        return bad[np.argsort(self.populations[bad], kind="stable")]


@dataclass(frozen=True, slots=True, eq=False)
class RowSpans:
    """The spans of a table's rows under a model, and where the rows really fall."""

    spans: Spans
    class_of_row: IntVector
    """(n,): the class of the model that each row falls into."""
    class_names: Sequence[str]
    """The name of each class of `class_of_row`."""


def find_spans(signature: IntVector, reach: Sequence[Reach]) -> Spans:
    """Return the spans of rows with these public signatures; those that reach the same classes share one.

    signature (n,): the number of each row's signature; reach: what each signature reaches.

    >>> spans = find_spans(np.array([0, 1, 2, 0]), [Reach(frozenset({0, 1}), "a"), Reach(frozenset({2}), "b"),
    ...                                             Reach(frozenset({0, 1}), "c")])
    >>> spans.populations.tolist(), spans.multiple.tolist(), spans.k_reached
    ([3, 1], [True, False], 3)
    """
    sharing: dict[frozenset[int], list[int]] = {}
    for s in np.unique(signature).tolist():
        sharing.setdefault(reach[s].classes, []).append(s)
    span_of = np.full(len(reach), -1, np.int64)
    for span, found in enumerate(sharing.values()):
        span_of[found] = span
    of_row = span_of[signature]
    return Spans(
        of_row=of_row,
        populations=np.bincount(of_row, minlength=len(sharing)),
        multiple=np.array([any(reach[s].tells for s in found) for found in sharing.values()], bool),
        classes=tuple(sharing),
        words=tuple(tuple(reach[s].words for s in found) for found in sharing.values()),
    )


def either(texts: Sequence[str], more: str = "more") -> str:
    """Return texts as one or the other, the first few if there are many; more: what the others are called.

    >>> either(list("abcdefghij"), "more letters")
    'a or b or c or d or e or f or g or 3 more letters'
    """
    if len(texts) > _MOST_NAMED:
        texts = [*texts[: _MOST_NAMED - 1], f"{len(texts) - _MOST_NAMED + 1:,} {more}"]
    return " or ".join(texts)


@dataclass(frozen=True, slots=True)
class Link:
    """A group of people whom others can tie to private values by means of the model (definition 6)."""

    words: tuple[str, ...]
    """Who they are, by their public attributes."""
    people: int
    counts: tuple[tuple[int, int], ...]
    """(class of the model, how many of them fall into it), most first: what others learn of the group."""


def linked(spans: Spans, class_of_row: IntVector, which: IntVector) -> tuple[Link, ...]:
    """Return what others learn of the people in some spans: how many of them fall into each class.

    class_of_row (n,): the class of the model that each row really falls into.
    """
    found = []
    rows = np.argsort(spans.of_row, kind="stable")
    ends = np.cumsum(spans.populations)
    for span in which.tolist():
        members = rows[ends[span] - spans.populations[span] : ends[span]]
        classes, counts = np.unique(class_of_row[members], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        pairs = tuple((int(classes[i]), int(counts[i])) for i in order)
        found.append(Link(spans.words[span], int(spans.populations[span]), pairs))
    return tuple(found)
