"""Moves, dissolves and swaps among the classes of a pool alone, until nothing helps."""

from __future__ import annotations

from covey.compiled.kernel import lean_kernel
from covey.search.refine.pool import (
    CLASSES,
    ROWS,
    box_without,
    extent_of,
    extent_with,
    extents_with,
    fit,
    has_rules,
    holds_with,
    join,
)  # fmt: skip

__all__ = ["improve"]

LOW, HIGH = 0, 1
OTHER_LOW, OTHER_HIGH = 2, 3


@lean_kernel
def improve(pool, k) -> None:
    """Change the classes of a pool until no row moved, class dissolved or pair of rows swapped loses less."""
    rows, extent = pool.rows, pool.extent
    for c in range(pool.size[CLASSES]):
        if rows[c] > 0:
            fit(pool, c)
    while True:
        changed = _move(pool, k)
        for c in range(pool.size[CLASSES]):
            changed |= rows[c] > 0 and extent[c] > 0.0 and _dissolve(pool, c)
        if not changed and not _swap(pool):
            return


@lean_kernel
def _move(pool, k):
    """Move each row of a class above k rows to where all lose least, if that is less; return whether any moved."""
    label, rows, extent, with_row, without = pool.label, pool.rows, pool.extent, pool.with_row, pool.without
    n, picky = pool.size[CLASSES], has_rules(pool)
    moved = False
    for i in range(pool.size[ROWS]):
        own = label[i]
        if rows[own] <= k or extent[own] == 0.0:
            continue
        best, home = rows[own] * extent[own] - (rows[own] - 1) * without[i], -1
        for c in range(n):
            if c == own or rows[c] == 0:
                continue
            growth = (rows[c] + 1) * with_row[c, i] - rows[c] * extent[c]
            if growth < best and (not picky or holds_with(pool, c, -1, i)):
                best, home = growth, c
        if home >= 0 and (not picky or holds_with(pool, own, i, -1)):
            label[i] = home
            rows[own] -= 1
            rows[home] += 1
            fit(pool, own)
            fit(pool, home)
            moved = True
    return moved


@lean_kernel
def _dissolve(pool, c):
    """Let the rows of a class go to the cheapest homes if all together lose less there; return whether they did."""
    m, label, before, rows = pool.size[ROWS], pool.label, pool.before, pool.rows
    left = rows[c] * pool.extent[c]
    for i in range(m):
        before[i] = label[i]
    for i in range(m):
        if before[i] != c:
            continue
        home, growth = _home(pool, i, c, left)
        if home < 0:
            _return(pool, c)
            return False
        left -= growth
        join(pool, i, home)
    rows[c], pool.extent[c] = 0, 0.0
    for d in range(pool.size[CLASSES]):
        if _has_new_rows(label, before, m, d):
            fit(pool, d)
    return True


@lean_kernel
def _home(pool, i, c, most):
    """Return (class, growth): where the loss grows least with row i of class c, -1 if everywhere by `most` or more."""
    rows, extent, with_row, low, high, picky = (
        pool.rows, pool.extent, pool.with_row, pool.low, pool.high, has_rules(pool),
    )  # fmt: skip
    kinds, weights, widest, trees, points = pool.kinds, pool.weights, pool.most, pool.columns, pool.points
    home = -1
    for d in range(pool.size[CLASSES]):
        # boxes only grow here, so that a row costs no less than it did
        if d == c or rows[d] == 0 or (rows[d] + 1) * with_row[d, i] - rows[d] * extent[d] >= most:
            continue
        after = extent_with(kinds, weights, widest, trees, points, i, low[d], high[d])
        growth = (rows[d] + 1) * after - rows[d] * extent[d]
        if growth < most and (not picky or holds_with(pool, d, -1, i)):
            most, home = growth, d
    return home, most


@lean_kernel
def _has_new_rows(label, before, m, d):
    found = False
    for i in range(m):
        found |= label[i] == d and before[i] != d
    return found


@lean_kernel
def _return(pool, c):
    """Let the rows that went from class c to others be in it again."""
    m, label, before = pool.size[ROWS], pool.label, pool.before
    for d in range(pool.size[CLASSES]):
        gone = 0
        for i in range(m):
            if label[i] == d and before[i] != d:
                label[i] = c
                gone += 1
        if gone > 0:
            low, high = pool.low[d], pool.high[d]
            box_without(pool.points, label, m, d, -1, low, high)
            pool.rows[d] -= gone
            pool.extent[d] = extent_of(pool.kinds, pool.weights, pool.most, pool.columns, low, high)


@lean_kernel
def _swap(pool):
    """Swap each row with the one that saves most; return whether any was."""
    m, points, label, cost = pool.size[ROWS], pool.points, pool.label, pool.cost
    kinds, weights, most, trees = pool.kinds, pool.weights, pool.most, pool.columns
    low, high, without, extent = pool.box[LOW], pool.box[HIGH], pool.without, pool.extent
    swapped = False
    for i in range(m):
        e = label[i]
        if without[i] >= extent[e]:  # its class gains nothing
            continue
        box_without(points, label, m, e, i, low, high)
        extents_with(kinds, weights, most, trees, points, m, low, high, cost)
        other = _best_other(pool, i)
        if other >= 0:
            f = label[other]
            label[i], label[other] = f, e
            fit(pool, e)
            fit(pool, f)
            swapped = True
    return swapped


@lean_kernel
def _best_other(pool, i):
    """Return the row with which row i changes places best, -1 if nothing is saved; `cost`: of its class without it."""
    m, points, label, cost, rows, extent = pool.size[ROWS], pool.points, pool.label, pool.cost, pool.rows, pool.extent
    kinds, weights, widest, trees = pool.kinds, pool.weights, pool.most, pool.columns
    low, high, without, picky = pool.box[OTHER_LOW], pool.box[OTHER_HIGH], pool.without, has_rules(pool)
    e, most, other = label[i], 0.0, -1
    for j in range(m):
        f = label[j]
        if f == e:
            continue
        saved = rows[e] * (extent[e] - cost[j]) + rows[f] * extent[f]
        if saved - rows[f] * without[j] <= most:  # even if row i cost nothing there
            continue
        box_without(points, label, m, f, j, low, high)
        saved -= rows[f] * extent_with(kinds, weights, widest, trees, points, i, low, high)
        if saved > most and (not picky or (holds_with(pool, e, i, j) and holds_with(pool, f, j, i))):
            most, other = saved, j
    return other
