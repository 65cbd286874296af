"""Truthful or not: aligned and matched releases against brute force, and planted faults."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covey.ask.schema import Schema
from covey.columns.values.writing import write_label, write_set
from covey.verifier import verify
from oracles.verify import covers, is_aligned, is_matched, is_subsequence, level

ORDER = ("low", "mid", "high")
LABELS = ["a", "ab", "b", "*", "{x", ""]
SCHEMA = Schema.from_roles(
    quasi=["number", "level", "label"],
    other=["kept"],
    types={"number": "numeric", "label": "categorical"},
    orders={"level": ORDER},
    domains={"label": LABELS},
)

# --- cells by their meaning, how they are written, and covering ones for a value --------------------------------


def text_of(cell):
    kind = cell[0]
    if kind == "any":
        return "*"
    if kind == "missing":
        return None
    if kind == "point":
        return write_label(cell[1], ordered=True) if isinstance(cell[1], str) else str(cell[1])
    if kind == "set":
        return write_set(cell[1])
    if kind == "prefix":
        return cell[1] + "*"
    _, low, high, low_open, high_open = cell
    if low is None:
        return f"<{'' if high_open else '='}{high}"
    if high is None:
        return f">{'' if low_open else '='}{low}"
    return f"{'(' if low_open else '['}{low}, {high}{')' if high_open else ']'}"


def number_cells():
    ends = st.integers(0, 4)
    between = st.tuples(st.just("between"), ends, ends, st.booleans(), st.booleans())
    halves = st.tuples(st.just("between"), st.none(), ends, st.just(False), st.booleans())
    return st.one_of(between, halves, st.tuples(st.just("point"), ends), st.just(("any",)), st.just(("missing",)))


def level_cells():
    between = st.tuples(
        st.just("between"), st.sampled_from(ORDER), st.sampled_from(ORDER), st.just(False), st.just(False)
    )
    return st.one_of(between, st.tuples(st.just("point"), st.sampled_from(ORDER)), st.just(("any",)))


def label_cells():
    sets = st.lists(st.sampled_from(LABELS), min_size=2, max_size=4, unique=True)
    return st.one_of(
        st.tuples(st.just("set"), sets),
        st.tuples(st.just("point"), st.sampled_from(LABELS)),
        st.just(("prefix", "a")),
        st.just(("any",)),
        st.just(("missing",)),
    )


VALUES = [st.integers(0, 4) | st.none(), st.sampled_from(ORDER), st.sampled_from(LABELS) | st.none()]
CELLS = [number_cells(), level_cells(), label_cells()]


@st.composite
def published(draw, most_rows=6):
    """Original rows, and released rows that mostly cover them: shuffled, some lost, one cell drawn anew."""
    row = st.tuples(*VALUES, st.sampled_from("xy"))
    original = draw(st.lists(row, min_size=1, max_size=most_rows))
    released = []
    for *values, kept in original:
        cells = []
        for value, cell in zip(values, CELLS, strict=True):
            drawn = draw(cell)
            fine = covers(drawn, value, ORDER if value in ORDER else ())
            cells.append(drawn if fine else ("any",))
        released.append((*cells, kept))
    if draw(st.booleans()):
        released = draw(st.permutations(released))
    released = released[draw(st.integers(0, 1)) :] or released
    if draw(st.booleans()):
        place = draw(st.integers(0, len(released) - 1))
        cells = list(released[place])
        column = draw(st.integers(0, 3))
        cells[column] = draw(st.sampled_from("xy")) if column == 3 else draw(CELLS[column])
        released[place] = tuple(cells)
    return original, released


def tables(original, released):
    names = ["number", "level", "label", "kept"]
    kinds = [pa.int64(), pa.string(), pa.string(), pa.string()]
    raw = pa.table(
        {
            name: pa.array([row[j] for row in original], kind)
            for j, (name, kind) in enumerate(zip(names, kinds, strict=True))
        }
    )
    table = pa.table(
        {
            name: pa.array([text_of(row[j]) if j < 3 else row[j] for row in released], pa.string())
            for j, name in enumerate(names)
        }
    )
    return raw, table


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(published(), st.sampled_from([0.0, 0.5]))
def test_aligned_and_matched_agree_with_brute_force(case, suppression):
    original, released = case

    def fits(row, other):
        *cells, kept = released[row]
        *values, true_kept = original[other]
        return kept == true_kept and all(
            covers(cell, value, ORDER if j == 1 else ())
            for j, (cell, value) in enumerate(zip(cells, values, strict=True))
        )

    raw, table = tables(original, released)
    verdict = verify(table, schema=SCHEMA, original=raw, suppression=suppression)
    truth = verdict.truthful
    sizes = len(released), len(original)
    few_lost = len(original) - len(released) <= int(suppression * len(original))
    assert verdict.level == level([[text_of(cell) for cell in row[:3]] for row in released])
    assert verdict.suppressed == len(original) - len(released)
    assert truth.complete
    assert truth.ok == (few_lost and is_matched(*sizes, fits))
    in_order = is_subsequence(*sizes, fits)
    if len(released) == len(original):
        assert in_order == is_aligned(*sizes, fits)
    assert truth.kind == ("aligned" if in_order else "matched")
    kept_order = verify(table, schema=SCHEMA, original=raw, suppression=suppression, order="kept").truthful
    assert kept_order.ok == (few_lost and in_order)
    assert kept_order.kind == "aligned"


# --- planted faults ------------------------------------------------------------------------------------------

ORIGINAL = pa.table(
    {
        "age": [31, 38, 41, 47, 52, 59],
        "work": ["a", "b", "a", "c", "c", None],
        "ill": ["flu", "flu", "cold", "cold", "ache", "ache"],
        "weight": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
    }
)
RELEASED = pa.table(
    {
        "age": ["[31, 38]", "[31, 38]", "[41, 47]", "[41, 47]", "[52, 59]", "[52, 59]"],
        "work": ["{a, b}", "{a, b}", "{a, c}", "{a, c}", "*", "*"],
        "ill": ["flu", "flu", "cold", "cold", "ache", "ache"],
        "weight": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
    }
)
SHUFFLE = pa.array([3, 0, 5, 2, 1, 4])


def judged(table, **settings):
    return verify(table, quasi=["age", "work"], original=ORIGINAL, **settings).truthful


def replaced(table, name, place, value):
    values = table.column(name).to_pylist()
    values[place] = value
    return table.set_column(table.column_names.index(name), name, pa.array(values, table.column(name).type))


def test_a_truthful_release_in_order_is_aligned_and_shuffled_matched():
    aligned, matched = judged(RELEASED), judged(RELEASED.take(SHUFFLE))
    assert (aligned.kind, aligned.ok, aligned.complete) == ("aligned", True, True)
    assert aligned.checked == ("age", "work", "ill", "weight")
    assert (matched.kind, matched.ok, matched.complete) == ("matched", True, True)
    assert not judged(RELEASED.take(SHUFFLE), order="kept").ok


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    "damaged",
    [
        replaced(RELEASED, "age", 2, "[42, 47]"),
        replaced(RELEASED, "age", 0, None),
        replaced(RELEASED, "work", 3, "{a, b}"),
        replaced(RELEASED, "work", 5, "c"),
        replaced(RELEASED, "ill", 0, "cold"),
        replaced(RELEASED, "ill", 1, None),
        replaced(RELEASED, "weight", 1, 2.5000000000000004),
        RELEASED.slice(1),
        RELEASED.slice(0, 5),
        pa.concat_tables([RELEASED, RELEASED.slice(0, 1)]),
        pa.concat_tables([RELEASED.slice(0, 5), RELEASED.slice(0, 1)]),
    ],
    ids=[
        "narrowed",
        "emptied",
        "other-set",
        "missing-named",
        "kept-changed",
        "kept-emptied",
        "last-digit",
        "first-dropped",
        "last-dropped",
        "doubled",
        "one-for-another",
    ],
)
def test_planted_faults_are_found(damaged, shuffled):
    if shuffled:
        damaged = damaged.take(pa.array(np.random.default_rng(1).permutation(len(damaged))))
    verdict = verify(damaged, quasi=["age", "work"], original=ORIGINAL)
    assert not verdict.truthful.ok
    assert not verdict.ok
    assert verdict.truthful.faults


def test_faults_say_where_and_how_many_but_never_what():
    damaged = replaced(replaced(RELEASED, "age", 2, "[42, 47]"), "ill", 3, "secret-illness")
    assert judged(damaged, order="kept").faults == (
        "column `age` does not cover the original value in 1 row (first in row 3)",
        "column `ill` differs from the original in 1 row (first in row 4)",
    )
    assert judged(damaged).faults == (
        "2 released rows cannot be assigned to rows of the original, each to one of its own",
        "1 released row with kept values that the original does not have, or not so often",
        "no row of the original with the same kept values is covered by 1 released row",
    )
    lost = "the table lacks 1 row of the original where at most 0 may be missing"
    assert judged(RELEASED.slice(1)).faults == (lost,)
    doubled = pa.concat_tables([RELEASED, RELEASED.slice(0, 1)])
    assert judged(doubled).faults[0] == "the table has 1 row more than the original"


def test_swapped_rows_are_still_truthful():
    swapped = RELEASED.take(pa.array([1, 0, 2, 3, 4, 5]))
    assert judged(swapped).kind == "matched"
    assert judged(swapped).ok


def test_declared_suppression_allows_lost_rows_and_no_more():
    # six rows: a third is two rows, and 0.33 of six is below two
    assert judged(RELEASED.slice(2), suppression=1 / 3).faults  # 0.333... of 6 is 1.99...: one row
    assert judged(RELEASED.slice(2), suppression=0.34).ok
    assert judged(RELEASED.slice(2), suppression=0.34).kind == "aligned"
    assert judged(RELEASED.slice(2).take(pa.array([3, 1, 0, 2])), suppression=0.34).kind == "matched"
    assert not judged(RELEASED.slice(2), suppression=0.33).ok
    verdict = verify(RELEASED.slice(2), quasi=["age", "work"], original=ORIGINAL, suppression=0.34)
    assert (verdict.ok, verdict.suppressed, verdict.rows) == (True, 2, 4)


def test_a_share_means_what_it_says():
    # as a float 0.29 * 100 is 28.999999999999996
    original = pa.table({"q": ["a"] * 100})
    assert verify(original.slice(29), quasi=["q"], original=original, suppression=0.29).truthful.ok
    assert not verify(original.slice(30), quasi=["q"], original=original, suppression=0.29).truthful.ok


def test_rows_with_missing_values_that_were_to_be_dropped_are_not_lost():
    verdict = verify(RELEASED.slice(0, 5), quasi=["age", "work"], original=ORIGINAL, missing="suppress")
    assert (verdict.ok, verdict.truthful.kind, verdict.suppressed) == (True, "aligned", 1)
    published = verify(RELEASED, quasi=["age", "work"], original=ORIGINAL, missing="suppress")
    assert published.truthful.faults[0] == "the table has 1 row more than the original"


def test_texts_declared_missing_are_missing_in_quasi_columns_only():
    raw = pa.table({"age": ["31", "?"], "ill": ["?", "a"]})
    table = pa.table({"age": ["31", None], "ill": ["?", "a"]})
    assert verify(table, quasi=["age"], original=raw, original_typed=False, na=["?"]).truthful.ok
    assert not verify(table, quasi=["age"], original=raw, original_typed=False).truthful.ok


def test_a_column_that_the_original_lacks_is_a_fault():
    added = RELEASED.append_column("score", pa.array([0.5] * 6))
    assert judged(added).faults == ("column `score` is not in the original",)


def test_columns_that_are_not_published_are_not_even_read():
    frame = ORIGINAL.to_pandas()
    frame["name"] = [object() for _ in range(6)]
    assert verify(RELEASED, quasi=["age", "work"], original=frame).truthful.ok


def test_columns_left_out_of_the_release_are_no_fault():
    assert judged(RELEASED.drop_columns(["ill"])).ok


def test_nodes_without_their_taxonomy_are_not_checked_and_said_so():
    table = replaced(RELEASED, "work", 0, "Government")
    truth = judged(table)
    assert (truth.ok, truth.complete) == (True, False)
    assert truth.not_checked[0].column == "work"
    assert "1 different cell may be nodes of a taxonomy" in truth.not_checked[0].reason
    assert truth.checked == ("age", "ill", "weight")
    # what can be checked still is
    assert not judged(replaced(table, "age", 3, "1")).ok


@pytest.mark.parametrize("to_frame", [lambda t: t, lambda t: t.to_pandas(), pl.from_arrow])
def test_every_kind_of_frame_can_be_compared(to_frame):
    verdict = verify(to_frame(RELEASED), quasi=["age", "work"], original=to_frame(ORIGINAL))
    assert (verdict.truthful.kind, verdict.truthful.ok) == ("aligned", True)
    wrong = to_frame(replaced(RELEASED, "ill", 0, "cold"))
    assert not verify(wrong, quasi=["age", "work"], original=to_frame(ORIGINAL)).ok


def test_kinds_of_frames_can_be_mixed():
    frame = ORIGINAL.to_pandas()
    frame.index = [5, 5, 1, 2, 3, 4]
    assert verify(pl.from_arrow(RELEASED), quasi=["age", "work"], original=frame).truthful.kind == "aligned"


def test_text_of_a_csv_file_is_typed_before_it_is_compared():
    raw = pa.table({"age": ["031", "38"], "day": ["2024-01-02", "2024-03-04"], "zip": ["01234", "01235"]})
    table = pa.table({"age": ["[31, 38]"] * 2, "day": ["2024-Q1"] * 2, "zip": ["0123*"] * 2})
    schema = Schema.from_roles(quasi=["age", "day", "zip"], types={"age": "numeric"})
    truth = verify(table, schema=schema, original=raw, original_typed=False).truthful
    assert (truth.ok, truth.complete) == (True, True)


TYPED = {
    "int": (pa.array([5, 6]), "[5, 6]", "5"),
    "float": (pa.array([0.1, 0.2]), "[0.1, 0.2]", "0.1"),
    "float32": (pa.array([0.1, 0.2], pa.float32()), "[0.10000000149011612, 0.20000000298023224]", "0.15"),
    "decimal": (pa.array([Decimal("0.10"), Decimal("0.20")]), "[0.1, 0.2]", "0.1"),
    "date": (pa.array([dt.date(2024, 1, 1), dt.date(2024, 1, 2)]), "[2024-01-01, 2024-01-02]", "2024-01-02"),
    "bool": (pa.array([True, False]), "*", "true"),
    "text": (pa.array(["a", "b"]), "{a, b}", "a"),
    "category": (pa.array(["a", "b"]).dictionary_encode(), "{a, b}", "a"),
    "uint64": (pa.array([2**64 - 2, 2**64 - 1], pa.uint64()), f"[{2**64 - 2}, {2**64 - 1}]", str(2**64 - 1)),
}


@pytest.mark.parametrize("name", TYPED)
def test_every_type_of_original_is_held_against_its_release(name):
    values, covering, narrow = TYPED[name]
    original = pa.table({"q": values, "kept": values})
    for cell, ok in ((covering, True), (narrow, False)):
        table = pa.table({"q": [cell, cell], "kept": values})
        assert verify(table, quasi=["q"], original=original).truthful.ok == ok
        assert verify(table.take([1, 0]), quasi=["q"], original=original).truthful.ok == ok


def test_pandas_categories_and_missing_values():
    original = pd.DataFrame({"q": pd.Categorical(["a", None, "b"]), "x": [1.0, None, 3.0]})
    table = pd.DataFrame({"q": ["{a, b}", None, "{a, b}"], "x": [1.0, None, 3.0]})
    assert verify(table, quasi=["q"], original=original).truthful.ok
    assert not verify(table.fillna({"q": "{a, b}"}), quasi=["q"], original=original).truthful.ok
