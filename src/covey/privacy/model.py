"""What a privacy model is to the maker: which classes satisfy it, and if it can say so, by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from covey.ask.models import ModelSpec, entry_of, model_spec
from covey.base.arrays import BoolVector, IntVector

__all__ = ["Model", "Rule", "class_values"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a class must satisfy: `least` different values, and (rows of the commonest) x `times` <= rows x `per`."""

    least: int
    times: int
    per: int


def class_values(labels: IntVector, codes: IntVector, n_classes: int) -> tuple[IntVector, IntVector, IntVector]:
    """Return (rows, different values, rows of the commonest value) of every class; rows of class -1 are in none.

    >>> class_values(np.array([0, 0, 0, 1, 1, -1]), np.array([2, 2, 0, 1, 1, 5]), 2)
    (array([3, 2]), array([2, 1]), array([2, 2]))
    """
    inside = labels >= 0
    owner, code = labels[inside], codes[inside]
    width = int(codes.max(initial=0)) + 1
    keys, counts = np.unique(owner * width + code, return_counts=True)
    most = np.zeros(n_classes, np.int64)
    np.maximum.at(most, keys // width, counts)
    return np.bincount(owner, minlength=n_classes), np.bincount(keys // width, minlength=n_classes), most


class Model:
    """A privacy model over the classes of one kept column; a model of one's own derives from it and gives `passes`.

    Its fields are `column` and the parameters that its entry names (`covey.ask.models.ModelEntry`).
    """

    __slots__ = ()
    name: ClassVar[str]
    column: str

    def __post_init__(self) -> None:
        self.spec()

    def spec(self) -> ModelSpec:
        """Return the model as plain words, which is all that the verifier knows of it."""
        given = {parameter.name: getattr(self, parameter.name) for parameter in entry_of(self.name).parameters}
        return model_spec({"model": self.name, "column": self.column, **given})

    def least_rows(self) -> int:
        """Return how many rows a class needs at least."""
        return 1

    def rule(self) -> Rule | None:
        """Return what a class must satisfy in a form that searches hold to; None: it is seen to after the search."""
        return None

    def passes(self, labels: IntVector, codes: IntVector, n_classes: int) -> BoolVector:
        """Return which classes satisfy the model: labels (n,) the class of each row, codes (n,) its value."""
        raise TypeError(f"{type(self).__name__} does not say which classes satisfy it")
