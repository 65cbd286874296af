"""Neighbourhoods made anew in turns that grow ever colder, in blocks of classes on all cores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from covey.base.arrays import IntVector
from covey.compiled.pausing import telling_within
from covey.search.kernels.streams import draw
from covey.search.refine.blocks import Block, done_in_blocks
from covey.search.refine.ground import Ground, Heat, numbered
from covey.search.refine.met import nothing_met

__all__ = ["block_size", "cooled", "moved", "refined"]

MOST_BLOCK = 512
"""Blocks have so many classes at least,"""
BLOCKS = 3
"""or a part of all, so that there is work for some cores, but no fewer than the ground says."""
MOVES_BLOCK = 32_768
"""Moves look at all classes, or at so many at least: rows of a dissolved class go far."""
LEAST_TURNS, MOST_TURNS = 2, 8
"""The tries are made in so many turns, each with other blocks,"""
TURN_TRIES = 8
"""and in more if there are so many tries for each class in one."""


def refined(ground: Ground, labels: IntVector, tries: Fraction, seed: int, *, cores: int) -> Iterator[IntVector]:
    """Yield ever better classes: after moves, then after each turn of the tries; so many for each class in all."""
    best = _settled(ground, numbered(labels), 0.0, cores)
    yield best
    turns = min(max(int(tries) // TURN_TRIES, LEAST_TURNS), MOST_TURNS) if tries else 0
    shares = np.linspace(1.0, 0.0, turns + 1).tolist()
    yield from _turns(ground, best, itertools.pairwise(shares), tries / max(turns, 1), seed, cores)


def cooled(ground: Ground, labels: IntVector, seconds: float, seed: int, *, cores: int) -> Iterator[IntVector]:
    """Yield ever better classes for so many seconds, by the clock."""
    yield from _turns(ground, labels, _shares_left(ground, seconds), Fraction(TURN_TRIES), seed, cores)


def _settled(ground: Ground, labels: IntVector, share: float, cores: int) -> IntVector:
    """Return the classes after moves and dissolves; so much of all is done."""
    with telling_within(share, share):
        return moved(ground, labels, cores=cores)


def _shares_left(ground: Ground, seconds: float) -> Iterator[Heat]:
    """Yield which share of the time is left before and, if it takes as long as the last turn, after the next turn."""
    end = ground.seconds_left - seconds
    last = before = 1.0
    while before > 0.0:
        after = max(2.0 * before - last, 0.0)
        yield before, after
        last, before = before, (ground.seconds_left - end) / seconds


def _turns(
    ground: Ground, labels: IntVector, heats: Iterator[Heat], tries: Fraction, seed: int, cores: int
) -> Iterator[IntVector]:
    """Yield the best classes so far after each turn that found better ones; so many tries for each class in a turn."""
    found, lost = labels, ground.losses(labels).sum()
    for turn, heat in enumerate(heats):
        if ground.is_over or lost == 0.0 or not ground.makes_neighbourhoods:
            break
        key = np.uint64(np.random.SeedSequence([seed, turn]).generate_state(1, np.uint64)[0])

        def work(part: Block, number: int, key: np.uint64 = key, heat: Heat = heat) -> IntVector:
            own, classes = part
            return own.tried(classes, tries, np.uint64(draw(key, number)), nothing_met(), heat)

        with telling_within(1.0 - heat[0], 1.0 - heat[1]):
            found = done_in_blocks(ground, found, work, size=block_size(ground, found, turn), cores=cores)
        if heat[1] == 0.0:
            found = _settled(ground, found, 1.0, cores)
        after = ground.losses(found).sum()
        if after < lost:
            lost = after
            yield found


def block_size(ground: Ground, labels: IntVector, turn: int, most: int = MOST_BLOCK) -> int:
    """Return how many classes a block has at least; it differs from turn to turn, so that other classes meet."""
    size = min(max((int(labels.max()) + 1) // BLOCKS, ground.least_block), most)
    return size - turn % BLOCKS * size // (2 * BLOCKS)


def moved(ground: Ground, labels: IntVector, *, cores: int) -> IntVector:
    """Return the classes after moves and dissolves, in blocks where there are very many."""
    return done_in_blocks(ground, labels, lambda part, _: part[0].settled(part[1]), size=MOVES_BLOCK, cores=cores)
