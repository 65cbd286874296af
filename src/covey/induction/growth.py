"""Growing a decision tree that exposes nobody (Friedman, Wolff and Schuster 2008, algorithm 1).

All options of all leaves wait in one queue, the greatest gain first, because a split of one leaf bears on the spans
that others belong to.  An option is a category at one of its levels, or a number cut at one place.

A span is a set of leaves that a person may end in as far as others know; every row belongs to one.  A public split of
a leaf parts every span that contains the leaf, for all of its rows, wherever they sit.  A private split changes no
span; but then what others learn of it is private, and a span of fewer than k rows may not contain the leaf.  An
option that breaks this is refused and never comes back: spans only shrink.

Guarantee: every span that tells anything private has k rows, and with `ell` an entropy of at least log(ell) in each
private attribute that the ways to its leaves test, at the precision of these tests, and in the class if it is private.
The argument: it holds for the root, or nothing is grown; a split changes only the spans that contain its leaf, and
those are looked at; nobody's span is ever larger or smaller than the tree tells, because a branch that no value can
reach is left out, and a public test parts by values that others know.

Cost: a node's rows x columns for counting, at most rows x columns x depth in all; besides, for each node that may be
split, the codes of all columns x classes, and the options of a category x those of its codes that the node has.
Ties: the earlier node, the earlier column, the coarser level (with `fine_first` the finer one), for cuts that part the
node's rows alike the middle one.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntMatrix, IntVector
from covey.base.checks import require_rows
from covey.base.errors import Infeasible
from covey.induction.options import Attribute, lay_out

__all__ = ["CLASS", "Grown", "GrownNode", "Rules", "Step", "grow"]

CLASS = -1
"""The number that the class has among the private attributes."""
_SLACK = 1e-9  # entropies are sums of logarithms: one that is log(ell) by definition may come out a bit lower


@dataclass(frozen=True, slots=True)
class Rules:
    """What the tree must keep to."""

    k: int
    ell: float | None = None
    class_is_public: bool = False
    criterion: Literal["entropy", "gini"] = "entropy"
    min_gain: float = 1e-6
    """An option must gain more than this, per row of its node."""
    weighted: bool = False
    """Whether the queue is ordered by gain x rows of the node, not by gain."""
    fine_first: bool = False
    max_depth: int | None = None
    min_rows: int = 2
    """A node of fewer rows is not split."""


@dataclass(frozen=True, slots=True)
class GrownNode:
    """A node of the tree: rows by class, and unless it is a leaf the option taken and its children by branch."""

    counts: IntVector
    attribute: int = -1
    option: int = -1
    """The level, counted from the coarsest, or the cut (codes up to it go to branch 0)."""
    branches: tuple[int, ...] = ()
    children: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Grown:
    """The tree, root first, and the span of every row."""

    nodes: tuple[GrownNode, ...]
    span_of_row: IntVector


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the induction, for the steward's eyes: what was refused tells of fewer than k people."""

    node: int
    attribute: int
    option: int
    gain: float
    is_taken: bool


Watch = Callable[[Step], None]


@dataclass(slots=True)
class _Leaf:
    """A leaf that may still be split."""

    node: int
    rows: IntVector
    depth: int
    spans: set[int]
    reachable: dict[int, BoolVector]
    """By attribute: the codes that lead here, for attributes that the way here tests."""
    waiting: IntVector
    """The options that have not been tried, the best first."""
    gains: FloatVector
    """Their gains."""
    counts: IntMatrix | None
    """(codes of all attributes, classes): how many rows have each code and class; None where they are soon counted."""
    keeps: dict[int, BoolVector] = field(default_factory=dict)
    """By attribute: which of its options keep k in the spans as they are now."""


@dataclass(slots=True)
class _Span:
    """The rows of people who look alike to others, and the leaves in which they may be."""

    rows: IntVector
    leaves: set[int]
    exposed: frozenset[int]
    """The private attributes of which the leaves tell; if there are none, the span tells nothing private."""


def grow(
    attributes: Sequence[Attribute], labels: IntVector, n_classes: int, rules: Rules, watch: Watch | None = None
) -> Grown:
    """Return a tree over the rows with these codes and class labels that keeps to the rules.

    `watch` is told every step.  Raises `Infeasible` if not even the root keeps to the rules.

    >>> sex = Attribute(np.array([0, 0, 0, 1, 1, 1]), 2, True, (np.array([0, 1]),))
    >>> grown = grow([sex], np.array([0, 0, 1, 1, 1, 1]), 2, Rules(k=3))
    >>> [node.counts.tolist() for node in grown.nodes], grown.span_of_row.tolist()
    ([[2, 4], [2, 1], [0, 3]], [0, 0, 0, 1, 1, 1])
    """
    return _Induction(attributes, labels, n_classes, rules, watch).run()


class _Induction:
    """The state of one induction: the tree so far, its open leaves, the spans, and the queue."""

    def __init__(
        self, attributes: Sequence[Attribute], labels: IntVector, n_classes: int, rules: Rules, watch: Watch | None
    ) -> None:
        self.rules = rules
        self.watch = watch
        self.labels = labels.astype(np.int32)
        self.n_classes = n_classes
        self.is_public = [one.is_public for one in attributes]
        # every leaf is a span, and tells nothing private but the class
        self.is_plain = all(self.is_public) and not rules.class_is_public and rules.ell is None
        self.options = lay_out(attributes, len(labels), fine_first=rules.fine_first)
        self.no_labels = np.zeros(len(labels), np.int32)
        # (spans, codes of all attributes): the rows of each span by code, unless each leaf is a span of its own
        self.by_code = np.zeros((1, int(self.options.starts[-1])), np.int32)
        self.nodes: list[GrownNode] = []
        self.leaves: dict[int, _Leaf] = {}
        self.spans: dict[int, _Span] = {}
        self.n_spans = 0
        self.queue: list[tuple[float, int, int]] = []
        # what others can tell of a private attribute within a span: by attribute, a number per row (with `ell` only)
        self.cells = defaultdict(lambda: np.zeros(len(labels), np.int64), {CLASS: labels.astype(np.int64)})

    def run(self) -> Grown:
        self._plant()
        while self.queue:
            _, node, option = heapq.heappop(self.queue)
            leaf = self.leaves[node]
            gain = float(leaf.gains[0])
            leaf.waiting, leaf.gains = leaf.waiting[1:], leaf.gains[1:]
            taken = self._keeps_k(leaf, option) and self._keeps_diversity(leaf, option)
            if self.watch is not None:
                attribute, number = int(self.options.attribute[option]), int(self.options.number[option])
                self.watch(Step(node, attribute, number, gain, taken))
            if taken:
                self._split(leaf, option)
            else:
                self._enqueue(leaf)
        return Grown(tuple(self.nodes), self._span_of_row())

    # --- the root

    def _plant(self) -> None:
        rows = np.arange(len(self.labels), dtype=np.int32)
        if self.rules.class_is_public:
            for label in np.unique(self.labels):
                self._add_span(rows[self.labels == label], frozenset())
        else:
            require_rows(self.rules.k, len(rows))
            self._add_span(rows, frozenset({CLASS}))
            if self.rules.ell is not None and not self._is_diverse(np.zeros(len(rows), np.int64), self.cells[CLASS]):
                raise Infeasible(
                    f"the classes of all {len(rows):,} rows together do not reach entropy l-diversity with "
                    f"l = {self.rules.ell:g}",
                    code="infeasible-model",
                    hint="give a smaller l",
                )
        root = self._add_node(rows)
        if self._may_be_split(root, 0):
            self._open(root, rows, self._count(rows), 0, set(self.spans), {})

    # --- leaves and spans

    def _add_node(self, rows: IntVector) -> int:
        self.nodes.append(GrownNode(np.bincount(self.labels[rows], minlength=self.n_classes)))
        return len(self.nodes) - 1

    def _may_be_split(self, node: int, depth: int) -> bool:
        """Return whether a split of such a leaf could gain anything, and be allowed."""
        by_class = self.nodes[node].counts
        least = max(self.rules.min_rows, 2 * self.rules.k if self.is_plain else 2)
        is_deep = self.rules.max_depth is not None and depth >= self.rules.max_depth
        return bool(by_class.sum() >= least and np.count_nonzero(by_class) > 1 and not is_deep)

    def _count(self, rows: IntVector) -> IntMatrix:
        return self.options.count(rows, self.labels, self.n_classes)

    def _open(
        self,
        node: int,
        rows: IntVector,
        counts: IntMatrix,
        depth: int,
        spans: set[int],
        reachable: dict[int, BoolVector],
    ) -> None:
        """Let the options of a leaf join the queue."""
        leaf = _Leaf(node, rows, depth, spans, reachable, *self._judge(counts), counts)
        self.leaves[node] = leaf
        for span in spans:
            self.spans[span].leaves.add(node)
        if self.is_plain and self.watch is None:
            self._look_ahead(leaf)
        if counts.size > rows.size * len(self.is_public):  # then counting again is cheaper than the room for them
            leaf.counts = None
        self._enqueue(leaf)

    def _judge(self, counts: IntMatrix) -> tuple[IntVector, FloatVector]:
        """Return the options that gain enough at a leaf, the best first, and their gains."""
        gains, off = self.options.gains(counts, self.rules.criterion)
        found = np.flatnonzero(gains > self.rules.min_gain)
        order = np.lexsort((found, off[found], self.options.attribute[found], -gains[found]))
        return found[order].astype(np.int32), gains[found[order]]

    def _look_ahead(self, leaf: _Leaf) -> None:
        """Forget all options but the one that will be taken: what other leaves do has no bearing on a plain one."""
        best = next((i for i, option in enumerate(leaf.waiting.tolist()) if self._keeps_k(leaf, option)), None)
        kept = slice(0, 0) if best is None else slice(best, best + 1)
        leaf.waiting, leaf.gains = leaf.waiting[kept].copy(), leaf.gains[kept].copy()
        leaf.keeps.clear()

    def _enqueue(self, leaf: _Leaf) -> None:
        """Put the best remaining option of a leaf into the queue; a leaf without one is done."""
        if not len(leaf.waiting):
            self._close(leaf)
            return
        gain, option = float(leaf.gains[0]), int(leaf.waiting[0])
        weight = len(leaf.rows) if self.rules.weighted else 1
        heapq.heappush(self.queue, (-gain * weight, leaf.node, option))

    def _close(self, leaf: _Leaf) -> None:
        for span in leaf.spans:
            self.spans[span].leaves.discard(leaf.node)
        del self.leaves[leaf.node]

    def _add_span(self, rows: IntVector, exposed: frozenset[int]) -> int:
        """Add a span of these rows, in no leaf as yet."""
        number = self.n_spans
        self.n_spans += 1
        self.spans[number] = _Span(rows, set(), exposed)
        if not self.is_plain:
            if number == len(self.by_code):
                self.by_code = np.concatenate([self.by_code, np.zeros_like(self.by_code)])
            self.by_code[number] = self.options.count(rows, self.no_labels, 1)[:, 0]
        return number

    def _span_of_row(self) -> IntVector:
        span_of_row = np.empty(len(self.labels), np.int64)
        for number, span in enumerate(self.spans.values()):
            span_of_row[span.rows] = number
        return span_of_row

    # --- what a split may not do

    def _keeps_k(self, leaf: _Leaf, option: int) -> bool:
        """Return whether every span that tells something private has k rows after the split."""
        attribute = int(self.options.attribute[option])
        if not self.is_public[attribute]:
            # spans that told nothing private so far begin to
            return all(len(self.spans[span].rows) >= self.rules.k for span in leaf.spans)
        if attribute not in leaf.keeps:
            populations = self._populations(leaf, attribute)
            leaf.keeps[attribute] = self.options.keeping(attribute, populations, self.rules.k)
        return bool(leaf.keeps[attribute][option - self.options.first[attribute]])

    def _populations(self, leaf: _Leaf, attribute: int) -> IntMatrix:
        """Return (spans, codes): the rows of each span with the leaf that tells something private, by code."""
        codes = slice(*self.options.starts[attribute : attribute + 2])
        if self.is_plain:
            counts = self._count(leaf.rows) if leaf.counts is None else leaf.counts
            return np.asarray(counts[codes].sum(axis=1)[None, :])
        spans = [span for span in leaf.spans if self.spans[span].exposed]
        return np.asarray(self.by_code[spans, codes])

    def _keeps_diversity(self, leaf: _Leaf, option: int) -> bool:
        """Return whether what others learn of each private attribute stays diverse in every span."""
        if self.rules.ell is None:
            return True
        attribute = int(self.options.attribute[option])
        branch_of = self.options.branch_of(option)
        for number in leaf.spans:
            span = self.spans[number]
            branch = branch_of[self.options.codes[attribute][span.rows]]
            if not self.is_public[attribute]:
                cells = self.cells[attribute][span.rows] * (int(branch.max()) + 1) + branch
                if not self._is_diverse(np.zeros(len(span.rows), np.int64), cells):
                    return False
            elif not all(self._is_diverse(branch, self.cells[private][span.rows]) for private in span.exposed):
                return False
        return True

    def _is_diverse(self, part: IntVector, cells: IntVector) -> bool:
        """Return whether the cells of each part have an entropy of at least log(ell)."""
        assert self.rules.ell is not None
        width = int(cells.max()) + 1
        pairs, counts = np.unique(part.astype(np.int64) * width + cells, return_counts=True)
        rows = np.bincount(pairs // width, weights=counts)
        share = counts / rows[pairs // width]
        entropy = np.bincount(pairs // width, weights=-share * np.log(share))
        return bool((entropy[rows > 0] >= math.log(self.rules.ell) - _SLACK).all())

    # --- a split

    def _split(self, leaf: _Leaf, option: int) -> None:
        """Replace a leaf by its branches, those left out that no value can reach."""
        attribute = int(self.options.attribute[option])
        branch_of = self.options.branch_of(option)
        reachable = leaf.reachable.get(attribute, np.ones(len(branch_of), bool))
        branches = np.unique(branch_of[reachable])
        parts = self.options.part(attribute, branch_of, leaf.rows)
        self._close(leaf)
        if self.is_public[attribute]:
            spans = self._part_spans(leaf, attribute, branch_of, parts)
        else:
            self._expose(leaf, attribute, branch_of)
            spans = dict.fromkeys(branches.tolist(), leaf.spans)
        children = {branch: self._add_node(parts.get(branch, leaf.rows[:0])) for branch in branches.tolist()}
        whole, number = self.nodes[leaf.node].counts, int(self.options.number[option])
        self.nodes[leaf.node] = GrownNode(whole, attribute, number, tuple(children), tuple(children.values()))
        depth = leaf.depth + 1
        going_on = [branch for branch in parts if self._may_be_split(children[branch], depth)]
        for branch, counts in self._counts_of_parts(leaf, parts, going_on):
            below = {**leaf.reachable, attribute: reachable & (branch_of == branch)}
            self._open(children[branch], parts[branch], counts, depth, set(spans[branch]), below)

    def _counts_of_parts(
        self, leaf: _Leaf, parts: dict[int, IntVector], wanted: list[int]
    ) -> Iterator[tuple[int, IntMatrix]]:
        """Give the wanted branches with their counts; the largest part has what all others leave of the whole."""
        largest = max(parts, key=lambda branch: len(parts[branch]))
        if leaf.counts is None or largest not in wanted:
            for branch in wanted:
                yield branch, self._count(parts[branch])
            return
        rest = leaf.counts.copy()
        for branch, rows in parts.items():
            if branch == largest:
                continue
            counts = self._count(rows)
            rest -= counts
            if branch in wanted:
                yield branch, counts
        yield largest, rest

    def _part_spans(
        self, leaf: _Leaf, attribute: int, branch_of: IntVector, parts_of_leaf: dict[int, IntVector]
    ) -> dict[int, set[int]]:
        """Part every span of the leaf by a public attribute; return the spans of each branch."""
        found: dict[int, set[int]] = {}
        for number, only in self._only_branch(leaf, attribute, branch_of).items():
            if only >= 0:  # an earlier test has told others as much
                found.setdefault(only, set()).add(number)
                continue
            old = self.spans.pop(number)
            parts = parts_of_leaf if self.is_plain else self.options.part(attribute, branch_of, old.rows)
            new = {branch: self._add_span(rows, old.exposed) for branch, rows in parts.items()}
            for branch, span in new.items():
                self.spans[span].leaves = set(old.leaves)
                found.setdefault(branch, set()).add(span)
            for other in old.leaves:  # the leaf itself has left the span already
                self.leaves[other].spans.remove(number)
                self.leaves[other].spans.update(new.values())
                self.leaves[other].keeps.clear()
        return found

    def _only_branch(self, leaf: _Leaf, attribute: int, branch_of: IntVector) -> dict[int, int]:
        """Return for each span of a leaf the branch that all of its rows take, -1 if they take several."""
        if self.is_plain:
            return dict.fromkeys(leaf.spans, -1)
        numbers = list(leaf.spans)
        codes = slice(*self.options.starts[attribute : attribute + 2])
        takes = (self.by_code[numbers, codes] > 0).astype(np.int64) @ np.eye(int(branch_of.max()) + 1)[branch_of] > 0
        only = np.where(takes.sum(axis=1) == 1, takes.argmax(axis=1), -1)
        return dict(zip(numbers, only.tolist(), strict=True))

    def _expose(self, leaf: _Leaf, attribute: int, branch_of: IntVector) -> None:
        """Note in every span of the leaf that others learn of a private attribute, and how precisely."""
        for number in leaf.spans:
            span = self.spans[number]
            # a span of several leaves has been exposed before: only a private split makes them several
            span.exposed |= {attribute}
            if self.rules.ell is not None:
                cells, branch = self.cells[attribute], branch_of[self.options.codes[attribute][span.rows]]
                finer = cells[span.rows] * (int(branch.max()) + 1) + branch
                cells[span.rows] = np.unique(finer, return_inverse=True)[1].reshape(-1)
