"""Blocks of neighbouring classes, each refined by itself, on several cores: the result does not depend on how many."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.codes import Codes
from covey.compiled.pausing import heard, threads_that_stop
from covey.search.loss_cut.estimator import tuple_labels

__all__ = ["Worker", "in_blocks"]

Worker = Callable[[IntVector, IntVector, int], IntVector]
"""From the tuples and the classes of some rows and the number of their block to better classes."""


def in_blocks(
    codes: Codes, row_tuple: IntVector, labels: IntVector, worker: Worker, *, size: int, cores: int
) -> IntVector:
    """Return the classes of all rows after each block of `size` classes or more was given to the worker alone.

    labels (n,): from 0 without gaps; row_tuple (n,): tuples of `codes`.
    """
    block = _block_of_class(codes, row_tuple, labels, size)[labels]
    order = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[order], np.arange(int(block.max(initial=-1)) + 2))
    rows = [order[begin:end] for begin, end in itertools.pairwise(starts)]

    def work(number: int) -> IntVector:
        own = rows[number]
        return worker(row_tuple[own], np.unique(labels[own], return_inverse=True)[1].reshape(-1), number)

    better, n_classes = np.empty_like(labels), 0
    with threads_that_stop(min(cores, len(rows))) as pool:
        for number, found in enumerate(pool.map(work, range(len(rows)))):
            heard(number, len(rows))
            better[rows[number]] = found + n_classes
            n_classes += int(found.max()) + 1
    return better


def _block_of_class(codes: Codes, row_tuple: IntVector, labels: IntVector, size: int) -> IntVector:
    """Return the block of each class, from 0: classes that begin with similar tuples are in one."""
    first = np.unique(labels, return_index=True)[1]
    if len(first) < 2 * size:
        return np.zeros(len(first), np.int64)
    whole = codes.without_rows(
        columns=np.ascontiguousarray(codes.columns[:, row_tuple[first]]), counts=np.ones(len(first), np.int64)
    )
    return tuple_labels(whole, size, 0)
