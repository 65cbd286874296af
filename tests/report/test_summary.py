"""The texts that people read: what a steward sees of a release, what an office sees of a verdict."""

from __future__ import annotations

import json

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
    text = verdict_text(covey.verify(table, k=2, quasi=["age", "sex"]), show=True)
    assert text.splitlines() == [
        "k = 2 does NOT hold: the smallest class has 1 row",
        "",
        "  classes   3 classes of 1 to 2 rows in 4 rows",
        "  persons   not counted: k counts rows, and a person may have several of them",
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


def test_cells_of_classes_that_fail_are_not_shown_unless_asked_for():
    sizes = [1, 1, 2, 3, 4, 5, 6]
    table = pa.table({"who": [f"secret{i}" for i, size in enumerate(sizes) for _ in range(size)]})
    verdict = covey.verify(table, k=7, quasi=["who"])
    text = verdict_text(verdict)
    assert "secret" not in text
    assert "secret" not in json.dumps(verdict.to_json())
    assert "secret0" in json.dumps(verdict.to_json(show=True))
    below = "2 classes of 1 row, 1 class of 2 rows, 1 class of 3 rows, 1 class of 4 rows, 2 classes of 5 to 6"
    assert f" below k {below}" in " ".join(text.split())
    assert "--show" in text


def test_what_a_table_holds_cannot_act_on_the_screen():
    table = pa.table({"a\x1b[2J": ["x\nk = 2 holds", "\u202eabc", "b\x85"]})
    text = verdict_text(covey.verify(table, k=2, quasi=["a\x1b[2J"]), show=True)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x85" not in text
    assert not any(line.startswith("k = 2 holds") for line in text.splitlines())
    assert "a\\x1b[2J = x\\nk = 2 holds" in text


def test_many_offending_classes_are_counted():
    table = pa.table({"a": [str(i) for i in range(30)]})
    text = verdict_text(covey.verify(table, k=2, quasi=["a"]), show=True)
    assert text.endswith("\n  and 10 more")
    assert "30 classes below k:" in text


def test_an_untruthful_release_is_told_in_words():
    original, released = pa.table({"a": [1, 2]}), pa.table({"a": ["[5, 6]", "[5, 6]"]})
    text = verdict_text(covey.verify(released, quasi=["a"], original=original))
    assert "  truthful  NO (" in text


def test_a_verdict_tells_every_model_and_who_is_exempt():
    table = pa.table(
        {
            "age": ["[1, 2]"] * 4 + ["7"] * 3 + ["8"],
            "ill": ["flu", "flu", "gout", None, "flu", "flu", "gout", "gout"],
            "ok": ["no"] * 7 + ["yes"],
        }
    )
    models = ["distinct-l-diversity(ill, l=3)", "frequency-l-diversity(ill, l=1.5)"]
    text = verdict_text(covey.verify(table, k=3, quasi=["age"], consent="ok", models=models), show=True)
    assert text.splitlines() == [
        "k = 3 holds: the smallest class has 3 rows, but NOT every model holds",
        "",
        "  classes   2 classes of 3 to 4 rows in 8 rows",
        "  consent   1 row exempt: their people agreed",
        "  models    distinct-l-diversity of `ill`: 3 asked, 2 reached, does NOT hold in 1 class (3 rows)",
        "            frequency-l-diversity of `ill`: 1.5 asked, 1.5 reached",
        "  persons   not counted: k counts rows, and a person may have several of them",
        "",
        "1 class without distinct-l-diversity of `ill`:",
        "  3 rows: age = 7",
    ]
    without_k = verdict_text(covey.verify(table, quasi=["age"], consent="ok", models=models))
    assert without_k.startswith("the table is 3-anonymous, but NOT every model holds\n")
    below = verdict_text(covey.verify(table, k=4, quasi=["age"], consent="ok", models=models))
    assert below.startswith("k = 4 does NOT hold: the smallest class has 3 rows\n")


def test_a_level_is_never_rounded_up():
    # 2999 of 1000: 2.999; what is asked is shown as it was asked
    table = pa.table({"q": ["a"] * 2999, "ill": ["x"] * 1000 + ["y"] * 1000 + ["z"] * 999})
    words = ["frequency-l-diversity(ill, l=2.999)", "frequency-l-diversity(ill, l=2.9990000001)"]
    lines = verdict_text(covey.verify(table, quasi=["q"], models=words)).splitlines()
    assert lines[3].split(": ")[1] == "2.999 asked, 2.999 reached"
    assert lines[4].split(": ")[1].startswith("2.9990000001 asked, 2.999 reached, does NOT hold")
    thirds = pa.table({"q": ["a"] * 5, "ill": ["x"] * 3 + ["y"] * 2})
    line = verdict_text(covey.verify(thirds, quasi=["q"], models="frequency-l-diversity(ill, l=1.5)")).splitlines()[3]
    assert line.endswith("1.5 asked, 1.666666 reached")  # 5 / 3


def test_a_table_in_which_everybody_agreed_protects_nobody():
    table = pa.table({"q": ["a", "b"], "ill": ["x", "x"], "ok": [True, True]})
    model = "distinct-l-diversity(ill, l=2)"
    text = verdict_text(covey.verify(table, k=2, quasi=["q"], consent="ok", models=model))
    assert text.splitlines() == [
        "k = 2 holds for nobody: every row is exempt",
        "",
        "  classes   no class in 2 rows",
        "  consent   2 rows exempt: their people agreed",
        "  models    distinct-l-diversity of `ill`: 2 asked, nobody to protect",
        "  persons   not counted: k counts rows, and a person may have several of them",
    ]
    assert verdict_text(covey.verify(table, quasi=["q"], consent="ok")).startswith("no row is protected: every row")


def test_the_first_line_says_why_a_table_is_not_ok_though_its_k_holds():
    original = pa.table({"age": [34, 35, 61, 63], "ill": ["flu", "flu", "gout", "flu"]})
    released = pa.table({"age": ["[34, 35]"] * 2 + ["[61, 63]"] * 2, "ill": original["ill"]})
    lies = released.set_column(0, "age", pa.array(["[34, 35]"] * 4))
    roles = covey.Schema.from_roles(quasi=["age"], identifier=["name"], other=["ill"])
    named = released.append_column("name", pa.array(["Ann", "Bo", "Cy", "Di"]))
    models = ["distinct-l-diversity(ill, l=2)"]

    def first_line(table, **words):
        return verdict_text(covey.verify(table, **words)).splitlines()[0]

    holds = "k = 2 holds: the smallest class has {} rows"
    assert first_line(released, k=2, schema=roles, original=original) == holds.format(2)
    assert first_line(lies, k=2, quasi=["age"], original=original) == holds.format(4) + ", but NOT truthful"
    assert first_line(named, k=2, schema=roles) == holds.format(2) + ", but with faults"
    # the gravest reason is told
    assert first_line(lies, k=2, quasi=["age"], original=original, models=models).endswith(", but NOT truthful")
    assert first_line(named, k=2, schema=roles, models=models).endswith(", but with faults")
    assert first_line(named, quasi=["age"], schema=roles) == "the table is 2-anonymous, but with faults"
    assert first_line(lies, k=5, quasi=["age"], original=original) == (
        "k = 5 does NOT hold: the smallest class has 4 rows"
    )
