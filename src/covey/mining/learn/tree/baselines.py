"""Decision trees without any care for privacy, to measure what it costs: ID3 and a tree in the manner of C4.5.

Both take the same tables as `KAnonymousTree` and publish the same kind of tree.  Nothing holds for them: a leaf may
be one person.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from covey.ask.taxonomy import TaxonomyRule
from covey.base.arrays import FloatVector, IntMatrix, IntVector
from covey.base.checks import at_least, one_of
from covey.induction.growth import GrownNode, Rules, grow
from covey.induction.options import Options, lay_out
from covey.induction.pruning import least_costly
from covey.mining.learn.tree.classifier import Training, TreeClassifier, number_from

__all__ = ["C45", "ID3"]


class ID3(TreeClassifier):
    """A decision tree by information gain, grown until nothing gains (Quinlan 1986).

    Categories are split into all their values; with `every_level`, at any level of their taxonomies.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 30, 40], "risk": ["bad", "good", "good"]})
    >>> print(ID3().fit(people, "risk").to_text())
    risk: bad 1, good 2
    age <= 25 -> bad: bad 1, good 0
    age > 25 -> good: bad 0, good 2
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]] = {
        "every_level": one_of(False, True),
        "min_gain": number_from(0),
        "most_cuts": at_least(1),
    }

    def __init__(
        self,
        *,
        taxonomies: Mapping[str, TaxonomyRule] | None = None,
        every_level: bool = False,
        min_gain: float = 1e-6,
        most_cuts: int = 255,
    ) -> None:
        self.taxonomies = taxonomies
        self.every_level = every_level
        self.min_gain = min_gain
        self.most_cuts = most_cuts

    def _grow(self, training: Training) -> Sequence[GrownNode]:
        rules = Rules(k=1, min_gain=float(self.min_gain))
        return grow(training.attributes(), training.labels, training.n_classes, rules).nodes


class C45(TreeClassifier):
    """A decision tree by gain ratio, pruned by pessimistic estimates of its errors, after Quinlan's C4.5 (1993).

    Of the options that gain at least the mean, the one of the greatest gain per bit of the split itself is taken; two
    branches must have `min_rows`.  A number is cut at its best place, less log2(places) / rows of its gain.  A subtree
    becomes a leaf unless that raises the errors expected at the upper end of `confidence`.  Branches are not moved up
    (no subtree raising), and missing is a value like any other.

    >>> import numpy as np
    >>> numbers = np.arange(40.0)[:, None]
    >>> print(C45().fit(numbers, numbers[:, 0] >= 20).to_text())
    class: False 20, True 20
    x0 <= 19.5 -> False: False 20, True 0
    x0 > 19.5 -> True: False 0, True 20
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]] = {
        "confidence": lambda value: None if _is_share(value) else "a number above 0 and at most 0.5",
        "min_rows": at_least(1),
        "every_level": one_of(False, True),
        "most_cuts": at_least(1),
    }

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        min_rows: int = 2,
        taxonomies: Mapping[str, TaxonomyRule] | None = None,
        every_level: bool = False,
        most_cuts: int = 255,
    ) -> None:
        self.confidence = confidence
        self.min_rows = min_rows
        self.taxonomies = taxonomies
        self.every_level = every_level
        self.most_cuts = most_cuts

    def _grow(self, training: Training) -> Sequence[GrownNode]:
        nodes = _grow_by_ratio(training, int(self.min_rows))
        return least_costly(nodes, [_expected_errors(node.counts, float(self.confidence)) for node in nodes], slack=0.1)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 0.5


def _grow_by_ratio(training: Training, min_rows: int) -> list[GrownNode]:
    """Return the nodes of the unpruned tree, each after the one above it."""
    labels, n_classes = training.labels.astype(np.int32), training.n_classes
    options = lay_out(training.attributes(), len(labels))
    nodes = [GrownNode(np.bincount(labels, minlength=n_classes))]
    rows_of: list[IntVector] = [np.arange(len(labels), dtype=np.int32)]
    for number, rows in enumerate(rows_of):  # grows as branches are found
        counts = nodes[number].counts
        if len(rows) < 2 * min_rows or np.count_nonzero(counts) < 2:
            continue
        option = _best_by_ratio(options, options.count(rows, labels, n_classes), min_rows, len(labels))
        if option is None:
            continue
        attribute, branch_of = int(options.attribute[option]), options.branch_of(option)
        parts = options.part(attribute, branch_of, rows)
        branches = tuple(range(int(branch_of.max()) + 1))
        children = tuple(len(nodes) + branch for branch in branches)
        nodes[number] = GrownNode(counts, attribute, int(options.number[option]), branches, children)
        for branch in branches:
            rows_of.append(parts.get(branch, rows[:0]))
            nodes.append(GrownNode(np.bincount(labels[rows_of[-1]], minlength=n_classes)))
    return nodes


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An option with its gain, corrected for a number's many places to be cut."""

    option: int
    gain: float
    ratio: float
    n_branches: int


def _best_by_ratio(options: Options, counts: IntMatrix, min_rows: int, n_all: int) -> int | None:
    gains, _ = options.gains(counts, "entropy")
    found: list[_Candidate] = []
    for attribute in range(len(options.ordered)):
        first, end = (int(place) for place in options.first[attribute : attribute + 2])
        by_code = counts[options.starts[attribute] : options.starts[attribute + 1]].sum(axis=1)
        if options.ordered[attribute]:
            found += _cut_candidate(gains[first:end], by_code, first, min_rows)
        else:
            for option in range(first, end):
                sizes = np.bincount(options.branch_of(option), weights=by_code).astype(np.float64)
                if np.count_nonzero(sizes >= min_rows) >= 2:
                    gain = float(gains[option])
                    found.append(_Candidate(option, gain, gain / _bits(sizes), len(sizes)))
    found = [one for one in found if one.gain > 1e-6]
    if not found:
        return None
    # an attribute with very many values gains by them alone, and would raise the mean
    usual = [one for one in found if one.n_branches < 0.3 * n_all] or found
    mean = sum(one.gain for one in usual) / len(usual)
    return max((one for one in found if one.gain >= mean - 1e-3), key=lambda one: one.ratio).option


def _cut_candidate(gains: FloatVector, by_code: IntVector, first: int, min_rows: int) -> list[_Candidate]:
    left = np.cumsum(by_code)[:-1]
    allowed = (left >= min_rows) & (by_code.sum() - left >= min_rows)
    if not allowed.any():
        return []
    cut = int(np.argmax(np.where(allowed, gains, -1.0)))
    places = np.count_nonzero(by_code) - 1
    gain = float(gains[cut]) - math.log2(places) / float(by_code.sum()) if places else 0.0
    bits = _bits(np.array([left[cut], by_code.sum() - left[cut]], np.float64))
    return [_Candidate(first + cut, gain, gain / bits, 2)]


def _bits(sizes: FloatVector) -> float:
    """Return the entropy of the sizes of branches."""
    shares = sizes[sizes > 0] / sizes.sum()
    return float(-(shares * np.log2(shares)).sum())


def _expected_errors(counts: IntVector, confidence: float) -> float:
    """Return how many errors are expected of a leaf."""
    n_rows, errors = int(counts.sum()), int(counts.sum() - counts.max())
    return errors + _added_errors(n_rows, errors, confidence)


def _added_errors(n_rows: int, errors: int, confidence: float) -> float:
    """Return how many errors more are expected among n rows at the upper end of the confidence.

    >>> round(_added_errors(14, 5, 0.25), 3), round(_added_errors(6, 0, 0.25), 3)
    (1.761, 1.238)
    """
    if n_rows == 0:
        return 0.0
    if errors == 0:
        return float(n_rows * (1 - confidence ** (1 / n_rows)))
    if errors + 0.5 >= n_rows:
        return max(n_rows - errors, 0.0)
    z: float = NormalDist().inv_cdf(1 - confidence)
    share = (errors + 0.5) / n_rows
    spread = z * math.sqrt(share / n_rows - share**2 / n_rows + z**2 / (4 * n_rows**2))
    upper = (share + z**2 / (2 * n_rows) + spread) / (1 + z**2 / n_rows)
    return float(upper * n_rows - errors)
