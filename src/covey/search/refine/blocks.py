"""Blocks of neighbouring classes, each worked on by itself, on any number of cores: the result is the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, wait
from typing import TypeVar

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.pausing import heard, listening, threads_that_stop
from covey.search.loss_cut.estimator import tuple_labels
from covey.search.refine.ground import Ground, numbered

__all__ = ["Block", "blocks_of", "done_in_blocks", "on_cores"]

Block = tuple[Ground, IntVector]
"""Some rows and their classes, from 0 without gaps."""
_SECONDS = 0.1
"""How often people are told, and Ctrl-C is heard."""
Given = TypeVar("Given")
Made = TypeVar("Made")


def done_in_blocks(
    ground: Ground, labels: IntVector, work: Callable[[Block, int], IntVector], *, size: int, cores: int
) -> IntVector:
    """Return the classes of all rows after `work` has changed each block of `size` classes or more, by its number."""
    rows = blocks_of(ground, labels, size)
    whole: list[Block] = [(ground.of_rows(own), numbered(labels[own])) for own in rows]
    found = on_cores(lambda number: work(whole[number], number), range(len(whole)), cores)
    return joined(rows, found, len(labels))


def joined(rows: Sequence[IntVector], found: Sequence[IntVector], n_rows: int) -> IntVector:
    """Return the classes of all rows from those of each block, numbered through."""
    labels, n_classes = np.empty(n_rows, np.int64), 0
    for own, classes in zip(rows, found, strict=True):
        labels[own] = classes + n_classes
        n_classes += int(classes.max()) + 1
    return labels


def on_cores(work: Callable[[Given], Made], things: Sequence[Given], cores: int) -> list[Made]:
    """Return what `work` makes of each thing, in their order."""
    shares = [0.0] * len(things)  # how much of each is done

    def told(number: int) -> Made:
        with listening(lambda share: shares.__setitem__(number, share)):
            made = work(things[number])
        shares[number] = 1.0
        return made

    heard(0, len(things))  # all may be done before the first look below
    with threads_that_stop(min(cores, len(things))) as pool:
        running = [pool.submit(told, number) for number in range(len(things))]
        while (state := wait(running, _SECONDS, FIRST_EXCEPTION)).not_done:
            heard(int(sum(shares) * 1000), len(things) * 1000)
            for one in state.done:
                one.result()  # raises what has gone wrong, and so stops the others
        return [one.result() for one in running]


def blocks_of(ground: Ground, labels: IntVector, size: int) -> list[IntVector]:
    """Return the rows of each block: classes that begin with similar tuples are in one."""
    first = np.unique(labels, return_index=True)[1]
    if len(first) < 2 * size:
        return [np.arange(len(labels))]
    codes = ground.codes
    one_each = codes.without_rows(
        columns=np.ascontiguousarray(codes.columns[:, ground.tuples[first]]), counts=np.ones(len(first), np.int64)
    )
    block = tuple_labels(one_each, size, 0)[labels]
    order = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[order], np.arange(int(block.max()) + 2))
    return [order[begin:end] for begin, end in itertools.pairwise(starts)]
