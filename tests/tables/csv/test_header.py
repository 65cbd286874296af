"""The first row of a CSV of text: names are taken, a record is refused and never told."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from covey.base.errors import InputError
from covey.tables.csv.header import looks_like_data
from covey.tables.files import CsvOptions, read_table

FIRST = ["Ann", "Bo", "Cy", "Di", "Ed", "Fi", "Gus", "Hal", "Ida", "Jo"]
LAST = ["Smith", "Jones", "Brown", "Lee", "Moss", "Nash"]
CITY = ["Oslo", "Bergen", "Rome", "Naples", "Paris", "Lyon"]
ILL = ["HIV", "flu", "gout", "asthma"]
STREET = ["Elm Street", "Main Road", "High Street"]


def people(n, seed=0):
    draw = random.Random(seed)
    return [
        {
            "name": f"{draw.choice(FIRST)} {draw.choice(LAST)}-{draw.choice(LAST)}",
            "city": draw.choice(CITY),
            "sex": draw.choice(["female", "male"]),
            "illness": draw.choice(ILL),
            "mail": f"{draw.choice(FIRST).lower()}{draw.randrange(10**6)}@example.org",
            "record": f"P{draw.randrange(10**4):04}",
            "street": f"{draw.choice(STREET)} {draw.randrange(90) + 10}",
            "profession": draw.choice(["nurse", "judge", "baker", "teller"]),
        }
        for _ in range(n)
    ]


def write(path: Path, rows, columns, *, header):
    lines = [",".join(columns)] if header else []
    path.write_text("\n".join([*lines, *(",".join(row[column] for column in columns) for row in rows)]) + "\n")
    return path


COLUMNS = ("name", "city", "sex", "illness", "mail", "record", "street", "profession")


@pytest.mark.parametrize("seed", range(60))
def test_a_record_is_no_header_and_a_header_no_record(tmp_path, seed):
    draw = random.Random(seed)
    columns = draw.sample(COLUMNS, draw.randint(1, len(COLUMNS)))
    rows = people(draw.choice([4, 30, 300]), seed)
    table = read_table(str(write(tmp_path / "with.csv", rows, columns, header=True)))
    assert list(table.names) == columns
    bare = write(tmp_path / "without.csv", rows, columns, header=False)
    with pytest.raises(InputError) as caught:
        read_table(str(bare))
    told = str(caught.value) + (caught.value.hint or "")
    assert caught.value.code == "header-like-data"
    assert not any(rows[0][column] in told for column in columns)
    assert read_table(str(bare), options=CsvOptions(header=False)).table.num_rows == len(rows)


@pytest.mark.parametrize(
    "header",
    [
        "Name,City", "FIRST NAME,CITY OF BIRTH", "Vorname,Wohnort", "x1,x2", "a,b", "patient_name,home_town",
        "NAME,CITY", "Full name,Place", "person,town", "V1,V2", "name,c", "lastName,homeCity",
        "Provincia,Municipio", "Prénom,Ville", "Straße,Ort", "Imię,Miasto",
    ],
)  # fmt: skip
def test_headers_of_many_kinds_are_headers(tmp_path, header):
    rows = "\n".join(f"{row['name']},{row['city']}" for row in people(50))
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n{rows}\n")
    assert read_table(str(path)).names == tuple(header.split(","))


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("separator", [",", ";"])
def test_one_value_of_another_form_makes_no_header(tmp_path, quote, separator):
    people = ["Anna Berg,Oslo,HIV", "Bob Stone,Rome,flu", "Carl Voss,Kiel,gout", "Dora Lind,Rome,asthma"]
    lines = [separator.join(f"{quote}{cell}{quote}" for cell in row.split(",")) for row in [*people, *people[1:]]]
    told = refused(tmp_path / "a.csv", lines)
    assert not any(word in told for word in ("Berg", "Oslo", "HIV"))


MEASURED = [f"{row['city']},{20 + place % 50},{row['illness']}" for place, row in enumerate(people(50))]


@pytest.mark.parametrize(
    "header",
    [
        "city,age,ill", "City,Age,Illness", "Kaupunki,Ikä,Tila", "kaupunki,ikä,sairaus", "Ort,Alter,Krankheit",
        "Plats,x,Besked", "CITY,AGE,ILL", "Stadt,Wert,Yes", "Rome,age,Yes", "a,b,c",
    ],
)  # fmt: skip
def test_headers_above_numbers_are_headers(tmp_path, header):
    path = tmp_path / "a.csv"
    rows = [f"{row},{place / 4}" for place, row in enumerate(MEASURED)] if header.startswith("Kaup") else MEASURED
    header += ",Paino" if header.startswith("Kaup") else ""  # in a language without known words two columns of numbers
    path.write_text("\n".join([header, *rows]) + "\n")
    assert read_table(str(path)).names == tuple(header.split(","))


@pytest.mark.parametrize(
    "record",
    [
        "Oslo,declined,HIV", "Ulm,declined,Malaria", "Ulm,unknown,Yellow fever", "Ulm,not on file,Malaria",
        "Ulm,forgot,Mumps", "Ulm,keine Angabe,Mumps", "Oslo,no age,Mumps",
    ],
)  # fmt: skip
@pytest.mark.parametrize("n_rows", [1, 3, 50])
def test_a_word_in_the_place_of_a_number_is_no_name(tmp_path, record, n_rows):
    path = tmp_path / "a.csv"
    path.write_text("\n".join([record, *[row.replace("gout", "Gout") for row in MEASURED[:n_rows]]]) + "\n")
    with pytest.raises(InputError) as caught:
        read_table(str(path))
    assert caught.value.code == "header-like-data"


NAMED = ["Bo Dahl,Oslo,34", "Cy Eklund,Rome,51", "Di Falk,Bergen,28", "Ed Gran,Paris,63", "Fi Holm,Lyon,47"]
ANSWERS = [
    "n.a.", "N. A.", "n/a.", "k.A.", "k. A.", "o.A.", "n.v.", "in care", "on leave", "see file", "with mother",
    "at home",
    "forty", "Forty one", "none at all", "don't know", "won't say", "nil", "ca 40", "over 65", "34 years", "40y", ">60",
    "no idea", "weiß nicht", "nicht bekannt", "ask mother", "later",
]  # fmt: skip


def refused(path, lines):
    """Return what is told of a file whose first row is taken for a record."""
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError) as caught:
        read_table(str(path))
    assert caught.value.code == "header-like-data"
    return str(caught.value) + (caught.value.hint or "")


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("person", ["Ann Berg,Kiel", "Ann Berg-Moss,Kiel", "ann berg,Kiel"])
@pytest.mark.parametrize("n_rows", [1, 5, 50])
def test_an_answer_above_numbers_settles_nothing(tmp_path, answer, person, n_rows):
    told = refused(tmp_path / "a.csv", [f"{person},{answer}", *(NAMED * 10)[:n_rows]])
    assert not any(word in told for word in ("Berg", "berg", "Kiel", answer))


@pytest.mark.parametrize(
    "answers",
    ["don't know,won't say", "forty,none at all", "n.a.,k.A.", "in care,on leave", "later,nil", "forty,fifty"],
)
@pytest.mark.parametrize("person", ["", "Kiel,", "Ann Berg,Kiel,", "Ann Berg-Moss,Kiel,"])
def test_two_answers_above_two_columns_of_numbers_settle_nothing(tmp_path, answers, person):
    rows = [f"{row},{60 + place}" for place, row in enumerate(NAMED)]
    first = len(rows[0].split(",")) - len(f"{person}{answers}".split(","))
    refused(tmp_path / "a.csv", [person + answers, *(",".join(row.split(",")[first:]) for row in rows)])


@pytest.mark.parametrize(
    "header",
    [
        "name,city,age", "Name,City,Age", "Name,Wohnort,Altersgruppe", "x1,x2,x3", "name,city,hours-per-week",
        "Full name,Home town,Hours per week", "subj,grp,bmi", "Name,City,No", "Name,City,No. of visits",
        "name,city,no_of_visits", "Name,City,Weight (kg)", "NAME,CITY,BMI", "name,city,over_65", "id,group,1stFloor",
    ],
)  # fmt: skip
def test_names_above_numbers_are_headers(tmp_path, header):
    path = tmp_path / "a.csv"
    path.write_text("\n".join([header, *NAMED]) + "\n")
    assert read_table(str(path)).names == tuple(header.split(","))


@pytest.mark.parametrize("header", ["sepal length (cm),petal width (cm)", "Ikä,Paino", "AFNLWGT,AGI", "FIXED.ASSETS,x"])
@pytest.mark.parametrize("n_rows", [1, 50])
def test_names_above_numbers_alone_are_headers(tmp_path, header, n_rows):
    path = tmp_path / "a.csv"
    path.write_text("\n".join([header, *(f"{place},{place / 4}" for place in range(n_rows))]) + "\n")
    assert read_table(str(path)).names == tuple(header.split(","))


@pytest.mark.parametrize("command", ["init {}", "anonymize {} -k 2 --quasi age -o {}"])
def test_no_command_tells_who_did_not_give_a_number(tmp_path, run, command):
    raw, out = tmp_path / "h.csv", tmp_path / "out.csv"
    raw.write_text("\n".join(["Ann Berg,Kiel,n.a.", *NAMED]) + "\n")
    found = run(*command.format(raw, out).split())
    assert found.code == 2
    assert "--no-header" in found.err
    assert not any(word in found.out + found.err for word in ("Ann", "Berg", "Kiel"))
    assert not out.exists()


def test_two_records_of_text_have_no_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Ann Smith,Oslo,HIV\nAnna Lee,Rome,flu\n")
    with pytest.raises(InputError) as caught:
        read_table(str(path))
    assert caught.value.code == "header-like-data"


@pytest.mark.parametrize(
    "cell", ["34", "-1,5", "1.234,56", "45 %", "2024-03-31", "31.3.2024", "3/31/24", "12:30", "?", "NULL"]
)
def test_no_name_is_a_number_a_date_or_a_mark_for_missing(cell):
    assert looks_like_data(cell)


@pytest.mark.parametrize("command", ["init {}", "anonymize {} -k 2 --quasi x -o {}", "verify {} -k 2 --quasi x"])
def test_no_command_tells_a_cell_of_a_file_without_a_header(tmp_path, run, command):
    raw, out = tmp_path / "a.csv", tmp_path / "out.csv"
    write(raw, people(50), ["name", "city", "illness"], header=False)
    found = run(*command.format(raw, out).split())
    assert found.code == 2
    assert "--no-header" in found.err
    assert not any(word in found.out + found.err for row in people(50) for word in row.values())
    assert not out.exists()


def test_a_cell_that_comes_twice_in_the_first_row_is_not_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Ann,HIV,HIV\nBo,flu,flu\n")
    with pytest.raises(InputError, match=r"has the name of column 2 again \(column 3\)") as caught:
        read_table(str(path))
    assert caught.value.code == "duplicate-columns"


@pytest.mark.parametrize(
    "text",
    ['{"name": "Ann", "ill": "HIV"}\n{"name": "Bo", "ill": "flu"}\n', '[{"name": "Ann"}]', '\n [["Ann", "HIV"]]', "{}"],
)
def test_json_is_no_csv_and_is_not_told(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="is JSON") as caught:
        read_table(str(path))
    assert caught.value.code == "unknown-format"
    assert "Ann" not in str(caught.value)


def test_a_release_without_a_header_is_no_json(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("[34, 35];x\n[34, 35];y\n")
    assert read_table(str(path), options=CsvOptions(header=False)).table.num_rows == 2


def test_public_tables_with_a_header_are_read():
    folder = os.environ.get("COVEY_DATA")
    if not folder:
        pytest.skip("COVEY_DATA names no folder of public tables")
    files = [*Path(folder).glob("casc/*.csv"), *Path(folder).glob("small/*.csv")]
    assert {path.name for path in files} >= {
        "census.csv",
        "eia.csv",
        "tarragona.csv",
        "iris.csv",
        "wine.csv",
        "zoo.csv",
    }
    for path in files:
        assert read_table(str(path)).table.num_rows > 0
