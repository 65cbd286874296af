"""Spans of models that give a row the nearest of their centroids (Friedman, Wolff and Schuster 2008, section 4.2).

The classes of the model are the cells of the centroids.  Others know a person's public coordinates; the span is
what the private ones can reach within their domain, which is given or taken from the table, and stated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import FloatMatrix, IntVector
from covey.base.checks import bad_parameter, listed, plural, require_known
from covey.base.errors import InputError, UnknownColumn
from covey.mining.centres.cells import cells_reached
from covey.mining.centres.coordinates import numbers_of
from covey.mining.centres.nearness import Nearness, exact_weights
from covey.mining.centres.private import PrivateAttribute, private_attributes
from covey.mining.faults import not_a_number
from covey.mining.spans import Reach, RowSpans, find_spans
from covey.tables.frames import as_frame, column_names, to_arrow

__all__ = ["CentroidModel", "CentroidSpans", "centroid_spans", "read_centroids"]

NEAREST = ("KMeans", "MiniBatchKMeans", "NearestCentroid")
"""Models that do; others measure distances in other ways, or take the nearest of two at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class CentroidModel:
    """Centroids as read from a model."""

    centroids: FloatMatrix
    """(K, p)."""
    class_names: tuple[str, ...]
    names: tuple[str, ...] | None
    """The columns that the model was fitted on, where it says so."""


@dataclass(frozen=True, slots=True, eq=False)
class CentroidSpans(RowSpans):
    """The spans of a table's rows under centroids, the nearest centroid of each row, and what they rest on."""

    private: tuple[PrivateAttribute, ...]
    """What each private attribute may be; as text: `income: any number from 36 to 115`."""
    public: tuple[str, ...]
    """The public coordinates."""


def centroid_spans(
    centroids: Any,
    table: Any,
    public: Sequence[str | int],
    *,
    private_ranges: Mapping[Any, Any] | None = None,
    scale: Sequence[float] | None = None,
    names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    one_hot: Sequence[Sequence[str]] = (),
) -> CentroidSpans:
    """Return the spans of the rows of `table` under a model of nearest centroids, exactly.

    centroids: scikit-learn's KMeans, MiniBatchKMeans or NearestCentroid, or an array (K, p); table: an array (n, p)
    or a frame that has the columns `names` (those of the model, else all of its columns in their order); public: the
    columns that others know, by name or place; private_ranges: domains of private ones by name ((low, high), a
    `range`, a set of values; see `private_attributes`), else taken from the table; scale: each coordinate is divided
    by its own before distances are taken; one_hot: groups of columns that encode one category each.

    >>> found = centroid_spans([[20, 10], [20, 90], [80, 50]], [[21, 12], [22, 70], [81, 60]], public=["x0"])
    >>> found.spans.populations.tolist(), [sorted(c) for c in found.spans.classes], str(found.private[0])
    ([2, 1], [[0, 1], [2]], 'x1: whole numbers from 12 to 70')
    """
    model = read_centroids(centroids)
    points, columns = _points(table, model, names)
    known = _public_places(public, columns)
    private = private_attributes(columns, known, points, private_ranges or {}, one_hot)
    nearness = Nearness(model.centroids, exact_weights(_scale(scale, len(columns))), known, private)
    tuples, signature = np.unique(points[:, known], axis=0, return_inverse=True)
    reached = cells_reached(nearness, tuples)
    words = _words([columns[i] for i in known.tolist()], tuples)
    reach = [Reach(frozenset(np.flatnonzero(row).tolist()), text) for row, text in zip(reached, words, strict=True)]
    return CentroidSpans(
        spans=find_spans(signature.reshape(-1), reach),
        class_of_row=nearness.nearest_of_points(points[:, known], points[:, nearness.places]),
        class_names=_class_names(class_names, model),
        private=private,
        public=tuple(columns[i] for i in known.tolist()),
    )


def read_centroids(model: Any) -> CentroidModel:
    """Return the centroids of a fitted model, or of an array of centroids.

    >>> read_centroids([[0, 0], [1, 2]]).class_names
    ('centroid 0', 'centroid 1')
    """
    kind = type(model).__name__
    if kind not in NEAREST and (hasattr(model, "cluster_centers_") or hasattr(model, "centroids_")):
        raise bad_parameter(
            f"a model of type {kind} is not known to give every row the nearest of its centres",
            "give the centroids as an array if you publish them alone",
        )
    if hasattr(model, "cluster_centers_"):
        found, classes = model.cluster_centers_, None
    elif hasattr(model, "centroids_"):
        _check_nearest_centroid(model)
        found, classes = model.centroids_, [str(label) for label in model.classes_]
    elif hasattr(model, "fit"):
        raise bad_parameter(f"the model of type {kind} has no centroids", "fit it first, or give an array")
    else:
        found, classes = model, None
    centroids = _matrix(found, "the centroids")
    if not len(centroids) or not centroids.shape[1]:
        raise bad_parameter("there is no centroid", "give at least one, as an array (K, p)")
    fitted = getattr(model, "feature_names_in_", None)
    return CentroidModel(
        centroids,
        tuple(classes or (f"centroid {i}" for i in range(len(centroids)))),
        None if fitted is None else tuple(str(name) for name in fitted),
    )


def _check_nearest_centroid(model: Any) -> None:
    metric = getattr(model, "metric", "euclidean")
    if metric != "euclidean":
        raise bad_parameter(
            "the model measures distances other than Euclidean ones, for which spans are not worked out",
            'fit NearestCentroid(metric="euclidean")',
        )
    prior = getattr(model, "class_prior_", None)
    if prior is not None and not np.isclose(prior, 1 / len(prior)).all():
        raise bad_parameter(
            "the model weighs its classes by unequal priors, so that the nearest centroid does not always win",
            'fit NearestCentroid(priors="uniform")',
        )


def _matrix(values: Any, what: str) -> FloatMatrix:
    try:
        matrix = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise not_a_number(f"{what} are no matrix of numbers", "encode categories first") from None
    if matrix.ndim != 2:
        raise bad_parameter(f"{what} have {plural(matrix.ndim, 'dimension')}, not 2", "give a matrix")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise InputError(
            f"{what} have a missing or infinite number in row {row + 1:,}, column {column + 1:,}",
            code="infinite",
            hint="leave such rows out, or fill them as the model's own pipeline does",
        )
    return matrix


def _points(table: Any, model: CentroidModel, names: Sequence[str] | None) -> tuple[FloatMatrix, list[str]]:
    """Return the table in the order of the model's coordinates, and their names."""
    p = model.centroids.shape[1]
    if isinstance(table, np.ndarray | list | tuple):
        points = _matrix(table, "the rows of the table")
        columns = list(names or model.names or (f"x{i}" for i in range(points.shape[1])))
    else:
        frame = as_frame(table)
        columns = list(names or model.names or column_names(frame))
        arrow = to_arrow(frame, columns)
        points = np.stack([numbers_of(arrow.column(name), name) for name in columns], axis=1)
    if points.shape[1] != p or len(columns) != p:
        raise bad_parameter(
            f"the centroids have {plural(p, 'coordinate')}, the table {plural(points.shape[1], 'column')}"
            + ("" if len(columns) == points.shape[1] else f" and {plural(len(columns), 'name')}"),
            "give the columns of the model by `names`, in its order",
        )
    if len(set(columns)) < len(columns):
        raise bad_parameter("two coordinates have the same name", "name each once")
    if not len(points):
        raise InputError("the table has no rows", code="empty-table", hint="give the table the model was learned from")
    return points, columns


def _public_places(public: Sequence[str | int], columns: Sequence[str]) -> IntVector:
    if isinstance(public, str):
        raise bad_parameter("`public` is a text, not a list of columns", 'give public=["age"]')
    places = []
    for which in public:
        if isinstance(which, str):
            require_known([which], columns, "there is no column {} among the coordinates")
            places.append(columns.index(which))
        elif 0 <= int(which) < len(columns):
            places.append(int(which))
        else:
            raise UnknownColumn(
                f"there is no coordinate {int(which)} among {len(columns)}",
                code="unknown-column",
                hint=f"known: {listed(columns)}",
            )
    return np.array(sorted(set(places)), np.int64)


def _scale(scale: Sequence[float] | None, p: int) -> list[float]:
    if scale is None:
        return [1.0] * p
    given = [float(divisor) for divisor in scale]
    if len(given) != p or not all(np.isfinite(divisor) and divisor > 0 for divisor in given):
        raise bad_parameter(f"`scale` must be {plural(p, 'positive number')}", "give one for each coordinate")
    return given


def _class_names(given: Sequence[str] | None, model: CentroidModel) -> tuple[str, ...]:
    if given is None:
        return model.class_names
    if len(given) != len(model.centroids):
        raise bad_parameter(
            f"there are {plural(len(given), 'name')} for {plural(len(model.centroids), 'centroid')}",
            "give one name for each centroid",
        )
    return tuple(str(name) for name in given)


def _words(names: Sequence[str], tuples: FloatMatrix) -> list[str]:
    if not names:
        return ["everybody"] * len(tuples)
    return [
        ", ".join(f"{name} = {value:.12g}" for name, value in zip(names, row, strict=True)) for row in tuples.tolist()
    ]
