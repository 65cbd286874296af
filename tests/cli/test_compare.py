"""`covey compare`: the table to stdout, JSON and CSV by their contracts, a chart, and nothing left behind."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from covey.cli.compare import specs
from covey.datasets import hospital_roles, make_hospital
from covey.tables.files import CsvOptions, write_table
from terminals import CTRL_C, on_a_terminal

DOCS = Path(__file__).parents[2] / "docs"
ROLES = [word for role, names in hospital_roles().items() for word in (f"--{role}", ",".join(names))]
TWO = ("--algorithms", "mondrian(relaxed=true),covey")


@pytest.fixture(scope="module")
def hospital(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("compare") / "hospital.csv"
    write_table(
        make_hospital(120), str(path), format=None, csv=CsvOptions(), force=True, check=lambda _: None, source=None
    )
    return path


def test_the_table_goes_to_stdout_and_nothing_else_is_said(run, hospital):
    found = run("compare", hospital, "-k", "5,2", *TWO, *ROLES)
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0] == "2 algorithms on 120 rows, k = 2, 5; least loss first"
    assert [line[:8].strip() for line in lines if line.startswith("  k = ")] == ["k = 2", "k = 5"]
    assert sum(line.startswith("* ") for line in lines) == 2


def test_outputs_are_three_views_of_one_comparison(run, hospital, tmp_path):
    out, chart = tmp_path / "out.csv", tmp_path / "chart.html"
    found = run(
        "compare",
        hospital,
        "-k",
        3,
        *TWO,
        *ROLES,
        "--json",
        "--csv",
        out,
        "--chart",
        chart,
        "--chart",
        tmp_path / "a.svg",
    )
    assert found.code == 0, found.err
    document = json.loads(found.out)
    jsonschema.validate(document, json.loads((DOCS / "compare.schema.json").read_text()))
    assert document["sensitive"] == "ward"
    results = document["results"]
    assert [result["algorithm"] for result in results] == ["covey", "mondrian(relaxed=true)"]
    read = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [float(row["total_il"]) for row in read] == [result["total_il"] for result in results]
    assert chart.read_text().startswith("<!DOCTYPE html>")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.svg", "chart.html", "out.csv"]


def test_csv_to_stdout_and_a_job(run, hospital, tmp_path):
    job = tmp_path / "covey.toml"
    assert run("init", hospital, "-o", job).code == 0
    words = ("--job", job, "--algorithms", "mondrian", "--limit", "none", "--sample", 60, "--seed", 3)
    found = run("compare", hospital, *words, "--csv", "-")
    assert (found.code, found.err) == (0, "")
    (row,) = csv.DictReader(io.StringIO(found.out))
    assert (row["k"], row["rows"], row["sampled"], row["failure"]) == ("10", "60", "true", "")


def test_a_model_on_the_command_line_joins_those_of_the_job(run, hospital, tmp_path):
    job = tmp_path / "covey.toml"
    job.write_text('[[models]]\nmodel = "distinct-l-diversity"\ncolumn = "diagnosis"\nl = 100\n')
    words = ("-k", 3, "--algorithms", "mondrian", *ROLES, "--job", job, "--model", "distinct-l-diversity(ward, l=2)")
    found = run("compare", hospital, *words)
    assert found.code == 1
    assert "distinct-l-diversity with l = 100 cannot be met for column `diagnosis`" in found.err


def test_weights_can_be_learned_for_the_search(run, hospital):
    def losses(*words: str) -> float:
        found = run("compare", hospital, "-k", 3, "--algorithms", "loss-cut", *ROLES, "--json", *words)
        return json.loads(found.out)["results"][0]["total_il"]

    assert losses("--weights", "adaptive") > losses("--weights", "declared") == losses()


def test_one_failure_takes_its_row_and_all_failing_exits_with_1(run, hospital):
    found = run("compare", hospital, "-k", "2", "--algorithms", "linkage,mondrian", "--limit", "0.001s", *ROLES)
    assert found.code == 1
    assert found.out.count("failed: it took over 0.001 s, the limit") == 2
    found = run("compare", hospital, "-k", "2,121", "--algorithms", "mondrian", *ROLES)
    assert found.code == 0
    assert found.out.count("failed: k = 121 needs at least 121 rows; there are 120") == 1


def test_algorithms_are_parted_by_commas_outside_of_their_options():
    assert specs("a, b(x=1, y=[2,3]),c") == ["a", "b(x=1, y=[2,3])", "c"]
    assert specs(r'a(x="),\",("),b') == [r'a(x="),\",(")', "b"]
    assert specs(" ,") == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-k", "2,x"], "`-k` must be whole numbers separated by commas"),
        (["-k", ","], "no `k` was given"),
        (["-k", "1"], "`k` must be at least 2, not 1"),
        (["-k", "2", "--algorithms", "mondrain"], "there is no algorithm `mondrain`"),
        (["-k", "2", "--algorithms", ","], "no algorithm was given"),
        (["-k", "2", "--limit", "soon"], "`limit` must be a time above 0 in s, m or h, such as 30s, 2m or 1h"),
        (["-k", "2", "--sample", "0"], "`sample` must be at least 2, not 0"),
        (["-k", "2", "--json", "--csv", "-"], "`--json` and `--csv -` both want stdout"),
        (["-k", "2", "--chart", "chart.gif"], "the ending of `chart.gif` does not tell a kind of chart"),
        (["-k", "2", "--chart", "a.json", "--csv", "a.json"], "two of `--csv` and `--chart` name the same file"),
        (["-k", "2", "--chart", "a.svg", "--chart", "./a.svg"], "two of `--csv` and `--chart` name the same file"),
        (["-k", "2", "--other", "nothing"], "the table has no column `nothing`"),
    ],
)
def test_wrong_words_are_told_in_a_sentence_before_anything_runs(run, hospital, monkeypatch, tmp_path, words, sentence):
    monkeypatch.setattr("covey.comparison.process.Bench._begin", None)
    monkeypatch.chdir(tmp_path)
    roles = [*ROLES[:-1], f"{ROLES[-1]},nothing"] if "nothing" in words else ROLES
    found = run("compare", hospital, *(words if "nothing" not in words else ["-k", "2"]), *roles)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"error: {sentence}\n")
    assert list(tmp_path.iterdir()) == []


def test_no_input_is_replaced_and_no_file_without_force(run, hospital, tmp_path):
    before = hospital.read_bytes()
    found = run("compare", hospital, "-k", 2, *TWO, *ROLES, "--csv", hospital, "--force")
    assert (found.code, hospital.read_bytes()) == (2, before)
    there = tmp_path / "chart.json"
    there.write_text("mine")
    found = run("compare", hospital, "-k", 2, *TWO, *ROLES, "--chart", there)
    assert found.code == 2
    assert "exists" in found.err
    assert there.read_text() == "mine"


def test_a_terminal_shows_progress_and_the_best_in_bold(hospital):
    seen, code = on_a_terminal("compare", hospital, "-k", 2, *TWO, *ROLES)
    assert code == 0
    assert b"0 of 2 done, mondrian(relaxed=true) at k = 2" in seen
    bold = re.findall(rb"\x1b\[1m(\* [^\x1b]*)\x1b\[0m", seen)
    assert len(bold) == 1


def test_ctrl_c_leaves_no_file_and_no_process(hospital, tmp_path):
    chart = tmp_path / "chart.svg"
    words = ("compare", hospital, "-k", "2,3,4,5", *TWO, *ROLES, "--chart", chart, "--csv", tmp_path / "out.csv")
    seen, code = on_a_terminal(*words, typed=((b"0 of 8 done", CTRL_C),))
    assert code == 130
    assert b"interrupted: no half-written file is left" in seen
    assert list(tmp_path.iterdir()) == []


def test_the_help_loads_nothing_heavy():
    code = (
        "import sys\nsys.argv = ['covey', 'compare', '--help']\nfrom covey.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'pyarrow', 'numpy', 'vl_convert'} & set(sys.modules)\nassert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_further_figures_are_in_text_json_and_csv(run, hospital, tmp_path):
    out = tmp_path / "out.csv"
    asked = ("--metrics", 'nn-error,sd("Surgery"),centre')
    found = run("compare", hospital, "-k", 3, "--algorithms", "mondrian", *ROLES, *asked, "--json", "--csv", out)
    assert found.code == 0, found.err
    document = json.loads(found.out)
    jsonschema.validate(document, json.loads((DOCS / "compare.schema.json").read_text()))
    result = document["results"][0]
    assert 0 < result["nearest_neighbour_error"] < 1
    assert result["sd"] >= 0
    assert result["centre_cost"] > 0
    assert result["diameter_cost"] is None
    row = next(csv.DictReader(io.StringIO(out.read_text())))
    assert float(row["centre_cost"]) == result["centre_cost"]
    shown = run("compare", hospital, "-k", 3, "--algorithms", "mondrian", *ROLES, *asked)
    assert "  1-NN" in shown.out
    refused = run("compare", hospital, "-k", 3, *ROLES, "--metrics", "dm")
    assert refused.code == 2
    assert "there is no metric `dm`" in refused.err
