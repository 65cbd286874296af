"""Lower bounds by looking at every set of k rows, and the least loss by looking at every partition of a tiny table."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from covey.codes.prices import extent


def row_extent(codes, rows):
    """Return the extent of rows of a table, by the codes' own prices."""
    own = codes.columns[:, codes.row_tuple[list(rows)]].astype(np.int64)
    return float(extent(codes.measure, own.min(axis=1), own.max(axis=1)))


def least_extents(codes, k):
    """Return for each row the least extent of k rows that include it."""
    n = len(codes.row_tuple)
    least = [float("inf")] * n
    for rows in itertools.combinations(range(n), k):
        price = row_extent(codes, rows)
        for row in rows:
            least[row] = min(least[row], price)
    return least


def dearest_excess(codes, k, prices):
    """Return the most by which k rows cost more than k times their extent; prices: of each row."""
    n = len(codes.row_tuple)
    return max(
        sum(prices[row] for row in rows) - k * row_extent(codes, rows) for rows in itertools.combinations(range(n), k)
    )


def least_loss(codes, k, suppressed=None):
    """Return the least Total-IL of classes of k rows; suppressed: what a row costs that is left out, if any may be."""
    n = len(codes.row_tuple)

    @cache
    def least(left):
        if not left:
            return 0.0
        first, others = left[0], left[1:]
        best = float("inf") if suppressed is None else suppressed + least(others)
        for size in range(k - 1, min(2 * k - 1, len(others) + 1)):
            for more in itertools.combinations(others, size):
                rest = tuple(row for row in others if row not in more)
                if suppressed is None and 0 < len(rest) < k:
                    continue
                best = min(best, (size + 1) * row_extent(codes, (first, *more)) + least(rest))
        return best

    return least(tuple(range(n)))


def repaired(space, guess, least):
    """Return the prices that a repair leaves, every box looked at in turn, nothing left out."""
    k, grain, lines = space.k, space.grain, space.lines
    prices = [max(min(int(one), space.highest * grain), space.lowest * grain) for one in guess]
    floors = [int(one) * grain for one in least]
    for mask, base in zip(space.masks, space.bases.tolist(), strict=True):
        groups = {}
        for t in space.order.tolist():
            groups.setdefault(tuple((space.words[t] & mask).tolist()), []).append(t)
        for members in groups.values():
            if sum(int(space.counts[t]) for t in members) < k:
                continue
            cells, others = [sorted({int(lines.cells[side, t]) for t in members}) for side in range(2)]
            for a, b in ((a, b) for i, a in enumerate(cells) for b in cells[i:]):
                for c, d in ((c, d) for i, c in enumerate(others) for d in others[i:]):
                    sides = base + _side(lines, 0, a, b) + _side(lines, 1, c, d)
                    within = [t for t in members if a <= lines.cells[0, t] <= b and c <= lines.cells[1, t] <= d]
                    _settle_windows(space, within, sides, prices, floors)
    return prices


def _side(lines, side, first, last):
    if first == last:
        return 0
    return min(int(lines.low[side, last]) - int(lines.high[side, first]), int(lines.widths[side]))


def _settle_windows(space, members, sides, prices, floors):
    places = sorted({int(space.lines.places[t]) for t in members})
    for i, low in enumerate(places):
        for high in places[i:]:
            limit = space.k * space.grain * (sides + min(high - low, space.lines.width))
            window = [t for t in members if low <= space.lines.places[t] <= high]
            top = _dearest(space, window, prices)
            while top and sum(prices[t] for t in top) > limit:
                _lower(top, limit, prices, floors)
                top = _dearest(space, window, prices)
            if top and max(prices[t] for t in window if space.lines.places[t] == low) < prices[top[-1]]:
                break  # the first place has none of the k dearest: a window that begins later has the same


def _dearest(space, window, prices):
    """Return the tuples of the k dearest rows; of equally dear ones those that come first; none if they are fewer."""
    rows = [t for t in window for _ in range(int(space.counts[t]))]
    return sorted(rows, key=lambda t: -prices[t])[: space.k] if len(rows) >= space.k else []


def _lower(top, limit, prices, floors):
    above, least = 0.0, 0
    for t in top:
        above += max(prices[t] - floors[t], 0)
        least += min(prices[t], floors[t])
    share = max((limit - least) / above, 0.0)
    for t in dict.fromkeys(top):
        if prices[t] > floors[t]:
            prices[t] = min(floors[t] + int(np.floor((prices[t] - floors[t]) * share)), prices[t] - 1)


def program_value(codes, k):
    """Return the value of the program of all sets of k rows without whole numbers."""
    from scipy.optimize import linprog

    n = len(codes.row_tuple)
    sets = list(itertools.combinations(range(n), k))
    taken = np.zeros((n, len(sets)))
    for column, rows in enumerate(sets):
        taken[list(rows), column] = 1.0
    return linprog([k * row_extent(codes, rows) for rows in sets], A_eq=taken, b_eq=np.ones(n)).fun
