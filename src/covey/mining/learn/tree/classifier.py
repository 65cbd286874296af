"""What the tree classifiers share: tables and arrays in, a tree that is grown, classes and shares out.

A classifier keeps to scikit-learn's ways: parameters are only stored, `fit` leaves names that end in `_`, arrays of
numbers will do.  It also takes pandas, polars and Arrow tables with named columns of any type, and the name of the
target column in place of its values.
"""

from __future__ import annotations

import contextlib
import numbers
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa

from covey.ask.taxonomy import Taxonomy, TaxonomyRule
from covey.base.arrays import FloatMatrix, IntVector
from covey.base.checks import bad_parameter, check, plural, require_known
from covey.base.errors import CoveyError, InputError
from covey.columns.cautions import FEW_ROWS, NEARLY_UNIQUE
from covey.compiled.interrupts import signals_that_wait
from covey.induction.growth import GrownNode
from covey.induction.options import Attribute
from covey.induction.two_branches import against_the_rest
from covey.mining.faults import bad_labels, installed, missing_values, not_a_table
from covey.mining.learn.identifiers import refuse_identifier
from covey.mining.learn.tree import drawing
from covey.mining.learn.tree import file as tree_file
from covey.mining.learn.tree.columns import CodedColumn, code_column, read_values
from covey.mining.learn.tree.published import GrownTree, Node, Test
from covey.tables import frames

with installed("trees need scikit-learn 1.6 or newer, which is not installed"):
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

__all__ = ["Training", "TreeClassifier", "number_from"]

_NO_NAME = "class"
"""What a target without a name is called."""


def number_from(least: float) -> Callable[[object], str | None]:
    """Return a rule: a number that is `least` or more.

    >>> number_from(1)(0.5)
    'at least 1, not 0.5'
    """

    def rule(value: object) -> str | None:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            return f"a number of {least:g} or more, not {type(value).__name__}"
        return None if float(value) >= least else f"at least {least:g}, not {float(value):g}"

    return rule


@dataclass(frozen=True, slots=True)
class Training:
    """The training table in the form that trees are grown from."""

    columns: tuple[CodedColumn, ...]
    labels: IntVector
    """(n,): the class of each row, by number."""
    n_classes: int
    target_is_public: bool

    def attributes(self) -> list[Attribute]:
        """Return the columns as attributes."""
        return [_attribute(column) for column in self.columns]


class TreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree over named columns; subclasses say how it is grown.

    Attributes after `fit`: `tree_` (what is published), `classes_`, `n_features_in_`, and `feature_names_in_` if the
    columns had names.
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]]
    taxonomies: Mapping[str, TaxonomyRule] | None
    most_cuts: int
    public: Sequence[str | int] | None = None
    """The public columns; None: all."""
    every_level: bool = True
    """Whether categories may be split at every level of their taxonomies, or at the finest alone."""
    splits: Literal["multiway", "binary"] = "multiway"
    """Whether categories are split into all branches of a level, or into one node and all others."""
    target_: str

    def _grow(self, training: Training) -> Sequence[GrownNode]:
        raise TypeError(f"{type(self).__name__} does not say how it grows")

    # --- training

    @signals_that_wait()
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803 (scikit-learn's name)
        """Grow the tree from a table and its classes: values, one per row, or the name of a column of the table."""
        check(self)
        names, data, classes, target = self._told(X, y)
        values, labels = _labels(classes, len(data[0]))
        training = self._coded(names, data, labels, len(values), target)
        nodes = self._grow(training)
        self.classes_ = values
        self.target_ = target
        tree = _published(nodes, training.columns, tuple(values.tolist()), target)
        self.tree_ = tree.with_tested_alone(() if self.splits == "binary" else self.taxonomies or ())
        return self

    def _told(self, table: Any, y: Any) -> tuple[list[str], list[Any], Any, str]:
        """Return the names of the columns, the columns (Arrow, or numbers), the class of each row, and its name."""
        named = _as_named_table(table)
        if named is None:
            if isinstance(y, str):
                raise not_a_table(
                    f"the target column `{y}` is named, but the columns of an array have no names",
                    "give a pandas, polars or Arrow table, or the values of the target",
                )
            with _values_kept_back():
                array, y = validate_data(
                    self, table, y, dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_samples=2
                )
            return [f"x{i}" for i in range(array.shape[1])], list(array.T), y, _NO_NAME
        target = str(y) if isinstance(y, str) else str(getattr(y, "name", None) or _NO_NAME)
        names = frames.column_names(named)
        if isinstance(y, str):
            y = _plain_values(frames.to_arrow(named, [target]).column(0), target)
            names.remove(target)
        data = frames.to_arrow(named, names)
        validate_data(self, data, y, skip_check_array=True)
        if not names or not data.num_rows:
            raise InputError(
                f"the table has {data.num_rows:,} rows and {len(names):,} columns to split by",
                code="empty-table",
                hint="give rows, and columns beside the target",
            )
        return names, list(data.columns), y, target

    def _coded(self, names: list[str], data: list[Any], labels: IntVector, n_classes: int, target: str) -> Training:
        public, target_is_public = self._public_names(names, target)
        trees = self.taxonomies or {}
        require_known(trees, names, "there is a taxonomy for {}, which is no column to split by")
        columns = tuple(
            code_column(name, column, trees.get(name), is_public=name in public, most_cuts=self.most_cuts)
            for name, column in zip(names, data, strict=True)
        )
        for column, own in zip(columns, data, strict=True):
            _refuse_identifier(column, own, trees.get(column.known.name))
        if not self.every_level:
            columns = tuple(_at_finest(column) for column in columns)
        if self.splits == "binary":
            columns = tuple(_in_two(column, self.most_cuts) for column in columns)
        return Training(columns, labels, n_classes, target_is_public)

    def _public_names(self, names: list[str], target: str) -> tuple[set[str], bool]:
        """Return the public columns, and whether the target is among them."""
        public = self.public
        if public is None:
            return set(names), False
        if isinstance(public, str) or not isinstance(public, Sequence | set | frozenset | np.ndarray):
            raise bad_parameter(
                f"`public` of {type(self).__name__} must be a list of column names", 'give public=["age", "sex"]'
            )
        found = {_name_of(one, names) for one in public}
        require_known(found - {target}, names, "the table has no column {}, which is said to be public")
        return found, target in found and target not in names

    # --- prediction

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Return the class of each row: the majority of its leaf, of the node above if that has no rows."""
        nodes = self.apply(X)
        return self.classes_[np.argmax(self.tree_.shares(), axis=1)[nodes]]

    def predict_proba(self, X: Any) -> FloatMatrix:  # noqa: N803
        """Return (rows, classes): the share of each class in the leaf of each row."""
        nodes = self.apply(X)
        return self.tree_.shares()[nodes]

    def apply(self, X: Any) -> IntVector:  # noqa: N803
        """Return the node in which each row ends: a leaf, or where a value is not known to the tree."""
        check_is_fitted(self)
        named = _as_named_table(X)
        if named is None:
            with _values_kept_back():
                array = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
            n_rows = len(array)
            columns = [pa.chunked_array([pa.array(array[:, i], from_pandas=True)]) for i in range(array.shape[1])]
        else:
            known = getattr(self, "feature_names_in_", ())
            names = [name for name in frames.column_names(named) if name in known or name != self.target_]
            data = frames.to_arrow(named, names)
            validate_data(self, data, reset=False, skip_check_array=True)
            n_rows, columns = data.num_rows, data.columns
        values: list[Any] = [None] * len(self.tree_.columns)
        for place in self.tree_.used_columns():
            values[place] = read_values(self.tree_.columns[place], columns[place])
        return self.tree_.where(values, n_rows)

    # --- what is published

    def to_text(self, max_depth: int | None = None) -> str:
        """Return the tree as indented lines, one per branch."""
        check_is_fitted(self)
        return drawing.to_text(self.tree_, max_depth)

    def to_dot(self, max_depth: int | None = None) -> str:
        """Return the tree in the language of Graphviz."""
        check_is_fitted(self)
        return drawing.to_dot(self.tree_, max_depth)

    def to_svg(self, max_depth: int | None = None) -> str:
        """Return a picture of the tree as SVG, root on the left."""
        check_is_fitted(self)
        return drawing.to_svg(self.tree_, max_depth)

    def to_json(self) -> str:
        """Return the tree as JSON: parameters, tests, and rows per class of each node; no row of the table."""
        check_is_fitted(self)
        parameters = {name: getattr(self, name) for name in self._told_names()}
        return tree_file.to_json(self.tree_, type(self).__name__, parameters)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the classifier that `to_json` wrote; every part is checked, nothing in it is run."""
        read = tree_file.from_json(text, cls.__name__, cls._told_names())
        self = cls(**read.parameters)
        if "public" in self.get_params():
            public = [column.name for column in read.tree.columns if column.is_public]
            self.set_params(public=public if len(public) < len(read.tree.columns) else None)
        names = [column.name for column in read.tree.columns]
        self.n_features_in_ = len(names)
        if names != [f"x{i}" for i in range(len(names))]:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.classes_ = np.array(read.tree.classes)
        self.target_ = read.tree.target
        self.tree_ = read.tree
        return self

    @classmethod
    def _told_names(cls) -> tuple[str, ...]:
        """Return the parameters that a file tells."""
        return tuple(name for name in cls._get_param_names() if name not in ("public", "taxonomies"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _attribute(column: CodedColumn) -> Attribute:
    levels = None
    if column.known.kind == "category":
        levels = tuple(np.array(level.branch_of, np.int64) for level in column.known.levels)
    return Attribute(column.codes, column.size, column.known.is_public, levels)


def _at_finest(column: CodedColumn) -> CodedColumn:
    return replace(column, known=replace(column.known, levels=column.known.levels[-1:]))


def _in_two(column: CodedColumn, most: int) -> CodedColumn:
    rows = np.bincount(column.codes, minlength=column.size)
    return replace(column, known=replace(column.known, levels=against_the_rest(column.known.levels, rows, most)))


def _published(
    grown: Sequence[GrownNode], columns: Sequence[CodedColumn], classes: tuple[Any, ...], target: str
) -> GrownTree:
    nodes = []
    for node in grown:
        test = None
        if node.children:
            column = columns[node.attribute]
            if column.known.kind == "category":
                test = Test(node.attribute, level=node.option)
            else:
                test = Test(node.attribute, threshold=column.threshold(node.option))
        nodes.append(Node(tuple(node.counts.tolist()), test, node.branches, node.children))
    return GrownTree(tuple(column.known for column in columns), tuple(nodes), classes, target)


def _as_named_table(thing: Any) -> Any:
    """Return a table whose columns have names, or None for an array and the like."""
    with contextlib.suppress(CoveyError):
        if frames.kind_of(thing) != "pandas" or all(isinstance(name, str) for name in getattr(thing, "columns", ())):
            return frames.as_frame(thing)
    return None


def _refuse_identifier(column: CodedColumn, data: Any, taxonomy: TaxonomyRule | None) -> None:
    """Raise `InputError` for a private category that tells people apart: its values would be published."""
    known, n_rows = column.known, len(column.codes)
    is_listed = known.kind == "category" and not isinstance(taxonomy, Taxonomy)
    if known.is_public or not is_listed:
        return
    if n_rows >= FEW_ROWS and column.size >= NEARLY_UNIQUE * n_rows:
        raise bad_parameter(
            f"column `{known.name}` has {column.size:,} different values in {n_rows:,} rows and is not public: "
            "a tree that splits by it would list them",
            "leave identifiers out of the table, or give the column a taxonomy",
        )
    if isinstance(data, pa.ChunkedArray):
        refuse_identifier(known.name, data)


def _name_of(one: str | int, names: list[str]) -> str:
    """Return the name of a column that is given by its name, or by its place."""
    if isinstance(one, int | np.integer) and not isinstance(one, bool) and 0 <= one < len(names):
        return names[int(one)]
    return str(one)


def _plain_values(data: pa.ChunkedArray, name: str) -> Any:
    if data.null_count:
        count = plural(data.null_count, "missing value")
        raise missing_values(f"the target column `{name}` has {count}", "leave these rows out")
    plain = data.cast(data.type.value_type) if pa.types.is_dictionary(data.type) else data
    return np.array(plain.to_pylist())


@contextlib.contextmanager
def _values_kept_back() -> Iterator[None]:
    """Say that an array is no array of numbers without the value that shows it, which numpy names."""
    try:
        yield
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise not_a_table("the rows are no matrix of numbers", "give a table with named columns") from None


def _labels(y: Any, n_rows: int) -> tuple[Any, IntVector]:
    """Return the classes in their order, and the class of each row by number."""
    values = column_or_1d(np.asarray(y), warn=True)
    if len(values) != n_rows:
        raise bad_labels(f"there are {len(values):,} classes for {n_rows:,} rows", "give one class per row")
    try:
        with warnings.catch_warnings():  # what was asked for is no news
            warnings.filterwarnings("ignore", "The number of unique classes is greater", UserWarning)
            check_classification_targets(values)
        classes, labels = np.unique(values, return_inverse=True)
    except TypeError:  # they cannot be put in order
        raise bad_labels(
            "the classes are of several types, or some are missing",
            "leave rows without a class out, and give all classes as text or all as numbers",
        ) from None
    return classes, labels.reshape(-1)
