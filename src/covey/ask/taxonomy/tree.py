"""The taxonomy: a frozen tree, its leaves numbered depth first, so that every subtree is a run of leaves.

A node's height is the longest way down to a leaf, so unbalanced trees are defined.  The lowest common
ancestor of any set of leaves is the one of its first and last leaf, and its height is the greatest among
the ancestors of neighbours in between: `max(gaps[lo:hi])`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from covey.ask.taxonomy.draft import ALL, ROOT, Draft, draft_of_rows, draft_of_tree
from covey.ask.taxonomy.faults import must_be_tree
from covey.ask.taxonomy.read import draft_of_text, text_of_file
from covey.base.arrays import FloatVector
from covey.base.checks import plural

if TYPE_CHECKING:  # the rules make taxonomies, so they lie above this module
    from covey.ask.taxonomy.build import Dates, Intervals, Prefixes

__all__ = ["Declared", "Taxonomy", "TaxonomyRule", "tree_of"]

Declared = tuple[str, Any]
"""What a tree was made from: `rows`, `tree` (nested mappings), or the text of a `csv`, `toml` or `json` file."""


class TaxonomyRule(Protocol):
    """What makes a tree from the values of a column: a taxonomy itself, or a rule such as intervals."""

    def bind(self, labels: Sequence[str]) -> Taxonomy:
        """Return the tree over `labels`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Taxonomy:
    """A tree over the values of a column.  Made by `from_dict`, `from_file`, `from_paths` or by a rule.

    Two taxonomies are equal if their trees are, whatever their `name`, which serves messages only.

    >>> europe = {"West": ["France", "Spain"], "East": ["Poland"]}
    >>> places = Taxonomy.from_dict({"Europe": europe, "Asia": ["Japan"]})
    >>> places.leaves, places.height, places.inner
    (('France', 'Spain', 'Poland', 'Japan'), 3, ('Europe', 'West', 'East', 'Asia'))
    >>> places.ancestor(0, 1), places.ancestor(1, 2), places.ancestor(0, 3), places.ancestor(3, 3)
    ('West', 'Europe', '*', 'Japan')
    >>> places.below("Europe"), places.below("Mars")
    (range(0, 3), None)
    """

    name: str
    leaves: tuple[str, ...]
    height: int
    inner: tuple[str, ...]
    _written: tuple[str, ...]  # inner nodes depth first, the root first
    _parents: tuple[int, ...]
    _firsts: tuple[int, ...]  # the leaves below inner node i: _firsts[i] up to, not including, _ends[i]
    _ends: tuple[int, ...]
    _heights: tuple[int, ...]
    _leaf_parents: tuple[int, ...]
    _leaf_numbers: dict[str, int]
    _nodes: dict[str, int]
    file_digest: str | None = None
    """SHA-256 of the file that it was read from; None if it comes from no file."""
    declared: Declared | None = None
    """What was declared, for those who read it by their own code; None for the tree of a rule."""

    @classmethod
    def from_dict(cls, tree: Mapping[Any, Any], name: str = "taxonomy") -> Taxonomy:
        """Return the tree of nested mappings whose ends are lists of leaves (or empty).

        A single name at the top is the root; several get the root `*`.
        """
        return tree_of(must_be_tree(draft_of_tree(tree), name), name, ("tree", _copied(tree)))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Taxonomy:
        """Return the tree of a .csv file (`leaf;level1;...;root`, no header), a .toml or a .json file."""
        path = Path(path)
        remedy = f"`covey taxonomy lint {path.name}` lists all faults"
        text = text_of_file(path)
        declared = path.suffix.lower().lstrip("."), text
        tree = tree_of(must_be_tree(draft_of_text(text, path), path.name, remedy), path.name, declared)
        return replace(tree, file_digest=hashlib.sha256(path.read_bytes()).hexdigest())

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[str]], name: str = "taxonomy") -> Taxonomy:
        """Return the tree of rows that lead from a leaf to the root.

        >>> Taxonomy.from_paths([("White", "White", "Any"), ("Black", "Other", "Any")]).inner
        ('Other',)
        """
        paths = list(paths)
        draft = draft_of_rows((f"row {number:,}", path) for number, path in enumerate(paths, 1))
        return tree_of(must_be_tree(draft, name), name, ("rows", [tuple(path) for path in paths]))

    @staticmethod
    def intervals(
        widths: Sequence[int | float | Decimal], start: int | float | Decimal = 0, name: str = "intervals"
    ) -> Intervals:
        """Return the rule that puts numbers into intervals, each width a multiple of the one before.

        >>> Taxonomy.intervals([5, 10]).bind(["31", "35", "38"]).inner
        ('[30, 39]', '[30, 34]', '[35, 39]')
        """
        from covey.ask.taxonomy.build import Intervals

        return Intervals(tuple(widths), start, name)

    @staticmethod
    def prefixes(lengths: Sequence[int], name: str = "prefixes") -> Prefixes:
        """Return the rule that puts codes such as postcodes below their first characters.

        >>> Taxonomy.prefixes([3, 2]).bind(["47906", "47907", "47302"]).inner
        ('47*', '473*', '479*')
        """
        from covey.ask.taxonomy.build import Prefixes

        return Prefixes(tuple(lengths), name)

    @staticmethod
    def dates(levels: Sequence[str], name: str = "dates") -> Dates:
        """Return the rule that puts ISO dates and timestamps below their day, month, quarter, year.

        >>> Taxonomy.dates(["month", "year"]).bind(["2024-02-29", "2024-03-01"]).inner
        ('2024', '2024-02', '2024-03')
        """
        from covey.ask.taxonomy.build import Dates

        return Dates(tuple(levels), name)

    def bind(self, labels: Sequence[str]) -> Taxonomy:
        """Return this tree: it is the same whatever the column holds (see `missing`)."""
        return self

    def index(self, label: str) -> int | None:
        """Return the number of a leaf, None if there is no such leaf."""
        return self._leaf_numbers.get(label)

    def missing(self, labels: Iterable[str]) -> list[str]:
        """Return the labels that are no leaf, each once, in their order."""
        return list(dict.fromkeys(label for label in labels if label not in self._leaf_numbers))

    def gaps(self) -> FloatVector:
        """Return, for each leaf but the last, the price of joining it with the next: height(LCA) / height."""
        heights = [self._heights[self._node(leaf, leaf + 1)] for leaf in range(len(self.leaves) - 1)]
        return np.array(heights, np.float64) / self.height

    def ancestor(self, lo: int, hi: int) -> str:
        """Return the written name of the lowest node over leaves `lo` to `hi`; a single leaf's own label."""
        if not 0 <= lo <= hi < len(self.leaves):
            raise IndexError(f"leaves {lo} to {hi} of {len(self.leaves)}")
        return self.leaves[lo] if lo == hi else self._written[self._node(lo, hi)]

    def below(self, written: str) -> range | None:
        """Return the numbers of the leaves below the inner node written so, None if there is no such node."""
        node = self._nodes.get(written)
        return None if node is None else range(self._firsts[node], self._ends[node])

    def paths(self) -> Iterator[list[str]]:
        """Return for each leaf its label and the written names of the nodes above it, up to the root.

        >>> next(Taxonomy.from_dict({"Europe": ["France"], "Asia": ["Japan"]}).paths())
        ['France', 'Europe', '*']
        """
        for leaf, node in zip(self.leaves, self._leaf_parents, strict=True):
            path = [leaf]
            while node >= 0:
                path.append(self._written[node])
                node = self._parents[node]
            yield path

    def _node(self, lo: int, hi: int) -> int:
        """Return the lowest inner node over leaves lo to hi: climb until hi is below."""
        node = self._leaf_parents[lo]
        while self._ends[node] <= hi:
            node = self._parents[node]
        return node

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as nested mappings whose ends are lists of leaves, which `from_dict` reads.

        >>> Taxonomy.from_dict({"Europe": {"North": ["Norway"], "France": []}, "Asia": ["India", "China"]}).to_dict()
        {'*': {'Europe': {'North': ['Norway'], 'France': []}, 'Asia': ['India', 'China']}}
        """
        children: list[list[tuple[int, int, str]]] = [[] for _ in self._written]  # (first leaf, inner node or -1, name)
        for leaf, parent in enumerate(self._leaf_parents):
            children[parent].append((leaf, -1, self.leaves[leaf]))
        for inner in range(1, len(self._written)):
            children[self._parents[inner]].append((self._firsts[inner], inner, self._written[inner]))
        made: list[Any] = [None] * len(self._written)
        for node in range(len(self._written) - 1, -1, -1):  # a child comes after its parent
            below = sorted(children[node])
            has_inner = any(inner >= 0 for _, inner, _ in below)
            names = [name for _, _, name in below]
            made[node] = {name: made[inner] if inner >= 0 else [] for _, inner, name in below} if has_inner else names
        return {self._written[0]: made[0]}

    def _shape(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
        return self.leaves, self._written, self._parents, self._leaf_parents

    def __eq__(self, other: object) -> bool:
        return self._shape() == other._shape() if isinstance(other, Taxonomy) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._shape())

    def __repr__(self) -> str:
        return f"Taxonomy({self.name!r}: {plural(len(self.leaves), 'leaf', 'leaves')}, height {self.height})"


def tree_of(draft: Draft, name: str, declared: Declared | None = None, others: Iterable[str] = ()) -> Taxonomy:
    """Return the taxonomy of a draft without faults.

    declared: what the draft was made from.  others: names beside its leaves that no node may be written as.
    """
    leaves: list[str] = []
    leaf_parents: list[int] = []
    names: list[str] = []
    parents: list[int] = []
    firsts: list[int] = []
    ends: list[int] = []
    way: list[int] = []  # the inner nodes from the root to here
    for node in draft.walk():
        if node < 0:
            ends[way.pop()] = len(leaves)
        elif draft.is_leaf[node]:
            leaves.append(draft.names[node])
            leaf_parents.append(way[-1])
        else:
            parents.append(way[-1] if way else -1)
            way.append(len(names))
            names.append(draft.names[node])
            firsts.append(len(leaves))
            ends.append(-1)
    heights = [1] * len(names)  # every inner node has a child
    for inner in range(len(names) - 1, 0, -1):
        heights[parents[inner]] = max(heights[parents[inner]], heights[inner] + 1)
    written = _written_names(names, leaves, others)
    return Taxonomy(
        name=name,
        leaves=tuple(leaves),
        height=heights[0],
        inner=written[1:],
        _written=written,
        _parents=tuple(parents),
        _firsts=tuple(firsts),
        _ends=tuple(ends),
        _heights=tuple(heights),
        _leaf_parents=tuple(leaf_parents),
        _leaf_numbers={label: number for number, label in enumerate(leaves)},
        _nodes={text: node for node, text in enumerate(written)},
        declared=declared,
    )


def _copied(tree: Mapping[Any, Any] | Sequence[Any]) -> Any:
    """Return a copy of nested mappings and lists, however deep, that nobody else can change."""
    held: list[Any] = [tree]
    open_: list[Any] = [held]
    while open_:
        container = open_.pop()
        entries = container.items() if isinstance(container, dict) else enumerate(container)
        for key, below in list(entries):
            if isinstance(below, Mapping | list | tuple):
                container[key] = dict(below) if isinstance(below, Mapping) else list(below)
                open_.append(container[key])
    return held[0]


def _written_names(names: list[str], leaves: list[str], others: Iterable[str]) -> tuple[str, ...]:
    """Return how inner nodes are written: the root `*`, one that shares its name with a leaf `name (all)`."""
    labels = {*leaves, *others}
    taken = labels.union(names[1:])
    written = [ROOT]
    for name in names[1:]:
        text = name
        if name in labels:
            while text in taken:
                text += ALL
            taken.add(text)
        written.append(text)
    return tuple(written)
