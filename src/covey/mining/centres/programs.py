"""Whether some private values meet all comparisons at once: linear programs, made certain.

Where everything private but one number has few combinations, each of them is a stretch of that number.  Else a
program (HiGHS) proposes an answer.  Values that it finds are tested, and a refusal counts only with its certificate:
weights of the comparisons whose sum stays above zero over the whole domain, by more than rounding can explain.
Categories enter the program as mixtures of their values and numbers of a list as any number between; where that
matters they are branched on.  What is then still open (cells that touch in a point or not at all) is decided in
fractions.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from covey.base.arrays import BoolVector, FloatMatrix, FloatVector, IntVector
from covey.mining.centres.nearness import Comparisons, ExactComparison, Line, any_between, half_lines
from covey.mining.centres.private import PrivateAttribute, Values
from covey.mining.centres.simplex import greatest

__all__ = ["Answer", "answered_alike", "meet"]

MOST_STRETCHES = 4096
"""More combinations of categories are not looked at one by one."""
_TIMES = 2
"""The sums over the comparisons are rounded too: at most as often as there are comparisons."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Whether values exist, with what shows it, so that it can be tried on other public tuples."""

    holds: bool
    point: FloatVector | None = None
    """Private coordinates that meet all comparisons, in the order of the attributes."""
    refusals: tuple[Refusal, ...] = ()
    """Of parts that make up the whole private domain; empty if fractions were needed for one of them."""

    @property
    def is_shown(self) -> bool:
        """Return whether there is anything to be tried on other public tuples."""
        return self.point is not None or len(self.refusals) > 0


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """Why no private values of a part of the domain meet all comparisons."""

    node: _Node
    weights: FloatVector
    """(C,): of the comparisons; their weighted sum is positive whatever the private values are."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A part of the private domain."""

    entries: tuple[int | None, ...]
    """The value of each category, None while it is open."""
    ends: tuple[tuple[float, float], ...]
    """Between what each number lies."""

    def open_lines(self) -> list[int]:
        return [i for i, (low, high) in enumerate(self.ends) if low < high]

    def with_entry(self, which: int, entry: int) -> _Node:
        return _Node((*self.entries[:which], entry, *self.entries[which + 1 :]), self.ends)

    def with_ends(self, which: int, low: float, high: float) -> _Node:
        return _Node(self.entries, (*self.ends[:which], (float(low), float(high)), *self.ends[which + 1 :]))


def meet(comparisons: Comparisons, known: FloatVector, part: FloatVector) -> Answer:
    """Return whether some private values meet all comparisons, for one public tuple.

    known: its public coordinates; part (K,): the public part of its squared distances.
    """
    asked = _Asked(comparisons, known, part)
    start = _Node((None,) * len(comparisons.lists), tuple((line.low, line.high) for line in comparisons.lines))
    if len(start.open_lines()) <= 1 and np.prod([float(len(t)) for t in comparisons.tables]) <= MOST_STRETCHES:
        return _by_stretches(asked, start)
    if not asked.settle_ties():
        return Answer(False)
    refusals: list[Refusal] = []
    is_certified = True
    open_nodes = [start]
    while open_nodes:
        node = open_nodes.pop()
        proposal = _program(comparisons, asked.base, node)
        point = _point(comparisons, proposal)
        if asked.is_met(point):
            return Answer(True, point)
        refusal = Refusal(node, proposal.weights)
        if _refused(comparisons, refusal, asked.base, asked.rounding):
            refusals.append(refusal)
            continue
        branches = _branches(comparisons, node, proposal)
        if branches and (asked.has_room(proposal) or asked.mixtures_can_meet(node)):
            open_nodes.extend(branches)
        elif not branches and asked.can_be_met(node):
            return Answer(True)
        else:
            is_certified = False
    return Answer(False, refusals=tuple(refusals) if is_certified else ())


def answered_alike(comparisons: Comparisons, answer: Answer, part: FloatMatrix) -> BoolVector:
    """Return the rows (public parts of squared distances, (r, K)) for which an answer surely holds as well.

    They meet all comparisons at the same point, or are refused for the same reasons.
    """
    alike = np.full(len(part), answer.is_shown)
    if answer.is_shown:
        base, rounding = comparisons.base(part)
        if answer.point is not None:
            with np.errstate(invalid="ignore"):
                alike &= (base + _added(comparisons, answer.point) < -rounding).all(axis=1)
        for refusal in answer.refusals:
            alike &= _refused(comparisons, refusal, base, rounding)
    return alike


def _added(comparisons: Comparisons, point: FloatVector) -> FloatVector:
    """Return what a private point adds to each comparison."""
    private = comparisons.nearness.private_part(point[None, :])[0]
    return np.asarray(private[comparisons.first] - private[comparisons.second])


def _refused(comparisons: Comparisons, refusal: Refusal, base: FloatMatrix, rounding: FloatMatrix) -> Any:
    """Return whether a refusal surely holds for one public tuple, or for many; base, rounding: of the comparisons."""
    weights = refusal.weights
    with np.errstate(invalid="ignore"):  # beyond float64 nothing is refused
        least = base @ weights + _least(comparisons, weights, refusal.node)
        return least > _TIMES * (1 + len(weights)) * (rounding @ weights)


# --- one number beside few combinations ----------------------------------------------------------------------------


def _by_stretches(asked: _Asked, node: _Node) -> Answer:
    """Look at the stretch of the one open number that every combination of categories leaves."""
    comparisons, base, rounding = asked.comparisons, asked.base, asked.rounding
    entries = np.array(list(itertools.product(*[range(len(t)) for t in comparisons.tables])), np.int64)
    total = np.tile(base + comparisons.constant, (len(entries), 1))
    for i, table in enumerate(comparisons.tables):
        total += table[entries[:, i]]
    opened = node.open_lines()
    lean = comparisons.slope[:, opened[0]] if opened else np.zeros(len(base))
    line = comparisons.lines[opened[0]] if opened else None
    low, high = _stretch(total, lean, rounding, line, sure=True)
    surely = (low < high if opened else low <= high) & _any_value(line, low, high, -1)
    if surely.any():
        which = int(surely.argmax())
        return Answer(True, _point_in(comparisons, entries[which], line, float(low[which] / 2 + high[which] / 2)))
    low, high = _stretch(total, lean, rounding, line, sure=False)
    perhaps = (low <= high) & _any_value(line, low, high, 1)
    for which in np.flatnonzero(perhaps).tolist():
        if asked.can_be_met(_Node(tuple(entries[which].tolist()), node.ends)):
            return Answer(True)
    return Answer(False)


def _stretch(
    total: FloatMatrix, lean: FloatVector, rounding: FloatVector, line: Line | None, *, sure: bool
) -> tuple[FloatVector, FloatVector]:
    """Return between which u on a line all of total + lean u <= 0 hold surely, or perhaps; low > high if nowhere."""
    with np.errstate(invalid="ignore"):
        allowed = -total - rounding if sure else -total + rounding
    least, most = (-1.0, 1.0) if line is None else _ends_of(line, sure=sure)
    up, down, flat = lean > 0, lean < 0, lean == 0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        high = (allowed[:, up] / lean[up]).min(axis=1, initial=most)
        low = (allowed[:, down] / lean[down]).max(axis=1, initial=least)
    missed = ~(allowed[:, flat] >= 0).all(axis=1)
    unknown = ~np.isfinite(total).all(axis=1)  # beyond float64
    low[missed], high[missed] = 2.0, -2.0
    low[unknown], high[unknown] = (2.0, -2.0) if sure else (least, most)
    return low, high


def _ends_of(line: Line, *, sure: bool) -> tuple[float, float]:
    """Return the ends of a line as places; a little less where what lies between must surely lie on it, else more.

    The middle of two numbers is rounded, so that -1 or 1 may lie well beyond an end if the numbers are large.
    """
    half = line.half or 1.0
    more = (-8 if sure else 8) * 2.0**-53
    return (line.low - line.middle) / half - more, (line.high - line.middle) / half + more


def _any_value(line: Line | None, low: FloatVector, high: FloatVector, widen: int) -> BoolVector:
    """Return whether a value of a line lies between places in -1..1, a little less (-1) or more (1) being allowed."""
    if line is None or line.values is None:
        return np.ones(len(low), bool)
    more = widen * 8 * 2.0**-53 * (abs(line.middle) + line.half)
    begin = np.searchsorted(line.values, line.middle + line.half * low - more, "left")
    return begin < np.searchsorted(line.values, line.middle + line.half * high + more, "right")


def _point_in(comparisons: Comparisons, entries: IntVector, line: Line | None, u: float) -> FloatVector | None:
    """Return the private point of a combination, at one place of the open number; None if that is no value of it."""
    if line is not None and line.values is not None:
        return None
    places = np.zeros(len(comparisons.lines)) if line is None else np.full(len(comparisons.lines), u)
    mixtures = [np.eye(1, len(t), int(e))[0] for t, e in zip(comparisons.tables, entries, strict=True)]
    return _point(comparisons, _Proposal(places, mixtures, np.zeros(0)))


# --- programs ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Proposal:
    """What a program found."""

    u: FloatVector
    """The place on each line, in -1..1."""
    mixtures: list[FloatVector]
    """The share of each value of each category."""
    weights: FloatVector
    """(C,): of the comparisons, as far as they stand in the way."""


def _program(comparisons: Comparisons, base: FloatVector, node: _Node) -> _Proposal:
    """Return the private values with most slack."""
    from scipy.optimize import linprog

    left, columns = base + comparisons.constant, [comparisons.slope]
    bounds = _places(comparisons, node)
    sums: list[int] = []
    for table, entry in zip(comparisons.tables, node.entries, strict=True):
        if entry is not None:
            left = left + table[entry]
            continue
        columns.append(table.T)
        bounds += [(0.0, 1.0)] * len(table)
        sums.append(len(table))
    matrix = np.hstack(columns)
    size = np.maximum(np.abs(matrix).max(axis=1, initial=0.0), np.abs(left))
    size[size == 0] = 1.0
    n_lines, n_columns = len(comparisons.lines), matrix.shape[1]
    middle = np.concatenate([np.zeros(n_lines), *(np.full(n, 1 / n) for n in sums)])
    if not np.isfinite(size).all():  # beyond float64: nothing is proposed but the middle, and even mixtures
        return _proposal(comparisons, node, middle, np.zeros(len(base)))
    matrix, left = matrix / size[:, None], left / size
    most = 4.0 * (n_columns + 2)  # no slack is greater
    result = linprog(
        np.append(np.zeros(n_columns), -1.0),
        A_ub=np.hstack([matrix, np.ones((len(left), 1))]),
        b_ub=-left,
        A_eq=np.pad(np.repeat(np.eye(len(sums)), sums, axis=1), ((0, 0), (n_lines, 1))) if sums else None,
        b_eq=np.ones(len(sums)) if sums else None,
        bounds=[*bounds, (-most, most)],
        method="highs",
    )
    if result.x is None or result.ineqlin is None:  # never seen; nothing is concluded from it
        return _proposal(comparisons, node, middle, np.zeros(len(base)))
    with np.errstate(over="ignore"):
        weights = np.maximum(-np.asarray(result.ineqlin.marginals, np.float64), 0.0) / size
    return _proposal(comparisons, node, np.asarray(result.x, np.float64), weights)


def _proposal(comparisons: Comparisons, node: _Node, found: FloatVector, weights: FloatVector) -> _Proposal:
    """Return a solution in its parts, with the heaviest weight 1; weights beyond float64 say nothing."""
    n_lines = len(comparisons.lines)
    mixtures, at = [], n_lines
    for table, entry in zip(comparisons.tables, node.entries, strict=True):
        if entry is None:
            mixtures.append(found[at : at + len(table)])
            at += len(table)
        else:
            mixtures.append(np.eye(1, len(table), entry)[0])
    heaviest = weights.max(initial=0.0)
    if not np.isfinite(heaviest):
        weights, heaviest = np.zeros(len(weights)), 0.0
    return _Proposal(found[:n_lines], mixtures, weights / heaviest if heaviest > 0 else weights)


def _places(comparisons: Comparisons, node: _Node) -> list[tuple[float, float]]:
    """Return the ends of each line as places in -1..1."""
    found = []
    for line, (low, high) in zip(comparisons.lines, node.ends, strict=True):
        half = line.half or 1.0
        found.append((max(-1.0, (low - line.middle) / half), min(1.0, (high - line.middle) / half)))
    return found


def _point(comparisons: Comparisons, proposal: _Proposal) -> FloatVector:
    """Return a private point near what a program found: numbers at their nearest value, categories at the heaviest."""
    lines = iter(zip(comparisons.lines, proposal.u.tolist(), strict=True))
    heavy = iter(proposal.mixtures)
    values: list[float] = []
    for attribute in comparisons.nearness.private:
        if len(attribute.places) == 1:
            values.append(_value_near(*next(lines)))
        else:
            assert isinstance(attribute.domain, Values)
            values.extend(attribute.domain.points[int(next(heavy).argmax())].tolist())
    return np.array(values, np.float64)


def _value_near(line: Line, u: float) -> float:
    number = min(max(line.middle + line.half * u, line.low), line.high)
    if line.values is None:
        return number
    after = min(max(int(np.searchsorted(line.values, number)), 1), len(line.values) - 1)
    around = line.values[max(after - 1, 0) : after + 1]
    return float(around[int(np.abs(around - number).argmin())])


def _least(comparisons: Comparisons, weights: FloatVector, node: _Node) -> float:
    """Return the least weighted sum of the private terms over a node."""
    least = float(weights @ comparisons.constant)
    for lean, (low, high) in zip((weights @ comparisons.slope).tolist(), _places(comparisons, node), strict=True):
        least += min(lean * low, lean * high)
    for table, entry in zip(comparisons.tables, node.entries, strict=True):
        sums = table @ weights
        least += float(sums.min() if entry is None else sums[entry])
    return least


def _branches(comparisons: Comparisons, node: _Node, proposal: _Proposal) -> list[_Node]:
    """Return the parts of a node, the most promising last; none if fractions can decide it.

    They can where all categories are fixed, and either one number at most is open or all open ones are ranges.
    """
    categories = [i for i, entry in enumerate(node.entries) if entry is None]
    if categories:
        which = min(categories, key=lambda i: float(proposal.mixtures[i].max()))
        order = np.argsort(proposal.mixtures[which], kind="stable").tolist()
        return [node.with_entry(which, entry) for entry in order]
    opened = node.open_lines()
    listed = [i for i in opened if comparisons.lines[i].values is not None]
    if len(opened) <= 1 or not listed:
        return []
    which = max(listed, key=lambda i: (_harm(comparisons, i, proposal), node.ends[i][1] - node.ends[i][0]))
    line, (low, high) = comparisons.lines[which], node.ends[which]
    assert line.values is not None
    inside = line.values[(line.values >= low) & (line.values <= high)]
    number = line.middle + line.half * float(proposal.u[which])
    after = min(max(int(np.searchsorted(inside, number, "right")), 1), len(inside) - 1)
    return [node.with_ends(which, inside[after], high), node.with_ends(which, low, inside[after - 1])]


def _harm(comparisons: Comparisons, i: int, proposal: _Proposal) -> float:
    """Return how much any comparison changes if a number of a list is moved to its nearest value."""
    line, u = comparisons.lines[i], float(proposal.u[i])
    moved = abs(_value_near(line, u) - (line.middle + line.half * u)) / (line.half or 1.0)
    return moved * float(np.abs(comparisons.slope[:, i]).max(initial=0.0))


# --- one public tuple ----------------------------------------------------------------------------------------------


class _Asked:
    """The comparisons of one public tuple: in float64, and in fractions, worked out when first asked for."""

    def __init__(self, comparisons: Comparisons, known: FloatVector, part: FloatVector) -> None:
        self.comparisons = comparisons
        self.known = known
        self.base, self.rounding = (found[0] for found in comparisons.base(part[None, :]))

    def settle_ties(self) -> bool:
        """Decide every comparison that no private value changes; return whether all of them are met.

        One that is met for certain is moved away from zero: as a tie it would leave no slack to the others.
        """
        private = self.comparisons.nearness.centres[:, self.comparisons.nearness.places]
        flat = (private[self.comparisons.first] == private[self.comparisons.second]).all(axis=1)
        with np.errstate(invalid="ignore"):
            doubtful = np.flatnonzero(flat & ~(np.abs(self.base) > self.rounding))
        for which in doubtful.tolist():
            one = self.found[which]
            if one.base > 0 or (one.base == 0 and one.strict):
                return False
            self.base[which] = -max(1.0, 2 * self.rounding[which])
        return True

    def is_met(self, point: FloatVector) -> bool:
        """Return whether a private point meets all comparisons."""
        with np.errstate(invalid="ignore"):
            total = self.base + _added(self.comparisons, point)
            if (total < -self.rounding).all():
                return True
            if (total > self.rounding).any():
                return False
        return self._all_hold(self.totals(self.comparisons.nearness.places.tolist(), point.tolist()))

    def has_room(self, proposal: _Proposal) -> bool:
        """Return whether what a program found surely has slack, values between those of lists being allowed."""
        comparisons = self.comparisons
        with np.errstate(invalid="ignore"):
            total = self.base + comparisons.constant + comparisons.slope @ proposal.u
            for table, mixture in zip(comparisons.tables, proposal.mixtures, strict=True):
                total = total + mixture @ table
            return bool((total < -self.rounding).all())

    @cached_property
    def found(self) -> list[ExactComparison]:
        return self.comparisons.exact(self.known)

    def totals(self, places: Sequence[int], values: Sequence[float]) -> list[Fraction]:
        """Return each comparison with some private coordinates at given values."""
        return [one.base + self.comparisons.exact_entry(one, places, values) for one in self.found]

    def mixtures_can_meet(self, node: _Node) -> bool:
        """Return whether mixtures of categories, and any numbers between the ends of a node, meet all comparisons."""
        comparisons = self.comparisons
        opened = [i for i, entry in enumerate(node.entries) if entry is None]
        totals = self.totals(*self._fixed(node))
        rows, shares = [], [len(comparisons.tables[i]) for i in opened]
        for one, total in zip(self.found, totals, strict=True):
            entries = [
                comparisons.exact_entry(one, comparisons.lists[i].places, point)
                for i in opened
                for point in _listed(comparisons.lists[i])
            ]
            slopes = [comparisons.exact_line(one, comparisons.lines[i].place) for i in node.open_lines()]
            rows.append((total, slopes, entries, one.strict))
        return _simplex_meets(rows, [node.ends[i] for i in node.open_lines()], shares)

    def _fixed(self, node: _Node) -> tuple[list[int], list[float]]:
        """Return the private coordinates that a node leaves no choice for, and their values."""
        places: list[int] = []
        values: list[float] = []
        for attribute, entry in zip(self.comparisons.lists, node.entries, strict=True):
            if entry is not None:
                places += attribute.places
                values += _listed(attribute)[entry]
        for line, (low, high) in zip(self.comparisons.lines, node.ends, strict=True):
            if low == high:
                places.append(line.place)
                values.append(low)
        return places, values

    def can_be_met(self, node: _Node) -> bool:
        """Return whether the open numbers of a node can meet all comparisons; see `_branches` for what may be open."""
        opened = node.open_lines()
        if len(opened) > 1:
            return self.mixtures_can_meet(node)
        totals = self.totals(*self._fixed(node))
        if not opened:
            return self._all_hold(totals)
        line = self.comparisons.lines[opened[0]]
        slopes = [self.comparisons.exact_line(one, line.place) for one in self.found]
        pairs = zip(self.found, slopes, totals, strict=True)
        along = [(slope, at + total, one.strict) for one, (slope, at), total in pairs]
        ends = half_lines(along, *node.ends[opened[0]])
        return ends is not None and (line.values is None or any_between(line.values, ends))

    def _all_hold(self, totals: Sequence[Fraction]) -> bool:
        return all(total < 0 or (total == 0 and not one.strict) for one, total in zip(self.found, totals, strict=True))


def _listed(attribute: PrivateAttribute) -> list[list[float]]:
    """Return the values of a category."""
    assert isinstance(attribute.domain, Values)
    return [list(point) for point in attribute.domain.points.tolist()]


_Row = tuple[Fraction, Sequence[tuple[Fraction, Fraction]], Sequence[Fraction], bool]
"""A comparison: what is known of it, (slope, constant) along each number, its entries of each category, strictness."""


def _simplex_meets(rows: Sequence[_Row], ends: Sequence[tuple[float, float]], shares: Sequence[int]) -> bool:
    """Return whether numbers between their ends, and mixtures of categories, meet all comparisons.

    shares: how many entries each category has.  The program asks for the most slack t in 0..1 of the strict ones.
    """
    low = [Fraction(end[0]) for end in ends]
    n_numbers, n_shares = len(ends), sum(shares)
    left, right = [], []
    for total, line, entries, is_strict in rows:
        at_low = total + sum(
            (slope * start + constant for (slope, constant), start in zip(line, low, strict=True)), Fraction(0)
        )
        left.append([*(slope for slope, _ in line), *entries, Fraction(int(is_strict))])
        right.append(-at_low)
    width = n_numbers + n_shares + 1
    for i, (_, high) in enumerate(ends):
        left.append([Fraction(int(i == j)) for j in range(width)])
        right.append(Fraction(high) - low[i])
    at = n_numbers
    for length in shares:  # a mixture is one in sum
        whole = [Fraction(int(at <= j < at + length)) for j in range(width)]
        left += [whole, [-one for one in whole]]
        right += [Fraction(1), Fraction(-1)]
        at += length
    goal = [Fraction(0)] * (width - 1) + [Fraction(1)]
    left.append(goal)
    right.append(Fraction(1))
    best = greatest(left, right, goal)
    return best is not None and (best > 0 or not any(row[3] for row in rows))
