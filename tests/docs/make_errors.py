"""Write the tables of docs/errors.md from docs/errors.toml, which has every error code once.

    python tests/docs/make_errors.py

What stands above the marker of the page (introduction, files and names of the examples) is left as it is.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "errors.md"
MARKER = "<!-- below: tests/docs/make_errors.py, from errors.toml -->"


@dataclass(frozen=True)
class ErrorEntry:
    """What the page says of a code; an example is run, or told in words, or there is none."""

    code: str
    chapter: str
    meaning: str
    remedy: str
    example: str | None = None
    told: str | None = None


def error_entries() -> list[ErrorEntry]:
    """Return the entries in the order of the page; a code that stands twice is no TOML."""
    text = (DOCS / "errors.toml").read_text(encoding="utf-8")
    return [ErrorEntry(code=code, **entry) for code, entry in tomllib.loads(text).items()]


def cell(text: str) -> str:
    """Return a text for a cell, in which a bar would end it, in backticks too."""
    return text.replace("|", r"\|")


def row_of(entry: ErrorEntry) -> str:
    example = "-" if entry.told is None else entry.told
    if entry.example is not None:
        example = f"`{entry.example}`"
    cells = (f'<a id="{entry.code}"></a>`{entry.code}`', entry.meaning, example, entry.remedy)
    return f"| {' | '.join(cell(text) for text in cells)} |"


def made_page(page: str) -> str:
    """Return the page with its tables as the data file has them."""
    lines = [page.partition(MARKER)[0] + MARKER]
    for chapter, entries in groupby(error_entries(), key=lambda entry: entry.chapter):
        lines += ["", f"## {chapter}", "", "| code | meaning | example | remedy |", "|---|---|---|---|"]
        lines += [row_of(entry) for entry in entries]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(made_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
