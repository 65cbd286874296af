"""Pages of measured figures: a Markdown table, the machine, and the command that measured them."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence
from pathlib import Path

import numba
import numpy as np

__all__ = ["command", "machine", "table", "write_page"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """Return a Markdown table; the first `words` columns hold words, the others figures, set to the right.

    >>> print(table(["name", "rows"], [["a", "1"]]))
    | name | rows |
    |---|---:|
    | a | 1 |
    """
    rule = "|".join("---" if place < words else "---:" for place in range(len(head)))
    lines = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in (head, *rows)]
    return "\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])])


def machine() -> str:
    """Return what kind of machine this is, and the versions that matter for speed."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB of memory, {platform.system()}; "
        f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    )


def command(script: str, arguments: Sequence[str]) -> str:
    """Return the command line that makes a page, to be given in the folder above this one."""
    data = "COVEY_DATA=... " if script == "bars.py" else ""
    return f"{data}python benchmarks/{script} {shlex.join(arguments)}".rstrip()


def write_page(path: Path, title: str, parts: Sequence[str]) -> None:
    """Write a page: its title and its parts, a blank line between them."""
    path.write_text("\n\n".join([f"# {title}", *parts]) + "\n", encoding="utf-8")
