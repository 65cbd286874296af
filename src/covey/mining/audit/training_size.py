"""How many rows the table had that trees of scikit-learn were trained on, as far as they tell.

The root of a tree counts the rows that the tree was grown from.  Where training leaves rows out, that is not all: a
bootstrap draws some rows more than once and others never, a subsample is a share of the rows, and a validation part is
held back.  A forest stores how many rows it was given; of the others the share is known, so the number follows, up to
the rows that are lost when the share is rounded.  Rows of weight zero are counted by no tree.
"""

from __future__ import annotations

import bisect
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.mining.faults import bad_model

__all__ = ["Sizes", "size_of_boosting", "size_of_forest", "size_of_histograms", "size_of_tree"]

_USUAL_SHARE = (0.5, 0.8)  # of distinct rows in a bootstrap sample: 0.63 on average
_MOST_ROWS = 2**53


@dataclass(frozen=True, slots=True)
class Sizes:
    """The numbers of rows that a training table can have had.

    >>> sizes = Sizes((range(90, 91), range(100, 102)))
    >>> 101 in sizes, 95 in sizes, str(sizes)
    (True, False, '90 or 100 to 101')
    """

    found: tuple[range, ...]

    def __contains__(self, n_rows: int) -> bool:
        return any(n_rows in sizes for sizes in self.found)

    def __str__(self) -> str:
        ends = sorted({(sizes[0], sizes[-1]) for sizes in self.found})
        return " or ".join(f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in ends)


def _exactly(*sizes: int) -> Sizes:
    return Sizes(tuple(range(size, size + 1) for size in sizes))


def size_of_tree(root: int, weight: float) -> Sizes:
    """Return the size for a single tree, of whose root the rows and their weights are known.

    A tree that was taken out of a bootstrap forest counts distinct rows, and weighs as many as the forest was given.

    >>> str(size_of_tree(100, 100.0)), str(size_of_tree(100, 734.5)), str(size_of_tree(63, 100.0))
    ('100', '100', '63 or 100')
    """
    is_bootstrap = weight == math.floor(weight) and _USUAL_SHARE[0] < root / weight < _USUAL_SHARE[1]
    return _exactly(root, int(weight)) if is_bootstrap else _exactly(root)


def size_of_forest(model: Any, roots: Sequence[int], weights: Sequence[float]) -> Sizes | None:
    """Return the size for a forest, by the rows and weights of its roots; None if it does not tell."""
    if not getattr(model, "bootstrap", False):
        return _exactly(max(roots))
    told = getattr(model, "_n_samples", None)
    if told is None:
        found = _drawn_from(model, roots, weights)
        return None if found is None else _exactly(found)
    n_rows = operator.index(told)
    if n_rows < max(roots):
        raise bad_model("the forest stores that it was given fewer rows than one of its trees has")
    own = getattr(model, "_sample_weight", None)
    if own is not None:
        return _exactly(_with_weight(own, n_rows))
    drawn = getattr(model, "_n_samples_bootstrap", None)
    if hasattr(model, "_sample_weight") or all(weight == drawn for weight in weights):
        return _exactly(n_rows)
    return Sizes((range(max(roots), n_rows + 1),))  # weights of rows or classes: some may be zero


def _with_weight(weights: Any, n_rows: int) -> int:
    """Return how many rows have a weight."""
    found = np.asarray(weights, np.float64)
    if found.shape != (n_rows,):
        raise bad_model("the forest does not store one weight for every row that it was given")
    return int(np.count_nonzero(found))


def _drawn_from(model: Any, roots: Sequence[int], weights: Sequence[float]) -> int | None:
    """Return how many rows a bootstrap was drawn from: as many as it has, if it was not told otherwise.

    With weights of rows or classes the sum is another one; it then differs from tree to tree, is no whole number, or is
    out of proportion to the number of distinct rows.
    """
    if getattr(model, "max_samples", None) is not None or getattr(model, "class_weight", None) is not None:
        return None
    n_rows = weights[0]
    share = sum(roots) / len(roots) / n_rows if n_rows > 0 else 0.0
    is_plain = all(weight == n_rows for weight in weights) and n_rows == math.floor(n_rows)
    return int(n_rows) if is_plain and _USUAL_SHARE[0] < share < _USUAL_SHARE[1] else None


def size_of_boosting(model: Any, roots: Sequence[int]) -> Sizes | None:
    """Return the size for gradient boosting, by the rows of its roots; None if it does not tell.

    All trees have as many rows, unless some of those drawn have weight zero: then it does not tell.
    """
    subsample = float(getattr(model, "subsample", 1.0))
    stops_early = getattr(model, "n_iter_no_change", None) is not None
    held_back = getattr(model, "validation_fraction", None) if stops_early else None
    if subsample == 1.0 and held_back is None:
        return _exactly(max(roots))
    if len(set(roots)) > 1:
        return None

    def root_of(n_rows: int) -> int:
        left = n_rows - _validation_rows(n_rows, held_back)
        return left if subsample == 1.0 else max(1, int(subsample * left))

    return Sizes((_inverse(root_of, roots[0]),))


def size_of_histograms(model: Any, root: int) -> Sizes:
    """Return the size for histogram boosting, by the rows of its roots.

    Whether the validation part was held back or given beside the table is not stored, so there are two.
    """
    share = getattr(model, "validation_fraction", None)
    if not getattr(model, "do_early_stopping_", True) or share is None:
        return _exactly(root)
    whole = _inverse(lambda n_rows: n_rows - _validation_rows(n_rows, share), root)
    return Sizes((range(root, root + 1), whole))


def _validation_rows(n_rows: int, share: Any) -> int:
    """Return how many rows scikit-learn holds back: a number of them, or a share, rounded up.

    >>> _validation_rows(105, 0.1), _validation_rows(105, 20), _validation_rows(105, None)
    (11, 20, 0)
    """
    if share is None:
        return 0
    return math.ceil(share * n_rows) if isinstance(share, float | np.floating) else operator.index(share)


def _inverse(root_of: Callable[[int], int], root: int) -> range:
    """Return all numbers of rows that leave `root` rows to grow from; `root_of` never falls.

    >>> _inverse(lambda n_rows: int(0.3 * n_rows), 30)
    range(100, 104)
    """
    every = range(_MOST_ROWS + 1)
    first, end = (bisect.bisect_left(every, least, lo=1, key=root_of) for least in (root, root + 1))
    if not first < end <= _MOST_ROWS:
        raise bad_model("no table leaves the model as many rows as it stores")
    return range(first, end)
