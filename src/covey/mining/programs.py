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

import numpy as np

from covey.arrays import BoolVector, FloatMatrix, FloatVector, IntVector
from covey.mining.nearness import Comparisons, ExactComparison, Line, any_between, half_lines
from covey.mining.private import Values
from covey.mining.simplex import greatest

__all__ = ["Answer", "also_met", "also_refused", "meet"]

MOST_STRETCHES = 4096
"""More combinations of categories are not looked at one by one."""
_TIMES = 2
"""The sums over the comparisons are rounded too: at most as often as there are comparisons."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Whether values exist, with what shows it: a private point, or weights that refuse all of them."""

    holds: bool
    point: FloatVector | None = None
    """Private coordinates that meet all comparisons, in the order of the attributes."""
    weights: FloatVector | None = None
    """(C,): weights of the comparisons whose sum is positive whatever the private values."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A part of the private domain."""

    entries: tuple[int | None, ...]
    """The value of each category, None while it is open."""
    ends: tuple[tuple[float, float], ...]
    """Between what each number lies."""

    @classmethod
    def whole(cls, comparisons: Comparisons) -> _Node:
        return cls((None,) * len(comparisons.lists), tuple((line.low, line.high) for line in comparisons.lines))

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
    exact = _Exact(comparisons, known)
    base, rounding = (found[0] for found in comparisons.base(part[None, :]))
    start = _Node.whole(comparisons)
    if len(start.open_lines()) <= 1 and np.prod([float(len(t)) for t in comparisons.tables]) <= MOST_STRETCHES:
        return _by_stretches(comparisons, base, rounding, exact)
    weights: FloatVector | None = None
    open_nodes = [start]
    while open_nodes:
        node = open_nodes.pop()
        proposal = _program(comparisons, base, node)
        point = _point(comparisons, proposal)
        if _is_met(comparisons, base, rounding, point, exact):
            return Answer(True, point)
        if _refuses(comparisons, proposal.weights, base, rounding, node):
            weights = proposal.weights if node is start else weights
            continue
        branches = _branches(comparisons, node, proposal)
        if branches:
            open_nodes.extend(branches)
        elif exact.can_be_met(node):
            return Answer(True)
    return Answer(False, weights=weights)


def also_met(comparisons: Comparisons, point: FloatVector, part: FloatMatrix) -> BoolVector:
    """Return the rows (public parts of squared distances, (r, K)) for which a point surely meets all as well."""
    base, rounding = comparisons.base(part)
    private = comparisons.nearness.private_part(point[None, :])[0]
    with np.errstate(invalid="ignore"):
        total = base + (private[comparisons.first] - private[comparisons.second])
        return np.asarray((total < -rounding).all(axis=1), bool)


def also_refused(comparisons: Comparisons, weights: FloatVector, part: FloatMatrix) -> BoolVector:
    """Return the rows (public parts of squared distances, (r, K)) that some weights surely refuse as well."""
    base, rounding = comparisons.base(part)
    with np.errstate(invalid="ignore"):
        least = base @ weights + _least(comparisons, weights, _Node.whole(comparisons))
        return np.asarray(least > _TIMES * (1 + len(weights)) * (rounding @ weights), bool)


# --- one number beside few combinations ----------------------------------------------------------------------------


def _by_stretches(comparisons: Comparisons, base: FloatVector, rounding: FloatVector, exact: _Exact) -> Answer:
    """Look at the stretch of the one open number that every combination of categories leaves."""
    node = _Node.whole(comparisons)
    entries = np.array(list(itertools.product(*[range(len(t)) for t in comparisons.tables])), np.int64)
    total = np.tile(base + comparisons.constant, (len(entries), 1))
    for i, table in enumerate(comparisons.tables):
        total += table[entries[:, i]]
    opened = node.open_lines()
    lean = comparisons.slope[:, opened[0]] if opened else np.zeros(len(base))
    low, high = _stretch(total, lean, rounding, sure=True)
    surely = low < high if opened else low <= high
    line = comparisons.lines[opened[0]] if opened else None
    if line is not None and line.values is not None:
        surely &= _any_value(line, low, high, -1)
    if surely.any():
        which = int(surely.argmax())
        return Answer(True, _point_in(comparisons, entries[which], line, float(low[which] / 2 + high[which] / 2)))
    low, high = _stretch(total, lean, rounding, sure=False)
    perhaps = low <= high
    if line is not None and line.values is not None:
        perhaps &= _any_value(line, low, high, 1)
    for which in np.flatnonzero(perhaps).tolist():
        if exact.can_be_met(_Node(tuple(entries[which].tolist()), node.ends)):
            return Answer(True)
    return Answer(False)


def _stretch(
    total: FloatMatrix, lean: FloatVector, rounding: FloatVector, *, sure: bool
) -> tuple[FloatVector, FloatVector]:
    """Return between which u in -1..1 all of total + lean u <= 0 hold surely, or perhaps; low > high if nowhere."""
    allowed = -total - rounding if sure else -total + rounding
    low, high = np.full(len(total), -1.0), np.full(len(total), 1.0)
    up, down, flat = lean > 0, lean < 0, lean == 0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        high = np.minimum(high, (allowed[:, up] / lean[up]).min(axis=1, initial=np.inf))
        low = np.maximum(low, (allowed[:, down] / lean[down]).max(axis=1, initial=-np.inf))
    missed = ~(allowed[:, flat] >= 0).all(axis=1)
    unknown = ~np.isfinite(total).all(axis=1)  # beyond float64
    low[missed], high[missed] = 2.0, -2.0
    low[unknown], high[unknown] = (2.0, -2.0) if sure else (-1.0, 1.0)
    return low, high


def _any_value(line: Line, low: FloatVector, high: FloatVector, widen: int) -> BoolVector:
    """Return whether a value of a line lies between places in -1..1, a little less (-1) or more (1) being allowed."""
    assert line.values is not None
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
    matrix, left = matrix / size[:, None], left / size
    n_lines, n_columns = len(comparisons.lines), matrix.shape[1]
    equal = np.zeros((len(sums), n_columns + 1))
    at = n_lines
    for i, length in enumerate(sums):
        equal[i, at : at + length] = 1.0
        at += length
    most = 4.0 * (n_columns + 2)  # no slack is greater
    result = linprog(
        np.append(np.zeros(n_columns), -1.0),
        A_ub=np.hstack([matrix, np.ones((len(left), 1))]),
        b_ub=-left,
        A_eq=equal if sums else None,
        b_eq=np.ones(len(sums)) if sums else None,
        bounds=[*bounds, (-most, most)],
        method="highs",
    )
    if result.x is None or result.ineqlin is None:  # never seen; nothing is concluded from it
        found, weights = np.concatenate([np.zeros(n_lines), *(np.full(n, 1 / n) for n in sums)]), np.zeros(len(base))
    else:
        found = np.asarray(result.x, np.float64)
        weights = np.maximum(-np.asarray(result.ineqlin.marginals, np.float64), 0.0) / size
    mixtures, at = [], n_lines
    for table, entry in zip(comparisons.tables, node.entries, strict=True):
        if entry is None:
            mixtures.append(found[at : at + len(table)])
            at += len(table)
        else:
            mixtures.append(np.eye(1, len(table), entry)[0])
    heaviest = weights.max(initial=0.0)
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
    return float(line.values[int(np.abs(line.values - number).argmin())])


def _is_met(
    comparisons: Comparisons, base: FloatVector, rounding: FloatVector, point: FloatVector, exact: _Exact
) -> bool:
    private = comparisons.nearness.private_part(point[None, :])[0]
    total = base + (private[comparisons.first] - private[comparisons.second])
    if (total < -rounding).all():
        return True
    return not (total > rounding).any() and exact.is_met(point)


def _least(comparisons: Comparisons, weights: FloatVector, node: _Node) -> float:
    """Return the least weighted sum of the private terms over a node."""
    least = float(weights @ comparisons.constant)
    for lean, (low, high) in zip((weights @ comparisons.slope).tolist(), _places(comparisons, node), strict=True):
        least += min(lean * low, lean * high)
    for table, entry in zip(comparisons.tables, node.entries, strict=True):
        sums = table @ weights
        least += float(sums.min() if entry is None else sums[entry])
    return least


def _refuses(
    comparisons: Comparisons, weights: FloatVector, base: FloatVector, rounding: FloatVector, node: _Node
) -> bool:
    total = float(weights @ base) + _least(comparisons, weights, node)
    return total > _TIMES * (1 + len(weights)) * float(weights @ rounding)


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
    which = max(listed, key=lambda i: node.ends[i][1] - node.ends[i][0])
    line, (low, high) = comparisons.lines[which], node.ends[which]
    assert line.values is not None
    inside = line.values[(line.values >= low) & (line.values <= high)]
    number = line.middle + line.half * float(proposal.u[which])
    after = min(max(int(np.searchsorted(inside, number, "right")), 1), len(inside) - 1)
    return [node.with_ends(which, inside[after], high), node.with_ends(which, low, inside[after - 1])]


# --- fractions -----------------------------------------------------------------------------------------------------


class _Exact:
    """The comparisons of one public tuple in fractions, worked out when first asked for."""

    def __init__(self, comparisons: Comparisons, known: FloatVector) -> None:
        self.comparisons = comparisons
        self.known = known
        self._found: list[ExactComparison] | None = None

    @property
    def found(self) -> list[ExactComparison]:
        if self._found is None:
            self._found = self.comparisons.exact(self.known)
        return self._found

    def totals(self, places: Sequence[int], values: Sequence[float]) -> list[Fraction]:
        """Return each comparison with some private coordinates at given values."""
        return [one.base + self.comparisons.exact_entry(one, places, values) for one in self.found]

    def is_met(self, point: FloatVector) -> bool:
        """Return whether a private point meets all comparisons."""
        totals = self.totals(self.comparisons.nearness.places.tolist(), point.tolist())
        return _all_hold(totals, [one.strict for one in self.found])

    def can_be_met(self, node: _Node) -> bool:
        """Return whether the open numbers of a node can meet all comparisons; see `_branches` for what may be open."""
        places: list[int] = []
        values: list[float] = []
        for attribute, entry in zip(self.comparisons.lists, node.entries, strict=True):
            assert isinstance(attribute.domain, Values)
            assert entry is not None
            places += attribute.places
            values += attribute.domain.points[entry].tolist()
        opened = node.open_lines()
        for i, line in enumerate(self.comparisons.lines):
            if i not in opened:
                places.append(line.place)
                values.append(node.ends[i][0])
        totals = self.totals(places, values)
        strict = [one.strict for one in self.found]
        lines = [
            [self.comparisons.exact_line(one, self.comparisons.lines[i].place) for i in opened] for one in self.found
        ]
        if len(opened) > 1:
            return _simplex_meets(totals, lines, strict, [node.ends[i] for i in opened])
        if not opened:
            return all(
                total < 0 or (total == 0 and not is_strict) for total, is_strict in zip(totals, strict, strict=True)
            )
        along = [(line[0][0], line[0][1] + total, s) for line, total, s in zip(lines, totals, strict, strict=True)]
        ends = half_lines(along, *node.ends[opened[0]])
        known_values = self.comparisons.lines[opened[0]].values
        return ends is not None and (known_values is None or any_between(known_values, ends))


def _all_hold(totals: Sequence[Fraction], strict: Sequence[bool]) -> bool:
    return all(total < 0 or (total == 0 and not is_strict) for total, is_strict in zip(totals, strict, strict=True))


def _simplex_meets(
    base: Sequence[Fraction],
    lines: Sequence[Sequence[tuple[Fraction, Fraction]]],
    strict: Sequence[bool],
    ends: Sequence[tuple[float, float]],
) -> bool:
    """Return whether a point of the box meets all comparisons: most slack t in 0..1 of the strict ones above 0."""
    d = len(ends)
    low = [Fraction(end[0]) for end in ends]
    rows, right = [], []
    for total, line, is_strict in zip(base, lines, strict, strict=True):
        at_low = total + sum(
            (slope * start + constant for (slope, constant), start in zip(line, low, strict=True)), Fraction(0)
        )
        rows.append([*(slope for slope, _ in line), Fraction(int(is_strict))])
        right.append(-at_low)
    for i, (_, high) in enumerate(ends):
        rows.append([Fraction(int(i == j)) for j in range(d + 1)])
        right.append(Fraction(high) - low[i])
    rows.append([Fraction(0)] * d + [Fraction(1)])
    right.append(Fraction(1))
    best = greatest(rows, right, [Fraction(0)] * d + [Fraction(1)])
    return best is not None and (best > 0 or not any(strict))
