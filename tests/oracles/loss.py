"""Losses by their definitions, row by row, from the original values and the released cells; no covey code.

A column is a plain dictionary:

- kind "numeric": `low`, `high` of the domain (numbers that Fraction takes);
- kind "ordered": `order`, the labels;
- kind "flat": `domain`, the labels;
- kind "tree": `tree`, nested dictionaries ending in lists of leaves.

A released cell is a tuple: ("point", value), ("interval", low, high) with None for an open end, ("set", labels),
("node", leaves below it), ("any",) or ("missing",).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

__all__ = ["losses", "price", "share", "tree_facts"]


def _place(column, value):
    if column["kind"] == "ordered":
        return Fraction(column["order"].index(value), max(len(column["order"]) - 1, 1))
    low, high = Fraction(column["low"]), Fraction(column["high"])
    return (Fraction(value) - low) / (high - low) if high > low else Fraction(0)


def _width(column, cell):
    if cell[1] is None or cell[2] is None:  # an open side may reach anywhere
        return Fraction(1)
    return _place(column, cell[2]) - _place(column, cell[1])


def tree_facts(tree):
    """Return (leaves in order, height of the tree, {leaves below a node: its height})."""
    heights = {}

    def walk(node):
        if isinstance(node, dict):
            below, tallest = (), 0
            for child in node.values():
                leaves, height = walk(child)
                below, tallest = below + leaves, max(tallest, height)
        else:
            below, tallest = tuple(node), 0
        if not below:  # a name without anything below it is a leaf, which its parent adds
            raise ValueError("give leaves as lists")
        heights.setdefault(below, tallest + 1)  # of several nodes over the same leaves the lowest counts
        return below, tallest + 1

    leaves, height = walk(tree)
    return leaves, height, heights


def price(column, cell):
    """Return what a released cell costs in Total-IL."""
    if cell[0] in ("point", "missing"):
        return Fraction(0)
    if cell[0] == "any":
        return Fraction(1)
    if cell[0] == "interval":
        return _width(column, cell)
    if cell[0] == "set":
        return Fraction(1)
    _, height, heights = tree_facts(column["tree"])
    return Fraction(heights[tuple(cell[1])], height)


def share(column, cell):
    """Return the share of the domain that a released cell covers (NCP): 0 for one value."""
    if cell[0] == "set":
        return Fraction(len(cell[1]), len(column["domain"]))
    if cell[0] == "node":
        return Fraction(len(cell[1]), len(tree_facts(column["tree"])[0]))
    return price(column, cell)


def losses(columns, weights, rows, k, suppressed=0, varies=None):
    """Return the losses of released rows, each a list of cells, one per column."""
    varies = [True] * len(columns) if varies is None else varies
    weights = [Fraction(weight) for weight in weights]
    dropped = suppressed * sum((w for w, v in zip(weights, varies, strict=True) if v), Fraction(0))
    n = len(rows) + suppressed

    def total(measure):
        return sum(
            (w * measure(c, cell) for row in rows for w, c, cell in zip(weights, columns, row, strict=True)), dropped
        )

    classes = Counter(tuple(row) for row in rows)
    ncp = total(share)
    return {
        "total_il": float(total(price)),
        "ncp": float(ncp),
        "gcp": float(ncp / (n * sum(weights))) if n and sum(weights) else 0.0,
        "dm": sum(size**2 for size in classes.values()) + suppressed * n,
        "c_avg": len(rows) / len(classes) / k if classes else 0.0,
        "columns": [
            float((sum((price(c, row[j]) for row in rows), Fraction(0)) + suppressed * v) / max(n, 1))
            for j, (c, v) in enumerate(zip(columns, varies, strict=True))
        ],
    }
