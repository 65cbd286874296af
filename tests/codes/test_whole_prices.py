"""Prices in whole numbers are in proportion to the prices, exactly, and so ties of losses are ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from covey.codes.encoding import encode_frame
from covey.codes.prices import price
from covey.codes.whole_prices import EXACT, in_whole_prices
from covey.privacy.diversity import DistinctLDiversity
from covey.search.condensation.estimator import CondensationKNN
from covey.search.demand import Demand
from covey.search.k_member.estimator import KMember
from covey.search.linkage.estimator import Linkage
from covey.search.mdav.estimator import MDAV
from covey.search.mondrian.estimator import Mondrian
from covey.search.one_pass.estimator import OnePassKMeans
from covey.search.repair.enforce import dissolve_failing, merge_failing
from covey.search.systematic.estimator import Systematic
from covey.search.threshold.estimator import ThresholdClustering
from covey.search.weighted_c_means.estimator import WeightedCMeans
from oracles import enforce as plain
from oracles.condensation import condensation
from oracles.exact import Exact
from oracles.k_member import k_member
from oracles.linkage import linkage
from oracles.mondrian import mondrian
from oracles.one_pass import one_pass
from oracles.random_codes import Table, one_column, random_table, rows_around, tied_table
from oracles.systematic import systematic
from oracles.threshold import threshold_clustering


def weighted(codes, j, lo, hi):
    start, size = int(codes.offsets[j]), int(codes.sizes[j])
    return codes.weights[j] * price(int(codes.kinds[j]), codes.positions, start, size, lo, hi)


def intervals(codes):
    for j, size in enumerate(codes.sizes.tolist()):
        for lo in range(min(size, 12)):
            for hi in range(lo, min(size, 12)):
                yield j, lo, hi


def test_whole_prices_are_in_proportion_to_the_fractions() -> None:
    random = np.random.default_rng(0)
    for _ in range(300):
        table = tied_table(random, 20)
        codes, exact = table.codes(), Exact(table.kinds, table.weights, table.parts, table.sizes)
        whole = in_whole_prices(codes, 20)
        ratio = None
        for j, lo, hi in intervals(codes):
            found, expected = weighted(whole, j, lo, hi), exact.price(j, lo, hi)
            assert found == int(found)
            if expected:
                ratio = ratio or Fraction(int(found)) / expected
                assert Fraction(int(found)) == ratio * expected
            else:
                assert found == 0


def test_where_they_do_not_fit_they_are_close_and_the_greatest_product_is_exact() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        table = random_table(random, 30)
        weights = random.random(len(table.kinds)) if random.random() < 0.5 else table.weights
        table = Table(table.matrix, table.kinds, weights, table.parts, table.sizes)
        codes = table.codes()
        most = int(random.choice([2, 100, 10**6, 10**9]))
        whole = in_whole_prices(codes, most)
        pairs = [(weighted(codes, *at), weighted(whole, *at)) for at in intervals(codes)]
        scale = sum(after for _, after in pairs) / max(sum(before for before, _ in pairs), 1e-300)
        greatest = max((before for before, _ in pairs), default=0)
        for before, after in pairs:
            assert after == int(after)
            assert abs(before * scale - after) <= (1e-6 if most < 10**9 else 2e-5) * scale * max(greatest, 1e-300)
        greatest_of = [0.0] * len(codes.kinds)
        for (j, _, _), (_, after) in zip(intervals(codes), pairs, strict=True):
            greatest_of[j] = max(greatest_of[j], after)
        assert sum(greatest_of) * (most + 1) <= EXACT


def test_decimals_and_whole_numbers_of_many_steps_are_exact() -> None:
    random = np.random.default_rng(2)
    salary = random.integers(0, 10**9, 50)
    rate = random.integers(-500, 900, 50) / 100  # two digits: differences such as 0.3 - 0.1 are no multiples of 0.1
    codes = encode_frame(pa.table({"salary": salary, "rate": rate}))
    whole = in_whole_prices(codes, 100)
    for j, values in ((0, np.unique(salary)), (1, np.unique(np.rint(rate * 100).astype(int)))):
        steps = whole.positions[whole.offsets[j] :][: len(values)]
        unit = int(np.gcd.reduce(values - values[0]))
        assert (steps * unit == values - values[0]).all()
    reach = whole.positions[whole.offsets + whole.sizes] * whole.weights
    assert reach[0] == reach[1]  # both domains cost the same


def test_codes_without_weight_stay_as_they_are() -> None:
    table = Table(np.array([[0, 1]]), np.array([0]), np.zeros(1), [np.array([0.0, 1.0])], np.array([2]))
    assert in_whole_prices(table.codes(), 5).weights.tolist() == [0.0]


# --- ties of the searches -----------------------------------------------------------------------------------------


def test_a_row_at_equal_growths_joins_the_lowest_class() -> None:
    # 7 3 | 9 5 and then 5: both grow by 2/3, by floats the second by a little less
    labels = Systematic(k=2, order=(1, 2), presorted=True).fit(pa.table({"a": [7, 3, 9, 5, 5]})).labels_
    assert labels.tolist() == [0, 0, 1, 1, 0]


@pytest.mark.parametrize("criterion", ["increase", "total"])
def test_systematic_on_tables_made_to_tie(criterion) -> None:
    random = np.random.default_rng(3)
    for _ in range(700):
        k = int(random.integers(2, 6))
        table = tied_table(random, rows_around(random, k, 40))
        order = tuple(int(number) + 1 for number in random.permutation(k))
        expected = systematic(*table.plain(), k, order, True, criterion)
        for prune in (True, False):
            found = Systematic(k, presorted=True, order=order, criterion=criterion)
            found._prune = prune  # type: ignore[misc]
            assert found.labels(table.codes()).tolist() == expected, (table, k, order)


@pytest.mark.parametrize("stop", ["global", "local"])
@pytest.mark.parametrize("method", ["single", "complete", "average"])
def test_linkage_on_tables_made_to_tie(method, stop) -> None:
    random = np.random.default_rng(4)
    for _ in range(350):
        k = int(random.integers(2, 6))
        table = tied_table(random, rows_around(random, k, 16))
        expected = linkage(table.plain(), k, method, stop)
        assert Linkage(method, k, stop=stop).labels(table.codes()).tolist() == expected, (table, k)


@pytest.mark.parametrize("relaxed", [False, True])
def test_mondrian_on_tables_made_to_tie(relaxed) -> None:
    random = np.random.default_rng(5)
    for _ in range(500):
        k = int(random.integers(2, 6))
        table = tied_table(random, rows_around(random, k, 40))
        expected = mondrian(*table.plain(), k, relaxed)
        assert Mondrian(k, relaxed=relaxed).labels(table.codes()).tolist() == expected, (table, k)


def test_leftovers_on_tables_made_to_tie() -> None:
    random = np.random.default_rng(6)
    for _ in range(500):
        k = int(random.integers(2, 7))
        n = k * int(random.integers(1, 5)) + int(random.integers(1, k))
        table = tied_table(random, n)
        start = int(random.integers(n))
        assert KMember(k, start=start).labels(table.codes()).tolist() == k_member(*table.plain(), k, start), (table, k)
        order = np.random.default_rng(7).permutation(n)
        expected = condensation(*table.plain(), k, order)
        assert CondensationKNN(k, seed=7).labels(table.codes()).tolist() == expected, (table, k)


def test_threshold_on_tables_made_to_tie() -> None:
    random = np.random.default_rng(8)
    for _ in range(400):
        k = int(random.integers(2, 6))
        table = tied_table(random, rows_around(random, k, 25))
        n = table.matrix.shape[1]
        threshold = float(random.choice([0.1, 1 / 3, 0.5, 1.0]))
        share = float(random.choice([0.0, 0.2]))
        order = np.random.default_rng(9).permutation(n)
        expected = threshold_clustering(*table.plain(), k, order, threshold, share * n)
        found = ThresholdClustering(k, seed=9, threshold=threshold, suppression=share).labels(table.codes())
        assert found.tolist() == expected, (table, k, threshold)


def test_the_l_diverse_step_and_merging_on_tables_made_to_tie() -> None:
    random = np.random.default_rng(10)
    tried = 0
    while tried < 500:
        k = int(random.integers(1, 4))
        n = int(random.integers(2 * k + 2, 30))
        table = tied_table(random, n)
        labels = random.permutation(np.minimum(np.arange(n) // max(k, 2), n // max(k, 2) - 1))
        values = np.asarray(random.choice([0, 0, 0, 1, 2], n), np.int64)
        classes = [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)]
        rules = [("distinct", 2, values.tolist())]
        passing = [plain.passes(rows, rules) for rows in classes]
        if all(passing) or not any(passing):
            continue
        tried += 1
        twin = plain.Plain(table.matrix, Exact(table.kinds, table.weights, table.parts, table.sizes))
        model = DistinctLDiversity("ill", 2)
        for step, by_loops in ((dissolve_failing, plain.dissolve), (merge_failing, plain.merge)):
            found = step(table.codes(), labels, Demand(k, (model,)), {"ill": values})
            expected = {frozenset(rows) for rows in by_loops(twin, classes, k, rules)}
            assert {frozenset(np.flatnonzero(found == c).tolist()) for c in set(found)} == expected, (table, labels)


# --- ties by rule: centres are means, which have no common denominator -----------------------------------------------


@pytest.mark.parametrize("centre", ["mode", "lca"])
def test_one_pass_on_tables_made_to_tie(centre) -> None:
    random = np.random.default_rng(11)
    for seed in range(300):
        k = int(random.integers(2, 6))
        table = tied_table(random, rows_around(random, k, 30))
        n = table.matrix.shape[1]
        seeds = np.sort(np.random.default_rng(seed).choice(n, n // k, replace=False)).tolist()
        expected = one_pass(*table.plain(), k, seeds, centre, exact=True)
        assert OnePassKMeans(k, seed=seed, centre=centre).labels(table.codes()).tolist() == expected, (table, k)


def test_mdav_and_c_means_on_one_column_made_to_tie() -> None:
    random = np.random.default_rng(12)
    for seed in range(400):
        k = int(random.integers(2, 5))
        values = random.integers(0, int(random.integers(4, 12)), rows_around(random, k, 30)).tolist()
        codes = one_column([value / 10 for value in values]).codes()
        if len(set(values)) > 1:
            assert MDAV(k).labels(codes).tolist() == mdav_of_numbers(values, k), (values, k)
        drawn = np.sort(np.random.default_rng(seed).choice(len(values), len(values) // k, replace=False)).tolist()
        found = WeightedCMeans(k, seed=seed).labels(codes).tolist()
        assert found == c_means_of_numbers(values, k, drawn), (values, k, seed)


def mdav_of_numbers(values: list[int], k: int) -> list[int]:
    """Return MDAV's classes of one column, by fractions."""
    free, classes = list(range(len(values))), []

    def furthest(point):
        return max(free, key=lambda row: (abs(values[row] - point), -row))

    def take_around(seed):
        others = sorted((row for row in free if row != seed), key=lambda row: (abs(values[row] - values[seed]), row))
        classes.append([seed, *others[: k - 1]])
        for row in classes[-1]:
            free.remove(row)

    def centre():
        return Fraction(sum(values[row] for row in free), len(free))

    while len(free) >= 3 * k:
        one = furthest(centre())
        take_around(one)
        take_around(furthest(values[one]))
    if len(free) >= 2 * k:
        take_around(furthest(centre()))
    classes.append(free)
    return [next(c for c, rows in enumerate(classes) if row in rows) for row in range(len(values))]


def c_means_of_numbers(values: list[int], k: int, drawn: list[int]) -> list[int]:
    """Return the classes of C-means of one column, by fractions; its weight is 1 whatever is learned."""
    centres = {c: Fraction(values[row]) for c, row in enumerate(drawn)}
    home: dict[int, int] = {}
    for _ in range(100):
        new = {value: min(centres, key=lambda c, value=value: (abs(value - centres[c]), c)) for value in set(values)}
        members = {c: [value for value in values if new[value] == c] for c in centres}
        centres = {c: Fraction(sum(rows), len(rows)) for c, rows in members.items() if rows}
        if new == home:
            break
        home = new
    sizes = {c: len(members[c]) for c in centres}
    legal = [c for c in centres if sizes[c] >= k]
    final = {c: c if c in legal else min(legal, key=lambda d, c=c: (abs(centres[c] - centres[d]), d)) for c in centres}
    order = sorted({final[home[value]] for value in values})
    return [order.index(final[home[value]]) for value in values]
