"""Prices as fractions, nothing rounded: what a tie is.

A position is the fraction v / D that the float nearest to it stands for, if D is below 2**25; a weight the simple
fraction, or else the decimal, that it is written as.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import lcm

ORDERED, FLAT, TREE = 0, 1, 2


@cache
def of_position(x: float) -> Fraction:
    """Return the fraction that a position was rounded from."""
    simple = Fraction(x).limit_denominator(2**25)
    return simple if float(simple) == x else Fraction(x)


@cache
def of_weight(x: float) -> Fraction:
    """Return the fraction that a weight is written as."""
    simple = Fraction(x).limit_denominator(1_000_000)
    return simple if float(simple) == x else Fraction(repr(x))


class Exact:
    """The columns of a table, whose weighted prices are whole multiples of 1 / `unit`, a number as long as needed."""

    def __init__(self, kinds, weights, parts, sizes, squared=False, widths=None):
        self.kinds = [int(kind) for kind in kinds]
        weights = [of_weight(float(weight)) for weight in weights]
        if widths is not None:
            weights = [weight * Fraction(str(width)) ** 2 for weight, width in zip(weights, widths, strict=True)]
        self.squared = squared
        used = [
            part if kind == ORDERED else part[: max(int(size) - 1, 0)]  # of a tree's table the gaps
            for kind, part, size in zip(kinds, parts, sizes, strict=True)
        ]
        places = [[of_position(float(x)) for x in part] for part in used]
        steps = [lcm(*(x.denominator for x in part)) for part in places]
        power = 2 if squared else 1
        per_step = [weight / step**power for weight, step in zip(weights, steps, strict=True)]
        self.unit = lcm(*(each.denominator for each in per_step))
        self.per_step = [int(each * self.unit) for each in per_step]
        self.steps = steps
        self.places = [[int(x * step) for x in part] for part, step in zip(places, steps, strict=True)]

    def price(self, j, lo, hi):
        """Return the weighted price of the interval [lo, hi] of column j, times `unit`."""
        if lo == hi:
            return 0
        if self.kinds[j] == FLAT:
            apart = self.steps[j]
        elif self.kinds[j] == ORDERED:
            apart = min(self.places[j][hi] - self.places[j][lo], self.steps[j])
        else:
            apart = max(self.places[j][lo:hi])
        return self.per_step[j] * (apart**2 if self.squared else apart)

    def extent(self, low, high):
        """Return the sum of the weighted prices of a box, times `unit`."""
        return sum(self.price(j, low[j], high[j]) for j in range(len(self.kinds)))
