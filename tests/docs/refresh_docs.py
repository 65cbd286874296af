"""Write into README.md and docs/*.md what their commands print today; Python examples that differ are listed.

    python tests/docs/refresh_docs.py [PAGE ...]

Then read the difference: a page should change only where the change was meant.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pandas  # noqa: F401 (loaded first, so that the command line finds it loaded and leaves it alone)
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_docs import PAGES, Block, Reader, blocks_of, steps_of


def refreshed(block: Block, reader: Reader) -> list[str]:
    """Return the lines of a console block, each command followed by what it prints."""
    out: list[str] = []
    for step in steps_of(block):
        first = step.line - block.line
        last = first
        while block.lines[last].endswith("\\"):
            last += 1
        out += block.lines[first : last + 1]
        if "<<'END'" in step.command:
            out += step.shown[: step.shown.index("END") + 1]
        seen = reader.type(step).rstrip("\n")
        out += seen.split("\n") if seen else []
    return out


def refresh(page: Path) -> None:
    """Rewrite the console blocks of a page, in a new folder and in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.chdir(folder)
        reader = Reader(patch)
        shift = 0
        for block in list(blocks_of(page)):
            if block.kind == "python":
                try:
                    reader.enter(block, page)
                except AssertionError as error:
                    print(error)
            elif block.kind == "console":
                new = refreshed(block, reader)
                start = block.line - 1 + shift
                lines[start : start + len(block.lines)] = new
                shift += len(new) - len(block.lines)
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    here = Path(os.getcwd())
    for wanted in [here / name for name in sys.argv[1:]] or PAGES:
        refresh(wanted)
