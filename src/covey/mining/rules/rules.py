"""Spans of released association rules (Friedman, Wolff and Schuster 2008, section 4.3).

A rule with its support and confidence tells how many rows have its left side, and how many have both sides.  Of a row,
others see the public items only: per rule it lacks some public item of the left side (0), has those and lacks some
of the right side (1), or has both (2).  Rows share a span if and only if these states agree in every rule, because
the outcomes that a rule can still have (left side missing, left side alone, both) differ from state to state.
The span has more than one class if and only if some rule has a private item on its left in state 1 or 2, or a
private item on its right in state 2.

Lift, leverage and the like tell more: with support and confidence in hand they give the number of rows that have the
right side, with the left one or without.  A rule released with such a measure has a fourth state and a fourth outcome:
the right side alone (3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from covey.base.arrays import BoolVector, IntMatrix, IntVector
from covey.base.checks import bad_parameter, did_you_mean, listed, plural
from covey.base.errors import InputError, UnknownColumn
from covey.mining.faults import missing_values, not_a_table
from covey.mining.rules.words import OUTCOMES, OutcomeWords, span_words
from covey.mining.spans import Reach, RowSpans, find_spans
from covey.tables.frames import to_arrow

__all__ = [
    "OUTCOMES",
    "Items",
    "Patterns",
    "Rule",
    "RuleCounts",
    "RuleSpans",
    "implied_counts",
    "public_patterns",
    "read_items",
    "read_rules",
    "rule_spans",
    "states_and_flags",
]

TELL_THE_RIGHT_SIDE = (
    "consequent support",
    "lift",
    "leverage",
    "conviction",
    "zhangs_metric",
    "jaccard",
    "certainty",
    "kulczynski",
)
"""Columns of mlxtend's frame from which others work out how many rows have the right side of a rule."""
MOST_PRIVATE_ITEMS = 16
"""With more private items in the rules of one span its joint classes are not counted."""
_ONE_EACH = "make one column per item, e.g. pandas.get_dummies"
_AT_ONCE = 31
"""So many outcomes make one number of 64 bits."""
_TRUSTED_DECIMALS = 12
"""A share that was computed and not rounded is wrong beyond these."""


@dataclass(frozen=True, slots=True)
class Rule:
    """An association rule as it is released; items are in the order of their names."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    support: float | None = None
    """Share of the rows that have both sides; None: not released."""
    confidence: float | None = None
    """Share of the rows with the left side that have the right one too."""
    tells_right: bool = False
    """Whether others also learn how many rows have the right side (from lift, or the like)."""

    def __str__(self) -> str:
        return f"{{{', '.join(self.left)}}} -> {{{', '.join(self.right)}}}"


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Which rows have which items."""

    columns: Mapping[str, BoolVector]
    n_rows: int
    is_open: bool
    """Whether an item that no row has is nevertheless one (transactions), or a mistake (columns of a table)."""
    others: tuple[str, ...] = ()
    """Columns of the table that hold other values than true and false."""
    n_missing: Mapping[str, int] = field(default_factory=dict)
    """How many rows have no value, by column, of those that hold true and false otherwise."""

    def has(self, item: str) -> BoolVector:
        """Return which rows have an item."""
        if item in self.columns:
            return self.columns[item]
        if self.is_open:
            return np.zeros(self.n_rows, bool)
        self.check_columns([item])
        raise self.unknown(item, self.columns)

    def unknown(self, item: str, known: Iterable[str]) -> UnknownColumn:
        """Return the error for an item that there is not; a table with a column per attribute is the likely cause."""
        hint = did_you_mean(item, known)
        if self.others:
            hint = f"{_hold_others(self.others)}; {_ONE_EACH}"
        return UnknownColumn(f"there is no item `{item}` in the table", code="unknown-column", hint=hint)

    def check_columns(self, names: Iterable[str] | None = None) -> None:
        """Raise `InputError` if some columns (all, unless named) hold anything but true and false for every row."""
        asked = {*self.others, *self.n_missing} if names is None else set(names)
        others = [name for name in self.others if name in asked]
        if others:
            raise InputError(_hold_others(others), code="not-boolean", hint=_ONE_EACH)
        missing = [name for name in self.n_missing if name in asked]
        if missing:
            cells = sum(self.n_missing[name] for name in missing)
            raise missing_values(
                f"{_columns(missing)} {'lacks' if len(missing) == 1 else 'lack'} {plural(cells, 'value')}, so that "
                "whether the item is there is not known",
                "fill in false where the item is not there, or leave such rows out",
            )

    def has_all(self, items: Iterable[str]) -> BoolVector:
        """Return which rows have all of some items."""
        found = np.ones(self.n_rows, bool)
        for item in items:
            found &= self.has(item)
        return found


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """The rows that a rule speaks of: as others work them out from what is released, and in the table."""

    rule: Rule
    left: int
    """Rows of the table with the left side."""
    both: int
    """Rows of the table with both sides."""
    left_implied: tuple[int, int] | None
    """Least and greatest number that support and confidence allow, as they were rounded."""
    both_implied: tuple[int, int] | None

    @property
    def agrees(self) -> bool:
        """Return whether the table is one that the rule can have come from."""
        pairs = ((self.left, self.left_implied), (self.both, self.both_implied))
        return all(ends is None or ends[0] <= count <= ends[1] for count, ends in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class RuleSpans(RowSpans):
    """The spans of a table's rows under released rules, and what they rest on.

    The classes in a span are outcomes of the rules that can still have more than the first, numbered as in
    `outcome_names`.  The class of a row is the joint outcome of all rules, in words the rules that tell most of private
    items, and how many more.
    """

    outcome_names: tuple[str, ...]
    """(4 R,): the outcomes of single rules, in words: three each, then "right side only" of each."""
    rules: tuple[Rule, ...]
    counts: tuple[RuleCounts, ...]
    public_items: tuple[str, ...]
    states: IntMatrix
    """(s, R): the public state of every rule in each span."""

    def n_classes(self, span: int) -> int | None:
        """Return how many joint classes a span has; None if more than 16 private items take part."""
        return _joint_classes(self.rules, frozenset(self.public_items), self.states[span].tolist())


def rule_spans(
    rules: Any, table: Any, public_items: Sequence[str], *, digits: tuple[int, int] | None = None
) -> RuleSpans:
    """Return the spans of the rows of `table` under a set of released rules, exactly.

    rules: mlxtend's frame of association rules, or (left, right, support, confidence) each; table: a frame of
    true and false (or 1 and 0) with a column per item, or a list of transactions, each a set of items (of a frame
    only columns that a rule or `public_items` names are looked at: another kind of value there is refused, and so is a
    missing one);
    public_items: those that others see; digits: to how many decimals supports and confidences were rounded,
    else as many as the longest of them has.  Every item that is not public is private, and any of them may be
    there or not.  A frame with lift, leverage or the like is taken to be released with them.

    >>> rules = [(["cherries"], ["viagra"], 0.5, 2 / 3)]
    >>> carts = [{"cherries", "viagra"}, {"cherries"}, {"cherries", "viagra"}, {"tea"}]
    >>> found = rule_spans(rules, carts, public_items=["cherries"])
    >>> found.spans.words, found.spans.populations.tolist(), found.spans.multiple.tolist()
    ((('cherries',), ('no cherries',)), [3, 1], [True, False])
    """
    released = read_rules(rules)
    items = read_items(table)
    patterns = public_patterns(released, items, public_items)
    states, many = states_and_flags(released, patterns)
    distinct, state_of_pattern = _distinct_rows(states)
    outcomes = [_outcomes(rule, patterns.public) for rule in released]
    is_multiple = np.zeros(len(distinct), bool)
    is_multiple[state_of_pattern[many.any(axis=1)]] = True
    # a rule in state 0 has no other outcome: left out, or few spans of many rules would fill the memory
    numbers = [[(), *(_class_numbers(r, o, len(released)) for o in outcomes[r][1:])] for r in range(len(released))]
    words = span_words(patterns, state_of_pattern, len(distinct))
    reach = [
        Reach(
            frozenset(number for r in np.flatnonzero(row).tolist() for number in numbers[r][row[r]]),
            words[span],
            bool(is_multiple[span]),
        )
        for span, row in enumerate(distinct)
    ]
    spans = find_spans(state_of_pattern[patterns.of_row], reach)
    of_row, names = _joint_outcomes(released, items, patterns.public)
    return RuleSpans(
        spans=spans,
        class_of_row=of_row,
        class_names=names,
        outcome_names=(
            *(f"{rule}: {outcome}" for rule in released for outcome in OUTCOMES[:3]),
            *(f"{rule}: {OUTCOMES[3]}" for rule in released),
        ),
        rules=released,
        counts=_counts(released, items, digits),
        public_items=tuple(sorted(patterns.public)),
        states=distinct,
    )


# --- reading -------------------------------------------------------------------------------------------------------


def read_rules(rules: Any) -> tuple[Rule, ...]:
    """Return rules from mlxtend's frame, from tuples (left, right[, support[, confidence]]), or as they are.

    >>> print(read_rules([({"tea", "milk"}, "sugar", 0.1, 0.5)])[0])
    {milk, tea} -> {sugar}
    """
    if hasattr(rules, "columns") and hasattr(rules, "iloc"):
        lacking = [name for name in ("antecedents", "consequents") if name not in rules.columns]
        if lacking:
            raise bad_parameter(
                f"the frame of rules has no column `{lacking[0]}`", "give what mlxtend's association_rules returns"
            )
        parts = [
            list(rules[name]) if name in rules.columns else [None] * len(rules)
            for name in ("antecedents", "consequents", "support", "confidence")
        ]
        tells_right = any(name in rules.columns for name in TELL_THE_RIGHT_SIDE)
        return tuple(replace(_rule(i, *row), tells_right=tells_right) for i, row in enumerate(zip(*parts, strict=True)))
    found = []
    for i, given in enumerate(rules):
        if isinstance(given, Rule):
            found.append(given)
        elif isinstance(given, tuple | list) and 2 <= len(given) <= 4:
            found.append(_rule(i, *given))
        else:
            raise bad_parameter(
                f"rule {i + 1:,} is not (left, right, support, confidence)",
                'for example (["cherries"], ["viagra"], 0.084, 0.75)',
            )
    return tuple(found)


def _rule(i: int, left: Any, right: Any, support: Any = None, confidence: Any = None) -> Rule:
    sides = []
    for side in (left, right):
        items = {side} if isinstance(side, str) else set(side)
        if not all(isinstance(item, str) for item in items):
            raise bad_parameter(
                f"rule {i + 1:,} has an item that is no text", "name the items (use_colnames=True in mlxtend)"
            )
        sides.append(items)
    if sides[0] & sides[1] or not sides[1]:
        what = "has an item on both sides" if sides[1] else "has nothing on its right side"
        raise bad_parameter(f"rule {i + 1:,} {what}", "such a rule says nothing")
    shares = []
    for name, share in (("support", support), ("confidence", confidence)):
        if share is not None and not 0 <= float(share) <= 1:
            raise bad_parameter(f"the {name} of rule {i + 1:,} is no share between 0 and 1", "give 0.75 for 75 %")
        shares.append(None if share is None else float(share))
    return Rule(tuple(sorted(sides[0])), tuple(sorted(sides[1])), shares[0], shares[1])


def read_items(table: Any) -> Items:
    """Return which rows have which items, from a frame of true and false or from a list of transactions.

    >>> read_items([{"tea"}, {"tea", "milk"}]).has("milk").tolist()
    [False, True]
    """
    if isinstance(table, Items):
        return table
    if isinstance(table, list | tuple):
        return _items_of_transactions(table)
    arrow = to_arrow(table)
    found = {name: _booleans(arrow.column(name)) for name in arrow.column_names}
    nulls = {name: arrow.column(name).null_count for name, has in found.items() if has is not None}
    columns = {name: has for name, has in found.items() if has is not None and not nulls[name]}
    others = tuple(name for name, has in found.items() if has is None)
    return Items(columns, arrow.num_rows, False, others, {name: count for name, count in nulls.items() if count})


def _columns(names: Sequence[str]) -> str:
    return f"column{'' if len(names) == 1 else 's'} {listed(names)}"


def _hold_others(names: Sequence[str]) -> str:
    return f"{_columns(names)} hold{'s' if len(names) == 1 else ''} other values than true and false"


def _items_of_transactions(transactions: Sequence[Any]) -> Items:
    rows: dict[str, list[int]] = {}
    for row, items in enumerate(transactions):
        if isinstance(items, str) or not all(isinstance(item, str) for item in items):
            raise not_a_table(f"transaction {row + 1:,} is no set of items", 'give sets such as {"tea", "milk"}')
        for item in set(items):
            rows.setdefault(item, []).append(row)
    columns = {}
    for item in sorted(rows):
        columns[item] = np.zeros(len(transactions), bool)
        columns[item][rows[item]] = True
    return Items(columns, len(transactions), True)


def _booleans(column: Any) -> BoolVector | None:
    """Return a column of true and false, or of 1 and 0, missing as false; None if it holds anything else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_boolean(kind):
        return np.asarray(column.fill_null(False).to_numpy(), bool)
    if pa.types.is_null(kind):
        return np.zeros(len(column), bool)
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if is_number and set(pc.unique(column).drop_null().to_pylist()) <= {0, 1}:
        return np.asarray(column.cast(pa.float64()).fill_null(0.0).to_numpy() == 1.0, bool)
    return None


# --- states --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The distinct rows of the public items that some rules use."""

    rows: IntMatrix
    """(m, items) of 0 and 1."""
    of_row: IntVector
    """(n,): the pattern of each row of the table."""
    items: tuple[str, ...]
    public: frozenset[str]
    """All public items, also those that no rule uses."""

    @property
    def counts(self) -> IntVector:
        """Return (m,): how many rows have each pattern."""
        return np.bincount(self.of_row, minlength=len(self.rows))


def public_patterns(rules: Sequence[Rule], items: Items, public_items: Sequence[str]) -> Patterns:
    """Return what others see of the rows, as far as it concerns the rules; the items are checked."""
    if isinstance(public_items, str):
        raise bad_parameter("`public_items` is a text, not a list", 'give ["cherries"]')
    named = dict.fromkeys(item for rule in rules for item in (*rule.left, *rule.right))
    items.check_columns({*public_items, *named})
    known = {*items.columns, *named}
    for item in public_items:
        if item not in known:
            raise items.unknown(item, sorted(known))
    if not items.n_rows:
        raise InputError("the table has no rows", code="empty-table", hint="give the table the rules were learned from")
    for item in named:
        items.has(item)  # or it raises
    public = frozenset(public_items)
    seen = tuple(sorted(public.intersection(named)))
    rows, of_row = _patterns(items, seen)
    return Patterns(rows.astype(np.int64), of_row, seen, public)


def _patterns(items: Items, seen: Sequence[str]) -> tuple[BoolVector, IntVector]:
    """Return (m, items): the distinct rows of some items, and the number of each row of the table."""
    if not seen:
        return np.zeros((1, 0), bool), np.zeros(items.n_rows, np.int64)
    packed = np.packbits(np.stack([items.has(item) for item in seen], axis=1), axis=1)
    distinct, of_row = _distinct_rows(packed)
    return np.unpackbits(distinct.astype(np.uint8), axis=1, count=len(seen)).astype(bool), of_row


def _distinct_rows(matrix: IntMatrix) -> tuple[IntMatrix, IntVector]:
    """Return the distinct rows, the greatest first, and the number of each row."""
    if matrix.shape[1] == 0:
        return matrix[:1], np.zeros(len(matrix), np.int64)
    distinct, of_row = np.unique(matrix, axis=0, return_inverse=True)
    last = len(distinct) - 1
    return distinct[::-1], last - of_row.reshape(-1)


def states_and_flags(rules: Sequence[Rule], patterns: Patterns) -> tuple[IntMatrix, BoolVector]:
    """Return (patterns, R): the public state (0 to 3) of each rule, and whether more than one outcome is open."""
    place = {item: i for i, item in enumerate(patterns.items)}
    states = np.zeros((len(patterns.rows), len(rules)), np.int8)
    many = np.zeros((len(patterns.rows), len(rules)), bool)
    for r, rule in enumerate(rules):
        left, right = (
            _has_all(patterns.rows, [place[i] for i in side if i in place]) for side in (rule.left, rule.right)
        )
        states[:, r] = _outcome(rule, left, right)
        many[:, r] = np.array([len(outcomes) > 1 for outcomes in _outcomes(rule, patterns.public)])[states[:, r]]
    return states, many


def _has_all(rows: IntMatrix | BoolVector, places: Sequence[int]) -> BoolVector:
    """Return which rows have all items of some places."""
    return np.asarray(rows[:, list(places)].all(axis=1), bool)


def _outcomes(rule: Rule, public: frozenset[str]) -> tuple[tuple[int, ...], ...]:
    """Return what a rule's outcome may be in each public state."""
    left = (True,) if public.issuperset(rule.left) else (True, False)
    right = (True,) if public.issuperset(rule.right) else (True, False)
    return tuple(
        tuple(sorted({int(_outcome(rule, np.array(one), np.array(two))) for one in lefts for two in rights}))
        for lefts, rights in (((False,), (False,)), (left, (False,)), (left, right), ((False,), right))
    )


def _outcome(rule: Rule, left: BoolVector, right: BoolVector) -> IntVector:
    """Return the outcome of a rule where its sides are there or not; the state, if public items alone are looked at."""
    return np.where(left, np.where(right, 2, 1), np.where(right & rule.tells_right, 3, 0))


def _class_numbers(r: int, outcomes: Sequence[int], n_rules: int) -> list[int]:
    """Return the numbers of some outcomes of a rule, as in `outcome_names`."""
    return [3 * r + outcome if outcome < 3 else 3 * n_rules + r for outcome in outcomes]


def _joint_outcomes(rules: Sequence[Rule], items: Items, public: frozenset[str]) -> tuple[IntVector, tuple[str, ...]]:
    """Return the joint outcome of every row, and the outcomes that occur, in words."""
    used = sorted({item for rule in rules for item in (*rule.left, *rule.right)})
    place = {item: i for i, item in enumerate(used)}
    rows, of_row = _patterns(items, used)
    joined = np.zeros(len(rows), np.int64)
    told = OutcomeWords(rules, public, len(rows))
    for start in range(0, len(rules), _AT_ONCE):
        code = np.zeros(len(rows), np.int64)
        for r in range(start, min(start + _AT_ONCE, len(rules))):
            left, right = (_has_all(rows, [place[i] for i in side]) for side in (rules[r].left, rules[r].right))
            outcome = _outcome(rules[r], left, right)
            told.add(r, outcome)
            code = code * len(OUTCOMES) + outcome
        # number the pairs (outcomes so far, these outcomes) that occur, so that the numbers stay small
        found, code = np.unique(code, return_inverse=True)
        joined = np.unique(joined * len(found) + code.reshape(-1), return_inverse=True)[1].reshape(-1)
    _, first = np.unique(joined, return_index=True)
    return joined[of_row], tuple(map(told.of, first.tolist()))


def _joint_classes(rules: Sequence[Rule], public: frozenset[str], states: Sequence[int]) -> int | None:
    """Return how many joint outcomes are possible where the public states are these."""
    active = [(rule, state) for rule, state in zip(rules, states, strict=True) if state]
    private = sorted({item for rule, _ in active for item in (*rule.left, *rule.right) if item not in public})
    if len(private) > MOST_PRIVATE_ITEMS:
        return None
    bit = {item: 1 << i for i, item in enumerate(private)}
    every = np.arange(1 << len(private))
    joined = np.zeros(len(every), np.int64)
    for rule, state in active:
        left = sum(bit[item] for item in rule.left if item in bit)
        right = sum(bit[item] for item in rule.right if item in bit)
        has_left: BoolVector = ((every & left) == left) & np.array(state in (1, 2))
        has_right: BoolVector = ((every & right) == right) & np.array(state in (2, 3))
        outcome = _outcome(rule, has_left, has_right)
        joined = np.unique(joined * len(OUTCOMES) + outcome, return_inverse=True)[1].reshape(-1)
    return int(joined.max()) + 1


# --- counts --------------------------------------------------------------------------------------------------------


def _counts(rules: Sequence[Rule], items: Items, digits: tuple[int, int] | None) -> tuple[RuleCounts, ...]:
    if digits is None:
        digits = _decimals(rule.support for rule in rules), _decimals(rule.confidence for rule in rules)
    found = []
    for rule in rules:
        left = items.has_all(rule.left)
        both = left & items.has_all(rule.right)
        implied = implied_counts(items.n_rows, rule.support, rule.confidence, digits)
        found.append(RuleCounts(rule, int(left.sum()), int(both.sum()), *implied))
    return tuple(found)


def _decimals(shares: Iterable[float | None]) -> int:
    """Return the greatest number of decimals that some shares are written with, as far as float64 can be trusted."""
    exponents = (Decimal(repr(share)).normalize().as_tuple().exponent for share in shares if share is not None)
    return min(max([0, *(-int(exponent) for exponent in exponents)]), _TRUSTED_DECIMALS)


def implied_counts(
    n_rows: int, support: float | None, confidence: float | None, digits: tuple[int, int]
) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Return the least and greatest number of rows with the left side, and with both, that others can work out.

    digits: to how many decimals support and confidence were rounded.

    >>> implied_counts(1000, 0.024, 0.8, (3, 2)), implied_counts(1000, 0.024, 0.8, (3, 1))
    (((30, 30), (24, 24)), ((29, 32), (24, 24)))
    """
    if support is None:
        return None, None
    low, high = _rounded(support, digits[0])
    both = max(0, math.ceil(low * n_rows)), min(n_rows, math.floor(high * n_rows))
    if confidence is None:
        return None, both
    least, most = _rounded(confidence, digits[1])
    left_low = math.ceil(both[0] / most) if most else both[0]
    left_high = math.floor(both[1] / least) if least else n_rows
    return (min(max(both[0], left_low), n_rows), min(n_rows, left_high)), both


def _rounded(share: float, digits: int) -> tuple[Fraction, Fraction]:
    """Return the shares that are written like this with so many decimals (both ends included)."""
    half = Fraction(1, 2 * 10**digits)
    value = Fraction(repr(share))
    return max(Fraction(0), value - half), min(Fraction(1), value + half)
