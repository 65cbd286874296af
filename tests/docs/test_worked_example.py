"""The worked example of docs/architecture.md: an algorithm and a privacy model of another package, used everywhere."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from covey.datasets import make_hospital

PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text("utf-8")
EXAMPLE = PAGE[PAGE.index("## A worked example") : PAGE.index("## What holds whatever is added")]
FILES = dict(re.findall(r"^`(\w+\.\w+)`\n```\w+\n(.*?)^```", EXAMPLE, re.MULTILINE | re.DOTALL))
COMMANDS = re.findall(r"^covey \w+ .*$", EXAMPLE, re.MULTILINE)
COLUMNS = ["age", "sex", "postcode", "admitted", "insurance"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the table, and the files as an installed package leaves them."""
    folder = tmp_path_factory.mktemp("example")
    known = folder / "worked_example-1.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: worked-example\nVersion: 1.0\n")
    for name, text in FILES.items():
        (known / name if name == "entry_points.txt" else folder / name).write_text(text)
    make_hospital(400).to_pandas().to_csv(folder / "hospital.csv", index=False)
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def command(folder: Path, line: str, *more: str) -> subprocess.CompletedProcess[str]:
    program, *words = shlex.split(line)
    assert program == "covey"
    return run(folder, "-m", "covey", *words, *more)


def test_the_page_has_a_file_each_for_the_algorithm_and_for_both_sides_of_the_wall():
    assert [*FILES] == ["in_order.py", "entropy_maker.py", "entropy_judge.py", "entry_points.txt"]
    assert "covey." not in FILES["entry_points.txt"].replace("[covey.", "")
    imported = set(
        re.findall(r"^(?:from|import) (covey\S*)", FILES["in_order.py"] + FILES["entropy_maker.py"], re.MULTILINE)
    )
    assert imported == {"covey"}  # nothing private


def test_a_release_by_the_commands_of_the_page_is_made_verified_and_compared(folder):
    release, verify, compare = COMMANDS
    made = command(folder, release, "--json")
    assert made.returncode == 0, made.stderr
    facts = json.loads(made.stdout)
    assert facts["algorithm"] == "in-order"
    entropy = next(one for one in facts["models"] if one["model"] == "entropy-l-diversity")
    assert entropy["ok"]
    assert entropy["level"] >= 2
    checked = command(folder, verify, "--json")
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["ok"]
    stricter = command(folder, verify.replace("l=2", "l=6"))
    assert stricter.returncode == 1
    side_by_side = command(folder, compare, "--json")
    assert side_by_side.returncode == 0, side_by_side.stderr
    rows = json.loads(side_by_side.stdout)["results"]
    assert {row["algorithm"]: row["failure"] for row in rows} == {"in-order": None, "loss-cut": None}


def test_the_same_in_python(folder):
    code = f"""
import covey
from covey.datasets import make_hospital
from entropy_maker import EntropyLDiversity
from in_order import InOrder
people = make_hospital(300).select({[*COLUMNS, "diagnosis"]!r})
roles = dict(quasi={COLUMNS!r}, sensitive=["diagnosis"])
for algorithm in ("in-order", InOrder()):
    made = covey.anonymize(people, k=3, algorithm=algorithm, models=[EntropyLDiversity("diagnosis", l=2)], **roles)
    assert made.report.verdict.ok and len(made.report.verdict.models) == 2
    assert covey.verify(made.table, k=3, quasi=roles["quasi"], models=["entropy-l-diversity(diagnosis, l=2)"]).ok
alike = people.set_column(5, "diagnosis", [["flu"] * 299 + ["gout"]])
try:
    covey.anonymize(alike, k=3, algorithm="in-order", models=[EntropyLDiversity("diagnosis", l=2)], **roles)
except covey.Infeasible as error:
    assert "entropy-l-diversity with l = 2 cannot be met" in error.message, error.message
else:
    raise AssertionError
"""
    done = run(folder, "-c", code)
    assert done.returncode == 0, done.stderr


def test_a_name_that_no_package_announces_is_unknown_as_ever(folder):
    done = command(folder, COMMANDS[0].replace("in-order", "out-of-order"), "--force")
    assert done.returncode == 2
    assert "there is no algorithm `out-of-order`" in done.stderr


def test_a_package_that_cannot_be_loaded_is_told_by_its_name(folder, tmp_path):
    broken = tmp_path / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[covey.algorithms]\nbroken = no_such_module:Thing\n")
    done = subprocess.run(
        [sys.executable, "-m", "covey", *shlex.split(COMMANDS[0].replace("in-order", "broken"))[1:], "--force"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(tmp_path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "`broken` of an installed package cannot be loaded (ModuleNotFoundError)" in done.stderr
