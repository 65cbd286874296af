"""A tree as somebody wrote it, faults and all: what lint reads and what a `Taxonomy` is made from.

Two ways of writing lead here: rows `leaf, level 1, ..., root`, and nested mappings and lists.
Padded levels are folded on the way: an inner node below one of the same name is the same node, and a leaf
that is the only child of a node of its own name takes that node's place.  A leaf of a node with other
children, there or elsewhere in the tree, keeps its place below that node.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from covey.base.errors import InputError

__all__ = ["ALL", "ROOT", "Draft", "draft_of_rows", "draft_of_tree"]

ROOT = "*"  # how the root is written, whatever its own name
_MOST_BITS = 14_000  # of whole numbers that Python writes without being told to
ALL = " (all)"  # what is added to the name of a node that is also that of a leaf


@dataclass(slots=True)
class Draft:
    """Nodes in order of appearance: name, parent (-1: none), children, and whether it is a leaf."""

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    is_leaf: list[bool] = field(default_factory=list)
    tops: list[int] = field(default_factory=list)
    repeats: list[str] = field(default_factory=list)  # leaves that stand twice below one node
    blanks: list[str] = field(default_factory=list)  # where a name is empty
    loops: list[str] = field(default_factory=list)  # names of mappings and lists that hold themselves
    _known: dict[tuple[int, str, bool], int] = field(default_factory=dict)

    def add_inner(self, parent: int, name: str) -> int:
        """Return the inner node `name` below `parent`; the parent itself if it has the same name."""
        if parent >= 0 and self.names[parent] == name:
            return parent
        known = self._known.get((parent, name, False))
        return self._add(parent, name, leaf=False) if known is None else known

    def add_leaf(self, parent: int, name: str) -> None:
        """Hang a leaf below `parent`; a second one of the same name is noted as a repeat."""
        if (parent, name, True) in self._known:
            self.repeats.append(name)
        else:
            self._add(parent, name, leaf=True)

    def _add(self, parent: int, name: str, *, leaf: bool) -> int:
        node = len(self.names)
        self.names.append(name)
        self.parents.append(parent)
        self.children.append([])
        self.is_leaf.append(leaf)
        self._known[parent, name, leaf] = node
        (self.children[parent] if parent >= 0 else self.tops).append(node)
        return node

    def fold(self) -> Draft:
        """Let each leaf that is the only child of a node of its own name take that node's place.

        Not where that name is also that of a node with other children: the leaf says that it lies below it.
        """
        padding = {self.parents[node] for node in range(len(self.names)) if self._is_padded(node)}
        inner = (node for node, leaf in enumerate(self.is_leaf) if not leaf and self.parents[node] >= 0)
        others = {self.names[node] for node in inner if node not in padding}
        for node in padding:
            if self.names[node] not in others:
                self.children[node], self.is_leaf[node] = [], True
        return self

    def _is_padded(self, leaf: int) -> bool:
        """Return whether a leaf is all there is below a node of its own name; the root stays the root."""
        node = self.parents[leaf]
        return (
            self.is_leaf[leaf]
            and node >= 0
            and self.parents[node] >= 0
            and self.names[node] == self.names[leaf]
            and len(self.children[node]) == 1
        )

    def walk(self) -> Iterator[int]:
        """Return the nodes depth first, children in order; a node that is left comes again as `~node`.

        Leaves come once.  An explicit stack, so that depth is no limit.
        """
        stack = list(reversed(self.tops))
        while stack:
            node = stack.pop()
            yield node
            if node >= 0 and not self.is_leaf[node]:
                stack.append(~node)
                stack.extend(reversed(self.children[node]))


def draft_of_rows(rows: Iterable[tuple[str, Sequence[object]]]) -> Draft:
    """Return the draft of rows `leaf, level 1, ..., root`, each given with the place where it stands."""
    draft = Draft()
    for place, row in rows:
        if isinstance(row, str):  # it would be taken for a row of characters
            raise InputError(
                "a row of a taxonomy must be a list of names from leaf to root, not text",
                code="taxonomy-not-a-tree",
                hint='write [["France", "Europe", "*"], ...]',
            )
        cells = [_label(cell) for cell in row]
        full = [cell for cell in cells if cell.strip()]
        if not full:
            continue
        if len(full) < len(cells):
            draft.blanks.append(place)
            if not cells[0].strip():
                continue
        node = -1
        for name in reversed(full[1:]):
            node = draft.add_inner(node, name)
        draft.add_leaf(node, full[0])
    if len(draft.tops) == 1 and draft.is_leaf[draft.tops[0]]:  # one cell in all: a leaf below a root
        only = draft.names[draft.tops[0]]
        draft = Draft(repeats=draft.repeats, blanks=draft.blanks)
        draft.add_leaf(draft.add_inner(-1, ROOT), only)
    return draft.fold()


def draft_of_tree(tree: Mapping[Any, Any] | Sequence[Any]) -> Draft:
    """Return the draft of nested mappings and lists; several names at the top get the root `*`."""
    draft = Draft()
    top = list(_entries(tree, "the top"))
    if len(top) == 1 and not _is_leaf(top[0][1]):
        name, tree = top[0]
        root = draft.add_inner(-1, name if name.strip() else ROOT)
        if not name.strip():
            draft.blanks.append("the root")
    else:
        root = draft.add_inner(-1, ROOT)
    open_now = {id(tree)}  # the containers between the root and here: meeting one again is a loop
    stack = [(_entries(tree, draft.names[root]), root, id(tree))]
    while stack:
        entries, node, container = stack[-1]
        entry = next(entries, None)
        if entry is None:
            stack.pop()
            open_now.discard(container)
            continue
        name, below = entry
        if not name.strip():
            draft.blanks.append(f"below `{draft.names[node]}`")
        if _is_leaf(below):
            if name.strip():
                draft.add_leaf(node, name)
        elif id(below) in open_now:
            draft.loops.append(name)
        else:
            child = draft.add_inner(node, name) if name.strip() else node
            open_now.add(id(below))
            stack.append((_entries(below, name), child, id(below)))
    return draft.fold()


def _entries(container: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Return (name, what lies below) of each entry of a mapping or list."""
    if isinstance(container, Mapping):
        return ((_label(name), below) for name, below in container.items())
    if isinstance(container, list | tuple):
        return _items(container, where)
    raise InputError(
        f"below `{where}` of a taxonomy stands {type(container).__name__}, not a table or a list of leaves",
        code="taxonomy-not-a-tree",
        hint='write {"Europe": ["France", "Spain"]}',
    )


def _items(items: Sequence[Any], where: str) -> Iterator[tuple[str, Any]]:
    for item in items:
        if isinstance(item, Mapping):
            yield from _entries(item, where)
        else:
            yield _label(item), None


def _is_leaf(below: Any) -> bool:
    return below is None or (isinstance(below, str | Mapping | list | tuple) and len(below) == 0)


def _label(name: object) -> str:
    """Return a name as text: numbers and dates of TOML and JSON as they are written there."""
    if isinstance(name, str):
        if not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name):
            raise InputError(
                "a name in a taxonomy holds half a character (a lone surrogate), which no file can hold",
                code="taxonomy-bad-name",
                hint="write the character itself in place of `\\ud...`",
            )
        return name
    if isinstance(name, int) and not isinstance(name, bool):
        if name.bit_length() > _MOST_BITS:
            raise InputError(
                "a number in a taxonomy has thousands of digits",
                code="taxonomy-bad-name",
                hint="put the name in quotes",
            )
        return str(name)
    if isinstance(name, float):
        return repr(name)
    if isinstance(name, dt.date | dt.time):
        return name.isoformat()
    raise InputError(
        f"a name in a taxonomy must be text or a number, not {type(name).__name__}",
        code="taxonomy-bad-name",
        hint="put the name in quotes",
    )
