"""Random small domains and trees over them, and a comparison of their spans with brute force."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pyarrow as pa

from covey.mining.trees.model import ForestModel
from covey.mining.trees.reach import spans_of_trees
from oracles.spans import leaf_of, spans_by_hand
from written_trees import Cut, Leaf, Split, make_tree

INTEGERS = list(range(-1, 5))
REALS = [i / 4 for i in range(-2, 11)]  # a point between any two of the thresholds below
THRESHOLDS = [i / 4 + 1 / 16 for i in range(-2, 10)]  # several between neighbouring integers
VALUES = ["a", "b", "c", "d"]


def random_attributes(rng: random.Random) -> dict[str, tuple[str, list[Any], bool]]:
    """Return (kind, domain, whether it is public) by name."""
    found = {}
    for i in range(rng.randint(1, 4)):
        kind = rng.choice(["category", "category", "integer", "real"])
        domain: list[Any] = {"category": VALUES[: rng.randint(1, 4)], "integer": INTEGERS, "real": REALS}[kind]
        domain = domain + [None] * rng.randint(0, 1)
        found[f"x{i}"] = (kind, domain, rng.random() < 0.5)
    return found


def random_tree(rng: random.Random, attributes: dict[str, Any], depth: int) -> Any:
    if depth == 0 or rng.random() < 0.15:
        return ("leaf", "")
    name = rng.choice(list(attributes))
    kind, domain, _ = attributes[name]
    if kind != "category":
        below, above = (random_tree(rng, attributes, depth - 1) for _ in range(2))
        return ("cut", name, rng.choice(THRESHOLDS), below, above, rng.random() < 0.5)
    values = domain[:]
    rng.shuffle(values)
    parts = [[value] for value in values[: rng.randint(1, len(values))]]
    for value in values[len(parts) :]:
        if rng.random() < 0.7:
            rng.choice(parts).append(value)
    children = [(part, random_tree(rng, attributes, depth - 1)) for part in parts]
    return ("split", name, children, random_tree(rng, attributes, depth - 1) if rng.random() < 0.4 else None)


def as_node(tree: Any) -> Any:
    if tree[0] == "leaf":
        return Leaf()
    if tree[0] == "cut":
        _, name, threshold, below, above, missing_below = tree
        return Cut(name, threshold, as_node(below), as_node(above), missing_below)
    _, name, children, other = tree
    return Split(
        name,
        {tuple(values): as_node(child) for values, child in children},
        None if other is None else as_node(other),
    )


def column_type(kind: str) -> pa.DataType:
    return {"category": pa.string(), "integer": pa.int64(), "real": pa.float64()}[kind]


def compare(seed: int, n_trees: int) -> None:
    """Compare the spans of one random model with brute force."""
    rng = random.Random(seed)
    attributes = random_attributes(rng)
    trees = [random_tree(rng, attributes, rng.randint(0, 3)) for _ in range(n_trees)]
    n = rng.randint(1, 10)
    rows = [{name: rng.choice(domain) for name, (_, domain, _) in attributes.items()} for _ in range(n)]
    all_labels = ["no", "yes"][: rng.randint(1, 2)]
    is_private = rng.random() < 0.6
    labels = [rng.choice(all_labels) for _ in rows] if not is_private or rng.random() < 0.7 else None
    table = pa.table({
        **{
            name: pa.array([row[name] for row in rows], column_type(kind))
            for name, (kind, _, _) in attributes.items()
        },
        "label": pa.array(labels or ["no"] * n),
    })  # fmt: skip
    # a missing private number is possible only if the table has one, a value of a category if it is known
    private = {
        name: [value for value in domain if value is not None or kind == "category" or _occurs(rows, name)]
        for name, (kind, domain, is_public) in attributes.items()
        if not is_public
    }
    nodes = [make_tree(as_node(tree), labels=all_labels if labels else ()) for tree in trees]
    found = spans_of_trees(
        ForestModel(tuple(nodes)),
        table,
        public=[name for name, (_, _, is_public) in attributes.items() if is_public],
        target="label" if labels else None,
        target_is_private=is_private or labels is None,
        kinds={name: kind for name, (kind, _, _) in attributes.items() if kind != "category"},
        domains={
            name: domain if kind == "category" else (-1, 4) if kind == "integer" else (-0.5, 2.5)
            for name, (kind, domain, _) in attributes.items()
        },
    )
    expected = spans_by_hand(trees, rows, private, labels, all_labels, is_private)
    spans = found.spans
    assert [int(spans.populations[s]) for s in spans.of_row] == [people for _, people, _ in expected]
    assert [bool(spans.multiple[s]) for s in spans.of_row] == [multiple for _, _, multiple in expected]
    for i, j in itertools.combinations(range(n), 2):
        assert (spans.of_row[i] == spans.of_row[j]) == (expected[i][0] == expected[j][0])
        same_class = [leaf_of(tree, rows[i]) == leaf_of(tree, rows[j]) for tree in trees]
        same_label = labels is None or labels[i] == labels[j]
        assert (found.class_of_row[i] == found.class_of_row[j]) == (all(same_class) and same_label)
    if n_trees == 1:  # the bins are the classes
        assert [len(spans.classes[s]) for s in spans.of_row] == [len(span) for span, _, _ in expected]
        assert all(int(found.class_of_row[i]) in spans.classes[spans.of_row[i]] for i in range(n))
    assert len(set(spans.words)) == len(spans.words)  # words tell the spans apart
    assert all(found.class_names[c] for c in found.class_of_row)


def _occurs(rows: list[dict[str, Any]], name: str) -> bool:
    return any(row[name] is None for row in rows)
