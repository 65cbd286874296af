"""Association rules that can be released together (Friedman, Wolff and Schuster 2008, sections 4.3 and 5).

mlxtend finds the frequent rules.  Of these the largest set is kept whose spans with more than one class all have at
least k rows.  A rule more only parts spans and adds outcomes, so every part of a safe set is safe and a rule that was
refused stays refused: going through the rules by interest, taking each that keeps the set safe, gives a set to which
no rule can be added; for few rules the largest is found exactly.

Cost: one pass over the distinct patterns of public items per rule; the exact search at most 2**exact_up_to passes.
Ties: the greater support, then the shorter rule, then names.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import at_least, bad_parameter, check, one_of, optional, plural, require_rows
from covey.base.errors import InputError
from covey.compiled.interrupts import signals_that_wait
from covey.mining.faults import bad_model, installed
from covey.mining.rules.rules import OUTCOMES, Items, Rule, public_patterns, read_items, read_rules, states_and_flags

with installed("rules need a package that is not installed"):
    from sklearn.base import BaseEstimator

__all__ = ["INTERESTS", "KAnonymousRules", "SafeRules", "Withheld", "exact_share", "keep_safe"]

INTERESTS = ("confidence", "lift", "leverage", "support")
MOST_EXACT = 30
_SLACK = 1e-9  # of what mlxtend is asked for; what it finds too much is compared exactly
FORMAT = "covey k-anonymous rules"


def _share(value: object) -> str | None:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return None if is_number and 0 < float(value) <= 1 else "a number above 0 and at most 1"  # type: ignore[arg-type]


def exact_share(value: Any) -> Fraction:
    """Return a share as it is written: 0.07 as 7 / 100.

    >>> exact_share(0.07), exact_share(np.float32(0.1))
    (Fraction(7, 100), Fraction(1, 10))
    """
    return Fraction(str(value))


def _interest(measure: str, both: int, left: int, right: int, n_rows: int) -> Fraction:
    """Return the interest of a rule, from how many rows have both sides, the left and the right one.

    >>> _interest("lift", 7, 10, 14, 100), _interest("leverage", 7, 10, 14, 100)
    (Fraction(5, 1), Fraction(7, 125))
    """
    if measure == "support":
        return Fraction(both, n_rows)
    if measure == "confidence":
        return Fraction(both, left)
    if measure == "lift":
        return Fraction(both * n_rows, left * right)
    return Fraction(both * n_rows - left * right, n_rows * n_rows)


def _few(value: object) -> str | None:
    return at_least(0)(value) or (None if int(value) <= MOST_EXACT else f"at most {MOST_EXACT}")  # type: ignore[call-overload]


@dataclass(frozen=True, slots=True)
class Withheld:
    """A frequent rule that is not released; for the steward only."""

    rule: Rule
    people: int
    """How many rows the smallest offending span would hold: by itself, or else beside the kept rules."""
    alone: bool
    """Whether it could not be released by itself either."""

    @property
    def reason(self) -> str:
        """Return why, in words."""
        beside = "by itself" if self.alone else "beside the rules that are kept"
        return f"{beside} it would tie {plural(self.people, 'row')} to private items"


@dataclass(frozen=True, slots=True)
class SafeRules:
    """Rules that may be released together, and those that may not."""

    rules: tuple[Rule, ...]
    withheld: tuple[Withheld, ...]
    """For the steward only."""
    is_exact: bool
    """Whether no larger set is safe."""


def keep_safe(
    rules: Sequence[Rule],
    table: Any,
    public_items: Sequence[str],
    k: int,
    interest: Sequence[float | Fraction] | None = None,
    *,
    exact_up_to: int = 16,
) -> SafeRules:
    """Return the largest set of given rules whose joint release is k-anonymous for `table`.

    interest: of each rule, higher is better; without, earlier is better.  The greedy search goes by it; if at most
    `exact_up_to` rules are safe by themselves, the largest set is found, and of several the one of most interest.

    >>> rules = [Rule(("bread",), ("pills",)), Rule(("tea",), ("pills",))]
    >>> carts = [{"bread", "pills"}, {"bread"}, {"tea", "pills"}]
    >>> found = keep_safe(rules, carts, ["bread", "tea"], k=2)
    >>> [str(rule) for rule in found.rules], found.withheld[0].reason
    (['{bread} -> {pills}'], 'by itself it would tie 1 row to private items')
    """
    items = read_items(table)
    patterns = public_patterns(rules, items, public_items)
    value = [0] * len(rules) if interest is None else _in_whole_numbers(interest)
    order = sorted(range(len(rules)), key=lambda r: -value[r])
    search = _Search(k, patterns.counts, *states_and_flags(rules, patterns), value)
    alone = [r for r in order if search.least(*search.after([r])) >= k]
    kept = search.greedy(order)
    is_exact = len(alone) <= exact_up_to
    if is_exact:
        kept = search.largest(alone, kept)
    beside, kept_set, safe_alone = search.after(kept), set(kept), set(alone)
    withheld = (
        Withheld(
            rules[r],
            search.least(*search.refined(*(beside if r in safe_alone else search.start()), r)),
            r not in safe_alone,
        )
        for r in order
        if r not in kept_set
    )
    return SafeRules(tuple(rules[r] for r in order if r in kept_set), tuple(withheld), is_exact)


def _in_whole_numbers(interest: Sequence[float | Fraction]) -> list[int]:
    """Return interests times what makes all of them whole, so that sums of them are compared exactly."""
    exact = [one if isinstance(one, Fraction) else Fraction(float(one)) for one in interest]
    times = math.lcm(*(one.denominator for one in exact))
    return [int(one * times) for one in exact]


class KAnonymousRules(BaseEstimator):  # type: ignore[misc]
    """The largest set of frequent association rules whose joint release is k-anonymous.

    Parameters
    ----------
    k : least number of rows in every span of more than one class.
    public : the items that others can see; all others are private.
    min_support, min_confidence : what makes a rule frequent, exactly: 0.07 of 100 rows are 7.
    max_length : most items in a rule, both sides together; None for no limit.
    interest : what the greedy search goes by: "confidence", "lift", "leverage" or "support".
    exact_up_to : up to so many rules the largest safe set is found exactly; of sets of that size the one with the
        greatest sum of the interest.

    Attributes after `fit`: `rules_` (what may be released), `n_frequent_` (how many were found), `is_exact_`, and
    `withheld_` (the others, with reasons): for the steward only, never saved with the model.

    >>> carts = [{"bread", "pills"}, {"bread", "pills"}, {"bread", "pills"}, {"bread"}, {"tea", "pills"}, {"tea"}]
    >>> model = KAnonymousRules(k=3, public=["bread", "tea"], min_support=0.1, min_confidence=0.5).fit(carts)
    >>> [str(rule) for rule in model.rules_]
    ['{bread} -> {pills}']
    """

    checks: ClassVar[dict[str, Callable[[object], str | None]]] = {
        "k": at_least(2),
        "min_support": _share,
        "min_confidence": _share,
        "max_length": optional(at_least(2)),
        "interest": one_of(*INTERESTS),
        "exact_up_to": _few,
    }

    def __init__(
        self,
        k: int = 5,
        public: Sequence[str] = (),
        *,
        min_support: float = 0.1,
        min_confidence: float = 0.5,
        max_length: int | None = 4,
        interest: str = "confidence",
        exact_up_to: int = 16,
    ) -> None:
        self.k = k
        self.public = public
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_length = max_length
        self.interest = interest
        self.exact_up_to = exact_up_to

    @signals_that_wait()
    def fit(self, table: Any, y: object = None) -> Self:
        """Find the frequent rules of `table` and keep the largest safe set.

        table: a frame with a column of true and false (or 1 and 0) per item, or a list of transactions, each a set of
        items.  A column of anything else is refused, and so is a missing value: whether the item is there is not known.
        """
        check(self)
        items = read_items(table)
        items.check_columns()
        require_rows(self.k, items.n_rows)
        rules, interest = self._frequent(items)
        kept = keep_safe(rules, items, self.public, self.k, interest, exact_up_to=self.exact_up_to)
        # in an order that the released numbers give: one by lift would tell of right sides
        self.rules_ = tuple(sorted(kept.rules, key=lambda rule: (-(rule.confidence or 0.0), *_rank(rule))))
        self.is_exact_ = kept.is_exact
        self.withheld_ = kept.withheld
        self.n_frequent_ = len(rules)
        return self

    def _frequent(self, items: Items) -> tuple[tuple[Rule, ...], list[Fraction]]:
        """Return the frequent rules, the most interesting first, and their interest.

        A threshold is the number as it is written, and is compared with counts: 0.07 is 7 of 100 rows, not the binary
        number just above.
        """
        import pandas as pd
        from mlxtend.frequent_patterns import association_rules, fpgrowth

        if not items.columns:
            return (), []
        frame = pd.DataFrame(dict(items.columns))
        n_rows = items.n_rows
        least = max(math.ceil(exact_share(self.min_support) * n_rows), 1)
        # between two counts, so that no rounding decides about a set that lies on the threshold
        found = fpgrowth(frame, min_support=(least - 0.5) / n_rows, use_colnames=True, max_len=self.max_length)
        if not len(found):
            return (), []
        with np.errstate(all="ignore"):  # of measures that are not asked for
            made = association_rules(
                found, num_itemsets=n_rows, metric="confidence", min_threshold=float(self.min_confidence) * (1 - _SLACK)
            )
        rows = {
            items_of: round(support * n_rows)
            for items_of, support in zip(found["itemsets"], found["support"], strict=True)
        }
        least_share = exact_share(self.min_confidence)
        listed = []
        for left, right in zip(made["antecedents"], made["consequents"], strict=True):
            both = rows[left | right]
            if Fraction(both, rows[left]) >= least_share:
                rule = Rule(tuple(sorted(left)), tuple(sorted(right)), both / n_rows, both / rows[left])
                listed.append((rule, _interest(self.interest, both, rows[left], rows[right], n_rows)))
        listed.sort(key=lambda one: (-one[1], *_rank(one[0])))
        return tuple(rule for rule, _ in listed), [value for _, value in listed]

    def to_frame(self) -> Any:
        """Return what may be released as a pandas frame with mlxtend's column names."""
        import pandas as pd

        self._require_fit()
        rows = [(frozenset(rule.left), frozenset(rule.right), rule.support, rule.confidence) for rule in self.rules_]
        return pd.DataFrame(rows, columns=["antecedents", "consequents", "support", "confidence"])

    def to_json(self) -> str:
        """Return what may be released as JSON: the kept rules and nothing of those withheld."""
        self._require_fit()
        rules = [
            {"left": list(rule.left), "right": list(rule.right), "support": rule.support, "confidence": rule.confidence}
            for rule in self.rules_
        ]
        document = {"format": FORMAT, "version": 1, "k": self.k, "public": sorted(self.public), "rules": rules}
        return json.dumps(document, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> KAnonymousRules:
        """Return the model that `to_json` wrote: `k`, `public` and `rules_`; every part is checked, nothing is run."""
        try:
            document = json.loads(text)
            json.dumps(document, ensure_ascii=False).encode()  # half a character, as \ud800 is, can be in no item
            return _read(cls, document)
        except InputError as error:
            raise bad_model(f"the text is no model of covey's rules: {error.message}") from None
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            raise bad_model("the text is no model of covey's rules") from None

    def _require_fit(self) -> None:
        if not hasattr(self, "rules_"):
            raise bad_parameter("the rules are not there yet", "call `fit` first")

    def __getstate__(self) -> dict[str, Any]:
        # a saved model must not tell which rules were withheld, nor how many
        hidden = ("withheld_", "n_frequent_")
        return {name: value for name, value in super().__getstate__().items() if name not in hidden}


def _read(kind: type[KAnonymousRules], document: Any) -> KAnonymousRules:
    """Return the model of a JSON document; whatever is wrong with it raises an error."""
    k, public, told = document["k"], document["public"], document["rules"]
    is_known = document["format"] == FORMAT and document["version"] == 1
    if not is_known or type(k) is not int or k < 2 or not _are_texts(public):
        raise ValueError("another format, no k, or no list of public items")
    if not isinstance(told, list) or not all(map(_is_told_rule, told)):
        raise ValueError("no list of rules")
    model = kind(k, public)
    model.rules_ = read_rules([(rule["left"], rule["right"], rule["support"], rule["confidence"]) for rule in told])
    return model


def _is_told_rule(rule: Any) -> bool:
    """Return whether a rule has what `to_json` writes of it and nothing else: a lift, say, would tell more."""
    return (
        set(rule) == {"left", "right", "support", "confidence"}
        and all(_are_texts(rule[side]) and len(set(rule[side])) == len(rule[side]) for side in ("left", "right"))
        and all(type(rule[share]) in (int, float) and 0 <= rule[share] <= 1 for share in ("support", "confidence"))
    )


def _are_texts(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(item, str) for item in given)


def _rank(rule: Rule) -> tuple[float, int, tuple[str, ...], tuple[str, ...]]:
    """Return what decides between rules of the same interest."""
    return -(rule.support or 0.0), len(rule.left) + len(rule.right), rule.left, rule.right


class _Search:
    """Which sets of rules are safe, by refining the patterns of public items rule by rule."""

    def __init__(self, k: int, counts: IntVector, states: IntVector, many: BoolVector, interest: Sequence[int]) -> None:
        self.k = k
        self.counts = counts
        self.states = states
        """(patterns, R)"""
        self.many = many
        """(patterns, R): whether the rule leaves the pattern more than one outcome."""
        self.interest = interest

    def start(self) -> tuple[IntVector, BoolVector]:
        """Return the spans and flags of patterns where no rule is released."""
        return np.zeros(len(self.counts), np.int64), np.zeros(len(self.counts), bool)

    def refined(self, spans: IntVector, flags: BoolVector, rule: int) -> tuple[IntVector, BoolVector]:
        """Return the spans and flags of patterns after one rule more."""
        parts = np.unique(spans * len(OUTCOMES) + self.states[:, rule], return_inverse=True)[1].reshape(-1)
        return parts, flags | self.many[:, rule]

    def least(self, spans: IntVector, flags: BoolVector) -> int:
        """Return the smallest population of a span with more than one class; all rows if there is none."""
        population = np.bincount(spans, weights=self.counts)
        return int(population[spans[flags]].min(initial=self.counts.sum()))

    def after(self, rules: Sequence[int]) -> tuple[IntVector, BoolVector]:
        """Return the spans and flags of patterns under some rules."""
        state = self.start()
        for rule in rules:
            state = self.refined(*state, rule)
        return state

    def greedy(self, order: Sequence[int]) -> list[int]:
        """Return the rules that keep the set safe, taken in their order."""
        kept = []
        state = self.start()
        for rule in order:
            tried = self.refined(*state, rule)
            if self.least(*tried) >= self.k:
                kept.append(rule)
                state = tried
        return kept

    def largest(self, candidates: Sequence[int], best: list[int]) -> list[int]:
        """Return the largest safe set; of several, the one with the greatest sum of interest, then the first found.

        Depth first, each rule taken before it is left out; a branch that cannot become better is left.
        """
        left_over = [0] * (len(candidates) + 1)
        for i in reversed(range(len(candidates))):
            left_over[i] = left_over[i + 1] + max(self.interest[candidates[i]], 0)
        found = best
        value = len(best), sum(self.interest[rule] for rule in best)

        def go(i: int, chosen: list[int], total: int, state: tuple[IntVector, BoolVector]) -> None:
            nonlocal found, value
            if (len(chosen), total) > value:
                found, value = list(chosen), (len(chosen), total)
            if i == len(candidates) or (len(chosen) + len(candidates) - i, total + left_over[i]) <= value:
                return
            rule = candidates[i]
            tried = self.refined(*state, rule)
            if self.least(*tried) >= self.k:
                go(i + 1, [*chosen, rule], total + self.interest[rule], tried)
            go(i + 1, chosen, total, state)

        go(0, [], 0, self.start())
        return found
