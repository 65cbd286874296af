"""`KAnonymousTree` on Adult, beside trees without constraints, and its time on census-like tables.

    COVEY_DATA=... python benchmarks/tree.py [ROWS]

Adult is skipped if COVEY_DATA is not set.  Checks its own result: every span has k rows, and an audit of the
published tree finds the same spans.  Seconds are those of the processor, best of two.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

from covey.ask.taxonomy import Taxonomy
from covey.datasets import census_roles, census_taxonomies, load_adult, make_census
from covey.mining.learn.tree.baselines import C45, ID3
from covey.mining.learn.tree.estimator import KAnonymousTree
from covey.mining.trees.reach import spans_of_trees
from page import machine

SEVEN = ["workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
EIGHT = [*SEVEN, "relationship"]
TABLE_6 = {10: 5198, 25: 5273, 50: 5379, 100: 5439}
ERRORS = {10: 17.50, 25: 17.31, 50: 17.70, 100: 17.71, 250: 17.91, 500: 18.07, 750: 18.66, 1000: 17.92}


def adult_taxonomies(names: list[str]) -> dict[str, Taxonomy]:
    folder = Path(os.environ["COVEY_DATA"]) / "hierarchies" / "adult_tds"
    return {name: Taxonomy.from_file(folder / f"{name}.csv") for name in names}


def outside_majority(tree: KAnonymousTree, labels: np.ndarray) -> int:
    both = np.stack([np.bincount(tree.span_of_row_, weights=labels == label) for label in np.unique(labels)])
    return int((both.sum(axis=0) - both.max(axis=0)).sum())


def adult() -> None:
    train, test = load_adult(), load_adult("test")
    labels, truth = np.array(train["income"].to_pylist()), np.array(test["income"].to_pylist())
    print("Adult, CM count of the spans (P3, table 6), seven attributes, then numeric age as well")
    for k, paper in TABLE_6.items():
        found = []
        for columns in (SEVEN, [*SEVEN, "age"]):
            tree = KAnonymousTree.as_published(k, taxonomies=adult_taxonomies(SEVEN)).fit(
                train.select([*columns, "income"]), "income"
            )
            assert np.bincount(tree.span_of_row_).min() >= k
            found.append(outside_majority(tree, labels))
        assert found[0] == paper
        assert found[1] < paper
        print(f"  k = {k:>4}: {found[0]:,} (the paper {paper:,}); with age {found[1]:,}")
    print("Adult, test error in percent on 15,060 rows, eight attributes")
    for k, expected in ERRORS.items():
        tree = KAnonymousTree.as_published(k, taxonomies=adult_taxonomies(EIGHT)).fit(
            train.select([*EIGHT, "income"]), "income"
        )
        error = round(100 * float((tree.predict(test.select(EIGHT)) != truth).mean()), 2)
        assert error == expected
        print(f"  k = {k:>4}: {error:.2f}, {len(tree.tree_.leaves):,} leaves")
    for plain in (ID3(), C45(confidence=0.27)):
        plain.fit(train.select([*EIGHT, "income"]), "income")
        print(f"  {plain}: {100 * (plain.predict(test.select(EIGHT)) != truth).mean():.2f}")


def census(n_rows: int, k: int, private: tuple[str, ...]) -> float:
    """Print the seconds of one table; return those of fitting."""
    names = [*census_roles()["quasi"], "income"]
    people = make_census(n_rows).select(names)
    public = [name for name in names if name not in (*private, "income")]
    seconds = []
    for _ in range(2):
        start = time.process_time()
        tree = KAnonymousTree.as_published(k, public, taxonomies=census_taxonomies(), min_rows=2 * k).fit(
            people, "income"
        )
        seconds.append(time.process_time() - start)
    start = time.process_time()
    tree.predict(people)
    predicting = time.process_time() - start
    start = time.process_time()
    found = spans_of_trees(tree.tree_.as_model(), people, public=public, target="income").spans
    auditing = time.process_time() - start
    assert found.k_reached == np.bincount(tree.span_of_row_).min() >= k
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    told = f", private {', '.join(private)}" if private else ""
    print(f"make_census({n_rows:,}), k = {k}{told}: {len(tree.tree_.leaves):,} leaves,", end=" ")
    print(f"{tree.span_of_row_.max() + 1:,} spans; fit {min(seconds):.2f} s, predict {predicting:.2f} s,", end=" ")
    print(f"audit {auditing:.2f} s; at most {most:,.0f} MB so far")
    return min(seconds)


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(machine())
    if os.environ.get("COVEY_DATA"):
        adult()
    census(10_000, 10, ("occupation", "education-num"))  # compiles
    for k, private in ((10, ()), (100, ()), (100, ("occupation", "education-num"))):
        small, large = census(n_rows // 4, k, private), census(n_rows, k, private)
        print(f"  from {n_rows // 4:,} to {n_rows:,} rows: {large / small:.1f} times the time")


if __name__ == "__main__":
    main()
