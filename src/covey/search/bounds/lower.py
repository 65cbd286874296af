"""What no classes of k rows can lose less than, by how much effort is to be made.

- `fast`: the least extents of k rows around each row (`extents`).
- `balanced`: prices guessed from the classes of `Peel`, repaired once (`repair`); at least the least extents.
- `best`: these raised by rounds of the linear program (`program`), until they hardly rise, or `ROUNDS` of them; up to
  k = 5 with tolls.

Each is a fixed amount of work: the same table gives the same bound on any number of cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from covey.codes.boxes import suppressed_price
from covey.codes.codes import Codes
from covey.compiled.pausing import heard
from covey.search.bounds.branch import no_tolls
from covey.search.bounds.extents import least_extents
from covey.search.bounds.guess import shared_losses
from covey.search.bounds.program import Held, raised
from covey.search.bounds.repair import repaired
from covey.search.bounds.space import Space, space_of
from covey.search.demand import Demand
from covey.search.peel.estimator import Peel
from covey.search.task import Task

__all__ = ["Lower", "lower_bound"]

ROUNDS = 40
"""No more rounds of the program,"""
PATIENCE, RISE = 8, 1e-4
"""and none once so many together raise the bound by no more than this share of it,"""
LEAST_ROUNDS = 16
"""after so many: at first prices may stand still while the pool grows."""
MOST_K_FOR_TOLLS = 5
"""Classes of more rows have too many parts to look for those that are too dear with their tolls."""
Kind = Literal["least-extent", "prices", "program", "tolls"]


@dataclass(frozen=True, slots=True)
class Lower:
    """A lower bound on the loss of all partitions of a table into classes of k rows."""

    total_il: float
    """No partition has a lower Total-IL."""
    kind: Kind
    """How it was found."""


def lower_bound(codes: Codes, k: int, effort: str, *, may_suppress: bool = False, cores: int = 1) -> Lower:
    """Return what no classes of k rows can lose less than.

    may_suppress: rows may also be left out of all classes, each for the price of a suppressed row.
    """
    space = space_of(codes, k)
    cap = int(suppressed_price(codes) * space.units) * space.grain if may_suppress else None
    steps = _steps(space, codes, effort, cores)
    best, held = next(steps)
    losses = [_loss(held, space, cap)]
    for kind, held in steps:
        losses.append(_loss(held, space, cap))
        best = kind if losses[-1] > max(losses[:-1]) else best
        if effort == "best" and _stands_still(losses):
            break
    return Lower(max(losses), best)


def _steps(space: Space, codes: Codes, effort: str, cores: int) -> Iterator[tuple[Kind, Held]]:
    """Yield prices that hold, with how they were found."""
    least = least_extents(space)
    free = no_tolls(len(least)), np.zeros(0, np.int64)
    yield "least-extent", Held(least * space.grain, *free)
    if effort == "fast":
        return
    of_tuple = Peel(space.k).search(Task(codes.without_rows(tallies={}), Demand(space.k))).of_tuple
    assert of_tuple is not None
    labels = np.repeat(of_tuple, space.counts)
    guess = shared_losses(space, least, labels)
    if effort == "balanced":
        yield "prices", Held(repaired(space, guess, least, cores=cores).prices, *free)
        return
    rounds = raised(space, guess, least, labels, cores, with_tolls=space.k <= MOST_K_FOR_TOLLS)
    for done, held in zip(range(ROUNDS), rounds, strict=False):
        heard(done, ROUNDS)
        yield "tolls" if held.tolls.price.any() else "program" if done else "prices", held


def _loss(held: Held, space: Space, cap: int | None) -> float:
    """Return what prices come to as a loss, less the tolls that can be paid; no price counts more than the cap."""
    prices = held.prices if cap is None else np.minimum(held.prices, cap)
    return space.in_losses(replace(held, prices=prices).value(space.counts))


def _stands_still(losses: list[float]) -> bool:
    return len(losses) > LEAST_ROUNDS and losses[-1] - losses[-1 - PATIENCE] <= RISE * losses[-1]
