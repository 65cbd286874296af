"""KMember with penalties gives the classes of the plain loop over all rows, and charges whom it should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from covey.base.errors import InputError
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_frame
from covey.columns.kept import KeptColumn, kept_column
from covey.search.k_member.estimator import KMember
from oracles.k_member import class_penalty, diversity_penalty, k_member
from oracles.random_codes import one_column, random_table, rows_around

QUASI = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"]


def without_pruning(**parameters: Any) -> KMember:
    estimator = KMember(**parameters)
    estimator._prune = False  # type: ignore[misc]
    return estimator


def labels_of(name: str, text: str) -> KeptColumn:
    return kept_column(name, pa.array(text.split()))


def random_labels(random: np.random.Generator, name: str, n: int) -> KeptColumn:
    """Return a column of one to many values, even or skewed; not every value need have a row."""
    size = int(random.choice([1, 2, 2, 3, 5, 40]))
    codes = random.integers(0, size, n)
    if random.random() < 0.5:
        codes = np.minimum(codes, random.integers(0, size, n))
    return KeptColumn(name, codes, tuple(f"v{code:02}" for code in range(size)))


class Case(NamedTuple):
    """The parameters of a variant, the kept columns, and the same variant in the words of the oracle."""

    parameters: dict[str, Any]
    kept: dict[str, KeptColumn]
    pays: Callable[[list[int], int], list[float]]


def random_case(random: np.random.Generator, n: int) -> Case:
    """Return a random variant for a table of n rows."""
    kept = {name: random_labels(random, name, n) for name in ("target", "sensitive")}
    variant = str(random.choice(["class", "equal", "sensitive", "class and equal", "class and sensitive"]))
    parameters: dict[str, Any] = {
        "class_penalty": float(random.choice([0, 0.1, 0.5, 0.5, 1.0, 7.3])),
        "diversity_penalty": float(random.choice([0, 0.1, 0.5, 1.0, 1.0, 7.3])),
        "penalty_on": str(random.choice(["loss", "extent"])),
    }
    targets, values = kept["target"].codes.tolist(), kept["sensitive"].codes.tolist()
    truly: set[int] | None = None
    if "class" in variant:
        parameters["target"] = "target"
    if "equal" in variant:
        parameters |= {"sensitive": "sensitive", "diversity": "equal"}
    if "sensitive" in variant:
        truly = set(random.integers(0, kept["sensitive"].size, 2).tolist())
        texts = [kept["sensitive"].values[code] for code in truly]
        parameters |= {"sensitive": "sensitive", "diversity": "sensitive", "sensitive_values": texts}

    def pays(class_rows: list[int], row: int) -> list[float]:
        penalties = []
        if "class" in variant:
            labels = [targets[one] for one in class_rows]
            penalties.append(class_penalty(labels, targets[row], parameters["class_penalty"]))
        if variant != "class":
            shared = [values[one] for one in class_rows]
            penalties.append(diversity_penalty(shared, values[row], parameters["diversity_penalty"], truly))
        return penalties

    return Case(parameters, kept, pays)


@pytest.mark.parametrize("seed", range(10))
def test_classes_are_those_of_the_plain_loop(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(250):
        k = int(random.integers(2, 7))
        n = rows_around(random, k, 30)
        table, start = random_table(random, n), int(random.integers(n))
        next_seed = str(random.choice(["seed", "last"]))
        parameters, kept, pays = random_case(random, n)
        expected = k_member(*table.plain(), k, start, next_seed, None, pays, parameters["penalty_on"])
        found = KMember(k, start=start, next_seed=next_seed, **parameters).labels(table.codes(), kept)  # type: ignore[arg-type]
        assert found.tolist() == expected, (table, kept, k, start, next_seed, parameters)


@pytest.mark.parametrize("seed", range(24))
def test_classes_are_those_of_the_plain_loop_where_the_tree_is_deep(seed: int) -> None:
    random = np.random.default_rng(100 + seed)
    k = int(random.integers(2, 12))
    n = rows_around(random, k, 180)
    table, start = random_table(random, n), int(random.integers(n))
    parameters, kept, pays = random_case(random, n)
    expected = k_member(*table.plain(), k, start, "seed", None, pays, parameters["penalty_on"])
    for make in (KMember, without_pruning):
        assert make(k=k, start=start, **parameters).labels(table.codes(), kept).tolist() == expected


@pytest.mark.parametrize("seed", range(12))
def test_pruning_changes_nothing_on_larger_tables(seed: int) -> None:
    random = np.random.default_rng(200 + seed)
    table = random_table(random, 2000)
    parameters, kept, _ = random_case(random, 2000)
    for k in (2, 7, 50):
        pruned = KMember(k, seed=seed, **parameters).labels(table.codes(), kept)
        plain = without_pruning(k=k, seed=seed, **parameters).labels(table.codes(), kept)
        assert np.array_equal(pruned, plain), parameters


@pytest.mark.parametrize("seed", range(6))
def test_a_penalty_of_0_on_the_extent_changes_nothing(seed: int) -> None:
    random = np.random.default_rng(300 + seed)
    table = random_table(random, 400)
    kept = {name: random_labels(random, name, 400) for name in ("a", "b")}
    for k in (2, 9):
        free = KMember(
            k,
            start=1,
            target="a",
            class_penalty=0,
            sensitive="b",
            diversity="equal",
            diversity_penalty=0,
            penalty_on="extent",
        )
        assert np.array_equal(free.labels(table.codes(), kept), KMember(k, start=1).labels(table.codes()))


def test_random_leftovers_join_in_an_order_drawn_from_the_seed() -> None:
    for seed in range(10):
        random = np.random.default_rng(seed)
        k, n = 6, 29
        table = random_table(random, n)
        parameters, kept, pays = random_case(random, n)
        expected = k_member(
            *table.plain(),
            k,
            0,
            leftovers=lambda left, seed=seed: np.random.default_rng(seed).permutation(np.array(left)),
            pays=pays,
            on=parameters["penalty_on"],
        )
        estimator = KMember(k, seed=seed, start=0, leftovers="random", **parameters)
        assert estimator.labels(table.codes(), kept).tolist() == expected


def test_every_class_has_k_to_2k_minus_1_rows() -> None:
    random = np.random.default_rng(1)
    for _ in range(150):
        k = int(random.integers(2, 9))
        n = rows_around(random, k, 60)
        parameters, kept, _ = random_case(random, n)
        sizes = np.bincount(KMember(k, **parameters).labels(random_table(random, n).codes(), kept))
        assert k <= sizes.min() <= sizes.max() <= 2 * k - 1
        assert len(sizes) == n // k


def test_a_row_of_another_label_pays_the_class_penalty() -> None:
    # 0 2 9 10, start at 0: the seed is row 3 (at 10, label a).  Row 2 (at 9, label b) makes the extent 0.1,
    # row 1 (at 2, label a) 0.8.  Row 2 costs 0.1 + penalty on the extent: with 0.5 it is still cheaper, with 0.75 not
    codes, kept = one_column([0, 2, 9, 10]).codes(), {"y": labels_of("y", "b a b a")}

    def first_class(**parameters: Any) -> list[int]:
        found = KMember(2, start=0, target="y", **parameters).labels(codes, kept)
        return np.flatnonzero(found == 0).tolist()

    assert first_class(class_penalty=0.5, penalty_on="extent") == [2, 3]
    assert first_class(class_penalty=0.75, penalty_on="extent") == [1, 3]
    # on the loss: 2 x 0.1 + penalty against 2 x 0.8, so 0.75 is not enough and 1.5 is
    assert first_class(class_penalty=0.75, penalty_on="loss") == [2, 3]
    assert first_class(class_penalty=1.5, penalty_on="loss") == [1, 3]


def test_of_equally_frequent_targets_the_lowest_code_is_the_majority() -> None:
    # k = 3, all rows equal, so that penalties and row numbers decide; the seed is row 0
    alike = one_column([5] * 6).codes()

    def found(targets: str) -> list[int]:
        return KMember(3, start=0, target="y").labels(alike, {"y": labels_of("y", targets)}).tolist()

    assert found("b a b a b a") == [0, 1, 0, 1, 0, 1]  # b takes the b
    # b has no equal: all pay, row 1 (c) is the lowest.  b and c are even, b counts, nobody has it: row 2 is the lowest
    assert found("b c d d c d") == [0, 0, 0, 1, 1, 1]
    # b takes row 1 (a).  Even: a counts, so that row 3 (a) joins free and row 2 (c) would pay
    assert found("b a c a c c") == [0, 0, 1, 0, 1, 1]


def test_a_row_with_the_only_sensitive_value_pays_until_there_are_two() -> None:
    # all rows equal, k = 3: seed row 0 (flu).  Row 1 (flu) pays, row 3 (hiv) does not; then the class has two
    # values and row 1 joins free
    alike = one_column([5] * 6).codes()
    kept = {"ill": labels_of("ill", "flu flu flu hiv hiv hiv")}
    found = KMember(3, start=0, sensitive="ill", diversity="equal").labels(alike, kept)
    assert found.tolist() == [0, 0, 1, 0, 1, 1]


def test_only_truly_sensitive_values_pay_in_sensitive_diversity() -> None:
    # seed row 0 (flu) is not truly sensitive: rows 1 and 2 join free.  The other way round hiv is sensitive
    alike = one_column([5] * 6).codes()

    def found(values: str) -> list[int]:
        estimator = KMember(3, start=0, sensitive="ill", diversity="sensitive", sensitive_values=["hiv"])
        return estimator.labels(alike, {"ill": labels_of("ill", values)}).tolist()

    assert found("flu flu flu hiv hiv hiv") == [0, 0, 0, 1, 1, 1]
    assert found("hiv hiv hiv flu flu flu") == [0, 0, 1, 0, 1, 1]


def test_both_penalties_add() -> None:
    # seed row 3 at 10 (a, flu), extent 0.1 with row 2, 0.5 with row 1, which never pays
    codes = one_column([0, 5, 9, 10]).codes()
    both: dict[str, Any] = {"target": "y", "sensitive": "ill", "diversity": "equal", "penalty_on": "extent"}
    both |= {"class_penalty": 0.3, "diversity_penalty": 0.3}

    def first_class(y: str, ill: str) -> list[int]:
        found = KMember(2, start=0, **both).labels(codes, {"y": labels_of("y", y), "ill": labels_of("ill", ill)})
        return np.flatnonzero(found == 0).tolist()

    assert first_class("a a b a", "flu hiv hiv flu") == [2, 3]  # 0.1 + 0.3 < 0.5
    assert first_class("a a a a", "flu hiv flu flu") == [2, 3]  # 0.1 + 0.3 < 0.5
    assert first_class("a a b a", "flu hiv flu flu") == [1, 3]  # 0.1 + 0.3 + 0.3 > 0.5


def test_a_missing_label_is_a_label_of_its_own() -> None:
    alike = one_column([5] * 4).codes()
    kept = {"y": kept_column("y", pa.array([None, "a", "a", None]))}
    assert KMember(2, start=0, target="y").labels(alike, kept).tolist() == [0, 1, 1, 0]


def test_one_column_may_be_target_and_sensitive() -> None:
    table = {"age": [5, 5, 5, 5], "y": ["a", "a", "b", "b"]}
    # equal ages: 1 for the same value is dearer than 0.5 for another
    estimator = KMember(2, start=0, target="y", sensitive="y", diversity="equal")
    assert estimator.reads() == ("y",)
    assert estimator.fit(pa.table(table)).labels_.tolist() == [0, 1, 0, 1]


def test_fit_keeps_the_columns_it_reads_out_of_the_quasi_columns() -> None:
    table = pa.table({"age": [30, 30, 60, 60], "y": ["a", "b", "a", "b"], "ill": ["u", "v", "u", "v"]})
    estimator = KMember(2, target="y", sensitive="ill", diversity="equal")
    assert estimator.reads() == ("y", "ill")
    assert estimator.fit(table).loss_ == 0  # by age alone; otherwise every pair would cost
    assert KMember(2).reads() == ()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sensitive": "ill"}, "`sensitive` of KMember needs `diversity` beside it"),
        ({"diversity": "equal"}, "`diversity` of KMember needs `sensitive` beside it"),
        ({"sensitive": "ill", "diversity": "sensitive"}, '`diversity="sensitive"` of KMember needs `sensitive_values`'),
        (
            {"sensitive": "ill", "diversity": "equal", "sensitive_values": ["hiv"]},
            '`sensitive_values` of KMember needs `diversity="sensitive"`',
        ),
        ({"sensitive_values": ["hiv"]}, '`sensitive_values` of KMember needs `diversity="sensitive"`'),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(parameters: dict[str, Any], message: str) -> None:
    kept = {"ill": labels_of("ill", "flu flu hiv hiv")}
    with pytest.raises(InputError, match=message) as caught:
        KMember(2, **parameters).labels(one_column([1, 2, 3, 4]).codes(), kept)
    assert caught.value.code == "bad-parameter"


def test_a_value_that_the_column_does_not_have_is_refused_without_naming_those_it_has() -> None:
    kept = {"ill": labels_of("ill", "flu flu hiv hiv")}
    estimator = KMember(2, sensitive="ill", diversity="sensitive", sensitive_values=["hiv", "HIV+"])
    with pytest.raises(InputError, match=r"names what column `ill` does not have: `HIV\+`") as caught:
        estimator.labels(one_column([1, 2, 3, 4]).codes(), kept)
    assert "flu" not in f"{caught.value} {caught.value.hint}"


def test_penalties_do_on_adult_what_the_paper_says(data: object) -> None:
    from covey.datasets import load_adult

    table = load_adult()
    codes, income = encode_frame(table.select(QUASI)), kept_column("income", table.column("income"))

    def measured(**parameters: Any) -> tuple[int, int, float]:
        """Return rows not of their class's majority income, rows in classes of one income, Total-IL."""
        labels = KMember(10, start=0, **parameters).labels(codes, {"income": income})
        counts = np.zeros((labels.max() + 1, 2), int)
        np.add.at(counts, (labels, income.codes), 1)
        alike = counts.min(axis=1) == 0
        return int(counts.min(axis=1).sum()), int(counts[alike].sum()), total_loss(codes, labels)

    cm, ed, loss = measured()
    # about 4,716 and 11,680 plain; about 1,660 and 880 with class penalty 0.5 on the loss and on the extent;
    # about 8,640 and 6,402 with diversity penalty 1
    assert (cm, ed) == (pytest.approx(4_716, rel=0.03), pytest.approx(11_680, rel=0.03))
    on_loss, on_extent = (measured(target="income", penalty_on=on) for on in ("loss", "extent"))
    assert (on_loss[0], on_extent[0]) == (pytest.approx(1_660, rel=0.03), pytest.approx(880, rel=0.03))
    assert max(on_loss[2], on_extent[2]) < 1.05 * loss
    on_loss, on_extent = (measured(sensitive="income", diversity="equal", penalty_on=on) for on in ("loss", "extent"))
    assert (on_loss[1], on_extent[1]) == (pytest.approx(8_640, rel=0.03), pytest.approx(6_402, rel=0.03))
