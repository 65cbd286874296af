"""Spans by brute force: every assignment of private values, one by one, through every tree.

A tree is a nested tuple: ("leaf", name), ("cut", attribute, threshold, below, above, missing_below) or
("split", attribute, {value: child}, other), where a value without a branch ends at ("none", path).
Missing is None.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any


def leaf_of(tree: Any, row: dict[str, Any], path: tuple[Any, ...] = ()) -> Any:
    """Return the leaf that a row falls into, named by the way to it."""
    if tree[0] == "leaf":
        return path
    value = row[tree[1]]
    if tree[0] == "cut":
        _, _, threshold, below, above, missing_below = tree
        is_below = missing_below if value is None else value <= threshold
        return leaf_of(below if is_below else above, row, (*path, bool(is_below)))
    _, _, children, other = tree
    for place, (values, child) in enumerate(children):
        if value in values:
            return leaf_of(child, row, (*path, place))
    return (*path, "none") if other is None else leaf_of(other, row, (*path, "other"))


def spans_by_hand(
    trees: list[Any],
    rows: list[dict[str, Any]],
    private: dict[str, list[Any]],
    labels: list[Any] | None,
    all_labels: list[Any],
    label_is_private: bool,
) -> list[tuple[frozenset[Any], int, bool]]:
    """Return (span, how many rows share it, whether it is multiple) of every row.

    private: the domain of each private attribute.  A class of the model is a leaf in every tree and a label; what
    others know of a row are its public attributes, and its label if that is public.
    """
    names = list(private)
    found = []
    known: dict[Any, set[Any]] = {}  # leaves by what is public, so as to enumerate once for equal rows
    for i, row in enumerate(rows):
        if labels is None:
            own: list[Any] = [None]
        else:
            own = all_labels if label_is_private else [labels[i]]
        public = tuple(row[name] for name in row if name not in private)
        if public not in known:
            known[public] = set()
            for values in itertools.product(*private.values()):
                whole = {**row, **dict(zip(names, values, strict=True))}
                known[public].add(tuple(leaf_of(tree, whole) for tree in trees))
        found.append(frozenset((leaves, label) for leaves in known[public] for label in own))
    shared = Counter(found)
    return [(span, shared[span], len(span) > 1) for span in found]
