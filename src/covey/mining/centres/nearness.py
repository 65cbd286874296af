"""Which of two centres a person is nearer to, as the private coordinates vary: never wrong by rounding.

Squared distances are sums of terms that are not negative, so a float64 sum is wrong by no more than a known share
of itself.  Where a difference is larger than that its sign is certain; where not, it is worked out again in
fractions, which are exact for the numbers as they are stored.  Ties go to the centre of the lowest number.

With the public coordinates known, the difference of two squared distances is linear in each private coordinate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from covey.base.arrays import BoolVector, FloatMatrix, FloatVector, IntVector
from covey.base.checks import bad_parameter
from covey.mining.centres.private import Interval, PrivateAttribute, Values

__all__ = ["Comparisons", "ExactComparison", "Line", "Nearness", "any_between", "exact_weights", "half_lines"]

TINY = 1e-280
"""Added to every bound on rounding (times the greatest weight), for squares that are too small for float64."""
LEAST_SCALE, MOST_SCALE = 1e-150, 1e150
"""By what coordinates may be divided: beyond that, weights are no float64 numbers of full precision."""

IntervalEnds = tuple[Fraction, bool, Fraction, bool]


def exact_weights(scale: Sequence[float]) -> tuple[Fraction, ...]:
    """Return the weight of each squared difference if coordinates are divided by `scale` first."""
    if not all(LEAST_SCALE <= float(divisor) <= MOST_SCALE for divisor in scale):
        raise bad_parameter(
            f"a coordinate is divided by a number that is not between {LEAST_SCALE} and {MOST_SCALE}",
            "give the numbers in another unit",
        )
    return tuple(1 / Fraction(float(divisor)) ** 2 for divisor in scale)


class Nearness:
    """Squared distances to centres, in parts: that of the public coordinates, and that of the private ones.

    centres (K, p); weights (p,): of each squared difference; public: places of the known coordinates;
    private: the other attributes.  Private points are vectors of the private coordinates, in the order of
    the attributes (`places`).
    """

    def __init__(
        self, centres: FloatMatrix, weights: Sequence[Fraction], public: IntVector, private: Sequence[PrivateAttribute]
    ) -> None:
        self.centres = np.asarray(centres, np.float64)
        self.exact_weights = tuple(weights)
        self.weights = np.array([float(weight) for weight in weights])
        self.public = np.asarray(public, np.int64)
        self.private = tuple(private)
        self.places = np.array([place for attribute in private for place in attribute.places], np.int64)
        self.lines = tuple(Line.of(attribute) for attribute in private if len(attribute.places) == 1)
        # per term: rounding of the weight, the difference (twice), the square and the product; then the sum
        self.share = 8 * (self.centres.shape[1] + 8) * 2.0**-53
        self.tiny = TINY * max(1.0, float(self.weights.max(initial=0.0)))

    @property
    def n_centres(self) -> int:
        """Return how many centres there are."""
        return len(self.centres)

    def with_centres(self, centres: FloatMatrix) -> Nearness:
        """Return the same coordinates with other centres."""
        found = copy(self)
        found.centres = np.asarray(centres, np.float64)
        return found

    def public_part(self, known: FloatMatrix) -> FloatMatrix:
        """Return (r, K): the squared distance in the public coordinates; known (r, number of them)."""
        return self.part(known, self.public)

    def private_part(self, points: FloatMatrix) -> FloatMatrix:
        """Return (m, K): the squared distance of private points in the private coordinates."""
        return self.part(points, self.places)

    def part(self, values: FloatMatrix, places: IntVector) -> FloatMatrix:
        """Return (r, K): the squared distance in some coordinates; values (r, number of them)."""
        total = np.zeros((len(values), self.n_centres))
        with np.errstate(over="ignore"):
            for column, place in enumerate(places.tolist()):
                total += self.weights[place] * (values[:, column, None] - self.centres[None, :, place]) ** 2
        return total

    def nearest(self, total: FloatMatrix) -> tuple[IntVector, BoolVector]:
        """Return the nearest centre of each row of squared distances, and whether that is certain."""
        first = total.argmin(axis=1)
        if self.n_centres == 1:
            return first, np.ones(len(total), bool)
        two = np.partition(total, 1, axis=1)[:, :2]
        with np.errstate(invalid="ignore"):
            sure = two[:, 1] - two[:, 0] > self.share * (two[:, 0] + two[:, 1]) + self.tiny
        return first, sure

    def in_doubt(self, total: FloatVector) -> list[int]:
        """Return the centres that may be nearest, given one row of squared distances."""
        least = float(total.min())
        if not math.isfinite(least):
            return list(range(self.n_centres))
        with np.errstate(invalid="ignore"):
            return np.flatnonzero(~(total - least > self.share * (total + least) + self.tiny)).tolist()

    def exact_distance(self, centre: int, places: IntVector, values: FloatVector) -> Fraction:
        """Return the squared distance of some coordinates to a centre, exactly."""
        total = Fraction(0)
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            total += self.exact_weights[place] * (Fraction(value) - Fraction(float(self.centres[centre, place]))) ** 2
        return total

    def exact_nearest(self, known: FloatVector, point: FloatVector, among: Sequence[int]) -> int:
        """Return the nearest centre of one full point among some; ties to the lowest number."""
        places = np.concatenate([self.public, self.places])
        values = np.concatenate([known, point])
        return min(among, key=lambda centre: (self.exact_distance(centre, places, values), centre))

    def nearest_of_points(self, known: FloatMatrix, points: FloatMatrix) -> IntVector:
        """Return the nearest centre of every row, exactly; known (r, public), points (r, private)."""
        total = self.public_part(known) + self.private_part(points)
        first, sure = self.nearest(total)
        for row in np.flatnonzero(~sure).tolist():
            first[row] = self.exact_nearest(known[row], points[row], self.in_doubt(total[row]))
        return first


@dataclass(frozen=True, slots=True)
class ExactComparison:
    """One comparison in fractions, for one public tuple: base + terms of the private part <= 0 (< 0 if strict)."""

    base: Fraction
    """What the known coordinates add."""
    first: int
    second: int
    strict: bool


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A private attribute of one coordinate: every number between two ends, or some values between them."""

    place: int
    low: float
    high: float
    values: FloatVector | None
    """In order; None for every number."""
    is_whole: bool = False
    """Whether the values are all whole numbers between the ends."""

    @classmethod
    def of(cls, attribute: PrivateAttribute) -> Line:
        """Return the line of an attribute that has one coordinate."""
        place = attribute.places[0]
        if isinstance(attribute.domain, Interval):
            low, high = attribute.domain.low, attribute.domain.high
            return cls(place, low, high, None if low < high else np.array([low]))
        values = np.unique(attribute.domain.points[:, 0])
        is_whole = bool((values == np.floor(values)).all()) and float(values[-1] - values[0]) == len(values) - 1
        return cls(place, float(values[0]), float(values[-1]), values, is_whole)

    @property
    def middle(self) -> float:
        """Return the number half way between the ends."""
        return self.low / 2 + self.high / 2

    @property
    def half(self) -> float:
        """Return how far the ends are from the middle."""
        return max(self.middle - self.low, self.high - self.middle)


class Comparisons:
    """Conditions "nearer to centre `first` than to centre `second`", all at once, over the private attributes.

    Each is `base + constant + slope . u + sum of table entries <= 0`, where `base` is the difference of the public
    parts, u in -1..1 runs along the lines (attributes of one coordinate), and one entry of each table is chosen per
    list (attributes of several coordinates).

    first, second (C,): centres; strict (C,): whether a tie does not count (that is, where second has the lower number).
    """

    def __init__(self, nearness: Nearness, first: IntVector, second: IntVector, strict: BoolVector) -> None:
        self.nearness = nearness
        self.first = np.asarray(first, np.int64)
        self.second = np.asarray(second, np.int64)
        self.strict = np.asarray(strict, bool)
        self.lines = nearness.lines
        self.lists = [a for a in nearness.private if len(a.places) > 1]
        size = len(self.first)
        self.constant = np.zeros(size)
        self.slope = np.zeros((size, len(self.lines)))
        self.rounding = np.full(size, nearness.tiny)
        self.tables: list[FloatMatrix] = []
        with np.errstate(over="ignore", invalid="ignore"):
            for i, line in enumerate(self.lines):
                self._add_line(i, line)
            for attribute in self.lists:
                self._add_list(attribute)
            self.lower = self.constant - np.abs(self.slope).sum(axis=1)
            for table in self.tables:
                self.lower = self.lower + table.min(axis=0)
        self.rounding[~np.isfinite(self.lower)] = np.inf  # beyond float64: nothing is sure

    def _add_line(self, i: int, line: Line) -> None:
        weight = self.nearness.weights[line.place]
        one, two = self.nearness.centres[self.first, line.place], self.nearness.centres[self.second, line.place]
        # w (y - one)^2 - w (y - two)^2 with y = middle + half u
        self.constant += weight * (two - one) * ((line.middle - one) + (line.middle - two))
        self.slope[:, i] = 2 * weight * (two - one) * line.half
        reach = (np.abs(line.middle - one) + line.half) ** 2 + (np.abs(line.middle - two) + line.half) ** 2
        self.rounding += 4 * self.nearness.share * weight * reach

    def _add_list(self, attribute: PrivateAttribute) -> None:
        assert isinstance(attribute.domain, Values)
        part = self.nearness.part(attribute.domain.points, np.array(attribute.places, np.int64))
        self.tables.append(part[:, self.first] - part[:, self.second])
        self.rounding += self.nearness.share * (part[:, self.first] + part[:, self.second]).max(axis=0)

    def base(self, part: FloatMatrix) -> tuple[FloatMatrix, FloatMatrix]:
        """Return (r, C): the difference of the public parts, and how far any sum with it may be wrong."""
        one, two = part[:, self.first], part[:, self.second]
        with np.errstate(invalid="ignore"):
            return one - two, self.nearness.share * (one + two) + 2 * self.rounding

    def refused(self, part: FloatMatrix) -> BoolVector:
        """Return the rows (public parts, (r, K)) for which one of the conditions surely fails, whatever is private."""
        base, rounding = self.base(part)
        with np.errstate(invalid="ignore"):
            return np.asarray((base + self.lower > rounding).any(axis=1), bool)

    def exact(self, known: FloatVector) -> list[ExactComparison]:
        """Return the comparisons for one public tuple, in fractions."""
        near = self.nearness
        distance = {
            centre: near.exact_distance(centre, near.public, known)
            for centre in {*self.first.tolist(), *self.second.tolist()}
        }
        return [
            ExactComparison(distance[one] - distance[two], one, two, strict)
            for one, two, strict in zip(self.first.tolist(), self.second.tolist(), self.strict.tolist(), strict=True)
        ]

    def exact_entry(self, one: ExactComparison, places: Sequence[int], values: Sequence[float]) -> Fraction:
        """Return what private coordinates of known value add to a comparison, in fractions."""
        at, what = np.array(places, np.int64), np.array(values, np.float64)
        near = self.nearness
        return near.exact_distance(one.first, at, what) - near.exact_distance(one.second, at, what)

    def exact_line(self, one: ExactComparison, place: int) -> tuple[Fraction, Fraction]:
        """Return (slope, constant) of a comparison along one private coordinate, in fractions."""
        weight = self.nearness.exact_weights[place]
        a = Fraction(float(self.nearness.centres[one.first, place]))
        b = Fraction(float(self.nearness.centres[one.second, place]))
        return 2 * weight * (b - a), weight * (a * a - b * b)


def half_lines(lines: Sequence[tuple[Fraction, Fraction, bool]], low: float, high: float) -> IntervalEnds | None:
    """Return where slope * y + constant <= 0 (< 0 where strict) for all lines within low..high; None if nowhere.

    The answer is (least, whether it is left out, greatest, whether it is left out).
    """
    start, start_open, end, end_open = Fraction(low), False, Fraction(high), False
    for slope, constant, strict in lines:
        if slope == 0:
            if constant > 0 or (strict and constant == 0):
                return None
            continue
        at = -constant / slope
        if slope > 0 and (at < end or (at == end and strict)):
            end, end_open = at, strict
        elif slope < 0 and (at > start or (at == start and strict)):
            start, start_open = at, strict
    if start > end or (start == end and (start_open or end_open)):
        return None
    return start, start_open, end, end_open


def any_between(values: Any, ends: IntervalEnds) -> bool:
    """Return whether one of some sorted values lies between the ends."""
    start, start_open, end, end_open = ends
    # floats and fractions compare exactly; the nearest float of an end may be off by one place
    first = max(0, int(np.searchsorted(values, float(start))) - 1)
    for place in range(first, len(values)):
        value = float(values[place])
        if value > end or (end_open and value == end):
            return False
        if value > start or (not start_open and value == start):
            return True
    return False
