"""Rounds of search and choice: each block is searched twice, and the best of all classes met is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.pausing import telling_within
from covey.search.kernels.streams import draw
from covey.search.polish.choice import Choices, can_choose, chosen_labels
from covey.search.polish.small import with_small_classes
from covey.search.refine.blocks import Block, blocks_of, joined, on_cores
from covey.search.refine.ground import Ground, numbered
from covey.search.refine.met import Met, new_met, nothing_met
from covey.search.refine.search import block_size, moved

__all__ = ["polished"]

SEARCHES = 2
"""So many searches start from the same classes: what one finds completes what the other does."""
MOST_IDLE = 48
"""After so many rounds that gain nothing there is hardly anything left to gain."""
WARMER = 6
"""After so many that gain nothing the temperature of the next is twice as high, up to that of the search before."""
MOST_BLOCK = 1_280
"""Blocks have so many classes at least, or a third of all: a choice gains more than a search if more can be joined."""
SMALL_BLOCK = 2_048
"""So many classes at least are searched together where small classes are listed."""
TOGETHER = 16
"""So many blocks are searched before their classes are chosen, in the order of the blocks."""
MET = 48
"""For each class there is room for so many that are met."""


def polished(
    ground: Ground, labels: IntVector, rounds: int, tries: Fraction, seed: int, *, cores: int
) -> Iterator[IntVector]:
    """Yield ever better classes, after each of so many rounds (0: until it is over, or many gain nothing)."""
    found = numbered(labels)
    number, idle, lost, time_at_first = 0, 0, ground.losses(found).sum(), ground.seconds_left
    can_go_on = lost > 0.0 and ground.makes_neighbourhoods
    while can_go_on and (number < rounds if rounds else idle < MOST_IDLE) and not ground.is_over:
        heat = min(ground.again * 2.0 ** (idle / WARMER), 1.0)
        done = number / rounds if rounds else 1.0 - ground.seconds_left / time_at_first
        with telling_within(done, done):
            found = _round(ground, found, tries, heat, _key(seed, number), cores, _block_size(ground, found, number))
            found = moved(ground, found, cores=cores)
        number += 1
        before, lost = lost, ground.losses(found).sum()
        idle = idle + 1 if lost >= before else 0
        can_go_on = lost > 0.0
        yield found


def _block_size(ground: Ground, labels: IntVector, number: int) -> int:
    """Return how many classes a block of a round has at least."""
    size = block_size(ground, labels, number, MOST_BLOCK)
    return max(size, SMALL_BLOCK - number % 3 * SMALL_BLOCK // 6) if ground.lists_small else size


def _key(seed: int, number: int) -> np.uint64:
    return np.uint64(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def _round(
    ground: Ground, labels: IntVector, tries: Fraction, heat: float, key: np.uint64, cores: int, size: int
) -> IntVector:
    """Return the classes after two searches of every block, and the choice among what they met."""
    rows = blocks_of(ground, labels, size)
    of_item = np.zeros(int(ground.items.max()) + 1, np.int64)  # the kind of each item within its block
    found: list[IntVector] = []
    for begin in range(0, len(rows), TOGETHER):  # what some blocks met is let go before others are searched
        blocks = [(ground.of_rows(own), numbered(labels[own])) for own in rows[begin : begin + TOGETHER]]
        found += _searched_and_chosen(blocks, of_item, begin, tries, heat, key, cores)
    return joined(rows, found, len(labels))


def _searched_and_chosen(
    blocks: Sequence[Block], of_item: IntVector, first: int, tries: Fraction, heat: float, key: np.uint64, cores: int
) -> list[IntVector]:
    """Return the classes of some blocks, numbered from `first` on, after two searches of each and the choice."""
    for own, _ in blocks:
        of_item[own.items] = own.kinds()

    def searched(work: tuple[int, int]) -> tuple[IntVector, Met]:
        block, stream = work
        own, classes = blocks[block]
        met = new_met(of_item, MET * (int(classes.max()) + 1), 2 * own.k, own.tolerance(classes))
        stream_key = np.uint64(draw(key, (first + block) * SEARCHES + stream))
        return own.tried(classes, tries, stream_key, met, (heat, 0.0)), met

    works = [(block, stream) for block in range(len(blocks)) for stream in range(SEARCHES)]
    found = on_cores(searched, works, cores)

    def chosen(block: int) -> IntVector:
        own, classes = blocks[block]
        return _best_of(own, [(classes, nothing_met()), *found[block * SEARCHES : (block + 1) * SEARCHES]])

    return on_cores(chosen, range(len(blocks)), cores)


def _best_of(ground: Ground, searches: Sequence[tuple[IntVector, Met]]) -> IntVector:
    """Return the best classes of a block: those before, of one of the searches, or chosen from what all of them met."""
    kind = ground.kinds()
    whole = [_classes_of(ground, kind, found) for found, _ in searches]
    best = int(np.argmin([part.loss.sum() for part in whole]))
    met = [Choices(one.kinds, one.starts[: n + 1], one.loss[:n]) for _, one in searches for n in one.used.tolist()]
    first = sum(len(part.loss) for part in whole[:best])
    begin = first + np.arange(len(whole[best].loss))
    if not can_choose():
        return searches[best][0]
    choices = with_small_classes(ground, kind, Choices.joined([*whole, *met]))
    chosen = chosen_labels(kind, choices, begin, ground.seconds_left)
    return searches[best][0] if chosen is None else chosen


def _classes_of(ground: Ground, kind: IntVector, labels: IntVector) -> Choices:
    """Return the classes of a partition, in their order."""
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    return Choices(kind[order], starts, ground.losses(labels))
