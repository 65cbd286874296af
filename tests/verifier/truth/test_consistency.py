"""k-consistency: links that are part of no assignment do not count, and the fewest that are left are the level."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.ask.schema import Column
from covey.base.errors import InputError
from covey.codes.encoding import encode_columns
from covey.columns.typed import type_column
from covey.recode import recode, recode_windows
from covey.search.loss_cut.estimator import LossCut
from covey.search.non_homogeneous.estimator import NonHomogeneous
from covey.verifier.columns.codes import coded
from covey.verifier.columns.originals import read_originals
from covey.verifier.columns.released import read_cells
from covey.verifier.truth import matching
from covey.verifier.truth.column_pair import ColumnPair
from covey.verifier.truth.consistency import is_consistent_by_rings, k_consistency, partners, strong_components
from covey.verifier.truth.cover import cover_of
from oracles.non_homogeneous import window


def compared(column, cells, values):
    """Return one quasi column of both tables, from released cells and original values."""
    cells, values = coded(pa.chunked_array([cells]), column.name), coded(pa.chunked_array([values]), column.name)
    cover = cover_of(column, read_originals(values.values, column), read_cells(cells.values, column.type))
    return ColumnPair(column.name, cover, cells.codes, cells.size, values.codes, values.size)


def level(cells, values):
    """Return the level of a release of one numeric column."""
    column = compared(Column("q", "quasi", type="numeric"), pa.array(cells), pa.array(values))
    return k_consistency([column], len(cells), len(values))


def partners_by_trying(covers):
    """Return how many partners each released and each original row has, over all ways to assign them; None if none."""
    n_released, n_original = covers.shape
    links = set()
    for chosen in itertools.permutations(range(n_original), n_released):
        if all(covers[row, other] for row, other in enumerate(chosen)):
            links |= set(enumerate(chosen))
    if not links:
        return None
    ours, theirs = Counter(row for row, _ in links), Counter(other for _, other in links)
    return [ours[row] for row in range(n_released)], [theirs[other] for other in range(n_original)]


def merged(covers):
    """Return (sources, targets, rows of released tuples, rows of original tuples, and the tuple of each row)."""
    _, original_tuple, theirs = np.unique(covers.T, axis=0, return_inverse=True, return_counts=True)
    narrow = covers[:, [original_tuple.tolist().index(t) for t in range(len(theirs))]]
    tuples, released_tuple, ours = np.unique(narrow, axis=0, return_inverse=True, return_counts=True)
    sources, targets = np.nonzero(tuples)
    return sources, targets, ours, theirs, released_tuple, original_tuple


def test_partners_are_those_of_all_assignments_tried_one_by_one() -> None:
    random = np.random.default_rng(1)
    possible = impossible = pruned = left_out = 0
    for _ in range(900):
        n_original = int(random.integers(1, 7))
        n_released = int(random.integers(max(n_original - 2, 1), n_original + 1))
        covers = random.random((n_released, n_original)) < random.uniform(0.2, 0.9)
        if random.random() < 0.4:  # equal tuples on both sides
            covers = covers[random.integers(0, n_released, n_released)][:, random.integers(0, n_original, n_original)]
        sources, targets, ours, theirs, released_tuple, original_tuple = merged(covers)
        found = partners(sources, targets, ours, theirs)
        expected = partners_by_trying(covers)
        if expected is None:
            impossible += 1
            assert found == (None, None), covers
            continue
        possible += 1
        assert found[0] is not None
        assert found[0][released_tuple].tolist() == expected[0], covers
        assert found[1][original_tuple].tolist() == expected[1], covers
        pruned += sum(expected[0]) < covers.sum()
        left_out += 0 in expected[1]
    assert min(possible, impossible, pruned, left_out) > 30


def test_components_are_those_of_reachability() -> None:
    random = np.random.default_rng(2)
    for _ in range(300):
        n = int(random.integers(1, 12))
        n_arrows = int(random.integers(0, 3 * n))
        tails, heads = random.integers(0, n, n_arrows), random.integers(0, n, n_arrows)
        reach = np.eye(n, dtype=bool)
        reach[tails, heads] = True
        for middle in range(n):
            reach |= np.outer(reach[:, middle], reach[middle])
        component = strong_components(tails, heads, n)
        assert np.array_equal(component[:, None] == component[None, :], reach & reach.T)


def test_long_walks_do_no_harm() -> None:
    n = 50_000
    ring = np.arange(n)
    assert strong_components(ring, (ring + 1) % n, n).max() == 0
    assert len(set(strong_components(ring[:-1], ring[1:], n).tolist())) == n


def test_a_ring_of_windows_by_hand() -> None:
    # 1, 2 and 3 in a ring of windows of two: each row lies in two, 2 in [1, 3] as well
    assert level(["[1, 2]", "[2, 3]", "[1, 3]"], [1, 2, 3]) == 2
    # one more: 1-2, 2-5, 5-6, and 6-1 covers all
    assert level(["[1, 2]", "[2, 5]", "[5, 6]", "[1, 6]"], [1, 2, 5, 6]) == 2


def test_links_that_no_assignment_uses_do_not_count() -> None:
    # 2 and [1, 2] look like partners of two rows each; but 1 can only have [1, 2], so 2 has [2, 2]
    assert level(["[1, 2]", "2"], [1, 2]) == 1


def test_rows_that_no_assignment_reaches_make_it_nought() -> None:
    assert level(["[1, 2]", "[1, 2]", "3"], [1, 2, 4]) == 0
    assert level(["[1, 2]", "[1, 2]", "[1, 2]"], [1, 2]) == 0  # more rows than the original has
    assert level(["[1, 2]", "[1, 2]", "[1, 2]"], [1, 2, 9]) == 0  # 9 is covered by none


def test_equal_rows_count_each() -> None:
    assert level(["[1, 2]"] * 3, [1, 1, 2]) == 3
    assert level(["1", "1", "2", "2", "2"], [1, 2, 1, 2, 2]) == 2


def test_rows_left_out_need_no_partner() -> None:
    # 9 is covered by nothing, so it was left out; the others are two each
    assert level(["[1, 2]", "[1, 2]"], [1, 2, 9]) == 2
    # one of 1, 2 and 3 was left out, and nobody knows which: each may be either row
    assert level(["[1, 3]", "[1, 3]"], [1, 2, 3]) == 2
    # 3 was left out or is the only one that [3, 4] covers: one partner, whatever happened
    assert level(["[1, 2]", "[1, 2]", "[3, 4]"], [1, 2, 3, 9]) == 1
    # left out is not a partner: 1 goes with the released row or with nothing
    assert level(["1"], [1, 1]) == 1


def test_a_cell_that_cannot_be_read_protects_nobody() -> None:
    column = compared(Column("q", "quasi", type="categorical"), pa.array(["Europe"] * 2), pa.array(["it", "fr"]))
    assert column.cover.is_unknown.all()
    assert k_consistency([column], 2, 2) == 0
    rings = np.arange(2), np.array([0, 2]), np.arange(2)
    assert not is_consistent_by_rings([column], *rings, 2)


def test_beyond_its_size_it_is_refused(monkeypatch) -> None:
    for limit in (("MOST_PAIRS", 8), ("MOST_EDGES", 4)):
        with monkeypatch.context() as patch:
            patch.setattr(matching, *limit)
            with pytest.raises(InputError, match="finding which row is which takes") as caught:
                level(["[1, 3]", "2", "3"], [1, 2, 3])
        assert caught.value.code == "matching-too-large"
        assert "parts of fewer rows" in caught.value.hint
    monkeypatch.setattr(matching, "MOST_PAIRS", 9)
    monkeypatch.setattr(matching, "MOST_EDGES", 5)
    assert level(["[1, 3]", "2", "3"], [1, 2, 3]) == 1


# --- whole releases ------------------------------------------------------------------------------------------


class Table:
    """Random rows of a numeric and a categorical column, typed and encoded."""

    def __init__(self, random, n, towns=6):
        self.data = [
            pa.array(random.integers(0, int(random.choice([5, 40])), n).tolist()),
            pa.array([None if code == 5 else f"town {code}" for code in random.integers(0, towns, n).tolist()]),
        ]
        self.schema = [Column("age", "quasi", type="numeric"), Column("town", "quasi", type="categorical")]
        chunked = [pa.chunked_array([values]) for values in self.data]
        self.columns = [type_column(column, values) for column, values in zip(self.schema, chunked, strict=True)]
        self.codes = encode_columns(self.columns)

    def compared(self, recoding, order=None):
        """Return both tables' columns; the released rows in the order given, or as they are."""
        out = []
        for column, values in zip(self.schema, self.data, strict=True):
            ((_, cells),) = recoding.columns[column.name]
            out.append(compared(column, cells if order is None else cells.take(pa.array(order)), values))
        return out


def test_a_release_by_classes_reaches_at_least_its_k() -> None:
    random = np.random.default_rng(5)
    for _ in range(60):
        k, n = int(random.integers(2, 6)), int(random.integers(12, 50))
        table = Table(random, n)
        release = recode(table.columns, table.codes, LossCut(k).labels(table.codes), k=k)
        assert k_consistency(table.compared(release, random.permutation(n)), n, n) >= release.sizes.min() >= k


def test_a_release_by_disjoint_classes_reaches_exactly_its_smallest_class() -> None:
    assert level(["[1, 3]"] * 4 + ["[5, 6]"] * 3 + ["9"] * 5, [1, 2, 3, 3, 5, 6, 6, 9, 9, 9, 9, 9]) == 3


def test_a_release_by_windows_reaches_its_k_in_any_order_of_rows() -> None:
    random = np.random.default_rng(6)
    below = 0
    for _ in range(80):
        k, n = int(random.integers(2, 6)), int(random.integers(12, 50))
        table = Table(random, n)
        part_size = int(random.integers(k, 30))
        cover = NonHomogeneous(k, part_size=part_size).cover(table.codes, random)
        release = recode_windows(table.columns, table.codes, cover, k=k)
        assert k_consistency(table.compared(release, random.permutation(n)), n, n) >= k
        assert is_consistent_by_rings(table.compared(release), cover.order, cover.starts, cover.windows, k)
        below += release.sizes.min() < k
    assert below > 40  # classes of equal tuples are smaller: plain k-anonymity does not hold


def test_a_tampered_release_fails() -> None:
    random = np.random.default_rng(7)
    table = Table(random, 40)
    people = list(zip(*(values.to_pylist() for values in table.data), strict=True))
    row = next(row for row, person in enumerate(people) if None not in person and people.count(person) < 4)
    cover = NonHomogeneous(4).cover(table.codes, random)
    release = recode_windows(table.columns, table.codes, cover, k=4)
    assert k_consistency(table.compared(release), 40, 40) >= 4
    # one row is released as it is: its tuple covers only its equals
    tampered = []
    for column, values, value in zip(table.schema, table.data, people[row], strict=True):
        cells = release.columns[column.name][0][1].to_pylist()
        cells[row] = str(value)
        tampered.append(compared(column, pa.array(cells), values))
    assert k_consistency(tampered, 40, 40) <= people.count(people[row])
    assert not is_consistent_by_rings(tampered, cover.order, cover.starts, cover.windows, 4)


def test_rings_are_believed_exactly_if_every_window_covers_its_rows() -> None:
    random = np.random.default_rng(8)
    found = Counter()
    for _ in range(150):
        k, n = int(random.integers(2, 9)), int(random.integers(20, 160))
        table = Table(random, n, towns=int(random.choice([6, 400])))  # more than 64 values take more than one word
        cover = NonHomogeneous(k, part_size=int(random.integers(k, 30))).cover(table.codes, random)
        columns = table.compared(recode_windows(table.columns, table.codes, cover, k=k))
        tampered = int(random.integers(len(columns)))
        columns[tampered].cells[random.integers(n)] = random.integers(columns[tampered].n_cells)
        released = np.argsort(cover.windows)
        expected = all(
            column.cover.pairs(column.cells[[released[place]]], column.values[[row]]).all()
            for column in columns
            for place in range(n)
            for row in window(cover.order.tolist(), cover.starts.tolist(), place, k)
        )
        assert is_consistent_by_rings(columns, cover.order, cover.starts, cover.windows, k) == expected
        found[expected, tampered] += 1
    assert min(found[expected, tampered] for expected in (False, True) for tampered in (0, 1)) > 5


def test_rings_prove_nothing_unless_they_are_rings_of_k() -> None:
    values = [1, 2, 3, 4]
    column = compared(Column("q", "quasi", type="numeric"), pa.array(["[1, 4]"] * 4), pa.array(values))
    four = np.arange(4)

    def holds(order=four, starts=(0, 4), windows=four, k=2):
        return is_consistent_by_rings([column], np.array(order), np.array(starts), np.array(windows), k)

    assert holds()
    assert holds(k=4)
    assert not holds(k=5)
    assert not holds(starts=(0, 1, 4))  # a ring of one row
    assert not holds(starts=(0, 3))  # a row in no ring
    assert not holds(starts=(1, 4))
    assert not holds(order=(0, 1, 1, 3))  # a row twice
    assert not holds(windows=(0, 1, 1, 3))  # a window twice
    assert not holds(windows=(0, 1, 2, 4))
    assert not holds(order=(0, 1, 2))


def test_rings_of_some_rows_prove_nothing_of_the_others():
    original = pa.table({"age": [30, 31, 50, 70]})
    released = pa.table({"age": ["[30, 31]", "[30, 31]", "50", "70"]})
    rings = tuple(np.array(part) for part in ([0, 1], [0, 2], [0, 1]))
    asked = {"quasi": ["age"], "original": original, "models": ["k-consistency(k=2)"]}
    assert not covey.verify(released, **asked).ok
    assert not covey.verify(released, **asked, rings=rings).ok


def test_rings_do_not_hide_that_a_row_is_exempt():
    original = pa.table({"age": [30, 31], "agrees": [True, False]})
    released = pa.table({"age": ["[30, 31]", "[30, 31]"], "agrees": [True, False]})
    rings = tuple(np.array(part) for part in ([0, 1], [0, 2], [0, 1]))
    asked = {"quasi": ["age"], "original": original, "models": ["k-consistency(k=2)"], "consent": "agrees"}
    assert not covey.verify(released, **asked, rings=rings).ok
