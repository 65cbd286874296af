"""Columns of trees that need care: orders, odd characters, and what an audit makes of them."""

from __future__ import annotations

import json
from typing import Any
from xml.dom.minidom import parseString

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import covey
from covey import ID3, KAnonymousTree
from covey.mining.learn.tree.columns import code_column

GRADES = ["poor", "fair", "good", "great", "top"]


def graded(missing: int = 0) -> pd.DataFrame:
    """Return 20 people of each grade; the upper two paid."""
    places = np.repeat(np.arange(5), 20)
    table = pd.DataFrame({
        "grade": pd.Categorical.from_codes(places, GRADES, ordered=True),
        "paid": np.where(places > 2, "yes", "no"),
    })  # fmt: skip
    table.loc[: missing - 1, "grade"] = None
    return table


def test_an_ordered_category_is_cut_at_a_place_in_its_order() -> None:
    tree = KAnonymousTree.as_published(k=40).fit(graded(), "paid")  # five branches of 20 rows are too small
    assert tree.to_text().splitlines() == [
        "paid: no 60, yes 40",
        "grade = poor to good -> no: no 60, yes 0",
        "grade = great to top -> yes: no 0, yes 40",
    ]


def test_a_category_without_an_order_is_not_cut() -> None:
    tree = KAnonymousTree.as_published(k=40).fit(graded().astype({"grade": str}), "paid")
    assert len(tree.tree_.nodes) == 1


def test_missing_lies_below_all_values_of_an_order() -> None:
    tree = KAnonymousTree.as_published(k=40).fit(graded(missing=3), "paid")
    assert tree.to_text().splitlines()[1:] == [
        "grade = poor to good or missing -> no: no 60, yes 0",
        "grade = great to top -> yes: no 0, yes 40",
    ]


def test_whether_a_value_of_an_order_is_missing_can_be_asked() -> None:
    table = graded(missing=20)
    table["paid"] = np.where(table["grade"].isna(), "yes", "no")
    tree = KAnonymousTree.as_published(k=20).fit(table, "paid")
    assert tree.to_text().splitlines()[1:] == [
        "grade is missing -> yes: no 0, yes 20",
        "grade = fair to top -> no: no 80, yes 0",
    ]


def test_cuts_of_an_order_are_at_most_so_many() -> None:
    data = pa.Table.from_pandas(graded())["grade"]
    one = code_column("grade", data, None, is_public=True, most_cuts=1).known
    assert [level.branches for level in one.levels] == [("poor to good", "great to top"), tuple(sorted(GRADES))]


def test_a_file_does_not_tell_where_else_an_order_could_be_cut() -> None:
    # where an order of many values can be cut depends on how many rows have each value
    told = json.loads(KAnonymousTree.as_published(k=40, most_cuts=4).fit(graded(), "paid").to_json())
    assert [level["branches"] for level in told["columns"][0]["levels"]] == [["poor to good", "great to top"]]


def test_without_care_for_privacy_an_order_is_split_into_all_its_values() -> None:
    assert len(ID3().fit(graded(), "paid").tree_.nodes) == 6


@pytest.mark.parametrize("public", [["grade"], []])
@pytest.mark.parametrize("make", [lambda t: t, pa.Table.from_pandas, pl.from_pandas])
def test_spans_over_an_order_are_those_of_an_audit_and_of_a_file(make: Any, public: list[str]) -> None:
    rng = np.random.default_rng(0)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = graded(missing=int(rng.integers(0, 9)))
        table["sex"] = rng.choice(["f", "m"], len(table))
        table["paid"] = np.where(rng.random(len(table)) < 0.3, "yes", table["paid"])
        shown = make(table)
        tree = KAnonymousTree.as_published(k=7, public=public, min_gain=0).fit(shown, "paid")
        found = covey.audit(tree, shown, public=public, k=7)
        sizes = np.bincount(tree.span_of_row_)
        assert (found.ok, found.k_reached, found.spans) == (True, sizes.min(), len(sizes))
        again = KAnonymousTree.from_json(tree.to_json())
        assert again.apply(shown).tolist() == tree.apply(shown).tolist()


def test_control_characters_neither_break_lines_nor_pictures() -> None:
    odd = ["\x00", "a\x0bb", "two\nlines", "\ufffe"]
    table = pa.table({"we\x01ird": odd * 5, "tar\nget": ["\x02", "n", "\x02", "n"] * 5})
    tree = KAnonymousTree.as_published(k=5).fit(table, "tar\nget")
    parseString(tree.to_svg())
    lines = tree.to_text().splitlines()
    assert lines[0] == r"tar\nget: \x02 10, n 10"
    assert len(lines) == 5
    assert "\x00" not in tree.to_dot()
    assert KAnonymousTree.from_json(tree.to_json()).apply(table).tolist() == tree.apply(table).tolist()


@pytest.mark.parametrize("target", [[True, False], [0.0, 1.0], [0, 1], ["b", "a"]])
def test_an_audit_knows_the_classes_of_the_tree_in_the_table(target: list[Any]) -> None:
    table = pa.table({"a": ["x", "y"] * 10, "t": target * 10})
    found = covey.audit(KAnonymousTree.as_published(k=5).fit(table, "t"), table, public=["a"], k=20)
    labels = {label for span in found.offending for label, _ in span.counts}
    assert len(labels) == 2
    assert found.l_reached == 1
