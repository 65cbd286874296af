"""Sums of squares from the definition, and the best partition by trying all."""

from __future__ import annotations

import numpy as np


def sum_of_squares(points, labels):
    """Return the squared distances of all rows from the means of their classes."""
    return sum(float(((points[labels == c] - points[labels == c].mean(0)) ** 2).sum()) for c in np.unique(labels))


def partitions(rows, k):
    """Yield every way to part rows into classes of k or more."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for mask in range(1 << len(rest)):
        own = [first, *(row for at, row in enumerate(rest) if mask >> at & 1)]
        if len(own) < k:
            continue
        others = [row for at, row in enumerate(rest) if not mask >> at & 1]
        if others and len(others) < k:
            continue
        for more in partitions(others, k):
            yield [own, *more]


def least_sum_of_squares(points, k):
    """Return the least sum of squares of all partitions."""
    best = np.inf
    for classes in partitions(list(range(len(points))), k):
        labels = np.empty(len(points), int)
        for c, rows in enumerate(classes):
            labels[rows] = c
        best = min(best, sum_of_squares(points, labels))
    return best


def growth(points, rows, i):
    """Return by how much the sum of squares of some rows grows with row i."""
    return one_class(points, [*rows, i]) - one_class(points, rows)


def one_class(points, rows):
    """Return the sum of squares of one class, 0 of none."""
    return float(((points[rows] - points[rows].mean(0)) ** 2).sum()) if len(rows) else 0.0


def grown_around_means(points, k, place):
    """Return classes, each grown from the furthest of three rows drawn by the rows nearest to all that it has.

    place: which of so many rows is drawn, by the number of the class and of the draw.
    """
    left, classes, middle = list(range(len(points))), [], points.mean(0)
    while left:
        drawn = [left[place(len(classes), number, len(left))] for number in range(3)]
        away = [((points[i] - middle) ** 2).sum() for i in drawn]
        rows = [drawn[int(np.argmax(away))]]
        left.remove(rows[0])
        while left and (len(rows) < k or len(rows) + len(left) < 2 * k):
            near = [((points[rows] - points[i]) ** 2).sum() for i in left]
            rows.append(left.pop(int(np.argmin(near))))
        classes.append(rows)
    return classes


def improved(points, classes, k):
    """Return the classes after moves, swaps and dissolves, each as soon as it helps, until none does."""
    classes = [list(rows) for rows in classes]
    n = len(points)

    def of(i):
        return next(c for c, rows in enumerate(classes) if i in rows)

    def home_of(i, own, most):
        best, home = most, None
        for c, rows in enumerate(classes):
            if c != own and rows and (grown := growth(points, rows, i)) < best - 1e-12:
                best, home = grown, c
        return best, home

    def move():
        moved = False
        for i in range(n):
            own = of(i)
            if len(classes[own]) <= k:
                continue
            saved = growth(points, [j for j in classes[own] if j != i], i)
            _, home = home_of(i, own, saved)
            if home is not None:
                classes[own].remove(i)
                classes[home].append(i)
                moved = True
        return moved

    def swap():
        swapped = False
        for i in range(n):
            for j in range(i):
                e, f = of(i), of(j)
                if e == f:
                    continue
                here, there = [x for x in classes[e] if x != i] + [j], [x for x in classes[f] if x != j] + [i]
                before = one_class(points, classes[e]) + one_class(points, classes[f])
                if one_class(points, here) + one_class(points, there) < before - 1e-12:
                    classes[e], classes[f] = here, there
                    swapped = True
        return swapped

    def dissolve(c):
        rows, before = sorted(classes[c]), [list(own) for own in classes]
        left = one_class(points, rows)
        for i in rows:
            grown, home = home_of(i, c, left)
            if home is None:
                classes[:] = before
                return False
            classes[c].remove(i)
            classes[home].append(i)
            left -= grown
        return True

    while True:
        changed = move()
        changed |= swap()
        for c in range(len(classes)):
            changed |= bool(classes[c]) and dissolve(c)
        if not changed:
            return classes
