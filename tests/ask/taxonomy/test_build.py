"""Rules that make trees from values: intervals, prefixes, dates."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.ask.taxonomy import Taxonomy
from covey.base.errors import InputError


def chain(tree: Taxonomy, label: str) -> list[str]:
    """The written names above a leaf, from the narrowest."""
    number = tree.index(label)
    return [name for name in reversed(tree.inner) if number in tree.below(name)]  # inner: the upper ones first


def test_whole_numbers_stand_in_intervals_with_both_ends():
    tree = Taxonomy.intervals([5, 10, 20]).bind(["39", "35", "7", "40", "21"])
    assert tree.leaves == ("7", "21", "35", "39", "40")
    assert tree.height == 4
    assert tree.ancestor(2, 3) == "[35, 39]"
    assert tree.ancestor(1, 2) == "[20, 39]"
    assert tree.ancestor(3, 4) == "*"
    assert tree.below("[30, 39]") == range(2, 4)
    assert tree.below("[0, 19]") == range(1)


def test_negative_numbers_fall_below_zero():
    tree = Taxonomy.intervals([10]).bind(["-1", "-10", "-11", "0", "9"])
    assert tree.leaves == ("-11", "-10", "-1", "0", "9")
    assert tree.inner == ("[-20, -11]", "[-10, -1]", "[0, 9]")


def test_the_start_shifts_the_grid():
    tree = Taxonomy.intervals([5], start=17).bind(["17", "21", "22", "16"])
    assert tree.inner == ("[12, 16]", "[17, 21]", "[22, 26]")


def test_fractions_stand_in_half_open_intervals():
    tree = Taxonomy.intervals([5, 10]).bind(["39.5", "35", "40"])
    assert tree.inner == ("[30, 40)", "[35, 40)", "[40, 50)", "[40, 45)")
    assert tree.leaves == ("35", "39.5", "40")


def test_decimal_widths_are_exact():
    # 0.3 / 0.1 is 2.999... in binary; as written it is 3, the lower end of [0.3, 0.4)
    tree = Taxonomy.intervals([0.1, Decimal("0.5")]).bind(["0.3", "0.29", "-0.05"])
    assert chain(tree, "0.3")[0] == "[0.3, 0.4)"
    assert chain(tree, "0.29")[0] == "[0.2, 0.3)"
    assert chain(tree, "-0.05") == ["[-0.1, 0)", "[-0.5, 0)"]


def test_numbers_are_read_as_they_are_written():
    tree = Taxonomy.intervals([1000]).bind(["1e3", "999.0", "-0", "0", "1.5E+3"])
    assert tree.leaves == ("-0", "0", "999.0", "1e3", "1.5E+3")
    assert tree.inner == ("[0, 999]", "[1000, 1999]")  # all of them are whole


def test_very_large_and_small_numbers_stay_exact():
    big = str(2**63)
    tree = Taxonomy.intervals([2]).bind([big, str(2**63 + 1), str(2**63 + 2)])
    assert tree.ancestor(0, 1) == f"[{2**63}, {2**63 + 1}]"
    assert Taxonomy.intervals([1]).bind(["1e-300", "1e300"]).leaves == ("1e-300", "1e300")


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.decimals(-999, 999, places=2), min_size=1, max_size=20),
    st.sampled_from([(5, 10), (1, 3, 9), (0.25, 0.5), (7,)]),
    st.sampled_from([0, -3, 0.1]),
)
def test_every_number_lies_inside_the_intervals_above_it(values, widths, start):
    labels = [str(value) for value in values]
    tree = Taxonomy.intervals(widths, start).bind(labels)
    assert [Decimal(label) for label in tree.leaves] == sorted(Decimal(label) for label in set(labels))
    for label in labels:
        assert len(chain(tree, label)) == len(widths)
        for written in chain(tree, label):
            low, high = (Decimal(end) for end in written[1:-1].split(", "))
            assert low <= Decimal(label)
            assert Decimal(label) < high or (written.endswith("]") and Decimal(label) == high)
            size = high - low + (1 if written.endswith("]") else 0)
            assert size in [Decimal(str(width)) for width in widths]


@pytest.mark.parametrize(
    "widths", [[], [0], [-5], [5, 12], [10, 5], [5, 5], ["5"], [True], [float("inf")], [float("nan")]]
)
def test_widths_must_be_multiples_from_narrow_to_wide(widths):
    with pytest.raises(InputError) as caught:
        Taxonomy.intervals(widths)
    assert caught.value.code == "bad-parameter"


def test_a_start_must_be_a_number():
    with pytest.raises(InputError, match="`start`"):
        Taxonomy.intervals([5], start="0")


def test_postcodes_stand_below_their_first_characters():
    tree = Taxonomy.prefixes([4, 3, 2]).bind(["47906", "47302", "47907", "12345", "01234"])
    assert tree.leaves == ("01234", "12345", "47302", "47906", "47907")
    assert chain(tree, "47906")[0] == "4790*"
    assert tree.ancestor(3, 4) == "4790*"
    assert tree.ancestor(2, 3) == "47*"
    assert tree.ancestor(1, 2) == "*"
    assert tree.height == 4


def test_a_code_shorter_than_a_length_has_no_node_of_that_length():
    tree = Taxonomy.prefixes([4, 2]).bind(["AB1", "AB", "A", "AB123", ""])
    assert tree.leaves == ("", "A", "AB", "AB1", "AB123")
    assert chain(tree, "A") == []
    assert chain(tree, "") == []
    assert chain(tree, "AB") == ["AB*"]
    assert chain(tree, "AB1") == ["AB*"]
    assert chain(tree, "AB123") == ["AB12*", "AB*"]


def test_a_masked_code_keeps_apart_from_the_node():
    tree = Taxonomy.prefixes([3]).bind(["479*", "4791"])
    assert tree.leaves == ("479*", "4791")
    assert tree.ancestor(0, 1) == "479* (all)"


@pytest.mark.parametrize("lengths", [[], [0], [2, 3], [3, 3], ["3"], [2.5], [True]])
def test_lengths_must_fall(lengths):
    with pytest.raises(InputError) as caught:
        Taxonomy.prefixes(lengths)
    assert caught.value.code == "bad-parameter"


def test_dates_stand_below_month_quarter_and_year():
    days = ["2024-02-29", "2024-03-31", "2024-04-01", "2023-12-31", "2024-01-01", "2024-06-30", "2024-07-01"]
    tree = Taxonomy.dates(["month", "quarter", "year"]).bind(days)
    assert tree.leaves == tuple(sorted(days))
    assert chain(tree, "2024-02-29") == ["2024-02", "2024-Q1", "2024"]
    assert tree.below("2024-Q1") == range(1, 4)  # 1 January, leap day, 31 March
    assert tree.below("2024-Q2") == range(4, 6)  # 1 April, 30 June
    assert tree.below("2024-Q3") == range(6, 7)
    assert tree.below("2023-Q4") == range(1)
    assert tree.ancestor(0, 1) == "*"
    assert tree.ancestor(1, 6) == "2024"
    assert tree.height == 4


def test_timestamps_stand_below_the_day_that_they_write():
    moments = ["2024-03-31T23:30:00-05:00", "2024-03-31 08:00:00", "2024-04-01T00:00:00+00:00", "2024-04-01"]
    tree = Taxonomy.dates(["day", "month"]).bind(moments)
    assert tree.ancestor(0, 1) == "2024-03-31"
    assert tree.ancestor(2, 3) == "2024-04-01 (all)"  # the date is also a value
    assert tree.ancestor(0, 3) == "*"


def test_a_day_above_itself_is_folded():
    tree = Taxonomy.dates(["day", "month"]).bind(["2024-03-30", "2024-03-31"])
    assert tree.inner == ("2024-03",)
    assert tree.height == 2


def test_early_years_have_four_digits():
    assert Taxonomy.dates(["month", "year"]).bind(["0987-01-01"]).inner == ("0987", "0987-01")


@pytest.mark.parametrize("levels", [[], ["year", "month"], ["month", "month"], ["weak"], [3]])
def test_levels_go_from_fine_to_coarse(levels):
    with pytest.raises(InputError) as caught:
        Taxonomy.dates(levels)
    assert caught.value.code == "bad-parameter"


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        (Taxonomy.intervals([5]), ["1", "secret-a", "nan", "inf", "", "1e999999999", "1e-999999999"]),
        (Taxonomy.dates(["year"]), ["2024-01-01", "secret-a", "2023-02-29", "2024-13-01", "", "24", "1/2/2024"]),
    ],
)
def test_values_that_do_not_fit_are_counted_and_never_shown(rule, labels):
    with pytest.raises(InputError) as caught:
        rule.bind(labels)
    assert caught.value.code == "taxonomy-gap"
    assert "6 of 7 different values" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("rule", [Taxonomy.intervals([5]), Taxonomy.prefixes([3]), Taxonomy.dates(["year"])])
def test_a_column_without_values_gives_a_bare_root(rule):
    tree = rule.bind([])
    assert tree.leaves == ()
    assert tree.gaps().shape == (0,)


def test_rules_are_values():
    assert Taxonomy.intervals([5, 10]) == Taxonomy.intervals((5, 10))
    assert Taxonomy.prefixes([3]) != Taxonomy.prefixes([2])
    assert len({Taxonomy.dates(["year"]), Taxonomy.dates(["year"])}) == 1


def test_dates_may_be_put_into_bands_of_years():
    tree = Taxonomy.dates(["year", "5 years", "10 years"]).bind(
        ["1971-05-01", "1974-12-31", "1975-01-01", "1980-02-29"]
    )
    assert tree.ancestor(0, 1) == "[1970-01-01, 1974-12-31]"
    assert tree.ancestor(0, 2) == "[1970-01-01, 1979-12-31]"
    assert tree.ancestor(0, 3) == "*"
    timed = Taxonomy.dates(["10 years"]).bind(["1970-01-01T00:00:00", "1979-12-31T23:59:59", "1980-01-01T00:00:00"])
    assert timed.ancestor(0, 1) == "[1970-01-01, 1980-01-01)"
    assert timed.ancestor(1, 2) == "*"


def test_bands_of_years_are_verified_without_the_taxonomy():
    import covey

    table = pa.table({"born": ["1970-03-01", "1974-12-31", "1981-02-02", "1984-09-09"]})
    bands = {"born": {"dates": ["5 years"]}}
    release = covey.anonymize(table, k=2, quasi=["born"], types={"born": "date"}, taxonomies=bands)
    assert sorted(set(release.table.column("born").to_pylist())) == [
        "[1970-01-01, 1974-12-31]",
        "[1980-01-01, 1984-12-31]",
    ]
    verdict = covey.verify(release.table, k=2, quasi=["born"], types={"born": "date"}, original=table)
    assert verdict.ok
    assert verdict.truthful.complete


@pytest.mark.parametrize(
    "levels",
    [["1 years"], ["0 years"], ["5 years", "year"], ["10 years", "5 years"], ["4 years", "10 years"], ["05 years"]],
)
def test_bands_of_years_lie_within_each_other(levels):
    with pytest.raises(InputError):
        Taxonomy.dates(levels)
