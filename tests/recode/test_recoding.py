"""Recoding: released cells cover their class, cost what they say, and equal tuples are one class."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import covey
from covey.ask.schema import Column
from covey.ask.settings import ENDS, RELEASES
from covey.ask.taxonomy import Taxonomy
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_columns
from covey.columns.typed import type_column
from covey.columns.values.parsing import parse_date
from covey.columns.values.writing import write_date
from covey.metrics.loss import Published, measure
from covey.recode import recode
from covey.recode.intervals import output_names
from covey.verifier.reading.cell import Everything, Interval, Missing, NotANumber, Point, Set
from covey.verifier.reading.notation import read_cell
from oracles.loss import losses, price, share, tree_facts

NAN = ("not a number",)  # unlike the label "NaN"
TREE = {"N": {"N1": ["a", "b"], "N2": ["c"]}, "S": {"S1": ["d", "e"]}, "X": {"X1": ["*", "N"]}}
NODES = {"N1": "ab", "N2": "c", "S": "de", "S1": "de", "X": ("*", "N"), "X1": ("*", "N"), "N (all)": "abc"}
ODD = ["a", "Smith, J", "", " x", "[1, 2]", '"q"', "*", "NaN", "{z}", "é\n"]
ORDER = ("low", "mid, or so", "high", "<top", " very")


class Case:
    """A column, the values of its rows (None and NAN are missing) and the plain facts that the oracle needs."""

    def __init__(self, column, data, values, facts):
        self.column, self.data, self.values, self.facts = column, data, values, facts
        self.typed = type_column(column, pa.chunked_array([data]))
        self.exact = isinstance(next((v for v in values if v is not None), None), Decimal)


def numeric_case(name, values, kind, domain):
    present = [value for value in values if value is not None and value != NAN]
    ends = domain or ((min(present), max(present)) if present else (0, 0))
    array = pa.array([float("nan") if value == NAN else value for value in values], kind, from_pandas=False)
    column = Column(name, "quasi", "numeric", domain=domain)
    return Case(column, array, values, {"kind": "numeric", "low": ends[0], "high": ends[1]})


@st.composite
def cases(draw, name, n):
    def rows(values, missing=(None,)):
        return draw(st.lists(st.sampled_from([*values, *missing]), min_size=n, max_size=n))

    kind = draw(st.sampled_from(["int", "float", "decimal", "date", "zoned", "ordered", "flat", "boolean", "tree"]))
    if kind == "int":
        return numeric_case(name, rows([-5, -3, 0, 1, 2, 7, 90]), pa.int64(), draw(st.sampled_from([None, (-10, 100)])))
    if kind == "float":
        values = rows([-1.5, 0.0, 1e-20, 0.3, 2.5, 1e300], (None, NAN))
        return numeric_case(name, values, pa.float64(), draw(st.sampled_from([None, (-2.0, 2e300)])))
    if kind == "decimal":
        numbers = [Decimal("0.10"), Decimal("0.30"), Decimal("-4.25"), Decimal("17.00")]
        return numeric_case(name, rows(numbers), pa.decimal128(9, 2), None)
    if kind == "date":
        days = rows([dt.date(2020, 1, 1), dt.date(2020, 2, 1), dt.date(1999, 12, 31), dt.date(9999, 12, 31)])
        values = [None if day is None else parse_date(day.isoformat()) for day in days]
        return date_case(name, pa.array(days, pa.date32()), values)
    if kind == "zoned":
        values = rows([0, 1, 1_700_000_000_123_456_789, -(10**18)])
        return date_case(name, pa.array(values, pa.int64()).cast(pa.timestamp("ns", "Asia/Kolkata")), values)
    if kind == "ordered":
        values = rows(ORDER[:-1])
        return Case(
            Column(name, "quasi", order=ORDER),
            pa.array(values, pa.string()),
            values,
            {"kind": "ordered", "order": ORDER},
        )
    if kind == "flat":
        values = rows(ODD)
        domain = draw(st.sampled_from([None, tuple(ODD)]))
        found = domain or tuple(sorted({value for value in values if value is not None}))
        column = Column(name, "quasi", "categorical", domain=domain)
        return Case(column, pa.array(values, pa.string()), values, {"kind": "flat", "domain": found})
    if kind == "boolean":
        values = rows([True, False])
        texts = [None if value is None else str(value).lower() for value in values]
        found = tuple(sorted({text for text in texts if text is not None}))
        return Case(
            Column(name, "quasi", "boolean"), pa.array(values, pa.bool_()), texts, {"kind": "flat", "domain": found}
        )
    values = rows(["a", "b", "c", "d", "e", "*", "N"])
    column = Column(name, "quasi", "categorical", taxonomy=Taxonomy.from_dict(TREE))
    return Case(column, pa.array(values, pa.string()), values, {"kind": "tree", "tree": TREE})


def date_case(name, data, values):
    present = [value for value in values if value is not None] or [0]
    return Case(
        Column(name, "quasi", "date"), data, values, {"kind": "numeric", "low": min(present), "high": max(present)}
    )


@st.composite
def tables(draw, least=1):
    n = draw(st.integers(1, 14))
    columns = [draw(cases(f"c{j}", n)) for j in range(draw(st.integers(1, 3)))]
    n_classes = draw(st.integers(1, max(n // least, 1)))
    drawn = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    if least > 1:  # classes of at least `least` rows, in a random order of rows
        order = draw(st.permutations(range(n)))
        drawn = [0] * n
        for place, row in enumerate(order):
            drawn[row] = min(place // least, max(n // least - 1, 0))
    numbers = {label: i for i, label in enumerate(sorted(set(drawn)))}
    return columns, np.array([numbers[label] for label in drawn], np.int64)


def recoded(table, labels, **options):
    typed = [case.typed for case in table]
    codes = encode_columns(typed)
    return recode(typed, codes, labels, **{"k": 2, **options})


def read(case, text):
    """Return what a released cell means, as the tuple that the oracle takes."""
    if case.facts["kind"] == "tree" and text in NODES:
        return ("node", tuple(NODES[text]))
    cell = read_cell(text, case.typed.type, exact=case.exact)
    if isinstance(cell, Missing):
        return ("missing",)
    if isinstance(cell, NotANumber):
        return ("point", NAN)
    if isinstance(cell, Everything):
        return ("any",)
    if isinstance(cell, Point):
        return ("point", cell.value)
    if isinstance(cell, Set):
        return ("set", cell.labels)
    assert isinstance(cell, Interval)
    assert not cell.low_open
    assert not cell.high_open
    return ("interval", cell.low, cell.high)


def covers(case, cell, value):
    if cell[0] == "any":
        return True
    if cell[0] == "missing":
        return value is None
    if value is None or value == NAN:
        return cell == ("point", value)
    if cell[0] == "point":
        return cell[1] == value
    if cell[0] in ("set", "node"):
        return value in cell[1]
    place = (lambda label: ORDER.index(label)) if case.facts["kind"] == "ordered" else (lambda number: number)
    return (cell[1] is None or place(cell[1]) <= place(value)) and (cell[2] is None or place(value) <= place(cell[2]))


def best(case, values, release):
    """Return the cell that a class with these values must be released as, by DESIGN's table; ends exact."""
    different = set(values)
    if len(different) == 1:
        value = different.pop()
        return ("missing",) if value is None else ("point", value)
    if different & {None, NAN}:
        return ("any",)
    facts = case.facts
    if facts["kind"] == "flat":
        if release == "node" or len(different) == len(facts["domain"]):
            return ("any",)
        return ("set", tuple(label for label in facts["domain"] if label in different))
    if facts["kind"] == "tree":
        _, _, heights = tree_facts(TREE)
        leaves = min((node for node in heights if different <= set(node)), key=len)
        return ("any",) if len(leaves) == 7 else ("node", leaves)
    if facts["kind"] == "ordered":
        return ("interval", min(values, key=ORDER.index), max(values, key=ORDER.index))
    return ("interval", min(values), max(values))


def by_class(labels):
    members = defaultdict(list)
    for row, label in enumerate(labels):
        members[int(label)].append(row)
    return members


def check_counts(release, tuples, table):
    """Equal released tuples are one class; sizes and labels agree with a plain count."""
    assert len(release.labels) == len(tuples)
    assert len({(int(label), cells) for label, cells in zip(release.labels, tuples, strict=True)}) == len(set(tuples))
    assert len(set(release.labels.tolist())) == len(set(tuples)) == len(release.sizes)
    counted = Counter(release.labels.tolist())
    assert [counted[label] for label in range(len(release.sizes))] == release.sizes.tolist()
    assert release.prices.shape == release.shares.shape == (len(table), len(release.sizes))


def texts_of(release, case):
    ((name, values),) = release.columns[case.column.name]
    assert name == case.column.name
    return values.to_pylist()


def published_facts(case, cells):
    """Return the facts of a column; a domain that nobody declared is that of the published ends."""
    if case.facts["kind"] != "numeric" or case.column.domain is not None:
        return case.facts
    ends = [end for cell in cells if cell[0] in ("point", "interval") for end in cell[1:] if end not in (None, NAN)]
    return {**case.facts, "low": min(ends), "high": max(ends)} if ends else case.facts


def price_check(release, table, cells_by_column):
    for j, (case, cells) in enumerate(zip(table, cells_by_column, strict=True)):
        facts = published_facts(case, cells)
        for label, cell in zip(release.labels, cells, strict=True):
            assert release.prices[j, label] == pytest.approx(float(price(facts, cell)), abs=1e-12)
            assert release.shares[j, label] == pytest.approx(float(share(facts, cell)), abs=1e-12)


@settings(max_examples=250, deadline=None)
@given(tables(), st.sampled_from(["interval", "node"]))
def test_every_cell_is_the_least_that_covers_its_class_and_costs_its_price(table_labels, release_kind):
    table, labels = table_labels
    release = recoded(table, labels, release=release_kind)
    columns = []
    for case in table:
        cells = [read(case, text) for text in texts_of(release, case)]
        assert all(covers(case, cell, value) for cell, value in zip(cells, case.values, strict=True))
        for rows in by_class(labels).values():
            expected = best(case, [case.values[row] for row in rows], release_kind)
            assert all(cells[row] == expected for row in rows)
        columns.append(cells)
    check_counts(release, list(zip(*columns, strict=True)), table)
    price_check(release, table, columns)


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(0, 3), st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=3, max_size=3))
def test_the_losses_are_those_of_the_released_cells(table_labels, suppressed, weights):
    table, labels = table_labels
    release = recoded(table, labels)
    weights = weights[: len(table)]
    varies = [len(set(case.values)) > 1 for case in table]
    found = measure(
        Published(
            [case.column.name for case in table],
            np.array(weights),
            release.sizes,
            release.prices,
            release.shares,
            suppressed,
            varies,
        ),
        k=2,
    )
    columns = [[read(case, text) for text in texts_of(release, case)] for case in table]
    rows = list(zip(*columns, strict=True))
    facts = [published_facts(case, cells) for case, cells in zip(table, columns, strict=True)]
    expected = losses(facts, weights, rows, 2, suppressed, varies)
    for name in ("total_il", "ncp", "gcp", "dm", "c_avg"):
        assert getattr(found, name) == pytest.approx(expected[name], rel=1e-12, abs=1e-12)
    assert list(found.columns.values()) == pytest.approx(expected["columns"], rel=1e-12, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(tables())
def test_exact_intervals_cost_what_the_search_reckoned_with(table_labels):
    table, labels = table_labels
    codes = encode_columns([case.typed for case in table])
    release = recode([case.typed for case in table], codes, labels, k=2)
    for case in table:  # an end that a mix with missing hides is none of the published domain
        assume(published_facts(case, [read(case, text) for text in texts_of(release, case)]) == case.facts)
    assert float((release.prices.sum(axis=0) * release.sizes).sum()) == pytest.approx(total_loss(codes, labels))


# --- bounds ------------------------------------------------------------------------------------------------


def plain_of(case, array):
    """Return released ends as the values of the case: instants in nanoseconds, numbers, labels."""
    if pa.types.is_timestamp(array.type):
        unit = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[array.type.unit]
        return [None if tick is None else tick * unit for tick in array.cast(pa.int64()).to_pylist()]
    if pa.types.is_date(array.type):
        return [None if day is None else parse_date(day.isoformat()) for day in array.to_pylist()]
    return array.to_pylist()


@settings(max_examples=150, deadline=None)
@given(tables())
def test_bounds_are_two_columns_of_the_columns_own_type(table_labels):
    table, labels = table_labels
    release = recoded(table, labels, release="bounds")
    columns = []
    for j, case in enumerate(table):
        published = release.columns[case.column.name]
        if case.facts["kind"] in ("flat", "tree"):
            columns.append([read(case, text) for text in texts_of(release, case)])
            continue
        assert tuple(name for name, _ in published) == output_names(case.column.name, True, "bounds")
        assert [name for name, _ in published] == [f"c{j}_min", f"c{j}_max"]
        low, high = (
            plain_of(case, values.dictionary_decode() if pa.types.is_dictionary(values.type) else values)
            for _, values in published
        )
        if case.facts["kind"] == "numeric" and not pa.types.is_timestamp(case.data.type):
            assert all(values.type == case.data.type for _, values in published)
        cells = []
        for rows in by_class(labels).values():
            expected = best(case, [case.values[row] for row in rows], "bounds")
            if expected[0] in ("any", "missing") or expected == ("point", NAN):
                expected = ("any",)  # two empty ends say nothing, so nothing is known and the whole domain is priced
            for row in rows:
                ends = ("any",) if low[row] is None else ("interval", low[row], high[row])
                assert ends == (expected if expected[0] != "point" else ("interval", expected[1], expected[1]))
        for row in range(len(labels)):
            cells.append(("any",) if low[row] is None else ("interval", low[row], high[row]))
        columns.append(cells)
    check_counts(release, list(zip(*columns, strict=True)), table)
    price_check(release, table, columns)


def one(values, kind=None, *, labels, k=2, **facts):
    """Return the recoding of one column with `release` and `ends` among the facts."""
    options = {name: facts.pop(name) for name in ("release", "ends") if name in facts}
    column = Column("age", "quasi", facts.pop("type", "numeric"), **facts)
    typed = type_column(column, pa.chunked_array([pa.array(values, kind)]))
    return recode([typed], encode_columns([typed]), np.array(labels), k=k, **options)


def shown(release, name="age"):
    return [values.to_pylist() for _, values in release.columns[name]]


def test_bounds_of_ends_that_the_type_cannot_hold_are_text_that_reads_back():
    wide = one([5, 6, 7], pa.int64(), labels=[0, 0, 0], k=9, release="bounds", ends="snapped", domain=(0.5, 10**30))
    assert shown(wide) == [["0.5"] * 3, ["1" + "0" * 30] * 3]
    decimal = one(
        [Decimal("1.5"), Decimal("2.5")],
        pa.decimal128(3, 1),
        labels=[0, 0],
        k=9,
        release="bounds",
        ends="snapped",
        domain=(0.25, 120000),
    )
    assert shown(decimal) == [["0.25"] * 2, ["120000"] * 2]
    unsigned = one(
        [1, 2**64 - 1], pa.uint64(), labels=[0, 0], k=9, release="bounds", ends="snapped", domain=(-5, 2**64)
    )
    assert shown(unsigned) == [["-5"] * 2, [str(2**64)] * 2]


def test_bounds_of_text_with_an_offset_keep_their_instant():
    release = one(["2024-01-01T00:00+02:00", "2024-01-02T00:00Z"], labels=[0, 0], type="date", release="bounds")
    (_, low), (_, high) = release.columns["age"]
    assert low.type == high.type == pa.timestamp("ns", "UTC")
    assert low.cast(pa.int64()).to_pylist() == [parse_date("2023-12-31T22:00")] * 2


def test_bounds_of_text_before_1677_fit_their_type():
    release = one(["0001-01-01T00:00:01", "9999-12-31T23:59"], labels=[0, 0], type="date", release="bounds")
    (_, low), (_, high) = release.columns["age"]
    assert [str(end[0].as_py()) for end in (low, high)] == ["0001-01-01 00:00:01", "9999-12-31 23:59:00"]


# --- snapped ends ------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(tables(least=3), st.sampled_from(["interval", "bounds"]))
def test_no_snapped_end_is_a_value_that_fewer_than_k_rows_share(table_labels, release_kind):
    table, labels = table_labels
    k = min(3, len(labels))
    release = recoded(table, labels, k=k, release=release_kind, ends="snapped")
    columns = []
    for case in table:
        published = [values for _, values in release.columns[case.column.name]]
        if len(published) == 2:
            ends = [plain_of(case, v.dictionary_decode() if pa.types.is_dictionary(v.type) else v) for v in published]
            cells = [("any",) if a is None and b is None else ("interval", a, b) for a, b in zip(*ends, strict=True)]
            cells = [("point", c[1]) if c[0] == "interval" and c[1] == c[2] else c for c in cells]
        else:
            cells = [read(case, text) for text in published[0].to_pylist()]
        columns.append(cells)
        declared = set(ORDER if case.facts["kind"] == "ordered" else case.column.domain or ()) & {
            ORDER[0],
            ORDER[-1],
            *(case.column.domain or ()),
        }
        shared = Counter(case.values)
        for cell, value in zip(cells, case.values, strict=True):
            assert covers(case, cell, value)
            if cell[0] in ("interval", "point"):
                for end in cell[1:]:
                    assert end is None or end in declared or shared[end] >= k
            if cell[0] == "interval":  # as near as can be: nothing shared lies between the class and its end
                assert cell[1] is None or cell[2] is None or cell[1] != cell[2]
    check_counts(release, list(zip(*columns, strict=True)), table)
    price_check(release, table, columns)


def test_snapped_ends_by_hand():
    # 20 and 40 are shared by three rows each; 25 and 30 are one person's
    ages = [20, 20, 20, 25, 30, 40, 40, 40]
    release = one(ages, labels=[0, 0, 0, 1, 1, 2, 2, 2], k=3, ends="snapped")
    assert shown(release) == [["20"] * 3 + ["[20, 40]"] * 2 + ["40"] * 3]
    assert release.prices.tolist() == [[0.0, 1.0, 0.0]]
    open_ends = one([1, 20, 20, 20, 25, 30], labels=[0, 0, 0, 1, 1, 1], k=3, ends="snapped")
    assert shown(open_ends) == [["<=20"] * 3 + [">=20"] * 3]
    assert open_ends.prices.tolist() == [[1.0, 1.0]]  # they may reach anywhere
    declared = one([1, 20, 20, 20, 25, 30], labels=[0, 0, 0, 1, 1, 1], k=3, ends="snapped", domain=(0, 100))
    assert shown(declared) == [["[0, 20]"] * 3 + ["[20, 100]"] * 3]
    assert declared.prices.tolist() == [[0.2, 0.8]]


def test_classes_that_snap_to_the_same_ends_are_one():
    ages = [10, 10, 11, 12, 13, 14, 20, 20]
    release = one(ages, labels=[2, 2, 0, 0, 1, 1, 3, 3], k=2, ends="snapped")
    assert shown(release) == [["10"] * 2 + ["[10, 20]"] * 4 + ["20"] * 2]
    assert sorted(release.sizes.tolist()) == [2, 2, 4]
    assert release.labels.tolist() == [0, 0, *[release.labels[2]] * 4, release.labels[6], release.labels[6]]


def test_both_ends_open_say_nothing():
    release = one([1, 2, 3, 4], labels=[0, 0, 1, 1], k=3, ends="snapped")
    assert shown(release) == [["*"] * 4]
    assert (release.sizes.tolist(), release.prices.tolist(), release.shares.tolist()) == ([4], [[1.0]], [[1.0]])


def test_open_ends_of_labels_are_quoted_where_they_must_be():
    order = ("a", " b", "c")
    release = one([" b", "c", " b"], type="ordered", order=order, labels=[0, 0, 0], k=2, ends="snapped")
    assert shown(release) == [['[" b", c]'] * 3]  # the last label of the order is a declared end


# --- merging -----------------------------------------------------------------------------------------------


def test_runs_of_leaves_with_one_ancestor_are_one_class():
    tree = Taxonomy.from_dict({"A": ["a", "b", "c"], "B": ["d"]})
    release = one(["a", "b", "b", "c", "d", "d"], labels=[0, 0, 1, 1, 2, 2], type="categorical", taxonomy=tree)
    assert shown(release) == [["A"] * 4 + ["d"] * 2]
    assert release.sizes.tolist() == [4, 2]
    assert release.prices.tolist() == [[0.5, 0.0]]
    assert release.shares.tolist() == [[0.75, 0.0]]


@pytest.mark.parametrize("kind", ["numeric", "categorical"])
def test_mixes_with_missing_are_one_class_whatever_they_mix(kind):
    values = [1, None, 2, None, 3, 3]
    release = one(values, pa.int64(), labels=[0, 0, 1, 1, 2, 2], type=kind)
    assert shown(release) == [["*"] * 4 + ["3"] * 2]
    assert sorted(release.sizes.tolist()) == [2, 4]


def test_null_and_nan_are_told_apart_and_their_mix_is_everything():
    nan = float("nan")
    release = one([None, None, nan, nan, None, nan], pa.float64(), labels=[0, 0, 1, 1, 2, 2])
    assert shown(release) == [[None, None, "NaN", "NaN", "*", "*"]]
    assert sorted(release.prices[0].tolist()) == [0.0, 0.0, 1.0]
    bounds = one([None, None, nan, nan, 1.0, 2.0], pa.float64(), labels=[0, 0, 1, 1, 2, 2], release="bounds")
    assert shown(bounds) == [[None] * 4 + [1.0] * 2, [None] * 4 + [2.0] * 2]
    assert sorted(bounds.sizes.tolist()) == [2, 4]


def test_a_full_set_is_everything_even_if_values_are_missing_elsewhere():
    release = one(["a", "b", None, None], labels=[0, 0, 1, 1], type="categorical")
    assert shown(release) == [["*", "*", None, None]]
    part = one(["a", "b", "c", "c"], labels=[0, 0, 1, 1], type="categorical")
    assert shown(part) == [["{a, b}"] * 2 + ["c"] * 2]
    assert part.shares.tolist()[0][part.labels[0]] == 2 / 3


def test_a_declared_order_of_labels_is_the_order_of_sets():
    release = one(["a", "b", "c"], labels=[0, 0, 1], type="categorical", domain=("c", "b", "a"))
    assert shown(release) == [["{b, a}"] * 2 + ["c"]]


def test_sets_of_more_than_64_labels():
    names = [f"n{i:03}" for i in range(200)]
    release = one(names, labels=[0] * 130 + [1] * 70, type="categorical")
    assert shown(release)[0][0] == "{" + ", ".join(names[:130]) + "}"
    assert release.shares[0, release.labels[[0, -1]]].tolist() == [130 / 200, 70 / 200]


def test_a_constant_column_costs_nothing():
    release = one([5, 5, 5, 5], labels=[0, 0, 1, 1])
    assert (shown(release), release.sizes.tolist(), release.prices.tolist()) == ([["5"] * 4], [4], [[0.0]])


def test_the_printed_interval_contains_its_values():
    # with half-open bins of ten, 10 could fall into "[0, 10)", -3 too, and 25 beyond the last
    ages = [0, 5, 10, 15, 20, -3, 25, 99]
    for labels in ([0, 0, 0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1]):
        for ends in ENDS:
            for text, age in zip(shown(one(ages, labels=labels, ends=ends))[0], ages, strict=True):
                cell = read_cell(text, "numeric")
                assert isinstance(cell, Everything) or (
                    (cell.low is None or cell.low <= age) and (cell.high is None or age <= cell.high)
                )
        tree = Taxonomy.intervals([10, 20])
        bound = tree.bind([str(age) for age in ages])
        for text, age in zip(shown(one(ages, labels=labels, taxonomy=tree))[0], ages, strict=True):
            assert text == "*" or bound.index(str(age)) in bound.below(text)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=8), st.randoms())
def test_f17_holds_for_any_floats(values, random):
    labels = [0, 1] + [random.randrange(2) for _ in values[2:]]
    for text, value in zip(shown(one(values, pa.float64(), labels=labels))[0], values, strict=True):
        cell = read_cell(text, "numeric", exact=False)
        assert cell == Point(value) if isinstance(cell, Point) else cell.low <= value <= cell.high


# --- centres -----------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(tables())
def test_centres_are_means_medians_and_modes(table_labels):
    table, labels = table_labels
    release = recoded(table, labels, release="centre")
    shown_by_column = []
    for case in table:
        ((name, values),) = release.columns[case.column.name]
        assert name == case.column.name
        is_measured = case.facts["kind"] == "numeric"
        found = plain_of(case, values) if is_measured else [read(case, text) for text in values.to_pylist()]
        shown_by_column.append(found)
        for rows in by_class(labels).values():
            mine = [case.values[row] for row in rows]
            present = [value for value in mine if value is not None and value != NAN]
            if is_measured and not present:
                assert all(found[row] is None for row in rows)
            elif is_measured:
                mean = sum((Fraction(value) for value in present), Fraction(0)) / len(present)
                if len(set(present)) == 1:
                    assert all(found[row] == float(mean) or found[row] == mean for row in rows)
                reach = max(abs(Fraction(value) - Fraction(case.facts["low"])) for value in present)
                slack = Fraction(1, 10**12) * (reach + abs(mean)) + (1000 if case.typed.type == "date" else 0)
                assert all(abs(Fraction(found[row]) - mean) <= slack for row in rows)
            elif case.facts["kind"] == "ordered" and present:
                middle = sorted(present, key=ORDER.index)[(len(present) - 1) // 2]
                assert all(found[row] == ("point", middle) for row in rows)
            else:
                counts = Counter(mine)
                top = {value for value, count in counts.items() if count == max(counts.values())}
                assert {("missing",) if value is None else ("point", value) for value in top} >= {
                    found[row] for row in rows
                }
                assert len({found[row] for row in rows}) == 1
    check_counts(release, list(zip(*shown_by_column, strict=True)), table)
    # a centre costs what the interval over its published class would
    cells = []
    for case in table:
        classes = {
            label: best(case, [case.values[row] for row in rows], "interval")
            for label, rows in by_class(release.labels).items()
        }
        cells.append([classes[int(label)] for label in release.labels])
    price_check(release, table, cells)


def test_classes_with_the_same_centre_are_one_and_priced_as_one():
    release = one([1, 5, 3, 3, 0, 10], labels=[0, 0, 1, 1, 2, 2], release="centre")
    assert shown(release) == [[3.0] * 4 + [5.0] * 2]
    assert sorted(release.sizes.tolist()) == [2, 4]
    assert release.prices[0, release.labels[0]] == 0.4  # from 1 to 5 of 0 to 10


@pytest.mark.parametrize("values", [[-(2**63), 2**63 - 1], [-1.7e308, 1.7e308], [-1e308, 1e308]])
def test_means_do_not_overflow(values):
    kind = pa.int64() if isinstance(values[0], int) else pa.float64()
    release = one([*values, values[1], values[1]], kind, labels=[0, 0, 1, 1], release="centre")
    assert (
        shown(release)[0]
        == [pytest.approx(0.0, abs=1e292 if kind == pa.float64() else 1024.0)] * 2 + [float(values[1])] * 2
    )


def test_means_of_dates_beyond_2262():
    days = [dt.date(9999, 12, 31), dt.date(9999, 12, 29), dt.date(1, 1, 1), dt.date(1, 1, 3)]
    release = one(days, pa.date32(), labels=[0, 0, 1, 1], type="date", release="centre")
    assert [write_date(tick * 1000) for tick in release.columns["age"][0][1].cast(pa.int64()).to_pylist()] == [
        "9999-12-30",
        "9999-12-30",
        "0001-01-02",
        "0001-01-02",
    ]


def test_the_mean_of_equal_floats_is_that_float():
    values = [0.1, 0.7, 0.7, 0.7, 0.1, 0.1]
    assert shown(one(values, labels=[0, 1, 1, 1, 0, 0], release="centre")) == [values]


def test_every_kind_of_release_has_a_row_for_every_row():
    for release_kind in RELEASES:
        release = one([1, 2, None, 4], pa.int64(), labels=[0, 0, 1, 1], release=release_kind)
        assert all(len(values) == 4 for _, values in release.columns["age"])


def test_bounds_need_two_names_only_where_there_is_an_order():
    assert output_names("age", True, "bounds") == ("age_min", "age_max")
    assert output_names("sex", False, "bounds") == ("sex",)
    assert output_names("age", True, "interval") == ("age",)


@pytest.mark.parametrize(
    ("values", "grid", "cells"),
    [
        # nobody shares a value: the ends go to multiples of 10
        ([31, 38, 52, 59], 10, ["[30, 40]", "[30, 40]", "[50, 60]", "[50, 60]"]),
        # two are 32, so they are a class of one value; as an end it would be no multiple, though two share it
        ([32, 32, 38, 52, 59], 10, ["32", "32", "[30, 60]", "[30, 60]", "[30, 60]"]),
        ([0.31, 0.38, 0.52, 0.59], 0.1, ["[0.3, 0.4]", "[0.3, 0.4]", "[0.5, 0.6]", "[0.5, 0.6]"]),
        ([-7, -1, 3, 8], 5, ["[-10, 0]", "[-10, 0]", "[0, 10]", "[0, 10]"]),
    ],
)
def test_snapped_ends_are_points_of_a_declared_grid(values, grid, cells):
    import covey

    settings = {"quasi": ["a"], "grids": {"a": grid}, "ends": "snapped", "algorithm": "mondrian"}
    assert covey.anonymize(pa.table({"a": values}), k=2, **settings).table.column("a").to_pylist() == cells


def test_a_grid_point_is_priced_where_it_lies():
    import covey

    # the domain is what is published, 30..60: [30, 40] and [50, 60] cost a third of it each
    table = pa.table({"a": [31, 38, 52, 59]})
    release = covey.anonymize(table, k=2, quasi=["a"], grids={"a": 10}, ends="snapped")
    assert release.report.loss.total_il == pytest.approx(4 / 3)


def test_a_bound_at_the_end_of_the_calendar_is_written_as_it_stands() -> None:
    days = ["9999-12-31T23:59:59.999999999", "9999-12-31", "2024-01-01", "2024-01-02"]
    table = pa.table({"day": days, "x": list("abcd")})
    release = covey.anonymize(table, k=2, quasi=["day"], other=["x"], types={"day": "date"}, release="bounds")
    assert release.table.column("day_max").to_pylist() == [days[0], days[0], days[3], days[3]]
