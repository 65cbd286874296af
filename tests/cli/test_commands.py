"""The commands end to end: files in, files out, stdin and stdout, JSON contracts, exit codes."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from covey.datasets import hospital_roles, make_hospital
from covey.tables.files import CsvOptions, write_table

DOCS = Path(__file__).parents[2] / "docs"
ROLES = [word for role, names in hospital_roles().items() for word in (f"--{role}", ",".join(names))]
QUASI = ",".join(hospital_roles()["quasi"])


def save(table: pa.Table, path: Path) -> Path:
    write_table(table, str(path), format=None, csv=CsvOptions(), force=True, check=lambda written: None, source=None)
    return path


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    return save(make_hospital(200), tmp_path / "hospital.csv")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_init_anonymize_verify(run, hospital):
    job, out = hospital.with_name("covey.toml"), hospital.with_name("out.csv")
    first = run("init", hospital, "-o", job)
    assert (first.code, first.out) == (0, "")
    made = run("anonymize", hospital, "--job", job, "-o", out)
    assert made.code == 0, made.err
    assert made.out == ""
    assert "k = 10 holds" in made.err
    checked = run("verify", out, "--job", job, "--original", hospital)
    assert checked.code == 0
    assert "k = 10 holds" in checked.out
    assert "(matched)" in checked.out
    assert checked.err == ""


def test_init_publishes_nothing_as_it_is(run, hospital):
    text = run("init", hospital).out
    assert 'role = "identifier"' in text
    assert not any(f'\nrole = "{role}"' in text for role in ("sensitive", "target", "other"))
    assert text.count("# guess:") == 9


def test_report_and_json_follow_their_contract(run, hospital):
    out, report = hospital.with_name("out.csv"), hospital.with_name("report.json")
    made = run("anonymize", hospital, "-k", 5, *ROLES, "-o", out, "--json", "--report", report)
    assert made.code == 0, made.err
    document = json.loads(made.out)
    assert document == json.loads(report.read_text())
    jsonschema.validate(document, json.loads((DOCS / "report.schema.json").read_text()))
    assert document["rows"] == document["released"] == 200
    assert document["roles"]["name"] == "identifier"
    checked = run("verify", out, "-k", 5, "--quasi", QUASI, "--original", hospital, "--json")
    verdict = json.loads(checked.out)
    jsonschema.validate(verdict, json.loads((DOCS / "verdict.schema.json").read_text()))
    assert verdict["classes"] == document["classes"]


def test_verify_says_no_with_exit_1(run, hospital):
    words = ("verify", hospital, "-k", 2, "--quasi", "age,sex,postcode")
    found = run(*words)
    assert found.code == 1
    assert "k = 2 does NOT hold: the smallest class has 1 row" in found.out
    assert "1 row: age = " not in found.out
    assert found.err == ""
    assert "1 row: age = " in run(*words, "--show").out  # asked for, on stdout


def test_verify_without_k_reports_the_level(run, hospital):
    found = run("verify", hospital, "--quasi", "sex")
    assert found.code == 0
    assert found.out.startswith("the table is ")


def test_a_changed_release_is_found_out(run, hospital):
    out = hospital.with_name("out.csv")
    assert run("anonymize", hospital, "-k", 5, *ROLES, "-o", out, "--order", "kept").code == 0
    lines = out.read_text().splitlines()
    lines[3] = lines[3].replace("female", "male") if "female" in lines[3] else lines[3].replace("male", "female")
    if lines[3] == out.read_text().splitlines()[3]:
        pytest.skip("the class of this row is not told apart by sex")
    out.write_text("\n".join(lines) + "\n")
    found = run("verify", out, "--quasi", QUASI, "--original", hospital)
    assert found.code == 1
    assert "truthful  NO" in found.out


def test_from_stdin_to_stdout(run, hospital):
    found = run("anonymize", "-", "-k", 5, *ROLES, "-o", "-", stdin=hospital.read_bytes())
    assert found.code == 0, found.err
    released = rows_of(found.out)
    assert len(released) == 200
    assert list(released[0]) == [name for name in make_hospital(1).column_names if name != "name"]
    checked = run("verify", "-", "-k", 5, "--quasi", QUASI, stdin=found.out.encode())
    assert checked.code == 0, checked


def test_rows_are_shuffled_unless_told_otherwise(run, hospital):
    kept, shuffled = hospital.with_name("kept.csv"), hospital.with_name("shuffled.csv")
    assert run("anonymize", hospital, "-k", 5, *ROLES, "-o", kept, "--order", "kept").code == 0
    assert run("anonymize", hospital, "-k", 5, *ROLES, "-o", shuffled).code == 0
    stays = [row["length_of_stay"] for row in rows_of(hospital.read_text())]
    assert [row["length_of_stay"] for row in rows_of(kept.read_text())] == stays
    assert [row["length_of_stay"] for row in rows_of(shuffled.read_text())] != stays
    assert sorted(kept.read_text().splitlines()) == sorted(shuffled.read_text().splitlines())


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
@pytest.mark.parametrize("source", ["csv", "parquet", "arrow"])
def test_every_format_to_every_format(run, tmp_path, source, ending):
    raw = save(make_hospital(60), tmp_path / f"raw.{source}")
    out = tmp_path / f"out.{ending}"
    made = run("anonymize", raw, "-k", 3, *ROLES, "-o", out, "--order", "kept")
    assert made.code == 0, made.err
    checked = run("verify", out, "-k", 3, "--quasi", QUASI, "--original", raw)
    assert checked.code == 0, checked
    assert "(aligned)" in checked.out


def test_typed_files_keep_the_types_of_kept_columns(run, tmp_path):
    table = make_hospital(60)
    raw, out = save(table, tmp_path / "raw.parquet"), tmp_path / "out.parquet"
    assert run("anonymize", raw, "-k", 3, *ROLES, "-o", out, "--order", "kept").code == 0
    released = pyarrow.parquet.read_table(out)
    assert released.schema.field("length_of_stay").type == table.schema.field("length_of_stay").type
    assert released.schema.field("age").type in (pa.string(), pa.dictionary(pa.int32(), pa.string()))


def test_a_csv_without_header_with_semicolons_and_decimal_commas(run, tmp_path):
    raw, out = tmp_path / "raw.csv", tmp_path / "out.csv"
    raw.write_text("1,5;a;x\n2,5;a;y\n8,0;b;x\n9,0;?;y\n")
    words = ("-k", 2, "--quasi", "weight,kind", "--other", "rest", "--no-header", "--names", "weight,kind,rest")
    made = run("anonymize", raw, *words, "--decimal", ",", "--na", "?", "-o", out, "--order", "kept")
    assert made.code == 0, made.err
    assert out.read_text() == '"[1,5; 2,5]";a;x\n"[1,5; 2,5]";a;y\n"[8; 9]";*;x\n"[8; 9]";*;y\n'
    words = ("--quasi", "weight,kind", "--no-header", "--names", "weight,kind,rest", "--decimal", ",", "--na", "?")
    checked = run("verify", out, "-k", 2, *words, "--original", raw)
    assert checked.code == 0, checked


def test_a_csv_without_header_is_verified_although_identifiers_were_dropped(run, tmp_path):
    raw, out, job = tmp_path / "raw.csv", tmp_path / "out.csv", tmp_path / "covey.toml"
    raw.write_text("Ann,30,x\nBo,31,y\nCy,60,x\nDi,61,y\n")
    job.write_text(
        'k = 2\n[columns.c1]\nrole = "identifier"\n[columns.c2]\nrole = "quasi"\n[columns.c3]\nrole = "other"\n'
    )
    assert run("anonymize", raw, "--job", job, "--no-header", "-o", out, "--order", "kept").code == 0
    assert out.read_text() == '"[30, 31]",x\n"[30, 31]",y\n"[60, 61]",x\n"[60, 61]",y\n'
    checked = run("verify", out, "--job", job, "--no-header", "--original", raw)
    assert checked.code == 0, checked
    assert "(aligned)" in checked.out


def test_leading_zeros_quotes_and_empty_text_survive(run, tmp_path):
    raw, out = tmp_path / "raw.csv", tmp_path / "out.csv"
    raw.write_text('zip,age,note\n01234,30,"a ""b"", c"\n01234,31,""\n01299,60,\n01299,61,"two\nlines"\n')
    assert (
        run("anonymize", raw, "-k", 2, "--quasi", "zip,age", "--other", "note", "-o", out, "--order", "kept").code == 0
    )
    expected = 'zip,age,note\n01234,"[30, 31]","a ""b"", c"\n01234,"[30, 31]",""\n01299,"[60, 61]",\n'
    assert out.read_text() == expected + '01299,"[60, 61]","two\nlines"\n'


def test_a_nearly_unique_kept_column_draws_a_warning(run, tmp_path):
    raw, out = tmp_path / "raw.csv", tmp_path / "out.csv"
    raw.write_text("age,key\n" + "".join(f"{20 + i % 7},K{i}\n" for i in range(40)))
    made = run("anonymize", raw, "-k", 4, "--quasi", "age", "--other", "key", "-o", out)
    assert made.code == 0
    assert (
        " ".join(made.err.split()).count(
            "warning column `key` is kept as it is and nearly unique (40 different values in 40 rows)"
        )
        == 1
    )
    told = run("anonymize", raw, "-k", 4, "--quasi", "age", "--other", "key", "-o", out, "--force", "--json")
    assert told.err.startswith("warning: column `key` is kept as it is and nearly unique")


def test_a_first_row_that_looks_like_data_is_not_taken_for_names(run, tmp_path):
    raw, out = tmp_path / "raw.csv", tmp_path / "out.csv"
    raw.write_text("Xanthippe,34.5678,flu\nBo,35,flu\nCy,61,gout\n")
    for words in (("init", raw), ("verify", raw, "--quasi", "age")):
        found = run(*words)
        assert found.code == 2
        assert "looks like data, not like a header: 1 name of columns would be numbers" in found.err
        assert "Xanthippe" not in found.err
        assert "34.5678" not in found.err
    assert run("verify", raw, "--no-header", "--quasi", "c2").code == 0
    raw.write_text("f,flu,x\nm,flu,y\nf,gout,x\n")
    assert "3 names of columns are values further down" in run("init", raw).err
    raw.write_text("2019,2020\n1,2\n1,2\n")
    assert run("anonymize", raw, "--quasi", "2019,2020", "-k", 2, "-o", out).code == 2
    assert run("anonymize", raw, "--quasi", "2019,2020", "-k", 2, "-o", out, "--header").code == 0
    assert out.read_text() == "2019,2020\n1,2\n1,2\n"


def test_blanks_after_the_separator(run, tmp_path):
    raw, job, out = tmp_path / "raw.csv", tmp_path / "covey.toml", tmp_path / "out.csv"
    raw.write_text("30, a, x\n31, a, y\n60, ?, x\n61, ?, \n")
    words = ("--separator", ", ", "--no-header", "--names", "age,kind,rest")
    assert run("init", raw, "-o", job, *words).code == 0
    made = run("anonymize", raw, "--job", job, "--other", "rest", "--na", "?", "-k", 2, "-o", out, "--order", "kept")
    assert made.code == 0, made.err
    assert out.read_text() == '"[30, 31]",a,x\n"[30, 31]",a,y\n"[60, 61]",,x\n"[60, 61]",,\n'
    assert run("verify", out, "--job", job, "--na", "?", "--original", raw, "--quasi", "age,kind", "-k", 2).code == 0


def test_a_declared_missing_text_that_never_occurs_is_told(run, tmp_path):
    raw, out = tmp_path / "raw.csv", tmp_path / "out.csv"
    raw.write_text("a,b\n1,x\n1,x\n")
    made = run("anonymize", raw, "-k", 2, "--quasi", "a,b", "--na", "NULL", "-o", out)
    assert "no quasi column holds `NULL`, declared as missing (na)" in made.err


def test_labels_that_hardly_anybody_shares_are_told(run, tmp_path):
    raw, out = tmp_path / "raw.csv", tmp_path / "out.csv"
    raw.write_text("a,born\n" + "".join(f"{i % 3},{1 + i % 28:02}.0{1 + i % 9}.1970\n" for i in range(80)))
    made = run("anonymize", raw, "-k", 4, "--quasi", "a,born", "-o", out)
    assert made.code == 0
    assert "column `born` has" in made.err
    assert "different labels and no taxonomy" in " ".join(made.err.split())
    quiet = run("anonymize", raw, "-k", 4, "--quasi", "a,born", "-o", out, "--force", "--release", "node")
    assert "no taxonomy" not in quiet.err


def test_how_a_csv_is_written_may_stand_in_the_job(run, tmp_path):
    raw, job, out = tmp_path / "raw.csv", tmp_path / "covey.toml", tmp_path / "out.csv"
    raw.write_bytes("größe;x\n1,5;a\n2,5;a\n".encode("cp1252"))
    assert run("init", raw, "-o", job, "--encoding", "cp1252", "--decimal", ",").code == 0
    assert run("anonymize", raw, "--job", job, "-k", 2, "-o", out).code == 0
    assert out.read_text() == 'größe;x\n"[1,5; 2,5]";a\n"[1,5; 2,5]";a\n'
    assert run("verify", out, "--job", job, "-k", 2, "--original", raw).code == 0
    job.write_text('[csv]\nseparater = ";"\nheader = "no"\nnames = [1]\n')
    found = run("anonymize", raw, "--job", job, "-k", 2, "-o", out, "--force")
    assert found.code == 2
    assert "3 faults: unknown key `separater` of `csv`, did you mean `separator`?" in found.err


def test_force_replaces_and_reports_are_not_replaced_by_chance(run, hospital):
    out, report = hospital.with_name("out.csv"), hospital.with_name("report.json")
    report.write_text("precious")
    refused = run("anonymize", hospital, "-k", 5, *ROLES, "-o", out, "--report", report)
    assert refused.code == 2
    assert not out.exists()
    out.write_text("old")
    assert run("anonymize", hospital, "-k", 5, *ROLES, "-o", out, "--report", report, "--force").code == 0
    assert out.read_text().startswith("age,")
    assert json.loads(report.read_text())["verified"] is True


def test_taxonomy_lint(run, tmp_path, hospital):
    tree = tmp_path / "sex.csv"
    tree.write_text("female;*\n")
    assert run("taxonomy", "lint", tree).code == 0
    found = run("taxonomy", "lint", tree, "--column", f"{hospital}:sex")
    assert found.code == 1
    assert "male" in found.out  # findings that were asked for name labels
    assert run("taxonomy", "lint", tmp_path / "none.csv").code == 2


@pytest.mark.parametrize(
    ("ending", "values", "leaves", "others"),
    [
        ("parquet", [True, False], "true;*\nfalse;*\n", "True;*\nFalse;*\n"),
        ("parquet", [1.0, 2.5, float("nan")], "1;*\n2.5;*\n", "1.0;*\n2.5;*\nnan;*\n"),
        ("csv", ["5.0", "6"], "5;*\n6;*\n", "5.0;*\n6;*\n"),
        ("csv", ["05.0", "6"], "05.0;*\n6;*\n", "5;*\n6;*\n"),
    ],
)
def test_taxonomy_lint_misses_what_anonymize_misses(run, tmp_path, ending, values, leaves, others):
    table, tree = save(pa.table({"a": values * 2}), tmp_path / f"t.{ending}"), tmp_path / "tree.csv"
    asked = ("anonymize", table, "-k", 2, "--quasi", "a", "--taxonomy", f"a={tree}", "-o", tmp_path / "out.csv")
    for text, codes in ((leaves, (0, 0)), (others, (1, 2))):
        tree.write_text(text)
        linted = run("taxonomy", "lint", tree, "--column", f"{table}:a")
        assert (linted.code, run(*asked).code) == codes, linted.out


def test_demo_shows_before_after_evidence_and_loss(run):
    found = run("demo", "--rows", 60, "-k", 3)
    assert found.code == 0
    places = [found.out.index(word) for word in ("before", "after", "evidence", "k = 3 holds", "Total-IL")]
    assert places == sorted(places)


def test_version_and_help(run):
    assert run("--version").out == "covey 0.1.0\n"
    assert "anonymize" in run("--help").out


# what only a process of its own can show


def process(*words: object, **settings: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "covey", *map(str, words)], capture_output=True, text=True, check=False, **settings
    )


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("verify", "TABLE", "--quasi", "age")])
def test_light_commands_load_nothing_heavy(hospital, words):
    code = (
        "import sys; from covey.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'scipy', 'sklearn', 'pandas', 'polars'} & set(sys.modules)\n"
        "print('heavy:', sorted(heavy))\n"
    )
    argv = [str(hospital) if word == "TABLE" else word for word in words]
    done = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True)
    assert "heavy: []" in done.stdout


LOADED = """
import sys
from covey.cli import main
try: main()
except SystemExit: pass
from covey.cli.commands import COMMANDS
files = {place.partition(":")[0] for place, _ in COMMANDS.values()}
print("loaded:", [file for file in files if f"covey.cli.{file}" in sys.modules])
"""


@pytest.mark.parametrize(
    ("words", "loaded"), [(["--help"], []), (["anonymise"], []), (["verify", "--help"], ["verify"])]
)
def test_a_command_is_loaded_when_it_is_run_and_no_other(words, loaded):
    done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True)
    assert f"loaded: {loaded}" in done.stdout


def test_a_misspelt_command_is_told_the_nearest():
    done = process("anonymise")
    assert done.returncode == 2
    assert "did you mean 'anonymize'?" in done.stderr.lower()


SLOW_VERIFY = """
import sys, time
import covey.release.sinks as sinks
honest = sinks.verify_written
def slow(*args, **kwargs):
    print("verifying", flush=True)
    time.sleep(60)
    return honest(*args, **kwargs)
sinks.verify_written = slow
from covey.cli import main
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_signal_in_the_middle_leaves_nothing_under_the_final_name(hospital, number, code):
    out = hospital.with_name("out.csv")
    words = ["anonymize", str(hospital), "-k", "5", *ROLES, "-o", str(out)]
    running = subprocess.Popen(
        [sys.executable, "-c", SLOW_VERIFY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"verifying\n"  # the file is written beside, and not yet verified
    assert not out.exists()
    time.sleep(0.2)
    running.send_signal(number)
    _, err = running.communicate(timeout=30)
    assert running.returncode == code
    assert not out.exists()
    if number != signal.SIGKILL:
        assert err == b"interrupted: no half-written file is left\n"
        assert sorted(path.name for path in hospital.parent.iterdir()) == ["hospital.csv"]


def test_a_full_disk_ends_with_70_and_leaves_nothing(hospital):
    out = hospital.with_name("out.csv")
    limit = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\nfrom covey.cli import main; main()"
    )
    words = ["anonymize", str(hospital), "-k", "5", *ROLES, "-o", str(out)]
    environment = {**os.environ, "NUMBA_DISABLE_PERFORMANCE_WARNINGS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", limit, *words], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 70
    assert done.stderr.startswith("error: the output could not be written: File too large")
    assert sorted(path.name for path in hospital.parent.iterdir()) == ["hospital.csv"]


def test_silence_in_pipes(hospital):
    out = hospital.with_name("out.csv")
    done = process("anonymize", hospital, "-k", 5, *ROLES, "-o", out)
    assert done.returncode == 0
    assert done.stdout == ""
    assert "\x1b" not in done.stderr
    assert done.stderr.startswith("200 rows released")


def test_names_with_blanks_at_their_ends_can_be_given_in_quotes(run, tmp_path):
    (tmp_path / "a.csv").write_text(" age,sex \n34,f\n35,f\n")
    found = run("anonymize", tmp_path / "a.csv", "-o", "-", "-k", 2, "--quasi", '" age","sex "', "--order", "kept")
    assert found.out == ' age,sex \n"[34, 35]",f\n"[34, 35]",f\n', found.err


def test_init_names_a_file_whose_name_is_no_text(run, tmp_path):
    table = tmp_path / os.fsdecode(b"\xff.csv")
    table.write_text("age,sex\n34,f\n35,f\n")
    assert run("init", table, "-o", tmp_path / "covey.toml").code == 0
    assert "from \\xff.csv:" in (tmp_path / "covey.toml").read_text()


def test_a_dictionary_in_a_shuffled_file_does_not_tell_the_order_of_the_input(run, tmp_path):
    values = [f"v{i:02}" for i in range(40)]
    pay = pa.array(values).dictionary_encode()
    pa.parquet.write_table(pa.table({"age": [34] * 40, "pay": pay}), tmp_path / "a.parquet")
    for ending in ("parquet", "arrow"):
        out = tmp_path / f"out.{ending}"
        assert (
            run("anonymize", tmp_path / "a.parquet", "-o", out, "-k", 2, "--quasi", "age", "--other", "pay").code == 0
        )
        made = pa.parquet.read_table(out) if ending == "parquet" else pa.feather.read_table(out)
        column = made.column("pay").chunk(0)
        assert column.dictionary.to_pylist() == column.to_pylist()
        assert column.to_pylist() != values
        assert sorted(column.to_pylist()) == values


@pytest.mark.parametrize("ending", ["csv", "arrow", "parquet"])
def test_times_and_text_views_pass_through(run, tmp_path, ending):
    table = pa.table(
        {
            "age": [34, 35, 61, 63],
            "word": pa.array(["a", "b", None, "a"], pa.string_view()),
            "time": pa.array([1, 2_001, None, 3], pa.time64("ns")),
            "stay": pa.array([1, 2_001, None, 3], pa.duration("ns")),
        }
    )
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as out:
        out.write_table(table)
    words = ("-k", 2, "--quasi", "age", "--other", "word,time,stay")
    found = run("anonymize", tmp_path / "a.arrow", "-o", tmp_path / f"out.{ending}", *words)
    assert found.code == 0, found.err


@pytest.mark.parametrize("option", ["-o", "--report"])
@pytest.mark.parametrize("name", ["covey.toml", "sex.csv"])
def test_no_input_is_ever_replaced(run, hospital, option, name):
    job, tree = hospital.with_name("covey.toml"), hospital.with_name("sex.csv")
    assert run("init", hospital, "-o", job).code == 0
    tree.write_text("female;*\nmale;*\n")
    targets = {"-o": hospital.with_name("out.csv"), "--report": hospital.with_name("report.json")}
    targets[option] = hospital.with_name(name)
    before = targets[option].read_text()
    words = [word for flag, path in targets.items() for word in (flag, path)]
    found = run("anonymize", hospital, "--job", job, "--taxonomy", f"sex={tree}", *words, "--force")
    assert found.code == 2
    assert "is the input" in found.err
    assert targets[option].read_text() == before


@pytest.mark.parametrize("words", [("anonymize", "-o"), ("compare", "--csv")])
def test_a_taxonomy_that_only_the_job_names_is_never_replaced(run, hospital, words):
    job, tree = hospital.with_name("covey.toml"), hospital.with_name("sex.csv")
    tree.write_text("female;*\nmale;*\n")
    job.write_text('k = 5\n[columns.sex]\nrole = "quasi"\ntaxonomy = "sex.csv"\n')
    command, option = words
    found = run(command, hospital, "--job", job, option, tree, "--force")
    assert found.code == 2
    assert "`sex.csv` is the input" in found.err.replace(str(hospital.parent) + "/", "")
    assert tree.read_text() == "female;*\nmale;*\n"


def test_a_report_that_cannot_be_written_is_told_after_the_release(run, hospital, monkeypatch):
    from covey.tables.files import atomic

    out, report = hospital.with_name("out.csv"), hospital.with_name("report.json")
    honest = atomic._write_whole

    def full(write, path):
        if out.exists():
            raise atomic._write_failed(OSError(28, "No space left on device"))
        honest(write, path)

    monkeypatch.setattr(atomic, "_write_whole", full)
    found = run("anonymize", hospital, "-k", 5, *ROLES, "-o", out, "--report", report)
    assert found.code == 70
    assert found.err.startswith("error: the release was published, but its report was not: ")
    assert out.exists()
    assert not report.exists()
