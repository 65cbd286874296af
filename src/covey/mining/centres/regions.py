"""Nested regions: each cut divides one region by which of two centres is nearer; which regions a public tuple reaches.

The rooms of a region say, for every public tuple that reaches it, where its private values can be.  A cut asks which
of its two sides can be reached from there: surely, surely not, or not decided by float64, in which case the question
is settled exactly (`programs.meet`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from covey.base.arrays import BoolVector, FloatMatrix, FloatVector, IntVector
from covey.mining.centres.nearness import Comparisons, Line, Nearness
from covey.mining.centres.private import Interval, PrivateAttribute, Values
from covey.mining.centres.programs import also_met, also_refused, meet

__all__ = ["Cut", "Region", "Regions", "Sides"]

MOST_POINTS = 256
"""So many private points, beside one number, are looked at one by one; above that programs decide."""
MOST_PROGRAMS = 200
"""A cut that needs more linear programs than this is left undecided."""

FEW_POINTS = 32
"""Up to so many combinations of listed values no stretches are kept."""
MOST_CELLS = 4_000_000
"""Most public tuples times private points that are looked at."""

YES, NO, OPEN = 1, 0, -1


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Two centres; a point goes to the nearer one, to the first if they are as near."""

    first: FloatVector
    second: FloatVector


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """What lies on given sides of some cuts, and the public tuples that reach it."""

    path: tuple[tuple[Cut, int], ...]
    """The cuts above it, each with the side (0 or 1)."""
    rows: IntVector
    """The public tuples that reach it."""
    room: _PointRoom | _LineRoom


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Which sides of a cut each of a region's public tuples can reach: 1 yes, 0 no, -1 open."""

    first: IntVector
    second: IntVector


class Regions:
    """Regions over one set of public tuples; known (m, public coordinates)."""

    def __init__(self, nearness: Nearness, known: FloatMatrix, likely: FloatMatrix) -> None:
        """Prepare; likely: private points to look at first where they cannot all be listed."""
        self.nearness = nearness
        self.known = known
        self.likely = likely

    def whole(self) -> Region:
        """Return the region that is everything."""
        rows = np.arange(len(self.known))
        line, others = _line_and_others(self.nearness.private)
        n_points = float(np.prod([len(a.domain.points) if isinstance(a.domain, Values) else np.inf for a in others]))
        is_few = n_points <= MOST_POINTS and n_points * len(rows) <= MOST_CELLS
        if not is_few:
            points = self.likely[:MOST_POINTS]
            return Region((), rows, _PointRoom(points, np.ones((len(rows), len(points)), np.int8), False))
        every = itertools.product(*[a.domain.points for a in others if isinstance(a.domain, Values)])
        points = np.array([np.concatenate([np.zeros(0), *chosen]) for chosen in every])
        if line is None:
            return Region((), rows, _PointRoom(points, np.ones((len(rows), len(points)), np.int8), True))
        places = np.array([place for a in others for place in a.places], np.int64)
        return Region((), rows, _LineRoom.whole(Line.of(line), places, points, len(rows)))

    def sides(self, region: Region, cut: Cut) -> Sides:
        """Return which sides each of the region's tuples can reach, as far as float64 can tell."""
        pair = self._pair(cut)
        first, second = region.room.sides(pair, pair.public_part(self.known[region.rows]))
        # the region itself is reached, so where one side cannot be, the other can
        second = np.where(first == NO, YES, second)
        first = np.where(second == NO, YES, first)
        return Sides(first, second)

    def settle(self, region: Region, cut: Cut, sides: Sides, place: int) -> int:
        """Settle what is open for one of the region's tuples, and what follows for others; return the programs run."""
        programs = 0
        for side, mine, other in ((0, sides.first, sides.second), (1, sides.second, sides.first)):
            if mine[place] != OPEN:
                continue
            comparisons = self._comparisons((*region.path, (cut, side)))
            row = region.rows[place]
            answer = meet(comparisons, self.known[row], comparisons.nearness.public_part(self.known[[row]])[0])
            programs += 1
            mine[place] = YES if answer.holds else NO
            rest = np.flatnonzero(mine == OPEN)
            if len(rest) and (answer.point is not None or answer.refusals):
                part = comparisons.nearness.public_part(self.known[region.rows[rest]])
                if answer.point is not None:
                    mine[rest[also_met(comparisons, answer.point, part)]] = YES
                else:
                    mine[rest[also_refused(comparisons, answer.refusals, part)]] = NO
            other[mine == NO] = YES
        return programs

    def parts(self, region: Region, cut: Cut, sides: Sides) -> tuple[Region, Region]:
        """Return the two parts of a region; nothing may be open."""
        pair = self._pair(cut)
        part = pair.public_part(self.known[region.rows])
        found = []
        for side, reached in enumerate((sides.first, sides.second)):
            chosen = np.flatnonzero(reached == YES)
            room = region.room.part(pair, part, side, chosen)
            found.append(Region((*region.path, (cut, side)), region.rows[chosen], room))
        return found[0], found[1]

    def _pair(self, cut: Cut) -> Nearness:
        return self.nearness.with_centres(np.stack([cut.first, cut.second]))

    def _comparisons(self, path: Sequence[tuple[Cut, int]]) -> Comparisons:
        centres = np.stack([centre for cut, _ in path for centre in (cut.first, cut.second)])
        side = np.array([side for _, side in path], np.int64)
        first = 2 * np.arange(len(path)) + side
        second = 2 * np.arange(len(path)) + 1 - side
        return Comparisons(self.nearness.with_centres(centres), first, second, side == 1)


@dataclass(frozen=True, slots=True, eq=False)
class _PointRoom:
    """Private points, and for each public tuple which of them lie in the region."""

    points: FloatMatrix
    inside: IntVector
    """(rows, points) int8: 1 yes, 0 no, -1 open."""
    is_all: bool
    """Whether there are no other private points."""

    def sides(self, pair: Nearness, part: FloatMatrix) -> tuple[IntVector, IntVector]:
        where = self._where(pair, part)
        answers = []
        for side in (0, 1):
            surely = ((self.inside == YES) & (where == side)).any(axis=1)
            perhaps = ((self.inside != NO) & (where != 1 - side)).any(axis=1)
            if not self.is_all:
                perhaps = np.ones(len(perhaps), bool)
            answers.append(np.where(surely, YES, np.where(perhaps, OPEN, NO)).astype(np.int8))
        if not self.is_all:
            never = self._never(pair, part)
            answers[0][never == 0] = NO
            answers[1][never == 1] = NO
        return answers[0], answers[1]

    def part(self, pair: Nearness, part: FloatMatrix, side: int, chosen: IntVector) -> _PointRoom:
        where = self._where(pair, part[chosen])
        inside = self.inside[chosen].copy()
        inside[where == 1 - side] = NO
        inside[(inside == YES) & (where == OPEN)] = OPEN
        return _PointRoom(self.points, inside, self.is_all)

    def _where(self, pair: Nearness, part: FloatMatrix) -> IntVector:
        """Return (rows, points): the side on which each point lies, -1 if that is open."""
        private = pair.private_part(self.points)
        one = part[:, 0, None] + private[None, :, 0]
        two = part[:, 1, None] + private[None, :, 1]
        with np.errstate(invalid="ignore"):
            rounding = pair.share * (one + two) + pair.tiny
            return np.where(two - one > rounding, 0, np.where(one - two > rounding, 1, OPEN)).astype(np.int8)

    def _never(self, pair: Nearness, part: FloatMatrix) -> IntVector:
        """Return the side that no private point at all can be on, -1 where there is none such for certain."""
        found = np.full(len(part), OPEN, np.int8)
        for side in (0, 1):
            against = Comparisons(pair, np.array([side]), np.array([1 - side]), np.array([False]))
            base, rounding = against.base(part)
            with np.errstate(invalid="ignore"):
                found[(base + against.lower > rounding)[:, 0]] = side
        return found


def _line_and_others(
    private: Sequence[PrivateAttribute],
) -> tuple[PrivateAttribute | None, list[PrivateAttribute]]:
    """Return the number whose stretches are kept (a range, else the longest list if not all can be listed)."""
    ranges = [a for a in private if isinstance(a.domain, Interval)]
    numbers = [(len(a.domain.points), a) for a in private if isinstance(a.domain, Values) and len(a.places) == 1]
    n_points = np.prod([float(len(a.domain.points)) for a in private if isinstance(a.domain, Values)])
    line = None
    if ranges:
        line = ranges[0]
    elif numbers and n_points > FEW_POINTS:
        line = max(numbers, key=lambda pair: pair[0])[1]
    return line, [a for a in private if a is not line]


@dataclass(frozen=True, slots=True, eq=False)
class _LineRoom:
    """Between which ends one private number lies, for each public tuple and each point of the other private attributes.

    Rounding leaves each end open within bounds: what lies between the inner ends surely belongs to the region, what
    lies beyond the outer ends surely does not.  All ends are (rows, points).
    """

    line: Line
    places: IntVector
    """The coordinates of the points."""
    points: FloatMatrix
    inner_low: FloatMatrix
    outer_low: FloatMatrix
    inner_high: FloatMatrix
    outer_high: FloatMatrix

    @classmethod
    def whole(cls, line: Line, places: IntVector, points: FloatMatrix, n_rows: int) -> _LineRoom:
        least, most = np.full((n_rows, len(points)), line.low), np.full((n_rows, len(points)), line.high)
        return cls(line, places, points, least, least, most, most)

    def sides(self, pair: Nearness, part: FloatMatrix) -> tuple[IntVector, IntVector]:
        first, second = (self._cut_off(pair, part, side)._any() for side in (0, 1))
        return first, second

    def part(self, pair: Nearness, part: FloatMatrix, side: int, chosen: IntVector) -> _LineRoom:
        ends = [end[chosen] for end in (self.inner_low, self.outer_low, self.inner_high, self.outer_high)]
        return _LineRoom(self.line, self.places, self.points, *ends)._cut_off(pair, part[chosen], side)

    def _cut_off(self, pair: Nearness, part: FloatMatrix, side: int) -> _LineRoom:
        """Return what is left on one side of a cut."""
        private = pair.part(self.points, self.places)
        one, two = part[:, 0, None] + private[None, :, 0], part[:, 1, None] + private[None, :, 1]
        with np.errstate(over="ignore", invalid="ignore"):
            rounding = pair.share * (one + two) + pair.tiny
        begin, end = float(pair.centres[0, self.line.place]), float(pair.centres[1, self.line.place])
        if begin == end:  # the number does not matter
            near, far = (one, two) if side == 0 else (two, one)
            with np.errstate(invalid="ignore"):
                surely, never = far - near > rounding, near - far > rounding
            inner_low = np.where(surely, self.inner_low, np.inf)
            outer_low = np.where(never, np.inf, self.outer_low)
            return replace(self, inner_low=inner_low, outer_low=outer_low)
        twice = 2 * pair.weights[self.line.place] * (end - begin)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            shift = (two - one) / twice
            meets = begin / 2 + end / 2 + shift
            error = pair.share * (abs(begin) + abs(end) + np.abs(shift)) + rounding / abs(twice)
        lost = ~np.isfinite(meets) | ~np.isfinite(error)  # beyond float64: nothing is sure
        least, most = np.where(lost, -np.inf, meets - error), np.where(lost, np.inf, meets + error)
        if (side == 0) == (end > begin):
            inner_high, outer_high = np.minimum(self.inner_high, least), np.minimum(self.outer_high, most)
            return replace(self, inner_high=inner_high, outer_high=outer_high)
        inner_low, outer_low = np.maximum(self.inner_low, most), np.maximum(self.outer_low, least)
        return replace(self, inner_low=inner_low, outer_low=outer_low)

    def _any(self) -> IntVector:
        """Return whether any value is left for each row: 1 surely, 0 surely not, -1 open."""
        if self.line.values is None:
            surely = self.inner_low < self.inner_high
            perhaps = self.outer_low <= self.outer_high
        else:
            surely = self._between(self.inner_low, self.inner_high)
            perhaps = self._between(self.outer_low, self.outer_high)
        return np.where(surely.any(axis=1), YES, np.where(perhaps.any(axis=1), OPEN, NO)).astype(np.int8)

    def _between(self, low: FloatMatrix, high: FloatMatrix) -> BoolVector:
        assert self.line.values is not None
        if self.line.is_whole:  # without a search, which takes most of the time where there are a million of them
            return np.asarray(np.ceil(low) <= np.floor(high), bool)
        return np.searchsorted(self.line.values, low, "left") < np.searchsorted(self.line.values, high, "right")
