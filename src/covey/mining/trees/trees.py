"""The spans of a decision tree (Friedman, Wolff and Schuster 2008, section 4.1).

A class of the model is a leaf, or with a private class each bin of a leaf: the label of a person is not known.  With
a public class the row's own label is part of what others know.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from covey.mining.trees.attributes import Domain
from covey.mining.trees.model import Cut, Leaf, Partition, Split, TreeModel, make_tree
from covey.mining.trees.reach import ModelSpans, spans_of_trees

__all__ = ["Cut", "Leaf", "ModelSpans", "Partition", "Split", "TreeModel", "make_tree", "tree_spans"]


def tree_spans(
    model: TreeModel,
    table: Any,
    *,
    public: Collection[str],
    target: str | None = None,
    target_is_private: bool | None = None,
    kinds: Mapping[str, Literal["integer", "real"]] | None = None,
    domains: Mapping[str, Domain] | None = None,
) -> ModelSpans:
    """Return the spans of the rows of the training table under a tree.

    target: the column of labels, private unless it is one of the public columns or `target_is_private` says
    otherwise.  Attributes that are not public are private; the domain of one is what the model and the table know
    of its values, or all numbers, unless `domains` says more: the values of a category, (least, greatest) of a
    number.  kinds: whether a number is an integer or real, if the column does not tell.

    The married with a sports car, a private matter, are told apart from the others:

    >>> import pyarrow as pa
    >>> table = pa.table({"married": ["no", "yes", "yes"], "car": ["yes", "yes", "no"], "risk": ["g", "g", "b"]})
    >>> car = Split("car", {"no": Leaf("no car"), "yes": Split("married", {"yes": Leaf("m"), "no": Leaf("u")})})
    >>> found = tree_spans(make_tree(car, labels=["g", "b"]), table, public=["married"], target="risk")
    >>> [(found.spans.words[s], int(found.spans.populations[s])) for s in found.spans.below(3)]
    [(('married = no',), 1), (('married = yes',), 2)]
    >>> sorted(found.bin_names[c] for c in found.spans.classes[1])
    ['m/b', 'm/g', 'no car/b', 'no car/g']
    """
    return spans_of_trees(
        [model],
        table,
        public=public,
        target=target,
        target_is_private=target_is_private,
        kinds=kinds,
        domains=domains,
    )
