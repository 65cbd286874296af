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
