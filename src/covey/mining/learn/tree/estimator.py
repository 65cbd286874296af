"""A decision tree that exposes nobody of the table that it was learned from (Friedman, Wolff and Schuster 2008).

Others know the public columns of a person and not the private ones; the class is private unless it is named among the
public.  Whoever reads the tree and knows the public columns of everybody can tie no fewer than k people to any
private value: every span of more than one class has k rows (definition 7 and claim 3 of the paper).

See `induction` for the algorithm, its guarantee, its cost and its ties.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from covey.ask.taxonomy import TaxonomyRule
from covey.base.arrays import IntVector
from covey.base.checks import at_least, bad_parameter, one_of, optional
from covey.induction.growth import GrownNode, Rules, grow
from covey.induction.pruning import description_bits, prune
from covey.mining.learn.tree.classifier import Training, TreeClassifier, number_from

__all__ = ["KAnonymousTree"]


def _fault_of_bits(value: object) -> str | None:
    if isinstance(value, str):
        return None if value in ("auto", "mdl") else '"auto", "mdl", or a number of 0 or more'
    return number_from(0)(value)


class KAnonymousTree(TreeClassifier):
    """A decision tree whose every span has `k` rows: others can tie no fewer people to a private value.

    `public`: the columns that others know (names, or places in an array); None: all of them.  All other columns of
    the table are private, and so is the class, unless the target column is named among the public.
    `l`: besides, entropy l-diversity in every span: of the class, and of every private column that the tests on the
    ways to its leaves name, at the precision of these tests.
    `criterion`: what a split must gain, `"entropy"` (information gain in bits) or `"gini"`.
    `taxonomies`: by column; a category is split at any of its levels, into all branches at once.
    `min_gain`: a split must gain more than this per row of its node.  `max_depth`: how many tests at most.
    `min_rows`: a node of fewer rows is not split.  Private splits are bound by this alone: spans stay as they are.
    `weighted`: order the queue by gain x rows of the node in place of the gain: another tree once something is
    private.  `ties`: whether the `"coarse"` or the `"fine"` level is taken where both gain the same.
    `most_cuts`: a number with more different values is cut only where about equally many rows lie between.
    `splits`: categories into one node and all others (`"binary"`, the default; in at most `most_cuts` ways), or into
    all branches of a level (`"multiway"`).
    `prune`: the bits that a leaf must save to be worth having; `"mdl"` for those of the least description length; None
    takes no split back.  `"auto"`, the default: `"mdl"`, but None where `l` is asked for beside private columns.
    `as_published` is the algorithm as the paper has it: all branches at once, no split taken back.

    Attributes after `fit`, beside those of every classifier: `tree_`, which is what is published, and `span_of_row_`,
    the span of each training row by number, which is not: it is left out when the classifier is pickled.

    >>> import pyarrow as pa
    >>> people = pa.table({"married": ["no", "yes", "yes", "yes", "no", "no"],
    ...                    "sports car": ["yes", "yes", "no", "no", "yes", "no"],
    ...                    "risk": ["good", "good", "bad", "bad", "bad", "bad"]})
    >>> tree = KAnonymousTree.as_published(k=3, public=["married"]).fit(people, "risk")
    >>> print(tree.to_text())
    risk: bad 4, good 2
    sports car = no -> bad: bad 3, good 0
    sports car = yes: bad 1, good 2
    |  married = no -> bad: bad 1, good 1
    |  married = yes -> good: bad 0, good 1
    >>> tree.span_of_row_
    array([0, 1, 1, 1, 0, 0])
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]] = {
        "k": at_least(1),
        "l": optional(number_from(1)),
        "criterion": one_of("entropy", "gini"),
        "min_gain": number_from(0),
        "max_depth": optional(at_least(0)),
        "min_rows": at_least(2),
        "weighted": one_of(False, True),
        "ties": one_of("coarse", "fine"),
        "most_cuts": at_least(1),
        "splits": one_of("multiway", "binary"),
        "prune": optional(_fault_of_bits),
    }

    def __init__(
        self,
        k: int = 5,
        public: Sequence[str | int] | None = None,
        *,
        l: float | None = None,  # noqa: E741
        criterion: Literal["entropy", "gini"] = "entropy",
        taxonomies: Mapping[str, TaxonomyRule] | None = None,
        min_gain: float = 1e-6,
        max_depth: int | None = None,
        min_rows: int = 2,
        weighted: bool = False,
        ties: Literal["coarse", "fine"] = "coarse",
        most_cuts: int = 255,
        splits: Literal["multiway", "binary"] = "binary",
        prune: float | Literal["auto", "mdl"] | None = "auto",
    ) -> None:
        self.k = k
        self.public = public
        self.l = l
        self.criterion = criterion
        self.taxonomies = taxonomies
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.min_rows = min_rows
        self.weighted = weighted
        self.ties = ties
        self.most_cuts = most_cuts
        self.splits = splits
        self.prune = prune

    @classmethod
    def as_published(
        cls,
        k: int = 5,
        public: Sequence[str | int] | None = None,
        *,
        l: float | None = None,  # noqa: E741
        criterion: Literal["entropy", "gini"] = "entropy",
        taxonomies: Mapping[str, TaxonomyRule] | None = None,
        min_gain: float = 1e-6,
        max_depth: int | None = None,
        min_rows: int = 2,
        weighted: bool = False,
        ties: Literal["coarse", "fine"] = "coarse",
        most_cuts: int = 255,
    ) -> Self:
        """Return the classifier of algorithm 1 of the paper: categories into all branches, and no split taken back.

        >>> KAnonymousTree.as_published(k=10)
        KAnonymousTree(k=10, prune=None, splits='multiway')
        """
        return cls(
            k, public, l=l, criterion=criterion, taxonomies=taxonomies, min_gain=min_gain, max_depth=max_depth,
            min_rows=min_rows, weighted=weighted, ties=ties, most_cuts=most_cuts, splits="multiway", prune=None,
        )  # fmt: skip

    span_of_row_: IntVector

    def _grow(self, training: Training) -> Sequence[GrownNode]:
        rules = Rules(
            k=int(self.k),
            ell=None if self.l is None else float(self.l),
            class_is_public=training.target_is_public,
            criterion=self.criterion,
            min_gain=float(self.min_gain),
            weighted=self.weighted,
            fine_first=self.ties == "fine",
            max_depth=self.max_depth,
            min_rows=int(self.min_rows),
        )
        attributes, labels = training.attributes(), training.labels
        tells_private = self.l is not None and not all(attribute.is_public for attribute in attributes)
        wanted = None if self.prune == "auto" and tells_private else self.prune
        if wanted is not None and tells_private:
            raise bad_parameter(
                "`prune` cannot be combined with `l` where columns are private: a pruned tree may tell of them less "
                "diversely",
                "leave one of them out, or bound the tree with min_rows, min_gain or max_depth",
            )
        grown = grow(attributes, labels, training.n_classes, rules)
        if wanted is not None:
            bits = description_bits(len(labels), training.n_classes) if isinstance(wanted, str) else float(wanted)
            grown = prune(grown, attributes, labels, bits=bits, class_is_public=rules.class_is_public)
        self.span_of_row_ = grown.span_of_row
        return grown.nodes

    def __getstate__(self) -> Any:
        # which row has which span is not part of the model
        return {name: value for name, value in super().__getstate__().items() if name != "span_of_row_"}
