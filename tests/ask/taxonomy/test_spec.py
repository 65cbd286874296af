"""Taxonomies as a job file names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from covey.ask.taxonomy import Taxonomy, taxonomy_from_spec
from covey.base.errors import InputError


def test_text_is_a_file_beside_the_job(tmp_path):
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "sex.csv").write_text("f;*\nm;*\n")
    assert taxonomy_from_spec("trees/sex.csv", tmp_path, "sex") == Taxonomy.from_dict({"f": [], "m": []})


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ({"intervals": [5, 10]}, Taxonomy.intervals([5, 10], 0, "c")),
        ({"intervals": [5, 10], "start": 17}, Taxonomy.intervals([5, 10], 17, "c")),
        ({"prefixes": [3, 2]}, Taxonomy.prefixes([3, 2], "c")),
        ({"dates": ["month", "year"]}, Taxonomy.dates(["month", "year"], "c")),
        ({"tree": {"X": ["a", "b"], "Y": ["c"]}}, Taxonomy.from_dict({"X": ["a", "b"], "Y": ["c"]})),
    ],
)
def test_a_table_is_a_rule_or_a_tree(spec, rule):
    made = taxonomy_from_spec(spec, Path(), "c")
    assert made == rule
    assert made.name == "c"


def test_a_misspelt_key_is_answered_with_the_right_one():
    with pytest.raises(InputError) as caught:
        taxonomy_from_spec({"interval": [5]}, Path(), "age")
    assert caught.value.message == "the taxonomy of `age` has an unknown key `interval`"
    assert caught.value.hint == "did you mean `intervals`?"


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"start": 3},
        {"intervals": [5], "prefixes": [3]},
        {"prefixes": [3], "start": 1},
        {"intervals": 5},
        {"tree": ["a"]},
        {"dates": "month"},
        3,
    ],
)
def test_what_names_no_single_rule_is_refused(spec):
    with pytest.raises(InputError) as caught:
        taxonomy_from_spec(spec, Path(), "age")
    assert caught.value.code == "bad-parameter"
    assert "`age`" in caught.value.message
