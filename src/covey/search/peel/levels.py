"""How far each category may generalise: its levels, as bits of a word, and the cheapest mixes of levels.

A level of a column joins its codes into groups; level 0 joins none, the last joins all.  Groups nest, so that a code
has a path from the last level down, one bit field per level below it: codes are in the same group of a level exactly
if their fields from the top down to that level agree.  The fields of all columns stand in a few words; a mix of
levels, one for each column, is a mask, and tuples are in the same group of the mix if their masked words are equal.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntMatrix, IntVector
from covey.codes.codes import Codes
from covey.codes.prices import FLAT

__all__ = ["Levels", "Mixes", "Words", "category_levels", "cheapest_mixes", "path_words", "range_levels"]

HALVINGS = 6
"""An ordered column whose ranges are not searched has levels of 2**6, 2**5, ... intervals."""


class Levels(NamedTuple):
    """The levels of one column."""

    prices: FloatVector
    """(levels,) weight x price of what a level joins at most, rising from 0."""
    groups: IntMatrix
    """(levels, codes) int64: the group of each code, numbered in the order of the codes."""


class Words(NamedTuple):
    """The paths of all tuples."""

    words: IntMatrix
    """(t, words) uint64."""
    fields: Sequence[tuple[int, int, int, int]]
    """(column, level, word, bits): each field, and its place as a mask of that word; level: the lowest it tells."""


class Mixes(NamedTuple):
    """Mixes of levels, one level for each column, from cheap to dear."""

    masks: IntMatrix
    """(mixes, words) uint64."""
    prices: FloatVector
    """(mixes,) float64: what the levels cost together."""


def category_levels(codes: Codes, column: int) -> Levels:
    """Return the levels of a flat column or a tree, as far as they tell apart codes that are there."""
    size, start = int(codes.sizes[column]), int(codes.offsets[column])
    present = np.zeros(size, bool)
    present[codes.columns[column]] = True
    own = np.ones(size - 1) if codes.kinds[column] == FLAT else codes.positions[start : start + size - 1]
    gaps = _gaps_between(own, present)
    heights = [0.0, *np.unique(gaps[gaps > 0.0]).tolist()]
    groups = np.stack([np.concatenate([[0], np.cumsum(gaps > height)]) for height in heights])
    return Levels(codes.weights[column] * np.array(heights), groups.astype(np.int64))


def _gaps_between(own: FloatVector, present: BoolVector) -> FloatVector:
    """Return the height from each code but the first to the one before it that is there; of others 0."""
    gaps, highest, seen = np.zeros(len(own)), 0.0, bool(present[0]) if len(present) else False
    for code, gap in enumerate(own.tolist(), 1):
        highest = max(highest, gap)
        if present[code]:
            gaps[code - 1] = highest if seen else 0.0
            highest, seen = 0.0, True
    return gaps


def range_levels(codes: Codes, column: int) -> Levels:
    """Return levels of an ordered column: its values, then halves of halves of its domain, missing values apart."""
    size, start = int(codes.sizes[column]), int(codes.offsets[column])
    positions, width = codes.positions[start : start + size], float(codes.positions[start + size])
    shares = np.clip(positions / width if width > 0.0 else positions, 0.0, 1.0)
    groups, prices = [np.arange(size)], [0.0]
    for halvings in range(HALVINGS, 0, -1):
        cell = np.where(positions < 0.0, -1, np.minimum(shares * 2**halvings, 2**halvings - 1).astype(np.int64))
        groups.append(np.unique(cell, return_inverse=True)[1].reshape(-1))
        prices.append(width / 2**halvings)
    groups.append(np.zeros(size, np.int64))
    prices.append(width)
    return Levels(codes.weights[column] * np.array(prices), np.stack(groups).astype(np.int64))


def path_words(codes: Codes, columns: Sequence[int], levels: Sequence[Levels]) -> Words:
    """Return the path of every tuple in some columns, whose levels are given."""
    fields: list[tuple[int, int, int, int]] = []
    words = [np.zeros(codes.n_tuples, np.uint64)]
    used = 0
    for place, (column, own) in enumerate(zip(columns, levels, strict=True)):
        for level in range(len(own.prices) - 2, -1, -1):
            upper, lower = own.groups[level + 1], own.groups[level]
            within = lower - _first_of(upper, lower)
            bits = int(within.max(initial=0)).bit_length()
            if bits == 0:
                continue
            if used + bits > 64:
                words.append(np.zeros(codes.n_tuples, np.uint64))
                used = 0
            words[-1] |= within[codes.columns[column]].astype(np.uint64) << np.uint64(used)
            fields.append((place, level, len(words) - 1, ((1 << bits) - 1) << used))
            used += bits
    return Words(np.stack(words, axis=1), fields)


def _first_of(upper: IntVector, lower: IntVector) -> IntVector:
    """Return for each code the lowest number that a code of its upper group has in `lower`."""
    first = np.full(int(upper.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, upper, lower)
    return first[upper]


def cheapest_mixes(words: Words, levels: Sequence[Levels], most: int) -> Mixes:
    """Return the cheapest mixes of levels, at most so many, from cheap to dear; ties: the lowest levels first."""
    prices, masks = [], []
    for total, mix in itertools.islice(_mixes(levels), most):
        mask = [0] * words.words.shape[1]
        for column, level, word, bits in words.fields:
            if level >= mix[column]:
                mask[word] |= bits
        prices.append(total)
        masks.append(mask)
    return Mixes(np.array(masks, np.uint64), np.array(prices))


def _mixes(levels: Sequence[Levels]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield (price, level of each column) in rising order: each mix follows from one with one level less."""
    heap = [(0.0, (0,) * len(levels))]
    while heap:
        total, mix = heapq.heappop(heap)
        yield total, mix
        last = max((column for column, level in enumerate(mix) if level), default=0)
        for column in range(last, len(levels)):  # so that each mix is reached in one way
            if mix[column] + 1 < len(levels[column].prices):
                raised = (*mix[:column], mix[column] + 1, *mix[column + 1 :])
                heapq.heappush(
                    heap, (sum(float(own.prices[at]) for own, at in zip(levels, raised, strict=True)), raised)
                )
