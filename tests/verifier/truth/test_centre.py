"""Centres are recomputed: mean, median or mode, the same one in every class of a column."""

import datetime as dt

import pyarrow as pa
import pytest

import covey
from covey.ask.schema import Schema
from covey.base.errors import VerificationFailed
from covey.report import release_text, verdict_text
from covey.verifier import verify

# classes: rows 1-3, rows 4-7
ORIGINAL = pa.table(
    {
        "age": [30, 30, 36, 40, 41, 44, 55],
        "work": ["a", "a", "b", "c", "c", "b", "b"],
        "day": [dt.date(2024, 1, day) for day in (1, 2, 6, 1, 3, 5, 7)],
        "ill": ["flu", "cold", "flu", "cold", "ache", "ache", "flu"],
    }
)
# means 96 / 3 = 32 and 180 / 4 = 45; days 1 + 2 + 6 = 9 / 3 = 3 and 16 / 4 = 4
MEANS = {"age": [32.0] * 3 + [45.0] * 4, "day": [dt.date(2024, 1, 3)] * 3 + [dt.date(2024, 1, 4)] * 4}


def release(age, work=None, day=None):
    columns = {"age": age, "work": work or ["a"] * 3 + ["c"] * 4, "day": day or MEANS["day"]}
    return pa.table({**columns, "ill": ORIGINAL.column("ill")})


def judged(table, original=ORIGINAL, **settings):
    return verify(table, quasi=["age", "work", "day"], original=original, release="centre", **settings).truthful


@pytest.mark.parametrize(
    "age",
    [
        MEANS["age"],
        ["32"] * 3 + ["45"] * 4,
        [32.00000000001] * 3 + [45.0] * 4,  # within a billionth of 36
        [30] * 3 + [41] * 4,  # lower median
        [30] * 3 + [44] * 4,  # upper median
        [30.0] * 3 + [42.5] * 4,  # median, midway
        ["*"] * 7,
    ],
)
def test_means_and_medians_are_centres_of_numbers(age):
    truth = judged(release(age))
    assert (truth.kind, truth.ok, truth.complete, truth.faults) == ("recomputed", True, True, ())


@pytest.mark.parametrize(
    ("age", "classes"),
    [
        ([32.0] * 3 + [45.001] * 4, 1),
        ([32.0] * 3 + [42.5] * 4, 1),  # the mean of one class and the median of the other
        ([31.0] * 3 + [46.0] * 4, 2),
        ([30] * 3 + [55] * 4, 1),  # a mode: every age of the second class is as frequent
        (["[30, 36]"] * 3 + ["[40, 55]"] * 4, 2),  # an interval is no centre
    ],
)
def test_anything_else_is_not(age, classes):
    truth = judged(release(age), order="kept")
    noun = "class" if classes == 1 else "classes"
    assert truth.faults == (f"column `age` is not the mean or median of its values in {classes} {noun}",)


def test_labels_have_a_mode():
    schema = Schema.from_roles(quasi=["work"], types={"work": "categorical"})
    for work, ok in ((["a", "c"], True), (["a", "b"], True), (["b", "c"], False), (["a", "a"], False)):
        # two of each in the second class; with one label in both classes they are one class, where b leads
        table = release(MEANS["age"], work[:1] * 3 + work[1:] * 4).select(["work", "ill"])
        truth = verify(table, schema=schema, original=ORIGINAL, release="centre", order="kept").truthful
        assert (truth.ok, truth.complete) == (ok, True)


def test_labels_without_a_declared_type_may_show_medians():
    truth = judged(release(MEANS["age"], ["b"] * 3 + ["c"] * 4), order="kept")
    assert (truth.ok, truth.complete) == (True, False)
    assert truth.not_checked == (("work", "may show medians of an order that was not given"),)


def test_dates_have_a_mean():
    assert not judged(release(MEANS["age"], day=[dt.date(2024, 1, 4)] * 7), order="kept").ok
    texts = ["2024-01-03"] * 3 + ["2024-01-04T00:00:00"] * 4
    assert judged(release(MEANS["age"], day=texts)).ok


def test_ordered_labels_have_a_median():
    schema = Schema.from_roles(quasi=["level"], orders={"level": ["low", "mid", "high"]})
    original = pa.table({"level": ["low", "low", "mid", "high", "high"]})
    for label, ok in (("mid", True), ("low", False), ("high", False)):  # the median; two modes
        table = pa.table({"level": [label] * 5})
        assert verify(table, schema=schema, original=original, release="centre", order="kept").truthful.ok == ok
    lopsided = pa.table({"level": ["low", "low", "low", "mid", "high"]})
    table = pa.table({"level": ["mid"] * 5})
    assert not verify(table, schema=schema, original=lopsided, release="centre", order="kept").truthful.ok


def test_missing_values_stay_out_of_means_and_show_where_nothing_else_is():
    original = pa.table({"age": [1, 2, None, None, None], "ill": list("abcde")})
    table = pa.table({"age": [1.5, 1.5, 1.5, None, None], "ill": list("abcde")})
    assert verify(table, quasi=["age"], original=original, release="centre").truthful.ok
    wrong = pa.table({"age": [1.5, 1.5, None, None, 2.5], "ill": list("abcde")})
    assert not verify(wrong, quasi=["age"], original=original, release="centre", order="kept").truthful.ok


def test_shuffled_centres_are_not_checked_but_kept_columns_are():
    shuffled = release(MEANS["age"]).take(pa.array([6, 5, 4, 3, 2, 1, 0]))
    truth = judged(shuffled)
    assert (truth.ok, truth.complete, truth.checked) == (True, False, ("ill",))
    assert [one.column for one in truth.not_checked] == ["age", "work", "day"]
    wrong = shuffled.set_column(3, "ill", pa.array(["ache"] * 7))
    assert judged(wrong).faults == (
        "5 released rows with kept values that the original does not have, or not so often",
    )
    assert not judged(shuffled, order="kept").ok


def test_without_a_kept_column_the_order_is_unknown_unless_promised():
    table = release([31.0] * 7).drop_columns(["ill"])
    truth = judged(table)
    assert (truth.ok, truth.complete) == (True, False)
    assert not judged(table, order="kept").ok
    assert judged(release(MEANS["age"]).drop_columns(["ill"])).complete


def test_kept_columns_that_could_not_agree_by_chance_show_that_the_order_is_kept():
    # 13 different rows can be arranged in 13! = 6.2e9 ways, 12 in 4.8e8
    for n, is_sure in ((12, False), (13, True)):
        original = pa.table({"age": list(range(n)), "key": list(range(n))})
        table = pa.table({"age": [0.25] * n, "key": list(range(n))})
        truth = verify(table, quasi=["age"], original=original, release="centre").truthful
        assert (truth.ok, truth.complete) == (not is_sure, is_sure)


def test_a_shuffled_centre_is_not_proven_and_one_that_nobody_can_have_is_false():
    schema = Schema.from_roles(quasi=["age", "job"], types={"age": "numeric", "job": "categorical"})
    original = pa.table({"age": list(range(20, 72, 2)), "job": ["a", "b"] * 13})
    for age, job, ok in ((44.0, "a", True), (1000.0, "a", False), (-7.0, "a", False), (44.0, "c", False)):
        table = pa.table({"age": [age] * 13 + [45.0] * 13, "job": [job] * 26})
        verdict = verify(table, schema=schema, original=original, release="centre")
        assert verdict.truthful.ok == ok
        assert not verdict.ok
        assert not verdict.truthful.complete


def test_the_verdict_on_centres_does_not_say_that_they_cover():
    verdict = verify(release(MEANS["age"]), quasi=["age", "work", "day"], original=ORIGINAL, release="centre")
    text = verdict_text(verdict)
    assert "cover" not in text
    assert "recomputed from the original values" in text


@pytest.mark.parametrize(
    "ages",
    [
        [-99999999, -99999999, 0.5, 0.7],
        [-3.4e38, -3.4e38, 0.1, 0.2, 0.3, 0.4],
        [1e308, 1.5e308, 1.7e308, -1e308, 3.0, 4.0],
        [9007199254740993, 9007199254740995, 5, 6],
        [1e-300, 2e-300, 1e300, 2e300],
    ],
)
def test_centres_beside_a_far_off_value_pass_their_own_check(ages):
    release = covey.anonymize(pa.table({"age": ages}), k=2, quasi=["age"], release="centre")
    assert "cover" not in release_text(release.report).split("limits")[0].split("evidence")[1].split("loss")[0]
    assert release.report.verdict.truthful.complete


def test_covey_holds_itself_to_the_mean(monkeypatch):
    monkeypatch.setattr("covey.recode.centres._mean", lambda values, kind: sorted(values)[len(values) // 2])
    with pytest.raises(VerificationFailed):
        covey.anonymize(pa.table({"age": [20, 21, 40]}), k=3, quasi=["age"], release="centre")


@pytest.mark.parametrize("rows", [["1.5", "1.5", "*", "*"], ["1.5", "1.5", "inf", "inf"], ["1.5", "1.5", "7", "7"]])
def test_beside_an_infinity_no_centre_is_proven(rows):
    original = pa.table({"age": [1.0, 2.0, float("inf"), 4.0]})
    verdict = verify(pa.table({"age": rows}), k=2, quasi=["age"], original=original, release="centre")
    assert verdict.ok is (rows[2] == "*")


@pytest.mark.parametrize("ages", [[5e-324, 1e-323], [5e-324, 5e-324, 1e-320], [-5e-324, 5e-324]])
def test_centres_of_the_least_floats_pass_their_own_check(ages):
    assert covey.anonymize(pa.table({"age": ages}), k=2, quasi=["age"], release="centre").report.verdict.ok


def test_a_shuffled_class_without_numbers_is_released_as_missing():
    original = pa.table({"age": [1.0, 1.0, float("nan"), float("nan")], "row": [1, 2, 3, 4]})
    release = pa.table({"age": [None, 1.0, None, 1.0], "row": [4, 2, 3, 1]})
    settings = {"k": 2, "quasi": ["age"], "release": "centre", "allow_unchecked": True}
    assert verify(release, original=original, **settings).ok
    assert not verify(release, original=original.slice(0, 2), **settings).ok


@pytest.mark.parametrize(
    ("cell", "values", "kind"),
    [("[21, 99]", [20, 30, 100], "numeric"), ("{b, Atlantis}", ["a", "b", "b"], "categorical")],
)
def test_an_interval_or_a_set_around_one_value_is_no_centre(cell, values, kind):
    released, original = pa.table({"a": [cell] * 3}), pa.table({"a": values})
    assert not verify(released, original=original, quasi=["a"], k=2, release="centre", types={"a": kind}).ok
