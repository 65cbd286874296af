"""Whether a table is the one that a model was trained on, as far as what the model stores can tell.

Models store how many rows each leaf or cluster had.  Every row of the table is sent through the model, and the counts
are compared: they must be equal, or, where training leaves rows out (bootstrap, subsamples, a validation part), no
leaf may have had more rows than the table has there, and the table must have as many rows as `training_size` says.  A
classifier also knows the values of its target.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import IntMatrix, IntVector
from covey.base.checks import bad_parameter, plural, require_known
from covey.base.errors import CoveyError, InputError
from covey.base.hints import Asked, hint
from covey.columns.kept import KeptColumn, kept_column
from covey.mining.audit.training_size import Sizes, size_of_boosting, size_of_forest, size_of_histograms, size_of_tree
from covey.mining.faults import bad_model, what_training_leaves
from covey.mining.trees.model import TreeModel
from covey.mining.trees.sklearn_models import stored_counts, stored_trees
from covey.tables import frames

__all__ = [
    "NO_VERDICT",
    "check_labels",
    "check_target",
    "fit_of_clusters",
    "fit_of_grown_tree",
    "fit_of_labels",
    "fit_of_rules",
    "fit_of_sklearn_trees",
    "told_by_values",
]

EVERY_LEAF = "every leaf has the rows that it was trained on"
AS_MANY_ROWS = "as many rows as it was trained on, and in every leaf at least those that it was grown from"
NO_LEAF_TOO_MANY = (
    "every leaf has at least the rows that it was grown from; how many rows the training table had cannot be told"
)
EVERY_CLUSTER = "every cluster has the rows that it was trained on"
EVERY_RULE = (
    "every rule has the support and confidence that it tells; how many rows the training table had cannot be told"
)
NO_VERDICT = ": it is not the training table, so no verdict can be given"
_MIDNIGHT = re.compile(r"(?<=\d\d\d\d-\d\d-\d\d)[ T]00:00:00(\.0+)?$")
_MOST_TREES = 3  # of a forest: each one sees every row
_MOVED = 0.01  # rows near the border of two centres may lie on either side of it, as numbers are rounded


def _other_table(message: str, and_how: str = "") -> InputError:
    return InputError(
        message,
        code="not-the-training-table",
        hint=hint(
            "audit with the very table that the model was trained on, its columns in the model's order{}; "
            "{} counts this one all the same",
            and_how,
            Asked("other_table", True),
        ),
    )


def _other_size(trained: str, n_rows: int) -> InputError:
    return _other_table(f"the model was trained on {trained}, the table has {n_rows:,}{NO_VERDICT}")


def _check_rows(trained: int, n_rows: int) -> None:
    if trained != n_rows:
        raise _other_size(plural(trained, "row"), n_rows)


def _check_leaves(stored: IntVector, found: IntVector, is_exact: bool) -> None:
    """Raise unless the leaves have the rows that the model stores, or at least as many."""
    gone = int(np.maximum(stored - found, 0).sum())
    if gone:
        raise _other_table(
            f"{plural(gone, 'row')} of the table end{'s' if gone == 1 else ''} in other leaves than when the model was "
            f"trained{NO_VERDICT}"
            if is_exact
            else f"{plural(gone, 'row')} that the model was trained on {'is' if gone == 1 else 'are'} not in the "
            f"table{NO_VERDICT}",
            " and its cells read as they were then (missing values, decimal mark, types)",
        )


# --- trees of scikit-learn -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Stored:
    """What the trees of a model store of their training rows."""

    counts: Sequence[IntVector]
    """Per tree (the first few): how many rows each node had."""
    sizes: Sizes | None
    """How many rows the table can have had; None: the model does not tell."""


def fit_of_sklearn_trees(
    model: Any, trees: Sequence[TreeModel], n_rows: int, leaf_of_row: Callable[[int], IntVector]
) -> str | None:
    """Return how the table fits the counts in the nodes; None if the model stores none that can be compared.

    leaf_of_row: gives per row of the table the leaf of a tree that it ends in, numbered among the leaves.
    """
    faults = (AttributeError, TypeError, ValueError, LookupError, OverflowError, ZeroDivisionError)
    with what_training_leaves("the numbers of rows that the model stores are not what training leaves", *faults):
        stored = _stored(model)
    if stored is None or any(len(count) != tree.n_nodes for count, tree in zip(stored.counts, trees, strict=False)):
        return None
    roots = [int(count[0]) for count in stored.counts]
    if max(roots) > n_rows and stored.sizes is None:
        raise _other_size(f"{max(roots):,} rows or more", n_rows)
    if stored.sizes is not None and n_rows not in stored.sizes:
        raise _other_size(f"{stored.sizes} row{'' if str(stored.sizes) == '1' else 's'}", n_rows)
    has_all = all(root == n_rows for root in roots)
    for number, count in enumerate(stored.counts):
        leaves = count[trees[number].attribute < 0]
        found = np.bincount(leaf_of_row(number), minlength=len(leaves))[: len(leaves)]
        _check_leaves(leaves, found, is_exact=has_all)
    if has_all:
        return EVERY_LEAF
    return NO_LEAF_TOO_MANY if stored.sizes is None else AS_MANY_ROWS


def _stored(model: Any) -> _Stored | None:
    if getattr(model, "warm_start", False):  # each tree may have been trained on a table of its own
        return None
    trees, counts = stored_trees(model), stored_counts(model)
    is_histogram = hasattr(model, "_predictors")
    roots = [int(count[0]) for count in (counts[:_MOST_TREES] if is_histogram else counts)]
    if len(counts) < len(trees) or min(roots) <= 0:  # taken out before the model was let out
        return None
    if is_histogram:
        return _Stored(counts[:_MOST_TREES], size_of_histograms(model, max(roots)))
    weights = [float(tree.weighted_n_node_samples[0]) for tree in trees]
    if hasattr(model, "tree_"):
        sizes: Sizes | None = size_of_tree(roots[0], weights[0])
    elif hasattr(model, "subsample"):
        sizes = size_of_boosting(model, roots)
    else:
        sizes = size_of_forest(model, roots, weights)
    return _Stored(counts[:_MOST_TREES], sizes)


# --- covey's own models, centres and rules ---------------------------------------------------------------------------


def fit_of_grown_tree(counts: IntMatrix, leaf_of_row: IntVector, class_of_row: IntVector | None) -> str:
    """Return how the table fits covey's own tree, which stores the rows of each leaf and class.

    counts: (leaves, classes); leaf_of_row: numbered among the leaves, beyond them where the tree does not know a value;
    class_of_row: the class of each row by number; None if the table does not have the target.
    """
    _check_rows(int(counts.sum()), len(leaf_of_row))
    if class_of_row is None:
        counts, class_of_row = counts.sum(axis=1, keepdims=True), np.zeros(len(leaf_of_row), np.int64)
    width = counts.shape[1]
    found = np.bincount(leaf_of_row * width + class_of_row, minlength=counts.size)[: counts.size]
    _check_leaves(counts.reshape(-1), found, is_exact=True)
    return EVERY_LEAF


def fit_of_clusters(populations: Sequence[int], class_of_row: IntVector) -> str:
    """Return how the table fits covey's own clusters, which store the rows of each."""
    _check_rows(sum(populations), len(class_of_row))
    if min(populations, default=0) < 0:
        raise bad_model("the clusters of the model have fewer than no rows")
    moved = _moved(np.array(populations, np.int64), class_of_row)
    if moved:
        raise _in_other_clusters(moved)
    return EVERY_CLUSTER


def fit_of_labels(labels: Any, class_of_row: IntVector, n_clusters: int) -> str | None:
    """Return how the table fits the cluster of each training row that k-means stores; None if it stores none."""
    if labels is None:
        return None
    try:
        known = np.asarray(labels, np.int64).reshape(-1)
        is_list = bool(((known >= 0) & (known < n_clusters)).all())
    except (TypeError, ValueError, OverflowError):
        is_list = False
    if not is_list:
        raise bad_model("`labels_` of the model is no list of clusters")
    _check_rows(len(known), len(class_of_row))
    moved = _moved(np.bincount(known, minlength=n_clusters), class_of_row)
    if moved > max(1, _MOVED * len(class_of_row)):
        raise _in_other_clusters(moved)
    return EVERY_CLUSTER if not moved else "it has as many rows as the model was trained on"


def _moved(stored: IntVector, class_of_row: IntVector) -> int:
    found = np.bincount(class_of_row, minlength=len(stored))
    return int(np.maximum(found - np.pad(stored, (0, len(found) - len(stored))), 0).sum())


def _in_other_clusters(moved: int) -> InputError:
    return _other_table(
        f"{plural(moved, 'row')} of the table {'is' if moved == 1 else 'are'} in other clusters than when the model "
        f"was trained{NO_VERDICT}"
    )


def fit_of_rules(n_wrong: int, n_rules: int, has_shares: bool) -> str | None:
    """Return how the table fits rules, by their support and confidence; None if they tell neither."""
    if n_wrong:
        raise _other_table(
            f"{n_wrong:,} of {n_rules:,} rules cannot come from this table{NO_VERDICT}",
            " (`digits` says to how many decimals the shares of rules are rounded)",
        )
    return EVERY_RULE if has_shares else None


# --- the target ------------------------------------------------------------------------------------------------------


def told_by_values(labels: Sequence[str], frame: Any, features: Collection[str]) -> list[str]:
    """Return the columns that the model does not take and whose values are the labels that it tells.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [20, 30], "name": ["Ann", "Bo"], "risk": ["good", "bad"]})
    >>> told_by_values(["bad", "good"], table, ["age"])
    ['risk']
    """
    found = []
    for name in frames.column_names(frame):
        if name not in features:
            with contextlib.suppress(CoveyError):  # of lists, say
                values = kept_column(name, frames.to_arrow(frame, [name]).column(0)).values
                if set(map(_day, values)) == set(map(_day, labels)):
                    found.append(name)
    return found


def _day(text: str | None) -> str | None:
    """Return a value as a text that is the same for a day and for its first moment, which columns write in two ways."""
    return None if text is None else _MIDNIGHT.sub("", text)


def check_target(target: str, frame: Any) -> None:
    """Raise unless the table has the target."""
    require_known([target], frames.column_names(frame), "there is no target column {} in the table")


def check_labels(labels: Sequence[str], column: KeptColumn) -> None:
    """Raise unless the target has the values that the model tells, all of them and no others."""
    there = {_day(column.values[code]) for code in np.unique(column.codes).tolist()}
    known = set(map(_day, labels))
    unknown, absent = len(there - known), len(known - there)
    if unknown or absent:
        faults = [
            f"has {plural(unknown, 'value')} that the model does not tell" if unknown else "",
            f"lacks {absent:,} of the {plural(len(labels), 'value')} that it tells" if absent else "",
        ]
        raise bad_parameter(
            f"the target `{column.name}` {' and '.join(filter(None, faults))}",
            "name the column that the model was trained to tell, with the values that it had then",
        )
