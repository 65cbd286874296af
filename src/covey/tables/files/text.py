"""Small text files (jobs, reports, models) that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from covey.tables.files.atomic import publish_file
from covey.tables.files.target import check_target

__all__ = ["publish_text", "write_text"]


def write_text(text: str, target: str, *, force: bool = False, private: bool = False) -> None:
    """Write a text as UTF-8 under a name that is free, or with `force` in place of what is there.

    private: its owner alone may read it.
    """
    check_target(target, source=None, force=force)
    publish_file(lambda out: out.write(text.encode()), target, check=lambda path: None, force=force, private=private)


def publish_text(text: str, target: str, *, check: Callable[[str], None], force: bool = False) -> None:
    """Write a text as UTF-8 to a file or to stdout (`-`), once `check` has passed what lies on the disk."""
    check_target(target, source=None, force=force)

    def look(path: str) -> None:
        check(Path(path).read_text(encoding="utf-8"))

    publish_file(lambda out: out.write(text.encode()), target, check=look, force=force)
