"""The attributes of training rows and all the ways to split by them, as flat arrays that the kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntMatrix, IntVector
from covey.induction.kernels import ENTROPY, GINI, count_codes, option_gains, options_that_keep, part_rows

__all__ = ["Attribute", "Options", "equal_bins", "lay_out"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One column of the training rows."""

    codes: IntVector
    """(n,): from 0."""
    size: int
    """How many codes there are, also those that no row has."""
    is_public: bool
    levels: tuple[IntVector, ...] | None
    """The branch of each code, level by level, from coarse to fine; None: the codes are in order, to be cut."""

    def branch_of(self, option: int) -> IntVector:
        """Return the branch of each code at a level, or on either side of a cut."""
        if self.levels is None:
            return np.asarray(np.arange(self.size) > option, np.int64)
        return np.asarray(self.levels[option], np.int64)


@dataclass(frozen=True, slots=True)
class Options:
    """All options of all attributes as flat arrays, in the form that the kernels read."""

    attributes: Sequence[Attribute]
    codes: IntMatrix
    starts: IntVector
    ordered: BoolVector
    first: IntVector
    """(p + 1,): the first option of each attribute."""
    attribute: IntVector
    """(options,): whose option it is."""
    number: IntVector
    """(options,): the level or the cut."""
    map_starts: IntVector
    maps: IntVector
    n_branches: IntVector

    def gains(self, counts: IntMatrix, criterion: str) -> tuple[FloatVector, IntVector]:
        """Return the gain of every option at a node, and how far each cut is off the middle of cuts alike."""
        method = GINI if criterion == "gini" else ENTROPY
        arrays = (self.starts, self.ordered, self.first, self.map_starts, self.maps, self.n_branches)
        gains, off = option_gains(counts, *arrays, method)
        return gains, off

    def part(self, attribute: int, branch_of: IntVector, rows: IntVector) -> dict[int, IntVector]:
        """Return the rows of each branch that has some, in their order."""
        n_branches = int(branch_of.max()) + 1
        parted, begins = part_rows(rows, self.codes[attribute], branch_of, n_branches)
        ends = begins.tolist()
        return {b: parted[ends[b] : ends[b + 1]] for b in range(n_branches) if ends[b] < ends[b + 1]}

    def count(self, rows: IntVector, labels: IntVector, n_classes: int) -> IntMatrix:
        """Return (codes of all attributes, n_classes): how many of the rows have each code and class."""
        counts: IntMatrix = count_codes(self.codes, self.starts, rows, labels, n_classes)
        return counts

    def keeping(self, attribute: int, populations: IntMatrix, k: int) -> BoolVector:
        """Return which options of an attribute leave every span with no row or with k; populations by code."""
        first = self.first[attribute : attribute + 2]
        arrays = (self.map_starts, self.maps, self.n_branches)
        keeps: BoolVector = options_that_keep(populations, self.ordered[attribute], first, *arrays, k)
        return keeps

    def branch_of(self, option: int) -> IntVector:
        """Return the branch of each code of the option's attribute."""
        return self.attributes[int(self.attribute[option])].branch_of(int(self.number[option]))


def lay_out(attributes: Sequence[Attribute], n_rows: int, *, fine_first: bool = False) -> Options:
    """Return the options of the attributes in the order of ties."""
    ways = [(a, number) for a, one in enumerate(attributes) for number in _numbers(one, fine_first)]
    attribute = np.array([a for a, _ in ways], np.int64)
    maps = [np.zeros(0, np.int64) if attributes[a].levels is None else attributes[a].branch_of(n) for a, n in ways]
    return Options(
        attributes=attributes,
        codes=np.array([one.codes for one in attributes], np.int32).reshape(len(attributes), n_rows),
        starts=np.cumsum([0] + [one.size for one in attributes]).astype(np.int64),
        ordered=np.array([one.levels is None for one in attributes], bool),
        first=np.searchsorted(attribute, np.arange(len(attributes) + 1)),
        attribute=attribute,
        number=np.array([number for _, number in ways], np.int64),
        map_starts=np.cumsum([0] + [len(branch_of) for branch_of in maps]).astype(np.int64),
        maps=np.concatenate([*maps, np.zeros(0, np.int64)]),
        n_branches=np.array([int(branch_of.max(initial=0)) + 1 for branch_of in maps], np.int64),
    )


def _numbers(attribute: Attribute, fine_first: bool) -> range:
    """Return the cuts of an attribute, or its levels."""
    if attribute.levels is None:
        return range(attribute.size - 1)
    return range(len(attribute.levels))[:: -1 if fine_first else 1]


def equal_bins(counts: IntVector, most_cuts: int) -> IntVector:
    """Return the bin of each of some ordered points: one per point, or bins of about as many rows each.

    Between two bins a number can be cut; counts: the rows of each point.
    """
    if len(counts) <= most_cuts + 1:
        return np.arange(len(counts))
    before = np.cumsum(counts) - counts
    share = before * (most_cuts + 1) // counts.sum()
    return np.unique(share, return_inverse=True)[1].reshape(-1)
