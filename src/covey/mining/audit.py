"""Audits: whom a trained model exposes (Friedman, Wolff and Schuster 2008), whatever kind of model it is.

A front end per kind of model gives the spans of the rows; what is found is told in one way.  Nothing of the model is
run: trees are read from their arrays, centres and rules from their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey import frames
from covey.arrays import FloatVector, IntVector
from covey.checks import at_least, did_you_mean, listed, plural
from covey.errors import InputError, UnknownColumn
from covey.kept import KeptColumn, kept_column
from covey.mining.attributes import Attribute, check_public, read_attribute
from covey.mining.audit_domains import (
    check_names,
    domains_of_centres,
    domains_of_clusters,
    domains_of_trees,
    listed_words,
)
from covey.mining.audit_result import Audit, ExposedSpan
from covey.mining.centroids import CentroidModel, centroid_spans, read_centroids
from covey.mining.coordinates import Category, Coordinates, Number
from covey.mining.encoded_columns import kind_of_step
from covey.mining.forests import ForestModel
from covey.mining.given_away import (
    last_step,
    rare_thresholds,
    small_clusters,
    small_nodes,
    steps_of,
    stored_per_row,
    stored_rows,
)
from covey.mining.grown import GrownTree
from covey.mining.private import PrivateAttribute, Values
from covey.mining.rules import Rule, read_rules, rule_spans
from covey.mining.sklearn_models import is_tree_model, read_trees
from covey.mining.spans import Spans, linked
from covey.mining.training_table import (
    check_labels,
    check_target,
    fit_of_clusters,
    fit_of_grown_tree,
    fit_of_labels,
    fit_of_rules,
    fit_of_sklearn_trees,
    told_by_values,
)
from covey.mining.tree_model import TreeModel, bad_model
from covey.mining.tree_reach import spans_of_trees

__all__ = ["Audit", "ExposedSpan", "audit"]

_CENTROIDS = ("KMeans", "MiniBatchKMeans", "NearestCentroid")
_NO_NAME = "class"
"""What covey's own trees call a target that had no name."""
_OWN = ("KAnonymousTree", "ID3", "C45", "KAnonymousClusters", "KAnonymousRules")
_MOST_TUPLES = 8  # public tuples of one span, before they are counted


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What a front end says of a model and a table."""

    model: str
    spans: Spans
    class_of_row: IntVector
    class_names: Sequence[str]
    private: tuple[str, ...]
    domains: tuple[str, ...]
    warnings: tuple[str, ...]
    labels: KeptColumn | None = None
    """The target of every row, if its column was named or found."""
    table_fits: str | None = None
    """How the table fits the counts that the model stores; None: it stores none."""
    leaf_of_row: IntVector | None = None
    """Of a single tree: the leaf of each row, numbered among the leaves."""
    target_found: bool = False
    """Whether the target was found by its values."""


def audit(
    model: Any,
    table: Any,
    *,
    public: Sequence[str],
    k: int,
    target: str | None = None,
    domains: Mapping[Any, Any] | None = None,
    columns: Sequence[str] | None = None,
    one_hot: Any = None,
    scale: Sequence[float] | None = None,
    digits: tuple[int, int] | None = None,
    shown: int = 20,
) -> Audit:
    """Return whom a trained model exposes of the people in the table that it was trained on.

    model: trees, forests and boosted trees of scikit-learn (in pipelines with encoders too), covey's own trees,
    clusters and rules, KMeans, NearestCentroid or an array of centres, association rules (mlxtend's frame, or
    (left, right, support, confidence) each).  public: what others know of a person; all else is private.
    target: the column of labels; if it is not named, the only column with the values that a classifier tells.
    domains: what private columns may be, (least, greatest) or a set of values; else as far as the model and the table
    tell.  columns: names of the columns of a model that was trained on an array.  one_hot: see `read_trees` and
    `centroid_spans`; scale: of centres; digits: of rules.  shown: most spans that are listed.

    A table is refused if the counts that the model stores show that it is not the training table.

    >>> import pyarrow as pa
    >>> from covey.mining.trees import Leaf, Split, make_tree
    >>> table = pa.table({"married": ["no", "yes", "yes"], "risk": ["good", "bad", "bad"]})
    >>> tree = make_tree(Split("married", {"no": Leaf(), "yes": Leaf()}), labels=["good", "bad"])
    >>> found = audit(tree, table, public=["married"], k=3, target="risk")
    >>> found.ok, found.k_reached, [str(span) for span in found.offending]
    (False, 1, ["married = no: 1 person, 'good'", "married = yes: 2 people, all 'bad'"])
    """
    _check(public, k, shown)
    _check_model(model)
    given = _Given(
        table, tuple(dict.fromkeys(public)), int(k), target, dict(domains or {}), columns, one_hot, scale, digits
    )
    held = stored_rows(model)
    if held:
        return _of_stored_rows(model, given, held)
    return _told(_found(model, given), given, shown)


def _check(public: Any, k: Any, shown: Any) -> None:
    if isinstance(public, str) or not isinstance(public, Collection):
        raise InputError(
            "`public` must be a list of column names", code="bad-parameter", hint='for example public=["age", "sex"]'
        )
    for name, fault in (("k", at_least(2)(k)), ("shown", at_least(0)(shown))):
        if fault:
            raise InputError(f"`{name}` must be {fault}", code="bad-parameter", hint=f"for example {name}=10")


def _check_model(model: Any) -> None:
    """Raise if the model is a name of a file, is not trained, or cannot be told from the steps before it."""
    if isinstance(model, str | bytes | Path):
        raise InputError(
            "the name of a file is given in the place of a trained model",
            code="bad-parameter",
            hint="load the model first, with skops.io.load or `from_json`; `covey audit-model` takes the file itself",
        )
    *_, last = steps_of(model)
    name = type(last).__name__
    is_own = type(last).__module__.startswith("covey.mining") and name in _OWN
    if is_own and last is not model:
        raise InputError(
            f"the last step of the pipeline, {name}, was trained on what the steps before it make of the table",
            code="not-available",
            hint="audit that step alone, model[-1], with the transformed table, model[:-1].transform(...)",
        )
    is_known = is_own or is_tree_model(model) or kind_of_step(last) in _CENTROIDS
    if is_known and not any(part.endswith("_") and not part.startswith("_") for part in vars(last)):
        raise InputError(
            f"the model ({name}) is not trained", code="bad-model-file", hint="call `fit` before the audit"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """What the caller of an audit gave."""

    table: Any
    public: tuple[str, ...]
    k: int
    target: str | None
    domains: dict[Any, Any]
    columns: Sequence[str] | None
    one_hot: Any
    scale: Sequence[float] | None
    digits: tuple[int, int] | None

    def frame(self, names: Sequence[str] | None = None) -> Any:
        """Return the table as a frame; names: of the columns of an array."""
        if not isinstance(self.table, np.ndarray | list | tuple):
            return frames.as_frame(self.table)
        try:
            matrix = np.asarray(self.table, np.float64)
        except (TypeError, ValueError):
            raise InputError(
                "the table is no matrix of numbers", code="not-a-table", hint="give a frame with named columns"
            ) from None
        named = list(self.columns or names or ())
        if matrix.ndim != 2 or (named and len(named) != matrix.shape[1]):
            raise InputError(
                "the table is not a matrix of the model's columns", code="not-a-table", hint="give a frame"
            )
        named = named or [f"x{i}" for i in range(matrix.shape[1])]
        return pa.table({name: matrix[:, i].copy() for i, name in enumerate(named)})


def _found(model: Any, given: _Given) -> _Found:
    """Return what the front end for this kind of model says."""
    kind = type(model).__name__
    if isinstance(model, TreeModel | ForestModel):
        return _of_trees(model, given.frame(), given, "a tree" if isinstance(model, TreeModel) else "trees")
    if isinstance(getattr(model, "tree_", None), GrownTree):
        return _of_own_tree(model.tree_, given, kind)
    if is_tree_model(model):
        return _of_sklearn_trees(model, given)
    if kind == "KAnonymousClusters" and hasattr(model, "cuts_"):
        return _of_nested_clusters(model, given)
    rules = _rules_of(model)
    if rules is not None:
        return _of_rules(rules, given)
    if kind_of_step(last_step(model)) in _CENTROIDS or _is_array(model):
        return _of_centroids(model, given)
    raise InputError(
        f"a model of the kind {type(last_step(model)).__name__} cannot be audited",
        code="not-available",
        hint="known: decision trees, forests, boosted trees, KMeans, NearestCentroid, arrays of centres, rules",
    )


# --- trees ---------------------------------------------------------------------------------------------------------


def _of_sklearn_trees(model: Any, given: _Given) -> _Found:
    names = given.columns
    if names is None and isinstance(given.table, np.ndarray | list | tuple) and np.ndim(given.table) == 2:
        names = [f"x{i}" for i in range(np.shape(given.table)[1])]
    trees = read_trees(model, columns=names, one_hot=given.one_hot)
    tested = getattr(model, "feature_names_in_", None)
    frame = given.frame(None if tested is None else [str(name) for name in tested])
    members = [trees] if isinstance(trees, TreeModel) else list(trees.trees)
    target, warnings = _told_target(members[0], frame, given)
    found = _of_trees(trees, frame, given, kind_of_step(last_step(model)), target)

    def leaf_of_row(number: int) -> IntVector:
        if found.leaf_of_row is not None:
            return found.leaf_of_row
        return spans_of_trees([members[number]], frame, public=()).class_of_row

    fits = fit_of_sklearn_trees(last_step(model), members, len(found.class_of_row), leaf_of_row)
    if found.labels is not None and members[0].labels:
        check_labels(members[0].labels, found.labels)
    return replace(
        found,
        target_found=target is not None,
        table_fits=fits,
        warnings=(*warnings, *small_nodes(model, given.k), *found.warnings, *stored_per_row(model)),
    )


def _told_target(tree: TreeModel, frame: Any, given: _Given) -> tuple[str | None, tuple[str, ...]]:
    """Return the column that a classifier must tell, by its values, unless it was named; and what to be warned of."""
    if given.target is not None or not tree.labels:
        return None, ()
    found = told_by_values(tree.labels, frame, tree.attributes)
    if len(found) == 1:
        return found[0], ()
    if not found:
        return None, ()
    return None, (f"{len(found)} columns have the values that the model tells ({listed(found)}): name the target",)


def _of_own_tree(tree: GrownTree, given: _Given, kind: str) -> _Found:
    frame = _as_read_by(tree, given.frame([column.name for column in tree.columns]))
    if given.target not in (None, tree.target) and tree.target != _NO_NAME:
        raise InputError(
            f"the target `{given.target}` is named, but the tree tells `{tree.target}`",
            code="bad-parameter",
            hint="leave the target out: the tree knows its own",
        )
    target = tree.target if tree.target in frames.column_names(frame) else None
    read = tree.as_model()
    found = _of_trees(read, frame, given, kind, given.target or target)
    assert found.leaf_of_row is not None
    counts = tree.counts()[list(tree.leaves)]
    fits = fit_of_grown_tree(counts, found.leaf_of_row, None)
    if found.labels is not None:
        check_labels(read.labels, found.labels)
        fits = fit_of_grown_tree(counts, found.leaf_of_row, found.labels.codes)
    return replace(found, table_fits=fits)


def _as_read_by(tree: GrownTree, frame: Any) -> Any:
    """Return the table with dates and categories as the tree writes them; a column with values unknown to it stays."""
    from covey.mining.tree_columns import read_values

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


def _of_trees(
    model: TreeModel | ForestModel, frame: Any, given: _Given, kind: str, target: str | None = None
) -> _Found:
    trees = [model] if isinstance(model, TreeModel) else list(model.trees)
    target = given.target or target
    if target is not None:
        check_target(target, frame)
    check_public(given.public, frame)
    check_names(given.domains, frames.column_names(frame), given.public)
    domains = domains_of_trees(given.domains, trees, frame)
    found = spans_of_trees(trees, frame, public=given.public, target=target, domains=domains)
    labels = found.labels
    n_bins = 1 if labels is None else max(labels.size, len(trees[0].labels))
    if labels is None and target is not None:  # a private number, which is in no class of the model
        labels = kept_column(target, frames.to_arrow(frame, [target]).column(0))
    private = [attribute for attribute in found.attributes if not attribute.is_public]
    hidden = () if target is None or target in given.public else (target,)
    return _Found(
        model=kind,
        spans=found.spans,
        class_of_row=found.class_of_row,
        class_names=found.class_names,
        private=(*(attribute.name for attribute in private), *hidden),
        domains=tuple(f"{attribute.name}: {_domain_words(attribute)}" for attribute in private),
        warnings=rare_thresholds(trees, _numbers(frame, found.attributes), given.k),
        labels=labels,
        leaf_of_row=found.class_of_row // n_bins if len(trees) == 1 else None,
    )


def _numbers(frame: Any, attributes: Sequence[Attribute]) -> dict[str, FloatVector]:
    found = {}
    for attribute in attributes:
        if attribute.kind != "category":
            numbers = read_attribute(frame, attribute.name, is_public=True, is_number=True).numbers
            assert numbers is not None
            found[attribute.name] = numbers
    return found


def _domain_words(attribute: Attribute) -> str:
    """Return what a private attribute may be."""
    if attribute.kind == "category":
        return listed_words(attribute.values)
    what = "any whole number" if attribute.kind == "integer" else "any number"
    what += f" from {attribute.low:.12g}" if np.isfinite(attribute.low) else ""
    what += f" to {attribute.high:.12g}" if np.isfinite(attribute.high) else ""
    return f"{what}, or missing" if attribute.may_be_missing else what


# --- centres -------------------------------------------------------------------------------------------------------


def _is_array(model: Any) -> bool:
    if isinstance(model, np.ndarray):
        return True
    return isinstance(model, list | tuple) and len(model) > 0 and np.ndim(_as_array(model)) == 2


def _as_array(model: Any) -> Any:
    try:
        return np.asarray(model, np.float64)
    except (TypeError, ValueError):
        return None


def _of_centroids(model: Any, given: _Given) -> _Found:
    centres, divisors = _read_centres(model)
    names = list(given.columns or centres.names or ()) or None
    if names is None and not isinstance(given.table, np.ndarray | list | tuple):
        # an array of centres does not name its columns: all of the table, without the labels
        names = [name for name in frames.column_names(frames.as_frame(given.table)) if name != given.target]
    known = names or [f"x{i}" for i in range(centres.centroids.shape[1])]
    public = _used(given, known)
    found = centroid_spans(
        centres.centroids,
        given.table,
        public,
        private_ranges=domains_of_centres(given.domains, known),
        scale=divisors if given.scale is None else given.scale,
        names=names,
        class_names=centres.class_names,
        one_hot=given.one_hot or (),
    )
    return _Found(
        model=kind_of_step(last_step(model)) or "centres",
        spans=found.spans,
        class_of_row=found.class_of_row,
        class_names=found.class_names,
        private=tuple(name for attribute in found.private for name in attribute.names),
        domains=tuple(map(str, found.private)),
        warnings=(*small_clusters(found.class_of_row, found.class_names, given.k), *stored_per_row(model)),
        labels=_labels(given),
        table_fits=fit_of_labels(_stored_labels(last_step(model)), found.class_of_row, len(centres.centroids)),
    )


def _stored_labels(model: Any) -> Any:
    """Return the cluster of every training row; None if the model does not have it, or of its last batch alone."""
    return getattr(model, "labels_", None) if hasattr(model, "n_iter_") else None


def _used(given: _Given, used: Sequence[str]) -> tuple[str, ...]:
    """Return the public columns that the model uses; the others must be in the table, and tell nothing of it."""
    known = used if isinstance(given.table, np.ndarray | list | tuple) else frames.column_names(given.frame())
    for name in given.public:
        if name not in known:
            raise UnknownColumn(
                f"there is no public column `{name}` in the table",
                code="unknown-column",
                hint=did_you_mean(str(name), known),
            )
    check_names(given.domains, known, given.public)
    return tuple(name for name in given.public if name in used)


def _read_centres(model: Any) -> tuple[CentroidModel, list[float] | None]:
    """Return centres in the original columns, and what each column is divided by before distances are taken."""
    *steps, last = steps_of(model)
    try:
        centres = read_centroids(last)
        if not steps:
            return centres, None
        names = getattr(steps[0], "feature_names_in_", None)
        factor, shift = np.ones(centres.centroids.shape[1]), np.zeros(centres.centroids.shape[1])
        for step in steps:
            a, b = _of_a_column(step)
            factor, shift = factor * a, shift * a + b
        with np.errstate(all="ignore"):
            original = (centres.centroids - shift) / factor
        named = None if names is None else tuple(str(name) for name in names)
        return CentroidModel(original, centres.class_names, named), (1 / factor).tolist()
    except InputError:
        raise
    except (
        AttributeError,
        TypeError,
        ValueError,
        LookupError,
    ):  # a file can hold anything where training leaves arrays
        raise bad_model("the centres of the model, or a step before them, are not what training leaves") from None


def _of_a_column(step: Any) -> tuple[FloatVector, FloatVector]:
    """Return (a, b) of a scaler that changes every column x into x * a + b."""
    kind = kind_of_step(step)
    if step is None or step == "passthrough":
        return np.ones(1), np.zeros(1)
    if kind == "MinMaxScaler" and not getattr(step, "clip", False):
        return _or(step, "scale_", 1.0), _or(step, "min_", 0.0)
    middle = {"StandardScaler": "mean_", "RobustScaler": "center_", "MaxAbsScaler": ""}.get(kind)
    if middle is None:
        raise InputError(
            f"centres behind a step of the kind {type(step).__name__} cannot be read in the original columns",
            code="not-available",
            hint="known steps: StandardScaler, RobustScaler, MaxAbsScaler, MinMaxScaler without clipping",
        )
    divisor = _or(step, "scale_", 1.0)
    return 1 / divisor, -_or(step, middle, 0.0) / divisor


def _or(step: Any, name: str, otherwise: float) -> FloatVector:
    """Return the array that a step was fitted to; otherwise, if the step was told to leave it out."""
    value = getattr(step, name, None)
    return np.asarray(otherwise if value is None else value, np.float64)


def _of_nested_clusters(model: Any, given: _Given) -> _Found:
    from covey.mining.clusters import cluster_spans

    coordinates = model.coordinates_
    public = _used(given, [column.name for column in coordinates.columns])
    ranges = domains_of_clusters(given.domains, coordinates)
    found = cluster_spans(model, given.table, public, private_ranges=ranges or None)
    columns = [(_column_of(attribute, coordinates), attribute) for attribute in found.private]
    return _Found(
        model=type(model).__name__,
        spans=found.spans,
        class_of_row=found.class_of_row,
        class_names=found.class_names,
        private=tuple(column.name for column, _ in columns),
        domains=tuple(
            f"{column.name}: {_cluster_domain(column, attribute, column.name in given.domains)}"
            for column, attribute in columns
        ),
        warnings=(
            # else every centre is a mean of k rows or more, however many are nearest to it
            small_clusters(found.class_of_row, found.class_names, given.k)
            if (model.rows_per_centre or model.k) < given.k
            else ()
        ),
        labels=_labels(given),
        table_fits=fit_of_clusters(model.populations_, found.class_of_row),
    )


def _column_of(attribute: PrivateAttribute, coordinates: Coordinates) -> Number | Category:
    """Return the column whose coordinates an attribute fills."""
    return next(c for c in coordinates.columns if attribute.names[0] in coordinates.names_of(c))


def _cluster_domain(column: Number | Category, attribute: PrivateAttribute, is_given: bool) -> str:
    """Return what a private column may be; the categories of one whose domain is not given are the model's."""
    if is_given or isinstance(column, Number) or not isinstance(attribute.domain, Values):
        return str(attribute.domain)
    has_others = not attribute.domain.points.any(axis=1).all()  # a row of zeros is a value that the model does not know
    return listed_words(column.values) + (", or another" if has_others else "")


# --- rules ---------------------------------------------------------------------------------------------------------


def _rules_of(model: Any) -> Any:
    """Return rules in a form that `rule_spans` reads; None if the model is something else."""
    if hasattr(model, "rules_"):
        model = model.rules_
    elif hasattr(model, "columns") and hasattr(model, "iloc"):
        return model if "antecedents" in list(model.columns) else None
    return model if isinstance(model, list | tuple) and not _is_array(model) else None


def _checked(rules: Any) -> tuple[Rule, ...]:
    try:
        return read_rules(rules)
    except InputError:
        raise
    except (TypeError, ValueError, LookupError):  # another library's `rules_`, say
        raise bad_model("the rules of the model are not (left, right, support, confidence) each") from None


def _of_rules(rules: Any, given: _Given) -> _Found:
    if given.domains:
        raise InputError(
            "a domain is given, but private items have none: each is there or not",
            code="bad-domain",
            hint="leave the domains out",
        )
    found = rule_spans(_checked(rules), given.table, given.public, digits=given.digits)
    known = frozenset(found.public_items)
    private = sorted({item for rule in found.rules for item in (*rule.left, *rule.right)} - known)
    wrong = sum(not counts.agrees for counts in found.counts)
    has_shares = any(counts.both_implied is not None for counts in found.counts)
    fits = fit_of_rules(wrong, len(found.rules), has_shares)
    return _Found(
        model=plural(len(found.rules), "association rule"),
        spans=found.spans,
        class_of_row=found.class_of_row,
        class_names=found.class_names,
        private=tuple(private),
        domains=(f"{listed_words(private)}: there or not",) if private else (),
        warnings=(),
        table_fits=fits,
        labels=None if isinstance(given.table, list | tuple) else _labels(given),
    )


# --- what is told --------------------------------------------------------------------------------------------------


def _labels(given: _Given) -> KeptColumn | None:
    if given.target is None:
        return None
    frame = given.frame()
    check_target(given.target, frame)
    return kept_column(given.target, frames.to_arrow(frame, [given.target]).column(0))


def _told(found: _Found, given: _Given, shown: int) -> Audit:
    spans = found.spans
    below = spans.below(given.k)
    labels = found.labels
    codes = found.class_of_row if labels is None else labels.codes
    names: Sequence[str | None] = found.class_names if labels is None else labels.values
    offending = tuple(
        ExposedSpan(
            words=_either(link.words),
            people=link.people,
            counts=tuple((_text(names[code]), people) for code, people in link.counts),
        )
        for link in linked(spans, codes, below[:shown])
    )
    return Audit(
        model=found.model,
        k=given.k,
        k_reached=spans.k_reached,
        smallest_span=int(spans.populations.min()) if len(spans.populations) else 0,
        l_reached=None if labels is None else _least_labels(spans, labels),
        entropy_l=None if labels is None else _least_entropy(spans, labels),
        rows=len(spans.of_row),
        spans=len(spans.populations),
        exposed_spans=len(below),
        exposed_people=int(spans.populations[below].sum()),
        public=given.public,
        private=found.private,
        domains=found.domains,
        target=None if labels is None else labels.name,
        offending=offending,
        warnings=found.warnings,
        target_found=found.target_found and labels is not None,
        table_fits=found.table_fits,
    )


def _least_labels(spans: Spans, labels: KeptColumn) -> int | None:
    """Return the least number of labels in a span of more than one class; None if there is no such span."""
    pairs = np.unique(spans.of_row * labels.size + labels.codes)
    counts = np.bincount(pairs // labels.size, minlength=len(spans.populations))[spans.multiple]
    return int(counts.min()) if len(counts) else None


def _least_entropy(spans: Spans, labels: KeptColumn) -> float | None:
    """Return the least exp(entropy) of the labels in a span of more than one class: its entropy l-diversity."""
    pairs, people = np.unique(spans.of_row * labels.size + labels.codes, return_counts=True)
    share = people / spans.populations[pairs // labels.size]
    entropy = np.bincount(pairs // labels.size, weights=-share * np.log(share), minlength=len(spans.populations))[
        spans.multiple
    ]
    return round(math.exp(entropy.min()), 9) if len(entropy) else None  # 2, where rounding makes it 1.9999999999999998


def _either(words: Sequence[str]) -> str:
    """Return the people of a span in words: those of its public signatures, the first few if there are many."""
    known = [word for word in dict.fromkeys(words) if word]
    if len(known) > _MOST_TUPLES:
        known = [*known[: _MOST_TUPLES - 1], f"{len(known) - _MOST_TUPLES + 1:,} more"]
    return " or ".join(known) or "everybody"


def _text(value: str | None) -> str:
    return "missing" if value is None else value


def _of_stored_rows(model: Any, given: _Given, held: tuple[str, ...]) -> Audit:
    """Return the audit of a model that holds rows: no span says as much as they do."""
    frame = given.frame()
    check_public(given.public, frame)
    return Audit(
        model=type(last_step(model)).__name__,
        k=given.k,
        k_reached=None,
        smallest_span=None,
        l_reached=None,
        entropy_l=None,
        rows=frames.n_rows(frame),
        spans=0,
        exposed_spans=0,
        exposed_people=frames.n_rows(frame),
        public=given.public,
        private=(),
        domains=(),
        target=None,
        offending=(),
        warnings=(*held, *stored_per_row(model)),
        holds_rows=True,
    )
