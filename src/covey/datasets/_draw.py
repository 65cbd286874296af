"""Drawing columns of labels for the synthetic tables, vectorised."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from covey.base.arrays import FloatVector, IntVector
from covey.base.checks import at_least, require

__all__ = ["check_size", "draw", "labelled"]


def check_size(n: int, seed: int) -> None:
    """Raise `InputError` unless both are whole numbers of 0 or more."""
    for name, value in (("n", n), ("seed", seed)):
        require(at_least(0), name, value, f"give {name}=1000")


def draw(random: np.random.Generator, shares: FloatVector, kind: IntVector) -> IntVector:
    """Return one value number per row, drawn by the shares (kinds, values) of the row's kind.

    The cumulated shares of kind i lie in i..i+1, so that one search over all of them serves every row.
    """
    kinds, values = shares.shape
    steps = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1) + np.arange(kinds)[:, None]
    steps[:, -1] = np.arange(1, kinds + 1)
    found = np.searchsorted(steps.ravel(), kind + random.random(len(kind)), side="right")
    return np.asarray(np.minimum(found - kind * values, values - 1))  # kind + 0.999... may round up


def labelled(numbers: IntVector, labels: Sequence[str]) -> pa.DictionaryArray:
    """Return the labels with these numbers, as a dictionary column."""
    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int8)), pa.array(labels))
