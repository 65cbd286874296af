"""Threshold clustering grows classes up to an extent, and suppresses or merges those that stay below k."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from covey.base.errors import Infeasible, InputError
from covey.codes.boxes import suppressed_price, total_loss
from covey.codes.encoding import encode_frame
from covey.search.threshold.estimator import ThresholdClustering
from covey.search.threshold.kernels import merge_until_legal
from oracles.random_codes import FLAT, Table, one_column, random_table, rows_around
from oracles.threshold import grown, threshold_clustering


class Unpruned(ThresholdClustering):
    """Looks at every tuple, and at every class, in every step."""

    _prune = False


def drawn(seed: int, n: int) -> list[int]:
    """Return the rows in the order in which they are tried as starts."""
    return np.random.default_rng(seed).permutation(n).tolist()


def seed_that_draws(start: list[int], n: int) -> int:
    return next(seed for seed in range(100_000) if drawn(seed, n)[: len(start)] == start)


@pytest.mark.parametrize("suppression", [0.0, 0.1, 0.5])
def test_classes_are_those_of_the_plain_twin(suppression: float) -> None:
    random = np.random.default_rng(int(10 * suppression))
    met = {"small": 0, "suppressed": 0, "several": 0, "within": 0}
    for seed in range(700):
        k = int(random.integers(2, 7))
        n = rows_around(random, k, 22)
        table = random_table(random, n)
        codes = table.codes()
        threshold = float(random.choice([0.0, 0.1, 0.25, 0.5, 0.8, 1.0])) * suppressed_price(codes)
        found = ThresholdClustering(k, seed=seed, threshold=threshold, suppression=suppression).labels(codes)
        budget = suppression * n + 1e-9
        expected = threshold_clustering(*table.plain(), k, drawn(seed, n), threshold, budget)
        assert found.tolist() == expected, (table, k, threshold)
        sizes = [len(members) for members in grown(*table.plain(), drawn(seed, n), threshold)]
        small = sum(size for size in sizes if size < k)
        met["small"] += max(sizes) < k
        met["several"] += found.max() > 0
        met["suppressed"] += found.min() < 0
        met["within"] += 0 < small <= budget
    # every way through the search was taken
    assert met["small"] > 50
    assert met["several"] > 50
    assert (met["suppressed"] > 100) == (suppression > 0)
    assert (met["within"] > 20) == (suppression > 0)


def test_the_indices_change_nothing() -> None:
    # hundreds of classes, so that the trees have several levels
    random = np.random.default_rng(7)
    for seed in range(60):
        k = int(random.integers(2, 7))
        codes = random_table(random, int(random.integers(500, 1500))).codes()
        threshold = float(random.choice([0.02, 0.1, 0.3, 0.6])) * suppressed_price(codes)
        parameters = {"seed": seed, "threshold": threshold, "suppression": float(random.choice([0.0, 0.05]))}
        pruned = ThresholdClustering(k, **parameters).labels(codes)  # type: ignore[arg-type]
        assert np.array_equal(pruned, Unpruned(k, **parameters).labels(codes)), (seed, k)  # type: ignore[arg-type]


def test_the_two_nearest_of_many_classes_are_those_of_a_plain_search() -> None:
    random = np.random.default_rng(8)
    for _ in range(15):
        codes = random_table(random, 200).codes()
        k = int(random.integers(5, 60))
        columns = codes.columns.astype(np.int32)
        labels = np.arange(codes.n_tuples)
        nothing = np.zeros((codes.n_tuples, 0), np.uint64)  # of sensitive values
        rule = (nothing, np.zeros(1, np.int64), 0)
        merge_until_legal(columns, codes.counts, codes.measure, labels, codes.n_tuples, k, *rule)
        assert labels.tolist() == plainly_merged(codes, k), k


def plainly_merged(codes, k):  # type: ignore[no-untyped-def]
    """Return the class of every tuple after merging the two whose union costs least, one row each, in the open."""
    boxes = {t: (codes.columns[:, t], codes.columns[:, t]) for t in range(codes.n_tuples)}
    rows = {t: int(count) for t, count in enumerate(codes.counts)}
    home = list(range(codes.n_tuples))

    def union(one, other):  # type: ignore[no-untyped-def]
        return np.minimum(boxes[one][0], boxes[other][0]), np.maximum(boxes[one][1], boxes[other][1])

    def distances(one, others):  # type: ignore[no-untyped-def]
        low = np.array([union(one, other)[0] for other in others])
        high = np.array([union(one, other)[1] for other in others])
        from covey.codes.boxes import ClassSummary, class_extents

        return class_extents(codes, ClassSummary(np.ones(len(others), np.int64), low.astype(int), high.astype(int)))

    table = {
        one: dict(zip(later, distances(one, later), strict=True))
        for one in boxes
        if (later := [other for other in boxes if other > one])
    }
    while max(rows.values()) < k:
        _, one, other = min((d, i, j) for i, row in table.items() for j, d in row.items())
        boxes[one] = union(one, other)
        rows[one] += rows.pop(other)
        home = [one if c == other else c for c in home]
        table.pop(other, None)
        del boxes[other]
        for row in table.values():
            row.pop(other, None)
        others = [c for c in boxes if c != one]
        for c, d in zip(others, distances(one, others) if others else (), strict=True):
            table[min(c, one)][max(c, one)] = d
    return home


def test_no_class_passes_the_threshold_while_it_grows() -> None:
    # 0 0 1 2 ... 8, at most 3/8 wide: 4 takes 3 (the lowest of equals), 2 and 1; 8 takes 7, 6 and 5; 0 takes 0
    codes = one_column([0, *range(9)]).codes()
    seed = seed_that_draws([5, 9], 10)
    labels = ThresholdClustering(2, seed=seed, threshold=0.375).labels(codes)
    assert labels.tolist() == [2, 2, 0, 0, 0, 0, 1, 1, 1, 1]


def test_an_extent_equal_to_the_threshold_does_not_pass_it() -> None:
    codes = one_column([0, 1, 3, 4]).codes()
    seed = seed_that_draws([0], 4)
    assert ThresholdClustering(2, seed=seed, threshold=0.25).labels(codes).tolist() == [0, 0, 1, 1]
    # below, all are alone; 0 and 1 merge, and the others join them
    assert ThresholdClustering(2, seed=seed, threshold=0.2499).labels(codes).tolist() == [0, 0, 0, 0]


def test_a_class_has_no_greatest_size() -> None:
    labels = ThresholdClustering(2, threshold=0.0).labels(one_column([3] * 40 + [9, 9]).codes())
    assert sorted(np.bincount(labels).tolist()) == [2, 40]


# with k = 3 and a threshold of 0: two legal classes, and two small ones
VALUES = [0, 0, 0, 10, 10, 10, 40, 80, 80]


def test_small_classes_are_suppressed_within_the_budget() -> None:
    codes = one_column(VALUES).codes()
    # three of nine rows are in small classes
    assert np.flatnonzero(ThresholdClustering(3, threshold=0.0, suppression=0.34).labels(codes) < 0).tolist() == [
        6,
        7,
        8,
    ]


def test_beyond_the_budget_the_dearest_rows_are_suppressed_and_the_others_merge() -> None:
    codes = one_column(VALUES).codes()
    # joining {10, 10, 10} costs 4 x 30/80 for 40, and 4 x 70/80 for each 80: the first of these goes
    one = ThresholdClustering(3, threshold=0.0, suppression=0.2).labels(codes)
    assert np.flatnonzero(one < 0).tolist() == [7]
    # 40 joins the tens; then 80 costs 5 x 70/80 - 4 x 30/80 = 2.875 there, and 4 x 80/80 with the zeros
    assert one[6] == one[3] == one[8]
    assert one[3] != one[0]
    two = ThresholdClustering(3, threshold=0.0, suppression=0.3).labels(codes)
    assert np.flatnonzero(two < 0).tolist() == [7, 8]


def test_merging_suppresses_nobody() -> None:
    codes = one_column(VALUES).codes()
    merged = ThresholdClustering(3, threshold=0.0, small="merge", suppression=0.5).labels(codes)
    assert merged.min() == 0
    assert np.array_equal(merged, ThresholdClustering(3, threshold=0.0).labels(codes))


def test_a_share_means_what_it_says() -> None:
    # 0.29 x 100 is 28.999... in floating point; 71 equal rows and 29 that are alone
    codes = one_column([0] * 71 + list(range(1, 30))).codes()
    labels = ThresholdClustering(30, threshold=0.0, suppression=0.29).labels(codes)
    assert int((labels < 0).sum()) == 29
    fewer = ThresholdClustering(30, threshold=0.0, suppression=0.2899).labels(codes)
    assert int((fewer < 0).sum()) == 28


def test_where_no_class_is_legal_the_nearest_are_merged_until_one_is() -> None:
    # flat labels, all different: every union costs 1, so the lowest merge.  Rows 2 and 0 start first
    table = Table(np.arange(5, dtype=np.uint8)[None], np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([5]))
    seed = seed_that_draws([2, 0, 4, 1], 5)
    estimator = ThresholdClustering(3, seed=seed, threshold=0.5, suppression=1.0)
    # the first three classes are rows 2, 0 and 4; the rest is suppressed
    assert estimator.labels(table.codes()).tolist() == [0, -1, 0, -1, 0]
    assert ThresholdClustering(3, seed=seed, threshold=0.5).labels(table.codes()).tolist() == [0] * 5


def test_every_class_has_k_rows_and_no_more_are_suppressed_than_the_budget() -> None:
    random = np.random.default_rng(5)
    for seed in range(300):
        k = int(random.integers(2, 9))
        n = rows_around(random, k, 90)
        codes = random_table(random, n).codes()
        threshold = None if random.random() < 0.5 else float(random.random()) * suppressed_price(codes)
        share = float(random.choice([0.0, 0.03, 0.3, 1.0]))
        labels = ThresholdClustering(k, seed=seed, threshold=threshold, suppression=share).labels(codes)
        sizes = np.bincount(labels[labels >= 0])
        assert sizes.min() >= k
        assert int((labels < 0).sum()) <= share * n + 1e-9


def test_without_a_threshold_the_loss_is_the_least_of_the_halvings_until_it_rises() -> None:
    random = np.random.default_rng(11)
    for seed in range(40):
        codes = random_table(random, 60).codes()
        found = ThresholdClustering(3, seed=seed)
        loss = total_loss(codes, found.labels(codes))
        half = suppressed_price(codes) / 2
        by_hand = [
            total_loss(codes, ThresholdClustering(3, seed=seed, threshold=half / 2**step).labels(codes))
            for step in range(4)
        ]
        assert loss <= by_hand[0]
        taken = ThresholdClustering(3, seed=seed, threshold=found.threshold_)
        assert total_loss(codes, taken.labels(codes)) == loss
        if by_hand[0] > by_hand[1]:
            assert loss <= by_hand[1]
        elif by_hand[0] > 0:
            assert found.threshold_ == half


def test_fit_counts_suppressed_rows_in_the_loss() -> None:
    table = pa.table({"a": [0, 0, 0, 9, 9, 9, 90], "b": list("xxxyyyz")})
    found = ThresholdClustering(3, threshold=0.5, suppression=0.15).fit(table)
    # 0.15 x 7 rows is one row; it costs the weights of both columns, and the classes cost nothing
    assert found.labels_[6] == -1
    assert found.n_classes_ == 2
    assert found.loss_ == 2.0
    assert found.threshold_ == 0.5


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.5])
def test_a_proposal_leaves_about_the_share_in_small_classes(share: float) -> None:
    from covey.datasets import census_roles, make_census

    table = make_census(2000).select(census_roles()["quasi"])
    threshold = ThresholdClustering.propose(table, 5, share, seed=3)
    unlimited = ThresholdClustering(5, seed=3, threshold=threshold, suppression=1.0).fit(table)
    suppressed = float((unlimited.labels_ < 0).mean())
    assert suppressed <= share
    lower = ThresholdClustering(5, seed=3, threshold=threshold * 0.9, suppression=1.0).fit(table)
    assert suppressed >= share - 0.05
    assert float((lower.labels_ < 0).mean()) >= suppressed - 0.02
    # with just that budget everything small is suppressed
    limited = ThresholdClustering(5, seed=3, threshold=threshold, suppression=share).fit(table)
    assert np.array_equal(limited.labels_, unlimited.labels_)


def test_a_proposal_for_equal_rows_is_0_and_for_everything_the_widest() -> None:
    assert ThresholdClustering.propose(pa.table({"a": [1, 1, 1, 2, 2, 2]}), 3) == 0.0
    # four rows at 0 and one at 1, none to be suppressed: only the whole domain holds all
    assert ThresholdClustering.propose(pa.table({"a": [0, 0, 0, 0, 1]}), 3, 0.0) == pytest.approx(1.0, abs=1e-4)


def test_a_proposal_checks_what_it_is_given() -> None:
    table = pa.table({"a": [1, 2, 3]})
    with pytest.raises(InputError, match="`share` must be a number from 0 to 1"):
        ThresholdClustering.propose(table, 2, 1.5)
    with pytest.raises(InputError, match="`k` of ThresholdClustering must be at least 2"):
        ThresholdClustering.propose(table, 1)
    with pytest.raises(Infeasible, match=r"k = 5 needs at least 5 rows; there are 3"):
        ThresholdClustering.propose(table, 5)


@pytest.mark.parametrize("n", [3, 5, 6])
def test_as_many_rows_as_k_and_just_below_and_at_twice_k(n: int) -> None:
    sizes = np.bincount(ThresholdClustering(3).labels(one_column(list(range(n))).codes()))
    assert sizes.min() >= 3
    assert sizes.sum() == n


def test_rows_that_are_all_equal_are_one_class() -> None:
    assert ThresholdClustering(2).labels(one_column([4] * 7).codes()).tolist() == [0] * 7


def test_the_seed_draws_the_starts() -> None:
    codes = random_table(np.random.default_rng(3), 80).codes()
    first = ThresholdClustering(5, seed=1, threshold=0.5).labels(codes)
    assert np.array_equal(first, ThresholdClustering(5, seed=1, threshold=0.5).labels(codes))
    seeds = range(2, 6)
    assert any(not np.array_equal(first, ThresholdClustering(5, seed=s, threshold=0.5).labels(codes)) for s in seeds)


def test_a_census_is_clustered_as_without_the_indices() -> None:
    from covey.datasets import census_roles, make_census

    codes = encode_frame(make_census(2000).select(census_roles()["quasi"]))
    assert np.array_equal(ThresholdClustering(5).labels(codes), Unpruned(5).labels(codes))
