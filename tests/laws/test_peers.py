"""What other tools get wrong, as cases that covey must get right; each is named after its number in our survey."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import covey
from covey.ask.algorithms import ALGORITHMS
from covey.verifier.reading.notation import read_cell

EVERY = pytest.mark.parametrize("algorithm", ALGORITHMS)
CLASSY = pytest.mark.parametrize("algorithm", [name for name, entry in ALGORITHMS.items() if entry.makes_classes])


def table(a: list[object], s: list[object], index: list[object] | None = None) -> pd.DataFrame:
    return pd.DataFrame({"a": a, "s": s}, index=index)


def release(frame: pd.DataFrame, k: int, algorithm: str = "covey", **settings: object) -> pd.DataFrame:
    return covey.anonymize(frame, k=k, quasi=["a"], sensitive=["s"], algorithm=algorithm, **settings).table


def sizes(frame: pd.DataFrame) -> list[int]:
    return sorted(frame.groupby("a", dropna=False).size().tolist())


@EVERY
def test_f2_fewer_rows_than_k_are_refused(algorithm):
    with pytest.raises(covey.Infeasible, match="k = 5 needs at least 5 rows; there are 3"):
        release(table([1, 2, 3], list("xyz")), 5, algorithm)


@pytest.mark.parametrize("k", [0, -1, 1])
@EVERY
def test_f4_a_k_below_two_is_refused_at_once(algorithm, k):
    with pytest.raises(ValueError, match=f"`k` must be at least 2, not {k}"):
        release(table([1, 2, 3], list("xyz")), k, algorithm)


@EVERY
def test_f5_a_duplicate_index_does_not_matter(algorithm):
    made = release(table([1, 9, 2, 8], list("xyxy"), index=[0, 0, 1, 1]), 2, algorithm)
    assert made["a"].tolist() == ["[1, 2]", "[8, 9]", "[1, 2]", "[8, 9]"]
    assert made.index.tolist() == [0, 1, 2, 3]


@EVERY
def test_f6_rows_with_a_missing_quasi_value_are_not_lost(algorithm):
    made = release(table([1, 2, np.nan, 4, 5, 6], list("xyxyxy")), 2, algorithm)
    assert len(made) == 6
    assert sum(sizes(made)) == 6


@EVERY
def test_f7_a_missing_value_stays_visible(algorithm):
    made = release(table([1, np.nan, np.nan, np.nan], list("xyzw")), 2, algorithm)
    cells = made["a"].tolist()
    assert "1" not in cells
    assert "1.0" not in cells
    assert cells[0] == "*"
    assert all(cell == "*" or pd.isna(cell) for cell in cells)


@CLASSY
def test_f8_rows_with_a_missing_sensitive_value_are_not_lost(algorithm):
    made = release(table([1, 2, 3, 4], ["x", "y", None, "x"]), 2, algorithm)
    # where the first start or the centres are drawn badly, a row is left alone and all merge
    assert sizes(made) == ([4] if algorithm in ("threshold-clustering", "weighted-c-means") else [2, 2])
    assert made["s"].isna().tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("values", "kind", "points"),
    [
        ([-5, -3, -2, 4], "numeric", [-5, -3, -2, 4]),
        ([1e-20, 0.3], "numeric", [1e-20, 0.3]),
        ([dt.date(2020, 1, 1), dt.date(2020, 2, 1)], "date", None),
    ],
)
def test_f9_intervals_read_back_to_the_very_same_ends(values, kind, points):
    made = release(table(values, ["x"] * len(values)), len(values))
    (cell,) = set(made["a"])
    found = read_cell(cell, kind)
    low, high = points[0::3] if points and len(points) == 4 else (points or [None, None])
    if kind == "date":
        assert cell == "[2020-01-01, 2020-02-01]"
    else:
        assert (float(found.low), float(found.high)) == (low, high)


def test_f9_labels_with_commas_read_back():
    made = covey.anonymize(
        table(["Smith, J", "Smith", "J", "other"], list("xyxy")), k=3, quasi=["a"], other=["s"], domains={"a": LABELS}
    ).table
    (cell,) = set(made["a"])
    assert cell == '{"Smith, J", Smith, J, other}'
    assert set(read_cell(cell, "categorical").labels) == {"Smith, J", "Smith", "J", "other"}


LABELS = ("Smith, J", "Smith", "J", "other", "nobody")


@CLASSY
def test_f10_skew_does_not_stop_the_split(algorithm):
    made = release(table([0] * 7 + [10, 20, 30], list("xyxyxyxyxy")), 3, algorithm)
    expected = {
        # methods that make classes of k to 2k - 1 rows from rows as they come: a zero may be left over
        "systematic": ["0"] * 6 + ["[0, 30]"] * 4,
        "one-pass-k-means": ["0"] * 6 + ["[0, 30]"] * 4,
        "condensation-knn": ["0"] * 6 + ["[0, 30]"] * 4,
        # 10, 20 and 30 are as far from each other as from the zeros, so all are merged
        "linkage": ["[0, 30]"] * 10,
        # a third of the domain from each other: one threshold takes 10 with the zeros, the next leaves all three alone
        "threshold-clustering": ["[0, 30]"] * 10,
        # two of the three rows drawn as centres are zeros, so 20 and 30 are the only rows of the third
        "weighted-c-means": ["[0, 30]"] * 10,
        # the upper half of the domain has two rows only, so there is one level that keeps k: the whole domain
        "optimal-recoding": ["[0, 30]"] * 10,
    }
    assert sorted(made["a"]) == expected.get(algorithm, ["0"] * 7 + ["[10, 30]"] * 3)


@EVERY
def test_f11_text_is_a_category(algorithm):
    made = release(table(list("uvuv"), list("xyxy")), 2, algorithm)
    assert made["a"].tolist() == ["u", "v", "u", "v"]


def test_f12_missing_quasi_values_are_counted():
    assert covey.verify(pa.table({"q": ["a", "a", "a", None]}), quasi=["q"]).level == 1
    assert covey.verify(pa.table({"q": pa.array([None, None], pa.string())}), quasi=["q"]).level == 2


@CLASSY
def test_f12_a_missing_value_alone_is_not_published_alone(algorithm):
    made = release(table(["a", "a", "a", None], list("xyzw")), 3, algorithm)
    assert sizes(made) == [4]


@pytest.mark.parametrize("index", [[0, 2, 1, 3], [10, 11, 12, 13], list("wxyz")])
@EVERY
def test_f15_index_labels_are_not_positions(algorithm, index):
    frame = table(list("aabb"), list("xxyy"), index=index)
    assert covey.verify(frame, quasi=["a"]).level == 2
    made = release(frame, 2, algorithm)
    # both rows drawn as centres of weighted C-means are equal: they are one class
    assert made["a"].tolist() == (["*"] * 4 if algorithm == "weighted-c-means" else ["a", "a", "b", "b"])
    assert made["s"].tolist() == ["x", "x", "y", "y"]


@EVERY
def test_f16_a_duplicate_index_drops_no_row(algorithm):
    frame = pd.DataFrame({"a": [1, 1, 2, 2, None], "s": list("vwxyz")}, index=[2, 2, 1, 1, 2])
    made = release(frame, 2, algorithm, missing="suppress")
    assert made["s"].tolist() == ["v", "w", "x", "y"]


@pytest.mark.parametrize("values", [[0, 5, 10, 15, 20], [-3, 0, 5, 20, 25], [99, 99, 1, 2, 3]])
@EVERY
def test_f17_a_printed_interval_contains_its_values(algorithm, values):
    made = release(table(values, list("vwxyz")), 2, algorithm)
    for value, cell in zip(values, made["a"], strict=True):
        found = read_cell(cell, "numeric")
        ends = (found.low, found.high) if hasattr(found, "low") else (found.value, found.value)
        assert ends[0] <= value <= ends[1]


def test_f17_nodes_of_an_interval_taxonomy_contain_their_values():
    tree = covey.Taxonomy.intervals([10], start=0)
    made = covey.anonymize(
        table([0, 5, 10, 15, 20, -3], list("uvwxyz")), k=2, quasi=["a"], other=["s"], taxonomies={"a": tree},
        domains=None,
    ).table  # fmt: skip
    for value, cell in zip([0, 5, 10, 15, 20, -3], made["a"], strict=True):
        if cell != "*":
            found = read_cell(cell, "numeric")
            assert found.low <= value <= found.high


def test_f18_rows_that_are_all_stars_are_a_class_like_any_other():
    frame = pa.table({"a": ["1"] * 5 + ["*"] * 2, "b": ["x"] * 5 + ["*"] * 2})
    verdict = covey.verify(frame, k=5, quasi=["a", "b"])
    assert (verdict.ok, verdict.level, verdict.starred_rows) == (False, 2, 2)
    ignored = covey.verify(frame, k=5, quasi=["a", "b"], suppressed_rows="ignore")
    assert (ignored.ok, ignored.level, ignored.starred_ignored) == (True, 5, True)


@CLASSY
def test_f18_no_release_leaves_stars_below_k(algorithm):
    # every row differs in everything: the only release is one class, and it has all rows
    frame = pd.DataFrame({"a": list("uvwxyz"), "b": list("opqrst"), "s": list("abcdef")})
    made = covey.anonymize(frame, k=4, quasi=["a", "b"], sensitive=["s"], algorithm=algorithm).table
    assert made.groupby(["a", "b"]).size().min() >= 4


@EVERY
def test_f19_nothing_is_kept_between_calls(algorithm):
    first = release(table([1, 1, 2, 2], list("pqrs")), 2, algorithm)
    second = release(table([21, 22, 3, 4], list("wxyz")), 2, algorithm)
    assert first["s"].tolist() == list("pqrs")
    assert second["s"].tolist() == list("wxyz")
    assert second["a"].tolist() == ["[21, 22]", "[21, 22]", "[3, 4]", "[3, 4]"]


@EVERY
def test_f23_no_side_effects(algorithm):
    tree = {"all": {"low": ["1", "2"], "high": ["3", "4"]}}
    frame = pd.DataFrame({"a": [1, 2, 3, None], "s": list("wxyz")}, index=[7, 7, 8, 9])
    before = frame.copy(deep=True)
    made = release(frame, 2, algorithm, missing="suppress", taxonomies={"a": covey.Taxonomy.from_dict(tree, "a")})
    pd.testing.assert_frame_equal(frame, before)
    assert tree == {"all": {"low": ["1", "2"], "high": ["3", "4"]}}
    assert made.columns.tolist() == ["a", "s"]


def test_f23_a_value_outside_the_taxonomy_names_the_column_and_the_row():
    tree = covey.Taxonomy.from_dict({"low": ["1", "2"]}, "levels")
    with pytest.raises(covey.InputError) as error:
        release(table([1, 2, 977], list("xyz")), 2, taxonomies={"a": tree})
    assert "column `a` has 1 value that the taxonomy `levels` does not have (first in row 3)" in str(error.value)
    assert "977" not in str(error.value)
