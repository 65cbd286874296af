"""Decision trees that are written down or read, and their spans: the names of one tree, for callers.

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

from __future__ import annotations

from covey.mining.trees.model import Cut, Leaf, Partition, Split, TreeModel, make_tree
from covey.mining.trees.reach import ModelSpans
from covey.mining.trees.reach import spans_of_trees as tree_spans

__all__ = ["Cut", "Leaf", "ModelSpans", "Partition", "Split", "TreeModel", "make_tree", "tree_spans"]
