"""Moves, dissolves and swaps without index or bounds: every class is priced from its rows whenever it is asked.

A class is a list of rows; a row that joins comes first.
"""

from __future__ import annotations


def total(classes, extent):
    """Return what all classes lose; extent: of a list of rows."""
    return sum(len(rows) * extent(rows) for rows in classes if rows)


def growth(rows, row, extent):
    """Return by how much the loss of a class grows with one more row."""
    return (len(rows) + 1) * extent([*rows, row]) - len(rows) * extent(rows)


def cheapest(classes, row, extent, not_in=None):
    """Return (growth, class) of the class whose loss grows least, the lowest of equals; None if there is none."""
    return min(((growth(rows, row, extent), c) for c, rows in enumerate(classes) if rows and c != not_in), default=None)


def move_rows(classes, n_rows, k, extent):
    """Move every row, in order, to where all lose less; return how many moved."""
    moved = 0
    for row in range(n_rows):
        own = next(c for c, rows in enumerate(classes) if row in rows)
        if len(classes[own]) <= k or extent(classes[own]) == 0:
            continue
        classes[own].remove(row)
        saved = growth(classes[own], row, extent)
        found = cheapest(classes, row, extent)
        target = found[1] if found[0] < saved else own
        classes[target].insert(0, row)
        moved += target != own
    return moved


def dissolve(classes, c, extent):
    """Let the rows of a class join others one by one, in their order, if all lose less; return whether they did."""
    before = total(classes, extent)
    after = [[*rows] for rows in classes]
    after[c] = []
    for row in classes[c]:
        found = cheapest(after, row, extent)
        if found is None:
            return False
        after[found[1]].insert(0, row)
    if total(after, extent) >= before:
        return False
    classes[:] = after
    return True


def dissolve_classes(classes, extent):
    """Dissolve the classes, the dearest first; return how many."""
    order = sorted(range(len(classes)), key=lambda c: (-len(classes[c]) * extent(classes[c]), c))
    return sum(dissolve(classes, c, extent) for c in order if extent(classes[c]) > 0)


def has_better_neighbour(classes, k, extent):
    """Return whether one move, one dissolved class or one swap of two rows makes the classes lose less."""
    before = total(classes, extent)
    for own, rows in enumerate(classes):
        if dissolve([[*one] for one in classes], own, extent):
            return True
        for row in rows:
            rest = [one for one in rows if one != row]
            for other, others in enumerate(classes):
                if other == own or not others:
                    continue
                changed = [[*one] for one in classes]
                changed[own], changed[other] = rest, [*others, row]
                if len(rows) > k and total(changed, extent) < before:
                    return True
                for second in others:
                    changed[own] = [*rest, second]
                    changed[other] = [one for one in others if one != second] + [row]
                    if total(changed, extent) < before:
                        return True
    return False
