"""Counting rows and judging splits, for the induction of decision trees.

An attribute has `size` codes from 0; the codes of all attributes lie one after the other, those of attribute a
from `starts[a]` on.  Its options, from `first[a]` to `first[a + 1]`, are its levels (each a map from code to
branch, from `map_starts[option]` on in `maps`), or, for an ordered attribute, its cuts: codes up to the cut, and
the others.
"""

from __future__ import annotations

import numpy as np

from covey.compiled.kernel import kernel

__all__ = ["ENTROPY", "GINI", "count_codes", "option_gains", "options_that_keep", "part_rows"]

ENTROPY, GINI = 0, 1


@kernel
def count_codes(codes, starts, rows, labels, n_classes):
    """Return (codes of all attributes, n_classes) int64: how many of the rows have each code and class.

    codes (p, n) int32; starts (p + 1,); rows (m,) int32; labels (n,) int32.
    """
    counts = np.zeros((starts[-1], n_classes), np.int64)
    for a in range(codes.shape[0]):
        base = starts[a]
        for i in range(len(rows)):
            row = rows[i]
            counts[base + codes[a, row], labels[row]] += 1
    return counts


@kernel
def part_rows(rows, codes, branch_of, n_branches):
    """Return (m,) the rows branch by branch, each in their order, and (n_branches + 1,) where the branches begin.

    codes (n,) int32: of one attribute; branch_of (size,) int64.
    """
    begins = np.zeros(n_branches + 1, np.int64)
    for i in range(len(rows)):
        begins[branch_of[codes[rows[i]]] + 1] += 1
    begins = np.cumsum(begins)
    parted = np.empty_like(rows)
    place = begins[:-1].copy()
    for i in range(len(rows)):
        branch = branch_of[codes[rows[i]]]
        parted[place[branch]] = rows[i]
        place[branch] += 1
    return parted, begins


@kernel
def _disorder(counts, criterion):
    """Return rows x entropy in bits, or rows x Gini impurity, of one set of rows; counts (classes,)."""
    total = 0
    for c in range(len(counts)):
        total += counts[c]
    if total == 0:
        return 0.0
    if criterion == GINI:
        squares = 0.0
        for c in range(len(counts)):
            squares += float(counts[c]) * float(counts[c])
        return total - squares / total
    value = 0.0
    for c in range(len(counts)):
        if 0 < counts[c] < total:
            value -= counts[c] * np.log2(counts[c] / total)
    return value


@kernel
def option_gains(counts, starts, ordered, first, map_starts, maps, n_branches, criterion):
    """Return (options,) float64 the gain of each option, and (options,) int64 how far a cut is off the middle.

    counts (codes of all attributes, classes): of the rows of one node; ordered (p,) bool.  Cuts between which no row
    lies part the rows alike; the middle one of them is the furthest from the rows on both sides.

    The parts of a split are added from small to great: splits that part the rows alike gain the same to the last
    bit, whatever the order of their branches.
    """
    n_classes = counts.shape[1]
    gains = np.zeros(first[-1])
    off = np.zeros(first[-1], np.int64)
    whole = np.zeros(n_classes, np.int64)
    for code in range(starts[0], starts[1]):
        for c in range(n_classes):
            whole[c] += counts[code, c]
    n_rows = whole.sum()
    before = _disorder(whole, criterion)
    for a in range(len(ordered)):
        if ordered[a]:
            left = np.zeros(n_classes, np.int64)
            begin = first[a]
            for option in range(first[a], first[a + 1]):
                code = starts[a] + option - first[a]
                moved = 0
                for c in range(n_classes):
                    left[c] += counts[code, c]
                    moved += counts[code, c]
                if moved > 0:
                    for earlier in range(begin, option):
                        off[earlier] = abs(2 * earlier - begin - option + 1)
                    begin = option
                low, high = _disorder(left, criterion), _disorder(whole - left, criterion)
                gains[option] = (before - (min(low, high) + max(low, high))) / n_rows
            for earlier in range(begin, first[a + 1]):
                off[earlier] = abs(2 * earlier - begin - first[a + 1] + 1)
            continue
        own = counts[starts[a] : starts[a + 1]]
        present = np.flatnonzero(own.sum(axis=1))  # few in most nodes, where a category has many values
        for option in range(first[a], first[a + 1]):
            parts = np.zeros((n_branches[option], n_classes), np.int64)
            for code in present:
                branch = maps[map_starts[option] + code]
                for c in range(n_classes):
                    parts[branch, c] += own[code, c]
            disorders = np.empty(n_branches[option])
            for branch in range(n_branches[option]):
                disorders[branch] = _disorder(parts[branch], criterion)
            disorders.sort()
            after = 0.0
            for branch in range(n_branches[option]):
                after += disorders[branch]
            gains[option] = (before - after) / n_rows
    return gains, off


@kernel
def options_that_keep(populations, is_ordered, first, map_starts, maps, n_branches, k):
    """Return (options,) bool: whether each option of one attribute leaves every span with no row, or with k or more.

    populations (spans, size): rows of each span by code; first: (first option, option after the last).
    """
    n_options = first[1] - first[0]
    keeps = np.ones(n_options, np.bool_)
    for s in range(populations.shape[0]):
        if is_ordered:
            whole = populations[s].sum()
            left = 0
            for i in range(n_options):
                left += populations[s, i]
                if 0 < left < k or 0 < whole - left < k:
                    keeps[i] = False
            continue
        present = np.flatnonzero(populations[s])
        for i in range(n_options):
            if not keeps[i]:
                continue
            option = first[0] + i
            parts = np.zeros(n_branches[option], np.int64)
            for code in present:
                parts[maps[map_starts[option] + code]] += populations[s, code]
            for branch in range(n_branches[option]):
                if 0 < parts[branch] < k:
                    keeps[i] = False
                    break
    return keeps
