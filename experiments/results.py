"""How a script writes its results: words, tables, figures, and claims that hold or do not.

What is added is printed at once, and written by `run_script` to `results/NAME.md` with the time it took and
the kind of machine; `run.py` lists them in RESULTS.md.  No number reaches a result in another way.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from figures import Chart, draw

__all__ = ["QUICK_RESULTS", "RESULTS", "Section", "assemble", "machine", "number", "run_script"]

RESULTS = Path(__file__).parent / "results"
QUICK_RESULTS = Path(__file__).parent.parent / "build" / "experiments-quick"
HEAD = (
    "Made by `COVEY_DATA=... make experiments`, which runs one script per paper and keeps what they printed: "
    "no number is written by hand. Numbers of the papers stand beside ours, with a sentence where they differ. "
    "The ratios of times within one table say more than the seconds, which are those of one machine."
)
LIBRARIES = ("covey", "numpy", "numba", "pyarrow")
_FACTS = re.compile(r"^<!-- run: (\{.*\}) -->$", re.MULTILINE)


@dataclass(slots=True)
class Section:
    """The results of one script, built from top to bottom."""

    name: str
    """The script's name, with which all its files begin."""
    title: str
    folder: Path
    parts: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """The claims that did not hold, for the summary."""
    claims: int = 0
    _claim_rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def heading(self, words: str) -> None:
        """Add a heading below the section's title."""
        self._add(f"## {words}")

    def text(self, words: str) -> None:
        """Add a paragraph; the ends of lines in it do not matter."""
        self._add(" ".join(words.split()))

    def table(self, header: Sequence[str], rows: Iterable[Sequence[object]], words: int = 1) -> None:
        """Add a table: the first `words` columns are words, the others are numbers and stand to the right."""
        lines = [_row(header), _row([*[":--"] * words, *["--:"] * (len(header) - words)])]
        self._add("\n".join([*lines, *(_row([str(cell) for cell in row]) for row in rows)]))

    def figure(self, suffix: str, chart: Chart, words: str) -> None:
        """Draw a chart beside the section and show it; `words` say what it shows for those who cannot see it."""
        file = self.folder / f"{self.name}-{suffix}.svg"
        draw(chart, file)
        self._add(f"![{' '.join(words.split())}]({file.name})")

    def claim(self, where: str, words: str, holds: bool, found: str, why: str = "") -> None:
        """Note whether something that the paper says holds here, and the numbers that tell; see `show_claims`.

        `why`: a sentence on the difference, shown only if the claim does not hold.
        """
        self.claims += 1
        if not holds:
            self.failed.append(f"{where}: {' '.join(words.split())}")
            found = f"{found}. {' '.join(why.split())}" if why else found
        self._claim_rows.append((where, " ".join(words.split()), "holds" if holds else "**does not hold**", found))

    def show_claims(self) -> None:
        """Add the table of the claims noted since the last one."""
        lines = [_row(["where", "the paper says", "here", "figures, and why where it differs"]), _row([":--"] * 4)]
        self._add("\n".join([*lines, *(_row(row) for row in self._claim_rows)]))
        self._claim_rows.clear()

    def document(self, seconds: float) -> str:
        """Return the whole section as Markdown, with the facts of the run in a comment."""
        if self._claim_rows:
            raise ValueError(f"{len(self._claim_rows)} claims of `{self.name}` were noted and never shown")
        facts = {
            "title": self.title,
            "seconds": round(seconds, 1),
            "machine": machine(),
            "claims": self.claims,
            "failed": self.failed,
        }
        return "\n\n".join([f"# {self.title}", f"<!-- run: {json.dumps(facts)} -->", *self.parts]) + "\n"

    def _add(self, part: str) -> None:
        print(part, end="\n\n", flush=True)
        self.parts.append(part)


def run_script(name: str, title: str, write: Callable[[Section, bool], None]) -> None:
    """Run one script from the command line: `write(section, quick)` fills the section, which is then saved."""
    words = argparse.ArgumentParser(description=title)
    words.add_argument("--quick", action="store_true", help="small settings, to see that it runs; not for results")
    words.add_argument("--out", type=Path, help="the folder for the section and its figures")
    given = words.parse_args()
    if not os.environ.get("COVEY_DATA"):
        sys.exit("error: COVEY_DATA is not set\n\nhint: set it to the folder with the public tables (docs/data.md)")
    folder = given.out or (QUICK_RESULTS if given.quick else RESULTS)
    folder.mkdir(parents=True, exist_ok=True)
    section = Section(name, title, folder)
    start = time.perf_counter()
    write(section, given.quick)
    text = section.document(time.perf_counter() - start)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


def assemble(sections: Sequence[tuple[str, str]], folder: str = "results") -> str:
    """Return RESULTS.md, the list of what lies in `folder`, from (script, its results) pairs.

    >>> text = assemble([("p9", '# P9\\n\\n<!-- run: {"title": "P9", "seconds": 61.2, "machine": "2 cores", '
    ...                          '"claims": 3, "failed": []} -->\\n')])
    >>> "| [P9](results/p9.md) | `experiments/p9.py` | 61.2 | 3 of 3 |" in text
    True
    """
    rows, machines = [], []
    for script, text in sections:
        found = _FACTS.search(text)
        if found is None:
            raise ValueError(f"the section of `{script}` does not say how it was run")
        facts = json.loads(found[1])
        held = f"{facts['claims'] - len(facts['failed'])} of {facts['claims']}" if facts["claims"] else "-"
        rows.append([f"[{facts['title']}]({folder}/{script}.md)", f"`experiments/{script}.py`",
                     f"{facts['seconds']:.1f}", held])  # fmt: skip
        if facts["machine"] not in machines:
            machines.append(facts["machine"])
    table = [_row(["results", "script", "seconds", "claims that hold"]), _row([":--", ":--", "--:", "--:"])]
    head = ["# The papers' experiments, run again", HEAD, f"Machine: {'; '.join(machines)}."]
    return "\n\n".join([*head, "\n".join([*table, *map(_row, rows)])]) + "\n"


def machine() -> str:
    """Return the kind of machine and the versions: cores, processor family, Python, libraries; no names of hosts."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES)
    return f"{cores} cores, {platform.machine()}, {platform.system()}, Python {platform.python_version()}, {versions}"


def number(value: float, digits: int = 0) -> str:
    """Return a number for a table, with commas.

    >>> number(16491.2283, 1), number(3016)
    ('16,491.2', '3,016')
    """
    return f"{value:,.{digits}f}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
