"""A look at a table: types from shapes, roles from reasons, and a job file that runs as it is."""

from __future__ import annotations

import datetime as dt
import math
import tomllib
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covey.ask.job import read_job
from covey.ask.schema import Schema
from covey.base.printable import printable
from covey.codes.encoding import encode_columns
from covey.columns.proposal import Proposal, propose
from covey.columns.proposed_job import job_text
from covey.columns.typed import type_column
from covey.columns.types import distinct_values, type_of, with_types
from covey.recode import recode

N = 100


def column(values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


def proposed(name, values, kind=None, *, typed=False, decimal="."):
    data = values if isinstance(values, pa.ChunkedArray) else column(values, kind)
    (found,) = propose(pa.table({name: data}), typed=typed, decimal=decimal)
    assert found.name == name
    assert f" in {len(data):,} {'row' if len(data) == 1 else 'rows'}" in found.reasons[0]
    assert not found.reasons[0].startswith("1 different values")
    return found


# --- types -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind", "found"),
    [
        ([1, None], pa.int8(), "numeric"),
        ([2**64 - 1], pa.uint64(), "numeric"),
        ([1.5], pa.float32(), "numeric"),
        ([Decimal("1.5")], pa.decimal128(3, 1), "numeric"),
        ([Decimal("1.5")], pa.decimal32(3, 1), "numeric"),
        ([True], pa.bool_(), "boolean"),
        ([dt.date(2024, 1, 1)], pa.date32(), "date"),
        ([0], pa.timestamp("ns", "UTC"), "date"),
        ([None], pa.null(), "categorical"),
        ([b"1"], pa.binary(), "categorical"),
        ([dt.time(1)], pa.time32("s"), "categorical"),
    ],
)
def test_typed_columns_keep_the_type_they_have(values, kind, found):
    assert type_of(column(values, kind), typed=True) == found
    coded = column(values, kind)
    if kind not in (pa.decimal32(3, 1), pa.null()):
        assert type_of(coded.dictionary_encode(), typed=True) == found


@pytest.mark.parametrize(
    ("texts", "found"), [(["1", "2.5"], "numeric"), (["2024-01-01"], "date"), (["01", "2"], "categorical")]
)
def test_text_is_typed_by_its_values_unless_it_is_a_declared_category(texts, found):
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert type_of(column(texts, kind), typed=True) == found
    assert type_of(column(texts, pa.string()).dictionary_encode(), typed=False) == found
    assert type_of(column(texts, pa.string()).dictionary_encode(), typed=True) == "categorical"


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["1", "-2", "+3", None], "numeric"),
        (["1.5", ".5", "1e3", "-0.0", " 7 "], "numeric"),
        (["0", "0.5", "10"], "numeric"),
        (["01234", "12345"], "categorical"),
        (["-01"], "categorical"),
        (["1", "x"], "categorical"),
        (["1", ""], "categorical"),
        (["1,5"], "categorical"),
        (["1e400"], "categorical"),
        (["9" * 400], "categorical"),
        (["9" * 30], "numeric"),
        (["inf"], "categorical"),
        (["NaN"], "categorical"),
        (["1_000"], "categorical"),
        (["٣"], "categorical"),
        (["2024-01-31", None], "date"),
        (["2024-01-31T12:00Z", "2024-01-31"], "date"),
        (["2023-02-30"], "categorical"),
        (["2024-01-31", "31.01.2024"], "categorical"),
        (["2024"], "numeric"),
        (["true", "false"], "categorical"),
        ([None, None], "categorical"),
        ([], "categorical"),
    ],
)
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_text_is_typed_by_the_shape_of_all_its_values(values, found, kind):
    assert type_of(column(values, kind), typed=False) == found
    assert type_of(column(values, pa.string()).dictionary_encode(), typed=False) == found


def test_decimal_commas_are_numbers_where_they_are_declared():
    assert type_of(column(["1,5", "2"]), typed=False, decimal=",") == "numeric"
    assert type_of(column(["1,5", "1.234"]), typed=False, decimal=",") == "categorical"
    assert type_of(column(["1.5"]), typed=False, decimal=",") == "categorical"


@settings(deadline=None)
@given(st.lists(st.text("0123456789+-.,eE TZ:é", max_size=12), min_size=1, max_size=4), st.sampled_from([".", ","]))
def test_whatever_type_is_found_can_be_read(values, decimal):
    data = column(values, pa.string())
    schema = with_types(Schema.from_roles(quasi=["a"]), pa.table({"a": data}), typed=False, decimal=decimal)
    assert type_column(schema["a"], data, decimal=decimal).type == schema["a"].type


def test_only_columns_without_a_type_are_typed():
    schema = Schema.from_roles(quasi=["a", "b"], other=["c"], types={"a": "categorical"})
    table = pa.table({"a": [1], "b": [1], "c": [1]})
    assert [c.type for c in with_types(schema, table).columns] == ["categorical", "numeric", None]


def test_distinct_values_of_chunks_with_dictionaries_of_their_own():
    chunks = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.uint8()), pa.array(["b", "a", "unused"])),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.uint8()), pa.array(["c", None, "b"])),
    ]
    assert sorted(distinct_values(pa.chunked_array(chunks)).to_pylist()) == ["a", "b", "c"]
    assert distinct_values(column(["a", None, "a"], pa.string_view())).to_pylist() == ["a"]
    assert distinct_values(pa.chunked_array([], pa.string())).to_pylist() == []


# --- roles -------------------------------------------------------------------------------------------------

KEYS = [f"K{i:05}" for i in range(N)]
FEW = ["a", "b", "c", "d"] * 25


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("contact", [f"p{i % 4}@example.org" for i in range(N)], "e-mail addresses"),
        ("x", [f"00000000-0000-0000-0000-00000000000{i % 4}" for i in range(N)], "UUIDs"),
        ("x", [f"+49 (30) 12345{i % 30:02}" for i in range(N)], "telephone numbers"),
        ("x", KEYS, "almost every value is different"),
        ("number", [str(10**6 + i) for i in range(N)], "almost every value is different"),
        ("patientID", [f"{i % 50}x" for i in range(N)], "that of a key"),
        ("last_name", [f"n{i % 50}" for i in range(N)], "that of an identifier"),
        ("name", ["Ann", "Bo", "Cy"], "that of an identifier"),  # few rows, but each its own
        ("note", [("word " * 20) + str(i % 50) for i in range(N)], "free text"),
    ],
)
def test_what_looks_like_a_key_is_dropped(name, values, why):
    found = proposed(name, values)
    assert (found.role, found.type) == ("identifier", None)
    assert any(why in reason for reason in found.reasons)


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("x", FEW, "categorical"),
        ("age", [str(i) for i in range(N)], "numeric"),
        ("height", [f"{i}.5" for i in range(N)], "numeric"),
        ("born", [str(dt.date(1990, 1, 1) + dt.timedelta(days=i)) for i in range(N)], "date"),
        ("name", FEW, "categorical"),
        ("x", ["31.12.2020", "1.2.2021"] * 50, "categorical"),
        ("x", ["1", "2"] * 50, "numeric"),
        ("x", [None] * N, "categorical"),
        ("x", KEYS[:9], "categorical"),
    ],
)
def test_all_else_is_generalised(name, values, kind):
    found = proposed(name, values, pa.string())
    assert (found.role, found.type) == ("quasi", kind)


def test_dates_in_another_order_are_pointed_out():
    assert "not of the form 2024-03-31" in proposed("x", ["31.12.2020", "1.2.2021"] * 50).reasons[-1]


@pytest.mark.parametrize(
    ("name", "values", "lengths"),
    [
        ("zip", ["47906", "12345"] * 50, (4, 3, 2, 1)),
        ("x", ["01234", "12345"] * 50, (4, 3, 2, 1)),
        ("home_postcode", ["SW1A 1AA", "EC1"] * 50, (7, 6, 5, 4)),
        ("plz", ["8", "9"] * 50, ()),
        ("ZipCode", [f"{i:05}" for i in range(N)], (4, 3, 2, 1)),
    ],
)
def test_postcodes_are_text_with_prefixes(name, values, lengths):
    found = proposed(name, values)
    assert (found.role, found.type, found.prefixes) == ("quasi", "categorical", lengths)
    assert any("postcode" in reason for reason in found.reasons)


def test_typed_keys_and_measures():
    assert proposed("x", list(range(N)), pa.int64(), typed=True).role == "identifier"
    assert proposed("x", [float(i) for i in range(N)], pa.float64(), typed=True).role == "identifier"  # keys with gaps
    assert proposed("x", [i + 0.5 for i in range(N)], pa.float32(), typed=True).role == "quasi"
    assert proposed("x", [float("nan"), *map(float, range(N))], pa.float64(), typed=True).role == "identifier"
    assert proposed("x", [Decimal(i) / 4 for i in range(N)], pa.decimal128(9, 2), typed=True).role == "quasi"
    assert proposed("age", list(range(N)), pa.int64(), typed=True).role == "quasi"
    assert proposed("t", list(range(N)), pa.timestamp("s"), typed=True).type == "date"


def test_what_cannot_be_generalised_is_dropped():
    assert proposed("x", [[1], [1]], typed=True).role == "identifier"
    assert proposed("x", [{"a": 1}] * 3, typed=True).role == "identifier"


def test_infinities_make_plain_categories():
    found = proposed("x", [1.5, math.inf] * 50, pa.float64(), typed=True)
    assert (found.role, found.type) == ("quasi", "categorical")
    assert "infinities" in found.reasons[1]


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("diagnosis", "sensitive"),
        ("annual_income", "sensitive"),
        ("HIV", "sensitive"),
        ("outcome", "target"),
        ("y", "target"),
    ],
)
def test_what_is_published_as_it_is_is_only_suggested(name, word):
    found = proposed(name, FEW)
    assert found.role == "quasi"
    assert f'role = "{word}"' in found.suggestion


NAMES = ["diagnosis", "income", "target", "class", "y", "name", "id", "zip", "age", "x", "religion", "label", "default"]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.none() | st.text(max_size=6), max_size=40), st.booleans())
def test_no_guess_publishes_a_column_as_it_is(name, values, typed):
    assert proposed(name, values, pa.string(), typed=typed).role in ("identifier", "quasi")


# --- the job file ------------------------------------------------------------------------------------------

ODD_NAMES = [
    "",
    " ",
    "a b",
    "a.b",
    'say "hi"',
    "back\\slash",
    "tab\t",
    "line\nbreak",
    "é",
    "[columns]",
    "# no",
    "=",
    "'",
    "\x7f",
    "k",
    "role",
    "1",
    "-",
    "a]\nk = 99\n[b",
]


def run_as_it_is(table, tmp_path, *, typed, source="people.csv", decimal="."):
    """Read the proposed job and take the table through schema, codes and recoding with it."""
    path = tmp_path / "covey.toml"
    path.write_text(job_text(propose(table, typed=typed, decimal=decimal), table.num_rows, source), encoding="utf-8")
    job = read_job(path)
    assert [column.name for column in job.schema.columns] == table.column_names
    assert set(job.schema.names("identifier", "quasi")) == set(table.column_names)
    if job.schema.quasi:
        job.schema.check_table(table.column_names)
        schema = with_types(job.schema, table, typed=typed, decimal=decimal)
        columns = [type_column(c, table.column(c.name), decimal=decimal) for c in schema.quasi]
        labels = np.zeros(table.num_rows, np.int64)
        assert recode(columns, encode_columns(columns), labels, k=job.k).sizes.tolist() == [table.num_rows]
    return job


def test_odd_names_of_columns_are_quoted(tmp_path):
    job = run_as_it_is(pa.table({name: ["u", "v"] * 10 for name in ODD_NAMES}), tmp_path, typed=False)
    assert job.schema.names("quasi") == tuple(ODD_NAMES)


ACTING = [
    "\x1b[2J",
    "\x9b2J",
    "a\u2028b",
    "a\u2029b",
    "\u202ereversed",
    "\u200b",
    "\ufeff",
    "\U000e0001",
    "\x7f",
    "\x00",
]


def test_no_name_acts_on_the_terminal_that_a_job_is_printed_on(tmp_path):
    table = pa.table({name: ["u", "v"] * 10 for name in ACTING})
    told = {"names": [*ACTING, "\U0001f600"], "separator": "\t", "skip_blanks": True}
    na = {ACTING[0]: ["\x9b"]}
    text = job_text(propose(table), 20, "".join(ACTING) + ".csv", told, ["\u202e"], na)
    assert printable(text.replace("\n", "")) == text.replace("\n", "")
    read = tomllib.loads(text)
    assert list(read["columns"]) == ACTING
    assert read["csv"] == told
    assert (read["na"], read["columns"][ACTING[0]]["na"]) == (["\u202e"], ["\x9b"])
    assert run_as_it_is(table, tmp_path, typed=True).schema.names("quasi") == tuple(ACTING)


def test_a_source_with_an_odd_name_stays_a_comment(tmp_path):
    job = run_as_it_is(pa.table({"a": [1, 2, 1, 2]}), tmp_path, typed=True, source='x"\nk = 99\n[columns.b]\r.csv')
    assert job.k == 2


@pytest.mark.parametrize(("rows", "k"), [(2, 2), (4, 2), (6, 3), (19, 9), (20, 10), (1000, 10), (1, 2)])
def test_k_is_ten_or_what_a_small_table_can_bear(rows, k, tmp_path):
    assert run_as_it_is(pa.table({"a": [5] * rows}), tmp_path, typed=True).k == k


def test_columns_of_every_type_run_as_they_are(tmp_path):
    table = pa.table(
        {
            "int": pa.array([1, None] * 10, pa.int16()),
            "big": pa.array([2**64 - 1, 0] * 10, pa.uint64()),
            "float": pa.array([1.5, float("nan")] * 10),
            "half": pa.array([np.float16(1.5), None] * 10, pa.float16()),
            "inf": pa.array([1.5, math.inf] * 10),
            "decimal": pa.array([Decimal("1.5"), None] * 10, pa.decimal256(40, 2)),
            "small": pa.array([Decimal("1.5"), None] * 10, pa.decimal32(5, 2)),
            "bool": pa.array([True, None] * 10),
            "day": pa.array([dt.date(2024, 1, 1), None] * 10),
            "time": pa.array([dt.time(1), None] * 10),
            "moment": pa.array([0, 1] * 10, pa.timestamp("ns", "Europe/Berlin")),
            "text": pa.array(["x", None] * 10),
            "view": pa.array(["x", None] * 10, pa.string_view()),
            "null": pa.nulls(20),
            "list": pa.array([[1], None] * 10),
            "coded": pa.array(["x", None] * 10).dictionary_encode(),
            "bytes": pa.array([b"x", None] * 10),
        }
    )
    job = run_as_it_is(table, tmp_path, typed=True)
    assert job.schema.names("identifier") == ("list",)


def test_text_of_every_shape_runs_as_it_is(tmp_path):
    table = pa.table(
        {
            "numbers": ["1,5", None] * 10,
            "zip": ["01234", "99999"] * 10,
            "dates": ["2024-01-31", "2024-02-01"] * 10,
            "no dates": ["2024-02-30", "2024-02-01"] * 10,
            "no numbers": ["1e400", "5"] * 10,
            "empty": ["", "x"] * 10,
            "stars": ["*", "[1, 2]"] * 10,
            "plz": ["", "12345"] * 10,
            "none": pa.nulls(20, pa.string()),
        }
    )
    job = run_as_it_is(table, tmp_path, typed=False, decimal=",")
    assert [column.type for column in job.schema.columns] == [
        "numeric",
        "categorical",
        "date",
        "categorical",
        "categorical",
        "categorical",
        "categorical",
        "categorical",
        "categorical",
    ]


cells = (
    st.none() | st.sampled_from(["", "1", "2.5", "007", "x", "2024-01-31", "a@b.org", 'é, "q"']) | st.text(max_size=5)
)
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(names, st.lists(cells, min_size=25, max_size=25), min_size=1, max_size=4))
def test_every_proposed_job_of_text_runs_as_it_is(tmp_path_factory, columns):
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    run_as_it_is(table, tmp_path_factory.mktemp("job"), typed=False)


def test_no_value_of_a_record_is_in_the_job(tmp_path):
    secret = [f"secret{i}" for i in range(N)]
    table = pa.table({"a": secret, "b": secret[:2] * 50, "zip": secret[:3] * 33 + secret[:1]})
    text = job_text(propose(table, typed=False), N, "people.csv")
    assert "secret" not in text


def test_every_guess_stands_with_its_reasons():
    text = job_text(
        [
            Proposal("age", "quasi", "numeric", ("80 different values in 100 rows", "every value is a number"), "look"),
            Proposal("zip code", "quasi", "categorical", ("why",), "", (4, 3)),
        ],
        100,
        "people.csv",
    )
    assert text.endswith("""
k = 10
missing = "category"

# guess: 80 different values in 100 rows; every value is a number
# perhaps: look
[columns.age]
role = "quasi"
type = "numeric"

# guess: why
[columns."zip code"]
role = "quasi"
type = "categorical"
taxonomy = {prefixes = [4, 3]}
""")


def test_values_of_an_extension_type_are_dropped():
    table = pa.table({"key": pa.array([bytes(16), bytes(15) + b"1"], pa.uuid()), "age": [34, 35]})
    assert [proposal.role for proposal in propose(table)] == ["identifier", "quasi"]


@pytest.mark.parametrize(
    "name",
    ["patient_id", "PatientID", "patientid", "Patienten-Nr.", "Kundennummer", "id_paciente", "Numéro de dossier",
     "codice paziente", "matricule", "personnummer", "caseNo", "SSN", "participant_no", "HouseholdID", "id"],
)  # fmt: skip
@pytest.mark.parametrize(
    "values", [[f"P{i % 20:03}" for i in range(1000)], [i % 20 for i in range(1000)], ["7", "8"] * 50]
)
def test_a_key_is_never_proposed_as_quasi_however_few_its_values_are(name, values):
    assert proposed(name, list(map(str, values))).role == "identifier"
    kind = pa.int64() if isinstance(values[0], int) else pa.string()
    assert proposed(name, values, kind, typed=True).role == "identifier"


@pytest.mark.parametrize(
    "values",
    [
        [f"P{i % 20:03}" for i in range(1000)],  # numbered like records
        [f"SUBJ-{i * 7 % 300 + 1}" for i in range(900)],
        [f"{i % 12:016x}" for i in range(240)],  # digests
        [str(i // 7 + 1000) for i in range(700)],  # seven rows of each, one after the other
    ],
)
def test_a_key_is_told_by_the_shape_of_its_values(values):
    assert proposed("x", values).role == "identifier"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", [str(i // 9 + 18) for i in range(600)]),  # a table sorted by age
        ("education-num", [str(i % 16 + 1) for i in range(600)]),
        ("hours-per-week", [str(i * 13 % 99 + 1) for i in range(600)]),
        ("num persons worked for employer", [str(i % 7) for i in range(600)]),
        ("number of household members", [str(i % 9) for i in range(600)]),
        ("state_id", [str(i % 15) for i in range(600)]),
        ("has_id", ["yes", "no"] * 300),
        ("state", [f"{a}{b}" for a in "ACDFG" for b in "AKLZ"] * 30),
        ("week", [f"W{i % 52 + 1:02}" for i in range(600)]),
        ("fiscal year", [f"FY{2000 + i % 20}" for i in range(600)]),
    ],
)
def test_what_only_resembles_a_key_stays_quasi(name, values):
    assert proposed(name, values).role == "quasi"
