"""An audit as plain text for people: readable without colour, one fact a line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from covey.checks import plural

if TYPE_CHECKING:
    from covey.mining.audit_result import Audit, ExposedSpan

__all__ = ["audit_text", "headline", "span_text"]

_WIDTH = 90
_MOST_LABELS = 6


def audit_text(audit: Audit) -> str:
    """Return what a data steward needs to know before a model is let out."""
    lines = [
        headline(audit),
        "",
        *_section("exposed", _exposed(audit)),
        *_section("model", [f"{audit.model}, {plural(audit.spans, 'span')}"] if audit.spans else [audit.model]),
        *_section("diversity", _diversity(audit)),
        *_section("public", [", ".join(audit.public) or "nothing"]),
        *_section("private", [*audit.domains, *_target(audit)]),
        *_section("warning", audit.warnings),
        *_section("note", ["these findings are for the steward: do not publish them with the model"]),
    ]
    return "\n".join(lines)


def span_text(span: ExposedSpan) -> str:
    """Return a span as one line: who, how many, and what others learn of them."""
    if len(span.counts) == 1:
        learned = f"{'all ' if span.people > 1 else ''}'{span.counts[0][0]}'"
    else:
        told = [f"{people:,} '{label}'" for label, people in span.counts[:_MOST_LABELS]]
        more = len(span.counts) - _MOST_LABELS
        learned = ", ".join([*told, f"{plural(more, 'label')} more"] if more > 0 else told)
    return f"{span.words}: {plural(span.people, 'person', 'people')}, {learned}"


def headline(audit: Audit) -> str:
    """Return the finding in one line."""
    people = plural(audit.rows, "person", "people")
    if audit.holds_rows:
        return f"NOT {audit.k}-anonymous: rows of the {people} are stored in the model"
    if audit.ok:
        return f"{audit.k}-anonymous: at least {audit.k_reached:,} of {people} share every span that tells anything"
    are = "is" if audit.exposed_people == 1 else "are"
    return (
        f"NOT {audit.k}-anonymous: {audit.exposed_people:,} of {people} {are} in "
        f"{plural(audit.exposed_spans, 'span')} of fewer than {audit.k}; {audit.k_reached:,} in the smallest"
    )


def _exposed(audit: Audit) -> list[str]:
    left_off = audit.exposed_spans - len(audit.offending)
    more = [f"and {plural(left_off, 'span')} more"] if left_off else []
    return [*map(span_text, audit.offending), *more]


def _diversity(audit: Audit) -> list[str]:
    if audit.l_reached is None:
        return []
    if audit.l_reached == 1:
        return [f"in some span that tells anything, all people have the same `{audit.target}`"]
    return [f"at least {plural(audit.l_reached, 'value')} of `{audit.target}` in every span that tells anything"]


def _target(audit: Audit) -> list[str]:
    return [f"{audit.target}: what the model tells"] if audit.target in audit.private else []


def _section(title: str, facts: Iterable[str]) -> list[str]:
    lines = [line for fact in facts for line in textwrap.wrap(fact, _WIDTH, subsequent_indent="  ")]
    return [f"  {title if i == 0 else '':<11}{line}" for i, line in enumerate(lines)]
