"""The verifier's own readers beside the maker's: written by one, read by the other, on thousands of random values."""

from __future__ import annotations

import dataclasses
import datetime as dt
import itertools
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from covey.ask.schema import Column
from covey.ask.taxonomy import RuleAmong, Taxonomy
from covey.ask.taxonomy.faults import lint
from covey.base.errors import InputError
from covey.columns.domains import read_domain
from covey.columns.kept import meant_column, value_codes
from covey.columns.types import type_of
from covey.columns.values.parsing import parse_date, parse_number
from covey.columns.values.writing import write_date, write_number, zone_named
from covey.verifier import verify
from covey.verifier.columns.codes import coded
from covey.verifier.columns.originals import read_originals
from covey.verifier.columns.released import read_cells
from covey.verifier.reading.dates import date_text, instant_of, local_day, zone_of
from covey.verifier.reading.kinds import with_type
from covey.verifier.reading.meaning import as_meant
from covey.verifier.reading.numbers import number_of, number_text
from covey.verifier.reading.trees import Leaf, leaves_below, paths_of

DAY = 86_400 * 10**9
FIRST, LAST = -719_162 * DAY, 2_932_897 * DAY - 1
ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Europe/Amsterdam", "Pacific/Kiritimati", "+05:30"]
ALPHABET = "0123456789+-.eE, \t٣–"
digits = st.text(alphabet="0123456789", min_size=1, max_size=25)
number_like = st.one_of(
    st.text(alphabet=ALPHABET, max_size=12),
    st.builds("{}{}.{}".format, st.sampled_from(["", "-", "+"]), digits, digits),
    st.builds("{}e{}".format, digits, st.integers(-400, 400)),
    digits,
)


def exact(number):
    """Return a number as the fraction that its shortest text writes."""
    return None if number is None else Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


@settings(max_examples=3000, deadline=None)
@given(number_like, st.sampled_from([".", ","]))
@example("9007199254740993", ".")
@example("0.10000000000000000001", ".")
@example("-0", ".")
@example("0e99999999999999999999", ".")
@example("2.4703282292062327e-324", ".")
@example("2.4703282292062328e-324", ".")
@example("1.7976931348623158079e308", ".")
@example("1.7976931348623159e308", ".")
@example("1E1000000", ".")
@example("-1e-1000000", ".")
@example("1e99999999999999999999", ".")
def test_both_read_the_same_number_from_the_same_text(text, decimal):
    ours, theirs = number_of(text.strip(), decimal), parse_number(text, decimal)
    assert exact(ours) == exact(theirs)


def test_both_read_the_same_numbers_from_random_digits():
    chance = random.Random(7)
    for _ in range(5000):
        text = "".join(chance.choice("0123456789") for _ in range(chance.randint(1, 22)))
        place = chance.randint(0, len(text))
        text = f"{chance.choice(['', '-'])}{text[:place]}.{text[place:]}" if chance.random() < 0.8 else text
        assert exact(number_of(text)) == exact(parse_number(text)) == Fraction(text), text


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.decimals(-(10**20), 10**20))
def test_both_write_the_same_label_for_a_number(number):
    assert number_text(number) == write_number(number)


instants = st.integers(FIRST, LAST) | st.integers(FIRST // DAY, LAST // DAY).map(lambda day: day * DAY)


@settings(max_examples=1500, deadline=None)
@given(instants, st.sampled_from([None, *ZONES]))
@example(FIRST, "Pacific/Kiritimati")
@example(LAST, "America/St_Johns")
def test_both_write_and_read_the_same_instant(instant, zone):
    written = write_date(instant, zone_named(zone))
    assert date_text(instant, zone_of(zone)) == written
    assert instant_of(written) == parse_date(written) == instant
    assert local_day(instant, zone_of(zone)) == dt.date.fromisoformat(written[:10])


@settings(max_examples=2000, deadline=None)
@given(
    st.builds(
        "{:04}-{:02}-{:02}{}{}{}".format,
        st.integers(0, 9999), st.integers(0, 13), st.integers(0, 32),
        st.sampled_from(["", "T12:30", " 23:59:59", "T00:00:00.123456789", "T24:00", "T12:60", "T1:30"]),
        st.sampled_from(["", "Z", "+02:00", "-0930", "+24:00", "+02:60", "+2"]),
        st.sampled_from(["", "", " ", "x"]),
    )
)  # fmt: skip
def test_both_read_the_same_date_from_the_same_text(text):
    assert instant_of(text.strip()) == parse_date(text)


TEXTS = ["7", "07", "+7", " 7", "7 ", "0.5", ".5", "5.", "1e3", "1e400", "1,5", "x", "", "٣", "\xa07", "-0", "0", "1_0"]
TEXTS += ["2024-01-31", "2024-02-30", "2024-01-31T10:00", " 2024-01-31", "2024-01-31Z", "9" * 400, "1" * 30, "-0.0"]


def test_both_tell_the_same_type_from_the_same_values():
    chance = random.Random(3)
    for _ in range(3000):
        values = pa.chunked_array([[chance.choice(TEXTS) for _ in range(chance.randint(1, 3))] + [None]])
        values = values.dictionary_encode() if chance.random() < 0.5 else values
        for typed in (False, True):
            for decimal in (".", ","):
                ours = with_type(Column("x", "quasi"), values, coded(values, "x").values, typed=typed, decimal=decimal)
                assert ours.type == type_of(values, typed=typed, decimal=decimal), values


def test_the_order_of_a_category_is_taken_from_the_table():
    ordered = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["low", "high", "top"]), ordered=True)
    data = pa.chunked_array([ordered])
    found = with_type(Column("x", "quasi"), data, coded(data, "x").values)
    assert (found.type, found.order) == ("ordered", ("low", "high", "top"))
    domain = with_type(Column("x", "quasi", domain=("low", "high", "top")), data, coded(data, "x").values)
    assert domain.type == "categorical"


# --- trees ---------------------------------------------------------------------------------------------------


def below(taxonomy, leaves):
    return {node: sorted(found) for node, found in leaves_below(paths_of(taxonomy, leaves)).items()}


def makers_view(taxonomy):
    found = {node: sorted(taxonomy.leaves[leaf] for leaf in taxonomy.below(node)) for node in taxonomy.inner}
    return {**found, "*": sorted(taxonomy.leaves)}


def random_paths(chance):
    """Return rows of a random tree: uneven, padded, with leaves named as their nodes."""
    rows = []
    for region in range(chance.randint(1, 3)):
        for country in range(chance.randint(1, 3)):
            names = [f"c{region}{country}{town}" for town in range(chance.randint(1, 3))]
            if chance.random() < 0.4:
                names.append(f"C{region}{country}")
            for name in names:
                path = [name, f"C{region}{country}", f"R{region}", "All"]
                if chance.random() < 0.3:
                    path.insert(1, path[1])
                rows.append(tuple(path))
    return rows


def test_both_see_the_same_leaves_below_each_node_of_a_declared_tree():
    chance = random.Random(11)
    for _ in range(500):
        rows = random_paths(chance)
        tree = Taxonomy.from_paths(rows)
        ours = below(tree, [])
        assert ours.pop("All", None) in (None, sorted(tree.leaves))
        assert ours == makers_view(tree), rows


@pytest.mark.parametrize(
    "names", ["abcXY*", ["a", "a (all)", "a (all) (all)", "b", "b (all)", '"*"', '"[b]"', "[b]", "*"]]
)
def test_both_see_the_same_tree_in_rows_whose_few_names_stand_anywhere(names):
    chance, trees = random.Random(12), 0
    for _ in range(20_000):
        rows = [chance.choices(names, k=chance.randint(1, 5)) for _ in range(chance.randint(1, 5))]
        if any(finding.severity == "error" for finding in lint(rows)):
            continue
        trees += 1
        tree = Taxonomy.from_paths(rows)
        ours = below(tree, [])
        assert {name: ours.get(name) for name in makers_view(tree)} == makers_view(tree), rows
    assert trees > 2_000


def nested(rows):
    tree = {}
    for leaf, *above in rows:
        level = tree
        for name in reversed(above):
            level = level.setdefault(name, {})
        level[leaf] = {}
    return tree


@pytest.mark.parametrize("kind", ["csv", "json", "toml"])
def test_both_see_the_same_tree_in_the_same_file(tmp_path, kind):
    import json

    rows = [("Oslo", "Norway", "All"), ("Bergen", "Norway", "All"), ('Ro;me "x"', "Italy", "All")]
    texts = {
        "csv": "\n".join(";".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row) for row in rows),
        "json": json.dumps(nested(rows)),
        "toml": '[All]\nNorway = ["Oslo", "Bergen"]\nItaly = [\'Ro;me "x"\']\n',
    }
    path = tmp_path / f"city.{kind}"
    path.write_text(texts[kind], encoding="utf-8")
    tree = Taxonomy.from_file(path)
    ours = below(tree, [])
    assert ours.pop("All") == sorted(row[0] for row in rows)
    assert ours == makers_view(tree)


@pytest.mark.parametrize(("kind", "opening"), [("json", '{"a": '), ("toml", "a = ")])
def test_a_file_that_only_the_maker_could_read_so_deep_is_refused_by_its_name(kind, opening):
    tree = dataclasses.replace(Taxonomy.from_dict({"a": ["x"]}, f"deep.{kind}"), declared=(kind, opening + "[" * 9_999))
    with pytest.raises(InputError, match=f"`deep.{kind}` is nested too deeply"):
        below(tree, [])


def test_a_tree_that_is_changed_after_it_was_declared_stays_as_it_was_declared():
    source = {"North": ["Oslo"], "South": ["Rome"]}
    tree = Taxonomy.from_dict(source)
    source["North"].append("Rome")
    assert below(tree, []) == makers_view(tree)


def test_both_work_out_the_same_prefixes():
    chance = random.Random(5)
    for _ in range(300):
        labels = ["".join(chance.choice("12*") for _ in range(chance.randint(1, 4))) for _ in range(8)]
        rule = Taxonomy.prefixes(sorted(chance.sample([1, 2, 3], 2), reverse=True))
        assert below(rule, [Leaf(label) for label in labels]) == makers_view(rule.bind(labels)), labels


def test_both_work_out_the_same_spans_of_dates():
    chance = random.Random(6)
    levels = ["day", "month", "quarter", "year", "5 years", "10 years"]
    for _ in range(300):
        zone = chance.choice([None, *ZONES])
        found = [chance.randrange(FIRST, LAST) for _ in range(3)] + [
            chance.randrange(0, 10**6) * DAY // 10 for _ in "12"
        ]
        if zone is None and chance.random() < 0.5:
            found = [one // DAY * DAY for one in found]
        rule = Taxonomy.dates([level for level in levels if chance.random() < 0.5] or ["month"])
        labels = [write_date(one, zone_named(zone)) for one in found]
        leaves = [Leaf(date_text(one, zone_of(zone)), day=local_day(one, zone_of(zone))) for one in found]
        leaves = [leaf._replace(is_timed=len(leaf.label) > 10) for leaf in leaves]
        assert below(rule, leaves) == makers_view(rule.bind(labels)), labels


def test_both_work_out_the_same_intervals():
    chance = random.Random(8)
    for _ in range(300):
        values = [
            chance.choice([chance.randint(-60, 60), chance.randint(-600, 600) / 10, chance.random() * 9])
            for _ in "12345"
        ]
        if chance.random() < 0.5:
            values = [int(value) for value in values]
        rule = Taxonomy.intervals([chance.choice([5, 2.5, Decimal("0.1")]), 10], start=chance.choice([0, -3, 0.5]))
        labels = [write_number(value) for value in values]
        leaves = [Leaf(number_text(value), number=value) for value in values]
        assert below(rule, leaves) == makers_view(rule.bind(labels)), values


MOMENTS = [
    f"2024-0{month}-{day}{time}" for month in "12" for day in ("05", "06") for time in ("", "T10:00", "T00:00:00")
]
NO_DATES = ["20240105", "2024-01-05T1000", "2024-W01-1", "2024-01-05T10:00+01:60", "2024-01-05T24:00"]
RULES = [
    (Taxonomy.dates(["day", "month"]), MOMENTS),
    (Taxonomy.dates(["month", "5 years"]), [*MOMENTS, *NO_DATES]),
    (Taxonomy.intervals([5, 10]), ["1", "01", "4.5", "4.0", "1e1", "-3", "1_0", "1e350", "1e-400", "8 ", "٣"]),
    (Taxonomy.prefixes([3, 2]), ["47*", "479", "4791", "479*", "47* (all)", "48", "481"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "pool"), RULES)
def test_a_rule_for_some_rows_names_its_nodes_as_the_whole_original_is_read(rule, pool):
    chance, compared = random.Random(9), 0
    for _ in range(500):
        everything = chance.sample(pool, chance.randint(2, len(pool)))
        some = everything[: chance.randint(1, len(everything) - 1)]
        leaves = read_originals(pa.array(everything), Column("x", "quasi", type="categorical")).leaves()
        ours = leaves_below(paths_of(rule, leaves))
        try:
            tree = RuleAmong(rule, tuple(everything)).bind(some)
        except InputError:  # the verifier does not read one of them either
            assert set(some) - set(ours["*"])
            continue
        compared += 1
        for node in tree.inner:
            assert {tree.leaves[leaf] for leaf in tree.below(node)} == {*some} & {*ours[node]}, (node, some, everything)
    assert compared > 50


@settings(max_examples=1000, deadline=None)
@example([" flu", "flu", "", " "])
@example(["2024-01-01T24:00", "2024-01-02", "2024-01-01T10:00+01:60"])
@example(["1", "1.0", "01", "1e0", "0.1", "0.1000000000000000055511151231257827021181583404541015625"])
@example(["1,50", "1,5", "1.5", "01,5", "1,5,0"])
@example(["2024-01-01", "2024-01-01T00:00", "2024-01-01 02:00+02:00"])
@given(st.lists(st.one_of(number_like, st.sampled_from(MOMENTS), st.text(max_size=3)), max_size=8))
def test_both_take_the_same_texts_for_one_value(texts):
    values = pa.array(texts, pa.string())
    ours = as_meant(coded(pa.chunked_array([values]), "x")).codes.tolist()
    makers = meant_column("x", values).codes.tolist()
    assert [ours.index(code) for code in ours] == [makers.index(code) for code in makers]
    plain = value_codes(values, meant=True).tolist()
    assert [plain.index(code) for code in plain] == [ours.index(code) for code in ours]


def test_the_name_of_the_root_covers_all_leaves_unless_a_value_has_it():
    people = Taxonomy.from_paths([("Male", "Person"), ("Female", "Person")])
    assert below(people, [])["Person"] == ["Female", "Male"]
    shared = Taxonomy.from_paths([("Male", "Person"), ("Person", "Person")])
    assert "Person" not in below(shared, [])


# --- the maker is exact too ----------------------------------------------------------------------------------


@settings(max_examples=500, deadline=None)
@given(st.lists(number_like.filter(lambda text: parse_number(text) is not None), min_size=1, max_size=5))
def test_every_number_in_text_is_written_as_the_number_that_it_is(texts):
    domain = read_domain(Column("x", "quasi", type="numeric"), pa.array(texts), ".")
    assert not domain.fault.any()
    points = [point.item() if isinstance(point, np.generic) else point for point in domain.points]
    for text, rank in zip(texts, domain.rank, strict=True):
        assert Fraction(write_number(points[rank])) == Fraction(text.strip())
    assert all(low < high for low, high in itertools.pairwise(points))


@pytest.mark.parametrize("word", ["2024-01-01T12:30.5", "2024-01-01T12:30:15.", "2024-01-01T12", "2024-01-01Z"])
def test_what_is_cut_short_is_no_time(word):
    assert instant_of(word) is None


@pytest.mark.parametrize("after", [" ", "\t", "\n\t "])
def test_blanks_after_a_quoted_label_make_another_cell(after):
    original = pa.table({"a": ["b", "b"]})
    assert verify(pa.table({"a": ['"b"'] * 2}), original=original, quasi=["a"], k=2).ok
    assert not verify(pa.table({"a": ['"b"' + after] * 2}), original=original, quasi=["a"], k=2).ok


def test_a_set_of_a_hundred_thousand_labels_is_read_in_one_go():
    for labels in (["a"] * 100_000, ['"a, b"'] * 100_000):  # minutes, if the rest were copied for each of them
        (cell,) = (reading.cell for reading in read_cells(pa.array(["{" + ", ".join(labels) + "}"]), "categorical"))
        assert len(cell.labels) == 100_000


@pytest.mark.parametrize(("before", "after"), [("", ""), ("", "x"), ("[1, ", ""), ("1 - ", "."), ("<= ", "e")])
def test_a_cell_of_a_hundred_thousand_digits_is_read_in_one_go(before, after):
    text = before + "1" * 100_000 + after  # minutes, if a digit could belong to two parts of a number
    assert [reading.cell for reading in read_cells(pa.array([text]), "numeric")] == [None]
