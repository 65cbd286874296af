"""The walk of one row through the code: how often a command goes from one file of covey to another.

    python experiments/walk.py

`covey anonymize` and `covey verify --original` on a CSV file of 1,000 rows with five quasi columns and one privacy
model, traced after a first run that compiles.  Counted are the files and functions that are entered, the calls and the
changes of file: calls of a function in another file than the one called before it.  The count does not depend on the
machine.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow.csv

import covey
from covey.cli.app import main as command
from covey.datasets import make_census

HOME = str(Path(covey.__file__).parent)
ROLES = {"person": "identifier", "health": "sensitive"} | dict.fromkeys(
    ["age", "workclass", "education-num", "sex", "race"], "quasi"
)


class Walk:
    """Counts what is entered."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.functions: set[Any] = set()
        self.calls = self.changes = 0
        self._last = ""

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a call."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(HOME):
            return
        self.calls += 1
        self.changes += code.co_filename != self._last
        self._last = code.co_filename
        self.files.add(code.co_filename)
        if not code.co_name.startswith("<"):  # a comprehension or a lambda is a part of a function
            self.functions.add(code)


def traced(work: Callable[[], object]) -> Walk:
    """Return the walk of the second run; modules are loaded and kernels compiled in the first."""
    work()
    walk = Walk()
    sys.setprofile(walk)
    try:
        work()
    finally:
        sys.setprofile(None)
    return walk


def run(*words: object) -> None:
    """Run a command of covey, its words for people thrown away."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        sys.argv = ["covey", *map(str, words)]
        try:
            command()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"covey ended with {end.code}") from None


def main() -> None:
    """Print a line for each command."""
    with tempfile.TemporaryDirectory() as folder:
        raw, out, job = (Path(folder) / name for name in ("raw.csv", "out.csv", "covey.toml"))
        pyarrow.csv.write_csv(make_census(1_000).select(list(ROLES)), raw)
        roles = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in ROLES.items())
        job.write_text(f'k = 5\nalgorithm = "loss-cut"\nmodels = ["distinct-l-diversity(health, l=2)"]\n{roles}')
        walks = {
            "anonymize": traced(lambda: run("anonymize", raw, "--job", job, "-o", out, "--force")),
            "verify --original": traced(lambda: run("verify", out, "--job", job, "--original", raw)),
        }
    for name, walk in walks.items():
        print(
            f"covey {name}: {len(walk.files)} files, {len(walk.functions)} functions, {walk.calls:,} calls, "
            f"{walk.changes:,} changes of file"
        )


if __name__ == "__main__":
    main()
