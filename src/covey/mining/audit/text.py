"""An audit as plain text for people: readable without colour, one fact a line, on a terminal of 80 columns."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from covey.base.checks import plural
from covey.base.printable import printable_lines

if TYPE_CHECKING:
    from covey.mining.audit.result import Audit, ExposedSpan

__all__ = [
    "audit_text",
    "entropy_text",
    "fit_text",
    "headline",
    "kept_together",
    "label_text",
    "more_spans",
    "plain",
    "span_text",
]

_WIDTH = 67  # with 13 for the titles: 80
_MOST_LABELS = 6
_LONGEST_LABEL = 120
_NO_BREAK = "\u00a0"
_KEPT_TOGETHER = re.compile(r"(?<=\d) (?=rows?\b|node|span|more)|(?<=[<=>]) | (?=[<=>(])")
_TURNS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


ROWS_ONLY = "rows are counted: where a person can have several, a span may be of fewer persons"


def audit_text(audit: Audit) -> str:
    """Return what a data steward needs to know before a model is let out."""
    lines = [
        headline(audit),
        "",
        *_section("exposed", [*map(span_text, audit.offending), *filter(None, [more_spans(audit)])]),
        *_section("model", [f"{audit.model}, {plural(audit.spans, 'span')}"] if audit.spans else [audit.model]),
        *_section("table", [] if audit.holds_rows else [fit_text(audit)]),
        *_section("diversity", _diversity(audit)),
        *_section("unchecked", [f"{what}: not yet" for what in audit.not_checked]),
        *_section("public", [", ".join(audit.public) or "nothing"]),
        *_section("private", [*audit.domains, *_target(audit)]),
        *_section("target", [f"{audit.target}, told by its values"] if audit.target_found else []),
        *_section("warning", audit.warnings),
        *_section("note", [*of_rows(audit), "for the steward: do not publish these findings with the model"]),
    ]
    return printable_lines(lines)


def of_rows(audit: Audit) -> list[str]:
    """Return what is not known of persons; nothing where a warning says how many share the spans."""
    return [] if audit.of_persons else [ROWS_ONLY]


def span_text(span: ExposedSpan) -> str:
    """Return a span as one line: who, how many, and what others learn of them."""
    if len(span.counts) == 1:
        learned = f"{'all ' if span.people > 1 else ''}'{label_text(span.counts[0][0])}'"
    else:
        told = [f"{people:,} '{label_text(label)}'" for label, people in span.counts[:_MOST_LABELS]]
        more = len(span.counts) - _MOST_LABELS
        learned = ", ".join([*told, f"{plural(more, 'label')} more"] if more > 0 else told)
    return plain(f"{span.words}: {plural(span.people, 'row')}, {learned}")


def label_text(label: str) -> str:
    """Return a label, or its beginning: those of rules tell the outcome of each rule.

    >>> label_text("good"), len(label_text("good" * 99))
    ('good', 124)
    """
    return label if len(label) <= _LONGEST_LABEL + 4 else f"{label[:_LONGEST_LABEL]} ..."


def plain(text: str) -> str:
    r"""Return a text of the table or the model without what would steer a terminal or a page.

    >>> plain("a\x1b[31mb\tc")
    'a\\x1b[31mb c'
    """
    if text.isprintable():
        return text
    return "".join(map(_plain_mark, text))


def _plain_mark(mark: str) -> str:
    if mark in "\t\n\r\x0b\x0c":
        return " "
    is_shown = unicodedata.category(mark) not in ("Cc", "Cs") and mark not in _TURNS
    return mark if is_shown else mark.encode("unicode_escape").decode()


def kept_together(text: str) -> str:
    """Return a text with blanks at which no line ends within `age <= 30` and `2 rows`."""
    return _KEPT_TOGETHER.sub(_NO_BREAK, text)


def headline(audit: Audit) -> str:
    """Return the finding in one line."""
    rows = plural(audit.rows, "row")
    if audit.other_table is not None:
        rows += " in another table than it was trained on"
    if audit.holds_rows:
        return f"NOT {audit.k}-anonymous: some of the {rows} are stored in the model"
    if audit.ok:
        whose = " for rows, NOT for persons" if audit.only_rows else ""
        if audit.telling_spans == 0:
            return f"{audit.k}-anonymous{whose}: what others know tells the class of each of {rows}, so no span counts"
        return (
            f"{audit.k}-anonymous{whose}: at least {audit.k_reached:,} of {rows} share every span that tells anything"
        )
    are = "is" if audit.exposed_people == 1 else "are"
    if audit.k > audit.rows:
        return (
            f"NOT {audit.k}-anonymous: the table has only {rows}, {audit.exposed_people:,} of them in "
            f"{plural(audit.exposed_spans, 'span')} that tell{'s' if audit.exposed_spans == 1 else ''} something"
        )
    return (
        f"NOT {audit.k}-anonymous: {audit.exposed_people:,} of {rows} {are} in "
        f"{plural(audit.exposed_spans, 'span')} of fewer than {audit.k}; {audit.k_reached:,} in the smallest"
    )


def fit_text(audit: Audit) -> str:
    """Return whether the table is the one that the model was trained on, as far as the model tells."""
    if audit.other_table is not None:
        return f"is NOT the training table: {audit.other_table}; it was counted all the same"
    if audit.table_fits is None:
        return "must be the one that the model was trained on: nothing in the model tells"
    return f"fits the model: {audit.table_fits}"


def more_spans(audit: Audit) -> str:
    """Return how many exposed spans are not listed; empty if all are."""
    left_off = audit.exposed_spans - len(audit.offending)
    if not left_off:
        return ""
    rows = audit.exposed_people - sum(span.people for span in audit.offending)
    return f"and {plural(left_off, 'span')} more, of {plural(rows, 'row')}"


def _diversity(audit: Audit) -> list[str]:
    if audit.l_reached is None or audit.target in audit.public:  # known to all: nothing is learned of it
        return []
    if audit.l_reached == 1:
        return [f"in some span that tells anything, all rows have the same `{audit.target}`"]
    values = f"{plural(audit.l_reached, 'value')} of `{audit.target}`"
    return [f"at least {values} in every span that tells anything; entropy l = {entropy_text(audit)}"]


def entropy_text(audit: Audit) -> str:
    """Return the entropy l-diversity, never more than it is."""
    assert audit.entropy_l is not None
    return f"{math.floor(audit.entropy_l * 100) / 100:.2f}"


def _target(audit: Audit) -> list[str]:
    return [f"{audit.target}: what the model tells"] if audit.target in audit.private else []


def _section(title: str, facts: Iterable[str]) -> list[str]:
    lines = [line for fact in facts for line in _wrapped(plain(fact))]
    return [f"  {title if i == 0 else '':<11}{line}" for i, line in enumerate(lines)]


def _wrapped(fact: str) -> list[str]:
    found = textwrap.wrap(kept_together(fact), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in found]
