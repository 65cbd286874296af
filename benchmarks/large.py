"""The whole path on large public tables: `covey init`, `covey anonymize`, `covey verify --original`.

    COVEY_DATA=... python benchmarks/large.py

The ACS table (665,800 rows, taxonomies) keeps its order and is verified row by row; the KDD and NIST tables are
shuffled and verified by matching.  Each step is a process of its own; a step that fails ends the script.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet


@dataclass(frozen=True)
class Task:
    """A table, its quasi columns, and what becomes of the others."""

    file: str
    quasi: tuple[str, ...]
    target: tuple[str, ...] = ()
    taxonomies: dict[str, str] = field(default_factory=dict)
    kept_order: bool = False
    k: int = 10


TASKS = (
    Task(
        "acs_income_2018_665k.parquet",
        ("age", "sex", "race", "marital_status", "education_num", "birthplace", "workclass", "occupation"),
        ("income_gt_50k",),
        {"birthplace": "acs_income/birthplace.csv", "occupation": "acs_income/occupation.csv"},
        kept_order=True,
    ),
    Task(
        "census_income_kdd_test.parquet",
        ("age", "sex", "race", "hispanic_origin", "marital_stat", "education", "class_of_worker",
         "major_occupation_code", "country_of_birth_self", "citizenship"),
        ("income",),
    ),
    Task(
        "nist_acs_national2019.parquet",
        ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU", "INDP_CAT", "HOUSING_TYPE", "OWN_RENT"),
    ),
)  # fmt: skip


def covey(*words: object) -> tuple[float, str]:
    """Return the seconds that a command took and what it printed; stop if it failed."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "covey", *map(str, words)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"covey {words[0]} failed with {done.returncode}: {done.stderr}")
    return time.perf_counter() - start, done.stdout


def run(task: Task, data: Path, folder: Path) -> None:
    raw, job, out = data / "large" / task.file, folder / "covey.toml", folder / f"out-{task.file}"
    names = pyarrow.parquet.read_schema(raw).names
    others = [name for name in names if name not in (*task.quasi, *task.target)]
    init, _ = covey("init", raw, "-o", job, "--force")
    taxonomies = [
        word for name, file in task.taxonomies.items()
        for word in ("--taxonomy", f"{name}={data / 'hierarchies' / file}")
    ]  # fmt: skip
    roles = ["--quasi", ",".join(task.quasi), "--target", ",".join(task.target), "--other", ",".join(others)]
    order = "kept" if task.kept_order else "shuffled"
    made, report = covey(
        "anonymize", raw, "--job", job, "-k", task.k, *roles, *taxonomies, "--order", order, "-o", out, "--json",
        "--algorithm", "loss-cut",  # the least search: it is the path that counts
    )  # fmt: skip
    facts = json.loads(report)
    checked, verdict = covey(
        "verify",
        out,
        "-k",
        task.k,
        "--job",
        job,
        "--quasi",
        ",".join(task.quasi),
        "--original",
        raw,
        *taxonomies,
        "--json",
    )
    truth = json.loads(verdict)["truthful"]
    assert truth["ok"]
    assert truth["complete"]
    assert truth["kind"] == ("aligned" if task.kept_order else "matched")
    print(
        f"{task.file}: {facts['rows']:,} rows, {len(task.quasi)} quasi columns, k = {task.k}: "
        f"{facts['classes']:,} classes of {facts['smallest']} or more, Total-IL {facts['loss']['total_il']:,.0f}; "
        f"init {init:.1f} s, anonymize {made:.1f} s ({facts['peak_memory_mb']:,.0f} MB), "
        f"verify {checked:.1f} s ({truth['kind']})"
    )


def main() -> None:
    data = os.environ.get("COVEY_DATA")
    if not data:
        sys.exit("set COVEY_DATA to the folder of the public tables")
    with tempfile.TemporaryDirectory() as folder:
        for task in TASKS:
            run(task, Path(data), Path(folder))


if __name__ == "__main__":
    main()
