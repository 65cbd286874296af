"""Neighbourhoods tried one after another, in blocks of classes on all cores, and moves between the turns."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from covey.base.arrays import IntVector
from covey.search.kernels.streams import draw
from covey.search.refine.blocks import Block, done_in_blocks
from covey.search.refine.ground import Ground, numbered
from covey.search.refine.met import nothing_met

__all__ = ["moved", "refined"]

BLOCK = 1_024
"""So many classes are refined together at least, by one core."""
MOVES_BLOCK = 32_768
"""Moves look at all classes, or at so many at least: rows of a dissolved class go far."""
TURNS = 2
"""The tries are made in so many turns, each with other blocks."""


def refined(
    ground: Ground, labels: IntVector, tries: Fraction, seed: int, *, cores: int, block: int = BLOCK
) -> Iterator[IntVector]:
    """Yield ever better classes: after moves, then after each turn of the tries; so many for each class in all."""
    found = moved(ground, numbered(labels), cores=cores)
    yield found
    keys = np.random.SeedSequence(seed).generate_state(TURNS, np.uint64) if tries else ()
    for turn, key in enumerate(keys):
        if ground.is_over:
            break

        def work(part: Block, number: int, key: np.uint64 = key) -> IntVector:
            own, classes = part
            return own.tried(classes, tries / TURNS, np.uint64(draw(key, number)), nothing_met())

        found = done_in_blocks(ground, found, work, size=block + turn * block // 2, cores=cores)
        found = moved(ground, found, cores=cores)
        yield found


def moved(ground: Ground, labels: IntVector, *, cores: int) -> IntVector:
    """Return the classes after moves and dissolves, in blocks where there are very many."""
    return done_in_blocks(ground, labels, lambda part, _: part[0].settled(part[1]), size=MOVES_BLOCK, cores=cores)
