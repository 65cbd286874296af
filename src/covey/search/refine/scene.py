"""Classes while whole neighbourhoods of them are made anew: their rows in lists, and which tuples are near."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.codes.prices import Measure
from covey.compiled.kernel import kernel, lean_kernel
from covey.search.kernels.class_tree import joined_extent, members_of, term_between
from covey.search.kernels.edges import widen

__all__ = ["NEAR", "Scene", "look_around", "new_scene", "put"]

NEAR = 48
"""So many near tuples are known of a tuple."""
UNKNOWN = -1
HOW_MANY = -1


class Scene(NamedTuple):
    """All that neighbourhood search looks at and changes; a class without rows is a place for a new one."""

    columns: Measure
    """Prices in whole numbers"""
    points: np.ndarray
    """(t, p) float64: the tuples, as classes hold them"""
    tuples: np.ndarray
    """(n,) int64: the tuple of each row"""
    begin: np.ndarray
    """(t + 1,) int64: the rows of tuple t are of_tuple[begin[t]:begin[t + 1]]"""
    of_tuple: np.ndarray
    """(n,) int64"""
    near: np.ndarray
    """(t, NEAR) int64: the tuples nearest to each, itself the first, -1 behind the last; `UNKNOWN`: not looked for"""
    label: np.ndarray
    """(n,) int64: the class of each row"""
    rows: np.ndarray
    """(c,) int64"""
    extent: np.ndarray
    """(c,) float64"""
    head: np.ndarray
    """(c,) int64: the first row of each class, -1 if it has none"""
    after: np.ndarray
    """(n,) int64: the next row of the same class, -1 behind the last"""
    free: np.ndarray
    """(c + 1,) int64: the classes without rows, and, at the end, how many they are"""
    items: np.ndarray
    """(n,) int64: each row as the rules know it"""


@kernel
def new_scene(columns, points, tuples, label, n_classes, room, items) -> Scene:
    """Return the scene of rows in classes from 0 on, with room for some more classes."""
    n, (t, p), size = label.shape[0], points.shape, n_classes + room
    begin, of_tuple = members_of(tuples, t)
    scene = Scene(
        columns, points, tuples, begin, of_tuple, np.full((t, NEAR), UNKNOWN, np.int64), label,
        np.zeros(size, np.int64), np.zeros(size), np.full(size, -1, np.int64), np.full(n, -1, np.int64),
        np.zeros(size + 1, np.int64), items,
    )  # fmt: skip
    low, high = np.full((n_classes, p), np.inf), np.full((n_classes, p), -np.inf)
    for i in range(n - 1, -1, -1):  # so that lists ascend
        c = label[i]
        put(scene, i, c)
        scene.rows[c] += 1
        widen(low, high, c, points[tuples[i]])
    for c in range(n_classes):
        scene.extent[c] = joined_extent(columns, low[c], high[c], low[c])
    for c in range(size - 1, n_classes - 1, -1):
        scene.free[size - 1 - c] = c
    scene.free[HOW_MANY] = room
    return scene


@lean_kernel
def put(scene, i, c) -> None:
    """Put a row into the list of class c."""
    scene.label[i] = c
    scene.after[i], scene.head[c] = scene.head[c], i


@kernel
def look_around(scene, t) -> None:
    """Find the tuples that are nearest to tuple t, the lowest of equals first, if that was not done before."""
    points, found, columns = scene.points, scene.near[t], scene.columns
    if found[0] != UNKNOWN:
        return
    best = np.full(NEAR, np.inf)
    found[0], best[0] = t, -1.0
    for other in range(points.shape[0]):
        distance = 0.0 if other != t else np.inf
        for j in range(points.shape[1]):
            if distance >= best[NEAR - 1]:
                break
            x, y = points[t, j], points[other, j]
            distance += term_between(columns, j, min(x, y), max(x, y))
        if distance < best[NEAR - 1]:
            place = NEAR - 1
            while best[place - 1] > distance:
                best[place], found[place] = best[place - 1], found[place - 1]
                place -= 1
            best[place], found[place] = distance, other
