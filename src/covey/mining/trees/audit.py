"""What an audit finds in trees: one, or the trees of a forest, of scikit-learn or of covey."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.base.checks import bad_parameter, listed
from covey.columns.kept import kept_column
from covey.mining.audit.disclosures import last_step, rare_thresholds, small_nodes, stored_per_row
from covey.mining.audit.domains import check_names, domains_of_trees, listed_words
from covey.mining.audit.front import Found, Given
from covey.mining.audit.training_table import (
    check_labels,
    check_target,
    fit_of_grown_tree,
    fit_of_sklearn_trees,
    told_by_values,
)
from covey.mining.learn.tree.published import GrownTree
from covey.mining.trees.attributes import Attribute, check_public
from covey.mining.trees.encoded_columns import kind_of_step
from covey.mining.trees.model import ForestModel, TreeModel
from covey.mining.trees.reach import spans_of_trees
from covey.mining.trees.sklearn_models import read_trees
from covey.tables import frames

__all__ = ["found_in_own_tree", "found_in_sklearn_trees", "found_in_trees"]

_NO_NAME = "class"
"""What covey's own trees call a target that had no name."""


def found_in_sklearn_trees(model: Any, given: Given) -> Found:
    """Return what is found in a tree, a forest or boosted trees of scikit-learn."""
    names = given.columns
    if names is None and isinstance(given.table, np.ndarray | list | tuple) and np.ndim(given.table) == 2:
        names = [f"x{i}" for i in range(np.shape(given.table)[1])]
    trees = read_trees(model, columns=names, one_hot=given.one_hot)
    tested = getattr(model, "feature_names_in_", None)
    frame = given.frame(None if tested is None else [str(name) for name in tested])
    members = trees.trees
    target, warnings = _told_target(members[0], frame, given)
    found = found_in_trees(trees, frame, given, kind_of_step(last_step(model)), target)

    def leaf_of_row(number: int) -> IntVector:
        if found.leaf_of_row is not None:
            return found.leaf_of_row
        return spans_of_trees(members[number], frame, public=()).class_of_row

    n_rows = len(found.of_rows.class_of_row)
    fit = given.fit(lambda: fit_of_sklearn_trees(last_step(model), members, n_rows, leaf_of_row))
    if found.labels is not None and members[0].labels:
        check_labels(members[0].labels, found.labels)
    return replace(
        found,
        target_found=target is not None,
        fit=fit,
        warnings=(*warnings, *small_nodes(model, given.k), *found.warnings, *stored_per_row(model)),
    )


def _told_target(tree: TreeModel, frame: Any, given: Given) -> tuple[str | None, tuple[str, ...]]:
    """Return the column that a classifier must tell, by its values, unless it was named; and what to be warned of."""
    if given.target is not None or not tree.labels:
        return None, ()
    found = told_by_values(tree.labels, frame, tree.attributes)
    if len(found) < 2:
        return next(iter(found), None), ()
    return None, (f"{len(found)} columns have the values that the model tells ({listed(found)}): name the target",)


def found_in_own_tree(tree: GrownTree, given: Given, kind: str) -> Found:
    """Return what is found in a tree that covey grew."""
    frame = _as_read_by(tree, given.frame([column.name for column in tree.columns]))
    if given.target not in (None, tree.target) and tree.target != _NO_NAME:
        raise bad_parameter(
            f"the target `{given.target}` is named, but the tree tells `{tree.target}`",
            "leave the target out: the tree knows its own",
        )
    target = tree.target if tree.target in frames.column_names(frame) else None
    read = tree.as_model()
    dates = [column.name for column in tree.columns if column.kind == "date"]
    found = found_in_trees(read, frame, given, kind, given.target or target, dates)
    leaf_of_row, labels = found.leaf_of_row, found.labels
    assert leaf_of_row is not None
    counts = tree.counts()[list(tree.leaves)]
    fit = given.fit(lambda: fit_of_grown_tree(counts, leaf_of_row, None))
    if labels is not None:
        codes = labels.codes
        check_labels(read.labels, labels)
        fit = given.fit(lambda: fit_of_grown_tree(counts, leaf_of_row, codes))
    return replace(found, fit=fit)


def _as_read_by(tree: GrownTree, frame: Any) -> Any:
    """Return the table with dates and categories as the tree writes them; a column with values unknown to it stays."""
    from covey.mining.learn.tree.columns import read_values

    there = frames.column_names(frame)
    used = [tree.columns[place] for place in tree.used_columns()]
    own = [column for column in used if column.kind != "number" and column.name in there]
    if not own:
        return frame
    table = frames.to_arrow(frame, there)
    for column in own:
        place = table.column_names.index(column.name)
        read = read_values(column, table.column(place))
        if column.kind == "date":
            written = pa.array(read, pa.float64(), from_pandas=True)
        elif (read >= 0).all():
            written = pa.array(column.values, pa.string()).take(pa.array(read))
        else:
            continue
        table = table.set_column(place, column.name, written)
    return table


def found_in_trees(
    model: TreeModel | ForestModel,
    frame: Any,
    given: Given,
    kind: str,
    target: str | None = None,
    dates: Collection[str] = (),
) -> Found:
    """Return what is found in trees as they were read; kind: how the model is called; dates: columns that are dates."""
    trees = model.trees
    target = given.target or target
    if target is not None:
        check_target(target, frame)
    check_public(given.public, frame)
    check_names(given.domains, frames.column_names(frame), given.public)
    domains = domains_of_trees(given.domains, trees, frame)
    found = spans_of_trees(model, frame, public=given.public, target=target, domains=domains)
    labels = found.labels
    n_bins = 1 if labels is None else max(labels.size, len(trees[0].labels))
    if labels is None and target is not None:  # a private number, which is in no class of the model
        labels = kept_column(target, frames.to_arrow(frame, [target]).column(0))
    private = [attribute for attribute in found.attributes if not attribute.is_public]
    numbers = {attribute.name: attribute.numbers for attribute in found.attributes if attribute.numbers is not None}
    hidden = () if target is None or target in given.public else (target,)
    return Found(
        model=kind,
        of_rows=found,
        private=(*(attribute.name for attribute in private), *hidden),
        domains=tuple(f"{attribute.name}: {_domain_words(attribute, dates)}" for attribute in private),
        warnings=rare_thresholds(trees, numbers, given.k),
        labels=labels,
        leaf_of_row=found.class_of_row // n_bins if len(trees) == 1 else None,
    )


def _domain_words(attribute: Attribute, dates: Collection[str]) -> str:
    """Return what a private attribute may be."""
    if attribute.kind == "category":
        return listed_words(attribute.values)
    what = "any whole number" if attribute.kind == "integer" else "any number"
    if attribute.name in dates and not (np.isfinite(attribute.low) or np.isfinite(attribute.high)):
        what = "any date"
    what += f" from {attribute.low:.12g}" if np.isfinite(attribute.low) else ""
    what += f" to {attribute.high:.12g}" if np.isfinite(attribute.high) else ""
    return f"{what}, or missing" if attribute.may_be_missing else what
