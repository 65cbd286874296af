"""What an audit finds in centres: KMeans, NearestCentroid, an array, or covey's nested clusters."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from covey.base.arrays import FloatVector
from covey.base.checks import require_known
from covey.mining.audit.disclosures import last_step, small_clusters, steps_of, stored_per_row
from covey.mining.audit.domains import check_names, domains_of_centres, domains_of_clusters, listed_words
from covey.mining.audit.front import Found, Given, labels_of
from covey.mining.audit.training_table import fit_of_clusters, fit_of_labels
from covey.mining.centres.centroids import CentroidModel, centroid_spans, read_centroids
from covey.mining.centres.coordinates import Category, Number
from covey.mining.centres.private import PrivateAttribute, Values
from covey.mining.faults import not_available, what_training_leaves
from covey.mining.trees.encoded_columns import kind_of_step
from covey.tables import frames

__all__ = ["found_in_centroids", "found_in_clusters", "is_array"]


def is_array(model: Any) -> bool:
    """Return whether a model is an array of centres."""
    if isinstance(model, list | tuple) and len(model) > 0:
        with contextlib.suppress(TypeError, ValueError):
            return np.asarray(model, np.float64).ndim == 2
    return isinstance(model, np.ndarray)


def found_in_centroids(model: Any, given: Given) -> Found:
    """Return what is found in centres, behind scalers too."""
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
    last = last_step(model)
    # without `n_iter_` they are those of a last batch alone
    stored = getattr(last, "labels_", None) if hasattr(last, "n_iter_") else None
    fit = given.fit(lambda: fit_of_labels(stored, found.class_of_row, len(centres.centroids)))
    return Found(
        model=kind_of_step(last) or "centres",
        of_rows=found,
        private=tuple(name for attribute in found.private for name in attribute.names),
        domains=tuple(map(str, found.private)),
        warnings=(*small_clusters(found.class_of_row, found.class_names, given.k), *stored_per_row(model)),
        labels=labels_of(given),
        fit=fit,
    )


def _used(given: Given, used: Sequence[str]) -> tuple[str, ...]:
    """Return the public columns that the model uses; the others must be in the table, and tell nothing of it."""
    known = used if isinstance(given.table, np.ndarray | list | tuple) else frames.column_names(given.frame())
    require_known(given.public, known, "there is no public column {} in the table")
    check_names(given.domains, known, given.public)
    return tuple(name for name in given.public if name in used)


def _read_centres(model: Any) -> tuple[CentroidModel, list[float] | None]:
    """Return centres in the original columns, and what each column is divided by before distances are taken."""
    *steps, last = steps_of(model)
    unread = "the centres of the model, or a step before them, are not what training leaves"
    with what_training_leaves(unread, AttributeError, TypeError, ValueError, LookupError):
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


def _of_a_column(step: Any) -> tuple[FloatVector, FloatVector]:
    """Return (a, b) of a scaler that changes every column x into x * a + b."""
    kind = kind_of_step(step)
    if step is None or step == "passthrough":
        return np.ones(1), np.zeros(1)
    if kind == "MinMaxScaler" and not getattr(step, "clip", False):
        return _or(step, "scale_", 1.0), _or(step, "min_", 0.0)
    middle = {"StandardScaler": "mean_", "RobustScaler": "center_", "MaxAbsScaler": ""}.get(kind)
    if middle is None:
        raise not_available(
            f"centres behind a step of the kind {type(step).__name__} cannot be read in the original columns",
            "known steps: StandardScaler, RobustScaler, MaxAbsScaler, MinMaxScaler without clipping",
        )
    divisor = _or(step, "scale_", 1.0)
    return 1 / divisor, -_or(step, middle, 0.0) / divisor


def _or(step: Any, name: str, otherwise: float) -> FloatVector:
    """Return the array that a step was fitted to; otherwise, if the step was told to leave it out."""
    value = getattr(step, name, None)
    return np.asarray(otherwise if value is None else value, np.float64)


def found_in_clusters(model: Any, given: Given) -> Found:
    """Return what is found in covey's nested clusters."""
    from covey.mining.learn.clusters.estimator import cluster_spans

    coordinates = model.coordinates_
    public = _used(given, [column.name for column in coordinates.columns])
    ranges = domains_of_clusters(given.domains, coordinates)
    found = cluster_spans(model, given.table, public, private_ranges=ranges or None)
    columns = [(coordinates.by_place()[attribute.places[0]], attribute) for attribute in found.private]
    fit = given.fit(lambda: fit_of_clusters(model.populations_, found.class_of_row))
    # where a centre is a mean of k rows or more, it does not matter how many are nearest to it
    is_small = (model.rows_per_centre or model.k) < given.k
    small = small_clusters(found.class_of_row, found.class_names, given.k) if is_small else ()
    return Found(
        model=type(model).__name__,
        of_rows=found,
        private=tuple(column.name for column, _ in columns),
        domains=tuple(
            f"{column.name}: {_cluster_domain(column, attribute, column.name in given.domains)}"
            for column, attribute in columns
        ),
        warnings=small,
        labels=labels_of(given),
        fit=fit,
    )


def _cluster_domain(column: Number | Category, attribute: PrivateAttribute, is_given: bool) -> str:
    """Return what a private column may be; the categories of one whose domain is not given are the model's."""
    if is_given or isinstance(column, Number) or not isinstance(attribute.domain, Values):
        return str(attribute.domain)
    has_others = not attribute.domain.points.any(axis=1).all()  # a row of zeros is a value that the model does not know
    return listed_words(column.values) + (", or another" if has_others else "")
