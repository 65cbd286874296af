"""CM counts rows that differ from their class's majority; the nearest released row predicts a label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from covey.base.errors import InputError
from covey.codes.codes import tree_positions
from covey.codes.encoding import encode_frame
from covey.datasets import load_small
from covey.metrics import classification_metric, classification_share, nearest_neighbour_error
from covey.search.linkage.estimator import Linkage
from oracles import metrics as oracle
from oracles.random_codes import FLAT, ORDERED, TREE, Table, one_column
from oracles.random_releases import random_labels, random_release


def test_cm_equals_its_plain_twin() -> None:
    random = np.random.default_rng(2)
    for _ in range(2000):
        n = int(random.integers(1, 30))
        labels, values = random_labels(random, n), random.integers(0, int(random.integers(1, 5)), n)
        expected = oracle.classification_metric(labels.tolist(), values.tolist())
        assert classification_metric(labels, values) == expected, (labels, values)
        assert classification_share(labels, values) == expected / n


def test_cm_by_hand() -> None:
    # class 0: labels 1 1 0, one is not of the majority; class 1: 0 1, a tie, one is not; one row is suppressed
    labels, values = [0, 0, 0, 1, 1, -1], [1, 1, 0, 0, 1, 1]
    assert classification_metric(labels, values) == 3
    assert classification_share(labels, values) == 0.5
    assert classification_metric([], []) == 0
    assert classification_share([], []) == 0.0


@pytest.mark.parametrize("release", ["interval", "centre"])
def test_the_neighbour_error_equals_its_plain_twin(release: str) -> None:
    random = np.random.default_rng(3)
    for _ in range(500):
        table, labels = random_release(random, 16)
        values = random.integers(0, 3, len(labels))
        weights = table.weights if random.random() < 0.5 else np.full(len(table.kinds), 1 / len(table.kinds))
        plain = table.matrix, table.kinds, weights, table.parts, table.sizes, labels.tolist(), values.tolist()
        found = nearest_neighbour_error(table.codes(), labels, values, release=release, weights=weights)  # type: ignore[arg-type]
        expected = float(oracle.nearest_neighbour_error(*plain, release))
        assert found == pytest.approx(expected, abs=1e-12), (table, labels, values)


@pytest.mark.parametrize("release", ["interval", "centre"])
def test_the_order_of_the_rows_does_not_matter(release: str) -> None:
    random = np.random.default_rng(4)
    for _ in range(100):
        table, labels = random_release(random, 40)
        values = random.integers(0, 3, len(labels))
        found = nearest_neighbour_error(table.codes(), labels, values, release=release)  # type: ignore[arg-type]
        for _ in range(5):
            order = random.permutation(len(labels))
            matrix = np.ascontiguousarray(table.matrix[:, order])
            moved = Table(matrix, table.kinds, table.weights, table.parts, table.sizes).codes()
            again = nearest_neighbour_error(moved, labels[order], values[order], release=release)  # type: ignore[arg-type]
            assert again == found, (table, labels, values, order)


def test_iris_has_one_error_in_any_order(data: Path) -> None:
    # with the lowest of equally near rows it was 11 to 47 %
    iris = load_small("iris")
    species = np.unique(iris["class"].to_pylist(), return_inverse=True)[1]
    iris = iris.drop_columns(["class"])
    random = np.random.default_rng(5)
    labels = Linkage("average", 3).fit(iris).labels_
    errors = set()
    for _ in range(60):
        order = random.permutation(iris.num_rows)
        codes = encode_frame(iris.take(order))
        errors.add(nearest_neighbour_error(codes, labels[order], species[order]))
    assert len(errors) == 1


def test_without_weights_all_columns_count_alike() -> None:
    # rows 0 and 1 differ from row 2 by 1 in one column each; weights of the schema would make row 1 the nearer
    matrix = np.array([[1, 0, 0], [0, 1, 0]], np.uint8)
    table = Table(matrix, np.array([FLAT, FLAT]), np.array([2.0, 1.0]), [np.zeros(0)] * 2, np.array([2, 2]))
    # row 0 is nearest to row 2 (1/2 against 1), so is row 1, and row 2 is as near to row 0 as to row 1: half wrong
    labels = [0, 1, 2]
    assert nearest_neighbour_error(table.codes(), labels, [0, 1, 0]) == 1 / 2
    # by the weights 2 and 1 row 2 goes to row 1
    assert nearest_neighbour_error(table.codes(), labels, [0, 1, 0], weights=[2.0, 1.0]) == 2 / 3


def test_rows_of_their_own_give_the_error_of_the_original_table() -> None:
    # nearest others of 0 1 5 6 20: 1, 0, 6, 5, 6; labels a a b c c
    codes = one_column([0, 1, 5, 6, 20]).codes()
    assert nearest_neighbour_error(codes, range(5), [0, 0, 1, 2, 2]) == 2 / 5


def test_equally_near_rows_count_alike() -> None:
    # both classes reach from 0 to 9: every row is inside both, and as near to each of the three others
    codes = one_column([0, 0, 9, 9]).codes()
    assert nearest_neighbour_error(codes, [0, 1, 0, 1], [0, 0, 1, 1]) == 2 / 3
    # 2 of 3 wrong for row 0, 2 and 3 one of 3 (row 1), row 1 three of 3
    assert nearest_neighbour_error(codes, [0, 1, 0, 1], [0, 1, 0, 0]) == (3 * 1 / 3 + 1) / 4
    # a class of three beside one of one, both at 4: the suppressed row at 5 has one right among four
    codes = one_column([4, 4, 4, 4, 5]).codes()
    assert nearest_neighbour_error(codes, [0, 0, 0, 1, -1], [0, 0, 0, 1, 1]) == (3 * 1 / 3 + 1 + 3 / 4) / 5


def test_a_suppressed_row_is_classified_but_classifies_nobody() -> None:
    # the row at 3 is suppressed and nearest to [0, 2] (rows 0 and 1)
    codes = one_column([0, 2, 3, 8, 9]).codes()
    assert nearest_neighbour_error(codes, [0, 0, -1, 1, 1], [0, 0, 0, 1, 1]) == 0.0
    assert nearest_neighbour_error(codes, [0, 0, -1, 1, 1], [0, 0, 1, 1, 1]) == 1 / 5


def test_a_row_without_any_other_released_row_is_wrong() -> None:
    codes = one_column([0, 1]).codes()
    assert nearest_neighbour_error(codes, [-1, -1], [0, 0]) == 1.0
    assert nearest_neighbour_error(codes, [0, -1], [0, 0]) == 0.5


def test_a_box_is_as_near_as_its_nearest_point_and_a_centre_as_its_mean() -> None:
    # the suppressed row at 5 is 1 from [0, 4] and 2 from [7, 7]; from the mean 2 it is 3 away
    codes = one_column([0, 4, 5, 7, 7]).codes()
    labels, values = [0, 0, -1, 1, 1], [0, 0, 0, 1, 1]
    assert nearest_neighbour_error(codes, labels, values, release="interval") == 0.0
    assert nearest_neighbour_error(codes, labels, values, release="centre") == 1 / 5


def test_a_leaf_below_the_node_of_a_class_is_inside_it() -> None:
    # ((a b c) (d)): a class of a and c is the node over a, b and c; the suppressed b is inside, d is 1 away
    part = tree_positions(np.array([0.5, 0.5, 1.0]))
    table = Table(np.array([[0, 2, 1, 3]], np.uint8), np.array([TREE]), np.ones(1), [part], np.array([4]))
    assert nearest_neighbour_error(table.codes(), [0, 0, -1, 1], [0, 0, 0, 1]) == 1 / 4  # d itself goes to row 0


def test_a_missing_value_is_a_whole_domain_away() -> None:
    # row 2 is missing: 1 from row 0 at 0 and from row 1 at 1, as these are from each other and from it
    table = Table(
        np.array([[1, 2, 0]], np.uint8), np.array([ORDERED]), np.ones(1), [np.array([-1.0, 0, 1])], np.array([3])
    )
    assert nearest_neighbour_error(table.codes(), [0, 1, 2], [0, 0, 0]) == 0.0
    assert nearest_neighbour_error(table.codes(), [0, 1, 2], [0, 1, 1]) == (1 + 1 / 2 + 1 / 2) / 3


def test_an_empty_table_has_no_error() -> None:
    table = Table(np.zeros((1, 0), np.uint8), np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([1]))
    assert nearest_neighbour_error(table.codes(), [], []) == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"release": "mean"}, "`release` must be one of 'interval', 'centre'"),
        ({"weights": [1.0, 1.0]}, "`weights` must be 1 number of 0 or more"),
        ({"weights": [-1.0]}, "`weights` must be"),
    ],
)
def test_wrong_words_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        nearest_neighbour_error(one_column([1, 2]).codes(), [0, 0], [0, 1], **options)  # type: ignore[arg-type]


def test_arrays_of_unlike_length_are_refused() -> None:
    codes = one_column([1, 2]).codes()
    with pytest.raises(InputError, match="`values` has 1 number for 2 rows"):
        nearest_neighbour_error(codes, [0, 0], [1])
    with pytest.raises(InputError, match="`labels` has 3 numbers for 2 rows"):
        nearest_neighbour_error(codes, [0, 0, 0], [1, 1])
