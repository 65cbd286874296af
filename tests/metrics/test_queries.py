"""Counts estimated from a release are off by what the plain twin finds, for queries that a seed draws."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from covey.base.errors import InputError
from covey.codes.codes import tree_positions
from covey.metrics import range_query_error
from covey.metrics.queries import Condition, draw_queries, query_errors
from oracles import metrics as oracle
from oracles.random_codes import FLAT, ORDERED, TREE, Table, one_column
from oracles.random_releases import random_release


def test_errors_equal_those_of_the_plain_twin() -> None:
    random = np.random.default_rng(8)
    asked = 0
    for seed in range(600):
        table, labels = random_release(random)
        codes, columns = table.codes(), int(random.integers(1, 4))
        selectivity, sanity = float(random.choice([0.01, 0.1, 0.5])), float(random.choice([0.001, 0.2]))
        drawn = draw_queries(codes, queries=3, columns=columns, selectivity=selectivity, seed=seed)
        plain = [[(part.column, set(part.codes.tolist())) for part in query] for query in drawn]
        expected = [oracle.query_error(*table.plain(), labels.tolist(), query, sanity) for query in plain]
        found = query_errors(codes, labels, drawn, sanity=sanity)
        assert found.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9), (table, labels, plain)
        median = range_query_error(
            codes, labels, queries=3, columns=columns, selectivity=selectivity, sanity=sanity, seed=seed
        )
        assert median == pytest.approx(statistics.median(expected) if expected else 0.0, rel=1e-9, abs=1e-9)
        asked += len(drawn)
    assert asked > 1200  # few of the tables have constant columns alone


def ask(column: int, *codes: int) -> tuple[Condition, ...]:
    return (Condition(column, np.array(codes)),)


def test_an_interval_is_covered_by_its_width_up_to_half_way_to_the_next_value() -> None:
    # four rows as [1, 4], a suppressed one with 2
    codes = one_column([1, 1, 3, 4, 2]).codes()
    labels = [0, 0, 0, 0, -1]
    # asked for 1 and 2, which is [1, 2.5] of [1, 4]: 4 x 1.5/3 = 2, and three rows are there
    assert query_errors(codes, labels, [ask(0, 0, 1)])[0] == pytest.approx(1 / 3)
    # for 1 alone: [1, 1.5], 4 x 0.5/3 against 2; for 2 and 3: [1.5, 3.5], 4 x 2/3 against 2
    assert query_errors(codes, labels, [ask(0, 0), ask(0, 1, 2)]).tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_query_is_not_spread_beyond_the_interval() -> None:
    # 0 1 2 | 100: asked for 2 it reaches to 51, of [0, 2] it covers [1.5, 2]: 3/4 of a row against 1
    codes = one_column([0, 1, 2, 100]).codes()
    assert query_errors(codes, [0, 0, 0, 1], [ask(0, 2)])[0] == pytest.approx(1 / 4)
    # and both values of a column of two have one half
    assert query_errors(one_column([0, 1]).codes(), [0, 0], [ask(0, 0), ask(0, 1)]).tolist() == [0.0, 0.0]


def test_a_point_is_covered_or_not() -> None:
    codes = one_column([0, 0, 5, 9]).codes()
    assert query_errors(codes, [0, 0, 1, 2], [ask(0, 0), ask(0, 1), ask(0, 1, 2)]).tolist() == [0.0, 0.0, 0.0]


def test_a_set_shares_its_rows_among_its_labels_and_a_node_among_its_leaves() -> None:
    # flat: rows 0 0 2 of labels 0..3, released as {0, 2}; asked for 0: 3/2 against 2
    flat = Table(np.array([[0, 0, 2]], np.uint8), np.array([FLAT]), np.ones(1), [np.zeros(0)], np.array([4]))
    assert query_errors(flat.codes(), [0, 0, 0], [ask(0, 0)])[0] == pytest.approx(0.5 / 2)
    # ((a b c) (d)): rows a a c are the node over a b c; asked for a: 3/3 against 2
    part = tree_positions(np.array([0.5, 0.5, 1.0]))
    tree = Table(np.array([[0, 0, 2]], np.uint8), np.array([TREE]), np.ones(1), [part], np.array([4]))
    assert query_errors(tree.codes(), [0, 0, 0], [ask(0, 0)])[0] == pytest.approx(1 / 2)


def test_a_cell_that_mixes_missing_with_values_is_the_whole_domain() -> None:
    # rows missing, 0, 1, 2, 3 of 0..3: `*` for the first two, points for the others
    # asked for 0, which reaches up to 1/6 of the domain: 2 x 1/6 against 1
    part = np.array([-1.0, 0.0, 1 / 3, 2 / 3, 1.0])
    table = Table(np.array([[0, 1, 2, 3, 4]], np.uint8), np.array([ORDERED]), np.ones(1), [part], np.array([5]))
    assert query_errors(table.codes(), [0, 0, 1, 2, 3], [ask(0, 1)])[0] == pytest.approx(2 / 3)
    # rows that are all missing answer no query
    assert query_errors(table.codes(), [0, 1, 2, 3, 4], [ask(0, 1, 2, 3, 4)])[0] == 0.0


def test_columns_are_taken_as_independent() -> None:
    # (0, 0) and (1, 1) in one class: 1/2 x 1/2 of two rows, where one row is (0, 0)
    matrix = np.array([[0, 1], [0, 1]], np.uint8)
    table = Table(matrix, np.array([FLAT, FLAT]), np.ones(2), [np.zeros(0)] * 2, np.array([2, 2]))
    query = (*ask(0, 0), *ask(1, 0))
    assert query_errors(table.codes(), [0, 0], [query])[0] == pytest.approx(0.5)
    # nobody is (0, 1): half a row is estimated, over the sanity bound of 0.1 x 2 rows
    assert query_errors(table.codes(), [0, 0], [(*ask(0, 0), *ask(1, 1))], sanity=0.1)[0] == pytest.approx(0.5 / 0.2)


def test_an_unchanged_table_answers_every_query_and_a_suppressed_one_none() -> None:
    random = np.random.default_rng(9)
    for _ in range(50):
        table, _ = random_release(random)
        codes = table.codes()
        assert range_query_error(codes, codes.row_tuple, queries=30) == 0.0
        drawn = draw_queries(codes, queries=30)
        errors = query_errors(codes, np.full(codes.n_rows, -1), drawn)
        assert set(errors.tolist()) <= {0.0, 1.0}  # nothing is estimated: wrong by all that is there


def test_a_query_asks_for_its_share_of_the_values() -> None:
    # ten values, 100 labels, 20 leaves; 0.09 ** (1 / 2) = 0.3 of each
    random = np.random.default_rng(0)
    matrix = np.array([random.integers(0, size, 500) for size in (11, 100, 20, 1)]).astype(np.uint8)
    parts = [np.append(-1.0, np.arange(10) / 9), np.zeros(0), tree_positions(np.ones(19)), np.zeros(0)]
    table = Table(matrix, np.array([ORDERED, FLAT, TREE, FLAT]), np.ones(4), parts, np.array([11, 100, 20, 1]))
    drawn = draw_queries(table.codes(), queries=400, columns=2, selectivity=0.09)
    assert len(drawn) == 400
    seen: dict[int, set[int]] = {0: set(), 1: set(), 2: set()}
    for query in drawn:
        assert len({part.column for part in query}) == 2
        for part in query:
            assert len(set(part.codes.tolist())) == {0: 3, 1: 30, 2: 6}[part.column]  # never the constant column
            if part.column != 1:
                assert (np.diff(part.codes) == 1).all()
            seen[part.column] |= set(part.codes.tolist())
    # every value is asked for, a missing one never
    assert seen == {0: set(range(1, 11)), 1: set(range(100)), 2: set(range(20))}


def test_a_seed_draws_the_same_queries_whatever_the_classes() -> None:
    codes = one_column(list(range(40))).codes()
    same = [draw_queries(codes, queries=20, seed=3) for _ in range(2)]
    other = draw_queries(codes, queries=20, seed=4)
    plain = [[part.codes.tolist() for query in drawn for part in query] for drawn in (*same, other)]
    assert plain[0] == plain[1] != plain[2]
    assert range_query_error(codes, np.arange(40) // 4, seed=3) == range_query_error(codes, np.arange(40) // 4, seed=3)


def test_constant_columns_leave_nothing_to_ask() -> None:
    assert range_query_error(one_column([5, 5, 5]).codes(), [0, 0, 0]) == 0.0
    assert draw_queries(one_column([5, 5]).codes()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queries": 0}, "`queries` must be at least 1, not 0"),
        ({"columns": 1.5}, "`columns` must be a whole number of 1 or more, not float"),
        ({"selectivity": 0.0}, "`selectivity` must be above 0 and at most 1"),
        ({"selectivity": 1.5}, "`selectivity` must be above 0 and at most 1"),
        ({"sanity": 0.0}, "`sanity` must be above 0 and at most 1"),
    ],
)
def test_parameters_that_are_not_allowed_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message) as fault:
        range_query_error(one_column([1, 2, 3]).codes(), [0, 0, 0], **options)  # type: ignore[arg-type]
    assert fault.value.code == "bad-parameter"
