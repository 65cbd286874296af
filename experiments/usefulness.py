"""What a k-anonymous tree is worth: beside a pruned tree of the raw table, and of releases of it.

COVEY_DATA=... python experiments/usefulness.py
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import covey
from covey.ask.taxonomy import Taxonomy
from covey.base.arrays import BoolVector, FloatMatrix, FloatVector, IntVector
from covey.datasets import load_adult, load_kdd, load_taxonomy
from covey.verifier.reading.cell import Everything, Missing, Point, Set
from covey.verifier.reading.notation import read_cell
from figures import Axis, line_chart, side_by_side
from results import Section, number, run_script

KS = (10, 50, 250)
RELEASES = {
    "loss-cut": "loss-cut",
    "tree": "tree",
    "top-down-specialization(target=income)": "top-down-specialization",
}
"""The algorithms of the releases, with their names in the table."""
ENCODINGS = {
    "occurring": "a value that the cell covers, drawn by how often values occur",
    "even": "a value that the cell covers, all alike",
    "middle": "the middle of an interval, the mean share of the labels",
}
"""How a released cell becomes something to learn from."""
AS_PUBLISHED: Mapping[str, Any] = {"splits": "multiway", "prune": None}
CHOICES: Mapping[str, Mapping[str, Any]] = {
    "as published": AS_PUBLISHED,
    'criterion="gini"': {**AS_PUBLISHED, "criterion": "gini"},
    'prune="mdl"': {**AS_PUBLISHED, "prune": "mdl"},
    'splits="binary"': {**AS_PUBLISHED, "splits": "binary"},
    "default": {},
}
"""Options of the k-anonymous tree; the middle ones differ in one thing from what the paper has."""
PUBLISHED, DEFAULTS = "KAnonymousTree, as published", "KAnonymousTree, defaults"
CHOSEN = "KAnonymousTree, options chosen"
RAW, RELEASE, FLOOR = "pruned tree, raw table", "pruned tree, release by", "majority class"
TARGET = "income"
ALPHAS = tuple(float(alpha) for alpha in np.geomspace(5e-5, 4e-3, 12))
N_FOLDS, SEED = 3, 0
ROUNDS = 60
PRIOR_ROWS = 10
QUICK_ROWS, QUICK_KS = 1_500, (10,)

ADULT_NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
ADULT_TREES = ("workclass", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
KDD_CODES = (
    "detailed_industry_recode", "detailed_occupation_recode", "own_business_or_self_employed", "veterans_benefits",
    "year",
)  # fmt: skip
"""Columns of numbers that are names."""


def main() -> None:
    run_script("usefulness", "What a k-anonymous tree is worth: Adult and Census-Income", write)


def write(section: Section, quick: bool) -> None:
    """Fill the section."""
    warnings.simplefilter("ignore", covey.CoveyWarning)
    tasks = [task.head(QUICK_ROWS) for task in (adult(), kdd())] if quick else [adult(), kdd()]
    ks = QUICK_KS if quick else KS
    explain(section, tasks)
    found = {task.name: results(task, ks) for task in tasks}
    section.heading("Accuracy and AUC")
    write_table(section, tasks, found)
    write_readings(section, tasks, found, ks)
    write_choices(section, found)
    if not quick:
        write_figure(section, found)
    write_options(section, tasks, ks)
    write_shares(section, found)


# --- the tables ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Task:
    """A table to learn from, another to be tested on, and the class that is looked for."""

    name: str
    train: pa.Table
    test: pa.Table
    positive: str
    taxonomies: Mapping[str, Taxonomy]

    @property
    def columns(self) -> list[str]:
        """Return the columns to learn from."""
        return [name for name in self.train.column_names if name != TARGET]

    def head(self, n_rows: int) -> Task:
        """Return the task with the first rows alone."""
        return Task(self.name, self.train.slice(0, n_rows), self.test.slice(0, n_rows), self.positive, self.taxonomies)

    def truth(self, table: pa.Table) -> BoolVector:
        """Return which rows are of the positive class."""
        return np.asarray(pc.equal(table[TARGET].cast(pa.string()), self.positive))


def adult() -> Task:
    """Return Adult without its weights, and without the labels of education, which its number tells in order."""
    columns = [*ADULT_NUMBERS, *ADULT_TREES, TARGET]
    trees = {name: load_taxonomy("adult_tds", name) for name in ADULT_TREES}
    return Task("Adult", load_adult().select(columns), load_adult("test").select(columns), ">50K", trees)


def kdd() -> Task:
    """Return Census-Income (KDD) without its weights: two thirds of the rows to learn from, by a fixed seed."""
    table = load_kdd().drop_columns(["instance_weight"])
    for name in KDD_CODES:
        codes = pc.binary_join_element_wise("c", table[name].cast(pa.string()), "")  # no text that reads as a number
        table = table.set_column(table.column_names.index(name), name, codes)
    for place, name in enumerate(table.column_names):
        if not pa.types.is_integer(table[name].type) and name != TARGET:
            cells = table[name].cast(pa.string())
            table = table.set_column(place, name, pc.if_else(pc.equal(cells, "?"), pa.scalar(None, pa.string()), cells))
    order = np.random.default_rng(SEED).permutation(table.num_rows)
    cut = table.num_rows * 2 // 3
    return Task("Census-Income", table.take(np.sort(order[:cut])), table.take(np.sort(order[cut:])), "50000+", {})


def explain(section: Section, tasks: Sequence[Task]) -> None:
    shares = [f"{task.truth(task.test).mean():.1%}" for task in tasks]
    sizes = [f"{number(task.train.num_rows)} and {number(task.test.num_rows)} rows" for task in tasks]
    section.text(
        f"""Who has more than 50,000 dollars a year is learned from the training rows and told of the test rows.
        Adult: {sizes[0]} without `?`, the parts that UCI published, {len(tasks[0].columns)} columns with the taxonomies
        of Fung, Wang and Yu; {shares[0]} are rich. Census-Income (KDD): the {
            number(sum(part.num_rows for part in (tasks[1].train, tasks[1].test)))
        } rows of its test part, of
        which two thirds by a fixed seed ({SEED}) to learn from, so {sizes[1]}, {len(tasks[1].columns)} columns without
        taxonomies; {
            shares[1]
        } are rich, so that accuracy says little and AUC more. Weights of the surveys are left out,
        and the labels of education in Adult, which say the same as their number. `?` is missing: to a tree one more
        value, and in a release what it covers (`missing="category"`)."""
    )
    section.text(
        f"""KAnonymousTree: all columns are public, income is private, so that every leaf has k people; as the paper has
        it (`KAnonymousTree.as_published`), with its defaults, and with that of {len(CHOICES)} sets of options (below)
        which has the best mean AUC in {N_FOLDS}-fold cross-validation on the training rows. Pruned tree:
        scikit-learn's, by entropy, with the `ccp_alpha` of the best mean AUC in the same folds ({len(ALPHAS)} values
        from {ALPHAS[0]:g} to {ALPHAS[-1]:g}); a category is the share of the rich among the training rows that have it
        ({PRIOR_ROWS} rows of the mean added),
        which a tree cuts into two sets of labels."""
    )
    ways = "; ".join(f"*{name}*, {words}" for name, words in ENCODINGS.items())
    section.text(
        f"""A release: all columns quasi, income kept; test rows are raw. A released cell is encoded in one of
        {len(ENCODINGS)} ways, again by the best mean AUC: {ways}. How often values occur is told by the release itself
        (Turnbull's estimate, {ROUNDS} rounds of expectation and maximisation; the values of numbers are the published
        ends). In these folds the rows to learn from are released and those held out are raw, which favours releases:
        whoever has nothing but a release cannot choose so well."""
    )
    section.text(
        """To be read with care: the options `splits` and `prune` and the encodings were devised while results on these
        test rows were looked at. The choices among them, made here, see training rows alone."""
    )


# --- rows as numbers -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Feature:
    """One column to learn from: numbers, or kinds of cells that stand for mixtures of labels."""

    of_row: FloatVector | IntVector
    """The number of each row, or the kind of its cell."""
    mixture: FloatMatrix | None = None
    """(kinds, labels): the share of each label, if the column is a category."""


@dataclass(frozen=True, slots=True)
class Coder:
    """How columns become numbers: those of numbers as they are, labels by their place in a list."""

    labels: Mapping[str, list[str | None] | None]
    """By column in their order: None for a number."""
    taxonomies: Mapping[str, Taxonomy]

    @classmethod
    def of(cls, task: Task) -> Coder:
        """Return the coder of all labels that occur, or that a taxonomy has."""

        def labels(name: str) -> list[str | None] | None:
            parts = [table[name] for table in (task.train, task.test)]
            if pa.types.is_integer(parts[0].type):
                return None
            own = {label for part in parts for label in pc.unique(part.cast(pa.string())).to_pylist()}
            own |= set(task.taxonomies[name].leaves) if name in task.taxonomies else set()
            return sorted(own, key=lambda label: (label is None, label))

        return cls({name: labels(name) for name in task.columns}, task.taxonomies)

    def raw(self, table: pa.Table) -> list[Feature]:
        """Return raw values."""
        found = []
        for name, labels in self.labels.items():
            if labels is None:
                found.append(Feature(np.asarray(table[name]).astype(np.float64)))
                continue
            place = {label: code for code, label in enumerate(labels)}
            cells, of_row = distinct(table[name])
            found.append(Feature(np.array([place[cell] for cell in cells])[of_row], np.eye(len(labels))))
        return found

    def released(self, table: pa.Table, random: np.random.Generator) -> dict[str, list[Feature]]:
        """Return released cells in every encoding."""
        found: dict[str, list[Feature]] = {encoding: [] for encoding in ENCODINGS}
        for name, labels in self.labels.items():
            covers, of_row, values = self.cells(name, table)
            rows = np.bincount(of_row, minlength=len(covers))
            for encoding, shares in (("occurring", occurrences(covers, rows)), ("even", np.ones(covers.shape[1]))):
                drawn = draw(covers, shares, of_row, random)
                found[encoding].append(
                    Feature(values[drawn]) if labels is None else Feature(drawn, np.eye(len(labels)))
                )
            if labels is None:
                ends = (
                    values[np.argmax(covers, axis=1)],
                    values[covers.shape[1] - 1 - np.argmax(covers[:, ::-1], axis=1)],
                )
                found["middle"].append(Feature((sum(ends) / 2)[of_row]))
            else:
                found["middle"].append(Feature(of_row, covers / covers.sum(axis=1, keepdims=True)))
        return found

    def cells(self, name: str, table: pa.Table) -> tuple[BoolVector, IntVector, FloatVector]:
        """Return (cells, values) which values each different cell covers, the cell of each row, and the values."""
        labels = self.labels[name]
        if labels is not None:
            texts, of_row = distinct(table[name])
            return np.stack([self.covered(name, text, labels) for text in texts]), of_row, np.arange(len(labels))
        ends = np.stack([np.asarray(table[f"{name}_{end}"]) for end in ("min", "max")])
        cells, of_row = np.unique(ends, axis=1, return_inverse=True)
        values = np.unique(ends)
        covers = (values >= cells[0][:, None]) & (values <= cells[1][:, None])
        return covers, of_row.reshape(-1), values.astype(np.float64)

    def covered(self, name: str, text: str | None, labels: Sequence[str | None]) -> BoolVector:
        """Return which labels a released cell covers."""
        cell = read_cell(text, "categorical")
        if isinstance(cell, Everything):
            return np.ones(len(labels), bool)
        if isinstance(cell, Missing):
            return np.array([label is None for label in labels])
        if isinstance(cell, Set):
            return np.isin(np.array(labels, object), np.array(cell.labels, object))
        assert isinstance(cell, Point)
        tree = self.taxonomies.get(name)
        node = None if tree is None or cell.quoted else tree.below(str(cell.value))
        names = [cell.value] if tree is None or node is None else [tree.leaves[leaf] for leaf in node]
        return np.array([label in names for label in labels])


def distinct(column: pa.ChunkedArray) -> tuple[list[str | None], IntVector]:
    """Return the different texts of a column, and which of them each row has."""
    coded = column.cast(pa.string()).combine_chunks().dictionary_encode(null_encoding="encode")
    return coded.dictionary.to_pylist(), np.asarray(coded.indices).astype(np.int64)


def draw(covers: BoolVector, shares: FloatVector, of_row: IntVector, random: np.random.Generator) -> IntVector:
    """Return a value for each row by number: one that its cell covers, as often as the shares say.

    covers (cells, values); of_row: the cell of each row.

    >>> covers = np.array([[True, False, False], [True, True, False]])
    >>> draw(covers, np.array([0.0, 0.5, 0.5]) + 1e-12, np.array([0, 0, 1]), np.random.default_rng(0)).tolist()
    [0, 0, 1]
    """
    own = covers * shares
    # the sums of cell i lie in i..i+1, so that one search serves all rows
    steps = np.cumsum(own / own.sum(axis=1, keepdims=True), axis=1)
    last = covers.shape[1] - 1 - np.argmax(covers[:, ::-1], axis=1)
    steps[np.arange(covers.shape[1]) >= last[:, None]] = 1.0
    flat = (steps + np.arange(len(covers))[:, None]).ravel()
    found = np.searchsorted(flat, of_row + random.random(len(of_row)), side="right") - of_row * covers.shape[1]
    return np.minimum(found, last[of_row])  # i + 0.999... may round up


def occurrences(covers: BoolVector, counts: IntVector) -> FloatVector:
    """Return how often each value occurs, as far as cells tell of which only what they cover is known (Turnbull 1976).

    >>> np.round(occurrences(np.array([[True, False], [True, True]]), np.array([2, 2])), 2)
    array([1., 0.])
    """
    shares = np.full(covers.shape[1], 1 / covers.shape[1])
    cells = covers.astype(np.float64)
    for _ in range(ROUNDS):
        shares = shares * ((counts / (cells @ shares)) @ cells) / counts.sum()
    # a cell of values that came out as never occurring must still give one
    return np.maximum(shares, 1e-12)


@dataclass(frozen=True, slots=True)
class Shares:
    """How labels become numbers that a tree can cut: by the share of the positive class."""

    of_label: tuple[FloatVector | None, ...]
    """By column; None for a number."""

    @classmethod
    def learn(cls, rows: Sequence[Feature], truth: BoolVector) -> Shares:
        """Return the shares among training rows, each with some rows of the mean added."""

        def shares(feature: Feature) -> FloatVector | None:
            if feature.mixture is None:
                return None
            kinds = len(feature.mixture)
            n_rows = np.bincount(feature.of_row, minlength=kinds) @ feature.mixture
            rich = np.bincount(feature.of_row, weights=truth, minlength=kinds) @ feature.mixture
            return np.asarray((rich + PRIOR_ROWS * truth.mean()) / (n_rows + PRIOR_ROWS))

        return cls(tuple(map(shares, rows)))

    def apply(self, rows: Sequence[Feature]) -> FloatMatrix:
        """Return (rows, columns): numbers, and the mean share of the labels that a cell stands for."""
        pairs = zip(rows, self.of_label, strict=True)
        return np.stack([f.of_row if f.mixture is None else (f.mixture @ own)[f.of_row] for f, own in pairs], axis=1)


# --- pruned trees ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Learned:
    """A tree of scikit-learn, and how rows become what it was learned from."""

    tree: DecisionTreeClassifier
    shares: Shares
    encoding: str = ""
    """How the rows that it was learned from were encoded."""

    @classmethod
    def learn(cls, rows: Sequence[Feature], truth: BoolVector, alpha: float = 0.0, encoding: str = "") -> Learned:
        """Return the tree of these rows."""
        shares = Shares.learn(rows, truth)
        tree = DecisionTreeClassifier(criterion="entropy", ccp_alpha=alpha, random_state=SEED)
        return cls(tree.fit(shares.apply(rows), truth), shares, encoding)

    def when_pruned(self, rows: Sequence[Feature], alphas: Iterable[float]) -> list[FloatVector]:
        """Return the share of the positive class for each row, for each `ccp_alpha` with which the tree be pruned."""
        leaves = self.tree.apply(self.shares.apply(rows))
        share = self.tree.tree_.value[:, 0, 1]
        return [share[ends_when_pruned(self.tree, alpha)[leaves]] for alpha in alphas]


def ends_when_pruned(tree: DecisionTreeClassifier, alpha: float) -> IntVector:
    """Return for each node of a full tree where its rows end once it is pruned with `ccp_alpha`.

    The same trees come of growing once more with each `ccp_alpha`, which takes as many times as long.
    """
    inner = tree.tree_
    left, right = inner.children_left.tolist(), inner.children_right.tolist()
    as_leaf = (inner.weighted_n_node_samples / inner.weighted_n_node_samples[0] * inner.impurity + alpha).tolist()
    cost, is_split = list(as_leaf), [False] * len(as_leaf)
    for node in range(len(as_leaf) - 1, -1, -1):  # what is below a node comes after it
        if left[node] >= 0 and (below := cost[left[node]] + cost[right[node]]) < as_leaf[node] - 1e-15:
            cost[node], is_split[node] = below, True
    ends = list(range(len(as_leaf)))
    for node, goes_on in enumerate(is_split):
        if left[node] >= 0 and (not goes_on or ends[node] != node):
            ends[left[node]] = ends[right[node]] = ends[node]
    return np.array(ends)


def folds(task: Task) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Return the training rows in parts to learn from and to be held out, the same for every way."""
    fold = np.random.default_rng(SEED).permutation(task.train.num_rows) % N_FOLDS
    for held_out in range(N_FOLDS):
        yield task.train.filter(pa.array(fold != held_out)), task.train.filter(pa.array(fold == held_out))


def pruned_tree(task: Task, coder: Coder, make: Callable[[pa.Table], Mapping[str, list[Feature]]]) -> Learned:
    """Return the tree of what `make` makes of the training rows, encoded and pruned as cross-validation tells."""
    scores: dict[str, FloatVector] = {}
    for near, far in folds(task):
        truth, rows = task.truth(far), coder.raw(far)
        for encoding, encoded in make(near).items():
            shares = Learned.learn(encoded, task.truth(near)).when_pruned(rows, ALPHAS)
            found = np.array([roc_auc_score(truth, share) for share in shares])
            scores[encoding] = scores.get(encoding, np.zeros(len(ALPHAS))) + found
    best = max(scores, key=lambda encoding: scores[encoding].max())
    alpha = ALPHAS[int(scores[best].argmax())]
    return Learned.learn(make(task.train)[best], task.truth(task.train), alpha, best)


def released_rows(coder: Coder, task: Task, algorithm: str, k: int, table: pa.Table) -> dict[str, list[Feature]]:
    """Return the rows of a release in every encoding."""
    release = covey.anonymize(
        table, k, quasi=task.columns, target=[TARGET], algorithm=algorithm, missing="category",
        taxonomies=task.taxonomies, types={name: "categorical" for name in KDD_CODES if name in task.columns},
        release="bounds",
    )  # fmt: skip
    assert release.report.verdict.ok
    return coder.released(release.table, np.random.default_rng(SEED))


def chosen_options(task: Task, k: int) -> str:
    """Return the options of the k-anonymous tree that cross-validation on the training rows tells."""
    scores = dict.fromkeys(CHOICES, 0.0)
    for near, far in folds(task):
        for name, options in CHOICES.items():
            tree = covey.KAnonymousTree(k, taxonomies=task.taxonomies, **options).fit(near, TARGET)
            share = tree.predict_proba(far)[:, tree.classes_.tolist().index(task.positive)]
            scores[name] += float(roc_auc_score(task.truth(far), share))
    return max(scores, key=lambda name: scores[name])


# --- what comes of it ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """How well one model does on the test rows."""

    way: str
    k: int | None
    leaves: int
    accuracy: float
    balanced: float
    auc: float
    smoothed_auc: float
    """With one row of each class added to every leaf (Laplace)."""
    log_loss: float
    smoothed_log_loss: float
    small: int
    """Training rows in leaves of fewer than the least k asked for."""
    chosen: str = ""
    """The encoding or the options that cross-validation chose."""


def judge(
    way: str,
    k: int | None,
    truth: BoolVector,
    share: FloatVector,
    rows: FloatVector,
    sizes: IntVector,
    chosen: str = "",
) -> Result:
    """Return how well shares of the positive class fit the truth; rows: those of each test row's leaf."""
    told = share > 0.5
    smoothed = (share * rows + 1) / (rows + 2)
    return Result(
        way, k, len(sizes), float((told == truth).mean()), float(balanced_accuracy_score(truth, told)),
        float(roc_auc_score(truth, share)), float(roc_auc_score(truth, smoothed)), log_loss(truth, share),
        log_loss(truth, smoothed), int(sizes[sizes < min(KS)].sum()), chosen,
    )  # fmt: skip


def log_loss(truth: BoolVector, share: FloatVector) -> float:
    """Return the mean of -log2 of the share given to the true class, each at least 1e-6."""
    given = np.maximum(np.where(truth, share, 1 - share), 1e-6)
    return float(-np.log2(given).mean())


def results(task: Task, ks: Sequence[int]) -> list[Result]:
    """Return the results of all ways on one table."""
    coder = Coder.of(task)
    truth, rows = task.truth(task.test), coder.raw(task.test)
    share = float(task.truth(task.train).mean())
    everywhere = np.full(len(truth), share)
    n_train = np.full(len(truth), float(task.train.num_rows))
    found = [judge(FLOOR, None, truth, everywhere, n_train, np.array([task.train.num_rows]))]
    found.append(judge_learned(RAW, None, pruned_tree(task, coder, lambda table: {"": coder.raw(table)}), truth, rows))
    found += [grown(task, PUBLISHED, k, "as published") for k in ks]
    found += [grown(task, DEFAULTS, k, "default") for k in ks]
    found += [grown(task, CHOSEN, k, chosen_options(task, k)) for k in ks]
    for algorithm, name in RELEASES.items():
        for k in ks:
            learned = pruned_tree(task, coder, partial(released_rows, coder, task, algorithm, k))
            found.append(judge_learned(f"{RELEASE} {name}", k, learned, truth, rows))
            print(f"{task.name}, k = {k}, release by {name}: AUC {found[-1].auc:.3f}", flush=True)
    return found


def judge_learned(way: str, k: int | None, learned: Learned, truth: BoolVector, rows: Sequence[Feature]) -> Result:
    inner = learned.tree.tree_
    leaves = learned.tree.apply(learned.shares.apply(rows))
    sizes = inner.n_node_samples[inner.children_left < 0]
    return judge(way, k, truth, inner.value[leaves, 0, 1], inner.n_node_samples[leaves], sizes, learned.encoding)


def grown(task: Task, way: str, k: int, choice: str) -> Result:
    """Return how well a k-anonymous tree does with one choice of options."""
    tree = covey.KAnonymousTree(k, taxonomies=task.taxonomies, **CHOICES[choice]).fit(task.train, TARGET)
    assert np.bincount(tree.span_of_row_).min() >= k
    place = tree.classes_.tolist().index(task.positive)
    counts = tree.tree_.counts().sum(axis=1)
    sizes = counts[list(tree.tree_.leaves)]
    share = tree.predict_proba(task.test)[:, place]
    # a leaf without training rows says what the node above it says, and is no leaf to count
    return judge(way, k, task.truth(task.test), share, counts[tree.apply(task.test)], sizes[sizes > 0], choice)


def write_table(section: Section, tasks: Sequence[Task], found: Mapping[str, Sequence[Result]]) -> None:
    header = ["way", "k"]
    for task in tasks:
        header += [f"{task.name}: leaves", "accuracy", "balanced", "AUC"]
    rows = []
    for results_of_way in zip(*found.values(), strict=True):
        first = results_of_way[0]
        cells = [first.way, "-" if first.k is None else str(first.k)]
        for result in results_of_way:
            cells += [number(result.leaves), percent(result.accuracy), percent(result.balanced), f"{result.auc:.3f}"]
        rows.append(cells)
    section.table(header, rows)


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def write_readings(
    section: Section, tasks: Sequence[Task], found: Mapping[str, Sequence[Result]], ks: Sequence[int]
) -> None:
    errors = []
    for task in tasks:
        raw, truth = one(found[task.name], RAW, None), task.truth(task.test)
        points = 100 * math.sqrt(raw.accuracy * (1 - raw.accuracy) / len(truth))
        errors.append(f"{points:.2f} and {error_of_auc(raw.auc, truth):.3f} on {task.name}")
    section.text(
        f"""Accuracy and balanced accuracy (the mean of the accuracies in both classes) in percent; leaves that have
        rows. The standard errors of an accuracy and of an AUC (after Hanley and McNeil) are {", ".join(errors)}:
        differences of that size say nothing."""
    )
    small = " and ".join(f"{number(one(found[task.name], RAW, None).small)} on {task.name}" for task in tasks)
    at = f"at k = {', '.join(map(str, ks))}"
    gaps = "; ".join(
        f"on {task.name} {gaps_to_raw(found[task.name], DEFAULTS, ks, 'accuracy')} points of accuracy and "
        f"{gaps_to_raw(found[task.name], DEFAULTS, ks, 'auc')} of AUC"
        for task in tasks
    )
    section.text(
        f"""The pruned tree of the raw table keeps no k: training rows in leaves of fewer than {min(KS)} people are
        {small}. KAnonymousTree with its defaults differs from it {at} by: {gaps}. Of the releases those of the
        greatest AUC are: {best_releases(found, ks)}. A release serves every question that is asked of the table and
        loses some of each; a tree answers one."""
    )


def write_choices(section: Section, found: Mapping[str, Sequence[Result]]) -> None:
    """Say what cross-validation chose."""
    rows = []
    for results_of_way in zip(*found.values(), strict=True):
        first = results_of_way[0]
        if first.way == CHOSEN or first.way.startswith(RELEASE):
            rows.append([first.way, str(first.k), *(f"`{result.chosen}`" for result in results_of_way)])
    section.text("What cross-validation chose, options and encodings:")
    section.table(["way", "k", *found], rows, words=4)


def best_releases(found: Mapping[str, Sequence[Result]], ks: Sequence[int]) -> str:
    """Return in words the release that does best at each k."""
    words = []
    for name, results_of_task in found.items():
        for k in ks:
            rivals = [result for result in results_of_task if result.k == k and result.way.startswith(RELEASE)]
            best = max(rivals, key=lambda result: result.auc)
            words.append(f"{name}, k = {k}: {best.way.removeprefix(RELEASE).strip()} ({best.auc:.3f})")
    return "; ".join(words)


def error_of_auc(auc: float, truth: BoolVector) -> float:
    """Return the standard error of an AUC (Hanley and McNeil 1982).

    >>> round(error_of_auc(0.9, np.repeat([True, False], 50)), 4)
    0.0321
    """
    n_rich, n_poor = int(truth.sum()), int((~truth).sum())
    above, below = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
    return math.sqrt((auc * (1 - auc) + (n_rich - 1) * above + (n_poor - 1) * below) / (n_rich * n_poor))


def one(results_of_task: Sequence[Result], way: str, k: int | None) -> Result:
    """Return the result of one way at one k."""
    return next(result for result in results_of_task if (result.way, result.k) == (way, k))


def gaps_to_raw(results_of_task: Sequence[Result], way: str, ks: Sequence[int], measure: str) -> str:
    """Return by how much a way exceeds the pruned tree of the raw table at each k, with its sign."""
    found = []
    for k in ks:
        more = getattr(one(results_of_task, way, k), measure) - getattr(one(results_of_task, RAW, None), measure)
        found.append(f"{round(100 * more, 1) + 0.0:+.1f}" if measure == "accuracy" else f"{round(more, 3) + 0.0:+.3f}")
    return ", ".join(found)


def write_figure(section: Section, found: Mapping[str, Sequence[Result]]) -> None:
    charts = []
    for name, results_of_task in found.items():
        ways = [way for way in dict.fromkeys(result.way for result in results_of_task) if way != FLOOR]
        lines = {
            way: [(float(k), one(results_of_task, way, None if way == RAW else k).auc) for k in KS] for way in ways
        }
        x = Axis("k", log=True, ticks=tuple(float(k) for k in KS))
        charts.append(line_chart(name, x, Axis("AUC on the test rows", from_zero=False), lines, width=360))
    words = "AUC against k on both tables, a line for each way; the pruned tree of the raw table is level"
    section.figure("auc", side_by_side(*charts), words)


# --- options and shares ----------------------------------------------------------------------------------------


def write_options(section: Section, tasks: Sequence[Task], ks: Sequence[int]) -> None:
    section.heading("Does the k-anonymous tree fit too much?")
    section.text(
        """At a small k it does. k bounds a leaf from below, but a leaf of ten people is still noise, and a split of a
        category into all of its values at once makes many. `prune="mdl"` takes back splits that do not save half a
        binary logarithm of the rows in bits for each leaf; `splits="binary"` sets one value, or one node of a taxonomy,
        against all others; the default is both. Accuracy and AUC, with the number of leaves that have rows:"""
    )
    header = ["options"] + [f"{task.name}, k = {k}" for task in tasks for k in ks]
    rows = []
    for name in CHOICES:
        cells = [name]
        for task in tasks:
            for k in ks:
                result = grown(task, name, k, name)
                cells.append(f"{percent(result.accuracy)}, {result.auc:.3f}, {number(result.leaves)}")
        rows.append(cells)
    section.table(header, rows)


def write_shares(section: Section, found: Mapping[str, Sequence[Result]]) -> None:
    section.heading("Shares of the classes")
    section.text(
        """`predict_proba` gives the shares of a leaf as they are. A leaf of ten people of one class then says 0 or 1,
        which is not known so well, and ties them with all others that do. With one more row of each class in every leaf
        (Laplace) AUC and log loss (bits per row, a share of the true class below 1e-6 counted as 1e-6) become:"""
    )
    header = ["way", "k"]
    for name in found:
        header += [f"{name}: AUC", "Laplace", "log loss", "Laplace"]
    rows = []
    for results_of_way in zip(*found.values(), strict=True):
        first = results_of_way[0]
        if first.way not in (RAW, PUBLISHED, DEFAULTS, CHOSEN):
            continue
        cells = [first.way, "-" if first.k is None else str(first.k)]
        for result in results_of_way:
            cells += [f"{result.auc:.3f}", f"{result.smoothed_auc:.3f}", f"{result.log_loss:.3f}"]
            cells += [f"{result.smoothed_log_loss:.3f}"]
        rows.append(cells)
    section.table(header, rows)


if __name__ == "__main__":
    main()
