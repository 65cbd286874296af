"""The texts that people read: what a steward sees of a release, what an office sees of a verdict."""

from __future__ import annotations

import pyarrow as pa

import covey
from covey.report import release_text, verdict_text

PEOPLE = pa.table({"age": [34, 35, 61, 63, None], "sex": ["f", "f", "m", "m", "m"]})


def test_a_release_tells_what_holds_what_it_cost_and_what_it_does_not_protect():
    made = covey.anonymize(PEOPLE, k=2, quasi=["age", "sex"], missing="suppress")
    lines = release_text(made.report).splitlines()
    assert lines[0] == "4 rows released, 1 row suppressed; k = 2 holds"
    assert lines[2] == "  evidence  2 classes of 2 to 2 rows, recounted from the published cells"
    # a suppressed row costs both columns: (2 x 1/29 + 2 x 2/29 + 2) / (5 rows x 2 columns) = 0.2207
    assert "  loss      22.1% of the detail of the quasi columns, the mean price of a released cell" in lines
    assert any(line.startswith("            age") for line in lines)
    assert any("k-anonymity hides who a row is about" in line for line in lines)
    assert max(map(len, lines)) <= 100
    assert str(made.report) == release_text(made.report)


def test_a_verdict_shows_the_classes_below_k_as_released():
    table = pa.table({"age": ["[1, 2]", "[1, 2]", "7", None], "sex": ["f", "f", "m", "m"]})
    text = verdict_text(covey.verify(table, k=2, quasi=["age", "sex"]))
    assert text.splitlines() == [
        "k = 2 does NOT hold: the smallest class has 1 row",
        "",
        "  classes   3 classes of 1 to 2 rows in 4 rows",
        "",
        "2 classes below k:",
        *sorted(["  1 row: age = 7, sex = m", "  1 row: age = (missing), sex = m"], key=text.index),
    ]


def test_a_verdict_says_what_was_not_checked_and_what_is_starred():
    original = pa.table({"city": ["Oslo", "Rome", "Bern"]})
    released = pa.table({"city": ["North", "North", "*"]})
    text = verdict_text(covey.verify(released, quasi=["city"], original=original))
    assert "not checked: `city`" in text
    assert "1 row with `*` in every quasi column, counted as a class like any other" in text


def test_a_verdict_without_k_tells_the_level():
    assert verdict_text(covey.verify(PEOPLE, quasi=["sex"])).startswith("the table is 2-anonymous\n")


def test_many_offending_classes_are_counted():
    table = pa.table({"a": [str(i) for i in range(30)]})
    text = verdict_text(covey.verify(table, k=2, quasi=["a"]))
    assert text.endswith("\n  and 10 more")
    assert "30 classes below k:" in text


def test_an_untruthful_release_is_told_in_words():
    original, released = pa.table({"a": [1, 2]}), pa.table({"a": ["[5, 6]", "[5, 6]"]})
    text = verdict_text(covey.verify(released, quasi=["a"], original=original))
    assert "  truthful  NO (" in text
