"""Prices in whole numbers: then losses are added, multiplied and compared without rounding, and ties are ties.

Prices are rational: steps between two values over the steps of the domain, levels of a tree over its height, 0 or 1.
With a common denominator they are whole numbers; a float holds those up to 2**53 exactly.  So no search needs
other arithmetic: it is given codes whose positions are steps and whose weights are whole numbers.

Where the common denominator does not fit, the columns with the most steps are rounded to the finest grid that
fits, and so are columns without a common step (floats that are no decimals).  There differences of the order of 1e-15
of the greatest loss may decide; the decision is the same on every machine.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from covey.base.arrays import FloatVector
from covey.codes.codes import Codes
from covey.codes.prices import FLAT, ORDERED

__all__ = ["in_whole_prices"]

C = TypeVar("C", bound=Codes)

EXACT = 2**53
"""Floats hold all whole numbers up to this one."""
KNOWN = 2**25
"""A fraction with no greater denominator is told by the float nearest to it."""
MOST_STEPS = 2**46
"""Beyond so many steps every float is close to one."""
DIGITS = 6
"""Decimals are looked for up to so many digits after the point."""
FINE = 2.0**20
"""A price per step that is at least so many units may be rounded: it changes by less than a millionth."""


def in_whole_prices(codes: C, most_rows: int, *, squared: bool = False) -> C:
    """Return the codes with positions and weights in whole numbers, in proportion to the prices of `codes`.

    most_rows: the greatest number by which a sum over columns is multiplied.  All these sums, and their products with
    up to `most_rows` + 1, are exact.  Cost: some passes over the domains, none over the rows.
    squared: prices are squared before they are weighted, and numbers count as they are, not as shares of their
    domains (which `codes.widths` must tell).

    >>> import pyarrow as pa
    >>> from covey.codes.encoding import encode_frame
    >>> table = pa.table({"a": [0, 1, 3], "b": [0.2, 0.1, 0.3], "c": ["x", "y", "x"]})
    >>> thirds = in_whole_prices(encode_frame(table), 3)
    >>> thirds.positions.tolist(), thirds.weights.tolist()  # a sixth is the unit
    ([0.0, 1.0, 3.0, 3.0, 0.0, 1.0, 2.0, 2.0, 0.0], [2.0, 3.0, 6.0])
    """
    if not (codes.weights > 0).any():
        return codes
    parts = [_part(codes, j) for j in range(len(codes.kinds))]
    steps = [_steps(part, hint) for part, hint in zip(parts, _hints(codes), strict=True)]
    weights = [_simple(float(weight)) for weight in codes.weights]
    if squared and codes.widths is not None:
        weights = [weight * _decimal(float(width)) ** 2 for weight, width in zip(weights, codes.widths, strict=True)]
    ratios = _ratios(weights)
    power = 2 if squared else 1
    if sum(ratios) * (most_rows + 2) > EXACT // 4:  # no simple ratios: none of the columns can be exact
        shares = np.array([float(weight / max(weights)) for weight in weights])
        return _scaled(codes, parts, steps, power, shares, set(), 1, most_rows)
    exact = {j for j, found in enumerate(steps) if found is not None}
    common = _common(exact, steps, power, ratios)
    while common * sum(ratios) * (most_rows + 1) > EXACT:
        exact.remove(max(exact, key=lambda j: (steps[j] or 0, j)))
        common = _common(exact, steps, power, ratios)
    return _scaled(codes, parts, steps, power, np.array(ratios, np.float64), exact, common, most_rows)


def _part(codes: Codes, j: int) -> FloatVector:
    """Return the positions of one column: those of its codes and the width, the table of a tree, nothing."""
    size = int(codes.sizes[j])
    rows = max((size - 1).bit_length(), 1)
    length = 0 if codes.kinds[j] == FLAT else size + 1 if codes.kinds[j] == ORDERED else rows * size
    return codes.positions[codes.offsets[j] :][:length]


def _hints(codes: Codes) -> list[list[float]]:
    """Return for each column how many steps its domain may have, if its values are whole numbers or decimals."""
    if codes.widths is None:
        return [[] for _ in codes.kinds]
    return [[float(np.rint(width * 10.0**digits)) for digits in range(DIGITS + 1)] for width in codes.widths]


def _steps(part: FloatVector, hints: list[float]) -> int | None:
    """Return the least number of equal steps of the domain that all positions lie on, None if it is not known."""
    for hint in hints:
        if 1 <= hint <= MOST_STEPS and _lie_on(part[:64], hint) and _lie_on(part, hint):
            return int(hint) // int(np.gcd.reduce(np.rint(part * hint).astype(np.int64), initial=int(hint)))
    steps = 1
    while not _lie_on(part, steps):
        off = float(part[np.rint(part * steps) / steps != part][0])
        fraction = Fraction(off).limit_denominator(KNOWN)
        steps = math.lcm(steps, fraction.denominator)
        if float(fraction) != off or steps > KNOWN:
            return None
    return steps


def _lie_on(part: FloatVector, steps: float) -> bool:
    return bool((np.rint(part * steps) / steps == part).all())


def _ratios(weights: list[Fraction]) -> list[int]:
    """Return the least whole numbers in the ratio of the weights.

    >>> _ratios([Fraction(1, 10), Fraction(3, 10), Fraction(1, 3), Fraction(2, 3)])
    [3, 9, 10, 20]
    """
    unit = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * unit) for weight in weights]
    return [number // math.gcd(*whole) for number in whole]


def _simple(weight: float) -> Fraction:
    """Return the fraction that was written so: a simple one such as 1/3, else the decimal that is printed."""
    fraction = Fraction(weight).limit_denominator(1_000_000)
    return fraction if float(fraction) == weight else Fraction(repr(weight))


def _decimal(width: float) -> Fraction:
    """Return the width of a domain of decimals, which may have been rounded when its ends were subtracted."""
    rounded = Fraction(round(width * 10**DIGITS), 10**DIGITS)
    return rounded if abs(float(rounded) - width) <= 1e-12 * width else Fraction(width)


def _common(exact: set[int], steps: list[int | None], power: int, ratios: list[int]) -> int:
    """Return the least common denominator of the weighted prices of the columns `exact`."""
    return math.lcm(*(Fraction(ratios[j], (steps[j] or 1) ** power).denominator for j in exact))


def _scaled(
    codes: C,
    parts: list[FloatVector],
    steps: list[int | None],
    power: int,
    weights: FloatVector,
    exact: set[int],
    common: int,
    most_rows: int,
) -> C:
    """Return the codes with whole numbers; those of the columns not in `exact` are rounded, on as fine a grid as fits.

    common: units of a column of weight 1, or that number times a power of two.
    """
    unit = float(common)
    if len(exact) < len(parts):
        room = EXACT / (2.0 * (most_rows + 2) * float(weights.sum()) * common)
        unit *= 2.0 ** max(math.floor(math.log2(room)), 0)
    positions, factors = codes.positions.copy(), np.empty(len(parts))
    for j, part in enumerate(parts):
        whole = weights[j] * unit
        per_step = whole / (steps[j] or math.inf) ** power
        if j in exact or per_step >= FINE or codes.kinds[j] == FLAT:
            factors[j], width = np.rint(per_step), float(steps[j] or 1)
        else:
            factors[j], width = float(whole > 0), whole ** (1 / power)
        positions[codes.offsets[j] :][: len(part)] = np.rint(part * width)
    return replace(codes, positions=positions, weights=factors)
