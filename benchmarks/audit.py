"""Audits by `covey.audit` itself: a forest on Adult, a tree on a million rows, centres, and covey's own models.

    COVEY_DATA=... python benchmarks/audit.py [ROWS]

A table of seconds: of training, and of the audit from the trained model and the frame to the findings, both without
compiling.  The forest is to take less than a minute, the tree less than ten seconds.  ROWS: of the table that the tree
is grown on (a million): rows drawn from Adult, with a little noise on every column.  Checks its own results: people
per span add up, covey's own models keep their promise.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import covey
from covey.datasets import load_adult
from covey.mining.learn.clusters.estimator import KAnonymousClusters
from covey.mining.learn.rules import KAnonymousRules
from covey.mining.learn.tree.estimator import KAnonymousTree
from page import machine, table

K = 10
FEW = ("sex", "race")
SOME = ("age", "sex", "race", "education")
NUMBERS = ("age", "education-num", "hours-per-week", "capital-gain")


@dataclass(frozen=True)
class Case:
    """A model, the table that it was trained on, and what others know."""

    what: str
    train: Callable[[], Any]
    rows: Any
    public: tuple[str, ...]
    target: str | None = None
    promise: bool = False
    """Whether the model promises that nobody is exposed at K."""
    asked: str = ""


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{machine()}, scikit-learn {sklearn.__version__}; k = {K}\n")
    adult = load_adult().to_pandas()
    compile_kernels(adult[:500])
    head = ["model", "public", "rows", "train, s", "audit, s", "of the processor, s", "spans", f"below {K}", "asked"]
    lines = [
        line for cases in (forest(adult), million(adult, rows), centres(adult), own(adult)) for line in told(cases)
    ]
    print(table(head, lines, words=2))


def told(cases: list[Case]) -> list[list[str]]:
    """Return the lines of some cases; one that has the same model as the last is not trained again."""
    lines: list[list[str]] = []
    trained: dict[str, Any] = {}
    for case in cases:
        training = ""
        if case.what not in trained:
            start = time.perf_counter()
            trained = {case.what: case.train()}
            training = f"{time.perf_counter() - start:.1f}"
        start, of_processor = time.perf_counter(), time.process_time()
        found = covey.audit(trained[case.what], case.rows, public=case.public, k=K, target=case.target)
        seconds, used = time.perf_counter() - start, time.process_time() - of_processor
        assert found.rows == len(case.rows)
        listed = sum(span.people for span in found.offending)
        assert listed == found.exposed_people or len(found.offending) < found.exposed_spans
        assert found.ok or not case.promise
        counts = (f"{found.spans:,}", f"{found.exposed_spans:,}", case.asked)
        public = ", ".join(case.public) if len(case.public) <= len(SOME) else f"all {len(case.public)}"
        lines.append([case.what, public, f"{found.rows:,}", training, f"{seconds:.2f}", f"{used:.2f}", *counts])
    return lines


def compile_kernels(few: pd.DataFrame) -> None:
    """Run each kind of audit once on a few rows."""
    features = few.drop(columns="income")
    for depth in (None, 3):
        model = make_pipeline(encoded(features, OneHotEncoder()), DecisionTreeClassifier(max_depth=depth))
        covey.audit(model.fit(features, few["income"]), few, public=SOME, k=K, target="income")
    for cases in (centres(few), own(few)):
        for case in cases:
            covey.audit(case.train(), case.rows, public=case.public, k=K, target=case.target)


def encoded(features: pd.DataFrame, encoder: Any) -> Any:
    texts = [name for name in features if not pd.api.types.is_integer_dtype(features[name])]
    return make_column_transformer((encoder, texts), remainder="passthrough")


def forest(adult: pd.DataFrame) -> list[Case]:
    features = adult.drop(columns="income")
    model = make_pipeline(encoded(features, OneHotEncoder()), RandomForestClassifier(100, random_state=0, n_jobs=2))

    def train() -> Any:
        return model.fit(features, adult["income"])

    publics = (FEW, SOME, tuple(features))
    return [Case("forest of 100 full trees", train, adult, public, "income", asked="60 s") for public in publics]


def million(adult: pd.DataFrame, n_rows: int) -> list[Case]:
    people = noisy(adult, n_rows)
    features = people.drop(columns="income")
    model = make_pipeline(encoded(features, OrdinalEncoder()), DecisionTreeClassifier(random_state=0))

    def train() -> Any:
        return model.fit(features, people["income"])

    publics = (FEW, SOME, tuple(features))
    return [Case("full tree", train, people, public, "income", asked="10 s") for public in publics]


def noisy(adult: pd.DataFrame, n_rows: int) -> pd.DataFrame:
    """Return rows drawn from a table: numbers moved by up to three, one in ten categories drawn anew."""
    rng = np.random.default_rng(0)
    people = adult.iloc[rng.integers(0, len(adult), n_rows)].reset_index(drop=True)
    for name in people.columns.drop("income"):
        if pd.api.types.is_integer_dtype(people[name]):
            people[name] += rng.integers(-3, 4, n_rows)
        else:
            others = people[name].to_numpy()[rng.permutation(n_rows)]
            people[name] = np.where(rng.random(n_rows) < 0.1, others, people[name].to_numpy())
    return people


def centres(adult: pd.DataFrame) -> list[Case]:
    numbers = adult[list(NUMBERS)].astype(float)

    def trained(n_centres: int) -> Callable[[], Any]:
        model = make_pipeline(StandardScaler(), KMeans(n_centres, n_init=1, random_state=0))
        return lambda: model.fit(numbers)

    return [
        Case(f"KMeans, {n_centres} centres", trained(n_centres), numbers, NUMBERS[:n_public])
        for n_centres in (10, 50)
        for n_public in (3, 1)
    ]


def own(adult: pd.DataFrame) -> list[Case]:
    mixed = adult[["age", "sex", "race", "hours-per-week", "education-num"]]
    items = pd.get_dummies(adult[["sex", "race", "marital-status", "income", "workclass", "relationship"]])
    items.columns = [name.replace("_", " = ") for name in items.columns]
    public = tuple(name for name in items if name.startswith(("sex", "race", "marital")))
    known = ("age", "sex", "race")
    return [
        Case(
            "KAnonymousTree",
            lambda: KAnonymousTree.as_published(K, SOME).fit(adult, "income"),
            adult,
            SOME,
            "income",
            promise=True,
        ),
        Case(
            "KAnonymousClusters, at most 20",
            lambda: KAnonymousClusters(K, known, max_clusters=20).fit(mixed),
            mixed,
            known,
            promise=True,
        ),
        Case(
            "KAnonymousRules",
            lambda: KAnonymousRules(K, public, min_support=0.02, min_confidence=0.3, max_length=3).fit(items),
            items,
            public,
            promise=True,
        ),
    ]


if __name__ == "__main__":
    main()
