"""Clusters that expose nobody (Friedman, Wolff and Schuster 2008, section 5.2).

The longest edges of a minimum spanning tree are deleted, as long as every span keeps no row or at least k.  Each
deletion divides one cluster's region by the nearer of the two parts' means; other regions stay as they are.  So the
model is a set of nested cuts, and not the same as the nearest of all centres.

Guarantee: every span of the fitted table has at least k rows, also a span of one cluster alone, which is more than
k-anonymity of the release asks for (claim 3).  A cut that leaves a region without any row is not made.
A cluster is divided only into parts whose centres are means of `rows_per_centre` rows (k unless said otherwise;
the paper has no such limit): the mean of one row is that row.  A row goes where the cuts lead it, not where its part of
the tree is: so a cluster may hold fewer than k rows, though its centre is a mean of k or more and every span has k.
Cost: the tree O(t**2) for up to 4,000 distinct rows t, above that t nearest neighbour searches; then one pass over
the public tuples per edge that is tried, at most t per cluster that is made.
Ties: edges of the same length by the numbers of their rows; a point as near to both centres goes to the first, which
is that of the part with the lowest row.
"""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from covey.base.arrays import IntVector
from covey.base.checks import at_least, bad_parameter, check, optional, require_known, require_rows
from covey.base.errors import InputError
from covey.compiled.interrupts import signals_that_wait
from covey.mining.centres.centroids import CentroidSpans
from covey.mining.centres.coordinates import Category, Coordinates, Number, columns_of, read_coordinates
from covey.mining.centres.nearness import LEAST_SCALE, MOST_SCALE
from covey.mining.centres.private import Interval, is_number
from covey.mining.faults import installed
from covey.mining.learn.clusters.nested import NestedCut, View, follow, tuples_reaching
from covey.mining.learn.clusters.search import MOST_ROWS, Search
from covey.mining.learn.identifiers import refuse_identifier

with installed("clusters need a package that is not installed"):
    from sklearn.base import BaseEstimator, ClusterMixin

__all__ = ["MOST_ROWS", "KAnonymousClusters", "NestedCut", "cluster_spans"]

FORMAT = "covey k-anonymous clusters"


def _scale_rule(value: object) -> str | None:
    are_divisors = isinstance(value, Mapping) and all(
        isinstance(one, numbers.Real) and math.isfinite(float(one)) and float(one) > 0 for one in value.values()
    )
    is_known = value is None or value == "range" or are_divisors
    return None if is_known else '"range", None, or positive numbers by column'


class KAnonymousClusters(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters of mixed data by nested cuts, such that every span has at least `k` rows.

    Parameters
    ----------
    k : least number of rows in every span that has any.
    public : the columns that others know; all others are private.
    private_ranges : what private numbers may be, by column: (low, high), a `range`, a set; else as in the table.
    scale : "range" divides every number by the width of its private range or of its values, None leaves numbers as
        they are, a mapping gives divisors by column ("range" for the others).
    max_clusters : stop at so many clusters; None to go on while a cut is safe.
    rows_per_centre : of at least how many rows a centre is the mean; None for k, 1 for the paper's algorithm.

    Attributes after `fit`: `labels_`, `n_clusters_`, `cuts_` (the model), `populations_` (rows per cluster),
    `coordinates_` (how columns become coordinates), and for the steward only, never saved: `spans_`, `private_`.

    >>> rows = [[20, 40], [22, 50], [24, 60], [50, 62], [53, 42], [49, 36], [54, 33]]
    >>> model = KAnonymousClusters(k=3, public=["x0"], scale=None, rows_per_centre=1, max_clusters=3).fit(rows)
    >>> model.labels_.tolist(), model.spans_.populations.tolist()
    ([0, 0, 0, 1, 2, 2, 2], [3, 4])
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]] = {
        "k": at_least(2),
        "scale": _scale_rule,
        "max_clusters": optional(at_least(1)),
        "rows_per_centre": optional(at_least(1)),
    }

    def __init__(
        self,
        k: int = 5,
        public: Sequence[str] = (),
        *,
        private_ranges: Mapping[str, Any] | None = None,
        scale: Any = "range",
        max_clusters: int | None = None,
        rows_per_centre: int | None = None,
    ) -> None:
        self.k = k
        self.public = public
        self.private_ranges = private_ranges
        self.scale = scale
        self.max_clusters = max_clusters
        self.rows_per_centre = rows_per_centre

    @signals_that_wait()
    def fit(self, table: Any, y: object = None) -> Self:
        """Cluster the rows of `table`: a frame, or an array whose columns are called x0, x1 and so on."""
        check(self)
        columns = columns_of(table)
        n_rows = len(next(iter(columns.values()))) if columns else 0
        require_rows(self.k, n_rows)
        self.coordinates_ = read_coordinates(columns, self._widths(columns))
        for column in self.coordinates_.columns:
            if isinstance(column, Category):
                refuse_identifier(column.name, columns[column.name])
        if isinstance(self.public, str):
            raise bad_parameter("`public` is a text, not a list", 'give public=["age"]')
        require_known(self.public, columns, "there is no column {} in the table")
        points = self.coordinates_.points(columns)
        view = View.of(self.coordinates_, points, self.public, self.private_ranges)
        search = Search(view, self.k, self.rows_per_centre or self.k)
        search.run(self.max_clusters or n_rows)
        self.cuts_ = tuple(search.cuts)
        self.n_clusters_ = search.n_clusters
        self.labels_ = follow(self.cuts_, view)
        self.populations_ = tuple(np.bincount(self.labels_, minlength=self.n_clusters_).tolist())
        self.spans_ = view.spans(search.reached())
        self.private_ = self.coordinates_.in_words(view.private)
        return self

    def predict(self, table: Any) -> IntVector:
        """Return the cluster of each row: at every cut the nearer centre; an unknown category is as far from all."""
        self._require_fit()
        points = self.coordinates_.points(_columns_for(self.coordinates_, table))
        if not len(points):
            return np.zeros(0, np.int64)
        places = self.coordinates_.places([column.name for column in self.coordinates_.columns])
        # nothing is private to somebody who has the whole row
        return follow(self.cuts_, View(self.coordinates_, np.array(places, np.int64), (), points))

    def to_json(self) -> str:
        """Return the released model as JSON: the cuts, and the number of rows in each cluster."""
        self._require_fit()
        columns: list[dict[str, Any]] = [
            {"name": column.name, "scale": column.scale}
            if isinstance(column, Number)
            else {"name": column.name, "categories": list(column.values)}
            for column in self.coordinates_.columns
        ]
        cuts = [{"first": cut.first, "second": cut.second, "then": cut.then} for cut in self.cuts_]
        document = {
            "format": FORMAT,
            "version": 1,
            "k": int(self.k),
            "public": list(self.public),
            "columns": columns,
            "cuts": cuts,
            "rows": list(self.populations_),
        }
        return json.dumps(document, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> KAnonymousClusters:
        """Return a model that predicts as the one that wrote the JSON."""
        try:
            return _read(cls, json.loads(text))
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
            raise InputError(
                "the text is no model of covey's clusters", code="broken-file", hint="give what `to_json` wrote"
            ) from None

    def _widths(self, columns: Mapping[str, Any]) -> dict[str, float] | None:
        if self.scale is None:
            return None
        widths = {}
        for name, given in (self.private_ranges or {}).items():
            if isinstance(given, Interval):
                given = (given.low, given.high)
            if isinstance(given, tuple | list) and len(given) == 2 and all(map(is_number, given)):
                widths[name] = float(given[1]) - float(given[0])
        if isinstance(self.scale, Mapping):
            require_known(self.scale, columns, "`scale` names the column {}, which the table does not have")
            widths.update({name: float(value) for name, value in self.scale.items()})
        return widths

    def _require_fit(self) -> None:
        if not hasattr(self, "cuts_"):
            raise bad_parameter("the clusters are not there yet", "call `fit` first")

    def __getstate__(self) -> dict[str, Any]:
        # a saved model must hold neither rows nor what only the steward may see
        hidden = ("labels_", "spans_", "private_", "private_ranges")
        kept = {name: value for name, value in super().__getstate__().items() if name not in hidden}
        return {**kept, "private_ranges": None}


def cluster_spans(
    model: KAnonymousClusters,
    table: Any,
    public: Sequence[str] | None = None,
    *,
    private_ranges: Mapping[str, Any] | None = None,
) -> CentroidSpans:
    """Return the spans of the rows of `table` under nested cuts, exactly; public: the model's own unless given."""
    model._require_fit()
    known = tuple(model.public if public is None else public)
    names = [column.name for column in model.coordinates_.columns]
    require_known(known, names, "there is no column {} in the model")
    points = model.coordinates_.points(_columns_for(model.coordinates_, table))
    view = View.of(model.coordinates_, points, known, private_ranges or model.private_ranges)
    return CentroidSpans(
        spans=view.spans(tuples_reaching(model.cuts_, view)),
        class_of_row=follow(model.cuts_, view),
        class_names=tuple(f"cluster {i}" for i in range(model.n_clusters_)),
        private=model.coordinates_.in_words(view.private),
        public=known,
    )


def _columns_for(coordinates: Coordinates, table: Any) -> dict[str, Any]:
    """Return the columns of a table, of which none that the model knows may be missing."""
    columns = columns_of(table)
    require_known([column.name for column in coordinates.columns], columns, "there is no column {} in the table")
    return columns


def _read(kind: type[KAnonymousClusters], document: Any) -> KAnonymousClusters:
    """Return the model of a JSON document; whatever is wrong with it raises a plain error."""
    _require(document["format"] == FORMAT and document["version"] == 1)
    columns: list[Number | Category] = []
    for column in document["columns"]:
        if "categories" in column:
            values = tuple(None if value is None else str(value) for value in column["categories"])
            columns.append(Category(str(column["name"]), values))
        else:
            _require(LEAST_SCALE <= column["scale"] <= MOST_SCALE)
            columns.append(Number(str(column["name"]), float(column["scale"])))
    model = kind(int(document["k"]), [str(name) for name in document["public"]])
    model.coordinates_ = Coordinates(tuple(columns))
    width = len(model.coordinates_.names)
    model.cuts_ = tuple(
        NestedCut(
            _centre(cut["first"], width), _centre(cut["second"], width), (int(cut["then"][0]), int(cut["then"][1]))
        )
        for cut in document["cuts"]
    )
    model.populations_ = tuple(document["rows"])
    _require(all(type(n_rows) is int and 0 <= n_rows < 2**62 for n_rows in model.populations_))
    model.n_clusters_ = len(model.populations_)
    _check_nesting(model.cuts_, model.n_clusters_)
    return model


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("the document is not what `to_json` writes")


def _centre(values: Sequence[Any], width: int) -> tuple[float, ...]:
    centre = tuple(float(value) for value in values)
    _require(len(centre) == width and all(map(math.isfinite, centre)))
    return centre


def _check_nesting(cuts: Sequence[NestedCut], n_clusters: int) -> None:
    """Raise unless every cut but the first and every cluster is reached exactly once, and cuts lead onward."""
    following = [after for cut in cuts for after in cut.then]
    expected = sorted([*range(1, len(cuts)), *(-1 - cluster for cluster in range(n_clusters))])
    onward = all(after < 0 or after > number for number, cut in enumerate(cuts) for after in cut.then)
    _require(onward and (sorted(following) == expected if cuts else n_clusters == 1))
