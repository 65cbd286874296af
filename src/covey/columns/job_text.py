"""A proposed job as text, with a comment on every column."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from covey.base.printable import acts
from covey.columns.proposal import Proposal

__all__ = ["job_text"]


def job_text(
    proposals: Sequence[Proposal],
    n_rows: int,
    source: str,
    csv: Mapping[str, Any] | None = None,
    na: Sequence[str] = (),
    na_by_column: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the text of a `covey.toml` with these proposals, ready to run and to be corrected.

    csv: how the file had to be read, where it had to be told; na, na_by_column: what means missing.
    """
    lines = [
        f"# Proposed by `covey init` from {_one_line(source)}: every role and type below is a guess. Read each one.",
        "#   identifier  dropped                    quasi   generalised",
        "#   sensitive, target, other  published as they are: never guessed, set them yourself",
        "",
        f"k = {max(2, min(10, n_rows // 2))}",
        'missing = "category"',
        *([f"na = {_texts(na)}"] if na else []),
    ]
    if csv:
        lines += ["", "[csv]", *(f"{name} = {_told(value)}" for name, value in csv.items())]
    for proposal in proposals:
        lines += ["", f"# guess: {_one_line('; '.join(proposal.reasons))}"]
        if proposal.suggestion:
            lines.append(f"# perhaps: {proposal.suggestion}")
        lines += [f"[columns.{_key(proposal.name)}]", f'role = "{proposal.role}"']
        if proposal.type is not None:
            lines.append(f'type = "{proposal.type}"')
        if proposal.prefixes:
            lines.append(f"taxonomy = {{prefixes = {list(proposal.prefixes)}}}")
        if proposal.role == "quasi" and (own := (na_by_column or {}).get(proposal.name)):
            lines.append(f"na = {_texts(own)}")
    return "\n".join(lines) + "\n"


def _told(value: Any) -> str:
    """Return an option of the file as TOML writes it: a text, texts, or true and false."""
    if isinstance(value, str):
        return _quoted(value)
    return json.dumps(value) if isinstance(value, bool) else _texts(value)


def _texts(values: Sequence[str]) -> str:
    return "[" + ", ".join(_quoted(value) for value in values) + "]"


def _one_line(text: str) -> str:
    """Return a text that can stand in a comment: what would act instead of being seen as blanks."""
    return "".join(" " if acts(mark) else mark for mark in text)


def _key(name: str) -> str:
    """Return a column name as a TOML key, quoted where it must be."""
    if re.fullmatch(r"[A-Za-z0-9_-]+", name):
        return name
    return _quoted(name)


def _quoted(text: str) -> str:
    """Return a text as TOML writes one, with escapes for what would act on a terminal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(_escape(mark) if acts(mark) else mark for mark in escaped) + '"'


def _escape(mark: str) -> str:
    code = ord(mark)
    if mark == "\t":  # common as a separator
        return "\\t"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
