"""Enforcing models: every class passes by a count made here, and the classes are those of the plain loops."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from covey.base.errors import Infeasible, InputError
from covey.codes.boxes import total_loss
from covey.columns.kept import KeptColumn
from covey.privacy.diversity import DistinctLDiversity, FrequencyLDiversity
from covey.search.demand import Demand
from covey.search.repair.enforce import dissolve_failing, enforce, merge_failing
from covey.verifier.levels import Histograms, judged
from oracles import enforce as plain
from oracles.exact import Exact
from oracles.random_codes import one_column, random_table, rows_around


def random_models(random, n):
    """Return models over up to two columns, their values, and the rules of the plain twin."""
    models, values, rules = [], [], []
    for column in ("ill", "ward")[: int(random.integers(1, 3))]:
        codes = random.choice([0, 0, 0, 1, 2, 3], n) if random.random() < 0.5 else random.integers(0, 6, n)
        if random.random() < 0.5:
            model, kind = DistinctLDiversity(column, int(random.integers(1, 4))), "distinct"
        else:
            model, kind = FrequencyLDiversity(column, float(random.choice([1, 1.3, 1.5, 2, 2.5]))), "frequency"
        models.append(model)
        values.append(np.asarray(codes, np.int64))
        rules.append((kind, model.l, codes.tolist()))
    return models, values, rules


def random_labels(random, n, k):
    """Return classes of k rows or more, as an algorithm would."""
    labels = np.arange(n) // k
    labels[labels >= n // k] = n // k - 1
    return random.permutation(labels)


def plain_table(table):
    return plain.Plain(table.matrix, Exact(table.kinds, table.weights, table.parts, table.sizes))


def members(labels):
    return [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)]


def partition(classes):
    return {frozenset(rows) for rows in classes}


def test_both_ways_give_the_classes_of_the_plain_loops():
    met = Counter()
    for seed in range(1500):
        random = np.random.default_rng(seed)
        k = int(random.integers(2, 5))
        n = rows_around(random, k, 30)
        table = random_table(random, n)
        labels = random_labels(random, n, k)
        models, values, rules = random_models(random, n)
        if not plain.passes(list(range(n)), rules):
            met["infeasible"] += 1
            continue
        twin, codes = plain_table(table), table.codes()
        demand, by_name = Demand(k, tuple(models)), dict(zip([m.column for m in models], values, strict=True))
        merged = merge_failing(codes, labels, demand, by_name)
        expected = plain.merge(twin, members(labels), k, rules)
        assert same_or_tie(codes, merged, expected, met), seed
        if any(plain.passes(rows, rules) for rows in members(labels)):
            found = dissolve_failing(codes, labels, demand, by_name)
            expected = plain.dissolve(twin, members(labels), k, rules)
            assert same_or_tie(codes, found, expected, met), seed
            met["dissolved"] += 1
        met["merged"] += 1
    assert met["infeasible"] > 50
    assert met["dissolved"] > 500
    assert met["tie"] < 30


def same_or_tie(codes, found, expected, met):
    """Return whether two results are the same, or cost the same: equal growths may be rounded differently."""
    if partition(members(found)) == partition(expected):
        return True
    met["tie"] += 1
    labels = np.empty(codes.n_rows, np.int64)
    for c, rows in enumerate(expected):
        labels[rows] = c
    return total_loss(codes, found) == pytest.approx(total_loss(codes, labels), abs=1e-9)


def test_every_class_has_k_rows_and_satisfies_every_model_or_it_is_infeasible():
    met = Counter()
    for seed in range(1500):
        random = np.random.default_rng(10_000 + seed)
        k = int(random.integers(2, 5))
        n = rows_around(random, k, 40)
        codes = random_table(random, n).codes()
        models, values, rules = random_models(random, n)
        kept = {m.column: KeptColumn(m.column, v, tuple("abcdef")) for m, v in zip(models, values, strict=True)}
        labels = random_labels(random, n, k)
        if random.random() < 0.2:
            labels[int(random.integers(n))] = -1
            if (labels >= 0).sum() < k:
                continue
        needs_all = not plain.passes(np.flatnonzero(labels >= 0).tolist(), rules)
        if needs_all and not plain.passes(list(range(n)), rules):
            with pytest.raises(Infeasible, match="cannot be met for column"):
                enforce(codes, labels, Demand(k, tuple(models)), kept)
            met["infeasible"] += 1
            continue
        found = enforce(codes, labels, Demand(k, tuple(models)), kept)
        assert ((found < 0) == ((labels < 0) & (not needs_all))).all()
        met["needs all"] += needs_all
        for c in range(found.max() + 1):
            rows = np.flatnonzero(found == c).tolist()
            assert len(rows) >= k
            assert plain.passes(rows, rules)
        met["met"] += 1
    assert met["infeasible"] > 50
    assert met["met"] > 1000
    assert met["needs all"] > 1


def test_the_level_of_a_model_class_is_the_one_that_the_verifier_counts():
    for seed in range(300):
        random = np.random.default_rng(seed)
        labels, codes = random.integers(0, 4, 40), random.integers(0, 5, 40)
        labels = np.unique(labels, return_inverse=True)[1]
        n_classes = labels.max() + 1
        histograms = [[*Counter(codes[labels == c].tolist()).values()] for c in range(n_classes)]
        for model in (DistinctLDiversity("ill", 2), FrequencyLDiversity("ill", 1.7)):
            levels = model.levels(labels, codes, n_classes)
            assert judged(model.spec(), Histograms.of_counts(histograms)).level == pytest.approx(levels.min())
            exact = [Fraction(str(level)) >= Fraction(str(model.l)) for level in levels.tolist()]
            assert model.passes(labels, codes, n_classes).tolist() == exact


def test_a_share_means_what_it_says():
    # 10 of 11 rows: 10 x 1.1 = 11, which floats make more than 11
    codes = np.array([0] * 10 + [1])
    assert FrequencyLDiversity("ill", 1.1).passes(np.zeros(11, np.int64), codes, 1).all()


def test_rows_of_a_failing_class_go_where_the_loss_grows_least():
    # ages 0, 1 | 10, 11 | 12, 13: the middle class has one value; 10 joins 12..13 (3 x 3/13), and so does 11
    codes = one_column([0, 1, 10, 11, 12, 13]).codes()
    ill = np.array([0, 1, 0, 0, 0, 1])
    labels = np.array([0, 0, 1, 1, 2, 2])
    found = dissolve_failing(codes, labels, Demand(2, (DistinctLDiversity("ill", 2),)), {"ill": ill})
    assert found.tolist() == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (DistinctLDiversity("ill", 3), "there are 2 different values"),
        (FrequencyLDiversity("ill", 1.5), "its commonest value has 5 of 6 rows"),
    ],
)
def test_what_cannot_be_met_says_why_without_naming_a_value(model, reason):
    codes = one_column([0, 1, 10, 11, 12, 13]).codes()
    ill = KeptColumn("ill", np.array([0, 0, 0, 0, 0, 1]), ("flu", "gout"))
    with pytest.raises(Infeasible) as caught:
        enforce(codes, np.array([0, 0, 1, 1, 2, 2]), Demand(2, (model,)), {"ill": ill})
    assert caught.value.message == f"{model.name} with l = {model.l:g} cannot be met for column `ill`: {reason}"


@pytest.mark.parametrize("l", [0, -1, "3", None, 2.5, True])
def test_a_number_that_is_none_is_refused(l):  # noqa: E741
    with pytest.raises(InputError, match=r"must be a (whole )?number"):
        DistinctLDiversity("ill", l)


def test_suppressed_rows_come_back_only_where_the_others_cannot_satisfy_a_model_without_them():
    codes = one_column([1, 2, 3, 4, 5, 90]).codes()
    labels = np.array([0, 0, 0, 1, 1, -1])
    demand = Demand(2, (DistinctLDiversity("ill", 2),))
    needed = {"ill": KeptColumn("ill", np.array([0, 0, 0, 0, 0, 1]), ("gout", "ague"))}
    assert sorted(Counter(enforce(codes, labels, demand, needed).tolist()).values()) == [6]
    not_needed = {"ill": KeptColumn("ill", np.array([0, 1, 0, 0, 1, 1]), ("gout", "ague"))}
    assert enforce(codes, labels, demand, not_needed).tolist() == labels.tolist()
    never = {"ill": KeptColumn("ill", np.zeros(6, np.int64), ("gout",))}
    with pytest.raises(Infeasible, match="there is 1 different value"):
        enforce(codes, labels, demand, never)
