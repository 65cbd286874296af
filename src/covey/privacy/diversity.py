"""l-diversity: every class must hold enough different values of a sensitive column.

`DistinctLDiversity` asks for l different values in every class (Machanavajjhala et al. 2007, as Kabir et al. 2010
use it); `FrequencyLDiversity` that no value has more than 1/l of the rows of a class (Wong et al. 2006).  A missing
value is a value like any other.  Joining two classes that satisfy one of these gives one that does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.privacy.model import Model, Rule, class_values

__all__ = ["DistinctLDiversity", "FrequencyLDiversity"]


class _Diversity(Model):
    """What both models share; `rule` says what a class must satisfy."""

    __slots__ = ()
    l: float  # noqa: E741

    def least_rows(self) -> int:
        """Return how many rows a class needs at least: l different values, or a share of 1/l, need l rows."""
        return math.ceil(self.l)

    def rule(self) -> Rule:
        """Return what a class must satisfy."""
        raise TypeError(f"{type(self).__name__} does not say what it asks for")

    def passes(self, labels: IntVector, codes: IntVector, n_classes: int) -> BoolVector:
        """Return which classes satisfy the model."""
        rows, different, most = class_values(labels, codes, n_classes)
        rule = self.rule()
        # whole numbers of any size: a share such as 1.1 means what it says, not the float beside it
        return np.asarray((different >= rule.least) & (most.astype(object) * rule.times <= rows * rule.per), bool)


@dataclass(frozen=True)
class DistinctLDiversity(_Diversity):
    """At least `l` different values of `column` in every class.

    >>> DistinctLDiversity("diagnosis", l=3)
    DistinctLDiversity(column='diagnosis', l=3)
    """

    name: ClassVar[str] = "distinct-l-diversity"
    column: str
    l: int  # noqa: E741

    def rule(self) -> Rule:
        """Return what a class must satisfy."""
        return Rule(int(self.l), 0, 1)

    def levels(self, labels: IntVector, codes: IntVector, n_classes: int) -> IntVector:
        """Return the l that each class reaches."""
        return class_values(labels, codes, n_classes)[1]


@dataclass(frozen=True)
class FrequencyLDiversity(_Diversity):
    """In every class the commonest value of `column` has at most 1/l of the rows; `l` may be a fraction.

    >>> FrequencyLDiversity("diagnosis", l=2.5).rule()
    Rule(least=1, times=5, per=2)
    """

    name: ClassVar[str] = "frequency-l-diversity"
    column: str
    l: float  # noqa: E741

    def rule(self) -> Rule:
        """Return what a class must satisfy."""
        exact = Fraction(str(self.l))
        return Rule(1, exact.numerator, exact.denominator)

    def levels(self, labels: IntVector, codes: IntVector, n_classes: int) -> FloatVector:
        """Return the l that each class reaches."""
        rows, _, most = class_values(labels, codes, n_classes)
        return rows / np.maximum(most, 1)
