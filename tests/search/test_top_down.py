"""Top-down specialisation recodes the whole table, from one value per column down, for a target or for the loss."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.ask.schema import Schema
from covey.base.errors import InputError
from covey.codes.codes import tree_positions
from covey.codes.encoding import encode_frame
from covey.columns.kept import KeptColumn
from covey.datasets import load_adult, load_taxonomy
from covey.metrics import classification_metric
from covey.search.top_down import estimator as top_down
from covey.search.top_down.estimator import TopDownSpecialization
from oracles.id3 import id3
from oracles.random_codes import FLAT, ORDERED, TREE, Table, one_column, random_table, rows_around
from oracles.top_down import top_down as by_the_book


def target_of(values: Any) -> KeptColumn:
    distinct, codes = np.unique(values, return_inverse=True)
    return KeptColumn("y", codes.astype(np.int64), tuple(str(value) for value in distinct))


def fitted(table: Table, k: int, values: Any = None) -> tuple[TopDownSpecialization, list[int]]:
    """Return the estimator and the labels, with `values` as the target."""
    estimator = TopDownSpecialization(k, target=None if values is None else "y")
    kept = {} if values is None else {"y": target_of(values)}
    return estimator, estimator.labels(table.codes(), kept).tolist()


@pytest.mark.parametrize("with_target", [False, True])
def test_classes_and_cuts_are_those_of_the_plain_twin(with_target: bool) -> None:
    random = np.random.default_rng(1 + with_target)
    met = Counter()
    for _ in range(1000):
        k = int(random.integers(2, 6))
        table = random_table(random, rows_around(random, k, 34))
        n = table.matrix.shape[1]
        values = None
        if with_target:
            values = random.integers(0, int(random.integers(1, 4)), n)
            if random.random() < 0.5:  # a target that follows the first column
                values = (table.matrix[0] + (random.random(n) < 0.2)) % 3
        estimator, labels = fitted(table, k, values)
        expected, cut = by_the_book(*table.plain(), k, None if values is None else values.tolist())
        assert labels == expected, (table, k)
        assert [column.tolist() for column in estimator.cut_] == cut
        met[min(max(labels), 3)] += 1
    assert min(met[c] for c in range(4)) > 20, met  # from nothing specialised to several classes


def test_classes_are_the_rows_with_equal_values_of_the_cut_and_have_k_rows() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        k = int(random.integers(2, 9))
        table = random_table(random, int(random.integers(100, 400)))
        estimator, labels = fitted(table, k)
        for column, cut, row in zip(table.matrix, estimator.cut_, estimator.generalised_, strict=True):
            assert cut[0] == 0
            assert set(np.diff(cut).tolist()) <= {0, 1}  # runs of codes
            assert np.array_equal(cut[column], row)
        tuples = [tuple(values) for values in estimator.generalised_.T.tolist()]
        assert len(set(zip(tuples, labels, strict=True))) == len(set(tuples)) == max(labels) + 1
        assert min(Counter(labels).values()) >= k


def two_flags(first: list[int], second: list[int]) -> Table:
    return Table(
        np.array([first, second], np.uint8), np.array([FLAT, FLAT]), np.ones(2), [np.zeros(0)] * 2, np.array([2, 2])
    )


def test_the_score_is_gain_over_anonymity_loss() -> None:
    # 20 rows, 10 of each target.  First column: 18 and 2, the 2 with one target; its gain is
    # 1 - 18/20 x H(8/18) = 0.108, and the least class falls from 20 to 2: 0.108 / 18 = 0.0060.
    # Second: 10 and 10, the first with 7 of 10: 1 - H(0.7) = 0.119 and 20 to 10: 0.0119 is taken first.
    # Both together leave a class of one row, so the other is dropped.
    first = [1] * 2 + [0] * 18
    second = [0] + [1] * 3 + [0] * 6 + [0] * 3 + [1] * 7
    values = [1] * 10 + [0] * 10
    assert Counter(zip(second, values, strict=True)) == {(0, 1): 7, (1, 1): 3, (0, 0): 3, (1, 0): 7}
    estimator, labels = fitted(two_flags(first, second), 2, values)
    assert [cut.tolist() for cut in estimator.cut_] == [[0, 0], [0, 1]]
    assert Counter(labels) == {0: 10, 1: 10}
    # with the second column the same everywhere nothing stands in the way of the first
    estimator, labels = fitted(two_flags(first, [0] * 20), 2, values)
    assert [cut.tolist() for cut in estimator.cut_] == [[0, 1], [0, 0]]
    assert Counter(labels) == {0: 18, 1: 2}


def test_a_value_is_specialised_in_all_rows_or_in_none() -> None:
    # of the rows with 1 in the first column one alone has 0 in the second, so it parts in no row
    first = [0, 0, 0, 0, 1, 1, 1]
    second = [0, 0, 1, 1, 0, 1, 1]
    estimator, labels = fitted(two_flags(first, second), 2)
    # both falls are 7; the first column leaves 4 and 3, the second 3 and 4: a tie, to the first column
    assert [cut.tolist() for cut in estimator.cut_] == [[0, 1], [0, 0]]
    assert labels == [0, 0, 0, 0, 1, 1, 1]


def test_an_interval_is_cut_where_the_gain_is_greatest_among_the_cuts_that_keep_k() -> None:
    # alone, 99 would save most (five rows fall from 99 to 4); with k = 2 it takes 4 along
    estimator, labels = fitted(one_column([0, 1, 2, 3, 4, 99]), 2)
    assert labels == [0, 0, 1, 1, 2, 2]
    assert estimator.cut_[0].tolist() == [0, 0, 1, 1, 2, 2]


def test_a_node_of_which_one_child_has_rows_is_passed_through() -> None:
    # ((a b) (c d)): rows have a and b only, the root's children would gain nothing
    positions = tree_positions(np.array([0.5, 1.0, 0.5]))
    table = Table(np.array([[0, 0, 1, 1]], np.uint8), np.array([TREE]), np.ones(1), [positions], np.array([4]))
    estimator, labels = fitted(table, 2)
    assert labels == [0, 0, 1, 1]
    # c and d part from a and b, and from each other, as the gap between them is as high as that of a and b
    assert estimator.cut_[0].tolist() == [0, 1, 2, 3]


def test_a_missing_value_is_the_lowest_of_an_order() -> None:
    # missing, missing, 0, 1: the cut behind the missing values saves 2 x 1, that of 0 from 1 would leave 1 alone
    part = np.array([-1.0, 0.0, 1.0])
    table = Table(np.array([[0, 0, 1, 2]], np.uint8), np.array([ORDERED]), np.ones(1), [part], np.array([3]))
    assert fitted(table, 2)[0].cut_[0].tolist() == [0, 1, 1]


def test_without_anything_to_gain_all_rows_are_one_class() -> None:
    table = two_flags([0, 0, 1, 1], [0, 1, 0, 1])
    assert fitted(table, 2, [1, 1, 1, 1])[1] == [0, 0, 0, 0]  # nothing to learn
    assert fitted(table, 2, [0, 1, 0, 1])[1] == [0, 1, 0, 1]  # only the second column tells
    weightless = Table(table.matrix, table.kinds, np.zeros(2), table.parts, table.sizes)
    assert fitted(weightless, 2)[1] == [0, 0, 0, 0]


def test_the_target_is_a_kept_column_of_the_table() -> None:
    people = pa.table({"age": [34, 35, 36, 61, 62, 63], "sex": list("fmfmfm"), "ill": list("nnnyyy")})
    found = TopDownSpecialization(k=3, target="ill").fit(people)
    assert len(found.cut_) == 2  # the target is no quasi column
    assert found.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    release = covey.anonymize(
        people, k=3, quasi=["age", "sex"], target=["ill"], algorithm="top-down-specialization(target=ill)"
    )
    # least boxes, within the values of the recoding
    assert release.table.column("age").to_pylist() == ["[34, 36]"] * 3 + ["[61, 63]"] * 3


def test_a_target_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(top_down, "MOST_COUNTS", 19)
    with pytest.raises(
        InputError, match=r"would count 4 quasi values for each of the 5 values of its target"
    ) as caught:
        fitted(one_column([0, 1, 2, 3, 3]), 2, [0, 1, 2, 3, 4])
    assert caught.value.code == "too-large"


def test_adult_gives_the_test_errors_of_an_id3_on_the_recoded_table(data) -> None:
    """P3's comparison (figure 6): eight attributes, the trees of Fung, Wang and Yu."""
    quasi = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
    trees = {name: load_taxonomy("adult_tds", name) for name in quasi}
    schema = Schema.from_roles(quasi=quasi, target=["income"], taxonomies=trees)
    train, test = load_adult(), load_adult("test")
    income = [np.array([value == ">50K" for value in part["income"].to_pylist()], int) for part in (train, test)]
    test_codes = encode_frame(test, schema).row_codes()
    errors, metrics = [], []
    for k in (10, 25, 50, 100, 250, 500, 750, 1000):
        found = TopDownSpecialization(k, target="income").fit(train, schema)
        recoded = np.array([cut[column] for cut, column in zip(found.cut_, test_codes, strict=True)])
        guessed = id3(found.generalised_, income[0], recoded)
        errors.append(round(100 * float(np.mean(guessed != income[1])), 2))
        metrics.append(classification_metric(found.labels_, income[0]))
    assert errors == [17.92, 18.38, 18.42, 18.42, 18.46, 18.46, 19.34, 19.34]
    assert metrics == [5467, 5532, 5563, 5563, 5575, 5575, 5960, 5960]
