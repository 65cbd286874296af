"""Spans of scikit-learn's trees: a forest of 100 trees on Adult, and single trees on a million rows.

    COVEY_DATA=... python benchmarks/tree_spans.py [ROWS]

Prints the seconds of reading the model, of the spans, and of the words of the spans below k = 10 (at most 5,000),
without training and without compiling.  Checks its own result: people per span add up, and every row falls into a
class of its span (a sample of spans of the single trees).
"""

from __future__ import annotations

import platform
import sys
import time
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from covey.datasets import load_adult
from covey.mining.trees.model import ForestModel, TreeModel
from covey.mining.trees.reach import spans_of_trees
from covey.mining.trees.sklearn_models import read_trees


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"Python {platform.python_version()}, scikit-learn {sklearn.__version__}; seconds: read + spans + words")
    adult = load_adult().to_pandas()
    features = adult.drop(columns="income")
    texts = [name for name in features if not pd.api.types.is_integer_dtype(features[name])]
    columns = make_column_transformer((OneHotEncoder(), texts), remainder="passthrough")
    forest = make_pipeline(columns, RandomForestClassifier(100, random_state=0, n_jobs=2))
    forest.fit(features, adult["income"])
    for public in (["sex", "race"], ["age", "sex", "race", "education"], list(features)):
        measure(f"forest of 100 trees, {len(public)} public columns", forest, adult, public, "income")
    table = made_table(rows)
    features = table.drop(columns="label")
    for depth in (8, 16, None):
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
        tree.fit(features[:200_000], table["label"][:200_000])
        for public in (["x0", "x1", "x3"], ["x0", "x1", "x2", "x3", "x4", "r"]):
            measure(f"tree of depth {tree.get_depth()}, {len(public)} public columns", tree, table, public, "label")


def made_table(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"x{i}": rng.integers(0, 50 if i < 3 else 6, rows) for i in range(8)})
    table["r"] = rng.random(rows)
    table["label"] = rng.integers(0, 3, rows) + (table["x0"] > 20)
    return table


def measure(what: str, model: Any, table: pd.DataFrame, public: list[str], target: str) -> None:
    spans_of_trees(read_trees(model), table[:100], public=public, target=target).spans.words[0]  # compiles
    start = time.perf_counter()
    read = read_trees(model)
    middle = time.perf_counter()
    found = spans_of_trees(read, table, public=public, target=target)
    end = time.perf_counter()
    small = found.spans.below(10)
    words = [found.spans.words[span] for span in small[:5000]]
    last = time.perf_counter()
    n_nodes = sum(tree.n_nodes for tree in (read.trees if isinstance(read, ForestModel) else (read,)))
    print(
        f"{what}, {n_nodes:,} nodes, {len(table):,} rows: {middle - start:.1f} + {end - middle:.1f} + "
        f"{last - end:.1f}; {len(found.spans.populations):,} spans, {len(small):,} below 10, {len(words):,} in words"
    )
    assert found.spans.populations.sum() == len(table)
    if isinstance(read, TreeModel):
        assert all(int(found.class_of_row[row]) in found.spans.classes[found.spans.of_row[row]] for row in range(100))


if __name__ == "__main__":
    main()
