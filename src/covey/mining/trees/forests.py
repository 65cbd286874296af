"""The joint spans of a model of several trees: a random forest, or trees that were boosted.

Whoever has the model can ask every tree, so a class of it is a leaf in each of them, and two rows have the same span
iff they reach the same leaves in every tree.  That each tree alone is k-anonymous is not enough.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from covey.base.errors import InputError
from covey.mining.trees.attributes import Domain
from covey.mining.trees.model import TreeModel
from covey.mining.trees.reach import ModelSpans, spans_of_trees

__all__ = ["ForestModel", "forest_spans"]


@dataclass(frozen=True, slots=True, eq=False)
class ForestModel:
    """Several trees that are one model; all have the same labels."""

    trees: tuple[TreeModel, ...]

    def __post_init__(self) -> None:
        if not self.trees:
            raise InputError("the model has no tree", code="bad-model-file", hint="train it first")

    @property
    def labels(self) -> tuple[str, ...]:
        """Return what the model tells apart; none for a regression."""
        return self.trees[0].labels

    @property
    def is_regression(self) -> bool:
        """Return whether the target is a number."""
        return self.trees[0].is_regression


def forest_spans(
    model: ForestModel,
    table: Any,
    *,
    public: Collection[str],
    target: str | None = None,
    target_is_private: bool | None = None,
    kinds: Mapping[str, Literal["integer", "real"]] | None = None,
    domains: Mapping[str, Domain] | None = None,
) -> ModelSpans:
    """Return the joint spans of the rows of the training table under all trees; see `tree_spans`.

    `spans.classes` holds the bins of the leaves of all trees; `class_of_row` the combination that a row falls into.

    Two trees, each with two people at every leaf; together they tell everybody apart:

    >>> import pyarrow as pa
    >>> from covey.mining.trees.trees import Leaf, Split, make_tree
    >>> table = pa.table({"sex": ["f", "f", "m", "m"], "home": ["east", "west", "east", "west"]})
    >>> sex = make_tree(Split("sex", {"f": Leaf(), "m": Leaf()}), is_regression=True)
    >>> home = make_tree(Split("home", {"east": Leaf(), "west": Leaf()}), is_regression=True)
    >>> [forest_spans(ForestModel(trees), table, public=["sex", "home"]).spans.k_reached
    ...  for trees in [(sex,), (home,), (sex, home)]]
    [2, 2, 1]
    """
    return spans_of_trees(
        model.trees,
        table,
        public=public,
        target=target,
        target_is_private=target_is_private,
        kinds=kinds,
        domains=domains,
    )
