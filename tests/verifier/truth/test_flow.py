"""The flow is the largest there is, and matching says how many rows it leaves."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.ask.schema import Column
from covey.base.errors import InputError
from covey.verifier.columns.originals import read_originals
from covey.verifier.columns.released import read_cells
from covey.verifier.truth import matching
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.cover import cover_of
from covey.verifier.truth.flow import edge_flows
from covey.verifier.truth.kept_columns import Joint
from covey.verifier.truth.matching import match
from oracles.verify import most_matched


@st.composite
def networks(draw):
    n_sources, n_targets = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    edges = draw(st.sets(st.tuples(st.integers(0, n_sources - 1), st.integers(0, n_targets - 1))))
    supply = draw(st.lists(st.integers(1, 4), min_size=n_sources, max_size=n_sources))
    room = draw(st.lists(st.integers(0, 4), min_size=n_targets, max_size=n_targets))
    return sorted(edges), supply, room


@settings(max_examples=500, deadline=None)
@given(networks())
def test_the_flow_is_as_large_as_one_by_one_augmenting(network):
    edges, supply, room = network
    ends = np.array(edges, np.int64).reshape(-1, 2)
    left, _ = edge_flows(ends[:, 0], ends[:, 1], np.array(supply), np.array(room))
    ours = [source for source, amount in enumerate(supply) for _ in range(amount)]
    theirs = [target for target, amount in enumerate(room) for _ in range(amount)]
    allowed = set(edges)
    most = most_matched(len(ours), len(theirs), lambda row, other: (ours[row], theirs[other]) in allowed)
    assert sum(supply) - left.sum() == most
    assert (left >= 0).all()


@settings(max_examples=300, deadline=None)
@given(networks(), st.randoms(use_true_random=False))
def test_what_the_edges_carry_adds_up(network, random):
    edges, supply, room = network
    random.shuffle(edges)  # in any order
    ends = np.array(edges, np.int64).reshape(-1, 2)
    left, carried = edge_flows(ends[:, 0], ends[:, 1], np.array(supply), np.array(room))
    assert (carried >= 0).all()
    assert (np.bincount(ends[:, 0], carried, len(supply)) + left == supply).all()
    assert (np.bincount(ends[:, 1], carried, len(room)) <= room).all()
    assert np.array_equal(left, edge_flows(ends[:, 0], ends[:, 1], np.array(supply), np.array(room))[0])


def test_a_long_chain_of_changes_is_found():
    # source i can use targets i and i + 1, the last one only target 0: every other source must move over
    n = 3000
    sources = np.concatenate([np.arange(n), np.arange(n), [n]])
    targets = np.concatenate([np.arange(n), np.arange(n) + 1, [0]])
    assert edge_flows(sources, targets, np.ones(n + 1, int), np.ones(n + 1, int))[0].sum() == 0
    # one place less, and one row is left over
    room = np.ones(n + 1, int)
    room[n // 2] = 0
    assert edge_flows(sources, targets, np.ones(n + 1, int), room)[0].sum() == 1


def test_a_worst_case_for_greed_is_solved():
    # rows 0 and 1 fit both places or only the first: greed must not give the first place away
    assert edge_flows(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([5, 5]), np.array([5, 5]))[0].sum() == 0


def compared(values, cells):
    column = Column("q", "quasi", type="numeric")
    values, cells = pa.array(values).dictionary_encode(), pa.array(cells).dictionary_encode()
    originals = read_originals(values.dictionary, column)
    cover = cover_of(column, originals, read_cells(cells.dictionary, "numeric"))
    return ColumnPair(
        "q",
        cover,
        cells.indices.to_numpy(),
        len(cells.dictionary),
        values.indices.to_numpy(),
        len(values.dictionary),
    )


def test_many_options_and_few_options_are_found_alike():
    # 2,000 different values and 1,000 overlapping intervals of 4 values, two rows each: only the order helps
    values = list(range(2000))
    cells = [f"[{max(i - 1, 0)}, {i + 2}]" for i in range(0, 2000, 2) for _ in range(2)]
    columns = [compared(values, cells[::-1])]
    assert match(columns, [], 2000, 2000).unassigned == 0
    # with two more rows for 0 and 1 there are four rows for the values 0, 1 and 2
    columns = [compared(values, ["[0, 1]", "[0, 1]", *cells[:-2]])]
    assert match(columns, [], 2000, 2000).unassigned == 1


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1)), min_size=1, max_size=25),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=25),
    st.sampled_from([0, 3, 10**6]),
)
def test_matching_leaves_as_few_rows_as_one_by_one_augmenting(original, released, small):
    column = compared([value for value, _ in original], [f"[{low}, {low + width}]" for low, width, _ in released])
    kept = Joint(np.array([kept for *_, kept in released]), np.array([kept for _, kept in original]), 3)
    with pytest.MonkeyPatch.context() as patch:  # tuples with many options take another way; so do large chunks
        patch.setattr(matching, "_SMALL", small)
        patch.setattr(matching, "_CHUNK", 7)
        found = match([column], [kept], len(released), len(original))

    def fits(row, other):
        low, width, kept = released[row]
        value, true_kept = original[other]
        return kept == true_kept and low <= value <= low + width

    assert found.unassigned == len(released) - most_matched(len(released), len(original), fits)
    surplus = Counter(kept for *_, kept in released) - Counter(kept for _, kept in original)
    assert found.kept_differ == sum(surplus.values())


def test_matching_beyond_its_size_is_refused(monkeypatch):
    columns = [compared([1, 2, 3], ["[1, 3]", "2", "3"])]
    for limit in (("MOST_PAIRS", 8), ("MOST_EDGES", 4)):
        with monkeypatch.context() as patch:
            patch.setattr(matching, *limit)
            with pytest.raises(InputError, match="finding which row is which takes") as caught:
                match(columns, [], 3, 3)
        assert caught.value.code == "matching-too-large"
        assert "kept" not in caught.value.hint.replace("kept values", "")
        assert "60,000 rows" in caught.value.hint
    # 3 x 3 pairs; [1, 3] fits three values, 2 and 3 one each
    monkeypatch.setattr(matching, "MOST_PAIRS", 9)
    monkeypatch.setattr(matching, "MOST_EDGES", 5)
    assert match(columns, [], 3, 3).unassigned == 0
