"""Binary k-means: halves of halves around two centres, every class of k to 2k - 1 rows, or diverse if asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest

from covey.base.errors import Infeasible
from covey.codes.encoding import encode_frame
from covey.codes.tallies import Tally
from covey.columns.kept import KeptColumn, kept_column
from covey.privacy.diversity import DistinctLDiversity, FrequencyLDiversity
from covey.privacy.model import Model
from covey.search.binary_k_means import halves as module
from covey.search.binary_k_means.deal import deal
from covey.search.binary_k_means.estimator import BinaryKMeans
from covey.search.demand import Demand
from covey.search.kernels.states import new_state
from covey.search.kernels.streams import draw, shuffle
from oracles import binary_k_means as oracle
from oracles.random_codes import Table, one_column, random_table, rows_around

Join = Literal["growth", "centre"]
JOINS: list[Join] = ["growth", "centre"]
SHARES = [1, 1.1, 1.25, 1.5, 2, 2.3, 2.5, 3, 4]


class Unpruned(BinaryKMeans):
    """Does every try, also where the next would be the same."""

    _prune = False


def key_of(seed: int) -> int:
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def first_centres(seed: int, n: int) -> tuple[int, int]:
    """Return which of the sorted rows are the centres of the first try of the whole table."""
    one, two = oracle.below(oracle.draw(key_of(seed), 2), n), oracle.below(oracle.draw(key_of(seed), 3), n - 1)
    return one, two + (two >= one)


def last_two(seed: int, n: int) -> list[int]:
    """Return which of the sorted rows come last in the first try of the whole table."""
    return oracle.shuffled(oracle.draw(key_of(seed), 4), n)[-2:]


def seed_that_draws(centres: tuple[int, int], n: int) -> int:
    return next(seed for seed in range(10_000) if first_centres(seed, n) == centres)


def sensitive_values(random: np.random.Generator, n: int) -> Any:
    """Return n codes, skewed more or less, all of them in use."""
    size = int(random.integers(2, 9))
    drawn = random.integers(0, size, n)
    for _ in range(int(random.integers(0, 3))):
        drawn = np.minimum(drawn, random.integers(0, size, n))
    return np.unique(drawn, return_inverse=True)[1].astype(np.int64)


def column(codes: Any) -> dict[str, KeptColumn]:
    return {"ill": KeptColumn("ill", codes, tuple(str(code) for code in range(int(codes.max()) + 1)))}


def diverse(ell: float) -> list[Model]:
    return [FrequencyLDiversity("ill", ell)]


def needs_of(values: Any, k: int, ell: float) -> Any:
    """Return what is needed of rows with these values, one row an item."""
    ones = np.ones(len(values), np.int64)
    tally = Tally(np.arange(len(values) + 1), values, ones, int(values.max()) + 1)
    return Demand(k, tuple(diverse(ell))).needs(ones, {"ill": tally})


# --- without l ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize("seed", range(4))
def test_classes_are_those_of_the_plain_twin(seed: int, join: Join) -> None:
    random = np.random.default_rng(seed)
    for trial in range(250):
        k, tries = int(random.integers(2, 7)), int(random.choice([1, 2, 5, 15], p=[0.4, 0.3, 0.2, 0.1]))
        table = random_table(random, rows_around(random, k, 30))
        expected = oracle.binary_k_means(*table.plain(), k, trial, tries, join=join)
        found = BinaryKMeans(k, seed=trial, join=join, tries=tries).labels(table.codes())
        assert found.tolist() == expected, (table, k, tries)


@pytest.mark.parametrize("join", JOINS)
def test_every_class_has_k_to_2k_minus_1_rows(join: Join) -> None:
    random = np.random.default_rng(5)
    for seed in range(1000):
        k = int(random.integers(2, 9))
        n = rows_around(random, k, 90)
        sizes = np.bincount(BinaryKMeans(k, seed=seed, join=join).labels(random_table(random, n).codes()))
        assert sizes.sum() == n
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1


def test_neither_cores_nor_blocks_nor_pruning_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    for seed in range(25):
        n = int(random.integers(300, 1500))
        k, codes = int(random.integers(2, 7)), random_table(random, n).codes()
        kept = column(sensitive_values(random, n))
        for options, models in (({}, []), ({"join": "centre"}, []), ({}, diverse(1.1))):
            if models and not oracle.is_diverse(kept["ill"].codes.tolist(), 1.1):
                continue
            expected = BinaryKMeans(k, seed=seed, **options).labels(codes, kept, models)
            assert np.array_equal(expected, Unpruned(k, seed=seed, **options).labels(codes, kept, models))
            for cores, block in ((1, 10), (2, 10), (3, 200)):
                with monkeypatch.context() as patch:
                    patch.setattr(module, "BLOCK", block)
                    patch.setattr(module, "cores_to_use", lambda cores=cores: cores)
                    found = BinaryKMeans(k, seed=seed, **options).labels(codes, kept, models)
                    assert np.array_equal(expected, found)


def test_rows_join_the_nearer_centre() -> None:
    # 0 1 2 9 10, centres 0 and 10 in the first try: 0 1 2 and 9 10; their means 1 and 9.5 give the same halves
    values = one_column([10, 0, 9, 1, 2])
    seed = seed_that_draws((0, 4), 5)
    assert BinaryKMeans(2, join="centre", seed=seed).labels(values.codes()).tolist() == [1, 0, 1, 0, 0]
    # drawn the other way round, the first half is the upper one
    seed = seed_that_draws((4, 0), 5)
    assert BinaryKMeans(2, join="centre", seed=seed).labels(values.codes()).tolist() == [0, 1, 0, 1, 1]


def test_a_later_try_starts_from_the_means_and_the_best_is_kept() -> None:
    # 0 1 2 3 10 11, k = 2, centres 0 and 1 at first: 0 | 1 2 3 10 11, so 0 borrows 1: 0 1 | 2 3 10 11 loses
    # 2 * 1/11 + 4 * 9/11 = 38/11.  Means 0.5 and 6.5: 0 1 2 3 | 10 11 loses 4 * 3/11 + 2 * 1/11 = 14/11.
    # 0 1 2 3 is halved again
    table = one_column([0, 1, 2, 3, 10, 11])
    seed = seed_that_draws((0, 1), 6)
    once = BinaryKMeans(2, join="centre", seed=seed, tries=1).labels(table.codes())
    assert once.tolist()[:2] == [0, 0]
    assert 0 not in once[2:]
    many = BinaryKMeans(2, join="centre", seed=seed, tries=2).labels(table.codes())
    assert many[4] == many[5]
    assert many[4] not in many[:4]


def test_a_poor_half_borrows_the_rows_nearest_to_its_centre() -> None:
    # 0 1 2 3 100, k = 2: whichever centre 100 is drawn to, it is alone, and borrows 3; likewise around later means
    seed = seed_that_draws((0, 4), 5)
    for tries in (1, 15):
        found = BinaryKMeans(2, join="centre", seed=seed, tries=tries).labels(one_column([0, 1, 2, 3, 100]).codes())
        assert found.tolist() == [0, 0, 0, 1, 1]


def test_a_row_joins_the_half_whose_rows_times_extent_grow_least() -> None:
    # 0 0 0 0 4 6 10, centres 0 and 10, in tenths; 6 and 4 come last.  6 raises the four zeros from 0 to 5 x 6, and the
    # one 10 from 0 to 2 x 4.  4 raises the zeros from 0 to 5 x 4, and 6 and 10 from 2 x 4 to 3 x 6, by 10: it joins
    # these, though 0 is the nearer centre
    table = one_column([0, 0, 0, 0, 4, 6, 10])
    seed = next(
        seed for seed in range(100_000)
        if first_centres(seed, 7)[0] < 4 and first_centres(seed, 7)[1] == 6 and last_two(seed, 7) == [5, 4]
    )  # fmt: skip
    assert BinaryKMeans(3, seed=seed, tries=1).labels(table.codes()).tolist() == [0, 0, 0, 0, 1, 1, 1]
    nearer = BinaryKMeans(2, seed=seed, tries=1, join="centre").labels(table.codes())
    assert nearer[5] == nearer[6] != nearer[4]


@pytest.mark.parametrize("join", JOINS)
def test_rounding_does_not_decide(join: Join) -> None:
    # the same table with a weight of 1,000, and in other units: the same classes
    random = np.random.default_rng(12)
    for seed in range(100):
        ages = random.integers(0, 30, 60)
        plain = one_column(ages.tolist())
        scaled = Table(plain.matrix, plain.kinds, np.full(1, 1000.0), plain.parts, plain.sizes)
        tenths = one_column((ages * 0.1 + 0.7).tolist())
        found = [
            BinaryKMeans(3, seed=seed, join=join).labels(table.codes()).tolist() for table in (plain, scaled, tenths)
        ]
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("n", "k", "sizes"), [(8, 2, [2, 2, 2, 2]), (7, 2, [2, 2, 3]), (11, 3, [3, 3, 5])])
def test_rows_as_near_to_both_centres_join_the_smaller_half(n: int, k: int, sizes: list[int]) -> None:
    # equal rows: 7 = 4 + 3, then 4 = 2 + 2; 11 = 6 + 5, then 6 = 3 + 3
    assert np.bincount(BinaryKMeans(k).labels(one_column([4] * n).codes())).tolist() == sizes


def test_equal_rows_are_drawn_to_either_half_by_the_seed() -> None:
    codes = one_column([4] * 40).codes()
    assert not np.array_equal(BinaryKMeans(5, seed=1).labels(codes), BinaryKMeans(5, seed=2).labels(codes))


def test_the_most_frequent_label_is_the_centre() -> None:
    # labels 0 0 0 1 1 1, k = 3: from centres 0 and 1 the halves are pure
    table = Table(np.array([[0, 1, 0, 1, 0, 1]], np.uint8), np.array([1]), np.ones(1), [np.zeros(0)], np.array([2]))
    for seed in range(20):
        centres = first_centres(seed, 6)
        if (centres[0] < 3) != (centres[1] < 3):
            labels = BinaryKMeans(3, seed=seed, join="centre").labels(table.codes())
            assert np.array_equal(labels == labels[0], [True, False] * 3)


@pytest.mark.parametrize("n", [3, 5, 6])
def test_as_many_rows_as_k_and_just_below_and_at_twice_k(n: int) -> None:
    sizes = np.bincount(BinaryKMeans(3).labels(one_column(list(range(n))).codes()))
    assert sizes.tolist() == {3: [3], 5: [5], 6: [3, 3]}[n]


def test_the_seed_decides_and_nothing_else() -> None:
    codes = random_table(np.random.default_rng(3), 80).codes()
    first = BinaryKMeans(5, seed=1).labels(codes)
    assert np.array_equal(first, BinaryKMeans(5, seed=1).labels(codes))
    assert any(not np.array_equal(first, BinaryKMeans(5, seed=seed).labels(codes)) for seed in (2, 3, 2**70))


def test_random_numbers_are_those_of_splitmix64() -> None:
    # the published first numbers of the generator started at 0
    assert [int(draw(np.uint64(0), i)) for i in range(2)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    order = np.empty(50, np.int64)
    shuffle(np.uint64(9), order)
    assert order.tolist() == oracle.shuffled(9, 50)
    assert sorted(order.tolist()) == list(range(50)) != order.tolist()


# --- with l ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_diverse_classes_are_those_of_the_plain_twin(seed: int) -> None:
    random = np.random.default_rng(seed)
    for trial in range(350):
        k, tries, ell = int(random.integers(2, 6)), int(random.choice([1, 3, 15])), random.choice(SHARES).item()
        table = random_table(random, rows_around(random, k, 30))
        values = sensitive_values(random, table.matrix.shape[1])
        if not oracle.is_diverse(values.tolist(), ell):
            continue
        estimator, models = BinaryKMeans(k, seed=trial, tries=tries), diverse(ell)
        expected = oracle.binary_k_means(*table.plain(), k, trial, tries, values.tolist(), ell)
        found = estimator.labels(table.codes(), column(values), models)
        assert found.tolist() == expected, (table, values, k, tries, ell)


def test_every_class_has_k_rows_and_no_value_too_often() -> None:
    random = np.random.default_rng(8)
    met: Counter[str] = Counter()
    for seed in range(3000):
        k, ell = int(random.integers(2, 8)), random.choice(SHARES).item()
        n = rows_around(random, k, 90)
        codes, values = random_table(random, n).codes(), sensitive_values(random, n)
        estimator, models = BinaryKMeans(k, seed=seed), diverse(ell)
        if Counter(values.tolist()).most_common(1)[0][1] * Fraction(str(ell)) > n:
            with pytest.raises(Infeasible, match=r"its commonest value has [\d,]+ of [\d,]+ rows"):
                estimator.labels(codes, column(values), models)
            met["infeasible"] += 1
            continue
        labels = estimator.labels(codes, column(values), models)
        for c in range(int(labels.max()) + 1):
            members = values[labels == c].tolist()
            assert len(members) >= k
            assert Counter(members).most_common(1)[0][1] * Fraction(str(ell)) <= len(members)
        met["one class" if labels.max() == 0 else "several"] += 1
    assert min(met["infeasible"], met["one class"], met["several"]) > 100


def test_a_part_is_dealt_to_as_many_classes_as_stay_legal() -> None:
    random = np.random.default_rng(9)
    lowered = 0
    for _ in range(3000):
        least, ell, n = int(random.integers(2, 6)), random.choice(SHARES).item(), int(random.integers(4, 60))
        values = sensitive_values(random, n)
        least = max(least, ceil(Fraction(str(ell))))
        if n < least or not oracle.is_diverse(values.tolist(), ell):
            continue
        needs, part, begins = needs_of(values, least, ell), np.arange(n), np.zeros(n, np.int64)
        deal(part, needs, new_state(needs), begins)
        by_value = sorted(range(n), key=lambda row: (values[row], row))
        for n_classes in range(n // least, 0, -1):
            hands = [by_value[c::n_classes] for c in range(n_classes)]
            if all(oracle.is_diverse(values[hand].tolist(), ell) for hand in hands):
                break
            lowered += 1
        assert part.tolist() == [row for hand in hands for row in hand]
        assert np.diff([*np.flatnonzero(begins), n]).tolist() == [len(hand) for hand in hands]
    assert lowered > 300


def test_a_deal_that_would_break_l_has_fewer_classes() -> None:
    # a a a a b b b b c c, l = 2.5, so classes of 3 at least: of three, the first would have a a b c, a twice in 4;
    # two have a a b b c each, twice in 5
    values = np.repeat([0, 1, 2], [4, 4, 2])
    needs, part, begins = needs_of(values, 3, 2.5), np.arange(10), np.zeros(10, np.int64)
    deal(part, needs, new_state(needs), begins)
    assert part.tolist() == [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
    assert np.flatnonzero(begins).tolist() == [0, 5]


def test_where_no_split_is_diverse_the_rows_are_dealt() -> None:
    # 0 0 0 0 all have one value and 10 10 10 10 the other, so halves around 0 and 10 are not diverse: four pairs
    table, values = one_column([0] * 4 + [10] * 4), np.repeat([0, 1], 4)
    seed = seed_that_draws((0, 4), 8)
    assert BinaryKMeans(2, seed=seed).labels(table.codes()).max() == 3
    labels = BinaryKMeans(2, seed=seed).labels(table.codes(), column(values), diverse(2))
    assert labels.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_a_class_has_no_fewer_rows_than_l() -> None:
    table, values = one_column(list(range(12))), np.arange(12)
    labels = BinaryKMeans(2).labels(table.codes(), column(values), diverse(3.5))
    assert np.bincount(labels).min() >= 4


def test_a_share_means_what_it_says_whatever_its_digits() -> None:
    # 3 of 4 rows: at most 1/l of them while l <= 4/3; the digits are too many for 64 bits times rows
    codes, values = one_column([1, 1, 1, 1]).codes(), column(np.array([0, 0, 0, 1]))
    assert BinaryKMeans(2).labels(codes, values, diverse(1.3333333333333333)).tolist() == [0, 0, 0, 0]
    with pytest.raises(Infeasible):
        BinaryKMeans(2).labels(codes, values, diverse(1.3333333333333335))
    with pytest.raises(Infeasible):
        BinaryKMeans(2).labels(codes, values, diverse(1e14))


def test_missing_is_a_value() -> None:
    codes = one_column([1, 1, 2, 2]).codes()
    half_missing = {"ill": kept_column("ill", pa.array(["flu", None, "asthma", None]))}
    assert BinaryKMeans(2).labels(codes, half_missing, diverse(2)).max() <= 1
    with pytest.raises(Infeasible):
        BinaryKMeans(2).labels(codes, half_missing, diverse(2.1))


def test_a_demand_that_not_even_all_rows_meet_is_refused_without_a_value() -> None:
    codes, kept = one_column([1, 2, 3, 4]).codes(), {"ill": kept_column("ill", pa.array(["flu", "flu", "flu", "gout"]))}
    with pytest.raises(Infeasible) as caught:
        BinaryKMeans(2).labels(codes, kept, diverse(2))
    assert caught.value.code == "infeasible-model"
    assert caught.value.message == (
        "frequency-l-diversity with l = 2 cannot be met for column `ill`: its commonest value has 3 of 4 rows"
    )


def test_any_mix_of_models_over_any_columns_is_held_in_the_search() -> None:
    random = np.random.default_rng(10)
    several = 0
    for seed in range(600):
        k, n = int(random.integers(2, 6)), int(random.integers(20, 200))
        codes = random_table(random, n).codes()
        kept = column(sensitive_values(random, n)) | {"paid": replace(column(sensitive_values(random, n))["ill"])}
        models = [FrequencyLDiversity("ill", 1.5), DistinctLDiversity("paid", 2), DistinctLDiversity("ill", 2)]
        try:
            labels = BinaryKMeans(k, seed=seed).labels(codes, kept, models)
        except Infeasible:
            continue
        assert np.bincount(labels).min() >= k
        assert Demand(k, tuple(models)).passing(labels, {name: one.codes for name, one in kept.items()}).all()
        several += labels.max() > 0
    assert several > 200


def test_two_values_half_and_half_are_dealt_to_classes_as_small_as_can_be() -> None:
    codes, values = one_column(list(range(2000))).codes(), np.arange(2000) // 1000
    for models in (diverse(2), [*diverse(2), DistinctLDiversity("ill", 2)]):  # by shares alone, and by dealing
        labels = BinaryKMeans(5).labels(codes, column(values), models)
        assert np.bincount(labels).max() <= 12, models
        assert np.bincount(labels).min() >= 5


def test_a_class_never_needs_more_rows_than_there_are() -> None:
    class Large(FrequencyLDiversity):
        def least_rows(self) -> int:
            return 1000

    codes, values = one_column([1, 2, 3, 4]).codes(), column(np.array([0, 1, 0, 1]))
    assert BinaryKMeans(2).labels(codes, values, [Large("ill", 1)]).tolist() == [0, 0, 0, 0]


def test_a_model_without_a_rule_does_not_hide_the_others() -> None:
    class Ruleless(DistinctLDiversity):
        def rule(self) -> Any:
            return None

        def passes(self, labels: Any, codes: Any, n_classes: int) -> Any:
            return np.ones(n_classes, bool)

    random = np.random.default_rng(4)
    codes, values = random_table(random, 200).codes(), column(random.integers(0, 4, 200))
    labels = BinaryKMeans(3).labels(codes, values, [Ruleless("ill", 2), *diverse(2)])
    assert Demand(3, tuple(diverse(2))).passing(labels, {"ill": values["ill"].codes}).all()
    assert labels.max() > 5


def test_models_of_a_release_reach_the_search() -> None:
    import covey
    from covey.datasets import make_hospital

    roles = {"quasi": ["age", "sex", "postcode"], "sensitive": ["diagnosis"]}
    people = make_hospital(500).select(["age", "sex", "postcode", "diagnosis"])
    model = FrequencyLDiversity("diagnosis", 4)
    release = covey.anonymize(people, k=3, algorithm="binary-k-means", models=[model], **roles)
    codes = encode_frame(people, covey.Schema.from_roles(**roles))
    kept = {"diagnosis": kept_column("diagnosis", people.column("diagnosis"))}
    found = BinaryKMeans(3).labels(codes, kept, [model])
    pairs = set(zip(found.tolist(), release.labels.tolist(), strict=True))
    assert len(pairs) == found.max() + 1  # nothing was left to repair


# --- parameters --------------------------------------------------------------------------------------------------


def test_a_census_is_split_on_any_number_of_cores_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    from covey.datasets import census_roles, make_census

    codes = encode_frame(make_census(20_000).select(census_roles()["quasi"]))
    expected = BinaryKMeans(10).labels(codes)
    monkeypatch.setattr(module, "BLOCK", 1000)
    for cores in (1, 2):
        monkeypatch.setattr(module, "cores_to_use", lambda cores=cores: cores)
        assert np.array_equal(expected, BinaryKMeans(10).labels(codes))


@pytest.mark.parametrize("join", JOINS)
def test_the_reading_can_be_chosen_by_name(join: Join) -> None:
    import covey
    from covey.datasets import census_roles, make_census

    people, quasi = make_census(200), census_roles()["quasi"]
    release = covey.anonymize(people.select(quasi), k=4, quasi=quasi, algorithm=f"binary-k-means(join={join})")
    expected = BinaryKMeans(4, join=join).fit(people.select(quasi)).loss_
    assert release.report.loss.total_il == pytest.approx(expected, rel=1e-3)  # the report rounds
