"""At k = 2: all classes of two and three rows that an integer program may want, beside those that a search met."""

from __future__ import annotations

import numpy as np

from covey.base.arrays import FloatVector, IntVector
from covey.search.kernels.class_tree import point_values
from covey.search.polish.choice import Choices, prices
from covey.search.polish.pairs import NO_ROW, cheap_classes
from covey.search.refine.ground import Ground

__all__ = ["with_small_classes"]

SLACKS = (0.0, 0.0, 0.15)
"""What classes may lose beyond the prices of their rows, in columns of a row: in each turn of pricing and listing."""
LEAST_PRICE = 1.0
"""No row is worth less than minus this, in columns: else the prices of rows that are alike run away from each other."""
ROOM = 1 << 20
"""If there are so many, only those that lose half as much more are listed, and so on."""
MOST = 60_000
"""No more classes are added in a turn: those that lose least beyond the prices of their rows."""


def with_small_classes(ground: Ground, kind: IntVector, choices: Choices) -> Choices:
    """Return the choices and, where small classes can be listed, those that may be worth to be chosen."""
    unit, known, found = ground.usual_price, choices, choices
    for slack in SLACKS if ground.lists_small else ():
        price = None if ground.is_over else prices(kind, known, LEAST_PRICE * unit, ground.seconds_left)
        if price is None:
            break
        listed = _listed(ground, price, slack * unit)
        # those of earlier turns lose less than their rows are worth at last only if they are listed again
        known, found = Choices.joined([known, listed]), Choices.joined([choices, listed])
    return found


def _listed(ground: Ground, price: FloatVector, slack: float) -> Choices:
    """Return the small classes that lose little more than their rows are worth."""
    measure = ground.codes.measure
    points, counts = point_values(ground.codes.narrow, measure), np.bincount(ground.tuples)
    tuples, beyond, loss = cheap_classes(measure, points, counts, price, slack, ROOM)
    while len(beyond) == ROOM and slack > 0.0:
        slack = slack / 2.0 if slack > 1.0 else 0.0
        tuples, beyond, loss = cheap_classes(measure, points, counts, price, slack, ROOM)
    if len(beyond) > MOST:
        cheapest = np.sort(np.argpartition(beyond, MOST)[:MOST])
        tuples, loss = tuples[cheapest], loss[cheapest]
    is_row = tuples != NO_ROW
    return Choices(tuples[is_row].astype(np.int64), np.concatenate([[0], np.cumsum(is_row.sum(axis=1))]), loss)
