"""Weighted C-means learns a weight for every column, and merges classes until all are legal."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import covey
from covey.ask.schema import Schema
from covey.base.errors import CoveyWarning, Infeasible, InputError
from covey.codes.encoding import encode_frame
from covey.search.weighted_c_means.estimator import WeightedCMeans, adaptive_weights
from oracles.random_codes import FLAT, ORDERED, Table, one_column, random_table, rows_around
from oracles.weighted_c_means import adjusted, weighted_c_means

pytestmark = pytest.mark.filterwarnings("ignore:weighted C-means did not converge")


class Unpruned(WeightedCMeans):
    """Looks at every centre for every row, in one go."""

    _prune = False


class InBlocks(WeightedCMeans):
    """Hands tuples to the cores by the dozen."""

    _block = 12


def drawn(seed: int, n: int, k: int) -> list[int]:
    """Return the rows that are the first centres."""
    return sorted(np.random.default_rng(seed).choice(n, n // k, replace=False).tolist())


def seed_that_draws(rows: list[int], n: int, k: int) -> int:
    return next(seed for seed in range(10_000) if drawn(seed, n, k) == rows)


@pytest.mark.parametrize("scale", ["range", "none"])
def test_classes_and_weights_are_those_of_the_plain_twin(scale: str) -> None:
    random = np.random.default_rng(scale == "none")
    met = {"merged": 0, "unfinished": 0}
    for seed in range(800):
        k = int(random.integers(2, 7))
        n = rows_around(random, k, 40)
        table = random_table(random, n)
        widths = random.choice([0.1, 1.0, 70.0], len(table.kinds)) if scale == "none" else None
        codes = replace(table.codes(), widths=widths)
        max_iter = int(random.choice([1, 2, 3, 100]))
        expected = weighted_c_means(*table.plain(), k, drawn(seed, n, k), max_iter, widths)
        found = WeightedCMeans(k, seed=seed, max_iter=max_iter, scale=scale)  # type: ignore[arg-type]
        labels = found.labels(codes).tolist()
        assert (labels, found.converged_, found.n_iter_) == (expected[0], *expected[2:]), (table, k)
        total = float((table.weights * expected[1]).sum())
        assert found.weights_ == pytest.approx(table.weights * expected[1] / (total or 1.0), rel=1e-12)
        met["merged"] += max(labels) + 1 < n // k
        met["unfinished"] += not found.converged_
    assert met["merged"] > 50
    assert met["unfinished"] > 50


def test_the_index_and_the_cores_change_nothing() -> None:
    # hundreds of classes, so that the tree has several levels
    random = np.random.default_rng(7)
    for seed in range(15):
        k = int(random.integers(2, 7))
        codes = random_table(random, int(random.integers(500, 1500))).codes()
        pruned = WeightedCMeans(k, seed=seed)
        labels = pruned.labels(codes)
        for other in (Unpruned(k, seed=seed), InBlocks(k, seed=seed)):
            assert np.array_equal(labels, other.labels(codes)), (seed, k)
            assert np.array_equal(pruned.weights_, other.weights_)


def test_every_class_has_k_rows() -> None:
    random = np.random.default_rng(5)
    for seed in range(300):
        k = int(random.integers(2, 9))
        n = rows_around(random, k, 90)
        found = WeightedCMeans(k, seed=seed, max_iter=int(random.choice([1, 100])))
        sizes = np.bincount(found.labels(random_table(random, n).codes()))
        assert sizes.min() >= k
        assert sizes.sum() == n
        assert found.weights_.min() >= 0


def test_weights_follow_the_separation_between_and_within_classes() -> None:
    # a is 0 0 4 4 (of 4) and separates {0, 0} from {4, 4}; b is 0 1 0 1 within both.  Starts: rows 0 and 2
    table = pa.table({"a": [0, 0, 4, 4], "b": [0, 1, 0, 1]})
    found = WeightedCMeans(2, seed=seed_that_draws([0, 2], 4, 2)).fit(table)
    assert found.labels_.tolist() == [0, 0, 1, 1]
    # first assignment: row 1 is 1/2 x 1 from row 0 and 1/2 x 1 + 1/2 x 1 from row 2.  e_a = 0 < f_a = 4 x 1/4, and
    # f_b = 0, so no ratio is finite and above 0: a takes 1, b takes 0.  (1/2, 1/2) becomes (3/4, 1/4), and in the
    # second iteration, in which nobody moves, (7/8, 1/8)
    assert found.n_iter_ == 2
    assert found.converged_
    assert found.weights_.tolist() == [0.875, 0.125]


def test_the_ratio_is_that_of_equation_16() -> None:
    # f/e is 8/2 and 3/3: q = (0.8, 0.2); (0.5 + 0.8) / 2 and (0.5 + 0.2) / 2
    from covey.search.weighted_c_means.kernels import adjust_weights

    def both(learned: list[float], within: list[float], between: list[float]) -> list[float]:
        found = adjust_weights(np.array(learned), np.array(within), np.array(between)).tolist()
        assert found == adjusted(learned, within, between)
        return [round(weight, 12) for weight in found]

    assert both([0.5, 0.5], [2.0, 3.0], [8.0, 3.0]) == [0.65, 0.35]
    # varies in no class: the largest finite ratio, here 1, so q = (1/2, 1/2)
    assert both([0.5, 0.5], [0.0, 3.0], [8.0, 3.0]) == [0.5, 0.5]
    # does not vary at all: 0
    assert both([0.5, 0.5], [0.0, 3.0], [0.0, 3.0]) == [0.25, 0.75]
    # one class: nothing is learned
    assert both([0.3, 0.7], [1.0, 3.0], [0.0, 0.0]) == [0.3, 0.7]


def test_a_constant_column_away_from_the_ends_of_its_domain_has_no_weight() -> None:
    # 34 of 0..100: the mean of so many equal positions must not differ from them by rounding
    table = pa.table({"a": [34] * 30, "b": list(range(30))})
    schema = Schema.from_roles(quasi=["a", "b"], domains={"a": (0, 100)})
    found = WeightedCMeans(3).fit(table, schema)
    assert found.weights_[0] == pytest.approx(0.5**found.n_iter_ / 2, rel=1e-9)  # halved from 1/2 on


def test_declared_weights_multiply_the_learned_ones() -> None:
    # as above, but b counts 5 times as much: row 1 is 5/2 from row 0, and 1/2 + 5/2 from row 2: the same classes
    table = pa.table({"a": [0, 0, 4, 4], "b": [0, 1, 0, 1]})
    schema = Schema.from_roles(quasi=["a", "b"], weights={"b": 5.0})
    found = WeightedCMeans(2, seed=seed_that_draws([0, 2], 4, 2)).fit(table, schema)
    assert found.weights_ == pytest.approx([7 / 12, 5 / 12])  # 1 x 7/8 and 5 x 1/8, over their sum
    ignored = Schema.from_roles(quasi=["a", "b"], weights={"a": 0.0})
    assert WeightedCMeans(2).fit(table, ignored).weights_.tolist() == [0.0, 1.0]


def test_numbers_count_as_they_are_without_a_scale() -> None:
    # rows (0, 0), (0, 10), (1, 10), (1, 0); starts: the first two.  In shares of the range row 2 is as far in each
    # column: 1/2 from row 1, and row 3 1/2 from row 0.  With starts rows 0 and 2 row 1 is 1/2 from both and
    # joins the lower: the columns count alike.  As they are, b counts a hundredfold: row 1 joins row 2
    table = pa.table({"a": [0, 0, 1, 1], "b": [0, 10, 10, 0]})
    seed = seed_that_draws([0, 2], 4, 2)
    assert WeightedCMeans(2, seed=seed, max_iter=1).fit(table).labels_.tolist() == [0, 0, 0, 0]
    raw = WeightedCMeans(2, seed=seed, scale="none").fit(table)
    assert raw.labels_.tolist() == [0, 1, 1, 0]


def test_scale_none_needs_codes_that_know_their_widths() -> None:
    with pytest.raises(InputError, match="needs the widths of the domains"):
        WeightedCMeans(2, scale="none").labels(one_column([1, 2, 3, 4]).codes())


def test_the_widths_of_numeric_domains_are_those_of_their_ends() -> None:
    table = pa.table({"a": [3, 5, 9], "b": ["x", "y", "z"], "c": [7, 7, 7], "d": [1.5, None, 4.0], "e": [1, 2, 3]})
    schema = Schema.from_roles(quasi=list("abcde"), domains={"e": (0, 100)})
    assert encode_frame(table, schema).widths.tolist() == [6.0, 1.0, 1.0, 2.5, 100.0]  # type: ignore[union-attr]
    huge = encode_frame(pa.table({"a": [-1.7e308, 1.7e308]}))
    assert huge.widths.tolist() == [1e150]  # type: ignore[union-attr]
    beyond = Schema.from_roles(quasi=["a"], domains={"a": (0, 10**400)})
    assert encode_frame(pa.table({"a": [1, 2]}), beyond).widths.tolist() == [1e150]  # type: ignore[union-attr]


def test_the_most_frequent_category_is_the_centre_and_a_tree_has_distances() -> None:
    # flat labels 0 0 1 | 2 2 2 1, k = 3, starts 0 and 2 (rows 0 and 3): both 1s are 1 from both, and join the lower
    codes = np.array([[0, 0, 1, 2, 2, 2, 1]], np.uint8)
    table = Table(codes, np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([3]))
    seed = seed_that_draws([0, 3], 7, 3)
    # the class {0, 0, 1, 1} has the centre 0, the lower of two equally frequent labels: nobody moves
    assert WeightedCMeans(3, seed=seed).labels(table.codes()).tolist() == [0, 0, 0, 1, 1, 1, 0]


def test_small_classes_go_to_the_nearest_legal_one_all_at_once() -> None:
    # 0 0 0 0 | 50 60 | 90 | 100 100 100 100 with k = 3; starts 0, 50 and 100.  60 joins 50 (mean 55), 90 joins 100
    # (mean 98).  {50, 60} is small: 55 from 0 and 43 from 98, so it joins the second
    values = [0, 0, 0, 0, 50, 60, 90, 100, 100, 100, 100]
    seed = seed_that_draws([0, 4, 7], 11, 3)
    assert WeightedCMeans(3, seed=seed).labels(one_column(values).codes()).tolist() == [0] * 4 + [1] * 7


def test_missing_values_are_a_whole_domain_away() -> None:
    # starts 6 and missing: 5 is 1 from both and joins the lower; its centre is then 0.5 from 5, the other still 1
    table = pa.table({"a": [5.0, 6.0, None, None]})
    found = WeightedCMeans(2, seed=seed_that_draws([1, 2], 4, 2)).fit(table)
    assert found.labels_.tolist() == [0, 0, 1, 1]
    # e is 2 x 1/4, and f, from the mean -1/4 of -1, -1, 0 and 1: 2 x (3/4)^2 + 2 x (3/4)^2; one column has it all
    assert found.weights_.tolist() == [1.0]


def test_it_says_when_it_did_not_converge() -> None:
    codes = random_table(np.random.default_rng(3), 80).codes()
    estimator = WeightedCMeans(5, max_iter=1)
    with pytest.warns(CoveyWarning, match=r"did not converge in 1 iteration: rows still move"):
        estimator.labels(codes)
    assert not estimator.converged_
    assert estimator.n_iter_ == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settled = WeightedCMeans(5)
        settled.labels(codes)
    assert settled.converged_


@pytest.mark.parametrize("n", [3, 5, 6])
def test_as_many_rows_as_k_and_just_below_and_at_twice_k(n: int) -> None:
    sizes = np.bincount(WeightedCMeans(3).labels(one_column(list(range(n))).codes()))
    assert sizes.min() >= 3
    assert sizes.sum() == n


def test_rows_that_are_all_equal_are_one_class() -> None:
    found = WeightedCMeans(2)
    assert found.labels(one_column([4] * 7).codes()).tolist() == [0] * 7
    assert found.weights_.tolist() == [1.0]


def test_columns_without_any_weight_are_one_class() -> None:
    table = Table(np.array([[0, 1, 2, 3]]), np.array([ORDERED]), np.zeros(1), [np.linspace(0, 1, 4)], np.array([4]))
    found = WeightedCMeans(2)
    assert found.labels(table.codes()).tolist() == [0] * 4
    assert found.weights_.tolist() == [0.0]


def test_adaptive_weights_have_the_sum_of_the_declared_ones() -> None:
    random = np.random.default_rng(9)
    for seed in range(40):
        codes = random_table(random, 60).codes()
        learned = adaptive_weights(codes, 4, seed)
        estimator = WeightedCMeans(4, seed=seed)
        estimator.labels(codes)
        assert learned.sum() == pytest.approx(codes.weights.sum())
        assert learned == pytest.approx(estimator.weights_ * codes.weights.sum())


def test_adaptive_weights_check_k_and_the_rows() -> None:
    codes = one_column([1, 2]).codes()
    with pytest.raises(InputError, match="`k` of WeightedCMeans must be at least 2"):
        adaptive_weights(codes, 1)
    with pytest.raises(Infeasible, match=r"k = 3 needs at least 3 rows; there are 2"):
        adaptive_weights(codes, 3)


@pytest.mark.skipif("COVEY_DATA" not in os.environ, reason="COVEY_DATA names the folder of the public tables")
def test_petals_weigh_more_than_sepals_on_iris() -> None:
    # the petals tell the three species apart; P4's own data set
    table = csv.read_csv(Path(os.environ["COVEY_DATA"]) / "small" / "iris.csv")
    table = table.select([name for name in table.column_names if name != "class"])
    assert table.num_rows == 150
    petals = [name.startswith("petal") for name in table.column_names]
    found = WeightedCMeans(16).fit(table)
    assert found.converged_
    assert found.weights_.sum() == pytest.approx(1)
    assert min(found.weights_[np.array(petals)]) > max(found.weights_[~np.array(petals)])


def test_a_census_is_clustered_as_without_the_index() -> None:
    from covey.datasets import census_roles, make_census

    codes = encode_frame(make_census(3000).select(census_roles()["quasi"]))
    assert np.array_equal(WeightedCMeans(5).labels(codes), Unpruned(5).labels(codes))


def test_the_report_of_a_release_tells_the_weights_that_were_learned() -> None:
    people = pa.table({"age": [20, 21, 22, 50, 51, 52], "town": list("abbaab")})
    release = covey.anonymize(people, k=3, quasi=["age", "town"], weights={"age": 3.0}, algorithm="weighted-c-means")
    learned = release.report.learned_weights
    assert learned is not None
    estimator = covey.WeightedCMeans(k=3).fit(
        people, covey.Schema.from_roles(quasi=["age", "town"], weights={"age": 3})
    )
    assert list(learned.values()) == pytest.approx((4 * estimator.weights_).tolist(), abs=0.005)  # to two places
    assert release.report.to_json()["learned_weights"] == learned
    assert covey.anonymize(people, k=3, quasi=["age", "town"], algorithm="mdav").report.learned_weights is None
