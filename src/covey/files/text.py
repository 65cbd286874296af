"""Small text files (jobs, reports) that appear whole or not at all."""

from __future__ import annotations

from typing import BinaryIO

from covey.files.atomic import publish_file
from covey.files.target import check_target

__all__ = ["write_text"]


def write_text(text: str, target: str, *, force: bool = False, private: bool = False) -> None:
    """Write a text as UTF-8 under a name that is free, or with `force` in place of what is there.

    private: its owner alone may read it.
    """
    check_target(target, source=None, force=force)

    def write(out: BinaryIO) -> None:
        out.write(text.encode())

    publish_file(write, target, check=lambda path: None, force=force, private=private)
