"""Missing values: what is declared becomes null, by value, and the policy says which rows are released."""

from __future__ import annotations

import datetime as dt
import io
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import covey
from covey.ask.na import na_words
from covey.ask.schema import Column, Schema
from covey.base.errors import InputError, UnknownColumn
from covey.columns.cautions import na_cautions
from covey.columns.missing import present_rows, with_na
from covey.verifier.columns.na import without_na

NOON = dt.datetime(2024, 7, 1, 12)


def marked(column, na, kind=None, *, typed=True, decimal="."):
    """Return the values after both sides found what is missing, which must be the same."""
    table = pa.table({"a": column})
    declared = Column("a", "quasi", type=kind)
    ours = with_na(table, Schema((declared,)), na, typed=typed, decimal=decimal)
    theirs = without_na(table["a"], declared, na, typed=typed, decimal=decimal)
    assert repr(ours.table["a"].to_pylist()) == repr(theirs.to_pylist())  # in which NaN equals NaN
    return ours.table["a"].to_pylist()


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_declared_texts_are_missing_whatever_blanks_are_around_them(kind):
    texts = pa.array(["?", " NA", "NA?", "x", None, ""])
    column = texts.dictionary_encode() if pa.types.is_dictionary(kind) else texts.cast(kind)
    assert marked(column, ["?", "NA "]) == [None, None, "NA?", "x", None, ""]


def test_an_empty_text_can_be_declared():
    assert marked(pa.array(["", "x"]), [""]) == [None, "x"]


@pytest.mark.parametrize("entry", ["999", 999, 999.0, Decimal("999.00"), "9.99e2", " 0999"])
@pytest.mark.parametrize("kind", [pa.int16(), pa.uint64(), pa.float32(), pa.float64(), pa.decimal128(6, 2)])
def test_numbers_of_every_type_are_compared_by_value(entry, kind):
    column = pa.array([Decimal(999), Decimal(99), None, Decimal(5)], pa.decimal128(6, 2)).cast(kind)
    assert marked(column, [entry]) == [None, 99, None, 5]
    assert marked(column.dictionary_encode(), [entry]) == [None, 99, None, 5]


@pytest.mark.parametrize(
    ("values", "kind", "na", "left"),
    [
        ([0.1, 0.2], pa.float32(), ["0.1"], 1),
        ([-3.4028235e38, 0.5], pa.float32(), ["-3.4028235e38"], 1),
        ([float("inf"), 1e308], pa.float64(), ["1e400", "1e5000"], 2),
        ([float("inf"), 1e308], pa.float64(), ["inf"], 1),
        ([float("nan"), 1.0], pa.float64(), [float("nan")], 1),
        ([2**63, 5], pa.uint64(), [2**63], 1),
        ([2**53 + 1, 2**53], pa.int64(), [float(2**53)], 1),
        ([1, 0], pa.int8(), [True, "true", 0.5, 10**30, "x"], 2),
        ([True, False, None], pa.bool_(), ["True"], 1),
        ([True, False], pa.bool_(), [1, "1"], 2),
        ([dt.date(1900, 1, 1), dt.date(1900, 1, 2)], pa.date32(), ["1900-01-01"], 1),
        ([dt.date(1900, 1, 1), dt.date(1900, 1, 2)], pa.date64(), [dt.datetime(1900, 1, 1)], 1),
        ([dt.datetime(1900, 1, 1), dt.datetime(1900, 1, 1, 12)], pa.timestamp("us"), [dt.date(1900, 1, 1)], 1),
        ([NOON, dt.datetime(2024, 6, 30, 22)], pa.timestamp("s", "Europe/Berlin"), ["2024-07-01"], 1),
        ([NOON, dt.datetime(2024, 7, 2)], pa.timestamp("s", "+02:00"), ["2024-07-01T14:00"], 1),
        ([NOON, dt.datetime(2024, 7, 2)], pa.timestamp("ns", "Asia/Tokyo"), ["2024-07-01T12:00Z"], 1),
        ([dt.time(12, 30), dt.time(1)], pa.time64("us"), ["12:30:00"], 1),
    ],
)
def test_typed_values_are_compared_by_what_they_are(values, kind, na, left):
    found = marked(pa.array(values, kind), na)
    assert sum(value is not None for value in found) == left


@pytest.mark.parametrize(
    ("texts", "na", "kind", "decimal", "found"),
    [
        (["0999", "999.0", "5"], [999], None, ".", [None, None, "5"]),
        (["0999", "999.0", "05"], [999], None, ".", ["0999", "999.0", "05"]),  # codes, so as text
        (["0999", "999.0", "05"], [999], "numeric", ".", [None, None, "05"]),
        (["0999", "999.0", "05"], [999], "categorical", ".", ["0999", "999.0", "05"]),
        (["999", "x"], [999.0], None, ".", [None, "x"]),
        (["99,90", "1,5"], ["99,9"], None, ",", [None, "1,5"]),
        (["99,90", "1,5"], [99.9], None, ",", [None, "1,5"]),
        (["9007199254740993", "9007199254740992", "0.5"], ["9007199254740993"], None, ".",
         [None, "9007199254740992", "0.5"]),
        (["1900-01-01T00:00", "1900-01-02"], [dt.date(1900, 1, 1)], None, ".", [None, "1900-01-02"]),
        (["1900-01-01T00:00", "?"], [dt.date(1900, 1, 1)], "categorical", ".", ["1900-01-01T00:00", "?"]),
        (["True", "false", "x"], [True], None, ".", [None, "false", "x"]),
        (["999", "999.0"], [999], None, ".", [None, None]),
    ],
)  # fmt: skip
def test_text_is_compared_as_what_its_column_holds(texts, na, kind, decimal, found):
    coded = pa.array(texts).dictionary_encode()
    assert marked(coded, na, kind, typed=False, decimal=decimal) == found
    assert marked(pa.array(texts), na, kind, decimal=decimal) == found


def test_a_declared_category_is_text_whatever_its_labels_look_like():
    assert marked(pa.array(["999", "999.0", "5"]).dictionary_encode(), [999]) == [None, "999.0", "5"]


def test_a_label_that_means_missing_leaves_the_declared_order():
    scale = pa.DictionaryArray.from_arrays(pa.array([0, 2, 1], pa.int8()), ["low", "high", "unknown"], ordered=True)
    table = pa.table({"a": scale})
    found = with_na(table, Schema.from_roles(quasi=["a"]), ["unknown"]).table
    assert found["a"].to_pylist() == ["low", None, "high"]
    assert found["a"].chunk(0).dictionary.to_pylist() == ["low", "high"]
    declared = Column("a", "quasi", type="ordered", order=("low", "unknown", "high"))
    verified = without_na(table["a"], declared, ["unknown"], typed=True, decimal=".")
    assert verified.chunk(0).dictionary.to_pylist() == ["low", "high"]


def test_each_value_that_is_in_no_cell_is_told_alone():
    table = pa.table({"a": [999, 5], "b": ["?", "x"]})
    schema = Schema((Column("a", "quasi", na=(98,)), Column("b", "quasi", na=("?",))))
    assert na_cautions(with_na(table, schema, ["999", "NA", 5.5])) == (
        "no quasi column holds `NA`, declared as missing (na)",
        "no quasi column holds `5.5`, declared as missing (na)",
        "column `a` does not hold `98`, declared as missing (na)",
    )


def test_nothing_declared_is_nothing_done():
    table = pa.table({"a": [9, 1]})
    assert with_na(table, Schema.from_roles(quasi=["a"])).table is table


def test_words_of_the_command_line_may_hold_equals_signs():
    words = ["?", "age=99", "age=", "a=b=c", "=age=99", "=x=1", "=", "age=98"]
    assert na_words(words, ["age", "a=b"]) == (("?", "age=99", "x=1", "="), {"age": ("99", "", "98"), "a=b": ("c",)})


@pytest.mark.parametrize(("word", "name"), [("agee=999", "agee"), ("x=1", "x"), ("ag=e=9", "ag"), (">=100", ">")])
def test_a_word_that_names_no_column_is_refused_and_its_value_not_told(word, name):
    with pytest.raises(UnknownColumn) as caught:
        na_words([word], ["age", "sex"])
    assert caught.value.message == f"`--na` names `{name}`, which is not a quasi column"
    assert "--na =TEXT" in str(caught.value.hint)
    assert not any(digits in str(caught.value) for digits in ("999", "100"))


@pytest.mark.parametrize("na", [None, object(), [None], [[1]], b"x", {"age": [None]}])
def test_what_is_no_value_cannot_be_declared(na):
    with pytest.raises(InputError) as caught:
        Column("age", "quasi", na=na)
    assert caught.value.code == "bad-na"


def test_only_quasi_columns_have_values_that_mean_missing():
    with pytest.raises(InputError, match="belongs to quasi columns"):
        Column("ill", "sensitive", na=("?",))
    with pytest.raises(InputError, match="`na` was given for `ill`, which is not a quasi column"):
        Schema.from_roles(quasi=["age"], sensitive=["ill"]).with_na({"ill": [9]})


# --- a table of accidents: 999 and -1 mean unknown, 99 is an age and means unknown elsewhere -----------------------


def accidents(n=400):
    random = np.random.default_rng(5)
    age = random.integers(18, 95, n)
    age[:4] = 99
    age[random.random(n) < 0.1] = 999
    speed = random.integers(1, 8, n) * 10
    speed[random.random(n) < 0.1] = 99
    light = random.integers(1, 6, n)
    light[random.random(n) < 0.1] = -1
    return pa.table({"age": age, "speed": speed, "light": light, "hurt": random.integers(0, 2, n)})


ROLES = {"quasi": ["age", "speed", "light"], "sensitive": ["hurt"]}
NA = {"age": [999], "speed": ["99"], "light": [-1.0]}


def widest_age(table):
    ends = [cell.strip("[]").split(", ") for cell in set(table["age"].to_pylist()) if cell and cell != "*"]
    return max(int(cell[-1]) - int(cell[0]) for cell in ends)


def as_pandas(table):
    return table.to_pandas().astype({"age": float, "speed": "Int64", "light": "int8"})


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_sentinels_of_typed_columns_are_missing(kind):
    people = accidents()
    frame = {"arrow": lambda: people, "pandas": lambda: as_pandas(people)}.get(kind)
    frame = pytest.importorskip("polars").from_arrow(people) if frame is None else frame()
    release = covey.anonymize(frame, k=5, na=NA, missing="suppress", **ROLES)
    lost = sum(
        a == 999 or s == 99 or x == -1
        for a, s, x in zip(*(people[name].to_pylist() for name in ROLES["quasi"]), strict=True)
    )
    assert release.report.suppressed == lost
    assert release.report.warnings == ()
    verdict = covey.verify(release.table, k=5, original=frame, na=NA, missing="suppress", quasi=ROLES["quasi"])
    assert verdict.ok
    told = covey.anonymize(frame, k=5, na=NA, **ROLES)
    assert widest_age(pa.table({"age": pa.array(list(told.table["age"]), pa.string(), from_pandas=True)})) < 82
    wrong = covey.verify(told.table, k=5, original=frame, quasi=ROLES["quasi"])
    assert not wrong.ok  # 999 is an age unless somebody says that it is none


def test_a_job_and_the_command_line_say_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = io.BytesIO()
    pa.csv.write_csv(accidents(), text)
    (tmp_path / "a.csv").write_bytes(text.getvalue().replace(b"999,", b"999.0,"))
    job = """k = 5
        na = [-1]
        [columns.age]
        role = "quasi"
        na = ["999"]
        [columns.speed]
        role = "quasi"
        na = [99]
        [columns.light]
        role = "quasi"
        [columns.hurt]
        role = "sensitive"
        """
    (tmp_path / "covey.toml").write_text(job)
    flags = "-k 5 --quasi age,speed,light --na -1 --na age=999 --na speed=99"

    def run(line):
        command = [sys.executable, "-c", "from covey.cli import main; main()", *line.split()]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    first = run("anonymize a.csv --job covey.toml -o one.csv --order kept")
    second = run(f"anonymize a.csv {flags} --sensitive hurt -o two.csv --order kept")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert "warning" not in first.stderr + second.stderr
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    assert run(f"verify one.csv {flags} --original a.csv").returncode == 0
    assert run("verify one.csv --job covey.toml --original a.csv").returncode == 0
    assert run("verify one.csv -k 5 --quasi age,speed,light --original a.csv").returncode == 1
    for line in (
        f"anonymize a.csv {flags} --na agee=999 --sensitive hurt -o three.csv",
        f"compare a.csv {flags} --na agee=999 --sensitive hurt --algorithms covey",
        f"verify one.csv {flags} --na agee=999 --original a.csv",
        "init a.csv --na agee=999",
    ):
        wrong = run(line)
        assert wrong.returncode == 2
        assert "`--na` names `agee`" in wrong.stderr
        assert "did you mean `age`?" in wrong.stderr
    assert not (tmp_path / "three.csv").exists()
    made = run("init a.csv --na -1 --na age=999 --na speed=99 --na 7777")
    assert made.returncode == 0
    assert "`7777`" in made.stderr
    assert 'na = ["-1", "7777"]' in made.stdout
    assert 'na = ["999"]' in made.stdout


def random_column(random):
    """Return a random column, some values to declare, and how it is told."""
    n = int(random.integers(1, 12))
    written = [
        "1", "01", "1.0", "-9", "999", "9.99e2", "0.1", "1e1", "2,5", "nan", "inf", "1e1000000",
        "1e99999999999999999999",
    ]  # fmt: skip
    numbers = random.choice(written, n).tolist()
    labels = ["?", " ?", "x", "", "true", "True", "1900-01-01", "1900-01-01 00:00", "2024-02-30"]
    words = random.choice(labels, n).tolist()
    mix = [numbers, words, [*numbers[: n // 2], *words[n // 2 :]]][int(random.integers(3))]
    texts = pa.array([None if random.random() < 0.1 else text for text in mix], pa.string())
    kinds = [
        lambda: texts,
        lambda: texts.dictionary_encode(),
        lambda: texts.cast(pa.string_view()),
        lambda: pa.array(random.choice([1, 10, -9, 999, 0], n).tolist(), random.choice([pa.int16(), pa.int64()])),
        lambda: pa.array(random.choice([0.1, 1, -9, 999, np.nan, np.inf], n)),
        lambda: pa.array(random.choice([0.1, 1, -9, 999, np.nan, np.inf], n), pa.float32()),
        lambda: pa.array([Decimal("0.10"), Decimal("999.00")] * n, pa.decimal128(9, 2)),
        lambda: pa.array(random.choice([True, False], n).tolist()),
        lambda: pa.array([dt.date(1900, 1, 1), dt.date(2000, 2, 3)] * n, random.choice([pa.date32(), pa.date64()])),
        lambda: pa.array(
            [dt.datetime(1900, 1, 1), dt.datetime(2000, 2, 3, 4)] * n,
            pa.timestamp("us", random.choice([None, "UTC", "Asia/Tokyo"])),
        ),
    ]
    entries: list = [
        "1", 1, 1.0, "0999", 999, "-9", 0.1, "0.10", "?", "", "x", True, "true", "1900-01-01", dt.date(1900, 1, 1),
        "1900-01-01T00:00:00+09:00", "nan", float("inf"), "2,5", 2.5, Decimal("999"), "1e1", 10**40,
        "1e1000000", "1e99999999999999999999",
    ]  # fmt: skip
    chosen = [entries[i] for i in random.choice(len(entries), int(random.integers(1, 5)), replace=False)]
    return kinds[int(random.integers(len(kinds)))](), chosen


@pytest.mark.parametrize("seed", range(400))
def test_maker_and_verifier_find_the_same_cells(seed):
    random = np.random.default_rng(seed)
    column, entries = random_column(random)
    is_words = pa.types.is_string(column.type) or pa.types.is_dictionary(column.type)
    kind = [None, None, "numeric", "date", "categorical"][int(random.integers(5))] if is_words else None
    marked(column, entries, kind, typed=bool(random.integers(2)), decimal=[".", ","][int(random.integers(2))])


def test_policies():
    table = pa.table({"a": [1.0, None, float("nan"), 4.0], "b": ["x", "y", "z", None]})
    assert present_rows(table, "category").tolist() == [0, 1, 2, 3]
    assert present_rows(table, "suppress").tolist() == [0]
    with pytest.raises(InputError, match="2 quasi columns with missing values: `a`, `b`"):
        present_rows(table, "error")
    assert present_rows(table.slice(0, 1), "error").tolist() == [0]


def test_what_is_given_beside_a_job_adds_to_what_it_declares_as_missing(tmp_path):
    job = tmp_path / "covey.toml"
    job.write_text('k = 2\nna = ["?"]\n[columns.age]\nrole = "quasi"\nna = [998]\n', encoding="utf-8")
    table = pa.table({"age": ["?", "?", "31", "31", "999", "998", "997", "997"]})
    made = covey.anonymize(table, job=job, na={"age": [999, 997]})
    assert made.table["age"].to_pylist() == [None, None, "31", "31", None, None, None, None]
    made = covey.anonymize(table, job=job, na=[999, 997])
    assert made.table["age"].to_pylist() == [None, None, "31", "31", None, None, None, None]
    assert covey.verify(made.table, job=job, original=table, na=[999, 997]).ok
    assert not covey.verify(made.table, job=job, original=table).ok
