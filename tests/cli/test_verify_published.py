"""What `covey verify` makes of the published file itself: its blanks, its columns, its names."""

from __future__ import annotations

import pyarrow as pa
import pytest

import covey
from covey.cli.app import main

RAW = "age, sex, ill\n34, f, a\n35, f, b\n34, f, c\n35, f, d\n"
PLAIN = "age,sex,ill\n34,f,a\n35,f,b\n34,f,c\n35,f,d\n"
JOB = """k = 2
[columns.ssn]
role = "identifier"
[columns.age]
role = "quasi"
type = "numeric"
[columns.sex]
role = "quasi"
type = "categorical"
[columns.ill]
role = "sensitive"
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr("sys.argv", ["covey", "verify", *words])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        return code, capsys.readouterr()

    return run


def write(**files):
    for name, text in files.items():
        with open(name.replace("_", "."), "w", encoding="utf-8") as file:
            file.write(text)


TOLD_APART = 'age,sex,ill\n"[34, 35]",f,a\n"[34, 35] ",f,b\n"[34, 35]  ",f,c\n" [34, 35]",f,d\n'
SAME = 'age,sex,ill\n"[34, 35]",f,a\n"[34, 35]",f,b\n"[34, 35]",f,c\n"[34, 35]",f,d\n'


@pytest.mark.parametrize(
    "told",
    [["--skip-blanks", "--original", "raw.csv"], ["--separator", ", ", "--original", "raw.csv"], ["--skip-blanks"]],
)
def test_blanks_of_a_published_file_tell_rows_apart(run, told):
    write(raw_csv=RAW, apart_csv=TOLD_APART, same_csv=SAME)
    words = ["-k", "2", "--quasi", "age,sex", "--type", "age=numeric", *told]
    assert run("apart.csv", *words)[0] == 1
    assert run("same.csv", *words)[0] == 0


def test_blanks_told_by_a_job_are_those_of_the_original(run):
    write(raw_csv=RAW, apart_csv=TOLD_APART, same_csv=SAME, covey_toml=JOB + '[csv]\nseparator = ", "\n')
    assert run("apart.csv", "--job", "covey.toml", "--original", "raw.csv")[0] == 1
    assert run("same.csv", "--job", "covey.toml", "--original", "raw.csv")[0] == 0


@pytest.mark.parametrize("told", [[], ["--original", "raw.csv"]])
@pytest.mark.parametrize("extra", ["ssn", "shoe"])
def test_a_published_column_without_a_role_is_a_fault(run, told, extra):
    with_extra = "".join(f"{line},{extra if i == 0 else i}\n" for i, line in enumerate(SAME.splitlines()))
    raw = "".join(f"{line},{extra if i == 0 else i}\n" for i, line in enumerate(PLAIN.splitlines()))
    write(raw_csv=raw, covey_toml=JOB, with_csv=with_extra, without_csv=SAME)
    code, out = run("with.csv", "--job", "covey.toml", *told)
    assert code == 1
    assert f"column `{extra}`" in out.out
    assert run("without.csv", "--job", "covey.toml", *told)[0] == 0


@pytest.mark.parametrize("told", [["--original", "raw.csv"], []])
def test_bounds_without_a_header_have_names(run, told):
    write(
        raw_csv="".join(f"{i},{line}\n" for i, line in enumerate(PLAIN.splitlines()[1:])),
        release_csv="34,35,f,a\n34,35,f,b\n34,35,f,c\n34,35,f,d\n",
        wrong_csv="36,37,f,a\n36,37,f,b\n36,37,f,c\n36,37,f,d\n",
        covey_toml='release = "bounds"\n' + JOB + '[csv]\nheader = false\nnames = ["ssn", "age", "sex", "ill"]\n',
    )
    code, out = run("release.csv", "--job", "covey.toml", *told)
    assert code == 0, out
    if told:
        assert "every released value covers" in out.out
        assert run("wrong.csv", "--job", "covey.toml", *told)[0] == 1


def test_a_raw_table_does_not_spill_its_people(run):
    write(raw_csv="name,age\n" + "".join(f"Person{i},{i}\n" for i in range(30)))
    for words in (["-k", "5"], ["-k", "5", "--json"], []):
        assert "Person" not in run("raw.csv", "--quasi", "name,age", *words)[1].out
    assert "Person" in run("raw.csv", "--quasi", "name,age", "-k", "5", "--show")[1].out


def test_a_fault_of_another_notation_says_what_to_give(run):
    write(raw_csv="age\n17\n17\n30\n30\n", theirs_csv="age\n>17\n>17\n>17\n>17\n")
    code, out = run("theirs.csv", "-k", "2", "--quasi", "age", "--original", "raw.csv")
    assert code == 1
    assert "`--taxonomy COLUMN=FILE` its trees" in " ".join(out.out.split())


def test_what_is_given_beside_a_job_is_not_overridden_by_it(tmp_path):
    (tmp_path / "covey.toml").write_text('missing = "suppress"\nrelease = "centre"\n' + JOB)
    original = pa.table({"age": [30, 31, None, None], "sex": ["f"] * 4, "ill": list("abcd")})
    released = pa.table({"age": ["[30, 31]", "[30, 31]", None, None], "sex": ["f"] * 4, "ill": list("abcd")})
    settings = {"job": tmp_path / "covey.toml", "original": original}
    assert covey.verify(released, **settings, missing="category", release="interval").ok
    assert not covey.verify(released, **settings, release="interval").ok


NAMED = ["--no-header", "--names", "a,b,c", "--quasi", "a,b"]


def test_decimal_commas_part_no_cells(run):
    write(q_csv="53,6;70,1;x\n53,6;70,2;y\n")
    assert run("q.csv", "-k", "2", "--decimal", ",", *NAMED)[0] == 1


def test_two_separators_that_fit_are_not_chosen_from(run):
    write(s_csv="[1, 2];[5, 9];x\n[1, 2];[5, 8];y\n[1, 2];[5, 7];x\n", raw_csv="1;9;x\n2;8;y\n1;5;x\n")
    code, out = run("s.csv", "-k", "3", *NAMED)
    assert (code, "more than one parts its rows evenly" in out.err) == (2, True)
    assert run("s.csv", "-k", "3", "--separator", ";", *NAMED)[0] == 1
    assert run("s.csv", "-k", "3", "--original", "raw.csv", *NAMED)[0] == 1  # that of the original fits


@pytest.mark.parametrize("told", [[], ["--separator", ";"]])
def test_a_published_file_has_the_separator_of_its_original(run, told):
    write(
        raw_csv="1;5;x\n2;9;y\n1;5;u\n2;9;v\n",
        release_csv="[1, 2];[5, 9];x\n" + "".join(f"[1, 2];[5, 9];{w}\n" for w in "yuv"),
    )
    words = ["release.csv", "-k", "4", "--no-header", "--quasi", "c1,c2", "--original", "raw.csv"]
    code, out = run(*words, *told)
    assert code == 0, out


@pytest.mark.parametrize("csv", ['encoding = "utf-16"', 'encoding = "latin-1"', 'separator = ","'])
def test_how_the_source_is_written_does_not_tell_how_its_release_is(run, csv):
    job = f'k = 2\n[csv]\n{csv}\n[columns."größe"]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n'
    write(covey_toml=job, release_tsv="größe\till\n[1, 2]\ta\n[1, 2]\tb\n")
    code, out = run("release.tsv", "--job", "covey.toml")
    assert code == 0, out


TREE_JOB = """k = 2
release = "bounds"
[csv]
header = false
[columns.c1]
role = "quasi"
taxonomy = { intervals = [2, 4] }
[columns.c2]
role = "quasi"
[columns.c3]
role = "sensitive"
"""


def test_a_column_with_a_taxonomy_has_no_bounds(run):
    raw = "1,2024-01-02,{}a\n2,2024-01-03,{}b\n3,2025-01-03,{}c\n4,2025-01-04,{}d\n"
    release = '"[1, 2]",2024-01-02,2024-01-03,{0}\n"[1, 2]",2024-01-02,2024-01-03,{1}\n'
    release += '"[3, 4]",2025-01-03,2025-01-04,{2}\n"[3, 4]",2025-01-03,2025-01-04,{3}\n'
    write(raw_csv=raw.replace("{}", ""), covey_toml=TREE_JOB, release_csv=release.format(*"abcd"))
    for told in ([], ["--original", "raw.csv"]):
        code, out = run("release.csv", "--job", "covey.toml", *told)
        assert code == 0, out
    # a dropped column makes the published ones as many as those of the source
    with_name = TREE_JOB.replace("c3", "c4") + '[columns.c3]\nrole = "identifier"\n'
    write(raw_csv=raw.format(*(f"n{place}," for place in range(4))), covey_toml=with_name)
    for told in ([], ["--original", "raw.csv"]):
        code, out = run("release.csv", "--job", "covey.toml", *told)
        assert code == 0, out


def test_bounds_that_may_be_of_several_columns_are_asked_for(run):
    job = TREE_JOB.replace("taxonomy = { intervals = [2, 4] }\n", "")
    write(covey_toml=job, release_csv="1,2,x,a\n1,2,x,b\n")
    code, out = run("release.csv", "--job", "covey.toml")
    assert (code, "it cannot be told which columns" in out.err) == (2, True)
    assert run("release.csv", "--job", "covey.toml", "--type", "c1=numeric", "--type", "c2=categorical")[0] == 0


@pytest.mark.parametrize("where", ["hl.csv", "raw.csv"])
def test_a_first_record_is_not_told_as_names(run, where):
    write(
        hl_csv="Ann Lee,Ulm,gout\n" + "".join(f"Ann{i} Smith,Town{i % 7},ill{i % 3}\n" for i in range(200)),
        raw_csv="name,city,ill\nx,Ulm,a\nx,Ulm,b\n",
    )
    words = ["hl.csv", "-k", "2", "--quasi", "city"] if where == "hl.csv" else ["raw.csv", "--quasi", "city", "-k", "2"]
    words += [] if where == "hl.csv" else ["--original", "hl.csv"]
    code, out = run(*words)
    assert code == 2
    assert "Ann" not in out.out + out.err
    assert "Ulm" not in out.out + out.err
    assert "3 cells" in out.err


def test_names_are_listed_where_the_first_row_is_a_header(run):
    write(raw_csv="name,city,ill\nx,Ulm,a\nx,Ulm,b\n")
    assert "did you mean `city`?" in run("raw.csv", "-k", "2", "--quasi", "ill,citty")[1].err
    assert "did you mean `city`?" in run("raw.csv", "-k", "2", "--quasi", "citty", "--header")[1].err


def test_one_column_of_intervals_is_not_two_of_bounds(run):
    write(one_csv="[1, 2]\n[1, 2]\n", bounds_csv="1,2\n1,2\n")
    for file in ("one.csv", "bounds.csv"):
        code, out = run(file, "-k", "2", "--no-header", "--names", "age", "--quasi", "age", "--type", "age=numeric")
        assert code == (0 if file == "one.csv" else 1), out  # `1,2` is no cell of an interval release
    told = ["--release", "bounds", "--separator", ","]
    assert run("bounds.csv", "-k", "2", "--no-header", "--names", "age", "--quasi", "age", *told)[0] == 0
