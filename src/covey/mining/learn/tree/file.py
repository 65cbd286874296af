"""Trees as JSON text: all that a tree publishes, and checked to the last index when it is read.

A file holds the parameters, the names of all columns, the domain of those that the tree tests, and for each node how
many rows of each class it has and what it asks.  It holds no row, no span, and nothing of what was refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covey.induction.two_branches import Level
from covey.mining.faults import bad_labels, bad_model
from covey.mining.learn.tree.published import GrownTree, Node, Test, TreeColumn

__all__ = ["ReadTree", "from_json", "to_json"]

_FORMAT, _VERSION = "covey tree", 1
_KINDS = ("category", "number", "date")


@dataclass(frozen=True, slots=True)
class ReadTree:
    """What a file tells: the tree, and the parameters that it was grown with."""

    tree: GrownTree
    parameters: dict[str, Any]


def to_json(tree: GrownTree, estimator: str, parameters: Mapping[str, Any]) -> str:
    """Return the text of a file."""
    used = tree.used_columns()
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "estimator": estimator,
        "parameters": dict(parameters),
        "target": tree.target,
        "classes": list(tree.classes),
        "columns": [_column_told(column, place in used) for place, column in enumerate(tree.columns)],
        "nodes": [_node_told(node) for node in tree.nodes],
    }
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        raise bad_labels(
            "the classes of the tree are neither texts nor numbers", "train with texts as classes"
        ) from None


def _column_told(column: TreeColumn, is_used: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"name": column.name, "public": column.is_public, "kind": column.kind}
    if is_used and column.kind == "category":
        told["values"] = list(column.values)
        told["levels"] = [{"branches": level.branches, "branch_of": level.branch_of} for level in column.levels]
    elif is_used:
        told["missing"] = column.has_missing
        told["zone"] = column.zone
    return told


def _node_told(node: Node) -> dict[str, Any]:
    told: dict[str, Any] = {"counts": list(node.counts)}
    if node.test is None:
        return told
    told["column"] = node.test.column
    if node.test.level is not None:
        told["level"] = node.test.level
    else:
        # whether the number is missing is asked by a threshold below all numbers, which JSON cannot write
        told["threshold"] = None if node.test.threshold == -math.inf else node.test.threshold
    return {**told, "branches": list(node.branches), "children": list(node.children)}


def from_json(text: str, estimator: str, parameters: Sequence[str]) -> ReadTree:
    """Return what a text tells; raises `InputError` if it was not written for `estimator`, or contradicts itself."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise bad_model("the text is no JSON, so no tree can be read from it") from None
    _require(isinstance(document, dict) and document.get("format") == _FORMAT, "is not one that covey wrote")
    _require(document.get("version") == _VERSION, "is of a version that this covey does not know")
    _require(document.get("estimator") == estimator, f"is not one of {estimator}")
    told = document.get("parameters")
    _require(isinstance(told, dict) and set(told) <= set(parameters), "has parameters that it cannot have")
    columns = tuple(_read_column(column) for column in _list(document, "columns"))
    names = [column.name for column in columns]
    _require(len(set(names)) == len(names), "has two columns of one name")
    classes = tuple(_list(document, "classes"))
    _require(bool(classes) and all(isinstance(label, str | int | float) for label in classes), "has no classes")
    nodes = tuple(_read_node(node, columns, len(classes)) for node in _list(document, "nodes"))
    _check_links(nodes)
    target = document.get("target")
    _require(isinstance(target, str), "does not name its target")
    return ReadTree(GrownTree(columns, nodes, classes, str(target)), dict(told))


def _require(holds: bool, fault: str) -> None:
    if not holds:
        raise bad_model(f"the tree in the text {fault}")


def _list(mapping: Any, key: str) -> list[Any]:
    found = mapping.get(key) if isinstance(mapping, dict) else None
    _require(isinstance(found, list), f"does not list its {key}")
    return list(found or ())


def _numbers(mapping: Any, key: str, below: int) -> tuple[int, ...]:
    found = _list(mapping, key)
    _require(all(type(number) is int and 0 <= number < below for number in found), f"has {key} that cannot be")
    return tuple(found)


def _texts(mapping: Any, key: str) -> tuple[str | None, ...]:
    found = _list(mapping, key)
    _require(all(text is None or isinstance(text, str) for text in found), f"has {key} that are no texts")
    return tuple(found)


def _read_column(told: Any) -> TreeColumn:
    _require(isinstance(told, dict) and isinstance(told.get("name"), str), "has a column without a name")
    _require(isinstance(told.get("public"), bool) and told.get("kind") in _KINDS, "has a column of no known kind")
    name, is_public, kind = told["name"], told["public"], told["kind"]
    if "values" in told:
        values = _texts(told, "values")
        levels = tuple(_read_level(level, len(values)) for level in _list(told, "levels"))
        _require(kind == "category" and len(set(values)) == len(values), "has a column with a value twice")
        return TreeColumn(name, is_public, kind, values, levels)
    zone = told.get("zone")
    _require(zone is None or isinstance(zone, str), "has a time zone that is no text")
    return TreeColumn(name, is_public, kind, has_missing=told.get("missing") is True, zone=zone)


def _read_level(told: Any, n_values: int) -> Level:
    branches = _texts(told, "branches")
    branch_of = _numbers(told, "branch_of", len(branches))
    _require(len(branch_of) == n_values, "has a level that does not part all values")
    return Level(branches, branch_of)


def _read_node(told: Any, columns: tuple[TreeColumn, ...], n_classes: int) -> Node:
    counts = _numbers(told, "counts", 2**62)
    _require(len(counts) == n_classes, "has a node without a count for each class")
    if "column" not in told:
        return Node(counts)
    place = told["column"]
    _require(type(place) is int and 0 <= place < len(columns), "tests a column that it does not have")
    column = columns[place]
    if column.kind == "category":
        level = told.get("level")
        _require(type(level) is int and 0 <= level < len(column.levels), "tests a level that there is not")
        test, n_branches = Test(place, level=level), len(column.levels[level].branches)
    else:
        threshold = told.get("threshold", "none")
        is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
        _require(threshold is None or (is_number and math.isfinite(threshold)), "has a threshold that is no number")
        test, n_branches = Test(place, threshold=-math.inf if threshold is None else float(threshold)), 2
    branches = _numbers(told, "branches", n_branches)
    children = _numbers(told, "children", 2**31)
    _require(len(children) == len(branches) == len(set(branches)) > 0, "has a test without children")
    return Node(counts, test, branches, children)


def _check_links(nodes: tuple[Node, ...]) -> None:
    """Raise `InputError` unless every node but the root has one node above it, with a lower number."""
    _require(bool(nodes) and any(nodes[0].counts), "has no rows")
    parents = [-1] * len(nodes)
    for number, node in enumerate(nodes):
        for child in node.children:
            _require(number < child < len(nodes) and parents[child] < 0, "has nodes that do not hang together")
            parents[child] = number
        if node.children:
            sums = tuple(map(sum, zip(*(nodes[child].counts for child in node.children), strict=True)))
            _require(sums == node.counts, "has counts that do not add up")
    _require(all(parent >= 0 for parent in parents[1:]), "has nodes that do not hang together")
