"""Lint: every fault of a taxonomy as it was written, at once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from covey.ask.taxonomy.draft import ALL, ROOT, Draft, draft_of_rows, draft_of_tree
from covey.ask.taxonomy.read import draft_of_text, text_of_file
from covey.base.checks import listed, plural
from covey.base.errors import InputError

__all__ = ["Finding", "faults_of", "lint", "must_be_tree"]

Source = str | os.PathLike[str] | Mapping[Any, Any] | Iterable[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a taxonomy: a stable code, `error` or `warning`, and a sentence that names the places."""

    code: str
    severity: Literal["error", "warning"]
    message: str


def lint(source: Source, labels: Iterable[str | None] | None = None) -> list[Finding]:
    """Return all faults of a taxonomy file, tree (a mapping) or list of rows `leaf, ..., root`.

    With `labels`, the values of a column, also those that no leaf covers (missing ones are passed over).
    Errors come first.  A message names at most ten values, then counts.

    >>> rows = [("Oslo", "North", "*"), ("Rome", "South", "*"), ("Rome", "*")]
    >>> for finding in lint(rows, ["Oslo", "Bern"]):
    ...     print(finding.severity, finding.message)
    error 1 leaf stands more than once: `Rome`
    error 1 value of the column is no leaf: `Bern`
    warning 1 of 3 leaves lies nearer to the root than the deepest (2 levels): `Rome`
    """
    if isinstance(source, str | os.PathLike):
        draft = draft_of_text(text_of_file(Path(source)), Path(source))
    elif isinstance(source, Mapping):
        draft = draft_of_tree(source)
    else:
        draft = draft_of_rows((f"row {number:,}", row) for number, row in enumerate(source, 1))
    return faults_of(draft, labels)


def faults_of(draft: Draft, labels: Iterable[str | None] | None = None) -> list[Finding]:
    """Return the findings on a draft, errors first."""
    leaves = [draft.names[node] for node in draft.walk() if node >= 0 and draft.is_leaf[node]]
    errors = {
        "taxonomy-empty": "" if leaves else "there is no leaf",
        "taxonomy-empty-name": _empty_names(draft),
        "taxonomy-many-roots": _many_roots(draft),
        "taxonomy-cycle": _cycles(draft),
        "taxonomy-two-parents": _two_parents(draft),
        "taxonomy-duplicate-leaf": _duplicate_leaves(draft, leaves),
        "taxonomy-reserved-name": _reserved_names(draft, leaves),
        "taxonomy-gap": _gaps(leaves, labels),
    }
    warnings = {
        "taxonomy-leaf-named-as-node": _leaves_named_as_nodes(draft, leaves),
        "taxonomy-unbalanced": _unbalanced(draft, leaves),
    }
    found = [Finding(code, "error", message) for code, message in errors.items() if message]
    return found + [Finding(code, "warning", message) for code, message in warnings.items() if message]


def must_be_tree(draft: Draft, name: str, remedy: str = "") -> Draft:
    """Return the draft if it is a tree, else raise `InputError` with its first faults."""
    errors = [finding for finding in faults_of(draft) if finding.severity == "error"]
    if errors:
        more = f"; {plural(len(errors) - 2, 'other fault')}" if len(errors) > 2 else ""
        # without the names behind the colon: a table given by mistake has values of people there
        counts = "; ".join(finding.message.partition(":")[0] for finding in errors[:2])
        raise InputError(
            f"`{name}` is no taxonomy: {counts}{more}",
            code=errors[0].code,
            hint=remedy or "`covey.ask.taxonomy.lint` lists all faults",
        )
    return draft


def _inner_nodes(draft: Draft) -> list[int]:
    return [node for node in draft.walk() if node >= 0 and not draft.is_leaf[node]]


def _below_roots(draft: Draft) -> list[int]:
    return [node for node in _inner_nodes(draft) if draft.parents[node] >= 0]


def _empty_names(draft: Draft) -> str:
    count = len(draft.blanks)
    if not count:
        return ""
    shown = ", ".join(draft.blanks[:10]) + (f" and {count - 10:,} more" if count > 10 else "")
    return f"{plural(count, 'place')} {'has' if count == 1 else 'have'} an empty name: {shown}"


def _many_roots(draft: Draft) -> str:
    if len(draft.tops) < 2:
        return ""
    count = f"there are {len(draft.tops):,} roots"
    if all(draft.is_leaf[node] for node in draft.tops):
        # no taxonomy at all, perhaps a table given by mistake: its lines are shown to nobody
        return f"{count} (each row has one name only; names are separated by `;`)"
    return f"{count}: {listed(draft.names[node] for node in draft.tops)}"


def _cycles(draft: Draft) -> str:
    """Names that lie above themselves.

    Inner nodes: take away names without a parent, and names without a child, until none is left to take:
    what remains lies on a loop (or between two).  A leaf lies above itself if a node of its name is an
    ancestor other than its parent.
    """
    inner = _inner_nodes(draft)
    above: dict[str, set[str]] = {draft.names[node]: set() for node in inner}
    for node in _below_roots(draft):
        above[draft.names[node]].add(draft.names[draft.parents[node]])
    below: dict[str, set[str]] = {name: set() for name in above}
    for name, parents in above.items():
        for parent in parents:
            below[parent].add(name)
    for up, down in ((above, below), (below, above)):
        free = [name for name, others in up.items() if not others]
        while free:
            name = free.pop()
            for other in down.pop(name):
                up[other].discard(name)
                if not up[other]:
                    free.append(other)
            up.pop(name)
    looped = dict.fromkeys([*draft.loops, *above])
    nodes = {draft.names[node] for node in inner}
    for node, name in enumerate(draft.names):
        if draft.is_leaf[node] and name in nodes and name not in looped and _is_above_itself(draft, node):
            looped[name] = None
    return _told(looped, ("name", "names"), "lies above itself", "lie above themselves")


def _is_above_itself(draft: Draft, leaf: int) -> bool:
    parent = draft.parents[leaf]
    node = draft.parents[parent] if parent >= 0 else -1
    while node >= 0:
        if draft.names[node] == draft.names[leaf] and draft.parents[node] >= 0:
            return True
        node = draft.parents[node]
    return False


def _two_parents(draft: Draft) -> str:
    parents: dict[str, set[str]] = {}
    for node in _below_roots(draft):
        parents.setdefault(draft.names[node], set()).add(draft.names[draft.parents[node]])
    torn = [name for name, others in parents.items() if len(others) > 1]
    return _told(torn, ("node", "nodes"), "has more than one parent", "have more than one parent")


def _duplicate_leaves(draft: Draft, leaves: list[str]) -> str:
    counts = Counter(leaves)
    counts.update(draft.repeats)
    twice = [name for name, count in counts.items() if count > 1]
    return _told(twice, ("leaf", "leaves"), "stands more than once", "stand more than once")


def _reserved_names(draft: Draft, leaves: list[str]) -> str:
    """Names of nodes that would be read as something else: as the root, a quoted leaf, or a leaf's node ` (all)`."""
    nodes = dict.fromkeys(draft.names[node] for node in _below_roots(draft))
    if ROOT in nodes:
        return f"a node below the root is called `{ROOT}`, which is how the root is written"
    quoted = dict.fromkeys(draft.names[node] for node in _inner_nodes(draft) if draft.names[node].startswith('"'))
    if quoted:
        begin = "with a quote, as leaves do that are written in quotes"
        return _told(quoted, ("node", "nodes"), f"begins {begin}", f"begin {begin}")
    shared = [name for name in dict.fromkeys(leaves) if name.endswith(ALL) and name in nodes]
    end = f"in `{ALL}`, which tells a node from the leaf of its name"
    return _told(shared, ("leaf and node", "leaves and nodes"), f"of one name ends {end}", f"of one name end {end}")


def _gaps(leaves: list[str], labels: Iterable[str | None] | None) -> str:
    known = set(leaves)
    missing = dict.fromkeys(label for label in labels or () if label is not None and label not in known)
    return _told(missing, ("value", "values"), "of the column is no leaf", "of the column are no leaves")


def _leaves_named_as_nodes(draft: Draft, leaves: list[str]) -> str:
    nodes = {draft.names[node] for node in _below_roots(draft)}
    shared = dict.fromkeys(name for name in leaves if name in nodes)
    added = "written with ` (all)` added"
    return _told(shared, ("leaf", "leaves"), f"has the name of a node, {added}", f"have the names of nodes, {added}")


def _unbalanced(draft: Draft, leaves: list[str]) -> str:
    depth, depths = 0, []
    for node in draft.walk():
        if node < 0:
            depth -= 1
        elif draft.is_leaf[node]:
            depths.append(depth)
        else:
            depth += 1
    deepest = max(depths, default=0)
    near = [name for name, levels in zip(leaves, depths, strict=True) if levels < deepest]
    if not near:
        return ""
    verb = "lies" if len(near) == 1 else "lie"
    return (
        f"{len(near):,} of {plural(len(leaves), 'leaf', 'leaves')} {verb} nearer to the root "
        f"than the deepest ({plural(deepest, 'level')}): {listed(near)}"
    )


def _told(names: Collection[str], nouns: tuple[str, str], one: str, many: str) -> str:
    """Return how many names have a fault, what it is of one and of many, and which they are; nothing of none."""
    if not names:
        return ""
    return f"{plural(len(names), *nouns)} {one if len(names) == 1 else many}: {listed(names)}"
