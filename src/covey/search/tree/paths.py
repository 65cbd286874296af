"""What the tests on the way to each leaf say: the classes of the equivalent table (Friedman et al. 2008, section 2).

A column that no test on the way asks for admits everything.  The equivalent table can be built from the tree alone, so
that it tells no more than the tree does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import BoolVector, IntMatrix, IntVector
from covey.codes.codes import Codes, TableCodes
from covey.codes.prices import FLAT
from covey.columns.descriptions import Descriptions
from covey.induction.growth import GrownNode

__all__ = ["Asked", "describe_leaves"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One quasi column as the tree asks for it."""

    bin_of: IntVector
    """(codes,): the bin of each code, in order; of a category every code is its own."""
    levels: tuple[IntVector, ...] | None
    """The branch of each bin, level by level; None: bins are cut in two."""

    def branch_of(self, option: int) -> IntVector:
        """Return the branch of each bin by one of the options of a split."""
        if self.levels is not None:
            return self.levels[option]
        return np.asarray(np.arange(int(self.bin_of[-1]) + 1) > option, np.int64)


@dataclass(frozen=True, slots=True)
class _Leaf:
    tuples: IntVector
    admitted: dict[int, BoolVector]
    """By column that was asked for: the bins that lead here."""


def describe_leaves(nodes: Sequence[GrownNode], asked: Sequence[Asked], codes: TableCodes) -> Descriptions:
    """Return the leaves that have rows as groups, and what the tests on the way to each admit.

    >>> from covey.codes.codes import codes_from_matrix
    >>> age = np.array([[0, 1, 2, 3]], np.uint8)
    >>> codes = codes_from_matrix(age, np.array([0]), np.ones(1), [np.arange(4) / 3], np.array([4]))
    >>> leaf = GrownNode(np.array([2]))
    >>> nodes = [GrownNode(np.array([4]), 0, 1, (0, 1), (1, 2)), leaf, leaf]
    >>> found = describe_leaves(nodes, [Asked(np.arange(4), None)], codes)
    >>> found.group_of_row.tolist(), found.low.tolist(), found.high.tolist()
    ([0, 0, 1, 1], [[0], [2]], [[1], [3]])
    """
    leaves = list(_leaves(nodes, asked, codes))
    group: IntVector = np.empty(codes.n_tuples, np.int64)
    low: IntMatrix = np.zeros((len(leaves), len(asked)), np.int64)
    high = np.tile(codes.sizes - 1, (len(leaves), 1))
    sets = {int(j): _everything(int(codes.sizes[j]), len(leaves)) for j in np.flatnonzero(codes.kinds == FLAT)}
    for number, leaf in enumerate(leaves):
        group[leaf.tuples] = number
        for j, admitted in leaf.admitted.items():
            first, last = np.flatnonzero(admitted)[[0, -1]]
            low[number, j] = np.searchsorted(asked[j].bin_of, first)
            high[number, j] = np.searchsorted(asked[j].bin_of, last, side="right") - 1
            if j in sets:
                sets[j][number] = _words(admitted)
    return Descriptions(group[codes.row_tuple], low, high, sets)


def _leaves(nodes: Sequence[GrownNode], asked: Sequence[Asked], codes: Codes) -> Iterator[_Leaf]:
    """Give the leaves that tuples end in, the first branches first."""
    bins = [one.bin_of[own] for one, own in zip(asked, codes.columns, strict=True)]
    waiting = [(0, _Leaf(np.arange(codes.n_tuples), {}))]
    while waiting:
        number, here = waiting.pop()
        node = nodes[number]
        if not node.children:
            yield here
            continue
        j = node.attribute
        branch_of = asked[j].branch_of(node.option)
        takes = branch_of[bins[j][here.tuples]]
        before = here.admitted.get(j, np.ones(len(branch_of), bool))
        for branch, child in reversed(list(zip(node.branches, node.children, strict=True))):
            tuples = here.tuples[takes == branch]
            if len(tuples):
                admitted = before & (branch_of == branch)
                waiting.append((child, _Leaf(tuples, {**here.admitted, j: admitted})))


def _everything(size: int, n_leaves: int) -> IntMatrix:
    return np.tile(_words(np.ones(size, bool)), (n_leaves, 1))


def _words(admitted: BoolVector) -> IntVector:
    """Return a set of codes as bits of 64-bit words, the first code the lowest bit of the first."""
    bits = np.zeros((len(admitted) + 63) // 64 * 64, bool)
    bits[: len(admitted)] = admitted
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)
