"""What no classes of k rows can lose less than, by how much effort is to be made.

- `fast`: the least extents of k rows around each row (`extents`).
- `balanced`: prices guessed from the classes of `Peel`, repaired once (`repair`); at least the least extents.
- `best`: these raised by rounds of the linear program (`program`), until they hardly rise, or `ROUNDS` of them.

Each is a fixed amount of work: the same table gives the same bound on any number of cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from covey.base.arrays import IntVector
from covey.codes.boxes import suppressed_price
from covey.codes.codes import Codes
from covey.compiled.pausing import heard
from covey.search.bounds.extents import least_extents
from covey.search.bounds.guess import shared_losses
from covey.search.bounds.program import raised
from covey.search.bounds.repair import repaired
from covey.search.bounds.space import Space, space_of
from covey.search.demand import Demand
from covey.search.peel.estimator import Peel
from covey.search.task import Task

__all__ = ["Lower", "lower_bound"]

ROUNDS = 40
"""No more rounds of the program,"""
PATIENCE, RISE = 4, 1e-4
"""and none once so many together raise the bound by no more than this share of it,"""
LEAST_ROUNDS = 16
"""after so many: at first prices may stand still while the pool grows."""


@dataclass(frozen=True, slots=True)
class Lower:
    """A lower bound on the loss of all partitions of a table into classes of k rows."""

    total_il: float
    """No partition has a lower Total-IL."""
    kind: Literal["least-extent", "prices", "program"]
    """How it was found."""


def lower_bound(codes: Codes, k: int, effort: str, *, may_suppress: bool = False, cores: int = 1) -> Lower:
    """Return what no classes of k rows can lose less than.

    may_suppress: rows may also be left out of all classes, each for the price of a suppressed row.
    """
    space = space_of(codes, k)
    cap = int(suppressed_price(codes) * space.units) * space.grain if may_suppress else None
    steps = _steps(space, codes, effort, cores)
    kind, prices = next(steps)
    best, losses = kind, [_loss(space, prices, cap)]
    for kind, prices in steps:
        losses.append(_loss(space, prices, cap))
        best = kind if losses[-1] > max(losses[:-1]) else best
        if kind == "program" and _stands_still(losses):
            break
    return Lower(max(losses), best)


def _steps(
    space: Space, codes: Codes, effort: str, cores: int
) -> Iterator[tuple[Literal["least-extent", "prices", "program"], IntVector]]:
    """Yield prices that hold, in grains, with how they were found."""
    least = least_extents(space)
    yield "least-extent", least * space.grain
    if effort == "fast":
        return
    of_tuple = Peel(space.k).search(Task(codes.without_rows(tallies={}), Demand(space.k))).of_tuple
    assert of_tuple is not None
    labels = np.repeat(of_tuple, space.counts)
    guess = shared_losses(space, least, labels)
    if effort == "balanced":
        yield "prices", repaired(space, guess, least, cores=cores).prices
        return
    for done, prices in zip(range(ROUNDS), raised(space, guess, least, labels, cores), strict=False):
        heard(done, ROUNDS)
        yield ("program" if done else "prices"), prices


def _loss(space: Space, prices: IntVector, cap: int | None) -> float:
    """Return what prices come to as a loss; none counts more than the cap."""
    counted = prices if cap is None else np.minimum(prices, cap)
    return space.in_losses(int((counted * space.counts).sum()))


def _stands_still(losses: list[float]) -> bool:
    return len(losses) > LEAST_ROUNDS and losses[-1] - losses[-1 - PATIENCE] <= RISE * losses[-1]
