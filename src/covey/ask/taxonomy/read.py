"""Taxonomy files: CSV rows `leaf;level1;...;root`, TOML and JSON trees, read into drafts."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covey.ask.taxonomy.draft import Draft, draft_of_rows, draft_of_tree
from covey.base.errors import InputError

__all__ = ["draft_of_text", "text_of_file"]


def draft_of_text(text: str, path: Path) -> Draft:
    """Return the draft of the text of a taxonomy file; the extension says how it is written."""
    readers = {".csv": _draft_of_csv, ".toml": _draft_of_toml, ".json": _draft_of_json}
    try:
        return readers[path.suffix.lower()](text, path.name)
    except RecursionError:
        raise _broken(path.name, path.suffix[1:].upper(), "nested too deeply") from None
    except InputError as fault:
        if path.name in fault.message:
            raise
        raise InputError(f"`{path.name}`: {fault.message}", code=fault.code, hint=fault.hint) from None
    except ValueError:  # of Python, for a number of thousands of digits
        raise _broken(path.name, path.suffix[1:].upper(), "a number has too many digits") from None


def text_of_file(path: Path) -> str:
    """Return the text of a UTF-8 file of a known kind, without its byte order mark."""
    if path.suffix.lower() not in (".csv", ".toml", ".json"):
        raise InputError(
            f"`{path.name}` is no kind of taxonomy file that covey reads",
            code="taxonomy-format",
            hint="use .csv (leaf;level1;...;root), .toml or .json",
        )
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(
            f"there is no taxonomy file `{path.name}`", code="no-such-file", hint=f"looked in `{path.parent}`"
        ) from None
    except OSError as fault:
        raise InputError(
            f"the taxonomy file `{path.name}` cannot be read: {fault.strerror}",
            code="unreadable-file",
            hint="check the name and the permissions",
        ) from None
    except UnicodeDecodeError as fault:
        raise InputError(
            f"`{path.name}` is not UTF-8 text (byte {fault.start + 1:,})",
            code="unreadable-encoding",
            hint="save the file as UTF-8",
        ) from None


def _draft_of_csv(text: str, name: str) -> Draft:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True)

    def rows() -> Iterator[tuple[str, list[str]]]:
        for row in reader:
            yield f"line {reader.line_num:,}", row

    try:
        return draft_of_rows(rows())
    except csv.Error as fault:
        raise InputError(
            f"`{name}` is broken in line {reader.line_num:,}: {fault}",
            code="taxonomy-broken-file",
            hint="one row per leaf, `leaf;level1;...;root`; a name in quotes must end with a quote",
        ) from None


def _draft_of_toml(text: str, name: str) -> Draft:
    try:
        return draft_of_tree(tomllib.loads(text))
    except tomllib.TOMLDecodeError as fault:
        raise _broken(name, "TOML", str(fault)) from None


def _draft_of_json(text: str, name: str) -> Draft:
    try:
        return draft_of_tree(json.loads(text, object_pairs_hook=_no_key_twice))
    except json.JSONDecodeError as fault:
        raise _broken(name, "JSON", f"{fault.msg} at line {fault.lineno:,}, column {fault.colno:,}") from None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the mapping of one JSON object; a key that stands twice would silently lose a subtree."""
    mapping: dict[str, Any] = {}
    for key, below in pairs:
        if key in mapping:
            raise InputError(
                f"the name `{key}` stands twice in one object of a JSON taxonomy",
                code="taxonomy-broken-file",
                hint="join the two or rename one of them",
            )
        mapping[key] = below
    return mapping


def _broken(name: str, kind: str, why: str) -> InputError:
    return InputError(
        f"`{name}` is not valid {kind}: {why}",
        code="taxonomy-broken-file",
        hint='a tree looks like {"Europe": {"West": ["France", "Spain"]}, "Asia": ["Japan"]}',
    )
