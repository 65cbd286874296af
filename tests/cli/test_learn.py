"""`covey learn`: what is learned is audited from the file that is published, and told word for word."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from covey.cli.app import app
from covey.mining.audit.model_files import read_model
from covey.mining.learn.clusters.estimator import KAnonymousClusters
from covey.mining.learn.rules import KAnonymousRules
from covey.mining.learn.tree.baselines import ID3
from covey.mining.learn.tree.estimator import KAnonymousTree

DOCS = Path(__file__).parents[2] / "docs"
CLIENTS = """name,married,car,risk
Ann,no,yes,good
Bob,yes,yes,good
Cay,yes,no,bad
Dee,yes,no,bad
Eve,no,yes,bad
Flo,no,no,bad
"""
CARTS = "tea,milk,pills\n" + "1,0,1\n" * 7 + "1,0,0\n" * 3 + "0,1,0\n" * 90
TREE = ("learn", "tree", "clients.csv", "--public", "married", "--target", "risk", "--identifier", "name", "-k", "3")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("clients.csv").write_text(CLIENTS)
    Path("carts.csv").write_text(CARTS)
    Path("patients.csv").write_text("age,result\n20,40\n22,50\n24,60\n50,62\n53,42\n49,36\n54,33\n")
    return tmp_path


def run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


PAGE = """a tree of 3 leaves for `risk`: 83.3% of the rows have the value that it tells, 66.7% the commonest

  risk: bad 4, good 2
  car = no -> bad: bad 3, good 0
  car = yes: bad 1, good 2
  |  married = no -> bad: bad 1, good 1
  |  married = yes -> good: bad 0, good 1
"""


def test_the_paper_s_tree_is_written_and_told_word_for_word() -> None:
    done = run(*TREE, "--method", "as-published", "-o", "tree.json")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(PAGE)
    assert "3-anonymous: at least 3 of 6 " in done.stdout
    assert done.stdout.endswith("\nwrote tree.json, read back and audited before it was published\n")
    model = read_model("tree.json")
    assert isinstance(model, KAnonymousTree)
    assert model.to_text().splitlines() == [line[2:] for line in PAGE.splitlines()[2:]]
    assert "Ann" not in Path("tree.json").read_text()


@pytest.mark.parametrize("kind", ["tree", "clusters"])
def test_a_column_that_looks_like_an_identifier_is_never_learned_from(kind: str) -> None:
    rows = [f"Person {i % 30},{20 + i % 40},{'mf'[i % 2]},{['flu', 'gout'][i % 3 == 0]}" for i in range(90)]
    Path("names.csv").write_text("\n".join(["name,age,sex,ill", *rows]) + "\n")
    words = ("learn", kind, "names.csv", "--public", "age,sex", "-k", "5", "-o", "model.json")
    target = ("--target", "ill") if kind == "tree" else ()
    done = run(*words, *target)
    assert done.exit_code == 2
    assert "column `name` looks like an identifier" in done.output
    assert "--identifier" in done.output
    assert "Person" not in done.output
    assert not Path("model.json").exists()
    kept = run(*words, *target, "--identifier", "name")
    assert kept.exit_code == 0, kept.output
    assert "Person" not in Path("model.json").read_text()


def test_without_an_output_nothing_is_written() -> None:
    before = set(os.listdir())
    done = run(*TREE)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "nothing was written")
    assert set(os.listdir()) == before


@pytest.mark.parametrize("method", ["id3", "c45"])
def test_plain_trees_are_shown_with_whom_they_expose_and_never_written(method: str) -> None:
    done = run(*TREE, "--method", method, "--public", "married,car", "-k", "4")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == "nothing was written"
    assert "NOT 4-anonymous" in done.stdout
    done = run(*TREE, "--method", method, "-o", "plain.json")
    assert done.exit_code == 2
    assert f"`{method}` cares for no privacy, so its tree is not written" in done.stderr
    assert not Path("plain.json").exists()


def test_clusters_and_rules_are_written_and_come_back() -> None:
    done = run(
        "learn", "clusters", "patients.csv", "--public", "age", "-k", "3", "--domain", "result=33..62", "-o", "c.json"
    )
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[:4] == ["2 clusters", "", "  cluster 0: 3 rows", "  cluster 1: 4 rows"]
    assert KAnonymousClusters.from_json(Path("c.json").read_text()).populations_ == (3, 4)
    done = run(
        "learn", "rules", "carts.csv", "--public", "tea,milk", "-k", "5", "--min-support", "0.07", "-o", "r.json"
    )
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[:4] == [
        "2 rules of 2 that are frequent, 0 withheld: no larger set is safe",
        "",
        "  {pills} -> {tea}: support 7.0%, confidence 100.0%",
        "  {tea} -> {pills}: support 7.0%, confidence 70.0%",
    ]
    assert len(KAnonymousRules.from_json(Path("r.json").read_text()).rules_) == 2


@pytest.mark.parametrize("kind", ["tree", "clusters", "rules"])
def test_json_keeps_to_its_schema(kind: str) -> None:
    words = {
        "tree": TREE,
        "clusters": ("learn", "clusters", "patients.csv", "--public", "age", "-k", "3"),
        "rules": ("learn", "rules", "carts.csv", "--public", "tea", "-k", "3", "--min-support", "0.05"),
    }[kind]
    done = run(*words, "--json", "-o", "model.json")
    document = json.loads(done.stdout)
    schema = json.loads((DOCS / "learn.schema.json").read_text())
    jsonschema.validate(document, schema)
    jsonschema.validate(document["audit"], json.loads((DOCS / "audit.schema.json").read_text()))
    assert (document["kind"], document["written"], document["audit"]["ok"]) == (kind, "model.json", True)


def test_a_model_goes_to_stdout_alone() -> None:
    done = run(*TREE, "--method", "as-published", "-o", "-")
    assert KAnonymousTree.from_json(done.stdout).k == 3
    assert "read back and audited" in done.stderr
    done = run(*TREE, "-o", "-", "--json")
    assert (done.exit_code, "both want stdout" in done.stderr) == (2, True)


@pytest.mark.parametrize("name", ["m.pkl", "m.joblib", "m.skops", "m.csv", "m", "m.json.gz", "m.html"])
def test_other_endings_are_refused_before_any_work(name: str) -> None:
    done = run(*TREE, "-o", name)
    assert done.exit_code == 2
    assert f"a model is written as JSON, and the ending of `{name}` says something else" in done.stderr
    assert not Path(name).exists()


def test_a_file_that_is_there_is_kept_unless_forced_and_an_input_always() -> None:
    Path("m.json").write_text("mine")
    assert run(*TREE, "-o", "m.json").exit_code == 2
    assert Path("m.json").read_text() == "mine"
    assert run(*TREE, "-o", "m.json", "--force").exit_code == 0
    assert read_model("m.json").k == 3
    os.link("clients.csv", "same.json")
    done = run(*TREE, "-o", "same.json", "--force")
    assert (done.exit_code, "is the input" in done.stderr) == (2, True)
    assert Path("clients.csv").read_text() == CLIENTS
    tree = '{"any": ["yes", "no"]}'
    Path("car.json").write_text(tree)
    Path("covey.toml").write_text('[columns.car]\nrole = "quasi"\ntaxonomy = "car.json"\n')
    done = run(*TREE, "--job", "covey.toml", "-o", "car.json", "--force")
    assert (done.exit_code, "is the input" in done.stderr) == (2, True)
    assert Path("car.json").read_text() == tree


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("learn", "tree", "clients.csv", "--target", "risk", "-k", "3"), "no public column was named"),
        (("learn", "tree", "clients.csv", "--public", "married", "--target", "risk"), "no k was given"),
        (("learn", "tree", "clients.csv", "--public", "married", "-k", "3"), "no target was named"),
        ((*TREE, "--method", "magic"), "there is no method `magic`"),
        ((*TREE, "-k", "1"), "`-k` must be at least 2"),
        ((*TREE, "--public", "marred"), "`--public` names `marred`, which is not in the table"),
        ((*TREE, "--public", "name"), "`name` is left out as an identifier, and named as public or target"),
        ((*TREE, "--taxonomy", "town=x.csv"), "`--taxonomy` names `town`, which is not in the table"),
        (("learn", "rules", "clients.csv", "--public", "married", "-k", "2"), "other values than true and false"),
        (
            ("learn", "clusters", "clients.csv", "--public", "car", "-k", "9"),
            "k = 9 needs at least 9 rows; there are 6",
        ),
    ],
)
def test_what_cannot_be_used_is_said_and_nothing_is_written(words: tuple[str, ...], told: str) -> None:
    done = run(*words, "-o", "m.json")
    assert done.exit_code in (1, 2)
    assert told in done.stderr
    assert not any(name in done.stderr for name in ("Ann", "Bob", "Eve"))
    assert not Path("m.json").exists()


def test_a_model_that_fails_its_audit_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KAnonymousTree, "fit", lambda self, table, y: ID3().fit(table, y))
    done = run(*TREE, "--public", "married,car", "-o", "m.json")
    assert done.exit_code == 70
    assert (
        "the model that was learned is not 3-anonymous: 3 rows would be exposed; nothing was published" in done.stderr
    )
    assert os.listdir() == [name for name in os.listdir() if not name.startswith((".covey", "m.json"))]


VISITS = "patient_id,age,ill\n" + "".join(
    f"P{person:02},{30 + 10 * (person % 2)},{'flu' if visit % 2 else 'gout'}\n"
    for person in range(4)
    for visit in range(6)
)


@pytest.mark.parametrize("role", ["option", "job"])
def test_rows_of_few_persons_are_told_as_such(role: str) -> None:
    Path("visits.csv").write_text(VISITS)
    words = ("--public", "age", "--target", "ill", "--identifier", "patient_id", "-k", "5")
    if role == "job":
        Path("covey.toml").write_text(
            'k = 5\n[columns.patient_id]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\n'
            '[columns.ill]\nrole = "target"\n'
        )
        words = ("--job", "covey.toml")
    done = run("learn", "tree", "visits.csv", *words, "-o", "tree.json")
    told = " ".join(done.stdout.split())
    assert done.exit_code == 0, done.output
    assert "5-anonymous for rows, NOT for persons" in told
    assert "24 rows of 4 persons by `patient_id`: k counts rows, and 1 of 1 span holds fewer than 5" in told
    assert "P0" not in done.output
    audit = run(
        "audit-model", "tree.json", "visits.csv", "--public", "age", "--target", "ill", "-k", "5", "--html", "a.html"
    )
    assert audit.exit_code == 0
    assert "24 rows of 4 persons by `patient_id`" in audit.stdout
    page = Path("a.html").read_text()
    assert "5-anonymous for rows, not for persons" in page
    assert 'class="verdict bad"' in page
    document = json.loads(run("audit-model", "tree.json", "visits.csv", "--public", "age", "-k", "5", "--json").stdout)
    jsonschema.validate(document, json.loads((DOCS / "audit.schema.json").read_text()))
    assert document["persons"] == {
        "column": "patient_id", "certain": True, "rows": 24, "values": 4, "fewest_in_a_span": 4, "spans_below_k": 1,
    }  # fmt: skip


def test_an_identifier_without_the_name_of_a_key_is_named_for_an_audit() -> None:
    Path("visits.csv").write_text(VISITS.replace("patient_id", "badge"))
    words = ("visits.csv", "--public", "age", "--target", "ill", "--identifier", "badge", "-k", "5")
    assert run("learn", "tree", *words, "-o", "tree.json").exit_code == 0
    for wrong, told in (("bage", "did you mean `badge`?"), ("age", "give each column one part")):
        refused = run("audit-model", "tree.json", "visits.csv", "--public", "age", "-k", "5", "--identifier", wrong)
        assert refused.exit_code == 2
        assert told in refused.stderr


@pytest.mark.parametrize(
    ("method", "option"),
    [("id3", "--max-depth"), ("id3", "--min-rows"), ("id3", "--l"), ("c45", "--max-depth"), ("c45", "--l")],
)
def test_an_option_that_a_method_does_not_know_is_refused(method: str, option: str) -> None:
    done = run(*TREE, "--method", method, option, "2")
    assert done.exit_code == 2
    assert f"`{method}` knows no `{option}`" in done.stderr


def test_a_fault_of_an_option_names_the_option_and_the_help_of_its_command() -> None:
    done = run("learn", "rules", "carts.csv", "--public", "tea", "-k", "3", "--min-support", "5")
    assert done.exit_code == 2
    assert "error: `--min-support` must be a number above 0 and at most 1" in done.stderr
    assert "hint: see covey learn rules --help" in done.stderr


def test_a_target_that_is_public_is_said_to_be_and_nothing_raw_is_written() -> None:
    Path("ages.csv").write_text("age,sex\n" + "".join(f"{20 + i},f\n" for i in range(40)))
    command = [sys.executable, "-c", "from covey.cli import main; main()", "learn", "tree", "ages.csv"]
    words = ["--public", "age", "--target", "age", "-k", "3"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    told = "warning: `age` is public and the target: nothing that the tree tells of it is private"
    assert done.stderr.splitlines() == [told]


def test_private_dates_are_any_date() -> None:
    days = [dt.date(1950, 1, 1) + dt.timedelta(days=400 * i) for i in range(40)]
    pq.write_table(pa.table({"born": days, "sex": ["f", "m"] * 20, "ill": ["a"] * 20 + ["b"] * 20}), "born.parquet")
    done = run("learn", "tree", "born.parquet", "--public", "sex", "--target", "ill", "-k", "3")
    assert done.exit_code == 0, done.output
    assert "born: any date" in done.stdout


def test_what_means_missing_is_told_of_any_column_beside_the_job() -> None:
    Path("coded.csv").write_text(CLIENTS.replace("Ann,no", "Ann,9").replace("Bob,yes,yes,good", "Bob,yes,?,good"))
    words = ("learn", "tree", "coded.csv", "--public", "married", "--target", "risk", "--identifier", "name", "-k", "3")
    told = run(*words, "--na", "married=9", "--na", "car=?")
    assert told.exit_code == 0, told.output
    assert "car = ?" not in told.stdout
    missed = run(*words, "--na", "marred=9")
    assert missed.exit_code == 2
    assert "`--na` names `marred`, which is not in the table" in missed.stderr
    assert "did you mean `married`?" in missed.stderr
    job = """
        k = 3
        na = ["yes"]
        [columns.married]
        role = "quasi"
        [columns.name]
        role = "identifier"
        [columns.car]
        role = "other"
        [columns.risk]
        role = "target"
        """
    Path("covey.toml").write_text(job)
    with_job = ("learn", "tree", "clients.csv", "--job", "covey.toml")
    assert "car = yes" not in run(*with_job).stdout
    assert "car = yes" not in run(*with_job, "--na", "?").stdout


def test_a_job_gives_the_columns_their_parts() -> None:
    pq.write_table(
        pa.table({"name": list("abcdef"), "age": [20, 21, 22, 50, 51, 52], "ill": ["n"] * 3 + ["y"] * 3}), "p.parquet"
    )
    Path("job.toml").write_text(
        'k = 3\n[columns.name]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "target"\n'
    )
    done = run("learn", "tree", "p.parquet", "--job", "job.toml", "--method", "as-published", "-o", "m.json")
    assert done.exit_code == 0, done.output
    assert [line for line in done.stdout.splitlines() if "-> n: n 3, y 0" in line]
    Path("job.toml").write_text('k = 3\n[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "consent"\n')
    assert run("learn", "tree", "p.parquet", "--job", "job.toml", "--target", "ill").exit_code == 2


@pytest.mark.parametrize("words", [("learn", "--help"), ("learn", "tree", "--help"), ("learn", "rules", "--help")])
def test_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    code = (
        "import sys; from covey.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'numpy', 'pyarrow', 'sklearn', 'pandas', 'mlxtend'} & set(sys.modules)\n"
        "print('heavy:', sorted(heavy))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert "heavy: []" in done.stdout
