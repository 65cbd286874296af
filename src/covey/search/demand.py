"""What every class must satisfy: k rows, and privacy models.

A search holds to it by `search.kernels.states`, as far as the models have a `rule`; the others are seen to after the
search (`search.repair`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from covey.ask.models import is_at_least
from covey.base.arrays import BoolVector, IntVector
from covey.base.checks import plural
from covey.base.errors import Infeasible
from covey.codes.tallies import Tally
from covey.privacy.model import Model, class_values
from covey.search.kernels.states import Needs

__all__ = ["Demand", "share_for_counts"]


@dataclass(frozen=True, slots=True)
class Demand:
    """At least `k` rows in every class, and privacy models over kept columns."""

    k: int
    models: tuple[Model, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the kept columns that the models speak of."""
        return tuple(dict.fromkeys(model.column for model in self.models))

    @property
    def least_rows(self) -> int:
        """Return how many rows a class needs at least: k, or what a model needs."""
        return max([self.k, *(math.ceil(model.least_rows()) for model in self.models)])

    @property
    def has_rules(self) -> bool:
        """Return whether all models can be judged by kernels."""
        return all(model.rule() is not None for model in self.models)

    def with_rules(self) -> Demand:
        """Return the demand without the models that kernels cannot judge; what these need of rows stays."""
        return Demand(self.least_rows, tuple(model for model in self.models if model.rule() is not None))

    def passing(self, labels: IntVector, values: Mapping[str, IntVector]) -> BoolVector:
        """Return which classes satisfy every model; values: the codes of each column, by its name."""
        n_classes = int(labels.max(initial=-1)) + 1
        passing = np.ones(n_classes, bool)
        for model in self.models:
            passing &= model.passes(labels, values[model.column], n_classes)
        return passing

    def holds_together(self, values: Mapping[str, IntVector]) -> bool:
        """Return whether rows, all as one class, satisfy every model."""
        return all(_passes_together(model, values[model.column]) for model in self.models)

    def require_feasible(self, values: Mapping[str, IntVector]) -> None:
        """Raise `Infeasible` unless all rows together satisfy every model: if they do not, no classes can."""
        for model in self.models:
            if not _passes_together(model, values[model.column]):
                raise _infeasible(model, values[model.column])

    def needs(self, rows: IntVector, tallies: Mapping[str, Tally]) -> Needs:
        """Return the demand for kernels: rows (items,) of each item, and their tallies by column."""
        rules = [(self.columns.index(model.column), rule) for model in self.models if (rule := model.rule())]
        own = [tallies[name] for name in self.columns]
        begin = np.cumsum([1 + 2 * len(own), *(tally.size for tally in own)]).astype(np.int64)
        first = np.cumsum([0, *(len(tally.values) for tally in own)])
        starts = [tally.starts + at for tally, at in zip(own, first, strict=False)]
        empty = np.zeros(0, np.int64)
        n_rows = int(rows.sum())
        shares = [share_for_counts(rule.times, rule.per, n_rows) for _, rule in rules]
        return Needs(
            k=min(self.least_rows, n_rows),
            begin=begin,
            starts=np.array([np.zeros(len(rows) + 1), *starts], np.int64)[1:],
            values=np.concatenate([empty, *(tally.values + at for tally, at in zip(own, begin, strict=False))]),
            counts=np.concatenate([empty, *(tally.counts for tally in own)]),
            rows=rows.astype(np.int64),
            column=np.array([column for column, _ in rules], np.int64),
            least=np.array([rule.least for _, rule in rules], np.int64),
            times=np.array([times for times, _ in shares], np.int64),
            per=np.array([per for _, per in shares], np.int64),
        )


def share_for_counts(times: int, per: int, n_rows: int) -> tuple[int, int]:
    """Return (times, per) that decide alike for counts of up to `n_rows` rows, and whose products fit into 64 bits."""
    if times == 0:
        return 0, 1
    share = _nearest_below(min(Fraction(per, times), Fraction(1)), max(n_rows, 1))
    return (share.denominator, share.numerator) if share else (n_rows + 1, 1)  # no value may have a row


def _nearest_below(share: Fraction, most: int) -> Fraction:
    """Return the greatest fraction up to `share` with a denominator up to `most`.

    >>> _nearest_below(Fraction(10**15, 3 * 10**15 + 1), 100), _nearest_below(Fraction(1, 3), 100)
    (Fraction(33, 100), Fraction(1, 3))
    """
    if share.denominator <= most:
        return share
    # continued fractions, as in `Fraction.limit_denominator`, end with the neighbours on both sides
    (below, above), (top, bottom) = ((0, 1), (1, 0)), share.as_integer_ratio()
    while (whole := top // bottom) * above[1] + below[1] <= most:
        below, above = above, (below[0] + whole * above[0], below[1] + whole * above[1])
        top, bottom = bottom, top - whole * bottom
    steps = (most - below[1]) // above[1]
    return min(Fraction(*above), Fraction(below[0] + steps * above[0], below[1] + steps * above[1]))


def _passes_together(model: Model, codes: IntVector) -> bool:
    return bool(model.passes(np.zeros(len(codes), np.int64), codes, 1)[0])


def _infeasible(model: Model, codes: IntVector) -> Infeasible:
    rows, different, most = (int(found[0]) for found in class_values(np.zeros(len(codes), np.int64), codes, 1))
    rule = model.rule()
    reached = f"its commonest value has {most:,} of {plural(rows, 'row')}"
    if rule is None:
        reached = "not even all rows together satisfy it"
    elif rule.least > different:
        reached = f"there {'is' if different == 1 else 'are'} {plural(different, 'different value')}"
    parameters = ", ".join(f"{name} = {value:g}" for name, value in model.spec().parameters)
    first = model.spec().parameters[0][0]
    return Infeasible(
        f"{model.name} with {parameters} cannot be met for column `{model.column}`: {reached}",
        code="infeasible-model",
        hint=f"ask for a {'smaller' if is_at_least(model.name) else 'greater'} {first}",
    )
