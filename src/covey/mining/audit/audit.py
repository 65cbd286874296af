"""Audits: whom a trained model exposes (Friedman, Wolff and Schuster 2008), whatever kind of model it is.

A front end per kind of model gives the spans of the rows; what is found is told in one way.  Nothing of the model is
run: trees are read from their arrays, centres and rules from their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from covey.base.checks import at_least, bad_parameter
from covey.columns.kept import KeptColumn
from covey.columns.persons import Persons
from covey.compiled.interrupts import signals_that_wait
from covey.mining.audit.disclosures import last_step, steps_of, stored_per_row, stored_rows
from covey.mining.audit.front import Found, Given
from covey.mining.audit.persons import opened, owners_in, persons_in_spans, without
from covey.mining.audit.result import Audit, ExposedSpan
from covey.mining.centres.audit import found_in_centroids, found_in_clusters, is_array
from covey.mining.centres.centroids import NEAREST
from covey.mining.faults import bad_model, not_available
from covey.mining.learn.tree.published import GrownTree
from covey.mining.rules.audit import found_in_rules, rules_of
from covey.mining.spans import Spans, either, linked
from covey.mining.trees.attributes import check_public, value_text
from covey.mining.trees.audit import found_in_own_tree, found_in_sklearn_trees, found_in_trees
from covey.mining.trees.encoded_columns import kind_of_step
from covey.mining.trees.model import ForestModel, TreeModel
from covey.mining.trees.sklearn_models import is_tree_model
from covey.tables import frames

__all__ = ["Audit", "ExposedSpan", "audit"]

_OWN = ("KAnonymousTree", "ID3", "C45", "KAnonymousClusters", "KAnonymousRules")


@signals_that_wait()
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
    other_table: bool = False,
    identifier: Sequence[str] = (),
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

    A table is refused if the counts that the model stores show that it is not the training table; with `other_table` it
    is counted all the same, and the findings say so.

    identifier: columns of the table that the model was not trained on and that tell whose the rows are; those that are
    keys of persons by their names, and that the model does not use, are looked at unnamed.  Spans are counted in rows;
    where rows are not persons, the findings say how many spans fewer than k persons share.

    >>> import covey
    >>> import pyarrow as pa
    >>> table = pa.table({"married": ["no", "yes", "yes"], "risk": ["good", "bad", "bad"]})
    >>> found = audit(covey.ID3().fit(table, "risk"), table, public=["married"], k=3)
    >>> found.ok, found.k_reached, [str(span) for span in found.offending]
    (False, 1, ["married = no: 1 row, 'good'", "married = yes: 2 rows, all 'bad'"])
    """
    _check(public, k, shown, identifier)
    _check_model(model)
    if held_twice := [name for name in identifier if name in (*public, target)]:
        raise bad_parameter(
            f"`{held_twice[0]}` is an identifier, and named as public or target", "give each column one part"
        )
    table = opened(table)  # first of all: a stream gives its rows only once
    given = Given(
        without(table, identifier),
        tuple(dict.fromkeys(public)),
        int(k),
        target,
        dict(domains or {}),
        columns,
        one_hot,
        scale,
        digits,
        other_table,
    )
    held = stored_rows(model)
    if held:
        return _of_stored_rows(model, given, held)
    found = _found(model, given)
    used = (*given.public, *found.private, *(() if found.labels is None else (found.labels.name,)))
    persons = persons_in_spans(owners_in(table, identifier, used), found.of_rows.spans, given.k)
    return _told(found, given, shown, persons)


def _check(public: Any, k: Any, shown: Any, identifier: Any) -> None:
    for name, columns, example in (("public", public, '["age", "sex"]'), ("identifier", identifier, '["patient_id"]')):
        if isinstance(columns, str) or not isinstance(columns, Collection):
            raise bad_parameter(f"`{name}` must be a list of column names", f"for example {name}={example}")
    for name, fault in (("k", at_least(2)(k)), ("shown", at_least(0)(shown))):
        if fault:
            raise bad_parameter(f"`{name}` must be {fault}", f"for example {name}=10")


def _check_model(model: Any) -> None:
    """Raise if the model is a name of a file, is not trained, or cannot be told from the steps before it."""
    if isinstance(model, str | bytes | Path):
        raise bad_parameter(
            "the name of a file is given in the place of a trained model",
            "load the model first, with skops.io.load or `from_json`; `covey audit-model` takes the file itself",
        )
    *_, last = steps_of(model)
    name = type(last).__name__
    is_own = type(last).__module__.startswith("covey.mining") and name in _OWN
    if is_own and last is not model:
        raise not_available(
            f"the last step of the pipeline, {name}, was trained on what the steps before it make of the table",
            "audit that step alone, model[-1], with the transformed table, model[:-1].transform(...)",
        )
    is_known = is_own or is_tree_model(model) or kind_of_step(last) in NEAREST
    if is_known and not any(part.endswith("_") and not part.startswith("_") for part in vars(last)):
        raise bad_model(f"the model ({name}) is not trained", "call `fit` before the audit")


def _found(model: Any, given: Given) -> Found:
    """Return what the front end for this kind of model says."""
    kind = type(model).__name__
    if isinstance(model, TreeModel | ForestModel):
        return found_in_trees(model, given.frame(), given, "a tree" if isinstance(model, TreeModel) else "trees")
    if isinstance(getattr(model, "tree_", None), GrownTree):
        return found_in_own_tree(model.tree_, given, kind)
    if is_tree_model(model):
        return found_in_sklearn_trees(model, given)
    if kind == "KAnonymousClusters" and hasattr(model, "cuts_"):
        return found_in_clusters(model, given)
    rules = rules_of(model)
    if rules is not None:
        return found_in_rules(rules, given)
    if kind_of_step(last_step(model)) in NEAREST or is_array(model):
        return found_in_centroids(model, given)
    raise not_available(
        f"a model of the kind {type(last_step(model)).__name__} cannot be audited",
        "known: decision trees, forests, boosted trees, KMeans, NearestCentroid, arrays of centres, rules",
    )


def _told(found: Found, given: Given, shown: int, persons: Persons | None) -> Audit:
    of_rows, spans = found.of_rows, found.of_rows.spans
    below = spans.below(given.k)
    labels = found.labels
    table_fits, other_table = found.fit
    least_labels, least_entropy = (None, None) if labels is None else _least_diversity(spans, labels)
    whose = "" if persons is None else persons.span_warning(given.k)
    codes = of_rows.class_of_row if labels is None else labels.codes
    names: Sequence[str | None] = of_rows.class_names if labels is None else labels.values
    offending = tuple(
        ExposedSpan(
            words=_who(link.words),
            people=link.people,
            counts=tuple((value_text(names[code]), people) for code, people in link.counts),
        )
        for link in linked(spans, codes, below[:shown])
    )
    return Audit(
        model=found.model,
        k=given.k,
        k_reached=spans.k_reached,
        smallest_span=int(spans.populations.min()) if len(spans.populations) else 0,
        l_reached=least_labels,
        entropy_l=least_entropy,
        rows=len(spans.of_row),
        spans=len(spans.populations),
        exposed_spans=len(below),
        exposed_people=int(spans.populations[below].sum()),
        public=given.public,
        private=found.private,
        domains=found.domains,
        target=None if labels is None else labels.name,
        offending=offending,
        warnings=(*([whose] if whose else []), *found.warnings),
        target_found=found.target_found and labels is not None,
        table_fits=table_fits,
        other_table=other_table,
        persons=persons,
        telling_spans=int(np.count_nonzero(spans.multiple)),
    )


def _least_diversity(spans: Spans, labels: KeptColumn) -> tuple[int | None, float | None]:
    """Return the least number of labels in a span of more than one class, and the least exp(entropy) of them.

    The latter is its entropy l-diversity; both are None if there is no such span.
    """
    if not spans.multiple.any():
        return None, None
    pairs, people = np.unique(spans.of_row * labels.size + labels.codes, return_counts=True)
    span, n_spans = pairs // labels.size, len(spans.populations)
    share = people / spans.populations[span]
    counts = np.bincount(span, minlength=n_spans)[spans.multiple]
    entropy = np.bincount(span, weights=-share * np.log(share), minlength=n_spans)[spans.multiple]
    return int(counts.min()), round(math.exp(entropy.min()), 9)  # 2, where rounding makes it 1.9999999999999998


def _who(words: Sequence[str]) -> str:
    """Return the people of a span in words: those of its public signatures, the first few if there are many."""
    return either([word for word in dict.fromkeys(words) if word]) or "everybody"


def _of_stored_rows(model: Any, given: Given, held: tuple[str, ...]) -> Audit:
    """Return the audit of a model that holds rows: no span says as much as they do."""
    frame = given.frame()
    check_public(given.public, frame)
    return Audit(
        model=type(last_step(model)).__name__,
        k=given.k,
        rows=frames.n_rows(frame),
        exposed_spans=0,
        exposed_people=frames.n_rows(frame),
        public=given.public,
        warnings=(*held, *stored_per_row(model)),
        holds_rows=True,
    )
