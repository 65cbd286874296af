"""The joint spans of a model of several trees: a random forest, or trees that were boosted.

Whoever has the model can ask every tree, so a class of it is a leaf in each of them, and two rows have the same span
iff they reach the same leaves in every tree.  That each tree alone is k-anonymous is not enough: two trees, each with
two people at every leaf, together tell everybody apart:

>>> import pyarrow as pa
>>> from covey.mining.trees.trees import Leaf, Split, make_tree
>>> table = pa.table({"sex": ["f", "f", "m", "m"], "home": ["east", "west", "east", "west"]})
>>> sex = make_tree(Split("sex", {"f": Leaf(), "m": Leaf()}), is_regression=True)
>>> home = make_tree(Split("home", {"east": Leaf(), "west": Leaf()}), is_regression=True)
>>> [forest_spans(ForestModel(trees), table, public=["sex", "home"]).spans.k_reached
...  for trees in [(sex,), (home,), (sex, home)]]
[2, 2, 1]
"""

from __future__ import annotations

from covey.mining.trees.model import ForestModel
from covey.mining.trees.reach import spans_of_trees as forest_spans

__all__ = ["ForestModel", "forest_spans"]
