"""A proposed job as text, with a comment on every column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covey.ask.toml import toml_key, toml_value
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
        *([f"na = {toml_value(na)}"] if na else []),
    ]
    if csv:
        lines += ["", "[csv]", *(f"{name} = {toml_value(value)}" for name, value in csv.items())]
    for proposal in proposals:
        lines += ["", f"# guess: {_one_line('; '.join(proposal.reasons))}"]
        if proposal.suggestion:
            lines.append(f"# perhaps: {proposal.suggestion}")
        lines += [f"[columns.{toml_key(proposal.name)}]", f'role = "{proposal.role}"']
        if proposal.type is not None:
            lines.append(f'type = "{proposal.type}"')
        if proposal.prefixes:
            lines.append(f"taxonomy = {toml_value({'prefixes': proposal.prefixes})}")
        if proposal.role == "quasi" and (own := (na_by_column or {}).get(proposal.name)):
            lines.append(f"na = {toml_value(own)}")
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    """Return a text that can stand in a comment: what would act instead of being seen as blanks."""
    return "".join(" " if acts(mark) else mark for mark in text)
