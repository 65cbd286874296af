"""Classes while whole neighbourhoods of them are made anew: their boxes, and their rows in lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.codes.prices import Measure
from covey.compiled.kernel import kernel
from covey.search.kernels.class_tree import joined_extent
from covey.search.kernels.edges import widen
from covey.search.refine.rules import Rules

__all__ = ["Scene", "new_scene", "put", "rows_of"]


class Scene(NamedTuple):
    """All that neighbourhood search looks at and changes; a class without rows is a place for a new one."""

    columns: Measure
    """Prices in whole numbers"""
    points: np.ndarray
    """(t, p) float64: the tuples, as classes hold them"""
    tuples: np.ndarray
    """(n,) int64: the tuple of each row"""
    label: np.ndarray
    """(n,) int64: the class of each row"""
    low: np.ndarray
    """(c, p) float64: the box of each class"""
    high: np.ndarray
    """(c, p) float64"""
    rows: np.ndarray
    """(c,) int64"""
    extent: np.ndarray
    """(c,) float64"""
    head: np.ndarray
    """(c,) int64: the first row of each class, -1 if it has none"""
    after: np.ndarray
    """(n,) int64: the next row of the same class, -1 behind the last"""
    items: np.ndarray
    """(n,) int64: each row as the rules know it"""
    rules: Rules
    """What every class must satisfy beside its rows"""


@kernel
def new_scene(columns, points, tuples, label, n_classes, room, items, rules) -> Scene:
    """Return the scene of rows in classes from 0 on, with room for some more classes."""
    n, p, size = label.shape[0], points.shape[1], n_classes + room
    low, high = np.full((size, p), np.inf), np.full((size, p), -np.inf)
    rows, head, after = np.zeros(size, np.int64), np.full(size, -1, np.int64), np.full(n, -1, np.int64)
    scene = Scene(columns, points, tuples, label, low, high, rows, np.zeros(size), head, after, items, rules)
    for i in range(n - 1, -1, -1):  # so that lists ascend
        c = label[i]
        put(scene, i, c)
        rows[c] += 1
        widen(low, high, c, points[tuples[i]])
    for c in range(n_classes):
        scene.extent[c] = joined_extent(columns, low[c], high[c], low[c])
    return scene


@kernel
def put(scene, i, c) -> None:
    """Put a row into the list of class c."""
    scene.label[i] = c
    scene.after[i], scene.head[c] = scene.head[c], i


@kernel
def rows_of(rows, head, after, chosen):
    """Return the rows of some classes, given how many each has and their lists."""
    total = 0
    for c in chosen:
        total += rows[c]
    found = np.empty(total, np.int64)
    place = 0
    for c in chosen:
        i = head[c]
        while i >= 0:
            found[place] = i
            place += 1
            i = after[i]
    return found
