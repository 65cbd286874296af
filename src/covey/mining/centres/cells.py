"""Which cells of centres a public tuple reaches as its private values vary, exactly.

A cell is what lies nearest to one centre.  Three ways, by what is private:

- few combinations of listed values: each is tried;
- one number (a range or a list), beside few combinations of other lists: along it the squared distances, less what
  all share, are straight lines, and the walk along their lower envelope meets the cells in order;
- all else: cells are accepted by the centres moved into the domain and by its corners, refused if another centre is
  nearer everywhere, and linear programs decide what is left; what one shows is tried on all other tuples first.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from covey.base.arrays import BoolVector, FloatMatrix, FloatVector, IntVector
from covey.mining.centres.nearness import Comparisons, Line, Nearness, any_between, half_lines
from covey.mining.centres.private import Interval, PrivateAttribute, every_combination, line_and_others
from covey.mining.centres.programs import answered_alike, meet
from covey.mining.faults import too_large

__all__ = ["cells_reached"]

MOST_COMBINATIONS = 4096
"""More combinations of listed values are not tried one by one."""
MOST_STEPS = 4e10
"""Above so many (public tuples x combinations x centres) nothing is begun."""
_AT_ONCE = 4_000_000
_SHORT = 32  # longer lists of numbers are walked along
_MOST_CORNERS = 64


def cells_reached(nearness: Nearness, known: FloatMatrix) -> BoolVector:
    """Return (r, K): whether each public tuple reaches each centre's cell; known (r, public coordinates).

    A cell that wins only ties is reached where its number wins them.  Of equal centres only the first is reached.
    """
    _, first = np.unique(nearness.centres, axis=0, return_index=True)
    kept = np.sort(first)  # in their order, so that ties go the same way
    reached = np.zeros((len(known), nearness.n_centres), bool)
    reached[:, kept] = _reached(nearness.with_centres(nearness.centres[kept]), known)
    return reached


def _reached(nearness: Nearness, known: FloatMatrix) -> BoolVector:
    line, lists = line_and_others(nearness.private, _SHORT)
    n_combinations = math.prod(a.n_values for a in lists)
    if nearness.private and n_combinations > MOST_COMBINATIONS:
        return _by_programs(nearness, known)
    if len(known) * n_combinations * nearness.n_centres > MOST_STEPS:
        raise too_large(
            f"{len(known):,} public tuples, {n_combinations:,.0f} combinations of private values and "
            f"{nearness.n_centres:,} centres are too many to try",
            "audit a model with fewer centres, or call fewer attributes private",
        )
    return _by_combination(nearness, known, None if line is None else Line.of(line), lists)


def _chunks(n_rows: int, width: int) -> Iterator[slice]:
    step = max(1, _AT_ONCE // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, min(n_rows, start + step))


# --- few combinations ----------------------------------------------------------------------------------------------


def _by_combination(
    nearness: Nearness, known: FloatMatrix, line: Line | None, lists: list[PrivateAttribute]
) -> BoolVector:
    """Try every combination of listed values; beside a line, walk along it for each."""
    reached = np.zeros((len(known), nearness.n_centres), bool)
    places, combinations = every_combination(lists)
    for rows in _chunks(len(known), nearness.n_centres):
        here, mine = known[rows], reached[rows]
        public = nearness.public_part(here)
        for values in combinations:
            part = public + nearness.part(values[None, :], places)
            if line is not None:
                for row in _walk(nearness, part, line, mine).tolist():
                    fixed = np.concatenate([nearness.public, places]), np.concatenate([here[row], values])
                    _settle_line(nearness, fixed, part[row], line, mine[row])
                continue
            first, sure = nearness.nearest(part)
            mine[sure, first[sure]] = True
            for row in np.flatnonzero(~sure).tolist():
                among = nearness.in_doubt(part[row])
                if not mine[row, among].all():
                    mine[row, nearness.exact_nearest(here[row], values, among)] = True
    return reached


def _walk(nearness: Nearness, part: FloatMatrix, line: Line, reached: BoolVector) -> IntVector:
    """Mark the cells met along one number; return the rows where rounding leaves something open.

    part (r, K): what the other coordinates add to the squared distances.  As the number grows, the nearest centre's
    own number grows: from the nearest at the low end go on to the centre of a greater number that is met first.
    """
    weight, at = nearness.weights[line.place], nearness.centres[:, line.place]
    values, low, high = line.values, line.low, line.high
    with np.errstate(over="ignore"):
        total = part + weight * (low - at) ** 2
    current, sure = nearness.nearest(total)
    doubtful = ~sure
    rows = np.flatnonzero(sure)
    start = np.full(len(part), low)
    start_error = np.zeros(len(part))
    while len(rows):
        now = current[rows]
        ahead = at[None, :] - at[now, None]
        mine = part[rows, now][:, None]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lean = (part[rows] - mine) / (2 * weight * ahead)
            meets = (at[None, :] / 2 + at[now, None] / 2) + lean
            error = nearness.share * (np.abs(at)[None, :] + np.abs(at[now, None]) + np.abs(lean) + 1e-290)
            error += (nearness.share * (part[rows] + mine) + nearness.tiny) / (2 * weight * np.abs(ahead))
        open_ahead = ahead > 0
        meets[~open_ahead], error[~open_ahead] = np.inf, 0.0
        # numbers beyond float64 decide nothing
        lost = (~np.isfinite(meets) & open_ahead | ~np.isfinite(error)).any(axis=1)
        following = meets.argmin(axis=1)
        here = np.arange(len(rows))
        end, end_error = meets[here, following], error[here, following]
        with np.errstate(invalid="ignore"):
            others = meets - error
            others[here, following] = np.inf
            crowded = others.min(axis=1) <= end + end_error  # three cells may meet in one point
            goes_on = end + end_error < high
            ends = end - end_error > high
        unclear = lost | (~ends & (~goes_on | crowded))
        yes = ~unclear
        if values is not None:
            is_first = (start[rows] == low) & (start_error[rows] == 0)
            surely, perhaps = _any_within(
                values, start[rows], start_error[rows], end, end_error, is_first=is_first, is_last=ends
            )
            unclear |= perhaps & ~surely
            yes = ~unclear & surely
        reached[rows[yes], now[yes]] = True
        doubtful[rows[unclear]] = True
        on = ~unclear & goes_on
        start[rows[on]], start_error[rows[on]] = end[on], end_error[on]
        current[rows[on]] = following[on]
        rows = rows[on]
    return np.flatnonzero(doubtful)


def _any_within(
    values: FloatVector,
    start: FloatVector,
    start_error: FloatVector,
    end: FloatVector,
    end_error: FloatVector,
    *,
    is_first: BoolVector,
    is_last: BoolVector,
) -> tuple[BoolVector, BoolVector]:
    """Return where a value surely lies between, and where one perhaps does, as far as rounding tells.

    The walk begins on a value, which the first cell has for certain, and the high end itself belongs to the last one.
    """
    inner_begin = np.where(is_first, 0, np.searchsorted(values, start + start_error, "right"))
    outer_begin = np.where(is_first, 0, np.searchsorted(values, start - start_error, "left"))
    inner_end = np.where(is_last, len(values), np.searchsorted(values, end - end_error, "left"))
    outer_end = np.where(is_last, len(values), np.searchsorted(values, end + end_error, "right"))
    return inner_begin < inner_end, outer_begin < outer_end


def _settle_line(
    nearness: Nearness, fixed: tuple[IntVector, FloatVector], part: FloatVector, line: Line, reached: BoolVector
) -> None:
    """Mark the cells that one tuple meets along one number, in fractions."""
    place, values, low, high = line.place, line.values, line.low, line.high
    weight = nearness.exact_weights[place]
    candidates = [i for i in _possible(nearness, part, place, low, high) if not reached[i]]
    if not candidates:
        return
    every = range(nearness.n_centres)
    distance = [nearness.exact_distance(i, *fixed) for i in every]
    at = [type(weight)(float(nearness.centres[i, place])) for i in every]
    for i in candidates:
        lines = [
            (2 * weight * (at[j] - at[i]), distance[i] - distance[j] + weight * (at[i] ** 2 - at[j] ** 2), j < i)
            for j in every
            if j != i
        ]
        ends = half_lines(lines, low, high)
        if ends is not None and (values is None or any_between(values, ends)):
            reached[i] = True


def _possible(nearness: Nearness, part: FloatVector, place: int, low: float, high: float) -> list[int]:
    """Return the cells that no other centre beats at both ends of a number, and so everywhere between."""
    weight, at = nearness.weights[place], nearness.centres[:, place]
    found = []
    with np.errstate(over="ignore", invalid="ignore"):
        total = part + weight * (np.array([[low], [high]]) - at) ** 2
        for i in range(nearness.n_centres):
            mine = total[:, [i]]
            beaten = (mine - total > nearness.share * (mine + total) + nearness.tiny).all(axis=0)
            if not beaten.any():
                found.append(i)
    return found


# --- all else ------------------------------------------------------------------------------------------------------


def _by_programs(nearness: Nearness, known: FloatMatrix) -> BoolVector:
    public = nearness.public_part(known)
    reached = np.zeros((len(known), nearness.n_centres), bool)
    for point in _likely_points(nearness):
        first, sure = nearness.nearest(public + nearness.private_part(point[None, :]))
        reached[np.flatnonzero(sure), first[sure]] = True
    for i in range(nearness.n_centres):
        others = np.array([j for j in range(nearness.n_centres) if j != i], np.int64)
        against = Comparisons(nearness, np.full(len(others), i), others, others < i)
        rest = np.flatnonzero(~reached[:, i])
        rest = rest[~_dominated(against, public[rest])]
        while len(rest):
            row = int(rest[len(rest) // 2])
            answer = meet(against, known[row], public[row])
            alike = answered_alike(against, answer, public[rest]) | (rest == row)
            reached[rest[alike], i] = answer.holds
            rest = rest[~alike]
    return reached


def _dominated(against: Comparisons, public: FloatMatrix) -> BoolVector:
    """Return the rows for which another centre is nearer whatever the private values."""
    found = np.zeros(len(public), bool)
    for rows in _chunks(len(public), max(1, len(against.first))):
        found[rows] = against.refused(public[rows])
    return found


def _likely_points(nearness: Nearness) -> Iterator[FloatVector]:
    """Yield private points to try first: every centre moved into the domain, then corners of the domain."""
    for centre in nearness.centres:
        yield np.concatenate([_moved_into(a, centre) for a in nearness.private])
    corners = itertools.product(*[_ends(a) for a in nearness.private])
    for corner in itertools.islice(corners, _MOST_CORNERS):
        yield np.concatenate(corner)


def _moved_into(attribute: PrivateAttribute, centre: FloatVector) -> FloatVector:
    mine = centre[list(attribute.places)]
    if isinstance(attribute.domain, Interval):
        return np.clip(mine, attribute.domain.low, attribute.domain.high)
    points = attribute.domain.points
    return np.asarray(points[int(((points - mine) ** 2).sum(axis=1).argmin())], np.float64)


def _ends(attribute: PrivateAttribute) -> list[FloatVector]:
    if isinstance(attribute.domain, Interval):
        return [np.array([attribute.domain.low]), np.array([attribute.domain.high])]
    points = attribute.domain.points
    return list(points) if len(attribute.places) > 1 else [points[points[:, 0].argmin()], points[points[:, 0].argmax()]]
