"""Nested regions: each cut divides one region by which of two centres is nearer; which regions a public tuple reaches.

The rooms of a region say, for every public tuple that reaches it, where its private values can be.  A cut asks which
of its two sides can be reached from there: surely, surely not, or not decided by float64, in which case the question
is settled exactly (`programs.meet`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from covey.base.arrays import BoolVector, FloatMatrix, IntMatrix, IntVector
from covey.mining.centres.nearness import Comparisons, Line, Nearness
from covey.mining.centres.private import every_combination, line_and_others
from covey.mining.centres.programs import answered_alike, meet

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

Cut = FloatMatrix
"""(2, p): two centres; a point goes to the nearer one, to the first if they are as near."""

Sides = IntMatrix
"""(2, rows) int8: which sides of a cut each of a region's public tuples can reach: 1 yes, 0 no, -1 open."""


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """What lies on given sides of some cuts, and the public tuples that reach it."""

    path: tuple[tuple[Cut, int], ...]
    """The cuts above it, each with the side (0 or 1)."""
    rows: IntVector
    """The public tuples that reach it."""
    room: _PointRoom | _LineRoom


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
        private = self.nearness.private
        # stretches of a range are kept, else of the longest list if not all points can be listed
        is_long = math.prod(a.n_values for a in private) > FEW_POINTS
        line, others = line_and_others(private, 0 if is_long else math.inf)
        n_points = math.prod(a.n_values for a in others)
        is_few = n_points <= MOST_POINTS and n_points * len(rows) <= MOST_CELLS
        places, points = every_combination(others) if is_few else (self.nearness.places, self.likely[:MOST_POINTS])
        if is_few and line is not None:
            return Region((), rows, _LineRoom.whole(Line.of(line), places, points, len(rows)))
        return Region((), rows, _PointRoom(points, np.ones((len(rows), len(points)), np.int8), is_few))

    def sides(self, region: Region, cut: Cut) -> Sides:
        """Return which sides each of the region's tuples can reach, as far as float64 can tell."""
        pair = self.nearness.with_centres(cut)
        sides = region.room.sides(pair, pair.public_part(self.known[region.rows]))
        # the region itself is reached, so where one side cannot be, the other can
        sides[1, sides[0] == NO] = YES
        sides[0, sides[1] == NO] = YES
        return sides

    def settle(self, region: Region, cut: Cut, sides: Sides, place: int) -> int:
        """Settle what is open for one of the region's tuples, and what follows for others; return the programs run."""
        programs = 0
        for side in (0, 1):
            mine, other = sides[side], sides[1 - side]
            if mine[place] != OPEN:
                continue
            comparisons = self._comparisons((*region.path, (cut, side)))
            row = region.rows[place]
            answer = meet(comparisons, self.known[row], comparisons.nearness.public_part(self.known[[row]])[0])
            programs += 1
            mine[place] = YES if answer.holds else NO
            rest = np.flatnonzero(mine == OPEN)
            if len(rest) and answer.is_shown:
                part = comparisons.nearness.public_part(self.known[region.rows[rest]])
                mine[rest[answered_alike(comparisons, answer, part)]] = mine[place]
            other[mine == NO] = YES
        return programs

    def parts(self, region: Region, cut: Cut, sides: Sides) -> tuple[Region, Region]:
        """Return the two parts of a region; nothing may be open."""
        pair = self.nearness.with_centres(cut)
        part = pair.public_part(self.known[region.rows])
        found = []
        for side, reached in enumerate(sides):
            chosen = np.flatnonzero(reached == YES)
            room = region.room.part(pair, part, side, chosen)
            found.append(Region((*region.path, (cut, side)), region.rows[chosen], room))
        return found[0], found[1]

    def _comparisons(self, path: Sequence[tuple[Cut, int]]) -> Comparisons:
        centres = np.concatenate([cut for cut, _ in path])
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

    def sides(self, pair: Nearness, part: FloatMatrix) -> Sides:
        where = self._where(pair, part)
        answers = []
        for side in (0, 1):
            surely = ((self.inside == YES) & (where == side)).any(axis=1)
            if self.is_all:
                perhaps = ((self.inside != NO) & (where != 1 - side)).any(axis=1)
            else:
                nearer = Comparisons(pair, np.array([side]), np.array([1 - side]), np.array([False]))
                perhaps = ~nearer.refused(part)
            answers.append(_answer(surely, perhaps))
        return np.stack(answers)

    def part(self, pair: Nearness, part: FloatMatrix, side: int, chosen: IntVector) -> _PointRoom:
        where = self._where(pair, part[chosen])
        inside = self.inside[chosen].copy()
        inside[where == 1 - side] = NO
        inside[(inside == YES) & (where == OPEN)] = OPEN
        return _PointRoom(self.points, inside, self.is_all)

    def _where(self, pair: Nearness, part: FloatMatrix) -> IntVector:
        """Return (rows, points): the side on which each point lies, -1 if that is open."""
        one, two, rounding = _distances(pair, part, pair.private_part(self.points))
        with np.errstate(invalid="ignore"):
            return np.where(two - one > rounding, 0, np.where(one - two > rounding, 1, OPEN)).astype(np.int8)


def _distances(pair: Nearness, part: FloatMatrix, private: FloatMatrix) -> tuple[FloatMatrix, FloatMatrix, FloatMatrix]:
    """Return (rows, points): the squared distances to both centres, and how far their difference may be wrong."""
    with np.errstate(over="ignore", invalid="ignore"):
        one, two = (part[:, centre, None] + private[None, :, centre] for centre in (0, 1))
        return one, two, pair.share * (one + two) + pair.tiny


def _answer(surely: BoolVector, perhaps: BoolVector) -> IntVector:
    return np.where(surely, YES, np.where(perhaps, OPEN, NO)).astype(np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class _LineRoom:
    """Between which ends one private number lies, for each public tuple and each point of the other private attributes.

    Rounding leaves each end open within bounds: what lies between the inner ends surely belongs to the region, what
    lies beyond the outer ends surely does not.
    """

    line: Line
    places: IntVector
    """The coordinates of the points."""
    points: FloatMatrix
    low: FloatMatrix
    high: FloatMatrix
    """(2, rows, points): the inner ends, and the outer ones."""

    @classmethod
    def whole(cls, line: Line, places: IntVector, points: FloatMatrix, n_rows: int) -> _LineRoom:
        shape = (2, n_rows, len(points))
        return cls(line, places, points, np.full(shape, line.low), np.full(shape, line.high))

    def sides(self, pair: Nearness, part: FloatMatrix) -> Sides:
        return np.stack([self._cut_off(pair, part, side)._any() for side in (0, 1)])

    def part(self, pair: Nearness, part: FloatMatrix, side: int, chosen: IntVector) -> _LineRoom:
        mine = replace(self, low=self.low[:, chosen], high=self.high[:, chosen])
        return mine._cut_off(pair, part[chosen], side)

    def _cut_off(self, pair: Nearness, part: FloatMatrix, side: int) -> _LineRoom:
        """Return what is left on one side of a cut."""
        one, two, rounding = _distances(pair, part, pair.part(self.points, self.places))
        begin, end = float(pair.centres[0, self.line.place]), float(pair.centres[1, self.line.place])
        if begin == end:  # the number does not matter
            near, far = (one, two) if side == 0 else (two, one)
            with np.errstate(invalid="ignore"):
                stays = np.stack([far - near > rounding, ~(near - far > rounding)])
            return replace(self, low=np.where(stays, self.low, np.inf))
        twice = 2 * pair.weights[self.line.place] * (end - begin)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            shift = (two - one) / twice
            meets = begin / 2 + end / 2 + shift
            error = pair.share * (abs(begin) + abs(end) + np.abs(shift)) + rounding / abs(twice)
        lost = ~np.isfinite(meets) | ~np.isfinite(error)  # beyond float64: nothing is sure
        least, most = np.where(lost, -np.inf, meets - error), np.where(lost, np.inf, meets + error)
        if (side == 0) == (end > begin):
            return replace(self, high=np.minimum(self.high, np.stack([least, most])))
        return replace(self, low=np.maximum(self.low, np.stack([most, least])))

    def _any(self) -> IntVector:
        """Return whether any value is left for each row: 1 surely, 0 surely not, -1 open."""
        low, high, values = self.low, self.high, self.line.values
        if values is None:
            is_left = np.stack([low[0] < high[0], low[1] <= high[1]])
        elif self.line.is_whole:  # without a search, which takes most of the time where there are a million of them
            is_left = np.ceil(low) <= np.floor(high)
        else:
            is_left = np.searchsorted(values, low, "left") < np.searchsorted(values, high, "right")
        return _answer(is_left[0].any(axis=1), is_left[1].any(axis=1))
