"""The spans of rows under all trees of a model: which leaves a public signature reaches.

Whoever has a model of several trees can ask every one of them, so a class of it is a leaf in each.  That each tree
alone is k-anonymous is not enough: two trees, each with two people at every leaf, together can tell everybody apart.

Rows are reduced to distinct public signatures, as far as the tests of the model tell them apart.  These are pushed
down the trees: a public test parts them, a private one sends them all to every child whose private tests can hold
together.  The reached set is named by the XOR of one random key of 128 bits per leaf; two signatures have the same
joint span over all trees iff they reach the same leaves in every tree, which is to say the same leaves in all.
Sets of leaves and words are worked out only for the spans that somebody asks for.

The leaves that a signature reaches tell which public tests it met and how they came out, so a span is one box:
an interval or a set of values per public attribute.

Cost: O(rows) beside the sum over signatures of the nodes that each one reaches.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa

from covey.base.arrays import BoolVector, FloatVector, IntMatrix, IntVector
from covey.base.checks import bad_parameter, plural
from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.columns.kept import KeptColumn, kept_column
from covey.mining.faults import not_available
from covey.mining.spans import RowSpans, Spans, either
from covey.mining.trees.attributes import Attribute, Domain, check_public, read_attribute, value_text
from covey.mining.trees.kernels import Nodes, Private, boxes, child_of, land, paths, push, summed
from covey.mining.trees.model import ForestModel, Partition, TreeModel, nodes_of_each
from covey.tables import frames

__all__ = ["ModelSpans", "OnDemand", "spans_of_trees"]

T = TypeVar("T")
_MISSING = "missing"
_FIRST_BLOCK = 16  # spans whose words are worked out together, growing to
_LARGEST_BLOCK = 4096


class OnDemand(Sequence[T]):
    """A sequence whose members are made when they are asked for.

    >>> list(OnDemand(3, lambda i: i * i))
    [0, 1, 4]
    """

    def __init__(self, length: int, make: Callable[[int], T]) -> None:
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: Any) -> Any:
        found = range(self._length)[i]
        return self._make(found) if isinstance(found, int) else list(map(self._make, found))


@dataclass(frozen=True, slots=True, eq=False)
class ModelSpans(RowSpans):
    """The spans of a table's rows under a model of trees, and where the rows really fall.

    The classes in a span are numbers of `bin_names`; both, and the words of spans, are made when asked for.  The class
    of a row is its bin, or its combination of bins in a forest.
    """

    bin_names: Sequence[str]
    """The name of each bin of a leaf (one per label if the class is private); of a tree, the same as class_names."""
    labels: KeptColumn | None
    """The target of every row, if its column was named; the codes of a model with labels are those of the bins.

    None for a private target of a regression, whose numbers are in no class of the model.
    """
    attributes: Sequence[Attribute]
    """What the model tests, with the domains that the spans rest on, and what each row has of it."""


def spans_of_trees(
    model: TreeModel | ForestModel,
    table: Any,
    *,
    public: Collection[str],
    target: str | None = None,
    target_is_private: bool | None = None,
    kinds: Mapping[str, Literal["integer", "real"]] | None = None,
    domains: Mapping[str, Domain] | None = None,
) -> ModelSpans:
    """Return the joint spans of the rows of the training table under all trees of one model.

    A class of the model is a leaf, or with a private class each bin of a leaf: the label of a person is not known
    (Friedman, Wolff and Schuster 2008, section 4.1).  With a public class the row's own label is part of what others
    know.  `spans.classes` holds the bins of the leaves of all trees; `class_of_row` the bin that a row falls into, or
    of several trees the combination.

    target: the column of labels, private unless it is one of the public columns or `target_is_private` says
    otherwise.  A model of labels or of a regression whose target is not named has a private one.  Attributes that are
    not public are private; the domain of one is what the model and the table know of its values, or all numbers,
    unless `domains` says more: the values of a category, (least, greatest) of a number.  kinds: whether a number is an
    integer or real, if the column does not tell.

    Of the tree below, that asks for the car alone, others who know who is married learn nothing:

    >>> import pyarrow as pa
    >>> import covey
    >>> table = pa.table({"married": ["no", "yes", "yes"], "car": ["yes", "yes", "no"], "risk": ["g", "g", "b"]})
    >>> tree = covey.ID3().fit(table, "risk").tree_.as_model()
    >>> found = spans_of_trees(tree, table, public=["married"], target="risk")
    >>> found.spans.words[0], found.spans.populations.tolist()
    (('everyone',), [3])
    >>> sorted(found.bin_names[c] for c in found.spans.classes[0])
    ['leaf 1/b', 'leaf 1/g', 'leaf 2/b', 'leaf 2/g']
    """
    trees = model.trees
    table = frames.as_frame(table)
    is_public = check_public(public, table)
    is_private = target not in is_public if target_is_private is None else target_is_private
    labels = _read_labels(trees[0], table, target, is_private)
    if labels is None and not is_private:
        raise bad_parameter(
            "the column of a public target must be named",
            hint("give {}, the column that the model was trained to tell", Asked("target")),
        )
    columns = [
        read_attribute(
            table,
            name,
            is_public=name in is_public,
            is_number=values is None,
            kind=None if kinds is None or values is not None else kinds.get(name),
            values=values or (),
            domain=None if domains is None else domains.get(name),
        )
        for name, values in _tested(trees).items()
    ]
    _check_values(trees, columns)
    return _Reaching(trees, columns, frames.n_rows(table), labels, is_private).result(target)


def _read_labels(tree: TreeModel, table: Any, target: str | None, is_private: bool) -> KeptColumn | None:
    """Return the target of every row; its codes follow the labels of the model, then come those of the table."""
    if target is None:
        return None
    data = frames.to_arrow(table, [target]).column(0)
    if is_private and tree.is_regression:
        return None
    column = kept_column(target, data)
    values: tuple[str | None, ...] = tuple(dict.fromkeys((*tree.labels, *column.values)))
    place = {value: code for code, value in enumerate(values)}
    codes = np.array([place[value] for value in column.values], np.int64)[column.codes]
    return KeptColumn(target, codes, values)


def _tested(trees: Sequence[TreeModel]) -> dict[str, set[str | None] | None]:
    """Return the attributes that the trees test, and the values that their partitions know (None: a number)."""
    numbers = {name for tree in trees for name in tree.compared()}
    values: dict[str, set[str | None]] = {}
    for name, listed in _of_partitions(trees, lambda partition: partition.number):
        values.setdefault(name, set()).update(listed)
    both = sorted(numbers & set(values))
    if both:
        raise not_available(
            f"the model tests column `{both[0]}` both as a number and as a category",
            "give the model the column in one way only",
        )
    return {name: values.get(name) for name in sorted(numbers | set(values))}


def _check_values(trees: Sequence[TreeModel], columns: Sequence[Attribute]) -> None:
    """Raise if the table has a value that the model would have listed, had it been trained on this table."""
    present = {column.name: _present(column) for column in columns if column.codes is not None}
    for name, known in _of_partitions(trees, lambda partition: partition.known):
        unknown = set() if known is None else present[name] - known
        if unknown:
            raise InputError(
                f"column `{name}` of the table has {plural(len(unknown), 'value')} that the model does not know",
                code="outside-domain",
                hint="give the table that the model was trained on, with its columns of the same types",
            )


def _present(column: Attribute) -> set[str | None]:
    """Return the values of a category that some row has."""
    return {column.values[code] for code in np.unique(np.asarray(column.codes)).tolist()}


def _of_partitions(trees: Sequence[TreeModel], part: Callable[[Partition], T]) -> Iterator[tuple[str, T]]:
    """Yield each attribute with a part of the partitions that test it; a part that many of them share only once."""
    seen: set[tuple[str, int]] = set()
    for tree in trees:
        tests = np.stack([tree.attribute, tree.partition], axis=1)
        for a, p in np.unique(tests[(tests >= 0).all(axis=1)], axis=0).tolist():
            name, found = tree.attributes[a], part(tree.partitions[p])
            if (name, id(found)) not in seen:
                seen.add((name, id(found)))
                yield name, found


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of one attribute, as far as the tests of the model tell its values apart."""

    size: int
    thresholds: FloatVector | None
    """Of a number: cell i lies above threshold i - 1, up to threshold i; the last cell is a missing number."""
    cell_of_value: IntVector | None
    """Of a category."""
    exists: BoolVector
    """(size,): whether the domain has a value in the cell."""
    of_row: IntVector
    """(n,) int32."""


class _Reaching:
    """All trees of a model in one set of arrays, and what the rows of a table reach in them."""

    def __init__(
        self,
        trees: Sequence[TreeModel],
        columns: Sequence[Attribute],
        n_rows: int,
        labels: KeptColumn | None,
        is_private: bool,
    ) -> None:
        self.trees = trees
        self.columns = columns
        self.n_rows = n_rows
        self.labels = labels
        self.public_labels = None if is_private else labels
        """The row's own label, where that is public too."""
        n_labels = max(len(trees[0].labels), 0 if labels is None else labels.size)
        self.leaf_is_multiple = is_private and (trees[0].is_regression or n_labels > 1)
        """Whether one leaf is more than one class: a private target that can be several things there."""
        self.n_bins = 1 if labels is None else n_labels
        """Of a leaf; a private number, and a target that was not named, have but one."""
        self._flatten()
        self.private = self._private()
        order, self.is_reached = paths(self.nodes, self.private)
        keys = secrets.token_bytes(16 * len(self.nodes.attribute))
        self.keys = np.frombuffer(keys, np.uint64).reshape(-1, 2)
        self.sums, self.counts = summed(self.nodes, order, self.is_reached, self.keys)
        is_leaf = self.nodes.attribute < 0
        self.leaf_rank = np.cumsum(is_leaf) - 1
        self.leaves = np.flatnonzero(is_leaf)

    # -- the trees in one set of arrays

    def _flatten(self) -> None:
        number = {column.name: a for a, column in enumerate(self.columns)}
        starts = np.cumsum([0] + [tree.n_nodes for tree in self.trees])
        self.tree_starts = starts
        attribute = np.concatenate([_renumbered(tree, number) for tree in self.trees])
        child_counts = np.concatenate([np.diff(tree.child_start) for tree in self.trees])
        children = np.concatenate([tree.children + start for tree, start in zip(self.trees, starts, strict=False)])
        threshold = np.concatenate([tree.threshold for tree in self.trees])
        missing_first = np.concatenate([tree.missing_first for tree in self.trees])
        partition, partitions = self._partitions(attribute, child_counts)
        cut = np.full(len(attribute), -1, np.int32)
        self.cells: list[_Cells] = []
        route_of_partition = np.full(len(partitions) + 1, -1, np.int64)
        routes: list[IntVector] = []
        width = 0
        has_gap = np.zeros(len(partitions) + 1, bool)
        for column, nodes in zip(self.columns, nodes_of_each(attribute, len(self.columns)), strict=True):
            if column.numbers is not None:
                thresholds, place = np.unique(threshold[nodes], return_inverse=True)
                cut[nodes] = place
                self.cells.append(_number_cells(column, thresholds))
                continue
            mine = np.unique(partition[nodes])
            places: dict[int, IntVector] = {}
            tables = np.stack([_table(column, places, *partitions[p]) for p in mine.tolist()])
            has_gap[mine] = (tables == np.array([partitions[p][1] for p in mine.tolist()])[:, None]).any(axis=1)
            cells, cell_of_value = np.unique(tables, axis=1, return_inverse=True)
            self.cells.append(_category_cells(column, np.asarray(cell_of_value).reshape(-1), cells.shape[1]))
            route_of_partition[mine] = width + np.arange(len(mine)) * cells.shape[1]
            routes.append(cells.astype(np.int32).reshape(-1))
            width += cells.size
        # a value without a branch ends in a leaf of its own, the last child of the node
        is_gap = has_gap[partition] & (attribute >= 0)
        self.gaps = gaps = np.flatnonzero(is_gap)
        n, ends = len(attribute), np.cumsum(child_counts)
        all_counts = np.append(child_counts + is_gap, np.zeros(len(gaps), np.int64))
        self.nodes = Nodes(
            roots=starts[:-1].astype(np.int64),
            attribute=np.append(attribute, np.full(len(gaps), -1)).astype(np.int32),
            is_public=np.array([column.is_public for column in self.columns], bool),
            cut=np.append(cut, np.full(len(gaps), -1)).astype(np.int32),
            missing_first=np.append(missing_first, np.zeros(len(gaps), bool)),
            missing_cell=np.array([cells.size - (cells.thresholds is not None) for cells in self.cells], np.int32),
            route_start=np.append(route_of_partition[partition], np.full(len(gaps), -1)),
            route=np.concatenate(routes) if routes else np.zeros(0, np.int32),
            child_start=np.append(0, np.cumsum(all_counts)).astype(np.int64),
            children=np.insert(children, ends[gaps], n + np.arange(len(gaps))).astype(np.int64),
        )

    def _partitions(
        self, attribute: IntVector, child_counts: IntVector
    ) -> tuple[IntVector, list[tuple[Partition, int]]]:
        """Return the number of each node's partition (-1: none) and, per number, (partition, how many children).

        Partitions that trees share are numbered once per attribute and number of children.
        """
        number: dict[tuple[int, int, int], int] = {}
        partitions: list[tuple[Partition, int]] = []
        found = np.full(len(attribute), -1, np.int64)
        for tree, start in zip(self.trees, self.tree_starts, strict=False):
            own = np.flatnonzero((tree.attribute >= 0) & (tree.partition >= 0))
            nodes = own + start
            keys = np.stack([tree.partition[own], attribute[nodes], child_counts[nodes]], axis=1)
            distinct, place = np.unique(keys, axis=0, return_inverse=True)
            numbers = []
            for p, a, c in distinct.tolist():
                numbers.append(number.setdefault((id(tree.partitions[p]), a, c), len(partitions)))
                if numbers[-1] == len(partitions):
                    partitions.append((tree.partitions[p], c))
            found[nodes] = np.array(numbers, np.int64)[np.asarray(place).reshape(-1)]
        return found, partitions

    def _private(self) -> Private:
        exists = np.concatenate([cells.exists for cells in self.cells] or [np.zeros(0, bool)])
        return Private(
            cell_start=np.cumsum([0] + [cells.size for cells in self.cells]).astype(np.int64),
            exists=exists,
            before=np.append(0, np.cumsum(exists)).astype(np.int64),
        )

    # -- what rows reach

    def result(self, target: str | None) -> ModelSpans:
        """Return the spans."""
        nodes = self.nodes
        public = [a for a in range(len(self.columns)) if nodes.is_public[a]]
        signature, first = _numbered_rows([self.cells[a].of_row for a in public], self.n_rows)
        cells = self._cells_of(first, public)
        # signatures that go the same way lie side by side in memory
        near = np.argsort(land(nodes, 0, cells), kind="stable")
        names, reached = np.zeros((len(first), 2), np.uint64), np.zeros(len(first), np.int64)
        names[near], reached[near] = push(nodes, self.is_reached, self.sums, self.counts, cells[near])
        set_of_signature, first_signature = _numbered_names(names)
        of_row, row_of_span = set_of_signature[signature], first[first_signature]
        own = self.public_labels
        if own is not None:
            of_row, row_of_span = _numbered_rows([of_row, own.codes], self.n_rows)
        signature_of_span = signature[row_of_span]
        is_multiple = (reached[signature_of_span] > len(self.trees)) | self.leaf_is_multiple
        populations = np.bincount(of_row, minlength=len(row_of_span))

        def words(some: IntVector) -> list[tuple[str, ...]]:
            found = self._words(cells[signature_of_span[some]])
            if own is not None:
                for texts, code in zip(found, own.codes[row_of_span[some]].tolist(), strict=True):
                    texts.append(f"{target} = {value_text(own.values[code])}")
            return [(", ".join(texts) or "everyone",) for texts in found]

        def classes(span: int) -> frozenset[int]:
            ranks = self.leaf_rank[self._leaves_reached(cells[signature_of_span[span]])]
            bins = range(self.n_bins) if own is None else [int(own.codes[row_of_span[span]])]
            return frozenset(int(rank) * self.n_bins + b for rank in ranks for b in bins)

        spans = Spans(
            of_row=of_row,
            populations=populations,
            multiple=np.asarray(is_multiple, bool),
            classes=OnDemand(len(row_of_span), classes),
            # whoever lists spans starts with those that expose most: the smallest of more than one class
            words=OnDemand(len(row_of_span), _InBlocks(np.lexsort((populations, ~is_multiple)), words)),
        )
        class_of_row, class_names = self._classes()
        return ModelSpans(
            spans=spans,
            class_of_row=class_of_row,
            class_names=class_names,
            bin_names=OnDemand(len(self.leaves) * self.n_bins, self._bin_name),
            labels=self.labels,
            attributes=self.columns,
        )

    def _leaves_reached(self, cells: IntVector) -> list[int]:
        """Return the leaves that one signature reaches; cells (p,): the cell of every public attribute."""
        nodes, leaves = self.nodes, []
        waiting = nodes.roots.tolist()
        while waiting:
            node = waiting.pop()
            children = nodes.children[nodes.child_start[node] : nodes.child_start[node + 1]]
            if not len(children):
                leaves.append(node)
            elif nodes.is_public[nodes.attribute[node]]:
                waiting.append(int(children[child_of(nodes, node, cells[nodes.attribute[node]])]))
            else:
                waiting.extend(children[self.is_reached[children]].tolist())
        return leaves

    def _cells_of(self, rows: IntVector, attributes: Iterable[int]) -> IntMatrix:
        """Return (rows, p) int32: the cells of some rows, 0 for attributes that are not asked for."""
        cells = np.zeros((len(rows), len(self.columns)), np.int32)
        for a in attributes:
            cells[:, a] = self.cells[a].of_row[rows]
        return cells

    def _with_label(self, name: str, b: int) -> str:
        """Return the name of a bin; that of the leaf if it has but one."""
        return name if self.labels is None or self.n_bins == 1 else f"{name}/{value_text(self.labels.values[b])}"

    def _bin_name(self, number: int) -> str:
        rank, b = divmod(number, self.n_bins)
        return self._with_label(self._leaf_name(int(self.leaves[rank])), b)

    def _leaf_name(self, leaf: int) -> str:
        n = int(self.tree_starts[-1])
        is_gap = leaf >= n
        node = int(self.gaps[leaf - n]) if is_gap else leaf
        tree = int(np.searchsorted(self.tree_starts, node, side="right")) - 1
        local = node - int(self.tree_starts[tree])
        name = f"no branch at node {local}" if is_gap else self.trees[tree].leaf_name(local)
        return name if len(self.trees) == 1 else f"tree {tree + 1}: {name}"

    def _classes(self) -> tuple[IntVector, Sequence[str]]:
        """Return the class that each row falls into, by its public and private values, and the names of classes."""
        kind, first = _numbered_rows([cells.of_row for cells in self.cells], self.n_rows)
        cells = self._cells_of(first, range(len(self.columns)))
        bins = np.zeros(self.n_rows, np.int64) if self.labels is None else self.labels.codes
        if len(self.trees) == 1:
            rank = self.leaf_rank[land(self.nodes, 0, cells)][kind]
            return rank * self.n_bins + bins, OnDemand(len(self.leaves) * self.n_bins, self._bin_name)
        names = np.zeros((len(first), 2), np.uint64)
        for root in self.nodes.roots.tolist():
            names ^= self.keys[land(self.nodes, root, cells)]
        combination, _ = _numbered_names(names)
        number, row_of_class = _numbered_rows([combination[kind], bins], self.n_rows)

        def name(i: int) -> str:
            row = row_of_class[i]
            return self._with_label(f"combination {int(combination[kind[row]]) + 1} of leaves", int(bins[row]))

        return number, OnDemand(len(row_of_class), name)

    # -- words

    def _words(self, cells: IntMatrix) -> list[list[str]]:
        """Return the boxes of signatures in words: what the public tests that each one meets say of it."""
        starts = self.private.cell_start
        low, high, missing, is_tested, alike = boxes(self.nodes, self.is_reached, self.counts, starts, cells)
        found: list[list[str]] = []
        for i in range(len(cells)):
            texts = []
            for a in np.flatnonzero(is_tested[i]).tolist():
                attribute, own = self.columns[a], self.cells[a]
                if own.thresholds is None:
                    texts.append(_set_words(attribute, alike[i, starts[a] : starts[a + 1]][own.cell_of_value]))
                else:
                    above = own.thresholds[low[i, a] - 1] if low[i, a] > 0 else -np.inf
                    upto = own.thresholds[high[i, a]] if high[i, a] < len(own.thresholds) else np.inf
                    texts.append(_interval_words(attribute, above, upto, bool(missing[i, a])))
            found.append([text for text in texts if text])
        return found


class _InBlocks:
    """Works out members of a sequence in blocks that grow, and keeps them: the first few of an order are had soon."""

    def __init__(self, order: IntVector, make: Callable[[IntVector], list[T]]) -> None:
        self.order = order
        self.make = make
        self.rank = np.empty(len(order), np.int64)
        self.rank[order] = np.arange(len(order))
        sizes = np.minimum(_FIRST_BLOCK * 4 ** np.arange(40.0), _LARGEST_BLOCK)
        self.ends = np.cumsum(np.append(sizes, np.full(len(order) // _LARGEST_BLOCK + 1, _LARGEST_BLOCK)))
        self.known: dict[int, Any] = {}

    def __call__(self, i: int) -> Any:
        if i not in self.known:
            block = int(np.searchsorted(self.ends, self.rank[i], side="right"))
            begin = int(self.ends[block - 1]) if block else 0
            members = self.order[begin : int(self.ends[block])]
            self.known.update(zip(members.tolist(), self.make(members), strict=True))
        return self.known[i]


def _renumbered(tree: TreeModel, number: Mapping[str, int]) -> IntVector:
    """Return the attribute of each node as numbered for all trees."""
    table = np.array([*(number.get(name, -1) for name in tree.attributes), -1], np.int64)
    return table[np.maximum(tree.attribute, -1)]


def _table(attribute: Attribute, places: dict[int, IntVector], partition: Partition, n_children: int) -> IntVector:
    """Return the child of each value of an attribute; one child more if there is no branch.

    places: by a numbering that partitions share, the number of each value, -1 if it has none; filled as they are met.
    """
    number = partition.number
    other = n_children if partition.other is None else partition.other
    if id(number) not in places:
        places[id(number)] = np.array([number.get(value, -1) for value in attribute.values], np.int64)
    return np.append(partition.child, other).astype(np.int64)[places[id(number)]]


def _number_cells(column: Attribute, thresholds: FloatVector) -> _Cells:
    assert column.numbers is not None
    size = len(thresholds) + 2
    of_row = np.searchsorted(thresholds, column.numbers, side="left").astype(np.int32)
    of_row[np.isnan(column.numbers)] = size - 1
    above, upto = np.append(-np.inf, thresholds), np.append(thresholds, np.inf)
    exists = np.append(column.has_number_in(above, upto), column.may_be_missing)
    return _Cells(size, thresholds, None, exists, of_row)


def _category_cells(column: Attribute, cell_of_value: IntVector, size: int) -> _Cells:
    assert column.codes is not None
    return _Cells(size, None, cell_of_value, np.ones(size, bool), cell_of_value.astype(np.int32)[column.codes])


def _numbered_rows(columns: Sequence[IntVector], n_rows: int) -> tuple[IntVector, IntVector]:
    """Return (a number for every row, equal for equal codes in all columns; the first row of each number)."""
    key: IntVector = np.zeros(n_rows, np.int64)
    size = 1
    for codes in columns:
        width = int(codes.max()) + 1 if n_rows else 1
        if size * width >= 2**62:
            key, first = _numbered(key)
            size = len(first)
        key = key * width + codes
        size *= width
    return _numbered(key)


def _numbered_names(names: IntMatrix) -> tuple[IntVector, IntVector]:
    """Return the same for names of 128 bits."""
    halves = [_numbered(np.ascontiguousarray(names[:, i]).view(np.int64))[0] for i in (0, 1)]
    return _numbered_rows(halves, len(names))


def _numbered(key: IntVector) -> tuple[IntVector, IntVector]:
    """Return (number of each key in the order of first occurrence, where each occurs first); by hashing."""
    coded = pa.array(key).dictionary_encode()
    numbers = np.asarray(coded.indices.to_numpy(zero_copy_only=False), np.int64)
    first = np.empty(len(coded.dictionary), np.int64)
    first[numbers[::-1]] = np.arange(len(key))[::-1]
    return numbers, first


def _interval_words(attribute: Attribute, above: float, upto: float, may_be_missing: bool) -> str:
    """Return a set of numbers in words; empty if it is all of them."""
    if attribute.kind == "integer":
        above, upto = np.floor(above), np.floor(upto)
    name = attribute.name
    if above >= upto:
        return f"{name} {_MISSING}"
    if above == -np.inf and upto == np.inf:
        text = "" if may_be_missing or not attribute.may_be_missing else f"{name} not {_MISSING}"
    elif above == -np.inf:
        text = f"{name} <= {_number(upto)}"
    elif upto == np.inf:
        text = f"{name} > {_number(above)}"
    elif attribute.kind == "integer" and above + 1 == upto:
        text = f"{name} = {_number(upto)}"
    else:
        text = f"{_number(above)} < {name} <= {_number(upto)}"
    return f"{text} or {_MISSING}" if text and may_be_missing and attribute.may_be_missing else text


def _number(value: float) -> str:
    return str(int(value)) if value == np.floor(value) and abs(value) < 1e15 else f"{value:.6g}"


def _set_words(attribute: Attribute, is_in: BoolVector) -> str:
    """Return a set of values in words, or what is not in it if that is shorter; empty if it is all of them."""
    inside, outside = (
        [value_text(attribute.values[i]) for i in np.flatnonzero(part).tolist()] for part in (is_in, ~is_in)
    )
    if not outside:
        return ""
    if len(inside) <= len(outside):
        return f"{attribute.name} = {either(inside, 'more values')}"
    return f"{attribute.name} other than {either(outside, 'more values')}"
