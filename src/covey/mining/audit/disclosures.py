"""What a saved model gives away besides its spans: stored rows, small counts, thresholds that are somebody's value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.base.checks import plural
from covey.mining.faults import bad_model
from covey.mining.trees.encoded_columns import DEEPEST, kind_of_step, last_step
from covey.mining.trees.model import TreeModel
from covey.mining.trees.sklearn_models import stored_counts

__all__ = ["last_step", "rare_thresholds", "small_clusters", "small_nodes", "steps_of", "stored_per_row", "stored_rows"]

_ROWS = {
    "_fit_X": "the training rows (nearest neighbours)",
    "support_vectors_": "training rows as support vectors",
    "X_fit_": "the training rows (kernel)",
    "X_train_": "the training rows (Gaussian process)",
    "X_thresholds_": "values of training rows (isotonic regression)",
}
"""Attributes of models of scikit-learn that hold rows, and what they are."""
_KEEPS_ROWS = (
    "GaussianProcessClassifier", "KernelDensity", "KNeighborsTransformer", "RadiusNeighborsTransformer",
)  # fmt: skip
_PER_ROW = {
    "labels_": "the cluster of every training row, in the order of the rows",
    "oob_decision_function_": "a prediction for every training row, in the order of the rows",
    "_sample_weight": "the weight of every training row, in the order of the rows; weights of classes tell its class",
    "oob_prediction_": "a prediction for every training row, in the order of the rows",
}
_MOST_THRESHOLDS = 5


def stored_rows(model: Any) -> tuple[str, ...]:
    """Return where a model, or a step of a pipeline, holds rows that it was trained on.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> stored_rows(KNeighborsClassifier(1).fit([[1.0], [2.0]], [0, 1]))
    ('KNeighborsClassifier stores the training rows (nearest neighbours) in `_fit_X`',)
    """
    found = []
    for step in steps_of(model):
        kind = kind_of_step(step)
        held = getattr(step, "__dict__", {}) if kind else {}
        found += [f"{kind} stores {what} in `{name}`" for name, what in _ROWS.items() if held.get(name) is not None]
        if kind in _KEEPS_ROWS:
            found.append(f"{kind} stores the training rows")
    return tuple(found)


def stored_per_row(model: Any) -> tuple[str, ...]:
    """Return what a model holds of every training row, though it does not hold the rows."""
    return tuple(
        f"{kind_of_step(step)} stores {what}, in `{name}`: delete it before the model is published"
        for step in steps_of(model)
        for name, what in _PER_ROW.items()
        if kind_of_step(step) and getattr(step, "__dict__", {}).get(name) is not None
    )


def steps_of(model: Any, depth: int = 0) -> Iterable[Any]:
    """Return a model and, of a pipeline, all of its steps; a file may hold anything in their place."""
    if kind_of_step(model) != "Pipeline":
        yield model
        return
    steps: Any = getattr(model, "steps", None)
    is_list = isinstance(steps, list | tuple) and len(steps) > 0
    if not is_list or depth > DEEPEST or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in steps):
        raise bad_model("a pipeline of the model has no list of steps")
    for _, step in steps:
        yield from steps_of(step, depth + 1)


def small_nodes(model: Any, k: int) -> tuple[str, ...]:
    """Return what the counts stored in the nodes of scikit-learn's trees tell; their arrays must have been checked."""
    counts = np.concatenate([np.zeros(0, np.int64), *stored_counts(last_step(model))])
    small = int(((counts > 0) & (counts < k)).sum())
    if not small:
        return ()
    have = f"{plural(len(counts), 'node')} {'has' if small == 1 else 'have'}"
    return (f"every node stores how many training rows it has: {small:,} of {have} fewer than {k}",)


def rare_thresholds(trees: Sequence[TreeModel], numbers: Mapping[str, FloatVector], k: int) -> tuple[str, ...]:
    """Return thresholds that are the very value of fewer than k people, in single precision as trees compare.

    numbers: the numeric columns that the trees test.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from covey.mining.trees.sklearn_models import read_trees
    >>> tree = read_trees(DecisionTreeRegressor().fit([[33], [35]], [0, 1]), columns=["age"])
    >>> rare_thresholds([tree], {"age": np.array([33.0, 34.0, 34.0, 51.0])}, 3)
    ('a threshold of `age`, 34, is the exact value of 2 rows',)
    """
    found = []
    for name, column in sorted(numbers.items()):
        with np.errstate(over="ignore"):
            values, people = np.unique(column[~np.isnan(column)].astype(np.float32), return_counts=True)
            tested = np.unique(_thresholds_of(trees, name).astype(np.float32))
        is_rare = np.isin(values, tested) & (people < k)
        rare = [(float(value), int(n)) for value, n in zip(values[is_rare], people[is_rare], strict=True)]
        if len(rare) == 1:
            ((value, n),) = rare
            found.append(f"a threshold of `{name}`, {value:.7g}, is the exact value of {plural(n, 'row')}")
        elif rare:
            each = [f"{value:.7g} ({plural(n, 'row')})" for value, n in rare[:_MOST_THRESHOLDS]]
            others = [f"{len(rare) - len(each):,} more"] if len(rare) > len(each) else []
            found.append(
                f"{len(rare):,} thresholds of `{name}` are exact values of fewer than {k} rows each: "
                + ", ".join([*each, *others])
            )
    return tuple(found)


def _thresholds_of(trees: Sequence[TreeModel], name: str) -> FloatVector:
    mine = [(tree, tree.attributes.index(name)) for tree in trees if name in tree.attributes]
    parts = [tree.threshold[(tree.attribute == place) & (tree.partition < 0)] for tree, place in mine]
    return np.concatenate([np.zeros(0), *parts])


def small_clusters(class_of_row: IntVector, class_names: Sequence[str], k: int) -> tuple[str, ...]:
    """Return the centres that stand for fewer than k people: such a centre is nearly one of them."""
    people = np.bincount(class_of_row, minlength=len(class_names))
    return tuple(
        f"{class_names[c]} is nearest to {plural(int(people[c]), 'row')}: a mean of so few is nearly a row"
        for c in np.flatnonzero((people > 0) & (people < k)).tolist()
    )
