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


def cheapest(classes, row, extent, passes=lambda rows: True):
    """Return (growth, class) of the class whose loss grows least of those that pass, the lowest of equals, or None."""
    found = [(growth(rows, row, extent), c) for c, rows in enumerate(classes) if rows and passes([*rows, row])]
    return min(found, default=None)


def move_rows(classes, n_rows, k, extent, passes):
    """Move every row, in order, to where all lose less, if both classes then pass; return how many moved."""
    moved = 0
    for row in range(n_rows):
        own = next(c for c, rows in enumerate(classes) if row in rows)
        if len(classes[own]) <= k or extent(classes[own]) == 0:
            continue
        classes[own].remove(row)
        saved = growth(classes[own], row, extent)
        found = cheapest(classes, row, extent)
        is_better = found[0] < saved and passes(classes[own]) and passes([*classes[found[1]], row])
        target = found[1] if is_better else own
        classes[target].insert(0, row)
        moved += target != own
    return moved


def dissolve(classes, c, extent, passes, step_by_step=False):
    """Let the rows of a class join others one by one, in order, if all lose less and pass; return whether they did.

    step_by_step: each row joins the cheapest class that passes with it.
    """
    before = total(classes, extent)
    after = [[*rows] for rows in classes]
    after[c] = []
    for row in classes[c]:
        found = cheapest(after, row, extent, passes) if step_by_step else cheapest(after, row, extent)
        if found is None:
            return False
        after[found[1]].insert(0, row)
    if total(after, extent) >= before or not all(map(passes, after)):
        return False
    classes[:] = after
    return True


def dissolve_classes(classes, extent, passes):
    """Dissolve the classes, the dearest first; return how many."""
    order = sorted(range(len(classes)), key=lambda c: (-len(classes[c]) * extent(classes[c]), c))
    return sum(dissolve(classes, c, extent, passes) for c in order if extent(classes[c]) > 0)


def grown(n_rows, k, biased, extent, needs, passes):
    """Return classes that grow, one after another, from the first row left by the rows that widen them least.

    biased: the extent by which they grow; needs: how many rows a class needs at least with given rows in it; rows that
    would raise that come last.
    """
    left, classes = list(range(n_rows)), []
    while len(left) >= k:
        own = [left.pop(0)]
        while left:
            wanted = [row for row in left if needs([*own, row]) <= needs(own)]
            row = min(wanted or left, key=lambda one: (biased([*own, one]), one))
            if len(own) >= needs(own) and (biased([*own, row]) > biased(own) or biased(own) == 0):
                break
            own.append(row)
            left.remove(row)
        if len(own) < needs(own) and classes:
            left = sorted([*left, *own])
            break
        classes.append(own)
    for row in left:
        found = cheapest(classes, row, extent, passes) or (0, 0)
        classes[found[1]].append(row)
    return classes


def has_better_neighbour(classes, k, extent, passes):
    """Return whether one move, one dissolved class or one swap of two rows makes classes that pass lose less."""
    before = total(classes, extent)
    for own, rows in enumerate(classes):
        if dissolve([[*one] for one in classes], own, extent, passes, step_by_step=True):
            return True
        for row in rows:
            rest = [one for one in rows if one != row]
            for other, others in enumerate(classes):
                if other == own or not others:
                    continue
                changed = [[*one] for one in classes]
                changed[own], changed[other] = rest, [*others, row]
                if len(rows) > k and total(changed, extent) < before and all(map(passes, changed)):
                    return True
                for second in others:
                    changed[own] = [*rest, second]
                    changed[other] = [one for one in others if one != second] + [row]
                    if total(changed, extent) < before and all(map(passes, changed)):
                        return True
    return False
