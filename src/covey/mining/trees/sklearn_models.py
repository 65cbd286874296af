"""Trees, forests and boosted trees of scikit-learn, read from their arrays into the original columns of the table.

Nothing of the model is run: its nodes are checked and copied, its encoders and scalers undone.  One-hot columns of
one attribute become one set of values, a threshold on numbered values becomes a set of values, and a threshold on
a scaled number the greatest original number that passes it, found exactly by bisection over all floating-point
numbers.  Trees of scikit-learn compare in single precision (histogram boosting in double), which is part of this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.base.checks import bad_parameter, listed, plural
from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.mining.faults import bad_model, not_available, what_training_leaves
from covey.mining.trees.attributes import as_texts
from covey.mining.trees.encoded_columns import (
    DEEPEST,
    Category,
    Number,
    Source,
    fitted,
    is_passed_on,
    kind_of_step,
    last_step,
    ordinal,
    through,
)
from covey.mining.trees.model import ForestModel, Partition, TreeModel, nodes_of_each

__all__ = ["is_tree_model", "read_trees", "stored_counts", "stored_trees"]

_SINGLE = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
_FORESTS = ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
_BOOSTED = ("GradientBoostingClassifier", "GradientBoostingRegressor")
_HISTOGRAM = ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
_KNOWN = (*_SINGLE, *_FORESTS, *_BOOSTED, *_HISTOGRAM)
_FIELDS = {
    "left", "right", "feature_idx", "num_threshold", "missing_go_to_left", "is_leaf", "is_categorical", "bitset_idx",
}  # fmt: skip
OneHot = Mapping[str, Mapping[str, str | None]]
"""Attributes that were made into columns of 0 and 1 by hand: {attribute: {column: value}}."""
_BITS = 32  # of one word of a histogram tree's set of values


def is_tree_model(model: object) -> bool:
    """Return whether `read_trees` knows this kind of model: trees of scikit-learn, or a pipeline that ends in them."""
    return kind_of_step(last_step(model)) in _KNOWN


def read_trees(
    model: Any, *, columns: Sequence[str] | None = None, one_hot: OneHot | None = None
) -> TreeModel | ForestModel:
    """Return a trained model of scikit-learn as a tree or a forest that tests the original columns.

    columns: the names of the columns that the model takes, for one that was trained on an array without names.
    one_hot: attributes that were made into columns of 0 and 1 by hand: {attribute: {column: value}}; the attribute
    itself must then be a column of the table.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> tree = read_trees(DecisionTreeRegressor().fit([[20], [30], [40]], [1, 1, 2]), columns=["age"])
    >>> tree.n_nodes, tree.attributes, round(tree.threshold[0])
    (3, ('age',), 35)
    """
    faults = (AttributeError, TypeError, ValueError, LookupError, OverflowError, RecursionError)
    with what_training_leaves("the parts of the model are not what scikit-learn makes them", *faults):
        return _read(model, columns, one_hot or {})


def _read(model: Any, columns: Sequence[str] | None, one_hot: OneHot) -> TreeModel | ForestModel:
    names = _column_names(model, columns)
    sources: list[Source] = [_hand_made(name, one_hot) or Number(name) for name in names]
    for _ in range(DEEPEST):
        if kind_of_step(model) != "Pipeline":
            break
        *steps, (_, last) = model.steps
        for name, step in steps:
            sources = through(step, sources, name)
        model = last
    kind = kind_of_step(model)
    if kind not in _KNOWN:
        raise not_available(
            f"a model of the kind {type(model).__name__} is not one of trees that can be read",
            f"known: {listed(_KNOWN, most=20)}",
        )
    n_taken = getattr(model, "n_features_in_", len(sources))
    if n_taken != len(sources):
        raise bad_model(f"the model takes {n_taken} columns, but {len(sources)} reach it")
    is_regression = kind.endswith("Regressor")
    labels = () if is_regression else _labels(model)
    if kind in _HISTOGRAM:
        sources = _before_histograms(model, sources)
    nodes_of = _histogram_nodes if kind in _HISTOGRAM else _nodes
    nodes = [nodes_of(tree) for tree in stored_trees(model)]
    if not nodes:
        raise bad_model("the model has no tree")
    _check_tests(nodes, sources)
    trees = _Original(sources, in_single=kind not in _HISTOGRAM).trees(nodes, labels, is_regression)
    return trees[0] if kind in _SINGLE else ForestModel(tuple(trees))


def _column_names(model: Any, columns: Sequence[str] | None) -> list[str]:
    known = getattr(model, "feature_names_in_", None)
    for _ in range(DEEPEST):
        if known is not None or kind_of_step(model) != "Pipeline" or not model.steps:
            break
        # a step that passes all columns on does not keep their names, but the next one has them
        model = next((step for _, step in model.steps if not is_passed_on(step)), None)
        known = getattr(model, "feature_names_in_", None)
    given = columns if known is None else known
    if given is None:
        raise bad_parameter(
            "the model was trained on an array, whose columns have no names",
            hint("name the columns that it takes, in their order: {}", Asked("columns")),
        )
    names = [str(name) for name in given]
    n_taken = getattr(model, "n_features_in_", len(names))
    if n_taken != len(names):
        raise bad_parameter(
            f"the model takes {plural(n_taken, 'column')}, but {len(names)} {'is' if len(names) == 1 else 'are'} named",
            "name the columns that it takes, in their order, and no others",
        )
    if len(set(names)) < len(names):
        raise InputError(
            "the model takes two columns of one name, which cannot be told apart in the table",
            code="duplicate-columns",
            hint="train it on columns with different names",
        )
    return names


def _hand_made(column: str, one_hot: OneHot) -> Category | None:
    for attribute, values in one_hot.items():
        if column in values:
            own = values[column]
            return Category(attribute, {value: float(value == own) for value in values.values()}, 0.0)
    return None


def _labels(model: Any) -> tuple[str, ...]:
    if getattr(model, "n_outputs_", 1) != 1:
        raise _several_targets()
    labels = as_texts(fitted(model, "classes_"))
    if labels is None or None in labels:
        raise bad_model("the labels of the model are not values of one kind")
    return tuple(str(label) for label in labels)


def _several_targets() -> InputError:
    return not_available("a model of several targets at once cannot be read", "train one model per target")


def stored_trees(model: Any) -> list[Any]:
    """Return what holds the nodes of each tree of a model: of histogram boosting the predictors."""
    kind = kind_of_step(model)
    if kind in _HISTOGRAM:
        return [predictor for stage in fitted(model, "_predictors") for predictor in stage]
    if kind in _BOOSTED:
        first = fitted(model, "init_")
        if first != "zero" and kind_of_step(first) not in ("DummyClassifier", "DummyRegressor"):
            raise not_available(
                f"the boosted trees start from another model ({type(first).__name__}), which is not read",
                "train them without `init`",
            )
    members = [model] if kind in _SINGLE else list(np.asarray(fitted(model, "estimators_"), object).reshape(-1))
    return [fitted(member, "tree_") for member in members]


def stored_counts(model: Any) -> list[IntVector]:
    """Return how many training rows each node of each tree had, if the tree tells; the trees must have been read."""
    if kind_of_step(model) in _HISTOGRAM:
        tables = [predictor.nodes for predictor in stored_trees(model)]
        return [np.asarray(table["count"], np.int64) for table in tables if "count" in table.dtype.names]
    return [np.asarray(tree.n_node_samples, np.int64) for tree in stored_trees(model)]


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """The nodes of one tree of two-way tests, over the columns that reach the estimator."""

    left: IntVector
    """(n,): -1 at a leaf."""
    right: IntVector
    feature: IntVector
    threshold: FloatVector
    missing_left: BoolVector
    left_codes: Mapping[int, frozenset[int]]
    """By node: the numbered values that go left, of a test that lists them."""


def _nodes(tree: Any) -> _Nodes:
    """Return the nodes of a tree of scikit-learn, which trusts the arrays that it was given."""
    n = int(tree.node_count)
    if not 0 < n <= int(tree.capacity):  # beyond that lies memory that is not the tree's
        raise bad_model("a tree of the model has no node, or fewer than it says")
    if int(tree.n_outputs) != 1:
        raise _several_targets()
    return _Nodes(
        left=np.array(tree.children_left, np.int64),
        right=np.array(tree.children_right, np.int64),
        feature=np.array(tree.feature, np.int64),
        threshold=np.array(tree.threshold, np.float64),
        missing_left=np.array(tree.missing_go_to_left, bool),
        left_codes={},
    )


def _histogram_nodes(predictor: Any) -> _Nodes:
    """Return the nodes of a tree of histogram boosting."""
    nodes = fitted(predictor, "nodes")
    if not isinstance(nodes, np.ndarray) or not set(nodes.dtype.names or ()) >= _FIELDS:
        raise bad_model("a tree of the model has no table of nodes")
    is_leaf = nodes["is_leaf"].astype(bool)
    sets = np.asarray(fitted(predictor, "raw_left_cat_bitsets"))
    left_codes = {}
    for node in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~is_leaf).tolist():
        row = int(nodes["bitset_idx"][node])
        if sets.ndim != 2 or row >= len(sets):
            raise bad_model("a tree of the model has a test without its set of values")
        words = sets[row].tolist()
        left_codes[node] = frozenset(
            _BITS * w + bit for w, word in enumerate(words) for bit in range(_BITS) if word >> bit & 1
        )
    return _Nodes(
        left=np.where(is_leaf, -1, nodes["left"].astype(np.int64)),
        right=np.where(is_leaf, -1, nodes["right"].astype(np.int64)),
        feature=nodes["feature_idx"].astype(np.int64),
        threshold=nodes["num_threshold"].astype(np.float64),
        missing_left=nodes["missing_go_to_left"].astype(bool),
        left_codes=left_codes,
    )


def _before_histograms(model: Any, sources: Sequence[Source]) -> list[Source]:
    """Return the columns as histogram boosting orders them: those of numbered values first."""
    is_category = getattr(model, "is_categorical_", None)
    if is_category is None:
        return list(sources)
    is_category = np.asarray(is_category, bool).reshape(-1)
    if len(is_category) != len(sources):
        raise bad_model(f"the model takes {len(is_category)} columns, but {len(sources)} reach it")
    encoder = dict(fitted(fitted(model, "_preprocessor"), "named_transformers_")).get("encoder")
    lists = fitted(encoder, "categories_")
    found: list[Source] = []
    for i, source in enumerate(source for source, is_one in zip(sources, is_category, strict=True) if is_one):
        values = as_texts(lists[i]) if i < len(lists) else None
        if values is None or (isinstance(source, Number) and source.steps):
            raise bad_model("the model does not have a list of the values of each column that it numbers")
        found.append(ordinal(source, values, set(), np.nan, np.nan, lists_all=True))
    return [*found, *(source for source, is_one in zip(sources, is_category, strict=True) if not is_one)]


def _check_tests(nodes: Sequence[_Nodes], sources: Sequence[Source]) -> None:
    for tree in nodes:
        tested = tree.feature[tree.left >= 0]
        if len(tested) and (tested.min() < 0 or tested.max() >= len(sources)):
            raise bad_model(f"a tree of the model tests a column beyond the {len(sources)} that it takes")
        is_listed = np.zeros(len(tree.left), bool)
        is_listed[list(tree.left_codes)] = True
        if np.isnan(tree.threshold[(tree.left >= 0) & ~is_listed]).any():
            raise bad_model("a tree of the model has a test without a threshold")


class _Listed:
    """The values of a category, in a numbering that all of its partitions share."""

    def __init__(self, source: Category) -> None:
        self.number = {value: i for i, value in enumerate(source.numbers)}
        others = [] if source.other is None else [source.other]
        self.numbers = np.array([*source.numbers.values(), *others], np.float64)
        self.known = source.known

    def partition(self, child: Any) -> Partition:
        """Return the partition that sends the values to these children."""
        n = len(self.number)
        return Partition(self.number, child[:n], int(child[n]) if len(child) > n else None, self.known)


class _Original:
    """Makes tests of the columns that reach an estimator into tests of the original ones."""

    def __init__(self, sources: Sequence[Source], *, in_single: bool) -> None:
        self.sources = sources
        self.in_single = in_single
        self.names = tuple(dict.fromkeys(source.name for source in sources))
        self.partitions: list[Partition] = []
        self.known: dict[Any, int] = {}
        self.listed: dict[int, _Listed] = {}

    def trees(self, nodes: Sequence[_Nodes], labels: tuple[str, ...], is_regression: bool) -> list[TreeModel]:
        """Return the trees; they share their partitions."""
        thresholds = self._thresholds(nodes)
        partitions = [self._partitions_of(tree) for tree in nodes]
        return [
            self._tree(tree, at, parts, labels, is_regression)
            for tree, at, parts in zip(nodes, thresholds, partitions, strict=True)
        ]

    def _tree(
        self, nodes: _Nodes, threshold: FloatVector, partition: IntVector, labels: tuple[str, ...], is_regression: bool
    ) -> TreeModel:
        is_test = (nodes.left != -1) | (nodes.right != -1)
        name_of_source = np.array([self.names.index(source.name) for source in self.sources], np.int64)
        attribute = np.full(len(nodes.left), -1, np.int64)
        is_tested = is_test & (nodes.left >= 0)  # one child alone is refused by the tree itself
        attribute[is_tested] = name_of_source[nodes.feature[is_tested]]
        return TreeModel(
            attributes=self.names,
            attribute=attribute,
            threshold=threshold,
            missing_first=self._missing_first(nodes),
            partition=partition,
            partitions=tuple(self.partitions),
            child_start=np.append(0, np.cumsum(2 * is_test)),
            children=np.stack([nodes.left, nodes.right], axis=1)[is_test].reshape(-1),
            labels=labels,
            is_regression=is_regression,
        )

    def _thresholds(self, nodes: Sequence[_Nodes]) -> list[FloatVector]:
        """Return the thresholds of numeric tests in the original columns, for all trees at once."""
        feature = np.concatenate([np.where(tree.left >= 0, tree.feature, -1) for tree in nodes])
        given = np.concatenate([tree.threshold for tree in nodes])
        found = np.full(len(given), np.nan)
        for source, mine in zip(self.sources, nodes_of_each(feature, len(self.sources)), strict=True):
            if isinstance(source, Number) and len(mine):
                distinct, place = np.unique(given[mine], return_inverse=True)
                found[mine] = _last_passing(source, distinct, self._compared)[place]
        ends = np.cumsum([len(tree.left) for tree in nodes])[:-1]
        return [np.array(part) for part in np.split(found, ends)]

    def _missing_first(self, nodes: _Nodes) -> BoolVector:
        """Return whether each node sends a missing number left: what was put in its place, if anything was."""
        found = nodes.missing_left.copy()
        for f, source in enumerate(self.sources):
            if isinstance(source, Number) and source.missing is not None:
                mine = (nodes.left >= 0) & (nodes.feature == f)
                found[mine] = self._compared(np.array([source.missing], np.float64)) <= nodes.threshold[mine]
        return found

    def _compared(self, numbers: FloatVector) -> FloatVector:
        """Return numbers as the model compares them."""
        with np.errstate(all="ignore"):
            return numbers.astype(np.float32).astype(np.float64) if self.in_single else numbers

    def _partitions_of(self, nodes: _Nodes) -> IntVector:
        """Return the number of the partition of each node that tests a category."""
        found = np.full(len(nodes.left), -1, np.int64)
        is_category = np.array([isinstance(source, Category) for source in self.sources], bool)
        tests = np.flatnonzero(nodes.left >= 0)
        lists = np.array([node for node in nodes.left_codes if nodes.left[node] >= 0], np.int64)
        if not is_category[nodes.feature[lists]].all():
            raise bad_model("a tree of the model lists values of a column that it takes for numbers")
        for node in lists.tolist():
            test = nodes.left_codes[node]
            found[node] = self._number_of(int(nodes.feature[node]), test, bool(nodes.missing_left[node]))
        others = np.setdiff1d(tests[is_category[nodes.feature[tests]]], lists)
        keys = np.stack([nodes.feature[others], nodes.missing_left[others], nodes.threshold[others]], axis=1)
        distinct, place = np.unique(keys, axis=0, return_inverse=True)
        numbers = [self._number_of(int(f), threshold, bool(left)) for f, left, threshold in distinct.tolist()]
        found[others] = np.array(numbers, np.int64)[np.asarray(place).reshape(-1)]
        return found

    def _number_of(self, feature: int, test: float | frozenset[int], missing_left: bool) -> int:
        """Return the number of a partition, which is made when it is first asked for."""
        if feature not in self.listed:
            source = self.sources[feature]
            assert isinstance(source, Category)
            self.listed[feature] = _Listed(source)
        values = self.listed[feature]
        child = self._children(values.numbers, test, missing_left)
        key = (feature, child.tobytes())  # two thresholds may part the values alike
        if key not in self.known:
            self.known[key] = len(self.partitions)
            self.partitions.append(values.partition(child))
        return self.known[key]

    def _children(self, numbers: FloatVector, test: float | frozenset[int], missing_left: bool) -> Any:
        """Return the child, 0 or 1, that each number goes to."""
        is_missing = np.isnan(numbers)
        if isinstance(test, frozenset):
            is_left = np.isin(np.where(is_missing, -1, numbers).astype(np.int64), list(test))
        else:
            is_left = self._compared(numbers) <= test
        return np.where(np.where(is_missing, missing_left, is_left), 0, 1).astype(np.uint8)


def _last_passing(
    source: Number, thresholds: FloatVector, compared: Callable[[FloatVector], FloatVector]
) -> FloatVector:
    """Return the greatest original number that a test of each threshold still sends left; compared: as it is tested.

    The steps never turn the order of two numbers round, so bisection over all floating-point numbers finds it.
    """

    def passes(numbers: FloatVector) -> BoolVector:
        with np.errstate(all="ignore"):
            return np.asarray(compared(source.forward(numbers)) <= thresholds)

    low, high = (_rank(np.full(len(thresholds), end)) for end in (-np.inf, np.inf))
    none, every = ~passes(_number(low)), passes(_number(high))
    for _ in range(64):
        middle = low + (high - low) // np.uint64(2)
        is_low = passes(_number(middle))
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.where(none, -np.inf, np.where(every, np.inf, _number(low)))


_SIGN = np.uint64(1 << 63)


def _rank(numbers: FloatVector) -> Any:
    """Return unsigned integers in the order of the numbers, without a gap."""
    bits = np.ascontiguousarray(numbers).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _number(ranks: Any) -> FloatVector:
    bits = np.where(ranks & _SIGN, ranks ^ _SIGN, ~ranks)
    return np.asarray(bits.view(np.float64))
