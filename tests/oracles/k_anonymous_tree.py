"""Algorithm 1 of Friedman, Wolff and Schuster (2008), plain and slow: after every split that is tried, the spans of
all rows are found again by enumerating what their private values could be."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class PlainAttribute:
    """A column: its codes, its size, and per level the branch of each code (None: in order, to be cut)."""

    codes: list[int]
    size: int
    is_public: bool
    levels: list[list[int]] | None

    def options(self) -> range:
        return range(self.size - 1 if self.levels is None else len(self.levels))

    def branch(self, option: int, code: int) -> int:
        return int(code > option) if self.levels is None else self.levels[option][code]


@dataclass
class PlainNode:
    attribute: int = -1
    option: int = -1
    children: dict[int, int] = field(default_factory=dict)


def leaf_of(nodes: list[PlainNode], attributes: list[PlainAttribute], codes: list[int]) -> int:
    """Return the leaf of a row with these codes."""
    node = 0
    while nodes[node].children:
        test = nodes[node]
        node = test.children[attributes[test.attribute].branch(test.option, codes[test.attribute])]
    return node


def spans_by_enumeration(
    nodes: list[PlainNode], attributes: list[PlainAttribute], labels: list[int], n_classes: int, class_is_public: bool
) -> list[frozenset[tuple[int, int]]]:
    """Return for each row the classes of the model, (leaf, label), that it reaches as its private values vary."""
    found: dict[tuple[object, ...], frozenset[tuple[int, int]]] = {}
    spans = []
    for row, label in enumerate(labels):
        known = [one.codes[row] if one.is_public else None for one in attributes]
        seen = (*known, label if class_is_public else None)
        if seen not in found:
            choices = [[one.codes[row]] if one.is_public else range(one.size) for one in attributes]
            leaves = {leaf_of(nodes, attributes, list(codes)) for codes in itertools.product(*choices)}
            bins = [label] if class_is_public else range(n_classes)
            found[seen] = frozenset(itertools.product(leaves, bins))
        spans.append(found[seen])
    return spans


def exposed_below(spans: list[frozenset[tuple[int, int]]], k: int) -> int:
    """Return how many spans of more than one class hold 1 to k - 1 rows."""
    populations = Counter(spans)
    return sum(len(span) > 1 and population < k for span, population in populations.items())


def disorder(labels: list[int], n_classes: int, criterion: str) -> float:
    counts = [labels.count(c) for c in range(n_classes)]
    total = sum(counts)
    if total == 0:
        return 0.0
    if criterion == "gini":
        return total - sum(float(c) * float(c) for c in counts) / total
    value = 0.0
    for c in counts:
        if 0 < c < total:
            value -= c * math.log2(c / total)
    return value


def grow_plainly(
    attributes: list[PlainAttribute],
    labels: list[int],
    n_classes: int,
    k: int,
    *,
    criterion: str = "entropy",
    class_is_public: bool = False,
    weighted: bool = False,
    fine_first: bool = False,
    min_gain: float = 1e-6,
) -> list[PlainNode]:
    """Return the nodes of the tree; all options of all leaves wait in one list."""
    nodes = [PlainNode()]
    rows_of = {0: list(range(len(labels)))}
    reach_of: dict[int, dict[int, set[int]]] = {0: {}}
    waiting = _candidates(0, rows_of[0], attributes, labels, n_classes, criterion, weighted, fine_first, min_gain)
    while waiting:
        waiting.sort()
        _, node, a, _, _, option = waiting.pop(0)
        one = attributes[a]
        reach = reach_of[node].get(a, set(range(one.size)))
        branches = sorted({one.branch(option, code) for code in reach})
        tried = [PlainNode(n.attribute, n.option, dict(n.children)) for n in nodes]
        tried[node] = PlainNode(a, option, {branch: len(nodes) + i for i, branch in enumerate(branches)})
        tried += [PlainNode() for _ in branches]
        spans = spans_by_enumeration(tried, attributes, labels, n_classes, class_is_public)
        if exposed_below(spans, k):
            continue
        nodes = tried
        waiting = [candidate for candidate in waiting if candidate[1] != node]
        for branch, child in nodes[node].children.items():
            rows_of[child] = [row for row in rows_of[node] if one.branch(option, one.codes[row]) == branch]
            reach_of[child] = {**reach_of[node], a: {code for code in reach if one.branch(option, code) == branch}}
            waiting += _candidates(
                child, rows_of[child], attributes, labels, n_classes, criterion, weighted, fine_first, min_gain
            )
    return nodes


def _candidates(
    node: int,
    rows: list[int],
    attributes: list[PlainAttribute],
    labels: list[int],
    n_classes: int,
    criterion: str,
    weighted: bool,
    fine_first: bool,
    min_gain: float,
) -> list[tuple[float, int, int, int, int, int]]:
    """Return (-gain, node, attribute, distance from the middle of cuts alike, order of ties, option)."""
    if not rows:
        return []
    found = []
    before = disorder([labels[row] for row in rows], n_classes, criterion)
    for a, one in enumerate(attributes):
        parts_of = {}
        for option in one.options():
            parts: dict[int, list[int]] = {}
            for row in rows:
                parts.setdefault(one.branch(option, one.codes[row]), []).append(row)
            parts_of[option] = {branch: tuple(members) for branch, members in parts.items()}
        for option, split in parts_of.items():
            after = sorted(disorder([labels[row] for row in part], n_classes, criterion) for part in split.values())
            gain = (before - sum(after)) / len(rows)
            if gain <= min_gain:
                continue
            off = 0
            if one.levels is None:
                alike = [other for other in parts_of if parts_of[other] == split]
                off = abs(2 * option - alike[0] - alike[-1])
            order = -option if one.levels is not None and fine_first else option
            found.append((-gain * (len(rows) if weighted else 1), node, a, off, order, option))
    return found


def entropy_of(values: list[object]) -> float:
    """Return the entropy of some values, in nats."""
    return -sum(c / len(values) * math.log(c / len(values)) for c in Counter(values).values())
