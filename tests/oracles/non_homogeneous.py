"""Rings and windows by the book: every tour step compares all rows that are left, every window lists its rows."""

from __future__ import annotations

from oracles.k_member import extent


def window(order, starts, place, k):
    """Return the k rows from a place on, in its ring and around its end."""
    ring = max(r for r in range(len(starts) - 1) if starts[r] <= place)
    begin, rows = starts[ring], starts[ring + 1] - starts[ring]
    return [order[begin + (place - begin + step) % rows] for step in range(k)]


def box(matrix, rows):
    """Return (low, high): the least box around some rows of (p, n) codes."""
    return (
        [min(int(column[row]) for row in rows) for column in matrix],
        [max(int(column[row]) for row in rows) for column in matrix],
    )


def loss(matrix, kinds, weights, parts, sizes, order, starts, k):
    """Return the sum over windows of their extent."""
    columns = (kinds, weights, parts, sizes)
    boxes = [box(matrix, window(order, starts, place, k)) for place in range(len(order))]
    return sum(extent(low, high, *columns) for low, high in boxes)


def tours(matrix, kinds, weights, parts, sizes, rings, k, ahead=2048):
    """Return (order, starts) of the rows, given the ring of each.

    Equal rows of a ring are one item and stay together, in row order.  The next item widens the box of the last k // 2
    rows (of whole items) least; ties: nearest to the last item, then first by codes.
    """
    columns = (kinds, weights, parts, sizes)
    codes = [tuple(int(code) for code in matrix[:, row]) for row in range(matrix.shape[1])]
    order, starts = [], [0]

    def widened(members, item):
        values = list(zip(*members, item, strict=True))
        return extent([min(value) for value in values], [max(value) for value in values], *columns)

    for ring in range(max(rings) + 1):
        items = {}
        for row in sorted((row for row in range(len(codes)) if rings[row] == ring), key=lambda row: (codes[row], row)):
            items.setdefault(codes[row], []).append(row)
        left = list(items)
        tour = [left.pop(0)]
        while left:
            recent, rows = [], 0
            for item in reversed(tour):
                recent.append(item)
                rows += len(items[item])
                if rows >= max(k // 2, 1):
                    break
            ranked = [
                (widened(recent, item), widened([tour[-1]], item), place) for place, item in enumerate(left[:ahead])
            ]
            tour.append(left.pop(min(ranked)[2]))
        order += [row for item in tour for row in items[item]]
        starts.append(len(order))
    return order, starts
